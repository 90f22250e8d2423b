//! A way through a thread's graph, while it is followed: what registers hold on it, what is certain, what it has done.

use std::collections::{BTreeMap, BTreeSet};

use fencewright_ir::{Expr, Lock, RegId};

use super::expr::{self, Atom, RExpr};
use super::machine::{Address, ROp};
use super::state::{Point, ThreadNumber};
use super::steps::Block;

/// A way being followed.
#[derive(Debug, Clone)]
pub(crate) struct Path {
    pub(crate) block: usize,
    pub(crate) index: usize,
    /// What registers hold, in terms of what they held when the way began.
    pub(crate) values: BTreeMap<RegId, RExpr>,
    pub(crate) ops: Vec<ROp>,
    pub(crate) facts: Vec<RExpr>,
    pub(crate) lock: Option<Lock>,
    /// The access it made, if it made one.
    pub(crate) accessed: Option<Access>,
    pub(crate) at: Option<Point>,
    pub(crate) first: Option<Point>,
    pub(crate) site: Option<u32>,
    pub(crate) atomic: u32,
    pub(crate) joined: BTreeSet<ThreadNumber>,
    pub(crate) visited: BTreeSet<usize>,
}

/// What a way has done to shared memory.
#[derive(Debug, Copy, Clone, PartialEq)]
pub(crate) enum Access {
    /// A store-store fence that belongs to the write behind it.
    Ordering(Point),
    Joining,
    Done,
}

/// How a way goes on behind an operation.
pub(crate) enum Next {
    On,
    /// The step ends before this operation.
    Cut,
    /// The thread ends.
    End,
    /// The way cannot be taken.
    Never,
}

impl Path {
    /// A way that begins at an operation of a block.
    pub(crate) fn new(block: usize, index: usize) -> Self {
        Self {
            block,
            index,
            values: BTreeMap::new(),
            ops: Vec::new(),
            facts: Vec::new(),
            lock: None,
            accessed: None,
            at: None,
            first: None,
            site: None,
            atomic: 0,
            joined: BTreeSet::new(),
            visited: if index == 0 { BTreeSet::from([block]) } else { BTreeSet::new() },
        }
    }

    pub(crate) fn sub(&self, e: &RExpr) -> RExpr {
        expr::substitute(e, &mut |atom| match atom {
            Atom::Reg(reg) => self.values.get(reg).cloned().unwrap_or_else(|| expr::reg(*reg)),
            other => Expr::Atom(*other),
        })
    }

    pub(crate) fn address(&self, addr: &Address) -> Address {
        Address { pointer: self.sub(&addr.pointer), targets: addr.targets.clone() }
    }

    /// Whether a condition is certain on this way.
    pub(crate) fn decided(&self, condition: &RExpr) -> Option<bool> {
        match condition {
            Expr::Const(value) => Some(value.is_true()),
            _ if self.facts.contains(condition) => Some(true),
            _ if self.facts.contains(&expr::not(condition.clone())) => Some(false),
            _ => None,
        }
    }

    /// Goes on only if the condition holds. False if it cannot.
    pub(crate) fn assume(&mut self, condition: &RExpr) -> bool {
        self.assume_computed(self.sub(condition))
    }

    /// The same for a condition in terms of the registers before the step.
    pub(crate) fn assume_computed(&mut self, condition: RExpr) -> bool {
        match self.decided(&condition) {
            Some(certain) => certain,
            None => {
                self.facts.push(condition.clone());
                self.ops.push(ROp::Guard(condition));
                true
            }
        }
    }
}

/// The targets of edges back into the path of a depth-first search.
pub(crate) fn loop_heads(blocks: &[Block]) -> BTreeSet<usize> {
    let mut heads = BTreeSet::new();
    if blocks.is_empty() {
        return heads;
    }
    let mut on_path = vec![false; blocks.len()];
    let mut seen = vec![false; blocks.len()];
    let mut stack = vec![(0usize, 0usize)];
    seen[0] = true;
    on_path[0] = true;
    while let Some((block, next)) = stack.last_mut() {
        match blocks[*block].next.get(*next) {
            None => {
                on_path[*block] = false;
                stack.pop();
            }
            Some(&(_, target)) => {
                *next += 1;
                if on_path[target] {
                    heads.insert(target);
                } else if !seen[target] {
                    seen[target] = true;
                    on_path[target] = true;
                    stack.push((target, 0));
                }
            }
        }
    }
    heads
}
