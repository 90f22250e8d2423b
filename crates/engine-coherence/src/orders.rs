//! The graph of labelled abstract states, for the inference of section 5 of the paper.
//!
//! # What forbids a transition
//!
//! A step of a thread is forbidden by the order [l ≺ step] if a write made at l is pending in every real state that the
//! abstract one stands for, because with a full fence on every way from l to the step that write would have left.
//!
//! - With exact sets (FD) a label in a buffer stands for at least one pending write, so *any one* of the labels will do:
//!   ∨ (section 5.3.1).
//! - Otherwise (PD) a set stands for all its subsets but the empty one. Some of the labels are pending, and which is not
//!   known; an order forbids the step only in those real states that have its write. So *all* of them are needed: ∧
//!   (section 5.3.2). Where nothing is pending nothing forbids the step, although ∧ over nothing is true.
//!
//! Like the paper, PD asks for all even if the newest writes and the heads are certain.
//!
//! # Beyond the paper
//!
//! - Steps that do not touch memory can be forbidden, too: a property may name the location they lead to.
//! - A *flush* is forbidden by a store-store order [l ≺ l'] if a write made at l is older than the one that leaves, was
//!   made at l', and is pending. The paper (section 5.4) enforces the order [l ≺ l'] of two stores by a store-store fence
//!   wherever l' is a store. That is not sound: with `x = 1; z = 1; read y` the order [x ≺ z] keeps x = 1 from being
//!   pending at the read, because nothing is pending behind a full fence; a store-store fence lets both wait.
//!   So there are two orders, one of steps, one of flushes, and each fence enforces what it does.
//! - Violations have no successors here: what lies behind one can be reached no more once it cannot.
//! - All states that violate something are one.

use std::collections::HashMap;

use fencewright_base::Progress;
use fencewright_engine::{Context, Order, OrderGraph, Prevention, Transition};
use fencewright_ir::{Edge, EdgeId, FenceKind, Lock, Op, ThreadId};
use fencewright_memory::Model;
use foldhash::fast::FixedState;

use crate::Abstraction;
use crate::labels::Labels;
use crate::search::{Ended, OPEN_VALUES};
use crate::store::Store;
use crate::system::{Move, System, Target};

/// States between two reports of progress.
const REPORT_EVERY: u32 = 4096;

/// Where a transition leads while the graph is being made: to all violations.
const BAD: u32 = u32::MAX;

/// The graph of all abstract states with labels.
pub(crate) fn order_graph(
    system: &mut System<'_>,
    abstraction: Abstraction,
    store_store: bool,
    context: &mut Context<'_>,
) -> Result<OrderGraph, Ended> {
    system.labels = Some(Labels::new(store_store, system.model));
    let mut search = Search {
        store: Store::default(),
        initial: Vec::new(),
        transitions: Vec::new(),
        preventions: Preventions::default(),
    };
    let end = search.run(system, abstraction, context);
    let statistics = &mut context.statistics;
    statistics.states = search.store.kept() as u64;
    statistics.transitions = search.transitions.len() as u64;
    statistics.peak_bytes = statistics.peak_bytes.max(search.bytes(system));
    statistics.state_bytes = system.width() * size_of::<u32>();
    end?;
    Ok(search.graph(system))
}

struct Search {
    store: Store,
    initial: Vec<u32>,
    /// By the state they lead from.
    transitions: Vec<Transition>,
    preventions: Preventions,
}

impl Search {
    fn run(
        &mut self,
        system: &mut System<'_>,
        abstraction: Abstraction,
        context: &Context<'_>,
    ) -> Result<(), Ended> {
        context.meter.tick()?;
        let phase = format!("{abstraction}, labelled");
        for (_, words) in system.initial_states(OPEN_VALUES)? {
            if system.is_bad(&words) {
                self.initial.push(BAD);
            } else {
                let (Ok(number) | Err(number)) = self.store.insert(system, words, None);
                self.initial.push(number);
            }
        }
        let mut number = 0;
        while (number as usize) < self.store.len() {
            context.meter.tick()?;
            if number % REPORT_EVERY == 0 {
                let states = self.store.len() as u64;
                let frontier = states - u64::from(number);
                (context.progress)(Progress { phase: &phase, states, frontier, bytes: self.bytes(system) });
            }
            if !self.store.is_covered(number) {
                self.expand(system, number, context)?;
            }
            number += 1;
        }
        Ok(())
    }

    fn expand(&mut self, system: &mut System<'_>, from: u32, context: &Context<'_>) -> Result<(), Ended> {
        let words = self.store.words(from).clone();
        let first = self.transitions.len();
        for (made, target) in system.successors(&words, OPEN_VALUES)? {
            let prevention = self.preventions.of(system, &words, &made);
            let to = match target {
                Target::Violation => BAD,
                Target::State(next) if system.is_bad(&next) => BAD,
                Target::State(next) => match self.store.insert(system, next, Some(from)) {
                    Err(known) => known,
                    Ok(new) => {
                        context.meter.store(self.store.len() as u64)?;
                        context.meter.hold(self.bytes(system))?;
                        new
                    }
                },
            };
            if to != from {
                self.transitions.push(Transition { from, to, prevention });
            }
        }
        let added = &mut self.transitions[first..];
        added.sort_unstable();
        let mut kept = first;
        for at in first..self.transitions.len() {
            if kept == first || self.transitions[at] != self.transitions[kept - 1] {
                self.transitions[kept] = self.transitions[at];
                kept += 1;
            }
        }
        self.transitions.truncate(kept);
        Ok(())
    }

