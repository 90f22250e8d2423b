//! The process: its end, clocks, random numbers, memory from the system, and non-local jumps.

use super::threads::{claim, put};
use super::{Arguments, Done, Outside, zero};
use crate::event::What;
use crate::layout::{Kind, Shape};
use crate::machine::Run;
use crate::refusal::Refusal;
use crate::state::{Part, Task};
use crate::value::{Scalar, Value};
use crate::violation::{Fault, Halt};
use crate::visible::Order;

pub(super) fn look_up(name: &str) -> Option<Outside> {
    Some(match name {
        "exit" => exit,
        "_exit" | "_Exit" | "quick_exit" => exit_at_once,
        "atexit" => |run, a| register(run, a.scalar(0), Scalar::int(0)),
        "__cxa_atexit" => |run, a| register(run, a.scalar(0), a.scalar(1)),
        "__cxa_finalize" => zero,
        "at_quick_exit" => |run, a| Err(super::refuse(run, a, "what is called by `quick_exit`")),
        "rand" | "random" | "lrand48" | "rand_r" => |run, a| Ok(random(run, a, 0, i32::MAX.into())),
        "mrand48" => |run, a| Ok(random(run, a, i32::MIN.into(), i32::MAX.into())),
        "arc4random" => |run, a| Ok(random(run, a, 0, u32::MAX.into())),
        "arc4random_uniform" => |run, a| {
            let bound = a.int(run, 0)? & 0xffff_ffff;
            Ok(random(run, a, 0, i128::from(bound.max(1)) - 1))
        },
        "drand48" => |run, a| {
            run.notes.partly.values = true;
            zero(run, a)
        },
        "srand" | "srandom" | "srand48" => zero,
        "getrandom" | "getentropy" => |run, a| fill_random(run, a.scalar(0), a.int(run, 1)?),
        "clock_gettime" | "clock_getres" => |run, a| {
            claim(run, a.scalar(1), 16)?;
            let now = time(run);
            put(run, a.scalar(1), 8, now)?;
            put(run, super::locks::offset(a.scalar(1), 8), 8, 0)?;
            Ok(Done::ReturnsInt(0))
        },
        "gettimeofday" | "timespec_get" => |run, a| {
            claim(run, a.scalar(0), 16)?;
            let now = time(run);
            put(run, a.scalar(0), 8, now)?;
            put(run, super::locks::offset(a.scalar(0), 8), 8, 0)?;
            Ok(Done::ReturnsInt((a.name == "timespec_get").into()))
        },
        "time" => |run, a| {
            let stores = a.scalar(0).is_set() && a.scalar(0).bits != 0;
            if stores {
                claim(run, a.scalar(0), 8)?;
            }
            let now = time(run);
            if stores {
                put(run, a.scalar(0), 8, now)?;
            }
            Ok(Done::ReturnsInt(now))
        },
        "clock" | "_ZNSt6chrono3_V212steady_clock3nowEv" | "_ZNSt6chrono3_V212system_clock3nowEv" => {
            |run, _| Ok(Done::ReturnsInt(time(run).wrapping_mul(1_000_000_000)))
        }
        // Sleeping does nothing: any thread may be slow anyway.
        "sleep" | "usleep" | "nanosleep" | "clock_nanosleep" | "thrd_sleep" => zero,
        "__errno_location" => |run, _| run.errno().map(|address| Done::Returns(Some(address.into()))),
        "mmap" | "mmap64" => |run, a| {
            const ANONYMOUS: u64 = 0x20;
            let (size, flags) = (a.int(run, 1)?, a.int(run, 3)?);
            if flags & ANONYMOUS == 0 {
                return Err(super::refuse(run, a, "a file in memory"));
            }
            let address = run.allocate(size, 4096, u32::MAX - 4)?;
            if let Some(object) = run.state.edit(address.of) {
                object.unset = Vec::new();
            }
            Ok(Done::Returns(Some(address.into())))
        },
        "munmap" => |run, a| {
            let (address, size) = (a.scalar(0), a.int(run, 1)?);
            let (id, offset) = run.resolve(address, 0)?;
            if offset != 0 || run.state.object(id).is_none_or(|object| object.size != size) {
                return Err(super::refuse(run, a, "a part of what was mapped"));
            }
            if run.is_end_visible(id) && !run.act() {
                return Ok(Done::Waits);
            }
            run.free(address)?;
            Ok(Done::ReturnsInt(0))
        },
        "setjmp" | "_setjmp" | "__sigsetjmp" | "sigsetjmp" | "longjmp" | "_longjmp" | "siglongjmp" => {
            |run, a| {
                let what = format!("`{}`: a jump out of a function", a.name.trim_start_matches('_'));
                Err(run.refuse(Refusal::new(what).help("write the way back as a return value")))
            }
        }
        _ => return None,
    })
}

/// Runs the registered exit functions, then ends the process.
fn exit(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    a.int(run, 0)?;
    // The stack stays: other threads may use its variables until the process ends.
    let thread = run.thread;
    run.state.threads[thread].frames.clear();
    run.state.threads[thread].task = Task::Exit;
    Ok(Done::Entered)
}

fn exit_at_once(run: &mut Run<'_, '_, '_>, _: &Arguments<'_>) -> Result<Done, Halt> {
    if run.concurrent && !run.may_act {
        return Ok(Done::Waits);
    }
    run.act();
    run.tell(What::Exits);
    run.end_process();
    Ok(Done::Parked)
}

fn register(run: &mut Run<'_, '_, '_>, function: Scalar, argument: Scalar) -> Result<Done, Halt> {
    let Some(number) = run.machine.program.function_at(function.bits) else {
        return Err(run.fault(Fault::NotAFunction(function.bits)));
    };
    if run.is_order_visible(Order::AtExit) && !run.act() {
        return Ok(Done::Waits);
    }
    run.note_escape(argument.of);
    Part::edit(&mut run.state.process).at_exit.push((number, Value::Scalar(argument)));
    Ok(Done::ReturnsInt(0))
}

/// Any number between the two.
fn random(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>, low: i128, high: i128) -> Done {
    let bits = match a.ret.map(|shape| &**shape) {
        Some(Shape::Scalar(Kind::Int(bits), _)) if (32..=64).contains(bits) => *bits,
        _ => return Done::Returns(None),
    };
    Done::Returns(Some(run.any_between(low, high, bits).into()))
}

/// Random bytes. Only zeros are tried, because no program may rely on the seed of a hash table.
pub(super) fn fill_random(run: &mut Run<'_, '_, '_>, to: Scalar, length: u64) -> Result<Done, Halt> {
    run.notes.partly.values = true;
    let (id, offset) = run.resolve(to, length)?;
    for at in 0..length {
        run.set_memory(id, offset + at, 1, Scalar::int(0))?;
    }
    Ok(Done::ReturnsInt(length))
}

/// The time: the same as at the last call, or much later.
fn time(run: &mut Run<'_, '_, '_>) -> u64 {
    const LATER: u64 = 3_600;
    const MOST: u64 = 1_000_000 + 4 * LATER;
    run.notes.partly.times = true;
    let now = run.state.process.time.max(1_000_000);
    let now = if now < MOST && run.choices.choose(2) == 1 { now + LATER } else { now };
    if now != run.state.process.time {
        Part::edit(&mut run.state.process).time = now;
    }
    now
}
