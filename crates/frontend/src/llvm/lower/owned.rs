//! Objects of the thread library, such as mutexes: they must be there as a whole, whatever a function does with them.

use super::machine::{Machine, Run, Scalar, Work};
use super::state::Cell;

/// Functions by the beginning of their names, and the type whose object they are given first.
const FAMILIES: [(&str, &str); 14] = [
    ("_ZNSt18condition_variable", "class.std::condition_variable"),
    ("cnd_", "union.cnd_t"),
    ("mtx_", "union.mtx_t"),
    ("pthread_attr_", "union.pthread_attr_t"),
    ("pthread_barrier_", "union.pthread_barrier_t"),
    ("pthread_barrierattr_", "union.pthread_barrierattr_t"),
    ("pthread_cond_", "union.pthread_cond_t"),
    ("pthread_condattr_", "union.pthread_condattr_t"),
    ("pthread_mutex_", "union.pthread_mutex_t"),
    ("pthread_mutexattr_", "union.pthread_mutexattr_t"),
    ("pthread_rwlock_", "union.pthread_rwlock_t"),
    ("pthread_rwlockattr_", "union.pthread_rwlockattr_t"),
    ("pthread_spin_", ""),
    ("sem_", "union.sem_t"),
];

/// What is certainly used of an object whose type is not in the module.
const FIRST_WORD: u32 = 4;

impl Machine<'_> {
    /// Checks the object that a function of the library is given. False if it is never there.
    pub(super) fn has_its_object(&mut self, w: &mut Work, name: &str, object: &Scalar) -> Run<bool> {
        let Some((_, ty)) = FAMILIES.iter().find(|(start, _)| name.starts_with(start)) else {
            return Ok(true);
        };
        if matches!(name, "sem_open" | "sem_unlink") {
            return Ok(true);
        }
        let ty = self.module.types.get(*ty);
        let size = ty.and_then(|ty| self.module.size_align(ty)).map(|(size, _)| size);
        let size = size.and_then(|size| u32::try_from(size).ok()).unwrap_or(FIRST_WORD);
        let object = self.need_set(w, object.clone());
        let Some(reached) = self.reach(w, &object, size)? else { return Ok(false) };
        // A thread whose variable it is has to say when it ends.
        let is_foreign = |cell: &Cell| self.owner(cell.0).is_some_and(|owner| owner != self.thread);
        let foreign: Vec<Cell> = reached.cells.iter().copied().filter(is_foreign).collect();
        self.note_access(w, &foreign, 1);
        Ok(true)
    }
}
