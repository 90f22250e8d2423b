//! Runs another program with text in and text out, and lets it live only as long as it may.
//!
//! When the time is over the program is killed, and nothing of it is waited for: a process that it started may hold its pipes
//! open for ever. The threads that serve the pipes are left behind then; they end with their pipes.

use std::io::{ErrorKind, Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use fencewright_base::{Meter, Stop};

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
    /// It wrote more than anyone wants to read.
    Verbose,
    /// The budget ended, or the user interrupted it.
    Stopped(Stop),
}

/// How much a compiler may write: 256 MiB. Of what it writes to standard error the first MiB is kept.
const MOST_OUTPUT: u64 = 256 << 20;
const MOST_MESSAGES: u64 = 1 << 20;

/// How long the pipes of a program that has ended may stay open: what it wrote itself is there already.
const PIPES: Duration = Duration::from_millis(500);

/// Runs the program on the input.
pub(super) fn run(command: &mut Command, input: Vec<u8>, meter: &Meter) -> Result<Output, Failure> {
    meter.tick().map_err(Failure::Stopped)?;
    let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = spawned.map_err(|error| match error.kind() {
        ErrorKind::NotFound => Failure::Missing,
        _ => Failure::Io(error),
    })?;
    // All three pipes are served at once: a program that waits for one of them to be emptied would not end.
    if let Some(mut stdin) = child.stdin.take() {
        thread::spawn(move || {
            // A program that does not read all of its input says why on its standard error.
            let _ = stdin.write_all(&input);
        });
    }
    let stdout = child.stdout.take().map(|stdout| Kept::of(stdout, MOST_OUTPUT));
    let stderr = child.stderr.take().map(|stderr| Kept::of(stderr, MOST_MESSAGES));
    let mut pause = Duration::from_millis(1);
    let ended = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Ok(status),
            Ok(None) => match meter.tick() {
                Ok(()) => thread::sleep(pause),
                Err(stop) => break Err(Failure::Stopped(stop)),
            },
            Err(error) => break Err(Failure::Io(error)),
        }
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    if ended.is_err() {
        let _ = child.kill();
        let _ = child.wait();
    }
    let status = ended?;
    let stdout = stdout.map(|kept| kept.bytes(meter)).unwrap_or_default();
    let stderr = stderr.map(|kept| kept.bytes(meter)).unwrap_or_default();
    if stdout.len() as u64 >= MOST_OUTPUT {
        return Err(Failure::Verbose);
    }
    Ok(Output { status, stdout, stderr: String::from_utf8_lossy(&stderr).into_owned() })
}

/// What a stream has brought so far, read by a thread of its own: the beginning of it.
struct Kept {
    bytes: Arc<Mutex<Vec<u8>>>,
    /// Closed when the stream is.
    end: Receiver<()>,
}

impl Kept {
    fn of(mut stream: impl Read + Send + 'static, most: u64) -> Self {
        let (closed, end) = channel();
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let kept = bytes.clone();
        thread::spawn(move || {
            let mut block = vec![0; 1 << 16];
            loop {
                match stream.read(&mut block) {
                    Ok(0) => break,
                    Ok(n) => {
                        let mut kept = kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                        let room = most.saturating_sub(kept.len() as u64).min(n as u64) as usize;
                        kept.extend_from_slice(&block[..room]);
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(_) => break,
                }
            }
            drop(closed);
        });
        Self { bytes, end }
    }

    /// All of it, once the program has ended. If the stream stays open, what has come until a moment later.
    fn bytes(self, meter: &Meter) -> Vec<u8> {
        let step = Duration::from_millis(10);
        let mut waited = Duration::ZERO;
        // The stream closes the channel; nothing is ever sent.
        while self.end.recv_timeout(step) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
            waited += step;
            if waited >= PIPES || meter.tick().is_err() {
                break;
            }
        }
        std::mem::take(&mut *self.bytes.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use fencewright_base::{Budget, CancelToken};
    use std::time::Instant;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    /// Ends a test that hangs: the sleepers here sleep for a minute.
    const LONG: Duration = Duration::from_secs(30);

    #[test]
    fn a_grandchild_that_holds_the_pipes_is_not_waited_for() {
        let start = Instant::now();
        let meter = Meter::unlimited();
        let output = run(&mut shell("echo said; sleep 60 & exit 0"), Vec::new(), &meter).expect("it ends");
        assert_eq!((output.stdout, output.status.success()), (b"said\n".to_vec(), true));
        let budget = Budget { time: Some(Duration::from_millis(50)), ..Budget::default() };
        let meter = Meter::start(budget, CancelToken::new());
        let stopped = run(&mut shell("sleep 60 & sleep 60"), Vec::new(), &meter);
        assert!(matches!(stopped, Err(Failure::Stopped(Stop::Time))), "{stopped:?}");
        assert!(start.elapsed() < LONG, "it waits for a process that it did not start");
    }

    #[test]
    fn text_goes_through_and_messages_are_kept() {
        let text = "a line\n".repeat(100_000).into_bytes();
        let output = run(&mut shell("cat; echo oh >&2; exit 3"), text.clone(), &Meter::unlimited());
        let Output { status, stdout, stderr } = output.expect("it ends");
        assert_eq!((status.code(), stdout == text, stderr.as_str()), (Some(3), true, "oh\n"));
    }
}
