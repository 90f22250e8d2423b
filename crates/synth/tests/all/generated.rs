//! On random programs the repair is as cheap as the cheapest of all sets of remedies, found by trying them.

use fencewright_base::{Budget, CancelToken, Meter};
use fencewright_engine::{Context, Guarantee, Options, Task, Verdict, run};
use fencewright_engine_explicit::Explicit;
use fencewright_ir::edit::{self, Remedy};
use fencewright_ir::{FenceKind, Op, OrderWord, Program, Property, StateAtom, Statement, sites};
use fencewright_memory::Model;
use fencewright_synth::{Beside, Costs, Reason, Repair, Request, Want, offers};
use fencewright_testkit::generate::{Config, program};

use crate::common::{ask_within, check, request};

const COSTS: Costs = Costs { full: 10, store_store: 4, atomic: 12, order: 8, release: 3, per_loop: 1 };

const FENCES: Beside = Beside { atomic: false, orders: false };
const ATOMIC: Beside = Beside { atomic: true, orders: false };
const ORDERS: Beside = Beside { atomic: false, orders: true };

/// A program that needs more has no bound on its buffers.
const STATES: u64 = 5000;

fn proved(program: &Program, model: Model) -> bool {
    let task = Task { program, model, options: Options::default() };
    let budget = Budget { time: None, memory: None, states: Some(STATES) };
    let mut context = Context::quiet(Meter::start(budget, CancelToken::new()));
    let answer = run(&Explicit, &task, &mut context).expect("its traces replay");
    answer.verdict == Verdict::Holds(Guarantee::Unbounded)
}

/// Everything a repair could be made of, written down without the crate under test.
fn everything(program: &Program, beside: Beside) -> Vec<Remedy> {
    let kinds = [FenceKind::Full, FenceKind::StoreStore];
    let mut all: Vec<Remedy> =
        sites(program).into_iter().flat_map(|site| kinds.map(|kind| Remedy::Fence(site, kind))).collect();
    if beside.orders {
        let orders = program.orders.indices();
        all.extend(orders.flat_map(|order| kinds.map(|kind| Remedy::Order(order, kind))));
    }
    if beside.atomic {
        for (statement, _) in program.statements.iter_enumerated() {
            let writes = program.threads.iter().flat_map(|thread| &thread.edges).any(|edge| {
                edge.step.statement == statement
                    && edge.step.lock.is_none()
                    && edge.step.ops.iter().any(|op| matches!(op, Op::Write { .. }))
            });
            if writes {
                all.push(Remedy::Atomic(statement));
            }
        }
    }
    all
}

/// The program with a word for the order of each statement that writes or is a fence.
fn with_orders(mut program: Program) -> Program {
    let kinds = [FenceKind::Full, FenceKind::StoreStore];
    let is_ordered = |op: &Op| matches!(op, Op::Write { .. } | Op::Fence(_));
    for statement in program.statements.indices() {
        let steps: Vec<_> = (program.threads.iter_enumerated())
            .flat_map(|(t, thread)| thread.edges.iter_enumerated().map(move |(e, edge)| ((t, e), edge)))
            .filter(|(_, edge)| edge.step.statement == statement && edge.step.ops.iter().any(is_ordered))
            .map(|(step, _)| step)
            .collect();
        if !steps.is_empty() {
            let Statement { text, span, loop_depth, .. } = program.statements[statement].clone();
            let stronger = kinds.map(|kind| (kind, "stronger".to_owned())).to_vec();
            program.orders.push(OrderWord {
                text,
                word: "weak".to_owned(),
                span,
                stronger,
                loop_depth,
                steps,
            });
        }
    }
    program
}

/// All sets of remedies whose cost lies in the range. `None` if they are too many to try.
fn sets(program: &Program, all: &[Remedy], cost: std::ops::RangeInclusive<u64>) -> Option<Vec<Vec<Remedy>>> {
    let mut found = Vec::new();
    let mut stack = vec![(0, 0, Vec::new())];
    while let Some((next, spent, set)) = stack.pop() {
        if next == all.len() {
            if cost.contains(&spent) {
                found.push(set);
            }
            continue;
        }
        if found.len() > 2000 {
            return None;
        }
        let with = spent + COSTS.of(program, all[next]);
        if with <= *cost.end() {
            let mut more = set.clone();
            more.push(all[next]);
            stack.push((next + 1, with, more));
        }
        stack.push((next + 1, spent, set));
    }
    Some(found)
}

/// Whether an invariant names locations: then a fence can break it, and no minimum is claimed.
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

fn config() -> Config {
    Config { threads: 2, cells: 2, statements: 3, relaxed: 100 }
}

fn small<'p>(program: &'p Program, model: Model, beside: Beside, want: Want) -> Request<'p> {
    Request { costs: COSTS, beside, want, ..request(program, model) }
}

