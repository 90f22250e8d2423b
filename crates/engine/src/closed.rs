//! Certificates that are sets of states of the machine: every initial state is one of them, every action leads from one of
//! them to one of them, and none violates a property. The checker is a loop over the reference semantics.

use std::collections::HashSet;

use fencewright_base::{IndexVec, Int};
use fencewright_ir::{CellId, LocId, Program, Property};
use fencewright_memory::{Machine, Model, Outcome, Pending, State};
use serde::{Deserialize, Serialize};

use crate::{CERTIFICATE_VERSION, NotAProof, Proof, read_certificate, write_certificate};

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
    if program.properties.iter().any(Property::is_temporal) {
        return Err(form("states say nothing of a property of whole executions"));
    }
    let states: Option<HashSet<State>> = wire.states.iter().map(|state| read(model, state)).collect();
    let states = states.ok_or_else(|| form("a value is no number"))?;
    let machine = Machine::new(&program, model);
    for (_, initial) in machine.initial_states(CHOICES).map_err(|_| NotAProof::Open)? {
        if !states.contains(&initial) {
            return Err(NotAProof::Missing(format!("the initial state {initial:?} is not there")));
        }
    }
    #[allow(clippy::iter_over_hash_type, reason = "all must pass, in whatever order")]
    for state in &states {
        let fits = state.locations.len() == program.threads.len()
            && state.pending.len() == program.threads.len()
            && state.memory.len() == program.n_cells()
            && (program.threads.iter().zip(state.locations.iter().zip(state.registers.iter()))).all(
                |(thread, (loc, regs))| {
                    (loc.0 as usize) < thread.locations.len() && regs.len() == thread.regs.len()
                },
            );
        let pending = state.pending.iter().flat_map(|pending| pending.rules().queues()).flatten().flatten();
        if !fits || pending.into_iter().any(|(cell, _)| cell.0 as usize >= program.n_cells()) {
            return Err(form("a state is not of the program"));
        }
        if let Some(violation) = machine.violation(state) {
            return Err(NotAProof::Violation(format!("{violation:?} in {state:?}")));
        }
        for action in machine.actions(state, CHOICES).map_err(|_| NotAProof::Open)? {
            match machine.perform(state, &action) {
                Outcome::Blocked => {}
                Outcome::Next(next, _) if states.contains(&next) => {}
                Outcome::Next(next, _) => {
                    return Err(NotAProof::Missing(format!(
                        "{action:?} leads to {next:?}, which is not there"
                    )));
                }
                Outcome::Violates(violation, _) => {
                    return Err(NotAProof::Violation(format!("{violation:?} by {action:?} in {state:?}")));
                }
            }
        }
    }
    let states = states.len();
    if sealed { Ok(Proof { program, model, size: states, unit: "states" }) } else { Err(NotAProof::Changed) }
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
