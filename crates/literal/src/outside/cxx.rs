//! Exceptions of C++, after the Itanium ABI, and what its library throws.

use super::{Arguments, Done, Outside, zero};
use crate::control::{pointer_shape, selector_of};
use crate::machine::{Flow, Run};
use crate::state::{Part, Then};
use crate::step::scalar_of;
use crate::value::{Scalar, Value};
use crate::violation::{Fault, Halt};

pub(super) fn look_up(name: &str) -> Option<Outside> {
    Some(match name {
        "__cxa_allocate_exception" => |run, a| {
            let size = a.int(run, 0)?;
            let address = run.allocate(size.max(1), 16, u32::MAX - 5)?;
            Ok(Done::Returns(Some(address.into())))
        },
        "__cxa_free_exception" => |run, a| {
            run.free(a.scalar(0))?;
            Ok(Done::Returns(None))
        },
        "__cxa_throw" => |run, a| {
            let type_info = a.int(run, 1)?;
            let flow = run.throw(a.scalar(0).into(), type_info, a.scalar(2).into())?;
            debug_assert_eq!(flow, Flow::Jumped);
            Ok(Done::Entered)
        },
        "__cxa_begin_catch" => begin_catch,
        "__cxa_end_catch" => end_catch,
        "__cxa_rethrow" => |run, _| {
            let thread = run.thread;
            if let Some(exception) = Part::edit(&mut run.state.threads[thread].own).exceptions.last_mut() {
                exception.handlers = exception.handlers.saturating_sub(1);
            }
            run.unwind()?;
            Ok(Done::Entered)
        },
        "_Unwind_Resume" => |run, _| {
            run.unwind()?;
            Ok(Done::Entered)
        },
        "__cxa_get_exception_ptr" => |_, a| Ok(Done::Returns(Some(a.scalar(0).into()))),
        "llvm.eh.typeid.for" | "llvm.eh.typeid.for.p0" => {
            |run, a| Ok(Done::ReturnsInt(selector_of(a.int(run, 0)?)))
        }
        "_ZSt18uncaught_exceptionv" | "_ZSt19uncaught_exceptionsv" => zero,
        // Exceptions that the library makes itself: what they are called says what went wrong.
        _ if name.starts_with("_ZSt") && name.contains("__throw_") => |run, a| {
            let shown = fencewright_llvm::names::readable(a.name);
            Err(run.fault(Fault::Abort(shown)))
        },
        // Objects of the library's own exceptions: only that they exist matters.
        _ if is_library_exception(name) => zero,
        // Allocators have no state; the result of a future is made and destroyed by those derived from it.
        _ if name.starts_with("_ZNSaI") => zero,
        "_ZNSt13__future_base12_Result_baseC2Ev" => |run, a| {
            // Its pointer to an exception is null; the virtual functions are set by what is derived from it.
            let (id, offset) = run.resolve(a.scalar(0), 16)?;
            run.set_memory(id, offset + 8, 8, Scalar::int(0))?;
            Ok(Done::Returns(None))
        },
        "_ZNSt13__future_base12_Result_baseD2Ev"
        | "_ZNSt15__exception_ptr13exception_ptrD1Ev"
        | "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv" => zero,
        _ => return None,
    })
}

fn is_library_exception(name: &str) -> bool {
    [
        "_ZNSt9exception",
        "_ZNSt13runtime_error",
        "_ZNSt11logic_error",
        "_ZNSt16invalid_argument",
        "_ZNSt12out_of_range",
        "_ZNSt12domain_error",
        "_ZNSt12length_error",
        "_ZNKSt9exception",
        "_ZNKSt13runtime_error",
        "_ZNKSt11logic_error",
        "_ZNSt9bad_alloc",
        "_ZNSt12system_error",
    ]
    .iter()
    .any(|prefix| name.starts_with(prefix))
}

fn begin_catch(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let thread = run.thread;
    if let Some(exception) = Part::edit(&mut run.state.threads[thread].own).exceptions.last_mut() {
        exception.handlers += 1;
    }
    Ok(Done::Returns(Some(a.scalar(0).into())))
}

/// The last handler that ends destroys the exception.
fn end_catch(run: &mut Run<'_, '_, '_>, _: &Arguments<'_>) -> Result<Done, Halt> {
    let thread = run.thread;
    let own = Part::edit(&mut run.state.threads[thread].own);
    let Some(exception) = own.exceptions.last_mut() else { return Ok(Done::Returns(None)) };
    exception.handlers = exception.handlers.saturating_sub(1);
    if exception.handlers > 0 {
        return Ok(Done::Returns(None));
    }
    let Some(exception) = own.exceptions.pop() else { return Ok(Done::Returns(None)) };
    let destructor = scalar_of(&exception.destructor);
    let object: Scalar = scalar_of(&exception.object);
    match run.machine.program.function_at(destructor.bits) {
        Some(function) if destructor.bits != 0 && run.machine.program.function_body(function).is_some() => {
            // The object's memory is left: nobody has its address any more.
            run.push(function, vec![(Value::Scalar(object), pointer_shape())], Then::Result)?;
            Ok(Done::Entered)
        }
        _ => {
            run.free(object)?;
            Ok(Done::Returns(None))
        }
    }
}
