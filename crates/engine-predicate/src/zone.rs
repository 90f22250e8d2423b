//! Conjunctions of `x - y ≤ c`, `x ≤ c` and `-x ≤ c` over integer variables, as a matrix closed under consequences.
//!
//! Position 0 stands for the number 0, position `v + 1` for variable `v`. Over the integers the closure of such a
//! conjunction shows all its consequences of this form, and whether it has a solution; so a question about it needs no
//! solver. What is not of this form is dropped or bounded by what is known of each variable: a zone never says more than
//! it was given. Numbers that do not fit are taken as no bound.

use fencewright_base::Int;

use crate::linear::{Atom, Linear, Var};

/// No bound.
const NONE: i64 = i64::MAX;

/// Bounds past this are taken as no bound, so that sums cannot overflow.
const LARGEST: i64 = 1 << 60;

/// A conjunction that has a solution, closed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Zone {
    size: usize,
    bounds: Vec<i64>,
}

/// `left - right ≤ bound`, by positions.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Bound {
    pub(crate) left: usize,
    pub(crate) right: usize,
    pub(crate) bound: i64,
}

/// There is no solution.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(crate) struct Empty;

fn plus(a: i64, b: i64) -> i64 {
    if a == NONE || b == NONE {
        return NONE;
    }
    let sum = a.saturating_add(b);
    if sum > LARGEST { NONE } else { sum.max(-LARGEST) }
}

fn small(value: &Int) -> Option<i64> {
    value.to_i64().filter(|value| (-LARGEST / 4..=LARGEST / 4).contains(value))
}

impl Zone {
    /// Nothing is known of the variables.
    pub(crate) fn anything(n_vars: usize) -> Self {
        let size = n_vars + 1;
        let mut zone = Self { size, bounds: vec![NONE; size * size] };
        for i in 0..size {
            zone.bounds[i * size + i] = 0;
        }
        zone
    }

    /// How many variables it speaks of.
    pub(crate) fn n_vars(&self) -> usize {
        self.size - 1
    }

    fn at(&self, left: usize, right: usize) -> i64 {
        self.bounds[left * self.size + right]
    }

    /// All bounds, those of a position to itself left out.
    pub(crate) fn all(&self) -> impl Iterator<Item = Bound> {
        let positions = (0..self.size).flat_map(move |left| (0..self.size).map(move |right| (left, right)));
        positions.filter(|(left, right)| left != right).filter_map(|(left, right)| {
            let bound = self.at(left, right);
            (bound != NONE).then_some(Bound { left, right, bound })
        })
    }

    /// Bounds that all others follow from, none of which follows from the rest.
    pub(crate) fn reduced(&self) -> Vec<Bound> {
        let same = |i: usize, j: usize| plus(self.at(i, j), self.at(j, i)) == 0;
        // Of positions that differ by a number, the first speaks for all.
        let first: Vec<usize> = (0..self.size).map(|i| (0..i).find(|&j| same(i, j)).unwrap_or(i)).collect();
        let mut found = Vec::new();
        for i in 0..self.size {
            if first[i] != i {
                let ends = [(i, first[i]), (first[i], i)];
                found.extend(ends.map(|(left, right)| Bound { left, right, bound: self.at(left, right) }));
                continue;
            }
            for j in (0..self.size).filter(|&j| first[j] == j && j != i) {
                let bound = self.at(i, j);
                let mut others = (0..self.size).filter(|&k| first[k] == k && k != i && k != j);
                if bound != NONE && !others.any(|k| plus(self.at(i, k), self.at(k, j)) <= bound) {
                    found.push(Bound { left: i, right: j, bound });
                }
            }
        }
        found
    }

    /// Whether the bound follows.
    pub(crate) fn implies(&self, Bound { left, right, bound }: Bound) -> bool {
        self.at(left, right) <= bound
    }

