//! Executions that never end, carried from a program to the program with remedies and back: the stem, then the cycle as
//! often as it takes to come back to a state in which a round began.
//!
//! What comes out has been replayed, and violates a temporal property there.

use fencewright_ir::{EdgeId, Program, Property, ThreadId};
use fencewright_memory::{Action, Machine, State, Trace, replay};

use crate::carry::Run;

/// Rounds of the cycle that are tried. In the first a thread may still stand where the stem left it, before a fence or
/// behind it; from then on it stands where the round before left it.
const MOST_ROUNDS: usize = 4;

/// The violating trace of the repaired program as one of the original program. `None` if it is no violation there.
pub(crate) fn without_remedies(
    original: &Program,
    repaired: &Program,
    trace: &Trace,
    from: usize,
) -> Option<Trace> {
    let machine = Machine::new(original, trace.model);
    let mut run = Run::new(&machine, trace)?;
    let mut round = None;
    for (position, action) in trace.actions.iter().enumerate() {
        if position == from {
            round = Some(run.trace.actions.len());
        }
        run.go_without(original, repaired, action)?;
        if run.violated {
            return None;
        }
    }
    let round = round.unwrap_or(run.trace.actions.len());
    violating(original, run.trace, round)
}

/// The violating execution of the original program as one of the repaired program. `None` if the repaired program does
/// not allow it, or if it is no violation there.
pub(crate) fn with_remedies(
    original: &Program,
    repaired: &Program,
    trace: &Trace,
    from: usize,
) -> Option<Trace> {
    let cycle = &trace.actions[from..];
    let mut unrolled = Trace { repeats_from: None, ..trace.clone() };
    (1..MOST_ROUNDS).for_each(|_| unrolled.actions.extend_from_slice(cycle));
    let execution = replay(original, &unrolled).ok()?;

    let machine = Machine::new(repaired, trace.model);
    let mut run = Run::new(&machine, trace)?;
    let resting = resting_threads(original, cycle);
    let mut begun: Vec<(State, usize)> = Vec::new();
    for (position, done) in execution.performed.iter().enumerate() {
        if position >= from && (position - from).is_multiple_of(cycle.len()) {
            settle(&mut run, original, repaired, &resting);
            if let Some(&(_, round)) = begun.iter().find(|(state, _)| *state == run.state) {
                return violating(repaired, run.trace, round);
            }
            begun.push((run.state.clone(), run.trace.actions.len()));
        }
        run.go_with(original, repaired, position, done)?;
        if run.violated {
            return None;
        }
    }
    settle(&mut run, original, repaired, &resting);
    let last = match cycle {
        [] => Some(run.trace.actions.len()),
        _ => begun.iter().find(|(state, _)| *state == run.state).map(|&(_, round)| round),
    };
    violating(repaired, run.trace, last?)
}

/// The threads that go as far as they can before the cycle begins. Whoever makes no step in a cycle that is fair to
/// threads, or in one that comes to rest, must not stand before a fence that it can pass.
fn resting_threads(program: &Program, cycle: &[Action]) -> Vec<ThreadId> {
    let fair = |property: &Property| match property {
        Property::Temporal(temporal) => temporal.fairness.process,
        Property::Forbidden(_) | Property::Invariant(_) | Property::Final { .. } => false,
    };
    if !cycle.is_empty() && !program.properties.iter().any(fair) {
        return Vec::new();
    }
    let steps = |thread: ThreadId| cycle.iter().any(|action| action.edges().any(|(t, _)| t == thread));
    program.threads.indices().filter(|&thread| !steps(thread)).collect()
}

/// Lets these threads pass the inserted fences before which they stand, as far as they can.
fn settle(run: &mut Run<'_, '_>, original: &Program, repaired: &Program, threads: &[ThreadId]) {
    for &thread in threads {
        let first = original.threads[thread].edges.len() as u32;
        let last = repaired.threads[thread].edges.len() as u32;
        let pass = |run: &mut Run<'_, '_>| {
            let here = run.state.locations[thread];
            let mut inserted =
                (first..last).map(EdgeId).filter(|&edge| repaired.edge(thread, edge).from == here);
            inserted.any(|edge| run.go(&Action::Step { thread, edge, choices: Vec::new() }).is_some())
        };
        while pass(run) {}
    }
}

/// The trace with its cycle, if it is an execution that violates a temporal property.
fn violating(program: &Program, trace: Trace, round: usize) -> Option<Trace> {
    let trace = Trace { repeats_from: Some(round), ..trace };
    let execution = replay(program, &trace).ok()?;
    execution.violation.is_some().then_some(trace)
}
