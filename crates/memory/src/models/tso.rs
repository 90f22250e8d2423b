//! Total store order: one first-in-first-out buffer of writes a thread.

use std::collections::VecDeque;

use fencewright_base::Int;
use fencewright_ir::{CellId, FenceKind, Lock};

use super::{Memory, StoreRules};

/// The store buffer of one thread, oldest write first.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TsoPending {
    buffer: VecDeque<(CellId, Int)>,
}

impl FromIterator<(CellId, Int)> for TsoPending {
    fn from_iter<I: IntoIterator<Item = (CellId, Int)>>(writes: I) -> Self {
        Self { buffer: writes.into_iter().collect() }
    }
}

impl StoreRules for TsoPending {
    /// TSO-1: a read takes the newest of the thread's own pending writes to that cell; else memory.
    fn newest(&self, cell: CellId) -> Option<&Int> {
        self.buffer.iter().rev().find(|(pending, _)| *pending == cell).map(|(_, value)| value)
    }

    /// TSO-2: a write goes to the end of the thread's buffer.
    fn write(&mut self, _memory: &mut Memory, cell: CellId, value: Int) {
        self.buffer.push_back((cell, value));
    }

    /// TSO-3: the oldest write of a buffer may go to memory at any time.
    fn flushable(&self) -> Vec<CellId> {
        self.buffer.front().map(|(cell, _)| *cell).into_iter().collect()
    }

    fn flush(&mut self, memory: &mut Memory, cell: CellId) {
        let (oldest, value) = self.buffer.pop_front().expect("the buffer holds a write that may be flushed");
        assert_eq!(oldest, cell, "internal error: only the oldest write can be flushed");
        memory[cell] = value;
    }

    /// TSO-4: a full fence needs an empty buffer. TSO-5: a store-store fence does nothing.
    fn fence(&mut self, kind: FenceKind) -> bool {
        match kind {
            FenceKind::Full => self.buffer.is_empty(),
            FenceKind::StoreStore => true,
        }
    }

    /// TSO-6: a locked step of either strength needs an empty buffer; its reads and writes act on memory.
    fn may_lock(&self, lock: Lock) -> bool {
        match lock {
            Lock::Location | Lock::Full => self.buffer.is_empty(),
        }
    }

    fn may_touch_locked(&self, _cell: CellId) -> bool {
        true
    }

    fn locked_write(&mut self, memory: &mut Memory, cell: CellId, value: Int) {
        memory[cell] = value;
    }

    fn queues(&self) -> Vec<Vec<Option<(CellId, Int)>>> {
        if self.buffer.is_empty() {
            Vec::new()
        } else {
            vec![self.buffer.iter().cloned().map(Some).collect()]
        }
    }

    fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }
}
