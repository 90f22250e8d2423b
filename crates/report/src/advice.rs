//! The fence that is advised below an execution: found by the caller, worded here.

use fencewright_base::SourceMap;
use fencewright_ir::{FenceKind, Program, Side, Site, StatementId};

/// A fence with which the program does not have an execution. Whoever makes one has run the execution with the fence.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct Advice {
    /// Its kind.
    pub kind: FenceKind,
    /// Where it would stand.
    pub place: AdvisedPlace,
}

/// Where an advised fence would stand.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum AdvisedPlace {
    /// Between the statements of the reordering that the execution needs.
    Between(StatementId, StatementId),
    /// Elsewhere.
    At(Site),
}

/// The fence that forbids an execution, in a sentence.
pub(crate) fn advice_text(program: &Program, sources: &SourceMap, Advice { kind, place }: Advice) -> String {
    let line = |statement: StatementId| {
        program.statements[statement].span.map(|span| sources.line_column(span).line)
    };
    let kind = match kind {
        FenceKind::Full => "full",
        FenceKind::StoreStore => "store-store",
    };
    let place = match place {
        AdvisedPlace::Between(first, second) => match (line(first), line(second)) {
            (Some(first), Some(second)) if first < second => format!("between lines {first} and {second}"),
            _ => "between the two".to_owned(),
        },
        AdvisedPlace::At(site) => {
            let side = match site.side {
                Side::Before => "before",
                Side::After => "behind",
            };
            let at = line(site.statement).map(|line| format!(" (line {line})")).unwrap_or_default();
            format!("{side} `{}`{at}", program.statements[site.statement].text)
        }
    };
    format!("A {kind} fence {place} would have stopped it.")
}
