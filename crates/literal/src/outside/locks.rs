//! Mutexes, spin locks, read-write locks, semaphores, barriers, `once`. Their state is in their own bytes, so that a program
//! may initialise and copy them, or leave them unset. Each operation is a locked step: all writes of the thread have reached
//! memory before it.
//!
//! | object | bytes |
//! |---|---|
//! | mutex | 0: taken, 4: recursion count, 8: handle of the owner, 16: kind (as in glibc's initialisers) |
//! | read-write lock | 0: readers, 4: handle of the writer |
//! | spin lock, semaphore | 0: taken, or the count |
//! | barrier | 0: threads wanted, 4: threads waiting, 8: unused |
//! | once | 0: 0 new, 1 running, 2 done |

use super::threads::{claim, put};
use super::{Arguments, Done, Outside, refuse, zero};
use crate::event::{Bytes, What};
use crate::footprint::Touch;
use crate::machine::Run;
use crate::state::{Part, Status};
use crate::value::{ObjectId, Scalar};
use crate::violation::{Fault, Halt, Use};

const EPERM: u64 = 1;
const EAGAIN: u64 = 11;
const EBUSY: u64 = 16;
const EINVAL: u64 = 22;
const EDEADLK: u64 = 35;
const ETIMEDOUT: u64 = 110;
/// C11's error numbers.
const THRD_BUSY: u64 = 1;
const THRD_TIMEDOUT: u64 = 4;

const RECURSIVE: u64 = 1;
const ERROR_CHECKING: u64 = 2;

