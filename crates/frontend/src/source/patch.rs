//! Remedies to edits of C, C++ and Rust.
//!
//! A site of the program is a place of the [outline](super::outline): a fence is put where the compiler was given the
//! call.
//!
//! *Layout:*
//! - A fence gets a line for itself, indented like the statement beside it. Two statements on one line are parted; in a
//!   block that is all on one line, the fence stays on that line.
//! - A statement that is a body without braces gets them: at the end of the head's line if the statement has a line for
//!   itself, else on the same line.
//! - An empty body becomes a block of three lines.
//! - A header or `use` that is missing is added once.
//! - A word for an order is replaced; nothing else on its line changes.
//! - At one place a full fence comes before a store-store fence.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use fencewright_base::{FileId, SourceMap};
use fencewright_ir::edit::Remedy;
use fencewright_ir::{FenceKind, Program, Side, Site};
use tree_sitter::Tree;

use super::includes::missing_include;
use super::outline::{Place, Room};
use super::uses::fence_call;
use super::{Dialect, outline_of, tree_of};
use crate::patch::{
    Edits, PatchError, Patched, Rank, Wording, blank_to_line_end, line_end, line_start, newline_near,
};

/// A text and what is known of the program that a compiler made of it.
#[derive(Debug, Copy, Clone)]
pub struct Written<'a> {
    /// The language.
    pub dialect: Dialect,
    /// Holds the text.
    pub sources: &'a SourceMap,
    /// The text.
    pub file: FileId,
    /// The number of the place that each fence site of the program is.
    pub places: &'a BTreeMap<Site, u32>,
}

/// The edits that make the remedies.
pub fn patch(written: Written<'_>, program: &Program, remedies: &[Remedy], wording: &Wording) -> Patched {
    let Written { dialect, sources, file, places } = written;
    let text = sources.file(file).text();
    let refusal = |remedy: Remedy, reason: &str| PatchError {
        remedy,
        span: remedy.span(program),
        reason: reason.to_owned(),
    };
    let outline = outline_of(dialect, text);
    let mut fences: BTreeMap<u32, BTreeSet<FenceKind>> = BTreeMap::new();
    let mut words: BTreeMap<(usize, usize), (FenceKind, &String)> = BTreeMap::new();
    for &remedy in remedies {
        match remedy {
            Remedy::Fence(site, kind) => match places.get(&site) {
                Some(&place) if (place as usize) < outline.places.len() => {
                    fences.entry(place).or_default().insert(kind);
                }
                _ => return Err(refusal(remedy, "no place of the text is beside it")),
            },
            Remedy::Order(order, kind) => {
                let word = program.orders.get(order).and_then(|order| {
                    let (_, word) = order.stronger.iter().find(|(has, _)| *has == kind)?;
                    Some((order.span.filter(|span| span.file == file)?, word))
                });
                let Some((span, word)) = word else {
                    return Err(refusal(remedy, "no word of the text says how the access is ordered"));
                };
                // The kinds are in order: a full fence is the first and the strongest.
                let stronger = words.entry((span.start as usize, span.end as usize)).or_insert((kind, word));
                *stronger = (*stronger).min((kind, word));
            }
            Remedy::Atomic(_) => {
                let reason = "a plain write of C, C++ or Rust cannot be made atomic by itself";
                return Err(refusal(remedy, reason));
            }
        }
    }
    let Some(tree) = tree_of(dialect, text) else {
        return Ok(Vec::new()); // Then there were no places either, and no remedies.
    };
    let mut writer = Writer {
        dialect,
        text,
        tree,
        wording,
        unit: indentation(text),
        edits: Edits::default(),
        braces: BTreeMap::new(),
    };
    let mut imports = BTreeSet::new();
    for (place, kinds) in &fences {
        let place = &outline.places[*place as usize];
        let calls: Vec<String> =
            kinds.iter().map(|kind| writer.call(*kind, place.at, &mut imports)).collect();
        writer.write(place, &calls);
    }
    writer.close_braces();
    for ((start, end), (_, word)) in words {
        writer.edits.replace(start..end, word);
    }
    for (at, import) in imports {
        writer.edits.insert(at, Rank::Before(Reverse(usize::MAX)), import);
    }
    Ok(writer.edits.finish())
}

