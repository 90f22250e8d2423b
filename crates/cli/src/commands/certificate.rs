//! Certificates: `check --certificate` writes one, `verify-certificate` checks it.

use std::path::Path;
use std::time::Duration;

use fencewright_base::{Budget, Meter};
use fencewright_engine::{
    Context, Guarantee, NotAProof, Proof, Task, Verdict, read_certificate, run_certificate, takes,
    verify_states,
};
use fencewright_engine_bmc::verify as verify_orders;
use fencewright_engine_coherence::verify as verify_coherence;
use fencewright_engine_predicate::{Asking, verify as verify_predicate};
use fencewright_logic::Smt;
use fencewright_report::Report;
use serde::Deserialize;

use crate::args::VerifyArgs;
use crate::commands::write_file;
use crate::deadline::within;
use crate::engines::ENGINES;
use crate::settings::Search;
use crate::{Exit, World};

/// Time for one question to the solver: they are small.
const QUESTION: Duration = Duration::from_secs(30);

/// Time for an engine that is asked for a certificate in place of the one that decided, if nobody said how much it has.
const IN_PLACE: Duration = Duration::from_secs(120);

/// Writes what the one proof of the reports rests on. The engine that found it is asked again: proofs are deterministic. If
/// that one writes none, the others that do are asked for a proof of their own.
pub(super) fn write(world: &World<'_>, search: &Search, reports: &[Report<'_>], path: &Path) -> Exit {
    if reports.is_empty() {
        // What is wrong with the file has been said.
        return Exit::Proved;
    }
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
    let task = Task { program, model: result.model, options: search.options.clone() };
    let by_name = || ENGINES.iter().find(|row| row.engine.name() == result.answer.engine);
    let own = search.engine.certificates.or_else(|| by_name().and_then(|row| row.certificates));
    let others = ENGINES.iter().filter_map(|row| row.certificates);
    let others = others.filter(|engine| own.is_none() && takes(*engine, &task).is_ok());
    let mut asked = Vec::new();
    for engine in own.into_iter().chain(others) {
        let mut budget = search.budget.clone();
        if own.is_none() {
            budget.time = Some(budget.time.unwrap_or(IN_PLACE));
        }
        let meter = Meter::start(budget, world.cancel.clone());
        let (program, own) = ((*program).clone(), meter.clone());
        let (model, options) = (result.model, search.options.clone());
        let written = within(&meter, move || {
            let task = Task { program: &program, model, options };
            run_certificate(engine, &task, &mut Context::quiet(own))
        });
        if let Ok(Ok(text)) = written {
            return write_file(world, path, &text);
        }
        asked.push(engine.name());
    }
    let name = result.answer.engine;
    world.complain(&match (own, &asked[..]) {
        (Some(_), _) => "the proof could not be written down within the limits".to_owned(),
        (None, []) => format!(
            "engine {name} proved it, which writes no certificates, and none that does can be asked about this"
        ),
        (None, asked) => format!(
            "engine {name} proved it, which writes no certificates; asked in its place, no proof within the limits: {}",
            asked.join(", ")
        ),
    });
    Exit::Unknown
}

/// What every certificate says of itself.
#[derive(Deserialize)]
struct Head {
    engine: String,
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
    let solver = solver.clone();
    let interrupted = || Err(("interrupted".to_owned(), Exit::Unknown));
    let checked = within(&Meter::start(Budget::default(), world.cancel.clone()), move || {
        check(&text, solver.as_deref())
    });
    match checked.unwrap_or_else(|_| interrupted()) {
        Ok(Proof { program, model, size, unit }) => {
            let model = model.name().to_uppercase();
            let program = &program.name;
            world.print(&format!("{name}: ACCEPTED — {program} holds under {model}, by {size} {unit}\n"));
            Exit::Proved
        }
        Err((reason, exit)) => {
            world.complain(&format!("{name}: {reason}"));
            exit
        }
    }
}

/// Gives the certificate to the checker of its kind. Whoever names a solver wants it asked about everything.
fn check(text: &str, solver: Option<&Path>) -> Result<Proof, (String, Exit)> {
    let (head, _) = read_certificate::<Head>(text).map_err(|error| (error.to_string(), Exit::BadInput))?;
    let proof = match head.engine.as_str() {
        "explicit" => verify_states(text),
        "coherence" => verify_coherence(text),
        "bmc" => verify_orders(text),
        "predicate" => {
            let asking = if solver.is_some() { Asking::Everything } else { Asking::WhatIsLeft };
            verify_predicate(text, asking, &mut || Smt::start(solver, QUESTION))
        }
        other => {
            return Err((format!("no checker for certificates of the engine `{other}`"), Exit::BadInput));
        }
    };
    proof.map_err(|error| {
        let exit = match error {
            NotAProof::Form(_) | NotAProof::Changed => Exit::BadInput,
            NotAProof::Missing(_) | NotAProof::Violation(_) => Exit::Violated,
            NotAProof::Open | NotAProof::Solver(_) => Exit::Unknown,
        };
        (error.to_string(), exit)
    })
}
