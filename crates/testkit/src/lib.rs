//! What the tests of Fencewright share: the plain oracle, a generator of random programs, a shrinker, the suite that
//! every engine inherits, and the corpus.
//!
//! - [`toy`]: small programs in a few lines.
//! - [`reference`]: breadth-first exploration of the reference semantics, and an engine over it.
//! - [`temporal`]: whether a fair execution violates a formula, by another way than the engine's.
//! - [`axiomatic`]: the outcomes of loop-free programs by axioms, another way altogether.
//! - [`relaxed`]: the outcomes of straight lines under RMO, by trying all orders of accesses.
//! - [`agreement`]: an engine against the oracle on one program.
//! - [`cheapest`](mod@cheapest): the cheapest repair, by trying everything.
//! - [`generate`] and [`shrink`](mod@shrink): random programs, and the smallest one that still shows a failure.
//! - [`conformance`](mod@conformance): `conformance!(Engine)` runs toy programs with literal expectations.
//! - [`corpus`]: programs with expectations beside them.
//! - [`pldi2011`]: a paper's table of repairs.
//! - [`tools`]: programs of the machine that some tests need.
//!
//! *Invariant:* nothing here is part of the tool, no engine is called here, and only [`corpus`] reads files.
#![forbid(unsafe_code)]

pub mod agreement;
pub mod axiomatic;
pub mod cheapest;
pub mod conformance;
pub mod corpus;
pub mod generate;
pub mod pldi2011;
pub mod reference;
pub mod relaxed;
pub mod shrink;
pub mod temporal;
pub mod tools;
pub mod toy;
