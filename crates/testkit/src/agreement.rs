//! An engine against the oracle on one program and model. Every generated program goes through here.
//!
//! What must agree, both being given the same bound on the store buffers:
//! - the engine finds a violation if and only if the oracle does (its trace has passed the gate already);
//! - `Holds` without bound is claimed only if the oracle never met the bound;
//! - a trace that is claimed to be a shortest one is as short as the oracle's;
//! - without reductions: states, transitions and the longest buffer are the same numbers;
//! - for an engine that gives the reachable states: they are the same ones;
//! - for an engine that gives outcomes: the sets are the same.

use std::collections::{BTreeSet, HashSet};
use std::fmt;

use fencewright_base::{Budget, CancelToken, Int, Meter};
use fencewright_engine::{
    Answer, Context, Engine, Guarantee, Options, OutcomeEngine, OutcomeQuery, Rejected, StateEngine, Task,
    Unknown, Verdict, run, run_outcomes, run_states,
};
use fencewright_ir::{Program, Property};
use fencewright_memory::{Action, Machine, Model, State, Trace};

use crate::reference::{Exploration, Limits, explore};
use crate::temporal;

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

/// In what the two sides differ. A shrinker keeps to one kind, or it would slip from one mistake to another.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The gate rejected the engine's trace or witness.
    Rejected,
    /// Whether there is a violation.
    Verdict,
    /// Whether that is so for buffers of any length.
    Guarantee,
    /// How short an execution can be.
    Length,
    /// How large the graph is.
    Counts,
    /// Which states are reachable.
    States,
    /// Which outcomes there are.
    Outcomes,
    /// The engine panicked.
    Panic,
}

/// What the two sides do not agree on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// In what they differ.
    pub kind: Kind,
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
    match oracle(program, model, scope) {
        Some(graph) => agree_on_verdict(engine, program, model, scope, &graph),
        None => Ok(Agreed::TooLarge),
    }
}

/// Compares everything an engine with all abilities says: verdict, counts, the reachable states one by one, outcomes.
pub fn agree_on_everything<E: OutcomeEngine + StateEngine>(
    engine: &E,
    program: &Program,
    model: Model,
    scope: &Scope,
) -> Result<Agreed, Disagreement> {
    let Some(graph) = oracle(program, model, scope) else { return Ok(Agreed::TooLarge) };
    let agreed = agree_on_verdict(engine, program, model, scope, &graph)?;
    agree_on_states(engine, program, model, scope, &graph)?;
    agree_on_outcomes(engine, program, model, scope, &graph)?;
    Ok(agreed)
}

/// Compares what an engine without states says: verdict and outcomes.
pub fn agree_on_results(
    engine: &dyn OutcomeEngine,
    program: &Program,
    model: Model,
    scope: &Scope,
) -> Result<Agreed, Disagreement> {
    let Some(graph) = oracle(program, model, scope) else { return Ok(Agreed::TooLarge) };
    let agreed = agree_on_verdict(engine, program, model, scope, &graph)?;
    agree_on_outcomes(engine, program, model, scope, &graph)?;
    Ok(agreed)
}

/// Compares the outcomes of a straight line under RMO with those of trying all orders.
pub fn agree_on_relaxed(engine: &dyn OutcomeEngine, program: &Program) -> Result<Agreed, Disagreement> {
    let model = Model::Rmo;
    let expected = crate::relaxed::outcomes(program);
    let task = Task { program, model, options: Options::default() };
    let property = program.properties.first().expect("there is a condition on final states");
    let answered = same_outcomes(engine, &task, property, &expected)?;
    Ok(match expected.is_empty() {
        _ if !answered => Agreed::Unknown,
        true => Agreed::Holds,
        false => Agreed::Violated,
    })
}

/// Compares the outcomes that an engine gives; false if it gives none.
fn same_outcomes(
    engine: &dyn OutcomeEngine,
    task: &Task<'_>,
    property: &Property,
    expected: &BTreeSet<Vec<Int>>,
) -> Result<bool, Disagreement> {
    let disagree = |kind: Kind, text: String| Disagreement { kind, model: task.model, text };
    match run_outcomes(engine, task, property, &mut Context::quiet(Meter::unlimited())) {
        Err(rejected) => Err(disagree(Kind::Rejected, rejected.to_string())),
        Ok(Err(_)) => Ok(false),
        Ok(Ok(outcomes)) => {
            let found: BTreeSet<Vec<Int>> =
                outcomes.outcomes.into_iter().map(|outcome| outcome.values).collect();
            if found != *expected {
                let text = format!("the outcomes are {expected:?}, the engine gives {found:?}");
                return Err(disagree(Kind::Outcomes, text));
            }
            Ok(true)
        }
    }
}

