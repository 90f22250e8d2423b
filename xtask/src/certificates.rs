//! `cargo xtask certificates`: every program of the corpus that is expected to hold under a model is proved by the default
//! engine, the proof written down and checked again. What cannot be done is listed with what the tool said. Takes minutes.

use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};
use fencewright_memory::Model;
use fencewright_testkit::corpus::{self, Expectation, ExpectedVerdict};

use crate::shell::{cargo, only, option, root, show, target};

/// Programs that hold and for which there is no certificate, with the reason. Whoever finds one strikes its line.
const WITHOUT: [(&str, &str, &str); 2] = [("c/wide-message", "sc", WIDE), ("c/wide-message", "tso", WIDE)];

const WIDE: &str = "32 open bits: only bmc holds them, and it writes no certificates";

/// Why there is no certificate, if that is known.
fn without(name: &str, model: &str) -> Option<&'static str> {
    if model == Model::Rmo.name() {
        return Some("only bmc answers under this model, and it writes no certificates");
    }
    WITHOUT.iter().find(|(known, of, _)| (*known, *of) == (name, model)).map(|(.., reason)| *reason)
}

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    only(arguments, &["--family", "--timeout"])?;
    let family = option(arguments, "--family")?;
    let timeout = option(arguments, "--timeout")?.unwrap_or("60s");
    show(cargo().args(["build", "--quiet", "--release", "--package", "fencewright"]))?;
    let tool = target().join("release").join("fencewright");
    let file = target().join("certificate.json");
    let wrong = |errors: Vec<String>| anyhow!(errors.join("\n"));
    let corpus = root().join("corpus");
    let read = corpus::load(&corpus).map_err(wrong)?;
    let compiled = corpus::load_compiled(&corpus).map_err(wrong)?;
    let read = read.into_iter().map(|entry| (entry.name, entry.path, entry.expected));
    let compiled = compiled.into_iter().map(|entry| (entry.name, entry.path, entry.expected));
    let holds = |(_, expected): &&(Model, Expectation)| expected.verdict == Some(ExpectedVerdict::Holds);
    let (mut done, mut missing, mut unexpected) = (0, 0, Vec::new());
    for (name, path, expected) in read.chain(compiled) {
        // Programs of the intermediate language are for tests; the command line does not read them.
        let is_text = path.extension().is_some_and(|ending| ending != "ir");
        if !is_text || family.is_some_and(|family| !name.starts_with(family)) {
            continue;
        }
        for (model, _) in expected.iter().filter(holds) {
            let start = Instant::now();
            let model = model.name();
            let mut check = Command::new(&tool);
            check.arg("check").arg(&path).args([
                "--model",
                model,
                "--timeout",
                timeout,
                "--quiet",
                "--certificate",
            ]);
            let written = check.arg(&file).output().context("the tool does not start")?;
            let mut said = String::from_utf8_lossy(&written.stderr).into_owned();
            let mut fine = written.status.success() && said.is_empty();
            let wrote = start.elapsed();
            if fine {
                let checked = Command::new(&tool).arg("verify-certificate").arg(&file).output()?;
                fine = checked.status.success();
                let out = if fine { checked.stdout } else { checked.stderr };
                said = String::from_utf8_lossy(&out).into_owned();
            }
            let said = said.lines().next().unwrap_or("no proof").to_owned();
            let reason = without(&name, model);
            let seconds = (wrote.as_secs_f64(), (start.elapsed() - wrote).as_secs_f64());
            match (fine, reason) {
                (true, None) => done += 1,
                (false, Some(reason)) => {
                    missing += 1;
                    println!("{name} under {model}: none, {reason}");
                }
                (true, Some(_)) => {
                    unexpected.push(format!("{name} under {model}: certified, strike its line"))
                }
                (false, None) => unexpected.push(format!("{name} under {model}: {said}")),
            }
            if seconds.0 + seconds.1 > 5.0 {
                println!("{name} under {model}: {:.1} s to write, {:.1} s to check", seconds.0, seconds.1);
            }
        }
    }
    println!("{done} proofs written down and accepted, {missing} known to be without");
    unexpected.iter().for_each(|line| println!("  {line}"));
    if unexpected.is_empty() { Ok(()) } else { bail!("{} certificates missing", unexpected.len()) }
}
