//! Remedies to edits of the text.
//!
//! The text is parsed once more, because where a fence can stand depends on what is around the statement: in a list it
//! is put between two `;`, and a statement that is the whole branch of an `if` or body of a `while` gets braces. A
//! statement in a macro is changed where it is written, and so for every use; it gets braces if any use needs them.
//!
//! *Layout:*
//! - A fence beside a statement that has a line for itself gets a line for itself, indented like the statement.
//!   Otherwise it goes on the same line. With braces everything stays on the line.
//! - A fence before a statement stands behind the statement's labels.
//! - A fence behind a statement stands behind its `;` and the comment on its line; if there is no `;`, one is added to
//!   the statement and the last fence has none.
//! - At one place a full fence comes before a store-store fence.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use fencewright_base::{FileId, SourceMap, Span};
use fencewright_ir::edit::Remedy;
use fencewright_ir::{FenceKind, Op, Program, Side, Site, StatementId};

use super::ast::{Statement, StatementKind, Strength};
use super::frames::Frames;
use super::lexer::{Kind, Token};
use super::{lexer, macros, parser};
use crate::patch::{Edits, PatchError, Patched, Rank, blank, line_end, line_start, newline_near};

/// The edits that make the remedies.
pub(super) fn patch(source: &SourceMap, file: FileId, program: &Program, remedies: &[Remedy]) -> Patched {
    let text = source.file(file).text();
    let tokens = lexer::lex(file, text, &mut Vec::new());
    let uses = uses(text, &tokens);
    let mut changes: BTreeMap<StatementId, Change> = BTreeMap::new();
    for &remedy in remedies {
        let id = match remedy {
            Remedy::Fence(Site { statement, .. }, _) | Remedy::Atomic(statement) => statement,
        };
        let span = program.statements[id].span;
        let refuse = |reason: &str| PatchError { remedy, span, reason: reason.to_owned() };
        let Some((span, usage)) = span.and_then(|span| Some((span, uses.get(&span)?))) else {
            return Err(refuse("the statement does not stand in this text"));
        };
        let change = changes.entry(id).or_insert_with(|| Change::new(span, *usage));
        change.add(program, text, remedy).map_err(refuse)?;
    }
    let writer = Writer { text, tokens: &tokens };
    let mut edits = Edits::default();
    for change in changes.values() {
        writer.write(change, &mut edits);
    }
    Ok(edits.finish())
}

/// What a statement is, as far as it matters here.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
enum What {
    Write,
    StoreOrderedWrite,
    While,
    Other,
    /// A statement in a macro that is one thing in one use and another in another.
    Mixed,
}

/// What the uses of a piece of text as a statement have in common.
#[derive(Debug, Copy, Clone)]
struct Usage {
    what: What,
    /// In some use it is the whole branch of an `if` or body of a `while`.
    lone: bool,
    /// In some use it stands in a `locked` block.
    in_locked: bool,
    /// In every use text put before it comes before the statement.
    open_before: bool,
    /// The same for text behind it.
    open_after: bool,
}

impl Usage {
    fn and(self, other: Usage) -> Usage {
        Usage {
            what: if self.what == other.what { self.what } else { What::Mixed },
            lone: self.lone || other.lone,
            in_locked: self.in_locked || other.in_locked,
            open_before: self.open_before && other.open_before,
            open_after: self.open_after && other.open_after,
        }
    }
}

/// All statements of a text that loads, by the text they are written as.
fn uses(text: &str, tokens: &[Token]) -> BTreeMap<Span, Usage> {
    let mut frames = Frames::new();
    let mut problems = Vec::new();
    let mut uses = BTreeMap::new();
    if let Some(tokens) = macros::expand(text, tokens, &mut frames, &mut problems) {
        for process in &parser::parse(text, &tokens, &frames, &mut problems).processes {
            list_uses(&process.text, false, &mut uses);
        }
    }
    uses
}

fn list_uses(list: &[Statement], in_locked: bool, uses: &mut BTreeMap<Span, Usage>) {
    list.iter().for_each(|statement| statement_uses(statement, false, in_locked, uses));
}

