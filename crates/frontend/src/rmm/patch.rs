//! Remedies to edits of the text.
//!
//! The text is parsed once more, because where a fence can stand depends on what is around the statement: in a list it
//! is put between two `;`, and a statement that is the whole branch of an `if` or body of a `while` gets braces. A
//! statement in a macro is changed where it is written, and so for every use; it gets braces if any use needs them.
//!
//! Text of a macro can be a statement in one use and a piece of a larger one in another. So the result is parsed, and
//! refused unless it holds exactly the statements it should, see [`Tally`].
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
use crate::patch::{
    Edits, PatchError, Patched, Rank, apply_edits, blank, blank_to_line_end, line_end, line_start,
    newline_near,
};

/// The edits that make the remedies.
pub(super) fn patch(source: &SourceMap, file: FileId, program: &Program, remedies: &[Remedy]) -> Patched {
    let text = source.file(file).text();
    let tokens = lexer::lex(file, text, &mut Vec::new());
    let uses = uses(text, &tokens).unwrap_or_default();
    let edits_for = |remedies: &[Remedy]| {
        let changes = changes(program, text, &uses, remedies)?;
        let writer = Writer { text, tokens: &tokens };
        let mut edits = Edits::default();
        let mut tally = Tally::of(&uses);
        for change in changes.values() {
            writer.write(change, &mut edits);
            tally.expect(change);
        }
        let edits = edits.finish();
        let patched = apply_edits(text, &edits);
        let found = self::uses(&patched, &lexer::lex(file, &patched, &mut Vec::new()));
        let is_right = found.is_some_and(|found| Tally::of(&found) == tally);
        Ok((edits, is_right))
    };
    let (edits, is_right) = edits_for(remedies)?;
    if is_right {
        return Ok(edits);
    }
    // One of them is to blame, or else they do not go together.
    for &remedy in remedies {
        if !edits_for(&[remedy])?.1 {
            return Err(refusal(program, remedy, PIECED));
        }
    }
    match remedies.last() {
        Some(&remedy) => Err(refusal(program, remedy, PIECED)),
        None => Ok(edits),
    }
}

const PIECED: &str = "the statement is pieced together by macros: there is no place in the text that is beside it, and \
                      only it, in all uses of the macro";

const NO_ORDERS: &str = "RMM has no words for orders";

fn refusal(program: &Program, remedy: Remedy, reason: &str) -> PatchError {
    PatchError { remedy, span: remedy.span(program), reason: reason.to_owned() }
}

/// What becomes of each statement.
fn changes(
    program: &Program,
    text: &str,
    uses: &BTreeMap<Span, Usage>,
    remedies: &[Remedy],
) -> Result<BTreeMap<StatementId, Change>, PatchError> {
    let mut changes: BTreeMap<StatementId, Change> = BTreeMap::new();
    for &remedy in remedies {
        let Some(id) = remedy.statement() else { return Err(refusal(program, remedy, NO_ORDERS)) };
        let found = program.statements[id].span.and_then(|span| Some((span, uses.get(&span)?)));
        let Some((span, usage)) = found else {
            return Err(refusal(program, remedy, "the statement does not stand in this text"));
        };
        let change = changes.entry(id).or_insert_with(|| Change::new(span, *usage));
        change.add(program, text, remedy).map_err(|reason| refusal(program, remedy, reason))?;
    }
    Ok(changes)
}

/// How many statements a text has, each counted as often as it is used.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    all: usize,
    fences: usize,
    store_fences: usize,
    writes: usize,
    store_ordered_writes: usize,
}

impl Tally {
    fn of(uses: &BTreeMap<Span, Usage>) -> Self {
        uses.values().fold(Tally::default(), |tally, usage| {
            let [all, fences, store_fences, writes, store_ordered_writes] = usage.n;
            Tally {
                all: tally.all + all,
                fences: tally.fences + fences,
                store_fences: tally.store_fences + store_fences,
                writes: tally.writes + writes,
                store_ordered_writes: tally.store_ordered_writes + store_ordered_writes,
            }
        })
    }

