//! The tests of the oracles, and those that need the whole tool, a module each, in one binary.

mod compiled;
mod conformance;
mod corpus;
mod dve;
mod gate;
mod generator;
mod litmus_axiomatic;
mod race;
mod repairs;
