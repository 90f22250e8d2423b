//! What must not happen.

use std::collections::BTreeSet;

use fencewright_base::{IndexVec, Span};

use crate::{CellId, Expr, LocId, RegId, Temporal, ThreadId};

/// A property of a program. Each can be violated by a finite execution, except `Temporal`.
#[derive(Debug, Clone, PartialEq)]
pub enum Property {
    /// The threads must never stand at such a combination of locations.
    Forbidden(Forbidden),
    /// A condition on memory and registers that must hold in every reachable state. Memory is what all threads see:
    /// a pending write does not count.
    Invariant(Condition),
    /// A condition on final states: all threads ended, nothing pending.
    Final {
        /// How the condition is meant.
        quantifier: Quantifier,
        /// The condition.
        condition: Condition,
        /// Only final states that satisfy this are looked at.
        filter: Option<Condition>,
        /// What an outcome consists of, in the order it is shown.
        observed: Vec<StateAtom>,
    },
    /// A formula that every fair execution must satisfy.
    Temporal(Temporal),
}

impl Property {
    /// Whether it speaks of whole executions.
    pub fn is_temporal(&self) -> bool {
        matches!(self, Property::Temporal(_))
    }
}

/// A forbidden combination of locations.
#[derive(Debug, Clone, PartialEq)]
pub struct Forbidden {
    /// For each thread where it must stand for the state to be bad.
    pub at: IndexVec<ThreadId, LocationSet>,
    /// How the user wrote it, such as `CS CS`.
    pub text: String,
    /// Where it is written.
    pub span: Option<Span>,
}

/// Some locations of one thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LocationSet {
    /// Wherever it stands.
    Any,
    /// One of these.
    OneOf(BTreeSet<LocId>),
}

impl LocationSet {
    /// Whether the location is one of them.
    pub fn contains(&self, loc: LocId) -> bool {
        match self {
            LocationSet::Any => true,
            LocationSet::OneOf(set) => set.contains(&loc),
        }
    }
}

/// How a condition on final states is meant.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum Quantifier {
    /// The condition describes the outcome asked about. As a property: it must not be reachable.
    Exists,
    /// The condition must not be reachable.
    NotExists,
    /// Every final state must satisfy the condition.
    Forall,
}

/// A condition on a whole state.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// The condition.
    pub expr: Expr<StateAtom>,
    /// How the user wrote it.
    pub text: String,
    /// Where it is written.
    pub span: Option<Span>,
}

/// A part of a state.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StateAtom {
    /// The value of a register.
    Register(ThreadId, RegId),
    /// The value of a cell in memory.
    Cell(CellId),
    /// 1 if the thread stands at the location, else 0.
    At(ThreadId, LocId),
}
