//! Expressions as circuits.

use fencewright_base::Int;
use fencewright_ir::{BinaryOp, Domain, Expr, UnaryOp};
use fencewright_logic::{Bit, Circuit, Number, TooWide};

/// The value of an expression, and whether it has none (a division by zero, an impossible shift, a number
/// that does not fit where it must).
#[derive(Debug, Clone)]
pub(crate) struct Value {
    pub(crate) number: Number,
    pub(crate) fault: Bit,
}

impl Value {
    fn sound(number: Number) -> Self {
        Self { number, fault: Bit::FALSE }
    }
}

/// The circuit of an expression. If `low` is given, only so many low bits are asked for.
pub(crate) fn eval<A>(
    expr: &Expr<A>,
    atom: &mut dyn FnMut(&A) -> Number,
    low: Option<usize>,
    circuit: &mut Circuit,
) -> Result<Value, TooWide> {
    Ok(match expr {
        Expr::Const(value) => Value::sound(Number::constant(value)?),
        Expr::Atom(a) => Value::sound(atom(a)),
        Expr::Unary(op, operand) => {
            let low = if *op == UnaryOp::Not { None } else { low };
            let Value { number, fault } = eval(operand, atom, low, circuit)?;
            let number = match op {
                UnaryOp::Neg => number.neg(low, circuit)?,
                UnaryOp::Not => Number::of_bit(!number.is_true(circuit)),
                UnaryOp::BitNot => number.bit_not(),
            };
            Value { number, fault }
        }
        Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
            let a = eval(a, atom, None, circuit)?;
            let b = eval(b, atom, None, circuit)?;
            let (is_a, is_b) = (a.number.is_true(circuit), b.number.is_true(circuit));
            let (needs_b, result) = match op {
                BinaryOp::And => (is_a, circuit.and(is_a, is_b)),
                _ => (!is_a, circuit.or(is_a, is_b)),
            };
            let fault_b = circuit.and(needs_b, b.fault);
            Value { number: Number::of_bit(result), fault: circuit.or(a.fault, fault_b) }
        }
        Expr::Binary(op, a, b) => binary(*op, a, b, atom, low, circuit)?,
        Expr::Wrap { bits, signed, value } => {
            let Value { number, fault } = eval(value, atom, Some(*bits as usize), circuit)?;
            Value { number: number.wrap(*bits as usize, *signed), fault }
        }
        Expr::Checked { bits, signed, value } => {
            // Whether it fits depends on all its bits.
            let Value { number, fault } = eval(value, atom, None, circuit)?;
            let fits = number.equal(&number.wrap(*bits as usize, *signed), circuit);
            Value { number, fault: circuit.or(fault, !fits) }
        }
        Expr::Choose(condition, yes, no) => {
            let condition = eval(condition, atom, None, circuit)?;
            let (yes, no) = (eval(yes, atom, low, circuit)?, eval(no, atom, low, circuit)?);
            let is = condition.number.is_true(circuit);
            let fault = circuit.choose(is, yes.fault, no.fault);
            Value {
                number: Number::choose(is, &yes.number, &no.number, circuit),
                fault: circuit.or(condition.fault, fault),
            }
        }
    })
}

fn binary<A>(
    op: BinaryOp,
    a: &Expr<A>,
    b: &Expr<A>,
    atom: &mut dyn FnMut(&A) -> Number,
    low: Option<usize>,
    circuit: &mut Circuit,
) -> Result<Value, TooWide> {
    use BinaryOp::{Add, BitAnd, BitOr, BitXor, Div, Eq, Ge, Gt, Le, Lt, Mul, Ne, Rem, Shl, Shr, Sub};
    // The low bits of these depend on the low bits of the operands alone.
    let modular = matches!(op, Add | Sub | Mul | BitAnd | BitOr | BitXor);
    let a = eval(a, atom, if modular || op == Shl { low } else { None }, circuit)?;
    let b = eval(b, atom, if modular { low } else { None }, circuit)?;
    let mut fault = circuit.or(a.fault, b.fault);
    let (a, b) = (a.number, b.number);
    if matches!(op, Shl | Shr) {
        let (zero, largest) = (Number::constant(&Int::ZERO)?, Number::constant(&Int::from(Int::MAX_SHIFT))?);
        let (negative, huge) = (b.less(&zero, circuit), largest.less(&b, circuit));
        let impossible = circuit.or(negative, huge);
        fault = circuit.or(fault, impossible);
    }
    let number = match op {
        Add => a.add(&b, low, circuit)?,
        Sub => a.sub(&b, low, circuit)?,
        Mul => a.mul(&b, low, circuit)?,
        Div | Rem => {
            let by_zero = !b.is_true(circuit);
            fault = circuit.or(fault, by_zero);
            let (quotient, rest) = a.divide(&b, circuit)?;
            if op == Div { quotient } else { rest }
        }
        BitAnd => a.bitwise(&b, circuit, Circuit::and),
        BitOr => a.bitwise(&b, circuit, Circuit::or),
        BitXor => a.bitwise(&b, circuit, Circuit::xor),
        Shl => a.shl(&b, low, circuit)?,
        Shr => a.shr(&b, circuit),
        Eq => Number::of_bit(a.equal(&b, circuit)),
        Ne => Number::of_bit(!a.equal(&b, circuit)),
        Lt => Number::of_bit(a.less(&b, circuit)),
        Ge => Number::of_bit(!a.less(&b, circuit)),
        Gt => Number::of_bit(b.less(&a, circuit)),
        Le => Number::of_bit(!b.less(&a, circuit)),
        BinaryOp::And | BinaryOp::Or => unreachable!("connectives are handled by the caller"),
    };
    Ok(Value { number, fault })
}

/// Whether the number is in the domain, and what is stored if it is.
pub(crate) fn admit(
    domain: &Domain,
    number: Number,
    circuit: &mut Circuit,
) -> Result<(Number, Bit), TooWide> {
    Ok(match domain {
        Domain::Machine { bits, signed } => (number.wrap(*bits as usize, *signed), Bit::TRUE),
        Domain::Integers => (number, Bit::TRUE),
        Domain::Range { lo, hi } => {
            let (lo, hi) = (Number::constant(lo)?, Number::constant(hi)?);
            let (below, above) = (number.less(&lo, circuit), hi.less(&number, circuit));
            let outside = circuit.or(below, above);
            (number, !outside)
        }
    })
}

/// Any value that has the width of the domain; for a range not every such value is in it.
pub(crate) fn any_of(domain: &Domain, circuit: &mut Circuit) -> Option<Result<Number, TooWide>> {
    let (lo, hi) = domain.bounds()?;
    let signed = lo < Int::ZERO;
    Some(Number::fresh(bits_for(&lo, &hi) + usize::from(signed), signed, circuit))
}

/// How many bits, beside the sign, the numbers from `lo` to `hi` need.
pub(crate) fn bits_for(lo: &Int, hi: &Int) -> usize {
    let mut width = 0;
    while *lo < Int::power_of_two(width).neg() || *hi >= Int::power_of_two(width) {
        width += 1;
    }
    width as usize
}
