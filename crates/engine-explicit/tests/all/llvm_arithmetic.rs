//! Arithmetic of LLVM IR against Rust's own: every operation on 8-bit integers, on values that are not constant. A value
//! is either arbitrary, or one of a few that another thread wrote, so that both ways of lowering are taken.

use std::fmt::Write;

use fencewright_base::{Meter, SourceMap};
use fencewright_engine::{Context, Guarantee, Options, Task, Verdict, run};
use fencewright_engine_explicit::Explicit;
use fencewright_frontend::llvm;
use fencewright_memory::Model;

const SAMPLES: [i8; 8] = [0, 1, 2, 7, 127, -128, -1, -3];

/// What an operation gives; nothing where LLVM leaves it undefined.
type Operation = (&'static str, fn(i8, i8) -> Option<i8>);

const OPERATIONS: [Operation; 13] = [
    ("add", |a, b| Some(a.wrapping_add(b))),
    ("sub", |a, b| Some(a.wrapping_sub(b))),
    ("mul", |a, b| Some(a.wrapping_mul(b))),
    ("sdiv", |a, b| a.checked_div(b)),
    ("srem", |a, b| a.checked_rem(b)),
    ("udiv", |a, b| (a as u8).checked_div(b as u8).map(|q| q as i8)),
    ("urem", |a, b| (a as u8).checked_rem(b as u8).map(|q| q as i8)),
    ("and", |a, b| Some(a & b)),
    ("or", |a, b| Some(a | b)),
    ("xor", |a, b| Some(a ^ b)),
    ("shl", |a, b| (0..8).contains(&b).then(|| a << b)),
    ("lshr", |a, b| (0..8).contains(&b).then(|| ((a as u8) >> b) as i8)),
    ("ashr", |a, b| (0..8).contains(&b).then(|| a >> b)),
];

/// Whether a comparison holds.
type Comparison = (&'static str, fn(i8, i8) -> bool);

const COMPARISONS: [Comparison; 10] = [
    ("eq", |a, b| a == b),
    ("ne", |a, b| a != b),
    ("slt", |a, b| a < b),
    ("sle", |a, b| a <= b),
    ("sgt", |a, b| a > b),
    ("sge", |a, b| a >= b),
    ("ult", |a, b| (a as u8) < b as u8),
    ("ule", |a, b| a as u8 <= b as u8),
    ("ugt", |a, b| a as u8 > b as u8),
    ("uge", |a, b| a as u8 >= b as u8),
];

/// A program that asserts `compute` to give the expected result for each sample of `%a`, as an i32 in `%r`.
fn module(arbitrary: bool, compute: &str, expected: &[(i8, i32)]) -> String {
    let source = if arbitrary { "call i8 @__VERIFIER_nondet_char()" } else { "load i8, ptr @x" };
    let mut text = "@x = global i8 0
declare i8 @__VERIFIER_nondet_char()
declare void @abort()
define void @second() {
"
    .to_owned();
    for sample in SAMPLES {
        writeln!(text, "  store i8 {sample}, ptr @x").expect("strings take anything");
    }
    writeln!(text, "  ret void\n}}\ndefine void @first() {{\n  %a = {source}\n{compute}")
        .expect("strings take anything");
    writeln!(text, "  switch i8 %a, label %done [").expect("strings take anything");
    for (i, (sample, _)) in expected.iter().enumerate() {
        writeln!(text, "    i8 {sample}, label %case{i}").expect("strings take anything");
    }
    text.push_str("  ]\n");
    for (i, (_, result)) in expected.iter().enumerate() {
        writeln!(
            text,
            "case{i}:\n  %right{i} = icmp eq i32 %r, {result}\n  br i1 %right{i}, label %done, label %wrong"
        )
        .expect("strings take anything");
    }
    text.push_str("wrong:\n  call void @abort()\n  unreachable\ndone:\n  ret void\n}\n");
    text
}

/// Whether no assertion of the program fails.
fn holds(text: &str) -> bool {
    let mut sources = SourceMap::new();
    let ir = sources.add("arithmetic.ll", text);
    let options =
        llvm::Options { entries: vec!["first".to_owned(), "second".to_owned()], ..llvm::Options::default() };
    let unit =
        llvm::Unit { sources: &sources, ir, places: None, options: &options, meter: Meter::unlimited() };
    let program = llvm::load(&unit).unwrap_or_else(|problems| panic!("{problems:#?}\nin\n{text}")).program;
    let task = Task { program: &program, model: Model::Sc, options: Options::default() };
    let answer = run(&Explicit, &task, &mut Context::quiet(Meter::unlimited())).expect("the trace replays");
    match answer.verdict {
        Verdict::Holds(Guarantee::Unbounded) => true,
        Verdict::Violated(_) => false,
        other => panic!("{other:?} for\n{text}"),
    }
}

fn assert_gives(compute: &str, result: &dyn Fn(i8) -> Option<i32>) {
    let expected: Vec<(i8, i32)> = SAMPLES.iter().filter_map(|&a| Some((a, result(a)?))).collect();
    for arbitrary in [true, false] {
        let text = module(arbitrary, compute, &expected);
        assert!(holds(&text), "{text}");
    }
}

#[test]
fn operations_are_those_of_the_machine() {
    for (name, compute) in OPERATIONS {
        for b in SAMPLES {
            // Where there is no result, that is a violation of its own.
            if compute(1, b).is_none() || compute(i8::MIN, b).is_none() {
                continue;
            }
            let text = format!("  %q = {name} i8 %a, {b}\n  %r = sext i8 %q to i32");
            assert_gives(&text, &|a| compute(a, b).map(i32::from));
        }
    }
}

#[test]
fn comparisons_are_those_of_the_machine() {
    for (name, compare) in COMPARISONS {
        for b in SAMPLES {
            let text = format!("  %q = icmp {name} i8 %a, {b}\n  %r = zext i1 %q to i32");
            assert_gives(&text, &|a| Some(compare(a, b).into()));
        }
    }
}

#[test]
fn casts_are_those_of_the_machine() {
    assert_gives("  %r = sext i8 %a to i32", &|a| Some(a.into()));
    assert_gives("  %r = zext i8 %a to i32", &|a| Some((a as u8).into()));
    assert_gives("  %q = trunc i8 %a to i3\n  %r = zext i3 %q to i32", &|a| Some((a as u8 & 7).into()));
    assert_gives("  %q = trunc i8 %a to i1\n  %r = sext i1 %q to i32", &|a| Some(-i32::from(a & 1)));
}

#[test]
fn a_shift_too_far_is_a_violation_if_somebody_looks() {
    for compute in ["shl i8 1, %a", "lshr i8 %a, 8"] {
        let text = format!("  %q = {compute}\n  %r = sext i8 %q to i32");
        for arbitrary in [true, false] {
            assert!(!holds(&module(arbitrary, &text, &[(-1, 0)])), "{compute}");
            let unused = format!("  %q = {compute}\n  %r = sext i8 %a to i32");
            assert!(holds(&module(arbitrary, &unused, &[])), "{compute}");
        }
    }
}

#[test]
fn a_division_without_a_result_is_a_violation_even_if_nobody_looks() {
    // One of the samples is 0, and one is -128: a division by zero, and one whose result is 128. The result is not used.
    for compute in ["sdiv i8 1, %a", "urem i8 1, %a", "sdiv i8 %a, -1", "srem i8 %a, -1"] {
        let text = format!("  %q = {compute}\n  %r = sext i8 %a to i32");
        for arbitrary in [true, false] {
            assert!(!holds(&module(arbitrary, &text, &[])), "{compute}");
        }
    }
}

#[test]
fn a_wrong_expectation_is_noticed() {
    let wrong = module(false, "  %r = sext i8 %a to i32", &[(-1, 1)]);
    assert!(!holds(&wrong));
}
