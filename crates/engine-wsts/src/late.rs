//! The late machine forward, state by state: what the search reasons about, written for reading. Nothing of the engine
//! uses it. The tests do: its reachable nodes are those of the reference semantics, and the predecessors that
//! [`pre`](crate::pre) computes are compared with its moves.

use std::collections::{BTreeSet, VecDeque};

use fencewright_base::{Int, Meter};
use fencewright_ir::{LocId, Program};
use fencewright_memory::Model;

use crate::graph::NodeId;
use crate::label::{Cell, Label, Value, Wait};
use crate::system::System;

/// A state of the late machine.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct LateState {
    pub(crate) nodes: Vec<NodeId>,
    pub(crate) memory: Vec<Value>,
    /// For each thread that reads late what lies between what it sees and the memory of now.
    pub(crate) queues: Vec<VecDeque<Past>>,
    /// For each thread and cell the store buffer, at `thread * cells + cell`.
    pub(crate) buffers: Vec<VecDeque<Value>>,
}

/// Something in the queue of a thread.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Past {
    /// Memory as it once was.
    Snapshot(Vec<Value>),
    /// A write of the thread itself reached memory here.
    Own(Cell, Value),
}

/// Where each thread stands, and its registers, those that are dead 0.
pub type Standing = Vec<(LocId, Vec<Int>)>;

/// Where the threads can stand together, with the registers that are live there, by the late machine with queues and
/// buffers of at most `longest`; `None` if it has more than `states` states or the program is not finite.
pub fn control_states(
    program: &Program,
    model: Model,
    longest: usize,
    states: usize,
) -> Option<BTreeSet<Standing>> {
    let system = System::new(program, model, false, &Meter::unlimited()).ok()?;
    let mut found = BTreeSet::new();
    for state in reachable(&system, longest, states)? {
        let standing = state.nodes.iter().enumerate().map(|(thread, &node)| {
            let node = &system.graphs[thread].nodes[node as usize];
            node.location.map(|location| (location, node.registers.iter().cloned().collect()))
        });
        found.extend(standing.collect::<Option<Standing>>());
    }
    Some(found)
}

/// The reachable states, if there are at most `limit`.
pub(crate) fn reachable(system: &System<'_>, longest: usize, limit: usize) -> Option<BTreeSet<LateState>> {
    let mut seen: BTreeSet<LateState> = BTreeSet::new();
    let mut open: Vec<LateState> = initial(system);
    seen.extend(open.iter().cloned());
    while let Some(state) = open.pop() {
        if seen.len() > limit {
            return None;
        }
        for next in successors(system, &state, longest) {
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    Some(seen)
}

fn initial(system: &System<'_>) -> Vec<LateState> {
    let threads = system.n_threads();
    let mut all = vec![LateState {
        nodes: Vec::new(),
        memory: Vec::new(),
        queues: vec![VecDeque::new(); threads],
        buffers: vec![VecDeque::new(); threads * system.n_cells()],
    }];
    for graph in &system.graphs {
        let with = |state: &LateState, node: NodeId| {
            let mut state = state.clone();
            state.nodes.push(node);
            state
        };
        let entries = || graph.entries.iter().map(|(node, _)| *node);
        all = all.iter().flat_map(|state| entries().map(move |node| with(state, node))).collect();
    }
    for cell in 0..system.n_cells() as Cell {
        let with = |state: &LateState, value: Value| {
            let mut state = state.clone();
            state.memory.push(value);
            state
        };
        let first: Vec<Value> = (0..system.values.of(cell).len() as Value)
            .filter(|v| system.values.initially(cell) >> v & 1 == 1)
            .collect();
        all = all.iter().flat_map(|state| first.iter().map(move |&value| with(state, value))).collect();
    }
    all
}

/// All states that one move leads to. Queues and buffers do not grow past `longest`.
pub(crate) fn successors(system: &System<'_>, state: &LateState, longest: usize) -> Vec<LateState> {
    let mut found = Vec::new();
    for thread in 0..system.n_threads() {
        for link in system.graphs[thread].links.iter().filter(|link| link.from == state.nodes[thread]) {
            let mut next = state.clone();
            next.nodes[thread] = link.to;
            if step(system, &mut next, thread, &link.label, longest) {
                found.push(next);
            }
        }
        if system.late[thread] {
            if state.queues[thread].len() < longest {
                let mut next = state.clone();
                next.queues[thread].push_back(Past::Snapshot(state.memory.clone()));
                found.push(next);
            }
            let mut next = state.clone();
            if next.queues[thread].pop_front().is_some() {
                found.push(next);
            }
        }
        for cell in 0..system.n_cells() {
            let mut next = state.clone();
            if let Some(value) = next.buffers[thread * system.n_cells() + cell].pop_front()
                && reach_memory(system, &mut next, thread, (cell as Cell, value), longest)
            {
                found.push(next);
            }
        }
    }
    found
}

/// A write reaches memory; a thread that reads late has that before it.
fn reach_memory(
    system: &System<'_>,
    state: &mut LateState,
    thread: usize,
    (cell, value): (Cell, Value),
    longest: usize,
) -> bool {
    state.memory[cell as usize] = value;
    if system.late[thread] {
        state.queues[thread].push_back(Past::Own(cell, value));
    }
    state.queues[thread].len() <= longest
}

fn step(system: &System<'_>, state: &mut LateState, thread: usize, label: &Label, longest: usize) -> bool {
    let cells = system.n_cells();
    let buffer = |cell: usize| thread * cells + cell;
    match label {
        Label::Local => true,
        Label::Look(reads) => {
            reads.iter().all(|&(cell, value)| read(system, state, thread, cell) == Some(value))
        }
        Label::Store(cell, value) if system.buffered => {
            let buffer = &mut state.buffers[buffer(*cell as usize)];
            buffer.push_back(*value);
            buffer.len() <= longest
        }
        Label::Store(cell, value) => reach_memory(system, state, thread, (*cell, *value), longest),
        Label::StoreFence => (0..cells).all(|cell| state.buffers[buffer(cell)].is_empty()),
        Label::Locked(locked) => {
            let empty = |cell: usize| state.buffers[buffer(cell)].is_empty();
            let may = state.queues[thread].is_empty()
                && match &locked.wait {
                    Wait::All => (0..cells).all(empty),
                    Wait::Cells(waited) => waited.iter().all(|&cell| empty(cell as usize)),
                }
                && locked.reads.iter().all(|&(cell, value)| state.memory[cell as usize] == value);
            for &(cell, value) in &locked.writes {
                state.memory[cell as usize] = value;
            }
            may
        }
    }
}

/// What the thread reads: its newest write in its store buffer, else its newest that is in memory but still before it,
/// else what it sees: the snapshot at the head of its queue, or memory if it does not read late.
fn read(system: &System<'_>, state: &LateState, thread: usize, cell: Cell) -> Option<Value> {
    if let Some(&own) = state.buffers[thread * system.n_cells() + cell as usize].back() {
        return Some(own);
    }
    let queue = &state.queues[thread];
    let own = queue.iter().rev().find_map(|past| match past {
        Past::Own(of, value) if *of == cell => Some(*value),
        _ => None,
    });
    match (own, queue.front()) {
        (Some(own), _) => Some(own),
        (None, None) => (!system.late[thread]).then(|| state.memory[cell as usize]),
        (None, Some(Past::Snapshot(memory))) => Some(memory[cell as usize]),
        (None, Some(Past::Own(..))) => None,
    }
}
