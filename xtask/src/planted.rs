//! `cargo xtask planted`: plants known errors, one at a time, and measures how soon the campaigns find them. To plant an error, it
//! replaces a piece of text in a copy of the tree, builds the copy, and runs `cargo xtask fuzz` there on C programs for at most a
//! minute. The campaign must report a difference. The old text must occur exactly once.
//!
//! The copy and what is built of it are kept in the folder of what cargo builds, so that only the first build takes long.
//! `--only NAME` plants one. Machines differ: this is a measurement for a person, and no part of `cargo xtask test`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::child;
use crate::shell::{cargo, only, option, output, root, target};

/// How long a campaign may take to find one.
const SECONDS: u64 = 60;

/// A campaign that has not ended by itself after so long is ended.
const WATCHDOG: Duration = Duration::from_secs(300);

/// An error to be planted.
struct Bug {
    /// What it is about.
    name: &'static str,
    /// What goes wrong.
    about: &'static str,
    /// The campaign that finds it: `fuzz --engine`.
    engine: &'static str,
    file: &'static str,
    old: &'static str,
    new: &'static str,
}

const BUGS: &[Bug] = &[
    Bug {
        name: "narrowing",
        about: "after a comparison a value is kept only if all of the other side allow it",
        engine: "literal",
        file: "crates/frontend/src/llvm/lower/branches.rs",
        old: "let fits = |x: Value| right.iter().any(|&y| holds(x, y));",
        new: "let fits = |x: Value| right.iter().all(|&y| holds(x, y));",
    },
    Bug {
        name: "folding",
        about: "unsigned `<=` of constants is `<`",
        engine: "literal",
        file: "crates/frontend/src/llvm/lower/value.rs",
        old: "Predicate::Ule => raw != Greater,",
        new: "Predicate::Ule => raw == Less,",
    },
    Bug {
        name: "liveness",
        about: "what a compare-and-exchange writes is not needed before it",
        engine: "literal",
        file: "crates/frontend/src/llvm/lower/liveness.rs",
        old: "            uses(live, new);\n",
        new: "            let _ = new;\n",
    },
    Bug {
        name: "calls",
        about: "a call through a pointer enters any of the functions",
        engine: "literal",
        file: "crates/frontend/src/llvm/lower/calls.rs",
        old: "self.enter(w, w.env.clone(), function, values, guard)?;",
        new: "let _ = guard;\n            self.enter(w, w.env.clone(), function, values, expr::int(1))?;",
    },
    Bug {
        name: "pointers",
        about: "an index that may be 0 is 0",
        engine: "literal",
        file: "crates/frontend/src/llvm/lower/pointers.rs",
        old: "if index.known.single() == Some(Value::Int(0)) || stride == 0 {",
        new: "if index.known.values().is_some_and(|set| set.contains(&Value::Int(0))) || stride == 0 {",
    },
    Bug {
        name: "widths",
        about: "unsigned numbers that are not listed are widened as signed ones",
        engine: "literal",
        file: "crates/frontend/src/llvm/lower/operands.rs",
        old: "(op == CastOp::SExt && from > 1) || from == to",
        new: "(op != CastOp::Trunc && from > 1) || from == to",
    },
    Bug {
        name: "switch",
        about: "the default is left out only for the last case",
        engine: "literal",
        file: "crates/frontend/src/llvm/lower/branches.rs",
        old: "otherwise = expr::binary(BinaryOp::And, otherwise, expr::not(hit.clone()));",
        new: "otherwise = expr::not(hit.clone());",
    },
    Bug {
        name: "constructors",
        about: "what runs before `main` does not",
        engine: "literal",
        file: "crates/frontend/src/llvm/lower/startup.rs",
        old: "let first = calls.first().copied();",
        new: "let first = calls.last().copied();",
    },
    Bug {
        name: "joins",
        about: "of several threads that are waited for in a row, only the first is",
        engine: "literal",
        file: "crates/frontend/src/llvm/lower/steps.rs",
        old: "                if path.atomic == 0 && !matches!(path.accessed, None | Some(Access::Joining)) {\n",
        new: "                if matches!(path.accessed, Some(Access::Joining)) {\n                    return Next::On;\n                }\n                if path.atomic == 0 && path.accessed.is_some() {\n",
    },
    Bug {
        name: "limits",
        about: "paths past the limit are forgotten",
        engine: "literal",
        file: "crates/frontend/src/llvm/lower/steps.rs",
        old: "            if edges.len() + paths.len() > most {\n                return Ok(None);",
        new: "            if edges.len() + paths.len() > most {\n                return Ok(Some(edges));",
    },
    Bug {
        name: "literal: copies",
        about: "members of a struct are copied together",
        engine: "literal",
        file: "crates/literal/src/outside/pieces.rs",
        old: "let pieces = pieces(from.bits, to.bits, length, cuts);",
        new: "let pieces = pieces(from.bits, to.bits, length, { let _ = cuts; Vec::new() });",
    },
    Bug {
        name: "reduction: writes",
        about: "a conflict needs two writes",
        engine: "footprints",
        file: "crates/literal/src/footprint/mod.rs",
        old: "Touch { write: self.write || other.write, ",
        new: "Touch { write: self.write && other.write, ",
    },
    Bug {
        name: "reduction: buffers",
        about: "a write that goes to memory at once is taken to have been there at the next visible step",
        engine: "footprints",
        file: "crates/literal/src/footprint/mod.rs",
        old: "_ if !buffered => Pending::Arrived,",
        new: "_ if !buffered || acted => Pending::Arrived,",
    },
    Bug {
        name: "reduction: waits",
        about: "a wait after a visible step is taken to have come before it",
        engine: "footprints",
        file: "crates/literal/src/footprint/mod.rs",
        old: "self.segment.waited_first |= first;",
        new: "self.segment.waited_first = first || !first;",
    },
    Bug {
        name: "reduction: places",
        about: "what a thread has open is forgotten when another is joined",
        engine: "footprints",
        file: "crates/literal/src/footprint/mod.rs",
        old: "                self.link(from, next);\n            }\n        }\n    }",
        new: "                let _ = (from, next);\n            }\n        }\n    }",
    },
    Bug {
        name: "reduction: ends",
        about: "the end of an object is not an access to it",
        engine: "footprints",
        file: "crates/literal/src/visible.rs",
        old: "self.is_visible(object, 0, size, Touch::WRITE)",
        new: "{\n            let _ = size;\n            false\n        }",
    },
    Bug {
        name: "reduction: creation",
        about: "a step that creates a thread goes on with what others can notice",
        engine: "footprints",
        file: "crates/literal/src/machine.rs",
        old: "            self.may_act = false;\n            self.spend(1)?;",
        new: "            self.spend(1)?;",
    },
];

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    only(arguments, &["--only"])?;
    let wanted = option(arguments, "--only")?;
    let bugs: Vec<&Bug> = BUGS.iter().filter(|bug| wanted.is_none_or(|name| bug.name == name)).collect();
    if bugs.is_empty() {
        let names: Vec<&str> = BUGS.iter().map(|bug| bug.name).collect();
        bail!("there is no such error; known: {}", names.join(", "));
    }
    // Before anything is built: a table that is out of date is seen at once.
    let texts = bugs.iter().map(|bug| planted(bug)).collect::<Result<Vec<String>>>()?;
    let (copy, built) = (target().join("planted").join("tree"), target().join("planted").join("build"));
    let mut missed = Vec::new();
    println!("{:24} {:>8} {:>8}  what goes wrong", "planted", "programs", "seconds");
    for (bug, text) in bugs.iter().zip(texts) {
        refresh(&copy)?;
        write_if_new(&copy.join(bug.file), text.as_bytes())?;
        build(&copy, &built)?;
        match campaign(bug, &built)? {
            Found::After { programs, seconds } => {
                println!("{:24} {programs:>8} {seconds:>8.1}  {}", bug.name, bug.about);
            }
            Found::Not { programs } => {
                println!("{:24} {:>8} {:>8}  {}", bug.name, format!("> {programs}"), "–", bug.about);
                missed.push(bug.name);
            }
        }
    }
    if missed.is_empty() { Ok(()) } else { bail!("not found within {SECONDS} s: {}", missed.join(", ")) }
}

