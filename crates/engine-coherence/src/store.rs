//! The abstract states found, in the order of their arrival, each with a link to the one it was first reached from.
//!
//! Where sets are not exact, a state whose sets include another's, everything else being equal, covers it: the states
//! kept are an antichain under the order of section 4.3 of the paper. They are found by what must be equal. (The paper's
//! order also lets a shorter head cover a longer one; that is not used.) The coverer can make every move of the covered
//! state and reach a coverer of where it leads, so the covered state need not be expanded.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use smallvec::SmallVec;

use crate::system::{System, Words};

#[derive(Debug, Default)]
pub(crate) struct Store {
    states: Vec<Entry>,
    /// The states of a key that are covered by no other.
    index: HashMap<Words, SmallVec<[u32; 1]>, FixedState>,
    covered: usize,
}

#[derive(Debug)]
struct Entry {
    words: Words,
    parent: Option<u32>,
    /// A state that covers it.
    covered_by: Option<u32>,
}

impl Store {
    /// Adds the state and gives its number; or gives the one that is there and is equal to it or covers it.
    pub(crate) fn insert(
        &mut self,
        system: &System<'_>,
        words: Words,
        parent: Option<u32>,
    ) -> Result<u32, u32> {
        let number = u32::try_from(self.states.len()).expect("the memory ends before the numbers do");
        let key = if system.precision.exact_sets { words.clone() } else { system.key(&words) };
        let peers = self.index.entry(key).or_default();
        let states = &mut self.states;
        if let Some(&known) = peers.iter().find(|&&peer| system.covers(&states[peer as usize].words, &words))
        {
            return Err(known);
        }
        peers.retain(|&mut peer| {
            let peer = &mut states[peer as usize];
            let covered = system.covers(&words, &peer.words);
            if covered {
                peer.covered_by = Some(number);
                self.covered += 1;
            }
            !covered
        });
        peers.push(number);
        states.push(Entry { words, parent, covered_by: None });
        Ok(number)
    }

    /// Bytes held, and those that will be while the tables next grow if that is due: then old and new stand side by
    /// side.
    pub(crate) fn bytes(&self, width: usize) -> u64 {
        let entries = grown(self.states.len(), self.states.capacity()) * size_of::<Entry>();
        // A table is at most seven eighths full, and has a byte more a slot.
        let slots = grown(self.index.len(), self.index.capacity()) / 7 * 8;
        let table = slots * (size_of::<(Words, SmallVec<[u32; 1]>)>() + 1);
        let words = (self.states.len() + self.index.len()) * allocated(width * size_of::<u32>());
        (entries + table + words) as u64
    }

    /// How many states there are, those that are covered now among them.
    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    /// How many states are covered by no other.
    pub(crate) fn kept(&self) -> usize {
        self.states.len() - self.covered
    }

    pub(crate) fn is_covered(&self, number: u32) -> bool {
        self.states[number as usize].covered_by.is_some()
    }

    /// The state that covers this one and is covered by no other; itself if none covers it.
    pub(crate) fn kept_for(&self, mut number: u32) -> u32 {
        while let Some(coverer) = self.states[number as usize].covered_by {
            number = coverer;
        }
        number
    }

    pub(crate) fn words(&self, number: u32) -> &Words {
        &self.states[number as usize].words
    }

    /// The states from an initial one to this one.
    pub(crate) fn path_to(&self, number: u32) -> Vec<u32> {
        let before = |&number: &u32| self.states[number as usize].parent;
        let mut path: Vec<u32> = std::iter::successors(Some(number), before).collect();
        path.reverse();
        path
    }
}

/// What a table of this capacity holds: its places, and those of the twice as large one beside it if it is full.
fn grown(len: usize, capacity: usize) -> usize {
    if len < capacity { capacity } else { 3 * capacity }
}

/// What an allocation of so many bytes takes: allocators add a word and round up.
fn allocated(bytes: usize) -> usize {
    (bytes + size_of::<usize>()).next_multiple_of(16).max(32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_is_the_tables_and_the_states_in_them() {
        let mut store = Store::default();
        assert_eq!(store.bytes(5), 0);
        let n = 1000;
        for number in 0..n {
            let words: Words = vec![number; 5].into();
            store.index.entry(words.clone()).or_default().push(number);
            store.states.push(Entry { words, parent: None, covered_by: None });
        }
        // 20 bytes and a word are 28, which take 32; twice for each state.
        let words = 2 * n as u64 * 32;
        // Doubling from 4 on gives room for 1024 entries of 32 bytes. 1000 keys need 2048 slots, of which 1792 may be
        // used, with a box of 16 bytes, a short list of 24 and a byte each.
        assert_eq!((size_of::<Entry>(), size_of::<(Words, SmallVec<[u32; 1]>)>()), (32, 40));
        let tables = 1024 * 32 + 2048 * 41;
        assert_eq!(store.bytes(5), words + tables);
        // Full, the list of states is about to be copied to one of twice the size.
        for number in n..1024 {
            store.states.push(Entry { words: Words::default(), parent: Some(number), covered_by: Some(0) });
        }
        assert_eq!(store.bytes(5), words + 24 * 32 + tables + 2 * 1024 * 32);
    }
}
