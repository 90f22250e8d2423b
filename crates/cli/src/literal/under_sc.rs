//! Finds out whether a violation needs store buffers. It looks for the same violation in executions without buffers: first in
//! those in which the threads act in the same order, then in all executions, within a small budget.
//!
//! The report says that a violation needs no reordering only if such an execution was found. The claim is never wrong, but it
//! may be missing.

use std::time::Duration;

use fencewright_base::{Budget, Meter};
use fencewright_engine_literal::guided::{Followed, follow};
use fencewright_engine_literal::search::{Question, Trace, Verdict, search};
use fencewright_literal::buffer::Model;
use fencewright_literal::machine::Settings;
use fencewright_literal::program::Program;

/// How long the same order of threads is tried. Less than anyone waits for an answer that is overdue.
const SAME_ORDER: Duration = Duration::from_millis(200);
/// The time for the search of all executions, and the most states it stores.
const ALL: Duration = Duration::from_millis(1_000);
const STATES: u64 = 50_000;

/// What the report says of such a violation, as for the other engines.
pub(super) const NEEDS_NO_REORDERING: &str =
    "It needs no reordering: this happens under sequential consistency too.";

/// An execution without store buffers that ends in the same violation, if one is found soon. `is_same` compares violations of
/// two executions in the user's words. The first way runs within `whole`, the second within `meter`.
pub(super) fn without_buffers(
    program: &Program<'_>,
    settings: &Settings,
    trace: &Trace,
    (meter, whole): (&Meter, &Meter),
    is_same: &dyn Fn(&Trace) -> bool,
) -> Option<Trace> {
    if settings.model == Model::Sc {
        return None;
    }
    let settings = Settings { model: Model::Sc, reuse: trace.settings.reuse, ..settings.clone() };
    let mut order: Vec<usize> = trace.actions.iter().map(|action| action.thread()).collect();
    order.dedup();
    let within = |meter: &Meter, time: Duration| {
        let memory = meter.budget().memory;
        let budget = Budget { time: Some(time), states: Some(STATES), memory };
        meter.part(budget, meter.cancel_token().clone())
    };
    if let Followed::Violated(found) = follow(program, &settings, &order, &within(whole, SAME_ORDER))
        && is_same(&found)
    {
        return Some(*found);
    }
    let question = Question { settings, fixed_buffer: None, observed: None, dives: false, progress: &|_| () };
    match search(program, &question, &within(meter, ALL)).verdict {
        Verdict::Violated(found) => Some(*found).filter(|found| is_same(found)),
        _ => None,
    }
}
