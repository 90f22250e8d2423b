//! Parses textual LLVM IR to [`module`](super::module) data. The top level is read at once. Of function bodies and metadata,
//! only the position is noted; they are lexed and parsed on demand. So unreachable code costs nothing and need not be
//! understood.
//!
//! Old and new syntax: `i32*` and `ptr`, calls of `llvm.dbg.*` and `#dbg_*` records. Attributes, flags and metadata that do not
//! matter are skipped unread.
//!
//! *Invariants:* time is linear in the text, nesting is bounded, and no input causes a panic.

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

/// A byte range of the text.
pub type Range = std::ops::Range<usize>;
