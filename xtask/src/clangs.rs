//! `cargo xtask clangs`: the C and C++ programs of the corpus with every clang from 14 to 19 that is installed, at `-O0` and
//! `-O1`. Each has the verdicts written beside it, whatever compiler made the IR.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, anyhow, bail};
use fencewright_testkit::corpus::{self, CompiledEntry, ExpectedVerdict, Level};

use crate::shell::{cargo, only, root, show, target};

const VERSIONS: std::ops::RangeInclusive<u32> = 14..=19;

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    only(arguments, &[])?;
    show(cargo().args(["build", "--quiet", "--package", "fencewright"]))?;
    let tool = target().join("debug").join("fencewright");
    let entries: Vec<CompiledEntry> = corpus::load_compiled(&root().join("corpus"))
        .map_err(|errors| anyhow!(errors.join("\n")))?
        .into_iter()
        .filter(|entry| {
            let is_clangs = entry.path.extension().is_some_and(|ending| ending != "rs");
            is_clangs && entry.is_for_lowered() && entry.level != Level::Thorough
        })
        .collect();
    let (mut checked, mut wrong) = (0, 0);
    for version in VERSIONS {
        let clang = format!("clang-{version}");
        if Command::new(&clang).arg("--version").output().is_err() {
            println!("{clang} is not installed");
            continue;
        }
        for level in ["-O0", "-O1"] {
            let missed: Vec<String> =
                entries.iter().flat_map(|entry| missed(&tool, &clang, level, entry)).collect();
            println!("{clang} {level}: {} programs, {} verdicts missed", entries.len(), missed.len());
            missed.iter().for_each(|line| println!("  {line}"));
            checked += entries.len();
            wrong += missed.len();
        }
    }
    match (checked, wrong) {
        (0, _) => bail!("there is no clang from {} to {}", VERSIONS.start(), VERSIONS.end()),
        (_, 0) => Ok(()),
        _ => bail!("{wrong} verdicts are not those of the corpus"),
    }
}

/// The models under which an entry has another verdict than it should, with what was said.
fn missed(tool: &Path, clang: &str, level: &str, entry: &CompiledEntry) -> Vec<String> {
    let models: Vec<&str> = entry.expected.iter().map(|(model, _)| model.name()).collect();
    let mut command = Command::new(tool);
    command.arg("check").arg(&entry.path).args([
        "--quiet",
        "--cc",
        clang,
        "--cflags",
        level,
        "--model",
        &models.join(","),
    ]);
    let said = match command.output() {
        Ok(output) => {
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
        }
        Err(error) => error.to_string(),
    };
    let is_missed = |(model, wanted): (&str, ExpectedVerdict)| {
        let word = match wanted {
            ExpectedVerdict::Holds => "HOLDS",
            ExpectedVerdict::Violated => "VIOLATED",
        };
        let line = format!("under {}: {word}", model.to_uppercase());
        (!said.contains(&line)).then(|| format!("{} {line} expected:\n{}", entry.name, said.trim()))
    };
    let expected =
        entry.expected.iter().filter_map(|(model, expected)| Some((model.name(), expected.verdict?)));
    expected.filter_map(is_missed).collect()
}
