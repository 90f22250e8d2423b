//! Certificates: what the engine proves the checker accepts, and a certificate that was tampered with it refuses.

use std::path::PathBuf;
use std::time::Duration;

use fencewright_base::Meter;
use fencewright_engine::{CertifyingEngine, Context, NotAProof, Options, Task, Unknown, seal, unsealed};
use fencewright_engine_predicate::{Asking, Part, Predicate, verify};
use fencewright_ir::Program;
use fencewright_logic::{Smt, SmtError};
use fencewright_memory::Model;
use fencewright_testkit::corpus::load_program;
use serde_json::Value;

fn solver() -> Result<Smt, SmtError> {
    Smt::start(None, Duration::from_secs(20))
}

fn program(name: &str) -> Program {
    let corpus = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let file = name.rsplit('/').next().expect("a name");
    load_program(&corpus.join(name).join(format!("{file}.rmm"))).expect("a program of the corpus")
}

fn certificate(name: &str, model: Model, part: Part) -> String {
    let program = program(name);
    let task = Task { program: &program, model, options: Options::default() };
    let mut context = Context::quiet(Meter::unlimited());
    Predicate::with(part).certificate(&task, &mut context).expect("it is proved")
}

/// What the checker says of changed content, with a seal that fits it.
fn check(text: &str) -> Result<usize, NotAProof> {
    verify(&seal(unsealed(text).0), Asking::WhatIsLeft, &mut solver).map(|proved| proved.size)
}

fn content(text: &str) -> Value {
    serde_json::from_str(unsealed(text).0).expect("JSON")
}

#[test]
fn proofs_are_accepted() {
    for (name, model, part) in [
        ("locks/ticket-unbounded", Model::Tso, Part::Oldest),
        ("integers/low-high", Model::Sc, Part::Oldest),
        ("integers/message-numbers-pso", Model::Pso, Part::Oldest),
        ("integers/message-numbers", Model::Tso, Part::Newest),
        ("integers/store-buffer-open-fenced", Model::Tso, Part::Oldest),
        ("integers/constant-sum-pso", Model::Pso, Part::Oldest),
        ("integers/constant-sum-open", Model::Sc, Part::Oldest),
        ("integers/double", Model::Tso, Part::Newest),
        ("integers/ledger", Model::Tso, Part::Oldest),
        ("mutex/peterson-tso", Model::Tso, Part::Newest),
        ("mutex/burns-pso", Model::Pso, Part::Oldest),
    ] {
        let text = certificate(name, model, part);
        for asking in [Asking::WhatIsLeft, Asking::Everything] {
            let proved = verify(&text, asking, &mut solver).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!((proved.model, proved.program), (model, program(name)), "{name}");
        }
    }
}

/// A program that violates its property under the model has none.
#[test]
fn there_is_no_certificate_without_a_proof() {
    let program = program("integers/message-numbers");
    let task = Task { program: &program, model: Model::Pso, options: Options::default() };
    let none = Predicate::new().certificate(&task, &mut Context::quiet(Meter::unlimited()));
    assert_eq!(none, Err(Unknown::Imprecise));
}

/// Every state is needed: the search keeps none that lies within another.
#[test]
fn a_state_less_is_refused() {
    let text = certificate("locks/ticket-unbounded", Model::Tso, Part::Oldest);
    let whole: Value = content(&text);
    let n = whole["states"].as_array().expect("states").len();
    assert!(n > 20, "{n}");
    for position in 0..n {
        let mut less = whole.clone();
        less["states"].as_array_mut().expect("states").remove(position);
        let refused = check(&less.to_string());
        assert!(matches!(refused, Err(NotAProof::Missing(_))), "state {position}: {refused:?}");
    }
}

