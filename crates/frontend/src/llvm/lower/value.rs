//! Abstract values: which values a register or cell can hold. A small set, or anything its type allows.
//!
//! Integers are kept in the signed range of their width, those of one bit as 0 and 1. Where a C program reads memory that
//! was never written any value is allowed, so an empty set (nothing is known to be there) joins to whatever else comes.

use std::collections::BTreeSet;
use std::sync::Arc;

use fencewright_llvm::module::{BinOp, CastOp, Predicate};

fencewright_base::define_index! {
    /// An object of memory: a global variable, a local one, an allocation, a function.
    pub(crate) struct ObjectId = "o";
}

/// A value.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Value {
    Int(i128),
    /// An address: bytes from the start of an object.
    Pointer(ObjectId, i64),
}

/// What is known of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Known {
    /// One of these.
    Set(Arc<BTreeSet<Value>>),
    /// Any integer of the type.
    Any,
}

/// How many values a set holds before it becomes [`Known::Any`]. Every further value costs a round of the analysis.
const MAX_SET: usize = 40;
/// How many integers a shared cell may hold before it holds any: what threads write to each other feeds on itself, so
/// every further value costs a round of all threads.
const MAX_SHARED: usize = 12;
/// How many combinations of two sets are tried.
const MAX_PAIRS: usize = 4_000;

impl Known {
    pub(crate) fn one(value: Value) -> Known {
        Known::Set(Arc::new(BTreeSet::from([value])))
    }

    pub(crate) fn int(value: i128) -> Known {
        Known::one(Value::Int(value))
    }

    pub(crate) fn nothing() -> Known {
        Known::Set(Arc::new(BTreeSet::new()))
    }

    pub(crate) fn truth() -> Known {
        Known::of([Value::Int(0), Value::Int(1)])
    }

    /// A set, unless it is too large.
    pub(crate) fn of(values: impl IntoIterator<Item = Value>) -> Known {
        let mut set = BTreeSet::new();
        for value in values {
            set.insert(value);
            // Addresses are finite by nature, and without their set nothing can be done with them.
            if set.len() > MAX_SET && set.iter().all(|value| matches!(value, Value::Int(_))) {
                return Known::Any;
            }
        }
        Known::Set(Arc::new(set))
    }

    /// The only value, if there is one only.
    pub(crate) fn single(&self) -> Option<Value> {
        match self {
            Known::Set(set) if set.len() == 1 => set.iter().next().copied(),
            _ => None,
        }
    }

    pub(crate) fn values(&self) -> Option<&BTreeSet<Value>> {
        match self {
            Known::Set(set) => Some(set),
            Known::Any => None,
        }
    }

    pub(crate) fn join(&self, other: &Known) -> Known {
        match (self, other) {
            (Known::Set(a), Known::Set(b)) => {
                if b.is_subset(a) {
                    self.clone()
                } else {
                    Known::of(a.union(b).copied())
                }
            }
            _ => Known::Any,
        }
    }

    pub(crate) fn includes(&self, other: &Known) -> bool {
        match (self, other) {
            (Known::Any, _) => true,
            (Known::Set(a), Known::Set(b)) => b.is_subset(a),
            (Known::Set(_), Known::Any) => false,
        }
    }

    /// The values that satisfy a condition. Of `Any` nothing can be taken away.
    pub(crate) fn filter(&self, keep: &dyn Fn(Value) -> bool) -> Known {
        match self {
            Known::Set(set) => {
                Known::Set(Arc::new(set.iter().copied().filter(|&value| keep(value)).collect()))
            }
            Known::Any => Known::Any,
        }
    }

    /// The image under a function; `None` if the function has no value somewhere.
    pub(crate) fn map(&self, f: &dyn Fn(Value) -> Option<Value>) -> Option<Known> {
        match self {
            Known::Set(set) => set.iter().map(|&value| f(value)).collect::<Option<Vec<_>>>().map(Known::of),
            Known::Any => Some(Known::Any),
        }
    }

    /// The image of two under a function. Pairs without a value (a division by zero) are left out.
    pub(crate) fn map2(&self, other: &Known, f: &dyn Fn(Value, Value) -> Option<Value>) -> Known {
        match (self, other) {
            (Known::Set(a), Known::Set(b)) if a.len() * b.len() <= MAX_PAIRS => {
                Known::of(a.iter().flat_map(|&x| b.iter().filter_map(move |&y| f(x, y))))
            }
            _ => Known::Any,
        }
    }

