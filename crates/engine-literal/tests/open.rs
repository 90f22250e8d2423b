//! Integers that a program leaves open: following them as symbols gives the same as trying each of their values.
//!
//! Programs are LLVM IR. Generated programs ask for bytes, whose values can all be tried. Programs written by hand ask for
//! wider integers; comments argue what they do.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use fencewright_base::{Budget, CancelToken, Meter};
use fencewright_engine_literal::replay::replay;
use fencewright_engine_literal::search::{Found, Question, Verdict, search};
use fencewright_literal::PRELUDE;
use fencewright_literal::buffer::Model;
use fencewright_literal::machine::{Action, Settings};
use fencewright_literal::open::OpenInts;
use fencewright_literal::program::Program;
use fencewright_llvm::parse::Module;

fn found(ir: &str, model: Model, open: OpenInts, with_checks: bool) -> Found {
    let modules: Vec<Module<'_>> = [ir, PRELUDE]
        .iter()
        .map(|text| Module::parse(text).unwrap_or_else(|e| panic!("{e:?}\n{ir}")))
        .collect();
    let program = Program::new(&modules).unwrap_or_else(|error| panic!("{error}\n{ir}"));
    let observed = program.globals().iter().position(|global| &*global.name == "out").map(|n| n as u32);
    let mut settings = Settings { open, ..Settings::new(model) };
    if !with_checks {
        settings.checks.clear();
    }
    let question = Question { settings, fixed_buffer: None, observed, dives: false, progress: &|_| () };
    let found = search(&program, &question, &Meter::start(Budget::default(), CancelToken::new()));
    if let Verdict::Violated(trace) = &found.verdict {
        let execution = replay(&program, trace).unwrap_or_else(|error| panic!("{error}\n{ir}"));
        assert_eq!(execution.violation.as_ref(), Some(&trace.violation), "{ir}");
    }
    found
}

/// `true` for a violation, `false` for a proof of all executions, `None` for anything else.
fn is_violated(found: &Found) -> Option<bool> {
    match found.verdict {
        Verdict::Violated(_) => Some(true),
        Verdict::Holds if !found.partly.any() => Some(false),
        _ => None,
    }
}

/// What a program does: the words it leaves, whether some are unset, whether it is violated.
fn answer(ir: &str, open: OpenInts) -> (BTreeSet<Vec<u64>>, bool, Option<bool>) {
    let ends = found(ir, Model::Sc, open.clone(), false);
    assert!(matches!(ends.verdict, Verdict::Holds) && !ends.partly.any(), "{:?}\n{ir}", ends.verdict);
    (ends.outcomes, ends.unset_outcome, is_violated(&found(ir, Model::Sc, open, true)))
}

/// Pseudo-random numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn of<'t>(&mut self, words: &[&'t str]) -> &'t str {
        words[self.below(words.len())]
    }
}

const WORDS: usize = 3;

/// A program of one thread with open bytes.
struct Generated {
    random: Random,
    text: String,
    /// The registers, with their widths.
    values: Vec<(String, u32)>,
    n_names: usize,
}