pub(super) fn look_up(name: &str) -> Option<Outside> {
    Some(match name {
        "pthread_mutex_init" => mutex_init,
        "mtx_init" => |run, a| {
            let kind = if a.int(run, 1)? & 1 == 1 { RECURSIVE } else { 0 };
            clear(run, a.scalar(0), 40)?;
            put(run, offset(a.scalar(0), 16), 4, kind)?;
            Ok(Done::ReturnsInt(0))
        },
        "pthread_mutexattr_init"
        | "pthread_rwlockattr_init"
        | "pthread_condattr_init"
        | "pthread_barrierattr_init" => |run, a| {
            put(run, a.scalar(0), 4, 0)?;
            Ok(Done::ReturnsInt(0))
        },
        "pthread_mutexattr_settype" => |run, a| {
            let kind = a.int(run, 1)?;
            put(run, a.scalar(0), 4, kind)?;
            Ok(Done::ReturnsInt(0))
        },
        "pthread_mutexattr_gettype" => |run, a| {
            let at = run.resolve(a.scalar(0), 4)?;
            let kind = run.get(at, 0)?;
            put(run, a.scalar(1), 4, kind)?;
            Ok(Done::ReturnsInt(0))
        },
        "pthread_mutexattr_setrobust" => |run, a| match a.int(run, 1)? {
            0 => Ok(Done::ReturnsInt(0)),
            _ => Err(refuse(run, a, "a mutex that survives its owner")),
        },
        // The other kinds allow readers to overtake waiting writers, and so does this one.
        "pthread_rwlockattr_setkind_np" => |run, a| match a.int(run, 1)? {
            0 | 1 => Ok(Done::ReturnsInt(0)),
            _ => Err(refuse(run, a, "a lock that lets writers go first")),
        },
        "pthread_mutexattr_destroy"
        | "pthread_mutexattr_setprotocol"
        | "pthread_mutexattr_setpshared"
        | "pthread_rwlockattr_destroy"
        | "pthread_condattr_destroy"
        | "pthread_condattr_setclock"
        | "pthread_barrierattr_destroy"
        | "mtx_destroy"
        | "pthread_rwlock_destroy"
        | "pthread_spin_destroy"
        | "sem_destroy"
        | "pthread_barrier_destroy"
        | "sem_close"
        | "sem_unlink" => zero,
        "pthread_mutex_lock" | "mtx_lock" => |run, a| mutex_lock(run, a.scalar(0), Wish::Wait),
        "pthread_mutex_trylock" => |run, a| mutex_lock(run, a.scalar(0), Wish::Try(EBUSY)),
        "mtx_trylock" => |run, a| mutex_lock(run, a.scalar(0), Wish::Try(THRD_BUSY)),
        "pthread_mutex_timedlock" | "pthread_mutex_clocklock" => {
            |run, a| mutex_lock(run, a.scalar(0), Wish::Try(ETIMEDOUT))
        }
        "mtx_timedlock" => |run, a| mutex_lock(run, a.scalar(0), Wish::Try(THRD_TIMEDOUT)),
        "pthread_mutex_unlock" | "mtx_unlock" => mutex_unlock,
        "pthread_mutex_destroy" => |run, a| {
            change(run, a.scalar(0), 20, "destroys", &mut |run, at| {
                let error = if run.get(at, 0)? == 0 { 0 } else { EBUSY };
                Ok(Some(Done::ReturnsInt(error)))
            })
        },
        "pthread_spin_init" => |run, a| {
            put(run, a.scalar(0), 4, 0)?;
            Ok(Done::ReturnsInt(0))
        },
        "pthread_spin_lock" => |run, a| take_word(run, a.scalar(0), Wish::Wait),
        "pthread_spin_trylock" => |run, a| take_word(run, a.scalar(0), Wish::Try(EBUSY)),
        "sem_init" => |run, a| {
            let count = a.int(run, 2)? & 0xffff_ffff;
            if count > i32::MAX as u64 {
                run.set_errno(EINVAL)?;
                return Ok(Done::ReturnsInt(u64::MAX));
            }
            clear(run, a.scalar(0), 32)?;
            put(run, a.scalar(0), 4, count)?;
            Ok(Done::ReturnsInt(0))
        },
        "sem_wait" => |run, a| semaphore_wait(run, a.scalar(0), Wish::Wait),
        "sem_trywait" => |run, a| {
            let is_none = &mut |run: &mut Run<'_, '_, '_>, at| {
                if run.get(at, 0)? != 0 {
                    return Ok(None);
                }
                run.set_errno(EAGAIN)?;
                Ok(Some(Done::ReturnsInt(u64::MAX)))
            };
            match look(run, a.scalar(0), 4, "waits for", is_none)? {
                Some(done) => Ok(done),
                None => semaphore_wait(run, a.scalar(0), Wish::Try(EAGAIN)),
            }
        },
        "sem_timedwait" | "sem_clockwait" => |run, a| semaphore_wait(run, a.scalar(0), Wish::Try(ETIMEDOUT)),
        "sem_post" => |run, a| {
            change(run, a.scalar(0), 4, "posts", &mut |run, at| {
                let count = run.get(at, 0)?;
                run.set(at, 0, count + 1)?;
                Ok(Some(Done::ReturnsInt(0)))
            })
        },
        "sem_getvalue" => |run, a| {
            let to = a.scalar(1);
            claim(run, to, 4)?;
            let done = look(run, a.scalar(0), 4, "looks at", &mut |run, at| {
                let count = run.get(at, 0)?;
                put(run, to, 4, count)?;
                Ok(Some(Done::ReturnsInt(0)))
            })?;
            Ok(done.unwrap_or(Done::Waits))
        },
        "pthread_rwlock_init" => |run, a| {
            clear(run, a.scalar(0), 56)?;
            Ok(Done::ReturnsInt(0))
        },
        "pthread_rwlock_rdlock" => |run, a| read_lock(run, a.scalar(0), Wish::Wait),
        "pthread_rwlock_tryrdlock" => |run, a| read_lock(run, a.scalar(0), Wish::Try(EBUSY)),
        "pthread_rwlock_timedrdlock" | "pthread_rwlock_clockrdlock" => {
            |run, a| read_lock(run, a.scalar(0), Wish::Try(ETIMEDOUT))
        }
        "pthread_rwlock_wrlock" => |run, a| write_lock(run, a.scalar(0), Wish::Wait),
        "pthread_rwlock_trywrlock" => |run, a| write_lock(run, a.scalar(0), Wish::Try(EBUSY)),
        "pthread_rwlock_timedwrlock" | "pthread_rwlock_clockwrlock" => {
            |run, a| write_lock(run, a.scalar(0), Wish::Try(ETIMEDOUT))
        }
        "pthread_rwlock_unlock" => read_write_unlock,
        "pthread_barrier_init" => |run, a| {
            let wanted = a.int(run, 2)? & 0xffff_ffff;
            if wanted == 0 || wanted > i32::MAX as u64 {
                return Ok(Done::ReturnsInt(EINVAL));
            }
            clear(run, a.scalar(0), 32)?;
            put(run, a.scalar(0), 4, wanted)?;
            Ok(Done::ReturnsInt(0))
        },
        "pthread_barrier_wait" => barrier_wait,
        "__fencewright_once_begin" => once_begin,
        "__fencewright_once_end" => |run, a| {
            change(run, a.scalar(0), 4, "is done with", &mut |run, at| {
                run.set(at, 0, 2).map(|()| Some(Done::ReturnsInt(0)))
            })
        },
        "__fencewright_once_abort" => |run, a| {
            change(run, a.scalar(0), 4, "gives up", &mut |run, at| {
                run.set(at, 0, 0).map(|()| Some(Done::ReturnsInt(0)))
            })
        },
        "__cxa_guard_acquire" => guard_acquire,
        "__cxa_guard_release" => |run, a| {
            change(run, a.scalar(0), 8, "has initialised", &mut |run, at| {
                run.set_memory(at.0, at.1, 2, Scalar::int(1))?;
                Ok(Some(Done::Returns(None)))
            })
        },
        "__cxa_guard_abort" => |run, a| {
            change(run, a.scalar(0), 8, "gives up", &mut |run, at| {
                run.set_memory(at.0, at.1, 2, Scalar::int(0))?;
                Ok(Some(Done::Returns(None)))
            })
        },
        _ => return None,
    })
}

