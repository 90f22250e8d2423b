//! The tests of the engine `predicate`, a module each, in one binary.

mod agreement;
mod certificate;
mod conformance;
mod corpus;
mod paper;
