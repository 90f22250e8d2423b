//! The rows of a run: one for each strategy, model, program and size. They are kept as lines of a file, so that a run can be
//! made in pieces.

use std::fmt;
use std::path::Path;

use anyhow::{Context, Result};

/// The strategies, in the order of the table: the paper's four and the default of `fix`.
pub(crate) const STRATEGIES: [&str; 5] = ["te", "fi", "robmc", "robmc-et", "hitting-sets"];

/// One repair.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub(crate) strategy: String,
    pub(crate) model: String,
    pub(crate) program: String,
    pub(crate) n: usize,
    /// Processor seconds of the whole command, the compiler included.
    pub(crate) seconds: f64,
    /// What it found; nothing if it was stopped at the limit.
    pub(crate) solved: Option<Solved>,
    /// The limit, in seconds on the clock.
    pub(crate) limit: u64,
}

/// A repair that was found and proved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Solved {
    pub(crate) queries: u64,
    /// Full fences and store-store fences.
    pub(crate) fences: (usize, usize),
}

/// The first line of the file.
const HEAD: &str = "strategy,model,program,n,seconds,queries,full,store,limit";

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Row { strategy, model, program, n, seconds, solved, limit } = self;
        write!(f, "{strategy},{model},{program},{n},{seconds:.2},")?;
        match solved {
            Some(Solved { queries, fences: (full, store) }) => write!(f, "{queries},{full},{store},{limit}"),
            None => write!(f, ",,,{limit}"),
        }
    }
}

impl Row {
    fn parse(line: &str) -> Option<Row> {
        let fields: Vec<&str> = line.split(',').collect();
        let [strategy, model, program, n, seconds, queries, full, store, limit] = fields[..] else {
            return None;
        };
        let solved = match queries {
            "" => None,
            _ => Some(Solved {
                queries: queries.parse().ok()?,
                fences: (full.parse().ok()?, store.parse().ok()?),
            }),
        };
        Some(Row {
            strategy: strategy.to_owned(),
            model: model.to_owned(),
            program: program.to_owned(),
            n: n.parse().ok()?,
            seconds: seconds.parse().ok()?,
            solved,
            limit: limit.parse().ok()?,
        })
    }

    /// Whether it is the same question.
    pub(crate) fn is_of(&self, strategy: &str, model: &str, program: &str, n: usize) -> bool {
        self.strategy == strategy && self.model == model && self.program == program && self.n == n
    }
}

/// The rows of a file; none if there is no such file.
pub(crate) fn read(path: &Path) -> Result<Vec<Row>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let row = |line: &str| Row::parse(line).with_context(|| format!("{}: `{line}`", path.display()));
    text.lines().skip(1).map(row).collect()
}

/// Writes all rows.
pub(crate) fn write(path: &Path, rows: &[Row]) -> Result<()> {
    let mut text = format!("{HEAD}\n");
    for row in rows {
        text += &format!("{row}\n");
    }
    std::fs::write(path, text).with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_comes_back() {
        let solved = Row {
            strategy: "robmc-et".to_owned(),
            model: "pso".to_owned(),
            program: "chase-lev".to_owned(),
            n: 12,
            seconds: 0.25,
            solved: Some(Solved { queries: 7, fences: (1, 2) }),
            limit: 600,
        };
        let stopped = Row { solved: None, ..solved.clone() };
        for row in [solved, stopped] {
            assert_eq!(Row::parse(&row.to_string()), Some(row));
        }
        assert_eq!(Row::parse("te,tso"), None);
    }
}
