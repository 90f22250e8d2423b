//! Expressions compiled for packed states: machine arithmetic where it suffices, exact integers where it does not.

use fencewright_base::{ArithmeticError, Int};
use fencewright_explore::pack::Field;
use fencewright_ir::{BinaryOp, Expr, UnaryOp};

use crate::lookup::{Lookup, Values};
use crate::values::{Coding, Number, Slot};

/// An expression with its fast form.
#[derive(Debug, Clone)]
pub(crate) struct Code {
    fast: Fast,
    exact: Expr<u16>,
}

/// The fast form. It gives up when a value leaves 64 bits.
#[derive(Debug, Clone)]
enum Fast {
    Const(i64),
    /// Asked for by its number.
    Atom(u16),
    /// The distance from the least value, read where it is stored.
    Narrow(Narrow),
    Unary(UnaryOp, Box<Fast>),
    Binary(BinaryOp, Box<(Fast, Fast)>),
    /// A narrow atom and a constant, the most frequent operands, without a step down.
    WithConst(BinaryOp, Narrow, i64),
    /// Two narrow atoms, likewise.
    Both(BinaryOp, Narrow, Narrow),
    /// The value, which must be within these.
    Checked(i64, i64, Box<Fast>),
    Choose(Box<(Fast, Fast, Fast)>),
    /// The value out of a table; where it has none, the expression's.
    Lookup(Box<(Lookup, Fast)>),
    /// Always left to the exact form.
    Exact,
}

/// A value that is stored as its distance from the least one.
#[derive(Debug, Copy, Clone)]
struct Narrow {
    field: Field,
    lo: i64,
}

impl Narrow {
    #[inline(always)]
    fn get<const W: usize>(self, state: &[u64; W]) -> i64 {
        self.lo + self.field.get(state) as i64
    }
}

/// Why the fast form has no value.
#[derive(Debug)]
pub(crate) enum Escape {
    /// The exact form must be asked.
    Wide,
    /// There is no value: a division by zero, or one that does not fit.
    Fault,
}

impl Code {
    /// Compiles an expression whose atoms have become numbers; `slot` tells where an atom is stored, if anywhere.
    pub(crate) fn new<'s>(expr: Expr<u16>, slot: &dyn Fn(u16) -> Option<&'s Slot>) -> Self {
        Self { fast: Fast::new(&expr, slot), exact: expr }
    }

    /// If it is a constant, its value.
    pub(crate) fn as_constant(&self) -> Option<i64> {
        match self.fast {
            Fast::Const(value) => Some(value),
            _ => None,
        }
    }

    /// The value, if everything on the way fits in 64 bits. `atom` gives the value of an atom that is not narrow.
    #[inline]
    pub(crate) fn eval<const W: usize>(
        &self,
        state: &[u64; W],
        atom: &mut impl FnMut(u16) -> Option<i64>,
    ) -> Result<i64, Escape> {
        match &self.fast {
            // Nearly every expression is one of these.
            Fast::Const(value) => Ok(*value),
            Fast::Narrow(narrow) => Ok(narrow.get(state)),
            Fast::WithConst(op, narrow, value) => binary(*op, narrow.get(state), *value),
            Fast::Both(op, a, b) => binary(*op, a.get(state), b.get(state)),
            Fast::Lookup(table) if let Some(value) = table.0.get(state) => Ok(value),
            other => other.eval(state, atom),
        }
    }

    /// The value of an expression that did not fit on the way.
    #[cold]
    pub(crate) fn eval_exact(&self, atom: &mut dyn FnMut(u16) -> Int) -> Result<Number, ArithmeticError> {
        self.exact.eval(&mut |&a| atom(a)).map(Number::from)
    }
}

