//! Where scalars are in memory, as the accesses of the program show it.
//!
//! A copy of a struct may be made member by member and in any order, so that other threads see only some members copied. Declared
//! types do not show all members: allocated memory has no type, unions have the type of one alternative, and rustc declares
//! variables as arrays of bytes. So every load and store shows a scalar, and copying passes it on between source and target, in
//! both directions: what is copied as a whole is told apart where the copy is read.
//!
//! A search begins without known scalars. It records which pieces are copied in one access although other threads can access parts
//! of them, and which ones are copied in one order because no scalar is there (padding). It is complete if the scalars that
//! it finds allow both; otherwise it starts again with them. More scalars allow more executions, never fewer, so scalars found
//! in one execution are used in all.
//!
//! *Limit:* members that the program only moves in one register are one scalar.

use std::collections::BTreeSet;

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};

use crate::value::ObjectId;

/// A range of bytes of an object: where it starts, and its length.
type Range = (ObjectId, u32, u32);

/// Where the scalars of an object are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Known {
    /// Where they begin and end, ascending.
    borders: Vec<u32>,
    /// The bytes that they fill: starts and ends, ascending, disjoint.
    filled: Vec<(u32, u32)>,
}

/// Where scalars are, by object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Borders(HashMap<ObjectId, Known, FixedState>);

impl Borders {
    fn of(scalars: HashSet<Range, FixedState>) -> Self {
        let mut found: HashMap<ObjectId, BTreeSet<(u32, u32)>, FixedState> = HashMap::default();
        for (id, offset, size) in scalars {
            found.entry(id).or_default().insert((offset, offset + size));
        }
        let known = |ranges: BTreeSet<(u32, u32)>| {
            let borders: BTreeSet<u32> = ranges.iter().flat_map(|(start, end)| [*start, *end]).collect();
            let mut filled: Vec<(u32, u32)> = Vec::new();
            for (start, end) in ranges {
                match filled.last_mut() {
                    Some(last) if start <= last.1 => last.1 = last.1.max(end),
                    _ => filled.push((start, end)),
                }
            }
            Known { borders: borders.into_iter().collect(), filled }
        };
        Self(found.into_iter().map(|(id, ranges)| (id, known(ranges))).collect())
    }

    /// The borders within a range of an object, relative to its start.
    pub(crate) fn within(&self, id: ObjectId, offset: u64, length: u64) -> impl Iterator<Item = u64> {
        let all = self.0.get(&id).map_or(&[][..], |known| &known.borders);
        let first = all.partition_point(|at| u64::from(*at) < offset);
        let last = all.partition_point(|at| u64::from(*at) < offset + length);
        all[first..last].iter().map(move |at| u64::from(*at) - offset)
    }

    /// Whether a scalar is, at least in part, in a range of an object.
    pub(crate) fn has_scalar(&self, id: ObjectId, offset: u64, length: u64) -> bool {
        let all = self.0.get(&id).map_or(&[][..], |known| &known.filled);
        let first = all.partition_point(|(_, end)| u64::from(*end) <= offset);
        all.get(first).is_some_and(|(start, _)| u64::from(*start) < offset + length)
    }

    /// Whether a border lies within a range, not at its ends.
    fn cuts(&self, (id, offset, length): &Range) -> bool {
        self.within(*id, u64::from(*offset) + 1, u64::from(*length) - 1).next().is_some()
    }
}

/// What the accesses of a search show.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scalars {
    accessed: HashSet<Range, FixedState>,
    /// What was copied: target, source, length.
    copies: HashSet<(ObjectId, u32, ObjectId, u32, u32), FixedState>,
    /// The pieces that were accessed as a whole although other threads can access parts of them.
    whole: HashSet<Range, FixedState>,
    /// The pieces that other threads can access and whose place in the order was not tried, because no scalar is there.
    empty: HashSet<Range, FixedState>,
}

impl Scalars {
    /// A load or store of a scalar.
    pub(crate) fn access(&mut self, id: ObjectId, offset: u64, size: u32) {
        self.accessed.insert((id, offset as u32, size));
    }

    /// A range is copied.
    pub(crate) fn copy(&mut self, to: (ObjectId, u64), from: (ObjectId, u64), length: u64) {
        self.copies.insert((to.0, to.1 as u32, from.0, from.1 as u32, length as u32));
    }

    /// A piece of a copy is accessed as a whole.
    pub(crate) fn whole(&mut self, id: ObjectId, offset: u64, size: u32) {
        self.whole.insert((id, offset as u32, size));
    }

