//! Where scalars begin in memory, as the accesses of the program show it.
//!
//! A copy of a struct may be made member by member, so that other threads see only some members copied. Declared types do not
//! show all members: allocated memory has no type, unions have the type of one alternative, and rustc declares variables as
//! arrays of bytes. So every load and store shows where a scalar begins and ends, and copying passes these borders on between
//! source and target, in both directions: what is copied as a whole is told apart where the copy is read.
//!
//! A search begins without borders. It records which pieces are copied in one access although other threads can access parts of
//! them. It is complete if no border lies within such a piece; otherwise it starts again with the borders. More borders allow
//! more executions, never fewer, so borders found in one execution are used in all.
//!
//! *Limit:* members that the program only moves in one register are one scalar.

use std::collections::BTreeSet;

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};

use crate::value::ObjectId;

/// A range of bytes of an object: where it starts, and its length.
type Range = (ObjectId, u32, u32);

/// Where scalars begin, by object, ascending.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Borders(HashMap<ObjectId, Box<[u32]>, FixedState>);

impl Borders {
    /// Those within a range of an object, relative to its start.
    pub(crate) fn within(&self, id: ObjectId, offset: u64, length: u64) -> impl Iterator<Item = u64> {
        let all = self.0.get(&id).map_or(&[][..], |all| all);
        let first = all.partition_point(|at| u64::from(*at) < offset);
        let last = all.partition_point(|at| u64::from(*at) < offset + length);
        all[first..last].iter().map(move |at| u64::from(*at) - offset)
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

    /// All borders, if one of them lies within a piece that was accessed as a whole.
    pub fn finer(&self) -> Option<Borders> {
        if self.whole.is_empty() {
            return None;
        }
        let found = self.borders();
        let is_cut = |(id, offset, size): &Range| {
            found.get(id).is_some_and(|at| at.range(offset + 1..offset + size).next().is_some())
        };
        if !self.whole.iter().any(is_cut) {
            return None;
        }
        Some(Borders(found.into_iter().map(|(id, all)| (id, all.into_iter().collect())).collect()))
    }

    /// The same for a search that uses the borders found so far: no piece was accessed yet.
    #[must_use]
    pub fn again(mut self) -> Self {
        self.whole = HashSet::default();
        self
    }

    fn borders(&self) -> HashMap<ObjectId, BTreeSet<u32>, FixedState> {
        // For each range that was copied or written by a copy, the other range.
        let mut copied: HashMap<ObjectId, Vec<(u32, Range)>, FixedState> = HashMap::default();
        for (to, start, from, begin, length) in &self.copies {
            copied.entry(*to).or_default().push((*start, (*from, *begin, *length)));
            copied.entry(*from).or_default().push((*begin, (*to, *start, *length)));
        }
        let mut found: HashMap<ObjectId, BTreeSet<u32>, FixedState> = HashMap::default();
        let ends = self.accessed.iter().flat_map(|(id, offset, size)| [(*id, *offset), (*id, offset + size)]);
        let mut work: Vec<(ObjectId, u32)> = ends.collect();
        while let Some((id, at)) = work.pop() {
            if !found.entry(id).or_default().insert(at) {
                continue;
            }
            for (start, (other, begin, length)) in copied.get(&id).into_iter().flatten() {
                if (*start..start + length).contains(&at) {
                    work.push((*other, begin + (at - start)));
                }
            }
        }
        found
    }

    /// Approximate memory use in bytes.
    pub fn bytes(&self) -> u64 {
        (13 * (self.accessed.capacity() + self.whole.capacity()) + 21 * self.copies.capacity()) as u64
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
        assert_eq!(within(&finer, A), [8, 12], "the end of a copy is not passed on");
        assert_eq!(within(&finer, B), [0, 4]);
        assert_eq!(scalars.again().finer(), None);
    }

    #[test]
    fn borders_outside_what_is_copied_are_not_passed_on() {
        let mut scalars = Scalars::default();
        scalars.whole(A, 0, 8);
        scalars.copy((B, 8), (A, 0), 8);
        scalars.access(B, 4, 2);
        scalars.access(B, 16, 1);
        assert_eq!(scalars.finer(), None);
        scalars.access(B, 15, 1);
        let finer = scalars.finer().expect("the last byte is read");
        assert_eq!(within(&finer, A), [7]);
        assert_eq!(finer.within(B, 6, 10).collect::<Vec<_>>(), [0, 9], "relative to the range");
    }
}
