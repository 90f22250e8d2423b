//! Tests of the reader of LLVM text on small texts, one file per topic. Expected results follow from the language reference.

mod common;
mod constants;
mod control;
mod link;
mod memory;
mod robust;
mod toplevel;
mod values;
