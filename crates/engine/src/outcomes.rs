//! The set of outcomes of a program: the observed values over all final states. An ability of some engines, with a
//! gate of its own.

use std::collections::BTreeMap;

use fencewright_base::Int;
use fencewright_ir::{Condition, Property, StateAtom};
use fencewright_memory::{Machine, State, Trace, replay};

use crate::{Context, Engine, Guarantee, Rejected, Statistics, Task, Unknown};

/// An engine that can give all outcomes.
pub trait OutcomeEngine: Engine {
    /// For each outcome an execution that ends in it. An outcome is the values of `observed`, in that order, in a final
    /// state that satisfies `filter`.
    fn outcomes(
        &self,
        task: &Task<'_>,
        query: &OutcomeQuery<'_>,
        context: &mut Context<'_>,
    ) -> Result<(BTreeMap<Vec<Int>, Trace>, Guarantee), Unknown>;
}

/// What an outcome consists of.
#[derive(Debug, Clone)]
pub struct OutcomeQuery<'a> {
    /// The observed parts of the state.
    pub observed: &'a [StateAtom],
    /// Only final states that satisfy this count.
    pub filter: Option<&'a Condition>,
}

/// All outcomes of a program.
#[derive(Debug, Clone)]
pub struct Outcomes {
    /// The outcomes, sorted by their values.
    pub outcomes: Vec<Outcome>,
    /// How far the set reaches.
    pub guarantee: Guarantee,
    /// What it cost.
    pub statistics: Statistics,
}

/// One outcome.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The observed values.
    pub values: Vec<Int>,
    /// Whether the condition holds in it.
    pub satisfies: bool,
    /// An execution that ends in it.
    pub witness: Trace,
}

/// The outcomes that `property`, a condition on final states, asks for. Every outcome's witness is replayed on the
/// reference semantics. Panics if the property is not a condition on final states.
pub fn run_outcomes(
    engine: &dyn OutcomeEngine,
    task: &Task<'_>,
    property: &Property,
    context: &mut Context<'_>,
) -> Result<Result<Outcomes, Unknown>, Rejected> {
    let Property::Final { quantifier: _, condition, filter, observed } = property else {
        panic!("internal error: outcomes were asked for a property that is not about final states")
    };
    if let Err(unknown) = crate::takes(engine, task) {
        return Ok(Err(unknown));
    }
    let query = OutcomeQuery { observed, filter: filter.as_ref() };
    let found = engine.outcomes(task, &query, context);
    context.statistics.seconds = context.meter.elapsed().as_secs_f64();
    let (found, guarantee) = match found {
        Ok(found) => found,
        Err(unknown) => return Ok(Err(unknown)),
    };
    let machine = Machine::new(task.program, task.model);
    let holds = |condition: &Condition, state: &State| {
        let value = condition.expr.eval(&mut |atom| machine.value_of(state, atom));
        value.is_ok_and(|value| value.is_true())
    };
    let mut outcomes = Vec::new();
    for (values, witness) in found {
        let rejected = |reason: &str| Rejected { engine: engine.name(), reason: reason.to_owned() };
        if witness.model != task.model {
            return Err(rejected("is of another memory model"));
        }
        let execution =
            replay(task.program, &witness).map_err(|error| Rejected::replay(engine.name(), &error))?;
        let last = execution.last();
        let seen: Vec<Int> = observed.iter().map(|atom| machine.value_of(last, atom)).collect();
        if !machine.is_final(last) {
            return Err(rejected("does not end in a final state"));
        }
        if seen != values || !filter.as_ref().is_none_or(|filter| holds(filter, last)) {
            return Err(rejected("does not end in the outcome it is given for"));
        }
        outcomes.push(Outcome { values, satisfies: holds(condition, last), witness });
    }
    Ok(Ok(Outcomes { outcomes, guarantee, statistics: context.statistics.clone() }))
}