    /// Whether every solution is one of the other's.
    pub(crate) fn is_within(&self, other: &Zone) -> bool {
        self.size == other.size && self.bounds.iter().zip(&other.bounds).all(|(own, theirs)| own <= theirs)
    }

    /// Adds a bound and its consequences.
    pub(crate) fn add(&mut self, Bound { left, right, bound }: Bound) -> Result<(), Empty> {
        if self.at(left, right) <= bound {
            return Ok(());
        }
        let back = self.at(right, left);
        if back != NONE && plus(back, bound) < 0 {
            return Err(Empty);
        }
        for i in 0..self.size {
            let to_left = self.at(i, left);
            if to_left == NONE {
                continue;
            }
            let through = plus(to_left, bound);
            for j in 0..self.size {
                let whole = plus(through, self.at(right, j));
                let known = &mut self.bounds[i * self.size + j];
                *known = whole.min(*known);
            }
        }
        Ok(())
    }

    /// The conjunction of the bounds.
    pub(crate) fn of(n_vars: usize, bounds: impl IntoIterator<Item = Bound>) -> Result<Zone, Empty> {
        let mut zone = Zone::anything(n_vars);
        bounds.into_iter().try_for_each(|bound| zone.add(bound))?;
        Ok(zone)
    }

    /// The same with more variables, of which nothing is known.
    pub(crate) fn extended(&self, n_vars: usize) -> Zone {
        let mut zone = Zone::anything(n_vars);
        for i in 0..self.size {
            for j in 0..self.size {
                zone.bounds[i * zone.size + j] = self.at(i, j);
            }
        }
        zone
    }

    /// Adds a condition as far as it can be said here; whether that is all of it.
    pub(crate) fn assume(&mut self, atom: &Atom) -> Result<bool, Empty> {
        if let Some(truth) = crate::linear::decided(atom) {
            return if truth { Ok(true) } else { Err(Empty) };
        }
        match difference(atom) {
            Some(bound) => self.add(bound).map(|()| true),
            None => {
                for (var, factor) in &atom.terms {
                    self.propagate(atom, *var, factor)?;
                }
                Ok(false)
            }
        }
    }

    /// `factor · var ≤ -(rest of the atom)`, with the least value that is known of the rest.
    fn propagate(&mut self, atom: &Atom, var: Var, factor: &Int) -> Result<(), Empty> {
        let rest = atom.sub(&Linear::var(var).scale(factor));
        let Some(least) = self.greatest(&rest.neg()).map(|greatest| greatest.neg()) else { return Ok(()) };
        let single = Linear::var(var).scale(factor).plus(&least);
        difference(&single).map_or(Ok(()), |bound| self.add(bound))
    }

    /// The greatest value of a term, if one is known.
    fn greatest(&self, term: &Linear) -> Option<Int> {
        let mut sum = term.constant.clone();
        for (var, factor) in &term.terms {
            let position = *var as usize + 1;
            let end = if *factor > Int::ZERO { self.at(position, 0) } else { self.at(0, position) };
            if end == NONE {
                return None;
            }
            let end = if *factor > Int::ZERO { Int::from(end) } else { Int::from(end).neg() };
            sum = sum.add(&factor.mul(&end));
        }
        Some(sum)
    }