    /// The graph without the states that are covered by others, and without what only they lead to. A transition to a
    /// covered state leads to the one that covers it.
    fn graph(self, system: &System<'_>) -> OrderGraph {
        let Search { store, initial, transitions, preventions } = self;
        const UNSEEN: u32 = u32::MAX;
        let mut numbers = vec![UNSEEN; store.len()];
        // The last state is the bad one.
        let mut states = 0;
        let mut order: Vec<u32> = Vec::new();
        let mut visit = |state: u32, order: &mut Vec<u32>| {
            if state == BAD {
                return BAD;
            }
            let state = store.kept_for(state) as usize;
            if numbers[state] == UNSEEN {
                numbers[state] = states;
                states += 1;
                order.push(state as u32);
            }
            numbers[state]
        };
        let initial: Vec<u32> = initial.into_iter().map(|state| visit(state, &mut order)).collect();
        let mut resolved = Vec::new();
        let mut at = 0;
        while let Some(&state) = order.get(at) {
            let first = transitions.partition_point(|t| t.from < state);
            for transition in transitions[first..].iter().take_while(|t| t.from == state) {
                let to = visit(transition.to, &mut order);
                if to != at as u32 {
                    resolved.push(Transition { from: at as u32, to, ..*transition });
                }
            }
            at += 1;
        }
        drop(transitions);
        let bad = states;
        let real = |state: u32| if state == BAD { bad } else { state };
        resolved.iter_mut().for_each(|transition| transition.to = real(transition.to));
        resolved.sort_unstable();
        resolved.dedup();
        OrderGraph {
            states: states + 1,
            initial: initial.into_iter().map(real).collect(),
            bad,
            transitions: resolved,
            preventions: preventions.all,
            barriers: barriers(system),
        }
    }

    /// An estimate of what the search holds.
    fn bytes(&self, system: &System<'_>) -> u64 {
        // A state and its key, and what the vectors and the table spend on them.
        let state = 2 * size_of::<u32>() * system.width() + 96;
        (self.store.len() * state + self.transitions.capacity() * size_of::<Transition>()) as u64
            + system.bytes()
    }
}

/// What forbids transitions, each once.
#[derive(Default)]
struct Preventions {
    all: Vec<Prevention>,
    /// For a thread, its buffer and the edge.
    of_steps: HashMap<(ThreadId, u32, EdgeId), u32, FixedState>,
    /// For a thread and what it flushes.
    of_flushes: HashMap<(ThreadId, u32), u32, FixedState>,
    numbers: HashMap<Vec<Order>, u32, FixedState>,
}

impl Preventions {
    /// The number of what forbids the move from the state.
    fn of(&mut self, system: &System<'_>, state: &[u32], made: &Move) -> u32 {
        let Self { all, of_steps, of_flushes, numbers } = self;
        let labels = system.labels.as_ref().expect("internal error: the buffers are labelled");
        let exact = system.precision.exact_sets;
        let mut number = |orders: Vec<Order>, any: bool| {
            *numbers.entry(orders.clone()).or_insert_with(|| {
                let nothing = orders.is_empty();
                all.push(if any || nothing { Prevention::AnyOf(orders) } else { Prevention::AllOf(orders) });
                all.len() as u32 - 1
            })
        };
        match *made {
            Move::Step { thread, edge, choices: _ } => {
                let buffer = system.buffer_at(state, thread);
                *of_steps.entry((thread, buffer, edge)).or_insert_with(|| {
                    let pending = system.buffer(state, thread).pending(false);
                    let order = |(_, entry)| {
                        let write = labels.labelled(entry).label;
                        Order { thread, write, then: edge, kind: FenceKind::Full }
                    };
                    let mut orders: Vec<Order> = pending.into_iter().map(order).collect();
                    orders.sort_unstable();
                    orders.dedup();
                    number(orders, exact)
                })
            }
            Move::Flush { thread, entry } => *of_flushes.entry((thread, entry)).or_insert_with(|| {
                let flushed = labels.labelled(entry);
                let order =
                    |&write| Order { thread, write, then: flushed.label, kind: FenceKind::StoreStore };
                // Each of them is certain, with exact sets or without.
                number(flushed.older.iter().map(order).collect(), true)
            }),
        }
    }
}

/// The edges that no pending write passes, and those that put the writes of their thread in order.
fn barriers(system: &System<'_>) -> Vec<(ThreadId, EdgeId, FenceKind)> {
    let mut barriers = Vec::new();
    for (thread, text) in system.program.threads.iter_enumerated() {
        for (edge, step) in text.edges.iter_enumerated().map(|(edge, Edge { step, .. })| (edge, step)) {
            let fence = |kind| step.ops.contains(&Op::Fence(kind));
            // *-6: what a locked step waits for.
            let waits = match system.model {
                Model::Tso => step.lock.is_some(),
                Model::Sc | Model::Pso | Model::Slot => step.lock == Some(Lock::Full),
            };
            if waits || fence(FenceKind::Full) {
                barriers.push((thread, edge, FenceKind::Full));
            } else if fence(FenceKind::StoreStore) && system.model == Model::Pso {
                barriers.push((thread, edge, FenceKind::StoreStore));
            }
        }
    }
    barriers
}
