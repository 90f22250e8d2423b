//! The `repair` object of `fix --format json`. Wire types only, as in `json`.

use std::collections::BTreeSet;

use fencewright_base::{SourceMap, Span};
use fencewright_engine::{Answer, Statistics, Unknown, Verdict};
use fencewright_ir::edit::Remedy;
use fencewright_ir::{FenceKind, OrderWord, Program, Side, Site, StatementId, Thread};
use fencewright_memory::{Execution, Trace};
use fencewright_synth::{Evidence, Reason, Repair};
use serde::Serialize;

use crate::fix::{self, FixReport, Unneeded};
use crate::json::{WireAction, wire_trace};
use crate::literal::{WireLiteralExecution, wire_execution};
use crate::story::Story;

#[derive(Serialize)]
pub(crate) struct WireRepair {
    status: &'static str,
    minimum: bool,
    /// The abstraction whose avoid formula was used; null for other strategies.
    abstraction: Option<String>,
    cost: Option<u64>,
    /// How often the strategy asked its engine before it had the repair; null if there is none.
    rounds: Option<usize>,
    fences: Vec<WireFence>,
    alternatives: Vec<Vec<WireFence>>,
    unneeded: Vec<WireUnneeded>,
    diff: Option<String>,
}

#[derive(Serialize)]
struct WireFence {
    kind: &'static str,
    /// Before or behind the statement; null for a write that is made atomic.
    side: Option<&'static str>,
    /// For a stronger order, the word that is put in the place of the one that stands there.
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<String>,
    #[serde(flatten)]
    statement: WireStatement,
    threads: Vec<u32>,
    cost: Option<u64>,
    evidence: Vec<WireAction>,
    /// For evidence that never ends: where its cycle begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence_repeats_from: Option<usize>,
    /// For a repair by the literal machine: its execution without the fence, instead of `evidence`.
    #[serde(skip_serializing_if = "Option::is_none")]
    literal_evidence: Option<WireLiteralExecution>,
}

#[derive(Serialize)]
struct WireUnneeded {
    #[serde(flatten)]
    statement: WireStatement,
    /// The word whose order is not needed, where the statement is more than a fence.
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<String>,
}

#[derive(Serialize)]
struct WireStatement {
    file: Option<String>,
    line: Option<usize>,
    column: Option<usize>,
    text: String,
}

/// The answer that stands behind a repair: the proof, or the execution that shows there is none.
pub(crate) fn answer(repair: &Repair) -> Answer {
    let violated = |trace: &Trace, execution: &Execution| Answer {
        engine: "reference",
        verdict: Verdict::Violated(trace.clone()),
        execution: Some(execution.clone()),
        statistics: Statistics::default(),
        parts: Vec::new(),
    };
    let undecided = |unknown| Answer {
        engine: "avoid-formula",
        verdict: Verdict::Unknown(unknown),
        execution: None,
        statistics: Statistics::default(),
        parts: Vec::new(),
    };
    match repair {
        Repair::AlreadySafe(safe) => safe.proof.clone(),
        Repair::Repaired(repaired) => repaired.proof.clone(),
        Repair::WrongUnderSc(wrong) => violated(&wrong.trace, &wrong.execution),
        Repair::NotFound(not_found) => match &not_found.reason {
            Reason::NotRepairable(evidence)
            | Reason::GaveUp(evidence)
            | Reason::Refuted(evidence)
            | Reason::NoHazard(evidence) => violated(&evidence.trace, &evidence.execution),
            Reason::Unproved(answer) => answer.clone(),
            Reason::Unavoidable { .. } | Reason::NoPlace => undecided(Unknown::Imprecise),
            Reason::NotInferred { abstraction: _, unknown } | Reason::NoPairs(unknown) => {
                undecided(unknown.clone())
            }
        },
    }
}