fn statement_uses(statement: &Statement, lone: bool, in_locked: bool, uses: &mut BTreeMap<Span, Usage>) {
    let what = match &statement.kind {
        StatementKind::Write { strength: Strength::Plain, .. } => What::Write,
        StatementKind::Write { strength: Strength::StoreOrdered, .. } => What::StoreOrderedWrite,
        StatementKind::While { .. } => What::While,
        _ => What::Other,
    };
    let Statement { open_before, open_after, .. } = *statement;
    let usage = Usage { what, lone, in_locked, open_before, open_after };
    // A block takes no step, and may be written by the same call as what it holds.
    if !matches!(statement.kind, StatementKind::Block(_)) {
        uses.entry(statement.place.span).and_modify(|known| *known = known.and(usage)).or_insert(usage);
    }
    match &statement.kind {
        StatementKind::Block(list) => list_uses(list, in_locked, uses),
        StatementKind::Either(alternatives) => {
            alternatives.iter().for_each(|list| list_uses(list, in_locked, uses));
        }
        StatementKind::Locked(alternatives) => {
            alternatives.iter().for_each(|list| list_uses(list, true, uses));
        }
        StatementKind::If { condition: _, then, otherwise } => {
            statement_uses(then, true, in_locked, uses);
            if let Some(otherwise) = otherwise {
                statement_uses(otherwise, true, in_locked, uses);
            }
        }
        StatementKind::While { condition: _, body } => statement_uses(body, true, in_locked, uses),
        _ => {}
    }
}

/// What becomes of one statement.
#[derive(Debug)]
struct Change {
    span: Span,
    usage: Usage,
    before: BTreeSet<FenceKind>,
    after: BTreeSet<FenceKind>,
    atomic: bool,
}

impl Change {
    fn new(span: Span, usage: Usage) -> Self {
        Self { span, usage, before: BTreeSet::new(), after: BTreeSet::new(), atomic: false }
    }

    /// Adds a remedy, or says why it cannot be written.
    fn add(&mut self, program: &Program, text: &str, remedy: Remedy) -> Result<(), &'static str> {
        const PIECED: &str = "the statement is pieced together from macro calls, and there is no place in the \
                              text that is beside it in all its uses";
        let usage = self.usage;
        let braces = match remedy {
            Remedy::Fence(Site { statement, side }, kind) => {
                let statement = &program.statements[statement];
                let (room, fences) = match side {
                    Side::Before => (statement.fence_before, &mut self.before),
                    Side::After => (statement.fence_after, &mut self.after),
                };
                if !room {
                    return Err(match usage {
                        Usage { in_locked: true, .. } => "no fence can stand inside a `locked` block",
                        Usage { what: What::While, .. } => {
                            "a fence beside a `while` is not passed in every round; put it beside a statement \
                             in the loop or next to it"
                        }
                        Usage { what: What::StoreOrderedWrite, .. } => {
                            "a fence before `slocked write` would not come before the write's own fence"
                        }
                        Usage { open_before, open_after, .. } if !open_before || !open_after => PIECED,
                        _ => "no fence can be written on this side of the statement",
                    });
                }
                fences.insert(kind);
                true
            }
            Remedy::Atomic(id) => {
                let steps = program.threads.iter().flat_map(|thread| &thread.edges).map(|edge| &edge.step);
                let mut writes = steps
                    .filter(|step| step.statement == id)
                    .filter(|step| step.ops.iter().any(|op| matches!(op, Op::Write { .. })))
                    .peekable();
                if writes.peek().is_none() {
                    return Err("the statement does not write");
                }
                if writes.all(|step| step.lock.is_some()) {
                    return Ok(()); // It is atomic as it stands.
                }
                let spelled = text[self.span.start as usize..].starts_with("slocked");
                match usage.what {
                    What::Write if usage.open_before => {}
                    What::StoreOrderedWrite if usage.open_after && spelled => {}
                    What::Write | What::StoreOrderedWrite => return Err(PIECED),
                    _ => return Err("only a plain `write` can be made a `locked write`"),
                }
                self.atomic = true;
                usage.what == What::StoreOrderedWrite
            }
        };
        if braces && usage.lone && !(usage.open_before && usage.open_after) {
            return Err(PIECED);
        }
        Ok(())
    }
}

fn keyword(kind: FenceKind) -> &'static str {
    match kind {
        FenceKind::Full => "fence",
        FenceKind::StoreStore => "ssfence",
    }
}

/// Puts changes into the text.
struct Writer<'a> {
    text: &'a str,
    /// Of the text as it is, macros and all.
    tokens: &'a [Token],
}