impl Generated {
    fn name(&mut self) -> String {
        self.n_names += 1;
        format!("%v{}", self.n_names)
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "  {line}");
    }

    fn define(&mut self, width: u32, what: &str) -> String {
        let name = self.name();
        self.line(&format!("{name} = {what}"));
        self.values.push((name.clone(), width));
        name
    }

    /// A register, more often a later one.
    fn value(&mut self) -> (String, u32) {
        let n = self.values.len();
        let place = self.random.below(n).max(self.random.below(n));
        self.values[place].clone()
    }

    /// An operand of a width: a constant, or a register of that width.
    fn other(&mut self, width: u32) -> String {
        let same: Vec<String> =
            self.values.iter().filter(|(_, known)| *known == width).map(|(name, _)| name.clone()).collect();
        if !same.is_empty() && self.random.below(4) == 0 {
            return same[self.random.below(same.len())].clone();
        }
        self.constant(width)
    }

    fn constant(&mut self, width: u32) -> String {
        let number = match self.random.below(4) {
            0 => self.random.below(4) as i64,
            1 => -(self.random.below(4) as i64) - 1,
            2 => 1 << self.random.below(width as usize),
            _ => self.random.below(256) as i64,
        };
        let shifted = number << (64 - width) >> (64 - width);
        shifted.to_string()
    }

    fn condition(&mut self) -> String {
        let (a, width) = self.value();
        let b = self.other(width);
        let predicate = self.random.of(&["eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"]);
        let (a, b) = if self.random.below(3) == 0 { (b, a) } else { (a, b) };
        let name = self.name();
        self.line(&format!("{name} = icmp {predicate} i{width} {a}, {b}"));
        name
    }

    fn statement(&mut self) {
        let (a, width) = self.value();
        match self.random.below(12) {
            0..=3 => {
                let op = self.random.of(&[
                    "add", "add nsw", "add nuw", "sub", "sub nsw", "sub nuw", "mul", "mul nsw", "mul nuw",
                    "shl", "shl nsw", "shl nuw", "and", "or", "xor",
                ]);
                let b = self.other(width);
                let (a, b) = if self.random.below(4) == 0 { (b, a) } else { (a, b) };
                self.define(width, &format!("{op} i{width} {a}, {b}"));
            }
            4 => {
                let op = self.random.of(&[
                    "udiv",
                    "sdiv",
                    "urem",
                    "srem",
                    "lshr",
                    "ashr",
                    "udiv exact",
                    "sdiv exact",
                    "lshr exact",
                    "ashr exact",
                ]);
                let b = self.constant(width);
                self.define(width, &format!("{op} i{width} {a}, {b}"));
            }
            5 | 6 => {
                let to = [8, 16, 32, 64][self.random.below(4)];
                let op = match to {
                    _ if to > width => self.random.of(&["zext", "sext", "zext nneg"]),
                    _ if to < width => self.random.of(&["trunc", "trunc nsw", "trunc nuw"]),
                    _ => return,
                };
                self.define(to, &format!("{op} i{width} {a} to i{to}"));
            }
            7 => {
                let (condition, b) = (self.condition(), self.other(width));
                self.define(width, &format!("select i1 {condition}, i{width} {a}, i{width} {b}"));
            }
            8 => {
                let (condition, b) = (self.condition(), self.other(width));
                let n = self.n_names;
                self.line(&format!("br i1 {condition}, label %yes{n}, label %no{n}"));
                let _ = writeln!(self.text, "yes{n}:");
                let word = self.name();
                self.line(&format!("{word} = getelementptr i64, ptr @out, i64 0"));
                self.line(&format!("store i64 {n}, ptr {word}"));
                self.line(&format!("br label %join{n}"));
                let _ = writeln!(self.text, "no{n}:\n  br label %join{n}\njoin{n}:");
                self.define(width, &format!("phi i{width} [ {a}, %yes{n} ], [ {b}, %no{n} ]"));
            }
            9 => {
                let (to, at) = ([8, 16, 32, 64][self.random.below(4)], self.random.below(5));
                self.line(&format!("store i{width} {a}, ptr @bytes"));
                let place = self.name();
                self.line(&format!("{place} = getelementptr i8, ptr @bytes, i64 {at}"));
                if self.random.below(2) == 0 {
                    self.line(&format!("store i8 7, ptr {place}"));
                    self.define(width, &format!("load i{width}, ptr @bytes"));
                } else {
                    self.define(to, &format!("load i{to}, ptr {place}"));
                }
            }
            10 => {
                self.line(&format!("store i{width} {a}, ptr @word"));
                let b = self.other(width);
                let op = self.random.of(&["add", "sub", "and", "xor", "max", "umin", "xchg"]);
                self.define(width, &format!("atomicrmw {op} ptr @word, i{width} {b} seq_cst"));
                let (expected, new) = (self.other(width), self.other(width));
                let pair = self.name();
                self.line(&format!(
                    "{pair} = cmpxchg ptr @word, i{width} {expected}, i{width} {new} seq_cst seq_cst"
                ));
                self.define(width, &format!("extractvalue {{ i{width}, i1 }} {pair}, 0"));
                self.define(width, &format!("load i{width}, ptr @word"));
            }
            _ => {
                let n = self.n_names;
                let cases: Vec<String> = {
                    let all: BTreeSet<String> = (0..3).map(|_| self.constant(width)).collect();
                    all.into_iter().map(|case| format!("i{width} {case}, label %case{n}")).collect()
                };
                let cases = cases.join(" ");
                self.line(&format!("switch i{width} {a}, label %rest{n} [ {cases} ]"));
                let b = self.other(width);
                let _ = writeln!(
                    self.text,
                    "case{n}:\n  br label %end{n}\nrest{n}:\n  br label %end{n}\nend{n}:"
                );
                // The three cases come from one block, each of which may be several edges: no phi.
                self.define(width, &format!("xor i{width} {a}, {b}"));
            }
        }
    }
}

