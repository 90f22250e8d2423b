//! The value every format is made from.

use fencewright_base::SourceMap;
use fencewright_engine::Answer;
use fencewright_ir::Program;
use fencewright_memory::Model;

use crate::Advice;
use crate::literal::{Literal, LiteralExecution};
use crate::words::asked;

/// The answers about one program.
#[derive(Debug, Clone)]
pub struct Report<'a> {
    /// The file as the user named it.
    pub file: &'a str,
    /// The program.
    pub program: &'a Program,
    /// The files its spans point into.
    pub sources: &'a SourceMap,
    /// How many places of the text say what must never happen. That can be more than the program has assertions: one that
    /// cannot be reached is not in the program.
    pub stated: usize,
    /// Of a compiled program, what is looked for whatever its text states, a word each.
    pub looked_for: Option<&'a [String]>,
    /// What the user asked to assume beyond what the file says, a sentence each.
    pub assumptions: &'a [&'a str],
    /// One for each model, in the order asked.
    pub results: Vec<ModelResult>,
}

impl ModelResult {
    /// The execution that the literal machine found, if that is the answer.
    pub fn literal_execution(&self) -> Option<&LiteralExecution> {
        self.literal.as_ref()?.execution.as_ref()
    }
}

impl Report<'_> {
    /// What is checked, in the user's words; nothing if the text states nothing.
    pub fn checked(&self) -> Vec<String> {
        asked(self.program, self.stated, self.looked_for)
    }

    /// Whether the text has nothing of its own to check, but something is looked for all the same.
    pub(crate) fn has_no_assertions(&self) -> bool {
        self.stated == 0
            && self.program.properties.is_empty()
            && self.looked_for.is_some_and(|names| !names.is_empty())
    }
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
    /// What the literal machine says, if the program was compiled.
    pub literal: Option<Literal>,
}
