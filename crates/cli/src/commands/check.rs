//! `check`: the verdict for every file and model.

use std::time::Duration;

use fencewright_base::{SourceMap, Stop};
use fencewright_engine::{Answer, Bounds, Guarantee, Rejected, Verdict};
use fencewright_ir::Program;
use fencewright_ir::edit::lock_fully;
use fencewright_memory::Model;
use fencewright_report::json::{self, WireDiagnostic};
use fencewright_report::literal::Standing;
use fencewright_report::{ModelResult, Report, asked, sarif, terminal};

use crate::advice::advice;
use crate::args::{CheckArgs, Format, Locks};
use crate::beside::add_beside;
use crate::commands::{certificate, say_refused_twice, write_file};
use crate::deadline::{Question, stopped};
use crate::literal;
use crate::load::{Complaints, Input, load_either};
use crate::progress::Line;
use crate::properties::ask_instead;
use crate::settings::Search;
use crate::{Exit, World};

/// Why a compiled language is refused where reads may wait.
const NO_ORDERS: &str = "acquire loads need a fence that orders reads, which there is none of";

pub(crate) fn run(args: &CheckArgs, world: &mut World<'_>) -> Exit {
    let CheckArgs {
        files,
        models,
        format,
        trace,
        certificate,
        load: load_args,
        locks,
        beside,
        quiet,
        properties,
        search,
    } = args;
    let assumptions: &[&str] = match locks {
        Locks::Language => &[],
        Locks::Full => &["every locked step waits for all pending writes of its thread (--locks full)"],
    };
    let search = Search::new(search);
    let models = models.models();
    let mut exit = Exit::Proved;
    let mut diagnostics: Vec<WireDiagnostic> = Vec::new();
    let mut inputs = Vec::new();
    let mut unread = Vec::new();
    for path in files {
        let loaded =
            load_either(world, path, load_args, &search.meter(Duration::ZERO, &world.cancel.clone()));
        let loaded = loaded
            .and_then(|input| ask_instead(input, properties, world))
            .and_then(|input| add_beside(input, beside, world.style_err()))
            .and_then(|input| literal::or_refused(input, &search));
        let complaints = match loaded {
            Ok(mut input) => {
                if *locks == Locks::Full {
                    input.program = lock_fully(&input.program);
                }
                let warnings = std::mem::take(&mut input.warnings);
                inputs.push(input);
                warnings
            }
            Err(complaints) => {
                exit = exit.and(complaints.exit());
                unread.extend(complaints.stopped.map(|stop| Unread::new(path.display().to_string(), stop)));
                complaints
            }
        };
        world.say(&complaints.text);
        diagnostics.extend(complaints.wire);
    }

    let mut reports = Vec::new();
    let looked_for: Vec<_> = inputs.iter().map(|input| literal::looked_for(input, &search)).collect();
    for (input, looked_for) in inputs.iter().zip(&looked_for) {
        let mut results = Vec::new();
        // What reading took counts once: against the first question about the file.
        let mut spent = input.spent;
        for &model in &models {
            if input.language.dialect.is_some() && !model.is_operational() {
                let message = format!(
                    "{} has no meaning under {} here: {NO_ORDERS}",
                    input.language.name,
                    model.name()
                );
                world.complain(&format!("{}: {message}", input.file));
                diagnostics.push(WireDiagnostic::about_file(&input.file, message));
                exit = exit.and(Exit::BadInput);
                continue;
            }
            match check(world, &search, input, model, std::mem::take(&mut spent)) {
                Ok(result) => {
                    if let Some((refused, why)) = refused_twice(input, &result) {
                        say_refused_twice(world, input, (refused, why), &mut diagnostics);
                        exit = exit.and(Exit::BadInput);
                        // It is refused under every model.
                        break;
                    }
                    exit = exit.and(exit_of(input, looked_for.as_deref(), &result.answer.verdict));
                    results.push(result);
                }
                Err(rejected) => {
                    world.complain(&format!("{}: {rejected}", input.file));
                    diagnostics.push(WireDiagnostic::about_file(&input.file, rejected.to_string()));
                    exit = exit.and(Exit::Unknown);
                }
            }
        }
        let &Input { ref file, ref program, ref sources, stated, .. } = input;
        let looked_for = looked_for.as_deref();
        reports.push(Report { file, program, sources, stated, looked_for, assumptions, results });
    }
    reports.extend(unread.iter().map(|unread| unread.report(&search, &models, assumptions)));

    match format {
        Format::Json => world.print(&json::check(&reports, diagnostics)),
        Format::Sarif => world.print(&sarif::check(&reports, &diagnostics)),
        Format::Text => print_text(world, &reports, models.len(), *quiet),
    }
    if let Some(path) = trace {
        exit = exit.and(write_trace(world, &reports, path));
    }
    if let Some(path) = certificate {
        exit = exit.and(certificate::write(world, &search, &reports, path));
    }
    exit
}

/// A file that was not read to its end, because a limit was reached.
struct Unread {
    file: String,
    stop: Stop,
    /// Nothing is known of it.
    program: Program,
    sources: SourceMap,
}

