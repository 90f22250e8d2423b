//! The DVE thesis's Table 4.2: models with a slot for each write, against its numbers of states. Its Peterson is BEEM's with
//! two processes, its Lamport is `lamport.1`; its Anderson, with 80 states under SC, is a variant that is not at hand, so ours
//! stands for itself. Fails if a number differs or the states take more than 3 GB.

use std::path::Path;

use anyhow::{Result, bail};
use fencewright_base::{CancelToken, Meter};
use fencewright_engine::{Context, Options, Statistics, Task, Unknown, Verdict};
use fencewright_engine_explicit::Explicit;
use fencewright_memory::Model;

use crate::shell::root;

/// A model of the database, and its states under SC and with slots as the thesis gives them.
const ROWS: &[(&str, &str, u64, u64)] =
    &[("peterson", "peterson.n2", 196, 7_267), ("lamport", "lamport.1", 29_242, 74_948_667)];

/// A model of ours that the thesis has another variant of.
const OURS: &str = "corpus/dve/anderson/anderson.dve";

/// DiVinE needed over ten for Lamport's.
const MOST_BYTES: u64 = 3_000_000_000;

pub(super) fn run(folder: &Path) -> Result<()> {
    println!(
        "{:14} {:>9} {:>11} {:>11} {:>12} {:>8} {:>8}",
        "model", "SC", "slots", "thesis", "transitions", "seconds", "MB"
    );
    let mut wrong = Vec::new();
    for (family, name, plain, with_slots) in ROWS {
        let path = folder.join(family).join(format!("{name}.dve"));
        if !row(name, &path, Some((*plain, *with_slots)))? {
            wrong.push(*name);
        }
    }
    row("ours: anderson", &root().join(OURS), None)?;
    if wrong.is_empty() { Ok(()) } else { bail!("these differ: {}", wrong.join(", ")) }
}

/// Whether a model has the numbers of states expected under SC and with slots.
fn row(name: &str, path: &Path, expected: Option<(u64, u64)>) -> Result<bool> {
    let (sc, slots) = (walk(path, Model::Sc)?, walk(path, Model::Slot)?);
    let right = expected.is_none_or(|expected| expected == (sc.states, slots.states))
        && slots.peak_bytes <= MOST_BYTES;
    println!(
        "{name:14} {:>9} {:>11} {:>11} {:>12} {:>8.2} {:>8.1}{}",
        sc.states,
        slots.states,
        expected.map_or_else(|| "-".to_owned(), |(_, states)| states.to_string()),
        slots.transitions,
        slots.seconds,
        slots.peak_bytes as f64 / 1e6,
        if right { "" } else { "  DIFFERS" }
    );
    Ok(right)
}

fn walk(path: &Path, model: Model) -> Result<Statistics> {
    let program = super::explicit::load(path)?;
    let task = Task { program: &program, model, options: Options { reduction: false, ..Options::default() } };
    let mut context = Context::quiet(Meter::start(Default::default(), CancelToken::new()));
    let answer = fencewright_engine::run(&Explicit, &task, &mut context)?;
    match answer.verdict {
        Verdict::Unknown(Unknown::Unsupported { feature, .. }) => bail!("{}: {feature}", path.display()),
        _ => Ok(answer.statistics),
    }
}
