//! Text for a person: the verdict first, then what backs it. Without colour the text is the same.

use std::fmt::{self, Write};

use fencewright_base::{Index, SourceMap, Stop};
use fencewright_engine::{Answer, Guarantee, Statistics, Unknown, Verdict};
use fencewright_ir::Program;
use fencewright_memory::{Execution, Model, Overtaking, Trace};

use crate::advice::advice_text;
use crate::cause::Cause;
use crate::literal::write_execution;
use crate::story::{Buffers, Done, Effect, Row, Story, TO_ITS_BUFFER};
use crate::table::{cut, pad, share, wrap};
use crate::words::{bounds_text, count, grouped, listing, violation_text};
use crate::{Advice, ModelResult, Report};

/// How the text should look.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct Style {
    /// Whether to use ANSI colours.
    pub color: bool,
    /// Characters a line may have. Tables keep to it as far as they can.
    pub width: usize,
}

/// What a verdict is called in a line, and its colour.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
enum Word {
    Holds,
    Explored,
    Bounded,
    Violated,
    Unknown,
    Replayed,
}

impl Word {
    fn of(report: &Report<'_>, verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Holds(_) if report.checked().is_empty() => Word::Explored,
            Verdict::Holds(Guarantee::Unbounded) => Word::Holds,
            Verdict::Holds(Guarantee::UpTo(_)) => Word::Bounded,
            Verdict::Violated(_) => Word::Violated,
            Verdict::Unknown(_) => Word::Unknown,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Word::Holds => "HOLDS",
            Word::Explored => "EXPLORED",
            Word::Bounded => "BOUNDED",
            Word::Violated => "VIOLATED",
            Word::Unknown => "UNKNOWN",
            Word::Replayed => "REPLAYED",
        }
    }

    fn color(self) -> &'static str {
        match self {
            Word::Holds | Word::Replayed => "1;32",
            Word::Explored | Word::Bounded | Word::Unknown => "1;33",
            Word::Violated => "1;31",
        }
    }
}

