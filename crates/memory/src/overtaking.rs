//! Which accesses of an execution were delayed past what: the reorderings that make it differ from one under SC.

use fencewright_ir::{CellId, ThreadId};

use crate::{Action, Event, Execution, ReadFrom, WriteTo, by_thread};

/// A write that was still pending, or a read that was not performed, when a later action of its thread took effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overtaking {
    /// Position of the step that wrote; or read, if `of_read`.
    pub write: usize,
    /// The cell it wrote to.
    pub cell: CellId,
    /// Whether what was overtaken is a read.
    pub of_read: bool,
    /// Position of the later step of the same thread that took effect first.
    pub overtaken_by: usize,
    /// The cell that later step read from memory, or wrote to.
    pub other_cell: CellId,
    /// Whether the later step is a read (else a write that reached memory first).
    pub by_read: bool,
}

/// An access to memory: its step, what it does, and when.
struct Access {
    step: usize,
    thread: ThreadId,
    cell: CellId,
    is_read: bool,
    /// One that never took effect counts as after everything.
    moment: usize,
}

/// All overtakings, ordered by what was overtaken and then by what overtook it. A read of the thread's own pending write is
/// none: it sees the order of the text.
pub fn overtakings(execution: &Execution) -> Vec<Overtaking> {
    let accesses = accesses(execution);
    let mut found = Vec::new();
    for late in &accesses {
        let earlier = |other: &&Access| {
            other.thread == late.thread && late.step < other.step && other.moment < late.moment
        };
        found.extend(accesses.iter().filter(earlier).map(|early| Overtaking {
            write: late.step,
            cell: late.cell,
            of_read: late.is_read,
            overtaken_by: early.step,
            other_cell: early.cell,
            by_read: early.is_read,
        }));
    }
    found
}

/// The accesses by their steps; of a step its reads first.
fn accesses(execution: &Execution) -> Vec<Access> {
    let performed = &execution.performed;
    let mut found = Vec::new();
    for (position, done) in performed.iter().enumerate() {
        let late = matches!(done.action, Action::Late { .. });
        for (thread, event) in by_thread(&done.action, &done.events) {
            let step = if late { done.flushed.unwrap_or(position) } else { position };
            match *event {
                Event::Read { cell, from: ReadFrom::Memory, .. } => {
                    found.push(Access { step, thread, cell, is_read: true, moment: position });
                }
                Event::Write { cell, to: WriteTo::Memory, .. } => {
                    found.push(Access { step, thread, cell, is_read: false, moment: position });
                }
                Event::Write { cell, to: WriteTo::Pending, .. } => {
                    let arrives = |later: &crate::Performed| {
                        later.flushed == Some(position)
                            && matches!(later.action, Action::Flush { cell: flushed, .. } if flushed == cell)
                    };
                    // What a locked step made ahead writes is told when it is performed.
                    let is_told = |later: &crate::Performed| {
                        later.flushed == Some(position)
                            && later.events.iter().any(|event| {
                                matches!(event, Event::Write { cell: written, .. } if *written == cell)
                            })
                    };
                    if !performed.iter().any(is_told) {
                        let moment = performed.iter().position(arrives).unwrap_or(usize::MAX);
                        found.push(Access { step, thread, cell, is_read: false, moment });
                    }
                }
                Event::Read { .. } | Event::Assign { .. } | Event::By(_) => {}
            }
        }
    }
    found.sort_by_key(|access| (access.step, !access.is_read));
    found
}
