//! Store buffers of which a part is kept in order and the rest as a set: the k-abstraction of SAS 2012, section 4.
//!
//! The rest is the set S of the paper: for each cell with writes there, the value of the last of them; how many there are
//! and what the others were is forgotten. It stands behind what is kept ([`Part::Oldest`], the paper's rules) or before it
//! ([`Part::Newest`], what the paper's implementation did). Under TSO `keep` writes of the thread are kept, under PSO
//! `keep` writes for each cell.
//!
//! Under PSO the writes between two marks of store-store fences are an *epoch*, as in `memory`. A mark that would stand
//! behind or inside the rest is dropped: then a write may reach memory earlier than it could, never later.

use std::collections::BTreeMap;

use fencewright_ir::{CellId, FenceKind, Lock};
use fencewright_memory::Model;

/// Which part of a buffer is kept in order.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash, Default)]
pub enum Part {
    /// The oldest writes.
    #[default]
    Oldest,
    /// The newest writes.
    Newest,
}

/// How buffers are kept.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(crate) struct Keeping {
    pub(crate) model: Model,
    pub(crate) part: Part,
    /// How many writes are kept in order; `usize::MAX`: all, as the concrete machine does.
    pub(crate) keep: usize,
}

/// The pending writes of one thread.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Buffer<V> {
    /// What is kept, oldest first; under PSO, within an epoch, by cell. Only the last epoch can be empty, and then it is
    /// not the only one.
    pub(crate) epochs: Vec<Vec<(CellId, V)>>,
    /// For each cell of the rest its last value.
    pub(crate) rest: BTreeMap<CellId, V>,
}

/// A way in which a write may reach memory.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Flush {
    /// The oldest kept write to the cell (UPDATE-NE).
    Kept,
    /// A write of the rest, and there are more to the cell (UPDATE-AM): any value.
    Middle,
    /// The last write to the cell of the rest (UPDATE-AS).
    Last,
}

impl<V> Default for Buffer<V> {
    fn default() -> Self {
        Self { epochs: Vec::new(), rest: BTreeMap::new() }
    }
}

impl<V: Clone> Buffer<V> {
    pub(crate) fn is_empty(&self) -> bool {
        self.epochs.is_empty() && self.rest.is_empty()
    }

    /// What a read of its own thread sees.
    pub(crate) fn newest(&self, keeping: Keeping, cell: CellId) -> Option<&V> {
        let kept = || {
            let entries = self.epochs.iter().rev().flat_map(|epoch| epoch.iter().rev());
            entries.into_iter().find(|(pending, _)| *pending == cell).map(|(_, value)| value)
        };
        match keeping.part {
            Part::Oldest => self.rest.get(&cell).or_else(kept),
            Part::Newest => kept().or_else(|| self.rest.get(&cell)),
        }
    }

    pub(crate) fn write(&mut self, keeping: Keeping, cell: CellId, value: V) {
        match keeping.part {
            Part::Oldest => {
                let full = self.weight(keeping, cell) >= keeping.keep;
                let behind = match keeping.model {
                    Model::Tso => !self.rest.is_empty(),
                    _ => self.rest.contains_key(&cell),
                };
                if full || behind {
                    self.rest.insert(cell, value);
                } else {
                    self.push(keeping, cell, value);
                }
            }
            Part::Newest => {
                self.push(keeping, cell, value);
                while self.weight(keeping, cell) > keeping.keep {
                    let (cell, value) = self.pop(keeping, cell);
                    self.rest.insert(cell, value);
                }
            }
        }
    }

    /// How many kept writes count against the limit for a write to the cell.
    fn weight(&self, keeping: Keeping, cell: CellId) -> usize {
        let counts = |entry: &&(CellId, V)| keeping.model == Model::Tso || entry.0 == cell;
        self.epochs.iter().flatten().filter(counts).count()
    }

    fn push(&mut self, keeping: Keeping, cell: CellId, value: V) {
        if self.epochs.is_empty() {
            self.epochs.push(Vec::new());
        }
        let last = self.epochs.last_mut().expect("there is an epoch");
        let position = match keeping.model {
            Model::Tso => last.len(),
            // The order of writes to different cells is no part of the state under PSO.
            _ => last.iter().take_while(|(other, _)| *other <= cell).count(),
        };
        last.insert(position, (cell, value));
    }

