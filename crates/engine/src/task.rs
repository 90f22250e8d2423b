//! A question for an engine.

use std::num::NonZeroUsize;

use fencewright_ir::Program;
use fencewright_memory::Model;

/// Does the program keep its properties under the model?
#[derive(Debug, Clone)]
pub struct Task<'p> {
    /// The program, validated.
    pub program: &'p Program,
    /// The memory model.
    pub model: Model,
    /// How the user wants it done.
    pub options: Options,
}

/// How the user wants it done. An engine that has no use for an option ignores it.
#[derive(Debug, Clone)]
pub struct Options {
    /// The most writes that may be pending in one store buffer. `None`: the engine chooses, and grows it.
    pub buffer: Option<usize>,
    /// How often a path may be followed back to where it has been, by an engine that unrolls loops. `None`: the engine
    /// chooses, and grows it.
    pub unroll: Option<usize>,
    /// Whether states and steps that cannot matter may be left out. Without it `Statistics` tell the exact size of the
    /// graph that the reference semantics defines.
    pub reduction: bool,
    /// How many threads may search.
    pub jobs: NonZeroUsize,
}

impl Default for Options {
    fn default() -> Self {
        Self { buffer: None, unroll: None, reduction: true, jobs: NonZeroUsize::MIN }
    }
}
