//! Checks: what an instruction needs for its execution to be right. A check is an operation of its own, so that it stays
//! where the value it guards is constant, unused, or in memory of the thread's own; only a check that cannot fail is left
//! out.

use fencewright_ir::BinaryOp;

use super::expr::{self, RExpr};
use super::machine::{Machine, ROp, Run, Scalar, Work};
use super::reasons::{Mistake, failure};
use super::value::{Known, Value, bounds};
use fencewright_llvm::module::{BinOp, Operand};

impl Machine<'_> {
    /// The execution goes wrong unless the condition holds.
    pub(crate) fn check(&mut self, w: &mut Work, condition: RExpr, mistake: Mistake) {
        w.emit(ROp::Assert(condition, mistake.into()));
    }

    /// Checks that a value is one of some and none of the others, which are all it can be.
    pub(crate) fn check_among(
        &mut self,
        w: &mut Work,
        value: &RExpr,
        (good, bad): (&[Value], &[Value]),
        mistake: Mistake,
    ) {
        if bad.is_empty() {
            return;
        }
        let is = |op: BinaryOp, v: &Value| expr::binary(op, value.clone(), expr::constant(*v));
        let condition = if good.len() <= bad.len() {
            good.iter().map(|v| is(BinaryOp::Eq, v)).reduce(|a, b| expr::binary(BinaryOp::Or, a, b))
        } else {
            bad.iter().map(|v| is(BinaryOp::Ne, v)).reduce(|a, b| expr::binary(BinaryOp::And, a, b))
        };
        self.check(w, condition.unwrap_or_else(|| expr::int(0)), mistake);
    }

    /// The value, which must have been written by somebody. Where it certainly was not, the execution ends here.
    pub(crate) fn need_set(&mut self, w: &mut Work, value: Scalar) -> Scalar {
        if !value.known.may_be_unset() {
            return value;
        }
        let known = value.known.set_only();
        if known.values().is_some_and(|set| set.is_empty()) {
            w.emit(failure(Mistake::Unset));
            w.ended = true;
            return Scalar::int(0, value.bits);
        }
        self.note_beside_unset(&value.known, value.bits);
        let is_set = expr::binary(BinaryOp::Ne, value.expr.clone(), expr::constant(Value::Unset));
        self.check(w, is_set, Mistake::Unset);
        Scalar::new(known, value.expr, value.bits)
    }

    /// Notes that a value is told from the unset one.
    pub(crate) fn note_beside_unset(&mut self, known: &Known, bits: u32) {
        if known.may_be_unset()
            && !self.beside_unset.iter().any(|(noted, width)| *width >= bits && noted == known)
        {
            self.beside_unset.push((known.clone(), bits));
        }
    }

    /// Notes for what follows that an operand is one of these values.
    pub(crate) fn is_now(&mut self, w: &mut Work, operand: &Operand, known: &Known) {
        let at = w.at;
        if let Some(values) = known.values() {
            self.assume(&mut w.env, operand, at, &|v| values.contains(&v), 16);
        }
    }

    /// Checks that a division has a result: none by zero, none that overflows. Gives the divisor as it is behind the
    /// check; `None` if there never is a result.
    pub(crate) fn check_division(
        &mut self,
        w: &mut Work,
        op: BinOp,
        a: &Scalar,
        b: Scalar,
    ) -> Run<Option<Scalar>> {
        let (at, bits) = (w.at, a.bits);
        let (lo, _) = bounds(bits);
        let can_be = |s: &Scalar, v: i128| s.known.values().is_none_or(|set| set.contains(&Value::Int(v)));
        let is_not = |s: &Scalar, v: i128| expr::binary(BinaryOp::Ne, s.expr.clone(), expr::int(v));
        if a.known.has_pointer() || b.known.has_pointer() {
            return self.pointer_error(at);
        }
        if b.known.single() == Some(Value::Int(0)) {
            return Ok(None);
        }
        if can_be(&b, 0) {
            self.check(w, is_not(&b, 0), Mistake::DivisionByZero);
        }
        let signed = matches!(op, BinOp::SDiv | BinOp::SRem) && bits > 1;
        if signed && can_be(a, lo) && can_be(&b, -1) {
            let fits = expr::binary(BinaryOp::Or, is_not(a, lo), is_not(&b, -1));
            self.check(w, fits, Mistake::DivisionOverflow);
        }
        Ok(Some(Scalar::new(b.known.filter(&|v| v != Value::Int(0)), b.expr, b.bits)))
    }
}
