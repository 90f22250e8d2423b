//! Expressions of threads while their layout is still open, and how they are made: what can be computed is computed.
//!
//! The number that stands for an address is known only when all objects have their places, so it is an atom until then.

use fencewright_base::Int;
use fencewright_ir::{BinaryOp, Expr, RegId, UnaryOp};

use super::value::{ObjectId, Side, Value};

/// What an expression mentions.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Atom {
    Reg(RegId),
    /// The number of an address.
    Address(ObjectId, i64),
    /// So many bytes as a difference of addresses.
    Bytes(i64),
    /// The number of an address beyond an object.
    Beyond(ObjectId, Side),
    /// The number of what was never written.
    Unset,
}

pub(crate) type RExpr = Expr<Atom>;

pub(crate) fn int(value: i128) -> RExpr {
    match i64::try_from(value) {
        Ok(small) => Expr::constant(small),
        Err(_) => Expr::Const(value.to_string().parse().unwrap_or(Int::ZERO)),
    }
}

pub(crate) fn constant(value: Value) -> RExpr {
    match value {
        Value::Int(value) => int(value),
        Value::Pointer(object, offset) => Expr::Atom(Atom::Address(object, offset)),
        Value::Beyond(object, side) => Expr::Atom(Atom::Beyond(object, side)),
        Value::Unset => Expr::Atom(Atom::Unset),
    }
}

pub(crate) fn reg(reg: RegId) -> RExpr {
    Expr::Atom(Atom::Reg(reg))
}

fn as_const(e: &RExpr) -> Option<&Int> {
    match e {
        Expr::Const(value) => Some(value),
        _ => None,
    }
}

/// Whether the value can only be 0 or 1.
fn is_truth<A>(e: &Expr<A>) -> bool {
    match e {
        Expr::Const(value) => *value == Int::ZERO || *value == Int::ONE,
        Expr::Unary(UnaryOp::Not, _) => true,
        Expr::Binary(op, ..) => {
            use BinaryOp::*;
            matches!(op, Eq | Ne | Lt | Le | Gt | Ge | And | Or)
        }
        Expr::Choose(_, yes, no) => is_truth(yes) && is_truth(no),
        _ => false,
    }
}

pub(crate) fn not<A: Clone + PartialEq>(e: Expr<A>) -> Expr<A> {
    use BinaryOp::*;
    match e {
        Expr::Const(value) => Expr::Const(Int::from(value.is_zero())),
        Expr::Unary(UnaryOp::Not, inner) if is_truth(&inner) => *inner,
        Expr::Binary(op, a, b) => {
            let flipped = match op {
                Eq => Ne,
                Ne => Eq,
                Lt => Ge,
                Ge => Lt,
                Gt => Le,
                Le => Gt,
                _ => return Expr::Unary(UnaryOp::Not, Box::new(Expr::Binary(op, a, b))),
            };
            Expr::Binary(flipped, a, b)
        }
        e => Expr::Unary(UnaryOp::Not, Box::new(e)),
    }
}

/// `a op b`, computed as far as possible.
pub(crate) fn binary<A: Clone + PartialEq>(op: BinaryOp, a: Expr<A>, b: Expr<A>) -> Expr<A> {
    use BinaryOp::*;
    let value = |e: &Expr<A>| match e {
        Expr::Const(value) => Some(value.clone()),
        _ => None,
    };
    let (ca, cb) = (value(&a), value(&b));
    if ca.is_some() && cb.is_some() {
        let e = a.clone().binary(op, b.clone());
        // A division by zero stays and is a fault when it is reached.
        return e.eval(&mut |_| Int::ZERO).map_or(e, Expr::Const);
    }
    let is = |c: &Option<Int>, n: i64| c.as_ref() == Some(&Int::from(n));
    match op {
        Add if is(&ca, 0) => return b,
        Add | Sub if is(&cb, 0) => return a,
        Mul if is(&ca, 1) => return b,
        Mul | Div if is(&cb, 1) => return a,
        Mul if is(&ca, 0) || is(&cb, 0) => return Expr::constant(0),
        Sub | Ne | Lt | Gt | BitXor if a == b => return Expr::constant(0),
        Eq | Le | Ge if a == b => return Expr::constant(1),
        And if is(&ca, 0) || is(&cb, 0) => return Expr::constant(0),
        Or if ca.as_ref().is_some_and(Int::is_true) || cb.as_ref().is_some_and(Int::is_true) => {
            return Expr::constant(1);
        }
        And if ca.is_some() && is_truth(&b) => return b,
        And if cb.is_some() && is_truth(&a) => return a,
        Or if is(&ca, 0) && is_truth(&b) => return b,
        Or if is(&cb, 0) && is_truth(&a) => return a,
        Ne if is(&cb, 0) && is_truth(&a) => return a,
        Eq if is(&cb, 0) && is_truth(&a) => return not(a),
        Eq if is(&cb, 1) && is_truth(&a) => return a,
        Ne if is(&cb, 1) && is_truth(&a) => return not(a),
        _ => {}
    }
    // (x ± c) ± d, (x ± c) == d, (x * c) / c: what addresses and counters are made of.
    if let (Expr::Binary(inner @ (Add | Sub), x, c), Some(d)) = (&a, &cb)
        && let Some(c) = value(c)
    {
        let c = if *inner == Sub { c.neg() } else { c };
        match op {
            Add => return binary(Add, (**x).clone(), Expr::Const(c.add(d))),
            Sub => return binary(Add, (**x).clone(), Expr::Const(c.sub(d))),
            Eq | Ne | Lt | Le | Gt | Ge => return binary(op, (**x).clone(), Expr::Const(d.sub(&c))),
            _ => {}
        }
    }
    if let (Add, Expr::Binary(Add | Mul, ..), None) = (op, &b, &cb)
        && ca.is_some()
    {
        return binary(Add, b, a);
    }
    if let (Div, Expr::Binary(Mul, x, c), Some(d)) = (op, &a, &cb)
        && value(c).as_ref() == Some(d)
        && d.is_true()
    {
        return (**x).clone();
    }
    if let (Add, Some(d)) = (op, &cb)
        && *d < Int::ZERO
    {
        return a.binary(Sub, Expr::Const(d.neg()));
    }
    a.binary(op, b)
}

