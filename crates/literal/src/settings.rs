//! How programs are executed: the memory model, the checks, and what the user says about functions, threads and fences.

use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use crate::buffer::Model;
use crate::footprint::Contested;
use crate::open::OpenInts;
use crate::scalars::Borders;
use crate::violation::Check;

/// What an unknown function is taken to do.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum Stub {
    /// Returns any value.
    Any,
    /// Returns zero.
    Nothing,
    /// Calling it is a violation.
    Abort,
}

/// A fence placed at a fence site of the user's text.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FenceKind {
    /// Waits until nothing is pending.
    Full,
    /// Keeps earlier writes before later ones.
    StoreStore,
}

/// How programs are executed.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The memory model.
    pub model: Model,
    /// The bound on pending writes per buffer.
    pub buffer: usize,
    /// The checks that are on.
    pub checks: HashSet<Check>,
    /// Functions for which the user chose a stub.
    pub stubs: BTreeMap<String, Stub>,
    /// Fences by site: the number that `__fencewright_site` is called with.
    pub fences: BTreeMap<u32, FenceKind>,
    /// The user's bound on created threads, if any.
    pub threads: Option<usize>,
    /// The contested bytes: only accesses to these are visible.
    pub contested: Rc<Contested>,
    /// Whether an object counts as private while no other thread knows its address.
    pub private: bool,
    /// Whether a new object may get the address of a freed one. If not, an execution ends where a program could notice that.
    pub reuse: bool,
    /// Whether invisible instructions run together with the visible one before them. If not, every instruction is a step.
    pub reduction: bool,
    /// Whether accesses ordered by visible actions leave their bytes uncontested. If not, all bytes that several threads
    /// access, one of them writing, are contested.
    pub ordered: bool,
    /// Whether all bytes that other threads may know are contested from the start. Slower and simpler: the reference for the
    /// search that finds contested bytes.
    pub all_contested: bool,
    /// Whether an operation without a result gives 0 anyway. Only for finding out what an execution owes to such operations.
    pub defined: bool,
    /// Whether memory is copied in the order of addresses only, instead of in any order. For comparisons with another reading.
    pub copies_in_order: bool,
    /// How integers that the program leaves open are treated.
    pub open: OpenInts,
    /// Where scalars begin, beside what types declare. `None`: unknown, so an execution ends where that matters.
    pub borders: Option<Rc<Borders>>,
}

impl Settings {
    /// The defaults for a model.
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
            copies_in_order: false,
            open: OpenInts::Followed,
            borders: None,
        }
    }
}

/// What was tried only in part. A pass with any of these is bounded.
#[derive(Debug, Copy, Clone, Default, PartialEq, Eq)]
pub struct Partly {
    /// Not all values of a number that the program leaves open.
    pub values: bool,
    /// Not all times of a clock.
    pub times: bool,
    /// No more threads than the user's bound.
    pub threads: bool,
    /// Not all freed addresses that a new object could get.
    pub reuse: bool,
    /// Not all orders in which a long copy could be made.
    pub copies: bool,
}

impl Partly {
    /// Whether anything was tried only in part.
    pub fn any(self) -> bool {
        self.values || self.times || self.threads || self.reuse || self.copies
    }

    /// The union of both.
    #[must_use]
    pub fn and(self, other: Partly) -> Partly {
        Partly {
            values: self.values || other.values,
            times: self.times || other.times,
            threads: self.threads || other.threads,
            reuse: self.reuse || other.reuse,
            copies: self.copies || other.copies,
        }
    }
}
