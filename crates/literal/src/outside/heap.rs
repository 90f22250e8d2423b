//! Allocation functions. Allocation is assumed to succeed; running out of memory here is reported as a limit.

use super::{Arguments, Done, Outside, zero};
use crate::machine::Run;
use crate::value::Scalar;
use crate::violation::{Fault, Halt, Use};

pub(super) fn look_up(name: &str) -> Option<Outside> {
    Some(match name {
        "malloc" | "_ZnwmRKSt9nothrow_t" | "_ZnamRKSt9nothrow_t" | "valloc" => {
            |run, a| new_or_null(run, a.int(run, 0)?, 16, false)
        }
        "_Znwm" | "_Znam" | "alloca" => |run, a| new(run, a.int(run, 0)?, 16, false),
        "__VERIFIER_malloc" | "kmalloc" | "ldv_malloc" => |run, a| new(run, a.int(run, 0)?, 16, false),
        "calloc" => |run, a| {
            let size = a.int(run, 0)?.saturating_mul(a.int(run, 1)?);
            new_or_null(run, size, 16, true)
        },
        "aligned_alloc" | "memalign" => |run, a| new_or_null(run, a.int(run, 1)?, a.int(run, 0)?, false),
        "_ZnwmSt11align_val_t" | "_ZnamSt11align_val_t" | "_ZnwmSt11align_val_tRKSt9nothrow_t" => {
            |run, a| new(run, a.int(run, 0)?, a.int(run, 1)?, false)
        }
        "posix_memalign" => |run, a| {
            let (align, size) = (a.int(run, 1)?, a.int(run, 2)?);
            super::threads::claim(run, a.scalar(0), 8)?;
            let site = site(run);
            let address = run.allocate(size, align, site)?;
            super::threads::put_scalar(run, a.scalar(0), 8, address)?;
            Ok(Done::ReturnsInt(0))
        },
        "realloc" | "reallocarray" => realloc,
        "free"
        | "cfree"
        | "_ZdlPv"
        | "_ZdaPv"
        | "_ZdlPvm"
        | "_ZdaPvm"
        | "_ZdlPvSt11align_val_t"
        | "_ZdaPvSt11align_val_t"
        | "_ZdlPvmSt11align_val_t"
        | "_ZdaPvmSt11align_val_t"
        | "_ZdlPvRKSt9nothrow_t" => free,
        "malloc_usable_size" => |run, a| {
            let (id, _) = run.resolve(a.scalar(0), 0)?;
            Ok(Done::ReturnsInt(run.state.object(id).map_or(0, |object| object.size)))
        },
        "__rust_no_alloc_shim_is_unstable" | "__rust_no_alloc_shim_is_unstable_v2" | "mallopt" => zero,
        _ if is_rust(name, "__rust_alloc") => |run, a| new(run, a.int(run, 0)?, a.int(run, 1)?, false),
        _ if is_rust(name, "__rust_alloc_zeroed") => |run, a| new(run, a.int(run, 0)?, a.int(run, 1)?, true),
        _ if is_rust(name, "__rust_dealloc") => free,
        _ if is_rust(name, "__rust_realloc") => |run, a| {
            let size = a.int(run, 3)?;
            grow(run, a.scalar(0), size, a.int(run, 2)?)
        },
        _ if is_rust(name, "__rust_no_alloc_shim_is_unstable")
            || is_rust(name, "__rust_no_alloc_shim_is_unstable_v2") =>
        {
            zero
        }
        _ => return None,
    })
}

/// Newer compilers mangle the names of Rust's allocator.
fn is_rust(name: &str, function: &str) -> bool {
    // `_RNvCs…_7___rustc12___rust_alloc`: the length of the name, an underscore if the name begins with one, the name.
    let length = function.len();
    let mangled = |between: &str| name.ends_with(&format!("___rustc{length}{between}{function}"));
    name == function || name.starts_with("_RNvCs") && (mangled("") || mangled("_"))
}

pub(super) fn site(run: &Run<'_, '_, '_>) -> u32 {
    let frame = run.top();
    run.machine.program.site(frame.function.number, frame.pc)
}

fn new(run: &mut Run<'_, '_, '_>, size: u64, align: u64, clear: bool) -> Result<Done, Halt> {
    let site = site(run);
    let address = run.allocate(size, align, site)?;
    if clear && let Some(object) = run.state.edit(address.of) {
        object.unset = Vec::new();
    }
    Ok(Done::Returns(Some(address.into())))
}

/// As `new`, but no object is larger than half of all addresses: a request for more gives null.
fn new_or_null(run: &mut Run<'_, '_, '_>, size: u64, align: u64, clear: bool) -> Result<Done, Halt> {
    if is_too_large(size) { no_memory(run) } else { new(run, size, align, clear) }
}

fn is_too_large(size: u64) -> bool {
    i64::try_from(size).is_err()
}

fn no_memory(run: &mut Run<'_, '_, '_>) -> Result<Done, Halt> {
    const ENOMEM: u64 = 12;
    run.set_errno(ENOMEM)?;
    Ok(Done::ReturnsInt(0))
}

/// Freeing memory that other threads may use is visible.
fn free(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let address = a.scalar(0);
    let id = if address.of.is_some() || !address.is_set() { address.of } else { run.object_at(address.bits) };
    if id.is_some() && run.is_end_visible(id) && !run.act() {
        return Ok(Done::Waits);
    }
    run.free(address)?;
    Ok(Done::Returns(None))
}

fn realloc(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let mut size = a.int(run, 1)?;
    if a.name == "reallocarray" {
        size = size.saturating_mul(a.int(run, 2)?);
    }
    if is_too_large(size) {
        return no_memory(run);
    }
    // As glibc has it: nothing is left of an object that shrinks to nothing.
    if size == 0 && a.scalar(0).is_set() && a.scalar(0).bits != 0 {
        return match free(run, a)? {
            Done::Returns(None) => Ok(Done::ReturnsInt(0)),
            waits => Ok(waits),
        };
    }
    grow(run, a.scalar(0), size, 16)
}

fn grow(run: &mut Run<'_, '_, '_>, old: Scalar, size: u64, align: u64) -> Result<Done, Halt> {
    if !old.is_set() {
        return Err(run.fault(Fault::Unset(Use::Address)));
    }
    if old.bits == 0 {
        return new(run, size, align, false);
    }
    let (id, offset) = run.resolve(old, 0)?;
    if run.is_end_visible(id) && !run.act() {
        return Ok(Done::Waits);
    }
    if offset != 0 {
        return Err(run.fault(Fault::BadFree(old.bits)));
    }
    let length = run.state.object(id).map_or(0, |object| object.size);
    let site = site(run);
    let mut values = Vec::new();
    let mut at = 0;
    while at < size.min(length) {
        let step = run.uncut(id, at, (size.min(length) - at).min(8) as u32);
        values.push((
            at,
            step,
            match run.own(id, at, step) {
                crate::buffer::Found::Whole(value) => value,
                _ => run.open_memory(id, at, step)?,
            },
        ));
        at += u64::from(step);
    }
    // It may stay where it is, which a program notices only by looking at its old address. If it has moved, an access through
    // the old address is a fault.
    let stays = run.machine.settings.reuse && run.is_held_besides(id) && run.choices.choose(2) == 1;
    let address = if stays {
        run.free(old)?;
        run.allocate_at(old.bits, size, site)?
    } else {
        let address = run.allocate(size, align, site)?;
        run.free(old)?;
        address
    };
    for (at, step, value) in values {
        run.set_memory(address.of, at, step, value)?;
    }
    Ok(Done::Returns(Some(address.into())))
}
