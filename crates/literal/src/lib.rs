//! The literal machine: compiled programs executed as they stand. It is for LLVM IR what `memory` is for the program
//! representation: an interpreter with threads and store buffers in which one instruction is one rule, and nothing is folded,
//! narrowed, inlined or split.
//!
//! Start with [`Program`](program::Program) (linked modules), [`Machine`](machine::Machine) (a program under a model),
//! [`State`](state::State) and [`Action`](machine::Action). Nothing here searches; `engine-literal` searches over these.
//!
//! It shares the reader of LLVM text with the lowering, and nothing else, so that each of the two shows the other's errors.
//!
//! *Invariants:* for every program, an action results in a state, a violation, a refusal that names what is unknown, or a
//! limit; never a panic. What is tried only in part is noted ([`Notes`](machine::Notes)).
#![forbid(unsafe_code)]

mod access;
pub mod arithmetic;
mod assembly;
pub mod buffer;
mod cast;
pub mod choice;
pub mod code;
mod command_line;
mod compile;
pub mod constants;
mod control;
pub mod event;
mod exceptions;
pub mod floats;
mod follow;
pub mod footprint;
mod heap;
pub mod layout;
mod liveness;
pub mod machine;
pub mod object;
pub mod open;
mod open_memory;
mod operation;
mod outside;
pub mod program;
mod promote;
pub mod range;
pub mod refusal;
pub mod scalars;
pub mod settings;
mod spin;
mod startup;
pub mod state;
mod step;
mod trim;
mod update;
pub mod value;
pub mod violation;
mod visible;
mod wide;

pub use outside::PRELUDE;
