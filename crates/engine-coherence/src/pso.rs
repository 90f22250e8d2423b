//! The abstract store buffers of a thread under PSO: section 4 of the paper, with store-store fences added.
//!
//! As in the reference semantics, the marks of store-store fences divide the buffers into epochs. Within an epoch each
//! cell has the paper's abstract buffer: the oldest writes in order, then a bag. A fence that would make more epochs than
//! are kept apart joins the second and the third, so that the oldest writes and the newest fence keep their order, as if
//! the mark between them were not there: a buffer without a mark can do all that the same buffer with the mark can (a
//! locked step, too, waits for no more than it does with the mark).

use fencewright_ir::{CellId, FenceKind, Lock};
use smallvec::{SmallVec, smallvec};

use crate::abstraction::Precision;
use crate::bag::{Bag, Value, ValueSet};
use crate::buffer::Flush;
use crate::language::{Pattern, Piece, Write};
use crate::run::Run;

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct PsoBuffer {
    /// Only the last epoch can be empty, and it is not the only one then.
    epochs: SmallVec<[Epoch; 2]>,
}

/// The cells with something pending, in order.
type Epoch = Vec<CellBuffer>;

/// What is pending for one cell: something in the head, or a rest.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct CellBuffer {
    cell: CellId,
    head: SmallVec<[Run<Value>; 2]>,
    rest: Option<Bag>,
}

impl CellBuffer {
    /// Rules STORE-H and STORE-S.
    fn write(&mut self, value: Value, precision: &Precision) {
        match &mut self.rest {
            Some(bag) => bag.add(value, precision),
            None if self.head.last_mut().is_some_and(|last| last.join(value, precision)) => {}
            None if self.head.len() < precision.head => self.head.push(Run::once(value)),
            None => self.rest = Some(Bag::of(value, precision)),
        }
    }

    fn readable(&self) -> ValueSet {
        match (&self.rest, self.head.last()) {
            (Some(bag), _) => bag.readable(),
            (None, newest) => newest.map(|run| smallvec![run.write]).unwrap_or_default(),
        }
    }

    /// Rules FLUSH-H and, from the rest, those of [`Bag::take`]. No remainder: nothing is pending any more.
    fn take(&self, precision: &Precision) -> Vec<(Value, Option<CellBuffer>)> {
        if let Some(&Run { write: value, repeated }) = self.head.first() {
            let mut after = self.clone();
            after.head.remove(0);
            let pending = !after.head.is_empty() || after.rest.is_some();
            let again = repeated.then(|| (value, Some(self.clone())));
            return [(value, pending.then_some(after))].into_iter().chain(again).collect();
        }
        let taken = self.rest.iter().flat_map(|bag| bag.take(precision));
        let with = |left: Bag| CellBuffer { rest: Some(left), ..self.clone() };
        taken.map(|(value, left)| (value, left.map(with))).collect()
    }

    /// What stands for this and the later writes behind it.
    fn append(&mut self, later: &CellBuffer, precision: &Precision) {
        for run in &later.head {
            self.write(run.write, precision);
            if run.repeated {
                self.write(run.write, precision);
            }
        }
        match (&mut self.rest, &later.rest) {
            (Some(bag), Some(later)) => bag.append(later),
            (rest @ None, Some(later)) => *rest = Some(later.clone()),
            (_, None) => {}
        }
    }
}

impl PsoBuffer {
    /// PSO-1: what a read of the cell may see of the thread's own writes. Empty: it reads memory.
    pub(crate) fn readable(&self, cell: CellId) -> ValueSet {
        let newest = self.epochs.iter().rev().find_map(|epoch| find(epoch, cell).ok().map(|i| &epoch[i]));
        newest.map(CellBuffer::readable).unwrap_or_default()
    }

    /// PSO-2.
    pub(crate) fn write(&mut self, cell: CellId, value: Value, precision: &Precision) {
        if self.epochs.is_empty() {
            self.epochs.push(Epoch::new());
        }
        let last = self.epochs.last_mut().expect("there is an epoch");
        entry(last, cell).write(value, precision);
    }

