//! The abstract store buffer of a thread under TSO. The paper treats PSO only; this is its idea carried over.
//!
//! The oldest writes are kept as one ordered head of (cell, value) pairs; behind it every cell has a bag of its own. The
//! bags stand in the order of the cells' newest writes. A real buffer behind the head is some shuffle of what the bags
//! stand for in which the last writes of the cells come in that order. So the oldest write is one that may leave some
//! bag; and the last write of a cell can leave only when no cell whose last write is older has anything left, which is
//! when its bag stands first. Without recency the bags stand by cell, and any of them may end.

use fencewright_ir::{CellId, FenceKind};
use smallvec::{SmallVec, smallvec};

use crate::abstraction::Precision;
use crate::bag::{Bag, Value, ValueSet};
use crate::buffer::Flush;
use crate::language::{Epoch, Pattern, Piece, Queue, Write};
use crate::run::Run;

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct TsoBuffer {
    head: SmallVec<[Run<(CellId, Value)>; 2]>,
    rest: SmallVec<[(CellId, Bag); 2]>,
}

impl TsoBuffer {
    /// TSO-1: what a read of the cell may see of the thread's own writes. Empty: it reads memory.
    pub(crate) fn readable(&self, cell: CellId) -> ValueSet {
        if let Some((_, bag)) = self.rest.iter().find(|(pending, _)| *pending == cell) {
            return bag.readable();
        }
        let newest = self.head.iter().rev().map(|run| run.write).find(|(pending, _)| *pending == cell);
        newest.map(|(_, value)| smallvec![value]).unwrap_or_default()
    }

    /// TSO-2.
    pub(crate) fn write(&mut self, cell: CellId, value: Value, precision: &Precision) {
        if self.rest.is_empty() {
            if self.head.last_mut().is_some_and(|last| last.join((cell, value), precision)) {
                return;
            }
            if self.head.len() < precision.head {
                self.head.push(Run::once((cell, value)));
                return;
            }
        }
        let bag = match self.rest.iter().position(|(pending, _)| *pending == cell) {
            Some(place) => {
                let (_, mut bag) = self.rest.remove(place);
                bag.add(value, precision);
                bag
            }
            None => Bag::of(value, precision),
        };
        let place = match precision.recency {
            true => self.rest.len(),
            false => self.rest.partition_point(|(pending, _)| *pending < cell),
        };
        self.rest.insert(place, (cell, bag));
    }

    /// TSO-3: all ways in which the oldest write may reach memory.
    pub(crate) fn flushes(&self, precision: &Precision) -> Vec<Flush<Self>> {
        if let Some(&Run { write: (cell, value), repeated }) = self.head.first() {
            let mut after = self.clone();
            after.head.remove(0);
            let again = repeated.then(|| Flush { cell, value, after: self.clone() });
            return [Flush { cell, value, after }].into_iter().chain(again).collect();
        }
        let mut flushes = Vec::new();
        for (place, (cell, bag)) in self.rest.iter().enumerate() {
            for (value, left) in bag.take(precision) {
                let mut after = self.clone();
                match left {
                    Some(left) => after.rest[place].1 = left,
                    None if precision.recency && place > 0 => continue,
                    None => drop(after.rest.remove(place)),
                }
                flushes.push(Flush { cell: *cell, value, after });
            }
        }
        flushes
    }

    /// TSO-4 and TSO-5.
    pub(crate) fn fence(&mut self, kind: FenceKind) -> bool {
        match kind {
            FenceKind::Full => self.is_empty(),
            FenceKind::StoreStore => true,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.head.is_empty() && self.rest.is_empty()
    }

    /// See [`Buffer::pending`](crate::buffer::Buffer::pending).
    pub(crate) fn pending(&self, only_certain: bool) -> Vec<(CellId, Value)> {
        let rest = self.rest.iter().filter(|_| !only_certain);
        let rest = rest.flat_map(|(cell, bag)| bag.values().iter().map(|&value| (*cell, value)));
        self.head.iter().map(|run| run.write).chain(rest).collect()
    }

    /// See [`Buffer::replace`](crate::buffer::Buffer::replace).
    pub(crate) fn replace(&mut self, with: &mut dyn FnMut(Value) -> Value) {
        self.head.iter_mut().for_each(|run| run.write.1 = with(run.write.1));
        self.rest.iter_mut().for_each(|(_, bag)| bag.replace(with));
    }

    /// What it stands for, if its sets are not exact: behind the head, up to the last write of the first cell, writes of any
    /// of them; then of all but that one; and so on.
    pub(crate) fn pattern(&self, write: &dyn Fn(CellId, Value) -> Write) -> Pattern {
        let head = self.head.iter().map(|run| run.pattern(&|(cell, value)| write(cell, value)));
        let rest = self.rest.iter().enumerate().map(|(place, (cell, bag))| {
            let later = self.rest[place..].iter();
            let any = later.flat_map(|(cell, bag)| bag.values().iter().map(|&value| write(*cell, value)));
            Piece { any: any.collect(), last: write(*cell, bag.newest().expect("recency is kept")) }
        });
        let queue: Queue = head.chain(rest).collect();
        if queue.is_empty() { Pattern::new() } else { vec![Epoch::from([(0, queue)])] }
    }

    pub(crate) fn shape(&self) -> Self {
        let rest = self.rest.iter().map(|(cell, bag)| (*cell, bag.shape())).collect();
        Self { head: self.head.clone(), rest }
    }

    /// See [`Bag::covers`].
    pub(crate) fn covers(&self, other: &Self) -> bool {
        self.rest.iter().zip(&other.rest).all(|((_, bag), (_, other))| bag.covers(other))
    }
}

#[cfg(test)]
impl TsoBuffer {
    /// Whether it stands for the real buffer with these writes, oldest first. What the tests hold the engine against.
    pub(crate) fn represents(&self, writes: &[(CellId, Value)], precision: &Precision) -> bool {
        crate::run::represent(&self.head, writes, &|rest| self.rest_represents(rest, precision))
    }

    fn rest_represents(&self, rest: &[(CellId, Value)], precision: &Precision) -> bool {
        let of = |cell: CellId| -> Vec<Value> {
            rest.iter().filter(|(c, _)| *c == cell).map(|&(_, value)| value).collect()
        };
        // The cells in the order of their last writes.
        let mut order: Vec<CellId> = Vec::new();
        for &(cell, _) in rest {
            order.retain(|&other| other != cell);
            order.push(cell);
        }
        if !precision.recency {
            order.sort_unstable();
        }
        order.iter().eq(self.rest.iter().map(|(cell, _)| cell))
            && self.rest.iter().all(|(cell, bag)| bag.represents(&of(*cell), precision))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Abstraction;

    #[test]
    fn a_cell_ends_only_when_those_written_last_before_it_have() {
        let fd = Abstraction::Fd(1).precision();
        let [x, y] = [CellId(0), CellId(1)];
        let mut buffer = TsoBuffer::default();
        for cell in [x, y, x] {
            buffer.write(cell, 1, &fd);
        }
        // The first write is in order; behind it y, whose last write is older, then x.
        let first = buffer.flushes(&fd);
        assert_eq!(first.iter().map(|flush| flush.cell).collect::<Vec<_>>(), [x]);
        let after = &first[0].after;
        let ended = |flush: &&Flush<TsoBuffer>| flush.after.rest.len() < after.rest.len();
        let then = after.flushes(&fd);
        assert_eq!(then.iter().filter(ended).map(|flush| flush.cell).collect::<Vec<_>>(), [y]);
        assert_eq!(then.len(), 3, "both may also have more of the same pending");
    }
}
