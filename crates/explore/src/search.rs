//! Breadth-first search. The states are shared out by hash among the searching threads; each owns the table of its
//! part, so no table is ever locked. With one thread there is one part and nothing is sent.
//!
//! The search goes layer by layer and a layer is always finished, so that what was explored, and how much of it, does
//! not depend on the number of threads.

use fencewright_base::{Meter, Stop};

use crate::parallel;
use crate::visited::NO_PARENT;
use crate::{Candidate, System, Visited};

/// States a search expands before it asks the clock: some tens of microseconds.
const EXPANSIONS_PER_TICK: usize = 1024;

/// Candidates gathered before they are inserted together: enough to overlap the cache misses, few enough to stay in
/// the first-level cache.
const BATCH: usize = 64;

/// States remembered as given lately: few enough to stay in the second-level cache. Threads that spin or swap their
/// steps give the same state again within a short while; finding that out here is cheaper than in the table.
const RECENT: usize = 1 << 12;

/// A search that is not done by one thread within this many states is worth several threads.
const SMALL: u64 = 30_000;

/// How to search.
pub struct SearchConfig<'a> {
    /// How many threads may search.
    pub jobs: usize,
    /// Whether to end with the first layer that has a goal in it.
    pub stop_at_goal: bool,
    /// The budget.
    pub meter: &'a Meter,
    /// Told the states stored, those not yet expanded, and the bytes held, from time to time.
    pub progress: &'a (dyn Fn(u64, u64, u64) + Sync),
}

/// A finished search.
pub struct Search<const W: usize, S: System<W>> {
    /// Why it ended.
    pub end: End<S::Interrupt>,
    /// The goals found, sorted by their states.
    pub goals: Vec<Found>,
    /// Transitions followed.
    pub transitions: u64,
    /// Most bytes held.
    pub peak_bytes: u64,
    /// The threads' workers with whatever they gathered.
    pub workers: Vec<S::Worker>,
    shards: Vec<Visited<W>>,
}

/// Why a search ended.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum End<I> {
    /// Every reachable state was seen.
    Complete,
    /// A layer with a goal in it was finished.
    Goal,
    /// A limit was reached, or somebody asked to stop.
    Stopped(Stop),
    /// The system could not go on.
    Interrupted(I),
}

/// A goal.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct Found {
    /// The goal itself, or the state that the transition to it leaves.
    pub state: StateRef,
    /// Whether the goal is a transition that leaves the state.
    pub by_transition: bool,
}

/// A stored state.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct StateRef {
    shard: u32,
    position: u32,
}

impl<const W: usize, S: System<W>> Search<W, S> {
    /// How many states were stored.
    pub fn n_states(&self) -> u64 {
        self.shards.iter().map(|shard| shard.len() as u64).sum()
    }

    /// The state.
    pub fn state(&self, at: StateRef) -> &[u64; W] {
        self.shards[at.shard as usize].state(at.position as usize)
    }

    /// A goal with a shortest path. The search must have been made by one thread, which stores states by distance.
    pub fn nearest_goal(&self) -> Option<Found> {
        debug_assert!(self.shards.len() == 1);
        let nearest = |by_transition| {
            (self.goals.iter().filter(|goal| goal.by_transition == by_transition))
                .min_by_key(|goal| goal.state.position)
                .copied()
        };
        let length = |goal: &Found| self.path_to(goal.state).len() + usize::from(goal.by_transition);
        nearest(false).into_iter().chain(nearest(true)).min_by_key(length)
    }

    /// All states. The order depends on the number of threads.
    pub fn states(&self) -> impl Iterator<Item = StateRef> + '_ {
        self.shards.iter().enumerate().flat_map(|(shard, visited)| {
            (0..visited.len())
                .map(move |position| StateRef { shard: shard as u32, position: position as u32 })
        })
    }

    /// The states from an initial one to this one.
    pub fn path_to(&self, at: StateRef) -> Vec<[u64; W]> {
        let n_shards = self.shards.len() as u32;
        let mut path = vec![*self.state(at)];
        let mut at = at;
        loop {
            let link = self.shards[at.shard as usize].parent(at.position as usize);
            if link == NO_PARENT {
                path.reverse();
                return path;
            }
            at = StateRef { shard: link % n_shards, position: link / n_shards };
            path.push(*self.state(at));
        }
    }
}

