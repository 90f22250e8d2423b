//! The literal machine's search against slower ones that are too simple to be wrong in the same way, on programs whose accesses
//! are mostly kept in order: they must have the same outcomes, and the same answer to whether an error is reachable.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fencewright_base::{Budget, CancelToken, Meter};
use fencewright_engine_literal::search::{Question, Verdict, search};
use fencewright_literal::PRELUDE;
use fencewright_literal::buffer::Model;
use fencewright_literal::machine::Settings;
use fencewright_literal::program::Program;
use fencewright_llvm::parse::Module;

use crate::handshake::Handshake;

/// States that a search may store; a larger program is passed over.
const STATES: u64 = 60_000;

/// What came of many programs.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    /// Programs that were made.
    pub programs: u64,
    /// Pairs of program and model that were compared.
    pub compared: u64,
    /// Pairs whose search became too large.
    pub passed_over: u64,
    /// States with the reduction, and with all shared bytes contested.
    pub states: (u64, u64),
    /// Seeds of programs on which the searches differ.
    pub seeds: Vec<u64>,
    /// The first of them, shrunk: its text, and what differs.
    pub finding: Option<(String, String)>,
}

impl Summary {
    fn take_in(&mut self, other: Summary) {
        self.programs += other.programs;
        self.compared += other.compared;
        self.passed_over += other.passed_over;
        self.states.0 += other.states.0;
        self.states.1 += other.states.1;
        self.seeds.extend(other.seeds);
        self.finding = self.finding.take().or(other.finding);
    }
}

/// What the search is held against.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum Reference {
    /// A search in which all shared bytes are contested. It takes twice as long.
    AllContested,
    /// A search in which every instruction is a step and no memory is private. It takes a hundred times as long.
    EveryInstruction,
}

/// What is to be done.
#[derive(Debug, Copy, Clone)]
pub struct Plan {
    /// What the search is held against.
    pub reference: Reference,
    /// The seed of the first program; the others follow.
    pub seed: u64,
    /// How many programs.
    pub programs: u64,
    /// How many threads do it.
    pub jobs: u64,
    /// After so long no more programs are made, if there is a limit.
    pub time: Option<Duration>,
    /// So many programs that show something are enough.
    pub enough: usize,
}

