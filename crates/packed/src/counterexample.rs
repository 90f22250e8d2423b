//! From a path of packed states to a trace of the concrete machine: each state of the path is expanded again, this time
//! recording what is done, until the next one comes out.

use fencewright_memory::{Action, InitialChoices, Trace};

use crate::compile::OpenPart;
use crate::step::{Interrupt, PackedSystem, Worker};
use crate::trail::Gather;

/// The trace along `path`, which begins with an initial state. With `by_transition` it ends with the step out of the
/// last state that violates at once.
pub fn trace_along<const W: usize>(
    system: &PackedSystem<'_>,
    worker: &mut Worker<'_>,
    path: &[[u64; W]],
    by_transition: bool,
) -> Result<Trace, Interrupt> {
    let mut actions = Vec::new();
    for step in path.windows(2) {
        let mut found = Gather::<W, Vec<Action>>::default();
        system.expand(worker, &step[0], &mut found)?;
        let next = found.states.into_iter().find(|(state, _)| *state == step[1]);
        let (_, trail) = next.expect("internal error: a state on the path is a successor of the one before");
        actions.extend(trail);
    }
    if by_transition {
        let last = path.last().expect("a path has a state");
        let mut found = Gather::<W, Vec<Action>>::default();
        system.expand(worker, last, &mut found)?;
        let trail = found.violations.into_iter().next();
        actions.extend(trail.expect("internal error: the last state has a violating step"));
    }
    let initial = initial_choices(system, worker, &path[0])?;
    Ok(Trace { model: system.compiled.options.model, initial, actions, repeats_from: None })
}

/// The values of the open parts that give this initial state.
pub fn initial_choices<const W: usize>(
    system: &PackedSystem<'_>,
    worker: &mut Worker<'_>,
    initial: &[u64; W],
) -> Result<InitialChoices, Interrupt> {
    let mut result = None;
    system.initial_states::<W>(worker, &mut |choices, state| {
        if result.is_none() && state == initial {
            let mut initial = InitialChoices::default();
            for (part, value) in choices {
                match *part {
                    OpenPart::Cell(cell) => drop(initial.cells.insert(cell, value.clone())),
                    OpenPart::Register(thread, reg) => {
                        drop(initial.registers.insert((thread, reg), value.clone()))
                    }
                }
            }
            result = Some(initial);
        }
    })?;
    Ok(result.expect("internal error: the path begins with an initial state"))
}
