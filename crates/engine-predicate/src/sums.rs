//! Predicates that are no zones, `Σ factor · place ≤ c`: which are followed, and for which variables of a state (SAS 2012,
//! section 8, "predicate templates").
//!
//! A place is a cell or a register. A predicate on cells is one on what memory holds there and on every write to it that is pending: in
//! any mixture, because that is what its readers see. All pairs and triples of variables, as with zones, would be too many.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use fencewright_base::Int;
use fencewright_ir::{CellId, RegId, ThreadId};

use crate::linear::{Atom, Linear, Var};

/// States of more instances of one predicate do not follow it.
const MOST_INSTANCES: usize = 256;

/// What a variable of a control stands for.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Place {
    /// What memory or a pending write to it has.
    Cell(CellId),
    Register(ThreadId, RegId),
}

/// Places with factors, and the constants they are held against. There is one factor 1, or none that divides all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sums(BTreeMap<Vec<(Place, i64)>, Rc<BTreeSet<i64>>>);

/// A predicate for certain variables of a state.
#[derive(Debug, Clone)]
pub(crate) struct Instance {
    /// The sum, without a constant.
    pub(crate) term: Linear,
    constants: Rc<BTreeSet<i64>>,
}

impl Instance {
    /// The strongest predicate that is true if the sum is at most this.
    pub(crate) fn at_most(&self, greatest: &Int) -> Option<Atom> {
        let constant = self.constants.range(greatest.to_i64()?..).next()?;
        Some(self.term.plus(&Int::from(*constant).neg()))
    }

    /// Whether a predicate is stronger than that the sum is at most this.
    pub(crate) fn may_say_more(&self, greatest: &Int) -> bool {
        self.constants.first().is_some_and(|least| Int::from(*least) < *greatest)
    }
}

/// The condition with factors that have no common divisor; `None`: a number does not fit, or there is no variable.
pub(crate) fn reduced(atom: &Atom) -> Option<(Vec<(Var, i64)>, i64)> {
    let mut by = 0i64;
    let mut factors = Vec::new();
    for (var, factor) in &atom.terms {
        let factor = factor.to_i64().filter(|factor| *factor != i64::MIN)?;
        factors.push((*var, factor));
        let (mut a, mut b) = (by, factor);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        by = a.abs();
    }
    if by == 0 {
        return None;
    }
    let bound = atom.constant.to_i64()?.checked_neg()?.div_euclid(by);
    Some((factors.into_iter().map(|(var, factor)| (var, factor / by)).collect(), bound))
}

/// The same condition on integers, and a stronger one on fractions if its factors have a common divisor.
pub(crate) fn tightened(atom: &Atom) -> Atom {
    reduced(atom).map_or_else(
        || atom.clone(),
        |(factors, bound)| {
            let terms = factors.into_iter().map(|(var, factor)| (var, Int::from(factor))).collect();
            Linear { terms, constant: Int::from(bound).neg() }
        },
    )
}

impl Sums {
    /// How many predicates there are.
    pub(crate) fn len(&self) -> usize {
        self.0.values().map(|constants| constants.len()).sum()
    }

    /// Adds the predicate of a condition on variables that stand for these places; whether it is new.
    pub(crate) fn add(&mut self, atom: &Atom, places: &[Place]) -> bool {
        let Some((factors, bound)) = reduced(atom) else { return false };
        let mut key: Vec<(Place, i64)> =
            factors.into_iter().map(|(var, factor)| (places[var as usize], factor)).collect();
        key.sort_unstable();
        Rc::make_mut(self.0.entry(key).or_default()).insert(bound)
    }

    /// The predicates for the variables of a state.
    pub(crate) fn instances(&self, places: &[Place]) -> Rc<[Instance]> {
        let mut found = Vec::new();
        for (sum, constants) in &self.0 {
            let mut ways: BTreeSet<Vec<(Var, i64)>> = BTreeSet::from([Vec::new()]);
            for (place, factor) in sum {
                let here = (places.iter().enumerate()).filter(|(_, other)| *other == place);
                let here: Vec<Var> = here.map(|(var, _)| var as Var).collect();
                let longer = ways.iter().flat_map(|way| {
                    let unused = here.iter().filter(|var| way.iter().all(|(other, _)| other != *var));
                    unused.map(|var| {
                        let mut way = way.clone();
                        way.push((*var, *factor));
                        way.sort_unstable();
                        way
                    })
                });
                ways = longer.take(MOST_INSTANCES + 1).collect();
            }
            if ways.len() > MOST_INSTANCES {
                continue;
            }
            for way in ways {
                let terms = way.into_iter().map(|(var, factor)| (var, Int::from(factor))).collect();
                let term = Linear { terms, constant: Int::ZERO };
                found.push(Instance { term, constants: constants.clone() });
            }
        }
        found.into()
    }

    /// Each as text, places by their names.
    pub(crate) fn texts(&self, name: &dyn Fn(Place) -> String) -> Vec<String> {
        let mut all = Vec::new();
        for (sum, constants) in &self.0 {
            let mut text = String::new();
            for (place, factor) in sum {
                text += match (text.is_empty(), *factor < 0) {
                    (true, false) => "",
                    (true, true) => "-",
                    (false, false) => " + ",
                    (false, true) => " - ",
                };
                if factor.unsigned_abs() != 1 {
                    text += &format!("{}·", factor.unsigned_abs());
                }
                text += &name(*place);
            }
            all.extend(constants.iter().map(|constant| format!("{text} ≤ {constant}")));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::le;

    /// x + y ≤ 10, followed for both values of x that there are.
    #[test]
    fn a_predicate_is_one_of_every_value_of_its_places() {
        let (x, y) = (Place::Cell(CellId(0)), Place::Cell(CellId(1)));
        let sum = Linear::var(0).add(&Linear::var(1));
        let mut sums = Sums::default();
        assert!(sums.add(&le(&sum.scale(&Int::from(2)), &Linear::constant(21)), &[x, y]));
        assert!(!sums.add(&le(&sum, &Linear::constant(10)), &[x, y]), "2x + 2y ≤ 21 is x + y ≤ 10");
        assert!(sums.add(&le(&sum, &Linear::constant(12)), &[y, x]));
        assert_eq!(sums.len(), 2);
        let instances = sums.instances(&[x, y, x]);
        let terms: Vec<&Linear> = instances.iter().map(|instance| &instance.term).collect();
        assert_eq!(terms, [&sum, &Linear::var(1).add(&Linear::var(2))]);
        let first = &instances[0];
        assert_eq!(first.at_most(&Int::from(11)), Some(le(&sum, &Linear::constant(12))));
        assert_eq!(first.at_most(&Int::from(13)), None);
        assert!(first.may_say_more(&Int::from(11)) && !first.may_say_more(&Int::from(10)));
        let name = |place| if place == x { "x".to_owned() } else { "y".to_owned() };
        assert_eq!(sums.texts(&name), ["x + y ≤ 10", "x + y ≤ 12"]);
    }
}
