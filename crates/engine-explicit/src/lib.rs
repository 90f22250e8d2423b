//! The engine `explicit`: forward search over the reachable states, with store buffers up to a cap.
//!
//! If no write ever found its buffer full, the answer is exact and holds for buffers of any length; otherwise a pass is
//! only a bounded one. It is the oracle for the other engines and the fast path of everything.
//!
//! - [`plan`]: which caps are tried, and what is searched for; the states are those of `fencewright_packed`.
//! - [`shortest`]: a shortest counterexample once it is known that there is one.
//! - [`states`]: the reachable states themselves.
//!
//! The page of this engine is `docs/engines/explicit.md`.
#![forbid(unsafe_code)]

mod plan;
mod shortest;
mod states;

pub use plan::Explicit;
