//! The tests of the outputs, a module each, in one binary.

mod common;
mod fix_outputs;
mod outputs;