fn generated(seed: u64) -> String {
    let mut program = Generated { random: Random(seed), text: String::new(), values: Vec::new(), n_names: 0 };
    let name = program.random.of(&["char", "uchar"]);
    program.define(8, &format!("call i8 @__VERIFIER_nondet_{name}()"));
    if program.random.below(3) == 0 {
        // Few values, because they are tried with each of the other's.
        program.define(32, "call i32 @klee_range(i32 -2, i32 3, ptr null)");
    }
    for _ in 0..2 + program.random.below(7) {
        program.statement();
    }
    for word in 1..WORDS {
        let (value, width) = program.value();
        let place = program.name();
        program.line(&format!("{place} = getelementptr i64, ptr @out, i64 {word}"));
        let wide = match width {
            64 => value,
            _ => program.define(64, &format!("zext i{width} {value} to i64")),
        };
        program.line(&format!("store i64 {wide}, ptr {place}"));
    }
    format!(
        "@out = global [{WORDS} x i64] zeroinitializer\n@bytes = global [16 x i8] zeroinitializer, align 8\n\
         @word = global i64 0, align 8\ndeclare i8 @__VERIFIER_nondet_char()\n\
         declare i8 @__VERIFIER_nondet_uchar()\ndeclare i32 @klee_range(i32, i32, ptr)\ndefine i32 @main() {{\n{}  ret i32 0\n}}\n",
        program.text
    )
}

#[test]
fn symbols_give_what_trying_every_byte_gives() {
    let (mut n_violated, mut n_ends) = (0, 0);
    let n_seeds = if std::env::var_os("FENCEWRIGHT_THOROUGH").is_some() { 10_000 } else { 400 };
    for seed in 0..n_seeds {
        let ir = generated(seed);
        let (followed, tried) = (answer(&ir, OpenInts::Followed), answer(&ir, OpenInts::Tried));
        assert_eq!(followed, tried, "seed {seed}\n{ir}");
        n_violated += usize::from(tried.2 == Some(true));
        n_ends += tried.0.len();
    }
    // The generated programs are not trivial.
    assert!(n_violated > 50 && n_ends > 5_000, "{n_violated} violations, {n_ends} ends");
}

/// A program of one thread whose body ends in a violation at `bad`, and without one at `good`.
fn one_thread(body: &str) -> String {
    format!(
        "@out = global [1 x i64] zeroinitializer\n@cell = global i64 0, align 8\n\
         declare i32 @__VERIFIER_nondet_int()\ndeclare i32 @__VERIFIER_nondet_uint()\n\
         declare i64 @__VERIFIER_nondet_long()\ndeclare i32 @rand()\ndeclare void @reach_error()\n\
         declare void @__VERIFIER_assume(i32)\n\
         define i32 @main() {{\n{body}\nbad:\n  call void @reach_error()\n  ret i32 1\ngood:\n  ret i32 0\n}}\n"
    )
}

fn verdict(body: &str) -> Option<bool> {
    is_violated(&found(&one_thread(body), Model::Sc, OpenInts::Followed, true))
}

/// One value of 2^64, found and shown.
#[test]
fn a_needle() {
    let body = "%x = call i64 @__VERIFIER_nondet_long()\n%c = icmp eq i64 %x, -81985529216486895\n\
                br i1 %c, label %bad, label %good";
    let found = found(&one_thread(body), Model::Sc, OpenInts::Followed, true);
    let Verdict::Violated(trace) = found.verdict else { panic!("{:?}", found.verdict) };
    assert_eq!(trace.settings.open, OpenInts::Given([(-81985529216486895i64) as u64].into()));
}

/// Copies are narrowed together: the number in memory is the number in the register.
#[test]
fn copies_are_one_number() {
    let body = |last: &str| {
        format!(
            "%x = call i32 @__VERIFIER_nondet_int()\nstore i32 %x, ptr @cell\n%c = icmp sgt i32 %x, 41\n\
             br i1 %c, label %large, label %good\nlarge:\n%y = load i32, ptr @cell\n\
             %d = icmp sle i32 %y, {last}\nbr i1 %d, label %bad, label %good"
        )
    };
    assert_eq!(verdict(&body("41")), Some(false));
    assert_eq!(verdict(&body("42")), Some(true));
}

/// `rand` is not negative; a number from `nondet_int` may be.
#[test]
fn random_numbers_are_not_negative() {
    let body = |function: &str| {
        format!(
            "%x = call i32 @{function}()\n%y = srem i32 %x, 7\n%c = icmp slt i32 %y, 0\n\
             br i1 %c, label %bad, label %good"
        )
    };
    assert_eq!(verdict(&body("rand")), Some(false));
    assert_eq!(verdict(&body("__VERIFIER_nondet_int")), Some(true));
}

