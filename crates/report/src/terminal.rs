//! Text for a person: the verdict first, then what backs it. Without colour the text is the same.

use std::fmt::{self, Write};

use fencewright_base::{SourceMap, Stop};
use fencewright_engine::{Answer, Guarantee, Statistics, Unknown, Verdict};
use fencewright_ir::Program;
use fencewright_memory::{Execution, Model, Overtaking, Trace};

use crate::advice::advice_text;
use crate::cause::Cause;
use crate::literal::write_execution;
use crate::rows::{AT_REST, write_table};
use crate::story::Story;
use crate::table::{pad, wrap};
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
                    violation_text(report.program, report.sources, violation, execution)
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
    // A proof and a search that did not end are about the same.
    let looked_for = || literal.as_ref().map_or_else(|| report.checked(), |literal| literal.checks.clone());
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
            let names = looked_for();
            if !names.is_empty() {
                writeln!(out, "  checked: {}", names.join("; "))?;
            }
            if report.has_no_assertions() {
                writeln!(out, "  the text has no assertions")?;
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
            let names = looked_for();
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
        Some(violation) => (Word::Violated, violation_text(program, sources, violation, execution)),
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
    let line = |position| match story.at_line(position).strip_prefix(" at ") {
        Some(place) => format!(" ({place})"),
        None => String::new(),
    };
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
