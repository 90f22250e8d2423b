//! Several engines on one task: whoever decides first speaks.
//!
//! An engine that finds real violations and one that proves make a sandwich: the first from below, the second from
//! above. A task is first given to the engine from below with a small budget, which settles most programs in
//! milliseconds; then all run at once, on what is left of the budget, and a decision stops the others. The first that
//! gives up makes room for another one, if there is one in reserve.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use fencewright_base::{Budget, CancelToken, Meter, Stop};

use crate::{Answer, Context, Engine, Guarantee, Rejected, Statistics, Task, Unknown, Verdict, run, takes};

/// States the engine from below may store before the others are started.
const HEAD_START: u64 = 20_000;

/// What one of the engines had to say.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The engine.
    pub engine: &'static str,
    /// Its verdict. One that was stopped because another had decided says `Stopped` by `Cancelled`.
    pub verdict: Verdict,
    /// What it cost.
    pub statistics: Statistics,
}

/// Engines that are asked together. The first finds violations and gets a head start. The answer names the engine that
/// decided; if none did, it is the one that says most.
///
/// Every answer has passed the gate on its own. A proof and a violation of the same task are a bug of one of the engines,
/// never a verdict.
pub struct Race<'e> {
    /// The name of them all together.
    pub name: &'static str,
    /// What they do together, in a line.
    pub about: &'static str,
    /// The engines; at least one.
    pub engines: &'e [&'e dyn Engine],
    /// One that is asked when another has given up and none has decided.
    pub reserve: Option<&'e dyn Engine>,
}

impl Engine for Race<'_> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn decides_temporal(&self) -> bool {
        self.engines.iter().any(|engine| engine.decides_temporal())
    }

    /// Each of them is asked by itself.
    fn knows_extensions(&self) -> bool {
        true
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Unknown> {
        let mut answers = self.engines.iter().map(|engine| takes(*engine, task));
        let first = answers.next().expect("a race needs an engine");
        if answers.any(|answer| answer.is_ok()) { Ok(()) } else { first }
    }

    fn check(&self, task: &Task<'_>, context: &mut Context<'_>) -> Verdict {
        match race(self.engines, self.reserve, task, context) {
            Ok((answer, parts)) => {
                context.decided_by = Some(answer.engine);
                context.parts = parts;
                answer.verdict
            }
            Err(rejected) => {
                // The gate looks here before it looks at the verdict.
                context.rejected = Some(rejected);
                Verdict::Unknown(Unknown::Imprecise)
            }
        }
    }
}

