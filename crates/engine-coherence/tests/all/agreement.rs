//! The abstractions against the reference semantics on generated programs. A fixed sample; what is compared:
//! - no abstraction says `Holds` where the reference finds a violation (a violation that the engine finds has been
//!   replayed by the gate);
//! - where no buffer ever holds more than two writes, keeping two in order is exact;
//! - FD and PD with the same head prove the same programs.

use fencewright_base::{Budget, CancelToken, Meter};
use fencewright_engine::{Context, Guarantee, Options, Task, Unknown, Verdict, run};
use fencewright_engine_coherence::{Abstraction, Coherence};
use fencewright_ir::Program;
use fencewright_memory::{Machine, Model};
use fencewright_testkit::generate::{Config, program};
use fencewright_testkit::reference::{Limits, explore};

const FIRST_SEED: u64 = 2_000_000;
const PROGRAMS: u64 = 2_000;

const ABSTRACTIONS: [Abstraction; 6] = [
    Abstraction::Set,
    Abstraction::Fd(0),
    Abstraction::Fd(1),
    Abstraction::Pd(1),
    Abstraction::Fd(2),
    Abstraction::Runs(2),
];

/// How many answers of each kind an abstraction gave.
#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    proved: u64,
    violated: u64,
    imprecise: u64,
    stopped: u64,
}

#[test]
fn no_abstraction_proves_what_the_reference_refutes() {
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let counts: Vec<[Counts; 6]> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..workers).map(|worker| scope.spawn(move || sample(worker, workers))).collect();
        threads.into_iter().map(|thread| thread.join().expect("the two sides agree")).collect()
    });
    for (i, abstraction) in ABSTRACTIONS.iter().enumerate() {
        let sum = |of: fn(&Counts) -> u64| counts.iter().map(|counts| of(&counts[i])).sum::<u64>();
        let (proved, violated) = (sum(|c| c.proved), sum(|c| c.violated));
        let (imprecise, stopped) = (sum(|c| c.imprecise), sum(|c| c.stopped));
        let told = format!(
            "{abstraction}: {proved} proved, {violated} violated, {imprecise} imprecise, {stopped} stopped"
        );
        // Programs that were all trivial, or an engine that always gave up, would show nothing.
        assert!(proved > PROGRAMS / 4 && violated > PROGRAMS / 4 && stopped < PROGRAMS / 20, "{told}");
    }
}

fn sample(worker: u64, workers: u64) -> [Counts; 6] {
    let mut counts = [Counts::default(); 6];
    for seed in (FIRST_SEED + worker..FIRST_SEED + PROGRAMS).step_by(workers as usize) {
        let program = program(seed, &Config::default());
        for model in [Model::Tso, Model::Pso] {
            let machine = Machine::new(&program, model);
            let budget = Budget { states: Some(5_000), ..Budget::default() };
            let meter = Meter::start(budget, CancelToken::new());
            let Ok(graph) = explore(&machine, &Limits::buffer(2), &meter) else { continue };
            let answers = ABSTRACTIONS.map(|abstraction| ask(abstraction, &program, model));
            for (i, answer) in answers.iter().enumerate() {
                let place = format!("seed {seed} under {} with {}", model.name(), ABSTRACTIONS[i]);
                match answer {
                    Verdict::Holds(Guarantee::Unbounded) => {
                        assert!(graph.violation.is_none(), "{place}: proved, but there is a violation");
                        counts[i].proved += 1;
                    }
                    Verdict::Violated(_) => counts[i].violated += 1,
                    Verdict::Unknown(Unknown::Imprecise) => {
                        let exact = !graph.met_cap && ABSTRACTIONS[i] == Abstraction::Fd(2);
                        assert!(!exact, "{place}: imprecise, but all buffers are short");
                        counts[i].imprecise += 1;
                    }
                    Verdict::Unknown(Unknown::Stopped { .. }) => counts[i].stopped += 1,
                    other => panic!("{place}: {other:?}"),
                }
            }
            let proved = |i: usize| matches!(answers[i], Verdict::Holds(_));
            let stopped = |i: usize| matches!(answers[i], Verdict::Unknown(Unknown::Stopped { .. }));
            let same = proved(2) == proved(3) || stopped(2) || stopped(3);
            assert!(same, "seed {seed} under {}: {:?}, {:?}", model.name(), answers[2], answers[3]);
        }
    }
    counts
}

fn ask(abstraction: Abstraction, program: &Program, model: Model) -> Verdict {
    let budget = Budget { states: Some(20_000), ..Budget::default() };
    let mut context = Context::quiet(Meter::start(budget, CancelToken::new()));
    let task = Task { program, model, options: Options::default() };
    let answer = run(&Coherence::new(abstraction), &task, &mut context);
    answer.unwrap_or_else(|rejected| panic!("{rejected}")).verdict
}
