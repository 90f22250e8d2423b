//! The product: the program's states, each with a state of the automaton in its tag.
//!
//! A transition is an action of the program together with an edge of the automaton that may be taken in the state that
//! the action leaves. A state in which nothing is enabled is followed by itself (F-1). The acceptance sets are those of
//! the automaton, and behind them one for each fairness condition:
//!
//! - for each store buffer: the transitions from states in which it is empty, and the flushes from it (F-2);
//! - for each thread: the transitions from states in which it cannot make a step, and its steps (F-3).
//!
//! The system must have been compiled without reduction, so that a transition is one action.

use fencewright_engine::Feature;
use fencewright_explore::{MarkedSystem, Marks};
use fencewright_ir::{CellId, EdgeId, Fairness};
use fencewright_packed::{CompiledEdge, Gather, Interrupt, PackedSystem, StateCode, Trail, Worker};

use crate::automaton::Automaton;

/// Acceptance sets that can be told apart.
const MOST_SETS: usize = Marks::BITS as usize;

/// The product of a compiled program with an automaton.
pub(crate) struct Product<'p> {
    pub(crate) system: &'p PackedSystem<'p>,
    automaton: &'p Automaton,
    conditions: Vec<StateCode>,
    /// For each thread the number of the first of its buffers' sets.
    buffer_sets: Vec<u32>,
    /// For each thread the number of its own set; none without fairness of threads.
    thread_sets: Vec<u32>,
    /// Whether buffers have sets.
    flush: bool,
    n_sets: u32,
    /// For each thread its quiet locations; nothing if there is no reduction.
    quiet: Vec<Vec<bool>>,
}

/// Who acts.
#[derive(Debug, Copy, Clone, Default, PartialEq, Eq)]
enum Actor {
    #[default]
    Nobody,
    Step(usize),
    Both(usize, usize),
    Flush(usize, CellId),
}

impl Trail for Actor {
    fn step(&mut self, thread: usize, _: &CompiledEdge, _: u64) {
        *self = Actor::Step(thread);
    }

    fn rendezvous(&mut self, (sender, _): (usize, EdgeId), (receiver, _): (usize, EdgeId)) {
        *self = Actor::Both(sender, receiver);
    }

    fn flush(&mut self, thread: usize, cell: CellId) {
        *self = Actor::Flush(thread, cell);
    }
}

impl<'p> Product<'p> {
    pub(crate) fn new(
        system: &'p PackedSystem<'p>,
        n_threads: usize,
        automaton: &'p Automaton,
        fairness: Fairness,
        quiet: Vec<Vec<bool>>,
    ) -> Result<Self, Feature> {
        debug_assert!(!system.compiled.options.reduction, "a transition must be one action");
        let mut n_sets = automaton.sets as usize;
        let mut some = |n: usize| {
            let first = n_sets as u32;
            n_sets += n;
            first
        };
        let buffers = |t: usize| if fairness.flush { system.n_buffers(t) } else { 0 };
        let buffer_sets = (0..n_threads).map(|t| some(buffers(t))).collect();
        let thread_sets = (0..if fairness.process { n_threads } else { 0 }).map(|_| some(1)).collect();
        if n_sets > MOST_SETS {
            return Err(Feature::Acceptance { sets: n_sets, limit: MOST_SETS });
        }
        Ok(Product {
            system,
            automaton,
            conditions: automaton.conditions.iter().map(StateCode::new).collect(),
            buffer_sets,
            thread_sets,
            flush: fairness.flush,
            n_sets: n_sets as u32,
            quiet,
        })
    }

    /// The thread whose steps alone are followed from the state, if there is one: the first that stands at a quiet
    /// location and can go on. `steps` says of a thread whether it can.
    pub(crate) fn goes_first<const W: usize>(
        &self,
        state: &[u64; W],
        steps: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let standing = self.quiet.iter().enumerate();
        let mut quiet = standing.filter(|(t, quiet)| quiet[self.system.location(*t, state)]).map(|(t, _)| t);
        quiet.find(|&t| steps(t))
    }

    /// The conditions that hold in the state, a bit each.
    fn holding<const W: usize>(&self, worker: &mut Worker<'_>, state: &[u64; W]) -> u64 {
        (self.conditions.iter().enumerate())
            .map(|(i, condition)| u64::from(self.system.holds(worker, state, condition)) << i)
            .sum()
    }

