//! For tests: terms at random, and all points of a box to hold answers against.

use std::ops::RangeInclusive;

use fencewright_base::Int;

use crate::linear::{Linear, Var};

/// The same numbers for the same seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number from 0 to less than this.
    pub(crate) fn below(&mut self, below: u64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % below) as i64
    }

    fn within(&mut self, range: &RangeInclusive<i64>) -> Int {
        let (least, most) = (*range.start(), *range.end());
        Int::from(self.below((most - least + 1) as u64) + least)
    }

    /// A term over the variables `0..n`.
    pub(crate) fn term(
        &mut self,
        n: usize,
        constants: &RangeInclusive<i64>,
        factors: &RangeInclusive<i64>,
    ) -> Linear {
        let constant = Linear::constant(self.within(constants));
        (0..n).fold(constant, |sum, var| sum.add(&Linear::var(var as Var).scale(&self.within(factors))))
    }
}

/// All points of `n` numbers that are at most `side` away from 0.
pub(crate) fn points(n: usize, side: i64) -> Vec<Vec<i64>> {
    let longer = |points: Vec<Vec<i64>>| {
        points.iter().flat_map(|point| (-side..=side).map(move |v| [&point[..], &[v]].concat())).collect()
    };
    (0..n).fold(vec![Vec::new()], |points, _| longer(points))
}

/// The value of a term at a point.
pub(crate) fn value(term: &Linear, point: &[i64]) -> i64 {
    let small = |value: &Int| value.to_i64().expect("small");
    let sum = term.terms.iter().map(|(var, factor)| small(factor) * point[*var as usize]).sum::<i64>();
    sum + small(&term.constant)
}
