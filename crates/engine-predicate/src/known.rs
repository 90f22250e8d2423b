//! What is known of the variables of a state: a zone, and facts that are no zones.
//!
//! As long as no predicate is followed that is no zone, this is the zone and costs no more. Else what a move leaves is asked of
//! the simplex ([`crate::simplex`]): every predicate that is followed, and follows from what was known and what the move demands, is
//! known behind it. *Contract:* what is known after a move is true of whatever the move makes of values of which what was known
//! before is true; if there is no answer, less is known.

use std::collections::BTreeSet;

use fencewright_base::Int;

use crate::linear::{Atom, Linear, Var};
use crate::precision::Precision;
use crate::simplex::Simplex;
use crate::sums::{Instance, tightened};
use crate::system::Move;
use crate::zone::{Bound, Empty, Zone, difference};

/// A conjunction that has a solution as far as it was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) zone: Zone,
    /// Conditions that are no bounds of the zone, in order; of each sum the strongest.
    pub(crate) facts: Vec<Atom>,
}

impl Known {
    /// Nothing is known of the variables.
    pub(crate) fn nothing(n_vars: usize) -> Self {
        Self { zone: Zone::anything(n_vars), facts: Vec::new() }
    }

    /// Whether every solution is one of the other's, as far as single conditions tell. Between two conjunctions of the same predicates,
    /// each with all those that follow, that is all there is.
    pub(crate) fn is_within(&self, other: &Known) -> bool {
        let has = |fact: &Atom| {
            self.facts.iter().any(|own| own.terms == fact.terms && own.constant >= fact.constant)
        };
        self.zone.is_within(&other.zone) && other.facts.iter().all(has)
    }

    /// What it takes, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let positions = (self.zone.n_vars() + 1) as u64;
        let facts: usize = self.facts.iter().map(|fact| size_of::<Atom>() + 32 * fact.terms.len()).sum();
        8 * positions * positions + facts as u64
    }
}

/// What a zone says after a move.
pub(crate) fn zone_after(made: &Move, zone: &Zone) -> Result<Zone, Empty> {
    if made.guard.is_empty() && made.n_all == made.n_before {
        return Ok(zone.image(&made.after));
    }
    let mut before = zone.extended(made.n_all);
    for atom in &made.guard {
        before.assume(atom)?;
    }
    Ok(before.image(&made.after))
}

/// What is known after a move, as far as the predicates can say it. `instances` are those of the target that are no zones.
pub(crate) fn after(
    made: &Move,
    known: &Known,
    precision: &Precision,
    instances: &[Instance],
) -> Result<Known, Empty> {
    if !precision.follows_sums() {
        let zone = precision.abstracted(&zone_after(made, &known.zone)?);
        return Ok(Known { zone, facts: Vec::new() });
    }
    let mut before = known.zone.extended(made.n_all);
    let mut sums = known.facts.clone();
    for atom in &made.guard {
        if !before.assume(atom)? {
            sums.push(tightened(atom));
        }
    }
    for fact in &known.facts {
        before.assume(fact)?;
    }
    let mut asked = Asked { before: &before, sums: &sums, simplex: None };
    if !sums.is_empty() && asked.is_impossible() {
        return Err(Empty);
    }
    if made.target.is_none() {
        return Ok(Known::nothing(0));
    }
    let image = zone_image(made, &mut asked, precision)?;
    let over = |var: Var| made.after[var as usize].clone();
    let mut facts = Vec::new();
    for instance in instances {
        let term = instance.term.substitute(&over);
        facts.extend(asked.greatest_for(&term, instance).and_then(|most| instance.at_most(&most)));
    }
    facts.sort_unstable();
    Ok(Known { zone: precision.abstracted(&image), facts })
}

/// The image of the zone, with the bounds that predicates ask for and a zone alone does not see.
fn zone_image(made: &Move, asked: &mut Asked<'_>, precision: &Precision) -> Result<Zone, Empty> {
    let mut image = asked.before.image(&made.after);
    if asked.sums.is_empty() && made.after.iter().all(is_simple) {
        return Ok(image);
    }
    let at = |position: usize| match position {
        0 => Linear::constant(0),
        position => made.after[position - 1].clone(),
    };
    for left in 0..=made.after.len() {
        for right in 0..=made.after.len() {
            if left == right || !precision.may_say_more(&image, left, right) {
                continue;
            }
            let greatest = asked.greatest(&at(left).sub(&at(right))).and_then(|most| most.to_i64());
            if let Some(bound) = greatest.filter(|bound| bound.unsigned_abs() < 1 << 58) {
                image.add(Bound { left, right, bound })?;
            }
        }
    }
    Ok(image)
}

