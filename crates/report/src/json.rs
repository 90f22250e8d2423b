//! JSON for scripts. The types here are the wire format and nothing else: working types change, these names stay. The
//! format is described by `docs/json-schema/check-1.json` and `litmus-1.json`; a change of meaning changes `schema`.
//!
//! Fields may be added. Numbers past 64 bits are written as strings of digits.

use fencewright_base::{Diagnostic, Int, Label, Severity, SourceMap, Stop};
use fencewright_engine::{Guarantee, Statistics, Unknown, Verdict};
use fencewright_memory::{ReadFrom, Violation, WriteTo};
use serde::{Deserialize, Serialize};

use crate::cause::Cause;
use crate::fix::FixReport;
use crate::fix_json::{self, WireRepair};
use crate::json_bounds::WireBounds;
use crate::literal::{self, LiteralPlace, WireLiteral};
use crate::litmus_log::Log;
use crate::story::{Chosen, Done, Effect, Open, PendingWrite, Story};
use crate::terminal::cause_text;
use crate::wording::failing_place;
use crate::words::violation_text;
use crate::{ModelResult, Report};

/// The version of the format.
const SCHEMA: u32 = 1;

/// The name and version that the output carries.
pub const TOOL: &str = concat!("fencewright ", env!("CARGO_PKG_VERSION"));

/// The object that `check --format json` prints: results by file and then by model, and what was wrong with files that
/// could not be read as programs.
pub fn check(reports: &[Report<'_>], diagnostics: Vec<WireDiagnostic>) -> String {
    let results: Vec<WireResult> = reports
        .iter()
        .flat_map(|report| report.results.iter().map(move |result| wire_result(report, result)))
        .collect();
    let file = match reports {
        [only] => Some(only.file.to_owned()),
        _ => None,
    };
    document(&Check { schema: SCHEMA, tool: TOOL, command: "check", file, results, diagnostics })
}

/// The object that `fix --format json` prints: what `check` prints, each result with its repair.
pub fn fix(reports: &[FixReport<'_>], diagnostics: Vec<WireDiagnostic>) -> String {
    let result = |fix: &FixReport<'_>| {
        let &FixReport { file, program, sources, model, repair, stated, looked_for, literal, .. } = fix;
        let literal = literal.map(|fix| fix.literal.clone());
        let result = ModelResult { model, answer: fix_json::answer(repair), advice: None, literal };
        let results = Vec::new();
        let report = Report { file, program, sources, stated, looked_for, assumptions: &[], results };
        WireResult { repair: Some(fix_json::wire_repair(fix)), ..wire_result(&report, &result) }
    };
    let results: Vec<WireResult> = reports.iter().map(result).collect();
    let file = reports.first().map(|report| report.file.to_owned());
    document(&Check { schema: SCHEMA, tool: TOOL, command: "fix", file, results, diagnostics })
}

/// The object that `litmus --format json` prints.
pub fn litmus(tests: Vec<WireTest>, diagnostics: Vec<WireDiagnostic>) -> String {
    document(&Litmus { schema: SCHEMA, tool: TOOL, command: "litmus", tests, diagnostics })
}

pub(crate) fn document(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("wire types have string keys only");
    text.push('\n');
    text
}

#[derive(Serialize)]
struct Check {
    schema: u32,
    tool: &'static str,
    command: &'static str,
    file: Option<String>,
    results: Vec<WireResult>,
    diagnostics: Vec<WireDiagnostic>,
}

#[derive(Serialize)]
struct Litmus {
    schema: u32,
    tool: &'static str,
    command: &'static str,
    tests: Vec<WireTest>,
    diagnostics: Vec<WireDiagnostic>,
}

#[derive(Serialize)]
struct WireResult {
    file: String,
    model: &'static str,
    verdict: &'static str,
    guarantee: Option<&'static str>,
    bounds: Option<WireBounds>,
    reason: Option<&'static str>,
    /// What was found, or not found, in a sentence.
    message: Option<String>,
    property: Option<String>,
    /// Where it goes wrong, for compiled programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<LiteralPlace>,
    assumptions: Vec<String>,
    engine: &'static str,
    stats: WireStats,
    initial: Vec<WireInitial>,
    trace: Option<Vec<WireAction>>,
    repeats_from: Option<usize>,
    guilty: Option<WireGuilty>,
    sc: Option<bool>,
    repair: Option<WireRepair>,
    /// What the literal machine says, for compiled programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    literal: Option<WireLiteral>,
}

#[derive(Serialize)]
struct WireStats {
    states: u64,
    transitions: u64,
    seconds: f64,
    peak_bytes: u64,
    longest_buffer: usize,
    buffer_bound: Option<usize>,
    state_bits: usize,
    shortest: bool,
    abstraction: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deadlocks: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_states: Option<u64>,
}

/// An open initial value that was chosen: of a cell, or of a register of a thread.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct WireInitial {
    pub(crate) name: String,
    pub(crate) cell: Option<u32>,
    pub(crate) thread: Option<u32>,
    pub(crate) register: Option<u32>,
    pub(crate) value: WireInt,
}

