//! Searching state spaces. Knows nothing of programs: a [`System`] gives packed states and their successors.
//!
//! - [`pack`]: fields of bits inside a state of a few machine words.
//! - [`visited`](Visited): the states seen, each with a link to its parent: an arena in the order of arrival and one
//!   flat table of hashes beside it.
//! - [`search`]: breadth first, by one thread or by several that own a part of the states each.
//! - [`accepting_path`]: depth first, for paths that go through sets of transitions again and again.
//!
//! *Invariant:* this is the only crate with `unsafe` code, and only in `visited.rs`, for a cache hint.

mod emptiness;
pub mod pack;
mod parallel;
mod search;
mod system;
#[cfg(test)]
mod toy;
mod visited;

pub use emptiness::{AcceptingPath, Emptiness, MarkedSystem, Marks, Unfinished, accepting_path};
pub use search::{End, Found, Search, SearchConfig, StateRef, search};
pub use system::System;
pub use visited::{Candidate, Visited};
