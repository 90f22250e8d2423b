//! The engine: rounds of unrolling until a violation is found or nothing is left to unroll.

use std::collections::BTreeMap;

use fencewright_base::{Int, Progress, Stop};
use fencewright_engine::{
    Bounds, Context, Engine, Feature, Guarantee, OutcomeEngine, OutcomeQuery, Task, Unknown, Verdict,
};
use fencewright_ir::{Property, StateAtom};
use fencewright_logic::{Bit, Circuit, Number};
use fencewright_memory::Trace;

use crate::axioms::Axioms;
use crate::decode::trace;
use crate::encode::Encoding;
use crate::events::Refused;

/// The engine `bmc`.
#[derive(Debug, Copy, Clone, Default)]
pub struct Bmc;

impl Engine for Bmc {
    fn name(&self) -> &'static str {
        "bmc"
    }

    fn about(&self) -> &'static str {
        "unrolled loops as one SAT instance over orders of events"
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Unknown> {
        if task.program.properties.iter().any(Property::is_temporal) {
            return Err(Unknown::Unsupported { feature: Feature::Temporal, span: None });
        }
        match Axioms::of(task.model) {
            Some(_) => Ok(()),
            None => Err(Unknown::Unsupported { feature: Feature::Model(task.model), span: None }),
        }
    }

    fn check(&self, task: &Task<'_>, context: &mut Context<'_>) -> Verdict {
        let axioms = Axioms::of(task.model).expect("a supported task has a model with axioms");
        let mut explored = None;
        let mut bound = task.options.unroll.unwrap_or(0);
        loop {
            match round(task, axioms, bound, context) {
                Err(unknown) => {
                    return Verdict::Unknown(match unknown {
                        Unknown::Stopped { stop, .. } => Unknown::Stopped { stop, explored },
                        other => other,
                    });
                }
                Ok(Some(verdict)) => return verdict,
                Ok(None) => {}
            }
            let bounds = Bounds { unroll: Some(bound), ..Bounds::default() };
            if task.options.unroll.is_some() {
                return Verdict::Holds(Guarantee::UpTo(bounds));
            }
            explored = Some(bounds);
            bound += 1 + bound / 2;
        }
    }
}

/// Everything with paths that go back at most `bound` times: a verdict, or nothing if it holds so far and there is more.
fn round(
    task: &Task<'_>,
    axioms: &'static Axioms,
    bound: usize,
    context: &mut Context<'_>,
) -> Result<Option<Verdict>, Unknown> {
    let mut encoding = encode(task, axioms, bound, &[], context)?;
    let (violated, cut) = (encoding.violated, encoding.cut);
    if let Some(order) = ask(&[violated], &mut encoding, context)? {
        return Ok(Some(Verdict::Violated(trace(task.program, task.model, &encoding, &order, false))));
    }
    let more = ask(&[cut], &mut encoding, context)?.is_some();
    Ok((!more).then_some(Verdict::Holds(Guarantee::Unbounded)))
}

fn stopped(stop: Stop) -> Unknown {
    Unknown::Stopped { stop, explored: None }
}

fn unsupported(refused: Refused) -> Unknown {
    let feature = match refused {
        Refused::TooWide => Feature::WideNumbers,
        Refused::OpenValue(name) => Feature::OpenValue(name),
    };
    Unknown::Unsupported { feature, span: None }
}

pub(crate) fn encode(
    task: &Task<'_>,
    axioms: &'static Axioms,
    bound: usize,
    watched: &[StateAtom],
    context: &mut Context<'_>,
) -> Result<Encoding, Unknown> {
    context.meter.tick().map_err(stopped)?;
    let meter = context.meter.clone();
    let circuit = Circuit::new(move || meter.tick().is_err());
    let encoding = Encoding::new(task.program, axioms, bound, watched, circuit).map_err(unsupported)?;
    let states = encoding.points.len() as u64;
    let phase = format!("{bound} rounds back");
    (context.progress)(Progress { phase: &phase, states, frontier: 0, bytes: 0 });
    context.meter.store(states).map_err(stopped)?;
    context.statistics.states = states;
    Ok(encoding)
}

/// An execution in which the bits are true: its points in order.
pub(crate) fn ask(
    bits: &[Bit],
    encoding: &mut Encoding,
    context: &mut Context<'_>,
) -> Result<Option<Vec<usize>>, Unknown> {
    let answer = encoding.solve(bits);
    context.statistics.transitions = encoding.circuit.clauses();
    answer.map_err(|()| stopped(context.meter.tick().err().unwrap_or(Stop::Cancelled)))
}

impl OutcomeEngine for Bmc {
    fn outcomes(
        &self,
        task: &Task<'_>,
        query: &OutcomeQuery<'_>,
        context: &mut Context<'_>,
    ) -> Result<(BTreeMap<Vec<Int>, Trace>, Guarantee), Unknown> {
        let axioms = Axioms::of(task.model).expect("a supported task has a model with axioms");
        let mut bound = task.options.unroll.unwrap_or(0);
        loop {
            let mut encoding = encode(task, axioms, bound, query.observed, context)?;
            let cut = encoding.cut;
            let more = ask(&[cut], &mut encoding, context)?.is_some();
            if more && task.options.unroll.is_none() {
                bound += 1 + bound / 2;
                continue;
            }
            let outcome = encoding.outcome(task.program, query.observed, query.filter);
            let (ended, numbers) = outcome.map_err(unsupported)?;
            let mut found = BTreeMap::new();
            while let Some(order) = ask(&[ended], &mut encoding, context)? {
                let values: Vec<Int> = numbers.iter().map(|number| number.value(&encoding.circuit)).collect();
                found.insert(values.clone(), trace(task.program, task.model, &encoding, &order, true));
                let mut differs = Vec::new();
                for (number, value) in numbers.iter().zip(&values) {
                    let value = Number::constant(value).map_err(|wide| unsupported(wide.into()))?;
                    differs.push(!number.equal(&value, &mut encoding.circuit));
                }
                encoding.circuit.require(&differs);
            }
            let bounds = Bounds { unroll: Some(bound), ..Bounds::default() };
            return Ok((found, if more { Guarantee::UpTo(bounds) } else { Guarantee::Unbounded }));
        }
    }
}
