//! Integer operations on values of up to 128 bits, with unset bits, after the LLVM language reference.
//!
//! Each operation is one rule: the value from the bits, then which bits of it are unset. Bitwise operations are exact bit by
//! bit. Sums and products spread an unset bit to all bits above it. Divisions and shifts by unset amounts give only unset bits.
//! A broken promise of an IR flag makes the result poison.

use fencewright_llvm::module::{BinOp, Flags, Predicate};

use crate::open::TermId;
use crate::value::{ObjectId, Scalar, Value, Wide, mask, sign_extend, wide_mask, wide_sign_extend};

/// What is wrong with a division.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum ArithmeticFault {
    /// The divisor is zero.
    DivisionByZero,
    /// The divisor is unset.
    UnsetDivisor,
    /// The smallest number divided by minus one.
    DivisionOverflow,
}

/// The bits at and above the lowest set bit.
fn upward(bits: u128) -> u128 {
    if bits == 0 { 0 } else { u128::MAX << bits.trailing_zeros() }
}

/// The result of `op` on the low `width` bits.
pub fn binary(op: BinOp, width: u32, a: &Value, b: &Value, flags: Flags) -> Result<Value, ArithmeticFault> {
    if width <= 64
        && let (Value::Scalar(x), Value::Scalar(y)) = (a, b)
    {
        if x.is_set() && y.is_set() {
            return small(op, width, *x, *y, flags).map(Value::Scalar);
        }
        let wide = |scalar: &Scalar| Wide::new(scalar.bits.into(), scalar.unset.into());
        let result = general(op, width, wide(x), wide(y), flags)?;
        let of = object_of(op, *x, *y);
        return Ok(Value::Scalar(Scalar {
            bits: result.bits as u64,
            unset: result.unset as u64,
            of,
            open: TermId::NONE,
        }));
    }
    let (a, b) = (to_wide(a), to_wide(b));
    let of = halves(op, a, b);
    Ok(Value::Wide(Box::new(Wide { of, ..general(op, width, a, b, flags)? })))
}

/// The objects of the two halves of a wide result, when addresses are packed into it or taken out of it.
fn halves(op: BinOp, a: Wide, b: Wide) -> [ObjectId; 2] {
    const HALF: u128 = 64;
    let is_half = b.unset == 0 && b.bits == HALF;
    let either = |half: usize| if a.of[half].is_some() { a.of[half] } else { b.of[half] };
    match op {
        BinOp::Or | BinOp::Add | BinOp::And => [either(0), either(1)],
        BinOp::Shl if is_half => [ObjectId::NONE, a.of[0]],
        BinOp::LShr if is_half => [a.of[1], ObjectId::NONE],
        _ => [ObjectId::NONE; 2],
    }
}

/// A scalar or wide integer as a wide one. All bits of anything else are unset.
pub fn to_wide(value: &Value) -> Wide {
    match value {
        Value::Scalar(scalar) => {
            Wide { of: [scalar.of, ObjectId::NONE], ..Wide::new(scalar.bits.into(), scalar.unset.into()) }
        }
        Value::Wide(wide) => **wide,
        Value::Aggregate(_) | Value::Dead => Wide::new(0, u128::MAX),
    }
}

/// The object that the result points into: sums, differences with a number, and masks of one address keep it.
fn object_of(op: BinOp, a: Scalar, b: Scalar) -> ObjectId {
    match op {
        BinOp::Add | BinOp::And | BinOp::Or if a.of.is_some() != b.of.is_some() => {
            if a.of.is_some() {
                a.of
            } else {
                b.of
            }
        }
        BinOp::Sub if a.of.is_some() && !b.of.is_some() => a.of,
        _ => ObjectId::NONE,
    }
}

