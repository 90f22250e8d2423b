//! Who has touched what, while others could: the bytes that several threads touch, one of them writing, are *contested*, and
//! only accesses to those can be noticed by others.
//!
//! What is contested is found out by searching. A search that takes a set as all there is, and in which no access shows more,
//! has seen everything: up to the first access outside the set that conflicts with another thread's, what was not visible
//! commutes with all that others did, so both accesses are made in some execution that was looked at. If more shows, the
//! search is made again with it. An execution that violates something is one, whatever the set.

use std::rc::Rc;

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};

use crate::value::ObjectId;

/// Eight bytes of an object.
type Granule = (ObjectId, u32);

/// What several threads touch.
pub type Contested = HashSet<Granule, FixedState>;

/// The first byte of a granule has this number times eight.
pub(crate) fn granules(offset: u64, size: u64) -> std::ops::RangeInclusive<u32> {
    (offset / 8) as u32..=((offset + size.max(1) - 1) / 8) as u32
}

#[derive(Debug, Copy, Clone)]
struct Touch {
    thread: u16,
    several: bool,
    written: bool,
}

/// What has been touched in a search.
#[derive(Debug, Clone, Default)]
pub struct Footprints {
    touched: HashMap<Granule, Touch, FixedState>,
    /// What is taken to be contested.
    contested: Rc<Contested>,
    /// What is contested beyond that.
    new: Contested,
}

impl PartialEq for Footprints {
    fn eq(&self, other: &Self) -> bool {
        self.contested == other.contested && self.new == other.new
    }
}

impl Eq for Footprints {}

impl Footprints {
    /// Nothing touched yet; this is taken to be contested.
    pub fn new(contested: Rc<Contested>) -> Self {
        Self { contested, ..Self::default() }
    }

    /// What is contested and was not taken to be.
    pub fn new_ones(&self) -> &Contested {
        &self.new
    }

    /// A thread touches bytes. Tells whether they are taken to be contested.
    pub(crate) fn touch(
        &mut self,
        thread: usize,
        object: ObjectId,
        offset: u64,
        size: u64,
        write: bool,
    ) -> bool {
        let range = granules(offset, size);
        let mut contested = false;
        for granule in range.clone() {
            let key = (object, granule);
            if self.contested.contains(&key) {
                contested = true;
                continue;
            }
            let touch = self.touched.entry(key).or_insert(Touch {
                thread: thread as u16,
                several: false,
                written: false,
            });
            touch.several |= usize::from(touch.thread) != thread;
            touch.written |= write;
            if touch.several && touch.written {
                self.new.insert(key);
            }
        }
        // An access to both sides of a border makes one of them: a pending write must not be passed by a direct one.
        if contested && range.clone().count() > 1 {
            for granule in range {
                let key = (object, granule);
                if !self.contested.contains(&key) {
                    self.new.insert(key);
                }
            }
        }
        contested
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_alone_are_no_conflict() {
        let mut footprints = Footprints::default();
        let object = ObjectId(3);
        footprints.touch(0, object, 0, 4, false);
        footprints.touch(1, object, 4, 4, false);
        footprints.touch(1, object, 8, 4, true);
        assert!(footprints.new_ones().is_empty());
        footprints.touch(0, object, 4, 1, true);
        assert_eq!(footprints.new_ones().iter().collect::<Vec<_>>(), [&(object, 0)]);
    }

    #[test]
    fn an_access_across_a_border_joins_both_sides() {
        let object = ObjectId(3);
        let contested: Contested = [(object, 0)].into_iter().collect();
        let mut footprints = Footprints::new(Rc::new(contested));
        assert!(footprints.touch(0, object, 6, 4, true));
        assert!(footprints.new_ones().contains(&(object, 1)));
        assert!(!footprints.touch(0, object, 16, 8, true));
    }
}
