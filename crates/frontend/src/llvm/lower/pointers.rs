//! Arithmetic on addresses. An address is an object and an offset; what it becomes is listed value by value, also outside
//! the object. Where an index has too many values to list, what leaves the object becomes "somewhere below" or "somewhere
//! above" it: such an address can be copied, compared with those inside, and fails when it is used.

use fencewright_ir::{BinaryOp, Expr};

use super::expr::{self, Atom, RExpr};
use super::machine::{Machine, ObjectKey, Run, Scalar};
use super::state::Point;
use super::value::{self, Known, NULL, ObjectId, Side, Value};
use crate::llvm::codes;
use fencewright_llvm::module::BinOp;

/// How many elements of an array are listed for an index that can be anything.
const MAX_ELEMENTS: i64 = 1_024;
/// How many combinations of an address and what it is moved by are listed.
const MAX_COMBINATIONS: usize = 40_000;

impl Machine<'_> {
    pub(super) fn pointer_error<T>(&self, at: Point) -> Run<T> {
        self.error(
            &codes::POINTER,
            at,
            "this computation on an address cannot be followed",
            "only moving addresses, their differences and the masking of low bits are understood",
        )
    }

    pub(super) fn comparison_error<T>(&self, at: Point) -> Run<T> {
        self.error(
            &codes::POINTER,
            at,
            "how these addresses compare is not known: they are in different objects, or outside their objects",
            "compare addresses of one array, or for equality only",
        )
    }

    fn index_error<T>(&self, at: Point) -> Run<T> {
        self.error(
            &codes::POINTER,
            at,
            "this index has too many values for the array to be resolved",
            "index an array of the program, within its bounds",
        )
    }

    /// To how many bytes an object is aligned for certain.
    fn alignment(&self, object: ObjectId) -> u64 {
        let object = &self.objects[object];
        match object.key {
            ObjectKey::Heap(..) | ObjectKey::Function(_) => 16,
            _ => object.ty.as_ref().and_then(|ty| self.module.size_align(ty)).map_or(1, |(_, align)| align),
        }
    }

    /// Whether a cast to so many bits keeps only bits of addresses that are those of their offsets.
    pub(super) fn low_bits_are_known(&self, known: &Known, to: u32) -> bool {
        match known {
            _ if to >= 64 || !known.has_pointer() => true,
            Known::Any { .. } => false,
            Known::Set(set) => set.iter().all(|value| match value {
                Value::Pointer(object, _) => to <= 4 && self.alignment(*object) >= 1 << to,
                Value::Beyond(..) => false,
                Value::Int(_) | Value::Unset => true,
            }),
        }
    }

    fn may_be_masked(&self, op: BinOp, x: Value, y: Value) -> bool {
        match (op, x, y) {
            (BinOp::And | BinOp::Or, Value::Pointer(object, _), Value::Int(mask)) => {
                self.alignment(object) >= value::alignment_needed(mask)
            }
            _ => true,
        }
    }

    /// Arithmetic on addresses: every combination is listed, the expression is a table.
    pub(super) fn pointer_arithmetic(&mut self, op: BinOp, a: &Scalar, b: &Scalar, at: Point) -> Run<Scalar> {
        let bits = a.bits;
        let (Some(left), Some(right)) = (a.known.values().cloned(), b.known.values().cloned()) else {
            return self.pointer_error(at);
        };
        if left.len() * right.len() > MAX_COMBINATIONS {
            return self.index_error(at);
        }
        let mut all = Vec::new();
        let mut table: Option<RExpr> = None;
        for &x in left.iter().rev() {
            for &y in right.iter().rev() {
                let result = value::binary(op, bits, x, y).filter(|_| self.may_be_masked(op, x, y));
                // A combination that is left out would be an execution that is left out.
                let Some(result) = result else { return self.pointer_error(at) };
                all.push(result);
                let is = |s: &Scalar, v: Value| expr::binary(BinaryOp::Eq, s.expr.clone(), expr::constant(v));
                let here = expr::binary(BinaryOp::And, is(a, x), is(b, y));
                table = Some(match table {
                    None => expr::constant(result),
                    Some(rest) => expr::choose(here, expr::constant(result), rest),
                });
            }
        }
        match table {
            Some(table) => Ok(self.address(Known::of(all), table)),
            None => self.pointer_error(at),
        }
    }

    /// A computed address. Its values get numbers of their own even if no register ever holds them.
    fn address(&mut self, known: Known, expr: RExpr) -> Scalar {
        if known.single().is_none() {
            for value in known.values().into_iter().flatten() {
                if value.is_address() {
                    self.computed.insert(*value);
                }
            }
        }
        Scalar::new(known, expr, 64)
    }

    /// An address moved by an index times a stride.
    pub(crate) fn indexed(&mut self, base: &Scalar, index: &Scalar, stride: i64, at: Point) -> Run<Scalar> {
        if index.known.single() == Some(Value::Int(0)) || stride == 0 {
            return Ok(base.clone());
        }
        let Some(bases) = base.known.values().cloned() else { return self.index_error(at) };
        match index.known.values().cloned() {
            Some(indices) => {
                if bases.len() * indices.len() > MAX_COMBINATIONS {
                    return self.index_error(at);
                }
                let mut all = Vec::new();
                for &p in &bases {
                    for &i in &indices {
                        let Value::Int(i) = i else { return self.pointer_error(at) };
                        let moved = i.checked_mul(stride.into()).and_then(|by| value::moved(p, by));
                        let Some(moved) = moved else { return self.pointer_error(at) };
                        all.push(moved);
                    }
                }
                let bytes = match index.known.single() {
                    Some(Value::Int(i)) => match i64::try_from(i).ok().and_then(|i| i.checked_mul(stride)) {
                        Some(bytes) => Expr::Atom(Atom::Bytes(bytes)),
                        None => return self.pointer_error(at),
                    },
                    _ => expr::binary(BinaryOp::Mul, index.expr.clone(), Expr::Atom(Atom::Bytes(stride))),
                };
                let moved = expr::binary(BinaryOp::Add, base.expr.clone(), bytes);
                Ok(self.address(Known::of(all), moved))
            }
            None if index.known.has_pointer() || stride < 0 => self.pointer_error(at),
            None => self.indexed_by_any(base, index, stride, at),
        }
    }

    /// An address moved by an index that can be anything: to an element, one past the end, or beyond.
    fn indexed_by_any(&mut self, base: &Scalar, index: &Scalar, stride: i64, at: Point) -> Run<Scalar> {
        let mut all = Vec::new();
        let mut table: Option<RExpr> = None;
        for &value in base.known.values().into_iter().flatten().rev() {
            let (object, offset) = match value {
                Value::Int(0) => (NULL, 0),
                Value::Pointer(object, offset) => (object, offset),
                _ => return self.pointer_error(at),
            };
            let size = match self.objects[object].size.map(i64::try_from) {
                Some(Ok(size)) => size,
                None => 0,
                Some(Err(_)) => return self.index_error(at),
            };
            // The least and the greatest index that do not leave the object.
            let lo = -offset.div_euclid(stride);
            let hi = match size.checked_sub(offset) {
                Some(room) => room.div_euclid(stride),
                None => return self.pointer_error(at),
            };
            if hi.saturating_sub(lo) > MAX_ELEMENTS {
                return self.index_error(at);
            }
            let (below, above) = (Value::Beyond(object, Side::Below), Value::Beyond(object, Side::Above));
            all.extend([below, above]);
            for i in lo..=hi {
                all.extend(value::moved(value, i128::from(i) * i128::from(stride)));
            }
            let is = |op: BinaryOp, bound: i64| expr::binary(op, index.expr.clone(), expr::int(bound.into()));
            let bytes = expr::binary(BinaryOp::Mul, index.expr.clone(), Expr::Atom(Atom::Bytes(stride)));
            let inside = expr::binary(BinaryOp::Add, expr::constant(value), bytes);
            let behind = expr::choose(is(BinaryOp::Gt, hi), expr::constant(above), inside);
            let here = expr::choose(is(BinaryOp::Lt, lo), expr::constant(below), behind);
            table = Some(match table {
                None => here,
                Some(rest) => {
                    let is_here = expr::binary(BinaryOp::Eq, base.expr.clone(), expr::constant(value));
                    expr::choose(is_here, here, rest)
                }
            });
        }
        match table {
            Some(table) => Ok(self.address(Known::of(all), table)),
            None => self.pointer_error(at),
        }
    }
}
