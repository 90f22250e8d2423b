//! The engine `coherence`: proofs for store buffers of any length, by the partial-coherence abstractions of BLENDER
//! (M. Kuperstein, M. Vechev, E. Yahav, PLDI 2011).
//!
//! Of every store buffer it keeps the oldest writes in order, the rest as a set, and the newest value. Every state of
//! the machine is stood for by a state of the abstract one, so where no abstract state is bad the property holds,
//! however long the buffers get. A bad abstract state is only a hint: it counts if the concrete machine can follow.
//!
//! - [`abstraction`]: Set, FD k, PD k, Runs k, and what they keep.
//! - [`run`], [`bag`], [`pso`], [`tso`], [`buffer`]: abstract store buffers.
//! - [`system`]: the abstract machine; [`step`]: one step of a thread on it.
//! - [`store`]: the states found, as an antichain where the abstraction allows it; [`search`]: breadth first.
//! - [`realise`]: from an abstract counterexample to a trace of the concrete machine.
//! - [`plan`]: the engine.
//! - [`certificate`]: a proof written down, and its checker; [`language`]: sets of store buffers, for both.
//! - [`labels`]: pending writes that know where they came from; [`prevent`]: what forbids their states' moves; [`ways`]:
//!   what is left to a violation, [`orders`]: the whole graph of labelled states, both for repair.
//!
//! *Invariant:* an unbounded `Holds` only after every abstract state was expanded or is covered by one that was.
//!
//! The page of this engine is `docs/engines/coherence.md`.
#![forbid(unsafe_code)]

mod abstraction;
mod bag;
mod buffer;
mod certificate;
mod intern;
mod labels;
mod language;
mod orders;
mod plan;
mod prevent;
mod pso;
mod realise;
#[cfg(test)]
mod represents;
mod run;
mod search;
mod step;
mod store;
mod system;
mod tso;
mod ways;

pub use abstraction::{Abstraction, UnknownAbstraction};
pub use certificate::verify;
pub use plan::Coherence;