pub(crate) fn wire_repair(report: &FixReport<'_>) -> WireRepair {
    let FixReport { program, sources, repair, patch, .. } = report;
    let plain = |remedy: Remedy| wire_fence(program, sources, remedy, None, Vec::new());
    let nothing = |status| WireRepair {
        status,
        minimum: false,
        abstraction: None,
        cost: None,
        rounds: None,
        fences: Vec::new(),
        alternatives: Vec::new(),
        unneeded: Vec::new(),
        diff: None,
    };
    match repair {
        Repair::AlreadySafe(safe) => WireRepair {
            minimum: true,
            cost: Some(0),
            unneeded: safe.unneeded.iter().map(|&id| wire_unneeded(program, sources, id)).collect(),
            ..nothing("already-safe")
        },
        Repair::Repaired(repaired) => WireRepair {
            minimum: repaired.minimum,
            abstraction: repaired.avoidance.as_ref().map(|avoidance| avoidance.abstraction.clone()),
            cost: Some(repaired.cost),
            rounds: Some(repaired.rounds),
            fences: (repaired.remedies.iter().enumerate())
                .map(|(number, chosen)| {
                    let shown = |Evidence { program, trace, execution }: &Evidence| {
                        wire_trace(&Story::new(program, sources, trace, execution))
                    };
                    let evidence = chosen.evidence.as_ref().map(shown).unwrap_or_default();
                    let evidence_repeats_from =
                        chosen.evidence.as_ref().and_then(|evidence| evidence.trace.repeats_from);
                    let fence = wire_fence(program, sources, chosen.remedy, Some(chosen.cost), evidence);
                    let literal_evidence = report.literally_without(number).map(wire_execution);
                    WireFence { evidence_repeats_from, literal_evidence, ..fence }
                })
                .collect(),
            alternatives: (repaired.alternatives.iter())
                .map(|alternative| alternative.iter().map(|&remedy| plain(remedy)).collect())
                .collect(),
            unneeded: (repaired.unneeded.iter()).map(|&id| wire_unneeded(program, sources, id)).collect(),
            diff: patch.map(|patch| patch.diff.clone()),
            ..nothing("repaired")
        },
        Repair::WrongUnderSc(_) => nothing("wrong-under-sc"),
        Repair::NotFound(not_found) => {
            let abstraction = match &not_found.reason {
                Reason::Unavoidable { avoidance, .. } => Some(avoidance.abstraction.clone()),
                Reason::NotInferred { abstraction, .. } => Some(abstraction.clone()),
                Reason::NotRepairable(_)
                | Reason::GaveUp(_)
                | Reason::Unproved(_)
                | Reason::Refuted(_)
                | Reason::NoHazard(_)
                | Reason::NoPairs(_)
                | Reason::NoPlace => None,
            };
            let cost = not_found.exact.then_some(not_found.cost);
            WireRepair { abstraction, cost, ..nothing("not-found") }
        }
    }
}

fn wire_fence(
    program: &Program,
    sources: &SourceMap,
    remedy: Remedy,
    cost: Option<u64>,
    evidence: Vec<WireAction>,
) -> WireFence {
    let mut order = None;
    let (kind, side) = match remedy {
        Remedy::Fence(site, kind) => {
            let kind = match kind {
                FenceKind::Full => "full",
                FenceKind::StoreStore => "store-store",
            };
            let side = match site.side {
                Side::Before => "before",
                Side::After => "behind",
            };
            (kind, Some(side))
        }
        Remedy::Atomic(_) => ("atomic", None),
        Remedy::Order(id, kind) => {
            order = fix::stronger_word(program, id, kind).map(str::to_owned);
            ("order", None)
        }
    };
    let (text, threads): (&str, BTreeSet<u32>) = match remedy {
        Remedy::Fence(Site { statement, .. }, _) | Remedy::Atomic(statement) => {
            let takes = |thread: &Thread| thread.edges.iter().any(|edge| edge.step.statement == statement);
            let threads = program.threads.iter_enumerated().filter(|(_, thread)| takes(thread));
            (&program.statements[statement].text, threads.map(|(id, _)| id.0).collect())
        }
        Remedy::Order(order, _) => {
            let OrderWord { text, steps, .. } = &program.orders[order];
            (text, steps.iter().map(|(thread, _)| thread.0).collect())
        }
    };
    WireFence {
        kind,
        side,
        order,
        statement: wire_place(sources, remedy.span(program), text),
        threads: threads.into_iter().collect(),
        cost,
        evidence,
        evidence_repeats_from: None,
        literal_evidence: None,
    }
}

fn wire_unneeded(program: &Program, sources: &SourceMap, id: StatementId) -> WireUnneeded {
    let order = match Unneeded::of(program, id) {
        Unneeded::Order(_, word) => Some(word),
        Unneeded::Statement(_) | Unneeded::Fence(_) => None,
    };
    WireUnneeded { statement: wire_statement(program, sources, id), order }
}

fn wire_statement(program: &Program, sources: &SourceMap, id: StatementId) -> WireStatement {
    let statement = &program.statements[id];
    wire_place(sources, statement.span, &statement.text)
}

fn wire_place(sources: &SourceMap, span: Option<Span>, text: &str) -> WireStatement {
    let at = span.map(|span| sources.line_column(span));
    WireStatement {
        file: span.map(|span| sources.file(span.file).name().to_owned()),
        line: at.map(|at| at.line),
        column: at.map(|at| at.column),
        text: text.to_owned(),
    }
}
