//! Integers as bit vectors, exact: a result is as wide as it can get, and bits that repeat the sign are dropped. What
//! wraps around is said with [`Number::wrap`]; an operation below it may then be told how many low bits are asked for.

use fencewright_base::Int;

use crate::{Bit, Circuit};

/// Vectors wider than this are refused: an exact product or shift of unbounded integers has no end.
const WIDEST: usize = 512;

/// A number would need more bits than a circuit may have.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct TooWide;

/// An integer in two's complement, least bit first. The last bit is the sign; there is at least one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Number {
    bits: Vec<Bit>,
}

impl Number {
    /// A constant.
    pub fn constant(value: &Int) -> Result<Self, TooWide> {
        let two = Int::from(2);
        let mut rest = value.clone();
        let mut bits = Vec::new();
        while rest != Int::ZERO && rest != Int::from(-1) {
            if bits.len() >= WIDEST {
                return Err(TooWide);
            }
            let bit = rest.bit_and(&Int::ONE);
            bits.push(Bit::from(bit.is_true()));
            rest = rest.sub(&bit).div(&two).expect("two is not zero");
        }
        bits.push(Bit::from(rest != Int::ZERO));
        Ok(Self { bits })
    }

    /// 0 or 1.
    pub fn of_bit(bit: Bit) -> Self {
        Self { bits: vec![bit, Bit::FALSE] }.trimmed()
    }

    /// Any number that fits into so many bits, the sign included if `signed`.
    pub fn fresh(width: usize, signed: bool, circuit: &mut Circuit) -> Result<Self, TooWide> {
        if width > WIDEST {
            return Err(TooWide);
        }
        let mut bits: Vec<Bit> = (0..width).map(|_| circuit.fresh()).collect();
        if !signed || bits.is_empty() {
            bits.push(Bit::FALSE);
        }
        Ok(Self { bits })
    }

    /// How many bits it has, the sign included.
    pub fn width(&self) -> usize {
        self.bits.len()
    }

    /// The value, if it is a constant.
    pub fn known(&self) -> Option<Int> {
        let bits: Option<Vec<bool>> = self.bits.iter().map(|bit| bit.constant()).collect();
        Some(from_bits(&bits?))
    }

    /// The value in the last solution.
    pub fn value(&self, circuit: &Circuit) -> Int {
        let bits: Vec<bool> = self.bits.iter().map(|&bit| circuit.value(bit)).collect();
        from_bits(&bits)
    }

    fn sign(&self) -> Bit {
        *self.bits.last().expect("a number has a sign")
    }

    fn bit(&self, at: usize) -> Bit {
        self.bits.get(at).copied().unwrap_or(self.sign())
    }

    fn trimmed(mut self) -> Self {
        while self.bits.len() > 1 && self.bits[self.bits.len() - 2] == self.sign() {
            self.bits.pop();
        }
        self
    }

    /// Only the low bits are asked for: the rest may be anything, and is made a repetition of the last one kept.
    fn cut(mut self, low: Option<usize>) -> Self {
        if let Some(low) = low {
            self.bits.truncate(low.max(1));
        }
        self.trimmed()
    }

    /// Whether it is not 0.
    pub fn is_true(&self, circuit: &mut Circuit) -> Bit {
        circuit.any(&self.bits)
    }

    /// Whether both are the same.
    pub fn equal(&self, other: &Number, circuit: &mut Circuit) -> Bit {
        let width = self.width().max(other.width());
        let same: Vec<Bit> = (0..width).map(|i| !circuit.xor(self.bit(i), other.bit(i))).collect();
        circuit.all(&same)
    }

    /// In every solution in which the condition is true, both are the same.
    pub fn equate_if(&self, condition: Bit, other: &Number, circuit: &mut Circuit) {
        for i in 0..self.width().max(other.width()) {
            let (a, b) = (self.bit(i), other.bit(i));
            if a != b {
                circuit.require(&[!condition, !a, b]);
                circuit.require(&[!condition, a, !b]);
            }
        }
    }

