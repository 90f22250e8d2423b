//! SAT and what is built on it: circuits with constants folded, exact integers as bit vectors, and minimum-cost hitting
//! sets.
//!
//! *Invariant:* knows no programs; the solver's types stay inside; answers of [`HittingSet`] depend on the sets and costs
//! only, never on the solver's mood.
#![forbid(unsafe_code)]

mod circuit;
mod hitting;
mod number;

pub use circuit::{Answer, Bit, Circuit, Totals};
pub use hitting::HittingSet;
pub use number::{Number, TooWide};
