//! The flags ZF, SF, CF and OF as hidden registers of one bit: how instructions set them and what conditions make of
//! them, as the processor's manual defines both. A thread has only the flags its conditions look at; all start at 0.

use fencewright_base::Int;
use fencewright_ir::{BinaryOp, Domain, Expr, Init, Op, RegExpr, RegId, ThreadBuilder};

use super::ast::{FlagCondition, FlagTest};
use super::thread::Value;

/// How an instruction changes the flags.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(super) enum Effect {
    /// Not at all.
    None,
    /// By the sum of the operands.
    Add,
    /// By the difference of the operands.
    Sub,
    /// Like `Add`, but CF stays.
    Increment,
    /// Like `Sub`, but CF stays.
    Decrement,
    /// By the result of a bit operation: CF and OF become 0.
    Logic,
}

/// The registers that hold flags.
#[derive(Debug)]
pub(super) struct FlagRegisters {
    zero: Option<RegId>,
    sign: Option<RegId>,
    carry: Option<RegId>,
    overflow: Option<RegId>,
}

impl FlagRegisters {
    /// Registers for the flags that the conditions look at.
    pub(super) fn new(builder: &mut ThreadBuilder, conditions: impl Iterator<Item = FlagCondition>) -> Self {
        let (mut zero, mut sign, mut carry, mut overflow) = (false, false, false, false);
        for condition in conditions {
            zero |=
                matches!(condition.test, FlagTest::Equal | FlagTest::LessOrEqual | FlagTest::BelowOrEqual);
            sign |= matches!(condition.test, FlagTest::Less | FlagTest::LessOrEqual | FlagTest::Sign);
            carry |= matches!(condition.test, FlagTest::Below | FlagTest::BelowOrEqual);
            overflow |= matches!(condition.test, FlagTest::Less | FlagTest::LessOrEqual | FlagTest::Overflow);
        }
        let mut flag = |name: &str, is_used: bool| {
            is_used.then(|| builder.register(name, Domain::range(0, 1), Init::Value(Int::ZERO)))
        };
        FlagRegisters {
            zero: flag("ZF", zero),
            sign: flag("SF", sign),
            carry: flag("CF", carry),
            overflow: flag("OF", overflow),
        }
    }

    /// Sets the flags from the operands and the result, all of that width. To be done before an operand changes.
    pub(super) fn set(
        &self,
        effect: Effect,
        left: &Value,
        right: &Value,
        result: &Value,
        bits: u32,
    ) -> Vec<Op> {
        if effect == Effect::None {
            return Vec::new();
        }
        let signed = |value: &Value| value.wrapped(bits, true);
        let unsigned = |value: &Value| value.wrapped(bits, false);
        let zero = || unsigned(result).eq(Expr::constant(0));
        let sign = || signed(result).binary(BinaryOp::Lt, Expr::constant(0));
        let carry = || match effect {
            Effect::Add => Some(
                unsigned(left)
                    .add(unsigned(right))
                    .binary(BinaryOp::Ge, Expr::Const(Int::power_of_two(bits))),
            ),
            Effect::Sub => Some(unsigned(left).binary(BinaryOp::Lt, unsigned(right))),
            Effect::Logic => Some(Expr::constant(0)),
            Effect::Increment | Effect::Decrement | Effect::None => None,
        };
        let overflow = || match effect {
            Effect::Add | Effect::Increment => signed(left).add(signed(right)).ne(signed(result)),
            Effect::Sub | Effect::Decrement => signed(left).sub(signed(right)).ne(signed(result)),
            Effect::Logic | Effect::None => Expr::constant(0),
        };
        let mut ops = Vec::new();
        let mut assign = |flag: Option<RegId>, value: &dyn Fn() -> Option<RegExpr>| {
            if let Some(dst) = flag
                && let Some(value) = value()
            {
                ops.push(Op::Assign { dst, value });
            }
        };
        assign(self.zero, &|| Some(zero()));
        assign(self.sign, &|| Some(sign()));
        assign(self.carry, &carry);
        assign(self.overflow, &|| Some(overflow()));
        ops
    }

    /// Whether the condition holds. The flags it looks at exist, since it was given to [`FlagRegisters::new`].
    pub(super) fn test(&self, condition: FlagCondition) -> RegExpr {
        let flag = |flag: Option<RegId>| flag.map_or(Expr::constant(0), Expr::Atom);
        let less = || flag(self.sign).ne(flag(self.overflow));
        let test = match condition.test {
            FlagTest::Equal => flag(self.zero),
            FlagTest::Less => less(),
            FlagTest::LessOrEqual => flag(self.zero).or(less()),
            FlagTest::Below => flag(self.carry),
            FlagTest::BelowOrEqual => flag(self.carry).or(flag(self.zero)),
            FlagTest::Sign => flag(self.sign),
            FlagTest::Overflow => flag(self.overflow),
        };
        if condition.negated { test.not() } else { test }
    }
}