pub(crate) fn wrap(bits: u32, signed: bool, e: RExpr) -> RExpr {
    match as_const(&e) {
        Some(value) => Expr::Const(value.wrap(bits, signed)),
        None => Expr::Wrap { bits, signed, value: Box::new(e) },
    }
}

pub(crate) fn choose<A: Clone + PartialEq>(condition: Expr<A>, yes: Expr<A>, no: Expr<A>) -> Expr<A> {
    match &condition {
        Expr::Const(value) => {
            if value.is_true() {
                yes
            } else {
                no
            }
        }
        _ if yes == no => yes,
        _ if yes == Expr::constant(1) && no == Expr::constant(0) && is_truth(&condition) => condition,
        _ if yes == Expr::constant(0) && no == Expr::constant(1) => not(condition),
        _ => Expr::Choose(Box::new(condition), Box::new(yes), Box::new(no)),
    }
}

/// The expression with its atoms replaced, computed again as far as possible.
pub(crate) fn substitute<A, B: Clone + PartialEq>(e: &Expr<A>, f: &mut dyn FnMut(&A) -> Expr<B>) -> Expr<B> {
    match e {
        Expr::Const(value) => Expr::Const(value.clone()),
        Expr::Atom(atom) => f(atom),
        Expr::Unary(UnaryOp::Not, e) => not(substitute(e, f)),
        Expr::Unary(op, e) => {
            let inner = substitute(e, f);
            match (&inner, op) {
                (Expr::Const(value), UnaryOp::Neg) => Expr::Const(value.neg()),
                (Expr::Const(value), UnaryOp::BitNot) => Expr::Const(value.bit_not()),
                _ => Expr::Unary(*op, Box::new(inner)),
            }
        }
        Expr::Binary(op, a, b) => binary(*op, substitute(a, f), substitute(b, f)),
        Expr::Wrap { bits, signed, value } => match substitute(value, f) {
            Expr::Const(value) => Expr::Const(value.wrap(*bits, *signed)),
            value => Expr::Wrap { bits: *bits, signed: *signed, value: Box::new(value) },
        },
        Expr::Checked { bits, signed, value } => match substitute(value, f) {
            Expr::Const(value) if value.wrap(*bits, *signed) == value => Expr::Const(value),
            value => Expr::Checked { bits: *bits, signed: *signed, value: Box::new(value) },
        },
        Expr::Choose(condition, yes, no) => {
            choose(substitute(condition, f), substitute(yes, f), substitute(no, f))
        }
    }
}

/// How many operators and atoms it has.
pub(crate) fn size<A>(e: &Expr<A>) -> usize {
    match e {
        Expr::Const(_) | Expr::Atom(_) => 1,
        Expr::Unary(_, e) | Expr::Wrap { value: e, .. } | Expr::Checked { value: e, .. } => 1 + size(e),
        Expr::Binary(_, a, b) => 1 + size(a) + size(b),
        Expr::Choose(a, b, c) => 1 + size(a) + size(b) + size(c),
    }
}

pub(crate) fn mentions(e: &RExpr, wanted: RegId) -> bool {
    let mut found = false;
    e.for_each_atom(&mut |atom| found |= *atom == Atom::Reg(wanted));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_comes_back_from_its_address() {
        let i = reg(RegId(0));
        let address = binary(BinaryOp::Add, int(12), binary(BinaryOp::Mul, i.clone(), int(4)));
        let index = binary(BinaryOp::Div, binary(BinaryOp::Sub, address, int(12)), int(4));
        assert_eq!(index, i);
    }

    #[test]
    fn truth_values_are_not_compared_with_zero() {
        let test = binary(BinaryOp::Lt, reg(RegId(0)), int(3));
        assert_eq!(binary(BinaryOp::Ne, test.clone(), int(0)), test);
        assert_eq!(not(binary(BinaryOp::Eq, test.clone(), int(0))), binary(BinaryOp::Ne, test, int(0)));
    }

    #[test]
    fn a_division_by_zero_is_kept() {
        let e: RExpr = binary(BinaryOp::Div, int(1), int(0));
        assert!(matches!(e, Expr::Binary(BinaryOp::Div, ..)));
    }
}
