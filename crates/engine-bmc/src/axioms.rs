//! The memory models as data: which pairs of one thread's events keep their order. A new model is a new row.
//!
//! The rest is common to all models here: writes to a cell are ordered, a read sees the last write before it or an own
//! write that is still pending, a locked step happens at one moment, and the union of all orders has no cycle.

use fencewright_ir::Lock;
use fencewright_memory::Model;

/// What an event does to memory.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(crate) enum Access {
    Read = 0,
    Write = 1,
}

/// A memory model.
#[derive(Debug)]
pub(crate) struct Axioms {
    /// `kept[a][b]`: a plain `a` comes before every later plain `b` of its thread, whatever the cells.
    kept: [[bool; 2]; 2],
    /// Whether a step locked for its location waits for all earlier writes of its thread.
    locks_wait_for_all: bool,
    /// Whether a write may reach memory later than the step that made it.
    pub(crate) delays_writes: bool,
}

const SC: Axioms =
    Axioms { kept: [[true, true], [true, true]], locks_wait_for_all: true, delays_writes: false };
const TSO: Axioms =
    Axioms { kept: [[true, true], [false, true]], locks_wait_for_all: true, delays_writes: true };
const PSO: Axioms =
    Axioms { kept: [[true, true], [false, false]], locks_wait_for_all: false, delays_writes: true };

/// When two events of one thread, the first before the second in its text, keep their order.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(crate) enum Kept {
    Always,
    IfSameCell,
    /// Only by a fence between them.
    Never,
}

impl Axioms {
    /// The axioms of a model; none for one that is not told by orders of events.
    pub(crate) fn of(model: Model) -> Option<&'static Axioms> {
        match model {
            Model::Sc => Some(&SC),
            Model::Tso => Some(&TSO),
            Model::Pso => Some(&PSO),
            Model::Slot => None,
        }
    }

    /// Whether the order of two plain accesses is kept.
    pub(crate) fn plain(&self, first: Access, second: Access) -> Kept {
        match (first, second) {
            _ if self.kept[first as usize][second as usize] => Kept::Always,
            // A thread reads its own pending write, so memory need not have it first.
            (Access::Write, Access::Read) => Kept::Never,
            _ => Kept::IfSameCell,
        }
    }

    /// Whether a locked step waits for an earlier plain write.
    pub(crate) fn lock(&self, lock: Lock) -> Kept {
        match lock {
            Lock::Full => Kept::Always,
            Lock::Location if self.locks_wait_for_all => Kept::Always,
            Lock::Location => Kept::IfSameCell,
        }
    }
}
