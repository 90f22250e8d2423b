//! Which steps may go before everything else. A step is *invisible* if no other thread can see it, it sees nothing that
//! another thread can change, and it neither enters nor leaves a location that a property names nor changes a register
//! that a property looks at. It then commutes with every step of every other thread, so a thread that stands before
//! invisible steps only may make them at once, and the states between need not be stored.
//!
//! Register operations are invisible. Where writes are queued (TSO, PSO), so are a write, which goes to the end of the
//! thread's own buffer, a store-store fence, and a full fence: what they wait for, room in the buffer or its being
//! empty, only the thread's own flushes give. While such a step waits, the thread rests where it is and everything else
//! goes on; the step is tried again after each of the thread's flushes. Under SC fences do nothing.
//!
//! A write under Slot is visible: it destroys a pending value that might have reached memory first.
//!
//! A thread must not run round a loop of invisible steps for ever while the others wait: on every such loop there is a
//! location at which it rests.

use fencewright_base::IndexVec;
use fencewright_ir::{
    FenceKind, LocId, LocationSet, Op, Program, Property, RegId, StateAtom, Step, ThreadId,
};
use fencewright_memory::Model;

use crate::compile::CompileOptions;

/// For each location of the thread, whether all its steps from there are invisible, and it need not rest there to
/// break a loop.
pub(crate) fn may_go_first(
    program: &Program,
    thread: ThreadId,
    options: CompileOptions,
) -> IndexVec<LocId, bool> {
    let data = &program.threads[thread];
    let mut first: IndexVec<LocId, bool> = data.locations.iter().map(|_| options.reduction).collect();
    // Who may go first is decided by committed locations where there are any.
    let commits = program.threads.iter().any(|thread| thread.locations.iter().any(|loc| loc.committed));
    if !options.reduction || commits {
        first.iter_mut().for_each(|first| *first = false);
        return first;
    }
    let named = named_locations(program, thread);
    // Registers that only final states are asked about do not make a step visible: whatever is done later, the thread
    // ends with them.
    let watched = invariant_registers(program, thread);
    let outgoing = data.outgoing();
    for (loc, edges) in outgoing.iter_enumerated() {
        first[loc] = !edges.is_empty()
            && edges.iter().all(|&edge| {
                let edge = &data.edges[edge];
                !named[edge.from]
                    && !named[edge.to]
                    && is_invisible(program, &edge.step, options.model, &watched)
            });
    }
    // Depth-first search along invisible steps; the target of an edge back into the current path rests.
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        OnPath,
        Done,
    }
    let mut marks: IndexVec<LocId, Mark> = data.locations.iter().map(|_| Mark::New).collect();
    for root in data.locations.indices() {
        if marks[root] != Mark::New {
            continue;
        }
        marks[root] = Mark::OnPath;
        let mut path: Vec<(LocId, usize)> = vec![(root, 0)];
        while let Some((loc, next)) = path.last_mut() {
            let edge = if first[*loc] { outgoing[*loc].get(*next) } else { None };
            *next += 1;
            match edge {
                None => {
                    marks[*loc] = Mark::Done;
                    path.pop();
                }
                Some(&edge) => {
                    let to = data.edges[edge].to;
                    match marks[to] {
                        Mark::New => {
                            marks[to] = Mark::OnPath;
                            path.push((to, 0));
                        }
                        Mark::OnPath => first[to] = false,
                        Mark::Done => {}
                    }
                }
            }
        }
    }
    first
}

fn is_invisible(program: &Program, step: &Step, model: Model, watched: &[RegId]) -> bool {
    if step.lock.is_some() {
        return false;
    }
    let queued = match model {
        Model::Sc | Model::Slot => false,
        Model::Tso | Model::Pso | Model::Rmo => true,
    };
    // A step that both fills the buffer and waits for it to be empty would have to be looked at as a whole.
    let writes = step.ops.iter().any(|op| matches!(op, Op::Write { .. }));
    step.ops.iter().all(|op| match op {
        Op::Assign { dst, .. } | Op::Havoc { dst } => !watched.contains(dst),
        Op::Guard(_) | Op::Assert(_) => true,
        Op::Read { .. } => false,
        Op::Write { addr, .. } => queued && !program.is_direct(addr.first()),
        Op::Send { .. } | Op::Receive { .. } => false,
        Op::Fence(FenceKind::Full) => model == Model::Sc || (queued && !writes),
        Op::Fence(FenceKind::StoreStore) => model == Model::Sc || queued,
    })
}

fn named_locations(program: &Program, thread: ThreadId) -> IndexVec<LocId, bool> {
    let mut named: IndexVec<LocId, bool> = program.threads[thread].locations.iter().map(|_| false).collect();
    for property in &program.properties {
        match property {
            Property::Forbidden(forbidden) => {
                if let LocationSet::OneOf(locations) = &forbidden.at[thread] {
                    locations.iter().for_each(|&loc| named[loc] = true);
                }
            }
            Property::Invariant(condition) => condition.expr.for_each_atom(&mut |atom| {
                if let StateAtom::At(t, loc) = *atom
                    && t == thread
                {
                    named[loc] = true;
                }
            }),
            Property::Final { .. } | Property::Temporal(_) => {}
        }
    }
    named
}

fn invariant_registers(program: &Program, thread: ThreadId) -> Vec<RegId> {
    let mut registers = Vec::new();
    for property in &program.properties {
        if let Property::Invariant(condition) = property {
            condition.expr.for_each_atom(&mut |atom| {
                if let StateAtom::Register(t, reg) = *atom
                    && t == thread
                {
                    registers.push(reg);
                }
            });
        }
    }
    registers
}
