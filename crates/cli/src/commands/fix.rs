//! `fix`: the fewest fences that repair a program, as a change of the user's own file.

use fencewright_base::{Budget, Meter, SourceMap};
use fencewright_engine::{Context, Guarantee, Rejected, Task, Verdict, run as ask};
use fencewright_frontend::patch::{apply_edits, unified_diff};
use fencewright_ir::edit::Remedy;
use fencewright_memory::Model;
use fencewright_report::fix::{FixReport, details, headline};
use fencewright_report::json::{self, WireDiagnostic};
use fencewright_synth::{Reason, Repair, Request, Strategy, Want, repair};

use crate::args::{FixArgs, Format, Strategy as StrategyArg};
use crate::commands::write_file;
use crate::engines::order_engine;
use crate::load::{Input, load};
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

pub(crate) fn run(args: &FixArgs, world: &mut World<'_>) -> Exit {
    let FixArgs {
        file,
        models,
        format,
        diff,
        write,
        atomic,
        cost,
        strategy,
        abstraction,
        cheapest,
        all,
        all_minimal,
        language,
        quiet,
        search,
    } = args;
    let search = Search::new(search);
    let models = models.models();
    if *write && models.len() > 1 {
        world.complain("--write takes one --model: a file is repaired for one at a time (a repair for pso is one for tso)");
        return Exit::BadInput;
    }
    if abstraction.is_some() && *strategy != StrategyArg::AvoidFormula {
        world.complain("--abstraction is for --strategy avoid-formula");
        return Exit::BadInput;
    }
    if *cheapest && *strategy != StrategyArg::MinimalSets {
        world.complain("--cheapest is for --strategy minimal-sets");
        return Exit::BadInput;
    }
    let list_minimal = *strategy == StrategyArg::MinimalSets && !cheapest;
    let orders = order_engine(*abstraction);
    let strategy = match strategy {
        StrategyArg::HittingSets => Strategy::HittingSets,
        StrategyArg::MinimalSets => Strategy::MinimalSets,
        StrategyArg::AvoidFormula => Strategy::AvoidFormula(&orders),
    };
    let mut input = match load(world, file, *language) {
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
        (false, false) if list_minimal => Want::AllMinimal,
        (false, false) => Want::One,
    };
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
            strategy,
        };
        match fix(world, &search, &input, &request) {
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
            Reason::NotRepairable(_) | Reason::Unavoidable { .. } => Exit::Violated,
            Reason::GaveUp(_) | Reason::Unproved(_) | Reason::NotInferred { .. } | Reason::Refuted(_) => {
                Exit::Unknown
            }
        },
    }
}

/// Repairs, and puts the repair into the text.
fn fix(world: &World<'_>, search: &Search, input: &Input, request: &Request<'_>) -> Result<Fixed, Rejected> {
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
            Some(patch(search, input, model, &remedies, &mut context)?)
        }
        Repair::AlreadySafe(_) | Repair::WrongUnderSc(_) | Repair::NotFound(_) => None,
    };
    Ok(Fixed { model, repair, patch })
}

/// The new text of the file and the difference. What is shown has been read again from the text and proved.
fn patch<'c>(
    search: &Search,
    input: &Input,
    model: Model,
    remedies: &[Remedy],
    context: &mut dyn FnMut() -> Context<'c>,
) -> Result<Result<(String, String), String>, Rejected> {
    let Input { file, program, sources, language, id, .. } = input;
    let edits = match (language.patch)(sources, *id, program, remedies) {
        Ok(edits) => edits,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let old = sources.file(*id).text();
    let new = apply_edits(old, &edits);
    let mut again = SourceMap::new();
    let new_id = again.add(file, new.as_str());
    let Ok(loaded) = (language.load)(&again, new_id) else {
        return Ok(Err("internal error: the patched text does not load".to_owned()));
    };
    let task = Task { program: &loaded.program, model, options: search.options.clone() };
    let answer = ask(search.engine.engine, &task, &mut context())?;
    Ok(match answer.verdict {
        Verdict::Holds(Guarantee::Unbounded) => Ok((new.clone(), unified_diff(file, old, &new))),
        Verdict::Violated(_) => Err("internal error: the patched text is still violated".to_owned()),
        Verdict::Holds(Guarantee::UpTo(_)) | Verdict::Unknown(_) => {
            Err("the patched text could not be proved again within the limits".to_owned())
        }
    })
}
