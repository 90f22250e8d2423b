//! Certificates of properties of whole executions: accepted for every formula of the corpus that holds; refused with a state
//! less, for another formula, for less fairness. A seal that fits is put on what was changed.

use std::path::Path;

use fencewright_base::Meter;
use fencewright_engine::{
    CertifyingEngine, Context, NotAProof, Options, Task, seal, unsealed, verify_states,
};
use fencewright_engine_ltl::Ltl;
use fencewright_ir::{Claim, Formula, Program, Property, Temporal};
use fencewright_memory::Model;
use fencewright_testkit::corpus::{Entry, ExpectedVerdict, load};
use serde_json::Value;

fn entries() -> Vec<Entry> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let entries = load(&root).unwrap_or_else(|errors| panic!("{}", errors.join("\n")));
    entries.into_iter().filter(|entry| !entry.temporal.is_empty()).collect()
}

/// The program with this property and no other.
fn with(program: &Program, property: &Temporal) -> Program {
    Program { properties: vec![Property::Temporal(property.clone())], ..program.clone() }
}

fn certificate(program: &Program, model: Model) -> Option<String> {
    let task = Task { program, model, options: Options::default() };
    Ltl.certificate(&task, &mut Context::quiet(Meter::unlimited())).ok()
}

#[test]
fn formulae_of_the_corpus_that_hold_are_certified_and_no_others() {
    let (mut held, mut violated) = (0, 0);
    for entry in entries() {
        for expectation in &entry.temporal {
            let program = with(&entry.program, &expectation.property);
            for (model, verdict) in &expectation.expected {
                let name = format!("{}, {} under {}", entry.name, expectation.property.text, model.name());
                let written = certificate(&program, *model);
                if *verdict != ExpectedVerdict::Holds {
                    assert_eq!(written, None, "{name}");
                    violated += 1;
                    continue;
                }
                let text = written.unwrap_or_else(|| panic!("{name}: no certificate"));
                let proof = verify_states(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
                assert_eq!((&proof.program, proof.model), (&program, *model), "{name}");
                held += 1;
            }
        }
    }
    assert!(held > 20 && violated > 15, "{held}, {violated}");
}

#[test]
fn a_certificate_that_was_changed_is_refused() {
    let entries = entries();
    let entry =
        entries.iter().find(|entry| entry.name == "liveness/lost-wakeup-fenced").expect("it is there");
    let property = &entry.temporal[0].property;
    let text = certificate(&with(&entry.program, property), Model::Pso).expect("it holds");
    let whole: Value = serde_json::from_str(unsealed(&text).0).expect("JSON");
    let check = |value: &Value| verify_states(&seal(&value.to_string()));
    assert!(check(&whole).is_ok());
    for nth in 0..whole["states"].as_array().expect("states").len() {
        let mut less = whole.clone();
        less["states"].as_array_mut().expect("states").remove(nth);
        assert!(matches!(check(&less), Err(NotAProof::Missing(_))), "state {nth}: {:?}", check(&less));
    }
}

/// The same states, with something said of their executions that the corpus says is not so.
#[test]
fn what_the_states_do_not_prove_is_refused() {
    let entries = entries();
    let entry = entries.iter().find(|entry| entry.name == "liveness/peterson").expect("it is there");
    let property = &entry.temporal[0].property;
    let text = certificate(&with(&entry.program, property), Model::Tso).expect("it holds");
    let whole: Value = serde_json::from_str(unsealed(&text).0).expect("JSON");
    let said = |change: &dyn Fn(&mut Temporal)| {
        let mut changed = property.clone();
        change(&mut changed);
        let mut value = whole.clone();
        value["program"] = fencewright_ir::text::print(&with(&entry.program, &changed)).into();
        verify_states(&seal(&value.to_string())).map(|proof| proof.size)
    };
    assert!(said(&|_| {}).is_ok());
    let negated = |property: &mut Temporal| {
        let Claim::Formula(formula) = &mut property.claim else { panic!("a formula") };
        *formula = Formula::Not(Box::new(formula.clone()));
    };
    assert!(matches!(said(&negated), Err(NotAProof::Violation(_))), "{:?}", said(&negated));
    let never_flushed = |property: &mut Temporal| property.fairness.flush = false;
    assert!(matches!(said(&never_flushed), Err(NotAProof::Violation(_))), "{:?}", said(&never_flushed));
    let left_waiting = |property: &mut Temporal| property.fairness.process = false;
    assert!(matches!(said(&left_waiting), Err(NotAProof::Violation(_))), "{:?}", said(&left_waiting));
}
