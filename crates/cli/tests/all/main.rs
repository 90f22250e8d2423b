//! The tests of the command line, a module each, in one binary.

mod command_line;
mod compiled;
mod fix;
mod fix_literal;
mod fix_ltl;
mod fix_outputs;
mod honest_reports;
mod ltl;
mod orders;
mod reports;
mod verdicts;
