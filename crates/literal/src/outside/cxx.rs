//! C++ exceptions, after the Itanium ABI, and the exceptions that the C++ library throws.

use super::{Done, Outside, zero};
use crate::exceptions::selector_of;
use crate::machine::Flow;
use crate::value::Scalar;
use crate::violation::{Fault, Halt};

pub(super) fn look_up(name: &str) -> Option<Outside> {
    Some(match name {
        "__fencewright_throw" => |run, a| flow(run.throw(a.scalar(0), a.int(run, 1)?)?),
        "__cxa_rethrow" => |run, _| flow(run.rethrow()?),
        "_Unwind_Resume" => |run, a| flow(run.resume(a.scalar(0))?),
        "__cxa_begin_catch" => |run, a| Ok(Done::Returns(Some(run.begin_catch(a.scalar(0)).into()))),
        "__fencewright_end_catch" => |run, _| {
            let ended = run.end_catch().unwrap_or(Scalar::int(0));
            Ok(Done::Returns(Some(ended.into())))
        },
        "__fencewright_handled" => |run, _| {
            let handled = run.handled().map_or(Scalar::int(0), |exception| exception.object);
            Ok(Done::Returns(Some(handled.into())))
        },
        "__cxa_current_exception_type" => {
            |run, _| Ok(Done::ReturnsInt(run.handled().map_or(0, |exception| exception.type_info)))
        }
        "__cxa_get_exception_ptr" => |run, a| Ok(Done::Returns(Some(run.adjusted(a.scalar(0)).into()))),
        "_ZSt18uncaught_exceptionv" => |run, _| Ok(Done::ReturnsInt((run.uncaught() > 0).into())),
        "_ZSt19uncaught_exceptionsv" => |run, _| Ok(Done::ReturnsInt(run.uncaught() as u64)),
        "__dynamic_cast" => |run, a| {
            let wanted = a.int(run, 2)?;
            Ok(Done::Returns(Some(run.dynamic_cast(a.scalar(0), wanted)?.into())))
        },
        "llvm.eh.typeid.for" | "llvm.eh.typeid.for.p0" => {
            |run, a| Ok(Done::ReturnsInt(selector_of(a.int(run, 0)?)))
        }
        // The library's own exceptions: the function's name says what went wrong.
        _ if name.starts_with("_ZSt") && name.contains("__throw_") => |run, a| {
            let shown = fencewright_llvm::names::readable(a.name);
            Err(run.fault(Fault::Abort(shown)))
        },
        // Allocators have no state. Derived classes construct and destroy the result of a future.
        _ if name.starts_with("_ZNSaI") => zero,
        _ => return None,
    })
}

fn flow(flow: Flow) -> Result<Done, Halt> {
    Ok(if flow == Flow::Stop { Done::Waits } else { Done::Entered })
}
