//! `fix`: the fewest fences that repair a program, as a change of the user's own file.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fencewright_base::{Budget, Meter, Progress};
use fencewright_engine::{Context, Options, OrderEngine, Rejected, Verdict};
use fencewright_frontend::dve::atomic_list;
use fencewright_frontend::patch::Wording;
use fencewright_ir::edit::Remedy;
use fencewright_ir::{Program, Site, sites};
use fencewright_memory::Model;
use fencewright_report::fix::{FixReport, LiteralFix, Removal, details, headline};
use fencewright_report::json::{self, WireDiagnostic};
use fencewright_report::literal::{Literal, Standing};
use fencewright_report::{asked, sarif};
use fencewright_synth::{
    Algorithm, Beside, Costs, NotFound, Reason, Repair, Repaired, Request, Strategy, Want, repair,
};

use crate::args::{BesideArgs, FixArgs, Format, LoadArgs, PropertyArgs, Strategy as StrategyArg};
use crate::beside::add_beside;
use crate::commands::fix_text::{Rewritten, Unwritten, Writer};
use crate::commands::{say_refused_twice, write_file};
use crate::deadline::{stopped, within_showing};
use crate::engines::{PAIR_ENGINE, order_engine};
use crate::literal::{self, Mended, Reading};
use crate::load::{Complaints, Input, Reader, load_either};
use crate::progress::Line;
use crate::properties::ask_instead;
use crate::settings::Search;
use crate::{Exit, World};