/// Searches from the initial states.
pub fn search<const W: usize, S: System<W>>(system: &S, config: &SearchConfig<'_>) -> Search<W, S> {
    if config.jobs > 1 {
        let small = search_alone(system, config, SMALL);
        if !matches!(small.end, End::Stopped(Stop::States)) || config.meter.store(SMALL + 1).is_err() {
            return small;
        }
        drop(small);
        return parallel::search_together(system, config);
    }
    search_alone(system, config, u64::MAX)
}

fn search_alone<const W: usize, S: System<W>>(
    system: &S,
    config: &SearchConfig<'_>,
    max_states: u64,
) -> Search<W, S> {
    let mut shard = Shard::new(system, 0, 1);
    let mut peak = 0;
    let end = match run_alone(&mut shard, config, max_states, &mut peak) {
        Ok(end) => end,
        Err(Halt::Stop(stop)) => End::Stopped(stop),
        Err(Halt::Interrupt(interrupt)) => End::Interrupted(interrupt),
    };
    finish(end, vec![shard], peak)
}

fn run_alone<const W: usize, S: System<W>>(
    shard: &mut Shard<'_, W, S>,
    config: &SearchConfig<'_>,
    max_states: u64,
    peak: &mut u64,
) -> Result<End<S::Interrupt>, Halt<S::Interrupt>> {
    let meter = config.meter;
    let mut hold = |bytes: u64| {
        *peak = (*peak).max(bytes);
        meter.hold(bytes)
    };
    shard.start(&mut hold)?;
    loop {
        if config.stop_at_goal && !shard.goals.is_empty() {
            return Ok(End::Goal);
        }
        let layer_end = shard.visited.len();
        if shard.next == layer_end {
            return Ok(End::Complete);
        }
        while shard.next < layer_end {
            let some = layer_end.min(shard.next + EXPANSIONS_PER_TICK);
            while shard.next < some {
                shard.expand_batch(some)?;
                shard.insert_batch(&mut hold)?;
            }
            meter.tick()?;
            let states = shard.visited.len() as u64;
            meter.store(states)?;
            if states > max_states {
                return Err(Halt::Stop(Stop::States));
            }
            (config.progress)(states, states - shard.next as u64, shard.visited.bytes());
        }
    }
}

pub(crate) fn finish<const W: usize, S: System<W>>(
    end: End<S::Interrupt>,
    shards: Vec<Shard<'_, W, S>>,
    peak_bytes: u64,
) -> Search<W, S> {
    let mut search = Search {
        end,
        goals: Vec::new(),
        transitions: shards.iter().map(|shard| shard.transitions).sum(),
        peak_bytes,
        workers: Vec::new(),
        shards: Vec::new(),
    };
    for shard in shards {
        search.goals.extend(shard.goals);
        search.workers.push(shard.worker);
        search.shards.push(shard.visited);
    }
    let mut goals = std::mem::take(&mut search.goals);
    goals.sort_by_key(|found| (*search.state(found.state), found.by_transition));
    search.goals = goals;
    search
}

/// Why a shard cannot go on.
pub(crate) enum Halt<I> {
    Stop(Stop),
    Interrupt(I),
}

impl<I> From<Stop> for Halt<I> {
    fn from(stop: Stop) -> Self {
        Halt::Stop(stop)
    }
}

/// One thread's part of the states, and what it is doing.
pub(crate) struct Shard<'s, const W: usize, S: System<W>> {
    system: &'s S,
    id: u32,
    n_shards: u32,
    pub(crate) worker: S::Worker,
    pub(crate) visited: Visited<W>,
    /// The first state not yet expanded.
    pub(crate) next: usize,
    pub(crate) transitions: u64,
    pub(crate) goals: Vec<Found>,
    batch: Vec<Candidate<W>>,
    /// States that were given lately.
    recent: Vec<[u64; W]>,
    /// Candidates that belong to other shards.
    pub(crate) outboxes: Vec<Vec<Candidate<W>>>,
}

impl<'s, const W: usize, S: System<W>> Shard<'s, W, S> {
    pub(crate) fn new(system: &'s S, id: u32, n_shards: u32) -> Self {
        Self {
            system,
            id,
            n_shards,
            worker: system.worker(),
            visited: Visited::new(),
            next: 0,
            transitions: 0,
            goals: Vec::new(),
            batch: Vec::with_capacity(2 * BATCH),
            recent: nothing_recent(),
            outboxes: (0..n_shards).map(|_| Vec::new()).collect(),
        }
    }

