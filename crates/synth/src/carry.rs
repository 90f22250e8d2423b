//! An execution of a program as one of the program with remedies, and back.
//!
//! [`edit::apply`](fencewright_ir::edit::apply) keeps the numbers of edges and locations and puts new ones behind, so
//! the steps of both programs correspond; what differs is where fences are passed and when atomic writes reach memory.
//! This file has executions that end; `endless` carries the others with the same steps.

use std::collections::BTreeSet;

use fencewright_ir::edit::Remedy;
use fencewright_ir::{
    CellId, EdgeId, LocId, OrderId, OrderWord, Program, Property, StateAtom, StatementId, Thread, ThreadId,
};
use fencewright_memory::{Action, Event, Execution, Machine, Outcome, Performed, State, Trace, WriteTo};

use crate::endless;

/// The violating trace of the repaired program as one of the original program. `None` if it is no violation there.
pub(crate) fn without_remedies(original: &Program, repaired: &Program, trace: &Trace) -> Option<Trace> {
    if let Some(from) = trace.repeats_from {
        return endless::without_remedies(original, repaired, trace, from);
    }
    let machine = Machine::new(original, trace.model);
    let mut run = Run::new(&machine, trace)?;
    for action in &trace.actions {
        if run.violated {
            break;
        }
        run.go_without(original, repaired, action)?;
    }
    run.finish()
}

/// The violating execution of the original program as one of the repaired program: each fence is passed as late as
/// can be, each atomic write reaches memory at once. `None` if the repaired program does not allow it, if it is no
/// violation any more, or if it may be one only because of the remedies: so a program with fewer of them has it too.
pub(crate) fn with_remedies(
    original: &Program,
    repaired: &Program,
    trace: &Trace,
    execution: &Execution,
) -> Option<Trace> {
    if let Some(from) = trace.repeats_from {
        return endless::with_remedies(original, repaired, trace, from);
    }
    let machine = Machine::new(repaired, trace.model);
    let mut run = Run::new(&machine, trace)?;
    for (position, done) in execution.performed.iter().enumerate() {
        if run.violated {
            break;
        }
        run.go_with(original, repaired, position, done)?;
    }
    // A thread that ends behind its last statement goes on to where it ended before, if the fences there let it.
    for (thread, before) in original.threads.iter_enumerated() {
        while !run.violated && run.state.locations[thread].0 as usize >= before.locations.len() {
            let here = run.state.locations[thread];
            let fence = repaired.threads[thread].edges.iter_enumerated().find(|(_, edge)| edge.from == here);
            let Some((fence, _)) = fence else { break };
            if run.go(&Action::Step { thread, edge: fence, choices: Vec::new() }).is_none() {
                break;
            }
        }
    }
    let apart = !run.violated && tells_locations_apart(original);
    let at_fence =
        |(thread, &here): (ThreadId, &LocId)| here.0 as usize >= original.threads[thread].locations.len();
    if apart && run.state.locations.iter_enumerated().any(at_fence) {
        return None;
    }
    run.finish()
}

/// Whether an invariant names locations. A thread that stands at an inserted fence stands at none of them, so such an
/// invariant can fail because of a fence, and taking the fence away may take the violation away.
fn tells_locations_apart(program: &Program) -> bool {
    program.properties.iter().any(|property| match property {
        Property::Invariant(condition) => {
            let mut named = false;
            condition.expr.for_each_atom(&mut |atom| named |= matches!(atom, StateAtom::At(..)));
            named
        }
        Property::Forbidden(_) | Property::Final { .. } | Property::Temporal(_) => false,
    })
}

/// The cell of a write that went into a buffer.
fn pending_write(event: &Event) -> Option<CellId> {
    match event {
        Event::Write { cell, to: WriteTo::Pending, .. } => Some(*cell),
        _ => None,
    }
}

/// The inserted edges that lead from one location to another; none if it is the same one.
fn way(thread: &Thread, inserted: usize, from: LocId, to: LocId) -> Option<Vec<EdgeId>> {
    if from == to {
        return Some(Vec::new());
    }
    // Every inserted edge leads to a location that was inserted with it or back to an old one: there are no cycles of
    // inserted edges alone.
    thread.edges.iter_enumerated().skip(inserted).filter(|(_, edge)| edge.from == from).find_map(
        |(id, edge)| {
            let mut rest = way(thread, inserted, edge.to, to)?;
            rest.insert(0, id);
            Some(rest)
        },
    )
}

