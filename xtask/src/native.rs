//! `cargo xtask native`: generated C, C++ and Rust programs, compiled and run many times with random delays between their
//! statements. Every outcome that is seen must be one that the literal machine allows under TSO, the model of x86 processors; on
//! others the command says so and does nothing. A program with an outcome outside is shrunk and written to the folder of what
//! cargo builds.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use fencewright_generator::allowed::Allowed;
use fencewright_generator::campaign::{Plan, Runs, Summary, against_processor};
use fencewright_generator::compile::Compilers;
use fencewright_generator::literal::Literal;
use fencewright_memory::Model;

use crate::readings::{languages, library, number, patience, plan, progress, quietly, report};
use crate::shell::{again_in_release, only};

/// How long all runs of one program may take.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);

/// How often a program is run.
pub(crate) const RUNS: u64 = 300;

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if cfg!(debug_assertions) {
        return again_in_release("native", arguments);
    }
    only(arguments, &["--programs", "--seed", "--language", "--runs", "--jobs", "--without"])?;
    if !cfg!(target_arch = "x86_64") {
        println!("native: this is no x86 processor, so TSO is not its model");
        return Ok(());
    }
    let runs = Runs { times: number(arguments, "--runs", RUNS)?, limit: LIMIT };
    let mut n_found = 0;
    for language in languages(arguments)? {
        let plan = plan(arguments, language, 100)?;
        n_found += report(&plan, &seen(&plan, runs)?)?;
    }
    if n_found == 0 { Ok(()) } else { bail!("{n_found} programs have outcomes that are not allowed") }
}

/// Runs each program of the plan, and holds what is seen against what the literal machine allows.
pub(crate) fn seen(plan: &Plan, runs: Runs) -> Result<Summary> {
    let language = plan.language;
    println!(
        "native: {} programs in {} from seed {}, {} runs each, {} jobs",
        plan.programs,
        language.name(),
        plan.seed,
        runs.times,
        plan.jobs
    );
    let compilers = Compilers::new(&[language]).map_err(anyhow::Error::msg)?;
    let library = library(language, &compilers)?;
    let reading = || Box::new(Literal::new(library, patience(language))) as Box<dyn Allowed>;
    let start = Instant::now();
    quietly();
    let told = |done| progress(done, plan.programs, start);
    against_processor(plan, &compilers, (Model::Tso, &reading), runs, &told).map_err(anyhow::Error::msg)
}