impl Unread {
    fn new(file: String, stop: Stop) -> Self {
        let program = Program::nothing(&file);
        Self { file, stop, program, sources: SourceMap::new() }
    }

    /// Unknown under every model.
    fn report<'a>(&'a self, search: &Search, models: &[Model], assumptions: &'a [&'a str]) -> Report<'a> {
        let Unread { file, stop, program, sources } = self;
        let answer = Answer {
            statistics: fencewright_engine::Statistics {
                seconds: search.budget.time.unwrap_or_default().as_secs_f64(),
                ..Default::default()
            },
            ..stopped("front end", *stop, &fencewright_base::Meter::unlimited())
        };
        let result =
            |&model: &Model| ModelResult { model, answer: answer.clone(), advice: None, literal: None };
        Report {
            file,
            program,
            sources,
            stated: 0,
            looked_for: None,
            assumptions,
            results: models.iter().map(result).collect(),
        }
    }
}

fn check(
    world: &World<'_>,
    search: &Search,
    input: &Input,
    model: Model,
    spent: Duration,
) -> Result<ModelResult, Rejected> {
    let Input { file, program, .. } = input;
    let line = Line::new(world, format!("{file} under {}", model.name().to_uppercase()));
    let meter = search.meter(spent, &world.cancel);
    if let Some(reading) = literal::reading_to_ask(input, search) {
        let asked = literal::ask(input, reading, search, model, &meter, &|progress| line.show(progress))?;
        let advice = match (&asked.answer.verdict, &asked.answer.execution) {
            (Verdict::Violated(trace), Some(execution)) => advice(program, trace, execution, &meter),
            _ => None,
        };
        return Ok(ModelResult { model, answer: asked.answer, advice, literal: Some(asked.literal) });
    }
    let question = Question { engine: search.engine.engine, program, model, options: search.options.clone() };
    let mut answer = question.ask(meter.clone(), &|progress| line.show(progress))?;
    // The engine has seen executions of the program it was given, which are not all of the text's.
    if let (Some(left_out), Verdict::Holds(guarantee)) = (input.left_out_under(model), &mut answer.verdict) {
        let found = match guarantee {
            Guarantee::Unbounded => Bounds::default(),
            Guarantee::UpTo(bounds) => std::mem::take(bounds),
        };
        *guarantee = Guarantee::UpTo(Bounds { buffer: found.buffer, unroll: found.unroll, ..left_out });
    }
    let advice = match (&answer.verdict, &answer.execution) {
        (Verdict::Violated(trace), Some(execution)) => advice(program, trace, execution, &meter),
        _ => None,
    };
    Ok(ModelResult { model, answer, advice, literal: None })
}

/// Why neither reading takes the text, if that is so.
fn refused_twice<'a>(input: &'a Input, result: &'a ModelResult) -> Option<(&'a Complaints, &'a str)> {
    let refused = input.refused.as_ref()?;
    match &result.literal.as_ref()?.standing {
        Standing::Unavailable(why) => Some((refused, why)),
        _ => None,
    }
}

fn exit_of(input: &Input, looked_for: Option<&[String]>, verdict: &Verdict) -> Exit {
    match verdict {
        // Where nothing is asked, nothing is proved.
        Verdict::Holds(Guarantee::Unbounded)
            if !asked(&input.program, input.stated, looked_for).is_empty() =>
        {
            Exit::Proved
        }
        Verdict::Violated(_) => Exit::Violated,
        Verdict::Holds(_) | Verdict::Unknown(_) => Exit::Unknown,
    }
}

/// The table of verdicts if there are several, then each verdict with what backs it.
fn print_text(world: &mut World<'_>, reports: &[Report<'_>], n_models: usize, quiet: bool) {
    let style = world.style_out();
    let answered: usize = reports.iter().map(|report| report.results.len()).sum();
    // An answer that did not pass the gate leaves a hole that a table could not show.
    let complete = answered == reports.len() * n_models;
    let mut parts = Vec::new();
    if answered > 1 && complete && !quiet {
        parts.push(terminal::matrix(reports, style));
    }
    for (report, result) in reports.iter().flat_map(|report| report.results.iter().map(move |r| (report, r)))
    {
        parts.push(if quiet {
            terminal::headline(report, result, style)
        } else {
            terminal::details(report, result, style)
        });
    }
    world.print(&parts.join(if quiet { "" } else { "\n" }));
}

/// The violating executions, in the same format as all JSON.
fn write_trace(world: &World<'_>, reports: &[Report<'_>], path: &std::path::Path) -> Exit {
    let violated: Vec<Report<'_>> = (reports.iter())
        .map(|report| {
            let is_violated = |result: &&ModelResult| matches!(result.answer.verdict, Verdict::Violated(_));
            Report { results: report.results.iter().filter(is_violated).cloned().collect(), ..report.clone() }
        })
        .filter(|report| !report.results.is_empty())
        .collect();
    if violated.is_empty() {
        world.say(&format!("no execution to write to {}\n", path.display()));
        return Exit::Proved;
    }
    write_file(world, path, &json::check(&violated, Vec::new()))
}
