//! What two readings come to together: the table in the header of this folder, and never a verdict where they contradict
//! each other.

use fencewright_base::{Meter, Stop};
use fencewright_engine::{Answer, Bounds, Guarantee, Rejected, Unknown, Verdict};
use fencewright_frontend::llvm::UNSET;
use fencewright_literal::violation::Check;
use fencewright_memory::{InitialChoices, Model, Trace};
use fencewright_report::literal::{Literal, LiteralExecution, LiteralPlace, Standing};
use fencewright_report::{failing, failing_place};

use super::side::{Said, Spoken};
use super::{Asked, NAME, bounds_of, engine_statistics};
use crate::load::Input;

/// The answer, or why there is none.
pub(super) fn combine(
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
        statistics: engine_statistics(&literal.statistics, meter),
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
    let is_stricter = is_stricter(input, answer.as_ref());
    if is_stricter && matches!(literal.said, Said::Holds { .. } | Said::HoldsUpTo(_) | Said::Stopped(_)) {
        answer = None;
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
            // The engines call every error a failed assertion. Where it is one, their report shows the reordering better, but
            // only what the literal machine has, too, may be shown.
            if let Some(answer) = answer
                && matches!(answer.verdict, Verdict::Violated(_))
                && *check == Check::Assertions
                && !is_stricter
                && is_there(input, &answer, execution)
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
        Said::DoesNotFollow if is_stricter => {
            let why = "it does not count the computation with an unset value as an error, and its search was not over";
            let standing = Standing::Unavailable(why.to_owned());
            Ok(with(own(Verdict::Unknown(Unknown::Imprecise)), standing))
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
            let bounds = bounds_of(*partly, input.reading_threads());
            let complete = bounds == Bounds::default();
            match answer {
                Some(Answer { verdict: Verdict::Violated(_), engine, .. }) if complete => {
                    Err(disagreement(input, model, engine, "violates what the literal machine proved"))
                }
                // It has not tried everything, so it may have missed this.
                Some(answer @ Answer { verdict: Verdict::Violated(_), .. }) => {
                    Ok(with(answer, Standing::NotReplayed))
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
            Some(answer @ Answer { verdict: Verdict::Violated(_), .. }) => {
                Ok(with(answer, Standing::NotReplayed))
            }
            Some(answer) if !matches!(answer.verdict, Verdict::Unknown(_)) => {
                Ok(with(without_deadlocks(answer, input), Standing::Agrees(states)))
            }
            _ => {
                let bounds = Bounds { buffer: Some(*buffer), ..Bounds::default() };
                Ok(with(own(Verdict::Holds(Guarantee::UpTo(bounds))), Standing::Decided))
            }
        },
        Said::Stopped(stop) => match answer {
            Some(answer @ Answer { verdict: Verdict::Violated(_), .. }) => {
                Ok(with(answer, Standing::NotReplayed))
            }
            Some(answer) => Ok(with(without_deadlocks(answer, input), Standing::Agrees(states))),
            None => Ok(with(own(stopped(*stop, meter)), Standing::Decided)),
        },
        Said::Wrong(why) => Err(Rejected { engine: NAME, reason: why.clone() }),
        Said::Refused(why) => match answer {
            Some(answer) => Ok(with(without_deadlocks(answer, input), Standing::Unavailable(why.clone()))),
            None => Ok(with(own(Verdict::Unknown(Unknown::Imprecise)), Standing::Unavailable(why.clone()))),
        },
    }
}

/// Whether the engines' violation is none for the literal machine: the lowered program counts most computations with values
/// that were never set as errors, the literal machine only those whose result matters.
pub(super) fn is_stricter(input: &Input, answer: Option<&Answer>) -> bool {
    let execution = answer.and_then(|answer| answer.execution.as_ref());
    let failing = execution.and_then(|execution| failing(&input.program, execution));
    failing.is_some_and(|failure| failure.what.as_deref() == Some(UNSET))
}

/// Whether the engines' violation stands where the literal machine's does, if that is known.
fn is_there(input: &Input, answer: &Answer, literal: &LiteralExecution) -> bool {
    let execution = answer.execution.as_ref();
    let place = execution.and_then(|execution| failing_place(&input.program, &input.sources, execution));
    let line = |place: &LiteralPlace| (place.file.clone(), place.line);
    match (&place, &literal.place) {
        (Some(theirs), Some(ours)) => line(theirs) == line(ours),
        _ => true,
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

/// The user's time and interrupt come before what they made of the search.
fn stopped(stop: Stop, meter: &Meter) -> Verdict {
    let stop = meter.tick().err().unwrap_or(stop);
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

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::{Arc, OnceLock};
    use std::time::Duration;

    use clap::Parser;
    use fencewright_base::{Budget, CancelToken, SourceMap};
    use fencewright_engine_literal::search::Statistics;
    use fencewright_frontend::LANGUAGES;
    use fencewright_ir::Program;
    use fencewright_literal::machine::Partly;

    use super::super::side::Reading;
    use super::*;
    use crate::args::{Args, Command};
    use crate::load::Complaints;

    fn input(stem: &str) -> Input {
        let file = format!("{stem}.c");
        let mut sources = SourceMap::new();
        let id = sources.add(&file, "int main(void) { return 0; }\n");
        let ir = sources.add("IR", "define i32 @main() { ret i32 0 }\n");
        let args = Args::try_parse_from(["fencewright", "check", "a.c"]).expect("these are arguments");
        let Command::Check(args) = args.command else { panic!("it is a check") };
        let reading = Reading {
            ir,
            file: id,
            path: PathBuf::from(&file),
            text: None,
            args: args.load.compile,
            left_out: Vec::new(),
            whole: OnceLock::new(),
        };
        Input {
            program: Program::nothing(&file),
            path: PathBuf::from(&file),
            file,
            sources,
            id,
            language: &LANGUAGES[0],
            places: Default::default(),
            left_out: None,
            late_writes: false,
            stated: 1,
            warnings: Complaints::default(),
            unplaced: Complaints::default(),
            spent: Duration::ZERO,
            may_block: false,
            reading: Some(Arc::new(reading)),
            refused: None,
        }
    }

    /// What is said with these, in short; `None` if the engines were not asked.
    fn said(input: &Input, engines: Option<Verdict>, said: Said) -> String {
        let answer = engines.map(|verdict| {
            let statistics = fencewright_engine::Statistics::default();
            Ok(Answer { engine: "explicit", verdict, execution: None, statistics, parts: Vec::new() })
        });
        let literal = Spoken { said, statistics: Statistics { states: 7, ..Statistics::default() } };
        match combine(input, Model::Tso, answer, literal, Vec::new(), &Meter::unlimited()) {
            Err(rejected) if rejected.reason.contains("disagree") => "disagreement".to_owned(),
            Err(rejected) => format!("error: {}", rejected.reason),
            Ok(Asked { answer, literal }) => {
                let verdict = match answer.verdict {
                    Verdict::Holds(Guarantee::Unbounded) => "holds",
                    Verdict::Holds(Guarantee::UpTo(_)) => "bounded",
                    Verdict::Violated(_) => "violated",
                    Verdict::Unknown(_) => "unknown",
                };
                let standing = match literal.standing {
                    Standing::Decided => "decided",
                    Standing::Confirmed(7) => "confirmed",
                    Standing::Agrees(7) => "agrees",
                    Standing::Replayed => "replayed",
                    Standing::NotReplayed => "not replayed",
                    Standing::Unavailable(_) => "unavailable",
                    other => panic!("{other:?}: another number of states"),
                };
                format!("{verdict} by {}, {standing}", answer.engine)
            }
        }
    }

    fn violation(check: Check) -> Said {
        let execution = LiteralExecution {
            message: "something is wrong".to_owned(),
            check: check.name().to_owned(),
            place: None,
            threads: Vec::new(),
            rows: Vec::new(),
            cause: None,
            notes: Vec::new(),
        };
        Said::Violated { execution: Box::new(execution), check }
    }

    /// Each verdict of the engines with each of the literal machine. No pair that contradicts each other is a verdict, nothing
    /// is a proof that neither has proved, and no violation is lost.
    #[test]
    fn every_pair_of_answers_has_its_place_in_the_table() {
        let input = input("pairs");
        let proved = || Verdict::Holds(Guarantee::Unbounded);
        let bounded = || Verdict::Holds(Guarantee::UpTo(Bounds { buffer: Some(2), ..Bounds::default() }));
        let wrong = || {
            Verdict::Violated(Trace {
                model: Model::Tso,
                initial: InitialChoices::default(),
                actions: Vec::new(),
                repeats_from: None,
            })
        };
        let unknown = || Verdict::Unknown(Unknown::Imprecise);
        let all = || Said::Holds { partly: Partly::default() };
        let some = || Said::Holds { partly: Partly { values: true, ..Partly::default() } };
        let refused = || Said::Refused("why".to_owned());
        let broken = || Said::Wrong("internal error".to_owned());
        let time = || Said::Stopped(Stop::Time);
        let assertion = || violation(Check::Assertions);
        let deadlock = || violation(Check::Deadlock);
        type Row<'r> = (&'r dyn Fn() -> Said, [&'r str; 5]);
        // Behind each: what is said if the engines have a proof, a bounded one, a violation, nothing, or were not asked.
        let rows: [Row<'_>; 9] = [
            (
                &all,
                [
                    "holds by explicit, confirmed",
                    "holds by explicit, confirmed",
                    "disagreement",
                    "holds by literal, decided",
                    "holds by literal, decided",
                ],
            ),
            (
                &some,
                [
                    "holds by explicit, agrees",
                    "bounded by explicit, agrees",
                    "violated by explicit, not replayed",
                    "bounded by literal, decided",
                    "bounded by literal, decided",
                ],
            ),
            (
                &|| Said::HoldsUpTo(4),
                [
                    "holds by explicit, agrees",
                    "bounded by explicit, agrees",
                    "violated by explicit, not replayed",
                    "bounded by literal, decided",
                    "bounded by literal, decided",
                ],
            ),
            (
                &assertion,
                [
                    "disagreement",
                    "violated by literal, decided",
                    "violated by explicit, replayed",
                    "violated by literal, decided",
                    "violated by literal, decided",
                ],
            ),
            // The engines do not look for these.
            (
                &deadlock,
                [
                    "violated by literal, decided",
                    "violated by literal, decided",
                    "violated by literal, decided",
                    "violated by literal, decided",
                    "violated by literal, decided",
                ],
            ),
            (&|| Said::DoesNotFollow, ["disagreement"; 5]),
            (
                &time,
                [
                    "holds by explicit, agrees",
                    "bounded by explicit, agrees",
                    "violated by explicit, not replayed",
                    "unknown by explicit, agrees",
                    "unknown by literal, decided",
                ],
            ),
            (
                &refused,
                [
                    "holds by explicit, unavailable",
                    "bounded by explicit, unavailable",
                    "violated by explicit, unavailable",
                    "unknown by explicit, unavailable",
                    "unknown by literal, unavailable",
                ],
            ),
            (&broken, ["error: internal error"; 5]),
        ];
        for (literal, expected) in rows {
            let engines = [Some(proved()), Some(bounded()), Some(wrong()), Some(unknown()), None];
            for (engines, expected) in engines.into_iter().zip(expected) {
                let told = format!("{engines:?}");
                assert_eq!(said(&input, engines, literal()), expected, "{told}");
            }
        }
        let _ = std::fs::remove_file(std::env::temp_dir().join("fencewright-pairs-tso.txt"));
    }

    #[test]
    fn a_proof_of_the_engines_alone_says_nothing_of_deadlocks() {
        let input = Input { may_block: true, ..input("deadlocks") };
        let proved = || Some(Verdict::Holds(Guarantee::Unbounded));
        for literal in [Said::Stopped(Stop::Time), Said::HoldsUpTo(4), Said::Refused("why".to_owned())] {
            let told = said(&input, proved(), literal);
            assert!(told.starts_with("bounded by explicit"), "{told}");
        }
        let all = Said::Holds { partly: Partly::default() };
        assert_eq!(said(&input, proved(), all), "holds by explicit, confirmed");
    }

    #[test]
    fn a_disagreement_writes_both_readings_down() {
        let input = input("disagreement");
        let told = said(&input, Some(Verdict::Holds(Guarantee::Unbounded)), violation(Check::Memory));
        assert_eq!(told, "disagreement");
        let path = std::env::temp_dir().join("fencewright-disagreement-tso.txt");
        let text = std::fs::read_to_string(&path).expect("the file is there");
        assert!(text.contains("define i32 @main()") && text.contains("# The lowered program"), "{text}");
        std::fs::remove_file(&path).expect("it is ours");
    }

    #[test]
    fn the_limit_that_was_met_is_the_reason() {
        let input = input("limits");
        let budget = Budget { memory: Some(1), ..Budget::default() };
        let meter = Meter::start(budget, CancelToken::new());
        for stop in [Stop::Memory, Stop::States] {
            let asked = combine(&input, Model::Tso, None, Spoken::stopped(stop), Vec::new(), &meter);
            let verdict = asked.expect("it is an answer").answer.verdict;
            assert!(
                matches!(verdict, Verdict::Unknown(Unknown::Stopped { stop: met, .. }) if met == stop),
                "{verdict:?}"
            );
        }
    }
}
