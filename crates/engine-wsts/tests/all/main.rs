//! The tests of the engine `wsts`, a module each, in one binary.

mod agreement;
mod conformance;
mod corpus;
