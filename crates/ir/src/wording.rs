//! What reports say of a program that was made from compiled code, where cells, registers and checks are not what the
//! user wrote. No engine looks at it, and it is no part of the text form. It is empty for a program whose own names say
//! all.

use std::collections::BTreeMap;

use fencewright_base::{Int, Span};

use crate::{CellId, EdgeId, RegId, ThreadId};

/// The words.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Wording {
    /// Cells that are no variables of the user's, and what they are for.
    pub roles: BTreeMap<CellId, Role>,
    /// What registers are called; `None` for one that holds a value on its way, which nobody gave a name.
    pub registers: BTreeMap<(ThreadId, RegId), Option<String>>,
    /// The numbers that are addresses, where they are: `3` may be `&nodes[1]`.
    pub addresses: BTreeMap<Holder, BTreeMap<Int, String>>,
    /// What is wrong when a check of an edge fails: one for each `Assert` among its operations, in order.
    pub failures: BTreeMap<(ThreadId, EdgeId), Vec<Failure>>,
}

/// What holds a value.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holder {
    /// A cell.
    Cell(CellId),
    /// A register.
    Register(ThreadId, RegId),
}

/// What a cell is for, if it is no variable of the user's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// A lock by this name: 0 is free, 1 is taken.
    Lock(String),
    /// A semaphore by this name: how many are left.
    Semaphore(String),
    /// Whether this thread has been started.
    Started(String),
    /// Whether this thread has ended.
    Ended(String),
    /// What this thread returned.
    Returned(String),
    /// Whether the memory that is called so is gone.
    Freed(String),
    /// Nothing that a reader needs to know of.
    Bookkeeping,
}

/// What is wrong when a check fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What the thread does, as a phrase with a verb: `uses a null pointer`. `None`: an assertion of the user's fails.
    pub what: Option<String>,
    /// The statement that does it, on one line.
    pub text: String,
    /// Where that stands.
    pub span: Option<Span>,
}
