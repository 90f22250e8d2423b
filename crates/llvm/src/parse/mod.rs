//! Textual LLVM IR to [`module`](super::module) data. The top level is read at once; of function
//! bodies and metadata only the place is noted, and they are cut into tokens and read when they are asked for. So what a
//! program does not reach costs nothing and need not be understood.
//!
//! Old and new syntax: `i32*` and `ptr`, calls of `llvm.dbg.*` and `#dbg_*` records. Attributes, flags and metadata
//! that do not matter are skipped without being known.
//!
//! *Invariants:* time is linear in the text, nesting is bounded, nothing panics whatever the bytes.

mod calls;
mod constants;
mod control;
mod cursor;
mod floats;
mod instructions;
mod lexer;
mod memory;
mod metadata;
mod outline;
mod toplevel;
mod types;
mod values;

pub use cursor::Malformed;
pub use metadata::{MetaValue, Node};
pub use toplevel::Module;

/// A part of the text, in bytes.
pub type Range = std::ops::Range<usize>;