/// What to do if a lock is not available.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(super) enum Wish {
    /// Wait.
    Wait,
    /// Return this error. A timed wait is one of these, too: it may time out at any time, and until then the thread may as well
    /// not have started it.
    Try(u64),
}

/// The address of a lock.
pub(super) type At = (ObjectId, u64);

impl Run<'_, '_, '_> {
    /// A word of a lock.
    pub(super) fn get(&mut self, at: At, word: u64) -> Result<u64, Halt> {
        let value = self.memory(at.0, at.1 + word, 4)?;
        if value.is_set() { Ok(value.bits) } else { Err(self.fault(Fault::Unset(Use::Argument))) }
    }

    pub(super) fn set(&mut self, at: At, word: u64, value: u64) -> Result<(), Halt> {
        self.set_memory(at.0, at.1 + word, 4, Scalar::int(value & 0xffff_ffff))
    }
}

pub(super) fn offset(address: Scalar, by: u64) -> Scalar {
    Scalar { bits: address.bits.wrapping_add(by), ..address }
}

fn clear(run: &mut Run<'_, '_, '_>, address: Scalar, size: u64) -> Result<(), Halt> {
    // An object smaller than the library's is the user's own type: all of it is cleared.
    let (id, start) = run.resolve(address, 4)?;
    let length = run.state.object(id).map_or(size, |object| object.size - start);
    let length = match run.machine.program.global_of_object(id) {
        Some(global) => run.machine.program.globals()[global as usize].size - start,
        None => length,
    };
    run.claim(id, start, size.min(length), Touch::ATOMIC)?;
    let mut at = 0;
    while at + 4 <= size.min(length) {
        run.set_memory(id, start + at, 4, Scalar::int(0))?;
        at += 4;
    }
    Ok(())
}

