//! The ends of programs as the literal machine sees them. Expected sets are those of the litmus test SB.

use std::time::Duration;

use fencewright_generator::Language;
use fencewright_generator::allowed::{Allowed, Answer, Subject};
use fencewright_generator::footprints::{Plan, Reference, compare};
use fencewright_generator::library::Library;
use fencewright_generator::literal::Literal;
use fencewright_generator::tree::{Order, Program};
use fencewright_memory::Model;

use crate::compilers;
use crate::outcomes::{set, store_buffering};

const TIME: Duration = Duration::from_secs(120);

/// What the literal machine says of a program.
fn answers(program: &Program, language: Language, models: &[Model]) -> Option<Vec<Answer>> {
    let compilers = compilers(language)?;
    let library = (language == Language::Rust).then(|| Library::new(&compilers).expect("it compiles"));
    let source = program.render(language);
    let ir = compilers.ir(language, std::slice::from_ref(&source)).remove(0).expect("it compiles");
    let subject = Subject { language, source: &source, ir: &ir, n_out: program.out.len() };
    let mut reading = Literal::new(library, TIME).copying_in_order();
    Some(models.iter().map(|model| reading.ends(&subject, *model)).collect())
}

#[test]
fn threads_of_the_standard_library_are_executed() {
    // `thread::spawn` and `join`: the crate's own IR has neither the library's start of threads nor its end of them.
    let program = Program { uses_posix: false, ..store_buffering(Order::Relaxed) };
    let Some(answers) = answers(&program, Language::Rust, &[Model::Sc]) else { return };
    assert_eq!(answers, [set(&[[0, 1], [1, 0], [1, 1]])]);
}

#[test]
fn store_buffering_has_its_outcomes() {
    let program = store_buffering(Order::Relaxed);
    let Some(answers) = answers(&program, Language::C, &[Model::Sc, Model::Tso]) else { return };
    assert_eq!(answers[0], set(&[[0, 1], [1, 0], [1, 1]]));
    assert_eq!(answers[1], set(&[[0, 0], [0, 1], [1, 0], [1, 1]]));
}

#[test]
fn searches_of_handshakes_agree() {
    for (reference, programs) in [(Reference::AllContested, 60), (Reference::EveryInstruction, 10)] {
        let plan = Plan { reference, seed: 7, programs, jobs: 2, time: None, enough: 1 };
        let summary = compare(&plan);
        assert_eq!(summary.finding, None);
        assert!(summary.compared > 2 * programs, "{reference:?}: {} compared", summary.compared);
    }
}
