//! The corpus says how many fences a repair needs; the numbers come from brute force and from papers.

use std::path::Path;

use fencewright_base::{Budget, CancelToken, Meter};
use fencewright_engine::{Context, Guarantee, Options, Task, Verdict, run};
use fencewright_engine_coherence::Coherence;
use fencewright_ir::Program;
use fencewright_memory::Model;
use fencewright_synth::{Reason, Repair, Request, Want};
use fencewright_testkit::corpus;
use fencewright_testkit::reference::ReferenceEngine;

use crate::common::{ask, ask_engine, check, fences, request};

/// Programs whose repairs explicit search cannot prove, and that take the abstractions too long or are beyond them: a
/// loop writes again and again without a fence, or tickets have no bound.
const NOT_PROVABLE: [&str; 4] =
    ["mutex/bakery-unbounded", "mutex/burns-3", "mutex/dijkstra", "mutex/dijkstra-3"];

/// Programs of the first kind that the abstractions prove.
const BY_ABSTRACTION: [&str; 2] = ["mutex/burns", "netys2015/Burns"];

#[test]
fn repairs_of_the_corpus_have_the_fences_that_are_known_to_be_the_fewest() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut checked = 0;
    let mut by_oracle = 0;
    for entry in corpus::load(&root).expect("the corpus is well-formed") {
        if NOT_PROVABLE.contains(&entry.name.as_str()) {
            continue;
        }
        for (model, expectation) in &entry.expected {
            let Some(expected) = &expectation.fences else { continue };
            let test = format!("{} under {}", entry.name, model.name());
            let request = request(&entry.program, *model);
            let answer = match BY_ABSTRACTION.contains(&entry.name.as_str()) {
                true => ask_engine(&Coherence::growing(), &request),
                false => ask(&request),
            };
            let Repair::Repaired(found) = answer else { panic!("{test}: no repair, but {answer:?}") };
            check(&test, &found);
            assert_eq!(fences(found.remedies.iter().map(|chosen| chosen.remedy)), *expected, "{test}");
            checked += 1;
            by_oracle += usize::from(oracle_proves(&test, &found.program, *model));
        }
    }
    assert!(by_oracle >= 60, "only {by_oracle} of {checked} repairs are small enough for the oracle");
    assert_eq!(checked, 79, "every expectation is one of a program that is known here");
}

/// Whether plain exploration of the reference semantics ends with a proof too; it must not end with a violation.
fn oracle_proves(test: &str, program: &Program, model: Model) -> bool {
    let task = Task { program, model, options: Options::default() };
    let budget = Budget { time: None, memory: None, states: Some(20_000) };
    let mut context = Context::quiet(Meter::start(budget, CancelToken::new()));
    match run(&ReferenceEngine, &task, &mut context).expect("its traces replay").verdict {
        Verdict::Violated(trace) => panic!("{test}: the oracle refutes the repair: {trace:?}"),
        verdict => verdict == Verdict::Holds(Guarantee::Unbounded),
    }
}

/// The 4 m, 2 s of NETYS 2015, Table 1: no fence of them can be left out, and there are fewer that do.
#[test]
fn the_papers_repair_of_the_bakery_is_minimal_and_not_a_minimum() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/netys2015/LamBak/LamBak.rmm");
    let program = corpus::load_program(&root).expect("a program of the corpus");
    let wanted = Request { want: Want::AllMinimal, ..request(&program, Model::Pso) };
    let Repair::Repaired(found) = ask(&wanted) else { panic!("it is repaired") };
    check("LamBak", &found);
    assert_eq!(fences(found.remedies.iter().map(|chosen| chosen.remedy)), "4m");
    let others: Vec<String> = found.alternatives.iter().map(|set| fences(set.iter().copied())).collect();
    assert!(others.contains(&"4m 2s".to_owned()), "{others:?}");
}

#[test]
fn without_a_proof_there_is_a_candidate_and_the_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/mutex/burns/burns.rmm");
    let program = corpus::load_program(&root).expect("a program of the corpus");
    let Repair::NotFound(found) = ask(&request(&program, Model::Tso)) else {
        panic!("explicit search cannot prove it")
    };
    assert!(matches!(found.reason, Reason::Unproved(_)));
    assert!(found.exact);
    assert_eq!(fences(found.candidate), "2m");
}
