//! Proofs that somebody else can check. An ability of engines that can write down what a proof rests on.

use crate::{Context, Engine, Task, Unknown};

/// An engine whose proofs can be written down.
pub trait CertifyingEngine: Engine {
    /// A certificate that the task's program keeps its properties, for the checker of this engine's crate.
    fn certificate(&self, task: &Task<'_>, context: &mut Context<'_>) -> Result<String, Unknown>;
}
