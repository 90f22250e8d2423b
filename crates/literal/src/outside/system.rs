//! The process: its end, clocks, random numbers, memory from the system, and non-local jumps.

use super::threads::{claim, put};
use super::{Arguments, Done, Outside, zero};
use crate::event::What;
use crate::footprint::Touch;
use crate::layout::{Kind, Shape};
use crate::machine::Run;
use crate::refusal::Refusal;
use crate::state::{Part, Task};
use crate::value::{Scalar, Value};
use crate::violation::{Fault, Halt, Use};
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
        // A random device has no state.
        "_ZNSt13random_device7_M_initERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
        | "_ZNSt13random_device7_M_finiEv" => zero,
        "_ZNSt13random_device9_M_getvalEv" => |run, a| Ok(random(run, a, 0, u32::MAX.into())),
        "drand48" => |run, a| {
            run.notes.partly.values = true;
            zero(run, a)
        },
        "srand" | "srandom" | "srand48" => zero,
        "getrandom" | "getentropy" => |run, a| fill_random(run, a.scalar(0), a.int(run, 1)?),
        "clock_gettime" | "clock_getres" => |run, a| {
            claim(run, a.scalar(1), 16)?;
            let now = time(run)?;
            put(run, a.scalar(1), 8, now / SECOND)?;
            put(run, super::locks::offset(a.scalar(1), 8), 8, now % SECOND)?;
            Ok(Done::ReturnsInt(0))
        },
        "gettimeofday" | "timespec_get" => |run, a| {
            claim(run, a.scalar(0), 16)?;
            let now = time(run)?;
            let unit = if a.name == "gettimeofday" { 1_000 } else { 1 };
            put(run, a.scalar(0), 8, now / SECOND)?;
            put(run, super::locks::offset(a.scalar(0), 8), 8, now % SECOND / unit)?;
            Ok(Done::ReturnsInt((a.name == "timespec_get").into()))
        },
        "time" => |run, a| {
            let stores = a.scalar(0).is_set() && a.scalar(0).bits != 0;
            if stores {
                claim(run, a.scalar(0), 8)?;
            }
            let now = time(run)? / SECOND;
            if stores {
                put(run, a.scalar(0), 8, now)?;
            }
            Ok(Done::ReturnsInt(now))
        },
        "clock" | "_ZNSt6chrono3_V212steady_clock3nowEv" | "_ZNSt6chrono3_V212system_clock3nowEv" => {
            |run, _| Ok(Done::ReturnsInt(time(run)?))
        }
        "sleep" | "usleep" | "nanosleep" | "clock_nanosleep" | "thrd_sleep" => sleep,
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

const SECOND: u64 = 1_000_000_000;
/// The time at the first look at a clock, in nanoseconds.
const START: u64 = 1_000_000 * SECOND;
/// A long time.
const LONG: u64 = 3_600 * SECOND;
/// The most sleeps between two readings of a clock that are added up. After more sleeps, a long time has passed.
const FEW_SLEEPS: u32 = 3;

/// The time in nanoseconds: the same as at the last call, or much later. After sleeps it is later by the length of these sleeps,
/// or much later.
fn time(run: &mut Run<'_, '_, '_>) -> Result<u64, Halt> {
    /// The clock goes on by itself until then.
    const MOST: u64 = START + 4 * LONG;
    /// A program that sleeps and looks at the clock for ever is followed until then.
    const END: u64 = START + 16 * LONG;
    /// So often it is later by the length of the sleeps only.
    const FEW_STEPS: u32 = 4;
    run.notes.partly.times = true;
    let process = &run.state.process;
    let (mut now, slept, sleeps) = (process.time.max(START), process.slept, process.sleeps);
    let mut steps = process.steps;
    if sleeps == 0 {
        if now < MOST && run.choices.choose(2) == 1 {
            now += LONG;
        }
    } else if now >= END {
        return Err(Halt::Infeasible);
    } else if sleeps <= FEW_SLEEPS && steps < FEW_STEPS && run.choices.choose(2) == 0 {
        now += slept;
        steps += 1;
    } else {
        now += slept.max(LONG);
    }
    if now != run.state.process.time || sleeps != 0 {
        let process = Part::edit(&mut run.state.process);
        (process.time, process.slept, process.sleeps, process.steps) = (now, 0, 0, steps);
    }
    Ok(now)
}

/// Sleeping only makes the time of the next look at a clock later: any thread may be slow anyway.
fn sleep(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    const MICROSECOND: u64 = 1_000;
    let length = match a.name {
        "sleep" => (a.int(run, 0)? & 0xffff_ffff) * SECOND,
        "usleep" => (a.int(run, 0)? & 0xffff_ffff) * MICROSECOND,
        _ => {
            let is_until = a.name == "clock_nanosleep" && a.int(run, 1)? != 0;
            let at = a.scalar(if a.name == "clock_nanosleep" { 2 } else { 0 });
            let (id, offset) = run.resolve(at, 16)?;
            run.claim(id, offset, 16, Touch::READ)?;
            let (seconds, rest) = (run.memory(id, offset, 8)?, run.memory(id, offset + 8, 8)?);
            if !seconds.is_set() || !rest.is_set() {
                return Err(run.fault(Fault::Unset(Use::Argument)));
            }
            let length = seconds.bits.saturating_mul(SECOND).saturating_add(rest.bits);
            if is_until { length.saturating_sub(run.state.process.time) } else { length }
        }
    };
    run.pass_time(length);
    zero(run, a)
}

impl Run<'_, '_, '_> {
    /// So many nanoseconds pass. That matters only to a program that has looked at a clock. More than a few such times between
    /// two looks at a clock do not make new states: a thread that only sleeps comes back to where it was.
    pub(crate) fn pass_time(&mut self, length: u64) {
        const MANY: u64 = 16;
        /// A year, so that all times fit 64 bits.
        const LONGEST: u64 = 366 * 24 * LONG;
        if self.state.process.time == 0 {
            return;
        }
        let process = &self.state.process;
        let length = length.min(LONGEST);
        let (slept, sleeps) = match process.sleeps {
            sleeps if sleeps < FEW_SLEEPS => (process.slept + length, sleeps + 1),
            _ => (process.slept.max(MANY * length).max(LONG), FEW_SLEEPS + 1),
        };
        if (slept, sleeps) != (process.slept, process.sleeps) {
            let process = Part::edit(&mut self.state.process);
            (process.slept, process.sleeps) = (slept, sleeps);
        }
    }

    /// A time limit passes, whatever it is.
    pub(crate) fn pass_limit(&mut self) {
        let process = &self.state.process;
        if process.time != 0 && (process.slept < LONG || process.sleeps <= FEW_SLEEPS) {
            let process = Part::edit(&mut self.state.process);
            (process.slept, process.sleeps) = (process.slept.max(LONG), FEW_SLEEPS + 1);
        }
    }
}
