//! Certificates that are sets of states of the machine: every initial state is one of them, every action leads from one of
//! them to one of them, and none violates a property. The checker is a loop over the reference semantics. For properties of
//! whole executions it also looks whether a fair one violates them ([`crate::violated_by_execution`]).

use std::collections::HashMap;

use fencewright_base::{IndexVec, Int};
use fencewright_ir::{CellId, LocId, Program, Property};
use fencewright_memory::{Machine, Model, Outcome, Pending, State};
use serde::{Deserialize, Serialize};

use crate::{
    CERTIFICATE_VERSION, ExecutionGraph, NotAProof, Proof, TooManyOperators, read_certificate,
    violated_by_execution, write_certificate,
};

/// Values that one open choice may have: more are not tried.
const CHOICES: usize = 100_000;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    certificate: u32,
    engine: String,
    model: String,
    /// The program, in the text form of `ir`.
    program: String,
    states: Vec<WireState>,
}

/// Numbers are written as text: they have no bound.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireState {
    locations: Vec<u32>,
    memory: Vec<String>,
    registers: Vec<Vec<String>>,
    /// For each thread its queues, oldest write first; `null` is the mark of a store-store fence.
    pending: Vec<Vec<WireQueue>>,
}

type WireQueue = Vec<Option<(u32, String)>>;

/// Writes the states down.
pub fn write_states(program: &Program, model: Model, states: &[State]) -> String {
    let entry =
        |entry: &Option<(CellId, Int)>| entry.as_ref().map(|(cell, value)| (cell.0, value.to_string()));
    let queues = |pending: &Pending| {
        let queues = pending.rules().queues();
        queues.iter().map(|queue| queue.iter().map(entry).collect()).collect()
    };
    let state = |state: &State| WireState {
        locations: state.locations.iter().map(|loc| loc.0).collect(),
        memory: state.memory.iter().map(Int::to_string).collect(),
        registers: state.registers.iter().map(|regs| regs.iter().map(Int::to_string).collect()).collect(),
        pending: state.pending.iter().map(queues).collect(),
    };
    let wire = Wire {
        certificate: CERTIFICATE_VERSION,
        engine: "explicit".to_owned(),
        model: model.name().to_owned(),
        program: fencewright_ir::text::print(program),
        states: states.iter().map(state).collect(),
    };
    write_certificate(&wire)
}

/// Checks that the set is closed and holds no violation.
pub fn verify_states(text: &str) -> Result<Proof, NotAProof> {
    let form = |text: &str| NotAProof::Form(text.to_owned());
    let (wire, sealed) = read_certificate::<Wire>(text)?;
    if wire.certificate != CERTIFICATE_VERSION || wire.engine != "explicit" {
        return Err(form("another version or engine"));
    }
    let model = Model::by_name(&wire.model).ok_or_else(|| form("an unknown model"))?;
    let program =
        fencewright_ir::text::parse(&wire.program).map_err(|_| form("its program cannot be read"))?;
    let states: Option<Vec<State>> = wire.states.iter().map(|state| read(model, state)).collect();
    let states = states.ok_or_else(|| form("a value is no number"))?;
    if !states.iter().all(|state| fits(&program, state)) {
        return Err(form("a state is not of the program"));
    }
    let machine = Machine::new(&program, model);
    let graph = closed(&machine, states)?;
    for property in &program.properties {
        if let Property::Temporal(property) = property {
            let violated = violated_by_execution(&machine, &graph, property)
                .map_err(|TooManyOperators| form("its formula has too many operators to check"))?;
            if violated {
                let text = format!("a fair execution of these states violates {}", property.text);
                return Err(NotAProof::Violation(text));
            }
        }
    }
    let size = graph.states.len();
    if sealed { Ok(Proof { program, model, size, unit: "states" }) } else { Err(NotAProof::Changed) }
}

/// Whether the state has as many parts as the program.
fn fits(program: &Program, state: &State) -> bool {
    let threads = program.threads.iter().zip(state.locations.iter().zip(state.registers.iter()));
    let mut pending = state.pending.iter().flat_map(|pending| pending.rules().queues()).flatten().flatten();
    state.locations.len() == program.threads.len()
        && state.registers.len() == program.threads.len()
        && state.pending.len() == program.threads.len()
        && state.memory.len() == program.n_cells()
        && threads.into_iter().all(|(thread, (loc, regs))| {
            (loc.0 as usize) < thread.locations.len() && regs.len() == thread.regs.len()
        })
        && pending.all(|(cell, _)| (cell.0 as usize) < program.n_cells())
}

/// The states with their actions, if the initial ones are among them, every action leads from one to one of them, and none is a
/// violation.
fn closed(machine: &Machine<'_>, states: Vec<State>) -> Result<ExecutionGraph, NotAProof> {
    let missing = |text: String| Err(NotAProof::Missing(text));
    let mut graph = ExecutionGraph::default();
    let numbers: HashMap<&State, usize> = states.iter().zip(0..).collect();
    for (_, initial) in machine.initial_states(CHOICES).map_err(|_| NotAProof::Open)? {
        let Some(at) = numbers.get(&initial) else {
            return missing(format!("the initial state {initial:?} is not there"));
        };
        graph.initial.push(*at);
    }
    // A state that is there twice is followed once for each, which says the same of both.
    for (here, state) in states.iter().enumerate() {
        if let Some(violation) = machine.violation(state) {
            return Err(NotAProof::Violation(format!("{violation:?} in {state:?}")));
        }
        let mut able = vec![false; machine.program().threads.len()];
        let mut successors = Vec::new();
        for action in machine.actions(state, CHOICES).map_err(|_| NotAProof::Open)? {
            match machine.perform(state, &action) {
                Outcome::Blocked => continue,
                Outcome::Next(next, _) => match numbers.get(&*next) {
                    Some(to) => successors.push((Some(action.clone()), *to)),
                    None => return missing(format!("{action:?} leads to {next:?}, which is not there")),
                },
                Outcome::Violates(violation, _) => {
                    return Err(NotAProof::Violation(format!("{violation:?} by {action:?} in {state:?}")));
                }
            }
            action.edges().for_each(|(thread, _)| able[thread.0 as usize] = true);
        }
        if successors.is_empty() {
            successors.push((None, here));
        }
        graph.successors.push(successors);
        graph.able.push(able);
    }
    drop(numbers);
    graph.states = states;
    Ok(graph)
}

fn read(model: Model, state: &WireState) -> Option<State> {
    let numbers = |texts: &[String]| texts.iter().map(|text| text.parse().ok()).collect::<Option<Vec<Int>>>();
    let entry = |entry: &Option<(u32, String)>| match entry {
        None => Some(None),
        Some((cell, value)) => Some(Some((CellId(*cell), value.parse::<Int>().ok()?))),
    };
    let mut pending = IndexVec::new();
    for queues in &state.pending {
        let queues: Option<Vec<Vec<_>>> =
            queues.iter().map(|queue| queue.iter().map(entry).collect::<Option<Vec<_>>>()).collect();
        pending.push(Pending::from_queues(model, &queues?));
    }
    let registers = state.registers.iter().map(|regs| numbers(regs).map(IndexVec::from));
    Some(State {
        locations: state.locations.iter().map(|&loc| LocId(loc)).collect(),
        registers: registers.collect::<Option<_>>()?,
        memory: numbers(&state.memory)?.into(),
        pending,
    })
}
