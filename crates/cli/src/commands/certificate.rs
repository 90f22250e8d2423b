//! Certificates: `check --certificate` writes one, `verify-certificate` checks it.

use std::path::Path;
use std::time::Duration;

use fencewright_base::Meter;
use fencewright_engine::{Context, Guarantee, NotClosed, Task, Verdict, verify_states};
use fencewright_engine_predicate::{Refused, verify as verify_predicate};
use fencewright_ir::Program;
use fencewright_logic::{Smt, SmtError};
use fencewright_memory::Model;
use fencewright_report::Report;

use crate::args::VerifyArgs;
use crate::commands::write_file;
use crate::engines::ENGINES;
use crate::settings::Search;
use crate::{Exit, World};

/// Time for one question to the solver: they are small.
const QUESTION: Duration = Duration::from_secs(30);

/// Writes what the one proof of the reports rests on. The engine that found it is asked again: proofs are deterministic.
pub(super) fn write(world: &World<'_>, search: &Search, reports: &[Report<'_>], path: &Path) -> Exit {
    let [Report { program, results, .. }] = reports else {
        world.complain("--certificate is for one file and one model");
        return Exit::BadInput;
    };
    let [result] = &results[..] else {
        world.complain("--certificate is for one file and one model");
        return Exit::BadInput;
    };
    if result.answer.verdict != Verdict::Holds(Guarantee::Unbounded) {
        world.say(&format!("no proof to write to {}\n", path.display()));
        return Exit::Proved;
    }
    let by_name = || ENGINES.iter().find(|row| row.engine.name() == result.answer.engine);
    let engine = search.engine.certificates.or_else(|| by_name().and_then(|row| row.certificates));
    let Some(engine) = engine else {
        let name = result.answer.engine;
        world.complain(&format!(
            "engine {name} proved it, which writes no certificates; --engine predicate and --engine explicit do"
        ));
        return Exit::Unknown;
    };
    let task = Task { program, model: result.model, options: search.options.clone() };
    let meter = Meter::start(search.budget.clone(), world.cancel.clone());
    match engine.certificate(&task, &mut Context::quiet(meter)) {
        Ok(text) => write_file(world, path, &text),
        Err(_) => {
            world.complain("the proof could not be written down within the limits");
            Exit::Unknown
        }
    }
}

pub(crate) fn verify(args: &VerifyArgs, world: &mut World<'_>) -> Exit {
    let VerifyArgs { file, solver } = args;
    let name = file.display();
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => {
            world.complain(&format!("{name}: cannot be read: {error}"));
            return Exit::BadInput;
        }
    };
    let mut start = || Smt::start(solver.as_deref(), QUESTION);
    let checked = match verify_states(&text) {
        Err(NotClosed::Form(_)) => predicate(&text, &mut start),
        other => states(other.map(|closed| (closed.program, closed.model, closed.states))),
    };
    match checked {
        Ok((program, model, states)) => {
            let model = model.name().to_uppercase();
            let program = &program.name;
            world.print(&format!("{name}: ACCEPTED — {program} holds under {model}, by {states} states\n"));
            Exit::Proved
        }
        Err((reason, exit)) => {
            world.complain(&format!("{name}: {reason}"));
            exit
        }
    }
}

/// What was proved, or why nothing was.
type Checked = Result<(Program, Model, usize), (String, Exit)>;

fn states(checked: Result<(Program, Model, usize), NotClosed>) -> Checked {
    checked.map_err(|error| {
        let exit = match error {
            NotClosed::Form(_) => Exit::BadInput,
            NotClosed::Missing(_) | NotClosed::Violation(_) => Exit::Violated,
            NotClosed::Open => Exit::Unknown,
        };
        (error.to_string(), exit)
    })
}

fn predicate(text: &str, start: &mut dyn FnMut() -> Result<Smt, SmtError>) -> Checked {
    let proved = verify_predicate(text, start).map_err(|refused| {
        let exit = match refused {
            Refused::Form(_) => Exit::BadInput,
            Refused::NotClosed(_) | Refused::Violation(_) => Exit::Violated,
            Refused::Solver(_) => Exit::Unknown,
        };
        (refused.to_string(), exit)
    })?;
    Ok((proved.program, proved.model, proved.states))
}