    /// The same, or anything if these are too many integers for a shared cell.
    pub(crate) fn widened(self) -> Known {
        match &self {
            Known::Set(set) if set.len() > MAX_SHARED && !self.has_pointer() => Known::Any,
            _ => self,
        }
    }

    /// Whether every value is an integer in the range.
    pub(crate) fn within(&self, lo: i128, hi: i128) -> bool {
        let inside = |value: &Value| matches!(value, Value::Int(v) if (lo..=hi).contains(v));
        self.values().is_some_and(|set| set.iter().all(inside))
    }

    pub(crate) fn has_pointer(&self) -> bool {
        self.values().is_some_and(|set| set.iter().any(|value| matches!(value, Value::Pointer(..))))
    }
}

/// The integer of the width that is congruent: signed, but 0 or 1 for one bit.
pub(crate) fn canonical(bits: u32, value: i128) -> i128 {
    match bits {
        1 => value & 1,
        2..=127 => (value << (128 - bits)) >> (128 - bits),
        _ => value,
    }
}

/// Least and greatest canonical value.
pub(crate) fn bounds(bits: u32) -> (i128, i128) {
    match bits {
        1 => (0, 1),
        2..=127 => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        _ => (i128::MIN, i128::MAX),
    }
}

pub(crate) fn unsigned(bits: u32, value: i128) -> u128 {
    if bits >= 128 { value as u128 } else { value as u128 & ((1 << bits) - 1) }
}

/// What an integer operation gives before it is brought into range; `None` where it has no value.
pub(crate) fn exact_binary(op: BinOp, bits: u32, a: i128, b: i128) -> Option<i128> {
    let (ua, ub) = (unsigned(bits, a), unsigned(bits, b));
    let shift = u32::try_from(ub).ok().filter(|&by| by < bits);
    match op {
        BinOp::Add => a.checked_add(b),
        BinOp::Sub => a.checked_sub(b),
        BinOp::Mul => a.checked_mul(b),
        BinOp::UDiv => ua.checked_div(ub).map(|q| q as i128),
        BinOp::URem => ua.checked_rem(ub).map(|q| q as i128),
        BinOp::SDiv => a.checked_div(b),
        BinOp::SRem => a.checked_rem(b),
        BinOp::Shl => a.checked_mul(1i128.checked_shl(shift?)?),
        BinOp::LShr => Some((ua >> shift?) as i128),
        BinOp::AShr => Some(a >> shift?),
        BinOp::And => Some(a & b),
        BinOp::Or => Some(a | b),
        BinOp::Xor => Some(a ^ b),
    }
}

/// An operation on values. Addresses can be moved, subtracted and masked by their alignment.
pub(crate) fn binary(op: BinOp, bits: u32, a: Value, b: Value) -> Option<Value> {
    match (op, a, b) {
        (_, Value::Int(a), Value::Int(b)) => {
            let exact = match op {
                // The exact product of wide integers may not fit; its low bits are right all the same.
                BinOp::Mul => Some(a.wrapping_mul(b)),
                BinOp::Shl => {
                    Some(a.wrapping_shl(u32::try_from(unsigned(bits, b)).ok().filter(|&by| by < bits)?))
                }
                _ => exact_binary(op, bits, a, b),
            };
            Some(Value::Int(canonical(bits, exact?)))
        }
        (BinOp::Add, Value::Pointer(object, offset), Value::Int(by))
        | (BinOp::Add, Value::Int(by), Value::Pointer(object, offset)) => {
            Some(Value::Pointer(object, offset.checked_add(i64::try_from(by).ok()?)?))
        }
        (BinOp::Sub, Value::Pointer(object, offset), Value::Int(by)) => {
            Some(Value::Pointer(object, offset.checked_sub(i64::try_from(by).ok()?)?))
        }
        (BinOp::Sub, Value::Pointer(p, a), Value::Pointer(q, b)) if p == q => {
            Some(Value::Int(i128::from(a - b)))
        }
        (BinOp::And, Value::Pointer(object, offset), Value::Int(mask)) => {
            // Objects are aligned to 16 bytes, so the low four bits are those of the offset.
            if (0..16).contains(&mask) {
                Some(Value::Int(i128::from(offset) & mask))
            } else {
                (-16..0).contains(&mask).then_some(Value::Pointer(object, offset & mask as i64))
            }
        }
        (BinOp::Or, Value::Pointer(object, offset), Value::Int(bits)) if (0..16).contains(&bits) => {
            Some(Value::Pointer(object, offset | bits as i64))
        }
        _ => None,
    }
}

