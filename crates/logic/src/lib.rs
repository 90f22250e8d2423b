//! Minimum-cost hitting sets, exact and incremental, over a SAT solver.
//!
//! *Invariant:* knows no programs; the solver's types stay inside; answers depend on the sets and costs only, never on
//! the solver's mood.
#![forbid(unsafe_code)]

mod hitting;

pub use hitting::HittingSet;
