//! Litmus tests for x86 as herd, litmus and diy write them: `X86` with Intel operands, `X86_64` with AT&T operands.
//!
//! The way of a test: `lexer` and `parser` (with `init`, `instructions` and `condition`) make the tree in `ast`;
//! `layout` settles widths and domains; `lower` and `thread` make the program; `patch` writes fences into the table. The
//! language as taken here is described in `docs/formats/litmus.md`, the diagnostics in `codes`.
//!
//! Nothing of the memory model is decided here but one thing: a locked instruction is a full barrier, as on x86.
#![allow(clippy::result_large_err, reason = "an error ends the parse of its cell; its size costs nothing")]

mod ast;
mod codes;
mod condition;
mod flags;
mod init;
mod instructions;
mod layout;
mod lexer;
mod lower;
mod parser;
mod patch;
mod registers;
mod thread;

use fencewright_base::{Diagnostic, FileId, Severity, SourceMap};

use crate::{Language, Loaded};

/// The language.
pub const LANGUAGE: Language = Language {
    name: "litmus",
    about: "litmus tests for x86, as herd and diy write them",
    extensions: &["litmus"],
    load,
    patch: patch::patch,
    dialect: None,
    codes: codes::ALL,
};

fn load(sources: &SourceMap, file: FileId) -> Result<Loaded, Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let test = parser::parse(sources, file, &mut diagnostics);
    let program = match test {
        Some(test) if !has_errors(&diagnostics) => lower::lower(sources, &test, &mut diagnostics),
        _ => None,
    };
    diagnostics.sort_by_key(|diagnostic| diagnostic.primary.span);
    match program {
        Some(program) if !has_errors(&diagnostics) => Ok(Loaded::exact(program, diagnostics)),
        _ => Err(diagnostics),
    }
}

fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}