/// The common case: everything is set and fits into 64 bits.
fn small(op: BinOp, width: u32, x: Scalar, y: Scalar, flags: Flags) -> Result<Scalar, ArithmeticFault> {
    let all = mask(width);
    let (a, b) = (x.bits, y.bits);
    let (sa, sb) = (sign_extend(a, width), sign_extend(b, width));
    let (smallest, largest) = (sign_extend(1 << (width - 1), width), (all >> 1) as i64);
    let fits = |value: i128| (i128::from(smallest)..=i128::from(largest)).contains(&value);
    let mut broken = false;
    let bits = match op {
        BinOp::Add => {
            broken = flags.nsw && !fits(i128::from(sa) + i128::from(sb))
                || flags.nuw && u128::from(a) + u128::from(b) > u128::from(all);
            a.wrapping_add(b)
        }
        BinOp::Sub => {
            broken = flags.nsw && !fits(i128::from(sa) - i128::from(sb)) || flags.nuw && a < b;
            a.wrapping_sub(b)
        }
        BinOp::Mul => {
            broken = flags.nsw && !fits(i128::from(sa) * i128::from(sb))
                || flags.nuw && u128::from(a) * u128::from(b) > u128::from(all);
            a.wrapping_mul(b)
        }
        BinOp::UDiv | BinOp::URem | BinOp::SDiv | BinOp::SRem if b == 0 => {
            return Err(ArithmeticFault::DivisionByZero);
        }
        BinOp::SDiv | BinOp::SRem if sa == smallest && sb == -1 => {
            return Err(ArithmeticFault::DivisionOverflow);
        }
        BinOp::UDiv => {
            broken = flags.exact && a % b != 0;
            a / b
        }
        BinOp::SDiv => {
            broken = flags.exact && sa % sb != 0;
            (sa / sb) as u64
        }
        BinOp::URem => a % b,
        BinOp::SRem => (sa % sb) as u64,
        BinOp::Shl | BinOp::LShr | BinOp::AShr if b >= u64::from(width) => return Ok(Scalar::poison(width)),
        BinOp::Shl => {
            let shifted = a << b & all;
            broken = flags.nuw && shifted >> b != a || flags.nsw && sign_extend(shifted, width) >> b != sa;
            shifted
        }
        BinOp::LShr => {
            broken = flags.exact && a >> b << b != a;
            a >> b
        }
        BinOp::AShr => {
            broken = flags.exact && a >> b << b != a;
            (sa >> b) as u64
        }
        BinOp::And => a & b,
        BinOp::Or => {
            broken = flags.disjoint && a & b != 0;
            a | b
        }
        BinOp::Xor => a ^ b,
    };
    if broken {
        return Ok(Scalar::poison(width));
    }
    Ok(Scalar::pointer(bits & all, object_of(op, x, y)))
}

/// Any width, with unset bits.
fn general(op: BinOp, width: u32, a: Wide, b: Wide, flags: Flags) -> Result<Wide, ArithmeticFault> {
    let all = wide_mask(width);
    let nothing = Wide::new(0, all);
    let any_unset = a.unset | b.unset;
    let set = |bits: u128, unset: u128| {
        let unset = unset & all;
        Wide::new(bits & all & !unset, unset)
    };
    let (sa, sb) = (wide_sign_extend(a.bits, width), wide_sign_extend(b.bits, width));
    let smallest = wide_sign_extend(1u128 << (width - 1), width);
    let in_range = |value: Option<i128>| {
        value.is_some_and(|value| wide_sign_extend(value as u128 & all, width) == value)
    };
    Ok(match op {
        BinOp::Add | BinOp::Sub | BinOp::Mul => {
            let (bits, signed, unsigned) = match op {
                BinOp::Add => (a.bits.wrapping_add(b.bits), sa.checked_add(sb), a.bits.checked_add(b.bits)),
                BinOp::Sub => (a.bits.wrapping_sub(b.bits), sa.checked_sub(sb), a.bits.checked_sub(b.bits)),
                _ => (a.bits.wrapping_mul(b.bits), sa.checked_mul(sb), a.bits.checked_mul(b.bits)),
            };
            let fits_unsigned = unsigned.is_some_and(|value| value <= all);
            if any_unset == 0 && (flags.nsw && !in_range(signed) || flags.nuw && !fits_unsigned) {
                return Ok(nothing);
            }
            set(bits, upward(any_unset))
        }
        BinOp::UDiv | BinOp::URem | BinOp::SDiv | BinOp::SRem => {
            if b.unset != 0 {
                return Err(ArithmeticFault::UnsetDivisor);
            }
            if b.bits == 0 {
                return Err(ArithmeticFault::DivisionByZero);
            }
            let signed = matches!(op, BinOp::SDiv | BinOp::SRem);
            if a.unset != 0 {
                return Ok(nothing);
            }
            if signed && sa == smallest && sb == -1 {
                return Err(ArithmeticFault::DivisionOverflow);
            }
            let (quotient, rest) = match signed {
                true => ((sa / sb) as u128, (sa % sb) as u128),
                false => (a.bits / b.bits, a.bits % b.bits),
            };
            let is_quotient = matches!(op, BinOp::UDiv | BinOp::SDiv);
            if is_quotient && flags.exact && rest != 0 {
                return Ok(nothing);
            }
            set(if is_quotient { quotient } else { rest }, 0)
        }
        BinOp::Shl | BinOp::LShr | BinOp::AShr => {
            if b.unset != 0 || b.bits >= u128::from(width) {
                return Ok(nothing);
            }
            let by = b.bits as u32;
            match op {
                BinOp::Shl => {
                    let shifted = a.bits << by & all;
                    let lost_unsigned = shifted >> by != a.bits;
                    let lost_signed = wide_sign_extend(shifted, width) >> by != sa;
                    if a.unset == 0 && (flags.nuw && lost_unsigned || flags.nsw && lost_signed) {
                        return Ok(nothing);
                    }
                    set(shifted, a.unset << by)
                }
                BinOp::LShr => {
                    if a.unset == 0 && flags.exact && a.bits >> by << by != a.bits {
                        return Ok(nothing);
                    }
                    set(a.bits >> by, a.unset >> by)
                }
                _ => {
                    if a.unset == 0 && flags.exact && a.bits >> by << by != a.bits {
                        return Ok(nothing);
                    }
                    set((sa >> by) as u128, (wide_sign_extend(a.unset, width) >> by) as u128)
                }
            }
        }
        BinOp::And => {
            // A bit is set where both are set, and where one of them is a set zero.
            let zero = !a.bits & !a.unset | !b.bits & !b.unset;
            set(a.bits & b.bits, any_unset & !zero)
        }
        BinOp::Or => {
            if flags.disjoint && any_unset == 0 && a.bits & b.bits != 0 {
                return Ok(nothing);
            }
            let one = a.bits & !a.unset | b.bits & !b.unset;
            set(a.bits | b.bits, any_unset & !one)
        }
        BinOp::Xor => set(a.bits ^ b.bits, any_unset),
    })
}

