//! `fix`: the fewest fences that repair a program, as a change of the user's own file.

use std::path::Path;
use std::time::Duration;

use fencewright_base::Budget;
use fencewright_engine::{Context, Options, OrderEngine, Rejected};
use fencewright_frontend::dve::atomic_list;
use fencewright_frontend::patch::Wording;
use fencewright_ir::edit::Remedy;
use fencewright_ir::{Program, sites};
use fencewright_memory::Model;
use fencewright_report::fix::{FixReport, Removal, details, headline};
use fencewright_report::json::{self, WireDiagnostic};
use fencewright_report::{sarif, states_nothing};
use fencewright_synth::{
    Algorithm, Beside, Costs, NotFound, Reason, Repair, Repaired, Request, Strategy, Want, repair,
};

use crate::args::{BesideArgs, FixArgs, Format, LoadArgs, PropertyArgs, Strategy as StrategyArg};
use crate::beside::add_beside;
use crate::commands::fix_text::{Rewritten, Writer};
use crate::commands::write_file;
use crate::deadline::{stopped, within_showing};
use crate::engines::{PAIR_ENGINE, order_engine};
use crate::load::{Complaints, Input, Reader, load};
use crate::progress::Line;
use crate::properties::ask_instead;
use crate::settings::Search;
use crate::{Exit, World};

/// A repair with the text it makes of the file.
struct Fixed {
    model: Model,
    repair: Repair,
    /// The change of the file, or why there is none.
    patch: Option<Result<Rewritten, String>>,
    /// The atomic writes as a list beside the file, where no fence can be written in it.
    atomic_list: Option<String>,
    /// The fences that are not needed.
    removals: Vec<Removal>,
}

/// How a repair is put into the text.
struct Writing<'a> {
    wording: &'a Wording,
    load: &'a LoadArgs,
    /// Whether a way is looked for to take out fences that are not needed.
    take_out: bool,
    /// What is asked of the text when it is read again.
    asked: Asked<'a>,
    /// Whether there is no place for a fence: then the repair is a list beside the file.
    no_fences: bool,
}

/// What is asked of a program, and what is said about it, on the command line.
#[derive(Copy, Clone)]
struct Asked<'a> {
    beside: &'a BesideArgs,
    properties: &'a PropertyArgs,
}

impl Asked<'_> {
    fn of(self, input: Input, world: &World<'_>) -> Result<Input, Complaints> {
        let input = ask_instead(input, self.properties, world)?;
        add_beside(input, self.beside, world.style_err())
    }
}

