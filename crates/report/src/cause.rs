//! Which reordering an execution needs, if it needs any.
//!
//! An engine may leave a write pending for no reason, so an execution as found shows more overtakings than it needs. It
//! is brought into normal form first: every write goes to memory as early as it can without changing what anyone
//! reads. What overtakes then does so because it must. Of those the pair is named that another thread can be seen to
//! stumble over: it missed the delayed write, and touched what overtook it.
//!
//! That an execution needs no reordering is claimed only if the same steps, run under sequential consistency, end in
//! the same violation; so the claim is never wrong, but it may be left unsaid.

use fencewright_ir::{CellId, Program, ThreadId};
use fencewright_memory::{
    Action, Event, Execution, Model, Overtaking, Performed, ReadFrom, Trace, Violation, WriteTo, overtakings,
    replay,
};

/// What an execution owes to the memory model. Positions are those of the execution as given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// It ends in no violation, or the model delays no writes: there is nothing to explain.
    Nothing,
    /// The same happens under sequential consistency.
    AlsoUnderSc,
    /// This write was overtaken.
    Overtaken(Overtaking),
    /// Nothing was overtaken, but these writes, by their steps and cells, were pending when it ended.
    StillPending(Vec<(usize, CellId)>),
    /// The execution is too long to look for the reason.
    TooLong,
}

/// The search for the reason compares actions pairwise; an execution of more actions than this would take seconds.
const MOST_ACTIONS: usize = 1000;

/// Why the execution, which `trace` gave when it was replayed, is possible.
pub fn cause(program: &Program, trace: &Trace, execution: &Execution) -> Cause {
    if execution.violation.is_none() || !trace.model.delays_writes() {
        return Cause::Nothing;
    }
    if trace.actions.len() > MOST_ACTIONS {
        return Cause::TooLong;
    }
    if let Some(from) = trace.repeats_from {
        return cause_of_lasso(program, trace, execution, from);
    }
    if !trace.model.is_operational() {
        return cause_with_guesses(program, trace, execution);
    }
    let normal = normal_form(program, trace, execution);
    if happens_under_sc(program, trace, execution, &normal) {
        return Cause::AlsoUnderSc;
    }
    // Only flushes were moved, so the steps of both executions are the same in the same order.
    let steps = |execution: &Execution| -> Vec<usize> {
        let is_step =
            |(i, done): (usize, &Performed)| (!matches!(done.action, Action::Flush { .. })).then_some(i);
        execution.performed.iter().enumerate().filter_map(is_step).collect()
    };
    let (normal_steps, given_steps) = (steps(&normal), steps(execution));
    let given = |position: usize| match normal_steps.binary_search(&position) {
        Ok(nth) => given_steps[nth],
        Err(_) => position,
    };
    let mut found = overtakings(&normal);
    let all = found.clone();
    found.retain(|pair| !is_seen_by_its_write(&normal, &all, pair));
    // `max_by_key` takes the last of equals; the first is the one a reader meets first.
    match found.iter().rev().max_by_key(|overtaking| weight(&normal, overtaking)) {
        Some(pair) => Cause::Overtaken(Overtaking {
            write: given(pair.write),
            overtaken_by: given(pair.overtaken_by),
            ..pair.clone()
        }),
        None => {
            Cause::StillPending(still_pending(&normal).map(|(write, cell)| (given(write), cell)).collect())
        }
    }
}

/// The same for an execution in which reads may have waited. It is taken as it is.
fn cause_with_guesses(program: &Program, trace: &Trace, execution: &Execution) -> Cause {
    let step = |action: &Action| match action {
        Action::Step { thread, edge, choices } | Action::Ahead { thread, edge, choices, .. } => {
            Some(Action::Step { thread: *thread, edge: *edge, choices: choices.clone() })
        }
        Action::Flush { .. } | Action::Late { .. } | Action::Rendezvous { .. } => None,
    };
    let actions = trace.actions.iter().filter_map(step).collect();
    let under_sc = Trace { model: Model::Sc, initial: trace.initial.clone(), actions, repeats_from: None };
    if replay(program, &under_sc).is_ok_and(|sc| sc.violation == execution.violation) {
        return Cause::AlsoUnderSc;
    }
    let found = overtakings(execution);
    match found.iter().rev().max_by_key(|overtaking| weight(execution, overtaking)) {
        Some(pair) => Cause::Overtaken(pair.clone()),
        None => Cause::StillPending(still_pending(execution).collect()),
    }
}

