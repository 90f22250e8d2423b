//! The engine `wsts`: exact answers for finite data and store buffers of any length, by backward reachability in
//! well-structured transition systems.
//!
//! From the bad states backward: a *configuration* says what must be so for a violation to follow, and stands for all
//! states that agree with it, however long their buffers are. The predecessors of what a configuration stands for are
//! again a finite set of configurations, and configurations are well-quasi-ordered, so the search ends: at an initial
//! state, and then the run is brought to the concrete machine, or with a proof.
//!
//! - [`label`], [`ways`], [`values`], [`graph`]: the threads as finite graphs, registers folded into the nodes;
//!   [`may`]: what a thread may have pending at a node.
//! - [`system`]: the late machine; [`bad`]: its bad states.
//! - [`config`], [`order`]: configurations and their order; [`pre`]: predecessors.
//! - [`antichain`], [`symmetry`], [`search`]: the search; [`realise`]: from its run to a trace of the concrete machine.
//! - [`plan`]: the engine. [`late`]: the late machine forward, for the tests.
//!
//! *Invariant:* an unbounded `Holds` only after the predecessors of every configuration were found to be above known
//! ones; every `Violated` is a trace of the concrete machine, which the gate replays.
//!
//! The page of this engine is `docs/engines/wsts.md`.
#![forbid(unsafe_code)]

mod antichain;
mod bad;
#[cfg(test)]
mod checks;
mod config;
mod graph;
mod label;
pub mod late;
mod may;
mod order;
mod plan;
mod pre;
mod realise;
mod search;
mod symmetry;
mod system;
mod values;
mod ways;

pub use plan::{Buffering, UnknownBuffering, Wsts};
