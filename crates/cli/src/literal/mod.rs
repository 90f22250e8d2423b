//! The second reading of a compiled program, beside the engines on the first.
//!
//! Both are asked at once. What comes of it:
//!
//! | engines on the lowered program | literal machine | shown |
//! |---|---|---|
//! | proof | all states, none bad | the proof, confirmed |
//! | proof | still searching | the proof, and how far the literal search agrees |
//! | proof | violation of what the lowering claims to check | a disagreement: an internal error, never a verdict |
//! | violation | the same order of threads leads to one | the violation, replayed |
//! | violation | no execution in that order | a disagreement |
//! | nothing, or refused | proof or violation | the literal machine's answer |

mod cause;
mod combine;
mod message;
mod names;
mod repair;
mod side;
mod story;
mod under_sc;

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use fencewright_base::{Index, Meter, Progress, Stop};
use fencewright_engine::{Answer, Bounds, Guarantee, Rejected, Statistics, Verdict};
use fencewright_engine_literal::search;
use fencewright_ir::Property;
use fencewright_literal::machine::Partly;
use fencewright_literal::violation::Check;
use fencewright_memory::{Model, Trace};
use fencewright_report::literal::Literal;

use self::combine::{combine, is_stricter};
use self::side::{FOLLOWING, Said, Side, Spoken};
use crate::deadline::{self, Question};
use crate::load::{Complaints, Input};
use crate::settings::Search;

pub(crate) use self::repair::{Mended, Wanted, mend};
pub(crate) use self::side::Reading;

/// The name of the engine.
pub(crate) const NAME: &str = "literal";

/// How long the slower of the two may go on when the other has answered, beside as long as that took.
const GRACE: Duration = Duration::from_millis(100);
/// The same for the literal machine on a whole program in Rust, the standard library included: reading it takes longer than most
/// searches.
const GRACE_OF_WHOLE_PROGRAMS: Duration = Duration::from_secs(3);
/// The same for the engines, when the literal machine has found a violation: theirs says more about the reordering.
const GRACE_OF_ENGINES: Duration = Duration::from_millis(1_000);

/// How long the whole program may be compiled before the literal machine begins.
const COMPILING: Duration = Duration::from_secs(60);

/// How long the literal machine may take for what a proof of the engines leaves open, beside some times as long as that took.
const GRACE_OF_OPEN_ENDS: Duration = Duration::from_secs(10);

/// An answer with what the literal machine says of it.
pub(crate) struct Asked {
    pub(crate) answer: Answer,
    pub(crate) literal: Literal,
}

enum Spoke {
    Engines(Box<Result<Answer, Rejected>>),
    Literal(Box<Spoken>),
}

/// The second reading, if there is one and it is to be asked: nobody named another engine, and what is asked is about states.
pub(crate) fn reading_to_ask<'a>(input: &'a Input, search: &Search) -> Option<&'a Arc<Reading>> {
    let is_named = [NAME, "auto"].contains(&search.engine.engine.name());
    let about_states = !input.program.properties.iter().any(Property::is_temporal);
    input.reading.as_ref().filter(|_| is_named && about_states)
}

/// A text that only the second reading takes is refused where that is not asked: there is no program for the engines.
pub(crate) fn or_refused(mut input: Input, search: &Search) -> Result<Input, Complaints> {
    match input.refused.take() {
        Some(refused) if reading_to_ask(&input, search).is_none() => Err(refused),
        refused => Ok(Input { refused, ..input }),
    }
}

/// What is looked for, a word each.
fn checks(reading: &Reading) -> Vec<String> {
    let asked = Check::ALL.iter().filter(|check| !reading.left_out.contains(check));
    asked.map(|check| check.name().to_owned()).collect()
}

/// What is looked for in a compiled text whatever it states. The engines on the lowered program see no deadlocks.
pub(crate) fn looked_for(input: &Input, search: &Search) -> Option<Vec<String>> {
    let mut names = checks(input.reading.as_ref()?);
    if reading_to_ask(input, search).is_none() {
        names.retain(|name| name != Check::Deadlock.name());
    }
    Some(names)
}

