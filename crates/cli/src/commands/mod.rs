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

use fencewright_report::json::WireDiagnostic;

use crate::load::{Complaints, Input};
use crate::{Exit, World};

/// Characters of the less useful refusal, which are two lines.
const SHORT: usize = 150;

/// Says why neither reading takes a text: the literal machine's reason first, because that takes more. `why` is its reason.
fn say_refused_twice(
    world: &World<'_>,
    input: &Input,
    (refused, why): (&Complaints, &str),
    diagnostics: &mut Vec<WireDiagnostic>,
) {
    let message = match why.strip_prefix("it ") {
        Some(verb) => format!("the literal machine {verb}"),
        None => format!("the literal machine does not take it: {why}"),
    };
    world.complain(&format!("{}: {message}", input.file));
    let mut short: String = refused.short.chars().take(SHORT).collect();
    if short.len() < refused.short.len() {
        short.push('…');
    }
    world.say(&format!("  the other engines do not take it, either: {short}\n"));
    diagnostics.push(WireDiagnostic::about_file(&input.file, message));
    diagnostics.extend(refused.wire.iter().cloned());
}

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