    /// The fairness sets that every transition from the state is in. `able` are the threads that can make a step.
    fn marks_of_state<const W: usize>(&self, state: &[u64; W], able: u128) -> Marks {
        let mut marks = 0;
        if self.flush {
            for (t, &first) in self.buffer_sets.iter().enumerate() {
                for buffer in 0..self.system.n_buffers(t) {
                    if self.system.buffer_is_empty(t, buffer, state) {
                        marks |= 1 << (first + buffer as u32);
                    }
                }
            }
        }
        for (t, &set) in self.thread_sets.iter().enumerate() {
            if able >> t & 1 == 0 {
                marks |= 1 << set;
            }
        }
        marks
    }

    fn marks_of_step(&self, thread: usize) -> Marks {
        self.thread_sets.get(thread).map_or(0, |set| 1 << set)
    }

    /// The fairness sets that a transition is in because of who acts.
    fn marks_of_actor(&self, actor: Actor) -> Marks {
        match actor {
            Actor::Nobody => 0,
            Actor::Step(t) => self.marks_of_step(t),
            Actor::Both(sender, receiver) => self.marks_of_step(sender) | self.marks_of_step(receiver),
            Actor::Flush(t, cell) if self.flush => {
                1 << (self.buffer_sets[t] + self.system.buffer_of(t, cell) as u32)
            }
            Actor::Flush(..) => 0,
        }
    }
}

/// What a search of a product keeps.
pub(crate) struct ProductWorker<'w, const W: usize> {
    pub(crate) packed: Worker<'w>,
    moves: Gather<W, Actor>,
}

impl<'w, const W: usize> ProductWorker<'w, W> {
    pub(crate) fn new(packed: Worker<'w>) -> Self {
        ProductWorker { packed, moves: Gather::default() }
    }
}

impl<'p, const W: usize> MarkedSystem<W> for &'p Product<'p> {
    type Worker = ProductWorker<'p, W>;
    type Interrupt = Interrupt;

    fn all_marks(&self) -> Marks {
        if self.n_sets == Marks::BITS { Marks::MAX } else { (1 << self.n_sets) - 1 }
    }

    fn initial(
        &self,
        worker: &mut ProductWorker<'p, W>,
        emit: &mut impl FnMut(&[u64; W]),
    ) -> Result<(), Interrupt> {
        // The initial state of the automaton is number 0, and so is the tag at the start.
        self.system.initial_states(&mut worker.packed, &mut |_, state| emit(state))
    }

    fn transitions(
        &self,
        worker: &mut ProductWorker<'p, W>,
        state: &[u64; W],
        emit: &mut impl FnMut(&[u64; W], Marks),
    ) -> Result<(), Interrupt> {
        let tag = self.system.compiled.tag;
        let ProductWorker { packed, moves } = worker;
        let holding = self.holding(packed, state);
        let edges = &self.automaton.states[tag.get(state) as usize];
        if !edges.iter().any(|edge| edge.fits(holding)) {
            return Ok(());
        }
        moves.states.clear();
        moves.violations.clear();
        let met_capacity_before = std::mem::take(&mut packed.met_capacity_in);
        self.system.expand(packed, state, moves)?;
        // A thread that only the cap keeps from its step can make it on the real machine.
        let mut able = packed.met_capacity_in;
        packed.met_capacity_in |= met_capacity_before;
        for (_, actor) in &moves.states {
            match *actor {
                Actor::Step(t) => able |= 1 << t,
                Actor::Both(sender, receiver) => able |= 1 << sender | 1 << receiver,
                Actor::Nobody | Actor::Flush(..) => {}
            }
        }
        if moves.states.is_empty() {
            if able != 0 || !moves.violations.is_empty() {
                // Only the cap, or a step that fails, keeps it from going on: it is not at rest.
                return Ok(());
            }
            moves.states.push((*state, Actor::Nobody));
        }
        let steps = |t: usize| moves.states.iter().any(|(_, actor)| *actor == Actor::Step(t));
        if moves.violations.is_empty()
            && let Some(t) = self.goes_first(state, steps)
        {
            moves.states.retain(|(_, actor)| *actor == Actor::Step(t));
        }
        let of_state = self.marks_of_state(state, able);
        for (next, actor) in &moves.states {
            let marks = (of_state | self.marks_of_actor(*actor)) & !Marks::from(self.automaton.all_marks());
            for edge in edges.iter().filter(|edge| edge.fits(holding)) {
                let mut next = *next;
                tag.set(&mut next, u64::from(edge.to));
                emit(&next, marks | Marks::from(edge.marks));
            }
        }
        Ok(())
    }
}
