//! Choosing at least cost: minimum-cost hitting sets over a SAT solver, and positive formulae as decision diagrams.
//!
//! *Invariant:* knows no programs; the types of the solver and of the diagrams' library stay inside; answers depend on
//! the sets, formulae and costs only, never on the solver's mood.
#![forbid(unsafe_code)]

mod diagram;
mod hitting;

pub use diagram::{Diagram, Diagrams, Full};
pub use hitting::HittingSet;
