//! The tests of the engine `coherence`, a module each, in one binary.

mod agreement;
mod certificate;
mod corpus;
mod toys;