    /// What is known of new variables that are given by terms over the old ones.
    pub(crate) fn image(&self, terms: &[Linear]) -> Zone {
        let mut zone = Zone::anything(terms.len());
        // As `old + constant`, `old` being a position.
        let simple: Vec<Option<(usize, i64)>> = (terms.iter())
            .map(|term| match term.terms.as_slice() {
                [] => small(&term.constant).map(|constant| (0, constant)),
                [(var, factor)] if *factor == Int::ONE => {
                    small(&term.constant).map(|constant| (*var as usize + 1, constant))
                }
                _ => None,
            })
            .collect();
        let position = |i: usize| if i == 0 { Some((0, 0)) } else { simple[i - 1] };
        for i in 0..zone.size {
            for j in 0..zone.size {
                if i == j {
                    continue;
                }
                if let (Some((left, plus_left)), Some((right, plus_right))) = (position(i), position(j)) {
                    zone.bounds[i * zone.size + j] = plus(self.at(left, right), plus_left - plus_right);
                }
            }
        }
        // The rest by what is known of each variable. Bounds of single variables of a closed zone stay closed with the
        // others only if they are added one by one.
        for (i, term) in terms.iter().enumerate() {
            if simple[i].is_none() {
                let upper = self.greatest(term).and_then(|end| small(&end));
                let lower = self.greatest(&term.neg()).and_then(|end| small(&end));
                let ends = [(i + 1, 0, upper), (0, i + 1, lower)];
                for (left, right, end) in ends {
                    if let Some(bound) = end {
                        // The image of a solution is a solution, so nothing is refused; a bound that were is left out.
                        let _ = zone.add(Bound { left, right, bound });
                    }
                }
            }
        }
        zone
    }

    /// The same with each bound made weaker, or dropped.
    pub(crate) fn weakened(&self, to: impl Fn(Bound) -> Option<i64>) -> Zone {
        let size = self.size;
        let mut zone = Zone::anything(size - 1);
        for bound in self.all() {
            zone.bounds[bound.left * size + bound.right] = to(bound).unwrap_or(NONE);
        }
        for k in 0..size {
            for i in 0..size {
                let first = zone.at(i, k);
                if first == NONE || i == k {
                    continue;
                }
                for j in 0..size {
                    let whole = plus(first, zone.at(k, j));
                    let known = &mut zone.bounds[i * size + j];
                    *known = whole.min(*known);
                }
            }
        }
        zone
    }

    /// A solution; none where numbers were too large to be followed.
    pub(crate) fn solution(&self) -> Option<Vec<i64>> {
        let mut zone = self.clone();
        for position in 1..self.size {
            // The value nearest to 0 that is still possible: in a closed zone every value between its bounds is.
            let (upper, lower) = (zone.at(position, 0), zone.at(0, position));
            let least = if lower == NONE { -LARGEST } else { -lower };
            let value = 0.max(least).min(upper);
            for (left, right, bound) in [(position, 0, value), (0, position, -value)] {
                zone.add(Bound { left, right, bound }).ok()?;
            }
        }
        Some((1..self.size).map(|position| zone.at(position, 0)).collect())
    }
}

