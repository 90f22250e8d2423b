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
fn every_program_is_decided_as_expected_or_known_to_be_open() {
    let mut open = Vec::new();
    let mut answered = 0;
    for entry in load(&root()).expect("the corpus loads") {
        for (model, expectation) in &entry.expected {
            let Some(expected) = expectation.verdict else { continue };
            if *model == Model::Slot || entry.program.properties.iter().any(|property| property.is_temporal()) {
                continue;
            }
            let place = format!("{} under {}", entry.name, model.name());
            let start = std::time::Instant::now();
            match (ask(&entry.program, *model, 30_000), expected) {
                ('h', ExpectedVerdict::Holds) | ('v', ExpectedVerdict::Violated) => answered += 1,
                ('h' | 'v', _) => panic!("{place}: {expected:?} is expected"),
                (letter, _) => open.push(format!("{letter} {place}")),
            }
            if start.elapsed().as_secs_f64() > 0.5 { eprintln!("{place} {:?}", start.elapsed()); }
        }
    }
    eprintln!("{answered}");
    let expected: [&str; 0] = [];
    assert_eq!(open, expected);
    assert!(answered > 200, "{answered}");
}
