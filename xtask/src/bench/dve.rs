//! DVE models under SC against the state counts of a database: `name/name.instance.dve` and `expected.csv` in a folder.
//! Prints states, transitions and states a second by one thread, and fails if a count differs.

use std::num::NonZeroUsize;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use fencewright_base::{CancelToken, Meter};
use fencewright_engine::{Context, Options, Statistics, Task, Unknown, Verdict};
use fencewright_engine_explicit::Explicit;
use fencewright_memory::Model;

use crate::shell::{only, option, root};

/// Models with more states are left out unless asked for.
const MOST_STATES: u64 = 5_000_000;

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if cfg!(debug_assertions) {
        return crate::shell::again_in_release("bench", &[&["dve".to_owned()], arguments].concat());
    }
    only(arguments, &["--corpora", "--most"])?;
    let folder = root().join(option(arguments, "--corpora")?.unwrap_or("../shared/corpora")).join("dve");
    let most = match option(arguments, "--most")? {
        Some(text) => text.parse().with_context(|| format!("`{text}` is not a number of states"))?,
        None => MOST_STATES,
    };
    let table = folder.join("expected.csv");
    let text = std::fs::read_to_string(&table).with_context(|| format!("cannot read {}", table.display()))?;
    let mut wrong = Vec::new();
    println!(
        "{:14} {:>10} {:>10} {:>11} {:>11} {:>6} {:>8} {:>11}",
        "model", "states", "expected", "transitions", "expected", "bits", "seconds", "states/s"
    );
    for line in text.lines().skip(1) {
        let Some(row) = Row::new(line) else { bail!("cannot read the row {line}") };
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
            wrong.push(row.name);
        }
    }
    if wrong.is_empty() { Ok(()) } else { bail!("counts differ: {}", wrong.join(", ")) }
}

/// A row of the table: columns family, instance, states, edges.
struct Row {
    family: String,
    name: String,
    states: u64,
    edges: Option<u64>,
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
        })
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