/// Compares many programs.
pub fn compare(plan: &Plan) -> Summary {
    let start = Instant::now();
    let n_found = AtomicUsize::new(0);
    let is_over = || {
        plan.time.is_some_and(|time| start.elapsed() >= time)
            || n_found.load(Ordering::Relaxed) >= plan.enough
    };
    let work = |job: u64| {
        let mut own = Summary::default();
        let mut first = None;
        for seed in (plan.seed + job..plan.seed + plan.programs).step_by(plan.jobs as usize) {
            if is_over() {
                break;
            }
            own.programs += 1;
            let program = Handshake::generate(seed);
            if difference(&program, plan.reference, &mut own).is_some() {
                own.seeds.push(seed);
                n_found.fetch_add(1, Ordering::Relaxed);
                first.get_or_insert(program);
            }
        }
        own.finding = first.map(|program| shrunk(program, plan.reference));
        own
    };
    let mut all = Summary::default();
    std::thread::scope(|scope| {
        let work = &work;
        let workers: Vec<_> = (0..plan.jobs).map(|job| scope.spawn(move || work(job))).collect();
        for worker in workers {
            match worker.join() {
                Ok(own) => all.take_in(own),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    all.seeds.sort_unstable();
    all
}

/// The smallest program that still differs, by leaving out one thing at a time.
fn shrunk(mut program: Handshake, reference: Reference) -> (String, String) {
    let mut text = String::new();
    while let Some((smaller, found)) = program.smaller().into_iter().find_map(|smaller| {
        let found = difference(&smaller, reference, &mut Summary::default())?;
        Some((smaller, found))
    }) {
        (program, text) = (smaller, found);
    }
    if text.is_empty() {
        text = difference(&program, reference, &mut Summary::default()).unwrap_or_default();
    }
    (format!("{program:#?}\n{}", program.render()), text)
}

/// In what the searches differ, if they do: in whether an error is reachable, or in the outcomes when errors end an execution
/// silently.
fn difference(program: &Handshake, reference: Reference, summary: &mut Summary) -> Option<String> {
    let text = program.render();
    let modules: Result<Vec<Module<'_>>, _> = [&text, PRELUDE].into_iter().map(Module::parse).collect();
    let modules = match modules {
        Ok(modules) => modules,
        Err(malformed) => return Some(malformed.message),
    };
    let program = match Program::new(&modules) {
        Ok(program) => program,
        Err(error) => return Some(error.to_string()),
    };
    for model in [Model::Sc, Model::Tso, Model::Pso] {
        for checks in [true, false] {
            let answer = |how: How| {
                catch_unwind(AssertUnwindSafe(|| ends(&program, model, how, checks)))
                    .unwrap_or_else(|_| Ends::Strange("it panics".to_owned()))
            };
            let expected = answer(How::Slowly(reference));
            let mut is_fault = false;
            for how in [How::Plain, How::Refined] {
                match (&answer(how), &expected) {
                    (Ends::Strange(what), _) | (_, Ends::Strange(what)) => {
                        return Some(format!("{model:?}, {how:?}: {what}"));
                    }
                    // A weaker model has more executions.
                    (Ends::TooLarge, _) | (_, Ends::TooLarge) => {
                        summary.passed_over += 1;
                        return None;
                    }
                    (Ends::Fault, Ends::Fault) => is_fault = true,
                    (Ends::Outcomes(_, n), Ends::Fault) => {
                        return Some(format!("{model:?}, {how:?}: an error is lost ({n} states)"));
                    }
                    (Ends::Fault, Ends::Outcomes(..)) => {
                        return Some(format!("{model:?}, {how:?}: a strange error"));
                    }
                    (Ends::Outcomes(a, n), Ends::Outcomes(b, m)) => {
                        let (lost, strange) = (b.difference(a).count(), a.difference(b).count());
                        if lost + strange > 0 {
                            return Some(format!(
                                "{model:?}, {how:?}: {lost} outcomes are lost, {strange} are strange"
                            ));
                        }
                        summary.states.0 += n;
                        summary.states.1 += m;
                    }
                }
            }
            // Without an error both questions have the same answer.
            if !is_fault {
                summary.compared += 1;
                break;
            }
        }
    }
    None
}

/// How a program is searched.
#[derive(Debug, Copy, Clone)]
enum How {
    /// As a small program is.
    Plain,
    /// As a large one is: accesses to contested bytes are told apart by place.
    Refined,
    /// As a judge does it.
    Slowly(Reference),
}

enum Ends {
    Outcomes(BTreeSet<Vec<u64>>, u64),
    Fault,
    TooLarge,
    Strange(String),
}

fn ends(program: &Program<'_>, model: Model, how: How, checks: bool) -> Ends {
    let observed = program.globals().iter().position(|global| &*global.name == "out").map(|n| n as u32);
    let mut settings = Settings::new(model);
    match how {
        How::Plain => {}
        How::Refined => settings.contested = Rc::new(settings.contested.refined()),
        How::Slowly(Reference::AllContested) => settings.all_contested = true,
        How::Slowly(Reference::EveryInstruction) => (settings.reduction, settings.private) = (false, false),
    }
    if !checks {
        settings.checks.clear();
    }
    let question = Question { settings, fixed_buffer: None, observed, dives: false, progress: &|_| () };
    let budget = Budget { time: None, memory: None, states: Some(STATES) };
    let found = search(program, &question, &Meter::start(budget, CancelToken::new()));
    match found.verdict {
        Verdict::Holds => Ends::Outcomes(found.outcomes, found.statistics.states),
        Verdict::Violated(_) => Ends::Fault,
        Verdict::Stopped(_) => Ends::TooLarge,
        other => Ends::Strange(format!("{other:?}")),
    }
}
