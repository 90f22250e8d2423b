//! What a step of a thread does to memory, all registers known: the alphabet of the thread graphs.
//!
//! A step of the program may have many micro-operations. Here it becomes a short path of labels:
//!
//! - a locked step, and every step under SC, is one [`Label::Locked`]: all of it happens on memory at one moment;
//! - any other step first makes all its reads, at one moment, and then its writes and store-store fences one by one.
//!   A write is pending when it is made, so nobody can tell whether the writes of a step were made together or with
//!   something between them: the thread reads nothing in between, and what the others see is when they are flushed.
//!   A read of a cell that the same step has written is answered inside the step.
//! - a full fence in a step waits for everything, so it waits at the beginning of the step: a step that has written
//!   before its fence can never pass it.

/// A cell, by its number in the program.
pub(crate) type Cell = u8;
/// A value of a cell, by its number in the cell's list of values.
pub(crate) type Value = u8;
/// What cells hold.
pub(crate) type Pairs = Vec<(Cell, Value)>;

/// What a part of a step does to memory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Label {
    /// Nothing.
    Local,
    /// Reads these values, all at one moment; sorted by cell, not empty.
    Look(Pairs),
    /// Makes a write that is pending from now on.
    Store(Cell, Value),
    /// A store-store fence, where it matters.
    StoreFence,
    /// Waits, reads memory and writes memory, all at one moment.
    Locked(Locked),
}

/// A part of a step that acts on memory directly.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Locked {
    /// What it waits for.
    pub(crate) wait: Wait,
    /// The values memory must have, sorted by cell.
    pub(crate) reads: Pairs,
    /// The values memory gets, sorted by cell, one for each cell.
    pub(crate) writes: Pairs,
}

/// What a locked part waits for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Wait {
    /// Nothing of the thread is pending.
    All,
    /// Nothing of the thread is pending for these cells, sorted.
    Cells(Vec<Cell>),
}
