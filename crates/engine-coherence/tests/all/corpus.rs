//! The corpus: which abstraction proves what, and that no verdict of the engine contradicts an expectation.

use std::path::PathBuf;

use fencewright_base::{Budget, CancelToken, Meter};
use fencewright_engine::{Context, Guarantee, Options, Task, Unknown, Verdict, run};
use fencewright_engine_coherence::{Abstraction, Coherence};
use fencewright_ir::Program;
use fencewright_memory::Model;
use fencewright_testkit::corpus::{ExpectedVerdict, load, load_program};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

/// The verdict in a letter: `h` proved, `v` violated, `i` imprecise, `s` stopped.
fn ask(engine: &Coherence, program: &Program, model: Model, states: u64) -> char {
    let budget = Budget { states: Some(states), ..Budget::default() };
    let mut context = Context::quiet(Meter::start(budget, CancelToken::new()));
    let task = Task { program, model, options: Options::default() };
    match run(engine, &task, &mut context).expect("the trace replays").verdict {
        Verdict::Holds(Guarantee::Unbounded) => 'h',
        Verdict::Violated(_) => 'v',
        Verdict::Unknown(Unknown::Imprecise) => 'i',
        Verdict::Unknown(Unknown::Stopped { .. }) => 's',
        other => panic!("{other:?}"),
    }
}

/// What Set, FD 0, FD 1, FD 2, PD 0, PD 1 and PD 2 say.
fn row(program: &str, model: Model) -> String {
    let (_, name) = program.split_once('/').expect("a family and a name");
    let path = root().join(program).join(format!("{name}.rmm"));
    let loaded = load_program(&path).expect("the program loads");
    let abstractions = [
        Abstraction::Set,
        Abstraction::Fd(0),
        Abstraction::Fd(1),
        Abstraction::Fd(2),
        Abstraction::Pd(0),
        Abstraction::Pd(1),
        Abstraction::Pd(2),
    ];
    abstractions.iter().map(|&with| ask(&Coherence::new(with), &loaded, model, 200_000)).collect()
}

/// Explicit search has only bounds for these. MCS under PSO needs one write in order.
#[test]
fn programs_with_unbounded_buffers_are_proved() {
    assert_eq!(row("mutex/burns-pso", Model::Tso), "ihhhhhh");
    assert_eq!(row("mutex/burns-pso", Model::Pso), "ihhhhhh");
    assert_eq!(row("mutex/dijkstra-pso", Model::Tso), "ihhhhhh");
    assert_eq!(row("mutex/dijkstra-pso", Model::Pso), "ihhhhhh");
    assert_eq!(row("locks/mcs", Model::Pso), "iihhihh");
}

#[test]
fn peterson_is_proved_with_its_fences_and_refuted_without() {
    assert_eq!(row("mutex/peterson-pso", Model::Tso), "ihhhhhh");
    assert_eq!(row("mutex/peterson-pso", Model::Pso), "ihhhhhh");
    assert_eq!(row("mutex/peterson", Model::Tso), "vvvvvvv");
    assert_eq!(row("mutex/peterson", Model::Pso), "vvvvvvv");
}

/// Table 1 of the paper, PSO: sets prove none of the fenced programs, FD 1 proves all, and FD 0 all but Lamport's fast
/// mutex and the CLH lock.
#[test]
fn the_papers_table_of_verification_comes_out() {
    for (program, expected) in [
        ("Sense1", "ihh"),
        ("Pet2", "ihh"),
        ("Dek2", "ihh"),
        ("Lam2", "ihh"),
        ("Fast3", "iih"),
        ("CLH2", "iih"),
    ] {
        let found = row(&format!("pldi2011/{program}"), Model::Pso);
        assert_eq!(found[..3], *expected, "{program} with Set, FD 0 and FD 1");
    }
}

/// The alternating bit repeats itself without waiting: its safety rests on the order of arbitrarily many writes, of
/// which at most two in a buffer differ.
#[test]
fn runs_of_equal_writes_keep_the_order_that_the_alternating_bit_needs() {
    for model in [Model::Tso, Model::Pso] {
        assert_eq!(row("protocols/alternating-bit", model), "iiiiiii");
        let path = root().join("protocols/alternating-bit/alternating-bit.rmm");
        let program = load_program(&path).expect("the program loads");
        let with = |k| ask(&Coherence::new(Abstraction::Runs(k)), &program, model, 200_000);
        assert_eq!([with(1), with(2)], ['i', 'h']);
    }
}

/// Every program of the corpus, with growing heads. Those without an answer have unbounded data: the search does not end.
fn no_expectation_is_contradicted(under: Model) {
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
            if *model != under {
                continue;
            }
            let place = format!("{} under {}", entry.name, model.name());
            match (ask(&Coherence::growing(), &entry.program, *model, 200_000), expected) {
                ('h', ExpectedVerdict::Holds) | ('v', ExpectedVerdict::Violated) => answered += 1,
                ('h' | 'v', _) => panic!("{place}: {expected:?} is expected"),
                _ => open.push(entry.name.clone()),
            }
        }
    }
    let expected =
        ["locks/ticket-unbounded", "mutex/bakery-unbounded-pso", "protocols/incrementing-sequence-unbounded"];
    assert_eq!(open, expected);
    assert!(answered > 50, "{answered}");
}

#[test]
fn no_expectation_under_tso_is_contradicted() {
    no_expectation_is_contradicted(Model::Tso);
}

#[test]
fn no_expectation_under_pso_is_contradicted() {
    no_expectation_is_contradicted(Model::Pso);
}
