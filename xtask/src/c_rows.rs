//! The rows of `corpora/c/expected.csv`: C programs with verdicts and the processor time of another checker, and a run of the
//! release binary on one of them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::child;

/// A program with its macros, a model, and what is known.
pub(crate) struct CRow {
    pub(crate) algorithm: String,
    pub(crate) rounds: String,
    spin: String,
    pub(crate) model: String,
    pub(crate) fenced: String,
    /// `safe` or `unsafe`.
    pub(crate) verdict: String,
    /// What Nidhugg took, in processor seconds.
    pub(crate) nidhugg: f64,
}

/// What one answer may take.
const LIMIT: Duration = Duration::from_secs(60);

impl CRow {
    /// All rows of the folder.
    pub(crate) fn read(folder: &Path) -> Result<Vec<CRow>> {
        let path = folder.join("expected.csv");
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let row = |line: &str| -> Option<CRow> {
            let fields: Vec<&str> = line.split(',').collect();
            let [algorithm, rounds, spin, model, fenced, verdict, nidhugg, _executions] = fields[..] else {
                return None;
            };
            Some(CRow {
                algorithm: algorithm.to_owned(),
                rounds: rounds.to_owned(),
                spin: spin.to_owned(),
                model: model.to_owned(),
                fenced: fenced.to_owned(),
                verdict: verdict.to_owned(),
                nidhugg: nidhugg.parse().ok()?,
            })
        };
        text.lines()
            .skip(1)
            .map(|line| row(line).with_context(|| format!("{}: `{line}`", path.display())))
            .collect()
    }

    /// A program with these fences, which make it safe, and that nobody else was asked about.
    pub(crate) fn fenced(algorithm: &str, rounds: &str, model: &str, fenced: &str) -> CRow {
        CRow {
            algorithm: algorithm.to_owned(),
            rounds: rounds.to_owned(),
            spin: "2".to_owned(),
            model: model.to_owned(),
            fenced: fenced.to_owned(),
            verdict: "safe".to_owned(),
            nidhugg: 0.0,
        }
    }

    pub(crate) fn file(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.c", self.algorithm))
    }

    /// The macros that make this program of the file.
    pub(crate) fn macros(&self) -> [String; 3] {
        let CRow { fenced, rounds, spin, .. } = self;
        [format!("-DFENCED={fenced}"), format!("-DROUNDS={rounds}"), format!("-DSPIN={spin}")]
    }

    /// What the engine says, and its processor seconds, the compiler included.
    pub(crate) fn ask(&self, binary: &Path, folder: &Path, engine: &str) -> Result<(&'static str, f64)> {
        let mut command = Command::new(binary);
        command.arg("check").arg(self.file(folder));
        command.args(["--model", &self.model, "--engine", engine, "--quiet", "--timeout", "60s", "--"]);
        command.args(self.macros());
        let child = child::run(&mut command, 2 * LIMIT)?;
        let found = match child.code {
            Some(0) => "safe",
            Some(1) => "unsafe",
            Some(3) | None => "no answer",
            Some(_) => "failed",
        };
        Ok((found, child.seconds))
    }
}
