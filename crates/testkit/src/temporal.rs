//! The oracle for temporal properties: does a fair execution violate the formula? By the plain graph of the reference
//! semantics and a tableau ([`violated_by_execution`]) that shares nothing with the engine's automata.

use std::collections::HashMap;

use fencewright_engine::{ExecutionGraph, violated_by_execution};
use fencewright_ir::Temporal;
use fencewright_memory::{Machine, Outcome, State};

use crate::reference::{Halted, Limits, exceeds};

/// What the oracle says.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// Whether a finite execution violates something.
    pub ends_badly: bool,
    /// Whether a fair execution that never ends violates the formula.
    pub violated: bool,
    /// Whether the cap kept a step from being taken.
    pub met_cap: bool,
}

/// The graph of a program within a cap. What threads are able to do does not depend on the cap.
#[derive(Default)]
struct Graph {
    graph: ExecutionGraph,
    met_cap: bool,
    ends_badly: bool,
}

/// Judges the property of a program with at most `most_states` states.
pub fn judge(
    machine: &Machine<'_>,
    property: &Temporal,
    limits: &Limits,
    most_states: usize,
) -> Result<Option<Judgement>, Halted> {
    let Some(graph) = graph(machine, limits, most_states)? else { return Ok(None) };
    let Graph { graph, met_cap, ends_badly } = graph;
    let violated = violated_by_execution(machine, &graph, property).expect("few operators");
    Ok(Some(Judgement { ends_badly, violated, met_cap }))
}

fn graph(machine: &Machine<'_>, limits: &Limits, most_states: usize) -> Result<Option<Graph>, Halted> {
    let mut numbers: HashMap<State, usize> = HashMap::new();
    let Graph { mut graph, mut met_cap, mut ends_badly } = Graph::default();
    let mut number = |states: &mut Vec<State>, state: State| {
        *numbers.entry(state.clone()).or_insert_with(|| {
            states.push(state);
            states.len() - 1
        })
    };
    for (_, state) in machine.initial_states(limits.values)? {
        let at = number(&mut graph.states, state);
        graph.initial.push(at);
    }
    while graph.successors.len() < graph.states.len() {
        if graph.states.len() > most_states {
            return Ok(None);
        }
        let here = graph.successors.len();
        let state = graph.states[here].clone();
        ends_badly |= machine.violation(&state).is_some();
        let mut able = vec![false; machine.program().threads.len()];
        let mut successors = Vec::new();
        for action in machine.actions(&state, limits.values)? {
            action.edges().for_each(|(thread, _)| able[thread.0 as usize] = true);
            let outcome = machine.perform(&state, &action);
            if exceeds(machine, &state, &action, &outcome, limits.buffer) {
                met_cap = true;
                continue;
            }
            match outcome {
                Outcome::Next(next, _) => {
                    successors.push((Some(action), number(&mut graph.states, *next)));
                }
                Outcome::Violates(..) => ends_badly = true,
                Outcome::Blocked => unreachable!("the machine lists enabled actions only"),
            }
        }
        if successors.is_empty() && !able.contains(&true) {
            successors.push((None, here));
        }
        graph.successors.push(successors);
        graph.able.push(able);
    }
    Ok(Some(Graph { graph, met_cap, ends_badly }))
}
