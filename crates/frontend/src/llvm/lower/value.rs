//! Abstract values: which values a register or cell can hold. A small set, or anything its type allows. Whatever an
//! execution can put there is among them: what is not followed exactly is [`Value::Beyond`] or [`Known::Any`], never left
//! out.
//!
//! Integers are kept in the signed range of their width, those of one bit as 0 and 1. Memory that was never written holds
//! [`Value::Unset`], and an operation without a result gives it. It can be copied and is passed on by arithmetic; whoever looks
//! at it fails.

use std::collections::BTreeSet;
use std::sync::Arc;

use fencewright_llvm::module::{BinOp, CastOp, Predicate};

fencewright_base::define_index! {
    /// An object of memory: a global variable, a local one, an allocation, a function.
    pub(crate) struct ObjectId = "o";
}

/// The object of addresses that were made by moving null. It has no bytes. Null itself is the integer 0.
pub(crate) const NULL: ObjectId = ObjectId(0);

/// A value.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Value {
    Int(i128),
    /// An address: bytes from the start of an object, inside it or not.
    Pointer(ObjectId, i64),
    /// An address below the object, or above what is one past its end, by nobody knows how much.
    Beyond(ObjectId, Side),
    /// What memory holds that was never written.
    Unset,
}

/// Which side of an object.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Side {
    Below,
    Above,
}

/// What is known of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Known {
    /// One of these.
    Set(Arc<BTreeSet<Value>>),
    /// Any integer of the type; also an unset value, or an address that is not followed, if it says so.
    Any { unset: bool, address: bool },
}

/// How many values a set holds before it becomes [`Known::Any`]. Every further value costs a round of the analysis.
const MAX_SET: usize = 40;
/// How many values a set with addresses holds before they are no longer followed.
const MAX_ADDRESSES: usize = 2_100;
/// How many integers a shared cell may hold before it holds any: what threads write to each other feeds on itself, so
/// every further value costs a round of all threads.
const MAX_SHARED: usize = 12;
/// How many addresses a shared cell may hold before they are no longer followed.
const MAX_SHARED_ADDRESSES: usize = 256;
/// How far from its object an address is followed, in bytes.
const MAX_OFFSET: u64 = 1 << 40;
/// How many combinations of two sets are tried.
const MAX_PAIRS: usize = 4_000;

impl Value {
    /// Whether it is an address other than null.
    pub(crate) fn is_address(self) -> bool {
        matches!(self, Value::Pointer(..) | Value::Beyond(..))
    }
}

