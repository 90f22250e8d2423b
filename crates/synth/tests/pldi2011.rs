//! Rows of Table 2 of the PLDI paper that are quick: its under-fenced programs, repaired by the avoid formula of five
//! abstractions, with full fences only. All of them stand in `docs/engines/coherence.md` beside the paper's.

mod common;

use std::path::Path;

use common::request;
use fencewright_base::{Budget, CancelToken, Meter};
use fencewright_engine::{Context, Options, Order, Task, run_orders};
use fencewright_engine_coherence::Coherence;
use fencewright_ir::{Program, StatementId};
use fencewright_logic::Diagrams;
use fencewright_memory::Model;
use fencewright_synth::{Costs, Reason, Repair, Request, Strategy, avoid, repair};
use fencewright_testkit::corpus::load_program;

fn load(name: &str) -> Program {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/pldi2011");
    load_program(&corpus.join(name).join(format!("{name}.rmm"))).expect("the program loads")
}

/// How many full fences the formula of the abstraction gives; `None` if no number of them is enough for it.
fn fences(program: &Program, abstraction: &str) -> Option<usize> {
    let engine = Coherence::new(abstraction.parse().expect("the abstraction has a name"));
    let strategy = Strategy::AvoidFormula(&engine);
    let costs = Costs { full: 100, store_store: 100, ..Costs::default() };
    let request = Request { strategy, costs, ..request(program, Model::Pso) };
    let budget = Budget { time: None, memory: None, states: Some(1_000_000) };
    let mut context = || Context::quiet(Meter::start(budget.clone(), CancelToken::new()));
    match repair(&Coherence::growing(), &request, &mut context).expect("the engine's traces replay") {
        Repair::Repaired(found) => Some(found.remedies.len()),
        Repair::NotFound(found) if matches!(found.reason, Reason::Unavoidable { .. }) => None,
        other => panic!("{} with {abstraction}: {other:?}", program.name),
    }
}

/// Peterson's algorithm needs the two fences of figure 2 of the paper. Its FD columns say so; for PD 0 and PD 1 it has
/// three, see the document.
#[test]
fn pet0() {
    let program = load("Pet0");
    for abstraction in ["fd:0", "pd:0"] {
        assert_eq!(fences(&program, abstraction), Some(2), "{abstraction}");
    }
}

/// The same formula, if each order is enforced by a fence right behind its write: section 6.3.2 of the paper has three
/// fences for PD 0, the two of figure 2 and one behind the store that leaves the critical section.
#[test]
fn pet0_with_fences_right_behind_the_writes() {
    let program = load("Pet0");
    let behind = |abstraction: &str| {
        let engine = Coherence::new(abstraction.parse().expect("the abstraction has a name"));
        let task = Task { program: &program, model: Model::Pso, options: Options::default() };
        let mut context = Context::quiet(Meter::unlimited());
        let graph = run_orders(&engine, &task, false, &mut context).expect("there is no limit");
        let mut diagrams = Diagrams::new(program.statements.len(), 1 << 20);
        let mut enforced = |diagrams: &mut Diagrams, order: Order| {
            diagrams.variable(program.edge(order.thread, order.write).step.statement.0 as usize)
        };
        let root = avoid(&graph, &mut diagrams, &mut enforced, &context.meter).expect("there is no limit");
        let costs = vec![1; program.statements.len()];
        let (writes, _) = diagrams.cheapest(root, &costs).expect("a fence behind every write is enough");
        let text = |write: usize| program.statements[StatementId(write as u32)].text.clone();
        writes.into_iter().map(text).collect::<Vec<_>>()
    };
    let [enter, turn, leave] =
        ["write: ent[my] := 1", "write: turn := other 0", "write: ent[my] := 0"].map(str::to_owned);
    assert_eq!(behind("fd:0"), [enter.clone(), turn.clone()]);
    assert_eq!(behind("pd:0"), [enter, turn, leave]);
}

/// Dekker's algorithm needs two (Dek2 of the paper).
#[test]
fn dek0() {
    assert_eq!(fences(&load("Dek0"), "pd:0"), Some(2));
}

/// Lamport's bakery needs two (Lam2 of the paper).
#[test]
fn lam0() {
    assert_eq!(fences(&load("Lam0"), "pd:0"), Some(2));
}

/// Of the three fences of Lamport's fast mutex one is there. With nothing in order the write of `y` can be flushed twice
/// (section 6.2.1 of the paper), which no fence forbids (section 6.3.3).
#[test]
fn fast1a() {
    let program = load("Fast1a");
    for (abstraction, expected) in
        [("fd:0", None), ("fd:1", Some(2)), ("pd:0", None), ("pd:1", Some(2)), ("pd:2", Some(2))]
    {
        assert_eq!(fences(&program, abstraction), expected, "{abstraction}");
    }
}

/// The barrier needs one fence (Sense1 of the paper). PD 1 asks for a second one.
#[test]
fn sense0() {
    assert_eq!(fences(&load("Sense0"), "pd:1"), Some(2));
}
