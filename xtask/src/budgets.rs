//! `cargo xtask budgets`: the release binary on every program of the corpus, of `c-reading` beside the repository if that is there,
//! and on generated C programs (`--generated N`), with a time limit and with an interrupt. It must end within a second of either.
//! Programs that are done before the interrupt would come are not run again for it. Prints the slowest, and fails with the list
//! of those that were late. Machines differ: this is a measurement for a person, and no part of `cargo xtask test`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use fencewright_generator::{Language, Shape, generate};

use crate::readings::number;
use crate::shell::{build_release, only, option, root, target};

/// How late the end may be.
const SLACK: Duration = Duration::from_secs(1);

/// When the interrupt comes.
const INTERRUPT: Duration = Duration::from_secs(1);

/// A run that does not end at all is ended so long after it should have.
const WATCHDOG: Duration = Duration::from_secs(60);

/// Rows of the slowest that are shown.
const SHOWN: usize = 10;

/// Generated programs, unless told otherwise; those of the first seeds.
const GENERATED: u64 = 500;

/// The endings of the files that are programs.
const ENDINGS: &[&str] = &["c", "cc", "cpp", "cxx", "rs", "ll", "rmm", "dve", "litmus"];

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    only(arguments, &["--engine", "--model", "--timeout", "--corpora", "--only", "--generated"])?;
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
    files.extend(generated(number(arguments, "--generated", GENERATED)?)?);
    files.retain(|file| file.to_string_lossy().contains(part));
    let plan = |limit: Option<u64>| Plan { engine: engine.to_owned(), model: model.to_owned(), limit };
    let by_time = measure(&files, &plan(Some(seconds)))?;
    let lasting: Vec<PathBuf> =
        by_time.iter().filter(|(took, _)| *took >= INTERRUPT / 2).map(|(_, file)| file.clone()).collect();
    let by_interrupt = measure(&lasting, &plan(None))?;
    let late = |rows: &[(Duration, PathBuf)], due: Duration| {
        rows.iter().filter(|(took, _)| *took > due + SLACK).count()
    };
    let late = (late(&by_time, Duration::from_secs(seconds)), late(&by_interrupt, INTERRUPT));
    if late != (0, 0) {
        bail!("{} of {} past the time limit, {} past the interrupt", late.0, files.len(), late.1);
    }
    Ok(())
}

/// Programs of the generator, written to the folder of what cargo builds. Most are done at once; every fifth is so large that
/// it meets a limit.
fn generated(n_programs: u64) -> Result<Vec<PathBuf>> {
    let folder = target().join("generated");
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let one = |seed: u64| {
        let file = folder.join(format!("{seed:04}.c"));
        let mut shape = Shape::default();
        if seed.is_multiple_of(5) {
            shape.threads = (4, 5);
            shape.accesses = (8, 16);
        }
        let text = generate(seed, &shape).render(Language::C);
        std::fs::write(&file, text).with_context(|| file.display().to_string())?;
        Ok(file)
    };
    (1..=n_programs).map(one).collect()
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

/// Runs all of them and shows the slowest. How long each took, the slowest first.
fn measure(files: &[PathBuf], plan: &Plan) -> Result<Vec<(Duration, PathBuf)>> {
    let due = plan.limit.map_or(INTERRUPT, Duration::from_secs);
    let mut rows = Vec::new();
    for file in files {
        rows.push((once(file, plan, due)?, file.clone()));
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
    Ok(rows)
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
