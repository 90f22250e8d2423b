//! `cargo xtask conformance`: the release binary against programs and tests written elsewhere, with expectations made
//! elsewhere (`../shared/corpora`, or the folder behind `--corpora`). Litmus outcomes must all be equal, by store buffers
//! (`explicit`) and by orders of events (`bmc`). Verdicts must never be wrong; no answer within the limits is counted and
//! shown. C programs are set beside the processor time of Nidhugg and need clang. Skipped where the collections are not there.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::c_rows::CRow;
use crate::child::is_on_path;
use crate::shell::{build_release, only, option, root, target};

/// What is shown for an answer that is no verdict: unknown, or only within bounds.
const NO_ANSWER: &str = "no answer";

/// What one program may take under one model.
const TIMEOUT: &str = "5s";

/// Verdicts that were given under another reading of a language, with the flag that gives that reading here, and where
/// the difference is explained. They must be right under the flag.
const EXPLAINED: &[(&str, &str, &[&str], &str)] =
    &[("clh", "pso", &["--locks", "full"], "docs/decisions/0006-location-locks-and-clh.md")];

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    only(arguments, &["--corpora"])?;
    let folder = option(arguments, "--corpora")?.unwrap_or("../shared/corpora");
    let corpora = root().join(folder);
    if !corpora.is_dir() {
        println!("conformance: skipped, there is no folder {folder}");
        return Ok(());
    }
    build_release()?;
    let binary = target().join("release").join("fencewright");
    let by_buffers = litmus(&binary, &corpora.join("litmus"), "explicit");
    let by_orders = litmus(&binary, &corpora.join("litmus"), "bmc");
    let c = c(&binary, &corpora.join("c"));
    let rmm = rmm(&binary, &corpora.join("rmm"));
    let reading = reading(&binary, &corpora.join("c-reading"));
    by_buffers.and(by_orders).and(c).and(rmm).and(reading)
}

/// Compares verdicts on the `c-reading` collection. The table of expected verdicts has one row per file and one column per model.
fn reading(binary: &Path, folder: &Path) -> Result<()> {
    let Ok(text) = std::fs::read_to_string(folder.join("expected.csv")) else {
        println!("reading: skipped, there is no such collection");
        return Ok(());
    };
    let mut lines = text.lines();
    let models: Vec<&str> = lines.next().unwrap_or_default().split(',').skip(1).collect();
    let (mut n, mut wrong) = (0, Vec::new());
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let Some((file, verdicts)) = fields.split_first() else { continue };
        if !file.ends_with(".rs") && !is_on_path("clang") {
            continue;
        }
        for (model, expected) in models.iter().zip(verdicts) {
            n += 1;
            let (found, _) = ask(binary, &folder.join(file), model, &["--timeout", "60s"])?;
            if found != *expected {
                wrong.push(format!("{file} under {model}: expected {expected}, found {found}"));
            }
        }
    }
    println!("reading: {} of {n} verdicts as expected", n - wrong.len());
    if wrong.is_empty() { Ok(()) } else { bail!("wrong or missing verdicts: {}", wrong.join("; ")) }
}

/// Outcomes of all litmus tests under each model, compared by the tool itself (`litmus --against`) with herd's.
fn litmus(binary: &Path, folder: &Path, engine: &str) -> Result<()> {
    let start = Instant::now();
    let mut wrong = Vec::new();
    for model in ["sc", "tso", "pso"] {
        let expected = folder.join("expected").join(format!("{model}.json"));
        let mut command = Command::new(binary);
        command
            .arg("litmus")
            .arg(folder)
            .args(["--model", model, "--engine", engine, "--against"])
            .arg(&expected);
        let output = command.output().context("the binary does not start")?;
        let text = String::from_utf8_lossy(&output.stdout);
        let last = text.lines().last().unwrap_or("no output");
        println!("litmus by {engine} under {model:4} {last}");
        if !output.status.success() {
            println!("{text}{}", String::from_utf8_lossy(&output.stderr));
            wrong.push(model);
        }
    }
    println!("litmus by {engine}: {:.1} s for the three models", start.elapsed().as_secs_f64());
    if wrong.is_empty() {
        Ok(())
    } else {
        bail!("litmus outcomes by {engine} differ under {}", wrong.join(", "))
    }
}

/// Verdicts of C programs by the default engine, with the processor time of both tools, their compilers included.
fn c(binary: &Path, folder: &Path) -> Result<()> {
    if !is_on_path("clang") {
        println!("C: skipped, there is no clang on the path");
        return Ok(());
    }
    let rows = CRow::read(folder)?;
    let (mut wrong, mut own, mut nidhugg, mut slower) = (Vec::new(), 0.0, 0.0, 0);
    for row in &rows {
        let (found, seconds) = row.ask(binary, folder, "auto")?;
        own += seconds;
        nidhugg += row.nidhugg;
        if seconds > row.nidhugg {
            slower += 1;
        }
        if found != row.verdict {
            let CRow { algorithm, rounds, model, fenced, verdict, .. } = row;
            let name = format!("{algorithm}, {rounds} rounds, fences {fenced}, under {model}");
            println!("{name}: expected {verdict}, found {found}");
            wrong.push(name);
        }
    }
    println!(
        "C: {} of {} verdicts as expected; {own:.1} s of processor time, Nidhugg {nidhugg:.1} s; slower than it on {slower}",
        rows.len() - wrong.len(),
        rows.len()
    );
    if wrong.is_empty() {
        Ok(())
    } else {
        bail!("wrong or missing verdicts of C programs: {}", wrong.join("; "))
    }
}

