//! Repairs as changes of the user's text: what [`Language::patch`](crate::Language::patch) gives, and what is done with
//! it. Each language finds the places in its own way; here are edits, their application, and unified diffs.
//!
//! *Contract:*
//! - Edits are sorted, do not overlap, and lie on character boundaries of the text they were made for. No two
//!   insertions are at one place.
//! - What no edit touches stays as it was, byte for byte: comments, layout, line ends.
//! - The text with the edits loads, and its program behaves like the loaded program after
//!   [`edit::apply`](fencewright_ir::edit::apply) with the same remedies. What cannot be written so is a
//!   [`PatchError`], never a text that means something else.

mod diff;
mod removal;

use std::cmp::Reverse;
use std::fmt;
use std::ops::Range;

use fencewright_base::Span;
use fencewright_ir::edit::Remedy;

pub use diff::unified_diff;
pub use removal::without_fence;

/// A change of a text: the bytes of the range are replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced; empty for an insertion.
    pub range: Range<usize>,
    /// By this.
    pub text: String,
}

/// Why a remedy cannot be written into the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchError {
    /// The remedy.
    pub remedy: Remedy,
    /// The statement, if it stands anywhere.
    pub span: Option<Span>,
    /// Why not, for the user.
    pub reason: String,
}

/// What the user wants fences to be called, where a language leaves a choice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wording {
    /// A full fence, such as `smp_mb();`.
    pub full: Option<String>,
    /// A store-store fence, such as `smp_wmb();`.
    pub store_store: Option<String>,
}

/// The edits that make a list of remedies, or why there are none.
pub type Patched = Result<Vec<Edit>, PatchError>;

impl fmt::Display for PatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for PatchError {}

/// The text with the edits, which are as [`Language::patch`](crate::Language::patch) gives them for this text.
pub fn apply_edits(text: &str, edits: &[Edit]) -> String {
    let added: usize = edits.iter().map(|edit| edit.text.len()).sum();
    let mut result = String::with_capacity(text.len() + added);
    let mut done = 0;
    for edit in edits {
        result.push_str(&text[done..edit.range.start]);
        result.push_str(&edit.text);
        done = edit.range.end;
    }
    result.push_str(&text[done..]);
    result
}

/// Which of several insertions at one place comes first.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// Belongs to a statement that ends here: the one that starts last is the innermost and comes first.
    Behind(Reverse<usize>),
    /// Belongs to a statement that starts here: the one that ends last is the outermost and comes first.
    Before(Reverse<usize>),
}

/// Edits being collected in any order.
#[derive(Debug, Default)]
pub(crate) struct Edits {
    list: Vec<(Range<usize>, Rank, String)>,
}

impl Edits {
    /// Adds text at a place.
    pub(crate) fn insert(&mut self, at: usize, rank: Rank, text: impl Into<String>) {
        self.list.push((at..at, rank, text.into()));
    }

    /// Replaces text; the ranges of two replacements must not meet.
    pub(crate) fn replace(&mut self, range: Range<usize>, text: impl Into<String>) {
        self.list.push((range, Rank::Before(Reverse(0)), text.into()));
    }

    /// All of them, in order, insertions at one place made one. Of those with the same rank the first added is first.
    pub(crate) fn finish(mut self) -> Vec<Edit> {
        self.list.sort_by_key(|(range, rank, _)| (range.start, range.end, *rank));
        let mut edits: Vec<Edit> = Vec::new();
        for (range, _, text) in self.list {
            match edits.last_mut() {
                Some(last) if range.is_empty() && last.range == range => last.text.push_str(&text),
                _ => edits.push(Edit { range, text }),
            }
        }
        edits
    }
}

/// Where the line that holds the byte begins.
pub(crate) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Where the line that holds the byte ends: before its line feed, and before the carriage return that belongs to it.
pub(crate) fn line_end(text: &str, at: usize) -> usize {
    match text[at..].find('\n') {
        Some(0) => at,
        Some(length) => at + length - usize::from(text.as_bytes()[at + length - 1] == b'\r'),
        None => text.len(),
    }
}

/// Where the line ends, if only white space and comments that end on it stand between there and the byte.
pub(crate) fn blank_to_line_end(text: &str, mut at: usize) -> Option<usize> {
    let end = line_end(text, at);
    while at < end {
        let rest = &text[at..end];
        if rest.starts_with("//") {
            return Some(end);
        }
        match rest.strip_prefix("/*") {
            Some(inside) => at += inside.find("*/")? + 4,
            None => at += rest.chars().next().filter(|c| c.is_whitespace())?.len_utf8(),
        }
    }
    Some(end)
}

/// How the lines around the byte end.
pub(crate) fn newline_near(text: &str, at: usize) -> &'static str {
    let newline = text[at..].find('\n').map(|length| at + length).or_else(|| text[..at].rfind('\n'));
    match newline {
        Some(newline) if text[..newline].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The text as blanks of the same width: tabs stay.
pub(crate) fn blank(text: &str) -> String {
    text.chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_at_one_place_nest() {
        let mut edits = Edits::default();
        edits.insert(4, Rank::Before(Reverse(9)), "c");
        edits.insert(4, Rank::Behind(Reverse(0)), "b");
        edits.insert(4, Rank::Behind(Reverse(2)), "a");
        edits.insert(4, Rank::Before(Reverse(6)), "d");
        edits.replace(4..5, "!");
        edits.insert(0, Rank::Before(Reverse(1)), "^");
        let edits = edits.finish();
        assert_eq!(edits.len(), 3);
        assert_eq!(apply_edits("01234567", &edits), "^0123abcd!567");
    }

    #[test]
    fn lines_end_before_their_line_ends() {
        let text = "ab\r\ncd\n\nef";
        assert_eq!([0, 2, 5, 7, 9].map(|at| line_end(text, at)), [2, 2, 6, 7, 10]);
        assert_eq!([0, 4, 6, 7, 10].map(|at| line_start(text, at)), [0, 4, 4, 7, 8]);
        assert_eq!([0, 5, 9].map(|at| newline_near(text, at)), ["\r\n", "\n", "\n"]);
    }
}
