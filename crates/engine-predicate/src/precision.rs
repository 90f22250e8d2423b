//! The predicates that are followed: parameterised ones, `□ ≤ c`, `□ ≥ -c` and `□ - □ ≤ c`, each for all variables and
//! pairs of variables of whatever state it is asked of (SAS 2012, section 8, "predicate templates").

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::linear::Atom;
use crate::sums::{Instance, Place, Sums};
use crate::zone::{Bound, Zone, difference};

/// The constants of the predicates.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Precision {
    /// `□ ≤ c`.
    upper: BTreeSet<i64>,
    /// `-□ ≤ c`.
    lower: BTreeSet<i64>,
    /// `□ - □ ≤ c`.
    difference: BTreeSet<i64>,
    /// Those that are no zones.
    sums: Sums,
    /// Whether a path was excluded by conditions that are no zones, be it that the predicates are.
    follows_sums: bool,
}

impl Precision {
    fn of(&self, left: usize, right: usize) -> &BTreeSet<i64> {
        match (left, right) {
            (_, 0) => &self.upper,
            (0, _) => &self.lower,
            _ => &self.difference,
        }
    }

    pub(crate) fn contains(&self, bound: Bound) -> bool {
        self.of(bound.left, bound.right).contains(&bound.bound)
    }

    /// Predicates of the form of `bound` that are no stronger, weakest first.
    pub(crate) fn weaker(&self, bound: Bound) -> impl Iterator<Item = Bound> {
        let constants = self.of(bound.left, bound.right).range(bound.bound..).rev();
        constants.map(move |&constant| Bound { bound: constant, ..bound })
    }

    /// Adds the predicate of a bound; whether it is new.
    pub(crate) fn add(&mut self, bound: Bound) -> bool {
        match (bound.left, bound.right) {
            (_, 0) => self.upper.insert(bound.bound),
            (0, _) => self.lower.insert(bound.bound),
            _ => self.difference.insert(bound.bound),
        }
    }

    /// How many predicates there are.
    pub(crate) fn len(&self) -> usize {
        self.upper.len() + self.lower.len() + self.difference.len() + self.sums.len()
    }

    /// Whether more is followed than zones can say.
    pub(crate) fn follows_sums(&self) -> bool {
        self.follows_sums
    }

    /// From now on more is followed than zones can say.
    pub(crate) fn follow_sums(&mut self) {
        self.follows_sums = true;
    }

    /// Adds the predicate of a condition on variables that stand for these places; whether it is new.
    pub(crate) fn add_atom(&mut self, atom: &Atom, places: &[Place]) -> bool {
        match difference(atom) {
            _ if atom.terms.is_empty() => false,
            Some(bound) => self.add(bound),
            None => self.sums.add(atom, places),
        }
    }

    /// The predicates that are no zones, for the variables of a state.
    pub(crate) fn instances(&self, places: &[Place]) -> Rc<[Instance]> {
        self.sums.instances(places)
    }

    /// Whether a predicate is stronger than what the zone says of the pair.
    pub(crate) fn may_say_more(&self, zone: &Zone, left: usize, right: usize) -> bool {
        let strongest = self.of(left, right).first();
        strongest.is_some_and(|&bound| !zone.implies(Bound { left, right, bound }))
    }

    /// Cartesian abstraction: the conjunction of the predicates that follow from the zone.
    pub(crate) fn abstracted(&self, zone: &Zone) -> Zone {
        zone.weakened(|Bound { left, right, bound }| self.of(left, right).range(bound..).next().copied())
    }
}

impl Precision {
    /// The predicates as text, places by their names.
    pub(crate) fn text(&self, name: &dyn Fn(Place) -> String) -> String {
        let upper = self.upper.iter().map(|c| format!("□ ≤ {c}"));
        let lower = self.lower.iter().rev().map(|c| format!("□ ≥ {}", -c));
        let difference = self.difference.iter().map(|c| match c {
            -1 => "□ < □".to_owned(),
            0 => "□ ≤ □".to_owned(),
            c if *c < 0 => format!("□ ≤ □ - {}", -c),
            c => format!("□ ≤ □ + {c}"),
        });
        let all: Vec<String> = upper.chain(lower).chain(difference).chain(self.sums.texts(name)).collect();
        if all.is_empty() { "none".to_owned() } else { all.join(", ") }
    }
}
