//! The value every format is made from.

use fencewright_base::SourceMap;
use fencewright_engine::Answer;
use fencewright_ir::Program;
use fencewright_memory::Model;

use crate::Advice;

/// The answers about one program.
#[derive(Debug, Clone)]
pub struct Report<'a> {
    /// The file as the user named it.
    pub file: &'a str,
    /// The program.
    pub program: &'a Program,
    /// The files its spans point into.
    pub sources: &'a SourceMap,
    /// What the user asked to assume beyond what the file says, a sentence each.
    pub assumptions: &'a [&'a str],
    /// One for each model, in the order asked.
    pub results: Vec<ModelResult>,
}

/// The answer under one model.
#[derive(Debug, Clone)]
pub struct ModelResult {
    /// The model.
    pub model: Model,
    /// The answer, from the gate.
    pub answer: Answer,
    /// For a violation: a fence that forbids the execution, if one does.
    pub advice: Option<Advice>,
}
