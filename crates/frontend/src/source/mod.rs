//! C, C++ and Rust as texts: where fences can be written, what the compiler is given, and repairs as changes of the
//! user's file. What the program *means* is not decided here: the compiler's LLVM IR is read by the folder `llvm`.
//!
//! - [`outline`]: the places and statements of a text, found by [`c`] and [`rust`] in the trees of tree-sitter;
//! - [`instrument`](mod@instrument): the text with a call at every place, for the compiler;
//! - [`Annotated`]: what positions of the compiled text are in the user's;
//! - [`orders`]: accesses with a word for their order, which could be a stronger one;
//! - [`patch`]: remedies as edits, with [`includes`] and [`uses`] for the names they need.
//!
//! *Invariants:* no input makes it panic or overflow the stack. The compiler is run by the command line: nothing here
//! does I/O.

mod annotated;
mod c;
pub mod codes;
mod includes;
pub mod instrument;
pub mod orders;
pub mod outline;
mod patch;
mod rust;
mod uses;

use fencewright_base::{Diagnostic, FileId, SourceMap, Span};
use fencewright_ir::Program;
use fencewright_ir::edit::Remedy;
use tree_sitter::{Parser, Tree};

pub use self::annotated::Annotated;
use self::outline::Outline;
pub use self::patch::{Written, patch};
use crate::patch::{PatchError, Patched};
use crate::{Language, Loaded};

/// A language whose texts a compiler turns into LLVM IR.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Dialect {
    C,
    Cpp,
    Rust,
}

/// The largest text that is taken: 8 MiB. A tree takes about a hundred bytes for a byte of text.
pub const LARGEST_TEXT: usize = 8 << 20;

/// The places and statements of a text. It need not be correct: what the parser does not understand is left out.
pub fn outline_of(dialect: Dialect, text: &str) -> Outline {
    match (tree_of(dialect, text), dialect) {
        (Some(tree), Dialect::C | Dialect::Cpp) => c::outline(text, tree.root_node()),
        (Some(tree), Dialect::Rust) => rust::outline(text, tree.root_node()),
        (None, _) => Outline::default(),
    }
}

/// Whether a Rust text has a `main`, and so is a program by itself.
pub fn has_main(text: &str) -> bool {
    tree_of(Dialect::Rust, text).is_some_and(|tree| {
        let root = tree.root_node();
        let mut cursor = root.walk();
        let mut functions = root.named_children(&mut cursor).filter(|item| item.kind() == "function_item");
        functions.any(|function| {
            function.child_by_field_name("name").is_some_and(|name| &text[name.byte_range()] == "main")
        })
    })
}

fn tree_of(dialect: Dialect, text: &str) -> Option<Tree> {
    let grammar = match dialect {
        Dialect::C => tree_sitter_c::LANGUAGE,
        Dialect::Cpp => tree_sitter_cpp::LANGUAGE,
        Dialect::Rust => tree_sitter_rust::LANGUAGE,
    };
    let mut parser = Parser::new();
    parser.set_language(&grammar.into()).ok()?;
    parser.parse(text, None)
}

/// C.
pub const C: Language = Language {
    name: "c",
    about: "C with pthreads or C11 threads, compiled by clang",
    extensions: &["c", "i"],
    load: uncompiled,
    patch: unplaced,
    dialect: Some(Dialect::C),
    codes: codes::ALL,
};

/// C++.
pub const CPP: Language = Language {
    name: "c++",
    about: "C++ with std::thread or pthreads, compiled by clang",
    extensions: &["cc", "cpp", "cxx", "c++", "ii"],
    load: uncompiled,
    patch: unplaced,
    dialect: Some(Dialect::Cpp),
    codes: &[],
};

/// Rust.
pub const RUST: Language = Language {
    name: "rust",
    about: "Rust, compiled by rustc",
    extensions: &["rs"],
    load: uncompiled,
    patch: unplaced,
    dialect: Some(Dialect::Rust),
    codes: &[],
};

fn uncompiled(_: &SourceMap, file: FileId) -> Result<Loaded, Vec<Diagnostic>> {
    let start = Span::new(file, 0, 0);
    Err(vec![
        Diagnostic::error(
            &codes::UNCOMPILED,
            start,
            "this language is read as the LLVM IR its compiler makes of it",
        )
        .label("needs a compiler")
        .help("use the command line, which runs the compiler, or give the `.ll` file"),
    ])
}

/// Which place a site is only the one who compiled the text knows: [`patch`] asks for it.
fn unplaced(_: &SourceMap, _: FileId, program: &Program, remedies: &[Remedy]) -> Patched {
    let Some(&remedy) = remedies.first() else { return Ok(Vec::new()) };
    Err(PatchError {
        remedy,
        span: remedy.span(program),
        reason: "the text was not compiled here, so its places are not known".to_owned(),
    })
}
