//! Store buffers of which a part is kept in order and the rest as a set: the k-abstraction of SAS 2012, section 4.
//!
//! The rest is the set S of the paper: for each cell with writes there, the value of the last of them. How many there are
//! and their order is forgotten; unlike in the paper, which values there may be is known of small domains, and of numbers,
//! if that is asked for, whether they ascend, and between which two they lie ([`Earlier::Ascending`]), and which other cells
//! hold no less when they get to memory ([`Rest::bounded_by`]). The rest stands
//! behind what is kept ([`Part::Oldest`], the paper's rules) or before it ([`Part::Newest`], what the paper's implementation
//! did). Under TSO `keep` writes of the thread are kept, under PSO `keep` writes for each cell.
//!
//! Under PSO the writes between two marks of store-store fences are an *epoch*, as in `memory`. A mark that would stand
//! behind or inside the rest is dropped: then a write may reach memory earlier than it could, never later.

use fencewright_base::Int;
use fencewright_ir::{CellId, FenceKind, Lock};
use fencewright_memory::Model;

use crate::bounds::PossibleBounds;

/// Which part of a buffer is kept in order.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash, Default)]
pub enum Part {
    /// The oldest writes.
    #[default]
    Oldest,
    /// The newest writes.
    Newest,
}

impl Part {
    /// Its name on the command line and in certificates.
    pub fn name(self) -> &'static str {
        match self {
            Part::Oldest => "oldest",
            Part::Newest => "newest",
        }
    }
}

/// How buffers are kept.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(crate) struct Keeping {
    pub(crate) model: Model,
    pub(crate) part: Part,
    /// How many writes are kept in order; `usize::MAX`: all, as the concrete machine does.
    pub(crate) keep: usize,
    /// Whether it is known of the rest that its numbers ascend.
    pub(crate) orders: bool,
}

/// The pending writes of one thread.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Buffer<V> {
    /// What is kept, oldest first; under PSO, within an epoch, by cell. Only the last epoch can be empty, and then it is
    /// not the only one.
    pub(crate) epochs: Vec<Vec<(CellId, V)>>,
    /// For each cell of the rest its writes.
    pub(crate) rest: Rests<V>,
    /// Under PSO, if orders are followed: cells, in order, with pending writes behind the last of which there is a store-store
    /// fence.
    pub(crate) fenced: Vec<CellId>,
}

/// Rests by cell. A list: there are few, and states are copied and compared more often than anything is looked for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Rests<V>(Vec<(CellId, Rest<V>)>);

impl<V> Rests<V> {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (CellId, &Rest<V>)> {
        self.0.iter().map(|(cell, rest)| (*cell, rest))
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &Rest<V>> {
        self.0.iter().map(|(_, rest)| rest)
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut Rest<V>> {
        self.0.iter_mut().map(|(_, rest)| rest)
    }

    fn get(&self, cell: CellId) -> Option<&Rest<V>> {
        self.iter().find(|(other, _)| *other == cell).map(|(_, rest)| rest)
    }

    fn get_mut(&mut self, cell: CellId) -> Option<&mut Rest<V>> {
        self.0.iter_mut().find(|(other, _)| *other == cell).map(|(_, rest)| rest)
    }

    /// The cell has none yet.
    fn insert(&mut self, cell: CellId, rest: Rest<V>) {
        let place = self.0.partition_point(|(other, _)| *other < cell);
        self.0.insert(place, (cell, rest));
    }

    fn remove(&mut self, cell: CellId) -> Option<Rest<V>> {
        let place = self.0.iter().position(|(other, _)| *other == cell)?;
        Some(self.0.remove(place).1)
    }
}

impl<V> FromIterator<(CellId, Rest<V>)> for Rests<V> {
    fn from_iter<I: IntoIterator<Item = (CellId, Rest<V>)>>(all: I) -> Self {
        let mut rests: Vec<(CellId, Rest<V>)> = all.into_iter().collect();
        rests.sort_by_key(|(cell, _)| *cell);
        rests.dedup_by_key(|(cell, _)| *cell);
        Self(rests)
    }
}

/// The writes to a cell that are not kept in order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Rest<V> {
    /// The last value.
    pub(crate) last: V,
    pub(crate) earlier: Earlier<V>,
    /// Cells, in order, that nobody else writes: when one of these writes, the last included, reaches memory, it carries no
    /// more than memory holds in these cells.
    pub(crate) bounded_by: Vec<CellId>,
}

/// The writes before the last one: which there may be. More stands for all that less does.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Earlier<V> {
    /// Some with such values, in order and each once, or none.
    Values(Vec<Int>),
    /// Some that ascend from the one value to the other, or none; the last write is no less than they are.
    Ascending(V, V),
    /// Any.
    Anything,
}

