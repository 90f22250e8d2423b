//! The memory models. A model is what one thread's pending writes look like and six rules about them; each file
//! implements [`StoreRules`] for its own pending writes.

mod pso;
mod rmo;
mod sc;
mod slot;
mod tso;

use fencewright_base::{IndexVec, Int};
use fencewright_ir::{CellId, FenceKind, Lock, Program, Step, ThreadId};

use crate::{Event, Violation};

pub use pso::PsoPending;
pub use rmo::RmoPending;
pub use sc::ScPending;
pub use slot::SlotPending;
pub use tso::TsoPending;

/// The shared memory: a value for each cell.
pub type Memory = IndexVec<CellId, Int>;

/// A memory model.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Model {
    /// Sequential consistency: a write acts at once.
    Sc,
    /// Total store order (x86, SPARC TSO): one store buffer a thread.
    Tso,
    /// Partial store order (SPARC PSO): one store buffer a thread and location.
    Pso,
    /// One pending value a thread and location; a newer write overwrites it.
    Slot,
    /// Relaxed memory order (SPARC RMO): reads wait, too; dependencies are respected.
    Rmo,
}

impl Model {
    /// All of them.
    pub const ALL: [Model; 5] = [Model::Sc, Model::Tso, Model::Pso, Model::Slot, Model::Rmo];

    /// Those under which a state has few successors, so that all executions can be walked through. Under the others a
    /// step may guess what it reads: an execution can be run again, but executions cannot be found by trying.
    pub const OPERATIONAL: [Model; 4] = [Model::Sc, Model::Tso, Model::Pso, Model::Slot];

    /// Whether it is one of [`Self::OPERATIONAL`].
    pub fn is_operational(self) -> bool {
        Model::OPERATIONAL.contains(&self)
    }

    /// Its name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Model::Sc => "sc",
            Model::Tso => "tso",
            Model::Pso => "pso",
            Model::Slot => "slot",
            Model::Rmo => "rmo",
        }
    }

    /// What it is, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Model::Sc => "sequential consistency: every write acts at once",
            Model::Tso => "total store order (x86, SPARC TSO): one first-in-first-out store buffer a thread",
            Model::Pso => "partial store order (SPARC PSO): one store buffer a thread and location",
            Model::Slot => {
                "one pending value a thread and location, overwritten by a newer write (DVE thesis)"
            }
            Model::Rmo => {
                "relaxed memory order (SPARC RMO): reads and writes in any order that dependencies and fences leave"
            }
        }
    }

    /// The model of that name, in any case.
    pub fn by_name(name: &str) -> Option<Model> {
        Model::ALL.into_iter().find(|model| model.name().eq_ignore_ascii_case(name))
    }

    /// Whether a thread can have writes pending under this model.
    pub fn delays_writes(self) -> bool {
        self != Model::Sc
    }

    /// Whether a thread can have several writes pending for one cell, so that their number has no bound.
    pub fn queues_writes(self) -> bool {
        match self {
            Model::Sc | Model::Slot => false,
            Model::Tso | Model::Pso | Model::Rmo => true,
        }
    }

    /// Nothing pending.
    pub(crate) fn nothing_pending(self) -> Pending {
        match self {
            Model::Sc => Pending::Sc(ScPending),
            Model::Tso => Pending::Tso(TsoPending::default()),
            Model::Pso => Pending::Pso(PsoPending::default()),
            Model::Slot => Pending::Slot(SlotPending::default()),
            Model::Rmo => Pending::Rmo(RmoPending::default()),
        }
    }
}

/// One thread's pending writes under its model.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "a variant a model; documented at the type it holds")]
pub enum Pending {
    Sc(ScPending),
    Tso(TsoPending),
    Pso(PsoPending),
    Slot(SlotPending),
    Rmo(RmoPending),
}

/// The rules of a model, for one thread's pending writes.
pub trait StoreRules {
    /// Rule *-1: the value the thread itself sees for `cell` instead of memory's.
    fn newest(&self, cell: CellId) -> Option<&Int>;

    /// Rule *-2: a write that is not locked.
    fn write(&mut self, memory: &mut Memory, cell: CellId, value: Int);

