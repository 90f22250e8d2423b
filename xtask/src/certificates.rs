//! `cargo xtask certificates`: every program of the corpus that is expected to hold under a model, by its own properties or for
//! a formula, is proved by the default engine, the proof written down and checked again. What cannot be done is listed with what
//! the tool said, and is an error. Takes minutes.

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};
use fencewright_base::Meter;
use fencewright_engine::{Context as EngineContext, Options, Task, run_certificate, verify_states};
use fencewright_engine_explicit::Explicit;
use fencewright_ir::Program;
use fencewright_memory::Model;
use fencewright_testkit::corpus::{self, Expectation, ExpectedVerdict, TemporalExpectation};

use crate::shell::{build_release, only, option, root, target};

/// Something that is expected to hold: of which file, under which model, and what else the tool is told.
struct Claimed {
    name: String,
    path: PathBuf,
    model: &'static str,
    arguments: Vec<String>,
}

/// What is expected to hold of a program, by its own properties and by formulae.
fn claimed(
    (name, path): (String, PathBuf),
    expected: &[(Model, Expectation)],
    temporal: &[TemporalExpectation],
) -> Vec<Claimed> {
    let mut all = Vec::new();
    for (model, expectation) in expected {
        if expectation.verdict == Some(ExpectedVerdict::Holds) {
            let (name, path, model) = (name.clone(), path.clone(), model.name());
            all.push(Claimed { name, path, model, arguments: Vec::new() });
        }
    }
    for TemporalExpectation { property, expected } in temporal {
        for (model, _) in expected.iter().filter(|(_, verdict)| *verdict == ExpectedVerdict::Holds) {
            let mut arguments = vec!["--ltl".to_owned(), property.text.clone()];
            if property.fairness.process {
                arguments.extend(["--fairness", "process"].map(str::to_owned));
            }
            if !property.fairness.flush {
                arguments.push("--no-flush-fairness".to_owned());
            }
            let name = format!("{name}: {}", property.text);
            all.push(Claimed { name, path: path.clone(), model: model.name(), arguments });
        }
    }
    all
}

/// Programs of the intermediate language are for tests and the command line does not read them; this does.
fn certify_states(program: &Program, model: Model) -> Result<String, String> {
    let task = Task { program, model, options: Options::default() };
    let text = run_certificate(&Explicit, &task, &mut EngineContext::quiet(Meter::unlimited()));
    let text = text.map_err(|unknown| format!("{unknown:?}"))?;
    verify_states(&text).map(|proof| format!("{} states", proof.size)).map_err(|error| error.to_string())
}

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    only(arguments, &["--family", "--timeout"])?;
    let family = option(arguments, "--family")?;
    let timeout = option(arguments, "--timeout")?.unwrap_or("60s");
    build_release()?;
    let tool = target().join("release").join("fencewright");
    let file = target().join("certificate.json");
    let wrong = |errors: Vec<String>| anyhow!(errors.join("\n"));
    let corpus = root().join("corpus");
    let read = corpus::load(&corpus).map_err(wrong)?;
    let compiled = corpus::load_compiled(&corpus).map_err(wrong)?;
    let mut all = Vec::new();
    let (mut done, mut unexpected) = (0, Vec::new());
    let is_asked = |name: &str| family.is_none_or(|family| name.starts_with(family));
    for entry in read.iter().filter(|entry| is_asked(&entry.name)) {
        let claims = claimed((entry.name.clone(), entry.path.clone()), &entry.expected, &entry.temporal);
        if entry.path.extension().is_some_and(|ending| ending != "ir") {
            all.extend(claims);
            continue;
        }
        for Claimed { name, model, .. } in claims {
            let model = Model::by_name(model).expect("a model's own name");
            match certify_states(&entry.program, model) {
                Ok(_) => done += 1,
                Err(said) => unexpected.push(format!("{name} under {}: {said}", model.name())),
            }
        }
    }
    // The literal machine writes no certificates.
    for entry in compiled.iter().filter(|entry| is_asked(&entry.name) && entry.is_for_lowered()) {
        all.extend(claimed((entry.name.clone(), entry.path.clone()), &entry.expected, &[]));
    }
    for Claimed { name, path, model, arguments } in all {
        let start = Instant::now();
        let mut check = Command::new(&tool);
        check.arg("check").arg(&path).args(arguments).args([
            "--model",
            model,
            "--timeout",
            timeout,
            "--quiet",
        ]);
        let written = check.arg("--certificate").arg(&file).output().context("the tool does not start")?;
        let mut said = String::from_utf8_lossy(&written.stderr).into_owned();
        let mut fine = written.status.success() && said.is_empty();
        let wrote = start.elapsed();
        if fine {
            let checked = Command::new(&tool).arg("verify-certificate").arg(&file).output()?;
            fine = checked.status.success();
            said = String::from_utf8_lossy(&checked.stderr).into_owned();
        }
        if fine {
            done += 1;
        } else {
            unexpected.push(format!("{name} under {model}: {}", said.lines().next().unwrap_or("no proof")));
        }
        let seconds = (wrote.as_secs_f64(), (start.elapsed() - wrote).as_secs_f64());
        if seconds.0 + seconds.1 > 5.0 {
            println!("{name} under {model}: {:.1} s to write, {:.1} s to check", seconds.0, seconds.1);
        }
    }
    println!("{done} proofs written down and accepted");
    unexpected.iter().for_each(|line| println!("  {line}"));
    if unexpected.is_empty() { Ok(()) } else { bail!("{} certificates missing", unexpected.len()) }
}
