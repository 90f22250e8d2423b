//! An engine against the oracle on one program and model. Every generated program goes through here.
//!
//! What must agree, both being given the same bound on the store buffers:
//! - the engine finds a violation if and only if the oracle does (its trace has passed the gate already);
//! - `Holds` without bound is claimed only if the oracle never met the bound;
//! - a trace that is claimed to be a shortest one is as short as the oracle's;
//! - without reductions and violations: states, transitions and the longest buffer are the same numbers;
//! - for an engine that gives outcomes: the sets are the same.

use std::collections::BTreeSet;
use std::fmt;

use fencewright_base::{Budget, CancelToken, Int, Meter};
use fencewright_engine::{
    Answer, Context, Engine, Guarantee, Options, OutcomeEngine, OutcomeQuery, Rejected, Task, Unknown,
    Verdict, run, run_outcomes,
};
use fencewright_ir::{Program, Property};
use fencewright_memory::{Machine, Model};

use crate::reference::{Exploration, Limits, explore};

/// How much an agreement check looks at.
#[derive(Debug, Clone)]
pub struct Scope {
    /// The bound on pending writes, for both sides.
    pub limits: Limits,
    /// Programs whose graph has more states than this are left out.
    pub states: u64,
    /// Whether the exact counts without reductions are compared too. Engines that do not store the states of the
    /// machine cannot give them.
    pub counts: bool,
}

impl Default for Scope {
    fn default() -> Self {
        Self { limits: Limits::buffer(2), states: 20_000, counts: true }
    }
}

/// What the two sides agree on.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Agreed {
    /// There is a violation.
    Violated,
    /// There is none, with buffers of any length.
    Holds,
    /// There is none within the bound. The engine may be less certain than the oracle, never more.
    HoldsUpTo,
    /// The engine gave no answer.
    Unknown,
    /// The oracle gave none: the graph is too large.
    TooLarge,
}

/// What the two sides do not agree on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// Under this model.
    pub model: Model,
    /// What each of them says.
    pub text: String,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "under {}: {}", self.model.name(), self.text)
    }
}

/// Compares the engine's verdict, and its counts, with the oracle's.
pub fn agree(
    engine: &dyn Engine,
    program: &Program,
    model: Model,
    scope: &Scope,
) -> Result<Agreed, Disagreement> {
    let disagree = |text: String| Disagreement { model, text };
    let machine = Machine::new(program, model);
    let budget = Budget { states: Some(scope.states), ..Budget::default() };
    let Ok(graph) = explore(&machine, &scope.limits, &Meter::start(budget, CancelToken::new())) else {
        return Ok(Agreed::TooLarge);
    };
    let reduced = ask(engine, program, model, scope, true).map_err(|e| disagree(e.to_string()))?;
    let agreed = compare(&graph, &reduced).map_err(disagree)?;
    if scope.counts && agreed != Agreed::Unknown {
        let exact = ask(engine, program, model, scope, false).map_err(|e| disagree(e.to_string()))?;
        compare(&graph, &exact).map_err(|text| disagree(format!("without reductions, {text}")))?;
        if graph.violation.is_none() {
            compare_counts(&graph, &exact).map_err(disagree)?;
        }
    }
    Ok(agreed)
}

/// Compares the engine's outcomes with the oracle's, for every condition on final states the program has.
pub fn agree_on_outcomes(
    engine: &dyn OutcomeEngine,
    program: &Program,
    model: Model,
    scope: &Scope,
) -> Result<Agreed, Disagreement> {
    let disagree = |text: String| Disagreement { model, text };
    let machine = Machine::new(program, model);
    let budget = Budget { states: Some(scope.states), ..Budget::default() };
    let Ok(graph) = explore(&machine, &scope.limits, &Meter::start(budget, CancelToken::new())) else {
        return Ok(Agreed::TooLarge);
    };
    for property in &program.properties {
        let Property::Final { filter, observed, .. } = property else { continue };
        let query = OutcomeQuery { observed, filter: filter.as_ref() };
        let expected: BTreeSet<Vec<Int>> = graph.outcomes(&machine, &query).into_keys().collect();
        let task = task(program, model, scope, true);
        let mut context = Context::quiet(Meter::unlimited());
        match run_outcomes(engine, &task, property, &mut context) {
            Err(rejected) => return Err(disagree(rejected.to_string())),
            Ok(Err(_)) => return Ok(Agreed::Unknown),
            Ok(Ok(outcomes)) => {
                let found: BTreeSet<Vec<Int>> =
                    outcomes.outcomes.into_iter().map(|outcome| outcome.values).collect();
                if found != expected {
                    return Err(disagree(format!(
                        "the outcomes are {expected:?}, the engine gives {found:?}"
                    )));
                }
            }
        }
    }
    Ok(Agreed::Holds)
}

fn task<'p>(program: &'p Program, model: Model, scope: &Scope, reduction: bool) -> Task<'p> {
    let options = Options { buffer: Some(scope.limits.buffer), reduction, ..Options::default() };
    Task { program, model, options }
}

fn ask(
    engine: &dyn Engine,
    program: &Program,
    model: Model,
    scope: &Scope,
    reduction: bool,
) -> Result<Answer, Rejected> {
    let mut context = Context::quiet(Meter::unlimited());
    run(engine, &task(program, model, scope, reduction), &mut context)
}

/// Whether an answer of an engine that was given the same bound fits what the oracle saw.
fn compare(graph: &Exploration, answer: &Answer) -> Result<Agreed, String> {
    match (&answer.verdict, &graph.violation) {
        (Verdict::Violated(trace), Some(shortest)) => {
            let (found, least) = (trace.actions.len(), shortest.actions.len());
            if found < least || answer.statistics.shortest && found != least {
                return Err(format!(
                    "a shortest violation has {least} actions, the engine's has {found} (it says shortest: {})",
                    answer.statistics.shortest
                ));
            }
            Ok(Agreed::Violated)
        }
        (Verdict::Holds(Guarantee::Unbounded), None) if !graph.met_cap => Ok(Agreed::Holds),
        (Verdict::Holds(Guarantee::UpTo(_)), None) => Ok(Agreed::HoldsUpTo),
        (Verdict::Unknown(Unknown::Stopped { .. } | Unknown::Unsupported { .. } | Unknown::Imprecise), _) => {
            Ok(Agreed::Unknown)
        }
        (Verdict::Holds(Guarantee::Unbounded), None) => {
            Err("the bound on buffers was met, yet the engine claims a proof".to_owned())
        }
        (Verdict::Holds(_), Some(_)) => Err("there is a violation, the engine says it holds".to_owned()),
        (Verdict::Violated(_), None) => {
            Err("there is no violation within the bound, the engine shows one".to_owned())
        }
    }
}

fn compare_counts(graph: &Exploration, answer: &Answer) -> Result<(), String> {
    let expected = (graph.states.len() as u64, graph.transitions, graph.longest_buffer);
    let statistics = &answer.statistics;
    let found = (statistics.states, statistics.transitions, statistics.longest_buffer);
    if expected == found {
        Ok(())
    } else {
        Err(format!("(states, transitions, longest buffer) are {expected:?}, the engine counts {found:?}"))
    }
}
