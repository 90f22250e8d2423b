//! The gate: the only caller of an engine.

use fencewright_base::{Meter, Progress};
use fencewright_ir::{Property, Temporal, first_extension};
use fencewright_memory::{Execution, ReplayError, Trace, replay};

use crate::{Feature, Part, Statistics, Task, Unknown, Verdict};

/// An algorithm that answers tasks. Abilities beyond this are traits of their own.
pub trait Engine: Sync {
    /// Its name on the command line and in reports.
    fn name(&self) -> &'static str;

    /// What it does, in a line.
    fn about(&self) -> &'static str;

    /// Whether it decides properties of whole executions. The gate gives a task with such a property to no other.
    fn decides_temporal(&self) -> bool {
        false
    }

    /// Whether it takes such tasks; if not, why. Ask [`takes`], which knows more.
    fn supports(&self, task: &Task<'_>) -> Result<(), Unknown>;

    /// Whether it knows the extensions of the representation ([`Extension`](fencewright_ir::Extension)). One that does not
    /// say so is never given a program that uses one.
    fn knows_extensions(&self) -> bool {
        false
    }

    /// Whether its work is bounded where states and buffers are. In a race, one whose work is not is told to stop when
    /// another has reached such a bound: who sets one wants an end.
    fn is_bounded_by_states(&self) -> bool {
        true
    }

    /// The answer. Called by [`run`] only, with a task that it supports.
    fn check(&self, task: &Task<'_>, context: &mut Context<'_>) -> Verdict;
}

/// What an engine is given beside the task, and where it leaves its statistics.
pub struct Context<'a> {
    /// The budget being spent.
    pub meter: Meter,
    /// Told how far the run is, from time to time. May be called from any of the engine's threads.
    pub progress: &'a (dyn Fn(Progress<'_>) + Sync),
    /// What the run cost and saw.
    pub statistics: Statistics,
    /// Set by an engine that asked others: who decided.
    pub(crate) decided_by: Option<&'static str>,
    /// Set by an engine that asked others: what each of them said.
    pub(crate) parts: Vec<Part>,
    /// Set by an engine that asked others, if the gate rejected one of their answers.
    pub(crate) rejected: Option<Rejected>,
}

impl<'a> Context<'a> {
    /// A context for one question.
    pub fn new(meter: Meter, progress: &'a (dyn Fn(Progress<'_>) + Sync)) -> Self {
        let statistics = Statistics::default();
        Self { meter, progress, statistics, decided_by: None, parts: Vec::new(), rejected: None }
    }

    /// A context that reports no progress.
    pub fn quiet(meter: Meter) -> Self {
        Self::new(meter, &|_| {})
    }
}

/// An answer that has passed the gate.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The engine that spoke.
    pub engine: &'static str,
    /// What it said.
    pub verdict: Verdict,
    /// For a violation: the execution as the reference semantics replayed it.
    pub execution: Option<Execution>,
    /// What it cost.
    pub statistics: Statistics,
    /// If several engines were asked: what each of them said.
    pub parts: Vec<Part>,
}

/// An engine gave a trace that the reference semantics does not accept: a bug of the engine, never a verdict.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "internal error: engine {engine} gave an execution that {reason}; please report this with the program"
)]
pub struct Rejected {
    /// The engine.
    pub engine: &'static str,
    /// What is wrong with its trace.
    pub reason: String,
}

impl Rejected {
    pub(crate) fn replay(engine: &'static str, error: &ReplayError) -> Self {
        Self { engine, reason: format!("does not replay: {error}") }
    }
}

/// Whether the engine takes such tasks; if not, why. One that does not decide temporal properties would say `Holds` of
/// what it has not looked at, and one that does not know an extension would misread the program.
pub fn takes(engine: &dyn Engine, task: &Task<'_>) -> Result<(), Unknown> {
    let temporal = task.program.properties.iter().find_map(|property| match property {
        Property::Temporal(temporal) => Some(temporal),
        Property::Forbidden(_) | Property::Invariant(_) | Property::Final { .. } => None,
    });
    if let Some(Temporal { span, .. }) = temporal
        && !engine.decides_temporal()
    {
        return Err(Unknown::Unsupported { feature: Feature::Temporal, span: *span });
    }
    if !engine.knows_extensions()
        && let Some((extension, span)) = first_extension(task.program)
    {
        return Err(Unknown::Unsupported { feature: Feature::Extension(extension), span });
    }
    engine.supports(task)
}

/// Asks the engine, and lets its answer pass only if it can be checked: a violating trace must replay on the reference
/// semantics, under the task's model, and end in a violation; one that never ends must return to a state it was in, be
/// fair, and make the formula false.
pub fn run(engine: &dyn Engine, task: &Task<'_>, context: &mut Context<'_>) -> Result<Answer, Rejected> {
    let verdict = match takes(engine, task) {
        Err(unknown) => Verdict::Unknown(unknown),
        Ok(()) => engine.check(task, context),
    };
    context.statistics.seconds = context.meter.elapsed().as_secs_f64();
    if let Some(rejected) = context.rejected.take() {
        return Err(rejected);
    }
    let name = context.decided_by.take().unwrap_or(engine.name());
    let execution = match &verdict {
        Verdict::Violated(trace) => Some(replayed(name, task, trace)?),
        Verdict::Holds(_) | Verdict::Unknown(_) => None,
    };
    let parts = std::mem::take(&mut context.parts);
    Ok(Answer { engine: name, verdict, execution, statistics: context.statistics.clone(), parts })
}

/// The execution of a violating trace, if it is one of the task's program under the task's model.
pub(crate) fn replayed(engine: &'static str, task: &Task<'_>, trace: &Trace) -> Result<Execution, Rejected> {
    if trace.model != task.model {
        return Err(Rejected { engine, reason: "is of another memory model".to_owned() });
    }
    let execution = replay(task.program, trace).map_err(|error| Rejected::replay(engine, &error))?;
    if execution.violation.is_none() {
        return Err(Rejected { engine, reason: "violates no property".to_owned() });
    }
    Ok(execution)
}
