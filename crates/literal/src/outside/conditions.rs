//! Condition variables (POSIX, C11, C++) and futexes, with real signals and spurious wake-ups.
//!
//! Waiting is part of the thread's state; the condition variable's own bytes are not used. A signal wakes any one waiting
//! thread: all choices are tried.

use super::locks::{change, give_mutex, take_mutex};
use super::{Arguments, Done, Outside, zero};
use crate::event::{Bytes, What};
use crate::footprint::Touch;
use crate::machine::Run;
use crate::refusal::Refusal;
use crate::state::Status;
use crate::value::Scalar;
use crate::violation::Halt;

const EAGAIN: u64 = 11;
const ETIMEDOUT: u64 = 110;
const THRD_TIMEDOUT: u64 = 4;

pub(super) fn look_up(name: &str) -> Option<Outside> {
    Some(match name {
        "pthread_cond_init" | "cnd_init" | "pthread_cond_destroy" | "cnd_destroy" => zero,
        "_ZNSt18condition_variableC1Ev"
        | "_ZNSt18condition_variableC2Ev"
        | "_ZNSt18condition_variableD1Ev"
        | "_ZNSt18condition_variableD2Ev" => zero,
        "pthread_cond_wait" | "cnd_wait" => |run, a| wait(run, a.scalar(0), a.scalar(1), None),
        "pthread_cond_timedwait" | "pthread_cond_clockwait" => {
            |run, a| wait(run, a.scalar(0), a.scalar(1), Some(ETIMEDOUT))
        }
        "cnd_timedwait" => |run, a| wait(run, a.scalar(0), a.scalar(1), Some(THRD_TIMEDOUT)),
        "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE" => |run, a| {
            // The first word of the lock is the address of its mutex.
            let lock = a.scalar(1);
            let (id, offset) = run.resolve(lock, 8)?;
            let mutex = run.memory(id, offset, 8)?;
            wait(run, a.scalar(0), mutex, None)
        },
        "pthread_cond_signal" | "cnd_signal" | "_ZNSt18condition_variable10notify_oneEv" => {
            |run, a| wake(run, a.scalar(0), 1)
        }
        "pthread_cond_broadcast" | "cnd_broadcast" | "_ZNSt18condition_variable10notify_allEv" => {
            |run, a| wake(run, a.scalar(0), usize::MAX)
        }
        "syscall" => syscall,
        _ => return None,
    })
}

fn wait(
    run: &mut Run<'_, '_, '_>,
    condition: Scalar,
    mutex: Scalar,
    timed: Option<u64>,
) -> Result<Done, Halt> {
    let thread = run.thread;
    match run.state.threads[thread].status {
        Status::Woken | Status::TimedOut => {
            let over = run.state.threads[thread].status == Status::TimedOut;
            change(run, mutex, 20, "takes", &mut |run, at| {
                if take_mutex(run, at)?.is_err() {
                    return Ok(None);
                }
                run.state.threads[thread].status = Status::Ready;
                Ok(Some(Done::ReturnsInt(if over { timed.unwrap_or(0) } else { 0 })))
            })
        }
        _ => {
            let (object, offset) = run.resolve(condition, 1)?;
            if run.is_visible(object, offset, 1, Touch::ATOMIC) && !run.may_act {
                return Ok(Done::Waits);
            }
            change(run, mutex, 20, "waits, and gives back", &mut |run, at| {
                give_mutex(run, at)?;
                run.state.threads[thread].status =
                    Status::Waiting { at: condition.bits, timed: timed.is_some() };
                Ok(Some(Done::Parked))
            })
        }
    }
}

/// Wakes up to `most` threads waiting at the address; all choices are tried. It does not wait for the thread's writes: without
/// a waiter no library makes a locked step.
fn wake(run: &mut Run<'_, '_, '_>, condition: Scalar, most: usize) -> Result<Done, Halt> {
    let (object, offset) = run.resolve(condition, 1)?;
    let visible = run.is_visible(object, offset, 1, Touch::ATOMIC);
    if visible && !run.may_act {
        return Ok(Done::Waits);
    }
    let woken = wake_some(run, condition.bits, most);
    if visible {
        run.act();
    }
    if run.concurrent {
        run.tell(What::Wakes(Bytes { object, offset, size: 1 }, woken));
    }
    Ok(Done::ReturnsInt(0))
}