/// The graph, if it is within the scope.
fn oracle(program: &Program, model: Model, scope: &Scope) -> Option<Exploration> {
    let machine = Machine::new(program, model);
    let budget = Budget { states: Some(scope.states), ..Budget::default() };
    explore(&machine, &scope.limits, &Meter::start(budget, CancelToken::new())).ok()
}

fn agree_on_verdict(
    engine: &dyn Engine,
    program: &Program,
    model: Model,
    scope: &Scope,
    graph: &Exploration,
) -> Result<Agreed, Disagreement> {
    let disagree = |(kind, text): (Kind, String)| Disagreement { kind, model, text };
    let rejected = |rejected: Rejected| disagree((Kind::Rejected, rejected.to_string()));
    let reduced = ask(engine, program, model, scope, true).map_err(rejected)?;
    let agreed = compare(graph, &reduced).map_err(disagree)?;
    if scope.counts && agreed != Agreed::Unknown {
        let exact = ask(engine, program, model, scope, false).map_err(rejected)?;
        compare(graph, &exact)
            .map_err(|(kind, text)| disagree((kind, format!("without reductions, {text}"))))?;
        compare_counts(graph, &exact).map_err(disagree)?;
    }
    Ok(agreed)
}

/// The reachable states are the same ones, part by part.
fn agree_on_states(
    engine: &dyn StateEngine,
    program: &Program,
    model: Model,
    scope: &Scope,
    graph: &Exploration,
) -> Result<(), Disagreement> {
    let disagree = |text: String| Err(Disagreement { kind: Kind::States, model, text });
    let task = task(program, model, scope, false);
    let Ok(states) = run_states(engine, &task, &mut Context::quiet(Meter::unlimited())) else {
        return Ok(());
    };
    let expected: HashSet<&State> = graph.states.iter().map(|state| &**state).collect();
    if let Some(wrong) = states.iter().find(|state| !expected.contains(state)) {
        return disagree(format!("the engine reaches a state that is not reachable: {wrong:?}"));
    }
    let found: HashSet<&State> = states.iter().collect();
    if let Some(missing) = graph.states.iter().find(|state| !found.contains(&***state)) {
        return disagree(format!("the engine does not reach {missing:?}"));
    }
    if found.len() != states.len() {
        return disagree(format!("{} states are stored as {}", found.len(), states.len()));
    }
    Ok(())
}

/// The outcomes are the same, for every condition on final states the program has.
fn agree_on_outcomes(
    engine: &dyn OutcomeEngine,
    program: &Program,
    model: Model,
    scope: &Scope,
    graph: &Exploration,
) -> Result<(), Disagreement> {
    let machine = Machine::new(program, model);
    for property in &program.properties {
        let Property::Final { filter, observed, .. } = property else { continue };
        let query = OutcomeQuery { observed, filter: filter.as_ref() };
        let expected: BTreeSet<Vec<Int>> = graph.outcomes(&machine, &query).into_keys().collect();
        if !same_outcomes(engine, &task(program, model, scope, true), property, &expected)? {
            break;
        }
    }
    Ok(())
}

/// Compares the verdict of an engine that may know more than the oracle, which has a bound: it proves nothing that the oracle
/// refutes, and refutes nothing that the oracle proves.
pub fn agree_on_proofs(
    engine: &dyn Engine,
    program: &Program,
    model: Model,
    scope: &Scope,
) -> Result<Agreed, Disagreement> {
    let disagree = |kind: Kind, text: &str| Disagreement { kind, model, text: text.to_owned() };
    let Some(graph) = oracle(program, model, scope) else { return Ok(Agreed::TooLarge) };
    let task = Task { program, model, options: Options::default() };
    let budget = Budget { states: Some(scope.states), ..Budget::default() };
    let mut context = Context::quiet(Meter::start(budget, CancelToken::new()));
    let answer = run(engine, &task, &mut context)
        .map_err(|rejected| disagree(Kind::Rejected, &rejected.to_string()))?;
    match answer.verdict {
        Verdict::Violated(_) if graph.violation.is_some() || graph.met_cap => Ok(Agreed::Violated),
        Verdict::Violated(_) => Err(disagree(Kind::Verdict, "there is no violation, the engine shows one")),
        Verdict::Holds(_) if graph.violation.is_some() => {
            Err(disagree(Kind::Verdict, "there is a violation, the engine says it holds"))
        }
        Verdict::Holds(Guarantee::Unbounded) => Ok(Agreed::Holds),
        Verdict::Holds(Guarantee::UpTo(_)) => Ok(Agreed::HoldsUpTo),
        Verdict::Unknown(_) => Ok(Agreed::Unknown),
    }
}

