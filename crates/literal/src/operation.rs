//! An operation on two integers as a step of a thread: the result of [`arithmetic`](crate::arithmetic), with its errors as
//! violations, and an event where set operands give no result.

use fencewright_llvm::module::{BinOp, Flags};

use crate::arithmetic::{self, ArithmeticFault};
use crate::event::What;
use crate::machine::Run;
use crate::value::{Scalar, Value};
use crate::violation::{Fault, Halt, Use};

impl Run<'_, '_, '_> {
    /// The result of `op` on the low `width` bits.
    pub(crate) fn binary(
        &mut self,
        op: BinOp,
        width: u32,
        (a, b): (&Value, &Value),
        flags: Flags,
    ) -> Result<Value, Halt> {
        let result = match a.is_open() || b.is_open() {
            true => self.open_binary(op, width, a, b, flags),
            false => arithmetic::binary(op, width, a, b, flags),
        };
        let result = result.map_err(|fault| {
            self.fault(match fault {
                ArithmeticFault::DivisionByZero => Fault::DivisionByZero,
                ArithmeticFault::DivisionOverflow => Fault::DivisionOverflow,
                ArithmeticFault::UnsetDivisor => Fault::Unset(Use::Divisor),
            })
        })?;
        let is_defined = self.machine.settings.defined;
        if (self.events.is_some() || is_defined)
            && let (Value::Scalar(x), Value::Scalar(y)) = (a, b)
            && x.is_set()
            && y.is_set()
            && result == Scalar::poison(width).into()
        {
            self.tell(What::Spoils { op, width, a: x.signed(width), b: y.signed(width) });
            if is_defined {
                return Ok(Scalar::int(0).into());
            }
        }
        Ok(result)
    }
}