/// The same for an execution that never ends. Its flushes are left where they are: moving one across the border of stem
/// and cycle would make another cycle.
fn cause_of_lasso(program: &Program, trace: &Trace, execution: &Execution, from: usize) -> Cause {
    let is_step = |action: &&Action| matches!(action, Action::Step { .. });
    let under_sc = Trace {
        model: Model::Sc,
        initial: trace.initial.clone(),
        actions: trace.actions.iter().filter(is_step).cloned().collect(),
        repeats_from: Some(trace.actions[..from].iter().filter(is_step).count()),
    };
    if replay(program, &under_sc).is_ok_and(|sc| sc.violation == execution.violation) {
        return Cause::AlsoUnderSc;
    }
    let flushed_again = |write: usize, cell: CellId| {
        let flush = Action::Flush { thread: execution.performed[write].action.thread(), cell };
        trace.actions[from..].contains(&flush)
    };
    let for_ever: Vec<(usize, CellId)> = still_pending(execution)
        .filter(|&(write, cell)| write < from && !flushed_again(write, cell))
        .collect();
    if !for_ever.is_empty() {
        return Cause::StillPending(for_ever);
    }
    let found = overtakings(execution);
    match found.iter().rev().max_by_key(|overtaking| weight(execution, overtaking)) {
        Some(pair) => Cause::Overtaken(pair.clone()),
        None => Cause::Nothing,
    }
}

/// An action with what is needed to know past what it may move.
struct Item<'e> {
    action: Action,
    events: &'e [Event],
    flushed: Option<usize>,
    /// The position in the execution as given; `None` for a flush that is added.
    given: Option<usize>,
}

/// The execution with every flush as early as it can be, and with flushes added for writes that could have gone to
/// memory and did not. The execution as it is if something unforeseen stands against it.
fn normal_form(program: &Program, trace: &Trace, execution: &Execution) -> Execution {
    let mut items: Vec<Item<'_>> = (execution.performed.iter().enumerate())
        .map(|(position, done)| Item {
            action: done.action.clone(),
            events: &done.events,
            flushed: done.flushed,
            given: Some(position),
        })
        .collect();
    items.extend(drain(program, trace, execution).into_iter().map(|(action, flushed)| Item {
        action,
        events: &[],
        flushed,
        given: None,
    }));
    for position in 0..items.len() {
        if matches!(items[position].action, Action::Flush { .. }) {
            let mut at = position;
            while at > 0 && may_pass(&items[at], &items[at - 1]) {
                items.swap(at, at - 1);
                at -= 1;
            }
        }
    }
    // A flush that was added and got nowhere changes nothing but the last state, which must stay as it was.
    while items.last().is_some_and(|item| item.given.is_none()) {
        items.pop();
    }
    let actions = items.into_iter().map(|item| item.action).collect();
    let normal = Trace {
        model: trace.model,
        initial: trace.initial.clone(),
        actions,
        repeats_from: trace.repeats_from,
    };
    match replay(program, &normal) {
        Ok(normal) if same_steps(execution, &normal) => normal,
        _ => execution.clone(),
    }
}

