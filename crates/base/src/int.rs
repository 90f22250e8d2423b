//! Integers of any size. Nearly all are small, so a value is an `i64` until it no longer fits.
//!
//! Division truncates toward zero and the remainder has the sign of the dividend, as in C, DVE and LLVM's `sdiv`.
//! Bit operations see negative numbers in two's complement with infinitely many sign bits.

use std::cmp::Ordering::{Greater, Less};
use std::fmt;
use std::str::FromStr;

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive};

/// An integer of any size. The representation is unique: what fits in an `i64` is never stored as a big one, so
/// derived equality and hashing are right.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Int(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64),
    Big(Box<BigInt>),
}

/// Why an operation has no result.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ArithmeticError {
    /// Division or remainder by zero.
    DivisionByZero,
    /// Shift by a negative amount or by more than 65,535 bits: no machine has such a word.
    ShiftOutOfRange,
    /// A value that does not fit in its type, where the language makes that an error.
    Overflow,
}

impl Int {
    /// Zero.
    pub const ZERO: Int = Int(Repr::Small(0));
    /// One.
    pub const ONE: Int = Int(Repr::Small(1));
    /// The largest shift that has a result.
    pub const MAX_SHIFT: i64 = 65_535;

    fn from_big(big: BigInt) -> Self {
        match big.to_i64() {
            Some(small) => Int(Repr::Small(small)),
            None => Int(Repr::Big(Box::new(big))),
        }
    }

    fn to_big(&self) -> BigInt {
        match &self.0 {
            Repr::Small(small) => BigInt::from(*small),
            Repr::Big(big) => (**big).clone(),
        }
    }

    fn to_i128(&self) -> Option<i128> {
        match &self.0 {
            Repr::Small(small) => Some(i128::from(*small)),
            Repr::Big(big) => big.to_i128(),
        }
    }