impl<V> Earlier<V> {
    pub(crate) const NOTHING: Earlier<V> = Earlier::Values(Vec::new());
}

impl<V: Clone + PartialEq> Earlier<V> {
    /// What stands for both.
    pub(crate) fn joined(&self, other: &Self) -> Self {
        match (self, other) {
            (Earlier::Values(own), Earlier::Values(theirs)) => {
                let mut both = own.clone();
                theirs.iter().for_each(|value| put(&mut both, value));
                Earlier::Values(both)
            }
            _ if self == other => self.clone(),
            _ => Earlier::Anything,
        }
    }

    pub(crate) fn is_within(&self, other: &Self) -> bool {
        match (self, other) {
            (_, Earlier::Anything) => true,
            (Earlier::Values(own), Earlier::Values(theirs)) => {
                own.iter().all(|value| theirs.binary_search(value).is_ok())
            }
            _ => self == other,
        }
    }
}

/// Adds a value to a list in order.
fn put(values: &mut Vec<Int>, value: &Int) {
    if let Err(place) = values.binary_search(value) {
        values.insert(place, value.clone());
    }
}

/// How a write that goes to the rest is related to others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Related {
    /// It is no less than the last to its cell there.
    pub(crate) ascends: bool,
    /// It is no more than what the thread wrote to these cells before, and so are those to its cell there.
    pub(crate) bounded_by: Vec<CellId>,
    /// It is less than what the thread wrote to its cell before, on which others rely.
    pub(crate) falls: bool,
}

/// A write that goes to the rest, and what may bound it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MayBeBounded<V> {
    pub(crate) value: V,
    /// Cells with what the thread wrote there before it: a value that is pending, or nothing if memory has it.
    pub(crate) by: Vec<(CellId, Option<V>)>,
}

/// A value as it is kept in a buffer.
pub(crate) trait Value: Clone + PartialEq {
    /// The number, if it is one.
    fn number(&self) -> Option<&Int>;
}

/// A way in which a write may reach memory.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Flush {
    /// The oldest kept write to the cell (UPDATE-NE).
    Kept,
    /// A write of the rest that is not the last to the cell (UPDATE-AM).
    Earlier,
    /// The last write to the cell of the rest (UPDATE-AS).
    Last,
}

/// What a write that reaches memory carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Carried<V> {
    This(V),
    OneOf(Vec<Int>),
    Between(V, V),
    Anything,
}

impl<V> Default for Buffer<V> {
    fn default() -> Self {
        Self { epochs: Vec::new(), rest: Rests(Vec::new()), fenced: Vec::new() }
    }
}

