//! What a person or a script sees of a verdict. One [`Report`] value is built from a program, its source map and the
//! answers of the engines; each format is one small file that turns it into text:
//!
//! - [`terminal`]: verdict first, then the execution as a table, one column a thread;
//! - [`json`]: wire types of their own, versioned, described by `docs/json-schema/`;
//! - [`sarif`]: SARIF 2.1.0, for code scanners and editors; [`RULES`] are the rules that its results name;
//! - [`fix`]: a repair, each fence with the execution that makes it necessary;
//! - [`litmus_log`]: the log of a litmus test as herd writes it;
//! - [`dot`]: the threads' automata for Graphviz;
//! - [`diagnostics`]: bad input, shown in the user's text.
//!
//! [`story`] resolves an execution for all of them (names, lines, who wrote what was read), and [`cause`] finds the
//! reordering an execution needs.
//!
//! *Invariant:* nothing here prints, searches or does I/O, and nothing depends on the time of day: the same report gives
//! the same text.
#![forbid(unsafe_code)]

mod advice;
pub mod cause;
pub mod diagnostics;
pub mod dot;
pub mod fix;
mod fix_json;
mod fix_sarif;
pub mod json;
mod json_bounds;
pub mod literal;
pub mod litmus_log;
mod report;
mod rows;
mod rules;
pub mod sarif;
pub mod story;
mod table;
pub mod terminal;
pub mod trace_file;
mod wording;
mod words;

pub use advice::{Advice, AdvisedPlace};
pub use report::{ModelResult, Report};
pub use rules::RULES;
pub use wording::{failing, failing_place};
pub use words::{asked, checked, listing, violation_text};
