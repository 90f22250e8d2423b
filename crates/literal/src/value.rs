//! Values of registers: bits, which of them are unset, and the object that an address points into.
//!
//! Unset bits are tracked one by one, as memory checkers do, so that a bit-field of an otherwise unset word is an ordinary
//! value. Poison is a value with all bits unset.

use std::rc::Rc;

use crate::open::TermId;

/// An object of memory, by number; zero is none.
///
/// Globals and functions are numbered by the program. An object made by a thread has a number that depends only on that thread
/// and its own history, so that the order in which threads allocate makes no difference.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ObjectId(pub u32);

impl ObjectId {
    /// No object.
    pub const NONE: ObjectId = ObjectId(0);
    const DYNAMIC: u32 = 1 << 31;
    const INDEX_BITS: u32 = 20;
    /// The most objects of one thread.
    pub const MAX_INDEX: u32 = 1 << Self::INDEX_BITS;
    /// The most threads.
    pub const MAX_THREADS: usize = 256;

    /// An object that a thread made.
    pub fn dynamic(thread: usize, index: u32) -> Self {
        debug_assert!(index < Self::MAX_INDEX && thread < Self::MAX_THREADS);
        Self(Self::DYNAMIC | (thread as u32) << Self::INDEX_BITS | index)
    }

    /// Whether a thread made it.
    pub fn is_dynamic(self) -> bool {
        self.0 & Self::DYNAMIC != 0
    }

    /// The thread that made a dynamic object.
    pub fn thread(self) -> usize {
        ((self.0 & !Self::DYNAMIC) >> Self::INDEX_BITS) as usize
    }

    /// Whether it is an object at all.
    pub fn is_some(self) -> bool {
        self.0 != 0
    }
}

/// An integer of at most 64 bits, a pointer, or the bits of a floating-point number.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash, Default)]
pub struct Scalar {
    /// The value. Bits beyond the type's width and unset bits are zero.
    pub bits: u64,
    /// The unset bits.
    pub unset: u64,
    /// The object that the address points into.
    pub of: ObjectId,
    /// The term that is added to `bits` if the value is open; see [`open`](crate::open).
    pub open: TermId,
}

impl Scalar {
    /// A number.
    pub const fn int(bits: u64) -> Self {
        Self { bits, unset: 0, of: ObjectId::NONE, open: TermId::NONE }
    }

    /// An address within an object.
    pub const fn pointer(bits: u64, of: ObjectId) -> Self {
        Self { bits, unset: 0, of, open: TermId::NONE }
    }

    /// Poison of `width` bits.
    pub fn poison(width: u32) -> Self {
        Self { bits: 0, unset: mask(width), of: ObjectId::NONE, open: TermId::NONE }
    }

    /// Whether every bit is set.
    pub fn is_set(self) -> bool {
        self.unset == 0
    }

    /// As a signed number of `width` bits.
    pub fn signed(self, width: u32) -> i64 {
        sign_extend(self.bits, width)
    }
}

/// An integer of 65 to 128 bits.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash, Default)]
pub struct Wide {
    /// The value.
    pub bits: u128,
    /// The unset bits.
    pub unset: u128,
    /// The objects of addresses in its low and high half, as long as nothing is computed with it.
    pub of: [ObjectId; 2],
}

impl Wide {
    /// A number that contains no address.
    pub fn new(bits: u128, unset: u128) -> Self {
        Self { bits, unset, of: [ObjectId::NONE; 2] }
    }
}

/// The value of a register.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Value {
    /// A scalar of at most 64 bits.
    Scalar(Scalar),
    /// A wider integer.
    Wide(Box<Wide>),
    /// The elements of a struct, array or vector.
    Aggregate(Rc<[Value]>),
    /// Forgotten: nothing reads it.
    Dead,
}

impl Value {
    /// A number.
    pub const fn int(bits: u64) -> Self {
        Value::Scalar(Scalar::int(bits))
    }

    /// A truth value.
    pub const fn bool(value: bool) -> Self {
        Value::int(value as u64)
    }

    /// Poison of `width` bits.
    pub fn poison(width: u32) -> Self {
        match width {
            0..=64 => Scalar::poison(width).into(),
            _ => Value::Wide(Box::new(Wide::new(0, wide_mask(width)))),
        }
    }

    /// The scalar, if it is one.
    pub fn as_scalar(&self) -> Option<Scalar> {
        match self {
            Value::Scalar(scalar) => Some(*scalar),
            _ => None,
        }
    }

    /// Whether it or a part of it is open.
    pub fn is_open(&self) -> bool {
        match self {
            Value::Scalar(scalar) => scalar.open.is_some(),
            Value::Aggregate(parts) => parts.iter().any(Value::is_open),
            Value::Wide(_) | Value::Dead => false,
        }
    }

    /// Calls `visit` for each object that an address in it points into.
    pub fn for_each_object(&self, visit: &mut dyn FnMut(ObjectId)) {
        match self {
            Value::Scalar(scalar) if scalar.of.is_some() => visit(scalar.of),
            Value::Aggregate(parts) => parts.iter().for_each(|part| part.for_each_object(visit)),
            Value::Wide(wide) => wide.of.into_iter().filter(|of| of.is_some()).for_each(visit),
            Value::Scalar(_) | Value::Dead => {}
        }
    }
}

impl From<Scalar> for Value {
    fn from(scalar: Scalar) -> Self {
        Value::Scalar(scalar)
    }
}

/// The low `width` bits.
pub fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1u64 << width) - 1 }
}

/// The low `width` bits.
pub fn wide_mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1u128 << width) - 1 }
}

/// The low `width` bits as a signed number.
pub fn sign_extend(bits: u64, width: u32) -> i64 {
    if width == 0 || width >= 64 {
        return bits as i64;
    }
    ((bits << (64 - width)) as i64) >> (64 - width)
}

/// The low `width` bits as a signed number.
pub fn wide_sign_extend(bits: u128, width: u32) -> i128 {
    if width == 0 || width >= 128 {
        return bits as i128;
    }
    ((bits << (128 - width)) as i128) >> (128 - width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs() {
        assert_eq!(sign_extend(0xff, 8), -1);
        assert_eq!(sign_extend(0x7f, 8), 127);
        assert_eq!(sign_extend(1, 1), -1);
        assert_eq!(wide_sign_extend(1 << 99, 100), -(1 << 99));
    }

    #[test]
    fn numbers_of_objects_carry_their_thread() {
        let object = ObjectId::dynamic(7, 12);
        assert!(object.is_dynamic());
        assert_eq!(object.thread(), 7);
        assert_ne!(object, ObjectId::dynamic(12, 7));
    }
}
