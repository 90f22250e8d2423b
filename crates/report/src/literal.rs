//! What the literal machine says of a compiled program: how far it confirms a proof, and executions that it found itself.
//! The words of an execution are made by whoever knows the modules; here they are laid out.

use std::fmt::{self, Write};

use serde::Serialize;

use crate::table::{cut, pad, share, wrap};
use crate::terminal::Style;
use crate::words::grouped;

/// What the literal machine says of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal {
    /// How it stands to the answer.
    pub standing: Standing,
    /// An execution that it found itself, if that is the answer.
    pub execution: Option<LiteralExecution>,
    /// What it looked for, a word each.
    pub checks: Vec<String>,
}

/// How the literal machine stands to an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// The answer is its own.
    Decided,
    /// It proved the same: so many states.
    Confirmed(u64),
    /// It found nothing against it in so many states.
    Agrees(u64),
    /// The execution that is shown is one of its own, too.
    Replayed,
    /// Whether it is, was not found out in its time.
    NotReplayed,
    /// It could not look: why.
    Unavailable(String),
}

impl Standing {
    /// In a sentence; nothing where there is nothing to add.
    pub fn sentence(&self) -> Option<String> {
        Some(match self {
            Standing::Decided => return None,
            Standing::Confirmed(states) => {
                format!("confirmed on the literal machine, all {} states", grouped(*states))
            }
            Standing::Agrees(0) => "the literal machine had no time to check this".to_owned(),
            Standing::Agrees(states) => {
                format!("on the literal machine: {} states, no disagreement", grouped(*states))
            }
            Standing::Replayed => "the execution was replayed on the literal machine".to_owned(),
            Standing::NotReplayed => "not replayed on the literal machine within its time".to_owned(),
            Standing::Unavailable(why) => format!("not confirmed on the literal machine: {why}"),
        })
    }
}

/// An execution of the literal machine, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiteralExecution {
    /// What is wrong, in a sentence.
    pub message: String,
    /// What was looked for, in a word: `assertions`, `memory`, …
    pub check: String,
    /// Where it is wrong.
    pub place: Option<LiteralPlace>,
    /// The threads' names, by number.
    pub threads: Vec<String>,
    /// What happened.
    pub rows: Vec<LiteralRow>,
    /// What it owes to the memory model, in a sentence.
    pub cause: Option<String>,
    /// What names in it stand for, a line each.
    pub notes: Vec<String>,
}

/// A place of the user's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LiteralPlace {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiteralRow {
    /// The thread, by number.
    pub thread: usize,
    /// Where it stands.
    pub place: Option<LiteralPlace>,
    /// The statement.
    pub text: String,
    /// What happened.
    pub what: String,
    /// The kind, for scripts: `read`, `write`, `flush`, …
    pub kind: &'static str,
    /// Whether the execution turns on it.
    pub marked: bool,
}

/// Rows of a long execution that are shown of its beginning and of its end.
const FIRST_ROWS: usize = 100;
const LAST_ROWS: usize = 200;

/// The rows in the middle of a long execution, up to the first that is marked.
fn left_out(rows: &[LiteralRow]) -> std::ops::Range<usize> {
    let end = rows.len().saturating_sub(LAST_ROWS);
    let marked = rows.iter().skip(FIRST_ROWS).position(|row| row.marked);
    let end = marked.map_or(end, |marked| end.min(FIRST_ROWS + marked));
    // A few more are no trouble.
    if end > 2 * FIRST_ROWS { FIRST_ROWS..end } else { 0..0 }
}

/// An execution for scripts.
#[derive(Debug, Serialize)]
pub(crate) struct WireLiteral {
    standing: &'static str,
    states: Option<u64>,
    text: Option<String>,
    checks: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    execution: Option<WireLiteralExecution>,
}

#[derive(Debug, Serialize)]
pub(crate) struct WireLiteralExecution {
    check: String,
    place: Option<LiteralPlace>,
    threads: Vec<String>,
    rows: Vec<WireLiteralRow>,
    cause: Option<String>,
    notes: Vec<String>,
}

#[derive(Debug, Serialize)]
struct WireLiteralRow {
    thread: usize,
    kind: &'static str,
    place: Option<LiteralPlace>,
    text: String,
    what: String,
}

pub(crate) fn wire(literal: &Literal) -> WireLiteral {
    let Literal { standing, execution, checks } = literal;
    let (word, states) = match standing {
        Standing::Decided => ("decided", None),
        Standing::Confirmed(states) => ("confirmed", Some(*states)),
        Standing::Agrees(states) => ("agrees", Some(*states)),
        Standing::Replayed => ("replayed", None),
        Standing::NotReplayed => ("not-replayed", None),
        Standing::Unavailable(_) => ("unavailable", None),
    };
    let execution = execution.as_ref().map(wire_execution);
    WireLiteral { standing: word, states, text: standing.sentence(), checks: checks.clone(), execution }
}