/// Asks both readings.
pub(crate) fn ask(
    input: &Input,
    reading: &Arc<Reading>,
    search: &Search,
    model: Model,
    meter: &Meter,
    show: &(dyn Fn(Progress<'_>) + Sync),
) -> Result<Asked, Rejected> {
    let checks = checks(reading);
    let only_literal =
        search.engine.engine.name() == NAME || input.refused.is_some() || !reading.left_out.is_empty();
    let start = Instant::now();
    let (sender, receiver) = channel();
    let (engines_stop, literal_stop) = (meter.cancel_token().child(), meter.cancel_token().child());
    let (order_sender, order_receiver) = channel();
    let side = Side {
        reading: reading.clone(),
        sources: input.sources.clone(),
        model,
        buffer: search.options.buffer,
        reduction: search.options.reduction,
    };
    let budget = meter.budget().clone();
    let (theirs, own) = (sender.clone(), meter.part(budget.clone(), literal_stop.clone()));
    let whole = meter.clone();
    // As the engines' thread, it is abandoned if it does not notice that it is to stop.
    let speaker = std::thread::Builder::new().stack_size(deadline::STACK).spawn(move || {
        let spoken = side.speak(&own, &whole, &order_receiver);
        let _ = theirs.send(Spoke::Literal(Box::new(spoken)));
    });
    let mut speaker = Some(speaker.expect("a thread can be started"));
    std::thread::scope(|scope| {
        let mut engines: Option<Result<Answer, Rejected>> = None;
        if only_literal {
            let _ = order_sender.send(None);
        } else {
            let (theirs, own) = (sender.clone(), meter.part(budget.clone(), engines_stop.clone()));
            scope.spawn(move || {
                let question = Question {
                    engine: search.engine.engine,
                    program: &input.program,
                    model,
                    options: search.options.clone(),
                };
                let _ = theirs.send(Spoke::Engines(Box::new(question.ask(own, show))));
            });
        }
        let mut literal: Option<Spoken> = None;
        let mut until: Option<Instant> = None;
        // How long after the engines' proof that is, or after the literal machine could begin.
        let mut patience = Duration::ZERO;
        // Since when the literal machine should have answered.
        let mut overdue: Option<Instant> = None;
        let mut following = Duration::ZERO;
        while literal.is_none() || !only_literal && engines.is_none() {
            let wait = until.map_or(Duration::from_millis(50), |until| {
                until.saturating_duration_since(Instant::now()).min(Duration::from_millis(50))
            });
            let is_gone = speaker.as_ref().is_some_and(std::thread::JoinHandle::is_finished);
            match receiver.recv_timeout(wait) {
                Ok(Spoke::Literal(spoken)) => {
                    // A proof or a violation is enough; the engines may still say it better.
                    until = match &spoken.said {
                        Said::Holds { partly } if !partly.any() => {
                            Some(Instant::now() + GRACE + start.elapsed())
                        }
                        Said::Violated { .. } => Some(Instant::now() + GRACE_OF_ENGINES + start.elapsed()),
                        _ => None,
                    };
                    literal = Some(*spoken);
                }
                Ok(Spoke::Engines(answer)) => {
                    let order = match &*answer {
                        Ok(Answer { verdict: Verdict::Violated(trace), .. }) => Some(order_of(input, trace)),
                        _ => None,
                    };
                    // Where the engines' proof leaves something open, the literal machine may still close it.
                    let proved =
                        matches!(&*answer, Ok(Answer { verdict: Verdict::Holds(Guarantee::Unbounded), .. }))
                            && !input.may_block
                            && input.left_out_under(model).is_none();
                    if order.is_some() {
                        following = FOLLOWING;
                        // Of uses of unset values the literal machine has a say of its own, if it comes to an end.
                        match is_stricter(input, answer.as_ref().as_ref().ok()) {
                            true => until = Some(Instant::now() + GRACE_OF_OPEN_ENDS),
                            false => literal_stop.cancel(),
                        }
                    } else if matches!(&*answer, Ok(Answer { verdict: Verdict::Holds(_), .. })) {
                        patience = match proved {
                            true if reading.is_whole_program() => GRACE_OF_WHOLE_PROGRAMS + start.elapsed(),
                            true => GRACE + start.elapsed(),
                            false => GRACE_OF_OPEN_ENDS + 4 * start.elapsed(),
                        };
                        until = Some(Instant::now() + patience);
                    }
                    let _ = order_sender.send(order);
                    engines = Some(*answer);
                }
                Err(RecvTimeoutError::Timeout) => {
                    if literal.is_none()
                        && is_gone
                        && let Some(Err(panic)) = speaker.take().map(std::thread::JoinHandle::join)
                    {
                        engines_stop.cancel();
                        std::panic::resume_unwind(panic);
                    }
                    let waits_for_engines = !only_literal && engines.is_none();
                    let ended = meter.tick().err();
                    let stop = ended.or(literal_stop.is_cancelled().then_some(Stop::Cancelled));
                    if let Some(stop) = stop.filter(|_| literal.is_none() && !waits_for_engines) {
                        let patience =
                            deadline::GRACE + if ended.is_some() { Duration::ZERO } else { following };
                        if overdue.get_or_insert_with(Instant::now).elapsed() >= patience {
                            literal = Some(Spoken::stopped(stop));
                        }
                    }
                    let now = Instant::now();
                    // Its time counts from when it can begin.
                    if until.is_some() && reading.is_being_compiled() && start.elapsed() < COMPILING {
                        until = Some(now + patience);
                    } else if until.is_some_and(|until| now >= until) {
                        engines_stop.cancel();
                        literal_stop.cancel();
                    }
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        engines_stop.cancel();
        literal_stop.cancel();
        let literal = literal.unwrap_or_else(|| Spoken::silent("it did not answer"));
        combine(input, model, engines, literal, checks, meter)
    })
}

/// The order in which the threads of the other reading act, by the numbers they have here.
fn order_of(input: &Input, trace: &Trace) -> Vec<usize> {
    let has_main = input.program.threads.iter().next().is_some_and(|thread| thread.name == "main");
    let mut order: Vec<usize> =
        trace.actions.iter().map(|action| action.thread().index() + usize::from(!has_main)).collect();
    order.dedup();
    order
}

/// What a search on the literal machine cost, as engines say it.
fn engine_statistics(of: &search::Statistics, meter: &Meter) -> Statistics {
    Statistics {
        states: of.states,
        transitions: of.transitions,
        peak_bytes: of.bytes,
        longest_buffer: of.longest_buffer,
        buffer_bound: Some(of.buffer),
        seconds: meter.elapsed().as_secs_f64(),
        shortest: of.shortest,
        state_bytes: (of.bytes / of.states.max(1)) as usize,
        ..Statistics::default()
    }
}

/// What a search that saw no violation leaves out.
fn bounds_of(partly: Partly, threads: usize) -> Bounds {
    Bounds {
        values: partly.values || partly.times,
        no_reuse: partly.reuse,
        copies: partly.copies,
        threads: partly.threads.then_some(threads),
        ..Bounds::default()
    }
}