    /// Whether it is less than the other.
    pub fn less(&self, other: &Number, circuit: &mut Circuit) -> Bit {
        let width = self.width().max(other.width());
        let mut less = Bit::FALSE;
        for i in 0..width {
            let (mut a, mut b) = (self.bit(i), other.bit(i));
            if i + 1 == width {
                // The sign counts the other way.
                std::mem::swap(&mut a, &mut b);
            }
            let differ = circuit.xor(a, b);
            less = circuit.choose(differ, b, less);
        }
        less
    }

    /// `yes` if the condition is true, else `no`.
    pub fn choose(condition: Bit, yes: &Number, no: &Number, circuit: &mut Circuit) -> Number {
        let width = yes.width().max(no.width());
        let bits = (0..width).map(|i| circuit.choose(condition, yes.bit(i), no.bit(i))).collect();
        Number { bits }.trimmed()
    }

    /// The value of the machine type that is congruent.
    pub fn wrap(&self, bits: usize, signed: bool) -> Number {
        let mut low: Vec<Bit> = (0..bits).map(|i| self.bit(i)).collect();
        if !signed || low.is_empty() {
            low.push(Bit::FALSE);
        }
        Number { bits: low }.trimmed()
    }

    /// The sum. Of this and the following, only the low bits are right if `low` says how many are asked for.
    pub fn add(&self, other: &Number, low: Option<usize>, circuit: &mut Circuit) -> Result<Number, TooWide> {
        self.sum(other, Bit::FALSE, low, circuit)
    }

    /// The difference.
    pub fn sub(&self, other: &Number, low: Option<usize>, circuit: &mut Circuit) -> Result<Number, TooWide> {
        self.sum(&other.bit_not(), Bit::TRUE, low, circuit)
    }

    /// The negative.
    pub fn neg(&self, low: Option<usize>, circuit: &mut Circuit) -> Result<Number, TooWide> {
        Number { bits: vec![Bit::FALSE] }.sub(self, low, circuit)
    }

    fn sum(
        &self,
        other: &Number,
        carry: Bit,
        low: Option<usize>,
        circuit: &mut Circuit,
    ) -> Result<Number, TooWide> {
        let exact = self.width().max(other.width()) + 1;
        let width = exact.min(low.unwrap_or(exact).max(1));
        if width > WIDEST {
            return Err(TooWide);
        }
        let mut carry = carry;
        let mut bits = Vec::with_capacity(width);
        for i in 0..width {
            let (a, b) = (self.bit(i), other.bit(i));
            let differ = circuit.xor(a, b);
            bits.push(circuit.xor(differ, carry));
            carry = circuit.choose(differ, carry, a);
        }
        Ok(Number { bits }.trimmed())
    }

    /// The product.
    pub fn mul(&self, other: &Number, low: Option<usize>, circuit: &mut Circuit) -> Result<Number, TooWide> {
        let exact = self.width() + other.width();
        let width = exact.min(low.unwrap_or(exact).max(1));
        if width > WIDEST {
            return Err(TooWide);
        }
        // Modulo 2^width, both operands sign-extended: the low bits of the product are those of the exact one.
        let (few, many) = if self.width() <= other.width() { (self, other) } else { (other, self) };
        let mut total = Number { bits: vec![Bit::FALSE] };
        for i in 0..width {
            let factor = few.bit(i);
            if factor == Bit::FALSE {
                continue;
            }
            let row = (0..width).map(|j| if j < i { Bit::FALSE } else { many.bit(j - i) });
            let bits = row.map(|bit| circuit.and(factor, bit)).collect();
            total = total.add(&Number { bits }, Some(width), circuit)?;
        }
        Ok(Number { bits: (0..width).map(|i| total.bit(i)).collect() }.trimmed())
    }