/// Whether a zone follows the term: a variable plus a number, or a number.
pub(crate) fn is_simple(term: &Linear) -> bool {
    match term.terms.as_slice() {
        [] => true,
        [(_, factor)] => *factor == Int::ONE,
        _ => false,
    }
}

/// A conjunction that questions are put to.
struct Asked<'a> {
    before: &'a Zone,
    sums: &'a [Atom],
    /// Made when it is first needed; `None` inside: there is no answer.
    simplex: Option<Option<Simplex>>,
}

impl Asked<'_> {
    fn atoms(&self) -> Vec<Atom> {
        let bounds = self.before.reduced().into_iter().map(atom_of);
        // Numbers that the simplex cannot hold are left out: less is known then.
        let sums = self.sums.iter().filter(|atom| {
            atom.constant.to_i64().is_some() && atom.terms.iter().all(|(_, factor)| factor.to_i64().is_some())
        });
        bounds.chain(sums.cloned()).collect()
    }

    /// Whether there certainly is no solution.
    fn is_impossible(&mut self) -> bool {
        match Simplex::new(self.before.n_vars(), &self.atoms()) {
            Ok(Err(_)) => true,
            Ok(Ok(simplex)) => {
                self.simplex = Some(Some(simplex));
                self.misses_integers()
            }
            Err(_) => {
                self.simplex = Some(None);
                false
            }
        }
    }

    /// Whether no integer is between the bounds of a variable. That takes a factor other than 1: `2x = 3`.
    fn misses_integers(&mut self) -> bool {
        let one = |factor: &Int| *factor == Int::ONE || *factor == Int::from(-1);
        let terms = self.sums.iter().flat_map(|sum| &sum.terms);
        let scaled: BTreeSet<Var> = terms.filter(|(_, factor)| !one(factor)).map(|(var, _)| *var).collect();
        scaled.into_iter().any(|var| {
            let var = Linear::var(var);
            let ends = self.greatest(&var).zip(self.greatest(&var.neg()));
            ends.is_some_and(|(most, least)| most < least.neg())
        })
    }

    /// The greatest value of a term, if one is known.
    fn greatest(&mut self, term: &Linear) -> Option<Int> {
        if let Some(known) = term.known() {
            return Some(known.clone());
        }
        if self.simplex.is_none() && self.is_impossible() {
            // Whether there is a solution was asked before if anything but a zone is known, and a closed zone has one.
            self.simplex = Some(None);
        }
        let simplex = self.simplex.as_mut()?.as_mut()?;
        match simplex.greatest(term) {
            Ok(greatest) => greatest,
            Err(_) => {
                self.simplex = Some(None);
                None
            }
        }
    }

    /// The greatest value of a term, as far as the predicate asks: what is known already may do.
    fn greatest_for(&mut self, term: &Linear, instance: &Instance) -> Option<Int> {
        let same = self.sums.iter().filter(|sum| sum.terms == term.terms);
        let told = same.map(|sum| term.constant.sub(&sum.constant)).min();
        match told {
            Some(told) if !instance.may_say_more(&told) => Some(told),
            told => {
                let greatest = self.greatest(term);
                match (told, greatest) {
                    (Some(told), Some(greatest)) => Some(told.min(greatest)),
                    (told, greatest) => told.or(greatest),
                }
            }
        }
    }
}

/// The bound as `term ≤ 0`.
pub(crate) fn atom_of(Bound { left, right, bound }: Bound) -> Atom {
    let at = |position: usize| match position {
        0 => Linear::constant(0),
        position => Linear::var((position - 1) as Var),
    };
    at(left).sub(&at(right)).plus(&Int::from(bound).neg())
}

