//! DVE models: the tool's two machines against an interpreter of the tree, by counts of states and transitions.

mod interpreter;

use std::path::Path;

use fencewright_base::{Budget, CancelToken, Meter, SourceMap};
use fencewright_engine::{Context, Options, Statistics, Task, Verdict, run};
use fencewright_engine_explicit::Explicit;
use fencewright_frontend::dve;
use fencewright_ir::Program;
use fencewright_memory::{Machine, Model};
use fencewright_testkit::generate::{Rng, dve as generate};
use fencewright_testkit::reference::{Limits, explore};

use self::interpreter::{Counts, Interpreter};

/// As many states as the interpreter, which copies names, walks in no time.
const STATES: usize = 5_000;

fn program(text: &str) -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add("model.dve", text);
    let loaded =
        (dve::LANGUAGE.load)(&sources, file).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"));
    loaded.program
}

/// What the interpreter counts; nothing for a model of more than [`STATES`].
fn interpreted(text: &str) -> Option<Counts> {
    let mut sources = SourceMap::new();
    let file = sources.add("model.dve", text);
    let model = dve::parse(&sources, file).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"));
    Interpreter::new(&model).explore(STATES)
}

fn meter() -> Meter {
    Meter::start(Budget { time: None, memory: None, states: Some(500_000) }, CancelToken::new())
}

fn explicit(program: &Program, model: Model, reduction: bool) -> (bool, Statistics) {
    let task = Task { program, model, options: Options { reduction, ..Options::default() } };
    let mut context = Context::quiet(meter());
    let answer = run(&Explicit, &task, &mut context).expect("the gate lets the answer pass");
    let violated = match answer.verdict {
        Verdict::Violated(_) => true,
        Verdict::Holds(_) => false,
        Verdict::Unknown(unknown) => panic!("no answer: {unknown:?}"),
    };
    (violated, answer.statistics)
}

/// The tool's two machines against the interpreter, for a model that is small enough.
fn agree(text: &str) -> Option<Counts> {
    let expected = interpreted(text)?;
    let program = program(text);
    let (violated, statistics) = explicit(&program, Model::Sc, false);
    let errors = statistics.error_states.expect("the plain graph was walked");
    let found = Counts { states: statistics.states, transitions: statistics.transitions, violated };
    assert_eq!(found, expected, "engine explicit, without reduction, and the interpreter, on\n{text}");
    let machine = Machine::new(&program, Model::Sc);
    let graph = explore(&machine, &Limits::buffer(1), &meter()).expect("it is small");
    assert_eq!(graph.states.len() as u64 + errors, expected.states, "the reference semantics on\n{text}");
    assert_eq!(graph.transitions, expected.transitions, "the reference semantics on\n{text}");
    assert_eq!(graph.violation.is_some(), expected.violated, "the reference semantics on\n{text}");
    let (violated, _) = explicit(&program, Model::Sc, true);
    assert_eq!(violated, expected.violated, "engine explicit, with reduction, on\n{text}");
    Some(expected)
}

#[test]
fn generated_models_have_the_counts_of_the_interpreter() {
    let mut rng = Rng::new(7);
    let mut compared = 0;
    let mut violated = 0;
    let mut large = 0;
    for _ in 0..300 {
        let Some(counts) = agree(&generate::model(&mut rng, true, generate::LARGE)) else { continue };
        compared += 1;
        violated += usize::from(counts.violated);
        large += usize::from(counts.states > 20);
    }
    assert!(compared >= 250, "only {compared} of 300 models are small enough");
    assert!((30..compared - 30).contains(&violated), "{violated} of {compared} models violate something");
    assert!(large > 50, "only {large} of {compared} models have more than 20 states");
}

/// `system sync`: the front end makes one thread of all processes, the interpreter lets them move.
#[test]
fn generated_models_in_lock_step_have_the_counts_of_the_interpreter() {
    let mut rng = Rng::new(17);
    let (mut compared, mut violated, mut large) = (0, 0, 0);
    for _ in 0..100 {
        let text = generate::model(&mut rng, false, generate::LARGE);
        let text = text.replace("system async;", "system sync;");
        let Some(counts) = agree(&text) else { continue };
        compared += 1;
        violated += usize::from(counts.violated);
        large += usize::from(counts.states > 8);
        // Nothing is pending in lock step: every model counts the same.
        let program = program(&text);
        let [sc, pso] = [Model::Sc, Model::Pso].map(|model| explicit(&program, model, false).1);
        assert_eq!((sc.states, sc.transitions), (pso.states, pso.transitions), "{text}");
    }
    assert!(compared >= 90, "only {compared} of 100 models are small enough");
    assert!((10..compared - 10).contains(&violated), "{violated} of {compared} models violate something");
    assert!(large > 10, "only {large} of {compared} models have more than 8 states");
}

#[test]
fn under_store_buffers_the_engine_is_the_reference_semantics() {
    let mut rng = Rng::new(11);
    for _ in 0..120 {
        let text = generate::model(&mut rng, true, generate::SMALL);
        let program = program(&text);
        for model in [Model::Slot, Model::Tso, Model::Pso] {
            let task = Task {
                program: &program,
                model,
                options: Options { reduction: false, buffer: Some(2), ..Options::default() },
            };
            let mut context = Context::quiet(meter());
            let answer = run(&Explicit, &task, &mut context).expect("the gate lets the answer pass");
            let machine = Machine::new(&program, model);
            let Ok(graph) = explore(&machine, &Limits::buffer(2), &meter()) else { continue };
            assert_eq!(answer.statistics.transitions, graph.transitions, "{} on\n{text}", model.name());
            assert_eq!(matches!(answer.verdict, Verdict::Violated(_)), graph.violation.is_some(), "{text}");
        }
    }
}

/// The exported model under SC, by the interpreter, against the model Slot on the original.
#[test]
fn an_exported_model_has_the_states_of_slot() {
    let mut rng = Rng::new(13);
    let mut compared = 0;
    for _ in 0..150 {
        let text = generate::model(&mut rng, false, generate::SMALL);
        let program = program(&text);
        let (violated, statistics) = explicit(&program, Model::Slot, false);
        let Ok(exported) = dve::with_store_buffers(&program) else { continue };
        // A step that has no meaning cannot be written as a transition; an assertion is left out.
        if violated || statistics.states > STATES as u64 {
            continue;
        }
        let Some(counts) = interpreted(&exported) else { continue };
        assert_eq!(counts.states, statistics.states, "{text}\nexported as\n{exported}");
        compared += 1;
    }
    assert!(compared >= 20, "only {compared} models could be compared");
}

#[test]
fn corpus_models_have_the_counts_of_the_interpreter() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/dve");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).expect("the corpus has a folder for DVE") {
        let path = entry.expect("the folder can be read").path();
        let name = path.file_name().expect("a folder has a name").to_string_lossy().into_owned();
        let text =
            std::fs::read_to_string(path.join(format!("{name}.dve"))).expect("a model has its folder's name");
        agree(&text).expect("a model of the corpus is small");
        seen += 1;
    }
    assert!(seen >= 5, "only {seen} models");
}
