//! The tests of the engine `explicit`, a module each, in one binary.

mod agreement;
mod c_programs;
mod c_reading;
mod certificate;
mod conformance;
mod jobs;
mod llvm_arithmetic;
