//! Partial store order: one first-in-first-out buffer of writes for each thread and cell.
//!
//! A store-store fence puts a mark at the tail of all the thread's buffers, and a mark leaves only when it is at the
//! head of all of them. Marks are in all buffers or in none, so the buffers are written here as *epochs*, the writes
//! between two marks: epoch 0 is what stands before the first mark. A mark at the head of all buffers is an empty
//! epoch 0, and it leaves at once, because nothing can tell how long it stayed. For the same reason a fence that
//! follows a fence with no write between adds no second mark, and one that finds all buffers empty adds none.

use std::collections::{BTreeMap, VecDeque};

use fencewright_base::Int;
use fencewright_ir::{CellId, FenceKind, Lock};

use super::{Memory, StoreRules};

/// The store buffers of one thread.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PsoPending {
    /// For each cell with something pending, its writes, oldest first; epochs in the order of the marks between them.
    /// Only the last epoch can be empty, and it is not the only one then; no queue is empty.
    epochs: VecDeque<BTreeMap<CellId, VecDeque<Int>>>,
}

impl PsoPending {
    /// The buffers whose queues, with their marks, are these.
    pub(super) fn from_queues(queues: &[Vec<Option<(CellId, Int)>>]) -> Self {
        let mut epochs: VecDeque<BTreeMap<CellId, VecDeque<Int>>> = VecDeque::new();
        for queue in queues {
            let mut epoch = 0;
            epochs.resize_with(epochs.len().max(1), BTreeMap::new);
            for entry in queue {
                match entry {
                    None => {
                        epoch += 1;
                        epochs.resize_with(epochs.len().max(epoch + 1), BTreeMap::new);
                    }
                    Some((cell, value)) => epochs[epoch].entry(*cell).or_default().push_back(value.clone()),
                }
            }
        }
        Self { epochs }
    }
}

impl StoreRules for PsoPending {
    /// PSO-1: a read takes the newest of the thread's own pending writes to that cell; else memory.
    fn newest(&self, cell: CellId) -> Option<&Int> {
        self.epochs.iter().rev().find_map(|epoch| epoch.get(&cell)).and_then(VecDeque::back)
    }

    /// PSO-2: a write goes to the end of the thread's buffer for that cell.
    fn write(&mut self, _memory: &mut Memory, cell: CellId, value: Int) {
        if self.epochs.is_empty() {
            self.epochs.push_back(BTreeMap::new());
        }
        let last = self.epochs.back_mut().expect("there is an epoch");
        last.entry(cell).or_default().push_back(value);
    }

    /// PSO-3: the oldest write of each buffer may go to memory at any time, unless a mark stands before it.
    fn flushable(&self) -> Vec<CellId> {
        self.epochs.front().map(|epoch| epoch.keys().copied().collect()).unwrap_or_default()
    }

    fn flush(&mut self, memory: &mut Memory, cell: CellId) {
        let epoch = self.epochs.front_mut().expect("there is a write that may be flushed");
        let queue = epoch.get_mut(&cell).expect("the cell has a write that may be flushed");
        memory[cell] = queue.pop_front().expect("no queue is empty");
        if queue.is_empty() {
            epoch.remove(&cell);
        }
        if epoch.is_empty() {
            self.epochs.pop_front();
            if self.epochs.front().is_some_and(BTreeMap::is_empty) {
                self.epochs.pop_front(); // The last mark has left and nothing was written behind it.
            }
        }
    }

    /// PSO-4: a full fence needs all buffers empty. PSO-5: a store-store fence puts a mark at the tail of all buffers.
    fn fence(&mut self, kind: FenceKind) -> bool {
        match kind {
            FenceKind::Full => self.epochs.is_empty(),
            FenceKind::StoreStore => {
                if self.epochs.back().is_some_and(|last| !last.is_empty()) {
                    self.epochs.push_back(BTreeMap::new());
                }
                true
            }
        }
    }

    /// PSO-6: a locked step of strength *full* needs all buffers empty; one of strength *location* needs the buffers
    /// of the cells it touches empty, of marks too. Its reads and writes act on memory.
    fn may_lock(&self, lock: Lock) -> bool {
        match lock {
            Lock::Full => self.epochs.is_empty(),
            Lock::Location => true,
        }
    }

    fn may_touch_locked(&self, cell: CellId) -> bool {
        match self.epochs.len() {
            0 => true,
            1 => !self.epochs[0].contains_key(&cell),
            _ => false, // A mark is in every buffer.
        }
    }

    fn locked_write(&mut self, memory: &mut Memory, cell: CellId, value: Int) {
        memory[cell] = value;
    }

    fn queues(&self) -> Vec<Vec<Option<(CellId, Int)>>> {
        let mut cells: Vec<CellId> = self.epochs.iter().flat_map(BTreeMap::keys).copied().collect();
        cells.sort();
        cells.dedup();
        let queue = |cell| {
            let mut queue = Vec::new();
            for (i, epoch) in self.epochs.iter().enumerate() {
                if i > 0 {
                    queue.push(None);
                }
                queue.extend(epoch.get(&cell).into_iter().flatten().map(|value| Some((cell, value.clone()))));
            }
            queue
        };
        cells.into_iter().map(queue).collect()
    }

    fn is_empty(&self) -> bool {
        self.epochs.is_empty()
    }
}
