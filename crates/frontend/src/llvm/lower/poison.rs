//! Operations on integers that are no error by themselves. Where one has no result, as a shift by more bits than there are, it
//! gives the unset value, and an unset operand is passed on: only who uses the result goes wrong.

use fencewright_ir::BinaryOp;

use super::expr::{self, RExpr};
use super::machine::{Machine, Run, Scalar, Work};
use super::state::Point;
use super::value::{Known, Value};
use fencewright_llvm::module::{BinOp, Operand, Type};

impl Machine<'_> {
    /// `a op b`, unless it is a division.
    pub(crate) fn passing_unset(
        &mut self,
        w: &mut Work,
        op: BinOp,
        ty: &Type,
        (a, b): (&Operand, &Operand),
    ) -> Run<Scalar> {
        let at = w.at;
        let (first, second) = (self.unchecked(w, ty, a)?, self.unchecked(w, ty, b)?);
        // Addresses are followed only where they are certain.
        if first.known.has_pointer() || second.known.has_pointer() {
            let (first, second) = (self.scalar(w, ty, a)?, self.scalar(w, ty, b)?);
            let (result, is_unset) = self.defined(op, &first, second, at)?;
            return Ok(self.unset_if(is_unset, result));
        }
        let (first, no_first) = self.parted(first);
        let (second, no_second) = self.parted(second);
        let (result, no_result) = self.defined(op, &first, second, at)?;
        let is_unset =
            [no_second, no_result].into_iter().fold(no_first, |a, b| expr::binary(BinaryOp::Or, a, b));
        Ok(self.unset_if(is_unset, result))
    }

    /// A value as it is where it is set, and whether it is not.
    fn parted(&mut self, value: Scalar) -> (Scalar, RExpr) {
        if !value.known.may_be_unset() {
            return (value, expr::int(0));
        }
        let known = value.known.set_only();
        if known.values().is_some_and(|set| set.is_empty()) {
            return (Scalar::int(0, value.bits), expr::int(1));
        }
        self.note_beside_unset(&value.known, value.bits);
        let is_unset = expr::binary(BinaryOp::Eq, value.expr.clone(), expr::constant(Value::Unset));
        (Scalar::new(known, value.expr, value.bits), is_unset)
    }

    /// `a op b` where it has a result, and where it has none.
    fn defined(&mut self, op: BinOp, a: &Scalar, b: Scalar, at: Point) -> Run<(Scalar, RExpr)> {
        let most = i128::from(a.bits) - 1;
        if !matches!(op, BinOp::Shl | BinOp::LShr | BinOp::AShr) || b.known.within(0, most) {
            return Ok((self.arithmetic(op, a, &b, at)?, expr::int(0)));
        }
        if b.known.has_pointer() {
            return self.pointer_error(at);
        }
        let known = b.known.filter(&|v| matches!(v, Value::Int(v) if (0..=most).contains(&v)));
        if known.values().is_some_and(|set| set.is_empty()) {
            return Ok((Scalar::int(0, a.bits), expr::int(1)));
        }
        let is = |op: BinaryOp, v: i128| expr::binary(op, b.expr.clone(), expr::int(v));
        let too_far = expr::binary(BinaryOp::Or, is(BinaryOp::Lt, 0), is(BinaryOp::Gt, most));
        let b = Scalar::new(known, b.expr, b.bits);
        Ok((self.arithmetic(op, a, &b, at)?, too_far))
    }

    /// The unset value where the condition holds, and the result elsewhere. The result is computed only there.
    pub(crate) fn unset_if(&self, condition: RExpr, result: Scalar) -> Scalar {
        if condition == expr::int(0) {
            return result;
        }
        if condition == expr::int(1) {
            return Scalar::constant(Value::Unset, result.bits);
        }
        let known = result.known.join(&Known::one(Value::Unset));
        let chosen = expr::choose(condition, expr::constant(Value::Unset), result.expr);
        Scalar::new(known, chosen, result.bits)
    }
}