/// Compares an engine's verdict on a program whose only property is temporal, with reduction and without, with the oracle's.
pub fn agree_on_temporal(
    engine: &dyn Engine,
    program: &Program,
    model: Model,
    scope: &Scope,
) -> Result<Agreed, Disagreement> {
    let [Property::Temporal(property)] = &program.properties[..] else {
        panic!("internal error: the program has one property, and it is temporal")
    };
    let disagree = |kind: Kind, text: &str| Disagreement { kind, model, text: text.to_owned() };
    let machine = Machine::new(program, model);
    let most = usize::try_from(scope.states).unwrap_or(usize::MAX);
    let Ok(Some(judgement)) = temporal::judge(&machine, property, &scope.limits, most) else {
        return Ok(Agreed::TooLarge);
    };
    let [answer, plain] = [true, false].map(|reduction| ask(engine, program, model, scope, reduction));
    let rejected = |rejected: Rejected| disagree(Kind::Rejected, &rejected.to_string());
    let (answer, plain) = (answer.map_err(rejected)?, plain.map_err(rejected)?);
    let is_violated = |answer: &Answer| matches!(answer.verdict, Verdict::Violated(_));
    if is_violated(&answer) != is_violated(&plain) {
        return Err(disagree(Kind::Verdict, "the verdict depends on the reduction"));
    }
    match answer.verdict {
        Verdict::Violated(_) if judgement.violated || judgement.ends_badly => Ok(Agreed::Violated),
        Verdict::Violated(_) => {
            Err(disagree(Kind::Verdict, "no fair execution violates it, the engine shows one"))
        }
        Verdict::Unknown(_) => Ok(Agreed::Unknown),
        Verdict::Holds(_) if judgement.violated || judgement.ends_badly => {
            Err(disagree(Kind::Verdict, "there is a violation, the engine says it holds"))
        }
        // The engine need not see all states: those from which the formula cannot be violated any more are left out. So
        // the cap may be met where the engine does not look; then a larger one must not show a violation.
        Verdict::Holds(Guarantee::Unbounded) if judgement.met_cap => {
            let wider = Limits { buffer: scope.limits.buffer + 1, ..scope.limits.clone() };
            match temporal::judge(&machine, property, &wider, 4 * most) {
                Ok(Some(judgement)) if judgement.violated || judgement.ends_badly => Err(disagree(
                    Kind::Guarantee,
                    "a larger buffer shows a violation, the engine claims a proof",
                )),
                Ok(_) | Err(_) => Ok(Agreed::Holds),
            }
        }
        Verdict::Holds(Guarantee::Unbounded) => Ok(Agreed::Holds),
        Verdict::Holds(Guarantee::UpTo(_)) => Ok(Agreed::HoldsUpTo),
    }
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
fn compare(graph: &Exploration, answer: &Answer) -> Result<Agreed, (Kind, String)> {
    match (&answer.verdict, &graph.violation) {
        (Verdict::Violated(trace), Some(shortest)) => {
            let (found, least) = (steps(trace), steps(shortest));
            if found < least || answer.statistics.shortest && found != least {
                let claim = answer.statistics.shortest;
                let text = format!(
                    "a shortest violation has {least} steps, the engine's has {found} (it says shortest: {claim})"
                );
                return Err((Kind::Length, text));
            }
            Ok(Agreed::Violated)
        }
        (Verdict::Holds(Guarantee::Unbounded), None) if !graph.met_cap => Ok(Agreed::Holds),
        (Verdict::Holds(Guarantee::UpTo(_)), None) => Ok(Agreed::HoldsUpTo),
        (Verdict::Unknown(Unknown::Stopped { .. } | Unknown::Unsupported { .. } | Unknown::Imprecise), _) => {
            Ok(Agreed::Unknown)
        }
        (Verdict::Holds(Guarantee::Unbounded), None) => {
            let text = "the bound on buffers was met, yet the engine claims a proof";
            Err((Kind::Guarantee, text.to_owned()))
        }
        (Verdict::Holds(_), Some(_)) => {
            Err((Kind::Verdict, "there is a violation, the engine says it holds".to_owned()))
        }
        (Verdict::Violated(_), None) => {
            let text = "there is no violation within the bound, the engine shows one";
            Err((Kind::Verdict, text.to_owned()))
        }
    }
}

/// The length of a trace: its steps. Flushes are not counted, so that an early flush does not make it longer.
fn steps(trace: &Trace) -> usize {
    trace.actions.iter().filter(|action| !matches!(action, Action::Flush { .. })).count()
}

fn compare_counts(graph: &Exploration, answer: &Answer) -> Result<(), (Kind, String)> {
    let statistics = &answer.statistics;
    // The reference has no states for steps without meaning.
    let states = graph.states.len() as u64 + statistics.error_states.unwrap_or(0);
    let expected = (states, graph.transitions, graph.longest_buffer);
    let found = (statistics.states, statistics.transitions, statistics.longest_buffer);
    if expected == found {
        Ok(())
    } else {
        let text =
            format!("(states, transitions, longest buffer) are {expected:?}, the engine counts {found:?}");
        Err((Kind::Counts, text))
    }
}
