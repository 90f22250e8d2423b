//! Partial-order reduction: where a thread stands before steps that nobody can notice, these go before everything else.
//!
//! A location is *quiet* if all edges from it are steps on the thread's registers alone, no property names a register
//! they assign or a location they connect, and no way from it comes back to it through quiet locations. At a state in
//! which a thread stands at a quiet location and can go on, its steps are an ample set (D. Peled, *All from one, one for
//! all*, CAV 1993; conditions C0 to C3 as in Clarke, Grumberg, Peled, *Model checking*, chapter 10):
//!
//! - nothing another thread or a flush does changes whether these steps can be made, or what they do, and they change
//!   nothing for the others (C1);
//! - no condition of the formula changes with them (C2);
//! - quiet steps alone make no cycle, so on every cycle there is a state all of whose transitions are followed (C3).
//!
//! An execution and the one with a quiet step moved forward have the same fairness: buffers do not change with it, nor
//! does what other threads can do, and a thread that could make it and never does is not fair in the first place.
//!
//! Only for formulae without `X`, which cannot count moments; never for automata that a program gives, which may. Where
//! threads meet in a rendezvous, or go before others because they are committed, nothing is quiet.

use std::collections::BTreeSet;

use fencewright_ir::{Claim, Edge, LocId, Op, Program, RegId, StateAtom, Temporal, Thread, ThreadId};

use crate::plan::can_fail;

/// For each thread and location whether it is quiet, as far as the property can tell.
pub(crate) fn quiet_locations(program: &Program, temporal: &Temporal) -> Vec<Vec<bool>> {
    let counts_moments = match &temporal.claim {
        Claim::Formula(formula) => formula.has_next(),
        Claim::Never(_) => true,
    };
    let meets = |thread: &Thread| {
        thread.edges.iter().any(|edge| edge.step.sync().is_some())
            || thread.locations.iter().any(|location| location.committed)
    };
    if counts_moments || program.threads.iter().any(meets) {
        return program.threads.iter().map(|thread| vec![false; thread.locations.len()]).collect();
    }
    let mut named = Named::default();
    temporal.for_each_atom(&mut |atom| match *atom {
        StateAtom::At(thread, location) => _ = named.locations.insert((thread, location)),
        StateAtom::Register(thread, reg) => _ = named.registers.insert((thread, reg)),
        StateAtom::Cell(_) => {}
    });
    let threads = program.threads.iter_enumerated();
    threads.map(|(id, thread)| quiet_locations_of(id, thread, &named)).collect()
}

/// What the property names, but for cells, which no quiet step touches.
#[derive(Default)]
struct Named {
    locations: BTreeSet<(ThreadId, LocId)>,
    registers: BTreeSet<(ThreadId, RegId)>,
}

fn quiet_locations_of(id: ThreadId, thread: &Thread, named: &Named) -> Vec<bool> {
    let unnoticed = |edge: &Edge| {
        let ends = [edge.from, edge.to];
        let own = |op: &Op| match op {
            Op::Assign { dst, .. } | Op::Havoc { dst } => !named.registers.contains(&(id, *dst)),
            Op::Guard(_) => true,
            Op::Read { .. }
            | Op::Write { .. }
            | Op::Assert(_)
            | Op::Fence(_)
            | Op::Send { .. }
            | Op::Receive { .. } => false,
        };
        edge.step.lock.is_none()
            && edge.step.ops.iter().all(|op| own(op) && !can_fail(op))
            && !ends.iter().any(|&location| named.locations.contains(&(id, location)))
    };
    let mut quiet: Vec<bool> = (thread.locations.indices())
        .map(|location| {
            let mut own = thread.edges.iter().filter(|edge| edge.from == location).peekable();
            own.peek().is_some() && own.all(unnoticed)
        })
        .collect();
    // One location of each cycle less, until no cycle is left.
    while let Some(location) = thread.locations.indices().find(|&at| comes_back(thread, &quiet, at)) {
        quiet[location.0 as usize] = false;
    }
    quiet
}

/// Whether a way leads from the location back to it through quiet locations only.
fn comes_back(thread: &Thread, quiet: &[bool], start: LocId) -> bool {
    let mut seen = vec![false; quiet.len()];
    let mut stack = vec![start];
    while let Some(location) = stack.pop() {
        if !quiet[location.0 as usize] {
            continue;
        }
        for edge in thread.edges.iter().filter(|edge| edge.from == location) {
            if edge.to == start {
                return true;
            }
            if !std::mem::replace(&mut seen[edge.to.0 as usize], true) {
                stack.push(edge.to);
            }
        }
    }
    false
}
