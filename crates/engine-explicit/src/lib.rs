//! The engine `explicit`: forward search over the reachable states, with store buffers up to a cap.
//!
//! If no write ever found its buffer full, the answer is exact and holds for buffers of any length; otherwise a pass is
//! only a bounded one. It is the oracle for the other engines and the fast path of everything.
//!
//! - [`compile`], [`edges`]: the program as tables over packed states; [`values`], [`code`], [`queue`]: their parts.
//! - [`step`], [`meet`], [`buffer`], [`inspect`], [`trail`]: the rules of `memory` on packed states.
//! - [`scratch`]: registers that last for one step, most of which need not be stored.
//! - [`reduce`], [`settle`]: which steps may go first, so that the states between need not be stored.
//! - [`counterexample`], [`shortest`]: from a violating state to a trace of the concrete machine.
//! - [`plan`]: which caps are tried; [`states`]: packed states as the reference semantics writes them.
//!
//! The page of this engine is `docs/engines/explicit.md`.
#![forbid(unsafe_code)]

mod buffer;
mod code;
mod compile;
mod counterexample;
mod edges;
mod inspect;
mod meet;
mod plan;
mod queue;
mod reduce;
mod scratch;
mod settle;
mod shortest;
mod states;
mod step;
mod trail;
mod values;

pub use plan::Explicit;
