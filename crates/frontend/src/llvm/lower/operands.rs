//! Operands, constants and arithmetic: from the IR's values to what is known of them and the expressions for them.

use fencewright_ir::{BinaryOp, Expr, UnaryOp};
use smallvec::SmallVec;

use super::expr::{self, RExpr};
use super::machine::{Machine, RegKey, Run, Scalar, Work};
use super::state::{ContextId, Env, Point, Temp};
use super::value::{self, Known, Value, bounds, canonical};
use fencewright_llvm::layout::ScalarKind;
use fencewright_llvm::module::{BinOp, CastOp, Constant, GlobalId, LocalId, Operand, Predicate, Type};
use fencewright_llvm::parse::Module;

/// How many pairs of values are compared one by one.
const MAX_COMPARED: usize = 100_000;

/// The scalars of a value: one, or those of an aggregate in order.
pub(crate) type Scalars = SmallVec<[Scalar; 1]>;

impl Machine<'_> {
    /// The scalars a type consists of.
    pub(crate) fn scalars_of(&self, ty: &Type, at: Point) -> Run<Vec<fencewright_llvm::layout::Scalar>> {
        match self.module.scalars(ty) {
            Some(scalars) => Ok(scalars),
            None => self.unsupported(at, "a value of this type, which is too large or has no size,"),
        }
    }

    pub(crate) fn operand(&mut self, w: &Work, ty: &Type, operand: &Operand) -> Run<Scalars> {
        let at = w.at;
        match operand {
            Operand::Local(local) => {
                let scalars = self.scalars_of(ty, at)?;
                Ok(scalars
                    .iter()
                    .enumerate()
                    .map(|(leaf, scalar)| {
                        self.temp(&w.env, at.context, *local, leaf as u32, scalar.kind.bits())
                    })
                    .collect())
            }
            Operand::Const(constant) => {
                let mut scalars = Scalars::new();
                self.constant(constant, ty, &mut scalars, at)?;
                Ok(scalars)
            }
        }
    }

    /// An operand that is one scalar, as it is.
    pub(crate) fn unchecked(&mut self, w: &Work, ty: &Type, operand: &Operand) -> Run<Scalar> {
        let at = w.at;
        match self.module.scalar(ty) {
            Some(ScalarKind::Float) => self.unsupported(at, "a floating-point number"),
            Some(kind) => {
                let mut scalars = self.operand(w, ty, operand)?;
                let value = scalars.pop().unwrap_or_else(|| Scalar::constant(Value::Unset, kind.bits()));
                if value.known.values().is_none() && value.known.has_pointer() && kind.bits() < 64 {
                    return self.pointer_error(at);
                }
                Ok(value)
            }
            None => self.unsupported(at, "an operation on vectors or aggregates"),
        }
    }

    /// An operand that is one scalar and is computed with, so it must have been written.
    pub(crate) fn scalar(&mut self, w: &mut Work, ty: &Type, operand: &Operand) -> Run<Scalar> {
        let value = self.unchecked(w, ty, operand)?;
        if !value.known.may_be_unset() {
            return Ok(value);
        }
        let at = w.at;
        let value = self.need_set(w, value);
        self.assume(&mut w.env, operand, at, &|v| v != Value::Unset, 16);
        Ok(value)
    }

    fn temp(&mut self, env: &Env, context: ContextId, local: LocalId, leaf: u32, bits: u32) -> Scalar {
        let temp = Temp { context, local, leaf };
        match env.temps.get(&temp) {
            Some(known) => {
                let known = known.clone();
                let reg = self.reg(RegKey::Temp(temp), &Known::nothing(), bits);
                Scalar::new(known, expr::reg(reg), bits)
            }
            // Undefined.
            None => Scalar::constant(Value::Unset, bits),
        }
    }

    fn constant(&mut self, constant: &Constant, ty: &Type, into: &mut Scalars, at: Point) -> Run<()> {
        if self.module.scalar(ty).is_some() {
            let scalar = match self.constant_value(constant, ty)? {
                Some(value) => Scalar::constant(value, self.module.scalar(ty).map_or(64, ScalarKind::bits)),
                None => {
                    let what = match constant {
                        Constant::Global(name) => format!("the use of `@{name}`, which is not defined,"),
                        _ if matches!(self.module.scalar(ty), Some(ScalarKind::Float)) => {
                            "a floating-point number".to_owned()
                        }
                        _ => "this constant".to_owned(),
                    };
                    return self.unsupported(at, &what);
                }
            };
            into.push(scalar);
            return Ok(());
        }
        match constant {
            Constant::Aggregate(elements) => {
                for (element_ty, element) in elements {
                    self.constant(element, element_ty, into, at)?;
                }
                Ok(())
            }
            Constant::Bytes(bytes) => {
                into.extend(bytes.iter().map(|&byte| Scalar::int(canonical(8, byte.into()), 8)));
                Ok(())
            }
            Constant::Zero | Constant::Undef => {
                let value = if *constant == Constant::Zero { Value::Int(0) } else { Value::Unset };
                let scalars = self.scalars_of(ty, at)?;
                into.extend(scalars.iter().map(|scalar| Scalar::constant(value, scalar.kind.bits())));
                Ok(())
            }
            _ => self.unsupported(at, "this constant"),
        }
    }

    /// The value of a constant that is one scalar; `None` if it cannot be computed with.
    pub(crate) fn constant_value(&mut self, constant: &Constant, ty: &Type) -> Run<Option<Value>> {
        let bits = self.module.scalar(ty).map_or(64, ScalarKind::bits);
        Ok(match constant {
            Constant::Int(value) => Some(Value::Int(canonical(bits, *value))),
            Constant::Zero => Some(Value::Int(0)),
            Constant::Undef => Some(Value::Unset),
            Constant::Global(name) => {
                let mut name = name.clone();
                for _ in 0..16 {
                    match self.module.aliases.get(&name) {
                        Some(Constant::Global(target)) => name = target.clone(),
                        _ => break,
                    }
                }
                self.named_object(&name).map(|object| Value::Pointer(object, 0))
            }
            Constant::Gep { element, base, indices } => {
                let Some(mut value) = self.constant_value(base, &Type::Ptr)? else { return Ok(None) };
                let mut ty = element.clone();
                for (i, index) in indices.iter().enumerate() {
                    let Some(Value::Int(index)) = self.constant_value(index, &Type::Int(64))? else {
                        return Ok(None);
                    };
                    let moved = if i == 0 {
                        self.module.size_align(&ty).and_then(|(size, _)| index.checked_mul(size.into()))
                    } else if let Some(inner) = self.module.array_element(&ty).cloned() {
                        let size = self.module.size_align(&inner).map(|(size, _)| size);
                        ty = inner;
                        size.and_then(|size| index.checked_mul(size.into()))
                    } else {
                        let found = u64::try_from(index).ok().and_then(|index| {
                            self.module.element(&ty, index).map(|(offset, ty)| (offset, ty.clone()))
                        });
                        found.map(|(offset, inner)| {
                            ty = inner;
                            i128::from(offset)
                        })
                    };
                    let moved = moved.and_then(|by| value::moved(value, by));
                    let Some(moved) = moved else { return Ok(None) };
                    value = moved;
                }
                Some(value)
            }
            Constant::Cast { op, from, value, to } => {
                let inner = self.constant_value(value, from)?;
                let (from, to) = (self.module.scalar(from), self.module.scalar(to));
                match (inner, from, to) {
                    (Some(inner), Some(from), Some(to)) => value::cast(*op, from.bits(), to.bits(), inner),
                    _ => None,
                }
            }
            Constant::Binary { op, ty, a, b } => {
                let (a, b) = (self.constant_value(a, ty)?, self.constant_value(b, ty)?);
                match (a, b) {
                    (Some(a), Some(b)) => value::binary(*op, bits, a, b),
                    _ => None,
                }
            }
            Constant::Aggregate(_)
            | Constant::Bytes(_)
            | Constant::Compare { .. }
            | Constant::Select { .. }
            | Constant::Float(_)
            | Constant::BlockAddress(..)
            | Constant::Splat(_)
            | Constant::Unknown(_) => None,
        })
    }

    fn named_object(&mut self, name: &str) -> Option<value::ObjectId> {
        use super::machine::ObjectKey;
        if let Some(&id) = self.module.global_names.get(name) {
            let global = &self.module.globals[id];
            let thread = global.thread_local.then_some(self.thread);
            let size = global_size(self.module, id);
            let ty = global.ty.clone();
            return Some(self.object(ObjectKey::Global(id, thread), size, Some(ty)));
        }
        self.module.is_function(name).then(|| self.object(ObjectKey::Function(name.into()), None, None))
    }

    /// `a op b`.
    pub(crate) fn arithmetic(&mut self, op: BinOp, a: &Scalar, b: &Scalar, at: Point) -> Run<Scalar> {
        let bits = a.bits;
        if a.known.has_pointer() || b.known.has_pointer() {
            return self.pointer_arithmetic(op, a, b, at);
        }
        if let (Some(x), Some(y)) = (a.known.single(), b.known.single())
            && let Some(value) = value::binary(op, bits, x, y)
        {
            return Ok(Scalar::constant(value, bits));
        }
        // Pairs without a value are left out: `check_defined` has seen to it that they do not come up.
        let known = match a.known.map2(&b.known, &|x, y| value::binary(op, bits, x, y)) {
            Known::Any { .. } => bounded(op, bits, a, b),
            known => known,
        };
        Ok(Scalar::new(known, int_expr(op, bits, a, b), bits))
    }

    /// A function of integers given by what it makes of each of them; `None` if they are too many.
    pub(crate) fn table(&self, value: &Scalar, f: &dyn Fn(i128) -> i128) -> Option<Scalar> {
        let image = |v: Value| match v {
            Value::Int(v) => Some(Value::Int(f(v))),
            _ => None,
        };
        let known = value.known.map(&image)?;
        let mut table = expr::int(0);
        for &v in value.known.values()?.iter().rev() {
            let here = expr::binary(BinaryOp::Eq, value.expr.clone(), expr::constant(v));
            table = expr::choose(here, expr::constant(image(v)?), table);
        }
        Some(Scalar::new(known, table, value.bits))
    }

    /// `a predicate b`. Refuses to compare what cannot be compared: an address that is not followed, or the order of
    /// different objects in memory.
    pub(crate) fn compare(&mut self, predicate: Predicate, a: &Scalar, b: &Scalar, at: Point) -> Run<Scalar> {
        let bits = a.bits;
        let pointers = a.known.has_pointer() || b.known.has_pointer();
        let known = match (a.known.values(), b.known.values()) {
            (Some(left), Some(right)) if left.len() * right.len() <= MAX_COMPARED => {
                let pairs = left.iter().flat_map(|&x| right.iter().map(move |&y| (x, y)));
                let mut truths = Vec::new();
                for (x, y) in pairs {
                    match self.compare_values(predicate, bits, x, y) {
                        Some(truth) => truths.push(Value::Int(truth.into())),
                        None => return self.comparison_error(at),
                    }
                }
                Known::of(truths)
            }
            _ if pointers => return self.comparison_error(at),
            _ => Known::truth(),
        };
        let side = |s: &Scalar| {
            let is_unsigned =
                matches!(predicate, Predicate::Ugt | Predicate::Uge | Predicate::Ult | Predicate::Ule);
            if is_unsigned && !pointers && bits > 1 && !s.known.within(0, i128::MAX) {
                expr::wrap(bits, false, s.expr.clone())
            } else {
                s.expr.clone()
            }
        };
        let op = match predicate {
            Predicate::Eq => BinaryOp::Eq,
            Predicate::Ne => BinaryOp::Ne,
            Predicate::Ugt | Predicate::Sgt => BinaryOp::Gt,
            Predicate::Uge | Predicate::Sge => BinaryOp::Ge,
            Predicate::Ult | Predicate::Slt => BinaryOp::Lt,
            Predicate::Ule | Predicate::Sle => BinaryOp::Le,
        };
        Ok(Scalar::new(known, expr::binary(op, side(a), side(b)), 1))
    }

    /// Compares two values; `None` where the answer is not known.
    pub(crate) fn compare_values(&self, predicate: Predicate, bits: u32, x: Value, y: Value) -> Option<bool> {
        value::compare(predicate, bits, x, y, &|object| self.objects[object].size)
    }

    pub(crate) fn cast(&mut self, op: CastOp, value: &Scalar, to: u32, at: Point) -> Run<Scalar> {
        if op.computes_floats() {
            return self.unsupported(at, "floating-point arithmetic");
        }
        let from = value.bits;
        let followed = self.low_bits_are_known(&value.known, to);
        let Some(known) = value.known.map(&|v| value::cast(op, from, to, v)).filter(|_| followed) else {
            return self.pointer_error(at);
        };
        let known = if to == 1 && known == Known::ANY { Known::truth() } else { known };
        let unchanged = match &value.known {
            Known::Set(set) => set.iter().all(|&v| value::cast(op, from, to, v) == Some(v)),
            Known::Any { .. } => {
                (op == CastOp::SExt && from > 1) || from == to || (from == 1 && op != CastOp::SExt)
            }
        };
        let inner = value.expr.clone();
        let expr = match op {
            _ if unchanged => inner,
            CastOp::Trunc => expr::wrap(to, to > 1, inner),
            CastOp::SExt => Expr::Unary(UnaryOp::Neg, Box::new(inner)),
            CastOp::ZExt => expr::wrap(from, false, inner),
            _ if to < from => expr::wrap(to, to > 1, inner),
            _ => expr::wrap(from, false, inner),
        };
        Ok(Scalar::new(known, expr, to))
    }
}

