//! The models of the DVE thesis's Table 4.1 under Slot: how many writes the procedure of the thesis makes atomic, and how
//! few are enough, which is told to be the fewest where that is proved. The thesis's models are variants without arrays, so
//! their numbers of writes differ: it has 8 for Peterson, 27 for Lamport and 30 for Anderson, of which 4, 13 and 24 became
//! atomic.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use fencewright_base::{Budget, CancelToken, Meter, SourceMap};
use fencewright_engine::{Context, Engine, Options, Race};
use fencewright_engine_explicit::Explicit;
use fencewright_engine_ltl::Ltl;
use fencewright_ir::{Claim, Fairness, Program, Property, Temporal};
use fencewright_memory::Model;
use fencewright_synth::{Beside, Costs, Reason, Repair, Request, Strategy, Want, offers, repair};

const ATOMIC: Beside = Beside { atomic: true, orders: false };

/// A model, and what it is repaired for: a condition on states, or a formula.
const ROWS: &[(&str, &str, Asked)] = &[
    ("peterson", "peterson.n2", Asked::Formula("G !(P_0.CS && P_1.CS)")),
    ("lamport", "lamport.1", Asked::Condition("P_0.CS + P_1.CS + P_2.CS <= 1")),
    ("anderson", "anderson.2", Asked::Condition("P_0.CS + P_1.CS + P_2.CS <= 1")),
    ("anderson", "anderson.2", Asked::Formula("G (P_0.p1 -> F P_0.CS)")),
];

/// For each question and strategy.
const SECONDS: u64 = 240;

#[derive(Copy, Clone)]
enum Asked {
    Condition(&'static str),
    Formula(&'static str),
}

pub(super) fn run(folder: &Path) -> Result<()> {
    println!("{:14} {:32} {:>6} {:>14} {:>24}", "model", "property", "writes", "hazard", "minimum");
    for (family, name, asked) in ROWS {
        let mut program = super::explicit::load(&folder.join(family).join(format!("{name}.dve")))?;
        let (Asked::Condition(text) | Asked::Formula(text)) = asked;
        program.properties = vec![property(&program, *asked)?];
        let writes = offers(&program, ATOMIC).len();
        let [hazard, minimum] = [Strategy::Hazard, Strategy::HittingSets].map(|s| told(&program, s));
        println!("{name:14} {text:32} {writes:>6} {:>14} {:>24}", hazard?, minimum?);
    }
    Ok(())
}

fn property(program: &Program, asked: Asked) -> Result<Property> {
    let mut sources = SourceMap::new();
    let (Asked::Condition(text) | Asked::Formula(text)) = asked;
    let file = sources.add("property", text);
    let found = match asked {
        Asked::Condition(_) => {
            fencewright_frontend::dve::parse_condition(&sources, file, program).map(Property::Invariant)
        }
        Asked::Formula(_) => fencewright_frontend::ltl::formula(&sources, file, program).map(|formula| {
            let (claim, text) = (Claim::Formula(formula), text.to_owned());
            Property::Temporal(Temporal { claim, fairness: Fairness::default(), text, span: None })
        }),
    };
    found.or_else(|problems| bail!("{text}: {}", problems[0].message))
}

/// How many atomic writes the strategy comes to, and in how many seconds.
fn told(program: &Program, strategy: Strategy<'_>) -> Result<String> {
    let engines: &[&dyn Engine] = &[&Explicit, &Ltl];
    let engine = Race { name: "walkers", about: "explicit, or ltl for formulae", engines, reserve: None };
    let request = Request {
        program,
        model: Model::Slot,
        options: Options::default(),
        costs: Costs::default(),
        beside: ATOMIC,
        want: Want::One,
        strategy,
    };
    let time = Some(Duration::from_secs(SECONDS));
    let budget = Budget { time, memory: Some(5 << 30), states: None };
    let start = Instant::now();
    let whole = Meter::start(budget.clone(), CancelToken::new());
    let mut context = || Context::quiet(whole.part(budget.clone(), CancelToken::new()));
    let found = repair(&engine, &request, &mut context)?;
    let seconds = start.elapsed().as_secs_f64();
    Ok(match found {
        Repair::Repaired(repaired) => {
            let proved = if repaired.minimum { ", fewest" } else { "" };
            format!("{}{proved} in {seconds:.1} s", repaired.remedies.len())
        }
        Repair::AlreadySafe(_) => "0".to_owned(),
        Repair::WrongUnderSc(_) => "wrong under SC".to_owned(),
        Repair::NotFound(found) => match found.reason {
            Reason::Unproved(_) => format!("> {SECONDS} s ({}…)", found.candidate.len()),
            _ => "none".to_owned(),
        },
    })
}
