//! Bit packing: a state is `[u64; W]`, and a [`Field`] is some bits of one of its words. No field crosses a word, so
//! reading one is a load, a shift and a mask.

/// Some bits of a state.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct Field {
    /// As many ones as it has bits, at the low end.
    mask: u64,
    word: u16,
    shift: u8,
}

impl Field {
    /// A field of no bits.
    pub const EMPTY: Field = Field { mask: 0, word: 0, shift: 0 };

    /// How many bits it has, 0 to 64. A field of no bits always holds 0.
    pub fn bits(self) -> u32 {
        self.mask.count_ones()
    }

    /// Its value.
    #[inline(always)]
    pub fn get<const W: usize>(self, state: &[u64; W]) -> u64 {
        (state[self.word as usize] >> self.shift) & self.mask
    }

    /// Sets its value, which must fit.
    #[inline(always)]
    pub fn set<const W: usize>(self, state: &mut [u64; W], value: u64) {
        debug_assert!(value & !self.mask == 0, "{value} does not fit in {} bits", self.bits());
        let word = &mut state[self.word as usize];
        *word = (*word & !(self.mask << self.shift)) | (value << self.shift);
    }
}

/// Places fields, filling the gaps that earlier ones left at the ends of words.
#[derive(Debug, Clone, Default)]
pub struct Packer {
    free: Vec<u32>,
}

impl Packer {
    /// Nothing placed.
    pub fn new() -> Self {
        Self::default()
    }

    /// A place for `bits` bits, at most 64.
    pub fn place(&mut self, bits: u32) -> Field {
        assert!(bits <= 64, "a field has at most 64 bits");
        if bits == 0 {
            return Field::EMPTY;
        }
        let word = self.free.iter().position(|&free| free >= bits).unwrap_or_else(|| {
            self.free.push(64);
            self.free.len() - 1
        });
        let shift = 64 - self.free[word];
        self.free[word] -= bits;
        Field { mask: u64::MAX >> (64 - bits), word: word as u16, shift: shift as u8 }
    }

    /// How many words are in use; at least one.
    pub fn words(&self) -> usize {
        self.free.len().max(1)
    }

    /// How many bits are in use.
    pub fn bits(&self) -> usize {
        self.free.iter().map(|&free| 64 - free as usize).sum()
    }
}

/// How many bits are needed for the numbers `0..count`.
pub fn bits_for(count: u64) -> u32 {
    match count {
        0 | 1 => 0,
        _ => 64 - (count - 1).leading_zeros(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_do_not_disturb_each_other_and_gaps_are_filled() {
        let mut packer = Packer::new();
        let widths = [7, 60, 1, 0, 33, 31, 56, 64];
        let fields: Vec<Field> = widths.iter().map(|&bits| packer.place(bits)).collect();
        assert_eq!(packer.bits(), 252);
        assert_eq!(packer.words(), 5, "7+1+56, 60, 33, 31 behind 33 makes 64, 64");
        let mut state = [0u64; 5];
        for (i, field) in fields.iter().enumerate() {
            field.set(&mut state, if field.bits() == 0 { 0 } else { u64::MAX >> (64 - field.bits()) });
            for later in &fields[i + 1..] {
                assert_eq!(later.get(&state), 0);
            }
        }
        for field in &fields {
            field.set(&mut state, 0);
        }
        assert_eq!(state, [0; 5]);
    }

    #[test]
    fn bits_for_counts() {
        let expected = [(0, 0), (1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (256, 8), (257, 9)];
        for (count, bits) in expected {
            assert_eq!(bits_for(count), bits, "{count} values");
        }
    }
}
