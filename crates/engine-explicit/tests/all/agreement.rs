//! The packed machine against the reference semantics on generated programs: verdicts, counts, the reachable states one
//! by one, and outcomes. A fixed sample; `cargo xtask fuzz` takes as many as asked.

use fencewright_engine_explicit::Explicit;
use fencewright_memory::Model;
use fencewright_testkit::agreement::{Agreed, Scope, agree_on_everything};
use fencewright_testkit::generate::{Config, program};

const FIRST_SEED: u64 = 1_000_000;
const PROGRAMS: u64 = 1_000;

#[test]
fn the_engine_and_the_reference_agree_on_generated_programs() {
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let counts: Vec<[u64; 2]> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..workers).map(|worker| scope.spawn(move || sample(worker, workers))).collect();
        threads.into_iter().map(|thread| thread.join().expect("the two sides agree")).collect()
    });
    let [violated, held] = counts.iter().fold([0, 0], |sum, count| [sum[0] + count[0], sum[1] + count[1]]);
    // A generator that made only trivial programs would agree with anything.
    assert!(violated > PROGRAMS && held > PROGRAMS, "{violated} violated, {held} held");
}

fn sample(worker: u64, workers: u64) -> [u64; 2] {
    let scope = Scope { states: 5_000, ..Scope::default() };
    let mut counts = [0, 0];
    for seed in (FIRST_SEED + worker..FIRST_SEED + PROGRAMS).step_by(workers as usize) {
        let program = program(seed, &Config::default());
        for model in Model::OPERATIONAL {
            match agree_on_everything(&Explicit, &program, model, &scope) {
                Ok(Agreed::Violated) => counts[0] += 1,
                Ok(Agreed::Holds) => counts[1] += 1,
                Ok(Agreed::HoldsUpTo | Agreed::TooLarge) => {}
                Ok(Agreed::Unknown) => panic!("seed {seed}: the engine gave no answer"),
                Err(disagreement) => panic!("seed {seed}: {disagreement}"),
            }
        }
    }
    counts
}
