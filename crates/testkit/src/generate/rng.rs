//! A small deterministic source of numbers: the same seed gives the same program on every machine and for ever, which
//! a dependency does not promise.

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
#[derive(Debug, Clone)]
pub struct Rng(u64);

impl Rng {
    /// The sequence of this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number of the sequence.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.number() % n as u64) as usize
    }

    /// A number from `lo` to `hi`, both included.
    pub fn between(&mut self, lo: i64, hi: i64) -> i64 {
        lo + self.below((hi - lo + 1) as usize) as i64
    }

    /// True in `percent` of 100 cases.
    pub fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of the items.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// One of the items, as often as its weight says.
    pub fn weighted<'a, T>(&mut self, items: &'a [(usize, T)]) -> &'a T {
        let mut rest = self.below(items.iter().map(|(weight, _)| weight).sum());
        for (weight, item) in items {
            if rest < *weight {
                return item;
            }
            rest -= weight;
        }
        unreachable!("the rest is below the sum of the weights")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        // The first values of SplitMix64 from seed 1234567, as given with the reference implementation.
        let mut rng = Rng::new(1_234_567);
        assert_eq!(rng.number(), 6_457_827_717_110_365_317);
        assert_eq!(rng.number(), 3_203_168_211_198_807_973);
        assert_eq!(rng.number(), 9_817_491_932_198_370_423);
    }
}
