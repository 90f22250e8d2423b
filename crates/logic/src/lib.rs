//! SAT and what is built on it: circuits with constants folded, exact integers as bit vectors, minimum-cost hitting sets;
//! positive formulae as decision diagrams; refutations that can be checked without a solver. Linear arithmetic over the integers is left to an SMT solver ([`Smt`]).
//!
//! *Invariant:* knows no programs; the types of the solver and of the diagrams' library stay inside; what [`HittingSet`]
//! and [`Diagrams`] choose depends on the sets, formulae and costs only, never on the solver's mood.
#![forbid(unsafe_code)]

mod circuit;
mod diagram;
mod hitting;
mod interpolants;
mod lemma;
mod number;
mod refutation;
mod smt;
mod solver_process;

pub use circuit::{Answer, Bit, Circuit, Halted, Totals};
pub use diagram::{Diagram, Diagrams, Full};
pub use hitting::HittingSet;
pub use interpolants::Link;
pub use lemma::{Lemma, Literal, NotRefuted, check as check_refutation};
pub use number::{Number, TooWide};
pub use smt::{AtMost, Formula, Smt, SmtError};
