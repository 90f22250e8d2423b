//! What an expansion gives, and to whom: to a search that wants states only, or to somebody who wants to know how they
//! were reached.

use fencewright_base::Int;
use fencewright_ir::{CellId, EdgeId, ThreadId};
use fencewright_memory::Action;

use crate::compile::{CompiledEdge, CompiledOp};

/// Records how a state was reached, or does not.
pub trait Trail: Clone + Default {
    /// A step by this edge; `choice` numbers the combinations of its havocs.
    fn step(&mut self, thread: usize, edge: &CompiledEdge, choice: u64);
    /// Two edges taken together, the sender's first; each with its thread.
    fn rendezvous(&mut self, send: (usize, EdgeId), receive: (usize, EdgeId));
    /// A flush of the thread's oldest write for the cell.
    fn flush(&mut self, thread: usize, cell: CellId);
}

impl Trail for () {
    fn step(&mut self, _: usize, _: &CompiledEdge, _: u64) {}
    fn rendezvous(&mut self, _: (usize, EdgeId), _: (usize, EdgeId)) {}
    fn flush(&mut self, _: usize, _: CellId) {}
}

impl Trail for Vec<Action> {
    fn step(&mut self, thread: usize, edge: &CompiledEdge, choice: u64) {
        let mut choice = choice;
        let mut choices = Vec::new();
        for op in &edge.ops {
            if let CompiledOp::Havoc { lo, count, .. } = op {
                choices.push(Int::from(chosen(*lo, *count, &mut choice)));
            }
        }
        self.push(Action::Step { thread: ThreadId(thread as u32), edge: edge.id, choices });
    }

    fn rendezvous(&mut self, (sender, send): (usize, EdgeId), (receiver, receive): (usize, EdgeId)) {
        let (sender, receiver) = (ThreadId(sender as u32), ThreadId(receiver as u32));
        self.push(Action::Rendezvous { sender, send, receiver, receive });
    }

    fn flush(&mut self, thread: usize, cell: CellId) {
        self.push(Action::Flush { thread: ThreadId(thread as u32), cell });
    }
}

/// Takes what an expansion gives.
pub trait Sink<const W: usize, T> {
    /// A successor.
    fn state(&mut self, state: &[u64; W], trail: T);
    /// A step that violates the properties at once.
    fn violation(&mut self, trail: T);
}

/// All that an expansion gives.
#[derive(Debug)]
pub struct Gather<const W: usize, T> {
    /// The successors, in order.
    pub states: Vec<([u64; W], T)>,
    /// The steps that violate the properties at once.
    pub violations: Vec<T>,
}

impl<const W: usize, T> Default for Gather<W, T> {
    fn default() -> Self {
        Self { states: Vec::new(), violations: Vec::new() }
    }
}

impl<const W: usize, T> Sink<W, T> for Gather<W, T> {
    fn state(&mut self, state: &[u64; W], trail: T) {
        self.states.push((*state, trail));
    }

    fn violation(&mut self, trail: T) {
        self.violations.push(trail);
    }
}

/// The value of a havoc: the lowest digit of `choice`, which is left without it.
pub(crate) fn chosen(lo: i64, count: u64, choice: &mut u64) -> i64 {
    let value = lo + (*choice % count) as i64;
    *choice /= count;
    value
}
