//! The engine against the reference semantics on generated programs: where both are certain they must say the same. A
//! violation has been replayed by the gate.

use fencewright_base::{Budget, CancelToken, Meter};
use fencewright_engine::{Context, Guarantee, Options, Task, Unknown, Verdict, run};
use fencewright_engine_predicate::{Part, Predicate};
use fencewright_ir::Program;
use fencewright_memory::{Machine, Model};
use fencewright_testkit::generate::{Config, program};
use fencewright_testkit::reference::{Limits, explore};

const FIRST_SEED: u64 = 8_000_000;
const PROGRAMS: u64 = 400;

/// How many answers of each kind the engine gave.
#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    proved: u64,
    violated: u64,
    stopped: u64,
    imprecise: u64,
}

#[test]
fn answers_are_those_of_the_reference() {
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let counts: Vec<Counts> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..workers).map(|worker| scope.spawn(move || sample(worker, workers))).collect();
        threads.into_iter().map(|thread| thread.join().expect("the two sides agree")).collect()
    });
    let sum = |of: fn(&Counts) -> u64| counts.iter().map(of).sum::<u64>();
    let (proved, violated) = (sum(|c| c.proved), sum(|c| c.violated));
    let (stopped, imprecise) = (sum(|c| c.stopped), sum(|c| c.imprecise));
    let told = format!("{proved} proved, {violated} violated, {stopped} stopped, {imprecise} imprecise");
    assert!(proved > PROGRAMS && violated > PROGRAMS / 2, "{told}");
    assert!(stopped + imprecise < PROGRAMS / 8, "{told}");
}

fn sample(worker: u64, workers: u64) -> Counts {
    let mut counts = Counts::default();
    for seed in (FIRST_SEED + worker..FIRST_SEED + PROGRAMS).step_by(workers as usize) {
        let program = program(seed, &Config::default());
        for model in [Model::Sc, Model::Tso, Model::Pso] {
            let machine = Machine::new(&program, model);
            let budget = Budget { states: Some(5_000), ..Budget::default() };
            let meter = Meter::start(budget, CancelToken::new());
            let Ok(graph) = explore(&machine, &Limits::buffer(2), &meter) else { continue };
            let part = if seed % 2 == 0 { Part::Oldest } else { Part::Newest };
            let place = format!("seed {seed} under {}", model.name());
            match ask(&Predicate::with(part), &program, model, &place) {
                Verdict::Holds(Guarantee::Unbounded) => {
                    assert!(graph.violation.is_none(), "{place}: proved, but there is a violation");
                    counts.proved += 1;
                }
                Verdict::Violated(_) => {
                    assert!(graph.violation.is_some() || graph.met_cap, "{place}: violated, but it holds");
                    counts.violated += 1;
                }
                Verdict::Unknown(Unknown::Stopped { .. }) => counts.stopped += 1,
                Verdict::Unknown(Unknown::Imprecise) => counts.imprecise += 1,
                other => panic!("{place}: {other:?}"),
            }
        }
    }
    counts
}

fn ask(engine: &Predicate, program: &Program, model: Model, place: &str) -> Verdict {
    let budget = Budget { states: Some(20_000), ..Budget::default() };
    let mut context = Context::quiet(Meter::start(budget, CancelToken::new()));
    let task = Task { program, model, options: Options::default() };
    let answer = run(engine, &task, &mut context);
    answer.unwrap_or_else(|rejected| panic!("{place}: {rejected}")).verdict
}
