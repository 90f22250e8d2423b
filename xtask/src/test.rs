//! `cargo xtask test`: everything that must pass before a change is taken.

use std::time::Instant;

use anyhow::Result;

use crate::shell::{cargo, only, show};
use crate::{campaign, conformance, fuzz, native, setup, tidy};

/// Generated programs in every run: some seconds' worth, always the same ones.
const FUZZ: [&str; 4] = ["--programs", "3000", "--seed", "1"];
const CAMPAIGN: [&str; 5] = ["repair", "--programs", "500", "--seed", "1"];

/// Generated C programs: the two readings against each other, and the literal machine against the processor.
const FUZZ_LITERAL: [&str; 8] =
    ["--engine", "literal", "--language", "c", "--programs", "200", "--seed", "1"];

/// The literal machine's search against slower ones.
const FUZZ_REDUCTION: [&str; 6] = ["--engine", "reduction", "--programs", "300", "--seed", "1"];
const FUZZ_FOOTPRINTS: [&str; 6] = ["--engine", "footprints", "--programs", "3000", "--seed", "1"];
const NATIVE: [&str; 8] = ["--language", "c", "--programs", "40", "--seed", "1", "--runs", "100"];

/// The same for temporal properties.
const FUZZ_TEMPORAL: [&str; 6] = ["--engine", "ltl", "--programs", "2000", "--seed", "1"];

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    only(arguments, &[])?;
    let start = Instant::now();
    println!("setup");
    setup::run(&[])?;
    show(cargo().args(["fmt", "--all", "--check"]))?;
    show(cargo().args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    println!("tidy");
    tidy::run(&[])?;
    show(cargo().args(["test", "--workspace"]).env("FENCEWRIGHT_THOROUGH", "1"))?;
    fuzz::run(&FUZZ.map(str::to_owned))?;
    campaign::run(&CAMPAIGN.map(str::to_owned))?;
    fuzz::run(&FUZZ_TEMPORAL.map(str::to_owned))?;
    fuzz::run(&FUZZ_LITERAL.map(str::to_owned))?;
    fuzz::run(&FUZZ_REDUCTION.map(str::to_owned))?;
    fuzz::run(&FUZZ_FOOTPRINTS.map(str::to_owned))?;
    native::run(&NATIVE.map(str::to_owned))?;
    conformance::run(&[])?;
    println!("all passed in {:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}