fn race(
    engines: &[&dyn Engine],
    reserve: Option<&dyn Engine>,
    task: &Task<'_>,
    context: &mut Context<'_>,
) -> Result<(Answer, Vec<Part>), Rejected> {
    let engines: Vec<&dyn Engine> =
        engines.iter().copied().filter(|engine| takes(*engine, task).is_ok()).collect();
    let (below, others) = engines.split_first().expect("the race supports the task, so some engine does");
    if others.is_empty() {
        let mut own = Context::new(context.meter.clone(), context.progress);
        let answer = run(*below, task, &mut own)?;
        return Ok(finish(vec![answer], context));
    }
    let budget = context.meter.budget().clone();
    let states = budget.states.map_or(HEAD_START, |states| states.min(HEAD_START));
    let cancel = context.meter.cancel_token().clone();
    let early = Budget { states: Some(states), ..budget.clone() };
    let mut first = Context::quiet(context.meter.part(early, cancel.clone()));
    let answer = run(*below, task, &mut first)?;
    let out_of_budget =
        context.meter.tick().is_err() || budget.states.is_some_and(|states| states <= HEAD_START);
    if is_decisive(&answer.verdict) || out_of_budget {
        return Ok(finish(vec![answer], context));
    }
    // Each may hold its share of the memory; the time runs for all at once.
    let share = Budget { memory: budget.memory.map(|bytes| bytes / engines.len() as u64), ..budget };
    let reserve = reserve.filter(|engine| takes(*engine, task).is_ok());
    let tokens: Vec<CancelToken> = engines.iter().map(|_| cancel.child()).chain([cancel.child()]).collect();
    let reserve_is_asked = AtomicBool::new(false);
    let results: Mutex<Vec<(usize, Result<Answer, Rejected>)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for (number, engine) in engines.iter().enumerate() {
            let meter = |number: usize| context.meter.part(share.clone(), tokens[number].clone());
            let (own, instead) = (meter(number), meter(engines.len()));
            let progress = context.progress;
            let (tokens, results, reserve_is_asked, engines) =
                (&tokens, &results, &reserve_is_asked, &engines);
            let ask = move |number: usize, engine: &dyn Engine, meter: Meter| {
                let answer = run(engine, task, &mut Context::new(meter, progress));
                let ends_it = answer.as_ref().map_or(true, |answer| is_decisive(&answer.verdict));
                if ends_it {
                    let others = tokens.iter().enumerate().filter(|(other, _)| *other != number);
                    others.for_each(|(_, token)| token.cancel());
                } else if answer.as_ref().is_ok_and(|answer| is_at_bound(&answer.verdict)) {
                    let endless =
                        engines.iter().zip(tokens).filter(|(engine, _)| !engine.is_bounded_by_states());
                    endless.for_each(|(_, token)| token.cancel());
                }
                results.lock().expect("no engine panics while it holds the results").push((number, answer));
                ends_it
            };
            scope.spawn(move || {
                let given_up = !ask(number, *engine, own) && !tokens[number].is_cancelled();
                if given_up
                    && let Some(reserve) = reserve
                    && !reserve_is_asked.swap(true, Ordering::Relaxed)
                {
                    ask(tokens.len() - 1, reserve, instead);
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no engine panics while it holds the results");
    results.sort_by_key(|(number, _)| *number);
    let answers: Vec<Answer> = results.into_iter().map(|(_, answer)| answer).collect::<Result<_, _>>()?;
    let proof = answers.iter().find(|answer| answer.verdict == Verdict::Holds(Guarantee::Unbounded));
    let violation = answers.iter().find(|answer| matches!(answer.verdict, Verdict::Violated(_)));
    if let (Some(proof), Some(violation)) = (proof, violation) {
        let reason = format!("violates what engine {} proved", proof.engine);
        return Err(Rejected { engine: violation.engine, reason });
    }
    Ok(finish(answers, context))
}

fn is_decisive(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Holds(Guarantee::Unbounded) | Verdict::Violated(_) => true,
        Verdict::Holds(Guarantee::UpTo(_)) | Verdict::Unknown(_) => false,
    }
}

/// Whether it is an answer up to a bound that was set: of states, or of pending writes.
fn is_at_bound(verdict: &Verdict) -> bool {
    matches!(
        verdict,
        Verdict::Holds(Guarantee::UpTo(_)) | Verdict::Unknown(Unknown::Stopped { stop: Stop::States, .. })
    )
}

/// The answer that says most first, and all of them as parts.
fn finish(answers: Vec<Answer>, context: &mut Context<'_>) -> (Answer, Vec<Part>) {
    let parts = (answers.iter())
        .map(|Answer { engine, verdict, statistics, execution: _, parts: _ }| Part {
            engine,
            verdict: verdict.clone(),
            statistics: statistics.clone(),
        })
        .collect();
    let says = |answer: &Answer| match &answer.verdict {
        verdict if is_decisive(verdict) => 0,
        Verdict::Holds(_) => 1,
        Verdict::Unknown(Unknown::Stopped { explored: Some(_), .. }) => 2,
        _ => 3,
    };
    let mut answer = answers.into_iter().min_by_key(says).expect("a race has an answer");
    answer.statistics.seconds = context.meter.elapsed().as_secs_f64();
    context.statistics = answer.statistics.clone();
    (answer, parts)
}