/// A repair with the text it makes of the file.
struct Fixed {
    model: Model,
    repair: Repair,
    /// The change of the file, or why there is none.
    patch: Option<Result<Rewritten, Unwritten>>,
    /// The atomic writes as a list beside the file, where no fence can be written in it.
    atomic_list: Option<String>,
    /// The fences that are not needed.
    removals: Vec<Removal>,
    /// What stands for the program if the repair is the literal machine's: the places of the text.
    places: Option<Program>,
    /// What the literal machine says.
    literal: Option<LiteralFix>,
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
    let loaded = load_either(world, file, load_args, &reading)
        .and_then(|input| asked.of(input, world))
        .and_then(|input| literal::or_refused(input, &search))
        // Without a text there are no places.
        .and_then(|mut input| match input.refused.take() {
            Some(refused) if !has_text(&input) => Err(refused),
            refused => Ok(Input { refused, ..input }),
        });
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
    let unplaced = std::mem::take(&mut input.unplaced);
    input.warnings.text += &unplaced.text;
    input.warnings.wire.extend(unplaced.wire);
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
    let alone = literal_alone(&input, &search).is_some();
    if alone && let Some(message) = not_alone(&strategy, *with) {
        world.complain(&format!("{}: {message}", input.file));
        return Exit::BadInput;
    }
    let no_fences = !alone && sites(&input.program).is_empty();
    let atomic = with.atomic || no_fences || matches!(strategy, Strategy::Hazard);
    if atomic && input.language.dialect.is_some() && !no_fences {
        world.complain(
            "--with atomic is for languages that have atomic writes; C, C++ and Rust have --with order",
        );
        return Exit::BadInput;
    }
    if let Some(left_out) = &input.left_out
        && !alone
    {
        let why = match left_out.objects {
            Some(objects) => {
                format!("it can allocate more than {objects} objects at one place (raise --heap)")
            }
            None if left_out.no_reuse => "it allocates memory when some was freed".to_owned(),
            None if left_out.output => "it prints values, and what that does is not followed".to_owned(),
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
    let looked_for = literal::looked_for(&input, &search);
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
                if let Some((refused, why)) = refused_twice(&input, &fixed) {
                    say_refused_twice(world, &input, (refused, why), &mut diagnostics);
                    exit = exit.and(Exit::BadInput);
                    // It is refused under every model.
                    break;
                }
                exit = exit.and(exit_of(&input, looked_for.as_deref(), &fixed));
                if let Some(Err(Unwritten { why, .. })) = &fixed.patch {
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
    let reports: Vec<FixReport<'_>> =
        fixes.iter().map(|fixed| report(&input, looked_for.as_deref(), fixed)).collect();
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

/// The second reading, if it is the one to be repaired by: named as the engine, or the only one that takes all of the text.
fn literal_alone<'a>(input: &'a Input, search: &Search) -> Option<&'a Arc<Reading>> {
    let reading = literal::reading_to_ask(input, search)?;
    let named = search.engine.engine.name() == literal::NAME;
    let left_out = input.left_out.is_some() || input.late_writes;
    let needed = input.refused.is_some() || left_out || !reading.left_out.is_empty();
    (has_text(input) && (named || needed)).then_some(reading)
}

/// Whether a compiled program has a text that fences can be written into: LLVM IR has not.
fn has_text(input: &Input) -> bool {
    input.reading.as_ref().is_some_and(|reading| reading.text.is_some())
}

/// Why the literal machine cannot repair in this way.
fn not_alone(strategy: &Strategy<'_>, with: Beside) -> Option<&'static str> {
    if with.orders {
        return Some(
            "--with order is for programs that the other engines take: the literal machine puts fences",
        );
    }
    match strategy {
        Strategy::HittingSets | Strategy::MinimalSets => None,
        Strategy::Hazard | Strategy::AvoidFormula(_) | Strategy::Reordering(..) => {
            Some("the literal machine repairs with --strategy hitting-sets or minimal-sets only")
        }
    }
}

/// Why neither reading takes the text, if that is so.
fn refused_twice<'a>(input: &'a Input, fixed: &'a Fixed) -> Option<(&'a Complaints, &'a str)> {
    match &fixed.literal.as_ref()?.literal.standing {
        Standing::Unavailable(why) => Some((input.refused.as_ref()?, why)),
        _ => None,
    }
}

fn report<'a>(input: &'a Input, looked_for: Option<&'a [String]>, fixed: &'a Fixed) -> FixReport<'a> {
    let Fixed { model, repair, patch, atomic_list, removals, places, literal } = fixed;
    let patch = match patch {
        Some(Ok(rewritten)) => Some(&rewritten.patch),
        Some(Err(_)) | None => None,
    };
    let atomic_list = atomic_list.as_deref();
    let Input { file, program, sources, stated, .. } = input;
    FixReport {
        file,
        program: places.as_ref().unwrap_or(program),
        sources,
        model: *model,
        repair,
        patch,
        atomic_list,
        removals,
        stated: *stated,
        looked_for,
        literal: literal.as_ref(),
    }
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

fn exit_of(input: &Input, looked_for: Option<&[String]>, fixed: &Fixed) -> Exit {
    match (&fixed.repair, &fixed.patch) {
        (Repair::AlreadySafe(_), _) if asked(&input.program, input.stated, looked_for).is_empty() => {
            Exit::Unknown
        }
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
#[derive(Clone)]
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
    let line = Line::new(world, format!("{} under {}", input.file, wanted.model.name().to_uppercase()));
    let show = |progress: Progress<'_>| line.show(progress);
    let say = |text: &str| world.say(text);
    let fixing = Fixing {
        world,
        say: &say,
        search,
        input,
        writing,
        // One budget for all questions; each may use all the memory.
        whole: search.meter(wanted.spent, &world.cancel),
        each: Budget { time: None, ..search.budget.clone() },
        wanted,
        show: &show,
    };
    if let Some(reading) = literal_alone(input, search) {
        return fixing.literally(reading);
    }
    let repair = fixing.repair()?;
    let Some(reading) = literal::reading_to_ask(input, search) else { return fixing.written(repair, None) };
    // What the engines cannot decide the literal machine may.
    if has_text(input) && is_undecided(&repair) && fixing.whole.tick().is_ok() {
        let fixed = fixing.literally(reading)?;
        return if is_undecided(&fixed.repair) { fixing.written(repair, None) } else { Ok(fixed) };
    }
    match fixing.confirmed(&repair, reading)? {
        Some(literal) if literal.execution.is_some() && has_text(input) => fixing.literally(reading),
        literal => {
            let fixed = fixing.written(repair, literal)?;
            match &fixed.patch {
                Some(Err(unwritten)) if unwritten.literally => fixing.literally(reading),
                _ => Ok(fixed),
            }
        }
    }
}

fn is_undecided(repair: &Repair) -> bool {
    matches!(repair, Repair::NotFound(not_found) if matches!(not_found.reason, Reason::Unproved(_)))
}

/// A repair under way.
struct Fixing<'a, 'w> {
    world: &'a World<'w>,
    /// Says something to the user.
    say: &'a dyn Fn(&str),
    search: &'a Search,
    input: &'a Input,
    writing: &'a Writing<'a>,
    wanted: Wanted,
    whole: Meter,
    each: Budget,
    show: &'a (dyn Fn(Progress<'_>) + Sync),
}