fn wake_some(run: &mut Run<'_, '_, '_>, address: u64, most: usize) -> Vec<usize> {
    let mut woken = Vec::new();
    loop {
        let waiting: Vec<usize> = (run.state.threads.iter().enumerate())
            .filter(|(_, thread)| matches!(thread.status, Status::Waiting { at, .. } if at == address))
            .map(|(number, _)| number)
            .collect();
        if waiting.is_empty() || woken.len() >= most {
            return woken;
        }
        let all_go = most - woken.len() >= waiting.len();
        let choice = if all_go { 0 } else { run.choices.choose(waiting.len() as u32) as usize };
        run.state.threads[waiting[choice]].status = Status::Woken;
        woken.push(waiting[choice]);
    }
}

/// System calls, by their Linux x86-64 numbers.
fn syscall(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    const SYS_FUTEX: u64 = 202;
    const SYS_GETTID: u64 = 186;
    const SYS_GETRANDOM: u64 = 318;
    const SYS_SCHED_YIELD: u64 = 24;
    match a.int(run, 0)? {
        SYS_FUTEX => futex(run, a),
        SYS_GETTID => Ok(Done::ReturnsInt(super::environment::thread_number(run.thread))),
        SYS_SCHED_YIELD => Ok(Done::ReturnsInt(0)),
        SYS_GETRANDOM => super::system::fill_random(run, a.scalar(1), a.int(run, 2)?),
        number => Err(run.refuse(Refusal::new(format!("the system call {number}")))),
    }
}

fn futex(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    const WAIT: u64 = 0;
    const WAKE: u64 = 1;
    const WAIT_BITSET: u64 = 9;
    const WAKE_BITSET: u64 = 10;
    let (word, op, value) = (a.scalar(1), a.int(run, 2)? & 127, a.int(run, 3)?);
    match op {
        WAIT | WAIT_BITSET => {
            let thread = run.thread;
            match run.state.threads[thread].status {
                Status::Woken => {
                    run.state.threads[thread].status = Status::Ready;
                    return Ok(Done::ReturnsInt(0));
                }
                Status::TimedOut => {
                    run.state.threads[thread].status = Status::Ready;
                    run.set_errno(ETIMEDOUT)?;
                    return Ok(Done::ReturnsInt(u64::MAX));
                }
                _ => {}
            }
            let timed = a.scalar(4).bits != 0;
            let (id, offset) = run.resolve(word, 4)?;
            let visible = run.is_visible(id, offset, 4, Touch::ATOMIC);
            if !run.waits_for_writes()? || visible && !run.may_act {
                return Ok(Done::Waits);
            }
            if visible {
                run.act();
            }
            let bytes = Bytes { object: id, offset, size: 4 };
            let found = run.memory(id, offset, 4)?;
            if !found.is_set() {
                return Err(run.fault(crate::violation::Fault::Unset(crate::violation::Use::Argument)));
            }
            if found.bits != value & 0xffff_ffff {
                run.tell(What::Reads { bytes, value: found, own: false });
                run.set_errno(EAGAIN)?;
                return Ok(Done::ReturnsInt(u64::MAX));
            }
            run.tell(What::Waits(bytes));
            run.state.threads[thread].status = Status::Waiting { at: word.bits, timed };
            Ok(Done::Parked)
        }
        WAKE | WAKE_BITSET => {
            let of = if word.of.is_some() || !word.is_set() { word.of } else { run.object_at(word.bits) };
            let known = of.is_some() && run.state.object(of).is_none_or(|object| !object.ended);
            let visible = known && {
                let (object, offset) = run.resolve(word, 4)?;
                run.is_visible(object, offset, 4, Touch::ATOMIC)
            };
            if !run.waits_for_writes()? || visible && !run.may_act {
                return Ok(Done::Waits);
            }
            let most = usize::try_from(value as i32).unwrap_or(0);
            let woken = wake_some(run, word.bits, most);
            if visible {
                run.act();
            }
            let n = woken.len() as u64;
            if run.concurrent && known {
                let (object, offset) = run.resolve(word, 4)?;
                run.tell(What::Wakes(Bytes { object, offset, size: 4 }, woken));
            }
            Ok(Done::ReturnsInt(n))
        }
        other => Err(run.refuse(Refusal::new(format!("the futex operation {other}")))),
    }
}
