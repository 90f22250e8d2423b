//! The tests of the engine `ltl`, a module each, in one binary.

mod agreement;
mod automata;
mod certificate;
mod corpus;
mod never;
mod reduction;
