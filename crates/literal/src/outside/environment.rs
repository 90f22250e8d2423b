//! What a program learns from its environment: environment variables, processors, process numbers. Only one of many possible
//! answers is given. A pass is bounded if the program uses one that is not open.

use super::threads::put;
use super::{Arguments, Done, Outside, any_of, one_of_many, refuse, zero};
use crate::machine::Run;
use crate::state::Part;
use crate::violation::Halt;
use crate::visible::Order;

/// The numbers of the process and of its first thread, which are equal.
const PROCESS: u64 = 1_000;
/// The number of processors.
const PROCESSORS: u64 = 2;
const PAGE: u64 = 4096;

pub(super) fn look_up(name: &str) -> Option<Outside> {
    Some(match name {
        "getenv" | "secure_getenv" => variable,
        "getpid" | "getppid" | "getuid" | "geteuid" | "getgid" | "getegid" => {
            |run, _| Ok(one_of_many(run, PROCESS))
        }
        "gettid" => |run, _| Ok(Done::ReturnsInt(thread_number(run.thread))),
        "getpagesize" => |_, _| Ok(Done::ReturnsInt(PAGE)),
        "sysconf" => |run, a| {
            const TICKS: u64 = 2;
            const PAGE_SIZE: u64 = 30;
            const CONFIGURED: u64 = 83;
            const ONLINE: u64 = 84;
            Ok(match a.int(run, 0)? {
                TICKS => Done::ReturnsInt(100),
                PAGE_SIZE => Done::ReturnsInt(PAGE),
                CONFIGURED | ONLINE => one_of_many(run, PROCESSORS),
                _ => return Err(refuse(run, a, "a limit of the system")),
            })
        },
        "get_nprocs" | "get_nprocs_conf" | "_ZNSt6thread20hardware_concurrencyEv" => {
            |run, _| Ok(one_of_many(run, PROCESSORS))
        }
        "sched_getcpu" => |run, a| {
            run.notes.partly.values = true;
            Ok(any_of(run, a, 0, i128::from(PROCESSORS) - 1))
        },
        "sched_getaffinity" | "pthread_getaffinity_np" => |run, a| {
            let length = a.int(run, 1)?;
            run.notes.partly.values = true;
            for at in 0..length.min(128) {
                let byte = if at == 0 { (1 << PROCESSORS) - 1 } else { 0 };
                put(run, super::locks::offset(a.scalar(2), at), 1, byte)?;
            }
            Ok(Done::ReturnsInt(0))
        },
        "sched_get_priority_max" | "sched_get_priority_min" => |run, a| {
            let is_ordinary = a.int(run, 0)? == 0;
            let bound = if a.name.ends_with("max") { 99 } else { 1 };
            Ok(Done::ReturnsInt(if is_ordinary { 0 } else { bound }))
        },
        "isatty" => |run, a| Ok(any_of(run, a, 0, 1)),
        "umask" | "setlocale" | "getauxval" | "gnu_get_libc_version" => |run, a| match a.ret {
            Some(_) => Ok(one_of_many(run, 0)),
            None => zero(run, a),
        },
        // Functions that a library looks up at its start are reported as missing.
        "dlsym" => |run, a| {
            let Some(wanted) = super::bytes::text(run, a.scalar(1))? else { return Ok(Done::Waits) };
            match wanted.starts_with(b"__") || wanted == b"gnu_get_libc_version" {
                true => Ok(Done::ReturnsInt(0)),
                false => Err(refuse(run, a, "a function that is found by its name")),
            }
        },
        // These always succeed.
        "prctl"
        | "setrlimit"
        | "mprotect"
        | "madvise"
        | "mlock"
        | "mlockall"
        | "munlock"
        | "munlockall"
        | "setvbuf"
        | "setbuf"
        | "nice"
        | "_dl_relocate_static_pie"
        | "__gmon_start__" => zero,
        "poll" => |run, a| {
            // At its start, Rust asks whether its three streams are open. They are.
            const STREAMS: u64 = 3;
            if a.int(run, 1)? != STREAMS || a.int(run, 2)? != 0 {
                return Err(refuse(run, a, "waiting for input"));
            }
            for number in 0..STREAMS {
                put(run, super::locks::offset(a.scalar(0), 8 * number + 6), 2, 0)?;
            }
            Ok(Done::ReturnsInt(0))
        },
        "strerror" => |run, _| {
            run.notes.partly.values |= super::is_used(run);
            super::strings::new_text(run, b"error")
        },
        _ => return None,
    })
}

/// The system's number of a thread.
pub(super) fn thread_number(thread: usize) -> u64 {
    PROCESS + thread as u64
}

/// An environment variable: unset, or some text. Repeated queries for a name agree.
fn variable(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let Some(name) = super::bytes::text(run, a.scalar(0))? else { return Ok(Done::Waits) };
    // Rust programs use these for messages and stack sizes only.
    if name.starts_with(b"RUST_") {
        return Ok(Done::ReturnsInt(0));
    }
    if run.is_order_visible(Order::Environment) && !run.act() {
        return Ok(Done::Waits);
    }
    let known = run.state.process.environment.iter().find(|(known, _)| **known == *name);
    let is_set = match known {
        Some((_, is_set)) => *is_set,
        None => {
            let is_set = run.choices.choose(2) == 1;
            let environment = &mut Part::edit(&mut run.state.process).environment;
            environment.push((name.into(), is_set));
            environment.sort_unstable();
            is_set
        }
    };
    if !is_set {
        return Ok(Done::ReturnsInt(0));
    }
    run.notes.partly.values = true;
    super::strings::new_text(run, b"1")
}
