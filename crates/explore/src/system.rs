//! What a search needs to know of a state space.

/// A state space whose states are `W` machine words.
pub trait System<const W: usize>: Sync {
    /// What one searching thread keeps between calls: scratch space, counters, caches.
    type Worker: Send;

    /// Why an expansion could not be finished, so that the whole search is void.
    type Interrupt: Send;

    /// A worker for one thread.
    fn worker(&self) -> Self::Worker;

    /// Gives every initial state to `emit`, in a fixed order. Repetitions are allowed.
    fn initial(
        &self,
        worker: &mut Self::Worker,
        emit: &mut impl FnMut(&[u64; W]),
    ) -> Result<(), Self::Interrupt>;

    /// Gives every successor of `state` to `emit`, in a fixed order; one call a transition. Says how many transitions
    /// that reach the goal at once, without a state of its own, leave `state`.
    fn successors(
        &self,
        worker: &mut Self::Worker,
        state: &[u64; W],
        emit: &mut impl FnMut(&[u64; W]),
    ) -> Result<u32, Self::Interrupt>;

    /// Whether the state is what is searched for.
    fn is_goal(&self, worker: &mut Self::Worker, state: &[u64; W]) -> bool;
}
