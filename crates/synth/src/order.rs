//! An execution in normal form: the same steps with the same values, every write in memory as early as can be.
//!
//! An engine may leave a write pending for no reason, and may let threads take turns in an order that makes a write
//! wait. So the execution is taken apart into the order it really needs (a thread's own order, who read what from
//! whom, the order of writes to a cell), and put together again: for each write, in turn, its arrival in memory is
//! bound before the nearest later step of its thread that the order allows. The result is replayed; if it is not a
//! violation the execution stays as it was. So nothing here has to be right for an answer to be right: a bad order
//! only makes the sets to hit larger.

use std::collections::{BTreeMap, BTreeSet};

use fencewright_ir::{CellId, Program, ThreadId};
use fencewright_memory::{
    Action, Event, Execution, Machine, Outcome, ReadFrom, Trace, Violation, WriteTo, replay,
};

/// An execution of more actions is left as it is: the search for an order looks at pairs.
const MOST_ACTIONS: usize = 600;

/// The violating execution in normal form.
pub(crate) fn normal_form(program: &Program, trace: &Trace, execution: &Execution) -> (Trace, Execution) {
    if execution.performed.len() <= MOST_ACTIONS {
        for drain in [true, false] {
            let normal = Graph::new(program, trace, execution, drain).in_order(trace);
            if let Ok(replayed) = replay(program, &normal)
                && replayed.violation.is_some()
            {
                return (normal, replayed);
            }
        }
    }
    (trace.clone(), execution.clone())
}

struct Node<'e> {
    action: Action,
    events: &'e [Event],
    sources: &'e [Option<usize>],
    flushed: Option<usize>,
}

/// The actions and which must come before which.
struct Graph<'e> {
    nodes: Vec<Node<'e>>,
    after: Vec<BTreeSet<usize>>,
    /// The step that fails, if the violation is that of a step: it must stay the last.
    failing: Option<usize>,
}

impl<'e> Graph<'e> {
    fn new(program: &Program, trace: &Trace, execution: &'e Execution, drain: bool) -> Self {
        let done = &execution.performed;
        let mut nodes: Vec<Node<'e>> = (done.iter())
            .map(|done| Node {
                action: done.action.clone(),
                events: &done.events,
                sources: &done.sources,
                flushed: done.flushed,
            })
            .collect();
        let failing = (!matches!(execution.violation, None | Some(Violation::Property(_))))
            .then(|| done.len().saturating_sub(1));
        if drain {
            let kept = failing.unwrap_or(done.len());
            let rest = drained(program, trace, execution, kept);
            nodes.extend(rest.into_iter().map(|(action, flushed)| Node {
                action,
                events: &[],
                sources: &[],
                flushed,
            }));
        }
        let after = vec![BTreeSet::new(); nodes.len()];
        let mut graph = Self { nodes, after, failing };
        graph.order_of_threads();
        graph.order_of_cells();
        if let Some(last) = failing {
            (0..last).for_each(|node| graph.before(node, last));
        }
        graph.hasten();
        graph
    }

    fn before(&mut self, first: usize, second: usize) {
        self.after[first].insert(second);
    }

    fn is_flush(&self, node: usize) -> bool {
        matches!(self.nodes[node].action, Action::Flush { .. })
    }

    /// Steps of a thread stay in order; a write is flushed after it was made, and not later than it was.
    fn order_of_threads(&mut self) {
        let mut by_thread: BTreeMap<ThreadId, Vec<usize>> = BTreeMap::new();
        for (i, node) in self.nodes.iter().enumerate() {
            for thread in node.action.threads() {
                by_thread.entry(thread).or_default().push(i);
            }
        }
        for own in by_thread.values() {
            for (nth, &first) in own.iter().enumerate() {
                if let Some(&next) = own[nth + 1..].iter().find(|&&next| !self.is_flush(next)) {
                    self.before(first, next);
                }
                let Some(write) = self.nodes[first].flushed else { continue };
                self.before(write, first);
                for &later in &own[nth + 1..] {
                    if self.nodes[later].flushed.is_some_and(|other| write <= other) {
                        self.before(first, later);
                    }
                }
            }
        }
    }

