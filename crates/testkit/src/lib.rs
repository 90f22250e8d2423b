//! What the tests of Fencewright share: oracles that find the same answers another way.
#![forbid(unsafe_code)]

pub mod axiomatic;
