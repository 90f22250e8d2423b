//! `cargo xtask campaign repair`: proofs and repairs of generated programs, under TSO and PSO.
//!
//! - No abstraction of `coherence` proves what `explicit` or the plain oracle refutes.
//! - What `fix` calls safe or repaired, the plain oracle finds no violation of; what it calls wrong under SC is; what it
//!   calls not repairable is violated with every fence in place.
//! - On programs with few sites the cost of the repair is the one found by trying everything. Where a program has too
//!   many, the question is asked again of the same program with fences allowed behind statements only.
//!
//! Only `synth` and the engines are on trial. The oracle explores the reference semantics with buffers up to a bound, so it
//! refutes but does not always prove; what it leaves open is counted.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use fencewright_base::{Budget, CancelToken, Meter};
use fencewright_engine::{Context, Engine, Guarantee, Options, Race, Task, Verdict, run as ask};
use fencewright_engine_coherence::{Abstraction, Coherence};
use fencewright_engine_explicit::Explicit;
use fencewright_ir::edit::{Remedy, apply};
use fencewright_ir::{FenceKind, Program, sites};
use fencewright_memory::Model;
use fencewright_synth::{Beside, Costs, Reason, Repair, Request, Strategy, Want, repair};
use fencewright_testkit::cheapest::{Cheapest, Effort, Judgement, MOST_SITES, Prices, cheapest, judge};
use fencewright_testkit::generate::{Config, program};
use fencewright_testkit::reference::Limits;
use fencewright_testkit::shrink::shrink;

use crate::shell::{again_in_release, only, option};

const MODELS: [Model; 2] = [Model::Tso, Model::Pso];

const ABSTRACTIONS: [Abstraction; 5] =
    [Abstraction::Set, Abstraction::Fd(0), Abstraction::Fd(1), Abstraction::Pd(0), Abstraction::Pd(1)];

const COSTS: Costs = Costs { full: 10, store_store: 4, atomic: 12, order: 8, release: 3, per_loop: 1 };

/// States an engine may store for one question: small programs that need more have no bound on their buffers.
const STATES: u64 = 20_000;

/// How far the oracle goes: generated threads seldom have more than three writes.
fn effort() -> Effort {
    Effort { limits: Limits::buffer(3), states: 20_000 }
}

static COHERENCE: Coherence = Coherence::growing();

/// What `fix` asks by default.
static AUTO: Race<'static> =
    Race { name: "auto", about: "explicit and coherence", engines: &[&Explicit, &COHERENCE], reserve: None };

/// What was compared, and how often.
type Counts = BTreeMap<String, u64>;

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if cfg!(debug_assertions) {
        let again: Vec<String> =
            std::iter::once("repair".to_owned()).chain(arguments.iter().cloned()).collect();
        return again_in_release("campaign", &again);
    }
    only(arguments, &["--programs", "--seed"])?;
    let number = |name: &str, default: u64| -> Result<u64> {
        option(arguments, name)?
            .map_or(Ok(default), |text| text.parse().with_context(|| format!("`{name} {text}`")))
    };
    let (programs, seed) = (number("--programs", 20_000)?, number("--seed", 1)?);
    println!("campaign repair: {programs} programs from seed {seed} under tso, pso");
    // A panic is a failure like any other here, and the shrinker may meet it many times.
    std::panic::set_hook(Box::new(|_| {}));
    let start = Instant::now();
    let (counts, failures) = go_through(seed..seed + programs);
    for (what, times) in &counts {
        println!("{times:>8}  {what}");
    }
    println!("{:.1} s", start.elapsed().as_secs_f64());
    let Some((seed, (model, failure))) = failures.first_key_value() else { return vacuous(&counts) };
    println!("\nseed {seed} under {}: {failure}\nshrinking ...", model.name());
    let wrong = |candidate: &Program| compare(candidate, *model, &mut Counts::new()).is_err();
    let small = shrink(&program(*seed, &Config::default()), &mut |candidate| wrong(candidate));
    println!("{}", fencewright_ir::text::print(&small));
    bail!("{} programs failed", failures.len())
}