/// An action of a trace. What only shows is optional when it is read back; `trace_file` reads the rest.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct WireAction {
    pub(crate) kind: WireKind,
    pub(crate) thread: u32,
    #[serde(default)]
    file: Option<String>,
    #[serde(default)]
    line: Option<usize>,
    #[serde(default)]
    column: Option<usize>,
    #[serde(default)]
    pub(crate) text: Option<String>,
    #[serde(flatten)]
    pub(crate) what: WireWhat,
    #[serde(default)]
    buffers: Vec<WireBuffers>,
}

#[derive(Debug, Copy, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum WireKind {
    Step,
    Flush,
    Late,
}

/// The fields that only steps have, those that only flushes have, and those of what comes late.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct WireWhat {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) edge: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) receiver: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) receive: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) choices: Option<Vec<WireInt>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) guesses: Option<Vec<WireInt>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) step: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    made_at: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reads: Option<Vec<WireRead>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    writes: Option<Vec<WireWrite>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    assigns: Option<Vec<WireAssign>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cell: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    location: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<WireInt>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    written_by: Option<usize>,
}

#[derive(Debug, Serialize, Deserialize)]
struct WireRead {
    location: String,
    value: WireInt,
    from: String,
    written_by: Option<usize>,
}

#[derive(Debug, Serialize, Deserialize)]
struct WireWrite {
    location: String,
    value: WireInt,
    to: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct WireAssign {
    register: String,
    value: WireInt,
}

#[derive(Debug, Serialize, Deserialize)]
struct WireBuffers {
    thread: u32,
    /// Oldest write first; `null` is the mark of a store-store fence.
    queues: Vec<Vec<Option<WirePending>>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct WirePending {
    location: String,
    value: WireInt,
}

#[derive(Serialize)]
struct WireGuilty {
    write: usize,
    overtaken_by: usize,
    location: String,
    other_location: String,
    by: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<&'static str>,
}

/// An integer: a JSON number if it fits into 64 bits, else a string of digits.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum WireInt {
    Small(i64),
    Big(String),
}

impl WireInt {
    fn new(value: &Int) -> Self {
        value.to_i64().map_or_else(|| WireInt::Big(value.to_string()), WireInt::Small)
    }