    /// Whoever touches a cell in memory does so in the order it was, unless both only read.
    fn order_of_cells(&mut self) {
        let mut touched: BTreeMap<CellId, Vec<(usize, bool)>> = BTreeMap::new();
        let mut own_reads: Vec<(usize, CellId, usize)> = Vec::new();
        for (i, node) in self.nodes.iter().enumerate() {
            if let Action::Flush { cell, .. } = node.action {
                touched.entry(cell).or_default().push((i, true));
            }
            let mut sources = node.sources.iter();
            for event in node.events {
                match event {
                    Event::Read { cell, from, .. } => {
                        let source = sources.next().copied().flatten();
                        match (from, source) {
                            (ReadFrom::OwnPending, Some(write)) => own_reads.push((i, *cell, write)),
                            _ => touched.entry(*cell).or_default().push((i, false)),
                        }
                    }
                    Event::Write { cell, to: WriteTo::Memory, .. } => {
                        touched.entry(*cell).or_default().push((i, true));
                    }
                    Event::Write { .. } | Event::Assign { .. } | Event::By(_) => {}
                }
            }
        }
        for list in touched.values() {
            for (nth, &(first, writes)) in list.iter().enumerate() {
                for &(second, also_writes) in &list[nth + 1..] {
                    if first != second && (writes || also_writes) {
                        self.before(first, second);
                    }
                    if also_writes {
                        break;
                    }
                }
            }
        }
        // Who read a write of its own must still find it in memory, should it be there already.
        for (read, cell, write) in own_reads {
            let list = touched.get(&cell).map_or(&[][..], Vec::as_slice);
            let arrived = list.iter().position(|&(node, _)| self.nodes[node].flushed == Some(write));
            if let Some(arrived) = arrived
                && let Some(&(next, _)) = list[arrived + 1..].iter().find(|(_, writes)| *writes)
                && next != read
            {
                self.before(read, next);
            }
        }
    }

    /// Binds every flush before the nearest later step of its thread, and before the flushes of later writes, wherever
    /// that is possible.
    fn hasten(&mut self) {
        let mut flushes: Vec<(usize, usize)> =
            (self.nodes.iter().enumerate()).filter_map(|(i, node)| Some((node.flushed?, i))).collect();
        flushes.sort_unstable();
        for &(write, flush) in &flushes {
            let thread = self.nodes[flush].action.thread();
            let steps = (write + 1..self.nodes.len())
                .filter(|&i| !self.is_flush(i) && self.nodes[i].action.threads().any(|by| by == thread));
            if let Some(step) = steps.into_iter().find(|&step| !self.leads_to(step, flush)) {
                self.before(flush, step);
            }
        }
        for (nth, &(_, first)) in flushes.iter().enumerate() {
            for &(_, second) in &flushes[nth + 1..] {
                let same = self.nodes[first].action.thread() == self.nodes[second].action.thread();
                if same && !self.leads_to(second, first) {
                    self.before(first, second);
                }
            }
        }
    }

    fn leads_to(&self, from: usize, to: usize) -> bool {
        let mut seen = vec![false; self.nodes.len()];
        let mut stack = vec![from];
        while let Some(node) = stack.pop() {
            if node == to {
                return true;
            }
            if !std::mem::replace(&mut seen[node], true) {
                stack.extend(&self.after[node]);
            }
        }
        false
    }

    /// The actions in an order that fits, flushes first, up to the step that fails.
    fn in_order(self, trace: &Trace) -> Trace {
        let mut waits = vec![0; self.nodes.len()];
        for &node in self.after.iter().flatten() {
            waits[node] += 1;
        }
        let mut ready: BTreeSet<(bool, usize)> =
            (0..self.nodes.len()).filter(|&i| waits[i] == 0).map(|i| (!self.is_flush(i), i)).collect();
        let mut actions = Vec::new();
        while let Some((_, node)) = ready.pop_first() {
            actions.push(self.nodes[node].action.clone());
            if Some(node) == self.failing {
                break;
            }
            for &next in &self.after[node] {
                waits[next] -= 1;
                if waits[next] == 0 {
                    ready.insert((!self.is_flush(next), next));
                }
            }
        }
        Trace {
            model: trace.model,
            initial: trace.initial.clone(),
            actions,
            repeats_from: trace.repeats_from,
        }
    }
}

/// The flushes that would empty all buffers after the first `kept` actions, with the steps whose writes they carry.
fn drained(
    program: &Program,
    trace: &Trace,
    execution: &Execution,
    kept: usize,
) -> Vec<(Action, Option<usize>)> {
    let machine = Machine::new(program, trace.model);
    let mut state = execution.last().clone();
    let mut extended = trace.clone();
    extended.actions.truncate(kept);
    let next = |state: &fencewright_memory::State| {
        state.pending.iter_enumerated().find_map(|(thread, pending)| {
            pending.rules().flushable().first().map(|&cell| Action::Flush { thread, cell })
        })
    };
    while let Some(action) = next(&state) {
        let Outcome::Next(after, _) = machine.perform(&state, &action) else { break };
        state = *after;
        extended.actions.push(action);
    }
    let Ok(replayed) = replay(program, &extended) else { return Vec::new() };
    replayed.performed.into_iter().skip(kept).map(|done| (done.action, done.flushed)).collect()
}