/// An execution being made.
pub(crate) struct Run<'m, 'p> {
    machine: &'m Machine<'p>,
    pub(crate) state: State,
    pub(crate) trace: Trace,
    /// Whether its last step failed.
    pub(crate) violated: bool,
    /// The writes, by the position of their step in the execution that is carried, that were pending there and went to
    /// memory at once here.
    at_once: BTreeSet<(usize, CellId)>,
}

impl<'m, 'p> Run<'m, 'p> {
    pub(crate) fn new(machine: &'m Machine<'p>, like: &Trace) -> Option<Self> {
        let state = machine.initial(&like.initial)?;
        let trace = Trace {
            model: like.model,
            initial: like.initial.clone(),
            actions: Vec::new(),
            repeats_from: None,
        };
        Some(Self { machine, state, trace, violated: false, at_once: BTreeSet::new() })
    }

    /// Does what an action of the repaired program does in the original one.
    pub(crate) fn go_without(
        &mut self,
        original: &Program,
        repaired: &Program,
        action: &Action,
    ) -> Option<()> {
        let Action::Step { thread, edge, .. } = *action else {
            self.go(action)?;
            return Some(());
        };
        if edge.0 as usize >= original.threads[thread].edges.len() {
            return Some(()); // A fence that was put in.
        }
        let events = self.go(action)?;
        let made_atomic = repaired.edge(thread, edge).step.lock.is_some()
            && original.edge(thread, edge).step.lock.is_none();
        if made_atomic && !self.violated {
            for cell in events.iter().filter_map(pending_write) {
                while self.state.pending[thread].rules().count(cell) > 0 {
                    self.go(&Action::Flush { thread, cell })?;
                }
            }
        }
        Some(())
    }

    /// Does in the repaired program what was done, at this position, in the original one.
    pub(crate) fn go_with(
        &mut self,
        original: &Program,
        repaired: &Program,
        position: usize,
        done: &Performed,
    ) -> Option<()> {
        if let Action::Flush { cell, .. } = done.action {
            if !done.flushed.is_some_and(|write| self.at_once.contains(&(write, cell))) {
                self.go(&done.action)?;
            }
            return Some(());
        }
        for (thread, edge) in done.action.edges() {
            let inserted = original.threads[thread].edges.len();
            let goal = repaired.edge(thread, edge).from;
            let here = self.state.locations[thread];
            for fence in way(&repaired.threads[thread], inserted, here, goal)? {
                self.go(&Action::Step { thread, edge: fence, choices: Vec::new() })?;
            }
        }
        let events = self.go(&done.action)?;
        let was_pending: BTreeSet<_> = done.events.iter().filter_map(pending_write).collect();
        let direct = events.iter().filter_map(|event| match event {
            Event::Write { cell, to: WriteTo::Memory, .. } => Some(*cell),
            _ => None,
        });
        let direct = direct.filter(|cell| was_pending.contains(cell));
        self.at_once.extend(direct.map(|cell| (position, cell)));
        Some(())
    }

    /// Does it, or says that it is not enabled. Not to be called after a violation.
    pub(crate) fn go(&mut self, action: &Action) -> Option<Vec<Event>> {
        let events = match self.machine.perform(&self.state, action) {
            Outcome::Blocked => return None,
            Outcome::Next(next, events) => {
                self.state = *next;
                events
            }
            Outcome::Violates(_, events) => {
                self.violated = true;
                events
            }
        };
        self.trace.actions.push(action.clone());
        Some(events)
    }

    fn finish(self) -> Option<Trace> {
        (self.violated || self.machine.violation(&self.state).is_some()).then_some(self.trace)
    }
}

/// What an execution takes of the text.
pub(crate) struct Passed {
    statements: BTreeSet<StatementId>,
    orders: BTreeSet<OrderId>,
}

impl Passed {
    /// Whether the remedy stands beside or changes a step of the execution.
    pub(crate) fn by(&self, remedy: Remedy) -> bool {
        match remedy {
            Remedy::Fence(site, _) => self.statements.contains(&site.statement),
            Remedy::Atomic(statement) => self.statements.contains(&statement),
            Remedy::Order(order, _) => self.orders.contains(&order),
        }
    }
}

/// The statements, and the words for orders, whose steps the execution takes.
pub(crate) fn passed(program: &Program, execution: &Execution) -> Passed {
    let steps: BTreeSet<(ThreadId, EdgeId)> =
        execution.performed.iter().flat_map(|done| done.action.edges()).collect();
    let statements = steps.iter().map(|&(thread, edge)| program.edge(thread, edge).step.statement).collect();
    let is_taken = |order: &OrderWord| order.steps.iter().any(|step| steps.contains(step));
    let orders = program.orders.iter_enumerated().filter(|(_, order)| is_taken(order)).map(|(id, _)| id);
    Passed { statements, orders: orders.collect() }
}