    /// The value, if it fits.
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Repr::Small(small) => Some(small),
            Repr::Big(_) => None,
        }
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Repr::Small(0))
    }

    /// As a condition: everything but zero is true.
    pub fn is_true(&self) -> bool {
        !self.is_zero()
    }

    fn binary(
        &self,
        other: &Int,
        small: impl Fn(i64, i64) -> Option<i64>,
        big: impl Fn(BigInt, BigInt) -> BigInt,
    ) -> Int {
        if let (Repr::Small(a), Repr::Small(b)) = (&self.0, &other.0)
            && let Some(result) = small(*a, *b)
        {
            return Int(Repr::Small(result));
        }
        Int::from_big(big(self.to_big(), other.to_big()))
    }

    /// Sum.
    pub fn add(&self, other: &Int) -> Int {
        self.binary(other, i64::checked_add, |a, b| a + b)
    }

    /// Difference.
    pub fn sub(&self, other: &Int) -> Int {
        self.binary(other, i64::checked_sub, |a, b| a - b)
    }

    /// Product.
    pub fn mul(&self, other: &Int) -> Int {
        self.binary(other, i64::checked_mul, |a, b| a * b)
    }

    /// Quotient, truncated toward zero.
    pub fn div(&self, other: &Int) -> Result<Int, ArithmeticError> {
        if other.is_zero() {
            return Err(ArithmeticError::DivisionByZero);
        }
        Ok(self.binary(other, i64::checked_div, |a, b| a / b))
    }

    /// Remainder with the sign of the dividend.
    pub fn rem(&self, other: &Int) -> Result<Int, ArithmeticError> {
        if other.is_zero() {
            return Err(ArithmeticError::DivisionByZero);
        }
        Ok(self.binary(other, i64::checked_rem, |a, b| a % b))
    }

    /// Negation.
    pub fn neg(&self) -> Int {
        Int::ZERO.sub(self)
    }

    /// Bitwise and.
    pub fn bit_and(&self, other: &Int) -> Int {
        self.binary(other, |a, b| Some(a & b), |a, b| a & b)
    }

    /// Bitwise or.
    pub fn bit_or(&self, other: &Int) -> Int {
        self.binary(other, |a, b| Some(a | b), |a, b| a | b)
    }

    /// Bitwise exclusive or.
    pub fn bit_xor(&self, other: &Int) -> Int {
        self.binary(other, |a, b| Some(a ^ b), |a, b| a ^ b)
    }

    /// Bitwise complement: `-x - 1`.
    pub fn bit_not(&self) -> Int {
        Int::from(-1).sub(self)
    }

    /// Left shift: times a power of two.
    pub fn shl(&self, by: &Int) -> Result<Int, ArithmeticError> {
        let by = shift_amount(by)?;
        if let Repr::Small(value) = self.0
            && by < 64
        {
            return Ok(Int::from(i128::from(value) << by));
        }
        Ok(Int::from_big(self.to_big() << by))
    }

    /// Arithmetic right shift: rounds toward minus infinity.
    pub fn shr(&self, by: &Int) -> Result<Int, ArithmeticError> {
        let by = shift_amount(by)?;
        if let Repr::Small(value) = self.0 {
            return Ok(Int::from(value >> by.min(63)));
        }
        Ok(Int::from_big(self.to_big() >> by))
    }

    /// The value of type `iN`/`uN` that is congruent modulo 2^bits.
    pub fn wrap(&self, bits: u32, signed: bool) -> Int {
        if let Repr::Small(value) = self.0
            && bits < 63
        {
            let low = value & ((1i64 << bits) - 1);
            let negative = signed && bits > 0 && low >> (bits - 1) & 1 == 1;
            return Int::from(if negative { low - (1i64 << bits) } else { low });
        }
        if let Some(value) = self.to_i128()
            && bits <= 64
        {
            let low = value & ((1i128 << bits) - 1);
            let negative = signed && bits > 0 && low >> (bits - 1) & 1 == 1;
            return Int::from(if negative { low - (1i128 << bits) } else { low });
        }
        let modulus = BigInt::one() << bits;
        let mut low = self.to_big() % &modulus;
        if low.is_negative() {
            low += &modulus;
        }
        if signed && bits > 0 && low.bit(u64::from(bits) - 1) {
            low -= modulus;
        }
        Int::from_big(low)
    }

    /// 2^exponent.
    pub fn power_of_two(exponent: u32) -> Int {
        match exponent {
            0..=62 => Int::from(1i64 << exponent),
            _ => Int::from_big(BigInt::one() << exponent),
        }
    }
}

fn shift_amount(by: &Int) -> Result<usize, ArithmeticError> {
    match by.to_i64() {
        Some(by @ 0..=Int::MAX_SHIFT) => Ok(by as usize),
        _ => Err(ArithmeticError::ShiftOutOfRange),
    }
}

impl From<i64> for Int {
    fn from(value: i64) -> Self {
        Int(Repr::Small(value))
    }
}

impl From<i32> for Int {
    fn from(value: i32) -> Self {
        Int(Repr::Small(i64::from(value)))
    }
}

impl From<bool> for Int {
    fn from(value: bool) -> Self {
        Int(Repr::Small(i64::from(value)))
    }
}

impl From<u64> for Int {
    fn from(value: u64) -> Self {
        Int::from(i128::from(value))
    }
}

impl From<i128> for Int {
    fn from(value: i128) -> Self {
        match i64::try_from(value) {
            Ok(small) => Int(Repr::Small(small)),
            Err(_) => Int(Repr::Big(Box::new(BigInt::from(value)))),
        }
    }
}

impl PartialOrd for Int {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Int {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        match (&self.0, &other.0) {
            (Repr::Small(a), Repr::Small(b)) => a.cmp(b),
            (Repr::Big(a), Repr::Big(b)) => a.cmp(b),
            // What is big lies beyond everything that is small, on the side of its sign.
            (Repr::Small(_), Repr::Big(b)) if b.is_negative() => Greater,
            (Repr::Small(_), Repr::Big(_)) => Less,
            (Repr::Big(a), Repr::Small(_)) if a.is_negative() => Less,
            (Repr::Big(_), Repr::Small(_)) => Greater,
        }
    }
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Small(small) => small.fmt(f),
            Repr::Big(big) => big.fmt(f),
        }
    }
}

