//! LLVM IR as text, read on demand: [`parse`] (the module as data, function bodies and metadata on demand), [`module`] (that
//! data), [`link`] (the meaning of a name in one of several modules), [`layout`] (sizes and offsets of types), [`assembly`]
//! (inline assembly), [`debug`] (lines, names and types of the user's text), [`names`] (mangled names as their users write
//! them).
//!
//! This crate is all that the two readings of a compiled program share: the lowering in `frontend` and the machine in
//! `literal`. It says what the text contains, never what it means.
//!
//! *Invariants:* whatever the bytes, the result is data or [`Malformed`](parse::Malformed), never a panic; no I/O; threads and
//! memory models are unknown here.
#![forbid(unsafe_code)]
#![allow(
    missing_docs,
    reason = "fields and variants are called as in the LLVM language reference, which documents them"
)]

pub mod assembly;
pub mod debug;
pub mod layout;
pub mod link;
pub mod module;
pub mod names;
pub mod parse;
mod uses;
