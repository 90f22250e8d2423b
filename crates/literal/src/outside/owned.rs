//! The library's own objects, such as mutexes: whatever a function does with one, the object must be there as a whole.
//!
//! The size is that of the type in the program's headers. A program without such a type has one of its own, and only the first
//! bytes, which the library certainly uses, must be there.

use super::Arguments;
use crate::footprint::Touch;
use crate::machine::Run;
use crate::program::Program;
use crate::state::Status;
use crate::violation::Halt;

/// The type whose object the first argument of a function is the address of, and how many bytes there are at least.
fn owned(function: &str) -> Option<(&'static str, u64)> {
    const OF: [(&str, &str, u64); 14] = [
        ("pthread_mutexattr_", "pthread_mutexattr_t", 4),
        ("pthread_mutex_", "pthread_mutex_t", 4),
        ("pthread_condattr_", "pthread_condattr_t", 4),
        ("pthread_cond_", "pthread_cond_t", 4),
        ("pthread_rwlockattr_", "pthread_rwlockattr_t", 4),
        ("pthread_rwlock_", "pthread_rwlock_t", 4),
        ("pthread_barrierattr_", "pthread_barrierattr_t", 4),
        ("pthread_barrier_", "pthread_barrier_t", 4),
        ("pthread_attr_", "pthread_attr_t", 4),
        ("pthread_spin_", "pthread_spinlock_t", 4),
        ("mtx_", "mtx_t", 4),
        ("cnd_", "cnd_t", 4),
        ("sem_", "sem_t", 4),
        ("_ZNSt18condition_variable", "std::condition_variable", 4),
    ];
    // These are about names.
    if matches!(function, "sem_open" | "sem_unlink") {
        return None;
    }
    let found = OF.iter().find(|(start, ..)| function.starts_with(start));
    found.map(|(_, ty, least)| (*ty, *least))
}

/// Whether a function does nothing else with the object here, because its contents are kept elsewhere or do not matter.
fn is_only_looked_at(function: &str) -> bool {
    const PARTS: [&str; 6] = ["_init", "_destroy", "attr_", "C1Ev", "C2Ev", "D2Ev"];
    PARTS.iter().any(|part| function.contains(part)) || function.ends_with("D1Ev")
}

/// The size of the object that a function is given.
pub(crate) fn size(program: &Program<'_>, function: &str) -> Option<u64> {
    let (ty, least) = owned(function)?;
    Some(program.size_of_type(ty).unwrap_or(least))
}

/// Checks the object that a function is given.
pub(crate) fn check(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>, size: u64) -> Result<(), Halt> {
    // A thread that was woken does not use the condition variable any more.
    if run.state.threads[run.thread].status != Status::Ready {
        return Ok(());
    }
    let (id, offset) = run.resolve(a.scalar(0), size)?;
    if is_only_looked_at(a.name) {
        run.claim(id, offset, size, Touch::READ)?;
    }
    Ok(())
}
