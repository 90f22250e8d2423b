//! Remedies to edits of the text: a fence is a new row of the table with nothing in the columns of other threads, so
//! the order within every thread stays as it was. Fences of several threads at one height share a row.
//!
//! *Layout:* a new row has its `|` where the row of the statement has them. It is a line of its own if the rows around
//! it are. A fence before a labelled instruction takes the label over, and blanks stand where the label was. Mnemonics
//! are in small letters in `X86_64` and where the instruction beside is, else in capitals.
//!
//! A store cannot be made atomic here: the locked forms of it need a register, and which one is free is not known.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use fencewright_base::{FileId, SourceMap, Span};
use fencewright_ir::edit::Remedy;
use fencewright_ir::{FenceKind, Op, Program, Side, Site, StatementId};

use super::ast::{Cell, Dialect, Instruction, Operation, Row, Test};
use super::{lexer, parser};
use crate::patch::{Edit, Edits, PatchError, Patched, Rank, blank, line_end, line_start, newline_near};

/// The edits that make the remedies.
pub(super) fn patch(sources: &SourceMap, file: FileId, program: &Program, remedies: &[Remedy]) -> Patched {
    let text = sources.file(file).text();
    let test = parser::parse(sources, file, &mut Vec::new());
    let mut table = Table { text, gaps: BTreeMap::new(), moved: BTreeSet::new() };
    for &remedy in remedies {
        let span = remedy.span(program);
        let refuse = |reason: &str| PatchError { remedy, span, reason: reason.to_owned() };
        let found = test.as_ref().zip(span).and_then(|(test, span)| Some((test, find(test, span)?)));
        let Some((test, (cell, instruction))) = found else {
            return Err(refuse("the instruction does not stand in this text"));
        };
        match remedy {
            Remedy::Atomic(id) => atomic(program, id).map_err(refuse)?,
            Remedy::Order(..) => return Err(refuse("assembly has no words for orders")),
            Remedy::Fence(Site { statement, side }, kind) => {
                let statement = &program.statements[statement];
                let room = match side {
                    Side::Before => statement.fence_before,
                    Side::After => statement.fence_after,
                };
                if !room {
                    return Err(refuse(match instruction.operation {
                        Operation::Jump { .. } | Operation::Return => {
                            "a fence behind a jump is not passed when it is taken; put it before the jump or at the \
                             label"
                        }
                        _ => "no fence can stand between the two halves of one instruction",
                    }));
                }
                table.fence(test, cell, instruction, side, kind).map_err(refuse)?;
            }
        }
    }
    Ok(test.map_or_else(Vec::new, |test| table.write(&test.rows)))
}

/// The cell whose instruction stands there.
fn find(test: &Test, span: Span) -> Option<(&Cell, &Instruction)> {
    let cells = test.threads.iter().flatten();
    cells.filter_map(|cell| Some((cell, cell.instruction.as_ref()?))).find(|(_, at)| at.span == span)
}

/// Whether the instruction is atomic as it stands; it cannot be made so.
fn atomic(program: &Program, id: StatementId) -> Result<(), &'static str> {
    let steps = program.threads.iter().flat_map(|thread| &thread.edges).map(|edge| &edge.step);
    let mut writes = steps
        .filter(|step| step.statement == id)
        .filter(|step| step.ops.iter().any(|op| matches!(op, Op::Write { .. })))
        .peekable();
    if writes.peek().is_none() {
        return Err("the instruction does not write to memory");
    }
    if writes.all(|step| step.lock.is_some()) {
        return Ok(());
    }
    Err(
        "a store can be made atomic only with `XCHG` and a register that is free; use a fence behind it instead",
    )
}

/// Which fences one thread gets between two rows, from above.
#[derive(Debug, Default)]
struct Fences {
    /// Behind the instruction in the row above.
    behind: BTreeSet<FenceKind>,
    /// Before the instruction in the row below.
    before: BTreeSet<FenceKind>,
    /// The labels of that instruction, which come before these fences.
    labels: String,
    lower_case: bool,
}

