//! An execution that never ends, with every write in memory as early as can be: what `order` does for the others.
//!
//! One flush after the other is tried at earlier moments: before the next step of its thread behind the write, before the
//! one after that, and so on. A flush of the cycle whose write was made in the round before, or by the stem, goes behind
//! that write in both. A change stays if the execution is still a violation when replayed, so nothing here has to be right
//! for an answer to be right.

use fencewright_ir::Program;
use fencewright_memory::{Action, Execution, Trace, replay};

/// An execution of more actions is left as it is: each of its flushes is tried at several places.
const MOST_ACTIONS: usize = 400;

/// The violating execution with its flushes as early as they could be made.
pub(crate) fn normal_form(
    program: &Program,
    trace: &Trace,
    execution: &Execution,
    from: usize,
) -> (Trace, Execution) {
    let mut best = (trace.clone(), execution.clone());
    if trace.actions.len() > MOST_ACTIONS {
        return best;
    }
    let mut from = from;
    let mut at = 0;
    while at < best.0.actions.len() {
        let Some(write) = best.1.performed[at].flushed else {
            at += 1;
            continue;
        };
        let within = (write < from) == (at < from);
        let earlier = match within {
            true => moved(&best.0, from, write, at),
            false => moved_out_of_the_round(&best, from, write, at).into_iter().collect(),
        };
        let violates = |(trace, from): (Trace, usize)| {
            let replayed = replay(program, &trace).ok().filter(|replayed| replayed.violation.is_some())?;
            Some((trace, replayed, from))
        };
        if let Some((trace, replayed, new_from)) = earlier.into_iter().find_map(violates) {
            from = new_from;
            best = (trace, replayed);
        }
        at += 1;
    }
    best
}

/// The executions in which the flush at `at` happens before a step of its thread that it followed, the earliest first.
fn moved(trace: &Trace, from: usize, write: usize, at: usize) -> Vec<(Trace, usize)> {
    let thread = trace.actions[at].thread();
    let steps = (write + 1..at).filter(|&position| {
        let action = &trace.actions[position];
        !matches!(action, Action::Flush { .. }) && action.threads().any(|by| by == thread)
    });
    let at_position = |position: usize| {
        let mut moved = trace.clone();
        let flush = moved.actions.remove(at);
        moved.actions.insert(position, flush);
        (moved, from)
    };
    steps.map(at_position).collect()
}

/// The execution in which the flush at `at` of the cycle, which in the first round carries a write of the stem and in
/// every later one a write of the round before, follows these writes directly.
fn moved_out_of_the_round(
    (trace, execution): &(Trace, Execution),
    from: usize,
    write: usize,
    at: usize,
) -> Option<(Trace, usize)> {
    let Action::Flush { thread, cell } = trace.actions[at] else { return None };
    let flushes = |action: &Action| *action == Action::Flush { thread, cell };
    // The last write of the round to the cell that no flush of the round carries.
    let carried = |position: usize| {
        (from..trace.actions.len())
            .any(|i| flushes(&trace.actions[i]) && execution.performed[i].flushed == Some(position))
    };
    let edges: Vec<_> = trace.actions[write].edges().collect();
    let again = (at + 1..trace.actions.len())
        .rev()
        .find(|&i| trace.actions[i].edges().eq(edges.iter().copied()) && !carried(i))?;
    let mut moved = trace.clone();
    moved.actions.insert(again + 1, Action::Flush { thread, cell });
    moved.actions.remove(at);
    moved.actions.insert(write + 1, Action::Flush { thread, cell });
    moved.repeats_from = Some(from + 1);
    Some((moved, from + 1))
}
