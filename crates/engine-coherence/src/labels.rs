//! Buffers of labelled stores (section 5.2 of the paper): every pending write remembers the edge that made it.
//!
//! Only the search for orders needs labels. Buffers hold numbers and compare nothing but these, so a labelled buffer is
//! the same buffer with numbers of (label, value) pairs in it instead of numbers of values. The newest write, too, is
//! kept with its label: the paper leaves that open.
//!
//! Beyond the paper, for store-store fences, a write can also remember which older writes to other cells are surely
//! still pending. An older write is forgotten at the first flush of one with its label, because which of them it
//! was is not known; so what is remembered is always true, and that something is not remembered says nothing.

use fencewright_ir::{CellId, EdgeId};
use fencewright_memory::Model;
use smallvec::SmallVec;

use crate::bag::Value;
use crate::buffer::Buffer;
use crate::intern::Interner;
use crate::system::System;

/// A pending write.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Labelled {
    /// The edge of its thread that made it.
    pub(crate) label: EdgeId,
    value: Value,
    /// The labels of older writes to other cells, each of them pending, sorted.
    pub(crate) older: SmallVec<[EdgeId; 2]>,
}

/// The pending writes seen.
#[derive(Debug)]
pub(crate) struct Labels {
    entries: Interner<Labelled>,
    /// Whether older writes are remembered.
    older: bool,
}

impl Labels {
    /// Older writes are remembered where a store-store fence can do something about them.
    pub(crate) fn new(store_store: bool, model: Model) -> Self {
        Self { entries: Interner::default(), older: store_store && model == Model::Pso }
    }

    pub(crate) fn labelled(&self, entry: Value) -> &Labelled {
        self.entries.thing(entry)
    }

    /// An estimate of what they take.
    pub(crate) fn bytes(&self) -> u64 {
        self.entries.len() as u64 * 96
    }
}

impl System<'_> {
    /// What stands in the buffer for a write of this value by the edge.
    pub(crate) fn entry(&mut self, buffer: &Buffer, cell: CellId, label: EdgeId, value: Value) -> Value {
        let only_certain = !self.precision.exact_sets;
        let Some(Labels { entries, older }) = &mut self.labels else { return value };
        let mut pending = SmallVec::new();
        if *older {
            let others = buffer.pending(only_certain).into_iter().filter(|(other, _)| *other != cell);
            pending.extend(others.map(|(_, entry)| entries.thing(entry).label));
            pending.sort_unstable();
            pending.dedup();
        }
        entries.number(Labelled { label, value, older: pending })
    }

    /// The value of a pending write.
    pub(crate) fn value_of_entry(&self, entry: Value) -> Value {
        self.labels.as_ref().map_or(entry, |labels| labels.labelled(entry).value)
    }

    /// The buffer after the entry has left it: what was written later no longer counts on it.
    pub(crate) fn without_older(&mut self, mut buffer: Buffer, entry: Value) -> Buffer {
        if let Some(Labels { entries, older: true }) = &mut self.labels {
            let label = entries.thing(entry).label;
            buffer.replace(&mut |later| {
                let Labelled { label: own, value, older } = &**entries.thing(later);
                if !older.contains(&label) {
                    return later;
                }
                let older = older.iter().copied().filter(|&other| other != label).collect();
                let without = Labelled { label: *own, value: *value, older };
                entries.number(without)
            });
        }
        buffer
    }
}
