//! Table 2 of PLDI 2011 by the avoid formula: for every program and abstraction what is inferred with fences anywhere,
//! what with fences right behind the writes only, and what the paper has; the sets of fences that were tried, the
//! states of the largest search, and the seconds of the whole repair, its proof included. Fails if a cell has no answer.

use std::time::Instant;

use anyhow::{Result, bail};
use fencewright_base::Meter;
use fencewright_engine::{Context, Options, Task};
use fencewright_engine_coherence::Coherence;
use fencewright_ir::Program;
use fencewright_memory::Model;
use fencewright_synth::{
    Avoidance, Beside, Costs, Demands, Reason, Repair, Request, Strategy, Want, behind_writes, repair,
};
use fencewright_testkit::corpus::load_program;
use fencewright_testkit::pldi2011::{ABSTRACTIONS, Inferred, TABLE_2};

use crate::shell::{only, root};

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    only(arguments, &[])?;
    println!("PLDI 2011, Table 2, full fences only, PSO");
    println!(
        "● the optimum, ◐ more than that, ○ impossible, M out of memory; the number of fences behind each sign"
    );
    println!(
        "{:7} {:5} {:>8} {:>12} {:>6} {:>6} {:>8} {:>12} {:>8}",
        "program", "", "anywhere", "behind write", "paper", "sets", "states", "paper's", "seconds"
    );
    let (mut total, mut slowest) = (0.0, 0.0_f64);
    for row in &TABLE_2 {
        let path = root().join("corpus/pldi2011").join(row.name).join(format!("{}.rmm", row.name));
        let Ok(program) = load_program(&path) else { bail!("{} does not load", path.display()) };
        for (column, abstraction) in ABSTRACTIONS.into_iter().enumerate() {
            let Ok(abstraction) = abstraction.parse() else { bail!("{abstraction} is no abstraction") };
            let engine = Coherence::new(abstraction);
            let start = Instant::now();
            let (found, Avoidance { searches, states, .. }) = anywhere(&program, &engine)?;
            let seconds = start.elapsed().as_secs_f64();
            let behind = behind(&program, &engine)?;
            let sign = |fences: Option<usize>| {
                let number = fences.map_or(String::new(), |fences| format!(" {fences}"));
                format!("{}{number}", Inferred::of(fences, row.optimum))
            };
            let paper = row.inferred[column].map_or("M".to_owned(), |inferred| inferred.to_string());
            let paper_states = row.thousands[column].map_or("M".to_owned(), |n| format!("{:.0}", n * 1e3));
            println!(
                "{:7} {abstraction:5} {:>8} {:>12} {paper:>6} {searches:>6} {states:>8} {paper_states:>12} {seconds:>8.2}",
                row.name,
                sign(found),
                sign(behind)
            );
            total += seconds;
            slowest = slowest.max(seconds);
        }
    }
    println!("{} cells in {total:.1} s, the slowest in {slowest:.2} s", TABLE_2.len() * ABSTRACTIONS.len());
    Ok(())
}

fn context<'c>() -> Context<'c> {
    Context::quiet(Meter::unlimited())
}

/// The fences of the strategy, if there are any, and what was done to find them.
fn anywhere(program: &Program, engine: &Coherence) -> Result<(Option<usize>, Avoidance)> {
    let request = Request {
        program,
        model: Model::Pso,
        options: Options::default(),
        costs: Costs { full: 100, store_store: 100, ..Costs::default() },
        beside: Beside::default(),
        want: Want::One,
        strategy: Strategy::AvoidFormula(engine),
    };
    match repair(&Coherence::growing(), &request, &mut context)? {
        Repair::Repaired(found) => match found.avoidance {
            Some(avoidance) => Ok((Some(found.remedies.len()), avoidance)),
            None => bail!("{}: repaired without an avoid formula", program.name),
        },
        Repair::NotFound(found) => match found.reason {
            Reason::Unavoidable { avoidance, .. } => Ok((None, avoidance)),
            other => bail!("{}: no answer: {other:?}", program.name),
        },
        Repair::AlreadySafe(_) | Repair::WrongUnderSc(_) => {
            bail!("{} needs no fence, or wants more", program.name)
        }
    }
}

/// The fewest fences right behind writes.
fn behind(program: &Program, engine: &Coherence) -> Result<Option<usize>> {
    let task = Task { program, model: Model::Pso, options: Options::default() };
    let statements = program.statements.len();
    let mut demands = Demands::new(engine, task, false, statements, behind_writes(program));
    match demands.cheapest(&vec![1; statements], &mut context) {
        Ok(cheapest) => Ok(cheapest.map(|(writes, _)| writes.len())),
        Err(unknown) => bail!("{}: no answer: {unknown:?}", program.name),
    }
}
