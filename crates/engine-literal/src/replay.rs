//! Replays an execution, action by action, and records what happens in it.

use fencewright_literal::choice::Choices;
use fencewright_literal::event::Event;
use fencewright_literal::footprint::Footprints;
use fencewright_literal::machine::{Action, Machine, Notes, Settings};
use fencewright_literal::program::Program;
use fencewright_literal::state::State;
use fencewright_literal::violation::{Halt, Violation};

use crate::search::Trace;

/// An action that was carried out.
#[derive(Debug, Clone)]
pub struct Performed {
    /// The action.
    pub action: Action,
    /// What happened in it.
    pub events: Vec<Event>,
    /// The state after it.
    pub after: State,
}

/// An execution.
#[derive(Debug, Clone)]
pub struct Execution {
    /// The actions, in order.
    pub performed: Vec<Performed>,
    /// The violation at the end.
    pub violation: Option<Violation>,
}

/// Replays a trace. An error says which action is impossible: then the search that found the trace is wrong.
pub fn replay(program: &Program<'_>, trace: &Trace) -> Result<Execution, String> {
    let machine = Machine::new(program, trace.settings.clone()).map_err(|refusal| refusal.to_string())?;
    let mut state = machine.initial();
    let mut performed = Vec::new();
    for (number, action) in trace.actions.iter().enumerate() {
        let mut choices = Choices::new(action.choices());
        let (mut notes, mut events) = (notes_for(&trace.settings), Vec::new());
        let result = machine.apply(&mut state, action, &mut choices, &mut notes, Some(&mut events));
        performed.push(Performed { action: action.clone(), events, after: state.clone() });
        match result {
            Ok(()) => state.trim(),
            Err(Halt::Violation(violation)) if number + 1 == trace.actions.len() => {
                return Ok(Execution { performed, violation: Some(*violation) });
            }
            Err(halt) => {
                return Err(format!("action {number} of the execution cannot be carried out: {halt:?}"));
            }
        }
    }
    let violation = machine.deadlock(&state).filter(|_| is_stuck(&machine, &state));
    Ok(Execution { performed, violation })
}

/// The execution was found with these contested bytes.
fn notes_for(settings: &Settings) -> Notes {
    Notes { footprints: Footprints::new(settings.contested.clone()), ..Notes::default() }
}

/// Whether nothing can happen except spurious wake-ups.
pub(crate) fn is_stuck(machine: &Machine<'_, '_>, state: &State) -> bool {
    machine.actions(state).into_iter().all(|action| {
        let mut next = state.clone();
        machine.is_spurious(&action)
            || machine.apply(
                &mut next,
                &action,
                &mut Choices::default(),
                &mut notes_for(&machine.settings),
                None,
            ) == Err(Halt::Blocked)
    })
}
