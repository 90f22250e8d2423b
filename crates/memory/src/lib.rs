//! The reference semantics: what a program means under each memory model. This is the definition the user trusts; it
//! is written for reading, not for speed. The rules carry the numbers of `docs/semantics.md`.
//!
//! - [`models`]: one file a model: what becomes of reads, writes, fences and locked steps.
//! - [`machine`](Machine): what is common to all models: steps, registers, domains, properties.
//! - [`replay`]: runs a [`Trace`] on the machine and tells what happened; every counterexample passes through it.
//! - `lasso`: executions that never end, fairness, and what a temporal formula says of them.
//! - [`overtakings`]: which writes were delayed past what.
//!
//! *Invariant:* no search, no solver, no encoding: one state in, its successors out. Nothing outside this crate and
//! the engines' own encodings looks at which model it is.
#![forbid(unsafe_code)]

mod lasso;
mod machine;
pub mod models;
mod overtaking;
mod replay;
mod state;
mod trace;

pub use machine::{Machine, NotEnumerable, Outcome};
pub use models::{Model, Pending};
pub use overtaking::{Overtaking, overtakings};
pub use replay::{Execution, Performed, ReplayError, replay};
pub use state::{Event, Fault, ReadFrom, State, Violation, WriteTo};
pub use trace::{Action, InitialChoices, Trace, by_thread};