/// What becomes of the table.
struct Table<'a> {
    text: &'a str,
    /// By the number of the row below, the head being row 0, and by the column.
    gaps: BTreeMap<usize, BTreeMap<usize, Fences>>,
    /// Labels that go to a fence, with their colons.
    moved: BTreeSet<(usize, usize)>,
}

impl Table<'_> {
    fn fence(
        &mut self,
        test: &Test,
        cell: &Cell,
        instruction: &Instruction,
        side: Side,
        kind: FenceKind,
    ) -> Result<(), &'static str> {
        let start = instruction.span.start;
        let row = test.rows.partition_point(|row| row.start.start <= start) - 1;
        let column = test.rows[row].ends.partition_point(|end| end.start < start);
        let gap = match side {
            Side::Before => row,
            Side::After => row + 1,
        };
        let fences = self.gaps.entry(gap).or_default().entry(column).or_default();
        let name = self.text[start as usize..].chars().next();
        fences.lower_case = test.dialect == Dialect::Att64 || name.is_some_and(|c| c.is_ascii_lowercase());
        match side {
            Side::After => {
                fences.behind.insert(kind);
            }
            Side::Before => {
                if fences.before.is_empty() {
                    for (label, span) in &cell.labels {
                        let behind = &self.text[span.end as usize..];
                        let blanks = behind.len() - behind.trim_start_matches([' ', '\t']).len();
                        if !behind[blanks..].starts_with(':') {
                            return Err("something stands between the label and its `:`");
                        }
                        self.moved.insert((span.start as usize, span.end as usize + blanks + 1));
                        fences.labels.push_str(&format!("{label}: "));
                    }
                }
                fences.before.insert(kind);
            }
        }
        Ok(())
    }

    fn write(&self, rows: &[Row]) -> Vec<Edit> {
        let mut edits = Edits::default();
        for &(start, end) in &self.moved {
            edits.replace(start..end, blank(&self.text[start..end]));
        }
        for (&gap, columns) in &self.gaps {
            self.write_gap(rows, gap, columns, &mut edits);
        }
        edits.finish()
    }

    /// New rows between two rows.
    fn write_gap(&self, rows: &[Row], gap: usize, columns: &BTreeMap<usize, Fences>, edits: &mut Edits) {
        let contents: BTreeMap<usize, Vec<String>> =
            columns.iter().map(|(&column, fences)| (column, fences.contents())).collect();
        let is_behind = columns.values().any(|fences| !fences.behind.is_empty());
        let n_columns = contents.keys().next_back().map_or(0, |last| last + 1);
        let models = if is_behind { [gap - 1, gap, 0] } else { [gap, gap - 1, 0] };
        let model = models.into_iter().find_map(|row| self.cells(rows, row, n_columns));
        let n_rows = contents.values().map(Vec::len).max().unwrap_or(0);
        let lines = (0..n_rows).map(|i| {
            let here: BTreeMap<usize, &str> = contents
                .iter()
                .filter_map(|(&column, cells)| Some((column, cells.get(i)?.as_str())))
                .collect();
            new_row(model.as_deref(), &here, n_columns)
        });
        let below = rows.get(gap).map(|row| row.start.start as usize);
        let below_line = below.map(|at| (line_start(self.text, at), at));
        let begins_line = |&(line, at): &(usize, usize)| self.text[line..at].trim().is_empty();
        match below_line.filter(|_| !is_behind).filter(begins_line) {
            Some((line, at)) => {
                let newline = newline_near(self.text, at);
                let lines: String = lines.map(|line| format!("{line}{newline}")).collect();
                edits.insert(line, Rank::Before(Reverse(at)), lines);
            }
            None => {
                let behind = rows[gap - 1].end();
                let rank = Rank::Behind(Reverse(behind));
                match self.blank_to_line_end(behind) {
                    Some(line_end) => {
                        let newline = newline_near(self.text, behind);
                        let lines: String = lines.map(|line| format!("{newline}{line}")).collect();
                        edits.insert(line_end, rank, lines);
                    }
                    None => {
                        let lines: String = lines.map(|line| format!(" {}", line.trim_start())).collect();
                        edits.insert(behind, rank, lines);
                    }
                }
            }
        }
    }

    /// The texts of a row's cells, if the row stands on one line and has at least so many.
    fn cells(&self, rows: &[Row], row: usize, n_columns: usize) -> Option<Vec<&str>> {
        let above = row.checked_sub(1).and_then(|above| rows.get(above)).map_or(0, Row::end);
        let row = rows.get(row)?;
        let mut start = line_start(self.text, row.start.start as usize).max(above);
        if row.ends.len() < n_columns || self.text[start..row.end()].contains('\n') {
            return None;
        }
        let cell = |end: &Span| {
            let cell = &self.text[start..end.start as usize];
            start = end.end as usize;
            cell
        };
        Some(row.ends.iter().map(cell).collect())
    }

    /// Where the line ends, if only white space and comments that end on it stand between there and the byte.
    fn blank_to_line_end(&self, mut at: usize) -> Option<usize> {
        let end = line_end(self.text, at);
        while at < end {
            at = if self.text[at..].starts_with("(*") {
                lexer::comment_end(self.text, at).filter(|&behind| behind <= end)?
            } else {
                at + self.text[at..].chars().next().filter(|c| c.is_whitespace())?.len_utf8()
            };
        }
        Some(end)
    }
}

