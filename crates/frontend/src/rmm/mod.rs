//! RMM, the algorithm language of Memorax: `forbidden` label combinations, shared variables, processes whose text is a
//! small imperative language with explicit reads and writes. `docs/formats/rmm.md` is the description for users.
//!
//! The way of a text: [`lexer`] (tokens) → [`macros`] (tokens with their macros expanded; [`frames`] remembers where
//! every token came from) → [`parser`] (the tree of [`ast`]) → [`lower`] (the program). The first two and the parser
//! go on after an error, so one run reports many; lowering is tried only on a text without errors up to there. The way
//! back, from remedies to edits of the text, is [`patch`].
//!
//! *Invariants:* no input makes it panic, overflow the stack or expand without bound; nothing here knows a memory
//! model.

mod ast;
pub mod codes;
mod frames;
mod lexer;
mod lower;
mod macros;
mod parser;
mod patch;

use fencewright_base::{Diagnostic, FileId, SourceMap};

use self::frames::Frames;
use crate::{Language, Loaded};

/// The language.
pub const LANGUAGE: Language = Language {
    name: "rmm",
    about: "the algorithm language of Memorax",
    extensions: &["rmm"],
    load,
    patch: patch::patch,
    dialect: None,
    codes: codes::ALL,
};

fn load(source: &SourceMap, file: FileId) -> Result<Loaded, Vec<Diagnostic>> {
    let text = source.file(file).text();
    let mut frames = Frames::new();
    let mut problems = Vec::new();
    let tokens = lexer::lex(file, text, &mut problems);
    let program = match macros::expand(text, &tokens, &mut frames, &mut problems) {
        Some(tokens) => {
            let tree = parser::parse(text, &tokens, &frames, &mut problems);
            if problems.is_empty() { lower::lower(source, file, &tree, &frames, &mut problems) } else { None }
        }
        None => None,
    };
    match program {
        Some(program) if problems.is_empty() => Ok(Loaded::exact(program, Vec::new())),
        _ => {
            problems.sort_by_key(|problem| (problem.primary.span.start, problem.primary.span.end));
            Err(problems)
        }
    }
}

#[cfg(test)]
pub(crate) mod testing {
    //! What the tests of this folder share.

    use fencewright_base::{Diagnostic, SourceMap};
    use fencewright_ir::Program;

    /// The program of a text, or its diagnostics as `CODE line: message`.
    pub(crate) fn load(text: &str) -> Result<Program, Vec<String>> {
        let mut map = SourceMap::new();
        let file = map.add("test.rmm", text);
        let show = |d: &Diagnostic| {
            format!("{} {}: {}", d.code.name, map.line_column(d.primary.span).line, d.message)
        };
        super::load(&map, file).map(|loaded| loaded.program).map_err(|all| all.iter().map(show).collect())
    }

    /// The program of a text that must load.
    pub(crate) fn program(text: &str) -> Program {
        load(text).unwrap_or_else(|problems| panic!("{problems:#?}\nin\n{text}"))
    }
}
