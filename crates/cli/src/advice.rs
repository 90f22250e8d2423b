//! The fence that a report of a violation names: one that is known to forbid the execution, because the execution was run with
//! it on the reference semantics. If no fence does so alone, or none can be written, nothing is advised.
//!
//! Fences between the two statements of the reordering are tried first, the cheapest kind first, then those elsewhere.

use fencewright_base::Meter;
use fencewright_ir::edit::Remedy;
use fencewright_ir::{Program, Side, Site, StatementId};
use fencewright_memory::{Action, Execution, Overtaking, Trace};
use fencewright_report::cause::{Cause, cause};
use fencewright_report::{Advice, AdvisedPlace};
use fencewright_synth::{Beside, Costs, first_that_forbids, offers};

/// Most fences that are tried: each is a run of the whole execution.
const MOST_TRIED: usize = 200;

/// A fence that forbids the execution, which `trace` gave when it was replayed.
pub(crate) fn advice(
    program: &Program,
    trace: &Trace,
    execution: &Execution,
    meter: &Meter,
) -> Option<Advice> {
    if !trace.model.is_operational() {
        return None;
    }
    let Cause::Overtaken(pair) = cause(program, trace, execution) else { return None };
    let (first, second, between) = between(program, execution, &pair)?;
    let is_between = |remedy: &Remedy| matches!(remedy, Remedy::Fence(site, _) if between.contains(site));
    let (mut near, mut far): (Vec<Remedy>, Vec<Remedy>) =
        offers(program, Beside::default()).into_iter().partition(is_between);
    for tried in [&mut near, &mut far] {
        tried.sort_by_key(|&remedy| Costs::default().of(program, remedy));
        tried.truncate(MOST_TRIED);
        if let Some(Remedy::Fence(site, kind)) = first_that_forbids(program, trace, tried, meter) {
            let is_near = between.contains(&site);
            let place = if is_near { AdvisedPlace::Between(first, second) } else { AdvisedPlace::At(site) };
            return Some(Advice { kind, place });
        }
    }
    None
}

/// The statements of the reordering, and the sites that the thread passes between them.
fn between(
    program: &Program,
    execution: &Execution,
    pair: &Overtaking,
) -> Option<(StatementId, StatementId, Vec<Site>)> {
    let thread = execution.performed[pair.write].action.thread();
    let passed = execution.performed.get(pair.write..=pair.overtaken_by)?.iter();
    let edges = passed.filter_map(|done| match &done.action {
        Action::Flush { .. } | Action::Late { .. } => None,
        action => action.edges().find(|(other, _)| *other == thread),
    });
    let statements: Vec<StatementId> =
        edges.map(|(thread, edge)| program.edge(thread, edge).step.statement).collect();
    let (&first, rest) = statements.split_first()?;
    let &second = rest.last()?;
    let after = statements.iter().filter(|&&statement| statement != second);
    let before = rest.iter().filter(|&&statement| statement != first);
    let after = after.map(|&statement| Site { statement, side: Side::After });
    let before = before.map(|&statement| Site { statement, side: Side::Before });
    Some((first, second, after.chain(before).collect()))
}
