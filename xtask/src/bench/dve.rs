//! DVE models under SC against a database: `name/name.instance.dve` and `expected.csv` in a folder, and where there is one
//! `name/name.instance.propN.dve`, the same with a property process. Prints states, transitions and states a second by one
//! thread, then the verdicts; fails if a count or a verdict differs. With `--repair` the models of the DVE thesis's Table
//! 4.1 are repaired instead (`dve_repair`).

use std::num::NonZeroUsize;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use fencewright_base::{CancelToken, Meter};
use fencewright_engine::{Context, Options, Statistics, Task, Unknown, Verdict};
use fencewright_engine_explicit::Explicit;
use fencewright_engine_ltl::Ltl;
use fencewright_memory::Model;

use crate::shell::{only, option, root};

/// Models with more states are left out unless asked for.
const MOST_STATES: u64 = 5_000_000;

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if cfg!(debug_assertions) {
        return crate::shell::again_in_release("bench", &[&["dve".to_owned()], arguments].concat());
    }
    let (flags, arguments): (Vec<String>, Vec<String>) =
        arguments.iter().cloned().partition(|argument| argument == "--repair");
    let arguments = &arguments[..];
    only(arguments, &["--corpora", "--most"])?;
    let folder = root().join(option(arguments, "--corpora")?.unwrap_or("../shared/corpora")).join("dve");
    if !flags.is_empty() {
        return super::dve_repair::run(&folder);
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
        let states = seen.states + seen.error_states.unwrap_or(0);
        let right = states == row.states && row.edges.is_none_or(|edges| edges == seen.transitions);
        println!(
            "{:14} {:>10} {:>10} {:>11} {:>11} {:>6} {:>8.2} {:>11.0}{}",
            row.name,
            states,
            row.states,
            seen.transitions,
            row.edges.map_or(String::new(), |edges| edges.to_string()),
            seen.state_bits,
            seen.seconds,
            states as f64 / seen.seconds,
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
        "\n{:20} {:>8} {:>9} {:>10} {:>11} {:>8}",
        "property", "holds", "expected", "states", "transitions", "seconds"
    );
    for row in rows.iter().filter(|row| row.states <= most) {
        for (property, holds) in &row.properties {
            let name = format!("{}.prop{property}", row.name);
            let path = folder.join(&row.family).join(format!("{name}.dve"));
            if !path.exists() {
                println!("{name:20} {:>8} {:>9}", "no file", holds);
                continue;
            }
            let program = super::explicit::load(&path)?;
            let task = Task { program: &program, model: Model::Sc, options: Options::default() };
            let mut context = Context::quiet(Meter::start(Default::default(), CancelToken::new()));
            let answer = fencewright_engine::run(&Ltl, &task, &mut context)?;
            let found = match answer.verdict {
                Verdict::Holds(_) => true,
                Verdict::Violated(_) => false,
                Verdict::Unknown(unknown) => bail!("{name}: {unknown:?}"),
            };
            let seen = answer.statistics;
            println!(
                "{name:20} {found:>8} {holds:>9} {:>10} {:>11} {:>8.2}{}",
                seen.states,
                seen.transitions,
                seen.seconds,
                if found == *holds { "" } else { "  DIFFERS" }
            );
            if found != *holds {
                wrong.push(name);
            }
        }
    }
    Ok(wrong)
}

/// A row of the table: columns family, instance, states, edges, answers to LTL properties.
struct Row {
    family: String,
    name: String,
    states: u64,
    edges: Option<u64>,
    /// The properties by their numbers, and whether they hold, where that is known.
    properties: Vec<(String, bool)>,
}

impl Row {
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
    let answer = fencewright_engine::run(&Explicit, &task, &mut context)?;
    if let Verdict::Unknown(Unknown::Unsupported { feature, .. }) = &answer.verdict {
        bail!("{}: {feature}", path.display());
    }
    Ok(answer.statistics)
}