    /// Quotient, rounded towards zero, and remainder with the sign of the dividend. Meaningless if the divisor is 0.
    pub fn divide(&self, divisor: &Number, circuit: &mut Circuit) -> Result<(Number, Number), TooWide> {
        let (dividend, by) = (self.magnitude(circuit)?, divisor.magnitude(circuit)?);
        let mut quotient = vec![Bit::FALSE; dividend.width()];
        let mut rest = Number { bits: vec![Bit::FALSE] };
        for i in (0..dividend.width()).rev() {
            let mut shifted = vec![dividend.bit(i)];
            shifted.extend(&rest.bits);
            let shifted = Number { bits: shifted };
            let fits = !shifted.less(&by, circuit);
            let reduced = shifted.sub(&by, None, circuit)?;
            rest = Number::choose(fits, &reduced, &shifted, circuit);
            quotient[i] = fits;
        }
        quotient.push(Bit::FALSE);
        let quotient = Number { bits: quotient }.trimmed();
        let signs_differ = circuit.xor(self.sign(), divisor.sign());
        let negative = quotient.neg(None, circuit)?;
        let negative_rest = rest.neg(None, circuit)?;
        Ok((
            Number::choose(signs_differ, &negative, &quotient, circuit),
            Number::choose(self.sign(), &negative_rest, &rest, circuit),
        ))
    }

    fn magnitude(&self, circuit: &mut Circuit) -> Result<Number, TooWide> {
        let negative = self.neg(None, circuit)?;
        Ok(Number::choose(self.sign(), &negative, self, circuit))
    }

    /// Bit by bit.
    pub fn bitwise(
        &self,
        other: &Number,
        circuit: &mut Circuit,
        gate: fn(&mut Circuit, Bit, Bit) -> Bit,
    ) -> Number {
        let width = self.width().max(other.width());
        let bits = (0..width).map(|i| gate(circuit, self.bit(i), other.bit(i))).collect();
        Number { bits }.trimmed()
    }

    /// Every bit negated: `-x - 1`.
    pub fn bit_not(&self) -> Number {
        Number { bits: self.bits.iter().map(|&bit| !bit).collect() }
    }

    /// Times 2^`by`, for a `by` that is not negative.
    pub fn shl(&self, by: &Number, low: Option<usize>, circuit: &mut Circuit) -> Result<Number, TooWide> {
        let mut result = self.clone();
        for (i, &bit) in by.bits[..by.width() - 1].iter().enumerate() {
            if bit == Bit::FALSE {
                continue;
            }
            let places = 1usize.checked_shl(u32::try_from(i).map_err(|_| TooWide)?).unwrap_or(usize::MAX);
            // Past what is asked for there are only zeros.
            let kept = places.min(low.map_or(WIDEST + 1, |low| low.max(1)));
            if result.width() + kept > WIDEST + low.unwrap_or(0) {
                return Err(TooWide);
            }
            let mut bits = vec![Bit::FALSE; kept];
            bits.extend(&result.bits);
            let shifted = Number { bits }.cut(low);
            result = Number::choose(bit, &shifted, &result, circuit).cut(low);
        }
        Ok(result)
    }

    /// Divided by 2^`by` and rounded down, for a `by` that is not negative.
    pub fn shr(&self, by: &Number, circuit: &mut Circuit) -> Number {
        let mut result = self.clone();
        for (i, &bit) in by.bits[..by.width() - 1].iter().enumerate() {
            let places = u32::try_from(i).ok().and_then(|i| 1usize.checked_shl(i)).unwrap_or(usize::MAX);
            let from = places.min(result.width() - 1);
            let shifted = Number { bits: result.bits[from..].to_vec() };
            result = Number::choose(bit, &shifted, &result, circuit);
        }
        result
    }
}

