//! What every crate of Fencewright stands on and nothing about programs: typed indices, spans and the source map,
//! coded diagnostics, integers of any size, budgets with cancellation.
//!
//! *Invariant:* no I/O, no printing, no knowledge of programs or memory models.
#![forbid(unsafe_code)]

mod budget;
mod diagnostic;
mod index;
mod int;
mod span;

pub use budget::{Budget, CancelToken, Meter, Progress, Stop};
pub use diagnostic::{Code, Diagnostic, Label, Severity};
pub use index::{Index, IndexVec};
pub use int::{ArithmeticError, Int};
pub use span::{FileId, LineColumn, SourceFile, SourceMap, Span};
