//! DVE models under SC against a database: `name/name.instance.dve` and `expected.csv` in a folder, and where there is one
//! `name/name.instance.propN.dve`, the same with a property process. Prints states, transitions and states a second by one
//! thread, then the verdicts, then what the reduction of the engine `ltl` leaves; fails if a count or a verdict differs.
//! Seconds are processor time where the system tells it. With `--repair` the models of the DVE thesis's Table 4.1 are
//! repaired instead (`dve_repair`), with `--slots` those of its Table 4.2 are counted (`dve_slots`).

use std::num::NonZeroUsize;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use fencewright_base::{CancelToken, Meter, SourceMap};
use fencewright_engine::{Context, Options, Statistics, Task, Unknown, Verdict};
use fencewright_engine_explicit::Explicit;
use fencewright_engine_ltl::Ltl;
use fencewright_ir::{Claim, Fairness, Program, Property, Temporal};
use fencewright_memory::Model;

use crate::child::own_seconds;
use crate::shell::{only, option, root};

/// Models with more states are left out unless asked for.
const MOST_STATES: u64 = 5_000_000;

/// Properties of the database for which there are no property processes, over the names of the models.
const FORMULAE: &[(&str, &str, &str)] = &[
    ("elevator", "2", "G (Person_0.waiting -> F Person_0.in_elevator)"),
    ("elevator", "3", "G (Person_0.in_elevator -> F Person_0.out)"),
];

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if cfg!(debug_assertions) {
        return crate::shell::again_in_release("bench", &[&["dve".to_owned()], arguments].concat());
    }
    let (flags, arguments): (Vec<String>, Vec<String>) =
        arguments.iter().cloned().partition(|argument| ["--repair", "--slots"].contains(&&argument[..]));
    let arguments = &arguments[..];
    only(arguments, &["--corpora", "--most"])?;
    let folder = root().join(option(arguments, "--corpora")?.unwrap_or("../shared/corpora")).join("dve");
    match flags.first().map(String::as_str) {
        Some("--repair") => return super::dve_repair::run(&folder),
        Some(_) => return super::dve_slots::run(&folder),
        None => {}
    }
    let most = match option(arguments, "--most")? {
        Some(text) => text.parse().with_context(|| format!("`{text}` is not a number of states"))?,
        None => MOST_STATES,
    };
    let table = folder.join("expected.csv");
    let text = std::fs::read_to_string(&table).with_context(|| format!("cannot read {}", table.display()))?;
    let mut rows = Vec::new();
    for line in text.lines().skip(1) {
        rows.push(Row::new(line).with_context(|| format!("cannot read the row {line}"))?);
    }
    let mut wrong = counts(&folder, &rows, most)?;
    wrong.extend(verdicts(&folder, &rows, most)?);
    wrong.extend(reductions(&folder, &rows, most)?);
    if wrong.is_empty() { Ok(()) } else { bail!("these differ: {}", wrong.join(", ")) }
}

/// The models whose counts differ.
fn counts(folder: &Path, rows: &[Row], most: u64) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    println!(
        "{:14} {:>10} {:>10} {:>11} {:>11} {:>6} {:>8} {:>11}",
        "model", "states", "expected", "transitions", "expected", "bits", "seconds", "states/s"
    );
    for row in rows {
        if row.states > most {
            println!("{:14} {:>10} {:>10}", row.name, "left out", row.states);
            continue;
        }
        let seen = explore(&folder.join(&row.family).join(format!("{}.dve", row.name)))?;
        let right = seen.states == row.states && row.edges.is_none_or(|edges| edges == seen.transitions);
        println!(
            "{:14} {:>10} {:>10} {:>11} {:>11} {:>6} {:>8.2} {:>11.0}{}",
            row.name,
            seen.states,
            row.states,
            seen.transitions,
            row.edges.map_or(String::new(), |edges| edges.to_string()),
            seen.state_bits,
            seen.seconds,
            seen.states as f64 / seen.seconds.max(0.01),
            if right { "" } else { "  DIFFERS" }
        );
        if !right {
            wrong.push(row.name.clone());
        }
    }
    Ok(wrong)
}

/// The models with a property process whose verdicts differ.
fn verdicts(folder: &Path, rows: &[Row], most: u64) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    println!(
        "\n{:20} {:>8} {:>9} {:>10} {:>11} {:>8} {:>11} {:>8}",
        "property", "holds", "expected", "states", "transitions", "seconds", "states/s", "MB"
    );
    for row in rows.iter().filter(|row| row.states <= most) {
        for (property, holds) in &row.properties {
            let name = format!("{}.prop{property}", row.name);
            let path = folder.join(&row.family).join(format!("{name}.dve"));
            let listed =
                FORMULAE.iter().find(|(family, number, _)| *family == row.family && number == property);
            let program = match listed {
                _ if path.exists() => super::explicit::load(&path)?,
                Some((_, _, formula)) => row.with_formula(folder, formula)?,
                None => bail!("{name}: there is no file, and no formula"),
            };
            let (found, seen) = asked(&program, true)?;
            println!(
                "{name:20} {found:>8} {holds:>9} {:>10} {:>11} {:>8.2} {:>11.0} {:>8.1}{}",
                seen.states,
                seen.transitions,
                seen.seconds,
                seen.states as f64 / seen.seconds.max(0.01),
                seen.peak_bytes as f64 / 1e6,
                if found == *holds { "" } else { "  DIFFERS" }
            );
            if found != *holds {
                wrong.push(name);
            }
        }
    }
    Ok(wrong)
}