    /// A piece of a copy has no scalar.
    pub(crate) fn empty(&mut self, id: ObjectId, offset: u64, size: u32) {
        self.empty.insert((id, offset as u32, size));
    }

    /// All scalars found, if the search copied something in a way that they do not allow. `None`: the search is complete.
    pub fn finer(&self) -> Option<Borders> {
        if self.whole.is_empty() && self.empty.is_empty() {
            return None;
        }
        let found = Borders::of(self.scalars());
        let is_filled = |(id, offset, size): &Range| found.has_scalar(*id, (*offset).into(), (*size).into());
        let is_wrong = self.whole.iter().any(|range| found.cuts(range)) || self.empty.iter().any(is_filled);
        is_wrong.then_some(found)
    }

    /// The same for a search that uses the scalars found so far: no piece was accessed yet.
    #[must_use]
    pub fn again(mut self) -> Self {
        (self.whole, self.empty) = (HashSet::default(), HashSet::default());
        self
    }

    /// The scalars that were accessed, and those that copying makes of them.
    fn scalars(&self) -> HashSet<Range, FixedState> {
        // For each range that was copied or written by a copy, the other range.
        let mut copied: HashMap<ObjectId, Vec<(u32, Range)>, FixedState> = HashMap::default();
        for (to, start, from, begin, length) in &self.copies {
            copied.entry(*to).or_default().push((*start, (*from, *begin, *length)));
            copied.entry(*from).or_default().push((*begin, (*to, *start, *length)));
        }
        let mut found: HashSet<Range, FixedState> = HashSet::default();
        let mut work: Vec<Range> = self.accessed.iter().copied().collect();
        while let Some((id, offset, size)) = work.pop() {
            if !found.insert((id, offset, size)) {
                continue;
            }
            for (start, (other, begin, length)) in copied.get(&id).into_iter().flatten() {
                let (from, to) = (offset.max(*start), (offset + size).min(start + length));
                if from < to {
                    work.push((*other, begin + (from - start), to - from));
                }
            }
        }
        found
    }

    /// Approximate memory use in bytes.
    pub fn bytes(&self) -> u64 {
        let ranges = self.accessed.capacity() + self.whole.capacity() + self.empty.capacity();
        (13 * ranges + 21 * self.copies.capacity()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: ObjectId = ObjectId(1);
    const B: ObjectId = ObjectId(2);
    const C: ObjectId = ObjectId(3);

    fn within(borders: &Borders, id: ObjectId) -> Vec<u64> {
        borders.within(id, 0, 100).collect()
    }

    #[test]
    fn a_copy_is_cut_where_a_copy_of_it_is_read() {
        let mut scalars = Scalars::default();
        scalars.whole(A, 8, 8);
        assert_eq!(scalars.finer(), None, "nobody accesses a part of it");
        scalars.copy((B, 0), (A, 8), 8);
        scalars.copy((C, 16), (B, 0), 8);
        scalars.access(C, 16, 8);
        assert_eq!(scalars.finer(), None, "only its ends are known");
        scalars.access(C, 20, 4);
        let finer = scalars.finer().expect("half of it is read");
        assert_eq!(within(&finer, A), [8, 12, 16]);
        assert_eq!(within(&finer, B), [0, 4, 8]);
        assert_eq!(scalars.again().finer(), None);
    }

    #[test]
    fn scalars_outside_what_is_copied_are_not_passed_on() {
        let mut scalars = Scalars::default();
        scalars.whole(A, 0, 8);
        scalars.copy((B, 8), (A, 0), 8);
        scalars.access(B, 4, 2);
        scalars.access(B, 16, 1);
        assert_eq!(scalars.finer(), None);
        scalars.access(B, 15, 1);
        let finer = scalars.finer().expect("the last byte is read");
        assert_eq!(within(&finer, A), [7, 8]);
        assert_eq!(finer.within(B, 6, 11).collect::<Vec<_>>(), [0, 9, 10], "relative to the range");
    }

    #[test]
    fn a_piece_is_padding_until_a_scalar_is_found_in_it() {
        let mut scalars = Scalars::default();
        scalars.copy((B, 0), (A, 0), 16);
        scalars.empty(A, 4, 4);
        scalars.access(B, 0, 4);
        scalars.access(B, 8, 8);
        assert_eq!(scalars.finer(), None);
        scalars.access(B, 6, 4);
        let finer = scalars.finer().expect("it is part of a scalar");
        assert!(finer.has_scalar(A, 4, 4) && !finer.has_scalar(A, 4, 2) && !finer.has_scalar(A, 16, 8));
    }
}