/// The flushes that would empty all buffers at the end, with the steps whose writes they carry.
fn drain(program: &Program, trace: &Trace, execution: &Execution) -> Vec<(Action, Option<usize>)> {
    let mut pending = still_pending(execution).count();
    let mut extended = trace.clone();
    if !matches!(execution.violation, None | Some(Violation::Property(_))) {
        // Nothing may follow a step that fails; the buffers are the same before it.
        extended.actions.pop();
    }
    let end = extended.actions.len();
    let mut result = Vec::new();
    while pending > 0 {
        let Ok(so_far) = replay(program, &extended) else { return Vec::new() };
        let last = so_far.last();
        let next = last.pending.iter_enumerated().find_map(|(thread, pending)| {
            pending.rules().flushable().first().map(|&cell| Action::Flush { thread, cell })
        });
        let Some(next) = next else { break };
        extended.actions.push(next);
        pending -= 1;
    }
    if let Ok(drained) = replay(program, &extended) {
        result.extend(drained.performed.into_iter().skip(end).map(|done| (done.action, done.flushed)));
    }
    result
}

/// Whether a flush may happen before what came just before it, with nobody reading anything else.
fn may_pass(flush: &Item<'_>, before: &Item<'_>) -> bool {
    let Action::Flush { thread, cell } = flush.action else { return false };
    match &before.action {
        // Of one thread's writes the older goes first: that is the order of the text.
        Action::Flush { thread: other, cell: other_cell } => {
            *other_cell != cell && (*other != thread || flush.flushed < before.flushed)
        }
        Action::Step { thread: other, .. } if *other == thread => flush.flushed != before.given,
        // Executions with guesses are not brought into normal form.
        Action::Ahead { .. } | Action::Late { .. } => false,
        Action::Step { .. } | Action::Rendezvous { .. } => {
            flush.flushed != before.given
                && !before.events.iter().any(|event| match event {
                    Event::Read { cell: touched, from, .. } => *from == ReadFrom::Memory && *touched == cell,
                    Event::Write { cell: touched, to, .. } => *to == WriteTo::Memory && *touched == cell,
                    Event::Assign { .. } | Event::By(_) => false,
                })
        }
    }
}

/// Whether two executions take the same steps with the same values and end in the same violation.
fn same_steps(one: &Execution, other: &Execution) -> bool {
    let values = |execution: &Execution| -> Vec<Option<(CellId, fencewright_base::Int)>> {
        let steps = execution.performed.iter();
        steps
            .filter(|done| !matches!(done.action, Action::Flush { .. }))
            .flat_map(|done| &done.events)
            .map(|event| match event {
                Event::Read { cell, value, .. } | Event::Write { cell, value, .. } => {
                    Some((*cell, value.clone()))
                }
                Event::Assign { .. } | Event::By(_) => None,
            })
            .collect()
    };
    one.violation == other.violation && values(one) == values(other)
}

/// Whether the same steps violate under sequential consistency: in the order they were taken, or in the order their
/// writes reached memory.
fn happens_under_sc(program: &Program, trace: &Trace, execution: &Execution, normal: &Execution) -> bool {
    let steps_by = |moment: &dyn Fn(usize) -> usize| -> Vec<Action> {
        let mut thread_moment = vec![0; program.threads.len()];
        let mut steps: Vec<(usize, &Action)> = Vec::new();
        for (position, done) in normal.performed.iter().enumerate() {
            let threads = || done.action.edges().map(|(thread, _)| thread.0 as usize);
            if let Some(latest) = threads().map(|thread| thread_moment[thread]).max() {
                let latest = moment(position).max(latest);
                threads().for_each(|thread| thread_moment[thread] = latest);
                steps.push((latest, &done.action));
            }
        }
        steps.sort_by_key(|(moment, _)| *moment);
        steps.into_iter().map(|(_, action)| action.clone()).collect()
    };
    let arrived = |position: usize, never: usize| {
        let writes = normal.performed[position].events.iter().filter_map(|event| match event {
            Event::Write { cell, .. } => Some(arrival(normal, position, *cell).unwrap_or(never)),
            Event::Read { .. } | Event::Assign { .. } | Event::By(_) => None,
        });
        writes.max().unwrap_or(position).max(position)
    };
    let orders = [
        steps_by(&|position| position),
        steps_by(&|position| arrived(position, position)),
        steps_by(&|position| arrived(position, usize::MAX)),
    ];
    orders.into_iter().any(|actions| {
        let under_sc =
            Trace { model: Model::Sc, initial: trace.initial.clone(), actions, repeats_from: None };
        replay(program, &under_sc).is_ok_and(|sc| sc.violation == execution.violation)
    })
}