/// What is known of a result when its operands have too many values.
fn bounded(op: BinOp, bits: u32, a: &Scalar, b: &Scalar) -> Known {
    let below = |n: i128| if n <= 40 { Known::of((0..n).map(Value::Int)) } else { Known::ANY };
    let single = |s: &Scalar| match s.known.single() {
        Some(Value::Int(v)) if v >= 0 => Some(v),
        _ => None,
    };
    match op {
        _ if bits == 1 => Known::truth(),
        BinOp::And => single(a).or(single(b)).map_or(Known::ANY, |mask| below(mask.saturating_add(1))),
        BinOp::URem => single(b).map_or(Known::ANY, below),
        BinOp::SRem => {
            single(b).filter(|&n| n <= 20).map_or(Known::ANY, |n| Known::of((1 - n..n).map(Value::Int)))
        }
        _ => Known::ANY,
    }
}

/// The size of a global. That of one defined elsewhere need not be what its declaration says: type information of C++ is
/// declared as one pointer. Whoever looks into it is refused, because its contents are not known.
pub(super) fn global_size(module: &Module<'_>, id: GlobalId) -> Option<u64> {
    const UNKNOWN: u64 = 1024;
    let global = &module.globals[id];
    let (size, _) = module.size_align(&global.ty)?;
    Some(if global.init.is_some() { size } else { size.max(UNKNOWN) })
}

