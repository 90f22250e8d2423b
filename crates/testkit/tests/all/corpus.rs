//! Every program of the corpus under every model it has expectations for, on the engine and on the oracle.

use std::path::Path;

use fencewright_engine::OutcomeEngine;
use fencewright_engine_explicit::Explicit;
use fencewright_testkit::corpus::{self, Entry, Level, Missed};
use fencewright_testkit::reference::ReferenceEngine;

fn entries() -> Vec<Entry> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    corpus::load(&root).unwrap_or_else(|errors| panic!("{}", errors.join("\n")))
}

fn all_as_expected(engine: &dyn OutcomeEngine, runs: impl Fn(&Entry) -> bool) {
    let entries: Vec<Entry> = entries().into_iter().filter(runs).collect();
    assert!(entries.len() >= 60, "only {} programs are left", entries.len());
    let missed: Vec<Missed> = entries.iter().flat_map(|entry| corpus::check(engine, entry)).collect();
    let text: Vec<String> = missed.iter().map(Missed::to_string).collect();
    assert!(missed.is_empty(), "{} expectations were not met:\n{}", missed.len(), text.join("\n"));
}

/// Thorough entries run when `FENCEWRIGHT_THOROUGH` is set, as `cargo xtask test` does.
#[test]
fn explicit_gives_what_is_expected() {
    let thorough = std::env::var_os("FENCEWRIGHT_THOROUGH").is_some();
    // Data without bound is another engine's; a search of such states ends with the budget only.
    let integers = |entry: &Entry| entry.name.starts_with("integers/");
    all_as_expected(&Explicit, |entry| !integers(entry) && (thorough || entry.level != Level::Thorough));
}

/// The oracle is slow: litmus tests only.
#[test]
fn the_oracle_gives_what_is_expected_of_litmus_tests() {
    all_as_expected(&ReferenceEngine, |entry| {
        entry.level == Level::Core && entry.name.starts_with("litmus/")
    });
}
