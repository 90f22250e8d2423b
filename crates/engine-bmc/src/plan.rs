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
use crate::encode::{Encoding, Halted};
use crate::events::{Extent, Refused};

/// So many bounds are tried for one that cuts nothing.
const PROBED_BOUNDS: usize = 10;

/// Programs of more points are not tried further: making the formula costs more than it saves.
const PROBED_POINTS: usize = 1_000;

/// Whether an execution is cut is hardly ever a hard question; where it is, the next bound is tried.
const PROBE_CONFLICTS: u64 = 500;

/// A round with more conflicts than this is worth the look for a bound that cuts nothing.
const EARLY_CONFLICTS: u64 = 2_000;

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
pub(crate) enum Circles {
    /// A solution with a circle is refused.
    Refused,
    /// No solution has one.
    Excluded,
}

fn decide(task: &Task<'_>, circles: Circles, context: &mut Context<'_>) -> Verdict {
    let mut explored = None;
    let decided = try_rounds(task, circles, &mut explored, context);
    decided.map(|(verdict, _)| verdict).unwrap_or_else(|unknown| {
        Verdict::Unknown(match unknown {
            Unknown::Stopped { stop, .. } => Unknown::Stopped { stop, explored },
            other => other,
        })
    })
}

/// Goes further until it is known whether a property is violated; also how far that was.
pub(crate) fn try_rounds(
    task: &Task<'_>,
    circles: Circles,
    explored: &mut Option<Bounds>,
    context: &mut Context<'_>,
) -> Result<(Verdict, Extent), Unknown> {
    let axioms = Axioms::of(task.model).expect("a supported task has a model with axioms");
    let mut extent = Extent::with_bound(task.options.unroll.unwrap_or(0));
    // A round that is not done soon is left for the one that decides everything, if that is within reach.
    let mut limit = task.options.unroll.is_none().then_some(EARLY_CONFLICTS);
    loop {
        let further = match round(task, axioms, (extent, circles), limit, context)? {
            Round::Violated(trace) => return Ok((Verdict::Violated(trace), extent)),
            Round::GaveUp => {
                limit = None;
                let complete = complete_bound(task, axioms, extent, context)?;
                extent.bound = complete.unwrap_or(extent.bound);
                continue;
            }
            Round::Safe(further) => further,
        };
        let bounds = Bounds { unroll: Some(extent.bound), ..Bounds::default() };
        match further {
            None => return Ok((Verdict::Holds(Guarantee::Unbounded), extent)),
            Some(further) if further.bound > extent.bound && task.options.unroll.is_some() => {
                return Ok((Verdict::Holds(Guarantee::UpTo(bounds)), extent));
            }
            Some(further) => extent = further,
        }
        *explored = Some(bounds);
    }
}

/// The least bound beyond this one with which no execution is cut, if it is found with little work.
fn complete_bound(
    task: &Task<'_>,
    axioms: &'static Axioms,
    extent: Extent,
    context: &mut Context<'_>,
) -> Result<Option<usize>, Unknown> {
    for bound in extent.bound..=extent.bound + PROBED_BOUNDS {
        let mut encoding = encode(task, axioms, Extent { bound, ..extent }, &[], context)?;
        if encoding.points.len() > PROBED_POINTS {
            break;
        }
        let left = encoding.left;
        match attempt(&[left], Some(PROBE_CONFLICTS), &mut encoding, context)? {
            Attempt::Nothing => return Ok(Some(bound)),
            Attempt::Found(_) | Attempt::GaveUp => {}
        }
    }
    Ok(None)
}

/// What a round found.
enum Round {
    Violated(Trace),
    /// Nothing; how to go further if there is more.
    Safe(Option<Extent>),
    /// The solver had met the limit of conflicts.
    GaveUp,
}

/// Looks at everything so far.
fn round(
    task: &Task<'_>,
    axioms: &'static Axioms,
    (extent, circles): (Extent, Circles),
    limit: Option<u64>,
    context: &mut Context<'_>,
) -> Result<Round, Unknown> {
    let mut encoding = encode(task, axioms, extent, &[], context)?;
    if circles == Circles::Excluded {
        encoding.number_points().map_err(|refused| no_circuit(refused, context))?;
    }
    let (violated, overflow) = (encoding.violated, encoding.overflow);
    // Numbers hardly ever outgrow their bits: that neither happens is asked together, and costs what one of them does.
    let either = encoding.circuit.or(violated, overflow);
    let mut is_wide = false;
    match attempt(&[either], limit, &mut encoding, context)? {
        Attempt::GaveUp => return Ok(Round::GaveUp),
        Attempt::Nothing => {}
        Attempt::Found(order) => {
            is_wide = !encoding.circuit.value(violated);
            let order = if is_wide { ask(&[violated], &mut encoding, context)? } else { Some(order) };
            if let Some(order) = order {
                return Ok(Round::Violated(trace(task.program, task.model, &encoding, &order, false)));
            }
        }
    }
    let left = encoding.left;
    let goes_back = ask(&[left], &mut encoding, context)?.is_some();
    Ok(Round::Safe((goes_back || is_wide).then(|| extent.beyond(goes_back, is_wide))))
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
    Ok((goes_back || is_wide).then(|| extent.beyond(goes_back, is_wide)))
}