impl Row {
    /// Where it ends.
    fn end(&self) -> usize {
        self.ends.last().unwrap_or(&self.start).end as usize
    }
}

impl Fences {
    /// The cells from above.
    fn contents(&self) -> Vec<String> {
        let name = |kind: &FenceKind| match (kind, self.lower_case) {
            (FenceKind::Full, false) => "MFENCE",
            (FenceKind::Full, true) => "mfence",
            (FenceKind::StoreStore, false) => "SFENCE",
            (FenceKind::StoreStore, true) => "sfence",
        };
        let behind = self.behind.iter().map(|kind| name(kind).to_owned());
        let before = self.before.iter().enumerate().map(|(i, kind)| {
            let labels = if i == 0 { self.labels.as_str() } else { "" };
            format!("{labels}{}", name(kind))
        });
        behind.chain(before).collect()
    }
}

/// A row with these cells filled, its separators where the model has them.
fn new_row(model: Option<&[&str]>, contents: &BTreeMap<usize, &str>, n_columns: usize) -> String {
    let n_columns = model.map_or(n_columns, <[&str]>::len);
    let cells: Vec<String> = (0..n_columns)
        .map(|column| {
            let model = model.map_or("  ", |model| model[column]);
            contents.get(&column).map_or_else(|| blank(model), |content| filled(model, content))
        })
        .collect();
    format!("{};", cells.join("|"))
}

/// The content where the model's is, and as wide as the model if there is room.
fn filled(model: &str, content: &str) -> String {
    let body = model.trim();
    let (lead, trail) = if body.is_empty() {
        model.split_at(model.chars().next().map_or(0, char::len_utf8))
    } else {
        let lead = model.len() - model.trim_start().len();
        (&model[..lead], &model[lead + body.len()..])
    };
    let (old, new) = (body.chars().count(), content.chars().count());
    let more = " ".repeat(old.saturating_sub(new));
    // What the content is wider than the model's is taken from the blanks behind it, but for one.
    let less = new.saturating_sub(old).min(trail.chars().count().saturating_sub(1));
    let trail: String = trail.chars().skip(less).collect();
    let trail = if trail.is_empty() && more.is_empty() { " " } else { &trail };
    format!("{lead}{content}{more}{trail}")
}