    /// Rule *-3: the cells for which a pending write may go to memory now, in order.
    fn flushable(&self) -> Vec<CellId>;

    /// Rule *-3: the pending write for `cell` that may go to memory does. `cell` must be one of `flushable`.
    fn flush(&mut self, memory: &mut Memory, cell: CellId);

    /// Rules *-4 and *-5: passes the fence, or says that it is not enabled and changes nothing.
    fn fence(&mut self, kind: FenceKind) -> bool;

    /// Rule *-6: whether a locked step may begin.
    fn may_lock(&self, lock: Lock) -> bool;

    /// Rule *-6: whether a locked step that has begun may touch this cell.
    fn may_touch_locked(&self, cell: CellId) -> bool;

    /// Rule *-6: the write of a locked step.
    fn locked_write(&mut self, memory: &mut Memory, cell: CellId, value: Int);

    /// The pending writes as queues, oldest first, for showing: `None` is the mark of a store-store fence. Under a
    /// model with one buffer there is one queue; under one with a buffer for each cell, a queue for each cell that has
    /// something pending.
    fn queues(&self) -> Vec<Vec<Option<(CellId, Int)>>>;

    /// How many writes are pending for `cell`.
    fn count(&self, cell: CellId) -> usize {
        self.queues().iter().flatten().flatten().filter(|(pending, _)| *pending == cell).count()
    }

    /// The length of the longest queue, marks not counted.
    fn longest(&self) -> usize {
        self.queues().iter().map(|queue| queue.iter().flatten().count()).max().unwrap_or(0)
    }

    /// Whether nothing is pending.
    fn is_empty(&self) -> bool;

    /// A step is about to be made with guesses for what it reads; false: the model does not allow it.
    fn look_ahead(&mut self) -> bool {
        false
    }

    /// A step was made and did these things, or failed after them; false: it is not enabled.
    fn made(&mut self, _step: Made<'_>) -> bool {
        true
    }

    /// What a step that was made ahead reads is performed, and what it did; nothing if it must wait, or if a guess turns
    /// out wrong.
    fn late(&mut self, _memory: &mut Memory, _step: u32) -> Option<Vec<Event>> {
        None
    }

    /// Whether something the thread has read is a guess.
    fn guesses(&self) -> bool {
        false
    }

    /// How a step that the thread has made failed, if that counts only when all guesses have come true.
    fn failed(&self) -> Option<&Violation> {
        None
    }
}

/// A step that was made.
#[derive(Debug, Copy, Clone)]
pub struct Made<'a> {
    /// The program.
    pub program: &'a Program,
    /// The thread.
    pub thread: ThreadId,
    /// The step.
    pub step: &'a Step,
    /// What it did.
    pub events: &'a [Event],
    /// How it failed, if it did.
    pub failed: Option<&'a Violation>,
}

impl Pending {
    /// The pending writes that [`StoreRules::queues`] shows like this. Under RMO queues do not say all that is pending:
    /// what comes back is empty.
    pub fn from_queues(model: Model, queues: &[Vec<Option<(CellId, Int)>>]) -> Pending {
        let writes = || queues.iter().flatten().flatten().cloned();
        match model {
            Model::Sc => Pending::Sc(ScPending),
            Model::Tso => Pending::Tso(writes().collect()),
            Model::Pso => Pending::Pso(PsoPending::from_queues(queues)),
            Model::Slot => Pending::Slot(writes().collect()),
            Model::Rmo => Pending::Rmo(RmoPending::default()),
        }
    }

    /// The rules of its model.
    pub fn rules(&self) -> &dyn StoreRules {
        match self {
            Pending::Sc(pending) => pending,
            Pending::Tso(pending) => pending,
            Pending::Pso(pending) => pending,
            Pending::Slot(pending) => pending,
            Pending::Rmo(pending) => pending,
        }
    }

    pub(crate) fn rules_mut(&mut self) -> &mut dyn StoreRules {
        match self {
            Pending::Sc(pending) => pending,
            Pending::Tso(pending) => pending,
            Pending::Pso(pending) => pending,
            Pending::Slot(pending) => pending,
            Pending::Rmo(pending) => pending,
        }
    }
}