/// An operation on a lock; `None` if it has to wait, and then it must not have changed anything.
type LockedStep<'s> = &'s mut dyn FnMut(&mut Run<'_, '_, '_>, At) -> Result<Option<Done>, Halt>;

/// A locked step on an object of the library.
pub(super) fn change(
    run: &mut Run<'_, '_, '_>,
    address: Scalar,
    size: u64,
    verb: &'static str,
    step: LockedStep<'_>,
) -> Result<Done, Halt> {
    let at = run.resolve(address, size)?;
    let visible = run.is_visible(at.0, at.1, size, Touch::ATOMIC);
    if !run.waits_for_writes()? || visible && !run.may_act {
        return Ok(Done::Waits);
    }
    match step(run, at)? {
        None => Ok(Done::Waits),
        Some(done) => {
            if visible {
                run.act();
            }
            if run.concurrent {
                run.tell(What::Locks {
                    verb,
                    bytes: Bytes { object: at.0, offset: at.1, size: size as u32 },
                });
            }
            Ok(done)
        }
    }
}

/// Reads an object of the library. `None`: the operation must change the object, which is a locked step. An operation that
/// fails and changes nothing does not wait for the thread's writes, because processors do not wait either.
fn look(
    run: &mut Run<'_, '_, '_>,
    address: Scalar,
    size: u64,
    verb: &'static str,
    step: LockedStep<'_>,
) -> Result<Option<Done>, Halt> {
    let at = run.resolve(address, size)?;
    if run.is_pending(at.0, at.1, size)? {
        return Ok(Some(Done::Waits));
    }
    let visible = run.is_visible(at.0, at.1, size, Touch { write: false, atomic: true });
    if visible && !run.may_act {
        return Ok(Some(Done::Waits));
    }
    let done = step(run, at)?;
    if done.is_some() {
        if visible {
            run.act();
        }
        if run.concurrent {
            let bytes = Bytes { object: at.0, offset: at.1, size: size as u32 };
            run.tell(What::Locks { verb, bytes });
        }
    }
    Ok(done)
}

/// The result if a lock is not available.
fn denied(run: &mut Run<'_, '_, '_>, wish: Wish) -> Option<Done> {
    match wish {
        Wish::Wait => None,
        Wish::Try(error) => {
            if error == ETIMEDOUT || error == THRD_TIMEDOUT {
                run.pass_limit();
            }
            Some(Done::ReturnsInt(error))
        }
    }
}

fn mutex_init(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let attributes = a.scalar(1);
    let mut kind = 0;
    if attributes.is_set() && attributes.bits != 0 {
        let at = run.resolve(attributes, 4)?;
        kind = run.get(at, 0)? & 3;
    }
    clear(run, a.scalar(0), 40)?;
    if kind != 0 {
        put(run, offset(a.scalar(0), 16), 4, kind)?;
    }
    Ok(Done::ReturnsInt(0))
}

/// Takes a mutex if it is free, or recursive and the thread's own. The error says whether the thread must be told that it would
/// wait for itself.
pub(super) fn take_mutex(run: &mut Run<'_, '_, '_>, at: At) -> Result<Result<(), bool>, Halt> {
    let me = run.thread as u64 + 1;
    if run.get(at, 0)? == 0 {
        run.set(at, 0, 1)?;
        run.set(at, 4, 1)?;
        run.set(at, 8, me)?;
        return Ok(Ok(()));
    }
    let mine = run.get(at, 8)? == me;
    if mine && run.get(at, 16)? & 3 == RECURSIVE {
        let count = run.get(at, 4)?;
        run.set(at, 4, count + 1)?;
        return Ok(Ok(()));
    }
    Ok(Err(mine && run.get(at, 16)? & 3 == ERROR_CHECKING))
}

fn mutex_lock(run: &mut Run<'_, '_, '_>, address: Scalar, wish: Wish) -> Result<Done, Halt> {
    change(
        run,
        address,
        20,
        if matches!(wish, Wish::Wait) { "takes" } else { "tries to take" },
        &mut |run, at| {
            Ok(match take_mutex(run, at)? {
                Ok(()) => Some(Done::ReturnsInt(0)),
                // A thread that would wait for itself gets an error.
                Err(true) if wish != Wish::Try(EBUSY) && wish != Wish::Try(THRD_BUSY) => {
                    Some(Done::ReturnsInt(EDEADLK))
                }
                Err(_) => denied(run, wish),
            })
        },
    )
}

/// Whether the mutex is of a kind that checks the owner, and the thread is not that.
fn is_not_mine(run: &mut Run<'_, '_, '_>, at: At) -> Result<bool, Halt> {
    let kind = run.get(at, 16)? & 3;
    let looks = kind == RECURSIVE || kind == ERROR_CHECKING;
    Ok(looks && (run.get(at, 0)? == 0 || run.get(at, 8)? != run.thread as u64 + 1))
}

/// Releases a mutex, whoever holds it; the kinds that check the owner return an error to other threads.
pub(super) fn give_mutex(run: &mut Run<'_, '_, '_>, at: At) -> Result<u64, Halt> {
    if is_not_mine(run, at)? {
        return Ok(EPERM);
    }
    let kind = run.get(at, 16)? & 3;
    let count = run.get(at, 4)?;
    if kind == RECURSIVE && count > 1 {
        run.set(at, 4, count - 1)?;
        return Ok(0);
    }
    for word in [0, 4, 8] {
        run.set(at, word, 0)?;
    }
    Ok(0)
}

fn mutex_unlock(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let refused = look(run, a.scalar(0), 20, "tries to give back", &mut |run, at| {
        Ok(is_not_mine(run, at)?.then_some(Done::ReturnsInt(EPERM)))
    })?;
    if let Some(done) = refused {
        return Ok(done);
    }
    change(run, a.scalar(0), 20, "gives back", &mut |run, at| {
        give_mutex(run, at).map(|error| Some(Done::ReturnsInt(error)))
    })
}

fn take_word(run: &mut Run<'_, '_, '_>, address: Scalar, wish: Wish) -> Result<Done, Halt> {
    change(run, address, 4, "takes", &mut |run, at| {
        if run.get(at, 0)? != 0 {
            return Ok(denied(run, wish));
        }
        run.set(at, 0, 1)?;
        Ok(Some(Done::ReturnsInt(0)))
    })
}

fn semaphore_wait(run: &mut Run<'_, '_, '_>, address: Scalar, wish: Wish) -> Result<Done, Halt> {
    change(run, address, 4, "waits for", &mut |run, at| {
        let count = run.get(at, 0)?;
        if count == 0 {
            // Semaphore functions report errors through `errno`.
            return match denied(run, wish) {
                Some(Done::ReturnsInt(error)) => {
                    run.set_errno(error)?;
                    Ok(Some(Done::ReturnsInt(u64::MAX)))
                }
                other => Ok(other),
            };
        }
        run.set(at, 0, count - 1)?;
        Ok(Some(Done::ReturnsInt(0)))
    })
}

/// What an attempt at a read-write lock gives that does not wait, if the lock is taken.
fn denied_at_once(
    run: &mut Run<'_, '_, '_>,
    address: Scalar,
    wish: Wish,
    is_taken: &mut dyn FnMut(&mut Run<'_, '_, '_>, At) -> Result<bool, Halt>,
) -> Result<Option<Done>, Halt> {
    if wish != Wish::Try(EBUSY) {
        return Ok(None);
    }
    look(run, address, 8, "tries to take", &mut |run, at| {
        Ok(if is_taken(run, at)? { denied(run, wish) } else { None })
    })
}

fn read_lock(run: &mut Run<'_, '_, '_>, address: Scalar, wish: Wish) -> Result<Done, Halt> {
    let is_taken = &mut |run: &mut Run<'_, '_, '_>, at| Ok(run.get(at, 4)? != 0);
    if let Some(done) = denied_at_once(run, address, wish, is_taken)? {
        return Ok(done);
    }
    change(run, address, 8, "takes for reading", &mut |run, at| {
        if run.get(at, 4)? != 0 {
            return Ok(denied(run, wish));
        }
        let readers = run.get(at, 0)?;
        run.set(at, 0, readers + 1)?;
        Ok(Some(Done::ReturnsInt(0)))
    })
}

fn write_lock(run: &mut Run<'_, '_, '_>, address: Scalar, wish: Wish) -> Result<Done, Halt> {
    let is_taken = &mut |run: &mut Run<'_, '_, '_>, at| Ok(run.get(at, 0)? != 0 || run.get(at, 4)? != 0);
    if let Some(done) = denied_at_once(run, address, wish, is_taken)? {
        return Ok(done);
    }
    change(run, address, 8, "takes for writing", &mut |run, at| {
        if run.get(at, 0)? != 0 || run.get(at, 4)? != 0 {
            return Ok(denied(run, wish));
        }
        let me = run.thread as u64 + 1;
        run.set(at, 4, me)?;
        Ok(Some(Done::ReturnsInt(0)))
    })
}

fn read_write_unlock(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    change(run, a.scalar(0), 8, "gives back", &mut |run, at| {
        let readers = run.get(at, 0)?;
        if run.get(at, 4)? != 0 {
            run.set(at, 4, 0)?;
        } else {
            run.set(at, 0, readers.saturating_sub(1))?;
        }
        Ok(Some(Done::ReturnsInt(0)))
    })
}

/// The last thread to arrive releases all; one of them, any, gets the special result. No wait at a barrier times out, so
/// [`Status::TimedOut`] marks the chosen one.
fn barrier_wait(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    const SERIAL_THREAD: u64 = u64::MAX;
    let address = a.scalar(0);
    let status = run.state.threads[run.thread].status;
    if matches!(status, Status::Woken | Status::TimedOut) {
        run.state.threads[run.thread].status = Status::Ready;
        return Ok(Done::ReturnsInt(if status == Status::TimedOut { SERIAL_THREAD } else { 0 }));
    }
    let used = super::is_used(run);
    change(run, address, 12, "arrives at", &mut |run, at| {
        let (wanted, waiting) = (run.get(at, 0)?, run.get(at, 4)? + 1);
        if waiting < wanted {
            run.set(at, 4, waiting)?;
            run.state.threads[run.thread].status =
                Status::Waiting { at: barrier_key(address.bits), timed: false };
            return Ok(Some(Done::Parked));
        }
        run.set(at, 4, 0)?;
        let told = if used { run.choices.choose(wanted as u32) } else { 0 };
        let mut number = 0;
        for thread in &mut run.state.threads {
            if matches!(thread.status, Status::Waiting { at, .. } if at == barrier_key(address.bits)) {
                number += 1;
                thread.status = if number == told { Status::TimedOut } else { Status::Woken };
            }
        }
        Ok(Some(Done::ReturnsInt(if told == 0 { SERIAL_THREAD } else { 0 })))
    })
}

/// Threads waiting at a barrier are never woken spuriously.
pub(crate) const BARRIER: u64 = 1 << 63;

fn barrier_key(address: u64) -> u64 {
    address | BARRIER
}

fn once_begin(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let is_done = look(run, a.scalar(0), 4, "asks for", &mut |run, at| {
        Ok((run.get(at, 0)? > 1).then_some(Done::ReturnsInt(0)))
    })?;
    if let Some(done) = is_done {
        return Ok(done);
    }
    change(run, a.scalar(0), 4, "asks for", &mut |run, at| match run.get(at, 0)? {
        0 => {
            run.set(at, 0, 1)?;
            Ok(Some(Done::ReturnsInt(1)))
        }
        1 => Ok(None),
        _ => Ok(Some(Done::ReturnsInt(0))),
    })
}

/// The guard of a local static variable: byte 0 says that it is initialised, byte 1 that a thread is initialising it.
fn guard_acquire(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    change(run, a.scalar(0), 8, "asks for", &mut |run, at| {
        let guard = run.memory(at.0, at.1, 2)?;
        match guard.bits {
            0 => {
                run.set_memory(at.0, at.1, 2, Scalar::int(0x100))?;
                Ok(Some(Done::ReturnsInt(1)))
            }
            0x100 => Ok(None),
            _ => Ok(Some(Done::ReturnsInt(0))),
        }
    })
}

/// `errno` of the running thread.
impl Run<'_, '_, '_> {
    pub(super) fn set_errno(&mut self, value: u64) -> Result<(), Halt> {
        let address = self.errno()?;
        let (id, offset) = self.resolve(address, 4)?;
        self.set_memory(id, offset, 4, Scalar::int(value))
    }

    pub(super) fn errno(&mut self) -> Result<Scalar, Halt> {
        let known = self.state.threads[self.thread].own.errno;
        if known.is_some() {
            return Ok(Scalar::pointer(self.state.object(known).map_or(0, |object| object.address), known));
        }
        let address = self.allocate(4, 16, u32::MAX - 2)?;
        self.set_memory(address.of, 0, 4, Scalar::int(0))?;
        Part::edit(&mut self.state.threads[self.thread].own).errno = address.of;
        Ok(address)
    }
}