/// What is wrong with the table: an error that can no longer be planted.
pub(crate) fn stale() -> Vec<String> {
    BUGS.iter().filter_map(|bug| planted(bug).err()).map(|error| format!("{error:#}")).collect()
}

/// The text of a file with the error in it.
fn planted(bug: &Bug) -> Result<String> {
    let text = std::fs::read_to_string(root().join(bug.file)).with_context(|| bug.file.to_owned())?;
    match text.matches(bug.old).count() {
        1 => Ok(text.replacen(bug.old, bug.new, 1)),
        n => bail!("`{}` of `{}` stands {n} times in {}, not once", bug.old.trim(), bug.name, bug.file),
    }
}

/// Makes the copy what the tree is. Files that are the same keep their times: cargo builds by these.
fn refresh(copy: &Path) -> Result<()> {
    let listed = output(Command::new("git").current_dir(root()).args([
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
    ]))?;
    for name in listed.lines() {
        let from = root().join(name);
        // One that was deleted may still be listed.
        if from.is_file() {
            let bytes = std::fs::read(&from).with_context(|| name.to_owned())?;
            write_if_new(&copy.join(name), &bytes)?;
        }
    }
    Ok(())
}

fn write_if_new(to: &Path, bytes: &[u8]) -> Result<()> {
    if std::fs::read(to).is_ok_and(|present| present == bytes) {
        return Ok(());
    }
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    std::fs::write(to, bytes).with_context(|| to.display().to_string())
}