/// Compares the repairs of these programs; how many they were.
fn compare(seeds: std::ops::Range<u64>, model: Model, beside: Beside) -> usize {
    let mut compared = 0;
    for seed in seeds {
        let program = with_orders(program(seed, &config()));
        let request = small(&program, model, beside, Want::One);
        match ask_within(&request, STATES) {
            Repair::AlreadySafe(_) => assert!(proved(&program, model), "seed {seed}"),
            Repair::WrongUnderSc(found) => {
                let replayed = fencewright_memory::replay(&program, &found.trace).expect("it replays");
                assert!(replayed.violation.is_some(), "seed {seed}");
            }
            Repair::NotFound(found) => {
                assert!(
                    !matches!(found.reason, Reason::GaveUp(_)) || names_locations(&program),
                    "seed {seed}"
                );
                let Reason::NotRepairable(evidence) = found.reason else { continue };
                let replayed = fencewright_memory::replay(&evidence.program, &evidence.trace);
                assert!(replayed.expect("it replays").violation.is_some(), "seed {seed}");
                let all = everything(&program, beside);
                assert!(!proved(&edit::apply(&program, &all), model), "seed {seed}");
            }
            Repair::Repaired(found) => {
                assert!(found.minimum || names_locations(&program), "seed {seed}");
                if found.minimum {
                    check(&format!("seed {seed}"), &found);
                }
                assert!(proved(&found.program, model), "seed {seed}");
                let mut all = everything(&program, beside);
                if model == Model::Tso {
                    // TSO-5: there it does nothing.
                    all.retain(|remedy| {
                        !matches!(
                            remedy,
                            Remedy::Fence(_, FenceKind::StoreStore) | Remedy::Order(_, FenceKind::StoreStore)
                        )
                    });
                }
                if !found.minimum {
                    continue;
                }
                let Some(cheaper) = sets(&program, &all, 0..=found.cost - 1) else { continue };
                for set in cheaper {
                    let other = edit::apply(&program, &set);
                    assert!(!proved(&other, model), "seed {seed}: {set:?} is cheaper than {}", found.cost);
                }
                compared += 1;
            }
        }
    }
    compared
}

#[test]
fn fences_under_tso() {
    assert!(compare(0..400, Model::Tso, FENCES) > 150);
}

#[test]
fn fences_under_pso() {
    assert!(compare(0..200, Model::Pso, FENCES) > 75);
}

#[test]
fn fences_under_pso_of_other_programs() {
    assert!(compare(200..400, Model::Pso, FENCES) > 75);
}

#[test]
fn atomic_writes_under_pso() {
    assert!(compare(0..200, Model::Pso, ATOMIC) > 75);
}

#[test]
fn atomic_writes_under_pso_of_other_programs() {
    assert!(compare(200..400, Model::Pso, ATOMIC) > 75);
}

#[test]
fn atomic_writes_under_slot() {
    assert!(compare(0..400, Model::Slot, ATOMIC) > 150);
}

#[test]
fn orders_under_tso() {
    assert!(compare(0..400, Model::Tso, ORDERS) > 150);
}

#[test]
fn orders_under_pso() {
    assert!(compare(0..400, Model::Pso, ORDERS) > 150);
}

#[test]
fn all_minimum_and_all_minimal_repairs_are_those_found_by_trying() {
    let mut compared = 0;
    for seed in 0..400 {
        let program = program(seed, &config());
        if names_locations(&program) {
            continue;
        }
        let all = offers(&program, FENCES);
        let Repair::Repaired(minimum) =
            ask_within(&small(&program, Model::Pso, FENCES, Want::AllMinimum), STATES)
        else {
            continue;
        };
        assert!(minimum.complete, "seed {seed}");
        let first: Vec<Remedy> = minimum.remedies.iter().map(|chosen| chosen.remedy).collect();
        let mut found = minimum.alternatives;
        found.push(first);
        let Some(sets) = sets(&program, &all, minimum.cost..=minimum.cost) else { continue };
        let mut expected: Vec<Vec<Remedy>> =
            sets.into_iter().filter(|set| proved(&edit::apply(&program, set), Model::Pso)).collect();
        for set in found.iter_mut().chain(&mut expected) {
            set.sort();
        }
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "seed {seed}");
        compared += 1;

        let Repair::Repaired(minimal) =
            ask_within(&small(&program, Model::Pso, FENCES, Want::AllMinimal), STATES)
        else {
            panic!("seed {seed}: it was repaired before")
        };
        let first: Vec<Remedy> = minimal.remedies.iter().map(|chosen| chosen.remedy).collect();
        for set in minimal.alternatives.iter().chain([&first]).take(20) {
            assert!(proved(&edit::apply(&program, set), Model::Pso), "seed {seed}: {set:?}");
            for one in set {
                let others: Vec<Remedy> = set.iter().copied().filter(|other| other != one).collect();
                assert!(!proved(&edit::apply(&program, &others), Model::Pso), "seed {seed}: {set:?}");
            }
        }
    }
    assert!(compared > 30, "{compared}");
}
