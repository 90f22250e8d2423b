//! Other programs, within a time limit; and a folder for what they write.

use std::io::{Error, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What a program that came to its end has written.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) succeeded: bool,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// How much is read of each stream: 64 MiB, more than any generated program's IR has.
const MOST_OUTPUT: u64 = 64 << 20;

/// Runs the command; kills it when the limit has passed, which is an error of the kind `TimedOut`.
pub(crate) fn run(command: &mut Command, limit: Duration) -> Result<Output, Error> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let reader = |stream: Option<Box<dyn Read + Send>>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            // What cannot be read is not there: the caller looks at what is.
            let _ = stream.map(|stream| stream.take(MOST_OUTPUT).read_to_end(&mut bytes));
            String::from_utf8_lossy(&bytes).into_owned()
        })
    };
    let stdout = reader(child.stdout.take().map(|stream| Box::new(stream) as Box<dyn Read + Send>));
    let stderr = reader(child.stderr.take().map(|stream| Box::new(stream) as Box<dyn Read + Send>));
    let start = Instant::now();
    let mut pause = Duration::from_micros(500);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            break None;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
    };
    let read = |handle: std::thread::JoinHandle<String>| handle.join().unwrap_or_default();
    let (stdout, stderr) = (read(stdout), read(stderr));
    match status {
        Some(status) => Ok(Output { succeeded: status.success(), stdout, stderr }),
        None => Err(Error::new(ErrorKind::TimedOut, format!("no end within {} s", limit.as_secs()))),
    }
}

static NEXT: AtomicU64 = AtomicU64::new(0);

/// A folder among the temporary files of the system, gone when this is.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Result<Self, Error> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("fencewright-generated-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is the system's to clean up.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
