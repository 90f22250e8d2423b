//! What happens in an execution, for people: told while an action is carried out, if somebody listens.

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
    /// In this thread.
    pub thread: usize,
    /// The instruction and the calls that lead to it, the innermost first.
    pub places: Vec<Place>,
    /// Whether it is part of an atomic section, which nothing comes between.
    pub atomic: bool,
    /// What.
    pub what: What,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// A read.
    Reads {
        /// From here.
        bytes: Bytes,
        /// This.
        value: Scalar,
        /// Whether a pending write of the thread's own answered.
        own: bool,
    },
    /// A write.
    Writes {
        /// To here.
        bytes: Bytes,
        /// This.
        value: Scalar,
        /// Whether it waits in the buffer.
        pending: bool,
    },
    /// A read and a write that nothing comes between.
    Updates {
        /// Here.
        bytes: Bytes,
        /// What was there.
        old: Scalar,
        /// What is there then, if it was written.
        new: Option<Scalar>,
    },
    /// A pending write reaches memory.
    Flushes(Write),
    /// A place of the user's text is passed at which a fence can stand: its number.
    Passes(u32),
    /// A fence.
    Fences(crate::machine::FenceKind),
    /// Something is done to a lock, a semaphore and so on: `takes`, `gives back`.
    Locks {
        /// What is done.
        verb: &'static str,
        /// To this.
        bytes: Bytes,
    },
    /// A thread is created.
    Creates(usize),
    /// A thread is waited for, and has ended.
    Joins(usize),
    /// The thread waits at a condition variable or futex.
    Waits(Bytes),
    /// It wakes others that wait there.
    Wakes(Bytes, Vec<usize>),
    /// It wakes up without a reason.
    WakesForNoReason,
    /// Its time of waiting is over.
    TimesOut,
    /// It is given a value that the program leaves open.
    Chooses(u64, u32),
    /// Memory is allocated.
    Allocates(ObjectId, bool),
    /// Memory is freed.
    Frees(ObjectId),
    /// It ends.
    Ends,
    /// The process ends.
    Exits,
    /// An operation on set values has no result: a signed sum that does not fit its type, a shift by too much.
    Spoils {
        /// The operation.
        op: BinOp,
        /// How many bits its type has.
        width: u32,
        /// The first operand, as a signed number.
        a: i64,
        /// The second.
        b: i64,
    },
}
