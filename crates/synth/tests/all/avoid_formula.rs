//! Repairs by the avoid formula on generated programs: never violated, never cheaper than the minimum, and with one
//! write in order always found where fences can repair at all.

use fencewright_base::{Budget, CancelToken, Meter};
use fencewright_engine::{Context, Guarantee, Options, Task, Verdict, run};
use fencewright_engine_coherence::{Abstraction, Coherence};
use fencewright_engine_explicit::Explicit;
use fencewright_ir::{Program, Property, StateAtom, edit};
use fencewright_memory::Model;
use fencewright_synth::{Beside, Reason, Repair, Request, Strategy, Want};
use fencewright_testkit::generate::{Config, program};

use crate::common::{ask_within, request};

const STATES: u64 = 20_000;

fn verdict(program: &Program, model: Model) -> Verdict {
    let task = Task { program, model, options: Options::default() };
    let budget = Budget { time: None, memory: None, states: Some(STATES) };
    let mut context = Context::quiet(Meter::start(budget, CancelToken::new()));
    run(&Explicit, &task, &mut context).expect("its traces replay").verdict
}

fn names_locations(program: &Program) -> bool {
    program.properties.iter().any(|property| match property {
        Property::Invariant(condition) => {
            let mut named = false;
            condition.expr.for_each_atom(&mut |atom| named |= matches!(atom, StateAtom::At(..)));
            named
        }
        Property::Forbidden(_) | Property::Final { .. } | Property::Temporal(_) => false,
    })
}

/// What became of the programs.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    repaired: usize,
    as_cheap: usize,
    unavoidable: usize,
}

fn compare(seeds: std::ops::Range<u64>, model: Model, abstraction: Abstraction, atomic: bool) -> Counts {
    let config = Config { threads: 2, cells: 2, statements: 3, relaxed: 100 };
    let engine = Coherence::new(abstraction);
    let mut counts = Counts::default();
    for seed in seeds {
        let program = program(seed, &config);
        let minimum = Request { beside: Beside { atomic, orders: false }, ..request(&program, model) };
        let Repair::Repaired(least) = ask_within(&minimum, STATES) else { continue };
        let name = format!("seed {seed} under {model:?} with {abstraction}");
        match ask_within(&Request { strategy: Strategy::AvoidFormula(&engine), ..minimum }, STATES) {
            Repair::Repaired(found) => {
                assert_eq!(verdict(&found.program, model), Verdict::Holds(Guarantee::Unbounded), "{name}");
                assert_eq!(
                    found.cost,
                    found.remedies.iter().map(|chosen| chosen.cost).sum::<u64>(),
                    "{name}"
                );
                assert!(!found.minimum && found.avoidance.is_some(), "{name}");
                assert!(!least.minimum || least.cost <= found.cost, "{name}");
                for chosen in &found.remedies {
                    assert!(chosen.evidence.is_none() || !chosen.spare, "{name}");
                }
                counts.repaired += 1;
                counts.as_cheap += usize::from(found.cost == least.cost);
            }
            Repair::NotFound(found) => match found.reason {
                Reason::Unavoidable { .. } => counts.unavoidable += 1,
                Reason::Refuted(_) => assert!(names_locations(&program), "{name}"),
                // A repair the formula gives may leave buffers without a bound, which this engine cannot prove.
                Reason::Unproved(_) | Reason::NotInferred { .. } => {}
                other => panic!("{name}: {other:?}"),
            },
            other => panic!("{name}: a minimum repair is not empty: {other:?}"),
        }
    }
    counts
}

/// Section 5.1 of the paper: with one write in order (k ≥ 1) fences can recover sequential consistency, so the formula has
/// a model. Where nothing is in order it may have none.
fn compare_fences(model: Model, abstractions: [Abstraction; 2]) {
    for abstraction in abstractions {
        let counts = compare(0..400, model, abstraction, false);
        assert!(counts.repaired > 150, "{abstraction}: {counts:?}");
        assert!(counts.as_cheap > counts.repaired / 2, "{abstraction}: {counts:?}");
        if matches!(abstraction, Abstraction::Fd(1) | Abstraction::Pd(1)) {
            assert_eq!(counts.unavoidable, 0, "{abstraction}");
        }
    }
}

const FD: [Abstraction; 2] = [Abstraction::Fd(0), Abstraction::Fd(1)];
const PD: [Abstraction; 2] = [Abstraction::Pd(0), Abstraction::Pd(1)];

#[test]
fn fences_under_pso_with_fd() {
    compare_fences(Model::Pso, FD);
}

#[test]
fn fences_under_pso_with_pd() {
    compare_fences(Model::Pso, PD);
}

#[test]
fn fences_under_tso_with_fd() {
    compare_fences(Model::Tso, FD);
}

#[test]
fn fences_under_tso_with_pd() {
    compare_fences(Model::Tso, PD);
}

/// An atomic write counts from the step after it on, so some invariants that name locations cannot be had.
#[test]
fn atomic_writes_under_pso() {
    let counts = compare(0..200, Model::Pso, Abstraction::Fd(1), true);
    assert!(counts.repaired > 50, "{counts:?}");
}

/// All that the formula gives, not only the cheapest: each is proved, and the cheapest are among the minimal ones.
#[test]
fn all_repairs_of_the_formula_are_repairs() {
    let config = Config { threads: 2, cells: 2, statements: 3, relaxed: 100 };
    let engine = Coherence::new(Abstraction::Fd(1));
    let mut several = 0;
    for seed in 0..100 {
        let program = program(seed, &config);
        let ask = |want| {
            let strategy = Strategy::AvoidFormula(&engine);
            ask_within(&Request { want, strategy, ..request(&program, Model::Pso) }, STATES)
        };
        let Repair::Repaired(cheapest) = ask(Want::AllMinimum) else { continue };
        let Repair::Repaired(minimal) = ask(Want::AllMinimal) else { panic!("seed {seed}: it was repaired") };
        for set in cheapest.alternatives.iter().chain(&minimal.alternatives) {
            let repaired = edit::apply(&program, set);
            assert_eq!(verdict(&repaired, Model::Pso), Verdict::Holds(Guarantee::Unbounded), "seed {seed}");
        }
        for set in &cheapest.alternatives {
            assert!(minimal.alternatives.contains(set), "seed {seed}: {set:?}");
        }
        several += usize::from(!cheapest.alternatives.is_empty());
    }
    assert!(several > 5, "{several}");
}
