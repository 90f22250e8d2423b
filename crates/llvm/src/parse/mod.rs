//! Textual LLVM IR to [`module`](super::module) data. The text is cut into tokens once; the top level is read at once,
//! function bodies and metadata when they are asked for, so what a program does not reach need not be understood.
//!
//! Old and new syntax: `i32*` and `ptr`, calls of `llvm.dbg.*` and `#dbg_*` records. Attributes, flags and metadata
//! that do not matter are skipped without being known.
//!
//! *Invariants:* time is linear in the text, nesting is bounded, nothing panics whatever the bytes.

mod calls;
mod cursor;
mod instructions;
mod lexer;
mod metadata;
mod toplevel;
mod types;

pub use cursor::Malformed;
pub use metadata::MetaValue;
pub use toplevel::Module;

/// A range of tokens.
pub type Range = std::ops::Range<usize>;
