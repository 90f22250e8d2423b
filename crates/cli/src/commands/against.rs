//! `litmus --against`: the outcomes compared with those another tool gave.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;

use super::litmus::Run;

/// What is expected of each test, and how the comparison goes so far.
pub(super) struct Expected {
    file: String,
    tests: BTreeMap<String, Test>,
    agree: usize,
    differ: usize,
    unknown: usize,
    not_expected: usize,
    seen: BTreeSet<String>,
}

#[derive(Deserialize)]
struct Test {
    states: BTreeSet<String>,
    #[serde(default)]
    observation: Option<String>,
}

impl Expected {
    /// Reads the file, or says what is wrong with it.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let file = path.display().to_string();
        let text =
            std::fs::read_to_string(path).map_err(|error| format!("{file}: cannot be read: {error}"))?;
        let tests = serde_json::from_str(&text)
            .map_err(|error| format!("{file}: expected {{\"NAME\": {{\"states\": [...]}}}}: {error}"))?;
        let seen = BTreeSet::new();
        Ok(Expected { file, tests, agree: 0, differ: 0, unknown: 0, not_expected: 0, seen })
    }

    /// What is different about a test; nothing if it agrees.
    pub(super) fn compare(&mut self, run: &Run) -> String {
        let Some(test) = self.tests.get(&run.name) else {
            self.not_expected += 1;
            return String::new();
        };
        self.seen.insert(run.name.clone());
        let Ok((log, _)) = &run.outcome else {
            self.unknown += 1;
            return String::new();
        };
        let found: BTreeSet<String> = log.states.iter().cloned().collect();
        let mut lines: Vec<String> = Vec::new();
        lines.extend(test.states.difference(&found).map(|state| format!("  missing:    {state}\n")));
        lines.extend(found.difference(&test.states).map(|state| format!("  unexpected: {state}\n")));
        if let Some(observation) = test.observation.as_deref().filter(|word| *word != log.observation()) {
            lines.push(format!("  observation: {}, expected {observation}\n", log.observation()));
        }
        if lines.is_empty() {
            self.agree += 1;
            return String::new();
        }
        self.differ += 1;
        format!("{} under {} differs:\n{}", run.name, run.model.name().to_uppercase(), lines.concat())
    }

    /// How many agree, in a line, and whether any differs.
    pub(super) fn summary(&self) -> (String, bool) {
        let Expected { file, tests, agree, differ, unknown, not_expected, seen } = self;
        let mut parts = vec![format!("{agree} agree"), format!("{differ} differ")];
        let missing = tests.len() - seen.len();
        for (n, what) in [
            (*unknown, "without an answer".to_owned()),
            (*not_expected, format!("not in {file}")),
            (missing, "expected but not run".to_owned()),
        ] {
            if n > 0 {
                parts.push(format!("{n} {what}"));
            }
        }
        (format!("compared with {file}: {}\n", parts.join(", ")), *differ > 0)
    }
}