pub(crate) fn wire_execution(execution: &LiteralExecution) -> WireLiteralExecution {
    let row = |row: &LiteralRow| WireLiteralRow {
        thread: row.thread,
        kind: row.kind,
        place: row.place.clone(),
        text: row.text.clone(),
        what: row.what.clone(),
    };
    WireLiteralExecution {
        check: execution.check.clone(),
        place: execution.place.clone(),
        threads: execution.threads.clone(),
        rows: execution.rows.iter().map(row).collect(),
        cause: execution.cause.clone(),
        notes: execution.notes.clone(),
    }
}

/// More columns than this leave no room for what the threads do.
const MOST_COLUMNS: usize = 4;
const GAP: &str = "  ";

/// An execution as a table: where, who, which statement, what happened.
pub(crate) fn write_execution(out: &mut String, execution: &LiteralExecution, style: Style) -> fmt::Result {
    let LiteralExecution { threads, rows, .. } = execution;
    let several_files = {
        let mut files: Vec<&str> =
            rows.iter().filter_map(|row| row.place.as_ref().map(|place| &place.file[..])).collect();
        files.sort_unstable();
        files.dedup();
        files.len() > 1
    };
    let place_text = |row: &LiteralRow| match &row.place {
        None => String::new(),
        Some(place) if several_files => {
            let name = place.file.rsplit('/').next().unwrap_or(&place.file);
            format!("{name}:{}", place.line)
        }
        Some(place) => place.line.to_string(),
    };
    let heading = if several_files { "place" } else { "line" };
    let places = rows.iter().map(|row| place_text(row).chars().count()).max().unwrap_or(0).max(heading.len());
    // Only threads that do something have a column.
    let mut acting: Vec<usize> = rows.iter().map(|row| row.thread).collect();
    acting.sort_unstable();
    acting.dedup();
    let name = |thread: usize| threads.get(thread).cloned().unwrap_or_else(|| format!("thread {thread}"));
    let in_columns = acting.len() <= MOST_COLUMNS;
    let heads: Vec<String> = if in_columns {
        acting.iter().map(|thread| name(*thread)).collect()
    } else {
        vec!["thread: statement".to_owned()]
    };
    let column_of = |row: &LiteralRow| {
        if in_columns { acting.iter().position(|thread| *thread == row.thread).unwrap_or(0) } else { 0 }
    };
    let cell = |row: &LiteralRow| {
        if in_columns { row.text.clone() } else { format!("{}: {}", name(row.thread), row.text) }
    };
    let mut wants: Vec<usize> = heads.iter().map(|head| head.chars().count()).collect();
    for row in rows {
        let want = &mut wants[column_of(row)];
        *want = cell(row).chars().count().clamp(*want, 40);
    }
    let margin = 2 + places + GAP.len();
    let last = 34.max(style.width * 3 / 8);
    let room = style.width.saturating_sub(margin + last + heads.len() * GAP.len()).max(12 * heads.len());
    let widths = share(&wants, room);
    let left = margin + widths.iter().map(|width| width + GAP.len()).sum::<usize>();
    let room = style.width.saturating_sub(left).max(30);
    let mut line = format!("  {heading:>places$}{GAP}");
    for (head, width) in heads.iter().zip(&widths) {
        line.push_str(&pad(&cut(head, *width), *width));
        line.push_str(GAP);
    }
    line.push_str("what happens");
    writeln!(out, "{line}")?;
    let left_out = left_out(rows);
    for (number, row) in rows.iter().enumerate() {
        if number == left_out.start && !left_out.is_empty() {
            let n = grouped(left_out.len() as u64);
            writeln!(out, "  {:>places$}{GAP}({n} rows are left out here; --format json has them)", "…")?;
        }
        if left_out.contains(&number) {
            continue;
        }
        let mark = if row.marked { '►' } else { ' ' };
        let mut line = format!("{mark} {:>places$}{GAP}", place_text(row));
        for (number, width) in widths.iter().enumerate() {
            let text = if number == column_of(row) { cut(&cell(row), *width) } else { String::new() };
            line.push_str(&pad(&text, *width));
            line.push_str(GAP);
        }
        for (number, part) in wrap(&row.what, room).into_iter().enumerate() {
            if number > 0 {
                line = " ".repeat(left);
            }
            line.push_str(&part);
            let line = line.trim_end();
            writeln!(out, "{}", if row.marked { style.paint(line, "1;31") } else { line.to_owned() })?;
        }
    }
    if !execution.notes.is_empty() {
        out.push('\n');
        for note in &execution.notes {
            writeln!(out, "  {note}")?;
        }
    }
    if let Some(cause) = &execution.cause {
        out.push('\n');
        for line in wrap(cause, style.width.saturating_sub(2)) {
            writeln!(out, "  {line}")?;
        }
    }
    Ok(())
}
