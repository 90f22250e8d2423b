//! One small test for each numbered rule of the reference semantics (`docs/semantics.md`), named after the rule.

mod extensions;
mod general;
mod lasso;
mod overtaking;
mod pso;
mod replay;
mod rmo;
mod sc;
mod slot;
mod tso;

use fencewright_base::Int;
use fencewright_ir::{CellId, EdgeId, FenceKind, Program, RegId, ThreadId};
use fencewright_memory::{Action, Event, InitialChoices, Machine, Model, Outcome, ReadFrom, State};

const T0: ThreadId = ThreadId(0);
const T1: ThreadId = ThreadId(1);
const BOTH_FENCES: [FenceKind; 2] = [FenceKind::Full, FenceKind::StoreStore];

/// A machine and the state it is in.
struct Run<'p> {
    machine: Machine<'p>,
    state: State,
}

impl<'p> Run<'p> {
    fn new(program: &'p Program, model: Model) -> Self {
        let machine = Machine::new(program, model);
        let state = machine.initial(&InitialChoices::default()).expect("there is a default initial state");
        Self { machine, state }
    }

    fn steps(&self, thread: ThreadId) -> Vec<Action> {
        let actions = self.machine.actions(&self.state, 1000).expect("choices are few");
        actions
            .into_iter()
            .filter(|action| matches!(action, Action::Step { thread: t, .. } if *t == thread))
            .collect()
    }

    fn is_blocked(&self, thread: ThreadId) -> bool {
        self.steps(thread).is_empty()
    }

    /// Takes the only step the thread can take.
    fn step(&mut self, thread: ThreadId) -> Vec<Event> {
        let [action] = &self.steps(thread)[..] else { panic!("{thread:?} cannot take exactly one step") };
        match self.machine.perform(&self.state, action) {
            Outcome::Next(next, events) => {
                self.state = *next;
                events
            }
            other => panic!("{thread:?} does not go on: {other:?}"),
        }
    }

    fn flushable(&self, thread: ThreadId) -> Vec<CellId> {
        let actions = self.machine.actions(&self.state, 1000).expect("choices are few");
        let of = |action: Action| match action {
            Action::Flush { thread: t, cell } if t == thread => Some(cell),
            Action::Flush { .. }
            | Action::Step { .. }
            | Action::Rendezvous { .. }
            | Action::Ahead { .. }
            | Action::Late { .. } => None,
        };
        actions.into_iter().filter_map(of).collect()
    }

    fn flush(&mut self, thread: ThreadId, cell: CellId) {
        match self.machine.perform(&self.state, &Action::Flush { thread, cell }) {
            Outcome::Next(next, events) => {
                assert_eq!(events, []);
                self.state = *next;
            }
            other => panic!("{cell:?} of {thread:?} is not flushed: {other:?}"),
        }
    }

    fn memory(&self, cell: CellId) -> i64 {
        self.state.memory[cell].to_i64().expect("a small value")
    }

    fn register(&self, thread: ThreadId, reg: RegId) -> i64 {
        self.state.registers[thread][reg].to_i64().expect("a small value")
    }

    /// The pending writes of a thread, queue by queue, `None` being a mark.
    fn queues(&self, thread: ThreadId) -> Vec<Vec<Option<(CellId, i64)>>> {
        let entry = |entry: Option<(CellId, Int)>| entry.map(|(cell, value)| (cell, value.to_i64().unwrap()));
        let queues = self.state.pending[thread].rules().queues();
        queues.into_iter().map(|queue| queue.into_iter().map(entry).collect()).collect()
    }
}

fn step(thread: ThreadId, edge: u32) -> Action {
    Action::Step { thread, edge: EdgeId(edge), choices: Vec::new() }
}

fn read(cell: CellId, value: i64, from: ReadFrom) -> Event {
    Event::Read { cell, value: Int::from(value), from }
}