/// Compares the low `width` bits. The result is unset if it depends on an unset bit; two numbers that differ in a bit set in
/// both are known to be different.
pub fn compare(predicate: Predicate, width: u32, a: &Value, b: &Value) -> Scalar {
    let (x, y) = (to_wide(a), to_wide(b));
    let unset = x.unset | y.unset;
    if unset != 0 {
        let differ = (x.bits ^ y.bits) & !unset & wide_mask(width) != 0;
        return match predicate {
            Predicate::Eq if differ => Scalar::int(0),
            Predicate::Ne if differ => Scalar::int(1),
            _ => Scalar::poison(1),
        };
    }
    let (sx, sy) = (wide_sign_extend(x.bits, width), wide_sign_extend(y.bits, width));
    let holds = match predicate {
        Predicate::Eq => x.bits == y.bits,
        Predicate::Ne => x.bits != y.bits,
        Predicate::Ugt => x.bits > y.bits,
        Predicate::Uge => x.bits >= y.bits,
        Predicate::Ult => x.bits < y.bits,
        Predicate::Ule => x.bits <= y.bits,
        Predicate::Sgt => sx > sy,
        Predicate::Sge => sx >= sy,
        Predicate::Slt => sx < sy,
        Predicate::Sle => sx <= sy,
    };
    Scalar::int(holds.into())
}

