//! Sets of integers, stored as intervals: the values that an open integer can still have.
//!
//! Every result is exact, or `None` where it would need more than [`MOST_PIECES`] intervals.

/// The most intervals of a set.
pub const MOST_PIECES: usize = 64;

/// A set of integers: closed intervals, ascending, with a gap between any two.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Ranges(Vec<(i128, i128)>);

/// The largest integer whose product with `by` is at most `number`; `by` is positive.
fn floor(number: i128, by: i128) -> i128 {
    number.div_euclid(by)
}

/// The smallest integer whose product with `by` is at least `number`; `by` is positive.
fn ceil(number: i128, by: i128) -> i128 {
    -floor(-number, by)
}

impl Ranges {
    /// From `low` to `high`; empty if `high` is less.
    pub fn between(low: i128, high: i128) -> Self {
        Self(if low <= high { vec![(low, high)] } else { Vec::new() })
    }

    fn of(mut pieces: Vec<(i128, i128)>) -> Self {
        pieces.retain(|(low, high)| low <= high);
        pieces.sort_unstable();
        let mut joined: Vec<(i128, i128)> = Vec::new();
        for (low, high) in pieces {
            match joined.last_mut() {
                Some((_, end)) if low <= *end + 1 => *end = high.max(*end),
                _ => joined.push((low, high)),
            }
        }
        Self(joined)
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Its intervals.
    pub fn pieces(&self) -> &[(i128, i128)] {
        &self.0
    }

    /// How many numbers it has.
    pub fn count(&self) -> u128 {
        self.0.iter().map(|(low, high)| (high - low) as u128 + 1).sum()
    }

    /// The number at an index, counted from the smallest.
    pub fn nth(&self, place: u128) -> Option<i128> {
        let mut left = place;
        for (low, high) in &self.0 {
            let length = (high - low) as u128 + 1;
            if left < length {
                return Some(low + left as i128);
            }
            left -= length;
        }
        None
    }

    /// Whether it contains a number.
    pub fn contains(&self, number: i128) -> bool {
        self.0.iter().any(|(low, high)| (*low..=*high).contains(&number))
    }

    /// Its only number, if it has just one.
    pub fn single(&self) -> Option<i128> {
        match self.0[..] {
            [(low, high)] if low == high => Some(low),
            _ => None,
        }
    }

    /// The difference: its numbers that are not in the other.
    #[must_use]
    pub fn minus(&self, other: &Ranges) -> Ranges {
        let mut left = self.0.clone();
        for (low, high) in &other.0 {
            left = left
                .into_iter()
                .flat_map(|(start, end)| [(start, end.min(low - 1)), (start.max(high + 1), end)])
                .filter(|(start, end)| start <= end)
                .collect();
        }
        Self::of(left)
    }

    /// Its numbers `x` with `scale * x + offset` between `low` and `high`.
    #[must_use]
    pub fn where_between(&self, scale: i128, offset: i128, low: i128, high: i128) -> Ranges {
        if scale == 0 {
            return if (low..=high).contains(&offset) { self.clone() } else { Ranges::default() };
        }
        // A negative scale swaps the bounds.
        let (scale, low, high) = match scale > 0 {
            true => (scale, low - offset, high - offset),
            false => (-scale, offset - high, offset - low),
        };
        let (first, last) = (ceil(low, scale), floor(high, scale));
        Self::of(self.0.iter().map(|(start, end)| ((*start).max(first), (*end).min(last))).collect())
    }

    /// Its numbers `x` with `scale * x + offset` between `low` and `high` modulo `modulus`. `low` and `high` are less than
    /// `modulus` apart.
    pub fn where_between_modulo(
        &self,
        scale: i128,
        offset: i128,
        low: i128,
        high: i128,
        modulus: i128,
    ) -> Option<Ranges> {
        let mut pieces = Vec::new();
        for (start, end) in &self.0 {
            let (a, b) = (scale * start + offset, scale * end + offset);
            let (least, most) = (a.min(b), a.max(b));
            let (first, last) = (ceil(least - high, modulus), floor(most - low, modulus));
            if last - first >= MOST_PIECES as i128 {
                return None;
            }
            let here = Ranges::between(*start, *end);
            for turn in first..=last {
                let turn = turn * modulus;
                pieces.extend(here.where_between(scale, offset, low + turn, high + turn).0);
            }
        }
        let found = Self::of(pieces);
        (found.0.len() <= MOST_PIECES).then_some(found)
    }

    /// The numbers `y` with `by * y + rest` in it.
    #[must_use]
    pub fn divided(&self, by: i128, rest: i128) -> Ranges {
        let piece = |(low, high): &(i128, i128)| (ceil(low - rest, by), floor(high - rest, by));
        Self::of(self.0.iter().map(piece).collect())
    }

    /// All `turn` for which some number `x` of it has `scale * x + offset` in `turn * modulus + base ..` and less than one
    /// `modulus` above.
    pub fn turns(&self, scale: i128, offset: i128, base: i128, modulus: i128) -> Option<Vec<i128>> {
        let mut turns = Vec::new();
        for (start, end) in &self.0 {
            let (a, b) = (scale * start + offset, scale * end + offset);
            let (first, last) = (floor(a.min(b) - base, modulus), floor(a.max(b) - base, modulus));
            if last - first >= MOST_PIECES as i128 {
                return None;
            }
            turns.extend(first..=last);
        }
        turns.sort_unstable();
        turns.dedup();
        let is_met = |turn: &i128| {
            let low = turn * modulus + base;
            !self.where_between(scale, offset, low, low + modulus - 1).is_empty()
        };
        turns.retain(is_met);
        (turns.len() <= MOST_PIECES).then_some(turns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(ranges: &Ranges) -> Vec<i128> {
        (0..ranges.count()).filter_map(|place| ranges.nth(place)).collect()
    }

    #[test]
    fn differences() {
        let set = Ranges::between(0, 9).minus(&Ranges::between(3, 4)).minus(&Ranges::between(9, 20));
        assert_eq!(all(&set), [0, 1, 2, 5, 6, 7, 8]);
        assert_eq!(set.pieces(), [(0, 2), (5, 8)]);
        assert!(set.contains(5) && !set.contains(4));
        assert!(set.minus(&set).is_empty());
        assert_eq!(Ranges::between(0, 9).minus(&set).count(), 3);
    }

    /// Against trying all numbers, for all small scales, offsets and windows.
    #[test]
    fn inverse_images() {
        let set = Ranges::between(-9, 12).minus(&Ranges::between(2, 4));
        for scale in -5..=5 {
            for offset in -4..=4 {
                for low in -8..8 {
                    for high in low..8 {
                        let value = |x: i128| scale * x + offset;
                        let plain: Vec<i128> =
                            all(&set).into_iter().filter(|x| (low..=high).contains(&value(*x))).collect();
                        assert_eq!(all(&set.where_between(scale, offset, low, high)), plain);
                        let turned = |x: i128| (value(x) - low).rem_euclid(16) <= high - low;
                        let modulo: Vec<i128> = all(&set).into_iter().filter(|x| turned(*x)).collect();
                        let found = set.where_between_modulo(scale, offset, low, high, 16).unwrap();
                        assert_eq!(all(&found), modulo, "{scale} {offset} {low} {high}");
                    }
                }
                let mut turns: Vec<i128> =
                    all(&set).into_iter().map(|x| (scale * x + offset + 8).div_euclid(16)).collect();
                turns.sort_unstable();
                turns.dedup();
                assert_eq!(set.turns(scale, offset, -8, 16), Some(turns));
            }
        }
    }

    #[test]
    fn multiples() {
        let set = Ranges::between(-7, 7);
        assert_eq!(all(&set.divided(3, 1)), [-2, -1, 0, 1, 2]);
        assert_eq!(all(&set.divided(4, 3)), [-2, -1, 0, 1]);
    }

    #[test]
    fn too_many_pieces_are_none() {
        assert_eq!(Ranges::between(0, 1_000_000).where_between_modulo(3, 0, 0, 0, 256), None);
        assert_eq!(Ranges::between(0, 1_000_000).turns(3, 0, 0, 256), None);
    }
}
