//! `cargo xtask fuzz --engine literal`: generated C, C++ and Rust programs, two readings of the compiled text under SC, TSO and PSO.
//! They must have the same outcomes, and the same answer to whether an error is reachable.
//!
//! The two readings are the literal machine and the lowered path. Two more campaigns hold the literal machine's search against
//! slower searches of the same machine, on small programs straight in LLVM IR: `--engine footprints` against one in which all
//! shared bytes are contested, thousands a minute, and `--engine reduction` against one in which every instruction is a step.
//! `--seconds N` stops a campaign after N seconds, `--findings N` after N programs on which the readings differ.
//! `--show SEED` prints the program of a seed and does nothing else. A program on which they differ is shrunk and written to the folder of what cargo builds.

use std::io::Write as _;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use fencewright_generator::allowed::Allowed;
use fencewright_generator::campaign::{Finding, Plan, Summary, compare};
use fencewright_generator::compile::Compilers;
use fencewright_generator::footprints::{self, Reference};
use fencewright_generator::library::Library;
use fencewright_generator::literal::Literal;
use fencewright_generator::lowered::Lowered;
use fencewright_generator::{FEATURES, Feature, Language, Shape, generate};
use fencewright_memory::Model;

use crate::shell::{only, option, target};

/// The models that both readings know.
pub(crate) const MODELS: [Model; 3] = [Model::Sc, Model::Tso, Model::Pso];

/// How long a search may take where those that take long take very long.
const BRIEF: Duration = Duration::from_secs(2);

/// How many seconds shrinking may take, unless told otherwise: a program of a hundred lines becomes one of thirty in that time.
const SHRINKING: u64 = 120;

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    only(
        arguments,
        &[
            "--engine",
            "--programs",
            "--seed",
            "--language",
            "--jobs",
            "--models",
            "--without",
            "--show",
            "--seconds",
            "--findings",
            "--shrink",
        ],
    )?;
    match option(arguments, "--engine")? {
        Some("footprints") => return handshakes(arguments, Reference::AllContested),
        Some("reduction") => return handshakes(arguments, Reference::EveryInstruction),
        _ => {}
    }
    if option(arguments, "--show")?.is_some() {
        for language in languages(arguments)? {
            let program = generate(number(arguments, "--show", 0)?, &shape(arguments, language)?);
            println!("{}", program.render(language));
        }
        return Ok(());
    }
    let models = match option(arguments, "--models")? {
        None => MODELS.to_vec(),
        Some(names) => names
            .split(',')
            .map(|name| Model::by_name(name).with_context(|| format!("there is no model `{name}`")))
            .collect::<Result<_>>()?,
    };
    let mut n_found = 0;
    for language in languages(arguments)? {
        let plan = plan(arguments, language, 1000)?;
        let summary = held(&plan, &models)?;
        n_found += report(&plan, &summary)?;
    }
    if n_found == 0 { Ok(()) } else { bail!("the readings differ on {n_found} programs") }
}

/// Holds the two readings of each program of the plan against each other.
pub(crate) fn held(plan: &Plan, models: &[Model]) -> Result<Summary> {
    let language = plan.language;
    let compilers = Compilers::new(&[language]).map_err(anyhow::Error::msg)?;
    let library = library(language, &compilers)?;
    let left = || Box::new(Literal::new(library, patience(language)).copying_in_order()) as Box<dyn Allowed>;
    let right = || Box::new(Lowered::new(true)) as Box<dyn Allowed>;
    let names = (left().name().to_owned(), right().name().to_owned());
    println!(
        "fuzz: {} programs in {} from seed {}, {} jobs: {} against {}",
        plan.programs,
        language.name(),
        plan.seed,
        plan.jobs,
        names.0,
        names.1
    );
    let start = Instant::now();
    quietly();
    Ok(compare(plan, &compilers, models, (&left, &right), &|done| progress(done, plan.programs, start)))
}

/// Programs whose accesses are mostly kept in order: which bytes are contested is found out, or all are taken to be.
fn handshakes(arguments: &[String], reference: Reference) -> Result<()> {
    let processors = std::thread::available_parallelism().map_or(1, |n| n.get());
    let plan = footprints::Plan {
        reference,
        seed: number(arguments, "--seed", 0)?,
        programs: number(arguments, "--programs", 5000)?,
        jobs: number(arguments, "--jobs", processors as u64)?.max(1),
        time: seconds(arguments)?,
        enough: number(arguments, "--findings", u64::MAX)? as usize,
    };
    println!(
        "fuzz: {} handshakes from seed {}, {} jobs: the literal machine's search against {}",
        plan.programs,
        plan.seed,
        plan.jobs,
        match reference {
            Reference::AllContested => "one in which all shared bytes are contested",
            Reference::EveryInstruction => "one in which every instruction is a step",
        }
    );
    let start = Instant::now();
    quietly();
    let summary = footprints::compare(&plan);
    let footprints::Summary { programs, compared, passed_over, states: (found, all), .. } = summary;
    let seconds = start.elapsed().as_secs_f64();
    println!("{compared:>8} same answer under a model\n{passed_over:>8} too large");
    println!("{found:>8} states, {all} in the other");
    println!(
        "{programs} programs, {seconds:.1} s, {:.1} programs a second",
        programs as f64 / seconds.max(0.001)
    );
    if let Some((program, what)) = &summary.finding {
        println!("seeds that show something: {:?}\n\n{program}\n{what}", summary.seeds);
        bail!("the searches differ on {} programs", summary.seeds.len());
    }
    Ok(())
}

