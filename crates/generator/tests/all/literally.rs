//! The ends of programs as the literal machine sees them: with the standard library of Rust, and with every instruction a step.
//! Expected sets are those of the litmus test SB.

use std::time::Duration;

use fencewright_generator::Language;
use fencewright_generator::allowed::{Allowed, Answer, Subject};
use fencewright_generator::library::Library;
use fencewright_generator::literal::Literal;
use fencewright_generator::tree::{Order, Program};
use fencewright_memory::Model;

use crate::compilers;
use crate::outcomes::{set, store_buffering};

const TIME: Duration = Duration::from_secs(120);

/// What a reading, made with the library if there is one, says of a program.
fn answers(
    program: &Program,
    language: Language,
    reading: &dyn Fn(Option<Library>) -> Literal,
    models: &[Model],
) -> Option<Vec<Answer>> {
    let compilers = compilers(language)?;
    let library = (language == Language::Rust).then(|| Library::new(&compilers).expect("it compiles"));
    let source = program.render(language);
    let ir = compilers.ir(language, std::slice::from_ref(&source)).remove(0).expect("it compiles");
    let subject = Subject { language, source: &source, ir: &ir, n_out: program.out.len() };
    let mut reading = reading(library);
    Some(models.iter().map(|model| reading.ends(&subject, *model)).collect())
}

#[test]
fn threads_of_the_standard_library_are_executed() {
    // `thread::spawn` and `join`: the crate's own IR has neither the library's start of threads nor its end of them.
    let program = Program { uses_posix: false, ..store_buffering(Order::Relaxed) };
    let reading = |library| Literal::new(library, TIME);
    let Some(answers) = answers(&program, Language::Rust, &reading, &[Model::Sc]) else { return };
    assert_eq!(answers, [set(&[[0, 1], [1, 0], [1, 1]])]);
}

#[test]
fn every_instruction_can_be_a_step() {
    let program = store_buffering(Order::Relaxed);
    let reading = |library| Literal::new(library, TIME).without_reduction();
    let Some(answers) = answers(&program, Language::C, &reading, &[Model::Sc, Model::Tso]) else { return };
    assert_eq!(answers[0], set(&[[0, 1], [1, 0], [1, 1]]));
    assert_eq!(answers[1], set(&[[0, 0], [0, 1], [1, 0], [1, 1]]));
}
