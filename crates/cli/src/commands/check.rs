//! `check`: the verdict for every file and model.

use fencewright_base::Meter;
use fencewright_engine::{Answer, Bounds, Context, Guarantee, Rejected, Task, Verdict, run as ask};
use fencewright_ir::edit::lock_fully;
use fencewright_memory::Model;
use fencewright_report::json::{self, WireDiagnostic};
use fencewright_report::{ModelResult, Report, checked, sarif, terminal};

use crate::args::{CheckArgs, Format, Locks};
use crate::beside::add_beside;
use crate::commands::{certificate, write_file};
use crate::load::{Input, load};
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
    for path in files {
        let loaded = load(world, path, load_args, search.budget.time);
        let loaded = loaded
            .and_then(|input| ask_instead(input, properties, world))
            .and_then(|input| add_beside(input, beside, world.style_err()));
        let (complaints, found) = match loaded {
            Ok(mut input) => (std::mem::take(&mut input.warnings), Some(input)),
            Err(complaints) => (complaints, None),
        };
        world.say(&complaints.text);
        diagnostics.extend(complaints.wire);
        match found {
            Some(mut input) => {
                if *locks == Locks::Full {
                    input.program = lock_fully(&input.program);
                }
                inputs.push(input);
            }
            None => exit = exit.and(Exit::BadInput),
        }
    }

    let mut reports = Vec::new();
    for input in &inputs {
        let mut results = Vec::new();
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
            match check(world, &search, input, model) {
                Ok(answer) => {
                    exit = exit.and(exit_of(input, &answer.verdict));
                    results.push(ModelResult { model, answer });
                }
                Err(rejected) => {
                    world.complain(&format!("{}: {rejected}", input.file));
                    diagnostics.push(WireDiagnostic::about_file(&input.file, rejected.to_string()));
                    exit = exit.and(Exit::Unknown);
                }
            }
        }
        let &Input { ref file, ref program, ref sources, stated, .. } = input;
        reports.push(Report { file, program, sources, stated, assumptions, results });
    }

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

fn check(world: &World<'_>, search: &Search, input: &Input, model: Model) -> Result<Answer, Rejected> {
    let task = Task { program: &input.program, model, options: search.options.clone() };
    let line = Line::new(world, format!("{} under {}", input.file, model.name().to_uppercase()));
    let progress = |progress: fencewright_base::Progress<'_>| line.show(progress);
    let meter = Meter::start(search.budget.clone(), world.cancel.clone());
    let mut answer = ask(search.engine.engine, &task, &mut Context::new(meter, &progress))?;
    // The engine has seen executions of the program it was given, which are not all of the text's.
    if let (Some(left_out), Verdict::Holds(guarantee)) = (&input.left_out, &mut answer.verdict) {
        let found = match guarantee {
            Guarantee::Unbounded => Bounds::default(),
            Guarantee::UpTo(bounds) => std::mem::take(bounds),
        };
        *guarantee =
            Guarantee::UpTo(Bounds { buffer: found.buffer, unroll: found.unroll, ..left_out.clone() });
    }
    Ok(answer)
}

fn exit_of(input: &Input, verdict: &Verdict) -> Exit {
    match verdict {
        // Where nothing is stated, nothing is proved.
        Verdict::Holds(Guarantee::Unbounded) if input.stated == 0 && checked(&input.program).is_empty() => {
            Exit::Unknown
        }
        Verdict::Holds(Guarantee::Unbounded) => Exit::Proved,
        Verdict::Violated(_) => Exit::Violated,
        Verdict::Holds(Guarantee::UpTo(_)) | Verdict::Unknown(_) => Exit::Unknown,
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
