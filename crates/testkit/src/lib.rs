//! What the tests of Fencewright share: the plain oracle, a generator of random programs, a shrinker, the suite that
//! every engine inherits, and the corpus.
//!
//! - [`toy`]: small programs in a few lines.
//! - [`reference`]: breadth-first exploration of the reference semantics, and an engine over it.
//! - [`axiomatic`]: the outcomes of loop-free programs by axioms, another way altogether.
//! - [`agreement`]: an engine against the oracle on one program.
//! - [`generate`] and [`shrink`](mod@shrink): random programs, and the smallest one that still shows a failure.
//!
//! *Invariant:* nothing here is part of the tool, and no engine of the tool is named here.
#![forbid(unsafe_code)]

pub mod agreement;
pub mod axiomatic;
pub mod generate;
pub mod reference;
pub mod shrink;
pub mod toy;
