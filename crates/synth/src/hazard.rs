//! The strategy `hazard`: the synthesis of atomic writes of V. Havel's thesis on DVE under relaxed memory, section 3.3.
//!
//! A *hazard interval* of a violation begins with a step that writes a variable and ends with the next flush of that
//! variable by the same thread. An *inconsistent access* is an action of another thread inside it that touches the
//! variable. The write whose interval has most of them is made atomic, and the program is checked again.
//!
//! Each round costs one question, and there are at most as many as there are writes. Nothing says that fewer writes would
//! not do. An element of an array is a variable of its own, as in the thesis. Three things it leaves open: of intervals with as many accesses the first is taken; of an execution that
//! never ends two rounds of the cycle are looked at, so that an interval can end in the next one; an interval that an
//! execution ends in counts up to its end.

use std::collections::BTreeSet;

use fencewright_engine::{Context, Engine, Guarantee, Rejected, Verdict};
use fencewright_ir::edit::Remedy;
use fencewright_ir::{CellId, Program, ThreadId};
use fencewright_memory::{Action, Event, Execution, Performed, Trace, WriteTo, by_thread, replay};

use crate::answer::{AlreadySafe, Evidence, Reason, Repair, Repaired, Request};
use crate::offer::Beside;
use crate::repair::Search;

/// The repair that the procedure comes to.
pub(crate) fn repair<'c>(
    engine: &dyn Engine,
    request: &Request<'_>,
    context: &mut dyn FnMut() -> Context<'c>,
) -> Result<Repair, Rejected> {
    let beside = Beside { atomic: true, ..request.beside };
    let request = &Request { beside, ..request.clone() };
    let mut search = Search::new(engine, request, context);
    if let Some(wrong) = search.wrong_under_sc()? {
        return Ok(wrong);
    }
    let mut chosen: Vec<usize> = Vec::new();
    loop {
        search.rounds += 1;
        let program = search.repaired(&chosen);
        let answer = search.ask(&program, request.model)?;
        let cost = chosen.iter().map(|&i| search.costs[i]).sum();
        let (trace, execution) = match (&answer.verdict, &answer.execution) {
            (Verdict::Holds(Guarantee::Unbounded), _) if chosen.is_empty() => {
                let unneeded = search.unneeded(request.program)?;
                return Ok(Repair::AlreadySafe(Box::new(AlreadySafe { proof: answer, unneeded })));
            }
            (Verdict::Holds(Guarantee::Unbounded), _) => {
                chosen.sort_unstable();
                let remedies = search.evidence(&chosen)?;
                let unneeded = search.unneeded(&program)?;
                return Ok(Repair::Repaired(Box::new(Repaired {
                    remedies,
                    cost,
                    minimum: false,
                    avoidance: None,
                    program,
                    proof: answer,
                    alternatives: Vec::new(),
                    complete: true,
                    unneeded,
                    rounds: search.rounds,
                })));
            }
            (Verdict::Violated(trace), Some(execution)) => (trace, execution),
            _ => return Ok(search.not_found(chosen, cost, Reason::Unproved(answer))),
        };
        let worst = worst_write(&program, trace, execution);
        let next = worst.and_then(|remedy| search.offers.iter().position(|&offer| offer == remedy));
        let Some(next) = next else {
            let evidence = Evidence { program, trace: trace.clone(), execution: execution.clone() };
            return Ok(search.not_found(chosen, cost, Reason::NoHazard(evidence)));
        };
        chosen.push(next);
    }
}

/// The write whose hazard interval has most inconsistent accesses.
fn worst_write(program: &Program, trace: &Trace, execution: &Execution) -> Option<Remedy> {
    let twice = trace.repeats_from.and_then(|from| {
        let mut twice = Trace { repeats_from: None, ..trace.clone() };
        twice.actions.extend_from_slice(&trace.actions[from..]);
        replay(program, &twice).ok()
    });
    let done = twice.as_ref().map_or(&execution.performed[..], |execution| &execution.performed[..]);
    let mut worst: Option<(usize, Remedy)> = None;
    for (position, step) in done.iter().enumerate() {
        for (thread, cell) in delayed_writes(step) {
            let edge = step.action.edges().find(|(by, _)| *by == thread);
            let Some((_, edge)) = edge else { continue };
            let accesses = done[position + 1..]
                .iter()
                .take_while(|later| later.action != Action::Flush { thread, cell })
                .filter(|later| touches(later, thread, cell))
                .count();
            if accesses > worst.map_or(0, |(most, _)| most) {
                worst = Some((accesses, Remedy::Atomic(program.edge(thread, edge).step.statement)));
            }
        }
    }
    worst.map(|(_, remedy)| remedy)
}

/// The cells that the action's threads write without their reaching memory at once.
fn delayed_writes(done: &Performed) -> BTreeSet<(ThreadId, CellId)> {
    let pending = by_thread(&done.action, &done.events).filter_map(|(thread, event)| match event {
        Event::Write { cell, to: WriteTo::Pending, .. } => Some((thread, *cell)),
        _ => None,
    });
    pending.collect()
}

/// Whether a step of another thread reads or writes the cell.
fn touches(done: &Performed, not_by: ThreadId, wanted: CellId) -> bool {
    by_thread(&done.action, &done.events).any(|(thread, event)| match event {
        Event::Read { cell, .. } | Event::Write { cell, .. } => thread != not_by && *cell == wanted,
        Event::Assign { .. } | Event::By(_) => false,
    })
}
