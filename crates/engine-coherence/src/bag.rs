//! The part of a buffer whose order is not kept: the set of its values and, where the abstraction keeps it, the newest.
//!
//! A bag is never empty. It stands for a non-empty sequence of writes to one cell that ends with the newest value and
//! whose values are exactly those of the set (fully disjunctive), or some of them (partially disjunctive).

use smallvec::{SmallVec, smallvec};

use crate::abstraction::Precision;

/// The number of a value, or of a value with its label where buffers are labelled (see [`labels`](crate::labels)).
pub(crate) type Value = u32;

/// Some values, sorted.
pub(crate) type ValueSet = SmallVec<[Value; 4]>;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Bag {
    set: ValueSet,
    newest: Option<Value>,
}

/// A write that leaves a bag, and what remains of it; nothing if it was the last.
pub(crate) type Taken = (Value, Option<Bag>);

impl Bag {
    pub(crate) fn of(value: Value, precision: &Precision) -> Self {
        Self { set: smallvec![value], newest: precision.recency.then_some(value) }
    }

    /// Rule STORE-S.
    pub(crate) fn add(&mut self, value: Value, precision: &Precision) {
        if let Err(place) = self.set.binary_search(&value) {
            self.set.insert(place, value);
        }
        self.newest = precision.recency.then_some(value);
    }

    /// Adds all that `later` stands for behind what this one stands for.
    pub(crate) fn append(&mut self, later: &Bag) {
        self.set.extend_from_slice(&later.set);
        self.set.sort_unstable();
        self.set.dedup();
        self.newest = later.newest;
    }

    /// What the thread itself may read (rule LOAD-B): the newest value, or any if that is not known.
    pub(crate) fn readable(&self) -> ValueSet {
        match self.newest {
            Some(newest) => smallvec![newest],
            None => self.set.clone(),
        }
    }

    /// All ways in which the oldest write may leave.
    ///
    /// With exact sets these are FLUSH-SN and FLUSH-SD of Semantics 3: the value occurs again, or this was its last
    /// occurrence, which the newest value has only when nothing else is left. Otherwise FLUSH-NE and FLUSH-E of
    /// Semantics 4: something is left, or this was the last write of all.
    pub(crate) fn take(&self, precision: &Precision) -> Vec<Taken> {
        let mut taken: Vec<Taken> = self.set.iter().map(|&value| (value, Some(self.clone()))).collect();
        if precision.exact_sets {
            for (place, &value) in self.set.iter().enumerate() {
                if self.set.len() == 1 {
                    taken.push((value, None));
                } else if self.newest != Some(value) {
                    let mut rest = self.clone();
                    rest.set.remove(place);
                    taken.push((value, Some(rest)));
                }
            }
        } else {
            let last = self.newest.expect("only exact sets go without the newest value");
            taken.push((last, None));
        }
        taken
    }

    /// The newest value, where it is kept.
    pub(crate) fn newest(&self) -> Option<Value> {
        self.newest
    }

    /// Its values, sorted.
    pub(crate) fn values(&self) -> &[Value] {
        &self.set
    }

    /// Puts other values in place of its own.
    pub(crate) fn replace(&mut self, with: &mut dyn FnMut(Value) -> Value) {
        self.set.iter_mut().for_each(|value| *value = with(*value));
        self.set.sort_unstable();
        self.set.dedup();
        self.newest = self.newest.map(with);
    }

    /// The same without its values: what two bags must have in common for one to cover the other.
    pub(crate) fn shape(&self) -> Bag {
        Bag { set: ValueSet::new(), newest: self.newest }
    }

    /// Whether all that the other stands for this one does too, given that their shapes are the same and the sets are
    /// not exact.
    pub(crate) fn covers(&self, other: &Bag) -> bool {
        other.set.iter().all(|value| self.set.binary_search(value).is_ok())
    }
}

#[cfg(test)]
impl Bag {
    /// Whether it stands for these writes, oldest first. What the tests hold the engine against.
    pub(crate) fn represents(&self, writes: &[Value], precision: &Precision) -> bool {
        let known = |value: &Value| self.set.contains(value);
        !writes.is_empty()
            && writes.iter().all(known)
            && (!precision.exact_sets || self.set.iter().all(|value| writes.contains(value)))
            && (!precision.recency || writes.last() == self.newest.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Abstraction;

    fn bag(values: &[Value], precision: &Precision) -> Bag {
        let mut bag = Bag::of(values[0], precision);
        values[1..].iter().for_each(|&value| bag.add(value, precision));
        bag
    }

    #[test]
    fn the_newest_value_leaves_last_for_good() {
        let fd = Abstraction::Fd(0).precision();
        let two = bag(&[7, 5], &fd);
        assert_eq!(two.readable().as_slice(), [5]);
        let expected = [(5, Some(two.clone())), (7, Some(two.clone())), (7, Some(bag(&[5], &fd)))];
        assert_eq!(two.take(&fd), expected);
        assert_eq!(bag(&[5], &fd).take(&fd), [(5, Some(bag(&[5], &fd))), (5, None)]);
    }

    #[test]
    fn a_set_that_is_not_exact_ends_with_the_newest_value_at_once() {
        let pd = Abstraction::Pd(0).precision();
        let two = bag(&[7, 5], &pd);
        assert_eq!(two.take(&pd), [(5, Some(two.clone())), (7, Some(two.clone())), (5, None)]);
        assert!(two.covers(&bag(&[5], &pd)) && !bag(&[5], &pd).covers(&two));
    }

    #[test]
    fn without_recency_anything_may_be_read_and_be_the_last() {
        let set = Abstraction::Set.precision();
        let two = bag(&[7, 5], &set);
        assert_eq!(two.readable().as_slice(), [5, 7]);
        assert!(two.take(&set).contains(&(5, Some(bag(&[7], &set)))));
        assert!(two.take(&set).contains(&(7, Some(bag(&[5], &set)))));
    }
}