/// A condition that is stronger than what holds, and one left out: hardly any is written that is not needed.
#[test]
fn a_changed_condition_is_refused() {
    let text = certificate("integers/low-high", Model::Tso, Part::Oldest);
    let whole: Value = content(&text);
    let states = whole["states"].as_array().expect("states");
    let (mut stronger, mut missed) = (0, 0);
    for (position, state) in states.iter().enumerate() {
        let bounds = state["bounds"].as_array().expect("bounds");
        for (nth, bound) in bounds.iter().enumerate() {
            let mut changed = whole.clone();
            let tighter = bound[2].as_i64().expect("a number") - 5;
            changed["states"][position]["bounds"][nth][2] = tighter.into();
            assert!(check(&changed.to_string()).is_err(), "state {position}, bound {nth} stronger");
            stronger += 1;
            let mut changed = whole.clone();
            changed["states"][position]["bounds"].as_array_mut().expect("bounds").remove(nth);
            missed += usize::from(check(&changed.to_string()).is_err());
        }
    }
    assert!(stronger > 20, "{stronger}");
    // A move whose values are divided among several states is not tried when conditions are left out.
    assert!(missed * 10 >= stronger * 9, "{missed} of {stronger}");
}

/// Conditions that are no bounds: one that is stronger than what holds, one left out, a factor changed, and a state less.
#[test]
fn a_changed_sum_is_refused() {
    let text = certificate("integers/ledger", Model::Tso, Part::Oldest);
    assert!(check(&text).is_ok());
    let whole: Value = content(&text);
    let states = whole["states"].as_array().expect("states");
    let (mut sums, mut turned) = (0, 0);
    for (position, state) in states.iter().enumerate() {
        let mut less = whole.clone();
        less["states"].as_array_mut().expect("states").remove(position);
        assert!(check(&less.to_string()).is_err(), "state {position}");
        let Some(conditions) = state.get("sums") else { continue };
        for (nth, sum) in conditions.as_array().expect("sums").iter().enumerate() {
            let bound: i64 = sum["bound"].as_str().expect("text").parse().expect("a number");
            let mut changed = whole.clone();
            changed["states"][position]["sums"][nth]["bound"] = (bound - 5).to_string().into();
            assert!(check(&changed.to_string()).is_err(), "state {position}, sum {nth} stronger");
            let mut changed = whole.clone();
            changed["states"][position]["sums"].as_array_mut().expect("sums").remove(nth);
            assert!(check(&changed.to_string()).is_err(), "state {position}, sum {nth} left out");
            let mut changed = whole.clone();
            changed["states"][position]["sums"][nth]["terms"][0][1] = "7".into();
            turned += usize::from(check(&changed.to_string()).is_err());
            sums += 1;
        }
    }
    assert!(sums > 20, "{sums}");
    assert_eq!(turned, sums);
}

/// A certificate of one program says nothing of another, nor of another model, nor of a buffer that keeps less.
#[test]
fn a_certificate_is_of_its_program_and_model() {
    let text = certificate("integers/message-numbers", Model::Tso, Part::Oldest);
    assert!(check(&text).is_ok());
    let pso = text.replacen("\"model\":\"tso\"", "\"model\":\"pso\"", 1);
    assert!(matches!(check(&pso), Err(NotAProof::Missing(_) | NotAProof::Violation(_))));
    let less = text.replacen("\"keep\":1", "\"keep\":0", 1);
    assert!(less != text && matches!(check(&less), Err(NotAProof::Missing(_) | NotAProof::Violation(_))));
    let mut other: Value = content(&text);
    let swapped = fencewright_ir::text::print(&program("integers/low-high"));
    other["program"] = Value::String(swapped);
    assert!(matches!(check(&other.to_string()), Err(NotAProof::Form(_))));
    for nonsense in ["", "{}", "[1, 2]", "{\"certificate\":1}"] {
        assert!(matches!(check(nonsense), Err(NotAProof::Form(_))), "{nonsense}");
    }
}

/// Finite data needs no solver; integers without one are not accepted.
#[test]
fn a_missing_solver_is_no_acceptance() {
    let mut missing = || Err(SmtError::Missing(PathBuf::from("z3")));
    let finite = certificate("mutex/burns-pso", Model::Tso, Part::Oldest);
    assert!(verify(&finite, Asking::Everything, &mut missing).is_ok());
    let integers = certificate("integers/low-high", Model::Sc, Part::Oldest);
    assert!(matches!(verify(&integers, Asking::Everything, &mut missing), Err(NotAProof::Solver(_))));
}
