//! What the processor of this machine does: generated programs that are run many times.
//!
//! Each run is a process of its own, made by the runtime: [`RUNTIME`](crate::RUNTIME). The processor is a judge that nobody here
//! wrote; it shows some executions, and every one of them must be one that a reading allows under the processor's model.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::Duration;

use crate::allowed::Answer;
use crate::compile::Executable;
use crate::process;

/// The signal that ends a run that is stuck.
const ALARM: i32 = 14;

/// What was seen in some runs of a program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Seen {
    /// How often each outcome was seen.
    pub outcomes: BTreeMap<Vec<i64>, u64>,
    /// How often a run was ended by a signal, or by an exit code that is not 0.
    pub ended: BTreeMap<i32, u64>,
}

impl Seen {
    /// How many runs were stuck until their time was over.
    pub fn stuck(&self) -> u64 {
        self.ended.get(&ALARM).copied().unwrap_or(0)
    }
}

/// Runs the program many times, within a limit.
pub fn run(executable: &Executable, runs: u64, seed: u64, limit: Duration) -> Result<Seen, String> {
    let mut command = Command::new(executable.path());
    command.arg(runs.to_string()).arg(seed.to_string());
    let output = process::run(&mut command, limit).map_err(|error| error.to_string())?;
    if !output.succeeded {
        return Err("the runtime failed".to_owned());
    }
    let mut seen = Seen::default();
    for line in output.stdout.lines() {
        let (word, numbers) = line.split_once(' ').unwrap_or((line, ""));
        let numbers: Result<Vec<i64>, _> = numbers.split_whitespace().map(str::parse).collect();
        match (word, numbers) {
            ("outcome", Ok(values)) => *seen.outcomes.entry(values).or_default() += 1,
            ("ended", Ok(codes)) if codes.len() == 1 => *seen.ended.entry(codes[0] as i32).or_default() += 1,
            _ => return Err(format!("the program wrote `{line}`")),
        }
    }
    Ok(seen)
}

/// What was seen and is not allowed, if anything. Where an execution may end in an error nothing is: what the processor does then
/// is nobody's promise. Runs that are stuck say nothing about where they would have ended.
pub fn outside(seen: &Seen, allowed: &Answer) -> Option<String> {
    match allowed {
        Answer::Ends(ends) if ends.faults => None,
        Answer::Ends(ends) => {
            let strange = seen.outcomes.keys().find(|outcome| !ends.outcomes.contains(*outcome));
            let failed = seen.ended.keys().find(|code| **code != ALARM);
            match (strange, failed) {
                (Some(outcome), _) => Some(format!("outcome {outcome:?} is not allowed")),
                (None, Some(code)) => Some(format!("a run was ended by {code}, and no error is reachable")),
                (None, None) => None,
            }
        }
        Answer::Broken(reason) => Some(reason.clone()),
        Answer::Refused(_) | Answer::Unknown(_) => None,
    }
}