impl Known {
    /// Any integer.
    pub(crate) const ANY: Known = Known::Any { unset: false, address: false };

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
        Known::Set(Arc::new(values.into_iter().collect())).bounded(MAX_SET, MAX_ADDRESSES)
    }

    /// The same, or anything if there are more values than so many integers, or so many with addresses among them.
    fn bounded(self, integers: usize, addresses: usize) -> Known {
        match &self {
            // Without their set nothing can be done with addresses, so it may be larger.
            Known::Set(set) if set.len() > if self.has_pointer() { addresses } else { integers } => {
                Known::Any { unset: self.may_be_unset(), address: self.has_pointer() }
            }
            _ => self,
        }
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
            Known::Any { .. } => None,
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
            _ => Known::Any {
                unset: self.may_be_unset() || other.may_be_unset(),
                address: self.has_pointer() || other.has_pointer(),
            },
        }
    }

    pub(crate) fn includes(&self, other: &Known) -> bool {
        match (self, other) {
            (Known::Any { unset, address }, _) => {
                (*unset || !other.may_be_unset()) && (*address || !other.has_pointer())
            }
            (Known::Set(a), Known::Set(b)) => b.is_subset(a),
            (Known::Set(_), Known::Any { .. }) => false,
        }
    }

    /// The values that satisfy a condition. Of integers that are not listed nothing can be taken away.
    pub(crate) fn filter(&self, keep: &dyn Fn(Value) -> bool) -> Known {
        match self {
            Known::Set(set) => {
                Known::Set(Arc::new(set.iter().copied().filter(|&value| keep(value)).collect()))
            }
            Known::Any { unset, address } => {
                Known::Any { unset: *unset && keep(Value::Unset), address: *address }
            }
        }
    }

    /// Without the unset value.
    pub(crate) fn set_only(&self) -> Known {
        self.filter(&|value| value != Value::Unset)
    }

    /// The image under a function; `None` if the function has no value somewhere. What is not listed stays so.
    pub(crate) fn map(&self, f: &dyn Fn(Value) -> Option<Value>) -> Option<Known> {
        match self {
            Known::Set(set) => set.iter().map(|&value| f(value)).collect::<Option<Vec<_>>>().map(Known::of),
            Known::Any { .. } => Some(self.clone()),
        }
    }

    /// The image of two under a function. Pairs without a value (a division by zero) are left out: whoever asks must
    /// have seen to it that they cannot come up.
    pub(crate) fn map2(&self, other: &Known, f: &dyn Fn(Value, Value) -> Option<Value>) -> Known {
        match (self, other) {
            (Known::Set(a), Known::Set(b)) if a.len() * b.len() <= MAX_PAIRS => {
                Known::of(a.iter().flat_map(|&x| b.iter().filter_map(move |&y| f(x, y))))
            }
            _ => Known::Any {
                unset: self.may_be_unset() || other.may_be_unset(),
                address: self.has_pointer() || other.has_pointer(),
            },
        }
    }

    /// The same, or anything if these are too many values for a shared cell.
    pub(crate) fn widened(self) -> Known {
        self.bounded(MAX_SHARED, MAX_SHARED_ADDRESSES)
    }

    /// Whether every value is an integer in the range.
    pub(crate) fn within(&self, lo: i128, hi: i128) -> bool {
        let inside = |value: &Value| matches!(value, Value::Int(v) if (lo..=hi).contains(v));
        self.values().is_some_and(|set| set.iter().all(inside))
    }

    /// Whether an address other than null can be among the values.
    pub(crate) fn has_pointer(&self) -> bool {
        match self {
            Known::Set(set) => set.iter().any(|value| value.is_address()),
            Known::Any { address, .. } => *address,
        }
    }

    pub(crate) fn may_be_unset(&self) -> bool {
        match self {
            Known::Set(set) => set.contains(&Value::Unset),
            Known::Any { unset, .. } => *unset,
        }
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

/// An address; moved back to where it came from, null is null.
fn pointer(object: ObjectId, offset: i64) -> Value {
    if object == NULL && offset == 0 { Value::Int(0) } else { Value::Pointer(object, offset) }
}

/// Null or an address moved by so many bytes; `None` for other integers and where it is not known from where.
pub(crate) fn moved(value: Value, by: i128) -> Option<Value> {
    let by = i64::try_from(by).ok()?;
    match value {
        Value::Int(0) => (by.unsigned_abs() <= MAX_OFFSET).then_some(pointer(NULL, by)),
        Value::Pointer(object, offset) => {
            let offset = offset.checked_add(by).filter(|offset| offset.unsigned_abs() <= MAX_OFFSET)?;
            Some(pointer(object, offset))
        }
        Value::Int(_) | Value::Beyond(..) | Value::Unset => None,
    }
}

/// An operation on values. Addresses can be moved, subtracted and masked by their alignment, which must allow it: see
/// [`alignment_needed`].
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
        (BinOp::Add, Value::Pointer(..), Value::Int(by)) if bits >= 64 => moved(a, by),
        (BinOp::Add, Value::Int(by), Value::Pointer(..)) if bits >= 64 => moved(b, by),
        (BinOp::Sub, Value::Pointer(..), Value::Int(by)) if bits >= 64 => moved(a, by.checked_neg()?),
        (BinOp::Sub, Value::Pointer(p, a), Value::Pointer(q, b)) if p == q => {
            Some(Value::Int(i128::from(a) - i128::from(b)))
        }
        (BinOp::And, Value::Pointer(object, offset), Value::Int(mask)) => {
            if (0..16).contains(&mask) {
                Some(Value::Int(i128::from(offset) & mask))
            } else {
                (-16..0).contains(&mask).then_some(pointer(object, offset & mask as i64))
            }
        }
        (BinOp::Or, Value::Pointer(object, offset), Value::Int(bits)) if (0..16).contains(&bits) => {
            Some(Value::Pointer(object, offset | bits as i64))
        }
        _ => None,
    }
}

/// How an object must be aligned for a mask to see only the offset's bits.
pub(crate) fn alignment_needed(mask: i128) -> u64 {
    let low = if mask < 0 { mask.unsigned_abs() } else { mask.unsigned_abs() + 1 };
    u64::try_from(low.next_power_of_two()).unwrap_or(u64::MAX)
}

