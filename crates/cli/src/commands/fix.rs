//! `fix`: the fewest fences that repair a program, as a change of the user's own file.

use fencewright_base::{Budget, Meter};
use fencewright_engine::{Context, Guarantee, Rejected, Task, Verdict, run as ask};
use fencewright_frontend::patch::{Wording, apply_edits, unified_diff};
use fencewright_frontend::source::{self, Written};
use fencewright_ir::edit::Remedy;
use fencewright_memory::Model;
use fencewright_report::fix::{FixReport, details, headline};
use fencewright_report::json::{self, WireDiagnostic};
use fencewright_synth::{Reason, Repair, Request, Want, repair};

use crate::args::{FixArgs, Format, LoadArgs};
use crate::commands::write_file;
use crate::load::{Input, Reader, load};
use crate::progress::Line;
use crate::settings::Search;
use crate::{Exit, World};

/// A repair with the text it makes of the file.
struct Fixed {
    model: Model,
    repair: Repair,
    /// The new text and the difference, or why there is none.
    patch: Option<Result<(String, String), String>>,
}

/// How a repair is put into the text.
struct Writing<'a> {
    wording: &'a Wording,
    load: &'a LoadArgs,
}

pub(crate) fn run(args: &FixArgs, world: &mut World<'_>) -> Exit {
    let FixArgs {
        file,
        models,
        format,
        diff,
        write,
        atomic,
        cost,
        all,
        all_minimal,
        fence_text,
        load: load_args,
        quiet,
        search,
    } = args;
    let search = Search::new(search);
    let models = models.models();
    if *write && models.len() > 1 {
        world.complain("--write takes one --model: a file is repaired for one at a time (a repair for pso is one for tso)");
        return Exit::BadInput;
    }
    let mut input = match load(world, file, load_args) {
        Ok(input) => input,
        Err(complaints) => {
            world.say(&complaints.text);
            if *format == Format::Json {
                world.print(&json::fix(&[], complaints.wire));
            }
            return Exit::BadInput;
        }
    };
    world.say(&input.warnings.text);
    let want = match (all, all_minimal) {
        (_, true) => Want::AllMinimal,
        (true, false) => Want::AllMinimum,
        (false, false) => Want::One,
    };
    if *fence_text != Wording::default() && input.language.dialect.is_none() {
        world.complain(&format!("--fence-text is for C, C++ and Rust, not for {}", input.language.name));
        return Exit::BadInput;
    }
    if *atomic && input.language.dialect.is_some() {
        world.complain("--with atomic is for languages that have atomic writes; C, C++ and Rust are repaired with fences");
        return Exit::BadInput;
    }
    let writing = Writing { wording: fence_text, load: load_args };
    let mut exit = Exit::Proved;
    let mut diagnostics = std::mem::take(&mut input.warnings.wire);
    let mut fixes = Vec::new();
    for &model in &models {
        let request = Request {
            program: &input.program,
            model,
            options: search.options.clone(),
            costs: *cost,
            atomic: *atomic,
            want,
        };
        match fix(world, &search, &input, &request, &writing) {
            Ok(fixed) => {
                exit = exit.and(exit_of(&fixed));
                if let Some(Err(why)) = &fixed.patch {
                    world.complain(&format!(
                        "{}: the repair cannot be written into the file: {why}",
                        input.file
                    ));
                }
                fixes.push(fixed);
            }
            Err(rejected) => {
                world.complain(&format!("{}: {rejected}", input.file));
                diagnostics.push(WireDiagnostic::about_file(&input.file, rejected.to_string()));
                exit = exit.and(Exit::Unknown);
            }
        }
    }
    let reports: Vec<FixReport<'_>> = fixes.iter().map(|fixed| report(&input, fixed)).collect();
    let style = world.style_out();
    let text = match format {
        Format::Json => json::fix(&reports, diagnostics),
        Format::Text if *diff => reports.iter().filter_map(|report| report.diff).collect(),
        Format::Text if *quiet => reports.iter().map(|report| headline(report, style)).collect(),
        Format::Text => {
            let parts: Vec<String> = reports.iter().map(|report| details(report, style)).collect();
            parts.join("\n")
        }
    };
    world.print(&text);
    if *write && let Some(Fixed { patch: Some(Ok((new, _))), .. }) = fixes.first() {
        exit = exit.and(write_file(world, file, new));
    }
    exit
}

