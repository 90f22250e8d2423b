//! The reachable states themselves. An ability of engines that store the states of the machine; the agreement tests use
//! it to compare an engine with the reference semantics state by state.

use fencewright_memory::State;

use crate::{Context, Engine, Task, Unknown, takes};

/// An engine that can give all reachable states.
pub trait StateEngine: Engine {
    /// All reachable states of the graph that the reference semantics defines, in any order, without repetition, with at
    /// most as many writes pending in one buffer as the options say. `Options::reduction` has no effect.
    fn states(&self, task: &Task<'_>, context: &mut Context<'_>) -> Result<Vec<State>, Unknown>;
}

/// Asks the engine for the reachable states, if it takes the task.
pub fn run_states(
    engine: &dyn StateEngine,
    task: &Task<'_>,
    context: &mut Context<'_>,
) -> Result<Vec<State>, Unknown> {
    takes(engine, task)?;
    engine.states(task, context)
}
