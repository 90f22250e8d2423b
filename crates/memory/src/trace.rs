//! Executions of the concrete machine as data. One type for all engines.

use std::collections::BTreeMap;

use fencewright_base::Int;
use fencewright_ir::{CellId, EdgeId, RegId, ThreadId};

use crate::{Event, Model};

/// An execution: how it starts and what happens, in order. It says nothing that cannot be checked by [`crate::replay`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// The model it is an execution of.
    pub model: Model,
    /// The values chosen where the program leaves them open.
    pub initial: InitialChoices,
    /// What happens.
    pub actions: Vec<Action>,
    /// For an execution that never ends: the position from which the actions repeat for ever. If no action follows, it
    /// comes to rest: nothing is enabled any more.
    pub repeats_from: Option<usize>,
}

/// The values of the cells and registers whose initial value is "any". What is not named gets
/// [`Domain::default_value`](fencewright_ir::Domain::default_value).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InitialChoices {
    /// Values of cells.
    pub cells: BTreeMap<CellId, Int>,
    /// Values of registers.
    pub registers: BTreeMap<(ThreadId, RegId), Int>,
}

/// Something that happens.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// A thread takes an edge.
    Step {
        /// The thread.
        thread: ThreadId,
        /// The edge.
        edge: EdgeId,
        /// The values its `Havoc`s give, in order.
        choices: Vec<Int>,
    },
    /// A thread takes an edge before what it reads is performed. Only a model that lets reads wait allows it.
    Ahead {
        /// The thread.
        thread: ThreadId,
        /// The edge.
        edge: EdgeId,
        /// The values its `Havoc`s give, in order.
        choices: Vec<Int>,
        /// The values its reads will have got, in order; a read of what the step itself has written has none.
        guesses: Vec<Int>,
    },
    /// What a thread's step, taken ahead, reads is performed; if the step is locked, what it writes, too.
    Late {
        /// The thread.
        thread: ThreadId,
        /// The step, by its number among the steps that the thread has made, from 0.
        step: u32,
    },
    /// Two threads take edges together: the first hands values to the second.
    Rendezvous {
        /// The thread that sends.
        sender: ThreadId,
        /// By this edge.
        send: EdgeId,
        /// The thread that receives.
        receiver: ThreadId,
        /// By this edge.
        receive: EdgeId,
    },
    /// A pending write reaches memory.
    Flush {
        /// The thread whose write it is.
        thread: ThreadId,
        /// The cell.
        cell: CellId,
    },
}

impl Action {
    /// The thread that does it; of a rendezvous the one that sends.
    pub fn thread(&self) -> ThreadId {
        match self {
            Action::Step { thread, .. }
            | Action::Flush { thread, .. }
            | Action::Ahead { thread, .. }
            | Action::Late { thread, .. } => *thread,
            Action::Rendezvous { sender, .. } => *sender,
        }
    }

    /// The threads that take part in it.
    pub fn threads(&self) -> impl Iterator<Item = ThreadId> + use<> {
        let flushing = match *self {
            Action::Flush { thread, .. } | Action::Late { thread, .. } => Some(thread),
            Action::Step { .. } | Action::Ahead { .. } | Action::Rendezvous { .. } => None,
        };
        flushing.into_iter().chain(self.edges().map(|(thread, _)| thread))
    }

    /// The edges it takes, each with its thread: none for a flush, or for what comes late.
    pub fn edges(&self) -> impl Iterator<Item = (ThreadId, EdgeId)> + use<> {
        let (first, second) = match *self {
            Action::Step { thread, edge, .. } | Action::Ahead { thread, edge, .. } => {
                (Some((thread, edge)), None)
            }
            Action::Rendezvous { sender, send, receiver, receive } => {
                (Some((sender, send)), Some((receiver, receive)))
            }
            Action::Flush { .. } | Action::Late { .. } => (None, None),
        };
        first.into_iter().chain(second)
    }
}

/// The events of an action, each with the thread that did it.
pub fn by_thread<'e>(
    action: &Action,
    events: &'e [Event],
) -> impl Iterator<Item = (ThreadId, &'e Event)> + use<'e> {
    let mut thread = action.thread();
    events.iter().map(move |event| {
        if let Event::By(other) = event {
            thread = *other;
        }
        (thread, event)
    })
}
