//! What forbids a move from a state with labelled buffers: `prevent` of section 5 of the paper.
//!
//! # What forbids a transition
//!
//! A step of a thread is forbidden by the order [l ≺ step] if a write made at l is pending in every real state that the
//! abstract one stands for, because with a full fence on every way from l to the step that write would have left.
//!
//! - With exact sets (FD) a label in a buffer stands for at least one pending write, so *any one* of the labels will do:
//!   ∨ (section 5.3.1).
//! - Otherwise (PD) a set stands for all its subsets but the empty one. Some of the labels are pending, and which is not
//!   known; an order forbids the step only in those real states that have its write. So *all* of them are needed: ∧
//!   (section 5.3.2). Where nothing is pending nothing forbids the step, although ∧ over nothing is true.
//! - What PD keeps in order is certain, so any one of those labels will do. The paper's formula asks for all even then;
//!   its Table 2, in which PD 2 is better than PD 1, is that of this rule, not of the formula
//!   (`docs/engines/coherence.md`).
//!
//! Like the paper, PD makes no use of it that the newest write of a set is certain, too.
//!
//! # Beyond the paper
//!
//! - Steps that do not touch memory can be forbidden, too: a property may name the location they lead to.
//! - A *flush* is forbidden by a store-store order [l ≺ l'] if a write made at l is older than the one that leaves, was
//!   made at l', and is pending. The paper (section 5.4) enforces the order [l ≺ l'] of two stores by a store-store fence
//!   wherever l' is a store. That is not sound: with `x = 1; z = 1; read y` the order [x ≺ z] keeps x = 1 from being
//!   pending at the read, because nothing is pending behind a full fence; a store-store fence lets both wait.
//!   So there are two orders, one of steps, one of flushes, and each fence enforces what it does.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use fencewright_engine::{Order, Prevention};
use fencewright_ir::{Edge, EdgeId, FenceKind, Lock, Op, Program, ThreadId};
use fencewright_memory::Model;
use foldhash::fast::FixedState;

use crate::bag::Value;
use crate::system::{Move, System};

/// What forbids moves, each once.
#[derive(Default)]
pub(crate) struct Preventions {
    all: Vec<Prevention>,
    /// For a thread, its buffer and the edge.
    of_steps: HashMap<(ThreadId, u32, EdgeId), u32, FixedState>,
    /// For a thread and what it flushes.
    of_flushes: HashMap<(ThreadId, Value), u32, FixedState>,
    /// For whether any one will do, and the orders.
    numbers: HashMap<(bool, Vec<Order>), u32, FixedState>,
}

impl Preventions {
    /// The number of what forbids the move from the state.
    pub(crate) fn of(&mut self, system: &System<'_>, state: &[u32], made: &Move) -> u32 {
        match *made {
            Move::Step { thread, edge, choices: _ } => self.of_step(system, state, thread, edge),
            Move::Flush { thread, entry } => self.of_flush(system, thread, entry),
        }
    }

    /// The number of what forbids the thread to take the edge, whatever choices it makes there.
    pub(crate) fn of_step(
        &mut self,
        system: &System<'_>,
        state: &[u32],
        thread: ThreadId,
        edge: EdgeId,
    ) -> u32 {
        let place = (thread, system.buffer_at(state, thread), edge);
        if let Some(&known) = self.of_steps.get(&place) {
            return known;
        }
        let labels = system.labels.as_ref().expect("internal error: the buffers are labelled");
        let buffer = system.buffer(state, thread);
        let certain = if system.precision.exact_sets { Vec::new() } else { buffer.pending(true) };
        let any = system.precision.exact_sets || !certain.is_empty();
        let pending = if certain.is_empty() { buffer.pending(false) } else { certain };
        let order = |(_, entry)| {
            let write = labels.labelled(entry).label;
            Order { thread, write, then: edge, kind: FenceKind::Full }
        };
        let mut orders: Vec<Order> = pending.into_iter().map(order).collect();
        orders.sort_unstable();
        orders.dedup();
        let number = self.number(orders, any);
        self.of_steps.insert(place, number);
        number
    }

    /// The number of what forbids the flush of the entry.
    pub(crate) fn of_flush(&mut self, system: &System<'_>, thread: ThreadId, entry: Value) -> u32 {
        if let Some(&known) = self.of_flushes.get(&(thread, entry)) {
            return known;
        }
        let labels = system.labels.as_ref().expect("internal error: the buffers are labelled");
        let flushed = labels.labelled(entry);
        let order = |&write| Order { thread, write, then: flushed.label, kind: FenceKind::StoreStore };
        // Each of them is certain, with exact sets or without.
        let number = self.number(flushed.older.iter().map(order).collect(), true);
        self.of_flushes.insert((thread, entry), number);
        number
    }

    /// All of them, by number.
    pub(crate) fn all(&self) -> &[Prevention] {
        &self.all
    }

    /// All of them, by number.
    pub(crate) fn into_all(self) -> Vec<Prevention> {
        self.all
    }

    /// The number of what forbids a move that any one of the orders forbids, or else that all of them together do.
    fn number(&mut self, orders: Vec<Order>, any: bool) -> u32 {
        let any = any || orders.is_empty();
        let number = u32::try_from(self.all.len()).expect("the memory ends before the numbers do");
        match self.numbers.entry((any, orders)) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let orders = new.key().1.clone();
                self.all.push(if any { Prevention::AnyOf(orders) } else { Prevention::AllOf(orders) });
                *new.insert(number)
            }
        }
    }
}

/// The edges that no pending write passes, and those that put the writes of their thread in order.
pub(crate) fn barriers(program: &Program, model: Model) -> Vec<(ThreadId, EdgeId, FenceKind)> {
    let mut barriers = Vec::new();
    for (thread, text) in program.threads.iter_enumerated() {
        for (edge, step) in text.edges.iter_enumerated().map(|(edge, Edge { step, .. })| (edge, step)) {
            let fence = |kind| step.ops.contains(&Op::Fence(kind));
            // *-6: what a locked step waits for.
            let waits = match model {
                Model::Tso => step.lock.is_some(),
                Model::Sc | Model::Pso | Model::Slot | Model::Rmo => step.lock == Some(Lock::Full),
            };
            if waits || fence(FenceKind::Full) {
                barriers.push((thread, edge, FenceKind::Full));
            } else if fence(FenceKind::StoreStore) && model == Model::Pso {
                barriers.push((thread, edge, FenceKind::StoreStore));
            }
        }
    }
    barriers
}