impl Fast {
    fn new<'s>(expr: &Expr<u16>, slot: &dyn Fn(u16) -> Option<&'s Slot>) -> Fast {
        let plain = Fast::tree(expr, slot, false);
        if matches!(
            plain,
            Fast::Const(_) | Fast::Atom(_) | Fast::Narrow(_) | Fast::WithConst(..) | Fast::Both(..)
        ) {
            return plain; // As fast as a table.
        }
        let mut atoms = Vec::new();
        expr.for_each_atom(&mut |&atom| atoms.push(atom));
        let value = |of: Values<'_>| {
            expr.eval(&mut |&atom| Int::from(of(atom))).ok().and_then(|value| value.to_i64())
        };
        match Lookup::new(&atoms, slot, &value) {
            Some(table) => Fast::Lookup(Box::new((table, plain))),
            None => Fast::tree(expr, slot, true),
        }
    }

    /// The expression's own form; whether its parts may be tables is told.
    fn tree<'s>(expr: &Expr<u16>, slot: &dyn Fn(u16) -> Option<&'s Slot>, tables: bool) -> Fast {
        let fast = |expr| if tables { Fast::new(expr, slot) } else { Fast::tree(expr, slot, false) };
        match expr {
            Expr::Const(value) => value.to_i64().map_or(Fast::Exact, Fast::Const),
            Expr::Atom(atom) => match slot(*atom) {
                Some(Slot { field, coding: Coding::Narrow { lo, .. }, .. }) => {
                    Fast::Narrow(Narrow { field: *field, lo: *lo })
                }
                _ => Fast::Atom(*atom),
            },
            Expr::Unary(op, e) => Fast::Unary(*op, Box::new(fast(e))),
            Expr::Binary(BinaryOp::Shl, ..) => Fast::Exact,
            Expr::Binary(op, a, b) => match (op, fast(a), fast(b)) {
                (_, Fast::Const(a), Fast::Const(b)) => binary(*op, a, b).map_or(Fast::Exact, Fast::Const),
                (_, Fast::Narrow(narrow), Fast::Const(value)) => Fast::WithConst(*op, narrow, value),
                (_, Fast::Narrow(a), Fast::Narrow(b)) => Fast::Both(*op, a, b),
                // Process numbers become constants, and half of a condition with them.
                (BinaryOp::And, condition, Fast::Const(1)) if condition.is_truth() => condition,
                (BinaryOp::Or, condition, Fast::Const(0)) if condition.is_truth() => condition,
                (BinaryOp::And, condition, Fast::Const(0)) if condition.is_truth() => Fast::Const(0),
                (BinaryOp::Or, condition, Fast::Const(1)) if condition.is_truth() => Fast::Const(1),
                (_, a, b) => Fast::Binary(*op, Box::new((a, b))),
            },
            Expr::Wrap { .. } => Fast::Exact,
            Expr::Checked { bits: bits @ 1..=32, signed, value } => {
                let (lo, hi) =
                    if *signed { (-1 << (bits - 1), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
                Fast::Checked(lo, hi, Box::new(fast(value)))
            }
            Expr::Checked { .. } => Fast::Exact,
            Expr::Choose(a, b, c) => Fast::Choose(Box::new((fast(a), fast(b), fast(c)))),
        }
    }

    /// Whether it compares narrow atoms: then it is 0 or 1, and always has a value.
    fn is_truth(&self) -> bool {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        matches!(
            self,
            Fast::WithConst(Eq | Ne | Lt | Le | Gt | Ge, ..) | Fast::Both(Eq | Ne | Lt | Le | Gt | Ge, ..)
        )
    }

    fn eval<const W: usize>(
        &self,
        state: &[u64; W],
        atom: &mut impl FnMut(u16) -> Option<i64>,
    ) -> Result<i64, Escape> {
        match self {
            Fast::Const(value) => Ok(*value),
            Fast::Atom(a) => atom(*a).ok_or(Escape::Wide),
            Fast::Narrow(narrow) => Ok(narrow.get(state)),
            Fast::WithConst(op, narrow, value) => binary(*op, narrow.get(state), *value),
            Fast::Both(op, a, b) => binary(*op, a.get(state), b.get(state)),
            Fast::Unary(op, e) => {
                let e = e.eval(state, atom)?;
                match op {
                    UnaryOp::Neg => e.checked_neg().ok_or(Escape::Wide),
                    UnaryOp::Not => Ok(i64::from(e == 0)),
                    UnaryOp::BitNot => Ok(!e),
                }
            }
            Fast::Binary(op, operands) => {
                let a = operands.0.eval(state, atom)?;
                match op {
                    BinaryOp::And if a == 0 => Ok(0),
                    BinaryOp::Or if a != 0 => Ok(1),
                    _ => binary(*op, a, operands.1.eval(state, atom)?),
                }
            }
            Fast::Checked(lo, hi, value) => {
                let value = value.eval(state, atom)?;
                if (*lo..=*hi).contains(&value) { Ok(value) } else { Err(Escape::Fault) }
            }
            Fast::Lookup(table) => match table.0.get(state) {
                Some(value) => Ok(value),
                None => table.1.eval(state, atom),
            },
            Fast::Choose(parts) => {
                if parts.0.eval(state, atom)? != 0 {
                    parts.1.eval(state, atom)
                } else {
                    parts.2.eval(state, atom)
                }
            }
            Fast::Exact => Err(Escape::Wide),
        }
    }
}

#[inline(always)]
fn binary(op: BinaryOp, a: i64, b: i64) -> Result<i64, Escape> {
    let checked = |value: Option<i64>| value.ok_or(Escape::Wide);
    let by_zero = || Err(Escape::Fault);
    match op {
        BinaryOp::Add => checked(a.checked_add(b)),
        BinaryOp::Sub => checked(a.checked_sub(b)),
        BinaryOp::Mul => checked(a.checked_mul(b)),
        BinaryOp::Div | BinaryOp::Rem if b == 0 => by_zero(),
        BinaryOp::Div => checked(a.checked_div(b)),
        BinaryOp::Rem => checked(a.checked_rem(b)),
        BinaryOp::BitAnd => Ok(a & b),
        BinaryOp::BitOr => Ok(a | b),
        BinaryOp::BitXor => Ok(a ^ b),
        BinaryOp::Shl => Err(Escape::Wide),
        BinaryOp::Shr if (0..64).contains(&b) => Ok(a >> b),
        BinaryOp::Shr => Err(Escape::Wide),
        BinaryOp::Eq => Ok(i64::from(a == b)),
        BinaryOp::Ne => Ok(i64::from(a != b)),
        BinaryOp::Lt => Ok(i64::from(a < b)),
        BinaryOp::Le => Ok(i64::from(a <= b)),
        BinaryOp::Gt => Ok(i64::from(a > b)),
        BinaryOp::Ge => Ok(i64::from(a >= b)),
        BinaryOp::And => Ok(i64::from(a != 0 && b != 0)),
        BinaryOp::Or => Ok(i64::from(a != 0 || b != 0)),
    }
}

/// The number of an `Int`, for tests and constants.
impl From<&Int> for Number {
    fn from(value: &Int) -> Self {
        Number::from(value.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencewright_explore::pack::Packer;
    use fencewright_ir::Domain;

    fn evaluate(code: &Code, value: &dyn Fn(u16) -> Int) -> Result<Int, ArithmeticError> {
        match code.eval(&[0], &mut |atom| value(atom).to_i64()) {
            Ok(value) => Ok(Int::from(value)),
            Err(Escape::Fault) => Err(ArithmeticError::DivisionByZero),
            Err(Escape::Wide) => code.eval_exact(&mut |atom| value(atom)).map(|number| number.to_int()),
        }
    }

    #[test]
    fn the_fast_form_agrees_with_the_exact_one_on_edge_values() {
        let edges = [0, 1, -1, 2, -2, 3, 63, 64, 65, i64::MAX, i64::MIN, i64::MAX - 1, 1 << 32, 70_000];
        let numbers: Vec<Int> = edges.into_iter().map(Int::from).chain([Int::power_of_two(64)]).collect();
        for op in BinaryOp::ALL {
            let expr = Expr::Atom(0u16).binary(op, Expr::Atom(1));
            let code = Code::new(expr.clone(), &|_| None);
            for a in &numbers {
                for b in &numbers {
                    let value = |atom: u16| if atom == 0 { a.clone() } else { b.clone() };
                    let fast = evaluate(&code, &value);
                    let exact = expr.eval(&mut |&atom| value(atom));
                    assert_eq!(fast, exact, "{a} {} {b}", op.symbol());
                }
            }
        }
        for op in [UnaryOp::Neg, UnaryOp::Not, UnaryOp::BitNot] {
            let expr = Expr::Unary(op, Box::new(Expr::Atom(0u16)));
            let code = Code::new(expr.clone(), &|_| None);
            for a in &numbers {
                assert_eq!(evaluate(&code, &|_| a.clone()), expr.eval(&mut |_| a.clone()), "{op:?} {a}");
            }
        }
    }

    /// Nested, so that there is a table; of every pair of stored values, faults and shifts among the results.
    #[test]
    fn a_table_says_what_the_expression_does() {
        let mut packer = Packer::new();
        let codings = [
            Coding::Narrow { lo: -1, hi: 3, wraps: None },
            Coding::of_values(
                &Domain::Machine { bits: 8, signed: false },
                Some(&[0, 3, 255].map(Int::from).into()),
            ),
        ];
        let slots = codings.map(|coding| Slot { field: packer.place(coding.bits(0)), coding, coding_id: 0 });
        assert!(matches!(slots[1].coding, Coding::Table { .. }));
        let values: [&[i64]; 2] = [&[-1, 0, 1, 2, 3], &[0, 3, 255]];
        for op in BinaryOp::ALL {
            let inner = Expr::Atom(0u16).binary(op, Expr::Atom(1));
            let expr = Expr::Checked { bits: 8, signed: true, value: Box::new(inner) };
            let code = Code::new(expr.clone(), &|atom| slots.get(usize::from(atom)));
            assert!(matches!(code.fast, Fast::Lookup(_)), "{}", op.symbol());
            for (low, &a) in values[0].iter().enumerate() {
                for (high, &b) in values[1].iter().enumerate() {
                    let mut state = [0u64];
                    slots[0].field.set(&mut state, low as u64);
                    slots[1].field.set(&mut state, high as u64);
                    let of = |atom: u16| if atom == 0 { a } else { b };
                    let exact = expr.eval(&mut |&atom| Int::from(of(atom)));
                    let fast = match code.eval(&state, &mut |atom| Some(of(atom))) {
                        Ok(value) => Ok(Int::from(value)),
                        Err(Escape::Fault) => Err(()),
                        Err(Escape::Wide) => code
                            .eval_exact(&mut |atom| Int::from(of(atom)))
                            .map(|n| n.to_int())
                            .map_err(|_| ()),
                    };
                    assert_eq!(fast, exact.map_err(|_| ()), "{a} {} {b}", op.symbol());
                }
            }
        }
    }
}
