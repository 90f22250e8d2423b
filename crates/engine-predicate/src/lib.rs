//! The engine `predicate`: programs whose variables range over ℤ, by abstraction of data and of store buffers.
//!
//! P. A. Abdulla, M. F. Atig, Y.-F. Chen, C. Leonardsson, A. Rezine, *Automatic fence insertion in integer programs via
//! predicate abstraction*, SAS 2012. An abstract state says where the threads stand, what part of the store buffers holds,
//! and which predicates are true of the numbers. A search of these states proves, or gives a path to a violation; the path
//! is made real, or refines the abstraction.
//!
//! - [`linear`], [`evaluate`]: expressions as terms over variables, case by case.
//! - [`buffer`], [`config`], [`step`], [`system`]: the abstract machine; what it does to data is said by conditions and terms.
//! - [`eager`]: steps that need not wait for others.
//! - [`zone`], [`known`], [`precision`], [`sums`]: conjunctions of predicates, and which predicates are followed; [`simplex`]: what follows
//!   from those that are no zones.
//! - [`search`]: reachability, by [`distance`]; [`realise`]: from a path to a trace of the concrete machine; [`refine`], [`interpolate`]: predicates
//!   that exclude a path; [`plan`]: the engine, which is the loop of these.
//! - [`keep`]: how many writes exclude a path.
//! - [`minimal`], [`certificate`]: a proof written down, and its checker; [`paths`]: what that sees without a solver.
//!
//! *Invariant:* an unbounded `Holds` only after every abstract state was expanded or lies within one that was; whatever is
//! not understood of a step is taken to be anything; every `Violated` was replayed here, and is by the gate again.
//!
//! The page of this engine is `docs/engines/predicate.md`.
#![forbid(unsafe_code)]

mod bounds;
#[cfg(test)]
mod boxes;
mod buffer;
mod certificate;
mod config;
mod distance;
mod eager;
mod evaluate;
mod interpolate;
mod keep;
mod known;
mod linear;
mod minimal;
mod paths;
mod plan;
mod precision;
mod realise;
mod refine;
mod search;
mod simplex;
mod solver;
mod step;
mod sums;
mod system;
mod zone;

pub use buffer::Part;
pub use certificate::{Asking, Solver, verify};
pub use plan::{Predicate, UnknownPart};