/// The move without what zones do not follow: conditions that are no bounds are left out, and values that are no variable plus a
/// number are any. `None`: there is nothing of that.
pub(crate) fn without_sums(made: &Move) -> Option<Move> {
    if made.guard.iter().all(|atom| difference(atom).is_some()) && made.after.iter().all(is_simple) {
        return None;
    }
    let mut plain = made.clone();
    plain.guard.retain(|atom| difference(atom).is_some());
    for term in plain.after.iter_mut().filter(|term| !is_simple(term)) {
        *term = Linear::var(plain.n_all as Var);
        plain.n_all += 1;
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boxes::{Random, points, value};
    use crate::sums::Place;
    use crate::system::Act;
    use fencewright_ir::CellId;

    const SIDE: i64 = 2;

    fn satisfies(known: &Known, point: &[i64]) -> bool {
        known.zone.all().map(atom_of).chain(known.facts.iter().cloned()).all(|atom| value(&atom, point) <= 0)
    }

    /// Moves and conjunctions at random: what a move makes of any point of a box that satisfies what is known, satisfies what is
    /// known behind it; and facts are found.
    #[test]
    fn images_are_images_of_every_point() {
        let mut random = Random(77);
        let (mut impossible, mut taken, mut facts) = (0, 0, 0);
        for _ in 0..1_500 {
            let (n_before, n_all, n_after) = (2, 2 + random.below(2) as usize, 3);
            let bound = |left, right, bound| Bound { left, right, bound };
            let mut bounds: Vec<Bound> =
                (1..=n_before).flat_map(|v| [bound(v, 0, SIDE), bound(0, v, SIDE)]).collect();
            bounds.push(bound(1, 2, random.below(5) - 2));
            let Ok(zone) = Zone::of(n_before, bounds) else { continue };
            let sum = Linear::var(0).add(&Linear::var(1));
            let known = Known { zone, facts: vec![sum.plus(&Int::from(random.below(5) - 2))] };
            let made = Move {
                act: Act::Look,
                target: Some(0),
                guard: (0..1 + random.below(2)).map(|_| random.term(n_all, &(-3..=3), &(-1..=2))).collect(),
                after: (0..n_after).map(|_| random.term(n_all, &(-3..=3), &(-1..=2))).collect(),
                n_before,
                n_all,
            };
            let places: Vec<Place> = (0..n_after).map(|cell| Place::Cell(CellId(cell as u32))).collect();
            let mut precision = Precision::default();
            precision.follow_sums();
            for _ in 0..6 {
                precision.add_atom(&random.term(n_after, &(-3..=3), &(-1..=2)), &places);
                precision.add(bound(random.below(2) as usize, 2, random.below(5) - 2));
            }
            let image = after(&made, &known, &precision, &precision.instances(&places));
            for point in points(n_all, SIDE) {
                let possible =
                    satisfies(&known, &point) && made.guard.iter().all(|atom| value(atom, &point) <= 0);
                if !possible {
                    continue;
                }
                let Ok(image) = &image else { panic!("{known:?} has {point:?} for {made:?}") };
                let next: Vec<i64> = made.after.iter().map(|term| value(term, &point)).collect();
                assert!(satisfies(image, &next), "{known:?}, {point:?} to {next:?} by {made:?}: {image:?}");
                taken += 1;
            }
            match image {
                Ok(image) => facts += image.facts.len(),
                Err(Empty) => impossible += 1,
            }
        }
        assert!(impossible > 50 && taken > 5_000 && facts > 1_000, "{impossible} {taken} {facts}");
    }

    /// x + y = 10; z becomes x + y, then x, 10 - y: what zones do not see.
    #[test]
    fn facts_reach_zones() {
        let [x, y, ten] = [Linear::var(0), Linear::var(1), Linear::constant(10)];
        let known = Known { zone: Zone::anything(2), facts: crate::linear::equal(&x.add(&y), &ten).to_vec() };
        let mut precision = Precision::default();
        precision.follow_sums();
        for bound in [Bound { left: 1, right: 0, bound: 10 }, Bound { left: 1, right: 2, bound: 0 }] {
            precision.add(bound);
        }
        let target = Some(0);
        let after_terms = vec![x.add(&y), x.clone(), ten.sub(&y)];
        let made =
            Move { act: Act::Look, target, guard: Vec::new(), after: after_terms, n_before: 2, n_all: 2 };
        let image = after(&made, &known, &precision, &[]).expect("possible");
        assert!(image.zone.implies(Bound { left: 1, right: 0, bound: 10 }));
        assert!(image.zone.implies(Bound { left: 2, right: 3, bound: 0 }));
        assert!(image.zone.implies(Bound { left: 3, right: 2, bound: 0 }));
    }
}