/// An unsigned comparison of a negative number: 2^31 and above.
#[test]
fn the_same_bits_signed_and_unsigned() {
    let body = |bound: &str| {
        format!(
            "%x = call i32 @__VERIFIER_nondet_int()\n%c = icmp slt i32 %x, 0\nbr i1 %c, label %low, label %good\n\
             low:\n%d = icmp ult i32 %x, {bound}\nbr i1 %d, label %bad, label %good"
        )
    };
    assert_eq!(verdict(&body("-2147483648")), Some(false));
    assert_eq!(verdict(&body("-2147483647")), Some(true));
}

/// An unsupported operation tries only some numbers, and that is no proof: 999 is not among them.
#[test]
fn a_square_is_no_proof() {
    let body = "%x = call i32 @__VERIFIER_nondet_int()\n%p = mul i32 %x, %x\n\
                %c = icmp eq i32 %p, 998001\nbr i1 %c, label %bad, label %good";
    let found = found(&one_thread(body), Model::Sc, OpenInts::Followed, true);
    assert!(matches!(found.verdict, Verdict::Holds) && found.partly.values);
}

/// A loop that the environment controls returns to the same states.
#[test]
fn a_loop_of_open_length_ends_the_search() {
    let body = "br label %head\nhead:\n%x = call i32 @__VERIFIER_nondet_int()\n%c = icmp sgt i32 %x, 3\n\
                br i1 %c, label %head, label %good";
    let found = found(&one_thread(body), Model::Sc, OpenInts::Followed, true);
    assert_eq!(is_violated(&found), Some(false));
    assert!(found.statistics.states < 10, "{}", found.statistics.states);
}

const THREADS: &str = "\
@door = global i64 0, align 8
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
declare i32 @klee_range(i32, i32, ptr)
declare i8 @__VERIFIER_nondet_char()
declare void @reach_error()
";

/// A thread that continues after its write has left the buffer makes choices then, too, and they are part of the execution.
#[test]
fn choices_after_a_flush() {
    let ir = format!(
        "{THREADS}@seen = global i64 0, align 8\ndefine ptr @other(ptr %a) {{\n%x = load i64, ptr @door\n\
         store i64 5, ptr @seen\nbr label %wait\nwait:\n%y = load i64, ptr @door\n%z = icmp eq i64 %y, 9\n\
         br i1 %z, label %end, label %wait\nend:\nret ptr null\n}}\ndefine i32 @main() {{\n%t = alloca i64\n\
         %r = call i32 @pthread_create(ptr %t, ptr null, ptr @other, ptr null)\nstore i64 1, ptr @door\n\
         fence seq_cst\n%x = call i8 @__VERIFIER_nondet_char()\n%c = icmp eq i8 %x, 77\n\
         br i1 %c, label %look, label %good\nlook:\n%s = load i64, ptr @seen\n%d = icmp eq i64 %s, 5\n\
         br i1 %d, label %bad, label %good\nbad:\ncall void @reach_error()\nret i32 1\ngood:\nret i32 0\n}}\n"
    );
    for open in [OpenInts::Followed, OpenInts::Tried] {
        let found = found(&ir, Model::Tso, open, true);
        let Verdict::Violated(trace) = &found.verdict else { panic!("{:?}", found.verdict) };
        let is_flush = |action: &Action| matches!(action, Action::Flush { thread: 0, .. });
        assert!(trace.actions.iter().any(is_flush), "{:?}", trace.actions);
    }
}

/// A lock whose word is open: it is free, or it is never released. The second case is a deadlock, although the first is not.
#[test]
fn a_wait_that_ends_for_some_numbers_only() {
    let ir = |last: u32| {
        format!(
            "{THREADS}declare i32 @pthread_spin_lock(ptr)\ndeclare i32 @pthread_spin_unlock(ptr)\n\
             @word = global i32 0, align 4\ndefine ptr @takes(ptr %a) {{\n\
             %r = call i32 @pthread_spin_lock(ptr @word)\n%s = call i32 @pthread_spin_unlock(ptr @word)\n\
             ret ptr null\n}}\ndefine i32 @main() {{\n%t = alloca i64\n\
             %k = call i32 @klee_range(i32 0, i32 {last}, ptr null)\nstore i32 %k, ptr @word\n\
             %a = call i32 @pthread_create(ptr %t, ptr null, ptr @takes, ptr null)\n%first = load i64, ptr %t\n\
             %r = call i32 @pthread_spin_lock(ptr @word)\n%s = call i32 @pthread_spin_unlock(ptr @word)\n\
             %j = call i32 @pthread_join(i64 %first, ptr null)\nret i32 0\n}}\n"
        )
    };
    for open in [OpenInts::Followed, OpenInts::Tried] {
        assert_eq!(is_violated(&found(&ir(1), Model::Sc, open.clone(), true)), Some(false));
        assert_eq!(is_violated(&found(&ir(2), Model::Sc, open, true)), Some(true));
    }
}
