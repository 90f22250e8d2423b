//! The reader of LLVM text against small texts, one file a topic. What is expected follows from the language reference.

mod common;
mod constants;
mod control;
mod link;
mod memory;
mod robust;
mod toplevel;
mod values;
