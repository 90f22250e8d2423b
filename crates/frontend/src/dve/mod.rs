//! DVE, the modelling language of DiVinE: processes with states and transitions, guards, channels and effects.
//! `docs/formats/dve.md` is the description for users.
//!
//! The way of a text: [`lexer`] (tokens) → [`parser`] (the tree of [`ast`]) → [`lower`] (the program). The parser goes
//! on after an error, so one run reports several; lowering is tried only on a text without errors up to there.
//! [`parse_condition`] reads a condition on states in the same syntax, for programs of any language; [`apply_atomic`] makes
//! writes atomic that a file lists and [`atomic_list`] writes such a file; [`with_store_buffers`] writes a program as a model with its store buffers in it.
//!
//! *Invariants:* no input makes it panic or overflow the stack; nothing here knows a memory model.

pub mod ast;
mod atomic;
pub mod codes;
mod condition;
mod export;
mod lexer;
mod lower;
mod parser;

use fencewright_base::{Diagnostic, FileId, Severity, SourceMap};
use fencewright_ir::Program;
use fencewright_ir::edit::Remedy;

pub use self::atomic::{apply_atomic, atomic_list};
pub(crate) use self::condition::at_together;
pub use self::condition::parse_condition;
pub use self::export::with_store_buffers;
use crate::patch::{PatchError, Patched};
use crate::{Language, Loaded};

/// The language.
pub const LANGUAGE: Language = Language {
    name: "dve",
    about: "the modelling language of DiVinE",
    extensions: &["dve"],
    load,
    patch,
    codes: codes::ALL,
    dialect: None,
};

/// The tree of a file, or what is wrong with its text.
pub fn parse(sources: &SourceMap, file: FileId) -> Result<ast::Model, Vec<Diagnostic>> {
    let text = sources.file(file).text();
    let mut problems = Vec::new();
    let tokens = lexer::lex(file, text, &mut problems);
    let model = parser::parse(text, &tokens, &mut problems);
    if problems.is_empty() { Ok(model) } else { Err(sorted(problems)) }
}

fn load(sources: &SourceMap, file: FileId) -> Result<Loaded, Vec<Diagnostic>> {
    let model = parse(sources, file)?;
    let mut problems = Vec::new();
    match lower::lower(sources, &model, &mut problems) {
        Some(program) => Ok(Loaded::exact(program, problems)),
        None => {
            problems.retain(|problem| problem.severity == Severity::Error);
            Err(sorted(problems))
        }
    }
}

fn sorted(mut problems: Vec<Diagnostic>) -> Vec<Diagnostic> {
    problems.sort_by_key(|problem| (problem.primary.span.start, problem.primary.span.end));
    problems
}

/// There is nothing in the language that a remedy could be written as.
fn patch(_: &SourceMap, _: FileId, program: &Program, remedies: &[Remedy]) -> Patched {
    let Some(&remedy) = remedies.first() else { return Ok(Vec::new()) };
    let span = match remedy {
        Remedy::Fence(site, _) => program.statements[site.statement].span,
        Remedy::Atomic(statement) => program.statements[statement].span,
        Remedy::Order(order, _) => program.orders.get(order).and_then(|order| order.span),
    };
    Err(PatchError {
        remedy,
        span,
        reason: "DVE has neither fences nor atomic writes; list the transition in a file for --atomic"
            .to_owned(),
    })
}
