//! Many programs: two readings held against each other, or one against the processor.
//!
//! Programs are made and compiled in batches by several threads; a panic of a reading is an answer of its own. The first program
//! (by seed) that shows something is shrunk.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fencewright_memory::Model;

use crate::allowed::{Allowed, Answer, Subject, disagree};
use crate::compile::{Compilers, Native};
use crate::generate::generate;
use crate::native::{Seen, outside, run};
use crate::render::Language;
use crate::shape::Shape;
use crate::shrink::shrink;
use crate::tree::Program;

/// What is to be done.
#[derive(Debug, Clone)]
pub struct Plan {
    /// How many programs.
    pub programs: u64,
    /// The seed of the first; the others follow.
    pub seed: u64,
    /// Their language.
    pub language: Language,
    /// How they are made.
    pub shape: Shape,
    /// How many threads do it.
    pub jobs: usize,
    /// How long the shrinking may take.
    pub shrinking: Duration,
    /// Whether a program is passed over as soon as one reading gives no answer: there is nothing to compare then, and a
    /// search that meets a limit takes longest. Else the other is asked all the same, and may be found broken.
    pub hurried: bool,
    /// After so long no more programs are made, if there is a limit.
    pub time: Option<Duration>,
    /// So many programs that show something are enough.
    pub enough: usize,
}

/// Makes a reading, one for each thread.
pub type Reading<'a> = &'a (dyn Fn() -> Box<dyn Allowed> + Sync);

/// What came of the programs.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    /// For each thing that can come of a program, how often it did.
    pub counts: BTreeMap<String, u64>,
    /// How many programs were made.
    pub programs: u64,
    /// How many outcomes were compared.
    pub outcomes: u64,
    /// The seeds of the programs that show something.
    pub seeds: Vec<u64>,
    /// The first of them, shrunk.
    pub finding: Option<Finding>,
    /// How long it took, without the shrinking.
    pub seconds: f64,
}

/// A program that shows something.
#[derive(Debug, Clone)]
pub struct Finding {
    /// Its seed.
    pub seed: u64,
    /// What it is.
    pub program: Program,
    /// What it shows, for a reader.
    pub text: String,
}

