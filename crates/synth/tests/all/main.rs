//! The tests of the repair, a module each, in one binary.

mod avoid_formula;
mod by_trying;
mod common;
mod corpus;
mod demands;
mod formulae;
mod generated;
mod minimal_sets;
mod pldi2011;
mod reordering;
mod temporal;
mod toy;
