//! Casts between widths, integers, addresses and floating-point numbers, after the LLVM language reference.

use fencewright_llvm::module::Flags;

use crate::arithmetic;
use crate::code::Cast;
use crate::floats;
use crate::machine::Run;
use crate::step::scalar_of;
use crate::value::{Scalar, Value};
use crate::violation::Halt;

impl Run<'_, '_, '_> {
    /// A cast of a scalar.
    pub(crate) fn cast(
        &mut self,
        cast: Cast,
        value: &Value,
        nneg: bool,
        nsw: bool,
        nuw: bool,
    ) -> Result<Value, Halt> {
        let open = value.as_scalar().filter(|scalar| scalar.open.is_some());
        if let Some(scalar) = open {
            let resized = match cast {
                Cast::Resize { from, to, signed } => {
                    let flags = Flags { nneg, nsw, nuw, ..Flags::default() };
                    self.open_resize(scalar, (from, to), signed, flags)
                }
                Cast::PointerToInt(to) => self.open_resize(scalar, (64, to), false, Flags::default()),
                // The object it points into is determined when it is used.
                Cast::IntToPointer(from) => self.open_resize(scalar, (from, 64), false, Flags::default()),
                Cast::Bits | Cast::Gather => Some(scalar),
                Cast::FloatToInt(..) | Cast::IntToFloat(..) | Cast::FloatResize(..) => None,
            };
            if let Some(resized) = resized {
                return Ok(resized.into());
            }
        }
        let value = &match open {
            Some(scalar) => self.known(scalar).into(),
            None => value.clone(),
        };
        Ok(match cast {
            Cast::Resize { from, to, signed } => {
                let wide = arithmetic::to_wide(value);
                let sign = from >= 1 && wide.unset == 0 && wide.bits >> (from - 1) & 1 == 1;
                let result = arithmetic::resize(value, from, to, signed);
                let lost = to < from && wide.unset == 0 && {
                    let back_signed = arithmetic::to_wide(&arithmetic::resize(&result, to, from, true));
                    let back_unsigned = arithmetic::to_wide(&arithmetic::resize(&result, to, from, false));
                    nsw && back_signed.bits != wide.bits || nuw && back_unsigned.bits != wide.bits
                };
                if nneg && sign || lost { Value::poison(to) } else { result }
            }
            Cast::Bits | Cast::Gather => value.clone(),
            Cast::PointerToInt(to) => arithmetic::resize(value, 64, to, false),
            Cast::IntToPointer(from) => {
                let address = scalar_of(&arithmetic::resize(value, from, 64, false));
                Value::Scalar(self.rooted(address))
            }
            Cast::FloatToInt(format, to, signed) => floats::to_int(format, scalar_of(value), to, signed),
            Cast::IntToFloat(format, from, signed) => {
                floats::from_int(format, arithmetic::to_wide(value), from, signed).into()
            }
            Cast::FloatResize(from, to) => floats::resize(from, to, scalar_of(value)).into(),
        })
    }

    /// An integer that becomes an address points into the object it lies in. The object it was computed from is kept if the
    /// address is still within it or one past its end.
    fn rooted(&self, address: Scalar) -> Scalar {
        if !address.is_set() {
            return address;
        }
        if address.of.is_some()
            && let Some(object) = self.state.object(address.of)
            && address.bits.wrapping_sub(object.address) <= object.size
        {
            return address;
        }
        Scalar { of: self.object_at(address.bits), ..address }
    }
}
