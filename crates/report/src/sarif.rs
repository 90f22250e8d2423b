//! SARIF 2.1.0, the format of OASIS for results of static analysis: one run, a result for each verdict. The results of
//! `fix` are made in `fix_sarif`. The types here are those parts of the format that are written; the tests hold the
//! output against the published schema, `docs/json-schema/sarif-2.1.0.json`.
//!
//! - An execution is a code flow with a thread flow for each thread; `executionOrder` interleaves them.
//! - A proof is a result of kind `pass`. What is no proof and no violation is `open`, never `pass`.
//! - Columns count characters, and regions end behind their last character.
//! - What was wrong with the input stands in the run's invocation, with the codes of `explain`.

use std::collections::BTreeMap;

use fencewright_base::{Code, SourceMap, Span};
use fencewright_engine::{Guarantee, Verdict};
use fencewright_ir::{Program, Property};
use fencewright_memory::{Execution, Model, Trace, Violation};
use serde::Serialize;

use crate::cause::Cause;
use crate::fix::FixReport;
use crate::json::WireDiagnostic;
use crate::literal::LiteralPlace;
use crate::rows::buffers_text;
use crate::rules::{PROPERTY, RULES};
use crate::story::{Place, Row, Story};
use crate::terminal::{cause_text, guarantee_text, why};
use crate::wording::failing;
use crate::words::{checked, violation_text};
use crate::{ModelResult, Report, fix_sarif};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// What `check --format sarif` prints: a result for each file and model.
pub fn check(reports: &[Report<'_>], diagnostics: &[WireDiagnostic]) -> String {
    let results = reports.iter().flat_map(|report| report.results.iter().map(move |r| verdict(report, r)));
    log(results.collect(), diagnostics)
}

/// What `fix --format sarif` prints: for each model a result for each remedy of the repair, with its part of the change.
pub fn fix(reports: &[FixReport<'_>], diagnostics: &[WireDiagnostic]) -> String {
    log(reports.iter().flat_map(fix_sarif::results).collect(), diagnostics)
}

#[derive(Serialize)]
struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    invocations: [Invocation; 1],
    column_kind: &'static str,
    results: Vec<SarifResult>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
struct Driver {
    name: &'static str,
    version: &'static str,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: &'static str,
    short_description: Message,
    help: Message,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
struct Notification {
    level: &'static str,
    message: Message,
    #[serde(skip_serializing_if = "Option::is_none")]
    descriptor: Option<Descriptor>,
    locations: [Location; 1],
}

#[derive(Serialize)]
struct Descriptor {
    id: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SarifResult {
    rule_id: &'static str,
    rule_index: usize,
    kind: &'static str,
    level: &'static str,
    message: Message,
    locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) code_flows: Vec<CodeFlow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) fixes: Vec<Fix>,
    pub(crate) properties: Properties,
}

/// What has no place of its own in the format.
#[derive(Serialize)]
pub(crate) struct Properties {
    /// The model that was asked about.
    pub(crate) model: &'static str,
    /// All that was asked, or what is violated.
    #[serde(skip_serializing_if = "Option::is_none")]
    property: Option<String>,
    /// Of the remedy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cost: Option<u64>,
    /// Whether the repair that the remedy belongs to is proved to be a cheapest one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) minimum: Option<bool>,
}

#[derive(Serialize)]
pub(crate) struct Message {
    text: String,
}

impl Message {
    /// In messages braces stand for arguments; doubled they stand for themselves.
    pub(crate) fn new(text: impl AsRef<str>) -> Self {
        Message { text: text.as_ref().replace('{', "{{").replace('}', "}}") }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    physical_location: Option<PhysicalLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
pub(crate) struct ArtifactLocation {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Region {
    start_line: usize,
    start_column: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_column: Option<usize>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CodeFlow {
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message>,
    thread_flows: Vec<ThreadFlow>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ThreadFlow {
    id: String,
    /// The values that the program leaves open, as the execution chose them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    initial_state: BTreeMap<String, Message>,
    locations: Vec<ThreadFlowLocation>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ThreadFlowLocation {
    location: Location,
    kinds: [&'static str; 1],
    /// The thread's store buffer, where the action changes it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    state: BTreeMap<&'static str, Message>,
    /// Over all threads.
    execution_order: usize,
    importance: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Fix {
    pub(crate) description: Message,
    pub(crate) artifact_changes: Vec<ArtifactChange>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ArtifactChange {
    pub(crate) artifact_location: ArtifactLocation,
    pub(crate) replacements: Vec<Replacement>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Replacement {
    pub(crate) deleted_region: Region,
    pub(crate) inserted_content: Content,
}

/// What a file holds, not a message: braces stand for themselves.
#[derive(Serialize)]
pub(crate) struct Content {
    pub(crate) text: String,
}

fn log(results: Vec<SarifResult>, diagnostics: &[WireDiagnostic]) -> String {
    let rule = |code: &&'static Code| Rule {
        id: code.name,
        short_description: Message::new(code.title),
        help: Message::new(code.explanation),
    };
    let driver = Driver {
        name: "fencewright",
        version: env!("CARGO_PKG_VERSION"),
        rules: RULES.iter().map(rule).collect(),
    };
    let invocation = Invocation {
        execution_successful: diagnostics.iter().all(|diagnostic| diagnostic.severity != "error"),
        tool_execution_notifications: diagnostics.iter().map(notification).collect(),
    };
    let run =
        Run { tool: Tool { driver }, invocations: [invocation], column_kind: "unicodeCodePoints", results };
    crate::json::document(&Log { schema: SCHEMA, version: "2.1.0", runs: [run] })
}

fn notification(diagnostic: &WireDiagnostic) -> Notification {
    let WireDiagnostic { code, severity, message, file, line, column, label: _, help } = diagnostic;
    let region = line.zip(*column).map(|(start_line, start_column)| Region {
        start_line,
        start_column,
        end_line: None,
        end_column: None,
    });
    let physical_location = Some(PhysicalLocation { artifact_location: artifact(file), region });
    Notification {
        level: severity,
        message: Message::new(sentences([Some(message.clone()), help.clone()])),
        descriptor: code.map(|id| Descriptor { id }),
        locations: [Location { physical_location, message: None }],
    }
}

fn verdict(report: &Report<'_>, result: &ModelResult) -> SarifResult {
    let ModelResult { model, answer, advice: _, literal: _ } = result;
    let Report { file, program, sources, stated: _, looked_for: _, assumptions, results: _ } = report;
    let under = format!("Under {}", model.name().to_uppercase());
    let asked = report.checked();
    let assuming = (!assumptions.is_empty()).then(|| format!("Assuming: {}", assumptions.join("; ")));
    let all = (!asked.is_empty()).then(|| format!("Checked: {}", asked.join("; ")));
    let about = About { file, program, sources, model: *model };
    let kind = match &answer.verdict {
        Verdict::Violated(_) if result.literal_execution().is_some() => {
            let message =
                result.literal_execution().map(|execution| execution.message.clone()).unwrap_or_default();
            let at =
                result.literal_execution().and_then(|execution| line_of(sources, execution.place.as_ref()?));
            return about.result(
                &PROPERTY,
                Kind::Error,
                &sentences([Some(format!("{under}: {message}")), assuming]),
                at,
            );
        }
        Verdict::Violated(trace) => {
            let execution = answer.execution.as_ref().expect("the gate replayed the execution");
            return about.violated(&PROPERTY, trace, execution, &[assuming]);
        }
        Verdict::Holds(_) if asked.is_empty() => Kind::NotApplicable,
        Verdict::Holds(Guarantee::Unbounded) => Kind::Pass,
        Verdict::Holds(Guarantee::UpTo(_)) | Verdict::Unknown(_) => Kind::Open,
    };
    let what = match &answer.verdict {
        Verdict::Holds(_) if asked.is_empty() => "the file states no property to check".to_owned(),
        Verdict::Holds(guarantee) => guarantee_text(*model, guarantee),
        Verdict::Unknown(unknown) => why(unknown),
        Verdict::Violated(_) => unreachable!("it has returned above"),
    };
    about.result(&PROPERTY, kind, &sentences([Some(format!("{under}: {what}")), all, assuming]), None)
}

/// The line of a place that the literal machine names.
pub(crate) fn line_of(sources: &SourceMap, place: &LiteralPlace) -> Option<Span> {
    let (id, file) = sources.files().find(|(_, file)| file.name() == place.file)?;
    let before = file.text().split_inclusive('\n').take(place.line.checked_sub(1)?);
    let start = before.map(str::len).sum::<usize>();
    let length = file.text().get(start..)?.lines().next()?.len();
    Some(Span::new(id, start, start + length))
}

/// What a result says of its rule.
#[derive(Copy, Clone)]
pub(crate) enum Kind {
    /// It is kept.
    Pass,
    /// It is broken.
    Error,
    /// It is broken, and the program is right all the same.
    Note,
    /// Neither is known.
    Open,
    /// There is nothing to keep.
    NotApplicable,
}

/// What all results of one file and model share.
pub(crate) struct About<'a> {
    pub(crate) file: &'a str,
    pub(crate) program: &'a Program,
    pub(crate) sources: &'a SourceMap,
    pub(crate) model: Model,
}

impl About<'_> {
    /// A result at a place; without one at the first property, or else at the file.
    pub(crate) fn result(&self, rule: &Code, kind: Kind, message: &str, at: Option<Span>) -> SarifResult {
        let (kind, level) = match kind {
            Kind::Pass => ("pass", "none"),
            Kind::Error => ("fail", "error"),
            Kind::Note => ("fail", "note"),
            Kind::Open => ("open", "none"),
            Kind::NotApplicable => ("notApplicable", "none"),
        };
        let rule_index =
            RULES.iter().position(|known| known.name == rule.name).expect("every rule is in the table");
        let at = at.or_else(|| self.program.properties.iter().find_map(span_of));
        let physical_location = at.map_or_else(
            || PhysicalLocation { artifact_location: artifact(self.file), region: None },
            |span| physical(self.sources, span),
        );
        let asked = checked(self.program);
        SarifResult {
            rule_id: RULES[rule_index].name,
            rule_index,
            kind,
            level,
            message: Message::new(message),
            locations: vec![Location { physical_location: Some(physical_location), message: None }],
            code_flows: Vec::new(),
            fixes: Vec::new(),
            properties: Properties {
                model: self.model.name(),
                property: (!asked.is_empty()).then(|| asked.join("; ")),
                cost: None,
                minimum: None,
            },
        }
    }

    /// A result for an execution that breaks a property, with more sentences behind what it is about.
    pub(crate) fn violated(
        &self,
        rule: &Code,
        trace: &Trace,
        execution: &Execution,
        more: &[Option<String>],
    ) -> SarifResult {
        let story = Story::new(self.program, self.sources, trace, execution);
        let under = format!("Under {}: ", self.model.name().to_uppercase());
        let mut parts =
            vec![Some(format!("{under}{}", self.outcome(execution))), cause_text(self.program, &story)];
        parts.extend(more.iter().cloned());
        let at = match &execution.violation {
            Some(Violation::Property(index)) => span_of(&self.program.properties[*index]),
            Some(Violation::Assertion { thread, edge } | Violation::Fault { thread, edge, .. }) => {
                let check = failing(self.program, execution).and_then(|check| check.span);
                check.or(self.program.statement(*thread, *edge).span)
            }
            None => None,
        };
        let mut result = self.result(rule, Kind::Error, &sentences(parts), at);
        result.code_flows = self.code_flow(&story).into_iter().collect();
        result
    }

    /// What an execution comes to.
    pub(crate) fn outcome(&self, execution: &Execution) -> String {
        execution.violation.as_ref().map_or_else(String::new, |violation| {
            violation_text(self.program, self.sources, violation, execution)
        })
    }

    /// The execution; `None` if nothing happens in it.
    pub(crate) fn code_flow(&self, story: &Story) -> Option<CodeFlow> {
        let initial_state: BTreeMap<String, Message> = (story.initial.iter())
            .filter(|open| open.matters)
            .map(|open| (open.name.clone(), Message::new(open.value.to_string())))
            .collect();
        let thread_flows: Vec<ThreadFlow> = (self.program.threads.iter_enumerated())
            .filter_map(|(id, thread)| {
                let own = story.rows.iter().enumerate().filter(|(_, row)| row.thread == id);
                let locations: Vec<_> =
                    own.map(|(position, row)| self.flow_location(story, position, row)).collect();
                let initial_state = initial_state
                    .iter()
                    .map(|(name, value)| (name.clone(), Message { text: value.text.clone() }));
                (!locations.is_empty()).then(|| ThreadFlow {
                    id: thread.name.clone(),
                    initial_state: initial_state.collect(),
                    locations,
                })
            })
            .collect();
        let message = cause_text(self.program, story).map(Message::new);
        (!thread_flows.is_empty()).then_some(CodeFlow { message, thread_flows })
    }

    fn flow_location(&self, story: &Story, position: usize, row: &Row) -> ThreadFlowLocation {
        let name = &self.program.threads[row.thread].name;
        let phrases = story.phrases(self.program, row);
        let text = match phrases.is_empty() {
            true => format!("{name}: {}", row.text),
            false => format!("{name}: {} ({})", row.text, phrases.join("; ")),
        };
        let is_guilty = matches!(&story.cause, Cause::Overtaken(pair)
            if pair.write == position || pair.overtaken_by == position);
        let buffers = row.buffers.iter().find(|buffers| buffers.thread == row.thread);
        let state = row.changes_buffers.then(|| ("store buffer", Message::new(buffers_text(buffers))));
        let physical_location = row.place.as_ref().map(|Place { span, .. }| physical(self.sources, *span));
        ThreadFlowLocation {
            location: Location { physical_location, message: Some(Message::new(text)) },
            kinds: [match row.done {
                crate::story::Done::Step { .. } => "step",
                crate::story::Done::Flush { .. } => "flush",
                crate::story::Done::Late { .. } => "late",
            }],
            state: state.into_iter().collect(),
            execution_order: position + 1,
            importance: if is_guilty { "essential" } else { "important" },
        }
    }
}

fn span_of(property: &Property) -> Option<Span> {
    match property {
        Property::Forbidden(forbidden) => forbidden.span,
        Property::Invariant(condition) | Property::Final { condition, .. } => condition.span,
        Property::Temporal(temporal) => temporal.span,
    }
}

/// Sentences with their full stops.
pub(crate) fn sentences(parts: impl IntoIterator<Item = Option<String>>) -> String {
    let ended = parts.into_iter().flatten().map(|part| match part.ends_with(['.', '!', '?']) {
        true => part,
        false => part + ".",
    });
    ended.collect::<Vec<_>>().join(" ")
}

fn physical(sources: &SourceMap, span: Span) -> PhysicalLocation {
    let artifact_location = artifact(sources.file(span.file).name());
    PhysicalLocation { artifact_location, region: Some(region(sources, span)) }
}

pub(crate) fn region(sources: &SourceMap, span: Span) -> Region {
    let file = sources.file(span.file);
    let (start, end) = (file.line_column(span.start), file.line_column(span.end));
    Region {
        start_line: start.line,
        start_column: start.column,
        end_line: Some(end.line),
        end_column: Some(end.column),
    }
}

/// The file as a URI: relative to where the tool was called, as the user named it, or of the scheme `file`.
pub(crate) fn artifact(file: &str) -> ArtifactLocation {
    let mut uri = String::from(if file.starts_with('/') { "file://" } else { "" });
    for byte in file.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte))
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    ArtifactLocation { uri }
}
