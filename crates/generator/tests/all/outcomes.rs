//! The ends of programs as the lowered path sees them, and as the processor does. Expected sets are those of the litmus tests.

use std::collections::BTreeSet;
use std::time::Duration;

use fencewright_generator::allowed::{Allowed, Answer, Ends, Subject, disagree};
use fencewright_generator::lowered::Lowered;
use fencewright_generator::native::{Seen, outside, run};
use fencewright_generator::tree::{
    Comparison, Condition, Expr, Fault, Global, Group, Initial, IntType, Local, Order, Place, Program, Root,
    Routine, Statement, Type,
};
use fencewright_generator::{Language, is_valid};
use fencewright_memory::Model;

use crate::compilers;

fn global(number: usize) -> Place {
    Place { root: Root::Global(number), path: Vec::new() }
}

fn local(number: usize) -> Place {
    Place { root: Root::Local(number), path: Vec::new() }
}

fn one() -> Expr {
    Expr::Constant(IntType::U32, 1)
}

/// SB: each of two threads writes its variable and reads the other's; what they read is the outcome.
pub(crate) fn store_buffering(order: Order) -> Program {
    let number = |ty: Type| Local { ty, initial: Initial::Numbers(Vec::new()) };
    let thread = |own: usize, other: usize| Group {
        routine: Routine {
            n_parameters: 1,
            locals: vec![number(Type::Int(IntType::U32)), number(Type::Int(IntType::U32))],
            body: vec![
                Statement::AtomicStore(global(own), one(), order),
                Statement::Store(local(1), Expr::AtomicLoad(global(other), order)),
            ],
            result: Some(Expr::Load(local(1))),
        },
        count: 1,
        in_loop: false,
        by_address: false,
    };
    let variable =
        Global { ty: Type::Atomic(IntType::U32), is_volatile: false, initial: Initial::Numbers(Vec::new()) };
    Program {
        globals: vec![variable.clone(), variable],
        groups: vec![thread(0, 1), thread(1, 0)],
        out: vec![Expr::Joined(0), Expr::Joined(1)],
        uses_posix: true,
        ..Program::default()
    }
}

fn ends(program: &Program, language: Language, model: Model) -> Option<Answer> {
    let compilers = compilers(language)?;
    assert!(is_valid(program));
    let source = program.render(language);
    let ir = compilers.ir(language, std::slice::from_ref(&source)).remove(0).expect("it compiles");
    let subject = Subject { language, source: &source, ir: &ir, n_out: program.out.len() };
    Some(Lowered::new(true).ends(&subject, model))
}

pub(crate) fn set(outcomes: &[[i64; 2]]) -> Answer {
    let outcomes = outcomes.iter().map(|values| values.to_vec()).collect();
    Answer::Ends(Ends { outcomes, faults: false })
}

#[test]
pub(crate) fn store_buffering_has_its_four_outcomes_where_writes_wait() {
    let relaxed = store_buffering(Order::Relaxed);
    for language in Language::ALL {
        let Some(under_sc) = ends(&relaxed, language, Model::Sc) else { continue };
        assert_eq!(under_sc, set(&[[0, 1], [1, 0], [1, 1]]), "{language:?}");
        let under_tso = ends(&relaxed, language, Model::Tso).expect("it was there");
        assert_eq!(under_tso, set(&[[0, 0], [0, 1], [1, 0], [1, 1]]), "{language:?}");
        let strong = ends(&store_buffering(Order::SeqCst), language, Model::Tso).expect("it was there");
        assert_eq!(strong, set(&[[0, 1], [1, 0], [1, 1]]), "{language:?}");
    }
}

#[test]
fn a_value_that_no_execution_changes_is_part_of_the_outcome() {
    let mut program = store_buffering(Order::Relaxed);
    program.out = vec![Expr::Constant(IntType::U32, 0), Expr::Constant(IntType::U32, 7)];
    if let Some(answer) = ends(&program, Language::C, Model::Pso) {
        assert_eq!(answer, set(&[[0, 7]]));
    }
}

#[test]
fn an_assertion_about_both_results_fails_under_tso_only() {
    let mut program = store_buffering(Order::Relaxed);
    let is_one = |thread| Condition::Compare(Comparison::Eq, Expr::Joined(thread), one());
    let either = Condition::Or(Box::new(is_one(0)), Box::new(is_one(1)));
    program.afterwards = vec![Statement::Fault(Fault::Assert(either))];
    for (model, expected) in [(Model::Sc, false), (Model::Tso, true), (Model::Pso, true)] {
        match ends(&program, Language::C, model) {
            Some(Answer::Ends(ends)) => assert_eq!(ends.faults, expected, "{model:?}"),
            Some(other) => panic!("{other:?}"),
            None => {}
        }
    }
}

#[test]
fn the_processor_shows_what_is_allowed() {
    for language in Language::ALL {
        let Some(compilers) = compilers(language) else { continue };
        let native = compilers.native().expect("the runtime compiles");
        let program = store_buffering(Order::SeqCst);
        let executable = native.build(language, &program.render(language)).expect("it compiles");
        let seen = run(&executable, 50, 1, Duration::from_secs(30)).expect("it runs");
        assert_eq!(seen.outcomes.values().sum::<u64>() + seen.stuck(), 50, "{seen:?}");
        let allowed = set(&[[0, 1], [1, 0], [1, 1]]);
        assert_eq!(outside(&seen, &allowed), None, "{language:?}: {seen:?}");
        // Every run has an outcome, so some run is outside if none is allowed.
        assert!(outside(&seen, &set(&[])).is_some());
    }
}

#[test]
fn a_run_that_fails_is_seen() {
    let Some(compilers) = compilers(Language::C) else { return };
    let mut program = store_buffering(Order::Relaxed);
    let never = Condition::Nonzero(Expr::Constant(IntType::U32, 0));
    program.afterwards = vec![Statement::Fault(Fault::Assert(never))];
    let native = compilers.native().expect("the runtime compiles");
    let executable = native.build(Language::C, &program.render(Language::C)).expect("it compiles");
    let seen = run(&executable, 3, 0, Duration::from_secs(30)).expect("it runs");
    let abort = 6;
    assert_eq!(seen, Seen { outcomes: [].into(), ended: [(abort, 3)].into() });
    assert!(outside(&seen, &set(&[[0, 0]])).is_some());
}

#[test]
fn refusals_and_limits_are_no_disagreement() {
    let some = set(&[[0, 1]]);
    assert!(!disagree(&some, &Answer::Refused(String::new())));
    assert!(!disagree(&Answer::Unknown(String::new()), &some));
    assert!(disagree(&some, &Answer::Broken(String::new())));
    assert!(disagree(&some, &set(&[[0, 1], [1, 1]])));
    // Behind an error only the error counts.
    let failing = |outcomes| Answer::Ends(Ends { outcomes, faults: true });
    assert!(disagree(&some, &failing(BTreeSet::from([vec![0, 1]]))));
    assert!(!disagree(&failing(BTreeSet::new()), &failing(BTreeSet::from([vec![0, 1]]))));
}
