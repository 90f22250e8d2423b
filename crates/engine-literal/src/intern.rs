//! Interning (hash consing): parts of states and lists of numbers are stored once each and known by number.

use std::hash::{BuildHasher, Hash};
use std::rc::Rc;

use fencewright_literal::state::Part;
use foldhash::fast::FixedState;
use hashbrown::HashTable;

/// Parts of states, each stored once.
pub(crate) struct Parts<T> {
    parts: Vec<Rc<Part<T>>>,
    table: HashTable<u32>,
    hasher: FixedState,
    bytes: u64,
}

impl<T: Hash + Eq> Parts<T> {
    pub(crate) fn new() -> Self {
        Self { parts: Vec::new(), table: HashTable::new(), hasher: FixedState::default(), bytes: 0 }
    }

    /// The number of a part. If an equal one is stored, `part` is replaced by it, so that the two share memory.
    pub(crate) fn number(&mut self, part: &mut Rc<Part<T>>, size: impl Fn(&T) -> usize) -> u32 {
        if let Some(number) = part.number() {
            return number;
        }
        let Self { parts, table, hasher, bytes } = self;
        let hash = hasher.hash_one(&***part);
        let found = table.find(hash, |number| **parts[*number as usize] == ***part);
        if let Some(number) = found {
            *part = parts[*number as usize].clone();
            return *number;
        }
        let number = parts.len() as u32;
        part.set_number(number);
        *bytes += size(part) as u64 + 32;
        parts.push(part.clone());
        table.insert_unique(hash, number, |number| hasher.hash_one(&**parts[*number as usize]));
        number
    }

    pub(crate) fn get(&self, number: u32) -> Rc<Part<T>> {
        self.parts[number as usize].clone()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes + self.table.capacity() as u64 * 5
    }
}

/// Lists of numbers, each stored once, one after another.
pub(crate) struct Lists {
    numbers: Vec<u32>,
    /// Where each list begins, and where the last one ends.
    starts: Vec<u32>,
    table: HashTable<u32>,
    hasher: FixedState,
}

impl Lists {
    pub(crate) fn new() -> Self {
        Self { numbers: Vec::new(), starts: vec![0], table: HashTable::new(), hasher: FixedState::default() }
    }

    /// The number of a list, and whether it is new.
    pub(crate) fn number(&mut self, list: &[u32]) -> (u32, bool) {
        let Self { numbers, starts, table, hasher } = self;
        let at = |number: u32| {
            let number = number as usize;
            &numbers[starts[number] as usize..starts[number + 1] as usize]
        };
        let hash = hasher.hash_one(list);
        if let Some(number) = table.find(hash, |number| at(*number) == list) {
            return (*number, false);
        }
        let number = starts.len() as u32 - 1;
        table.insert_unique(hash, number, |number| hasher.hash_one(at(*number)));
        numbers.extend_from_slice(list);
        starts.push(numbers.len() as u32);
        (number, true)
    }

    pub(crate) fn get(&self, number: u32) -> &[u32] {
        let number = number as usize;
        &self.numbers[self.starts[number] as usize..self.starts[number + 1] as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there may be no room for another list: numbers have 32 bits.
    pub(crate) fn is_full(&self) -> bool {
        self.numbers.len() as u64 + 4_096 > u64::from(u32::MAX)
    }

    pub(crate) fn bytes(&self) -> u64 {
        4 * (self.numbers.len() + self.starts.len()) as u64 + self.table.capacity() as u64 * 5
    }
}
