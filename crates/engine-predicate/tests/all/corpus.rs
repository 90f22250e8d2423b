//! The corpus: no verdict contradicts an expectation, and what is left open is known by name.

use std::path::PathBuf;

use fencewright_base::{Budget, CancelToken, Meter};
use fencewright_engine::{Context, Guarantee, Options, Task, Unknown, Verdict, run};
use fencewright_engine_predicate::Predicate;
use fencewright_ir::Program;
use fencewright_memory::Model;
use fencewright_testkit::corpus::{ExpectedVerdict, load};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

/// `h` proved, `v` violated, `s` stopped, `i` imprecise.
fn ask(program: &Program, model: Model, states: u64) -> char {
    let budget = Budget { states: Some(states), ..Budget::default() };
    let mut context = Context::quiet(Meter::start(budget, CancelToken::new()));
    let task = Task { program, model, options: Options::default() };
    match run(&Predicate::new(), &task, &mut context).expect("the trace replays").verdict {
        Verdict::Holds(Guarantee::Unbounded) => 'h',
        Verdict::Violated(_) => 'v',
        Verdict::Unknown(Unknown::Stopped { .. }) => 's',
        Verdict::Unknown(Unknown::Imprecise) => 'i',
        other => panic!("{other:?}"),
    }
}

#[test]
fn no_verdict_contradicts_an_expectation() {
    let mut imprecise = Vec::new();
    let mut stopped = Vec::new();
    let mut answered = 0;
    for entry in load(&root()).expect("the corpus loads") {
        // Rendezvous, committed states and direct variables are not for this engine either.
        if entry.program.properties.iter().any(|property| property.is_temporal())
            || fencewright_ir::first_extension(&entry.program).is_some()
        {
            continue;
        }
        let integers = entry.name.contains("unbounded") || entry.name.starts_with("integers/");
        for (model, expectation) in &entry.expected {
            let Some(expected) = expectation.verdict else { continue };
            if *model == Model::Slot || !model.is_operational() {
                continue;
            }
            let place = format!("{} under {}", entry.name, model.name());
            let states = if integers { 20_000 } else { 2_000 };
            match (ask(&entry.program, *model, states), expected) {
                ('h', ExpectedVerdict::Holds) | ('v', ExpectedVerdict::Violated) => answered += 1,
                ('h' | 'v', _) => panic!("{place}: {expected:?} is expected"),
                ('s', _) if integers => stopped.push(place),
                ('i', _) => imprecise.push(place),
                _ => {}
            }
        }
    }
    assert!(answered > 250, "{answered}");
    assert_eq!(stopped, [] as [&str; 0], "programs over the integers that take too many states");
    // A value masked with 0: bits are no differences.
    let masked = ["sc", "tso", "pso"].map(|model| format!("rmo/S+sfence+data under {model}"));
    assert_eq!(imprecise, masked, "programs that this engine cannot decide");
}
