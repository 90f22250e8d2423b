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
mod message;
mod names;
mod repair;
mod side;
mod story;

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use fencewright_base::{Index, Meter, Progress};
use fencewright_engine::{Answer, Bounds, Guarantee, Rejected, Statistics, Unknown, Verdict};
use fencewright_engine_literal::search;
use fencewright_ir::Property;
use fencewright_literal::machine::Partly;
use fencewright_literal::violation::Check;
use fencewright_memory::{InitialChoices, Model, Trace};
use fencewright_report::literal::{Literal, Standing};

use self::side::{Said, Side, Spoken};
use crate::deadline::Question;
use crate::load::{Complaints, Input};
use crate::settings::Search;

pub(crate) use self::repair::{Mended, Wanted, mend};
pub(crate) use self::side::Reading;

/// The name of the engine.
pub(crate) const NAME: &str = "literal";

/// How long the slower of the two may go on when the other has answered, beside as long as that took.
const GRACE: Duration = Duration::from_millis(100);
/// The same for the engines, when the literal machine has found a violation: theirs says more about the reordering.
const GRACE_OF_ENGINES: Duration = Duration::from_millis(1_000);

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
pub(crate) fn reading_to_ask<'a>(input: &'a Input, search: &Search) -> Option<&'a Reading> {
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

