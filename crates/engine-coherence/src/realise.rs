//! From an abstract counterexample to a trace of the concrete machine.
//!
//! The abstract path says which steps each thread takes. The concrete machine takes the same steps, first in the same
//! order, then, if that fails, in any order that keeps each thread's; when which write is flushed is searched for. What
//! is found is an execution of the concrete machine that violates a property, if not always the one of the path.

use std::collections::{HashMap, HashSet};

use fencewright_base::{Index, Int, Meter, Stop};
use fencewright_ir::{EdgeId, ThreadId};
use fencewright_memory::{Action, InitialChoices, Machine, Outcome, State, Trace};
use foldhash::fast::FixedState;

use crate::system::Move;

/// Concrete states that one search may visit: some hundred milliseconds.
const STATES: usize = 20_000;

/// The steps of an abstract path.
#[derive(Debug)]
pub(crate) struct Schedule {
    /// For each thread its steps.
    steps: Vec<Vec<(EdgeId, Vec<Int>)>>,
    /// Whose turn it is.
    order: Vec<ThreadId>,
}

impl Schedule {
    pub(crate) fn new(threads: usize, moves: Vec<Move>) -> Self {
        let mut schedule = Self { steps: vec![Vec::new(); threads], order: Vec::new() };
        for made in moves {
            match made {
                Move::Step { thread, edge, choices } => {
                    schedule.steps[thread.index()].push((edge, choices));
                    schedule.order.push(thread);
                }
                Move::Flush { .. } => {}
            }
        }
        schedule
    }

    /// The threads that may go on, the one to be tried first last.
    fn turns(&self, done: &[u32], in_order: bool) -> Vec<ThreadId> {
        if in_order {
            let steps: u32 = done.iter().sum();
            return self.order.get(steps as usize).copied().into_iter().collect();
        }
        let waiting = |&thread: &usize| (done[thread] as usize) < self.steps[thread].len();
        (0..self.steps.len()).rev().filter(waiting).map(ThreadId::new).collect()
    }
}

/// An execution along the schedule that violates a property.
pub(crate) fn realise(
    machine: &Machine<'_>,
    initial: InitialChoices,
    schedule: &Schedule,
    meter: &Meter,
) -> Result<Option<Trace>, Stop> {
    for in_order in [true, false] {
        if let Some(actions) = follow(machine, &initial, schedule, in_order, meter)? {
            return Ok(Some(Trace { model: machine.model(), initial, actions }));
        }
    }
    Ok(None)
}

/// A concrete state on the way: how many steps each thread has made, and how it was reached.
struct Node {
    state: State,
    done: Vec<u32>,
    from: Option<(usize, Action)>,
}

/// Depth first, with a memory of what was visited.
fn follow(
    machine: &Machine<'_>,
    initial: &InitialChoices,
    schedule: &Schedule,
    in_order: bool,
    meter: &Meter,
) -> Result<Option<Vec<Action>>, Stop> {
    let Some(state) = machine.initial(initial) else { return Ok(None) };
    if machine.violation(&state).is_some() {
        return Ok(Some(Vec::new()));
    }
    let mut visited: HashMap<Vec<u32>, HashSet<State, FixedState>, FixedState> = HashMap::default();
    let mut nodes = vec![Node { state, done: vec![0; schedule.steps.len()], from: None }];
    let mut open = vec![0];
    while let Some(at) = open.pop() {
        meter.tick()?;
        if nodes.len() > STATES {
            return Ok(None);
        }
        for (action, done) in actions(&nodes[at], schedule, in_order) {
            match machine.perform(&nodes[at].state, &action) {
                Outcome::Blocked => {}
                Outcome::Violates(..) => return Ok(Some(actions_to(&nodes, at, action))),
                Outcome::Next(state, _) => {
                    if machine.violation(&state).is_some() {
                        return Ok(Some(actions_to(&nodes, at, action)));
                    }
                    if visited.entry(done.clone()).or_default().insert((*state).clone()) {
                        open.push(nodes.len());
                        nodes.push(Node { state: *state, done, from: Some((at, action)) });
                    }
                }
            }
        }
    }
    Ok(None)
}

/// What may come next, the one to be tried first last: flushes, then steps.
fn actions(node: &Node, schedule: &Schedule, in_order: bool) -> Vec<(Action, Vec<u32>)> {
    let mut actions = Vec::new();
    for (thread, pending) in node.state.pending.iter_enumerated() {
        for cell in pending.rules().flushable() {
            actions.push((Action::Flush { thread, cell }, node.done.clone()));
        }
    }
    for thread in schedule.turns(&node.done, in_order) {
        let mut done = node.done.clone();
        let (edge, choices) = schedule.steps[thread.index()][done[thread.index()] as usize].clone();
        done[thread.index()] += 1;
        actions.push((Action::Step { thread, edge, choices }, done));
    }
    actions
}

fn actions_to(nodes: &[Node], at: usize, last: Action) -> Vec<Action> {
    let mut actions = vec![last];
    let mut at = at;
    while let Some((before, action)) = &nodes[at].from {
        actions.push(action.clone());
        at = *before;
    }
    actions.reverse();
    actions
}
