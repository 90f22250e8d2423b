//! The new values of atomic read-modify-writes.

use fencewright_llvm::module::{BinOp, Flags, RmwOp};

use crate::layout::Kind;
use crate::machine::Run;
use crate::step::scalar_of;
use crate::value::{ObjectId, Scalar, mask, sign_extend};

impl Run<'_, '_, '_> {
    /// The new value of an atomic update.
    pub(crate) fn modified(&mut self, op: RmwOp, kind: Kind, old: Scalar, value: Scalar) -> Scalar {
        let is_number = !old.open.is_some() && !value.open.is_some();
        if is_number || op == RmwOp::Xchg || !old.is_set() || !value.is_set() {
            return modified(op, kind, old, value);
        }
        let op_of = match op {
            RmwOp::Add => Some(BinOp::Add),
            RmwOp::Sub => Some(BinOp::Sub),
            RmwOp::And => Some(BinOp::And),
            RmwOp::Or => Some(BinOp::Or),
            RmwOp::Xor => Some(BinOp::Xor),
            _ => None,
        };
        if let (Some(op), Kind::Int(width)) = (op_of, kind)
            && let Ok(result) = self.open_binary(op, width, &old.into(), &value.into(), Flags::default())
        {
            return scalar_of(&result);
        }
        let (old, value) = (self.known(old), self.known(value));
        modified(op, kind, old, value)
    }
}

/// The new value if neither operand is open.
fn modified(op: RmwOp, kind: Kind, old: Scalar, value: Scalar) -> Scalar {
    let width = match kind {
        Kind::Int(bits) => bits,
        Kind::Pointer | Kind::Float(_) | Kind::OtherFloat(_) => 64,
    };
    if op == RmwOp::Xchg {
        return value;
    }
    if !old.is_set() || !value.is_set() {
        return Scalar::poison(width);
    }
    let (a, b) = (old.bits & mask(width), value.bits);
    let (sa, sb) = (sign_extend(a, width), sign_extend(b, width));
    let keeps_object = matches!(op, RmwOp::Add | RmwOp::Sub | RmwOp::And | RmwOp::Or);
    let of = match (old.of.is_some(), value.of.is_some()) {
        (true, false) if keeps_object => old.of,
        (false, true) if keeps_object && op != RmwOp::Sub => value.of,
        _ => ObjectId::NONE,
    };
    let bits = match op {
        RmwOp::Xchg => b,
        RmwOp::Add => a.wrapping_add(b),
        RmwOp::Sub => a.wrapping_sub(b),
        RmwOp::And => a & b,
        RmwOp::Nand => !(a & b),
        RmwOp::Or => a | b,
        RmwOp::Xor => a ^ b,
        RmwOp::Max => {
            if sa > sb {
                a
            } else {
                b
            }
        }
        RmwOp::Min => {
            if sa < sb {
                a
            } else {
                b
            }
        }
        RmwOp::UMax => a.max(b),
        RmwOp::UMin => a.min(b),
    };
    Scalar::pointer(bits & mask(width), of)
}
