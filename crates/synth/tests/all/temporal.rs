//! On generated programs the repair of a temporal property is as cheap as the cheapest of all sets of remedies, found by
//! trying them, with fair and unfair buffers and threads.

use std::ops::Range;

use fencewright_base::{Budget, CancelToken, Meter};
use fencewright_engine::{Context, Guarantee, Options, Task, Verdict, run};
use fencewright_engine_ltl::Ltl;
use fencewright_ir::edit::{self, Remedy};
use fencewright_ir::{
    Claim, Expr, Fairness, Formula, LocationSet, Program, Property, Quantifier, StateAtom, Temporal,
};
use fencewright_memory::Model;
use fencewright_synth::{Beside, Costs, Reason, Repair, Request, offers};
use fencewright_testkit::generate::{Config, program, temporal_program};

use crate::common::{ask_engine, check, request};

const COSTS: Costs = Costs { full: 10, store_store: 4, atomic: 12, order: 8, release: 3, per_loop: 1 };

/// More sets than this are not tried.
const MOST_SETS: usize = 1500;

/// The program with its property of states as a formula: it holds always, or from some moment on, or again and again.
fn of_states(seed: u64) -> Option<Program> {
    let mut program = program(seed, &Config { threads: 2, cells: 2, statements: 3, relaxed: 100 });
    let condition = match program.properties.first()? {
        Property::Invariant(condition) => condition.expr.clone(),
        Property::Forbidden(forbidden) => {
            let mut bad: Expr<StateAtom> = Expr::Const(1.into());
            for (thread, set) in forbidden.at.iter_enumerated() {
                let LocationSet::OneOf(locations) = set else { continue };
                let there = |&loc| Expr::Atom(StateAtom::At(thread, loc));
                let any = locations.iter().map(there).fold(Expr::Const(0.into()), Expr::or);
                bad = bad.and(any);
            }
            bad.not()
        }
        Property::Final { quantifier, condition, filter: None, observed: _ } => match quantifier {
            Quantifier::Exists | Quantifier::NotExists => condition.expr.clone().not(),
            Quantifier::Forall => condition.expr.clone(),
        },
        Property::Final { .. } | Property::Temporal(_) => return None,
    };
    let now = Formula::Now(condition);
    let formula = match (&program.properties[0], seed % 2) {
        // Whoever comes to rest stays where it is.
        (Property::Final { .. }, _) => now.finally().globally(),
        (_, 0) => now.globally(),
        (_, _) => now.globally().finally(),
    };
    let fairness = Fairness { flush: !seed.is_multiple_of(4), process: seed % 5 < 3 };
    let claim = Claim::Formula(formula);
    program.properties =
        vec![Property::Temporal(Temporal { claim, fairness, text: String::new(), span: None })];
    Some(program)
}

fn proved(program: &Program, model: Model) -> bool {
    let task = Task { program, model, options: Options::default() };
    let budget = Budget { time: None, memory: None, states: Some(20_000) };
    let mut context = Context::quiet(Meter::start(budget, CancelToken::new()));
    let answer = run(&Ltl, &task, &mut context).expect("its traces replay");
    answer.verdict == Verdict::Holds(Guarantee::Unbounded)
}

/// All sets of remedies that cost less. `None` if they are too many to try.
fn cheaper(program: &Program, all: &[Remedy], than: u64) -> Option<Vec<Vec<Remedy>>> {
    let mut found = vec![(0, Vec::new())];
    for &remedy in all {
        let cost = COSTS.of(program, remedy);
        let more: Vec<(u64, Vec<Remedy>)> = (found.iter())
            .filter(|(spent, _)| spent + cost < than)
            .map(|(spent, set)| (spent + cost, [&set[..], &[remedy]].concat()))
            .collect();
        found.extend(more);
        if found.len() > MOST_SETS {
            return None;
        }
    }
    Some(found.into_iter().map(|(_, set)| set).collect())
}

/// Compares the repair; whether there was one and all that is cheaper was tried.
fn compare(name: &str, program: &Program, model: Model, atomic: bool) -> bool {
    let beside = Beside { atomic, orders: false };
    let request = Request { costs: COSTS, beside, ..request(program, model) };
    let budget = Budget { time: None, memory: None, states: Some(20_000) };
    let mut context = || Context::quiet(Meter::start(budget.clone(), CancelToken::new()));
    let found = fencewright_synth::repair(&Ltl, &request, &mut context).expect("the engine's traces replay");
    match found {
        Repair::AlreadySafe(_) => assert!(proved(program, model), "{name}"),
        Repair::WrongUnderSc(found) => {
            let replayed = fencewright_memory::replay(program, &found.trace).expect("it replays");
            assert!(replayed.violation.is_some(), "{name}");
        }
        Repair::NotFound(found) => {
            let Reason::NotRepairable(evidence) = found.reason else { return false };
            let replayed = fencewright_memory::replay(&evidence.program, &evidence.trace);
            assert!(replayed.expect("it replays").violation.is_some(), "{name}");
            if found.exact {
                let all = offers(program, beside);
                assert!(!proved(&edit::apply(program, &all), model), "{name}");
            }
        }
        Repair::Repaired(found) => {
            assert!(proved(&found.program, model), "{name}");
            if !found.minimum {
                return false;
            }
            check(name, &found);
            let Some(sets) = cheaper(program, &offers(program, beside), found.cost) else { return false };
            for set in sets {
                let other = edit::apply(program, &set);
                assert!(!proved(&other, model), "{name}: {set:?} is cheaper than {}", found.cost);
            }
            return true;
        }
    }
    false
}

/// Compares the repairs of generated programs with these seeds, of states and with random formulae; there must be at least
/// so many.
fn compare_at_least(least: usize, states: Range<u64>, formulae: Range<u64>, model: Model, atomic: bool) {
    let states = states.filter_map(|seed| Some((format!("seed {seed} of states"), of_states(seed)?)));
    let formulae = formulae.map(|seed| (format!("seed {seed}"), temporal_program(seed)));
    let all = states.chain(formulae);
    let compared = all.filter(|(name, program)| compare(name, program, model, atomic)).count();
    assert!(compared >= least, "{compared}");
}

#[test]
fn fences_under_tso() {
    compare_at_least(5, 0..150, 0..100, Model::Tso, false);
}

#[test]
fn fences_under_tso_of_other_programs() {
    compare_at_least(5, 150..300, 100..200, Model::Tso, false);
}

#[test]
fn fences_under_pso() {
    compare_at_least(5, 0..150, 0..100, Model::Pso, false);
}

#[test]
fn fences_under_pso_of_other_programs() {
    compare_at_least(5, 150..300, 100..200, Model::Pso, false);
}

#[test]
fn atomic_writes_under_slot() {
    compare_at_least(20, 0..300, 0..200, Model::Slot, true);
}

#[test]
fn a_program_that_is_wrong_under_sc_is_said_to_be() {
    let mut program = program(0, &Config::default());
    program.properties = vec![Property::Temporal(Temporal {
        claim: Claim::Formula(Formula::Const(false)),
        fairness: Fairness { flush: false, process: false },
        text: "false".to_owned(),
        span: None,
    })];
    let found = ask_engine(&Ltl, &request(&program, Model::Tso));
    assert!(matches!(found, Repair::WrongUnderSc(_)), "{found:?}");
}
