//! The repair of the papers' programs (`corpus/netys2015`, `corpus/pldi2011`) by the release binary: fences found beside
//! those of the papers, whether they are proved to be the fewest, and the time of the whole command. Fails if anything is
//! left unproved; a number that is not the paper's is explained in the program's own file.
//!
//! `taskset -c 0 cargo xtask bench repair` measures one core.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::shell::{build_release, only, root, target};

/// Table 1 of NETYS 2015: full and store-store fences under PSO.
const NETYS_2015: [(&str, &str); 16] = [
    ("SimDek", "2m"),
    ("Dekker", "4m"),
    ("LamBak", "4m 2s"),
    ("Dijkstra", "2m"),
    ("LamFast2", "4m 2s"),
    ("Peterson", "2m 2s"),
    ("Burns", "2m"),
    ("IncSeq", "0"),
    ("Szymanski", "3m"),
    ("AltBit", "0"),
    ("CLHQLock", "0"),
    ("TaskSched", "0"),
    ("Pgsql", "2m 1s"),
    ("TickSLock", "0"),
    ("RevBarrier", "0"),
    ("SpinLock", "0"),
];

/// The under-fenced programs of PLDI 2011, Table 2, whose only fences are full ones, under PSO.
const PLDI_2011: [(&str, &str); 9] = [
    ("Sense0", "1m"),
    ("Pet0", "2m"),
    ("Dek0", "2m"),
    ("Lam0", "2m"),
    ("Fast0", "3m"),
    ("Fast1a", "2m"),
    ("Fast1b", "2m"),
    ("Fast1c", "2m"),
    ("CLH0", "2m"),
];

/// Makes a store-store fence dearer than all full fences together.
const FULL_ONLY: &[&str] = &["--cost", "store=1000000"];

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    only(arguments, &[])?;
    build_release()?;
    let binary = target().join("release").join("fencewright");
    let mut unproved = Vec::new();

    println!("\nNETYS 2015, Table 1: a text for each thread");
    println!(
        "{:11} {:>7} {:>6} {:>7} {:>8} {:>7} {:>7} {:>8}",
        "program", "paper", "PSO", "proved", "ms", "TSO", "proved", "ms"
    );
    let mut pso_total = 0.0;
    let mut tso_total = 0.0;
    for (name, paper) in NETYS_2015 {
        let file = file_of("netys2015", name);
        let pso = fix(&binary, &file, "pso", &[])?;
        let tso = fix(&binary, &file, "tso", &[])?;
        println!(
            "{name:11} {paper:>7} {:>6} {:>7} {:>8.1} {:>7} {:>7} {:>8.1}",
            pso.fences,
            pso.proved(),
            pso.milliseconds,
            tso.fences,
            tso.proved(),
            tso.milliseconds
        );
        pso_total += pso.milliseconds;
        tso_total += tso.milliseconds;
        if !(pso.minimum && tso.minimum) {
            unproved.push(name);
        }
    }
    println!("{:11} {:>31.1} {:>24.1}", "total", pso_total, tso_total);

    println!("\nPLDI 2011, Table 2: one text for both threads, PSO");
    println!(
        "{:11} {:>7} {:>9} {:>7} {:>8} {:>7} {:>7} {:>8}",
        "program", "paper", "only full", "proved", "ms", "all", "proved", "ms"
    );
    for (name, paper) in PLDI_2011 {
        let file = file_of("pldi2011", name);
        let full = fix(&binary, &file, "pso", FULL_ONLY)?;
        let all = fix(&binary, &file, "pso", &[])?;
        println!(
            "{name:11} {paper:>7} {:>9} {:>7} {:>8.1} {:>7} {:>7} {:>8.1}",
            full.fences,
            full.proved(),
            full.milliseconds,
            all.fences,
            all.proved(),
            all.milliseconds
        );
        if !(full.minimum && all.minimum) {
            unproved.push(name);
        }
    }
    if unproved.is_empty() { Ok(()) } else { bail!("not proved to be the fewest: {}", unproved.join(", ")) }
}

fn file_of(family: &str, name: &str) -> std::path::PathBuf {
    root().join("corpus").join(family).join(name).join(format!("{name}.rmm"))
}

/// What `fix` says of a program.
struct Fixed {
    /// As the corpus writes it; `0` if the program needs none.
    fences: String,
    /// Whether it says that there are no fewer.
    minimum: bool,
    milliseconds: f64,
}

impl Fixed {
    fn proved(&self) -> &'static str {
        if self.minimum { "yes" } else { "no" }
    }
}

fn fix(binary: &Path, file: &Path, model: &str, flags: &[&str]) -> Result<Fixed> {
    let mut command = Command::new(binary);
    command.arg("fix").arg(file).args(["--model", model, "--format", "json", "--jobs", "1"]).args(flags);
    let start = Instant::now();
    let output = command.output().context("the binary does not start")?;
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    let value: serde_json::Value = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("fix {} prints no JSON", file.display()))?;
    let result = &value["results"][0];
    let repair = &result["repair"];
    let fences = repair["fences"].as_array().map(Vec::as_slice).unwrap_or_default();
    let parts = [("full", 'm'), ("store-store", 's')].map(|(kind, letter)| {
        let number = fences.iter().filter(|fence| fence["kind"] == kind).count();
        (number > 0).then(|| format!("{number}{letter}"))
    });
    let text: Vec<String> = parts.into_iter().flatten().collect();
    let minimum = result["guarantee"] == "unbounded" && (text.is_empty() || repair["minimum"] == true);
    let fences = if text.is_empty() { "0".to_owned() } else { text.join(" ") };
    Ok(Fixed { fences, minimum, milliseconds })
}
