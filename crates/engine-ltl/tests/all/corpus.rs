//! The formulae of the corpus, with verdicts argued beside them.

use std::path::Path;

use fencewright_engine_ltl::Ltl;
use fencewright_testkit::corpus::{check_temporal, load};

#[test]
fn formulae_of_the_corpus_have_their_verdicts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let entries = load(&root).unwrap_or_else(|errors| panic!("{}", errors.join("\n")));
    let with_formulae: Vec<_> = entries.iter().filter(|entry| !entry.temporal.is_empty()).collect();
    assert!(with_formulae.len() >= 5, "only {} programs have formulae", with_formulae.len());
    let missed: Vec<String> = with_formulae
        .iter()
        .flat_map(|entry| check_temporal(&Ltl, entry))
        .map(|missed| missed.to_string())
        .collect();
    assert!(missed.is_empty(), "{} expectations were not met:\n{}", missed.len(), missed.join("\n"));
}