pub(crate) fn run(args: &FixArgs, world: &mut World<'_>) -> Exit {
    let FixArgs {
        file,
        models,
        format,
        diff,
        write,
        with,
        write_atomic,
        cost,
        strategy,
        abstraction,
        cheapest,
        all,
        all_minimal,
        fence_text,
        load: load_args,
        quiet,
        beside,
        properties,
        search,
    } = args;
    let search = Search::new(search);
    let models = models.models();
    if let Some(model) = models.iter().find(|model| !model.is_operational()) {
        let name = model.name();
        world.complain(&format!(
            "there is no repair under {name}: remedies are tried on executions by walking through states, which {name} does \
             not allow; put fences yourself and `check --model {name}`"
        ));
        return Exit::BadInput;
    }
    if write_atomic.is_some() && models.len() > 1 {
        world.complain("--write-atomic takes one --model: a list is of one repair");
        return Exit::BadInput;
    }
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
    if with.orders && !matches!(strategy, StrategyArg::HittingSets | StrategyArg::MinimalSets) {
        world.complain("--with order is for the strategies hitting-sets and minimal-sets");
        return Exit::BadInput;
    }
    let list_minimal = *strategy == StrategyArg::MinimalSets && !cheapest;
    // Named once, and used until the process ends.
    let orders: &'static dyn OrderEngine = Box::leak(Box::new(order_engine(*abstraction)));
    let strategy = match strategy {
        StrategyArg::HittingSets => Strategy::HittingSets,
        StrategyArg::MinimalSets => Strategy::MinimalSets,
        StrategyArg::Hazard => Strategy::Hazard,
        StrategyArg::AvoidFormula => Strategy::AvoidFormula(orders),
        StrategyArg::Te => Strategy::Reordering(PAIR_ENGINE, Algorithm::TraceEnumeration),
        StrategyArg::Fi => Strategy::Reordering(PAIR_ENGINE, Algorithm::FenceInsertion),
        StrategyArg::Robmc => Strategy::Reordering(PAIR_ENGINE, Algorithm::ReorderBounded),
        StrategyArg::RobmcEt => Strategy::Reordering(PAIR_ENGINE, Algorithm::EarlyTermination),
    };
    let asked = Asked { beside, properties };
    let reading = search.meter(Duration::ZERO, &world.cancel);
    let loaded = load(world, file, load_args, &reading).and_then(|input| asked.of(input, world));
    let mut input = match loaded {
        Ok(input) => input,
        Err(complaints) => {
            world.say(&complaints.text);
            let exit = complaints.exit();
            match format {
                Format::Json => world.print(&json::fix(&[], complaints.wire)),
                Format::Sarif => world.print(&sarif::fix(&[], &complaints.wire)),
                Format::Text => {}
            }
            return exit;
        }
    };
    world.say(&input.warnings.text);
    let want = match (all, all_minimal) {
        (_, true) => Want::AllMinimal,
        (true, false) => Want::AllMinimum,
        (false, false) if list_minimal => Want::AllMinimal,
        (false, false) => Want::One,
    };
    if *fence_text != Wording::default() && input.language.dialect.is_none() {
        world.complain(&format!("--fence-text is for C, C++ and Rust, not for {}", input.language.name));
        return Exit::BadInput;
    }
    if with.orders && input.language.dialect.is_none() {
        world.complain(&format!("--with order is for C, C++ and Rust, not for {}", input.language.name));
        return Exit::BadInput;
    }
    let no_fences = sites(&input.program).is_empty();
    let atomic = with.atomic || no_fences || matches!(strategy, Strategy::Hazard);
    if atomic && input.language.dialect.is_some() && !no_fences {
        world.complain(
            "--with atomic is for languages that have atomic writes; C, C++ and Rust have --with order",
        );
        return Exit::BadInput;
    }
    if let Some(left_out) = &input.left_out {
        let why = match left_out.objects {
            Some(objects) => {
                format!("it can allocate more than {objects} objects at one place (raise --heap)")
            }
            None if left_out.no_reuse => "it allocates memory when some was freed".to_owned(),
            None => "it computes with bytes that were never written".to_owned(),
        };
        world.complain(&format!(
            "{}: {why}, and a repair is shown only with a proof for all executions",
            input.file
        ));
        return Exit::Unknown;
    }
    let take_out = *format == Format::Sarif;
    let writing = Writing { wording: fence_text, load: load_args, take_out, asked, no_fences };
    let mut exit = Exit::Proved;
    let mut diagnostics = std::mem::take(&mut input.warnings.wire);
    let mut fixes = Vec::new();
    // What reading took counts once: against the first repair.
    let mut spent = input.spent;
    for &model in &models {
        let wanted = Wanted {
            spent: std::mem::take(&mut spent),
            model,
            options: search.options.clone(),
            costs: *cost,
            beside: Beside { atomic, ..*with },
            want,
            strategy,
        };
        match fix(world, &search, &input, wanted, &writing) {
            Ok(fixed) => {
                exit = exit.and(exit_of(&input.program, &fixed));
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
        Format::Sarif => sarif::fix(&reports, &diagnostics),
        Format::Text if *diff => {
            reports.iter().filter_map(|report| report.patch).map(|patch| patch.diff.as_str()).collect()
        }
        Format::Text if *quiet => reports.iter().map(|report| headline(report, style)).collect(),
        Format::Text => {
            let parts: Vec<String> = reports.iter().map(|report| details(report, style)).collect();
            parts.join("\n")
        }
    };
    world.print(&text);
    if *write && let Some(Fixed { patch: Some(Ok(rewritten)), .. }) = fixes.first() {
        exit = exit.and(write_file(world, file, &rewritten.text));
    }
    if let (Some(path), Some(fixed)) = (write_atomic, fixes.first()) {
        exit = exit.and(write_list(world, path, &input.program, &fixed.repair));
    }
    exit
}

fn report<'a>(input: &'a Input, fixed: &'a Fixed) -> FixReport<'a> {
    let Fixed { model, repair, patch, atomic_list, removals } = fixed;
    let patch = match patch {
        Some(Ok(rewritten)) => Some(&rewritten.patch),
        Some(Err(_)) | None => None,
    };
    let atomic_list = atomic_list.as_deref();
    let Input { file, program, sources, .. } = input;
    FixReport { file, program, sources, model: *model, repair, patch, atomic_list, removals }
}

/// The list of a repair's atomic writes; `None` if it is made of something else too.
fn list_of(program: &Program, repaired: &Repaired) -> Option<String> {
    let statements = repaired.remedies.iter().map(|chosen| match chosen.remedy {
        Remedy::Atomic(statement) => Some(statement),
        Remedy::Fence(..) | Remedy::Order(..) => None,
    });
    Some(atomic_list(program, &statements.collect::<Option<_>>()?))
}

/// Writes the list for `--atomic`, empty if nothing has to be done.
fn write_list(world: &World<'_>, path: &Path, program: &Program, repair: &Repair) -> Exit {
    let list = match repair {
        Repair::AlreadySafe(_) => Some(String::new()),
        Repair::Repaired(repaired) => list_of(program, repaired),
        Repair::WrongUnderSc(_) | Repair::NotFound(_) => return Exit::Proved,
    };
    match list {
        Some(list) => write_file(world, path, &list),
        None => {
            world.complain(&format!(
                "{}: not written: the repair has fences, which the list cannot say",
                path.display()
            ));
            Exit::BadInput
        }
    }
}

fn exit_of(program: &Program, fixed: &Fixed) -> Exit {
    match (&fixed.repair, &fixed.patch) {
        (Repair::AlreadySafe(_), _) if states_nothing(program) => Exit::Unknown,
        (Repair::Repaired(_), Some(Err(_))) => Exit::Unknown,
        (Repair::AlreadySafe(_) | Repair::Repaired(_), _) => Exit::Proved,
        (Repair::WrongUnderSc(_), _) => Exit::Violated,
        (Repair::NotFound(not_found), _) => match not_found.reason {
            Reason::NotRepairable(_) | Reason::Unavoidable { .. } => Exit::Violated,
            Reason::GaveUp(_)
            | Reason::Unproved(_)
            | Reason::NoHazard(_)
            | Reason::NotInferred { .. }
            | Reason::Refuted(_)
            | Reason::NoPairs(_)
            | Reason::NoPlace => Exit::Unknown,
        },
    }
}

/// The repair that is looked for.
struct Wanted {
    /// Time that is spent already.
    spent: Duration,
    model: Model,
    options: Options,
    costs: Costs,
    beside: Beside,
    want: Want,
    strategy: Strategy<'static>,
}

/// Repairs, and puts the repair into the text.
fn fix(
    world: &World<'_>,
    search: &Search,
    input: &Input,
    wanted: Wanted,
    writing: &Writing<'_>,
) -> Result<Fixed, Rejected> {
    let Wanted { spent, model, options, costs, beside, want, strategy } = wanted;
    let line = Line::new(world, format!("{} under {}", input.file, model.name().to_uppercase()));
    let progress = |progress: fencewright_base::Progress<'_>| line.show(progress);
    // One budget for all questions; each may use all the memory.
    let whole = search.meter(spent, &world.cancel);
    let each = Budget { time: None, ..search.budget.clone() };
    let engine = search.engine.engine;
    let (program, own, part) = (input.program.clone(), whole.clone(), each.clone());
    let found = within_showing(&whole, &progress, move |relay| {
        let request = Request { program: &program, model, options, costs, beside, want, strategy };
        let note = |progress: fencewright_base::Progress<'_>| relay.note(progress);
        let cancel = own.cancel_token().clone();
        repair(engine, &request, &mut || Context::new(own.part(part.clone(), cancel.clone()), &note))
    });
    let repair = found.unwrap_or_else(|stop| {
        let reason = Reason::Unproved(stopped(engine.name(), stop, &whole));
        let (candidate, exact) = (Vec::new(), false);
        Ok(Repair::NotFound(Box::new(NotFound { reason, candidate, cost: 0, exact, rounds: 0 })))
    })?;
    let say = |text: &str| world.say(text);
    let reader = Reader::new(writing.load, world, &whole, &say);
    let mut meter = || whole.part(each.clone(), world.cancel.clone());
    let wording = writing.wording;
    let asked = |again: Input| writing.asked.of(again, world);
    let mut writer =
        Writer { search, input, model, reader: &reader, asked: &asked, wording, meter: &mut meter };
    let mut list = None;
    let (patch, unneeded) = match &repair {
        Repair::Repaired(repaired) if writing.no_fences => {
            list = list_of(&input.program, repaired);
            (None, &repaired.unneeded[..])
        }
        Repair::Repaired(repaired) => {
            let remedies: Vec<Remedy> = repaired.remedies.iter().map(|chosen| chosen.remedy).collect();
            (Some(writer.write(&remedies)?), &repaired.unneeded[..])
        }
        Repair::AlreadySafe(safe) => (None, &safe.unneeded[..]),
        Repair::WrongUnderSc(_) | Repair::NotFound(_) => (None, &[][..]),
    };
    let edits = match &patch {
        Some(Ok(rewritten)) => &rewritten.edits[..],
        Some(Err(_)) | None => &[],
    };
    let removals = unneeded.iter().map(|&statement| match writing.take_out {
        true => writer.take_out(statement, edits),
        false => Ok(Removal { statement, edits: Vec::new() }),
    });
    let removals = removals.collect::<Result<_, _>>()?;
    Ok(Fixed { model, repair, patch, atomic_list: list, removals })
}