impl fmt::Debug for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Int {
    type Err = num_bigint::ParseBigIntError;

    /// Decimal digits with an optional sign.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse::<BigInt>().map(Int::from_big)
    }
}

impl Default for Int {
    fn default() -> Self {
        Int::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(value: i64) -> Int {
        Int::from(value)
    }

    #[test]
    fn results_past_64_bits_are_exact_and_come_back_small() {
        let max = int(i64::MAX);
        let big = max.add(&Int::ONE);
        assert_eq!(big.to_string(), "9223372036854775808");
        assert_eq!(big.to_i64(), None);
        assert_eq!(big.sub(&Int::ONE), max, "a result that fits is small again, so equality holds");
        assert_eq!(int(i64::MIN).neg(), big);
        assert_eq!(int(i64::MIN).div(&int(-1)), Ok(big.clone()));
        assert_eq!(big.mul(&big).to_string(), "85070591730234615865843651857942052864");
        assert!(big > max && big.neg() < int(0));
    }

    #[test]
    fn division_truncates_and_remainder_follows_the_dividend() {
        for (a, b, q, r) in [(7, 2, 3, 1), (-7, 2, -3, -1), (7, -2, -3, 1), (-7, -2, 3, -1)] {
            assert_eq!(int(a).div(&int(b)), Ok(int(q)), "{a} / {b}");
            assert_eq!(int(a).rem(&int(b)), Ok(int(r)), "{a} % {b}");
        }
        assert_eq!(int(1).div(&int(0)), Err(ArithmeticError::DivisionByZero));
        assert_eq!(int(1).rem(&int(0)), Err(ArithmeticError::DivisionByZero));
    }

    #[test]
    fn wrapping_is_exhaustively_right_for_small_widths() {
        for bits in 1..=5u32 {
            let modulus = 1i64 << bits;
            for value in -100..100i64 {
                let low = value.rem_euclid(modulus);
                let signed = if low >= modulus / 2 { low - modulus } else { low };
                assert_eq!(int(value).wrap(bits, false), int(low), "u{bits} of {value}");
                assert_eq!(int(value).wrap(bits, true), int(signed), "i{bits} of {value}");
            }
        }
        assert_eq!(int(-1).wrap(64, false).to_string(), "18446744073709551615");
        assert_eq!(Int::from(u64::MAX).wrap(64, true), int(-1));
        assert_eq!(int(-1).wrap(63, false), int(i64::MAX));
        assert_eq!(int(i64::MIN).wrap(32, true), int(0));
        let past = Int::power_of_two(64).add(&int(5));
        assert_eq!(past.wrap(64, false), int(5));
        assert_eq!(past.wrap(65, false), past);
        assert_eq!(past.neg().wrap(64, true), int(-5));
        assert_eq!(Int::power_of_two(200).add(&int(-7)).wrap(64, true), int(-7));
    }

    #[test]
    fn small_and_big_ones_are_ordered_by_value() {
        let big = Int::power_of_two(63);
        let all = [big.neg().sub(&int(1)), int(i64::MIN), int(-1), int(i64::MAX), big.clone(), big.add(&big)];
        assert!(all.is_sorted_by(|a, b| a < b), "{all:?}");
        assert_eq!(big.cmp(&big.clone()), std::cmp::Ordering::Equal);
    }

    #[test]
    fn shifts_and_bits() {
        assert_eq!(int(1).shl(&int(70)).unwrap().to_string(), "1180591620717411303424");
        assert_eq!(int(-5).shr(&int(1)), Ok(int(-3)));
        assert_eq!(int(-5).shr(&int(64)), Ok(int(-1)));
        assert_eq!(int(-3).shl(&int(63)).unwrap(), Int::power_of_two(63).mul(&int(-3)));
        assert_eq!(int(1).shl(&int(-1)), Err(ArithmeticError::ShiftOutOfRange));
        assert_eq!(int(5).bit_not(), int(-6));
        assert_eq!(int(12).bit_xor(&int(10)), int(6));
    }
}
