//! What decides whether a thread gets past an operation: a guard or an assertion, of course, but also an index that may lie
//! outside its window, a value that may not fit where it goes, and an expression that may have no value.
//!
//! For models in which a write must not overtake a read that decides whether the write is made at all. What is said here
//! follows from the form of the text and the domains, never from values.

use fencewright_base::Int;

use crate::{Addr, BinaryOp, CellId, Domain, Expr, Op, Program, RegExpr, RegId, Thread, UnaryOp};

/// On what it depends that a thread gets past an operation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decides {
    /// On these registers, as they are before it.
    pub registers: Vec<RegId>,
    /// On the value that the operation reads.
    pub value_read: bool,
}

/// On what it depends that the thread gets past the operation.
pub fn decides(program: &Program, thread: &Thread, op: &Op) -> Decides {
    let mut found = Decides::default();
    let mut note = |expr: &RegExpr| expr.for_each_atom(&mut |&reg| found.registers.push(reg));
    match op {
        Op::Guard(condition) | Op::Assert(condition) => note(condition),
        Op::Read { dst, addr } => {
            may_miss(thread, addr).into_iter().for_each(&mut note);
            let domain = &thread.regs[*dst].domain;
            found.value_read = !cells(program, addr).all(|from| covers(domain, from.bounds()));
        }
        Op::Write { addr, value } => {
            may_miss(thread, addr).into_iter().for_each(&mut note);
            let range = range(thread, value);
            if is_partial(value) || !cells(program, addr).all(|to| covers(to, range.clone())) {
                note(value);
            }
        }
        Op::Assign { dst, value } => {
            if is_partial(value) || !covers(&thread.regs[*dst].domain, range(thread, value)) {
                note(value);
            }
        }
        Op::Havoc { .. } | Op::Fence(_) | Op::Send { .. } | Op::Receive { .. } => {}
    }
    found
}

/// The domains of the cells that the address can stand for.
fn cells<'p>(program: &'p Program, addr: &Addr) -> impl Iterator<Item = &'p Domain> + use<'p> {
    let (first, len) = match addr {
        Addr::Cell(cell) => (*cell, 1),
        Addr::Indexed { first, len, .. } => (*first, *len),
    };
    (first.0..first.0 + len).map(|cell| &program.vars[program.variable_of(CellId(cell)).0].domain)
}

/// The index, if it may lie outside its window.
fn may_miss<'a>(thread: &Thread, addr: &'a Addr) -> Option<&'a RegExpr> {
    match addr {
        Addr::Cell(_) => None,
        Addr::Indexed { len, index, .. } => {
            let window = Domain::Range { lo: Int::ZERO, hi: Int::from(i64::from(*len) - 1) };
            let inside = !is_partial(index) && covers(&window, range(thread, index));
            (!inside).then_some(index)
        }
    }
}

/// Whether the domain takes every value of the range; no range is all of ℤ.
fn covers(domain: &Domain, range: Option<(Int, Int)>) -> bool {
    match domain {
        Domain::Machine { .. } | Domain::Integers => true,
        Domain::Range { lo, hi } => range.is_some_and(|(least, most)| *lo <= least && most <= *hi),
    }
}

/// Bounds of the values of an expression, as far as its form tells.
fn range(thread: &Thread, expr: &RegExpr) -> Option<(Int, Int)> {
    use BinaryOp::{And, Eq, Ge, Gt, Le, Lt, Ne, Or};
    match expr {
        Expr::Const(value) => Some((value.clone(), value.clone())),
        Expr::Atom(reg) => thread.regs[*reg].domain.bounds(),
        Expr::Unary(UnaryOp::Not, _) | Expr::Binary(And | Eq | Ge | Gt | Le | Lt | Ne | Or, ..) => {
            Some((Int::ZERO, Int::ONE))
        }
        Expr::Wrap { bits, signed, .. } | Expr::Checked { bits, signed, .. } => {
            Domain::Machine { bits: *bits, signed: *signed }.bounds()
        }
        Expr::Choose(_, one, other) => {
            let ((a, b), (c, d)) = (range(thread, one)?, range(thread, other)?);
            Some((a.min(c), b.max(d)))
        }
        Expr::Unary(UnaryOp::Neg | UnaryOp::BitNot, _) | Expr::Binary(..) => None,
    }
}

/// Whether the expression may have no value.
fn is_partial(expr: &RegExpr) -> bool {
    match expr {
        Expr::Const(_) | Expr::Atom(_) => false,
        Expr::Checked { .. } => true,
        Expr::Unary(_, e) | Expr::Wrap { value: e, .. } => is_partial(e),
        Expr::Binary(op, a, b) => {
            matches!(op, BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr)
                || is_partial(a)
                || is_partial(b)
        }
        Expr::Choose(a, b, c) => [a, b, c].into_iter().any(|e| is_partial(e)),
    }
}
