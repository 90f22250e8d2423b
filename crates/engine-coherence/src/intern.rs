//! Hash-consing: equal things get the same number.

use std::collections::HashMap;
use std::hash::Hash;
use std::rc::Rc;

use foldhash::fast::FixedState;

/// Things by number, and numbers by thing.
#[derive(Debug)]
pub(crate) struct Interner<T> {
    things: Vec<Rc<T>>,
    numbers: HashMap<Rc<T>, u32, FixedState>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { things: Vec::new(), numbers: HashMap::default() }
    }
}

impl<T: Hash + Eq> Interner<T> {
    /// The number of the thing.
    pub(crate) fn number(&mut self, thing: T) -> u32 {
        if let Some(&number) = self.numbers.get(&thing) {
            return number;
        }
        let number = u32::try_from(self.things.len()).expect("the memory ends before the numbers do");
        let thing = Rc::new(thing);
        self.things.push(Rc::clone(&thing));
        self.numbers.insert(thing, number);
        number
    }

    /// The thing of that number.
    pub(crate) fn thing(&self, number: u32) -> &Rc<T> {
        &self.things[number as usize]
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.things.len()
    }
}