    /// The integer, if the digits are some.
    pub(crate) fn value(&self) -> Option<Int> {
        match self {
            WireInt::Small(value) => Some(Int::from(*value)),
            WireInt::Big(digits) => digits.parse().ok(),
        }
    }
}

fn wire_result(report: &Report<'_>, result: &ModelResult) -> WireResult {
    let asked_result = result;
    let ModelResult { model, answer, advice: _, literal } = result;
    let (verdict, guarantee, bounds, reason) = match &answer.verdict {
        Verdict::Holds(Guarantee::Unbounded) => ("holds", Some("unbounded"), None, None),
        Verdict::Holds(Guarantee::UpTo(bounds)) => ("holds", Some("bounded"), Some(bounds), None),
        Verdict::Violated(_) => ("violated", None, None, None),
        Verdict::Unknown(unknown) => {
            let explored = match unknown {
                Unknown::Stopped { explored, .. } => explored.as_ref(),
                Unknown::Imprecise | Unknown::Unsupported { .. } => None,
            };
            ("unknown", None, explored, Some(reason(unknown)))
        }
    };
    let bounds = bounds.map(WireBounds::new);
    let asked = report.checked();
    let verdict = if verdict == "holds" && asked.is_empty() { "explored" } else { verdict };
    let mut result = WireResult {
        file: report.file.to_owned(),
        model: model.name(),
        verdict,
        guarantee,
        bounds,
        reason,
        message: match &answer.verdict {
            Verdict::Unknown(Unknown::Unsupported { feature, .. }) => {
                Some(format!("the engine does not support {feature}"))
            }
            _ => None,
        },
        property: (!asked.is_empty()).then(|| asked.join("; ")),
        place: None,
        assumptions: report.assumptions.iter().map(|&text| text.to_owned()).collect(),
        engine: answer.engine,
        stats: wire_stats(&answer.statistics),
        initial: Vec::new(),
        trace: None,
        repeats_from: None,
        guilty: None,
        sc: None,
        repair: None,
        literal: literal.as_ref().map(literal::wire),
    };
    if let Some(execution) = asked_result.literal_execution() {
        result.message = Some(execution.message.clone());
        result.property = Some(execution.check.clone());
        result.place = execution.place.clone();
        return result;
    }
    if let (Verdict::Violated(trace), Some(execution)) = (&answer.verdict, &answer.execution) {
        let story = Story::new(report.program, report.sources, trace, execution);
        if let Some(violation) = &execution.violation {
            let text = violation_text(report.program, report.sources, violation, execution);
            result.message = Some(match cause_text(report.program, &story) {
                Some(why) => format!("{text}. {why}"),
                None => text,
            });
            result.place = failing_place(report.program, report.sources, execution);
            result.property = Some(match violation {
                Violation::Property(index) => asked[*index].clone(),
                Violation::Assertion { .. } => "assertions".to_owned(),
                Violation::Fault { .. } => "faults".to_owned(),
            });
        }
        result.initial = story.initial.iter().map(wire_initial).collect();
        result.guilty = match &story.cause {
            Cause::Overtaken(pair) => Some(WireGuilty {
                write: pair.write,
                overtaken_by: pair.overtaken_by,
                location: report.program.cell_name(pair.cell),
                other_location: report.program.cell_name(pair.other_cell),
                by: if pair.by_read { "read" } else { "write" },
                of: pair.of_read.then_some("read"),
            }),
            _ => None,
        };
        result.sc = (story.cause == Cause::AlsoUnderSc || !model.delays_writes()).then_some(true);
        result.trace = Some(wire_trace(&story));
        result.repeats_from = story.repeats_from;
    }
    result
}

fn reason(unknown: &Unknown) -> &'static str {
    match unknown {
        Unknown::Stopped { stop: Stop::Time, .. } => "time",
        Unknown::Stopped { stop: Stop::Memory, .. } => "memory",
        Unknown::Stopped { stop: Stop::States, .. } => "states",
        Unknown::Stopped { stop: Stop::Cancelled, .. } => "cancelled",
        Unknown::Imprecise => "imprecise",
        Unknown::Unsupported { .. } => "unsupported",
    }
}

fn wire_stats(statistics: &Statistics) -> WireStats {
    let Statistics {
        states,
        transitions,
        peak_bytes,
        longest_buffer,
        buffer_bound,
        state_bits,
        seconds,
        shortest,
        deadlocks,
        error_states,
        state_bytes: _,
        abstraction,
    } = statistics.clone();
    WireStats {
        states,
        transitions,
        seconds,
        peak_bytes,
        longest_buffer,
        buffer_bound,
        state_bits,
        shortest,
        abstraction,
        deadlocks,
        error_states,
    }
}

fn wire_initial(Chosen { open, name, value, matters: _ }: &Chosen) -> WireInitial {
    let (cell, thread, register) = match open {
        Open::Cell(cell) => (Some(cell.0), None, None),
        Open::Register(thread, reg) => (None, Some(thread.0), Some(reg.0)),
    };
    WireInitial { name: name.clone(), cell, thread, register, value: WireInt::new(value) }
}

pub(crate) fn wire_trace(story: &Story) -> Vec<WireAction> {
    let pending = |entry: &Option<PendingWrite>| {
        let (location, _, value) = entry.as_ref()?;
        Some(WirePending { location: location.clone(), value: WireInt::new(value) })
    };
    let action = |row: &crate::story::Row| {
        let (kind, mut what) = wire_what(&row.done);
        what.failure = row.failure.clone();
        WireAction {
            kind,
            thread: row.thread.0,
            file: row.place.as_ref().map(|place| place.file.clone()),
            line: row.place.as_ref().map(|place| place.line),
            column: row.place.as_ref().map(|place| place.column),
            text: Some(row.text.clone()),
            what,
            buffers: row
                .buffers
                .iter()
                .map(|buffers| WireBuffers {
                    thread: buffers.thread.0,
                    queues: buffers.queues.iter().map(|queue| queue.iter().map(pending).collect()).collect(),
                })
                .collect(),
        }
    };
    story.rows.iter().map(action).collect()
}

