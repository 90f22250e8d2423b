//! The corpus: wherever the data is finite the engine decides, and no verdict contradicts an expectation.

use std::path::PathBuf;

use fencewright_base::{Budget, CancelToken, Meter};
use fencewright_engine::{Context, Guarantee, Options, Task, Unknown, Verdict, run};
use fencewright_engine_wsts::Wsts;
use fencewright_ir::Program;
use fencewright_memory::Model;
use fencewright_testkit::corpus::{ExpectedVerdict, load};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

/// `h` proved, `v` violated, `s` stopped, `u` not supported.
fn ask(program: &Program, model: Model, states: u64) -> char {
    let budget = Budget { states: Some(states), ..Budget::default() };
    let mut context = Context::quiet(Meter::start(budget, CancelToken::new()));
    let task = Task { program, model, options: Options::default() };
    match run(&Wsts::new(), &task, &mut context).expect("the trace replays").verdict {
        Verdict::Holds(Guarantee::Unbounded) => 'h',
        Verdict::Violated(_) => 'v',
        Verdict::Unknown(Unknown::Stopped { .. }) => 's',
        Verdict::Unknown(Unknown::Unsupported { .. }) => 'u',
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_program_of_finite_data_is_decided_as_expected() {
    let mut open = Vec::new();
    let mut answered = 0;
    for entry in load(&root()).expect("the corpus loads") {
        // Rendezvous, committed states and direct variables are not for this engine.
        if fencewright_ir::first_extension(&entry.program).is_some() {
            continue;
        }
        if entry.name.starts_with("integers/") {
            continue; // Data without bound is another engine's.
        }
        for (model, expectation) in &entry.expected {
            let Some(expected) = expectation.verdict else { continue };
            if *model == Model::Slot || !model.is_operational() {
                continue;
            }
            let place = format!("{} under {}", entry.name, model.name());
            match (ask(&entry.program, *model, 100_000), expected) {
                ('h', ExpectedVerdict::Holds) | ('v', ExpectedVerdict::Violated) => answered += 1,
                ('h' | 'v', _) => panic!("{place}: {expected:?} is expected"),
                (letter, _) => open.push(format!("{letter} {}", entry.name)),
            }
        }
    }
    open.dedup();
    // Tickets and counters without end, and one that takes more configurations than a test should.
    let expected = [
        "u dve/overflow",
        "u locks/ticket-unbounded",
        "u mutex/bakery-unbounded",
        "u mutex/bakery-unbounded-pso",
        "s mutex/dijkstra-3",
        "u protocols/incrementing-sequence-unbounded",
    ];
    assert_eq!(open, expected);
    assert!(answered > 200, "{answered}");
}