fn report<'a>(input: &'a Input, fixed: &'a Fixed) -> FixReport<'a> {
    let diff = match &fixed.patch {
        Some(Ok((_, diff))) => Some(diff.as_str()),
        _ => None,
    };
    let Input { file, program, sources, .. } = input;
    FixReport { file, program, sources, model: fixed.model, repair: &fixed.repair, diff }
}

fn exit_of(fixed: &Fixed) -> Exit {
    match (&fixed.repair, &fixed.patch) {
        (Repair::Repaired(_), Some(Err(_))) => Exit::Unknown,
        (Repair::AlreadySafe(_) | Repair::Repaired(_), _) => Exit::Proved,
        (Repair::WrongUnderSc(_), _) => Exit::Violated,
        (Repair::NotFound(not_found), _) => match not_found.reason {
            Reason::NotRepairable(_) => Exit::Violated,
            Reason::GaveUp(_) | Reason::Unproved(_) => Exit::Unknown,
        },
    }
}

/// Repairs, and puts the repair into the text.
fn fix(
    world: &World<'_>,
    search: &Search,
    input: &Input,
    request: &Request<'_>,
    writing: &Writing<'_>,
) -> Result<Fixed, Rejected> {
    let model = request.model;
    let line = Line::new(world, format!("{} under {}", input.file, model.name().to_uppercase()));
    let progress = |progress: fencewright_base::Progress<'_>| line.show(progress);
    // One budget for all questions; each may use all the memory.
    let whole = Meter::start(search.budget.clone(), world.cancel.clone());
    let each = Budget { time: None, ..search.budget.clone() };
    let mut context = || Context::new(whole.part(each.clone(), world.cancel.clone()), &progress);
    let repair = repair(search.engine.engine, request, &mut context)?;
    let patch = match &repair {
        Repair::Repaired(repaired) => {
            let remedies: Vec<Remedy> = repaired.remedies.iter().map(|chosen| chosen.remedy).collect();
            let new = match patched_text(input, &remedies, writing) {
                Ok(new) => new,
                Err(error) => return Ok(Fixed { model, repair, patch: Some(Err(error)) }),
            };
            let say = |text: &str| world.say(text);
            let reader = Reader::new(writing.load, world, &say);
            let is_worded = *writing.wording != Wording::default();
            Some(prove_again(search, &reader, input, model, new, is_worded, &mut context)?)
        }
        Repair::AlreadySafe(_) | Repair::WrongUnderSc(_) | Repair::NotFound(_) => None,
    };
    Ok(Fixed { model, repair, patch })
}

/// The text with the repair.
fn patched_text(input: &Input, remedies: &[Remedy], writing: &Writing<'_>) -> Result<String, String> {
    let Input { program, sources, language, id: file, places, .. } = input;
    let edits = match language.dialect {
        None => (language.patch)(sources, *file, program, remedies),
        Some(dialect) => {
            let written = Written { dialect, sources, file: *file, places };
            source::patch(written, program, remedies, writing.wording)
        }
    };
    let edits = edits.map_err(|error| error.to_string())?;
    Ok(apply_edits(sources.file(*file).text(), &edits))
}

/// The new text of the file and the difference. What is shown has been read again from the text and proved.
fn prove_again<'c>(
    search: &Search,
    reader: &Reader<'_>,
    input: &Input,
    model: Model,
    new: String,
    is_worded: bool,
    context: &mut dyn FnMut() -> Context<'c>,
) -> Result<Result<(String, String), String>, Rejected> {
    let Input { file, path, sources, language, id, .. } = input;
    let again = match reader.text(file, path, new.clone(), language) {
        Ok(again) => again,
        Err(complaints) => {
            return Ok(Err(format!("internal error: the patched text does not load:\n{}", complaints.text)));
        }
    };
    let task = Task { program: &again.program, model, options: search.options.clone() };
    let answer = ask(search.engine.engine, &task, &mut context())?;
    Ok(match answer.verdict {
        Verdict::Holds(Guarantee::Unbounded) => {
            let diff = unified_diff(file, sources.file(*id).text(), &new);
            Ok((new, diff))
        }
        Verdict::Violated(_) if is_worded => Err(
            "the texts of --fence-text are not the fences they stand for: the patched text is still violated"
                .to_owned(),
        ),
        Verdict::Violated(_) => Err("internal error: the patched text is still violated".to_owned()),
        Verdict::Holds(Guarantee::UpTo(_)) | Verdict::Unknown(_) => {
            Err("the patched text could not be proved again within the limits".to_owned())
        }
    })
}
