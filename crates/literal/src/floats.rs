//! Floating-point operations on bits. `float` and `double` are computed with Rust's own types, which round as IEEE 754
//! requires.
//!
//! An operand with an unset bit makes the result unset. Computations in other formats are refused.

use std::cmp::Ordering;

use fencewright_llvm::module::{FloatKind, FloatOp, FloatPredicate};

use crate::value::{Scalar, Value, Wide, wide_mask, wide_sign_extend};

/// A supported format.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum Format {
    /// 32 bits.
    Single,
    /// 64 bits.
    Double,
}

impl Format {
    /// The format of a type, if it is supported.
    pub fn of(kind: FloatKind) -> Option<Format> {
        match kind {
            FloatKind::Float => Some(Format::Single),
            FloatKind::Double => Some(Format::Double),
            FloatKind::Half | FloatKind::BFloat | FloatKind::X86Fp80 | FloatKind::Quad => None,
        }
    }

    fn width(self) -> u32 {
        match self {
            Format::Single => 32,
            Format::Double => 64,
        }
    }

    fn read(self, bits: u64) -> f64 {
        match self {
            Format::Single => f64::from(f32::from_bits(bits as u32)),
            Format::Double => f64::from_bits(bits),
        }
    }

    /// The number in this format.
    pub fn write(self, value: f64) -> Scalar {
        Scalar::int(match self {
            Format::Single => u64::from((value as f32).to_bits()),
            Format::Double => value.to_bits(),
        })
    }
}

/// Arithmetic. A `float` is computed as a `float`, because computing in `double` would round twice.
pub fn binary(op: FloatOp, format: Format, a: Scalar, b: Scalar) -> Scalar {
    if !a.is_set() || !b.is_set() {
        return Scalar::poison(format.width());
    }
    match format {
        Format::Single => {
            let (x, y) = (f32::from_bits(a.bits as u32), f32::from_bits(b.bits as u32));
            let result = match op {
                FloatOp::FAdd => x + y,
                FloatOp::FSub => x - y,
                FloatOp::FMul => x * y,
                FloatOp::FDiv => x / y,
                FloatOp::FRem => x % y,
            };
            Scalar::int(u64::from(result.to_bits()))
        }
        Format::Double => {
            let (x, y) = (f64::from_bits(a.bits), f64::from_bits(b.bits));
            let result = match op {
                FloatOp::FAdd => x + y,
                FloatOp::FSub => x - y,
                FloatOp::FMul => x * y,
                FloatOp::FDiv => x / y,
                FloatOp::FRem => x % y,
            };
            Scalar::int(result.to_bits())
        }
    }
}

/// The value with the opposite sign.
pub fn negate(format: Format, value: Scalar) -> Scalar {
    if !value.is_set() {
        return Scalar::poison(format.width());
    }
    Scalar::int(value.bits ^ 1 << (format.width() - 1))
}

/// A comparison.
pub fn compare(predicate: FloatPredicate, format: Format, a: Scalar, b: Scalar) -> Scalar {
    if !a.is_set() || !b.is_set() {
        return Scalar::poison(1);
    }
    let holds = match format.read(a.bits).partial_cmp(&format.read(b.bits)) {
        Some(Ordering::Less) => predicate.less,
        Some(Ordering::Equal) => predicate.equal,
        Some(Ordering::Greater) => predicate.greater,
        None => predicate.unordered,
    };
    Scalar::int(holds.into())
}

/// Conversion to another format.
pub fn resize(from: Format, to: Format, value: Scalar) -> Scalar {
    if !value.is_set() { Scalar::poison(to.width()) } else { to.write(from.read(value.bits)) }
}

/// Conversion to an integer; poison if it does not fit.
pub fn to_int(from: Format, value: Scalar, width: u32, signed: bool) -> Value {
    let number = from.read(value.bits).trunc();
    let limit = 2f64.powi(width as i32 - i32::from(signed));
    let lowest = if signed { -limit } else { 0.0 };
    if !value.is_set() || !(lowest..limit).contains(&number) {
        return Value::poison(width);
    }
    let bits = if signed { number as i128 as u128 } else { number as u128 } & wide_mask(width);
    if width <= 64 { Value::int(bits as u64) } else { Value::Wide(Box::new(Wide::new(bits, 0))) }
}

/// Conversion from an integer, rounded once.
pub fn from_int(to: Format, value: Wide, width: u32, signed: bool) -> Scalar {
    if value.unset != 0 {
        return Scalar::poison(to.width());
    }
    let number = wide_sign_extend(value.bits, width);
    Scalar::int(match (to, signed) {
        (Format::Single, true) => u64::from((number as f32).to_bits()),
        (Format::Single, false) => u64::from((value.bits as f32).to_bits()),
        (Format::Double, true) => (number as f64).to_bits(),
        (Format::Double, false) => (value.bits as f64).to_bits(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_do_not_fit_are_poison() {
        let double = |value: f64| Scalar::int(value.to_bits());
        assert_eq!(to_int(Format::Double, double(-1.5), 32, true), Value::int(0xffff_ffff));
        assert_eq!(to_int(Format::Double, double(256.0), 8, false), Value::poison(8));
        assert_eq!(to_int(Format::Double, double(f64::NAN), 8, false), Value::poison(8));
        assert_eq!(
            from_int(Format::Single, Wide::new(0xff, 0), 8, true),
            Scalar::int((-1f32).to_bits().into())
        );
    }

    #[test]
    fn integers_of_two_words_are_converted() {
        let double = |value: f64| Scalar::int(value.to_bits());
        let wide = |bits: u128| Value::Wide(Box::new(Wide::new(bits, 0)));
        let limit = 2f64.powi(127);
        assert_eq!(to_int(Format::Double, double(2f64.powi(70)), 128, false), wide(1 << 70));
        assert_eq!(to_int(Format::Double, double(-limit), 128, true), wide(1 << 127));
        assert_eq!(to_int(Format::Double, double(limit), 128, true), Value::poison(128));
        assert_eq!(to_int(Format::Double, double(limit), 128, false), wide(1 << 127));
        assert_eq!(to_int(Format::Double, double(-1.0), 128, false), Value::poison(128));
        // Halfway between two neighbours: the even one.
        let (even, odd) = ((1 << 100) + (1 << 47), (1 << 100) + (3 << 47));
        assert_eq!(from_int(Format::Double, Wide::new(even, 0), 128, false), double(2f64.powi(100)));
        assert_eq!(
            from_int(Format::Double, Wide::new(odd, 0), 128, false),
            double(2f64.powi(100) + 2f64.powi(49))
        );
        assert_eq!(from_int(Format::Double, Wide::new(u128::MAX - 4, 0), 128, true), double(-5.0));
        assert_eq!(from_int(Format::Double, Wide::new(0, 1), 128, true), Scalar::poison(64));
    }

    #[test]
    fn singles_are_rounded_once() {
        let single = |value: f32| Scalar::int(value.to_bits().into());
        let sum = binary(FloatOp::FAdd, Format::Single, single(16_777_216.0), single(1.0));
        assert_eq!(sum, single(16_777_216.0));
    }
}