/// The condition as a bound, if it is of that form.
pub(crate) fn difference(atom: &Atom) -> Option<Bound> {
    let bound = |left, right, factor: &Int| {
        // factor · (left - right) ≤ -constant, for a factor above 0; rounded toward minus infinity.
        let (numerator, factor) = (small(&atom.constant)?.checked_neg()?, small(factor)?);
        Some(Bound { left, right, bound: numerator.div_euclid(factor) })
    };
    let position = |var: &Var| *var as usize + 1;
    match atom.terms.as_slice() {
        [(x, a)] if *a > Int::ZERO => bound(position(x), 0, a),
        [(x, a)] => bound(0, position(x), &a.neg()),
        [(x, a), (y, b)] if *a == b.neg() => {
            if *a > Int::ZERO {
                bound(position(x), position(y), a)
            } else {
                bound(position(y), position(x), b)
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(left: usize, right: usize, bound: i64) -> Bound {
        Bound { left, right, bound }
    }

    /// All values of `n` variables from -3 to 3.
    fn points(n: usize) -> Vec<Vec<i64>> {
        let one = |points: Vec<Vec<i64>>| {
            points.iter().flat_map(|point| (-3..=3).map(move |v| [&point[..], &[v]].concat())).collect()
        };
        (0..n).fold(vec![Vec::new()], |points, _| one(points))
    }

    fn satisfies(point: &[i64], bounds: &[Bound]) -> bool {
        let at = |position: usize| if position == 0 { 0 } else { point[position - 1] };
        bounds.iter().all(|bound| at(bound.left) - at(bound.right) <= bound.bound)
    }

    /// On boxes of small numbers: a zone is empty exactly if no point satisfies its bounds, its solution is one, and all
    /// it says beyond what it was given is so at every point.
    #[test]
    fn closure_is_exhaustively_right_for_small_numbers() {
        let inside: Vec<Bound> = (1..=3).flat_map(|v| [bound(v, 0, 3), bound(0, v, 3)]).collect();
        let mut seed = 12_345u64;
        let mut next = move |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        let (mut empty, mut full) = (0, 0);
        for _ in 0..400 {
            let mut bounds = inside.clone();
            for _ in 0..4 {
                let (left, right) = (next(4) as usize, next(4) as usize);
                if left != right {
                    bounds.push(bound(left, right, next(7) as i64 - 4));
                }
            }
            let solutions: Vec<Vec<i64>> =
                points(3).into_iter().filter(|point| satisfies(point, &bounds)).collect();
            match Zone::of(3, bounds.iter().copied()) {
                Err(Empty) => {
                    assert!(solutions.is_empty(), "{bounds:?}");
                    empty += 1;
                }
                Ok(zone) => {
                    let found = zone.solution().expect("small numbers");
                    assert!(solutions.contains(&found), "{bounds:?} gave {found:?}");
                    let all: Vec<Bound> = zone.all().collect();
                    let reduced = zone.reduced();
                    assert_eq!(Zone::of(3, reduced.iter().copied()), Ok(zone.clone()), "{bounds:?}");
                    for nth in 0..reduced.len() {
                        let others = [&reduced[..nth], &reduced[nth + 1..]].concat();
                        assert_ne!(Zone::of(3, others), Ok(zone.clone()), "{bounds:?}: {nth} follows");
                    }
                    assert!(solutions.iter().all(|point| satisfies(point, &all)), "{bounds:?}");
                    // Tight: each bound is reached.
                    let at =
                        |point: &[i64], position: usize| if position == 0 { 0 } else { point[position - 1] };
                    for Bound { left, right, bound } in all {
                        assert!(solutions.iter().any(|p| at(p, left) - at(p, right) == bound), "{bounds:?}");
                    }
                    full += 1;
                }
            }
        }
        assert!(empty > 50 && full > 50, "{empty} empty, {full} not");
    }

    /// Conditions and terms that are no differences are bounded by what is known of each variable.
    #[test]
    fn other_terms_are_bounded() {
        let (x, y) = (Linear::var(0), Linear::var(1));
        let mut zone =
            Zone::of(2, [bound(1, 0, 5), bound(0, 1, -1), bound(2, 0, 7), bound(0, 2, 0)]).expect("a box");
        // 1 ≤ x ≤ 5, 0 ≤ y ≤ 7: x + y is from 1 to 12, 2x - y from -5 to 10.
        let image = zone.image(&[x.add(&y), x.scale(&Int::from(2)).sub(&y), y.plus(&Int::ONE)]);
        let ends = |position| (-image.at(0, position), image.at(position, 0));
        assert_eq!([ends(1), ends(2), ends(3)], [(1, 12), (-5, 10), (1, 8)]);
        // x + y ≤ 2 leaves y at most 1 and x at most 2.
        assert_eq!(zone.assume(&x.add(&y).plus(&Int::from(-2))), Ok(false));
        assert_eq!((zone.at(1, 0), zone.at(2, 0)), (2, 1));
        // 2x ≤ 3 means x ≤ 1; then x + y ≥ 9 is impossible, and only the intervals say so.
        assert_eq!(zone.assume(&x.scale(&Int::from(2)).plus(&Int::from(-3))), Ok(true));
        assert_eq!(zone.at(1, 0), 1);
        assert_eq!(zone.assume(&x.add(&y).neg().plus(&Int::from(9))), Err(Empty));
    }
}
