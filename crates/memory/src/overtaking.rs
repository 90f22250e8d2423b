//! Which writes of an execution were delayed past what: the reorderings that make it differ from one under SC.

use fencewright_ir::{CellId, ThreadId};

use crate::{Action, Event, Execution, ReadFrom, WriteTo, by_thread};

/// A write that was still pending when a later action of its thread took effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overtaking {
    /// Position of the step that wrote.
    pub write: usize,
    /// The cell it wrote to.
    pub cell: CellId,
    /// Position of the later step of the same thread that took effect first.
    pub overtaken_by: usize,
    /// The cell that later step read from memory, or wrote to.
    pub other_cell: CellId,
    /// Whether the later step is a read (else a write that reached memory first).
    pub by_read: bool,
}

/// All overtakings, ordered by the write and then by what overtook it. A read of the thread's own pending write is
/// none: it sees the order of the text.
pub fn overtakings(execution: &Execution) -> Vec<Overtaking> {
    let performed = &execution.performed;
    // For every write step and cell: who wrote, and when it reached memory. A write that never did counts as after
    // everything.
    let mut writes: Vec<(usize, ThreadId, CellId, usize)> = Vec::new();
    for (position, done) in performed.iter().enumerate() {
        for (thread, event) in by_thread(&done.action, &done.events) {
            if let Event::Write { cell, to, .. } = event {
                let arrival = match to {
                    WriteTo::Memory => position,
                    WriteTo::Pending => performed
                        .iter()
                        .position(|later| {
                            later.flushed == Some(position)
                                && matches!(later.action, Action::Flush { cell: flushed, .. } if flushed == *cell)
                        })
                        .unwrap_or(usize::MAX),
                };
                writes.push((position, thread, *cell, arrival));
            }
        }
    }
    let mut found = Vec::new();
    for &(write, thread, cell, arrival) in &writes {
        for (later, done) in performed.iter().enumerate().skip(write + 1) {
            for (_, event) in by_thread(&done.action, &done.events).filter(|(by, _)| *by == thread) {
                if let Event::Read { cell: other, from: ReadFrom::Memory, .. } = event
                    && later < arrival
                {
                    found.push(Overtaking {
                        write,
                        cell,
                        overtaken_by: later,
                        other_cell: *other,
                        by_read: true,
                    });
                }
            }
            let own = writes.iter().filter(|(position, by, ..)| *position == later && *by == thread);
            for &(_, _, other, other_arrival) in own {
                if other_arrival < arrival {
                    found.push(Overtaking {
                        write,
                        cell,
                        overtaken_by: later,
                        other_cell: other,
                        by_read: false,
                    });
                }
            }
        }
    }
    found
}
