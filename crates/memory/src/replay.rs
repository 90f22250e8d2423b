//! Runs a trace on the machine. The gate accepts a violation only if it replays; reports show what replay saw.

use std::collections::{BTreeMap, VecDeque};

use fencewright_base::IndexVec;
use fencewright_ir::{CellId, Program, ThreadId};

use crate::lasso::{Lasso, NoLasso};
use crate::{Action, Event, Machine, Outcome, ReadFrom, State, Trace, Violation, WriteTo};

/// An execution that has been replayed.
#[derive(Debug, Clone)]
pub struct Execution {
    /// The state before everything.
    pub initial: State,
    /// What happened, in order.
    pub performed: Vec<Performed>,
    /// For an execution that never ends: the position from which what happened repeats for ever.
    pub repeats_from: Option<usize>,
    /// The violation it ends in, if any; if it never ends, the temporal property it violates.
    pub violation: Option<Violation>,
}

/// An action and what it did.
#[derive(Debug, Clone)]
pub struct Performed {
    /// The action.
    pub action: Action,
    /// What it did, in order.
    pub events: Vec<Event>,
    /// For each `Read` among the events: the position in the trace of the step that wrote the value; `None` if it is
    /// the initial value.
    pub sources: Vec<Option<usize>>,
    /// For a flush: the position in the trace of the step whose write it carries to memory. For what comes late: that of its
    /// step.
    pub flushed: Option<usize>,
    /// The state after it. A step that fails an assertion leaves the state as it was.
    pub after: State,
}

impl Execution {
    /// The state in which everything ends.
    pub fn last(&self) -> &State {
        self.performed.last().map_or(&self.initial, |performed| &performed.after)
    }
}

/// Why a trace is not an execution of the program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// An initial choice is outside its domain.
    #[error("an initial value lies outside its domain")]
    Initial,
    /// The action at this position is not enabled.
    #[error("the action at position {0} is not enabled")]
    Blocked(usize),
    /// Something follows a step that violates the properties.
    #[error("the execution goes on after the violation at position {0}")]
    Continues(usize),
    /// The actions that are to repeat for ever do not lead back to the state they begin in.
    #[error("the actions from position {0} on do not lead back to the state they begin in")]
    NoReturn(usize),
    /// The execution is to come to rest, but something is still enabled.
    #[error("the execution does not come to rest: an action is enabled in its last state")]
    NotAtRest,
}

/// Runs the trace. A trace may pass through states that violate a property; only the last state's violation counts. Of
/// one that never ends, only temporal properties count.
pub fn replay(program: &Program, trace: &Trace) -> Result<Execution, ReplayError> {
    let machine = Machine::new(program, trace.model);
    let initial = machine.initial(&trace.initial).ok_or(ReplayError::Initial)?;
    let mut provenance = Provenance::new(&machine);
    let mut performed: Vec<Performed> = Vec::new();
    let mut state = initial.clone();
    let mut failed = None;
    for (position, action) in trace.actions.iter().enumerate() {
        if failed.is_some() {
            return Err(ReplayError::Continues(position - 1));
        }
        let (after, events) = match machine.perform(&state, action) {
            Outcome::Blocked => return Err(ReplayError::Blocked(position)),
            Outcome::Next(next, events) => (*next, events),
            Outcome::Violates(violation, events) => {
                failed = Some(violation);
                (state.clone(), events)
            }
        };
        let (sources, flushed) = provenance.follow(position, action, &events);
        state = after.clone();
        performed.push(Performed { action: action.clone(), events, sources, flushed, after });
    }
    let violation = match trace.repeats_from {
        None => failed.or_else(|| machine.violation(&state)),
        Some(_) if failed.is_some() => return Err(ReplayError::Continues(performed.len() - 1)),
        Some(from) => {
            let lasso = Lasso::new(&machine, &initial, &performed, from).map_err(|error| match error {
                NoLasso::NoReturn => ReplayError::NoReturn(from),
                NoLasso::NotAtRest => ReplayError::NotAtRest,
            })?;
            lasso.violates().map(Violation::Property)
        }
    };
    Ok(Execution { initial, performed, repeats_from: trace.repeats_from, violation })
}

/// Which step wrote what is in memory and in the buffers: a shadow of both that holds positions instead of values.
/// Of the model it needs to know only whether a newer write destroys an older one that is pending for the same cell.
struct Provenance {
    queues: bool,
    memory: IndexVec<CellId, Option<usize>>,
    pending: IndexVec<ThreadId, BTreeMap<CellId, VecDeque<usize>>>,
    /// The positions of each thread's steps.
    steps: IndexVec<ThreadId, Vec<usize>>,
}

impl Provenance {
    fn new(machine: &Machine<'_>) -> Self {
        let program = machine.program();
        Self {
            queues: machine.model().queues_writes(),
            memory: vec![None; program.n_cells()].into(),
            pending: program.threads.iter().map(|_| BTreeMap::new()).collect(),
            steps: program.threads.iter().map(|_| Vec::new()).collect(),
        }
    }

    /// For each read among the events the step that wrote what it saw; for a flush the step whose write it carries.
    fn follow(
        &mut self,
        position: usize,
        action: &Action,
        events: &[Event],
    ) -> (Vec<Option<usize>>, Option<usize>) {
        let mut thread = action.thread();
        if let Action::Flush { cell, .. } = *action {
            let write = self.pending[thread].get_mut(&cell).and_then(VecDeque::pop_front);
            self.memory[cell] = write;
            return (Vec::new(), write);
        }
        if let Action::Late { step, .. } = *action {
            let step = self.steps[thread][step as usize];
            return (self.follow_late(thread, step, events), Some(step));
        }
        for (thread, _) in action.edges() {
            self.steps[thread].push(position);
        }
        let mut sources = Vec::new();
        for event in events {
            let own = &mut self.pending[thread];
            match *event {
                Event::Read { cell, from: ReadFrom::Memory, .. } => sources.push(self.memory[cell]),
                Event::Read { cell, from: ReadFrom::OwnPending, .. } => {
                    sources.push(own.get(&cell).and_then(VecDeque::back).copied());
                }
                Event::Read { from: ReadFrom::Later, .. } => sources.push(None),
                Event::Write { cell, to: WriteTo::Pending, .. } => {
                    let queue = own.entry(cell).or_default();
                    if !self.queues {
                        queue.clear();
                    }
                    queue.push_back(position);
                }
                Event::Write { cell, to: WriteTo::Memory, .. } => {
                    own.remove(&cell);
                    self.memory[cell] = Some(position);
                }
                Event::By(other) => thread = other,
                Event::Assign { .. } => {}
            }
        }
        (sources, None)
    }

    /// The same for what the step at this position does late.
    fn follow_late(&mut self, thread: ThreadId, step: usize, events: &[Event]) -> Vec<Option<usize>> {
        let mut sources = Vec::new();
        for event in events {
            match *event {
                Event::Read { cell, from: ReadFrom::OwnPending, .. } => {
                    let own = self.pending[thread].get(&cell).into_iter().flatten();
                    sources.push(own.copied().filter(|&write| write < step).max());
                }
                Event::Read { cell, .. } => sources.push(self.memory[cell]),
                Event::Write { cell, .. } => {
                    if let Some(own) = self.pending[thread].get_mut(&cell) {
                        own.retain(|&write| write != step);
                    }
                    self.memory[cell] = Some(step);
                }
                Event::By(_) | Event::Assign { .. } => {}
            }
        }
        sources
    }
}