/// Verdicts of RMM programs.
fn rmm(binary: &Path, folder: &Path) -> Result<()> {
    let text = std::fs::read_to_string(folder.join("expected.toml")).context("expected.toml")?;
    let expected: toml::Table = text.parse().context("expected.toml")?;
    let mut wrong = Vec::new();
    println!("{:20} {:5} {:9} {:10} {:>8}", "program", "model", "expected", "found", "seconds");
    for (name, models) in &expected {
        let file = folder.join(format!("{name}.rmm"));
        let models = models.as_table().with_context(|| format!("{name} is not a table"))?;
        for (model, value) in models {
            let Some(expected) = verdict_of(value) else { continue };
            let explained = EXPLAINED.iter().find(|(program, of, ..)| program == name && of == model);
            let (flags, remark) = explained.map_or((&[][..], String::new()), |(_, _, flags, page)| {
                (*flags, format!("  with {}, see {page}", flags.join(" ")))
            });
            let (found, seconds) = ask(binary, &file, model, flags)?;
            println!("{name:20} {model:5} {expected:9} {found:10} {seconds:8.2}{remark}");
            wrong.extend(
                fences(binary, &file, model, value)?.map(|text| format!("{name} under {model}: {text}")),
            );
            if found != expected && found != NO_ANSWER {
                wrong.push(format!("{name} under {model}: expected {expected}, found {found}"));
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { bail!("wrong verdicts:\n{}", wrong.join("\n")) }
}

/// Compares the repair with the fewest fences that are known, if any are: `fences` is exact, `max` an upper bound.
/// What is wrong, if something is.
fn fences(binary: &Path, file: &Path, model: &str, row: &toml::Value) -> Result<Option<String>> {
    let known = |key: &str| row.get(key).and_then(toml::Value::as_str);
    let (Some(known), exact) = (known("fences").or(known("max")), known("fences").is_some()) else {
        return Ok(None);
    };
    let mut command = Command::new(binary);
    command.arg("fix").arg(file).args(["--model", model, "--format", "json", "--timeout", "20s"]);
    let output = command.output().context("the binary does not start")?;
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).context("fix prints JSON")?;
    let repair = &value["results"][0]["repair"];
    let number = |kind: &str| {
        let fences = repair["fences"].as_array().map(Vec::as_slice).unwrap_or_default();
        fences.iter().filter(|fence| fence["kind"] == kind).count()
    };
    let found = (number("full"), number("store-store"));
    let expected = count_of(known).with_context(|| format!("`{known}` is not a number of fences"))?;
    let right = if exact { found == expected } else { found.0 <= expected.0 && found.1 <= expected.1 };
    println!(
        "{:26} fences: {known}{}, found {}m {}s",
        "",
        if exact { "" } else { " at most" },
        found.0,
        found.1
    );
    let proved = repair["minimum"] == true;
    Ok((!right || !proved)
        .then(|| format!("expected {known}, found {}m {}s, minimum: {proved}", found.0, found.1)))
}

/// `2m 1s` as numbers of full and store-store fences.
fn count_of(text: &str) -> Option<(usize, usize)> {
    let mut counts = (0, 0);
    for word in text.split_whitespace() {
        match word.split_at_checked(word.len() - 1)? {
            (number, "m") => counts.0 = number.parse().ok()?,
            (number, "s") => counts.1 = number.parse().ok()?,
            _ => return None,
        }
    }
    Some(counts)
}

/// A row is a verdict, or a table with one.
fn verdict_of(value: &toml::Value) -> Option<&str> {
    value.as_str().or_else(|| value.get("verdict")?.as_str())
}

/// What the tool says of a program under a model, by its exit code, and the time it took.
fn ask(binary: &Path, file: &Path, model: &str, flags: &[&str]) -> Result<(&'static str, f64)> {
    let start = Instant::now();
    let mut command = Command::new(binary);
    command.arg("check").arg(file).args(["--model", model, "--quiet"]).args(flags);
    if !flags.contains(&"--timeout") {
        command.args(["--timeout", TIMEOUT]);
    }
    let output = command.output().context("the binary does not start")?;
    let seconds = start.elapsed().as_secs_f64();
    let found = match output.status.code() {
        Some(0) => "holds",
        Some(1) => "violated",
        Some(3) => NO_ANSWER,
        _ => "failed",
    };
    Ok((found, seconds))
}
