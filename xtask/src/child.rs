//! A measured child process: what it printed, how it ended, and its processor time, the compilers it started included.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// What became of a child process.
pub(crate) struct Child {
    /// The exit code; `None` if it was stopped at the limit or by a signal.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    /// Processor time where the system tells it, else the time on the clock.
    pub(crate) seconds: f64,
}

/// Linux counts processor time in hundredths of a second for every program that asks.
const TICKS_A_SECOND: f64 = 100.0;

/// How often a running child is looked at.
const PAUSE: Duration = Duration::from_millis(2);

/// Runs the command for at most so long. Nothing it writes to standard error is kept.
pub(crate) fn run(command: &mut Command, limit: Duration) -> Result<Child> {
    let before = children_seconds();
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("{:?} does not start", command.get_program()))?;
    let mut pipe = child.stdout.take().context("the output was to be read")?;
    // Read at the same time: a child whose output nobody takes would wait for ever.
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        pipe.read_to_end(&mut text).map(|_| text)
    });
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            break None;
        }
        std::thread::sleep(PAUSE);
    };
    let elapsed = start.elapsed().as_secs_f64();
    let stdout = reader.join().expect("reading does not panic")?;
    let seconds = match (before, children_seconds()) {
        (Some(before), Some(after)) => after - before,
        _ => elapsed,
    };
    Ok(Child { code: status.and_then(|status| status.code()), stdout, seconds })
}

/// Whether a program of that name is on the path.
pub(crate) fn is_on_path(name: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(name).is_file()))
}

/// The processor time of this program.
pub(crate) fn own_seconds() -> Option<f64> {
    seconds_in(14, 15)
}

/// The processor time of all children that have ended, and of theirs.
fn children_seconds() -> Option<f64> {
    seconds_in(16, 17)
}

/// The sum of two fields of what the system says of this program.
fn seconds_in(user: usize, system: usize) -> Option<f64> {
    let text = std::fs::read_to_string(Path::new("/proc/self/stat")).ok()?;
    // The name of the program stands in parentheses and may hold anything; behind it the fields are numbers.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |field: usize| fields.get(field - 3)?.parse::<f64>().ok();
    Some((ticks(user)? + ticks(system)?) / TICKS_A_SECOND)
}
