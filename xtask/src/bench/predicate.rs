//! Table 1 of SAS 2012 by the release binary and the engine `predicate`: fences found and processor seconds of the whole
//! command under TSO and PSO, beside the paper's (TSO, its authors' laptop).
//!
//! `taskset -c 0 cargo xtask bench predicate` measures one core.

use std::process::Command;
use std::time::Duration;

use anyhow::{Result, bail};

use crate::child;
use crate::shell::{build_release, only, root, target};

/// The program, and the paper's fences a process and seconds.
const TABLE_1: [(&str, &str, &str); 8] = [
    ("mutex/burns", "1", "0.02"),
    ("mutex/dekker-simple", "1", "0.04"),
    ("mutex/dekker", "1", "0.06"),
    ("mutex/dijkstra", "1", "0.35"),
    ("mutex/bakery-unbounded", "2", "154"),
    ("mutex/lamport-fast", "2", "2"),
    ("mutex/peterson", "1", "2"),
    ("locks/ticket-unbounded", "0", "2"),
];

const LIMIT: Duration = Duration::from_secs(120);

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    only(arguments, &[])?;
    build_release()?;
    let binary = target().join("release").join("fencewright");
    println!("| program | paper: fences a process | paper: s | TSO | s | PSO | s |");
    println!("|---|---|---|---|---|---|---|");
    let mut open = 0;
    for (program, fences, seconds) in TABLE_1 {
        let name = program.rsplit('/').next().expect("a name");
        let mut row = format!("| {program} | {fences} | {seconds} |");
        for model in ["tso", "pso"] {
            let mut command = Command::new(&binary);
            command.current_dir(root()).arg("fix").arg(format!("corpus/{program}/{name}.rmm"));
            command.args(["--model", model, "--engine", "predicate", "--quiet"]);
            let child = child::run(&mut command, LIMIT)?;
            let text = String::from_utf8_lossy(&child.stdout);
            let said = text.lines().find_map(|line| line.split_once(" — ")).map_or("", |(_, said)| said);
            let said = if child.code.is_none() { "no answer in time" } else { said };
            open += usize::from(!said.contains("proved"));
            row += &format!(" {said} | {:.2} |", child.seconds);
        }
        println!("{row}");
    }
    if open == 0 { Ok(()) } else { bail!("{open} answers are not proved") }
}
