//! The chores of the repository: `cargo xtask <command>`. One file a command.
//!
//! *Invariant:* nothing of the tool depends on this; everything here can be done by hand with what it prints.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "chores talk to the person who runs them")]

mod bench;
mod bless;
mod budgets;
mod c_rows;
mod campaign;
mod certificates;
mod child;
mod clangs;
mod conformance;
mod fuzz;
mod garble;
mod late;
mod native;
mod planted;
mod readings;
mod setup;
mod shell;
mod test;
mod tidy;

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
        name: "test",
        about: "everything that must pass: format, lints, tidy, tests, documents, conformance",
        run: test::run,
    },
    Command {
        name: "setup",
        about: "what the full test run needs beside Rust: clang (by apt-get if root)",
        run: setup::run,
    },
    Command { name: "tidy", about: "the rules of the repository that no compiler checks", run: tidy::run },
    Command {
        name: "bless",
        about: "take the present output of the snapshot tests as right",
        run: bless::run,
    },
    Command {
        name: "budgets",
        about: "every program of the corpus, and generated ones, with a time limit and an interrupt: it ends within a second of either [--engine NAME] [--model NAME] [--timeout SECONDS] [--only PART] [--generated N]",
        run: budgets::run,
    },
    Command {
        name: "fuzz",
        about: "generated programs, engine against oracle [--engine explicit|bmc|ltl|predicate] [--programs N] [--seed S] [--models sc,tso], readings of compiled programs against each other [--engine literal|reduction|footprints] [--language c|cpp|rust] [--jobs N] [--without FEATURE,…] [--seconds N] [--findings N] [--shrink SECONDS]",
        run: fuzz::run,
    },
    Command {
        name: "clangs",
        about: "the corpus's C and C++ programs with every clang from 14 to 19 that is installed",
        run: clangs::run,
    },
    Command {
        name: "garble",
        about: "LLVM IR changed at random: the front end answers, soon [--seconds N] [--seed S]",
        run: garble::run,
    },
    Command {
        name: "campaign",
        about: "generated programs, proofs and repairs against oracles: repair [--programs N] [--seed S]; all campaigns of compiled programs: readings [--scale PERCENT] [--seed S] [--jobs N]",
        run: campaign::run,
    },
    Command {
        name: "certificates",
        about: "every proof of the corpus written down and checked again [--family NAME] [--timeout TIME]",
        run: certificates::run,
    },
    Command {
        name: "conformance",
        about: "the release binary against collections [--corpora FOLDER, else ../shared/corpora]",
        run: conformance::run,
    },
    Command {
        name: "native",
        about: "generated C, C++ and Rust programs that are run: every outcome is one that is allowed under TSO [--programs N] [--seed S] [--language c|cpp|rust] [--runs N] [--jobs N] [--without FEATURE,…]",
        run: native::run,
    },
    Command {
        name: "planted",
        about: "errors planted in a copy of the tree, and how soon the campaigns find them [--only NAME]",
        run: planted::run,
    },
    Command {
        name: "late",
        about: "generated programs, the machine of engine wsts against the oracle [--programs N] [--seed S]",
        run: late::run,
    },
    Command {
        name: "bench",
        about: "measurements: avoid, c, dve, explicit, predicate, repair, robmc, wsts; `cargo xtask bench` lists their options",
        run: bench::run,
    },
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
