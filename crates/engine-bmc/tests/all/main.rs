//! The tests of the engine `bmc`, a module each, in one binary.

mod agreement;
mod certificate;
mod pairs;
mod relaxed;
mod wide;
