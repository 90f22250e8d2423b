//! The four algorithms over reordered pairs, on programs whose fewest fences are known and on generated ones.

use fencewright_engine_bmc::Bmc;
use fencewright_ir::Program;
use fencewright_memory::Model;
use fencewright_synth::{Algorithm, Repair, Request, Strategy};
use fencewright_testkit::generate::{Config, program};
use fencewright_testkit::toy::{Toy, eq, reg};

use crate::common::{ask_engine, ask_within, check, request};

const ALGORITHMS: [Algorithm; 4] = [
    Algorithm::TraceEnumeration,
    Algorithm::FenceInsertion,
    Algorithm::ReorderBounded,
    Algorithm::EarlyTermination,
];

/// Store buffering behind `n` innocent exchanges (Fig. 2 of the paper).
fn with_innocent_pairs(n: usize) -> Program {
    let mut toy = Toy::new("innocent");
    let names: Vec<String> = (0..n).flat_map(|i| [format!("x{i}"), format!("y{i}")]).collect();
    let cells: Vec<_> = names.iter().map(|name| toy.vars([name.as_str()])[0]).collect();
    let [x, y] = toy.vars(["x", "y"]);
    let mut thread = |swap: usize, mine, other| {
        toy.thread(|t| {
            let (sum, r) = (t.reg("s"), t.reg("r"));
            for pair in cells.chunks(2) {
                t.write(pair[swap], 1);
                t.read(sum, pair[1 - swap]);
            }
            t.write(mine, 1);
            t.read(r, other);
            r
        })
    };
    let (first, r1) = thread(0, x, y);
    let (second, r2) = thread(1, y, x);
    toy.never(eq(reg(first, r1), 0).and(eq(reg(second, r2), 0)));
    toy.finish()
}

fn queries(program: &Program, algorithm: Algorithm) -> (usize, usize) {
    let request = Request { strategy: Strategy::Reordering(&Bmc, algorithm), ..request(program, Model::Tso) };
    match ask_within(&request, 200_000) {
        Repair::Repaired(repaired) => (repaired.remedies.len(), repaired.rounds),
        other => panic!("{algorithm:?}: {other:?}"),
    }
}

/// The default strategy with an engine whose executions reorder what need not be: sets to hit are made smaller, so that the
/// innocent pairs are not tried one by one.
#[test]
fn innocent_pairs_do_not_distract_hitting_sets() {
    let program = with_innocent_pairs(24);
    match ask_engine(&Bmc, &request(&program, Model::Tso)) {
        Repair::Repaired(repaired) => {
            check("24 innocent pairs", &repaired);
            assert_eq!(repaired.remedies.len(), 2, "one fence in each thread");
            assert!(repaired.rounds <= 50, "{} candidates", repaired.rounds);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn innocent_pairs_do_not_distract_a_bounded_search() {
    let mut bounded = Vec::new();
    for n in [0, 2, 4] {
        let program = with_innocent_pairs(n);
        for algorithm in ALGORITHMS {
            let (fences, _) = queries(&program, algorithm);
            assert_eq!(
                fences, 2,
                "one fence in each thread repairs store buffering, {n} pairs, {algorithm:?}"
            );
        }
        bounded.push(queries(&program, Algorithm::EarlyTermination).1);
    }
    // Two culprits, then a refusal that does not need the bound; the pairs beside them may be tried once more.
    assert!(bounded.iter().all(|&queries| queries <= 8), "{bounded:?}");
}

#[test]
fn no_algorithm_is_cheaper_than_the_minimum_or_leaves_a_violation() {
    let mut compared = [0; 2];
    for seed in 0..400 {
        let program = program(7_000 + seed, &Config::default());
        for model in [Model::Tso, Model::Pso] {
            let minimum = match ask_within(&request(&program, model), 20_000) {
                Repair::Repaired(repaired) if repaired.minimum => repaired.cost,
                _ => continue,
            };
            for algorithm in [Algorithm::FenceInsertion, Algorithm::EarlyTermination] {
                let strategy = Strategy::Reordering(&Bmc, algorithm);
                match ask_within(&Request { strategy, ..request(&program, model) }, 20_000) {
                    // Proved through the gate, so only the cost is left to compare.
                    Repair::Repaired(repaired) => {
                        assert!(repaired.cost >= minimum, "seed {seed}, {model:?}, {algorithm:?}");
                        compared[0] += 1;
                        compared[1] += usize::from(repaired.cost == minimum);
                    }
                    Repair::NotFound(_) => {}
                    other => panic!("seed {seed}, {model:?}, {algorithm:?}: {other:?}"),
                }
            }
        }
    }
    assert!(compared[0] > 20 && compared[1] > 10, "{compared:?}");
}
