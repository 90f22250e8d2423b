//! Events of an execution, for display: recorded while an action is carried out, if there is a listener.

use fencewright_llvm::module::BinOp;

use crate::buffer::Write;
use crate::refusal::Place;
use crate::value::{ObjectId, Scalar};

/// Bytes of an object.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub struct Bytes {
    /// The object.
    pub object: ObjectId,
    /// The first byte.
    pub offset: u64,
    /// How many.
    pub size: u32,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The thread.
    pub thread: usize,
    /// The instruction and the calls that lead to it, the innermost first.
    pub places: Vec<Place>,
    /// Whether it is inside an atomic section.
    pub atomic: bool,
    /// What happened.
    pub what: What,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// A read.
    Reads {
        /// Where.
        bytes: Bytes,
        /// The value.
        value: Scalar,
        /// Whether the thread's own pending write supplied the value.
        own: bool,
    },
    /// A write.
    Writes {
        /// Where.
        bytes: Bytes,
        /// The value.
        value: Scalar,
        /// Whether it goes to the buffer.
        pending: bool,
    },
    /// An atomic read-modify-write.
    Updates {
        /// Where.
        bytes: Bytes,
        /// The old value.
        old: Scalar,
        /// The new value, if one was written.
        new: Option<Scalar>,
    },
    /// A pending write reaches memory.
    Flushes(Write),
    /// The thread passes the fence site with this number.
    Passes(u32),
    /// A fence.
    Fences(crate::machine::FenceKind),
    /// An operation on a lock, a semaphore and so on: `takes`, `gives back`.
    Locks {
        /// The operation.
        verb: &'static str,
        /// The object.
        bytes: Bytes,
    },
    /// A thread is created.
    Creates(usize),
    /// An ended thread is joined.
    Joins(usize),
    /// The thread waits at a condition variable or futex.
    Waits(Bytes),
    /// It wakes others that wait there.
    Wakes(Bytes, Vec<usize>),
    /// It wakes up spuriously.
    WakesForNoReason,
    /// The time limit of its wait passed.
    TimesOut,
    /// It receives a value that the program leaves open, of so many bits.
    Chooses(u64, u32),
    /// Memory is allocated; the flag says whether it reuses a freed address.
    Allocates(ObjectId, bool),
    /// Memory is freed.
    Frees(ObjectId),
    /// The thread ends.
    Ends,
    /// The process ends.
    Exits,
    /// An operation on set values has no result: a signed sum that does not fit its type, a shift by too much.
    Spoils {
        /// The operation.
        op: BinOp,
        /// The width of its type in bits.
        width: u32,
        /// The first operand, as a signed number.
        a: i64,
        /// The second.
        b: i64,
    },
}
