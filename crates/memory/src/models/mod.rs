//! The memory models. A model is what one thread's pending writes look like and six rules about them; each file
//! implements [`StoreRules`] for its own pending writes.

mod pso;
mod sc;
mod slot;
mod tso;

use fencewright_base::{IndexVec, Int};
use fencewright_ir::{CellId, FenceKind, Lock};

pub use pso::PsoPending;
pub use sc::ScPending;
pub use slot::SlotPending;
pub use tso::TsoPending;

/// The shared memory: a value for each cell.
pub type Memory = IndexVec<CellId, Int>;

/// A memory model with an operational definition.
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
}

impl Model {
    /// All of them, from strongest to weakest.
    pub const ALL: [Model; 4] = [Model::Sc, Model::Tso, Model::Pso, Model::Slot];

    /// Its name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Model::Sc => "sc",
            Model::Tso => "tso",
            Model::Pso => "pso",
            Model::Slot => "slot",
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
            Model::Tso | Model::Pso => true,
        }
    }

    /// Nothing pending.
    pub(crate) fn nothing_pending(self) -> Pending {
        match self {
            Model::Sc => Pending::Sc(ScPending),
            Model::Tso => Pending::Tso(TsoPending::default()),
            Model::Pso => Pending::Pso(PsoPending::default()),
            Model::Slot => Pending::Slot(SlotPending::default()),
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
}

impl Pending {
    /// The pending writes that [`StoreRules::queues`] shows like this.
    pub fn from_queues(model: Model, queues: &[Vec<Option<(CellId, Int)>>]) -> Pending {
        let writes = || queues.iter().flatten().flatten().cloned();
        match model {
            Model::Sc => Pending::Sc(ScPending),
            Model::Tso => Pending::Tso(writes().collect()),
            Model::Pso => Pending::Pso(PsoPending::from_queues(queues)),
            Model::Slot => Pending::Slot(writes().collect()),
        }
    }

    /// The rules of its model.
    pub fn rules(&self) -> &dyn StoreRules {
        match self {
            Pending::Sc(pending) => pending,
            Pending::Tso(pending) => pending,
            Pending::Pso(pending) => pending,
            Pending::Slot(pending) => pending,
        }
    }

    pub(crate) fn rules_mut(&mut self) -> &mut dyn StoreRules {
        match self {
            Pending::Sc(pending) => pending,
            Pending::Tso(pending) => pending,
            Pending::Pso(pending) => pending,
            Pending::Slot(pending) => pending,
        }
    }
}
