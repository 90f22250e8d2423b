//! Runs another program with text in and text out, and lets it live only as long as it may.

use std::io::{ErrorKind, Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use fencewright_base::CancelToken;

/// What a program said.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) status: ExitStatus,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
}

/// Why a program did not come to its end.
#[derive(Debug)]
pub(super) enum Failure {
    /// There is no such program.
    Missing,
    /// It could not be run.
    Io(std::io::Error),
    /// It ran out of time.
    Slow,
    /// It wrote more than anyone wants to read.
    Verbose,
    /// The user interrupted it.
    Cancelled,
}

/// How long a compiler may take.
pub(super) const TIME: Duration = Duration::from_secs(120);

/// How much a compiler may write: 256 MiB. Of what it writes to standard error the first MiB is kept.
const MOST_OUTPUT: u64 = 256 << 20;
const MOST_MESSAGES: u64 = 1 << 20;

/// Runs the program on the input.
pub(super) fn run(command: &mut Command, input: Vec<u8>, cancel: &CancelToken) -> Result<Output, Failure> {
    let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = spawned.map_err(|error| match error.kind() {
        ErrorKind::NotFound => Failure::Missing,
        _ => Failure::Io(error),
    })?;
    // All three pipes are served at once: a program that waits for one of them to be emptied would not end.
    let mut stdin = child.stdin.take();
    let writer = thread::spawn(move || {
        // A program that does not read all of its input says why on its standard error.
        let _ = stdin.take().map(|mut stdin| stdin.write_all(&input));
    });
    let stdout = child.stdout.take().map(|stdout| reader(stdout, MOST_OUTPUT));
    let stderr = child.stderr.take().map(|stderr| reader(stderr, MOST_MESSAGES));
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    let ended = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Ok(status),
            Ok(None) if cancel.is_cancelled() => break Err(Failure::Cancelled),
            Ok(None) if start.elapsed() > TIME => break Err(Failure::Slow),
            Ok(None) => thread::sleep(pause),
            Err(error) => break Err(Failure::Io(error)),
        }
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    if ended.is_err() {
        let _ = child.kill();
        let _ = child.wait();
    }
    let _ = writer.join();
    let read = |handle: Option<thread::JoinHandle<Vec<u8>>>| {
        handle.and_then(|handle| handle.join().ok()).unwrap_or_default()
    };
    let (stdout, stderr) = (read(stdout), read(stderr));
    let status = ended?;
    if stdout.len() as u64 >= MOST_OUTPUT {
        return Err(Failure::Verbose);
    }
    Ok(Output { status, stdout, stderr: String::from_utf8_lossy(&stderr).into_owned() })
}

/// Reads to the end and keeps the beginning.
fn reader(stream: impl Read + Send + 'static, most: u64) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut kept = Vec::new();
        let mut stream = stream.take(most);
        let _ = stream.read_to_end(&mut kept);
        let _ = std::io::copy(&mut stream.into_inner(), &mut std::io::sink());
        kept
    })
}