pub(crate) fn compare(predicate: Predicate, bits: u32, a: Value, b: Value) -> bool {
    use std::cmp::Ordering::*;
    let (signed, raw) = match (a, b) {
        (Value::Int(a), Value::Int(b)) => (a.cmp(&b), unsigned(bits, a).cmp(&unsigned(bits, b))),
        (Value::Pointer(p, a), Value::Pointer(q, b)) => {
            let order = (p, a).cmp(&(q, b));
            (order, order)
        }
        (Value::Int(_), Value::Pointer(..)) => (Less, Less),
        (Value::Pointer(..), Value::Int(_)) => (Greater, Greater),
    };
    match predicate {
        Predicate::Eq => signed == Equal,
        Predicate::Ne => signed != Equal,
        Predicate::Sgt => signed == Greater,
        Predicate::Sge => signed != Less,
        Predicate::Slt => signed == Less,
        Predicate::Sle => signed != Greater,
        Predicate::Ugt => raw == Greater,
        Predicate::Uge => raw != Less,
        Predicate::Ult => raw == Less,
        Predicate::Ule => raw != Greater,
    }
}

/// A cast between integers of so many bits; `None` for one of floating-point numbers. An address survives casts to types that can hold it.
pub(crate) fn cast(op: CastOp, from: u32, to: u32, value: Value) -> Option<Value> {
    if op.computes_floats() {
        return None;
    }
    Some(match value {
        Value::Pointer(..) if to >= 64 => value,
        Value::Pointer(_, offset) if to <= 4 => Value::Int(canonical(to, i128::from(offset))),
        Value::Pointer(..) => return None,
        Value::Int(value) => Value::Int(match op {
            CastOp::Trunc => canonical(to, value),
            CastOp::SExt if from == 1 => -value,
            CastOp::SExt => value,
            _ => canonical(to, unsigned(from, value) as i128),
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_like_the_machine() {
        for a in -128..128i128 {
            for b in -128..128i128 {
                let int = |v: i128| Value::Int(v);
                let (x, y) = (a as i8, b as i8);
                assert_eq!(binary(BinOp::Add, 8, int(a), int(b)), Some(int(x.wrapping_add(y).into())));
                assert_eq!(binary(BinOp::Mul, 8, int(a), int(b)), Some(int(x.wrapping_mul(y).into())));
                let quotient = (y != 0).then(|| int((((x as u8) / (y as u8).max(1)) as i8).into()));
                assert_eq!(binary(BinOp::UDiv, 8, int(a), int(b)), quotient);
                let shifted = (0..8).contains(&b).then(|| int((((x as u8) >> (y & 7)) as i8).into()));
                assert_eq!(binary(BinOp::LShr, 8, int(a), int(b)), shifted);
                assert_eq!(compare(Predicate::Ult, 8, int(a), int(b)), (x as u8) < (y as u8));
                assert_eq!(compare(Predicate::Sle, 8, int(a), int(b)), x <= y);
            }
            assert_eq!(cast(CastOp::ZExt, 8, 32, Value::Int(a)), Some(Value::Int((a as i8 as u8).into())));
            assert_eq!(cast(CastOp::Trunc, 8, 3, Value::Int(a)), Some(Value::Int(canonical(3, a))));
        }
        assert_eq!(cast(CastOp::SExt, 1, 32, Value::Int(1)), Some(Value::Int(-1)));
    }

    #[test]
    fn sets_become_anything_when_they_grow() {
        let set = Known::of((0..MAX_SET as i128).map(Value::Int));
        assert!(set.values().is_some());
        assert_eq!(set.join(&Known::int(1_000)), Known::Any);
        assert!(Known::Any.includes(&set) && !set.includes(&Known::Any));
    }

    #[test]
    fn addresses_keep_their_object() {
        let p = Value::Pointer(ObjectId(3), 8);
        assert_eq!(binary(BinOp::Add, 64, p, Value::Int(4)), Some(Value::Pointer(ObjectId(3), 12)));
        assert_eq!(binary(BinOp::And, 64, p, Value::Int(7)), Some(Value::Int(0)));
        assert_eq!(binary(BinOp::Mul, 64, p, Value::Int(2)), None);
        assert!(!compare(Predicate::Eq, 64, p, Value::Int(0)));
    }
}
