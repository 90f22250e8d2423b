//! Expressions over ℤ. Atoms are registers inside a thread, or parts of the whole state inside a property.
//!
//! Truth values are 0 and 1; every other number counts as true. Machine arithmetic is explicit: a front end wraps the
//! exact result with [`Expr::Wrap`]. `&&`, `||` and [`Expr::Choose`] do not evaluate what they do not need, so a
//! division guarded by them does not fail.

use fencewright_base::{ArithmeticError, Int};

/// An expression over atoms of type `A`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Expr<A> {
    /// A number.
    Const(Int),
    /// A register, or a part of the state.
    Atom(A),
    /// One operand.
    Unary(UnaryOp, Box<Expr<A>>),
    /// Two operands.
    Binary(BinaryOp, Box<Expr<A>>, Box<Expr<A>>),
    /// The value of the machine type that is congruent modulo 2^bits.
    Wrap {
        /// Width of the type.
        bits: u32,
        /// Two's complement if set.
        signed: bool,
        /// What is wrapped.
        value: Box<Expr<A>>,
    },
    /// The value, which must be one of the machine type; any other is a fault.
    Checked {
        /// Width of the type.
        bits: u32,
        /// Two's complement if set.
        signed: bool,
        /// What is checked.
        value: Box<Expr<A>>,
    },
    /// The second if the first is true, else the third.
    Choose(Box<Expr<A>>, Box<Expr<A>>, Box<Expr<A>>),
}

/// Operators with one operand.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// Arithmetic negation.
    Neg,
    /// 1 if the operand is 0, else 0.
    Not,
    /// `-x - 1`.
    BitNot,
}

/// Operators with two operands. Comparisons give 0 or 1.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
#[allow(
    missing_docs,
    reason = "the names are the usual ones; division and shifts are defined at `base::Int`"
)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
}

impl BinaryOp {
    /// All of them, for tables and exhaustive tests.
    pub const ALL: [BinaryOp; 18] = {
        use BinaryOp::*;
        [Add, Sub, Mul, Div, Rem, BitAnd, BitOr, BitXor, Shl, Shr, Eq, Ne, Lt, Le, Gt, Ge, And, Or]
    };

    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
        }
    }
}

impl<A> Expr<A> {
    /// A number.
    pub fn constant(value: impl Into<Int>) -> Self {
        Expr::Const(value.into())
    }

    /// `self op other`.
    #[must_use]
    pub fn binary(self, op: BinaryOp, other: Self) -> Self {
        Expr::Binary(op, Box::new(self), Box::new(other))
    }

    /// `self == other`.
    #[must_use]
    pub fn eq(self, other: Self) -> Self {
        self.binary(BinaryOp::Eq, other)
    }

    /// `self != other`.
    #[must_use]
    pub fn ne(self, other: Self) -> Self {
        self.binary(BinaryOp::Ne, other)
    }

