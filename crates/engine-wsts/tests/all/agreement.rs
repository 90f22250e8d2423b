//! The engine against the reference semantics on generated programs: both answers are exact, so they must be the same
//! wherever the reference is exact, that is where no buffer grew past its bound. A violation has been replayed by the gate.

use fencewright_base::{Budget, CancelToken, Meter};
use fencewright_engine::{Context, Engine, Guarantee, Options, Task, Unknown, Verdict, run};
use fencewright_engine_coherence::Coherence;
use fencewright_engine_explicit::Explicit;
use fencewright_engine_wsts::{Buffering, Wsts};
use fencewright_ir::Program;
use fencewright_memory::{Machine, Model};
use fencewright_testkit::generate::{Config, program};
use fencewright_testkit::reference::{Limits, explore};

const FIRST_SEED: u64 = 3_000_000;
const PROGRAMS: u64 = 3_000;

/// How many answers of each kind the engine gave.
#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    proved: u64,
    violated: u64,
    stopped: u64,
    unsupported: u64,
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
    let (stopped, unsupported) = (sum(|c| c.stopped), sum(|c| c.unsupported));
    let told = format!("{proved} proved, {violated} violated, {stopped} stopped, {unsupported} unsupported");
    assert!(proved > PROGRAMS / 2 && violated > PROGRAMS / 2, "{told}");
    assert!(stopped + unsupported < PROGRAMS / 10, "{told}");
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
            let place = format!("seed {seed} under {}", model.name());
            let verdict = ask(&Wsts::new(), &program, model, &place);
            if model == Model::Tso && seed % 4 == 0 {
                // The two machines for TSO are two orders and two searches, and have one answer.
                let single = ask(&Wsts::with(Buffering::Single), &program, model, &place);
                let letter = |verdict: &Verdict| matches!(verdict, Verdict::Holds(_));
                let stopped = matches!(single, Verdict::Unknown(_)) || matches!(verdict, Verdict::Unknown(_));
                assert!(stopped || letter(&single) == letter(&verdict), "{place}: {single:?}, {verdict:?}");
            }
            if model != Model::Sc && seed % 4 == 1 {
                // Where the reference has only a bound, other engines may know more.
                let others: [&dyn Engine; 2] = [&Explicit, &Coherence::growing()];
                for other in others {
                    let theirs = ask(other, &program, model, &place);
                    let opposite = match (&theirs, &verdict) {
                        (Verdict::Holds(Guarantee::Unbounded), Verdict::Violated(_))
                        | (Verdict::Violated(_), Verdict::Holds(_)) => true,
                        (Verdict::Holds(_) | Verdict::Violated(_) | Verdict::Unknown(_), _) => false,
                    };
                    assert!(!opposite, "{place}: {} says {theirs:?}, wsts {verdict:?}", other.name());
                }
            }
            match verdict {
                Verdict::Holds(Guarantee::Unbounded) => {
                    assert!(graph.violation.is_none(), "{place}: proved, but there is a violation");
                    counts.proved += 1;
                }
                Verdict::Violated(_) => {
                    assert!(graph.violation.is_some() || graph.met_cap, "{place}: violated, but it holds");
                    counts.violated += 1;
                }
                Verdict::Unknown(Unknown::Stopped { .. }) => counts.stopped += 1,
                Verdict::Unknown(Unknown::Unsupported { .. }) => counts.unsupported += 1,
                other => panic!("{place}: {other:?}"),
            }
        }
    }
    counts
}

fn ask(engine: &dyn Engine, program: &Program, model: Model, place: &str) -> Verdict {
    let budget = Budget { states: Some(20_000), ..Budget::default() };
    let mut context = Context::quiet(Meter::start(budget, CancelToken::new()));
    let task = Task { program, model, options: Options::default() };
    let answer = run(engine, &task, &mut context);
    answer.unwrap_or_else(|rejected| panic!("{place}: {rejected}")).verdict
}
