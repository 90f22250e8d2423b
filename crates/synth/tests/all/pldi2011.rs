//! Table 2 of the PLDI paper, all of it: its under-fenced programs, repaired by the avoid formula of five abstractions,
//! with full fences only. `docs/engines/coherence.md` has it beside the paper's.

use std::path::Path;

use fencewright_base::{Budget, CancelToken, Meter};
use fencewright_engine::{Context, Options, Task, run_orders};
use fencewright_engine_coherence::Coherence;
use fencewright_ir::{Program, StatementId};
use fencewright_logic::Diagrams;
use fencewright_memory::Model;
use fencewright_synth::{Costs, Demands, Reason, Repair, Request, Strategy, avoid, behind_writes, repair};
use fencewright_testkit::corpus::load_program;
use fencewright_testkit::pldi2011::{ABSTRACTIONS, Inferred, TABLE_2};

use crate::common::request;

fn load(name: &str) -> Program {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/pldi2011");
    load_program(&corpus.join(name).join(format!("{name}.rmm"))).expect("the program loads")
}

fn engine(abstraction: &str) -> Coherence {
    Coherence::new(abstraction.parse().expect("the abstraction has a name"))
}

fn context<'c>() -> Context<'c> {
    let budget = Budget { time: None, memory: None, states: Some(1_000_000) };
    Context::quiet(Meter::start(budget, CancelToken::new()))
}

/// How many full fences the formula of the abstraction gives; `None` if no number of them is enough for it.
fn fences(program: &Program, abstraction: &str) -> Option<usize> {
    let engine = engine(abstraction);
    let strategy = Strategy::AvoidFormula(&engine);
    let costs = Costs { full: 100, store_store: 100, ..Costs::default() };
    let request = Request { strategy, costs, ..request(program, Model::Pso) };
    match repair(&Coherence::growing(), &request, &mut context).expect("the engine's traces replay") {
        Repair::Repaired(found) => Some(found.remedies.len()),
        Repair::NotFound(found) if matches!(found.reason, Reason::Unavoidable { .. }) => None,
        other => panic!("{} with {abstraction}: {other:?}", program.name),
    }
}

/// The statements behind which the fences stand if each order is enforced by a fence right behind its write; `None` if no
/// number of them is enough.
fn behind(program: &Program, abstraction: &str) -> Option<Vec<String>> {
    let engine = engine(abstraction);
    let task = Task { program, model: Model::Pso, options: Options::default() };
    let statements = program.statements.len();
    let mut demands = Demands::new(&engine, task, false, statements, behind_writes(program));
    let cheapest = demands.cheapest(&vec![1; statements], &mut context).expect("the limit is not reached");
    let text = |write: usize| program.statements[StatementId(write as u32)].text.clone();
    cheapest.map(|(writes, _)| writes.into_iter().map(text).collect())
}

/// Where fences right behind the writes give another verdict than the paper's; in all other cells they give the paper's.
/// `Sense0` is a program of ours with a property of ours. Of `Fast1b` the paper has the optimum, and so has a fence that
/// stands elsewhere.
const OTHERWISE_BEHIND_WRITES: [(&str, &str); 5] =
    [("Sense0", "pd:1"), ("Fast1b", "fd:1"), ("Fast1b", "pd:2"), IMPOSSIBLE_HERE[0], IMPOSSIBLE_HERE[1]];

/// Where the paper has another verdict than the two below, and must not have it: with a full fence behind *every* write,
/// FD 0 still has the execution of section 6.2.1, in which one write of y is flushed twice. Of PD 0 the paper says that no
/// number of fences excludes it (section 6.3.3), and FD 0 has the same rule FLUSH-SN.
const IMPOSSIBLE_HERE: [(&str, &str); 2] = [("Fast1a", "fd:0"), ("Fast1b", "fd:0")];

/// Every cell: the fences are those that Table 1 of the paper proves to be enough, or there are none where Table 1 has no
/// proof; and the paper's verdict is no better than this one and no worse than with fences right behind the writes.
fn check(name: &str) {
    let row = TABLE_2.iter().find(|row| row.name == name).expect("the paper has the program");
    let program = load(name);
    for (abstraction, paper) in ABSTRACTIONS.into_iter().zip(row.inferred) {
        let found = fences(&program, abstraction);
        assert_eq!(found, row.expected(abstraction), "{name} with {abstraction}");
        let Some(paper) = paper else { continue };
        let best = Inferred::of(found, row.optimum);
        let behind = behind(&program, abstraction).map(|writes| writes.len());
        let worst = Inferred::of(behind, row.optimum);
        let between = (best..=worst).contains(&paper);
        let excepted = IMPOSSIBLE_HERE.contains(&(name, abstraction));
        assert_eq!(between, !excepted, "{name} with {abstraction}: {best} to {worst}, the paper has {paper}");
        let same = !OTHERWISE_BEHIND_WRITES.contains(&(name, abstraction));
        assert_eq!(worst == paper, same, "{name} with {abstraction}: {worst}, the paper has {paper}");
    }
}

macro_rules! rows {
    ($($test:ident $name:literal;)*) => { $(#[test] fn $test() { check($name); })* };
}

rows! {
    sense0 "Sense0";
    pet0 "Pet0";
    dek0 "Dek0";
    lam0 "Lam0";
    fast0 "Fast0";
    fast1a "Fast1a";
    fast1b "Fast1b";
    fast1c "Fast1c";
    clh0 "CLH0";
}

/// Section 6.3.2 of the paper has three fences for PD 0, the two of figure 2 and one behind the store that leaves the
/// critical section. These are the ones right behind the writes.
#[test]
fn pet0_with_fences_right_behind_the_writes() {
    let program = load("Pet0");
    let [enter, turn, leave] =
        ["write: ent[my] := 1", "write: turn := other 0", "write: ent[my] := 0"].map(str::to_owned);
    assert_eq!(behind(&program, "fd:0"), Some(vec![enter.clone(), turn.clone()]));
    assert_eq!(behind(&program, "pd:0"), Some(vec![enter, turn, leave]));
}

/// The greatest fixpoint over the whole graph has the same minimal models as what open ways demand, on programs of the
/// paper whose graph is small.
#[test]
fn the_formula_of_the_graph_is_what_ways_demand() {
    for (name, abstraction) in [("Pet0", "fd:0"), ("Fast1a", "fd:1")] {
        let (program, engine) = (load(name), engine(abstraction));
        let task = Task { program: &program, model: Model::Pso, options: Options::default() };
        let graph = run_orders(&engine, &task, false, &mut context()).expect("the limit is not reached");
        let statements = program.statements.len();
        let mut diagrams = Diagrams::new(statements, 1 << 20);
        let root = avoid(&graph, &mut diagrams, &mut behind_writes(&program), &Meter::unlimited());
        let (mut of_graph, _) = diagrams.minimal(root.expect("there is no limit"), 100);
        let mut demands = Demands::new(&engine, task, false, statements, behind_writes(&program));
        let (mut demanded, _) = demands.minimal(100, &mut context).expect("the limit is not reached");
        of_graph.sort();
        demanded.sort();
        assert_eq!(of_graph, demanded, "{name} with {abstraction}");
        let largest = demands.avoidance().states;
        assert!(
            largest * 5 < u64::from(graph.states),
            "{name} with {abstraction}: {largest} of {}",
            graph.states
        );
    }
}