    /// `self && other`.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.binary(BinaryOp::And, other)
    }

    /// `self || other`.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        self.binary(BinaryOp::Or, other)
    }

    /// `self + other`.
    #[must_use]
    #[allow(clippy::should_implement_trait, reason = "builds a tree; operator syntax would hide that")]
    pub fn add(self, other: Self) -> Self {
        self.binary(BinaryOp::Add, other)
    }

    /// `self - other`.
    #[must_use]
    #[allow(clippy::should_implement_trait, reason = "builds a tree; operator syntax would hide that")]
    pub fn sub(self, other: Self) -> Self {
        self.binary(BinaryOp::Sub, other)
    }

    /// Logical negation.
    #[must_use]
    #[allow(clippy::should_implement_trait, reason = "builds a tree; operator syntax would hide that")]
    pub fn not(self) -> Self {
        Expr::Unary(UnaryOp::Not, Box::new(self))
    }

    /// The value, with the atoms' values given by `atom`.
    pub fn eval(&self, atom: &mut dyn FnMut(&A) -> Int) -> Result<Int, ArithmeticError> {
        Ok(match self {
            Expr::Const(value) => value.clone(),
            Expr::Atom(a) => atom(a),
            Expr::Unary(op, e) => {
                let e = e.eval(atom)?;
                match op {
                    UnaryOp::Neg => e.neg(),
                    UnaryOp::Not => Int::from(e.is_zero()),
                    UnaryOp::BitNot => e.bit_not(),
                }
            }
            Expr::Binary(BinaryOp::And, a, b) => {
                Int::from(a.eval(atom)?.is_true() && b.eval(atom)?.is_true())
            }
            Expr::Binary(BinaryOp::Or, a, b) => Int::from(a.eval(atom)?.is_true() || b.eval(atom)?.is_true()),
            Expr::Binary(op, a, b) => {
                let (a, b) = (a.eval(atom)?, b.eval(atom)?);
                match op {
                    BinaryOp::Add => a.add(&b),
                    BinaryOp::Sub => a.sub(&b),
                    BinaryOp::Mul => a.mul(&b),
                    BinaryOp::Div => a.div(&b)?,
                    BinaryOp::Rem => a.rem(&b)?,
                    BinaryOp::BitAnd => a.bit_and(&b),
                    BinaryOp::BitOr => a.bit_or(&b),
                    BinaryOp::BitXor => a.bit_xor(&b),
                    BinaryOp::Shl => a.shl(&b)?,
                    BinaryOp::Shr => a.shr(&b)?,
                    BinaryOp::Eq => Int::from(a == b),
                    BinaryOp::Ne => Int::from(a != b),
                    BinaryOp::Lt => Int::from(a < b),
                    BinaryOp::Le => Int::from(a <= b),
                    BinaryOp::Gt => Int::from(a > b),
                    BinaryOp::Ge => Int::from(a >= b),
                    BinaryOp::And | BinaryOp::Or => unreachable!("handled above"),
                }
            }
            Expr::Wrap { bits, signed, value } => value.eval(atom)?.wrap(*bits, *signed),
            Expr::Checked { bits, signed, value } => {
                let value = value.eval(atom)?;
                if value.wrap(*bits, *signed) != value {
                    return Err(ArithmeticError::Overflow);
                }
                value
            }
            Expr::Choose(condition, yes, no) => {
                if condition.eval(atom)?.is_true() {
                    yes.eval(atom)?
                } else {
                    no.eval(atom)?
                }
            }
        })
    }

    /// Calls `visit` for every atom, from left to right.
    pub fn for_each_atom(&self, visit: &mut dyn FnMut(&A)) {
        match self {
            Expr::Const(_) => {}
            Expr::Atom(a) => visit(a),
            Expr::Unary(_, e) | Expr::Wrap { value: e, .. } | Expr::Checked { value: e, .. } => {
                e.for_each_atom(visit);
            }
            Expr::Binary(_, a, b) => {
                a.for_each_atom(visit);
                b.for_each_atom(visit);
            }
            Expr::Choose(a, b, c) => {
                a.for_each_atom(visit);
                b.for_each_atom(visit);
                c.for_each_atom(visit);
            }
        }
    }

    /// Calls `visit` for the width of every machine type that something is wrapped to or must fit.
    pub fn for_each_width(&self, visit: &mut dyn FnMut(u32)) {
        match self {
            Expr::Const(_) | Expr::Atom(_) => {}
            Expr::Unary(_, e) => e.for_each_width(visit),
            Expr::Wrap { bits, signed: _, value } | Expr::Checked { bits, signed: _, value } => {
                visit(*bits);
                value.for_each_width(visit);
            }
            Expr::Binary(_, a, b) => {
                a.for_each_width(visit);
                b.for_each_width(visit);
            }
            Expr::Choose(a, b, c) => {
                a.for_each_width(visit);
                b.for_each_width(visit);
                c.for_each_width(visit);
            }
        }
    }

    /// The same expression over other atoms.
    pub fn map<B>(&self, f: &mut dyn FnMut(&A) -> B) -> Expr<B> {
        match self {
            Expr::Const(value) => Expr::Const(value.clone()),
            Expr::Atom(a) => Expr::Atom(f(a)),
            Expr::Unary(op, e) => Expr::Unary(*op, Box::new(e.map(f))),
            Expr::Binary(op, a, b) => Expr::Binary(*op, Box::new(a.map(f)), Box::new(b.map(f))),
            Expr::Wrap { bits, signed, value } => {
                Expr::Wrap { bits: *bits, signed: *signed, value: Box::new(value.map(f)) }
            }
            Expr::Checked { bits, signed, value } => {
                Expr::Checked { bits: *bits, signed: *signed, value: Box::new(value.map(f)) }
            }
            Expr::Choose(a, b, c) => Expr::Choose(Box::new(a.map(f)), Box::new(b.map(f)), Box::new(c.map(f))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connectives_do_not_evaluate_what_they_do_not_need() {
        let fails = || Expr::<()>::constant(1).binary(BinaryOp::Div, Expr::constant(0));
        let eval = |e: Expr<()>| e.eval(&mut |()| unreachable!());
        assert_eq!(eval(Expr::constant(0).and(fails())), Ok(Int::ZERO));
        assert_eq!(eval(Expr::constant(7).or(fails())), Ok(Int::ONE));
        assert_eq!(eval(fails().or(Expr::constant(1))), Err(ArithmeticError::DivisionByZero));
        let choose =
            Expr::Choose(Box::new(Expr::constant(2)), Box::new(Expr::constant(5)), Box::new(fails()));
        assert_eq!(eval(choose), Ok(Int::from(5)));
    }
}
