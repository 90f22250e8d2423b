//! The C programs of `../shared/corpora/c` by the engine `bmc` and by `auto`, beside CBMC: run here if it is on the path, else
//! its processor seconds as they were measured elsewhere. Fails on a wrong verdict.

use std::process::Command;
use std::time::Duration;

use anyhow::{Result, bail};

use crate::c_rows::CRow;
use crate::child;
use crate::shell::{build_release, only, option, root, target};

/// Processor seconds of CBMC on a program, by rounds and model, measured on another machine of this kind.
const MEASURED_ELSEWHERE: [(&str, &str, &str, f64); 9] = [
    ("peterson", "2", "tso", 8.0),
    ("peterson", "2", "pso", 12.0),
    ("dekker", "2", "tso", 14.0),
    ("dekker", "2", "pso", 20.0),
    ("burns", "2", "tso", 53.0),
    ("burns", "2", "pso", 42.0),
    ("bakery", "2", "tso", 14.0),
    ("bakery", "2", "pso", 15.0),
    ("lamport_fast", "1", "tso", 41.0),
];

/// The programs of those figures have all their fences.
const FENCED: &str = "2";

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    only(arguments, &["--corpora"])?;
    let folder = option(arguments, "--corpora")?.unwrap_or("../shared/corpora");
    let folder = root().join(folder).join("c");
    if !folder.is_dir() {
        println!("bench c: skipped, there is no folder {}", folder.display());
        return Ok(());
    }
    build_release()?;
    let binary = target().join("release").join("fencewright");
    let here = child::is_on_path("cbmc");
    println!(
        "CBMC: {}",
        if here { "run here" } else { "not on the path; its figures were measured elsewhere" }
    );
    println!(
        "{:14} {:>6} {:5} {:>6} {:8} {:>8} {:>8} {:>8} {:>8} {:>8}",
        "program", "rounds", "model", "fenced", "verdict", "bmc", "auto", "nidhugg", "cbmc", "cbmc/bmc"
    );
    let mut wrong = Vec::new();
    let mut ratios: Vec<f64> = Vec::new();
    for row in rows(&folder)? {
        let (by_bmc, bmc) = row.ask(&binary, &folder, "bmc")?;
        let (by_auto, auto) = row.ask(&binary, &folder, "auto")?;
        let CRow { algorithm, rounds, model, fenced, verdict, nidhugg, .. } = &row;
        for (engine, found) in [("bmc", by_bmc), ("auto", by_auto)] {
            if found != verdict.as_str() && !(engine == "bmc" && found == "no answer") {
                wrong.push(format!(
                    "{algorithm} {rounds} {model} {fenced}: {engine} says {found}, not {verdict}"
                ));
            }
        }
        let cbmc = if here { Some(cbmc(&row, &folder)?) } else { elsewhere(&row) };
        let shown = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"));
        let ratio = cbmc.filter(|&cbmc| cbmc > 1.0).map(|cbmc| cbmc / bmc.max(0.01));
        ratios.extend(ratio);
        let bmc = if by_bmc == "no answer" { "none".to_owned() } else { format!("{bmc:.2}") };
        let nidhugg = if *nidhugg > 0.0 { format!("{nidhugg:.2}") } else { "-".to_owned() };
        println!(
            "{algorithm:14} {rounds:>6} {model:5} {fenced:>6} {verdict:8} {bmc:>8} {auto:>8.2} {nidhugg:>8} {:>8} {:>8}",
            shown(cbmc),
            shown(ratio)
        );
    }
    if !ratios.is_empty() {
        let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        println!(
            "where CBMC takes more than a second: {least:.1} times its time at least, {mean:.1} in the geometric mean"
        );
    }
    if wrong.is_empty() { Ok(()) } else { bail!("wrong verdicts:\n{}", wrong.join("\n")) }
}

/// The rows of the collection, and the programs of CBMC's figures that it has no verdict of: those are safe, since they
/// have all their fences.
fn rows(folder: &std::path::Path) -> Result<Vec<CRow>> {
    let mut rows = CRow::read(folder)?;
    for (algorithm, rounds, model, _) in MEASURED_ELSEWHERE {
        if !rows.iter().any(|row| is_measured(row, algorithm, rounds, model)) {
            rows.push(CRow::fenced(algorithm, rounds, model, FENCED));
        }
    }
    Ok(rows)
}

fn is_measured(row: &CRow, algorithm: &str, rounds: &str, model: &str) -> bool {
    row.algorithm == algorithm && row.rounds == rounds && row.model == model && row.fenced == FENCED
}

fn elsewhere(row: &CRow) -> Option<f64> {
    let known = MEASURED_ELSEWHERE
        .iter()
        .find(|(algorithm, rounds, model, _)| is_measured(row, algorithm, rounds, model));
    known.map(|&(.., seconds)| seconds)
}

/// CBMC's processor seconds.
fn cbmc(row: &CRow, folder: &std::path::Path) -> Result<f64> {
    let mut command = Command::new("cbmc");
    command.arg(row.file(folder)).args(["--mm", &row.model, "--unwind", "4", "-DCBMC"]).args(row.macros());
    Ok(child::run(&mut command, Duration::from_secs(600))?.seconds)
}
