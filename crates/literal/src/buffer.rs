//! Store buffers: writes of a thread that have not reached memory, by the rules of `docs/semantics.md` for TSO and PSO, on
//! bytes instead of cells.
//!
//! Two writes are to the same location if their bytes overlap. If the newest overlapping write covers a read, the read takes
//! its value; if it covers only part of it, the read waits until that write has reached memory.

use smallvec::SmallVec;

use crate::value::{ObjectId, Scalar, mask};

/// A memory model.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum Model {
    /// Sequential consistency: nothing is ever pending.
    Sc,
    /// Total store order: one queue.
    Tso,
    /// Partial store order: a queue for each location.
    Pso,
}

/// An entry of a buffer.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum Entry {
    /// A write of up to eight bytes.
    Write(Write),
    /// A store-store fence.
    Mark,
}

/// A write that is pending.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub struct Write {
    /// The object.
    pub object: ObjectId,
    /// The first byte.
    pub offset: u64,
    /// How many bytes.
    pub size: u32,
    /// What is written.
    pub value: Scalar,
}

impl Write {
    pub(crate) fn overlaps(&self, object: ObjectId, offset: u64, size: u32) -> bool {
        self.object == object
            && self.offset < offset + u64::from(size)
            && offset < self.offset + u64::from(self.size)
    }
}

/// What a thread finds in its own buffer.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum Found {
    /// No overlapping write: memory answers.
    Nothing,
    /// The value of the newest overlapping write, which covers all bytes.
    Whole(Scalar),
    /// The newest overlapping write covers only some of the bytes.
    Part,
}

/// The pending writes of a thread, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Buffer {
    /// Its entries.
    pub entries: SmallVec<[Entry; 2]>,
}

impl Buffer {
    /// Whether nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The writes, with their positions in the buffer.
    pub fn writes(&self) -> impl DoubleEndedIterator<Item = (usize, &Write)> {
        self.entries.iter().enumerate().filter_map(|(place, entry)| match entry {
            Entry::Write(write) => Some((place, write)),
            Entry::Mark => None,
        })
    }

    /// Appends a store-store fence, unless it would change nothing.
    pub fn mark(&mut self) {
        if self.entries.last().is_some_and(|last| *last != Entry::Mark) {
            self.entries.push(Entry::Mark);
        }
    }

    /// What the owner reads there.
    pub fn read(&self, object: ObjectId, offset: u64, size: u32) -> Found {
        let newest = self.writes().rev().find(|(_, write)| write.overlaps(object, offset, size));
        let Some((_, write)) = newest else { return Found::Nothing };
        let Some(inner) = offset.checked_sub(write.offset) else { return Found::Part };
        if inner + u64::from(size) > u64::from(write.size) {
            return Found::Part;
        }
        let cut = |bits: u64| bits >> (8 * inner) & mask(8 * size);
        if inner == 0 && size == write.size {
            return Found::Whole(write.value);
        }
        // A reader of part of an open value makes it a number first.
        Found::Whole(Scalar {
            bits: cut(write.value.bits),
            unset: cut(write.value.unset),
            ..Scalar::default()
        })
    }

    /// Removes the writes to an object.
    pub fn forget(&mut self, object: ObjectId) {
        loop {
            let next = self.writes().find(|(_, write)| write.object == object).map(|(place, _)| place);
            let Some(place) = next else { return };
            self.take(place);
        }
    }

    /// Whether a locked step on the location must wait: a write overlaps it, or a mark is pending.
    pub fn holds_back(&self, object: ObjectId, offset: u64, size: u32) -> bool {
        self.entries.iter().any(|entry| match entry {
            Entry::Mark => true,
            Entry::Write(write) => write.overlaps(object, offset, size),
        })
    }

    /// The positions of the writes that may reach memory next.
    pub fn ready(&self, model: Model) -> SmallVec<[usize; 4]> {
        let mut ready: SmallVec<[usize; 4]> = SmallVec::new();
        for (place, entry) in self.entries.iter().enumerate() {
            let Entry::Write(write) = entry else { break };
            let is_first = self.entries[..place].iter().all(|earlier| match earlier {
                Entry::Write(earlier) => !earlier.overlaps(write.object, write.offset, write.size),
                Entry::Mark => false,
            });
            if is_first {
                ready.push(place);
            }
            if model != Model::Pso {
                break;
            }
        }
        ready
    }

    /// Removes a write, and then any marks at the front.
    pub fn take(&mut self, place: usize) -> Option<Write> {
        if place >= self.entries.len() {
            return None;
        }
        let Entry::Write(write) = self.entries.remove(place) else { return None };
        while self.entries.first() == Some(&Entry::Mark) {
            self.entries.remove(0);
        }
        Some(write)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(offset: u64, size: u32, bits: u64) -> Entry {
        Entry::Write(Write { object: ObjectId(1), offset, size, value: Scalar::int(bits) })
    }

    fn buffer(entries: &[Entry]) -> Buffer {
        Buffer { entries: entries.iter().copied().collect() }
    }

    #[test]
    fn reads_of_bytes_within_a_pending_write() {
        let pending = buffer(&[write(0, 4, 0x1111_1111), write(0, 4, 0x4433_2211), write(8, 2, 7)]);
        assert_eq!(pending.read(ObjectId(1), 0, 4), Found::Whole(Scalar::int(0x4433_2211)));
        assert_eq!(pending.read(ObjectId(1), 2, 1), Found::Whole(Scalar::int(0x33)));
        assert_eq!(pending.read(ObjectId(1), 2, 4), Found::Part);
        assert_eq!(pending.read(ObjectId(1), 8, 4), Found::Part);
        assert_eq!(pending.read(ObjectId(1), 4, 4), Found::Nothing);
        assert_eq!(pending.read(ObjectId(2), 0, 4), Found::Nothing);
    }

    #[test]
    fn what_may_leave() {
        let pending = buffer(&[write(0, 4, 1), write(2, 4, 2), write(8, 4, 3), Entry::Mark, write(16, 4, 4)]);
        assert_eq!(pending.ready(Model::Tso)[..], [0]);
        assert_eq!(pending.ready(Model::Pso)[..], [0, 2]);
    }

    #[test]
    fn marks_leave_with_the_last_write_before_them() {
        let mut pending = buffer(&[write(0, 4, 1), Entry::Mark, write(4, 4, 2)]);
        pending.take(0);
        assert_eq!(pending.entries[..], [write(4, 4, 2)]);
        pending.mark();
        pending.mark();
        assert_eq!(pending.entries.len(), 2);
        let mut empty = Buffer::default();
        empty.mark();
        assert!(empty.is_empty());
    }
}
