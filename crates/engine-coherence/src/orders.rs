//! The graph of labelled abstract states, for the inference of section 5 of the paper.
//!
//! What forbids which transition is told in [`prevent`](crate::prevent).
//!
//! - Violations have no successors here: what lies behind one can be reached no more once it cannot.
//! - All states that violate something are one.

use fencewright_base::Progress;
use fencewright_engine::{Context, OrderGraph, Transition};

use crate::Abstraction;
use crate::labels::Labels;
use crate::prevent::Preventions;
use crate::search::{Ended, OPEN_VALUES};
use crate::store::Store;
use crate::system::{System, Target};

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
    Ok(search.graph())
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
    fn graph(self) -> OrderGraph {
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
            preventions: preventions.into_all(),
        }
    }

    /// An estimate of what the search holds.
    fn bytes(&self, system: &System<'_>) -> u64 {
        // A state and its key, and what the vectors and the table spend on them. In the end, the transitions are there
        // twice.
        let state = 2 * size_of::<u32>() * system.width() + 96;
        let transitions = 2 * self.transitions.len() * size_of::<Transition>();
        (self.store.len() * state + transitions) as u64 + system.bytes()
    }
}