/// Compares values; `None` where that is not known: what is unset, addresses in different objects by order, or an address
/// that is somewhere beyond its object with another such. `size` gives the size of objects.
pub(crate) fn compare(
    predicate: Predicate,
    bits: u32,
    a: Value,
    b: Value,
    size: &dyn Fn(ObjectId) -> Option<u64>,
) -> Option<bool> {
    use std::cmp::Ordering::*;
    let equality = matches!(predicate, Predicate::Eq | Predicate::Ne);
    let within = |object: ObjectId, offset: i64| {
        u64::try_from(offset).is_ok_and(|offset| offset <= size(object).unwrap_or(0))
    };
    let (signed, raw) = match (a, b) {
        (Value::Int(a), Value::Int(b)) => (a.cmp(&b), unsigned(bits, a).cmp(&unsigned(bits, b))),
        (Value::Pointer(p, a), Value::Pointer(q, b)) if p == q || equality => {
            let order = (p, a).cmp(&(q, b));
            (order, order)
        }
        (Value::Int(0), Value::Pointer(..) | Value::Beyond(..)) => (Less, Less),
        (Value::Pointer(..) | Value::Beyond(..), Value::Int(0)) => (Greater, Greater),
        // Which is which does not matter: they differ.
        (Value::Int(_), Value::Pointer(..)) | (Value::Pointer(..), Value::Int(_)) if equality => (Less, Less),
        (Value::Beyond(p, side), Value::Pointer(q, offset)) if p == q && within(q, offset) => {
            let order = if side == Side::Below { Less } else { Greater };
            (order, order)
        }
        (Value::Pointer(p, offset), Value::Beyond(q, side)) if p == q && within(p, offset) => {
            let order = if side == Side::Below { Greater } else { Less };
            (order, order)
        }
        (Value::Beyond(p, side), Value::Beyond(q, other)) if p == q && side != other => {
            let order = if side == Side::Below { Less } else { Greater };
            (order, order)
        }
        _ => return None,
    };
    Some(match predicate {
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
    })
}

/// A cast between integers of so many bits; `None` for one of floating-point numbers. An address survives casts to types
/// that can hold it; its low bits are those of its offset if its object is aligned so.
pub(crate) fn cast(op: CastOp, from: u32, to: u32, value: Value) -> Option<Value> {
    if op.computes_floats() {
        return None;
    }
    Some(match value {
        Value::Unset => Value::Unset,
        Value::Pointer(..) | Value::Beyond(..) if to >= 64 => value,
        Value::Pointer(_, offset) if to <= 4 => Value::Int(canonical(to, i128::from(offset))),
        Value::Pointer(..) | Value::Beyond(..) => return None,
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
                assert_eq!(
                    compare(Predicate::Ult, 8, int(a), int(b), &|_| None),
                    Some((x as u8) < (y as u8))
                );
                assert_eq!(compare(Predicate::Sle, 8, int(a), int(b), &|_| None), Some(x <= y));
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
        assert_eq!(set.join(&Known::int(1_000)), Known::ANY);
        assert!(Known::ANY.includes(&set) && !set.includes(&Known::ANY));
    }

    #[test]
    fn addresses_keep_their_object() {
        let p = Value::Pointer(ObjectId(3), 8);
        assert_eq!(binary(BinOp::Add, 64, p, Value::Int(4)), Some(Value::Pointer(ObjectId(3), 12)));
        assert_eq!(binary(BinOp::And, 64, p, Value::Int(7)), Some(Value::Int(0)));
        assert_eq!(binary(BinOp::Mul, 64, p, Value::Int(2)), None);
        assert_eq!(compare(Predicate::Eq, 64, p, Value::Int(0), &|_| Some(16)), Some(false));
    }

    #[test]
    fn what_is_not_listed_is_remembered() {
        // An arbitrary number joined with an address or with nothing at all may be each of them.
        let p = Known::one(Value::Pointer(ObjectId(3), 8));
        assert_eq!(Known::ANY.join(&p), Known::Any { unset: false, address: true });
        assert!(!Known::ANY.includes(&p) && !Known::ANY.includes(&Known::one(Value::Unset)));
        let many = Known::of((0..100).map(Value::Int).chain([Value::Unset]));
        assert_eq!(many, Known::Any { unset: true, address: false });
        assert_eq!(many.set_only(), Known::ANY);
    }

    #[test]
    fn an_address_beyond_its_object_is_compared_only_where_that_is_certain() {
        let size = |_| Some(16);
        let above = Value::Beyond(ObjectId(3), Side::Above);
        let (end, far) = (Value::Pointer(ObjectId(3), 16), Value::Pointer(ObjectId(3), 20));
        assert_eq!(compare(Predicate::Ult, 64, above, end, &size), Some(false));
        assert_eq!(compare(Predicate::Ne, 64, above, end, &size), Some(true));
        assert_eq!(compare(Predicate::Eq, 64, above, far, &size), None);
        assert_eq!(compare(Predicate::Eq, 64, above, above, &size), None);
        assert_eq!(compare(Predicate::Ult, 64, end, Value::Pointer(ObjectId(4), 0), &size), None);
        assert_eq!(moved(Value::Int(0), 8).and_then(|p| moved(p, -8)), Some(Value::Int(0)));
        assert_eq!(moved(above, -8), None);
        assert_eq!(moved(end, 1 << 41), None, "an address that far away is not followed");
    }

    #[test]
    fn masks_need_alignment() {
        assert_eq!([1, 7, 8, -8, -16].map(alignment_needed), [2, 8, 16, 8, 16]);
    }
}
