//! A shortest counterexample: fewest steps first, then fewest writes that are delayed at all. A search by cost over the
//! plain graph of the reference semantics, where a write is either flushed at once, for nothing, or delayed, at a cost
//! of one. It is made only after a violation is known to exist, and it gives up after a number of states, because the
//! plain graph may be far larger than the reduced one that was searched.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fencewright_base::Meter;
use fencewright_explore::{Candidate, Visited};
use fencewright_memory::{Action, Trace};
use fencewright_packed::{Gather, Interrupt, PackedSystem, Worker, initial_choices};

/// The counterexample, and whether it is known to be a shortest one: no write found its buffer full on the way.
/// `None` if the search gave up. The system must have been compiled without reduction.
pub(crate) fn shortest<const W: usize>(
    system: &PackedSystem<'_>,
    max_states: usize,
    meter: &Meter,
) -> Result<Option<(Trace, bool)>, Interrupt> {
    let mut worker = system.new_worker();
    let mut frontier = Frontier::<W>::new();
    system.initial_states::<W>(&mut worker, &mut |_, state| {
        frontier.reach(state, Node { cost: (0, 0), parent: ROOT, actions: Vec::new() });
    })?;
    // The cheapest step found that violates at once.
    let mut violation: Option<(Cost, u32, Vec<Action>)> = None;
    let end = loop {
        let Some((cost, position)) = frontier.cheapest() else {
            break violation.map(|(_, position, actions)| (position, actions));
        };
        if let Some((_, position, actions)) = violation.take_if(|(best, ..)| *best <= cost) {
            break Some((position, actions));
        }
        let state = *frontier.visited.state(position as usize);
        if system.violates(&mut worker, &state) {
            break Some((position, Vec::new()));
        }
        if frontier.visited.len() > max_states || meter.tick().is_err() {
            return Ok(None);
        }
        let mut found = Gather::<W, Vec<Action>>::default();
        system.expand(&mut worker, &state, &mut found)?;
        for actions in found.violations {
            let cost = (cost.0 + 1, cost.1);
            if violation.as_ref().is_none_or(|(best, ..)| cost < *best) {
                violation = Some((cost, position, actions));
            }
        }
        for (next, actions) in found.states {
            let threads: Vec<usize> = match actions.first() {
                None | Some(Action::Flush { .. }) => {
                    frontier.reach(&next, Node { cost, parent: position, actions });
                    continue;
                }
                Some(step) => step.threads().map(|thread| thread.0 as usize).collect(),
            };
            let new_in = |t: usize| system.pending(t, &next).saturating_sub(system.pending(t, &state));
            let delayed: u32 = threads.iter().map(|&t| new_in(t)).sum();
            for &t in threads.iter().filter(|&&t| new_in(t) > 0) {
                for (memory, flush) in flushes_of_new_writes(system, &mut worker, t, &state, &next)? {
                    let actions = [&actions[..], &[flush]].concat();
                    let cost = (cost.0 + 1, cost.1 + delayed - 1);
                    frontier.reach(&memory, Node { cost, parent: position, actions });
                }
            }
            frontier.reach(&next, Node { cost: (cost.0 + 1, cost.1 + delayed), parent: position, actions });
        }
    };
    let Some((position, last_actions)) = end else { return Ok(None) };
    let (root, mut actions) = frontier.path_to(position);
    actions.extend(last_actions);
    let initial = initial_choices(system, &mut worker, frontier.visited.state(root as usize))?;
    Ok(Some((
        Trace { model: system.compiled.options.model, initial, actions, repeats_from: None },
        !worker.met_capacity,
    )))
}

/// The flushes, right after the step from `before` to `after`, of what that step wrote.
fn flushes_of_new_writes<const W: usize>(
    system: &PackedSystem<'_>,
    worker: &mut Worker<'_>,
    t: usize,
    before: &[u64; W],
    after: &[u64; W],
) -> Result<Vec<([u64; W], Action)>, Interrupt> {
    let mut found = Gather::<W, Vec<Action>>::default();
    system.expand(worker, after, &mut found)?;
    let mut flushes = Vec::new();
    for (state, mut actions) in found.states {
        if let Some(Action::Flush { thread, cell }) = actions.pop()
            && thread.0 as usize == t
            && system.pending_for(t, cell, before) == 0
            && system.pending_for(t, cell, after) == 1
        {
            flushes.push((state, Action::Flush { thread, cell }));
        }
    }
    Ok(flushes)
}

/// Steps, then delayed writes.
type Cost = (u32, u32);

/// How a state was reached at the lowest cost known.
struct Node {
    cost: Cost,
    parent: u32,
    actions: Vec<Action>,
}

/// The parent of an initial state.
const ROOT: u32 = u32::MAX;

/// The states reached, and those to be expanded, by cost and then by arrival, so that the result is always the same.
struct Frontier<const W: usize> {
    visited: Visited<W>,
    nodes: Vec<Node>,
    expanded: Vec<bool>,
    queue: BinaryHeap<Reverse<(Cost, u32)>>,
}

impl<const W: usize> Frontier<W> {
    fn new() -> Self {
        Self { visited: Visited::new(), nodes: Vec::new(), expanded: Vec::new(), queue: BinaryHeap::new() }
    }

    fn reach(&mut self, state: &[u64; W], node: Node) {
        let cost = node.cost;
        let position = match self.visited.find(state) {
            Some(position) if self.nodes[position].cost <= cost => return,
            Some(position) => {
                self.nodes[position] = node;
                position
            }
            None => {
                let candidate = Candidate { state: *state, hash: Visited::hash(state), parent: node.parent };
                if self.visited.insert(&candidate).is_err() {
                    return; // Out of memory: the search will give up at its limit, which is far below that.
                }
                self.nodes.push(node);
                self.expanded.push(false);
                self.visited.len() - 1
            }
        };
        self.queue.push(Reverse((cost, position as u32)));
    }

    fn cheapest(&mut self) -> Option<(Cost, u32)> {
        while let Some(Reverse((cost, position))) = self.queue.pop() {
            if !std::mem::replace(&mut self.expanded[position as usize], true) {
                return Some((cost, position));
            }
        }
        None
    }

    /// The initial state a state was reached from, and the actions on the way.
    fn path_to(&self, position: u32) -> (u32, Vec<Action>) {
        let mut position = position;
        let mut parts = Vec::new();
        loop {
            let node = &self.nodes[position as usize];
            parts.push(node.actions.clone());
            if node.parent == ROOT {
                parts.reverse();
                return (position, parts.concat());
            }
            position = node.parent;
        }
    }
}
