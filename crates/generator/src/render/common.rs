//! What is written the same in every language: operators, paths, conditions, and what stands around a body.

use super::Text;
use crate::tree::{
    BinaryOp, Comparison, Condition, Expr, IntType, Modification, Place, Program, Step, Style,
};
use crate::types::Scope;

/// The function of a read-modify-write; that which only writes is called differently.
pub(super) fn modification(op: Modification, exchange: &'static str) -> &'static str {
    match op {
        Modification::Exchange => exchange,
        Modification::Add => "fetch_add",
        Modification::Sub => "fetch_sub",
        Modification::And => "fetch_and",
        Modification::Or => "fetch_or",
        Modification::Xor => "fetch_xor",
    }
}

/// An operation by its operator. What wraps by itself must be of a type that does.
pub(super) fn operation(op: BinaryOp, style: Style, ty: IntType, a: &str, b: &str) -> String {
    let mask = ty.bits - 1;
    match (op, style) {
        (BinaryOp::Add, Style::Wrapping) => format!("{a} + {b}"),
        (BinaryOp::Add, Style::Masked) => format!("({a} & 63) + ({b} & 63)"),
        (BinaryOp::Sub, Style::Wrapping) => format!("{a} - {b}"),
        (BinaryOp::Sub, Style::Masked) => format!("({a} & 63 | 64) - ({b} & 63)"),
        (BinaryOp::Mul, Style::Wrapping) => format!("{a} * {b}"),
        (BinaryOp::Mul, Style::Masked) => format!("({a} & 7) * ({b} & 7)"),
        (BinaryOp::Div, _) => format!("{a} / (({b} & 7) + 1)"),
        (BinaryOp::Rem, _) => format!("{a} % (({b} & 7) + 1)"),
        (BinaryOp::And, _) => format!("{a} & {b}"),
        (BinaryOp::Or, _) => format!("{a} | {b}"),
        (BinaryOp::Xor, _) => format!("{a} ^ {b}"),
        (BinaryOp::Shl, _) => format!("{a} << ({b} & {mask})"),
        (BinaryOp::Shr, _) => format!("{a} >> ({b} & {mask})"),
    }
}

/// How values are written.
pub(super) trait Values {
    /// A value, of such a form that any operator can stand beside it.
    fn expr(&self, expr: &Expr) -> String;

    /// Two numbers with a sign between them, in the type of the first.
    fn comparison(&self, sign: &str, a: &Expr, b: &Expr) -> String;

    /// A truth value.
    fn condition(&self, condition: &Condition) -> String {
        match condition {
            Condition::Compare(comparison, a, b) => {
                let sign = match comparison {
                    Comparison::Eq => "==",
                    Comparison::Ne => "!=",
                    Comparison::Lt => "<",
                    Comparison::Le => "<=",
                };
                self.comparison(sign, a, b)
            }
            Condition::Same(a, b) => format!("({} == {})", self.expr(a), self.expr(b)),
            Condition::Nonzero(value) => format!("({} != 0)", self.expr(value)),
            Condition::Not(a) => format!("(!{})", self.condition(a)),
            Condition::And(a, b) => format!("({} && {})", self.condition(a), self.condition(b)),
            Condition::Or(a, b) => format!("({} || {})", self.condition(a), self.condition(b)),
        }
    }
}

/// A place: how its root is written, then its path. An index is given with the length of its array, a power of two.
pub(super) fn path(
    scope: &Scope<'_>,
    root: String,
    place: &Place,
    index: &dyn Fn(&Expr, usize) -> String,
) -> String {
    let mut text = root;
    for (step, length) in place.path.iter().zip(scope.lengths(place)) {
        match step {
            Step::Field(number) => text += &format!(".f{number}"),
            Step::Index(number) => text += &format!("[{}]", index(number, length)),
            Step::Deref => text = format!("(*{text})"),
        }
    }
    text
}

/// An index that is a constant.
pub(super) fn constant_index(index: &Expr, length: usize) -> String {
    let index = if let Expr::Constant(_, value) = *index { value as u64 } else { 0 };
    (index & (length as u64).saturating_sub(1)).to_string()
}

/// The mask for the indices of a table of functions, and whether these are virtual.
pub(super) fn table_shape(program: &Program, number: usize) -> (usize, bool) {
    program
        .tables
        .get(number)
        .map_or((0, false), |table| (table.functions.len().saturating_sub(1), table.is_virtual))
}

/// A body between a first and perhaps a last line, in braces.
pub(super) fn enclosed(text: &mut Text, first: &str, last: Option<&str>, body: &mut dyn FnMut(&mut Text)) {
    text.line("{");
    text.line(first);
    body(text);
    if let Some(last) = last {
        text.line(last);
    }
    text.line("}");
}