/// Asks both readings.
pub(crate) fn ask(
    input: &Input,
    reading: &Reading,
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
        reading,
        sources: &input.sources,
        model,
        buffer: search.options.buffer,
        reduction: search.options.reduction,
    };
    let budget = meter.budget().clone();
    std::thread::scope(|scope| {
        let (theirs, own) = (sender.clone(), meter.part(budget.clone(), literal_stop.clone()));
        let whole = meter.clone();
        std::thread::Builder::new()
            .stack_size(256 << 20)
            .spawn_scoped(scope, move || {
                let spoken = side.speak(&own, &whole, &order_receiver);
                let _ = theirs.send(Spoke::Literal(Box::new(spoken)));
            })
            .expect("a thread can be started");
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
        while literal.is_none() || !only_literal && engines.is_none() {
            let wait = until.map_or(Duration::from_millis(50), |until| {
                until.saturating_duration_since(Instant::now()).min(Duration::from_millis(50))
            });
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
                        literal_stop.cancel();
                    } else if proved {
                        until = Some(Instant::now() + GRACE + start.elapsed());
                    } else if matches!(&*answer, Ok(Answer { verdict: Verdict::Holds(_), .. })) {
                        until = Some(Instant::now() + GRACE_OF_OPEN_ENDS + 4 * start.elapsed());
                    }
                    let _ = order_sender.send(order);
                    engines = Some(*answer);
                }
                Err(RecvTimeoutError::Timeout) => {
                    if until.is_some_and(|until| Instant::now() >= until) {
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

fn combine(
    input: &Input,
    model: Model,
    engines: Option<Result<Answer, Rejected>>,
    literal: Spoken,
    checks: Vec<String>,
    meter: &Meter,
) -> Result<Asked, Rejected> {
    let with = |answer: Answer, standing: Standing| Asked {
        answer,
        literal: Literal { standing, execution: None, checks: checks.clone() },
    };
    let states = literal.statistics.states;
    let own = |verdict: Verdict| Answer {
        engine: NAME,
        verdict,
        execution: None,
        statistics: engine_statistics(
            &literal.statistics,
            matches!(literal.said, Said::Violated { .. }),
            meter,
        ),
        parts: Vec::new(),
    };
    let mut answer = match engines {
        Some(answer) => Some(answer?),
        None => None,
    };
    // The engines have seen executions of the program they were given, which are not all of the text's.
    if let Some(Answer { verdict: Verdict::Holds(guarantee), .. }) = &mut answer
        && let Some(left_out) = input.left_out_under(model)
    {
        let found = match guarantee {
            Guarantee::Unbounded => Bounds::default(),
            Guarantee::UpTo(bounds) => std::mem::take(bounds),
        };
        *guarantee = Guarantee::UpTo(Bounds { buffer: found.buffer, unroll: found.unroll, ..left_out });
    }
    let proof = matches!(&answer, Some(Answer { verdict: Verdict::Holds(Guarantee::Unbounded), .. }));
    match &literal.said {
        Said::Violated { execution, check } => {
            let claimed = matches!(check, Check::Assertions | Check::Memory | Check::Division);
            if proof && claimed {
                let engine = answer.as_ref().map_or(NAME, |answer| answer.engine);
                return Err(disagreement(
                    input,
                    model,
                    engine,
                    &format!("proved what the literal machine violates: {}", execution.message),
                ));
            }
            // The engines call every error a failed assertion; where it is one, they know more of the reordering.
            if let Some(answer) = answer
                && matches!(answer.verdict, Verdict::Violated(_))
                && *check == Check::Assertions
            {
                return Ok(with(answer, Standing::Replayed));
            }
            let trace =
                Trace { model, initial: InitialChoices::default(), actions: Vec::new(), repeats_from: None };
            let literal = Literal {
                standing: Standing::Decided,
                execution: Some((**execution).clone()),
                checks: checks.clone(),
            };
            Ok(Asked { answer: own(Verdict::Violated(trace)), literal })
        }
        Said::DoesNotFollow => {
            let engine = answer.as_ref().map_or(NAME, |answer| answer.engine);
            Err(disagreement(
                input,
                model,
                engine,
                "found an execution that the literal machine does not have",
            ))
        }
        Said::Holds { partly } => {
            let bounds = bounds_of(*partly, input);
            let complete = bounds == Bounds::default();
            match answer {
                Some(Answer { verdict: Verdict::Violated(_), engine, .. }) if complete => {
                    Err(disagreement(input, model, engine, "violates what the literal machine proved"))
                }
                Some(mut answer) if !matches!(answer.verdict, Verdict::Unknown(_)) => {
                    // All executions were seen there, deadlocks and freed memory included.
                    if complete && matches!(answer.verdict, Verdict::Holds(_)) {
                        answer.verdict = Verdict::Holds(Guarantee::Unbounded);
                        return Ok(with(answer, Standing::Confirmed(states)));
                    }
                    Ok(with(answer, Standing::Agrees(states)))
                }
                _ if complete => Ok(with(own(Verdict::Holds(Guarantee::Unbounded)), Standing::Decided)),
                _ => Ok(with(own(Verdict::Holds(Guarantee::UpTo(bounds))), Standing::Decided)),
            }
        }
        Said::HoldsUpTo(buffer) => match answer {
            Some(answer) if !matches!(answer.verdict, Verdict::Unknown(_)) => {
                Ok(with(without_deadlocks(answer, input), Standing::Agrees(states)))
            }
            _ => {
                let bounds = Bounds { buffer: Some(*buffer), ..Bounds::default() };
                Ok(with(own(Verdict::Holds(Guarantee::UpTo(bounds))), Standing::Decided))
            }
        },
        Said::Stopped => match answer {
            Some(answer @ Answer { verdict: Verdict::Violated(_), .. }) => {
                Ok(with(answer, Standing::NotReplayed))
            }
            Some(answer) => Ok(with(without_deadlocks(answer, input), Standing::Agrees(states))),
            None => Ok(with(own(stopped(meter)), Standing::Decided)),
        },
        Said::Refused(why) => match answer {
            Some(answer) => Ok(with(without_deadlocks(answer, input), Standing::Unavailable(why.clone()))),
            None => Ok(with(own(Verdict::Unknown(Unknown::Imprecise)), Standing::Unavailable(why.clone()))),
        },
    }
}

/// A proof of the engines says nothing of threads that wait for ever, where threads can wait.
fn without_deadlocks(mut answer: Answer, input: &Input) -> Answer {
    if input.may_block
        && let Verdict::Holds(guarantee) = &mut answer.verdict
    {
        let found = match guarantee {
            Guarantee::Unbounded => Bounds::default(),
            Guarantee::UpTo(bounds) => std::mem::take(bounds),
        };
        *guarantee = Guarantee::UpTo(Bounds { deadlocks: true, ..found });
    }
    answer
}

fn stopped(meter: &Meter) -> Verdict {
    let stop = meter.tick().err().unwrap_or(fencewright_base::Stop::Cancelled);
    Verdict::Unknown(Unknown::Stopped { stop, explored: None })
}

/// Both readings are written to a file, for a report.
fn disagreement(input: &Input, model: Model, engine: &'static str, what: &str) -> Rejected {
    let stem = input
        .path
        .file_stem()
        .map_or_else(|| "program".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let path = std::env::temp_dir().join(format!("fencewright-{stem}-{}.txt", model.name()));
    let ir = input.reading.as_ref().map(|reading| input.sources.file(reading.ir).text()).unwrap_or_default();
    let lowered = fencewright_ir::text::print(&input.program);
    let text = format!(
        "{} under {}: engine {engine} {what}\n\n# The lowered program\n{lowered}\n\n# LLVM IR\n{ir}",
        input.file,
        model.name()
    );
    let written = match std::fs::write(&path, text) {
        Ok(()) => format!("; both readings are in {}", path.display()),
        Err(_) => String::new(),
    };
    Rejected { engine, reason: format!("{what}: the two readings of the program disagree{written}") }
}

/// What a search on the literal machine cost, as engines say it.
fn engine_statistics(of: &search::Statistics, shortest: bool, meter: &Meter) -> Statistics {
    Statistics {
        states: of.states,
        transitions: of.transitions,
        peak_bytes: of.bytes,
        longest_buffer: of.longest_buffer,
        buffer_bound: Some(of.buffer),
        seconds: meter.elapsed().as_secs_f64(),
        shortest,
        state_bytes: (of.bytes / of.states.max(1)) as usize,
        ..Statistics::default()
    }
}

/// What a search that saw no violation leaves out.
fn bounds_of(partly: Partly, input: &Input) -> Bounds {
    Bounds {
        values: partly.values || partly.times,
        no_reuse: partly.reuse,
        threads: partly.threads.then_some(input.reading_threads()),
        ..Bounds::default()
    }
}
