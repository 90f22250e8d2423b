//! Which writes of an execution were delayed past what: the reorderings that make it differ from one under SC.

use fencewright_ir::CellId;

use crate::{Action, Event, Execution, ReadFrom, WriteTo};

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
    // For every write step and cell: when it reached memory. A write that never did counts as after everything.
    let mut writes: Vec<(usize, CellId, usize)> = Vec::new();
    for (position, done) in performed.iter().enumerate() {
        for event in &done.events {
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
                writes.push((position, *cell, arrival));
            }
        }
    }
    let mut found = Vec::new();
    for &(write, cell, arrival) in &writes {
        let thread = performed[write].action.thread();
        for (later, done) in performed.iter().enumerate().skip(write + 1) {
            if done.action.thread() != thread {
                continue;
            }
            for event in &done.events {
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
            for &(_, other, other_arrival) in writes.iter().filter(|(position, ..)| *position == later) {
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
