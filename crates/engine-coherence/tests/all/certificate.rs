//! Certificates: what the engine proves the checker accepts; with a state less, a value changed, another model or another
//! program it does not. A seal that fits is put on what was changed, so that it is the content that is refused.

use std::path::PathBuf;

use fencewright_base::{Budget, CancelToken, Meter};
use fencewright_engine::{
    CertifyingEngine, Context, NotAProof, Options, Task, Unknown, seal, takes, unsealed,
};
use fencewright_engine_coherence::{Abstraction, Coherence, verify};
use fencewright_ir::Program;
use fencewright_memory::Model;
use fencewright_testkit::corpus::{ExpectedVerdict, load, load_program};
use fencewright_testkit::generate::{Config, program as generated};
use serde_json::Value;

fn corpus() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

fn program(name: &str) -> Program {
    let file = name.rsplit('/').next().expect("a name");
    load_program(&corpus().join(name).join(format!("{file}.rmm"))).expect("a program of the corpus")
}

fn certificate(program: &Program, model: Model, engine: Coherence, states: u64) -> Result<String, Unknown> {
    let task = Task { program, model, options: Options::default() };
    let budget = Budget { states: Some(states), ..Budget::default() };
    engine.certificate(&task, &mut Context::quiet(Meter::start(budget, CancelToken::new())))
}

fn content(text: &str) -> Value {
    serde_json::from_str(unsealed(text).0).expect("JSON")
}

fn check(value: &Value) -> Result<usize, NotAProof> {
    verify(&seal(&value.to_string())).map(|proof| proof.size)
}

/// Every program of the corpus that holds under TSO or PSO and needs few states.
#[test]
fn proofs_of_the_corpus_are_accepted() {
    let mut accepted = 0;
    for entry in load(&corpus()).expect("the corpus can be read") {
        for (model, expected) in &entry.expected {
            let task = Task { program: &entry.program, model: *model, options: Options::default() };
            let holds = expected.verdict == Some(ExpectedVerdict::Holds);
            if !holds || takes(&Coherence::growing(), &task).is_err() {
                continue;
            }
            // No proof with so few states: `cargo xtask certificates` has no such limit.
            let Ok(text) = certificate(&entry.program, *model, Coherence::growing(), 3_000) else { continue };
            let proof =
                verify(&text).unwrap_or_else(|error| panic!("{} {}: {error}", entry.name, model.name()));
            assert_eq!((proof.model, &proof.program), (*model, &entry.program), "{}", entry.name);
            accepted += 1;
        }
    }
    assert!(accepted > 60, "{accepted}");
}

/// All abstractions, on generated programs: the languages of certificates follow whatever the search does with buffers.
#[test]
fn proofs_of_generated_programs_are_accepted() {
    let mut accepted = 0;
    for seed in 4_000_000..4_000_060 {
        let program = generated(seed, &Config::default());
        for model in [Model::Tso, Model::Pso] {
            for abstraction in [
                Abstraction::Set,
                Abstraction::Fd(1),
                Abstraction::Pd(0),
                Abstraction::Pd(2),
                Abstraction::Runs(1),
                Abstraction::Runs(2),
            ] {
                let task = Task { program: &program, model, options: Options::default() };
                if takes(&Coherence::new(abstraction), &task).is_err() {
                    continue;
                }
                let Ok(text) = certificate(&program, model, Coherence::new(abstraction), 2_000) else {
                    continue;
                };
                let proof = verify(&text);
                assert!(proof.is_ok(), "{seed} {} {abstraction}: {proof:?}", model.name());
                accepted += 1;
            }
        }
    }
    assert!(accepted > 60, "{accepted}");
}