fn from_bits(bits: &[bool]) -> Int {
    let sign = if bits[bits.len() - 1] { Int::from(-1) } else { Int::ZERO };
    bits[..bits.len() - 1].iter().rev().fold(sign, |value, &bit| value.add(&value).add(&Int::from(bit)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Answer;

    /// Every operation on every pair of small numbers, once folded and once by the solver, against `Int`.
    #[test]
    fn arithmetic_agrees_with_integers() {
        let values: Vec<i64> = (-9..=9).collect();
        let mut circuit = Circuit::default();
        let x = Number::fresh(5, true, &mut circuit).expect("narrow");
        let y = Number::fresh(5, true, &mut circuit).expect("narrow");
        let symbolic = results(&x, &y, &mut circuit);
        for &a in &values {
            for &b in &values {
                let (a, b) = (Int::from(a), Int::from(b));
                let (m, n) = (Number::constant(&a).expect("narrow"), Number::constant(&b).expect("narrow"));
                let folded = results(&m, &n, &mut circuit);
                let is_x = x.equal(&m, &mut circuit);
                let is_y = y.equal(&n, &mut circuit);
                assert_eq!(circuit.solve(&[is_x, is_y]), Answer::Satisfiable);
                for (i, expected) in expected(&a, &b).into_iter().enumerate() {
                    let Some(expected) = expected else { continue };
                    assert_eq!(folded[i].known(), Some(expected.clone()), "operation {i} of {a} and {b}");
                    assert_eq!(symbolic[i].value(&circuit), expected, "operation {i} of {a} and {b}");
                }
            }
        }
    }

    fn results(a: &Number, b: &Number, circuit: &mut Circuit) -> Vec<Number> {
        let bit = |bit| Number::of_bit(bit);
        let (quotient, rest) = a.divide(b, circuit).expect("narrow");
        let five = b.wrap(3, false);
        vec![
            a.add(b, None, circuit).expect("narrow"),
            a.sub(b, None, circuit).expect("narrow"),
            a.mul(b, None, circuit).expect("narrow"),
            quotient,
            rest,
            a.bitwise(b, circuit, Circuit::and),
            a.bitwise(b, circuit, Circuit::or),
            a.bitwise(b, circuit, Circuit::xor),
            a.shl(&five, None, circuit).expect("narrow"),
            a.shr(&five, circuit),
            bit(a.less(b, circuit)),
            bit(a.equal(b, circuit)),
            a.neg(None, circuit).expect("narrow"),
            a.bit_not(),
            bit(a.is_true(circuit)),
            a.mul(b, Some(4), circuit).expect("narrow").wrap(4, true),
            a.add(b, Some(3), circuit).expect("narrow").wrap(3, false),
            a.shl(&five, Some(4), circuit).expect("narrow").wrap(4, false),
        ]
    }

    fn expected(a: &Int, b: &Int) -> Vec<Option<Int>> {
        let shift = b.wrap(3, false);
        vec![
            Some(a.add(b)),
            Some(a.sub(b)),
            Some(a.mul(b)),
            a.div(b).ok(),
            a.rem(b).ok(),
            Some(a.bit_and(b)),
            Some(a.bit_or(b)),
            Some(a.bit_xor(b)),
            a.shl(&shift).ok(),
            a.shr(&shift).ok(),
            Some(Int::from(a < b)),
            Some(Int::from(a == b)),
            Some(a.neg()),
            Some(a.bit_not()),
            Some(Int::from(a.is_true())),
            Some(a.mul(b).wrap(4, true)),
            Some(a.add(b).wrap(3, false)),
            a.shl(&shift).ok().map(|value| value.wrap(4, false)),
        ]
    }

    #[test]
    fn what_has_no_end_is_refused() {
        let mut circuit = Circuit::default();
        let wide = Number::fresh(64, false, &mut circuit).expect("narrow");
        assert_eq!(Number::constant(&Int::ONE).expect("narrow").shl(&wide, None, &mut circuit), Err(TooWide));
        let square = wide.mul(&wide, Some(64), &mut circuit).expect("cut");
        assert!(square.width() <= 64);
        assert!(Number::constant(&Int::ONE).expect("narrow").shl(&wide, Some(8), &mut circuit).is_ok());
    }
}
