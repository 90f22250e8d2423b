//! A folder for what a compiler writes on the way, gone when the compiler is.
//!
//! rustc writes IR into a file, named by the crate alone, before it copies it to standard output. In the user's folder that
//! file would be in the way of another run, and a folder that cannot be written to would make it fail.

use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// How many names are tried: those of this process that are taken are left over from another that had its number.
const MOST_TRIES: u64 = 1000;

static NEXT: AtomicU64 = AtomicU64::new(0);

/// The folder.
#[derive(Debug)]
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// A new one, where the system has such things.
    pub(super) fn new() -> Result<Self, Error> {
        let within = std::env::temp_dir();
        for _ in 0..MOST_TRIES {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let folder = within.join(format!("fencewright-{}-{number}", std::process::id()));
            match std::fs::create_dir(&folder) {
                Ok(()) => return Ok(Self(folder)),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(Error::from(ErrorKind::AlreadyExists))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is the system's to clean up.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