/// The expression for an operation on integers, wrapped only where the result can leave the range.
fn int_expr(op: BinOp, bits: u32, a: &Scalar, b: &Scalar) -> RExpr {
    let (x, y) = (a.expr.clone(), b.expr.clone());
    let raw = |s: &Scalar| {
        if s.known.within(0, i128::MAX) || bits == 1 {
            s.expr.clone()
        } else {
            expr::wrap(bits, false, s.expr.clone())
        }
    };
    let (lo, hi) = bounds(bits);
    let fits = match (a.known.values(), b.known.values()) {
        (Some(left), Some(right)) => left.iter().all(|&x| {
            right.iter().all(|&y| match (x, y) {
                (Value::Int(x), Value::Int(y)) => {
                    value::exact_binary(op, bits, x, y).is_none_or(|exact| (lo..=hi).contains(&exact))
                }
                _ => false,
            })
        }),
        _ => matches!(op, BinOp::And | BinOp::Or | BinOp::Xor | BinOp::AShr | BinOp::SRem),
    };
    if bits == 1 {
        return match op {
            BinOp::And | BinOp::Mul => expr::binary(BinaryOp::And, x, y),
            BinOp::Or => expr::binary(BinaryOp::Or, x, y),
            BinOp::Xor | BinOp::Add | BinOp::Sub if y == expr::int(1) => expr::not(x),
            BinOp::Xor | BinOp::Add | BinOp::Sub if x == expr::int(1) => expr::not(y),
            BinOp::Xor | BinOp::Add | BinOp::Sub => expr::binary(BinaryOp::Ne, x, y),
            _ => x,
        };
    }
    let exact = match op {
        BinOp::Add => expr::binary(BinaryOp::Add, x, y),
        BinOp::Sub => expr::binary(BinaryOp::Sub, x, y),
        BinOp::Mul => expr::binary(BinaryOp::Mul, x, y),
        BinOp::SDiv => expr::binary(BinaryOp::Div, x, y),
        BinOp::SRem => expr::binary(BinaryOp::Rem, x, y),
        BinOp::UDiv => expr::binary(BinaryOp::Div, raw(a), raw(b)),
        BinOp::URem => expr::binary(BinaryOp::Rem, raw(a), raw(b)),
        BinOp::Shl => expr::binary(BinaryOp::Shl, x, raw(b)),
        BinOp::LShr => expr::binary(BinaryOp::Shr, raw(a), raw(b)),
        BinOp::AShr => expr::binary(BinaryOp::Shr, x, raw(b)),
        BinOp::And => expr::binary(BinaryOp::BitAnd, x, y),
        BinOp::Or => expr::binary(BinaryOp::BitOr, x, y),
        BinOp::Xor => expr::binary(BinaryOp::BitXor, x, y),
    };
    if fits { exact } else { expr::wrap(bits, true, exact) }
}
