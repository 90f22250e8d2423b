//! The chores of the repository: `cargo xtask <command>`. One file a command.
//!
//! *Invariant:* nothing of the tool depends on this; everything here can be done by hand with what it prints.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "chores talk to the person who runs them")]

mod bench;
mod fuzz;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};

/// A command: a row of [`COMMANDS`].
struct Command {
    name: &'static str,
    about: &'static str,
    run: fn(&[String]) -> Result<()>,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "fuzz",
        about: "generated programs: the explicit engine against the oracle [--programs N] [--seed S] [--models sc,tso]",
        run: fuzz::run,
    },
    Command { name: "bench", about: "measurements: explicit [--rounds N] [FILE.rmm]", run: bench::run },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: &[String]) -> Result<()> {
    let Some((name, rest)) = arguments.split_first() else {
        bail!("say what to do:\n{}", usage());
    };
    match COMMANDS.iter().find(|command| command.name == name) {
        Some(command) => (command.run)(rest),
        None => bail!("there is no command `{name}`:\n{}", usage()),
    }
}

fn usage() -> String {
    COMMANDS.iter().map(|command| format!("  cargo xtask {:12} {}\n", command.name, command.about)).collect()
}

/// The root of the repository.
fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("xtask stands in the root").to_path_buf()
}

/// Runs the same command in a release build: the work is many times faster there.
fn again_in_release(name: &str, arguments: &[String]) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = std::process::Command::new(cargo)
        .args(["run", "--quiet", "--release", "--package", "xtask", "--", name])
        .args(arguments)
        .current_dir(root())
        .status()?;
    if status.success() { Ok(()) } else { bail!("`{name}` failed") }
}

/// The value behind `--name`, if it is given. Unknown names are the caller's to refuse.
fn option<'a>(arguments: &'a [String], name: &str) -> Result<Option<&'a str>> {
    match arguments.iter().position(|argument| argument == name) {
        None => Ok(None),
        Some(i) => match arguments.get(i + 1) {
            Some(value) => Ok(Some(value)),
            None => bail!("`{name}` needs a value"),
        },
    }
}

/// Fails on an argument that is neither one of these names nor the value behind one.
fn only(arguments: &[String], names: &[&str]) -> Result<()> {
    for pair in arguments.chunks(2) {
        if !names.contains(&pair[0].as_str()) {
            bail!("`{}` is not known here; known: {}", pair[0], names.join(", "));
        }
    }
    Ok(())
}