/// What is done with a compiled program: what came of it is counted, and what it shows is given back.
type Judge<'a> = &'a mut dyn FnMut(&Subject<'_>, &mut Summary) -> Option<String>;

/// Gives the work that is passed to it a judge, made for the thread that asks.
type JudgeMaker<'a> = &'a (dyn Fn(&mut dyn FnMut(Judge<'_>)) + Sync);

/// The stack of a thread: that of a main thread, where the tool runs.
const STACK: usize = 8 << 20;

/// How many programs are compiled at once.
const BATCH: u64 = 16;

/// Two readings of each program under each model.
pub fn compare(
    plan: &Plan,
    compilers: &Compilers,
    models: &[Model],
    (left, right): (Reading<'_>, Reading<'_>),
    progress: &(dyn Fn(u64) + Sync),
) -> Summary {
    let judge_of = |work: &mut dyn FnMut(Judge<'_>)| {
        let (mut left, mut right) = (left(), right());
        work(&mut |subject, summary| {
            for &model in models {
                let second = ask(right.as_mut(), subject, model);
                let is_silent = |answer: &Answer| matches!(answer, Answer::Refused(_) | Answer::Unknown(_));
                let answers = if plan.hurried && is_silent(&second) {
                    (Answer::Unknown("not asked".to_owned()), second)
                } else {
                    (ask(left.as_mut(), subject, model), second)
                };
                let differ = disagree(&answers.0, &answers.1);
                *summary.counts.entry(what(model, &answers, differ)).or_default() += 1;
                if let Answer::Ends(ends) = &answers.0 {
                    summary.outcomes += ends.outcomes.len() as u64;
                }
                if differ {
                    let name = model.name().to_uppercase();
                    let (a, b) = (shown(&answers.0, &answers.1), shown(&answers.1, &answers.0));
                    return Some(format!("under {name}\n{}: {a}\n{}: {b}", left.name(), right.name()));
                }
                // A weaker model has more executions: what was too much will be too much again.
                if plan.hurried && (is_silent(&answers.0) || is_silent(&answers.1)) {
                    break;
                }
            }
            None
        });
    };
    search(plan, compilers, &judge_of, progress)
}

/// How programs are run.
#[derive(Debug, Copy, Clone)]
pub struct Runs {
    /// How often each.
    pub times: u64,
    /// How long all runs of one program may take.
    pub limit: Duration,
}

/// A reading of each program under the processor's model against what the processor does.
pub fn against_processor(
    plan: &Plan,
    compilers: &Compilers,
    (model, reading): (Model, Reading<'_>),
    runs: Runs,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Summary, String> {
    let native = compilers.native()?;
    let judge_of = |work: &mut dyn FnMut(Judge<'_>)| {
        let mut reading = reading();
        work(&mut |subject, summary| {
            let answer = ask(reading.as_mut(), subject, model);
            let known = match &answer {
                Answer::Ends(ends) if ends.faults => "may fail",
                Answer::Ends(_) => "run",
                Answer::Refused(_) => "refused",
                Answer::Unknown(_) => "unknown",
                Answer::Broken(_) => "broken",
            };
            if known != "run" {
                *summary.counts.entry(known.to_owned()).or_default() += 1;
                return outside(&Seen::default(), &answer);
            }
            let seen = match executed(&native, subject, plan.seed, runs) {
                Ok(seen) => seen,
                Err(problem) => {
                    let problem = problem.lines().next().unwrap_or_default();
                    *summary.counts.entry(format!("not run: {problem}")).or_default() += 1;
                    return None;
                }
            };
            let found = outside(&seen, &answer);
            summary.outcomes += seen.outcomes.len() as u64;
            let what = if found.is_some() { "outside" } else { "within" };
            *summary.counts.entry(what.to_owned()).or_default() += 1;
            *summary.counts.entry("runs that were stuck".to_owned()).or_default() += seen.stuck();
            if let Answer::Ends(ends) = &answer {
                *summary.counts.entry("outcomes that are allowed".to_owned()).or_default() +=
                    ends.outcomes.len() as u64;
            }
            found.map(|found| {
                format!("{found}\nseen: {seen:?}\n{}: {}", reading.name(), shown(&answer, &answer))
            })
        });
    };
    Ok(search(plan, compilers, &judge_of, progress))
}

fn executed(native: &Native<'_>, subject: &Subject<'_>, seed: u64, runs: Runs) -> Result<Seen, String> {
    let executable = native.build(subject.language, subject.source)?;
    run(&executable, runs.times, seed, runs.limit)
}

/// The answer; a panic is one.
fn ask(reading: &mut dyn Allowed, subject: &Subject<'_>, model: Model) -> Answer {
    let answer = catch_unwind(AssertUnwindSafe(|| reading.ends(subject, model)));
    answer.unwrap_or_else(|_| Answer::Broken("it panics".to_owned()))
}

/// What came of two answers, in a few words; refusals by what is refused.
fn what(model: Model, (a, b): &(Answer, Answer), differ: bool) -> String {
    let name = model.name();
    let short = |reason: &str| reason.split(':').next().unwrap_or_default().to_owned();
    match (a, b) {
        _ if differ => format!("{name}: differ"),
        (Answer::Ends(ends), Answer::Ends(_)) if ends.faults => format!("{name}: both fail"),
        (Answer::Ends(_), Answer::Ends(_)) => format!("{name}: same outcomes"),
        (Answer::Refused(reason), Answer::Refused(_)) => {
            format!("{name}: refused by both ({})", short(reason))
        }
        (Answer::Refused(reason), _) => format!("{name}: refused by the first ({})", short(reason)),
        (_, Answer::Refused(reason)) => format!("{name}: refused by the second ({})", short(reason)),
        (Answer::Unknown(reason), _) | (_, Answer::Unknown(reason)) => format!("{name}: unknown ({reason})"),
        (Answer::Broken(_), _) | (_, Answer::Broken(_)) => format!("{name}: broken"),
    }
}

/// How many outcomes are shown of those that both have.
const MOST_SHOWN: usize = 40;

/// An answer, with what the other does not have marked.
fn shown(answer: &Answer, other: &Answer) -> String {
    match answer {
        Answer::Ends(ends) => {
            let others = match other {
                Answer::Ends(other) => Some(&other.outcomes),
                Answer::Refused(_) | Answer::Unknown(_) | Answer::Broken(_) => None,
            };
            let mut text = format!("{} outcomes, ", ends.outcomes.len());
            text += if ends.faults { "an error is reachable" } else { "no error is reachable" };
            let is_own = |outcome: &Vec<i64>| others.is_some_and(|others| !others.contains(outcome));
            for outcome in ends.outcomes.iter().filter(|outcome| is_own(outcome)).take(MOST_SHOWN) {
                text += &format!("\n  {outcome:?} only here");
            }
            for outcome in ends.outcomes.iter().filter(|outcome| !is_own(outcome)).take(MOST_SHOWN) {
                text += &format!("\n  {outcome:?}");
            }
            text
        }
        Answer::Refused(reason) => format!("refused: {reason}"),
        Answer::Unknown(reason) => format!("unknown: {reason}"),
        Answer::Broken(reason) => format!("broken: {reason}"),
    }
}

/// Goes through the seeds with several threads; each gets a judge of its own.
fn search(
    plan: &Plan,
    compilers: &Compilers,
    judge_of: JudgeMaker<'_>,
    progress: &(dyn Fn(u64) + Sync),
) -> Summary {
    let start = Instant::now();
    let next = AtomicU64::new(0);
    let n_found = AtomicUsize::new(0);
    let is_over = || {
        plan.time.is_some_and(|time| start.elapsed() >= time)
            || n_found.load(Ordering::Relaxed) >= plan.enough
    };
    let done = AtomicU64::new(0);
    let all = Mutex::new((Summary::default(), None::<Finding>));
    std::thread::scope(|scope| {
        for _ in 0..plan.jobs.max(1) {
            let builder = std::thread::Builder::new().stack_size(STACK);
            let spawned = builder.spawn_scoped(scope, || {
                judge_of(&mut |judge| {
                    let mut own = Summary::default();
                    let mut first: Option<Finding> = None;
                    loop {
                        let from = next.fetch_add(BATCH, Ordering::Relaxed);
                        if from >= plan.programs || is_over() {
                            break;
                        }
                        let seeds = from..(from + BATCH).min(plan.programs);
                        let seeds: Vec<u64> = seeds.map(|n| plan.seed.wrapping_add(n)).collect();
                        let found = batch(plan, compilers, &seeds, judge, &mut own, &mut |n| {
                            n_found.fetch_add(n, Ordering::Relaxed);
                            is_over()
                        });
                        own.seeds.extend(found.iter().map(|finding| finding.seed));
                        first = first.or_else(|| found.into_iter().next());
                        let n_seeds = seeds.len() as u64;
                        progress(done.fetch_add(n_seeds, Ordering::Relaxed) + n_seeds);
                    }
                    if let Ok(mut all) = all.lock() {
                        all.0.take_in(own);
                        let is_earlier = |finding: &Finding| {
                            all.1.as_ref().is_none_or(|earlier| finding.seed < earlier.seed)
                        };
                        if let Some(finding) = first.filter(is_earlier) {
                            all.1 = Some(finding);
                        }
                    }
                });
            });
            // Fewer threads do it as well; without any, the counts say that nothing was done.
            drop(spawned);
        }
    });
    let (mut summary, finding) = all.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    summary.seconds = start.elapsed().as_secs_f64();
    summary.seeds.sort_unstable();
    if let Some(finding) = finding {
        judge_of(&mut |judge| summary.finding = Some(shrunk(plan, compilers, &finding, judge)));
    }
    summary
}

impl Summary {
    fn take_in(&mut self, other: Summary) {
        for (what, times) in other.counts {
            *self.counts.entry(what).or_default() += times;
        }
        self.programs += other.programs;
        self.outcomes += other.outcomes;
        self.seeds.extend(other.seeds);
    }
}

/// Makes, compiles and judges some programs. After each it is asked, with how many more show something, whether that is enough.
fn batch(
    plan: &Plan,
    compilers: &Compilers,
    seeds: &[u64],
    judge: Judge<'_>,
    summary: &mut Summary,
    is_over: &mut dyn FnMut(usize) -> bool,
) -> Vec<Finding> {
    let programs: Vec<Program> = seeds.iter().map(|seed| generate(*seed, &plan.shape)).collect();
    let texts: Vec<String> = programs.iter().map(|program| program.render(plan.language)).collect();
    let irs = compilers.ir(plan.language, &texts);
    let mut found = Vec::new();
    for (((seed, program), source), ir) in seeds.iter().zip(programs).zip(&texts).zip(irs) {
        let text = match ir {
            Ok(ir) => {
                let subject = Subject { language: plan.language, source, ir: &ir, n_out: program.out.len() };
                judge(&subject, summary)
            }
            // A program that does not compile is a bug of the generator.
            Err(error) => {
                *summary.counts.entry("does not compile".to_owned()).or_default() += 1;
                Some(format!("it does not compile:\n{error}"))
            }
        };
        summary.programs += 1;
        let shows_something = usize::from(text.is_some());
        found.extend(text.map(|text| Finding { seed: *seed, program, text }));
        if is_over(shows_something) {
            break;
        }
    }
    found
}

/// The smallest program that shows something of the kind.
fn shrunk(plan: &Plan, compilers: &Compilers, finding: &Finding, judge: Judge<'_>) -> Finding {
    let end = Instant::now() + plan.shrinking;
    let mut text = finding.text.clone();
    let program = shrink(&finding.program, &mut |candidate| {
        if Instant::now() > end {
            return false;
        }
        let source = candidate.render(plan.language);
        let irs = compilers.ir(plan.language, std::slice::from_ref(&source));
        let Some(Ok(ir)) = irs.into_iter().next() else { return false };
        let subject =
            Subject { language: plan.language, source: &source, ir: &ir, n_out: candidate.out.len() };
        match judge(&subject, &mut Summary::default()) {
            Some(found) => {
                text = found;
                true
            }
            None => false,
        }
    });
    Finding { seed: finding.seed, program, text }
}
