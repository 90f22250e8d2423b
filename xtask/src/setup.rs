//! `cargo xtask setup`: what the full test run needs beside Rust.

use std::process::Command;

use anyhow::Result;

use crate::shell::{only, show};

/// A program, the Debian package that brings it, and what goes without it.
const NEEDED: &[(&str, &str, &str)] = &[
    ("clang", "clang", "the C and C++ programs of the corpus are skipped"),
    ("z3", "z3", "certificates about integers cannot be checked, and the tests of that fail"),
];

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    only(arguments, &[])?;
    for (program, package, loss) in NEEDED {
        if is_there(program) {
            println!("{program}: found");
            continue;
        }
        let can_install = is_root() && is_there("apt-get");
        if can_install {
            // A stale list of packages is the common reason for a package not to be found.
            let install = ["install", "--yes", "--no-install-recommends", package];
            let installed = show(Command::new("apt-get").arg("update")).and_then(|()| {
                show(Command::new("apt-get").args(install).env("DEBIAN_FRONTEND", "noninteractive"))
            });
            if let Err(error) = installed {
                println!("warning: {error:#}");
            }
        }
        if !is_there(program) {
            println!("warning: {program} is missing, and {loss}: install the package `{package}`");
        }
    }
    Ok(())
}

fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
