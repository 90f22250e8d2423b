//! The model of the DVE thesis (section 3.1): at most one pending value for each thread and cell; a newer write
//! destroys an older one that has not reached memory.

use std::collections::BTreeMap;

use fencewright_base::Int;
use fencewright_ir::{CellId, FenceKind, Lock};

use super::{Memory, StoreRules};

/// The pending value of each cell that has one.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SlotPending {
    slots: BTreeMap<CellId, Int>,
}

impl FromIterator<(CellId, Int)> for SlotPending {
    fn from_iter<I: IntoIterator<Item = (CellId, Int)>>(writes: I) -> Self {
        Self { slots: writes.into_iter().collect() }
    }
}

impl StoreRules for SlotPending {
    /// SLOT-1: a read takes the thread's own pending value for that cell; else memory.
    fn newest(&self, cell: CellId) -> Option<&Int> {
        self.slots.get(&cell)
    }

    /// SLOT-2: a write fills the thread's slot for that cell, and destroys what was pending there.
    fn write(&mut self, _memory: &mut Memory, cell: CellId, value: Int) {
        self.slots.insert(cell, value);
    }

    /// SLOT-3: any pending value may go to memory at any time.
    fn flushable(&self) -> Vec<CellId> {
        self.slots.keys().copied().collect()
    }

    fn flush(&mut self, memory: &mut Memory, cell: CellId) {
        memory[cell] = self.slots.remove(&cell).expect("the slot holds a value that may be flushed");
    }

    /// SLOT-4: a full fence needs all slots empty. SLOT-5: so does a store-store fence, the only barrier of the thesis.
    fn fence(&mut self, kind: FenceKind) -> bool {
        match kind {
            FenceKind::Full | FenceKind::StoreStore => self.slots.is_empty(),
        }
    }

    /// SLOT-6: a locked step of strength *full* needs all slots empty. One of strength *location* is the thesis's
    /// atomic write: it reads as any step does, and a write goes to memory and destroys the pending value.
    fn may_lock(&self, lock: Lock) -> bool {
        match lock {
            Lock::Full => self.slots.is_empty(),
            Lock::Location => true,
        }
    }

    fn may_touch_locked(&self, _cell: CellId) -> bool {
        true
    }

    fn locked_write(&mut self, memory: &mut Memory, cell: CellId, value: Int) {
        self.slots.remove(&cell);
        memory[cell] = value;
    }

    fn queues(&self) -> Vec<Vec<Option<(CellId, Int)>>> {
        self.slots.iter().map(|(cell, value)| vec![Some((*cell, value.clone()))]).collect()
    }

    fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }
}