/// Models whose collision is not reachable: states of the product with and without reduction. Those where the two
/// verdicts differ.
fn reductions(folder: &Path, rows: &[Row], most: u64) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    println!("\n{:14} {:50} {:>10} {:>10} {:>8}", "model", "formula", "plain", "reduced", "share");
    let exclusive = "G !(P_0.CS && P_1.CS)";
    let mutex = rows.iter().filter(|row| row.never_collides).map(|row| (row, exclusive));
    let listed = rows.iter().flat_map(|row| {
        let own = FORMULAE.iter().filter(|(family, ..)| *family == row.family);
        own.map(move |(_, _, formula)| (row, *formula))
    });
    for (row, formula) in mutex.chain(listed).filter(|(row, _)| row.states <= most) {
        let program = row.with_formula(folder, formula)?;
        let ((plain, all), (reduced, some)) = (asked(&program, false)?, asked(&program, true)?);
        println!(
            "{:14} {formula:50} {:>10} {:>10} {:>7.1}%{}",
            row.name,
            all.states,
            some.states,
            100.0 * some.states as f64 / all.states as f64,
            if plain == reduced { "" } else { "  DIFFERS" }
        );
        if plain != reduced {
            wrong.push(row.name.clone());
        }
    }
    Ok(wrong)
}

/// Whether the engine `ltl` says that the program's property holds, and what that took.
fn asked(program: &Program, reduction: bool) -> Result<(bool, Statistics)> {
    let task = Task { program, model: Model::Sc, options: Options { reduction, ..Options::default() } };
    let mut context = Context::quiet(Meter::start(Default::default(), CancelToken::new()));
    let start = own_seconds();
    let answer = fencewright_engine::run(&Ltl, &task, &mut context)?;
    let holds = match answer.verdict {
        Verdict::Holds(_) => true,
        Verdict::Violated(_) => false,
        Verdict::Unknown(unknown) => bail!("{}: {unknown:?}", program.name),
    };
    Ok((holds, since(start, answer.statistics)))
}

/// The figures with the processor time since `start` instead of the time on the clock.
fn since(start: Option<f64>, statistics: Statistics) -> Statistics {
    let processor = start.and_then(|start| Some(own_seconds()? - start));
    let seconds = processor.unwrap_or(statistics.seconds);
    Statistics { seconds, ..statistics }
}

/// A row of the table: columns family, instance, states, edges, answers to LTL properties.
struct Row {
    family: String,
    name: String,
    states: u64,
    edges: Option<u64>,
    /// The properties by their numbers, and whether they hold, where that is known.
    properties: Vec<(String, bool)>,
    /// Whether it is known of a mutual exclusion that two never meet.
    never_collides: bool,
}

impl Row {
    /// The model with the formula instead of its own properties.
    fn with_formula(&self, folder: &Path, text: &str) -> Result<Program> {
        let mut program =
            super::explicit::load(&folder.join(&self.family).join(format!("{}.dve", self.name)))?;
        let mut sources = SourceMap::new();
        let file = sources.add("formula", text);
        let formula = fencewright_frontend::ltl::formula(&sources, file, &program)
            .or_else(|problems| bail!("{text}: {}", problems[0].message))?;
        let claim = Claim::Formula(formula);
        let temporal = Temporal { claim, fairness: Fairness::default(), text: text.to_owned(), span: None };
        program.properties = vec![Property::Temporal(temporal)];
        Ok(program)
    }

    fn new(line: &str) -> Option<Self> {
        // Parameters may stand in quotes and have commas of their own.
        let mut columns = vec![String::new()];
        let mut quoted = false;
        for c in line.chars() {
            match c {
                '"' => quoted = !quoted,
                ',' if !quoted => columns.push(String::new()),
                c => columns.last_mut()?.push(c),
            }
        }
        let family = columns.first()?.clone();
        let name = format!("{family}.{}", columns.get(3)?);
        Some(Self {
            family,
            name,
            states: columns.get(5)?.parse().ok()?,
            edges: columns.get(7)?.parse().ok(),
            properties: columns.get(10)?.split(';').filter_map(answer).collect(),
            never_collides: columns.get(9)? == "1:no:0" && columns.last()?.contains("collision"),
        })
    }
}

/// `2:no:15`: property 2 does not hold, and a counterexample of length 15 is known.
fn answer(text: &str) -> Option<(String, bool)> {
    let mut parts = text.split(':');
    let (property, answer) = (parts.next()?, parts.next()?);
    match answer {
        "yes" => Some((property.to_owned(), true)),
        "no" => Some((property.to_owned(), false)),
        _ => None,
    }
}

fn explore(path: &Path) -> Result<Statistics> {
    let program = super::explicit::load(path)?;
    let options = Options { reduction: false, jobs: NonZeroUsize::MIN, ..Options::default() };
    let task = Task { program: &program, model: Model::Sc, options };
    let mut context = Context::quiet(Meter::start(Default::default(), CancelToken::new()));
    let start = own_seconds();
    let answer = fencewright_engine::run(&Explicit, &task, &mut context)?;
    if let Verdict::Unknown(Unknown::Unsupported { feature, .. }) = &answer.verdict {
        bail!("{}: {feature}", path.display());
    }
    Ok(since(start, answer.statistics))
}
