//! Executions of the concrete machine as data. One type for all engines.

use std::collections::BTreeMap;

use fencewright_base::Int;
use fencewright_ir::{CellId, EdgeId, RegId, ThreadId};

use crate::Model;

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
    /// A pending write reaches memory.
    Flush {
        /// The thread whose write it is.
        thread: ThreadId,
        /// The cell.
        cell: CellId,
    },
}

impl Action {
    /// The thread that does it.
    pub fn thread(&self) -> ThreadId {
        match self {
            Action::Step { thread, .. } | Action::Flush { thread, .. } => *thread,
        }
    }
}
