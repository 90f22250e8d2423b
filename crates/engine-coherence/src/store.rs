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