impl Fixing<'_, '_> {
    /// The repair of the lowered program.
    fn repair(&self) -> Result<Repair, Rejected> {
        let Wanted { spent: _, model, options, costs, beside, want, strategy } = self.wanted.clone();
        let engine = self.search.engine.engine;
        let (program, own, part) = (self.input.program.clone(), self.whole.clone(), self.each.clone());
        let found = within_showing(&self.whole, self.show, move |relay| {
            let request = Request { program: &program, model, options, costs, beside, want, strategy };
            let note = |progress: Progress<'_>| relay.note(progress);
            let cancel = own.cancel_token().clone();
            repair(engine, &request, &mut || Context::new(own.part(part.clone(), cancel.clone()), &note))
        });
        found.unwrap_or_else(|stop| {
            let reason = Reason::Unproved(stopped(engine.name(), stop, &self.whole));
            let (candidate, exact) = (Vec::new(), false);
            Ok(Repair::NotFound(Box::new(NotFound { reason, candidate, cost: 0, exact, rounds: 0 })))
        })
    }

    /// The repair by the literal machine alone, written into the text.
    fn literally(&self, reading: &Arc<Reading>) -> Result<Fixed, Rejected> {
        let Wanted { model, costs, want, .. } = self.wanted;
        let Fixing { whole, each, show, .. } = self;
        let wanted = literal::Wanted { model, costs, want, whole, each, show: *show };
        let Mended { program, places, repair, literal } =
            literal::mend(self.input, reading, self.search, wanted)?;
        let patch = match &repair {
            Repair::Repaired(repaired) => Some(self.writer(&program, &places).write(&remedies_of(repaired))?),
            Repair::AlreadySafe(_) | Repair::WrongUnderSc(_) | Repair::NotFound(_) => None,
        };
        let (atomic_list, removals) = (None, Vec::new());
        let (places, literal) = (Some(program), Some(literal));
        Ok(Fixed { model, repair, patch, atomic_list, removals, places, literal })
    }

    /// What the literal machine says of a repair that is no change of the text. Nothing where it has no answer.
    fn confirmed(&self, repair: &Repair, reading: &Arc<Reading>) -> Result<Option<Literal>, Rejected> {
        let (model, violated) = match repair {
            Repair::AlreadySafe(_) => (self.wanted.model, false),
            Repair::WrongUnderSc(_) => (Model::Sc, true),
            Repair::Repaired(_) | Repair::NotFound(_) => return Ok(None),
        };
        let asked = literal::ask(self.input, reading, self.search, model, &self.whole, self.show)?;
        let confirms = match asked.answer.verdict {
            Verdict::Violated(_) => violated || asked.literal.execution.is_some(),
            Verdict::Holds(_) => !violated,
            Verdict::Unknown(_) => false,
        };
        Ok(confirms.then_some(asked.literal))
    }

    fn writer<'s>(&'s self, program: &'s Program, places: &'s BTreeMap<Site, u32>) -> Writer<'s> {
        let Fixing { world, search, input, writing, whole, each, .. } = self;
        Writer {
            search,
            input,
            program,
            places,
            model: self.wanted.model,
            reader: Reader::new(writing.load, world, whole, self.say),
            asked: Box::new(|again| writing.asked.of(again, world)),
            wording: writing.wording,
            meter: Box::new(|| whole.part(each.clone(), world.cancel.clone())),
        }
    }

    /// The repair of the lowered program in the text.
    fn written(&self, repair: Repair, literal: Option<Literal>) -> Result<Fixed, Rejected> {
        let Fixing { input, writing, .. } = self;
        let mut writer = self.writer(&input.program, &input.places);
        let mut atomic_list = None;
        let (patch, unneeded) = match &repair {
            Repair::Repaired(repaired) if writing.no_fences => {
                atomic_list = list_of(&input.program, repaired);
                (None, &repaired.unneeded[..])
            }
            Repair::Repaired(repaired) => {
                (Some(writer.write(&remedies_of(repaired))?), &repaired.unneeded[..])
            }
            Repair::AlreadySafe(safe) => (None, &safe.unneeded[..]),
            Repair::WrongUnderSc(_) | Repair::NotFound(_) => (None, &[][..]),
        };
        let (edits, literal) = match &patch {
            Some(Ok(rewritten)) => (&rewritten.edits[..], rewritten.literal.clone()),
            Some(Err(_)) | None => (&[][..], literal),
        };
        let removals = unneeded.iter().map(|&statement| match writing.take_out {
            true => writer.take_out(statement, edits),
            false => Ok(Removal { statement, edits: Vec::new() }),
        });
        let removals = removals.collect::<Result<_, _>>()?;
        let literal = literal.map(|literal| LiteralFix { literal, without: Vec::new() });
        Ok(Fixed { model: self.wanted.model, repair, patch, atomic_list, removals, places: None, literal })
    }
}

fn remedies_of(repaired: &Repaired) -> Vec<Remedy> {
    repaired.remedies.iter().map(|chosen| chosen.remedy).collect()
}
