//! States, and what can be said of a step that was made.

use fencewright_base::{ArithmeticError, IndexVec, Int};
use fencewright_ir::{CellId, EdgeId, LocId, RegId, ThreadId};

use crate::models::{Memory, Pending};

/// A state of the machine.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    /// Where each thread stands.
    pub locations: IndexVec<ThreadId, LocId>,
    /// The registers of each thread.
    pub registers: IndexVec<ThreadId, IndexVec<RegId, Int>>,
    /// The shared memory.
    pub memory: Memory,
    /// The pending writes of each thread.
    pub pending: IndexVec<ThreadId, Pending>,
}

impl State {
    /// The length of the longest store buffer.
    pub fn longest_buffer(&self) -> usize {
        self.pending.iter().map(|pending| pending.rules().longest()).max().unwrap_or(0)
    }
}

/// Something a step did, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Loaded a value.
    Read {
        /// From this cell.
        cell: CellId,
        /// This value.
        value: Int,
        /// From where.
        from: ReadFrom,
    },
    /// Stored a value.
    Write {
        /// To this cell.
        cell: CellId,
        /// This value.
        value: Int,
        /// How far it got.
        to: WriteTo,
    },
    /// In a rendezvous: what follows was done by this thread.
    By(ThreadId),
    /// Gave a register a value (not by a read).
    Assign {
        /// The register.
        reg: RegId,
        /// The value.
        value: Int,
    },
}

/// Where a read found its value.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum ReadFrom {
    /// In memory.
    Memory,
    /// Among the thread's own pending writes.
    OwnPending,
    /// Nowhere yet: the value is a guess, which must come true when the read is performed.
    Later,
}

/// How far a write got at once.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum WriteTo {
    /// To memory.
    Memory,
    /// To the thread's pending writes.
    Pending,
}

/// How a state or step violates the program's properties.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Violation {
    /// A property of the program, by its place in the list, does not hold in the state.
    Property(usize),
    /// An assertion failed.
    Assertion {
        /// In this thread.
        thread: ThreadId,
        /// On this edge.
        edge: EdgeId,
    },
    /// The step has no meaning.
    Fault {
        /// In this thread.
        thread: ThreadId,
        /// On this edge.
        edge: EdgeId,
        /// Why.
        fault: Fault,
    },
}

/// Why a step has no meaning.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// An index outside its array.
    Index(Int),
    /// A division by zero or an impossible shift.
    Arithmetic(ArithmeticError),
}
