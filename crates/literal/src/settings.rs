//! How programs are executed: the memory model, what is looked for, what the user says about functions, threads and fences.

use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use crate::buffer::Model;
use crate::footprint::Contested;
use crate::open::OpenInts;
use crate::violation::Check;

/// What a function that is not known is taken to do.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum Stub {
    /// Returns any value.
    Any,
    /// Returns zero.
    Nothing,
    /// Calling it is a violation.
    Abort,
}

/// A fence that is taken to stand at a place of the user's text.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FenceKind {
    /// Waits until nothing is pending.
    Full,
    /// Keeps writes in order.
    StoreStore,
}

/// How programs are executed.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The memory model.
    pub model: Model,
    /// Writes that may be pending in one buffer.
    pub buffer: usize,
    /// What is looked for.
    pub checks: HashSet<Check>,
    /// Functions that the user says something about.
    pub stubs: BTreeMap<String, Stub>,
    /// Fences at places of the text, by the number that `__fencewright_site` is called with.
    pub fences: BTreeMap<u32, FenceKind>,
    /// Threads that may be created, if the user sets a bound.
    pub threads: Option<usize>,
    /// The bytes that several threads touch: only accesses to these are visible.
    pub contested: Rc<Contested>,
    /// Whether objects may be taken to be private while no other thread knows their address.
    pub private: bool,
    /// Whether a new object may get the address of a freed one. Without it an execution ends where that could be noticed.
    pub reuse: bool,
    /// Whether what is not visible is done at once. Without it every instruction is a step.
    pub reduction: bool,
    /// Whether accesses that visible ones keep in order leave their bytes uncontested. Without it all bytes that several
    /// threads touch, one of them writing, are contested.
    pub ordered: bool,
    /// Whether all bytes that others may know are taken to be contested from the start. Slower, and too simple to be wrong: the
    /// judge of what is found out about them.
    pub all_contested: bool,
    /// Whether an operation that has no result gives 0 all the same. Only for finding out what an execution owes to it.
    pub defined: bool,
    /// How integers that the program leaves open are treated.
    pub open: OpenInts,
}

impl Settings {
    /// The usual ones for a model.
    pub fn new(model: Model) -> Self {
        Self {
            model,
            buffer: 16,
            checks: Check::ALL.into_iter().collect(),
            stubs: BTreeMap::new(),
            fences: BTreeMap::new(),
            threads: None,
            contested: Rc::default(),
            private: true,
            reuse: true,
            reduction: true,
            ordered: true,
            all_contested: false,
            defined: false,
            open: OpenInts::Followed,
        }
    }
}

/// What was tried only in part.
#[derive(Debug, Copy, Clone, Default, PartialEq, Eq)]
pub struct Partly {
    /// Some values of a number that the program leaves open.
    pub values: bool,
    /// Some times of a clock.
    pub times: bool,
    /// Not more threads than the bound.
    pub threads: bool,
    /// Some of the freed places that a new object could get.
    pub reuse: bool,
}

impl Partly {
    /// Whether anything was.
    pub fn any(self) -> bool {
        self.values || self.times || self.threads || self.reuse
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Partly) -> Partly {
        Partly {
            values: self.values || other.values,
            times: self.times || other.times,
            threads: self.threads || other.threads,
            reuse: self.reuse || other.reuse,
        }
    }
}
