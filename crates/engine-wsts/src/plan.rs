//! The engine.

use fencewright_engine::{Context, Engine, Feature, Guarantee, Task, Unknown, Verdict};
use fencewright_ir::{Init, Property};
use fencewright_memory::Model;

use crate::bad::TooManyBadStates;
use crate::graph::TooLarge;
use crate::realise::realise;
use crate::search::search;
use crate::system::{MOST_CELLS, System};
use crate::values::TooMany;
use crate::ways::Endless;

/// The most threads: sets of them are 64-bit masks.
const MOST_THREADS: usize = 64;

/// Which machine the search goes backward on.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum Buffering {
    /// One sequence of memories that all threads look at: TSO.
    Single,
    /// A queue of memories for each thread: TSO.
    Dual,
    /// Store buffers for each thread and cell before that: PSO.
    Hierarchical,
}

/// Exact answers for finite data and store buffers of any length, by backward reachability.
#[derive(Debug, Copy, Clone, Default, PartialEq, Eq)]
pub struct Wsts {
    /// The machine; `None`: the one for the model.
    buffering: Option<Buffering>,
}

impl Wsts {
    /// With the machine that suits the model: dual under TSO, hierarchical under PSO.
    pub const fn new() -> Self {
        Self { buffering: None }
    }

    /// With this machine, under its model only.
    pub const fn with(buffering: Buffering) -> Self {
        Self { buffering: Some(buffering) }
    }
}

impl std::str::FromStr for Buffering {
    type Err = UnknownBuffering;

    fn from_str(name: &str) -> Result<Self, UnknownBuffering> {
        match name {
            "sb" => Ok(Buffering::Single),
            "dual" => Ok(Buffering::Dual),
            "hsb" => Ok(Buffering::Hierarchical),
            _ => Err(UnknownBuffering),
        }
    }
}

/// No machine has this name.
#[derive(Debug, Copy, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the machines are sb, dual and hsb")]
pub struct UnknownBuffering;

impl Engine for Wsts {
    fn name(&self) -> &'static str {
        "wsts"
    }

    fn about(&self) -> &'static str {
        "exact for finite data and store buffers of any length: backward from the bad states"
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Unknown> {
        let unsupported = |feature| Err(Unknown::Unsupported { feature, span: None });
        match (self.buffering, task.model) {
            (None, Model::Sc | Model::Tso | Model::Pso)
            | (Some(Buffering::Single | Buffering::Dual), Model::Tso)
            | (Some(Buffering::Hierarchical), Model::Pso) => {}
            (_, Model::Sc | Model::Tso | Model::Pso | Model::Slot | Model::Rmo) => {
                return unsupported(Feature::Model(task.model));
            }
        }
        if task.program.properties.iter().any(Property::is_temporal) {
            return unsupported(Feature::Temporal);
        }
        if task.program.threads.len() > MOST_THREADS {
            return unsupported(Feature::Threads(task.program.threads.len()));
        }
        if task.program.n_cells() > MOST_CELLS {
            return unsupported(Feature::Cells(task.program.n_cells()));
        }
        Ok(())
    }

    fn check(&self, task: &Task<'_>, context: &mut Context<'_>) -> Verdict {
        let unsupported = |feature| Verdict::Unknown(Unknown::Unsupported { feature, span: None });
        let single = self.buffering == Some(Buffering::Single);
        let mut system = match System::new(task.program, task.model, single, &context.meter) {
            Ok(system) => system,
            Err(TooLarge::Stopped(stop)) => {
                return Verdict::Unknown(Unknown::Stopped { stop, explored: None });
            }
            Err(TooLarge::Values(endless)) => return unsupported(endless_values(task, &endless)),
            Err(TooLarge::Nodes(thread)) => {
                let name = &task.program.threads[thread].name;
                return unsupported(Feature::Values(format!("the registers of {name}")));
            }
        };
        let bad = match system.bad() {
            Ok(bad) => bad,
            Err(TooManyBadStates(property)) => return unsupported(Feature::BadStates(property)),
        };
        match search(&system, bad, task.options.reduction, context) {
            Ok(None) => Verdict::Holds(Guarantee::Unbounded),
            Ok(Some(run)) => Verdict::Violated(realise(&system, &run)),
            Err(stop) => Verdict::Unknown(Unknown::Stopped { stop, explored: None }),
        }
    }
}

fn endless_values(task: &Task<'_>, endless: &Endless) -> Feature {
    match endless {
        Endless::Cell(TooMany(cell)) => {
            let name = task.program.cell_name(*cell);
            let open = task.program.cells().any(|(id, _, init)| id == *cell && *init == Init::Any);
            if open { Feature::OpenValue(name) } else { Feature::Values(name) }
        }
        Endless::Register(thread, reg) => {
            let thread = &task.program.threads[*thread];
            Feature::OpenValue(format!("{}:{}", thread.name, thread.regs[*reg].name))
        }
    }
}
