//! Certificates: what the engine proves the checker accepts; with a lemma or a circle less or changed it does not. A seal that
//! fits is put on what was changed, so that it is the content that is refused.

use std::path::PathBuf;

use fencewright_base::{Budget, CancelToken, Meter};
use fencewright_engine::{CertifyingEngine, Context, NotAProof, Options, Task, seal, takes, unsealed};
use fencewright_engine_bmc::{Bmc, verify};
use fencewright_ir::Program;
use fencewright_memory::Model;
use fencewright_testkit::corpus::{ExpectedVerdict, load, load_program};
use fencewright_testkit::generate::{Config, program as generated, relaxed_program};
use serde_json::Value;

const MODELS: [Model; 4] = [Model::Sc, Model::Tso, Model::Pso, Model::Rmo];

fn corpus() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

/// Nothing if it is violated, or has more points than that in the rounds that decide.
fn certificate(program: &Program, model: Model, points: u64) -> Option<String> {
    let task = Task { program, model, options: Options::default() };
    takes(&Bmc, &task).ok()?;
    let budget = Budget { states: Some(points), ..Budget::default() };
    Bmc.certificate(&task, &mut Context::quiet(Meter::start(budget, CancelToken::new()))).ok()
}

/// Every program of the corpus that holds and needs few points; under RMO all of them.
#[test]
fn proofs_of_the_corpus_are_accepted() {
    let mut accepted = 0;
    for entry in load(&corpus()).expect("the corpus can be read") {
        let holds =
            entry.expected.iter().filter(|(_, expected)| expected.verdict == Some(ExpectedVerdict::Holds));
        for (model, _) in holds {
            let name = format!("{} under {}", entry.name, model.name());
            let Some(text) = certificate(&entry.program, *model, 40) else {
                assert_ne!(*model, Model::Rmo, "{name}: no certificate");
                continue;
            };
            let proof = verify(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!((proof.model, &proof.program), (*model, &entry.program), "{name}");
            accepted += 1;
        }
    }
    assert!(accepted > 200, "{accepted}");
}

#[test]
fn proofs_of_generated_programs_are_accepted() {
    let mut accepted = [0; 4];
    for seed in 7_000_000..7_000_150 {
        for program in [generated(seed, &Config::default()), relaxed_program(seed)] {
            for (nth, model) in MODELS.into_iter().enumerate() {
                let Some(text) = certificate(&program, model, 80) else { continue };
                let said = verify(&text);
                assert!(said.is_ok(), "seed {seed} under {}: {}", model.name(), said.unwrap_err());
                accepted[nth] += 1;
            }
        }
    }
    assert!(accepted.iter().all(|&n| n > 60), "{accepted:?}");
}

fn check(value: &Value) -> Result<usize, NotAProof> {
    verify(&seal(&value.to_string())).map(|proof| proof.size)
}

fn of_corpus(name: &str, model: Model) -> Value {
    let folder = corpus().join(name);
    let file = name.rsplit('/').next().expect("a name");
    let program = [".rmm", ".litmus"]
        .iter()
        .find_map(|ending| load_program(&folder.join(format!("{file}{ending}"))).ok());
    let text = certificate(&program.expect("a program of the corpus"), model, 300).expect("it holds");
    serde_json::from_str(unsealed(&text).0).expect("JSON")
}

/// Changes one step with that part after the other and gives what is not refused.
fn accepted_changes(whole: &Value, part: &str, change: impl Fn(&mut Vec<Value>, usize)) -> Vec<String> {
    let steps = whole["steps"].as_array().expect("a list");
    assert!(steps.iter().any(|step| step.get(part).is_some()), "{part}");
    let mut accepted = Vec::new();
    for (nth, step) in steps.iter().enumerate().filter(|(_, step)| step.get(part).is_some()) {
        let mut changed = whole.clone();
        change(changed["steps"].as_array_mut().expect("a list"), nth);
        if check(&changed).is_ok() {
            accepted.push(step.to_string());
        }
    }
    accepted
}

#[test]
fn a_certificate_that_was_changed_is_refused() {
    for (name, model) in
        [("rmo/LB+ctrls", Model::Rmo), ("rmo/IRIW+addrs", Model::Rmo), ("litmus/SB+mfences", Model::Pso)]
    {
        let whole = of_corpus(name, model);
        assert!(check(&whole).is_ok(), "{name}");
        for part in ["by", "points"] {
            let removed = accepted_changes(&whole, part, |list, nth| {
                list.remove(nth);
            });
            assert!(removed.is_empty(), "{name}: steps that nobody misses: {removed:?}");
            let stronger = accepted_changes(&whole, part, |list, nth| {
                let clause = list[nth]["clause"].as_array_mut().expect("a clause");
                match clause.pop() {
                    Some(_) => {}
                    None => clause.push(1.into()),
                }
            });
            assert!(stronger.is_empty(), "{name}: steps that need not say what they say: {stronger:?}");
            let renamed = accepted_changes(&whole, part, |list, nth| list[nth]["id"] = 1.into());
            assert!(renamed.is_empty(), "{name}: steps that nobody asks for: {renamed:?}");
        }
        let without_reason = accepted_changes(&whole, "by", |list, nth| {
            list[nth]["by"].as_array_mut().expect("reasons").remove(0);
        });
        assert!(without_reason.is_empty(), "{name}: {without_reason:?}");
        let other_circle = accepted_changes(&whole, "points", |list, nth| {
            list[nth]["points"].as_array_mut().expect("points").pop();
        });
        assert!(other_circle.is_empty(), "{name}: {other_circle:?}");
    }
}

#[test]
fn what_is_said_of_another_program_or_model_is_refused() {
    let whole = of_corpus("rmo/LB+ctrls", Model::Rmo);
    let with = |part: &str, value: Value| {
        let mut changed = whole.clone();
        changed[part] = value;
        check(&changed)
    };
    for (part, value) in [
        ("model", "slot".into()),
        ("model", "none".into()),
        ("engine", "explicit".into()),
        ("bound", 1_000_000_000.into()),
        ("spare_bits", 5.into()),
        ("program", of_corpus("rmo/LB+datas", Model::Rmo)["program"].clone()),
        ("program", "".into()),
    ] {
        let said = with(part, value.clone());
        // Nothing loops there: one round more gives the same formula, so another number of rounds is not among these.
        assert!(matches!(said, Err(NotAProof::Form(_))), "{part} = {value}: {said:?}");
    }
    // What holds under SC need not hold under TSO: the orders that SC keeps are no circles there.
    let mut weaker = of_corpus("litmus/SB", Model::Sc);
    weaker["model"] = "tso".into();
    assert!(
        matches!(check(&weaker), Err(NotAProof::Missing(_) | NotAProof::Form(_))),
        "{:?}",
        check(&weaker)
    );
    let text = seal(&whole.to_string());
    assert_eq!(verify(&text.replace("fnv1a ", "fnv1a 0")), Err(NotAProof::Changed));
    for nonsense in ["", "{}", "[]"] {
        assert!(matches!(verify(nonsense), Err(NotAProof::Form(_))), "{nonsense}");
    }
}
