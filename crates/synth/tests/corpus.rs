//! The corpus says how many fences a repair needs; the numbers come from brute force and from papers.

mod common;

use std::path::Path;

use common::{ask, check, fences, request};
use fencewright_synth::{Reason, Repair};
use fencewright_testkit::corpus;

/// Programs whose repairs explicit search cannot prove: a loop writes again and again without a fence, or tickets have
/// no bound.
const NOT_PROVABLE: [&str; 5] =
    ["mutex/bakery-unbounded", "mutex/burns", "mutex/burns-3", "mutex/dijkstra", "mutex/dijkstra-3"];

#[test]
fn repairs_of_the_corpus_have_the_fences_that_are_known_to_be_the_fewest() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut checked = 0;
    for entry in corpus::load(&root).expect("the corpus is well-formed") {
        if NOT_PROVABLE.contains(&entry.name.as_str()) {
            continue;
        }
        for (model, expectation) in &entry.expected {
            let Some(expected) = &expectation.fences else { continue };
            let test = format!("{} under {}", entry.name, model.name());
            let Repair::Repaired(found) = ask(&request(&entry.program, *model)) else {
                panic!("{test}: no repair")
            };
            check(&test, &found);
            assert_eq!(fences(found.remedies.iter().map(|chosen| chosen.remedy)), *expected, "{test}");
            checked += 1;
        }
    }
    assert_eq!(checked, 43, "every expectation is one of a program that is known here");
}

#[test]
fn without_a_proof_there_is_a_candidate_and_the_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/mutex/burns/burns.rmm");
    let program = corpus::load_program(&root).expect("a program of the corpus");
    let Repair::NotFound(found) = ask(&request(&program, fencewright_memory::Model::Tso)) else {
        panic!("explicit search cannot prove it")
    };
    assert!(matches!(found.reason, Reason::Unproved(_)));
    assert!(found.exact);
    assert_eq!(fences(found.candidate), "2m");
}