impl<V: Value> Buffer<V> {
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
            Part::Oldest => self.rest.get(cell).map(|rest| &rest.last).or_else(kept),
            Part::Newest => kept().or_else(|| self.rest.get(cell).map(|rest| &rest.last)),
        }
    }

    /// A write. If one goes to the rest whose order matters there, `known` says how it is related to others.
    pub(crate) fn write(&mut self, keeping: Keeping, cell: CellId, value: V, known: Related) {
        self.fenced.retain(|fenced| *fenced != cell);
        if known.falls {
            self.rest.values_mut().for_each(|rest| rest.bounded_by.retain(|bound| *bound != cell));
        }
        if let Some((cell, value)) = self.keep(keeping, cell, value) {
            self.forget(keeping, cell, value, known);
        }
    }

    /// Whether a write to the cell must not carry less than what the thread wrote there before, because writes of the rest are
    /// bounded by it. Under TSO they are in memory when the next one to the cell gets there.
    pub(crate) fn bounds_others(&self, keeping: Keeping, cell: CellId) -> bool {
        keeping.model == Model::Pso && self.rest.values().any(|rest| rest.bounded_by.contains(&cell))
    }

    fn is_pending(&self, cell: CellId) -> bool {
        self.rest.get(cell).is_some() || self.epochs.iter().flatten().any(|(kept, _)| *kept == cell)
    }

    /// The write that a write would send to the rest, if cells may bound it there.
    pub(crate) fn may_be_bounded(
        &self,
        keeping: Keeping,
        (cell, value): (CellId, V),
        possible: &PossibleBounds,
    ) -> Option<MayBeBounded<V>> {
        // Of what leaves the kept part under PSO it is not known which fences stood before it.
        if !keeping.orders || (keeping.model, keeping.part) == (Model::Pso, Part::Newest) {
            return None;
        }
        let (cell, value) = self.clone().keep(keeping, cell, value)?;
        // Whether it is in memory when the write gets there.
        let is_before = |other: &&CellId| {
            keeping.model == Model::Tso || self.fenced.contains(other) || !self.is_pending(**other)
        };
        let may = match self.rest.get(cell) {
            Some(rest) => &rest.bounded_by,
            None => possible.get(&cell)?,
        };
        let before = |other: CellId| match keeping.part {
            Part::Oldest => self.newest(keeping, other).cloned(),
            // What leaves the kept part is older than all that stays there.
            Part::Newest => self.rest.get(other).map(|rest| rest.last.clone()),
        };
        let by = may.iter().filter(is_before).map(|&other| (other, before(other))).collect();
        Some(MayBeBounded { value, by })
    }

    /// The last write of the rest and the one that a write would put behind it, if their order matters.
    pub(crate) fn order_matters(&self, keeping: Keeping, cell: CellId, value: V) -> Option<(V, V)> {
        if !keeping.orders || self.rest.is_empty() {
            return None;
        }
        let (cell, value) = self.clone().keep(keeping, cell, value)?;
        let Rest { last, earlier, .. } = self.rest.get(cell)?;
        let matters = match earlier {
            Earlier::Values(values) => values.is_empty() && last.number().is_none(),
            Earlier::Ascending(..) => true,
            Earlier::Anything => false,
        };
        matters.then(|| (last.clone(), value))
    }

    /// Keeps a write; the write that goes to the rest then.
    fn keep(&mut self, keeping: Keeping, cell: CellId, value: V) -> Option<(CellId, V)> {
        match keeping.part {
            Part::Oldest => {
                let full = self.weight(keeping, cell) >= keeping.keep;
                let behind = match keeping.model {
                    Model::Tso => !self.rest.is_empty(),
                    _ => self.rest.get(cell).is_some(),
                };
                if full || behind {
                    return Some((cell, value));
                }
                self.push(keeping, cell, value);
                None
            }
            Part::Newest => {
                self.push(keeping, cell, value);
                (self.weight(keeping, cell) > keeping.keep).then(|| self.pop(keeping, cell))
            }
        }
    }

    /// Puts a write at the end of the rest.
    fn forget(&mut self, keeping: Keeping, cell: CellId, value: V, known: Related) {
        let Related { ascends, bounded_by, .. } = known;
        let Some(rest) = self.rest.get_mut(cell) else {
            self.rest.insert(cell, Rest { last: value, earlier: Earlier::NOTHING, bounded_by });
            return;
        };
        rest.bounded_by = bounded_by;
        let before = std::mem::replace(&mut rest.last, value);
        let ascends = ascends && keeping.orders;
        match (&mut rest.earlier, before.number()) {
            (Earlier::Values(values), Some(number)) => put(values, number),
            (earlier @ Earlier::Values(_), None) if ascends && *earlier == Earlier::NOTHING => {
                *earlier = Earlier::Ascending(before.clone(), before);
            }
            (Earlier::Ascending(_, most), _) if ascends => *most = before,
            (earlier, _) => *earlier = Earlier::Anything,
        }
    }

    /// A write of this value has left the rest before others: of writes that ascend none that is left is less.
    pub(crate) fn left_before_others(&mut self, cell: CellId, value: V) {
        if let Some(Rest { earlier: Earlier::Ascending(least, _), .. }) = self.rest.get_mut(cell) {
            *least = value;
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
        let rest = |(cell, rest): (CellId, &Rest<V>)| {
            let alone = rest.earlier == Earlier::NOTHING;
            let ways: &[Flush] = if alone { &[Flush::Last] } else { &[Flush::Earlier, Flush::Last] };
            ways.iter().map(move |how| (cell, *how))
        };
        let first: &[(CellId, V)] = self.epochs.first().map_or(&[], |epoch| epoch);
        match (keeping.model, keeping.part) {
            (Model::Tso, Part::Oldest) => match first.first() {
                Some((cell, _)) => vec![(*cell, Flush::Kept)],
                None => self.rest.iter().flat_map(rest).collect(),
            },
            (Model::Tso, Part::Newest) => {
                let kept = first.first().filter(|_| self.rest.is_empty());
                let kept = kept.map(|(cell, _)| (*cell, Flush::Kept));
                self.rest.iter().flat_map(rest).chain(kept).collect()
            }
            (_, part) => {
                let mut cells: Vec<CellId> = first.iter().map(|(cell, _)| *cell).collect();
                cells.dedup();
                let mut found = Vec::new();
                for cell in cells {
                    if part == Part::Oldest || self.rest.get(cell).is_none() {
                        found.push((cell, Flush::Kept));
                    }
                }
                for (cell, own) in self.rest.iter() {
                    // Marks that were kept stand before a rest that is behind them.
                    let is_kept = self.epochs.iter().flatten().any(|(kept, _)| *kept == cell);
                    if part == Part::Newest || (self.epochs.len() <= 1 && !is_kept) {
                        found.extend(rest((cell, own)));
                    }
                }
                found
            }
        }
    }

    /// The cells that hold no less, when a write to the cell reaches memory in this way.
    pub(crate) fn bounds(&self, cell: CellId, how: Flush) -> &[CellId] {
        match how {
            Flush::Kept => &[],
            Flush::Earlier | Flush::Last => self.rest.get(cell).map_or(&[], |rest| &rest.bounded_by),
        }
    }

    /// The write leaves.
    pub(crate) fn flush(&mut self, keeping: Keeping, cell: CellId, how: Flush) -> Carried<V> {
        let wrong = "internal error: a flush from a rest that has no such write";
        match how {
            Flush::Kept => {
                let value = self.pop(keeping, cell).1;
                self.forget_fence(cell);
                Carried::This(value)
            }
            Flush::Earlier => match &self.rest.get(cell).expect(wrong).earlier {
                Earlier::Values(values) => Carried::OneOf(values.clone()),
                Earlier::Ascending(least, most) => Carried::Between(least.clone(), most.clone()),
                Earlier::Anything => Carried::Anything,
            },
            Flush::Last => {
                let value = self.rest.remove(cell).expect(wrong).last;
                self.forget_fence(cell);
                Carried::This(value)
            }
        }
    }

    /// What is pending no more needs no fence.
    fn forget_fence(&mut self, cell: CellId) {
        if !self.is_pending(cell) {
            self.fenced.retain(|fenced| *fenced != cell);
        }
    }

    /// Whether the fence may be passed; it leaves its mark.
    pub(crate) fn fence(&mut self, keeping: Keeping, kind: FenceKind) -> bool {
        match (kind, keeping.model) {
            (FenceKind::Full, _) => self.is_empty(),
            (FenceKind::StoreStore, Model::Pso) => {
                if keeping.orders {
                    let mut pending: Vec<CellId> = self.rest.iter().map(|(cell, _)| cell).collect();
                    pending.extend(self.epochs.iter().flatten().map(|(cell, _)| *cell));
                    pending.sort();
                    pending.dedup();
                    self.fenced = pending;
                }
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
                && self.rest.get(cell).is_none()
                && self.epochs.iter().flatten().all(|(pending, _)| *pending != cell))
    }
}
