//! One file a command: arguments in, exit code out.

mod against;
pub(crate) mod certificate;
pub(crate) mod check;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod fix;
mod fix_text;
pub(crate) mod litmus;
pub(crate) mod replay;
pub(crate) mod tables;

use std::path::Path;

use crate::{Exit, World};

/// Writes a file the user asked for, or says why not.
fn write_file(world: &World<'_>, path: &Path, text: &str) -> Exit {
    match std::fs::write(path, text) {
        Ok(()) => Exit::Proved,
        Err(error) => {
            world.complain(&format!("{}: cannot be written: {error}", path.display()));
            Exit::BadInput
        }
    }
}