fn wire_what(done: &Done) -> (WireKind, WireWhat) {
    match done {
        Done::Flush { cell, location, value, written_by } => {
            let what = WireWhat {
                cell: Some(cell.0),
                location: Some(location.clone()),
                value: Some(WireInt::new(value)),
                written_by: *written_by,
                ..WireWhat::default()
            };
            (WireKind::Flush, what)
        }
        Done::Late { step, made_at, effects } => {
            let (step, made_at) = (Some(*step), Some(*made_at));
            (WireKind::Late, WireWhat { step, made_at, ..wire_effects(effects) })
        }
        Done::Step { edge, choices, effects, partner, guesses } => {
            let what = WireWhat {
                edge: Some(edge.0),
                choices: Some(choices.iter().map(WireInt::new).collect()),
                guesses: guesses.as_ref().map(|guesses| guesses.iter().map(WireInt::new).collect()),
                receiver: partner.map(|(thread, _)| thread.0),
                receive: partner.map(|(_, edge)| edge.0),
                ..wire_effects(effects)
            };
            (WireKind::Step, what)
        }
    }
}

fn wire_effects(effects: &[Effect]) -> WireWhat {
    let (mut reads, mut writes, mut assigns) = (Vec::new(), Vec::new(), Vec::new());
    for effect in effects {
        match effect {
            Effect::Read { cell: _, location, value, from, written_by } => reads.push(WireRead {
                location: location.clone(),
                value: WireInt::new(value),
                from: match from {
                    ReadFrom::Memory => "memory",
                    ReadFrom::OwnPending => "own-buffer",
                    ReadFrom::Later => "later",
                }
                .to_owned(),
                written_by: *written_by,
            }),
            Effect::Write { cell: _, location, value, to } => writes.push(WireWrite {
                location: location.clone(),
                value: WireInt::new(value),
                to: match to {
                    WriteTo::Memory => "memory",
                    WriteTo::Pending => "buffer",
                }
                .to_owned(),
            }),
            Effect::Assign { register, value, shown: _ } => {
                assigns.push(WireAssign { register: register.clone(), value: WireInt::new(value) })
            }
        }
    }
    WireWhat { reads: Some(reads), writes: Some(writes), assigns: Some(assigns), ..WireWhat::default() }
}

/// A litmus test's outcomes.
#[derive(Debug, Serialize)]
pub struct WireTest {
    name: String,
    file: String,
    model: &'static str,
    kind: Option<&'static str>,
    condition: Option<String>,
    states: Vec<String>,
    observation: Option<&'static str>,
    ok: Option<bool>,
    guarantee: Option<&'static str>,
    reason: Option<&'static str>,
    seconds: f64,
}

impl WireTest {
    /// A test whose outcomes are known, all of them or those within bounds.
    pub fn ran(file: &str, model: &'static str, log: &Log, guarantee: &Guarantee, seconds: f64) -> Self {
        WireTest {
            name: log.name.clone(),
            file: file.to_owned(),
            model,
            kind: Some(log.kind),
            condition: Some(log.condition.clone()),
            states: log.states.clone(),
            observation: Some(log.observation()),
            ok: Some(log.ok),
            guarantee: Some(match guarantee {
                Guarantee::Unbounded => "unbounded",
                Guarantee::UpTo(_) => "bounded",
            }),
            reason: None,
            seconds,
        }
    }

    /// A test whose outcomes are not known.
    pub fn stopped(name: &str, file: &str, model: &'static str, unknown: &Unknown, seconds: f64) -> Self {
        WireTest {
            name: name.to_owned(),
            file: file.to_owned(),
            model,
            kind: None,
            condition: None,
            states: Vec::new(),
            observation: None,
            ok: None,
            guarantee: None,
            reason: Some(reason(unknown)),
            seconds,
        }
    }
}

/// Something wrong with the input.
#[derive(Debug, Clone, Serialize)]
pub struct WireDiagnostic {
    pub(crate) code: Option<&'static str>,
    pub(crate) severity: &'static str,
    pub(crate) message: String,
    pub(crate) file: String,
    pub(crate) line: Option<usize>,
    pub(crate) column: Option<usize>,
    pub(crate) label: Option<String>,
    pub(crate) help: Option<String>,
}

impl WireDiagnostic {
    /// From a diagnostic in a text.
    pub fn new(diagnostic: &Diagnostic, sources: &SourceMap) -> Self {
        let Diagnostic { code, severity, message, primary: Label { span, text }, secondary: _, help } =
            diagnostic;
        let at = sources.line_column(*span);
        WireDiagnostic {
            code: Some(code.name),
            severity: match severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            message: message.clone(),
            file: sources.file(span.file).name().to_owned(),
            line: Some(at.line),
            column: Some(at.column),
            label: (!text.is_empty()).then(|| text.clone()),
            help: help.clone(),
        }
    }

    /// About a file as a whole, such as one that cannot be read.
    pub fn about_file(file: &str, message: String) -> Self {
        WireDiagnostic {
            code: None,
            severity: "error",
            message,
            file: file.to_owned(),
            line: None,
            column: None,
            label: None,
            help: None,
        }
    }
}
