//! Concurrent C, C++ and Rust programs at random, what their executions end in, and smaller programs that show the same. For
//! tests only: nothing of the tool depends on it.
//!
//! - [`generate()`] makes a [`tree::Program`] from a seed and a [`Shape`]; [`tree::Program::render`] writes it in a language.
//! - [`shrink()`] makes it smaller as long as a predicate holds.
//! - [`compile`] has the compilers, [`allowed`] the question "in what may the executions end", [`lowered`] the answer of the
//!   path by `fencewright_frontend` and the engine `explicit`, [`native`] what the processor of this machine does.
//! - [`library`] has what Rust programs use of the standard library, [`literal`] the answer of the literal machine.
//! - [`handshake`] has small programs straight in LLVM IR, [`footprints`] what the literal machine's reduction makes of them.
//! - [`campaign`] holds two answers against each other, or one against the processor, on many programs.
#![forbid(unsafe_code)]

pub mod allowed;
pub mod campaign;
pub mod compile;
pub mod footprints;
mod generate;
pub mod handshake;
pub mod library;
pub mod literal;
pub mod lowered;
pub mod native;
mod process;
mod render;
mod shape;
mod shrink;
pub mod tree;
mod types;
mod valid;
mod walk;

pub use generate::generate;
pub use render::{Language, RUNTIME};
pub use shape::{FEATURES, Feature, Shape};
pub use shrink::{shrink, weight};
pub use valid::is_valid;
