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
    covered: bool,
}

impl Store {
    /// Adds the state unless one that is there is equal to it or covers it; says whether it was added.
    pub(crate) fn insert(&mut self, system: &System<'_>, words: Words, parent: Option<u32>) -> Option<u32> {
        let number = u32::try_from(self.states.len()).expect("the memory ends before the numbers do");
        let key = if system.precision.exact_sets { words.clone() } else { system.key(&words) };
        let peers = self.index.entry(key).or_default();
        let states = &mut self.states;
        if peers.iter().any(|&peer| system.covers(&states[peer as usize].words, &words)) {
            return None;
        }
        peers.retain(|&mut peer| {
            let peer = &mut states[peer as usize];
            peer.covered = system.covers(&words, &peer.words);
            self.covered += usize::from(peer.covered);
            !peer.covered
        });
        peers.push(number);
        states.push(Entry { words, parent, covered: false });
        Some(number)
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
        self.states[number as usize].covered
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