/// When a step's write to a cell reached memory, if it did.
fn arrival(execution: &Execution, write: usize, cell: CellId) -> Option<usize> {
    let direct = execution.performed[write].events.iter().any(
        |event| matches!(event, Event::Write { cell: written, to: WriteTo::Memory, .. } if *written == cell),
    );
    if direct {
        return Some(write);
    }
    let carries = |done: &Performed| {
        done.flushed == Some(write)
            && match done.action {
                Action::Flush { cell: flushed, .. } => flushed == cell,
                Action::Late { .. } => done.events.iter().any(|event| {
                    matches!(event, Event::Read { cell: touched, .. } | Event::Write { cell: touched, .. }
                        if *touched == cell)
                }),
                Action::Step { .. } | Action::Ahead { .. } | Action::Rendezvous { .. } => false,
            }
    };
    execution.performed.iter().position(carries)
}

fn still_pending(execution: &Execution) -> impl Iterator<Item = (usize, CellId)> {
    execution.performed.iter().enumerate().flat_map(move |(position, done)| {
        done.events.iter().filter_map(move |event| match event {
            Event::Write { cell, to: WriteTo::Pending, .. }
                if arrival(execution, position, *cell).is_none() =>
            {
                Some((position, *cell))
            }
            _ => None,
        })
    })
}

/// Whether the pair names the read of a step that reads and writes at once, and it is the write that another thread
/// sees: the first of the others to touch the cell reads it.
fn is_seen_by_its_write(execution: &Execution, all: &[Overtaking], pair: &Overtaking) -> bool {
    let writes_too = || all.contains(&Overtaking { by_read: false, ..pair.clone() });
    let thread = execution.performed[pair.write].action.thread();
    let mut touches = others_at(execution, thread, pair.other_cell);
    let first = touches.find(|(position, _)| pair.overtaken_by < *position);
    pair.by_read && writes_too() && first.is_some_and(|(_, writes)| !writes)
}

/// How much an overtaking shows: 2 if another thread used the cell while the write was on its way, 1 more if another
/// thread writes to (or, for a write that overtook, reads) what overtook it afterwards.
fn weight(execution: &Execution, pair: &Overtaking) -> u8 {
    let thread = execution.performed[pair.write].action.thread();
    let arrived = arrival(execution, pair.write, pair.cell).unwrap_or(usize::MAX);
    let missed = others_at(execution, thread, pair.cell)
        .any(|(position, _)| pair.write < position && position < arrived);
    let met = others_at(execution, thread, pair.other_cell)
        .any(|(position, writes)| pair.overtaken_by < position && (writes || !pair.by_read));
    2 * u8::from(missed) + u8::from(met)
}

/// Where other threads touch a cell in memory, and whether they write to it.
fn others_at(execution: &Execution, thread: ThreadId, cell: CellId) -> impl Iterator<Item = (usize, bool)> {
    let others = execution.performed.iter().enumerate();
    others.filter(move |(_, done)| done.action.thread() != thread).flat_map(move |(position, done)| {
        let flushes = matches!(done.action, Action::Flush { cell: flushed, .. } if flushed == cell);
        let touches = done.events.iter().filter_map(move |event| match event {
            Event::Read { cell: read, from: ReadFrom::Memory, .. } if *read == cell => {
                Some((position, false))
            }
            Event::Write { cell: written, to: WriteTo::Memory, .. } if *written == cell => {
                Some((position, true))
            }
            _ => None,
        });
        flushes.then_some((position, true)).into_iter().chain(touches)
    })
}