    /// PSO-3: all ways in which the oldest write of a cell may reach memory.
    pub(crate) fn flushes(&self, precision: &Precision) -> Vec<Flush<Self>> {
        let mut flushes = Vec::new();
        for (place, buffer) in self.epochs.first().into_iter().flatten().enumerate() {
            for (value, left) in buffer.take(precision) {
                let mut after = self.clone();
                match left {
                    Some(left) => after.epochs[0][place] = left,
                    None => after.end(place),
                }
                flushes.push(Flush { cell: buffer.cell, value, after });
            }
        }
        flushes
    }

    /// Nothing is pending any more for a cell of the first epoch. Marks leave as in the reference semantics.
    fn end(&mut self, place: usize) {
        self.epochs[0].remove(place);
        if self.epochs[0].is_empty() {
            self.epochs.remove(0);
            if self.epochs.first().is_some_and(Vec::is_empty) {
                self.epochs.remove(0);
            }
        }
    }

    /// PSO-4 and PSO-5.
    pub(crate) fn fence(&mut self, kind: FenceKind, precision: &Precision) -> bool {
        if kind == FenceKind::Full {
            return self.is_empty();
        }
        if self.epochs.last().is_some_and(|last| !last.is_empty()) {
            if self.epochs.len() >= precision.epochs {
                let third = self.epochs.remove(2);
                for buffer in &third {
                    entry(&mut self.epochs[1], buffer.cell).append(buffer, precision);
                }
            }
            self.epochs.push(Epoch::new());
        }
        true
    }

    /// PSO-6.
    pub(crate) fn may_lock(&self, lock: Lock) -> bool {
        lock == Lock::Location || self.is_empty()
    }