/// An integer of another width: truncated, zero-extended or sign-extended.
pub fn resize(value: &Value, from: u32, to: u32, signed: bool) -> Value {
    if let Value::Scalar(scalar) = value
        && to <= 64
        && from <= 64
    {
        let extend = |bits: u64| if signed && to > from { sign_extend(bits, from) as u64 } else { bits };
        let all = mask(to);
        let unset = extend(scalar.unset) & all;
        // Part of an address is a plain number.
        let of = if to >= 64 && from >= 64 { scalar.of } else { ObjectId::NONE };
        return Value::Scalar(Scalar {
            bits: extend(scalar.bits) & all & !unset,
            unset,
            of,
            open: TermId::NONE,
        });
    }
    let wide = to_wide(value);
    let extend = |bits: u128| if signed && to > from { wide_sign_extend(bits, from) as u128 } else { bits };
    let all = wide_mask(to);
    let unset = extend(wide.unset) & all;
    let bits = extend(wide.bits) & all & !unset;
    if to <= 64 {
        let of = if to == 64 { wide.of[0] } else { ObjectId::NONE };
        Value::Scalar(Scalar { bits: bits as u64, unset: unset as u64, of, ..Scalar::default() })
    } else {
        Value::Wide(Box::new(Wide { of: wide.of, ..Wide::new(bits, unset) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Flags = Flags { nsw: false, nuw: false, exact: false, disjoint: false, nneg: false };

    /// Every operation on all pairs of four-bit numbers, against arithmetic on wide signed numbers.
    #[test]
    fn four_bits_exhaustively() {
        let signed = |bits: u64| if bits >= 8 { bits as i64 - 16 } else { bits as i64 };
        for a in 0..16u64 {
            for b in 0..16u64 {
                let (x, y) = (Value::int(a), Value::int(b));
                let get = |op| match binary(op, 4, &x, &y, PLAIN) {
                    Ok(Value::Scalar(scalar)) if scalar.is_set() => Ok(scalar.bits),
                    Ok(_) => Err(None),
                    Err(fault) => Err(Some(fault)),
                };
                assert_eq!(get(BinOp::Add), Ok((a + b) % 16));
                assert_eq!(get(BinOp::Sub), Ok((16 + a - b) % 16));
                assert_eq!(get(BinOp::Mul), Ok(a * b % 16));
                assert_eq!(get(BinOp::Xor), Ok(a ^ b));
                if b == 0 {
                    assert_eq!(get(BinOp::SDiv), Err(Some(ArithmeticFault::DivisionByZero)));
                } else if (a, b) == (8, 15) {
                    assert_eq!(get(BinOp::SRem), Err(Some(ArithmeticFault::DivisionOverflow)));
                } else {
                    assert_eq!(get(BinOp::SDiv), Ok((signed(a) / signed(b)).rem_euclid(16) as u64));
                    assert_eq!(get(BinOp::SRem), Ok((signed(a) % signed(b)).rem_euclid(16) as u64));
                }
                let shifted = if b < 4 { Ok((signed(a) >> b).rem_euclid(16) as u64) } else { Err(None) };
                assert_eq!(get(BinOp::AShr), shifted);
                let nsw = Flags { nsw: true, ..PLAIN };
                let sum = signed(a) + signed(b);
                let poison = binary(BinOp::Add, 4, &x, &y, nsw) == Ok(Value::Scalar(Scalar::poison(4)));
                assert_eq!(poison, !(-8..8).contains(&sum), "{a} + {b}");
                let less = compare(Predicate::Slt, 4, &x, &y);
                assert_eq!(less.bits == 1, signed(a) < signed(b));
            }
        }
    }

    /// The general rules agree with the common case where everything is set.
    #[test]
    fn both_ways_agree() {
        use BinOp::*;
        for op in [Add, Sub, Mul, UDiv, SDiv, URem, SRem, Shl, LShr, AShr, And, Or, Xor] {
            for flags in [
                PLAIN,
                Flags { nsw: true, exact: true, ..PLAIN },
                Flags { nuw: true, disjoint: true, ..PLAIN },
            ] {
                for a in 0..32u64 {
                    for b in 0..32u64 {
                        let fast = small(op, 5, Scalar::int(a), Scalar::int(b), flags);
                        let wide = |bits: u64| Wide::new(bits.into(), 0);
                        let slow = general(op, 5, wide(a), wide(b), flags);
                        let slow = slow.map(|w| Scalar {
                            bits: w.bits as u64,
                            unset: w.unset as u64,
                            ..Scalar::default()
                        });
                        assert_eq!(fast, slow, "{op:?} {a} {b} {flags:?}");
                    }
                }
            }
        }
    }

    /// For bitwise operations, a result bit is unset exactly if some filling of the unset bits changes it.
    #[test]
    fn unset_bits_of_masks_are_exact() {
        for (op, apply) in [
            (BinOp::And, (|a, b| a & b) as fn(u64, u64) -> u64),
            (BinOp::Or, |a, b| a | b),
            (BinOp::Xor, |a, b| a ^ b),
        ] {
            for bits in 0..8u64 {
                for unset in 0..8u64 {
                    for b in 0..8u64 {
                        let a = Value::Scalar(Scalar { bits: bits & !unset, unset, ..Scalar::default() });
                        let Ok(Value::Scalar(result)) = binary(op, 3, &a, &Value::int(b), PLAIN) else {
                            panic!()
                        };
                        let fillings = (0..8u64).map(|fill| apply(bits & !unset | fill & unset, b));
                        let (mut ones, mut zeros) = (0, 0);
                        for filled in fillings {
                            ones |= filled;
                            zeros |= !filled & 7;
                        }
                        assert_eq!(result.unset, ones & zeros);
                    }
                }
            }
        }
    }
}