#[test]
fn a_state_less_is_refused() {
    for (name, model) in [("mutex/peterson-pso", Model::Pso), ("mutex/dekker-pso", Model::Tso)] {
        let text = certificate(&program(name), model, Coherence::growing(), 10_000).expect("it holds");
        let whole = content(&text);
        let n = whole["states"].as_array().expect("states").len();
        assert!(n > 40, "{n}");
        for position in (0..n).step_by(n / 20) {
            let mut less = whole.clone();
            less["states"].as_array_mut().expect("states").remove(position);
            let refused = check(&less);
            assert!(matches!(refused, Err(NotAProof::Missing(_))), "{name} {position}: {refused:?}");
        }
    }
}

/// Another newest value, another value in memory, a value less in the list of those that may be pending. Of the last, some
/// leave a proof: a list may name what no move needs. Then the seal tells.
#[test]
fn a_changed_state_is_refused() {
    let text = certificate(&program("mutex/peterson-pso"), Model::Tso, Coherence::growing(), 10_000);
    let text = text.expect("it holds");
    let (whole, line) = (content(&text), text.lines().last().expect("a seal"));
    assert!(check(&whole).is_ok());
    let (mut fewer, mut lists, mut other) = (0, 0, 0);
    for (position, state) in whole["states"].as_array().expect("states").iter().enumerate().step_by(5) {
        let mut changed = whole.clone();
        changed["states"][position]["memory"][0] = "7".into();
        assert!(check(&changed).is_err(), "memory of {position}");
        for (thread, buffer) in state["buffers"].as_array().expect("buffers").iter().enumerate() {
            let Some(queue) = buffer.get(0).and_then(|epoch| epoch.get("0")) else { continue };
            for (nth, piece) in queue.as_array().expect("pieces").iter().enumerate() {
                let mut changed = whole.clone();
                let place = &mut changed["states"][position]["buffers"][thread][0]["0"][nth];
                place["last"][1] = "7".into();
                assert!(check(&changed).is_err(), "newest of {position}");
                other += 1;
                if piece["any"].as_array().is_some_and(|any| !any.is_empty()) {
                    let mut changed = whole.clone();
                    let place = &mut changed["states"][position]["buffers"][thread][0]["0"][nth];
                    place["any"].as_array_mut().expect("a list").remove(0);
                    fewer += usize::from(check(&changed).is_err());
                    lists += 1;
                    assert!(verify(&format!("{changed}\n{line}\n")).is_err(), "list of {position}");
                }
            }
        }
    }
    assert!(lists > 3 && fewer * 2 > lists && other > 10, "{fewer} of {lists}, {other}");
}

/// What is changed and left a proof is told from what was written: a state twice.
#[test]
fn a_change_that_leaves_a_proof_is_seen() {
    let text = certificate(&program("mutex/peterson-pso"), Model::Tso, Coherence::growing(), 10_000);
    let text = text.expect("it holds");
    let mut more = content(&text);
    let states = more["states"].as_array_mut().expect("states");
    states.push(states[0].clone());
    assert!(check(&more).is_ok(), "it is a proof");
    let line = text.lines().last().expect("a seal");
    assert_eq!(verify(&format!("{more}\n{line}\n")), Err(NotAProof::Changed));
}

#[test]
fn a_certificate_is_of_its_program_and_model() {
    let text = certificate(&program("mutex/peterson-tso"), Model::Tso, Coherence::growing(), 10_000);
    let whole = content(&text.expect("it holds"));
    // With the fences that TSO needs it does not hold under PSO.
    let mut pso = whole.clone();
    pso["model"] = "pso".into();
    assert!(check(&pso).is_err());
    let mut unfenced = whole.clone();
    unfenced["program"] = fencewright_ir::text::print(&program("mutex/peterson")).into();
    assert!(check(&unfenced).is_err());
    for nonsense in ["", "{}", "[1, 2]", "{\"certificate\":1}"] {
        assert!(matches!(verify(nonsense), Err(NotAProof::Form(_))), "{nonsense}");
    }
    assert!(certificate(&program("mutex/peterson"), Model::Tso, Coherence::growing(), 10_000).is_err());
}
