//! Formulae of linear temporal logic as users write them, over the names of a program in any language.
//!
//! `docs/formats/ltl.md` describes the language. The text is first read into a tree with spans ([`parser`]), then names
//! are looked up in the program ([`resolve`]).

mod codes;
mod lexer;
mod parser;
mod resolve;

use fencewright_base::{Code, Diagnostic, FileId, SourceMap};
use fencewright_ir::{Formula, Program};

/// The diagnostics a formula can give.
pub const CODES: &[&Code] = codes::ALL;

/// The formula that the text of `file` says of the program; or everything that is wrong with it, in the order of the
/// text.
pub fn formula(sources: &SourceMap, file: FileId, program: &Program) -> Result<Formula, Vec<Diagnostic>> {
    let tokens = lexer::tokens(sources.file(file).text(), file)?;
    let tree = parser::parse(&tokens, file, sources.file(file).text().len()).map_err(|error| vec![*error])?;
    resolve::formula(&tree, program)
}