/// Fails if something that should have been compared was not.
fn vacuous(counts: &Counts) -> Result<()> {
    let mut needed = vec!["fix: repaired, no violation left", "cheapest: equal, some fences"];
    let proofs: Vec<String> =
        ABSTRACTIONS.iter().map(|abstraction| format!("{abstraction}: proved")).collect();
    needed.extend(proofs.iter().map(String::as_str));
    for model in MODELS {
        for what in &needed {
            let what = format!("{} {what}", model.name());
            if !counts.contains_key(&what) {
                bail!("nothing was compared: there is no `{what}`");
            }
        }
    }
    Ok(())
}

/// What went wrong with a seed, under which model.
type Failures = BTreeMap<u64, (Model, String)>;

fn go_through(seeds: std::ops::Range<u64>) -> (Counts, Failures) {
    let next = AtomicU64::new(seeds.start);
    let results = Mutex::new((Counts::new(), Failures::new()));
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let (mut own, mut failed) = (Counts::new(), Failures::new());
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        break;
                    }
                    let program = program(seed, &Config::default());
                    for model in MODELS {
                        if let Err(failure) = compare(&program, model, &mut own) {
                            failed.insert(seed, (model, failure));
                        }
                    }
                }
                let (counts, failures) = &mut *results.lock().expect("no worker panics");
                own.into_iter().for_each(|(what, times)| *counts.entry(what).or_default() += times);
                failures.append(&mut failed);
            });
        }
    });
    results.into_inner().expect("no worker panics")
}

/// Everything about one program and model. Counts what was compared.
fn compare(program: &Program, model: Model, counts: &mut Counts) -> Result<(), String> {
    let mut found = Counts::new();
    let compared = catch_unwind(AssertUnwindSafe(|| {
        coherence(program, model, &mut found)?;
        fixed(program, model, &mut found)?;
        cost(program, model, &mut found)
    }));
    for (what, times) in found {
        *counts.entry(format!("{} {what}", model.name())).or_default() += times;
    }
    compared.unwrap_or_else(|_| Err("something panics".to_owned()))
}

fn count(counts: &mut Counts, what: impl Into<String>) {
    *counts.entry(what.into()).or_default() += 1;
}

fn context() -> Context<'static> {
    let budget = Budget { states: Some(STATES), ..Budget::default() };
    Context::quiet(Meter::start(budget, CancelToken::new()))
}

fn verdict(engine: &dyn Engine, program: &Program, model: Model) -> Result<Verdict, String> {
    let task = Task { program, model, options: Options::default() };
    ask(engine, &task, &mut context()).map(|answer| answer.verdict).map_err(|rejected| rejected.to_string())
}

fn coherence(program: &Program, model: Model, counts: &mut Counts) -> Result<(), String> {
    let explicit = verdict(&Explicit, program, model)?;
    let oracle = judge(program, model, &effort());
    match (&explicit, oracle) {
        (Verdict::Holds(Guarantee::Unbounded), Judgement::Violated) => {
            return Err("explicit proves it, the oracle refutes it".to_owned());
        }
        (Verdict::Violated(_), Judgement::Proved) => {
            return Err("the oracle proves it, explicit refutes it".to_owned());
        }
        _ => {}
    }
    let is_violated = matches!(explicit, Verdict::Violated(_)) || oracle == Judgement::Violated;
    count(counts, if is_violated { "programs: violated" } else { "programs: not known to be violated" });
    for abstraction in ABSTRACTIONS {
        let said = match verdict(&Coherence::new(abstraction), program, model)? {
            Verdict::Holds(_) if is_violated => {
                return Err(format!("coherence with {abstraction} proves it, and it is violated"));
            }
            Verdict::Holds(_) => "proved",
            Verdict::Violated(_) if oracle == Judgement::Proved => {
                return Err(format!("coherence with {abstraction} refutes it, the oracle proves it"));
            }
            Verdict::Violated(_) => "violated",
            Verdict::Unknown(_) if is_violated => "no answer, violated",
            Verdict::Unknown(_) => "no answer",
        };
        count(counts, format!("{abstraction}: {said}"));
    }
    Ok(())
}

fn ask_repair(program: &Program, model: Model) -> Result<Repair, String> {
    let options = Options::default();
    let request = Request {
        program,
        model,
        options,
        costs: COSTS,
        beside: Beside::default(),
        want: Want::One,
        strategy: Strategy::HittingSets,
    };
    repair(&AUTO, &request, &mut context).map_err(|rejected| rejected.to_string())
}