    /// Counts what the change should make.
    fn expect(&mut self, change: &Change) {
        let n_uses = change.usage.n[0];
        let mut add = |kind: FenceKind| {
            self.all += n_uses;
            match kind {
                FenceKind::Full => self.fences += n_uses,
                FenceKind::StoreStore => self.store_fences += n_uses,
            }
        };
        change.before.iter().chain(&change.after).copied().for_each(&mut add);
        if change.atomic && change.usage.what == What::StoreOrderedWrite {
            add(FenceKind::StoreStore);
            self.store_ordered_writes -= n_uses;
        } else if change.atomic {
            self.writes -= n_uses;
        }
    }
}

/// What a statement is, as far as it matters here.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
enum What {
    Write,
    StoreOrderedWrite,
    Fence,
    StoreFence,
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
    /// How many uses there are: all, and those as a fence, store-store fence, write and `slocked write`.
    n: [usize; 5],
}

impl Usage {
    fn and(self, other: Usage) -> Usage {
        Usage {
            what: if self.what == other.what { self.what } else { What::Mixed },
            lone: self.lone || other.lone,
            in_locked: self.in_locked || other.in_locked,
            open_before: self.open_before && other.open_before,
            open_after: self.open_after && other.open_after,
            n: std::array::from_fn(|i| self.n[i] + other.n[i]),
        }
    }
}

/// All statements of a text by the text they are written as; nothing if it cannot be parsed.
fn uses(text: &str, tokens: &[Token]) -> Option<BTreeMap<Span, Usage>> {
    let mut frames = Frames::new();
    let mut problems = Vec::new();
    let tokens = macros::expand(text, tokens, &mut frames, &mut problems)?;
    let tree = parser::parse(text, &tokens, &frames, &mut problems);
    let mut uses = BTreeMap::new();
    tree.processes.iter().for_each(|process| list_uses(&process.text, false, &mut uses));
    problems.is_empty().then_some(uses)
}

fn list_uses(list: &[Statement], in_locked: bool, uses: &mut BTreeMap<Span, Usage>) {
    list.iter().for_each(|statement| statement_uses(statement, false, in_locked, uses));
}

fn statement_uses(statement: &Statement, lone: bool, in_locked: bool, uses: &mut BTreeMap<Span, Usage>) {
    let what = match &statement.kind {
        StatementKind::Write { strength: Strength::Plain, .. } => What::Write,
        StatementKind::Write { strength: Strength::StoreOrdered, .. } => What::StoreOrderedWrite,
        StatementKind::Fence => What::Fence,
        StatementKind::StoreFence => What::StoreFence,
        StatementKind::While { .. } => What::While,
        _ => What::Other,
    };
    let counted = [What::Fence, What::StoreFence, What::Write, What::StoreOrderedWrite];
    let n = std::array::from_fn(|i| usize::from(i == 0 || counted[i - 1] == what));
    let Statement { open_before, open_after, .. } = *statement;
    let usage = Usage { what, lone, in_locked, open_before, open_after, n };
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
            Remedy::Order(..) => return Err(NO_ORDERS),
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

    /// Whether the token and the one behind it are a label.
    fn is_label(&self, index: usize) -> bool {
        let colon = self.tokens.get(index + 1).is_some_and(|token| token.kind == Kind::Colon);
        colon && self.tokens[index].kind == Kind::Name
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
        let on_line = self.index_from(line)..self.index_from(start);
        if on_line.is_empty() || !on_line.step_by(2).all(|index| self.is_label(index)) {
            return None;
        }
        // Like the next statement, if that has a line for itself, else below this one.
        let next = self.index_from(behind);
        let kind = self.tokens[next].kind;
        let is_statement = !matches!(kind, Kind::CloseBrace | Kind::Or | Kind::EndMacro | Kind::End)
            && !kind.begins_section()
            && !self.is_label(next);
        let neighbour = self.indent(self.tokens[next].place.span.start as usize);
        Some(match neighbour {
            Some(indent) if is_statement => indent.to_owned(),
            _ => blank(&self.text[line..start]),
        })
    }
}
