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
use crate::events::{Extent, Refused};

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

    fn is_bounded_by_states(&self) -> bool {
        false
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
        decide(task, Circles::Refused, context)
    }
}

/// The engine `bmc:moments`: the same with the other encoding of the order.
#[derive(Debug, Copy, Clone, Default)]
pub struct BmcWithMoments;

impl Engine for BmcWithMoments {
    fn name(&self) -> &'static str {
        "bmc:moments"
    }

    fn about(&self) -> &'static str {
        "as bmc, every event with a number for its moment"
    }

    fn is_bounded_by_states(&self) -> bool {
        Bmc.is_bounded_by_states()
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Unknown> {
        Bmc.supports(task)
    }

    fn check(&self, task: &Task<'_>, context: &mut Context<'_>) -> Verdict {
        decide(task, Circles::Excluded, context)
    }
}

/// What keeps the order from having circles.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
enum Circles {
    /// A solution with a circle is refused.
    Refused,
    /// No solution has one.
    Excluded,
}

fn decide(task: &Task<'_>, circles: Circles, context: &mut Context<'_>) -> Verdict {
    let axioms = Axioms::of(task.model).expect("a supported task has a model with axioms");
    let mut explored = None;
    let mut extent = Extent::with_bound(task.options.unroll.unwrap_or(0));
    loop {
        let further = match round(task, axioms, (extent, circles), context) {
            Err(unknown) => {
                return Verdict::Unknown(match unknown {
                    Unknown::Stopped { stop, .. } => Unknown::Stopped { stop, explored },
                    other => other,
                });
            }
            Ok(Err(trace)) => return Verdict::Violated(trace),
            Ok(Ok(further)) => further,
        };
        let bounds = Bounds { unroll: Some(extent.bound), ..Bounds::default() };
        match further {
            None => return Verdict::Holds(Guarantee::Unbounded),
            Some(further) if further.bound > extent.bound && task.options.unroll.is_some() => {
                return Verdict::Holds(Guarantee::UpTo(bounds));
            }
            Some(further) => extent = further,
        }
        explored = Some(bounds);
    }
}

/// Everything so far: a violation, or how to go further if there is more.
fn round(
    task: &Task<'_>,
    axioms: &'static Axioms,
    (extent, circles): (Extent, Circles),
    context: &mut Context<'_>,
) -> Result<Result<Option<Extent>, Trace>, Unknown> {
    let mut encoding = encode(task, axioms, extent, &[], context)?;
    if circles == Circles::Excluded {
        encoding.number_points().map_err(unsupported)?;
    }
    let violated = encoding.violated;
    if let Some(order) = ask(&[violated], &mut encoding, context)? {
        return Ok(Err(trace(task.program, task.model, &encoding, &order, false)));
    }
    Ok(Ok(further(extent, &mut encoding, context)?))
}

/// What must be followed further than it is: loops, or numbers. Nothing if no execution is cut.
pub(crate) fn further(
    extent: Extent,
    encoding: &mut Encoding,
    context: &mut Context<'_>,
) -> Result<Option<Extent>, Unknown> {
    let (left, overflow) = (encoding.left, encoding.overflow);
    let goes_back = ask(&[left], encoding, context)?.is_some();
    let is_wide = ask(&[overflow], encoding, context)?.is_some();
    Ok((goes_back || is_wide).then(|| Extent {
        bound: if goes_back { extent.bound + 1 + extent.bound / 2 } else { extent.bound },
        spare_bits: if is_wide { 2 * extent.spare_bits } else { extent.spare_bits },
    }))
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
    extent: Extent,
    watched: &[StateAtom],
    context: &mut Context<'_>,
) -> Result<Encoding, Unknown> {
    context.meter.tick().map_err(stopped)?;
    let meter = context.meter.clone();
    let circuit = Circuit::new(move || meter.tick().is_err());
    let encoding = Encoding::new(task.program, axioms, extent, watched, circuit).map_err(unsupported)?;
    let states = encoding.points.len() as u64;
    let phase = format!("{} rounds back", extent.bound);
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
        let mut extent = Extent::with_bound(task.options.unroll.unwrap_or(0));
        loop {
            let mut encoding = encode(task, axioms, extent, query.observed, context)?;
            let more = further(extent, &mut encoding, context)?;
            if let Some(more) = more
                && (task.options.unroll.is_none() || more.bound == extent.bound)
            {
                extent = more;
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
            let bounds = Bounds { unroll: Some(extent.bound), ..Bounds::default() };
            return Ok((found, if more.is_some() { Guarantee::UpTo(bounds) } else { Guarantee::Unbounded }));
        }
    }
}