impl Style {
    pub(crate) fn paint(self, text: &str, color: &str) -> String {
        if self.color { format!("\x1b[{color}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// A table of verdicts, a row a file and a column a model. All reports must be about the same models.
pub fn matrix(reports: &[Report<'_>], style: Style) -> String {
    let mut out = String::new();
    let files: Vec<&str> = reports.iter().map(|report| report.file).collect();
    let first = files.iter().map(|file| file.chars().count()).max().unwrap_or(0).max("file".len());
    let models: Vec<Model> =
        reports.first().map(|report| report.results.iter().map(|r| r.model).collect()).unwrap_or_default();
    let mut heading = pad("file", first);
    for model in &models {
        heading.push_str("  ");
        heading.push_str(&pad(&model.name().to_uppercase(), "VIOLATED".len()));
    }
    out.push_str(heading.trim_end());
    out.push('\n');
    for report in reports {
        out.push_str(&pad(report.file, first));
        for (i, result) in report.results.iter().enumerate() {
            let word = Word::of(report, &result.answer.verdict);
            let last = i + 1 == report.results.len();
            let padding = if last { 0 } else { "VIOLATED".len() - word.text().len() };
            out.push_str("  ");
            out.push_str(&style.paint(word.text(), word.color()));
            out.push_str(&" ".repeat(padding));
        }
        out.push('\n');
    }
    out
}

/// The verdict under one model in a line.
pub fn headline(report: &Report<'_>, result: &ModelResult, style: Style) -> String {
    let ModelResult { model, answer, advice: _, literal: _ } = result;
    let word = Word::of(report, &answer.verdict);
    let states = count(answer.statistics.states, "state");
    let transitions = count(answer.statistics.transitions, "transition");
    let what = match &answer.verdict {
        Verdict::Holds(guarantee) if word == Word::Explored => {
            let within = match guarantee {
                Guarantee::Unbounded => String::new(),
                Guarantee::UpTo(bounds) => format!(" {}", bounds_text(bounds)),
            };
            format!("{states}, {transitions}{within}; the file states no property to check")
        }
        Verdict::Holds(guarantee) => guarantee_text(*model, guarantee),
        Verdict::Violated(_) if result.literal_execution().is_some() => {
            result.literal_execution().map(|execution| execution.message.clone()).unwrap_or_default()
        }
        Verdict::Violated(_) => {
            match answer.execution.as_ref().and_then(|e| Some((e, e.violation.as_ref()?))) {
                Some((execution, violation)) => {
                    violation_text(report.program, report.sources, violation, execution.last())
                }
                None => "there is an execution that breaks the property".to_owned(),
            }
        }
        Verdict::Unknown(unknown) => why(unknown),
    };
    let verdict = style.paint(word.text(), word.color());
    format!("{} under {}: {verdict} — {what}\n", report.file, model.name().to_uppercase())
}

/// All there is to say about the verdict under one model: the line, the execution, what was checked, what it cost.
pub fn details(report: &Report<'_>, result: &ModelResult, style: Style) -> String {
    let mut out = headline(report, result, style);
    write_details(&mut out, report, result, style).expect("writing to a string does not fail");
    out
}

fn write_details(out: &mut String, report: &Report<'_>, result: &ModelResult, style: Style) -> fmt::Result {
    let ModelResult { model: _, answer, advice, literal } = result;
    match &answer.verdict {
        Verdict::Violated(trace) => {
            if let Some(execution) = result.literal_execution() {
                out.push('\n');
                write_execution(out, execution, style)?;
                out.push('\n');
            } else if let Some(execution) = &answer.execution {
                out.push('\n');
                let Report { program, sources, .. } = report;
                out.push_str(&self::execution(program, sources, trace, execution, *advice, style));
            }
        }
        Verdict::Holds(guarantee) => {
            let names = literal.as_ref().map_or_else(|| report.checked(), |literal| literal.checks.clone());
            if !names.is_empty() {
                writeln!(out, "  checked: {}", names.join("; "))?;
            }
            if let Guarantee::UpTo(bounds) = guarantee {
                // What the reading of the text leaves out no search brings back.
                let further = if bounds.objects.is_some() { "--heap" } else { "--buffer" };
                if bounds.objects.is_some() || bounds.buffer.is_some() {
                    writeln!(out, "  to search further: a larger {further}")?;
                }
            }
        }
        Verdict::Unknown(unknown) => {
            let names = report.checked();
            if !names.is_empty() {
                writeln!(out, "  asked: {}", names.join("; "))?;
            }
            write_unknown(out, unknown, &answer.statistics, report.sources)?;
        }
    }
    for assumption in report.assumptions {
        writeln!(out, "  assuming: {assumption}")?;
    }
    if let Some(sentence) = literal.as_ref().and_then(|literal| literal.standing.sentence()) {
        for line in wrap(&sentence, style.width.saturating_sub(2)) {
            writeln!(out, "  {line}")?;
        }
    }
    writeln!(out, "  {}", statistics(answer))
}

pub(crate) fn guarantee_text(model: Model, guarantee: &Guarantee) -> String {
    match guarantee {
        Guarantee::Unbounded if model.queues_writes() => "proved for store buffers of any length".to_owned(),
        Guarantee::Unbounded => "proved for all executions".to_owned(),
        Guarantee::UpTo(bounds) => format!("no violation {} (not a proof)", bounds_text(bounds)),
    }
}

/// How far a guarantee that is no proof reaches: `with at most 2 writes per buffer`.
pub fn reach(guarantee: &Guarantee) -> String {
    match guarantee {
        Guarantee::Unbounded => "with store buffers of any length".to_owned(),
        Guarantee::UpTo(bounds) => bounds_text(bounds),
    }
}

/// Why there is no answer, in a phrase.
pub fn why(unknown: &Unknown) -> String {
    match unknown {
        Unknown::Stopped { stop, .. } => match stop {
            Stop::Time => "the time limit was reached",
            Stop::Memory => "the memory limit was reached",
            Stop::States => "the limit on states was reached",
            Stop::Cancelled => "interrupted",
        }
        .to_owned(),
        Unknown::Imprecise => "the engine found an execution that it could not make real".to_owned(),
        Unknown::Unsupported { feature, .. } => format!("the engine does not support {feature}"),
    }
}

pub(crate) fn write_unknown(
    out: &mut String,
    unknown: &Unknown,
    statistics: &Statistics,
    sources: &SourceMap,
) -> fmt::Result {
    match unknown {
        Unknown::Stopped { stop, explored } => {
            write!(out, "  no violation among the {} explored", count(statistics.states, "state"))?;
            match explored {
                Some(bounds) => writeln!(out, "; complete {}", bounds_text(bounds))?,
                None => writeln!(out)?,
            }
            match stop {
                Stop::Time => writeln!(out, "  to go on: a larger --timeout, or a smaller --buffer"),
                Stop::Memory => writeln!(out, "  to go on: a larger --memory, or a smaller --buffer"),
                Stop::States => {
                    writeln!(out, "  to go on: a larger --max-states and --memory, or a smaller --buffer")
                }
                Stop::Cancelled => Ok(()),
            }
        }
        Unknown::Imprecise => writeln!(out, "  to go on: another --engine"),
        Unknown::Unsupported { span, .. } => match span {
            Some(span) => writeln!(out, "  it stands at {}", sources.location(*span)),
            None => Ok(()),
        },
    }
}

pub(crate) fn statistics(answer: &Answer) -> String {
    let Statistics {
        states,
        transitions,
        peak_bytes: _,
        longest_buffer,
        buffer_bound: _,
        state_bits,
        seconds,
        shortest,
        deadlocks: _,
        error_states: _,
        state_bytes: _,
        abstraction: _,
    } = &answer.statistics;
    let mut parts = vec![count(*states, "state"), count(*transitions, "transition")];
    // An engine on abstract states has no buffers of a length.
    if *state_bits > 0 || *longest_buffer > 0 {
        parts.push(format!("longest buffer {}", grouped(*longest_buffer as u64)));
    }
    parts.push(time(*seconds));
    if *shortest {
        parts.push("shortest execution".to_owned());
    }
    let mut text = format!("{}: {}", engine_text(answer.engine, &answer.statistics), parts.join(", "));
    for part in answer.parts.iter().filter(|part| part.engine != answer.engine) {
        let said = match &part.verdict {
            Verdict::Holds(Guarantee::Unbounded) => "proved it too".to_owned(),
            Verdict::Holds(Guarantee::UpTo(bounds)) => format!("no violation {}", bounds_text(bounds)),
            Verdict::Violated(_) => "violated too".to_owned(),
            Verdict::Unknown(Unknown::Stopped { stop: Stop::Cancelled, .. }) => "stopped".to_owned(),
            Verdict::Unknown(unknown) => why(unknown),
        };
        let engine = engine_text(part.engine, &part.statistics);
        text.push_str(&format!("; {engine}: {}, {said}", count(part.statistics.states, "state")));
    }
    text
}

/// The engine with the abstraction it used, if it used one: `coherence pd:1`.
fn engine_text(engine: &str, statistics: &Statistics) -> String {
    match &statistics.abstraction {
        Some(abstraction) => format!("{engine} {abstraction}"),
        None => engine.to_owned(),
    }
}

fn time(seconds: f64) -> String {
    match seconds {
        ..0.001 => "<1 ms".to_owned(),
        ..1.0 => format!("{:.0} ms", seconds * 1000.0),
        _ => format!("{seconds:.1} s"),
    }
}

/// An execution that was given and replayed: what it comes to, and how it goes.
pub fn replayed(
    file: &str,
    program: &Program,
    sources: &SourceMap,
    (trace, advice): (&Trace, Option<Advice>),
    execution: &Execution,
    style: Style,
) -> String {
    let (word, what) = match &execution.violation {
        Some(violation) => (Word::Violated, violation_text(program, sources, violation, execution.last())),
        None => (Word::Replayed, "the execution is possible and violates nothing".to_owned()),
    };
    let verdict = style.paint(word.text(), word.color());
    let table = self::execution(program, sources, trace, execution, advice, style);
    format!("{file} under {}: {verdict} — {what}\n\n{table}", trace.model.name().to_uppercase())
}

/// An execution as a table with one column a thread, what it owes to the memory model, and the fence that forbids it.
pub fn execution(
    program: &Program,
    sources: &SourceMap,
    trace: &Trace,
    execution: &Execution,
    advice: Option<Advice>,
    style: Style,
) -> String {
    let story = Story::new(program, sources, trace, execution);
    let mut out = String::new();
    write_story(&mut out, program, &story, style).expect("writing to a string does not fail");
    if let Some(advice) = advice {
        let sentence = advice_text(program, sources, advice);
        wrap(&sentence, style.width.saturating_sub(2))
            .iter()
            .for_each(|line| out.push_str(&format!("  {line}\n")));
    }
    out.push('\n');
    out
}

fn write_story(out: &mut String, program: &Program, story: &Story, style: Style) -> fmt::Result {
    let chosen = story.initial.iter().filter(|open| open.matters);
    let chosen: Vec<String> = chosen.map(|open| format!("{} = {}", open.name, open.value)).collect();
    if !chosen.is_empty() {
        writeln!(out, "  starting with {}, which the program leaves open", listing(chosen))?;
    }
    if story.rows.is_empty() {
        writeln!(out, "  the initial state, before any step")?;
        if story.repeats_from.is_some() {
            writeln!(out, "{AT_REST}")?;
        }
    } else {
        write_table(out, program, story, style)?;
    }
    if !story.outcome.is_empty() {
        let values: Vec<String> =
            story.outcome.iter().map(|(name, value)| format!("{name}={value};")).collect();
        writeln!(out, "\n  in the end: {}", values.join(" "))?;
    }
    if let Some(sentence) = cause_text(program, story) {
        out.push('\n');
        for line in wrap(&sentence, style.width.saturating_sub(2)) {
            writeln!(out, "  {line}")?;
        }
    }
    Ok(())
}

/// What the execution owes to the memory model, in a sentence.
pub(crate) fn cause_text(program: &Program, story: &Story) -> Option<String> {
    let line = |position| story.line_of(position).map(|line| format!(" (line {line})")).unwrap_or_default();
    let name = |position: usize| &program.threads[story.rows[position].thread].name;
    match &story.cause {
        Cause::Nothing => None,
        Cause::AlsoUnderSc => {
            Some("It needs no reordering: this happens under sequential consistency too.".to_owned())
        }
        Cause::Overtaken(Overtaking { write, cell, of_read, overtaken_by, other_cell, by_read }) => {
            let (thread, cell, other) =
                (name(*write), program.cell_name(*cell), program.cell_name(*other_cell));
            let (first, second) = (line(*write), line(*overtaken_by));
            Some(if *of_read {
                let later = if *by_read { "read of" } else { "write to" };
                format!(
                    "{thread}'s read of {cell}{first} was performed after {thread}'s later {later} {other}{second}."
                )
            } else if *by_read {
                format!(
                    "{thread}'s write to {cell}{first} was still in its store buffer when {thread} read {other}{second}."
                )
            } else {
                format!(
                    "{thread}'s write to {cell}{first} was still in its store buffer when {thread}'s later write to \
                     {other}{second} reached memory."
                )
            })
        }
        Cause::StillPending(writes) => {
            let writes = writes.iter().map(|(position, cell)| {
                format!("{}'s write to {}{}", name(*position), program.cell_name(*cell), line(*position))
            });
            Some(if story.repeats_from.is_some() {
                format!("These never reach memory: {}.", listing(writes))
            } else {
                format!("In the end these had not reached memory: {}.", listing(writes))
            })
        }
        Cause::TooLong => None,
    }
}

/// Past this many threads a column each would leave no room for what they do: a list names the thread in each row.
const MOST_COLUMNS: usize = 6;
/// A column narrower than this tells nothing.
const LEAST_COLUMN: usize = 10;
/// What a thread column may take at most, so that the table does not grow wider than it is read.
const WIDEST_COLUMN: usize = 40;
/// What the last column, which says what happened, has at least.
const LEAST_ROOM: usize = 30;
/// More rows than this do not fit on a screen: then those that only test what the thread knows are left out.
const SCREEN: usize = 24;
const GAP: &str = "  ";
/// How an execution that comes to rest goes on.
const AT_REST: &str = "  then nothing can happen any more";

fn write_table(out: &mut String, program: &Program, story: &Story, style: Style) -> fmt::Result {
    let guilty = match &story.cause {
        Cause::Overtaken(pair) => vec![pair.write, pair.overtaken_by],
        _ => Vec::new(),
    };
    let number = |row: &Row| row.place.as_ref().map_or_else(String::new, |place| place.line.to_string());
    let lines = story.rows.iter().map(|row| number(row).len()).max().unwrap_or(0).max("line".len());
    // The mark, a space, the line number.
    let margin = 2 + lines + GAP.len();

    let n_threads = program.threads.len();
    let beside = |last: usize| style.width.saturating_sub(margin + last);
    let fits = |room: usize| n_threads <= MOST_COLUMNS && room / n_threads.max(1) >= LEAST_COLUMN + GAP.len();
    // Where the threads leave room, one line is enough to say where a value comes from.
    let wide = beside(LEAST_ROOM.max(style.width * 3 / 8));
    let room = if fits(wide) { wide } else { beside(LEAST_ROOM) };
    let in_columns = fits(room);
    let column_of = |row: &Row| if in_columns { row.thread.index() } else { 0 };
    let cell_text = |row: &Row| {
        if in_columns {
            row.text.clone()
        } else {
            format!("{}: {}", program.threads[row.thread].name, row.text)
        }
    };
    let heads: Vec<String> = if in_columns {
        program.threads.iter().map(|thread| thread.name.clone()).collect()
    } else {
        vec!["thread: statement".to_owned()]
    };
    let mut wants: Vec<usize> = heads.iter().map(|head| head.chars().count()).collect();
    for row in &story.rows {
        let want = &mut wants[column_of(row)];
        *want = cell_text(row).chars().count().max(*want).min(WIDEST_COLUMN);
    }
    let widths = share(&wants, room.saturating_sub(heads.len() * GAP.len()).max(heads.len()));
    let left = margin + widths.iter().map(|width| width + GAP.len()).sum::<usize>();
    let room = style.width.saturating_sub(left).max(LEAST_ROOM);

    let mut heading = format!("  {:>lines$}{GAP}", "line");
    for (head, width) in heads.iter().zip(&widths) {
        heading.push_str(&pad(&cut(head, *width), *width));
        heading.push_str(GAP);
    }
    heading.push_str("what happens");
    writeln!(out, "{heading}")?;
    let is_shown = |position: usize, tests: bool| {
        let row = &story.rows[position];
        guilty.contains(&position)
            || !is_silent(program, row)
                && !position.checked_sub(1).is_some_and(|before| passes_at_once(story, before))
                && (tests || row.changes_buffers || !story.phrases(program, row).is_empty())
    };
    let tests = (0..story.rows.len()).filter(|&position| is_shown(position, true)).count() <= SCREEN;
    let mut left_out = false;
    for (position, row) in story.rows.iter().enumerate() {
        if story.repeats_from == Some(position) {
            writeln!(out, "{}", style.paint("  then for ever:", "1"))?;
        }
        let is_guilty = guilty.contains(&position);
        if !is_shown(position, tests) {
            left_out |= is_shown(position, true);
            continue;
        }
        let mark = if is_guilty { '►' } else { ' ' };
        let mut line = format!("{mark} {:>lines$}{GAP}", number(row));
        for (i, width) in widths.iter().enumerate() {
            let text = if i == column_of(row) { cut(&cell_text(row), *width) } else { String::new() };
            line.push_str(&pad(&text, *width));
            line.push_str(GAP);
        }
        let was_cut = cell_text(row).chars().count() > widths[column_of(row)];
        for (i, part) in happened(program, story, position, was_cut, room).into_iter().enumerate() {
            if i > 0 {
                line = " ".repeat(left);
            }
            line.push_str(&part);
            let line = line.trim_end();
            writeln!(out, "{}", if is_guilty { style.paint(line, "1;31") } else { line.to_owned() })?;
        }
    }
    if story.repeats_from == Some(story.rows.len()) {
        writeln!(out, "{AT_REST}")?;
    }
    if left_out {
        writeln!(out, "  (tests of what a thread has read before are left out)")?;
    }
    Ok(())
}

/// Whether the action writes, and the write reaches memory before anything else happens: that is shown as one. Those
/// that the cause is about are shown as they are.
fn passes_at_once(story: &Story, position: usize) -> bool {
    let next = position + 1;
    let Some(Done::Flush { written_by: Some(writer), .. }) = story.rows.get(next).map(|row| &row.done) else {
        return false;
    };
    let is_guilty = matches!(&story.cause, Cause::Overtaken(pair) if pair.write == position || pair.overtaken_by == position);
    let Done::Step { effects, .. } = &story.rows[position].done else { return false };
    let writes = effects.iter().filter(|effect| matches!(effect, Effect::Write { .. })).count();
    *writer == position && writes == 1 && !is_guilty && story.repeats_from != Some(next)
}

/// Whether it is a step that does nothing and arrives nowhere: a jump, or a place that only a fence would fill.
fn is_silent(program: &Program, row: &Row) -> bool {
    let Done::Step { edge, .. } = &row.done else { return false };
    let step = &program.edge(row.thread, *edge).step;
    step.ops.is_empty() && step.lock.is_none() && row.arrives_at.is_none() && row.failure.is_none()
}

/// What an action did, and its thread's buffers if they changed, in lines of at most `room` characters. `was_cut`: the
/// thread's column does not show its text whole.
fn happened(program: &Program, story: &Story, position: usize, was_cut: bool, room: usize) -> Vec<String> {
    let row = &story.rows[position];
    let mut parts = story.phrases(program, row);
    if passes_at_once(story, position) {
        for part in &mut parts {
            if let Some(write) = part.strip_suffix(TO_ITS_BUFFER) {
                *part = format!("{write} to memory, at once");
            }
        }
        return wrap(&parts.join("; "), room);
    }
    if was_cut && matches!(row.done, Done::Flush { .. }) {
        parts.push(row.text.clone());
    }
    let mut lines = wrap(&parts.join("; "), room);
    if row.changes_buffers {
        let name = &program.threads[row.thread].name;
        let buffers =
            format!("{name}: {}", buffers_text(row.buffers.iter().find(|b| b.thread == row.thread)));
        let last = lines.last_mut().expect("wrapping gives at least a line");
        if last.is_empty() {
            *last = buffers;
        } else if last.chars().count() + 3 + buffers.chars().count() <= room {
            last.push_str("   ");
            last.push_str(&buffers);
        } else {
            lines.extend(wrap(&buffers, room));
        }
    }
    lines
}

/// `[x=1, y=2]`, a pair of brackets for each queue; `|` is the mark of a store-store fence.
pub(crate) fn buffers_text(buffers: Option<&Buffers>) -> String {
    let Some(Buffers { queues, .. }) = buffers else { return "[]".to_owned() };
    let entry = |entry: &Option<(String, fencewright_base::Int)>| match entry {
        Some((name, value)) => format!("{name}={value}"),
        None => "|".to_owned(),
    };
    let queue =
        |queue: &Vec<Option<_>>| format!("[{}]", queue.iter().map(entry).collect::<Vec<_>>().join(", "));
    queues.iter().map(queue).collect::<Vec<_>>().join(" ")
}
