//! Sequential consistency: a write acts at once, so nothing is ever pending and no fence or lock waits.

use fencewright_base::Int;
use fencewright_ir::{CellId, FenceKind, Lock};

use super::{Memory, StoreRules};

/// Nothing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScPending;

impl StoreRules for ScPending {
    /// SC-1: a read takes the value in memory.
    fn newest(&self, _cell: CellId) -> Option<&Int> {
        None
    }

    /// SC-2: a write goes to memory.
    fn write(&mut self, memory: &mut Memory, cell: CellId, value: Int) {
        memory[cell] = value;
    }

    /// SC-3: there is nothing to flush.
    fn flushable(&self) -> Vec<CellId> {
        Vec::new()
    }

    fn flush(&mut self, _memory: &mut Memory, cell: CellId) {
        unreachable!("internal error: nothing can be pending for {cell:?} under SC")
    }

    /// SC-4, SC-5: fences do nothing.
    fn fence(&mut self, _kind: FenceKind) -> bool {
        true
    }

    /// SC-6: locked steps are steps.
    fn may_lock(&self, _lock: Lock) -> bool {
        true
    }

    fn may_touch_locked(&self, _cell: CellId) -> bool {
        true
    }

    fn locked_write(&mut self, memory: &mut Memory, cell: CellId, value: Int) {
        memory[cell] = value;
    }

    fn queues(&self) -> Vec<Vec<Option<(CellId, Int)>>> {
        Vec::new()
    }

    fn is_empty(&self) -> bool {
        true
    }
}
