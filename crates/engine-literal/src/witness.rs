//! Gives numbers to the open values of an execution. The search follows such values as symbols. A trace that is shown and
//! replayed has a number for each of them, so that the replay checks the symbols, too.

use fencewright_literal::choice::Choices;
use fencewright_literal::footprint::Footprints;
use fencewright_literal::machine::{Action, Machine, Notes, Settings};
use fencewright_literal::open::OpenInts;
use fencewright_literal::violation::Violation;

use crate::search::Trace;

/// The execution with numbers for its open values. It is carried out once more with symbols that are never renamed; the numbers
/// that they can be at the end are those they could be from the start.
pub(crate) fn with_numbers(machine: &Machine<'_, '_>, actions: Vec<Action>, violation: Violation) -> Trace {
    // With other settings the same choices would answer other questions.
    let settings = machine.settings.clone();
    if settings.open != OpenInts::Followed {
        return Trace { settings, actions, violation };
    }
    let recorded = Settings { open: OpenInts::Recorded, ..settings.clone() };
    let Ok(machine) = Machine::new(machine.program, recorded) else {
        return Trace { settings, actions, violation };
    };
    let mut state = machine.initial();
    let mut numbered = Vec::new();
    for action in &actions {
        let mut choices = Choices::new(action.choices());
        let footprints = Footprints::new(settings.contested.clone());
        let mut notes = Notes { footprints, ..Notes::default() };
        let result = machine.apply(&mut state, action, &mut choices, &mut notes, None);
        // With numbers there is nothing to split: the thread just waits.
        if !notes.only_narrowed {
            numbered.push(action.with_choices(&choices.without_values()));
        }
        if result.is_err() {
            break;
        }
        state.forget_locals();
    }
    let values = state.process.open.witness();
    if values.is_empty() {
        return Trace { settings, actions, violation };
    }
    Trace { settings: Settings { open: OpenInts::Given(values), ..settings }, actions: numbered, violation }
}