fn fixed(program: &Program, model: Model, counts: &mut Counts) -> Result<(), String> {
    let oracle = |program: &Program, model| judge(program, model, &effort());
    let what = match ask_repair(program, model)? {
        Repair::AlreadySafe(_) => match oracle(program, model) {
            Judgement::Violated => {
                return Err("fix finds nothing to repair, the oracle refutes it".to_owned());
            }
            Judgement::Proved => "safe, and the oracle proves it",
            Judgement::Open => "safe, and the oracle finds no violation",
        },
        Repair::Repaired(found) => {
            let remedies: Vec<Remedy> = found.remedies.iter().map(|chosen| chosen.remedy).collect();
            match oracle(&apply(program, &remedies), model) {
                Judgement::Violated => {
                    return Err(format!("repaired by {remedies:?}, the oracle refutes it"));
                }
                Judgement::Proved => count(counts, "fix: repaired, and the oracle proves it"),
                Judgement::Open => count(counts, "fix: repaired, and the oracle leaves it open"),
            }
            count(
                counts,
                if found.minimum { "fix: repaired, minimum" } else { "fix: repaired, no minimum claimed" },
            );
            "repaired, no violation left"
        }
        Repair::WrongUnderSc(_) => match oracle(program, Model::Sc) {
            Judgement::Proved => return Err("wrong under SC, the oracle proves it there".to_owned()),
            Judgement::Violated | Judgement::Open => "wrong under SC",
        },
        Repair::NotFound(found) => match found.reason {
            Reason::NotRepairable(_) => {
                let all: Vec<Remedy> =
                    sites(program).into_iter().map(|site| Remedy::Fence(site, FenceKind::Full)).collect();
                match oracle(&apply(program, &all), model) {
                    Judgement::Proved => return Err("not repairable, all fences repair it".to_owned()),
                    Judgement::Violated | Judgement::Open => "not repairable",
                }
            }
            Reason::GaveUp(_) => "given up",
            Reason::Unproved(_) => "no proof within the limits",
            Reason::Unavoidable { .. }
            | Reason::NotInferred { .. }
            | Reason::Refuted(_)
            | Reason::NoHazard(_)
            | Reason::NoPairs(_)
            | Reason::NoPlace => {
                return Err("an answer of another strategy".to_owned());
            }
        },
    };
    count(counts, format!("fix: {what}"));
    Ok(())
}

fn cost(program: &Program, model: Model, counts: &mut Counts) -> Result<(), String> {
    let prices = Prices { full: COSTS.full, store_store: COSTS.store_store, per_loop: COSTS.per_loop };
    let mut small = program.clone();
    if sites(&small).len() > MOST_SITES {
        small.statements.iter_mut().for_each(|statement| statement.fence_before = false);
    }
    if sites(&small).len() > MOST_SITES {
        count(counts, "cheapest: too many sites");
        return Ok(());
    }
    let found = match ask_repair(&small, model)? {
        Repair::AlreadySafe(_) => Cheapest::Costs(0),
        Repair::Repaired(found) if !found.minimum => {
            count(counts, "cheapest: no minimum claimed");
            return Ok(());
        }
        Repair::Repaired(found) => Cheapest::Costs(found.cost),
        Repair::WrongUnderSc(_) => {
            count(counts, "cheapest: wrong under SC");
            return Ok(());
        }
        Repair::NotFound(found) => match found.reason {
            Reason::NotRepairable(_) => Cheapest::None,
            Reason::GaveUp(_) | Reason::Unproved(_) => Cheapest::Undecided,
            Reason::Unavoidable { .. }
            | Reason::NotInferred { .. }
            | Reason::Refuted(_)
            | Reason::NoHazard(_)
            | Reason::NoPairs(_)
            | Reason::NoPlace => {
                return Err("an answer of another strategy".to_owned());
            }
        },
    };
    let tried = cheapest(&small, model, &prices, &effort()).expect("there are few sites");
    let what = match (found, tried) {
        (Cheapest::Undecided, _) => "fix gives no answer",
        (_, Cheapest::Undecided) => "the oracle gives no answer",
        (found, tried) if found != tried => {
            return Err(format!("the cheapest repair is {tried:?}, fix says {found:?}"));
        }
        (Cheapest::Costs(0), _) => "equal, nothing needed",
        (Cheapest::Costs(_), _) => "equal, some fences",
        (Cheapest::None, _) => "equal, no repair",
    };
    count(counts, format!("cheapest: {what}"));
    Ok(())
}