    /// PSO-6.
    pub(crate) fn may_touch_locked(&self, cell: CellId) -> bool {
        match self.epochs.as_slice() {
            [] => true,
            [only] => find(only, cell).is_err(),
            _ => false,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.epochs.is_empty()
    }

    /// See [`Buffer::pending`](crate::buffer::Buffer::pending).
    pub(crate) fn pending(&self, only_certain: bool) -> Vec<(CellId, Value)> {
        let mut pending = Vec::new();
        for CellBuffer { cell, head, rest } in self.epochs.iter().flatten() {
            let rest = rest.iter().filter(|_| !only_certain).flat_map(Bag::values);
            pending.extend(head.iter().map(|run| &run.write).chain(rest).map(|&value| (*cell, value)));
        }
        pending
    }

    /// See [`Buffer::replace`](crate::buffer::Buffer::replace).
    pub(crate) fn replace(&mut self, with: &mut dyn FnMut(Value) -> Value) {
        for CellBuffer { cell: _, head, rest } in self.epochs.iter_mut().flatten() {
            head.iter_mut().for_each(|run| run.write = with(run.write));
            if let Some(bag) = rest {
                bag.replace(with);
            }
        }
    }

    /// What it stands for, if its sets are not exact.
    pub(crate) fn pattern(&self, write: &dyn Fn(CellId, Value) -> Write) -> Pattern {
        let queue = |CellBuffer { cell, head, rest }: &CellBuffer| {
            let head = head.iter().map(|run| run.pattern(&|value| write(*cell, value)));
            let rest = rest.iter().map(|bag| Piece {
                any: bag.values().iter().map(|&value| write(*cell, value)).collect(),
                last: write(*cell, bag.newest().expect("recency is kept")),
            });
            (cell.0, head.chain(rest).collect())
        };
        self.epochs.iter().map(|epoch| epoch.iter().map(queue).collect()).collect()
    }

    pub(crate) fn shape(&self) -> Self {
        let mut shape = self.clone();
        for buffer in shape.epochs.iter_mut().flatten() {
            buffer.rest = buffer.rest.as_ref().map(Bag::shape);
        }
        shape
    }

    /// See [`Bag::covers`].
    pub(crate) fn covers(&self, other: &Self) -> bool {
        let bags = |buffer: &Self| -> Vec<Bag> {
            buffer.epochs.iter().flatten().filter_map(|cell| cell.rest.clone()).collect()
        };
        bags(self).iter().zip(&bags(other)).all(|(bag, other)| bag.covers(other))
    }
}

fn find(epoch: &Epoch, cell: CellId) -> Result<usize, usize> {
    epoch.binary_search_by_key(&cell, |buffer| buffer.cell)
}

/// The cell's buffer in the epoch; an empty one, to be filled at once, if there was none.
fn entry(epoch: &mut Epoch, cell: CellId) -> &mut CellBuffer {
    let place = find(epoch, cell).unwrap_or_else(|place| {
        epoch.insert(place, CellBuffer { cell, head: SmallVec::new(), rest: None });
        place
    });
    &mut epoch[place]
}

#[cfg(test)]
impl PsoBuffer {
    /// Whether it stands for the real buffers with these epochs, each with its writes by cell, oldest first. What the
    /// tests hold the engine against.
    pub(crate) fn represents(&self, real: &[RealEpoch], precision: &Precision) -> bool {
        represent(&self.epochs, real, precision)
    }
}

/// The writes to each cell, oldest first.
#[cfg(test)]
type RealEpoch = std::collections::BTreeMap<CellId, Vec<Value>>;

/// Each of the epochs must stand for one real epoch, or for several that follow one another.
#[cfg(test)]
fn represent(epochs: &[Epoch], real: &[RealEpoch], precision: &Precision) -> bool {
    let Some((first, others)) = epochs.split_first() else { return real.is_empty() };
    let one = |buffer: &CellBuffer, writes: &[Value]| {
        crate::run::represent(&buffer.head, writes, &|rest| match &buffer.rest {
            None => rest.is_empty(),
            Some(bag) => bag.represents(rest, precision),
        })
    };
    let mut joined = RealEpoch::new();
    for (i, next) in real.iter().enumerate() {
        for (&cell, writes) in next {
            joined.entry(cell).or_default().extend(writes);
        }
        if joined.keys().eq(first.iter().map(|buffer| &buffer.cell))
            && first.iter().all(|buffer| one(buffer, &joined[&buffer.cell]))
            && represent(others, &real[i + 1..], precision)
        {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Abstraction;

    #[test]
    fn a_mark_holds_back_what_stands_behind_it() {
        let fd = Abstraction::Fd(1).precision();
        let [x, y] = [CellId(0), CellId(1)];
        let mut buffer = PsoBuffer::default();
        buffer.write(x, 1, &fd);
        assert!(buffer.fence(FenceKind::StoreStore, &fd));
        buffer.write(y, 1, &fd);
        assert!(!buffer.may_touch_locked(CellId(2)), "a mark is in every buffer");
        let flushes = buffer.flushes(&fd);
        assert_eq!(flushes.iter().map(|flush| flush.cell).collect::<Vec<_>>(), [x]);
        assert_eq!(flushes[0].after.flushes(&fd).len(), 1);
        assert!(flushes[0].after.may_touch_locked(CellId(2)));
    }

    #[test]
    fn epochs_past_the_limit_join_in_the_middle() {
        let fd = Abstraction::Fd(1).precision();
        let [x, y] = [CellId(0), CellId(1)];
        let mut buffer = PsoBuffer::default();
        for round in 0..20 {
            buffer.write(if round % 2 == 0 { x } else { y }, round, &fd);
            assert!(buffer.fence(FenceKind::StoreStore, &fd));
        }
        assert_eq!(buffer.epochs.len(), fd.epochs);
        assert_eq!(buffer.readable(y).as_slice(), [19]);
        let flushes = buffer.flushes(&fd);
        assert_eq!(
            flushes.iter().map(|flush| flush.cell).collect::<Vec<_>>(),
            [x],
            "the oldest stands alone"
        );
        let next: Vec<CellId> = flushes[0].after.flushes(&fd).iter().map(|flush| flush.cell).collect();
        assert_eq!(next, [x, y], "the oldest write of each cell of the joined epochs");
    }
}