/// After how long no more programs are made.
fn seconds(arguments: &[String]) -> Result<Option<Duration>> {
    let is_given = option(arguments, "--seconds")?.is_some();
    is_given.then(|| number(arguments, "--seconds", 0).map(Duration::from_secs)).transpose()
}

/// How long a search of the literal machine may take. In Rust programs it executes the standard library, too.
pub(crate) fn patience(language: Language) -> Duration {
    match language {
        Language::C | Language::Cpp => Duration::from_secs(10),
        Language::Rust => BRIEF,
    }
}

/// What programs of the language need beside their own text.
pub(crate) fn library(language: Language, compilers: &Compilers) -> Result<Option<Library>> {
    match language {
        Language::C | Language::Cpp => Ok(None),
        Language::Rust => Ok(Some(Library::new(compilers).map_err(anyhow::Error::msg)?)),
    }
}

/// A panic of a reading is a result here, and the shrinker may meet it many times.
pub(crate) fn quietly() {
    std::panic::set_hook(Box::new(|_| {}));
}

/// The language that is asked for, else all.
pub(crate) fn languages(arguments: &[String]) -> Result<Vec<Language>> {
    let Some(name) = option(arguments, "--language")? else { return Ok(Language::ALL.to_vec()) };
    let found = Language::ALL.into_iter().find(|language| language.name() == name);
    Ok(vec![found.with_context(|| format!("`{name}` is no language here; c, cpp and rust are"))?])
}

pub(crate) fn number(arguments: &[String], name: &str, default: u64) -> Result<u64> {
    option(arguments, name)?
        .map_or(Ok(default), |text| text.parse().with_context(|| format!("`{name} {text}`")))
}

pub(crate) fn plan(arguments: &[String], language: Language, programs: u64) -> Result<Plan> {
    let processors = std::thread::available_parallelism().map_or(1, |n| n.get());
    Ok(Plan {
        programs: number(arguments, "--programs", programs)?,
        seed: number(arguments, "--seed", 0)?,
        language,
        shape: shape(arguments, language)?,
        jobs: number(arguments, "--jobs", processors as u64)?.max(1) as usize,
        shrinking: Duration::from_secs(number(arguments, "--shrink", SHRINKING)?),
        hurried: language == Language::Rust,
        time: seconds(arguments)?,
        enough: number(arguments, "--findings", u64::MAX)? as usize,
    })
}

/// Programs as usual, without the features that are named: what is known to go wrong does not hide the rest. Those in Rust are
/// smaller: the library has accesses of its own.
fn shape(arguments: &[String], language: Language) -> Result<Shape> {
    let mut shape = Shape::default();
    if language == Language::Rust {
        shape.threads = (2, 2);
        shape.accesses = (1, 4);
    }
    for name in option(arguments, "--without")?.into_iter().flat_map(|names| names.split(',')) {
        let is_named = |feature: &Feature| format!("{feature:?}").eq_ignore_ascii_case(name);
        let found = FEATURES.iter().map(|(feature, _)| *feature).find(is_named);
        shape = shape.set(found.with_context(|| format!("there is no feature `{name}`"))?, 0);
    }
    Ok(shape)
}

/// A line now and then.
pub(crate) fn progress(done: u64, all: u64, start: Instant) {
    // One batch in about thirty is told of.
    if done == all || done % 512 < 16 {
        let seconds = start.elapsed().as_secs_f64();
        println!("  {done} of {all}, {:.1} programs a second", done as f64 / seconds.max(0.001));
        // Whoever reads along wants it now; that nobody does is no error.
        let _ = std::io::stdout().flush();
    }
}

/// Says what came of the programs, and writes down what was found. How many programs show something.
pub(crate) fn report(plan: &Plan, summary: &Summary) -> Result<usize> {
    for (what, times) in &summary.counts {
        println!("{times:>8} {what}");
    }
    println!("{:>8} outcomes", summary.outcomes);
    let rate = summary.programs as f64 / summary.seconds.max(0.001);
    println!("{} programs, {:.1} s, {rate:.1} programs a second", summary.programs, summary.seconds);
    if !summary.seeds.is_empty() {
        println!("seeds that show something: {:?}", summary.seeds);
    }
    if let Some(finding) = &summary.finding {
        write_down(plan, finding)?;
    }
    Ok(summary.seeds.len())
}

fn write_down(plan: &Plan, finding: &Finding) -> Result<()> {
    let Finding { seed, program, text } = finding;
    let source = program.render(plan.language);
    println!("\nseed {seed}, shrunk:\n\n{source}\n{text}\n");
    let comment: String = text.lines().map(|line| format!("// {line}\n")).collect();
    let place = target().join(format!("generated-{seed}.{}", plan.language.extension()));
    let head = format!("// Seed {seed} of the generator, shrunk.\n{comment}");
    std::fs::write(&place, head + &source).with_context(|| place.display().to_string())?;
    println!("written to {}", place.display());
    Ok(())
}
