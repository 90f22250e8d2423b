//! `cargo xtask campaign readings`: what a release of the tool asks of its readings of compiled programs, one after the other, and
//! a table of what came of it. Generated C, C++ and Rust programs are read in both ways (`cargo xtask fuzz --engine literal`), and C
//! programs are run (`cargo xtask native`). `--scale N` makes N per cent of the programs.
//!
//! What is compared, refused and open counts questions: a program under a model. What differs counts programs.

use anyhow::{Result, bail};
use fencewright_generator::Language;
use fencewright_generator::campaign::{Runs, Summary};

use crate::native::{LIMIT, RUNS, seen};
use crate::readings::{MODELS, held, number, plan, report};
use crate::shell::{again_in_release, only};

/// The programs of each language that are read in both ways.
const READ: [(Language, u64); 3] = [(Language::C, 20_000), (Language::Cpp, 5_000), (Language::Rust, 5_000)];

/// The C programs that are run.
const RUN: u64 = 5_000;

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if cfg!(debug_assertions) {
        let again: Vec<String> =
            std::iter::once("readings".to_owned()).chain(arguments.iter().cloned()).collect();
        return again_in_release("campaign", &again);
    }
    only(arguments, &["--scale", "--seed", "--jobs"])?;
    let scale = number(arguments, "--scale", 100)?;
    let part = |programs: u64| (programs * scale / 100).max(1);
    let mut rows = Vec::new();
    let mut n_found = 0;
    for (language, programs) in READ {
        let plan = plan(arguments, language, part(programs))?;
        let summary = held(&plan, &MODELS)?;
        n_found += report(&plan, &summary)?;
        rows.push((format!("fuzz {}", language.name()), summary));
    }
    if cfg!(target_arch = "x86_64") {
        let plan = plan(arguments, Language::C, part(RUN))?;
        let summary = seen(&plan, Runs { times: RUNS, limit: LIMIT })?;
        n_found += report(&plan, &summary)?;
        rows.push(("native c".to_owned(), summary));
    }
    println!(
        "\n{:12} {:>8} {:>9} {:>8} {:>8} {:>8} {:>8}",
        "campaign", "programs", "compared", "refused", "open", "differ", "seconds"
    );
    for (name, summary) in &rows {
        let [compared, refused, open] = sums(summary);
        println!(
            "{name:12} {:>8} {compared:>9} {refused:>8} {open:>8} {:>8} {:>8.0}",
            summary.programs,
            summary.seeds.len(),
            summary.seconds
        );
    }
    if n_found == 0 { Ok(()) } else { bail!("{n_found} programs show something") }
}

/// How many questions were compared, were refused, and had no answer for another reason.
fn sums(summary: &Summary) -> [u64; 3] {
    let of = |words: &[&str]| {
        let counts = summary.counts.iter();
        counts.filter(|(what, _)| words.iter().any(|word| what.contains(word))).map(|(_, times)| times).sum()
    };
    [of(&["same outcomes", "both fail", "within"]), of(&["refused"]), of(&["unknown", "may fail", "not run"])]
}
