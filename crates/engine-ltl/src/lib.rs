//! The engine `ltl`: properties of whole executions, decided by automata.
//!
//! The negation of the formula becomes an automaton; the product of the program's states with it is searched, on the
//! fly, for a cycle that the automaton accepts. Fairness is no part of the formula: each fairness condition is one more
//! acceptance set of the product.
//!
//! - [`negation`], [`tableau`](mod@tableau), [`automaton`](mod@automaton): from a formula to a small automaton.
//! - [`product`]: the program's states, the automaton and fairness as one state space with acceptance sets.
//! - [`quiet`]: steps that nobody can notice, which go first.
//! - [`lasso`]: from an accepting path of the product to an execution of the concrete machine.
//! - [`certificate`]: proofs written down.
//! - [`plan`]: which caps are tried; what has to hold besides.
//!
//! The page of this engine is `docs/engines/ltl.md`.
#![forbid(unsafe_code)]

mod automaton;
mod certificate;
mod lasso;
mod negation;
mod plan;
mod product;
mod quiet;
mod tableau;

pub use automaton::{Automaton, Edge};
pub use plan::Ltl;
pub use tableau::{TooLarge, automaton};
