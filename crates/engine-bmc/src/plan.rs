//! The engine: rounds of unrolling until a violation is found or nothing is left to unroll.

use fencewright_base::{Progress, Stop};
use fencewright_engine::{Bounds, Context, Engine, Feature, Guarantee, Task, Unknown, Verdict};
use fencewright_logic::Circuit;

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
    let stopped = |stop: Stop| Unknown::Stopped { stop, explored: None };
    context.meter.tick().map_err(stopped)?;
    let meter = context.meter.clone();
    let circuit = Circuit::new(move || meter.tick().is_err());
    let unsupported = |refused| {
        let feature = match refused {
            Refused::TooWide => Feature::WideNumbers,
            Refused::OpenValue(name) => Feature::OpenValue(name),
        };
        Unknown::Unsupported { feature, span: None }
    };
    let mut encoding = Encoding::new(task.program, axioms, bound, circuit).map_err(unsupported)?;
    let phase = format!("{bound} rounds back");
    let states = encoding.points.len() as u64;
    (context.progress)(Progress { phase: &phase, states, frontier: 0, bytes: 0 });
    context.meter.store(states).map_err(stopped)?;
    let (violated, cut) = (encoding.violated, encoding.cut);
    let ask = |bit, encoding: &mut Encoding, context: &mut Context<'_>| {
        let answer = encoding.solve(&[bit]);
        context.statistics.states = states;
        context.statistics.transitions = encoding.circuit.clauses();
        answer.map_err(|()| stopped(context.meter.tick().err().unwrap_or(Stop::Cancelled)))
    };
    if let Some(order) = ask(violated, &mut encoding, context)? {
        return Ok(Some(Verdict::Violated(trace(task.program, task.model, &encoding, &order))));
    }
    let more = ask(cut, &mut encoding, context)?.is_some();
    Ok((!more).then_some(Verdict::Holds(Guarantee::Unbounded)))
}