fn stopped(stop: Stop) -> Unknown {
    Unknown::Stopped { stop, explored: None }
}

/// Why there is no circuit.
pub(crate) fn no_circuit(refused: Refused, context: &Context<'_>) -> Unknown {
    let feature = match refused {
        Refused::Stopped => return stopped_by(context),
        Refused::TooWide => Feature::WideNumbers,
        Refused::OpenValue(name) => Feature::OpenValue(name),
    };
    Unknown::Unsupported { feature, span: None }
}

/// An empty circuit whose solver stops when the budget ends.
pub(crate) fn circuit(context: &Context<'_>) -> Circuit {
    let meter = context.meter.clone();
    Circuit::new(move || meter.tick().is_err())
}

/// What the solver was stopped by.
pub(crate) fn stopped_by(context: &Context<'_>) -> Unknown {
    stopped(context.meter.tick().err().unwrap_or(Stop::Cancelled))
}

pub(crate) fn encode(
    task: &Task<'_>,
    axioms: &'static Axioms,
    extent: Extent,
    watched: &[StateAtom],
    context: &mut Context<'_>,
) -> Result<Encoding, Unknown> {
    context.meter.tick().map_err(stopped)?;
    let encoding = Encoding::new(task.program, axioms, extent, watched, circuit(context));
    let encoding = encoding.map_err(|refused| no_circuit(refused, context))?;
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
    match attempt(bits, None, encoding, context)? {
        Attempt::Found(order) => Ok(Some(order)),
        Attempt::Nothing => Ok(None),
        Attempt::GaveUp => unreachable!("internal error: there was no limit"),
    }
}

/// An answer of a solver that may give up.
enum Attempt {
    Found(Vec<usize>),
    Nothing,
    GaveUp,
}

/// As [`ask`], with at most so many conflicts.
fn attempt(
    bits: &[Bit],
    limit: Option<u64>,
    encoding: &mut Encoding,
    context: &mut Context<'_>,
) -> Result<Attempt, Unknown> {
    encoding.circuit.limit_conflicts(limit);
    let answer = encoding.solve(bits);
    encoding.circuit.limit_conflicts(None);
    context.statistics.transitions = encoding.circuit.clauses();
    match answer {
        Ok(Some(order)) => Ok(Attempt::Found(order)),
        Ok(None) => Ok(Attempt::Nothing),
        Err(Halted::GaveUp) => Ok(Attempt::GaveUp),
        Err(Halted::Stopped) => Err(stopped_by(context)),
    }
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
            let (ended, numbers) = outcome.map_err(|refused| no_circuit(refused, context))?;
            let mut found = BTreeMap::new();
            while let Some(order) = ask(&[ended], &mut encoding, context)? {
                let values: Vec<Int> = numbers.iter().map(|number| number.value(&encoding.circuit)).collect();
                found.insert(values.clone(), trace(task.program, task.model, &encoding, &order, true));
                let mut differs = Vec::new();
                for (number, value) in numbers.iter().zip(&values) {
                    let value = Number::constant(value).map_err(|wide| no_circuit(wide.into(), context))?;
                    differs.push(!number.equal(&value, &mut encoding.circuit));
                }
                encoding.circuit.require(&differs);
            }
            let bounds = Bounds { unroll: Some(extent.bound), ..Bounds::default() };
            return Ok((found, if more.is_some() { Guarantee::UpTo(bounds) } else { Guarantee::Unbounded }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencewright_base::{CancelToken, Meter};
    use fencewright_engine::Options;
    use fencewright_ir::{BinaryOp, Expr, Op, Program};
    use fencewright_memory::Model;
    use fencewright_testkit::toy::{Toy, guard, write};

    /// Writes in a loop, which ends after so many rounds or never.
    fn counting(rounds: Option<i64>) -> Program {
        let mut toy = Toy::new("counting");
        let [x] = toy.vars(["x"]);
        toy.thread(|t| {
            let (head, r) = (t.here(), t.reg("r"));
            let goes_on = rounds.map(|rounds| Expr::Atom(r).binary(BinaryOp::Lt, Expr::constant(rounds)));
            let next = Op::Assign { dst: r, value: Expr::Atom(r).add(Expr::constant(1)) };
            t.step_to(head, None, goes_on.map(guard).into_iter().chain([write(x, r), next]));
        });
        toy.finish()
    }

    #[test]
    fn the_bound_that_cuts_nothing_is_the_number_of_rounds() {
        let mut context = Context::quiet(Meter::start(Default::default(), CancelToken::new()));
        for (rounds, expected) in [(Some(0), Some(0)), (Some(3), Some(3)), (None, None)] {
            let program = counting(rounds);
            let task = Task { program: &program, model: Model::Tso, options: Options::default() };
            let axioms = Axioms::of(task.model).expect("TSO has axioms");
            let found = complete_bound(&task, axioms, Extent::with_bound(0), &mut context);
            assert_eq!(found.expect("nothing stops it"), expected, "{rounds:?}");
        }
    }
}