/// One level of the text's indentation: a tab, or the least number of blanks a line begins with.
fn indentation(text: &str) -> String {
    let mut least = None;
    for line in text.lines() {
        let width = line.len() - line.trim_start_matches(' ').len();
        if line.starts_with('\t') {
            return "\t".to_owned();
        }
        // A single blank is the second line of a comment.
        if width > 1 && !line.trim().is_empty() && least.is_none_or(|least| width < least) {
            least = Some(width);
        }
    }
    " ".repeat(least.unwrap_or(4))
}

struct Writer<'a> {
    dialect: Dialect,
    text: &'a str,
    tree: Tree,
    wording: &'a Wording,
    unit: String,
    edits: Edits,
    /// Bodies that got an opening brace, and what closes them.
    braces: BTreeMap<(usize, usize), (usize, String)>,
}

impl Writer<'_> {
    /// The fence as a statement, and what has to be added for its names.
    fn call(&self, kind: FenceKind, at: usize, imports: &mut BTreeSet<(usize, String)>) -> String {
        let wanted = match kind {
            FenceKind::Full => &self.wording.full,
            FenceKind::StoreStore => &self.wording.store_store,
        };
        if let Some(wanted) = wanted {
            return wanted.clone();
        }
        let root = self.tree.root_node();
        let order = match kind {
            FenceKind::Full => ["memory_order_seq_cst", "SeqCst"],
            FenceKind::StoreStore => ["memory_order_release", "Release"],
        };
        match self.dialect {
            Dialect::C => {
                imports.extend(missing_include(self.text, root, "stdatomic.h"));
                format!("atomic_thread_fence({});", order[0])
            }
            Dialect::Cpp => {
                imports.extend(missing_include(self.text, root, "atomic"));
                format!("std::atomic_thread_fence(std::{});", order[0])
            }
            Dialect::Rust => {
                let (call, import) = fence_call(self.text, root, at, order[1]);
                imports.extend(import.map(|edit| (edit.range.start, edit.text)));
                call
            }
        }
    }

    fn write(&mut self, place: &Place, calls: &[String]) {
        match &place.room {
            Room::List if place.side == Side::Before => self.before(place, calls),
            Room::List => self.behind(place.span.clone(), calls),
            Room::Tail => {
                let rank = Rank::Behind(Reverse(place.span.start));
                self.edits.insert(place.span.end, rank, ";");
                self.behind(place.span.clone(), calls);
            }
            Room::EmptyBlock(block) => self.in_empty_block(block.clone(), calls),
            Room::Semicolon(semicolon) => self.for_semicolon(place.head.clone(), semicolon.clone(), calls),
            Room::Braces { head, body } => {
                self.open_braces(head, body);
                let is_own_line = self.lead(body.start).is_some();
                match (place.side, is_own_line) {
                    (Side::Before, true) => self.before(place, calls),
                    (Side::After, true) => self.behind(place.span.clone(), calls),
                    (Side::Before, false) => {
                        let rank = Rank::Before(Reverse(place.span.end));
                        self.edits.insert(place.span.start, rank, calls.join(" ") + " ");
                    }
                    (Side::After, false) => {
                        let rank = Rank::Behind(Reverse(place.span.start));
                        self.edits.insert(place.span.end, rank, format!(" {}", calls.join(" ")));
                    }
                }
            }
        }
    }

    /// What stands before the byte on its line, if that is only white space.
    fn lead(&self, at: usize) -> Option<&str> {
        let lead = &self.text[line_start(self.text, at)..at];
        lead.trim().is_empty().then_some(lead)
    }

    /// The white space at the start of the line that holds the byte.
    fn indent(&self, at: usize) -> String {
        let line = &self.text[line_start(self.text, at)..at];
        line[..line.len() - line.trim_start().len()].to_owned()
    }

    /// Fences before a statement of a list.
    fn before(&mut self, place: &Place, calls: &[String]) {
        let at = place.span.start;
        let rank = Rank::Before(Reverse(place.span.end));
        let newline = newline_near(self.text, at);
        if let Some(lead) = self.lead(at) {
            let lines: String = calls.iter().map(|call| format!("{call}{newline}{lead}")).collect();
            self.edits.insert(at, rank, lines);
            return;
        }
        let line = &self.text[line_start(self.text, at)..at];
        let left = line.trim_end();
        if left.ends_with([';', '}']) && !left.contains('{') {
            let indent = self.indent(at);
            let lines: String = calls.iter().map(|call| format!("{newline}{indent}{call}")).collect();
            self.edits.replace(at - (line.len() - left.len())..at, format!("{lines}{newline}{indent}"));
        } else {
            self.edits.insert(at, rank, calls.join(" ") + " ");
        }
    }

    /// Fences behind a statement of a list.
    fn behind(&mut self, span: Range<usize>, calls: &[String]) {
        let rank = Rank::Behind(Reverse(span.start));
        match blank_to_line_end(self.text, span.end) {
            Some(end) => {
                let newline = newline_near(self.text, end);
                let indent = self.indent(span.start);
                let lines: String = calls.iter().map(|call| format!("{newline}{indent}{call}")).collect();
                self.edits.insert(end, rank, lines);
            }
            None => self.edits.insert(span.end, rank, format!(" {}", calls.join(" "))),
        }
    }

    fn in_empty_block(&mut self, block: Range<usize>, calls: &[String]) {
        let (inside, brace) = (block.start + 1..block.end - 1, block.end - 1);
        let rank = Rank::Before(Reverse(block.end));
        let newline = newline_near(self.text, block.start);
        let indent = self.indent(block.start);
        let line = |call: &String| format!("{indent}{}{call}{newline}", self.unit);
        if let Some(lead) = self.lead(brace) {
            let lines: String =
                calls.iter().map(|call| format!("{}{call}{newline}{lead}", self.unit)).collect();
            self.edits.insert(brace, rank, lines);
        } else if self.text[inside.clone()].trim().is_empty() {
            let lines: String = calls.iter().map(line).collect();
            self.edits.replace(inside, format!("{newline}{lines}{indent}"));
        } else {
            self.edits.insert(brace, rank, calls.join(" ") + " ");
        }
    }

    fn for_semicolon(&mut self, head: Range<usize>, semicolon: Range<usize>, calls: &[String]) {
        let newline = newline_near(self.text, semicolon.end);
        let indent = self.indent(head.start);
        let line = |call: &String| format!("{indent}{}{call}{newline}", self.unit);
        if self.text[head.end..semicolon.start].trim().is_empty() {
            let lines: String = calls.iter().map(line).collect();
            self.edits.replace(head.end..semicolon.end, format!(" {{{newline}{lines}{indent}}}"));
        } else {
            self.edits.replace(semicolon, format!("{{ {} }}", calls.join(" ")));
        }
    }

    fn open_braces(&mut self, head: &Range<usize>, body: &Range<usize>) {
        if self.braces.contains_key(&(body.start, body.end)) {
            return;
        }
        let closing = if self.lead(body.start).is_some() {
            self.edits.insert(head.end, Rank::Behind(Reverse(head.start)), " {");
            let at = blank_to_line_end(self.text, body.end).unwrap_or(body.end);
            let newline = newline_near(self.text, at);
            let brace = if at == line_end(self.text, body.end) {
                format!("{newline}{}}}", self.indent(head.start))
            } else {
                " }".to_owned()
            };
            (at, brace)
        } else {
            self.edits.insert(body.start, Rank::Before(Reverse(body.end)), "{ ");
            (body.end, " }".to_owned())
        };
        self.braces.insert((body.start, body.end), closing);
    }

    /// Braces close behind all fences, the innermost first.
    fn close_braces(&mut self) {
        for ((start, _), (at, text)) in std::mem::take(&mut self.braces) {
            self.edits.insert(at, Rank::Behind(Reverse(start)), text);
        }
    }
}
