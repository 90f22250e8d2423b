//! The text form of a program: everything a [`Program`] holds but its wording, one thing a line, readable, and exact both
//! ways: `parse(&print(&program)) == Ok(program)` for every valid program without a wording.
//!
//! ```text
//! program sb
//!
//! var x: 0..1 = 0
//! var a[2]: i32 = 0, any
//!
//! statement s0 "x := 1" @0:12-18 loop 1 fence before after
//!
//! thread P0
//!   register r: 0..1 = 0
//!   location L0
//!   location L1 CS
//!   entry L0
//!   edge L0 -> L1 s0: write x <- 1; read r <- a[0]
//!
//! order o0 "x.store(1, relaxed)" "relaxed" @0:30-37 loop 1 full "seq_cst" store "release": t0 e0
//!
//! forbidden "CS" @0:40-42
//!   P0 at L1
//!
//! ltl "F CS" fair_flush: (true until [P0@L1])
//! ```
//!
//! - Lines stand for themselves; indentation means nothing; `//` begins a comment.
//! - A name that is not a plain identifier, or is a word of this language, stands in quotes. Where a name is not
//!   unique the thing is called by its number: `#3`.
//! - `@0:12-18` is a span: file, first byte, one past the last byte.
//! - An operand that has an operator of its own stands in parentheses; only a chain of one operator needs none, and
//!   `a - b - c` means `(a - b) - c`.
//!
//! *Invariant:* [`parse`] never panics and gives valid programs only.

mod lex;
mod line;
mod parse;
mod print;
#[cfg(test)]
mod tests;

pub use parse::{ParseError, parse};
pub use print::print;

#[cfg(doc)]
use crate::Program;

/// Words that mean something where a name could stand: a name that looks like one is quoted.
const WORDS: [&str; 5] = ["any", "checked", "choose", "int", "wrap"];

/// Whether a name can stand without quotes.
fn is_plain(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(is_name_start) && chars.all(is_name_part) && !WORDS.contains(&name)
}

fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || c == '$'
}

fn is_name_part(c: char) -> bool {
    is_name_start(c) || c.is_ascii_digit() || c == '.'
}
