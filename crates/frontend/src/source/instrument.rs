//! The text with a call at every place, for the compiler.
//!
//! The calls are `__fencewright_site(N);`, where `N` counts the places. In what the compiler makes of the text they stand
//! exactly where a fence written at the place would stand, loops and inlining included; so a fence site of the program is
//! by construction a place of the text. Nothing that is put in has a line end, so lines keep their numbers; [`Map`] gives
//! back the columns.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use fencewright_ir::Side;

use super::Dialect;
use super::outline::{Outline, Place, Room};
use crate::patch::{Edit, Edits, Rank, apply_edits};

/// The name of the function whose calls mark the places.
pub const SITE_FUNCTION: &str = "__fencewright_site";

/// A text with calls.
#[derive(Debug, Clone)]
pub struct Instrumented {
    /// For the compiler.
    pub text: String,
    kept: BTreeSet<u32>,
    map: Map,
}

impl Instrumented {
    /// Whether there is a call at the place.
    pub fn has(&self, place: u32) -> bool {
        self.kept.contains(&place)
    }

    /// The byte of the user's text that a position of the instrumented one stands for. Lines and columns count from 1,
    /// columns in bytes; a column past the end of the line is its end.
    pub fn original(&self, line: usize, column: usize) -> Option<usize> {
        self.map.original(line, column)
    }
}

/// Puts a call at each of the places numbered in `kept`.
pub fn instrument(
    dialect: Dialect,
    name: &str,
    text: &str,
    outline: &Outline,
    kept: &BTreeSet<u32>,
) -> Instrumented {
    let mut edits = Edits::default();
    let mut braced = BTreeSet::new();
    let numbered =
        || outline.places.iter().enumerate().filter(|(number, _)| kept.contains(&(*number as u32)));
    let call = |number: usize| match dialect {
        Dialect::C | Dialect::Cpp => format!("{SITE_FUNCTION}({number});"),
        Dialect::Rust => format!("crate::{SITE_FUNCTION}({number});"),
    };
    // Of texts at one position with the same rank the first added stays first: braces open before everything else…
    for (_, place) in numbered() {
        if let Room::Braces { body, .. } = &place.room
            && braced.insert((body.start, body.end))
        {
            edits.insert(body.start, Rank::Before(Reverse(body.end)), "{ ");
        }
    }
    for (number, place) in numbered() {
        let Place { span, side, at, room, .. } = place;
        let rank = match side {
            Side::Before => Rank::Before(Reverse(span.end)),
            Side::After => Rank::Behind(Reverse(span.start)),
        };
        let call = call(number);
        match room {
            Room::List | Room::Braces { .. } | Room::EmptyBlock(_) => {
                edits.insert(*at, rank, format!(" {call} "))
            }
            Room::Semicolon(semicolon) => edits.replace(semicolon.clone(), format!("{{ {call} }}")),
            Room::Tail => edits.insert(*at, rank, format!("; {call}")),
        }
    }
    // … and close behind it.
    for (start, end) in braced {
        edits.insert(end, Rank::Behind(Reverse(start)), " }");
    }
    let edits = edits.finish();
    let mut body = apply_edits(text, &edits);
    if dialect != Dialect::Rust {
        blank_line_markers(&mut body);
    }
    let map = Map::new(&body, &edits);
    let text = match dialect {
        Dialect::C | Dialect::Cpp => {
            let (before, behind) =
                if dialect == Dialect::C { ("", "") } else { ("extern \"C\" ", " noexcept") };
            let name = name.replace('\\', "\\\\").replace('"', "\\\"");
            format!("{before}void {SITE_FUNCTION}(unsigned){behind};\n#line 1 \"{name}\"\n{body}")
        }
        Dialect::Rust => format!("{body}\n#[inline(never)] pub fn {SITE_FUNCTION}(_: u32) {{}}\n"),
    };
    Instrumented { text, kept: kept.clone(), map }
}

/// Takes away the lines `# 12 "a.h" 3` of a text that is preprocessed already: they say that what follows stands elsewhere, but
/// the user's file is this one.
fn blank_line_markers(text: &mut String) {
    let is_marker = |line: &str| {
        let number = line.trim_start().strip_prefix('#').map(str::trim_start).unwrap_or_default();
        number.starts_with(|c: char| c.is_ascii_digit()) && number.contains('"')
    };
    if text.lines().any(is_marker) {
        let blank = |line: &str| if is_marker(line) { " ".repeat(line.len()) } else { line.to_owned() };
        *text = text.split('\n').map(blank).collect::<Vec<_>>().join("\n");
    }
}

/// Positions of the changed text as positions of the one it was made from.
#[derive(Debug, Clone)]
struct Map {
    line_starts: Vec<usize>,
    len: usize,
    /// For each change: where it begins in the new text, how long it is there, and the range it replaced.
    changes: Vec<(usize, usize, std::ops::Range<usize>)>,
}

impl Map {
    fn new(body: &str, edits: &[Edit]) -> Self {
        let newlines = body.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(i, _)| i + 1);
        let (mut changes, mut added, mut removed) = (Vec::with_capacity(edits.len()), 0, 0);
        for Edit { range, text } in edits {
            changes.push((range.start + added - removed, text.len(), range.clone()));
            added += text.len();
            removed += range.len();
        }
        Self { line_starts: std::iter::once(0).chain(newlines).collect(), len: body.len(), changes }
    }

    fn original(&self, line: usize, column: usize) -> Option<usize> {
        let start = *self.line_starts.get(line.checked_sub(1)?)?;
        let end = self.line_starts.get(line).map_or(self.len, |next| next - 1);
        let offset = (start + column.saturating_sub(1)).min(end);
        let before = self.changes.partition_point(|(start, ..)| *start <= offset);
        Some(match before.checked_sub(1).map(|last| &self.changes[last]) {
            Some((start, len, old)) if offset < start + len => old.start,
            Some((start, len, old)) => old.end + (offset - start - len),
            None => offset,
        })
    }
}