/// Builds the chores of the copy.
fn build(copy: &Path, built: &Path) -> Result<()> {
    let mut command = cargo();
    command.current_dir(copy).args(["build", "--quiet", "--release", "--package", "xtask"]);
    // Most of the tree is the same from one to the next, and nobody debugs it.
    command.env("CARGO_TARGET_DIR", built).env("CARGO_PROFILE_RELEASE_DEBUG", "none");
    command.env("CARGO_PROFILE_RELEASE_INCREMENTAL", "true");
    output(&mut command).map(|_| ())
}

enum Found {
    After { programs: u64, seconds: f64 },
    Not { programs: u64 },
}

/// Runs a campaign of the copy.
fn campaign(bug: &Bug, built: &Path) -> Result<Found> {
    let program: PathBuf = built.join("release").join("xtask");
    let mut command = Command::new(&program);
    command.args(["fuzz", "--engine", bug.engine, "--language", "c", "--programs", "1000000", "--seed", "1"]);
    command.args(["--findings", "1", "--shrink", "0", "--seconds", &SECONDS.to_string()]);
    command.env("CARGO_TARGET_DIR", built);
    let child = child::run(&mut command, WATCHDOG)?;
    let text = String::from_utf8_lossy(&child.stdout).into_owned();
    // `96 programs, 7.1 s, 13.5 programs a second`
    let told = text.lines().find_map(|line| {
        let (programs, rest) = line.split_once(" programs, ")?;
        let (seconds, _) = rest.split_once(" s, ")?;
        Some((programs.trim().parse().ok()?, seconds.parse().ok()?))
    });
    let Some((programs, seconds)) = told else {
        bail!("the campaign for `{}` did not come to its end:\n{text}", bug.name);
    };
    let is_found = text.lines().any(|line| line.starts_with("seeds that show something"));
    Ok(if is_found { Found::After { programs, seconds } } else { Found::Not { programs } })
}
