//! `cargo xtask budgets`: the release binary on every program of the corpus, and of `c-reading` beside the repository if that is
//! there, with a time limit and with an interrupt. It must end within a second of either. Prints the slowest, and fails with
//! the list of those that were late. Machines differ: this is a measurement for a person, and no part of `cargo xtask test`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::shell::{build_release, only, option, root, target};

/// How late the end may be.
const SLACK: Duration = Duration::from_secs(1);

/// When the interrupt comes.
const INTERRUPT: Duration = Duration::from_secs(1);

/// A run that does not end at all is ended so long after it should have.
const WATCHDOG: Duration = Duration::from_secs(60);

/// Rows of the slowest that are shown.
const SHOWN: usize = 10;

/// The endings of the files that are programs.
const ENDINGS: &[&str] = &["c", "cc", "cpp", "cxx", "rs", "ll", "rmm", "dve", "litmus"];

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    only(arguments, &["--engine", "--model", "--timeout", "--corpora", "--only"])?;
    let engine = option(arguments, "--engine")?.unwrap_or("auto");
    let model = option(arguments, "--model")?.unwrap_or("tso");
    let seconds = option(arguments, "--timeout")?.unwrap_or("5");
    let seconds: u64 = seconds.parse().with_context(|| format!("`--timeout {seconds}`: whole seconds"))?;
    let corpora = root().join(option(arguments, "--corpora")?.unwrap_or("../shared/corpora"));
    let part = option(arguments, "--only")?.unwrap_or("");
    build_release()?;
    let mut files = Vec::new();
    for folder in [root().join("corpus"), corpora.join("c-reading")] {
        collect(&folder, &mut files)?;
    }
    files.retain(|file| file.to_string_lossy().contains(part));
    let plan = |limit: Option<u64>| Plan { engine: engine.to_owned(), model: model.to_owned(), limit };
    let by_time = measure(&files, &plan(Some(seconds)))?;
    let by_interrupt = measure(&files, &plan(None))?;
    if by_time + by_interrupt > 0 {
        bail!("{by_time} of {} past the time limit, {by_interrupt} past the interrupt", files.len());
    }
    Ok(())
}

/// How the binary is run.
struct Plan {
    engine: String,
    model: String,
    /// The time limit in seconds; without one an interrupt is sent.
    limit: Option<u64>,
}

/// The programs of a folder and of those in it, in the order of their names.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    if !folder.is_dir() {
        println!("budgets: there is no folder {}", folder.display());
        return Ok(());
    }
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            collect(&entry, files)?;
        } else if entry.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known)) {
            files.push(entry);
        }
    }
    Ok(())
}

/// Runs all of them, shows the slowest, and says how many were late.
fn measure(files: &[PathBuf], plan: &Plan) -> Result<usize> {
    let due = plan.limit.map_or(INTERRUPT, Duration::from_secs);
    let mut rows = Vec::new();
    for file in files {
        rows.push((once(file, plan, due)?, file));
    }
    rows.sort_by(|(one, _), (other, _)| other.cmp(one));
    let late = rows.iter().filter(|(took, _)| *took > due + SLACK).count();
    let what = match plan.limit {
        Some(limit) => format!("with a limit of {limit} s"),
        None => format!("with an interrupt after {} s", INTERRUPT.as_secs()),
    };
    let ended = rows.iter().filter(|(took, _)| *took >= due).count();
    println!(
        "{} by {} under {} {what}: {ended} reached it, {late} late; the slowest:",
        rows.len(),
        plan.engine,
        plan.model
    );
    for (took, file) in rows.iter().take(SHOWN.max(late)) {
        let mark = if *took > due + SLACK { "LATE" } else { "" };
        println!("  {:6.2} s {mark:4} {}", took.as_secs_f64(), file.display());
    }
    Ok(late)
}

/// How long the binary takes on a file.
fn once(file: &Path, plan: &Plan, due: Duration) -> Result<Duration> {
    let mut command = Command::new(target().join("release").join("fencewright"));
    command.arg("check").arg(file).args(["--quiet", "--engine", &plan.engine, "--model", &plan.model]);
    match plan.limit {
        Some(limit) => command.arg("--timeout").arg(format!("{limit}s")),
        None => command.args(["--timeout", "none"]),
    };
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let mut child = command.spawn().context("the binary does not start")?;
    let mut interrupted = plan.limit.is_some();
    loop {
        if child.try_wait()?.is_some() {
            return Ok(start.elapsed());
        }
        if !interrupted && start.elapsed() >= INTERRUPT {
            interrupted = true;
            let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
            sent.context("`kill` sends the interrupt")?;
        }
        if start.elapsed() > due + WATCHDOG {
            child.kill()?;
            child.wait()?;
            return Ok(start.elapsed());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