    /// Takes the oldest kept write: of all under TSO, of those to the cell under PSO.
    fn pop(&mut self, keeping: Keeping, cell: CellId) -> (CellId, V) {
        let of = |entry: &(CellId, V)| keeping.model == Model::Tso || entry.0 == cell;
        for epoch in &mut self.epochs {
            if let Some(position) = epoch.iter().position(of) {
                let entry = epoch.remove(position);
                self.settle();
                return entry;
            }
        }
        unreachable!("internal error: a kept write to {cell:?} was asked for and there is none")
    }

    /// A mark with nothing before it leaves, and of two marks with nothing between one does.
    fn settle(&mut self) {
        let last = self.epochs.len().saturating_sub(1);
        let mut position = 0;
        self.epochs.retain(|epoch| {
            position += 1;
            !epoch.is_empty() || position - 1 == last
        });
        if self.epochs.len() == 1 && self.epochs[0].is_empty() {
            self.epochs.clear();
        }
    }

    /// The ways in which a write may reach memory now.
    pub(crate) fn flushes(&self, keeping: Keeping) -> Vec<(CellId, Flush)> {
        let rest = |cell: CellId| [(cell, Flush::Middle), (cell, Flush::Last)];
        let first: &[(CellId, V)] = self.epochs.first().map_or(&[], |epoch| epoch);
        match (keeping.model, keeping.part) {
            (Model::Tso, Part::Oldest) => match first.first() {
                Some((cell, _)) => vec![(*cell, Flush::Kept)],
                None => self.rest.keys().flat_map(|cell| rest(*cell)).collect(),
            },
            (Model::Tso, Part::Newest) => {
                let kept = first.first().filter(|_| self.rest.is_empty());
                let kept = kept.map(|(cell, _)| (*cell, Flush::Kept));
                self.rest.keys().flat_map(|cell| rest(*cell)).chain(kept).collect()
            }
            (_, part) => {
                let mut cells: Vec<CellId> = first.iter().map(|(cell, _)| *cell).collect();
                cells.dedup();
                let mut found = Vec::new();
                for cell in cells {
                    if part == Part::Oldest || !self.rest.contains_key(&cell) {
                        found.push((cell, Flush::Kept));
                    }
                }
                for &cell in self.rest.keys() {
                    // Marks that were kept stand before a rest that is behind them.
                    let is_kept = self.epochs.iter().flatten().any(|(kept, _)| *kept == cell);
                    if part == Part::Newest || (self.epochs.len() <= 1 && !is_kept) {
                        found.extend(rest(cell));
                    }
                }
                found
            }
        }
    }

    /// The write leaves; its value, if it is known.
    pub(crate) fn flush(&mut self, keeping: Keeping, cell: CellId, how: Flush) -> Option<V> {
        match how {
            Flush::Kept => Some(self.pop(keeping, cell).1),
            Flush::Middle => None,
            Flush::Last => self.rest.remove(&cell),
        }
    }

    /// Whether the fence may be passed; it leaves its mark.
    pub(crate) fn fence(&mut self, keeping: Keeping, kind: FenceKind) -> bool {
        match (kind, keeping.model) {
            (FenceKind::Full, _) => self.is_empty(),
            (FenceKind::StoreStore, Model::Pso) => {
                let forgotten = keeping.part == Part::Oldest && !self.rest.is_empty();
                if !forgotten && self.epochs.last().is_some_and(|last| !last.is_empty()) {
                    self.epochs.push(Vec::new());
                }
                true
            }
            (FenceKind::StoreStore, _) => true,
        }
    }

    /// Whether a locked step may begin.
    pub(crate) fn may_lock(&self, keeping: Keeping, lock: Lock) -> bool {
        match (keeping.model, lock) {
            (Model::Pso, Lock::Location) => true,
            _ => self.is_empty(),
        }
    }

    /// Whether a locked step that has begun may touch the cell.
    pub(crate) fn may_touch_locked(&self, keeping: Keeping, cell: CellId) -> bool {
        keeping.model != Model::Pso
            || (self.epochs.len() <= 1
                && !self.rest.contains_key(&cell)
                && self.epochs.iter().flatten().all(|(pending, _)| *pending != cell))
    }
}