    /// Stores the initial states that belong to this shard.
    pub(crate) fn start(
        &mut self,
        hold: &mut dyn FnMut(u64) -> Result<(), Stop>,
    ) -> Result<(), Halt<S::Interrupt>> {
        let Self { system, worker, batch, id, n_shards, .. } = self;
        let (id, n_shards) = (*id, *n_shards);
        let initial = system.initial(worker, &mut |state| {
            let hash = Visited::hash(state);
            if owner(hash, n_shards) == id {
                batch.push(Candidate { state: *state, hash, parent: NO_PARENT });
            }
        });
        initial.map_err(Halt::Interrupt)?;
        self.insert_batch(hold)?;
        Ok(())
    }

    /// Expands states up to `end` until there is a batch of candidates.
    #[inline]
    pub(crate) fn expand_batch(&mut self, end: usize) -> Result<(), Halt<S::Interrupt>> {
        let Self { system, id, n_shards, worker, visited, next, transitions, goals, batch, recent, outboxes } =
            self;
        let (id, n_shards) = (*id, *n_shards);
        while *next < end && batch.len() < BATCH {
            let state = *visited.state(*next);
            let link = *next as u64 * u64::from(n_shards) + u64::from(id);
            if link >= u64::from(NO_PARENT) {
                return Err(Halt::Stop(Stop::States));
            }
            let parent = link as u32;
            let goal_transitions = system
                .successors(worker, &state, &mut |successor| {
                    *transitions += 1;
                    if *successor == state {
                        return; // A thread that spins: no need to look it up.
                    }
                    let hash = Visited::hash(successor);
                    let known = &mut recent[hash as usize % RECENT];
                    if known == successor {
                        return;
                    }
                    *known = *successor;
                    let candidate = Candidate { state: *successor, hash, parent };
                    let owner = owner(hash, n_shards);
                    if owner == id {
                        visited.expect(hash);
                        batch.push(candidate);
                    } else {
                        outboxes[owner as usize].push(candidate);
                    }
                })
                .map_err(Halt::Interrupt)?;
            if goal_transitions > 0 {
                *transitions += u64::from(goal_transitions);
                let state = StateRef { shard: id, position: *next as u32 };
                goals.push(Found { state, by_transition: true });
            }
            *next += 1;
        }
        Ok(())
    }

    /// Inserts the candidates gathered by `expand_batch`.
    #[inline]
    pub(crate) fn insert_batch(&mut self, hold: &mut dyn FnMut(u64) -> Result<(), Stop>) -> Result<(), Stop> {
        let batch = std::mem::take(&mut self.batch);
        let result = self.insert_all(&batch, hold);
        self.batch = batch;
        self.batch.clear();
        result
    }

    /// Inserts candidates, whoever gathered them.
    pub(crate) fn insert_all(
        &mut self,
        candidates: &[Candidate<W>],
        hold: &mut dyn FnMut(u64) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        if self.visited.would_allocate(candidates.len()) {
            hold(self.visited.bytes_after(candidates.len()))?;
        }
        for candidate in candidates {
            self.visited.expect_next(candidate.hash);
        }
        for candidate in candidates {
            if self.visited.insert(candidate)? && self.system.is_goal(&mut self.worker, &candidate.state) {
                let position = self.visited.len() as u32 - 1;
                self.goals.push(Found { state: StateRef { shard: self.id, position }, by_transition: false });
            }
        }
        Ok(())
    }

    /// Asks for the slots of candidates that will be inserted soon.
    pub(crate) fn expect_all(&self, candidates: &[Candidate<W>]) {
        for candidate in candidates {
            self.visited.expect(candidate.hash);
        }
    }
}

/// Recent states for a start: each stands where it does not belong, so that none is ever taken for a real one.
fn nothing_recent<const W: usize>() -> Vec<[u64; W]> {
    let place = |state: &[u64; W]| Visited::hash(state) as usize % RECENT;
    let zero = [0; W];
    let mut recent = vec![zero; RECENT];
    let other = (1..).map(|i| [i; W]).find(|state| place(state) != place(&zero));
    recent[place(&zero)] = other.expect("a hash is not the same for all states");
    recent
}

/// Which shard a state belongs to. Uses the low half of the hash; the table uses the high one.
#[inline(always)]
fn owner(hash: u64, n_shards: u32) -> u32 {
    if n_shards == 1 { 0 } else { ((u64::from(hash as u32) * u64::from(n_shards)) >> 32) as u32 }
}
