//! The memory models as data: which of one thread's moments keep their order. A new model is a new row.
//!
//! The rest is common to all models here: writes to a cell are ordered, a read sees the last write before it or an own
//! write that is still pending, a locked step happens at one moment, the writes of a step come after its reads, and the
//! union of all orders has no cycle.

use fencewright_ir::{FenceKind, Lock};
use fencewright_memory::Model;

use crate::events::{Kind, Point};

/// What a moment is to the tables. The numbers are rows and columns.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(crate) enum Class {
    /// A plain step's reads.
    Read = 0,
    /// A plain write that reaches memory.
    Write = 1,
    /// A step that is locked for its location.
    Locked = 2,
    /// A step that is locked fully.
    FullyLocked = 3,
}

/// When two moments of one thread, the first before the second in its text, keep their order.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(crate) enum Kept {
    Always,
    IfSameCell,
    /// Only by a fence between them, or a dependency.
    Never,
}

/// What stands before a fence is before what stands behind it, for moments of these classes.
#[derive(Debug)]
struct Fence {
    before: [bool; 4],
    behind: [bool; 4],
}

/// For what a dependency on an earlier read counts: the read comes before a later read, or a later write. A locked step counts
/// as a write.
#[derive(Debug, Copy, Clone)]
pub(crate) struct Orders {
    pub(crate) reads: bool,
    pub(crate) writes: bool,
}

/// Which dependencies on a read keep order.
#[derive(Debug)]
pub(crate) struct Dependencies {
    /// The address comes from the read.
    pub(crate) address: Orders,
    /// The value written comes from the read.
    pub(crate) data: bool,
    /// Whether the thread gets there is decided by the read.
    pub(crate) control: Orders,
    /// A read comes after all that an earlier write of its thread to the same cell depends on: it may have to read from that
    /// write before it reaches memory.
    pub(crate) through_own_writes: bool,
}

/// A memory model.
#[derive(Debug)]
pub(crate) struct Axioms {
    /// `kept[a][b]`: the order of an `a` and a later `b`, by their classes.
    kept: [[Kept; 4]; 4],
    /// What each kind of fence puts in order.
    full: Fence,
    store_store: Fence,
    /// None if reads keep their order with everything that follows anyway.
    pub(crate) dependencies: Option<Dependencies>,
    /// Whether a write may reach memory later than the step that made it.
    pub(crate) delays_writes: bool,
}

use Kept::{Always as A, IfSameCell as C, Never as N};

const EVERYTHING: Fence = Fence { before: [true; 4], behind: [true; 4] };

/// Writes. A locked step counts as one even if it only reads: it finds the mark of the fence among what is pending for its
/// cell.
const WRITES: Fence = Fence { before: [false, true, true, true], behind: [false, true, true, true] };

//                                    read write locked, fully
const SC: Axioms = Axioms {
    kept: [[A; 4]; 4],
    full: EVERYTHING,
    store_store: WRITES,
    dependencies: None,
    delays_writes: false,
};
const TSO: Axioms = Axioms {
    kept: [
        /* read   */ [A, A, A, A],
        // A thread reads its own pending write, so memory need not have it first.
        /* write  */
        [N, A, A, A],
        /* locked */ [A, A, A, A],
        /* fully  */ [A, A, A, A],
    ],
    full: EVERYTHING,
    store_store: WRITES,
    dependencies: None,
    delays_writes: true,
};
const PSO: Axioms = Axioms {
    kept: [
        /* read   */ [A, A, A, A],
        /* write  */ [N, C, C, A],
        /* locked */ [A, A, A, A],
        /* fully  */ [A, A, A, A],
    ],
    full: EVERYTHING,
    store_store: WRITES,
    dependencies: None,
    delays_writes: true,
};
const RMO: Axioms = Axioms {
    kept: [
        /* read   */ [N, C, C, A],
        /* write  */ [N, C, C, A],
        /* locked */ [C, C, C, A],
        /* fully  */ [A, A, A, A],
    ],
    full: EVERYTHING,
    store_store: WRITES,
    dependencies: Some(Dependencies {
        address: Orders { reads: true, writes: true },
        data: true,
        control: Orders { reads: false, writes: true },
        through_own_writes: true,
    }),
    delays_writes: true,
};

impl Axioms {
    /// The axioms of a model; none for one that is not told by orders of events.
    pub(crate) fn of(model: Model) -> Option<&'static Axioms> {
        match model {
            Model::Sc => Some(&SC),
            Model::Tso => Some(&TSO),
            Model::Pso => Some(&PSO),
            Model::Rmo => Some(&RMO),
            Model::Slot => None,
        }
    }

    /// Whether the order of two moments of one thread is kept, the first before the second in its text and both happening.
    pub(crate) fn kept(&self, first: &Point, second: &Point) -> Kept {
        let by = |fence: FenceKind| match fence {
            FenceKind::Full => &self.full,
            FenceKind::StoreStore => &self.store_store,
        };
        let ordered = |holds: bool| if holds { Kept::Always } else { Kept::Never };
        match (class(first), class(second)) {
            (Ok(first), Ok(second)) => self.kept[first as usize][second as usize],
            (Ok(first), Err(fence)) => ordered(by(fence).before[first as usize]),
            (Err(fence), Ok(second)) => ordered(by(fence).behind[second as usize]),
            (Err(first), Err(second)) => ordered(first == FenceKind::Full || second == FenceKind::Full),
        }
    }

    /// Whether every locked step waits for all pending writes of its thread.
    pub(crate) fn locks_wait_for_all(&self) -> bool {
        self.kept[Class::Write as usize][Class::Locked as usize] == Kept::Always
    }

    /// Whether a read may be performed later than what follows it.
    pub(crate) fn delays_reads(&self) -> bool {
        self.kept[Class::Read as usize] != [Kept::Always; 4]
    }
}

fn class(point: &Point) -> Result<Class, FenceKind> {
    Ok(match point.kind {
        Kind::Fence(kind) => return Err(kind),
        Kind::Plain if point.writes.is_empty() => Class::Read,
        Kind::Plain => Class::Write,
        Kind::Locked(Lock::Location) => Class::Locked,
        Kind::Locked(Lock::Full) => Class::FullyLocked,
    })
}