impl Writer<'_> {
    fn write(&self, change: &Change, edits: &mut Edits) {
        let (start, end) = (change.span.start as usize, change.span.end as usize);
        let before_rank = Rank::Before(Reverse(end));
        let before: Vec<&str> = change.before.iter().copied().map(keyword).collect();
        let mut after: Vec<&str> = change.after.iter().copied().map(keyword).collect();
        let mut lock = "";
        if change.atomic {
            if change.usage.what == What::StoreOrderedWrite {
                // `slocked write` is a write and a fence; made atomic it is both, one after the other.
                edits.replace(start..start + 1, "");
                after.insert(0, "ssfence");
            } else {
                lock = "locked ";
            }
        }
        let braces = change.usage.lone && !(before.is_empty() && after.is_empty());
        let (open, close) = if braces { ("{ ", " }") } else { ("", "") };
        let gap = match self.line_for_itself_before(start, end) {
            Some(indent) if !braces => format!(";{}{indent}", newline_near(self.text, start)),
            _ => "; ".to_owned(),
        };
        let before: String = before.iter().flat_map(|fence| [*fence, &gap]).collect();
        if !(open.is_empty() && before.is_empty() && lock.is_empty()) {
            edits.insert(start, before_rank, format!("{open}{before}{lock}"));
        }
        if braces {
            let after: String = after.iter().flat_map(|fence| ["; ", fence]).collect();
            edits.insert(end, Rank::Behind(Reverse(start)), format!("{after}{close}"));
        } else if !after.is_empty() {
            self.write_behind(start, end, &after, edits);
        }
    }

    /// Fences behind a statement of a list.
    fn write_behind(&self, start: usize, end: usize, fences: &[&str], edits: &mut Edits) {
        let rank = Rank::Behind(Reverse(start));
        let next = self.token_from(end);
        let semicolon = next.kind == Kind::Semicolon;
        let behind = if semicolon { next.place.span.end as usize } else { end };
        let lines = self.indent_behind(start, behind).zip(blank_to_line_end(self.text, behind));
        match lines {
            Some((indent, line_end)) => {
                let gap = format!("{}{indent}", newline_near(self.text, behind));
                let lines: Vec<String> = fences.iter().map(|fence| format!("{gap}{fence}")).collect();
                if !semicolon {
                    edits.insert(end, rank, ";");
                }
                let last = if semicolon { ";" } else { "" };
                edits.insert(line_end, rank, format!("{}{last}", lines.join(";")));
            }
            None if semicolon => {
                let fences: String = fences.iter().flat_map(|fence| [" ", fence, ";"]).collect();
                edits.insert(behind, rank, fences);
            }
            None => {
                let fences: String = fences.iter().flat_map(|fence| ["; ", fence]).collect();
                edits.insert(end, rank, fences);
            }
        }
    }

    /// The first token that begins at the byte or behind it.
    fn token_from(&self, at: usize) -> Token {
        self.tokens[self.index_from(at)]
    }

    fn index_from(&self, at: usize) -> usize {
        let index = self.tokens.partition_point(|token| (token.place.span.start as usize) < at);
        index.min(self.tokens.len() - 1)
    }

    /// The white space before the byte, if that is all there is before it on its line.
    fn indent(&self, at: usize) -> Option<&str> {
        let indent = &self.text[line_start(self.text, at)..at];
        indent.chars().all(char::is_whitespace).then_some(indent)
    }

    /// The indentation of a statement that begins its line, with no other statement behind it on that line.
    fn line_for_itself_before(&self, start: usize, end: usize) -> Option<&str> {
        let indent = self.indent(start)?;
        let mut next = self.token_from(end);
        if next.kind == Kind::Semicolon {
            next = self.token_from(next.place.span.end as usize);
        }
        let same_line = (next.place.span.start as usize) < line_end(self.text, end);
        let many_lines = self.text[start..end].contains('\n');
        (many_lines || !same_line || next.kind == Kind::CloseBrace).then_some(indent)
    }

    /// How a line behind the statement is indented, if the statement begins its line, or labels do and then it.
    fn indent_behind(&self, start: usize, behind: usize) -> Option<String> {
        if let Some(indent) = self.indent(start) {
            return Some(indent.to_owned());
        }
        let line = line_start(self.text, start);
        let on_line = &self.tokens[self.index_from(line)..self.index_from(start)];
        let labels = |pair: &[Token]| matches!(pair, [name, colon] if name.kind == Kind::Name && colon.kind == Kind::Colon);
        if on_line.is_empty() || !on_line.chunks(2).all(labels) {
            return None;
        }
        // Like the next statement, if that has a line for itself, else below this one.
        let next = self.index_from(behind);
        let is_statement =
            !matches!(self.tokens[next].kind, Kind::CloseBrace | Kind::Or | Kind::EndMacro | Kind::End)
                && !self.tokens[next].kind.begins_section()
                && self
                    .tokens
                    .get(next + 1)
                    .is_none_or(|token| token.kind != Kind::Colon || self.tokens[next].kind != Kind::Name);
        let neighbour = self.indent(self.tokens[next].place.span.start as usize);
        Some(match neighbour {
            Some(indent) if is_statement => indent.to_owned(),
            _ => blank(&self.text[line..start]),
        })
    }
}

/// Where the line ends, if only white space and comments that end on it stand between there and the byte.
fn blank_to_line_end(text: &str, mut at: usize) -> Option<usize> {
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
