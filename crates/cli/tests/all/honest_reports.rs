//! Reports of compiled programs that must not mislead: no store buffer is blamed for what happens without one, no line is one of
//! LLVM IR, a panic is called one, and a refusal gives the useful reason first. Lines and words are found by hand in the
//! programs below. What needs clang says on standard error when there is none.

use std::path::Path;

use fencewright_cli::{Exit, World, main_with};

use crate::compiled::has_clang;

/// Exit code, output and complaints of a check of this text.
fn check(name: &str, text: &str, more: &[&str]) -> (Exit, String, String) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("honest-reports");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("the file can be written");
    let path = path.to_str().expect("the path is UTF-8");
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut stdin: &[u8] = b"";
    let world = World::new(&mut stdin, &mut out, &mut err);
    let args = ["fencewright", "check", path, "--timeout", "60s"];
    let exit = main_with(args.iter().chain(more).map(Into::into), world);
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    (exit, text(out), text(err))
}

/// The second thread uses the block after the first has freed it. `x` plays no part in the violation.
const FREED: &str = "\
#include <pthread.h>
#include <stdlib.h>
static volatile int x, done;
static char *volatile block;
static void *release(void *p) {
    x = 1;
    free(block);
    return p;
}
int main(void) {
    pthread_t t;
    block = malloc(4);
    pthread_create(&t, 0, release, 0);
    x = 2;
    done = block[0] = 1;
    pthread_join(t, 0);
    return 0;
}
";

/// The block is freed only if both threads miss the other's write, which needs store buffers.
const FREED_IF_BOTH_MISS: &str = "\
#include <pthread.h>
#include <stdlib.h>
static volatile int x, y;
static int a, b;
static void *right(void *p) {
    y = 1;
    b = x;
    return p;
}
int main(void) {
    pthread_t t;
    char *block = malloc(4);
    pthread_create(&t, 0, right, 0);
    x = 1;
    a = y;
    pthread_join(t, 0);
    if (!a && !b) free(block);
    block[0] = 1;
    return 0;
}
";

const NO_REORDERING: &str = "It needs no reordering: this happens under sequential consistency too.";

#[test]
fn no_buffer_is_blamed_for_what_happens_without_one() {
    if !has_clang() {
        return;
    }
    for model in ["tso", "pso"] {
        let (exit, out, _) = check("freed.c", FREED, &["--model", model, "--engine", "literal"]);
        assert_eq!(exit, Exit::Violated, "{out}");
        assert!(out.contains("main uses block@12 after it was freed at line 15"), "{out}");
        assert!(out.contains(NO_REORDERING), "{out}");
        assert!(!out.contains("store buffer") && !out.contains("to its buffer"), "{out}");
        // The row of the violation, and no other.
        assert_eq!(out.matches('►').count(), 1, "{out}");
    }
    let args = ["--model", "tso", "--engine", "literal", "--format", "json"];
    let (_, json, _) = check("freed.c", FREED, &args);
    assert!(json.contains(NO_REORDERING), "{json}");
}

#[test]
fn what_needs_a_buffer_is_still_blamed_on_it() {
    if !has_clang() {
        return;
    }
    let (exit, out, _) = check("both-miss.c", FREED_IF_BOTH_MISS, &["--model", "tso", "--engine", "literal"]);
    assert_eq!(exit, Exit::Violated, "{out}");
    assert!(out.contains("was still in its store buffer when"), "{out}");
    assert!(!out.contains(NO_REORDERING), "{out}");
    let (exit, out, _) = check("both-miss.c", FREED_IF_BOTH_MISS, &["--model", "sc", "--engine", "literal"]);
    assert_eq!(exit, Exit::Proved, "{out}");
    assert!(!out.contains(NO_REORDERING), "{out}");
}

/// The end of the thread stands in the standard library.
const LAMBDA: &str = "\
#include <cassert>
#include <thread>
int n;
int main() {
    std::thread t([] { ++n; });
    t.join();
    assert(n == 0);
}
";

#[test]
fn a_step_of_the_library_has_no_line_of_llvm_ir() {
    if !has_clang() {
        return;
    }
    let (exit, out, _) = check("lambda.cpp", LAMBDA, &["--model", "tso", "--engine", "explicit"]);
    assert_eq!(exit, Exit::Violated, "{out}");
    assert!(out.contains("main's assertion fails at line 7 (assert(n == 0);)"), "{out}");
    assert!(out.contains("  line  main "), "{out}");
    for internal in ["LLVM IR", "ret void", "place", "lambda.cpp:"] {
        assert!(!out.contains(internal), "{internal}: {out}");
    }
}

/// A panic in line 7 if the thread was first.
const PANICS: &str = "\
use std::sync::atomic::{AtomicUsize, Ordering::*};
use std::thread;
static N: AtomicUsize = AtomicUsize::new(2);
fn main() {
    let t = thread::spawn(|| N.store(0, Relaxed));
    let n = N.load(Relaxed);
    let m = WHAT;
    t.join().unwrap();
    assert!(m < 100);
}
";

#[test]
fn a_panic_says_why_in_both_readings() {
    // The words are those of Rust's own messages, where it has them.
    for (name, what, why) in [
        ("index.rs", "[1, 2, 3][n + 1]", "index out of bounds"),
        ("subtract.rs", "n - 1", "attempt to subtract with overflow"),
        ("divide.rs", "10 / n", "attempt to divide by zero"),
        ("none.rs", "n.checked_sub(1).unwrap()", "`unwrap` finds `None`"),
    ] {
        // At first the index is too large already.
        let text = PANICS.replace("WHAT", what);
        for engine in ["explicit", "literal"] {
            let (exit, out, err) = check(name, &text, &["--model", "sc", "--engine", engine]);
            assert_eq!(exit, Exit::Violated, "{engine}: {out}{err}");
            let head = format!("main panics at line 7 (let m = {what};): {why}\n");
            assert!(out.lines().next().is_some_and(|first| format!("{first}\n").ends_with(&head)), "{out}");
            // In the row, too.
            assert!(out.contains(&format!("panics: {why}")), "{out}");
            assert!(!out.contains("assertion fails") && !out.contains(&format!("{name}:7")), "{out}");
        }
    }
}

/// What lies in an `Arc` has no name of its own in the lowered program.
const IN_AN_ARC: &str = "\
use std::sync::{Arc, atomic::{AtomicUsize, Ordering::*}};
use std::thread;
fn main() {
    let mine = Arc::new(AtomicUsize::new(0));
    let theirs = mine.clone();
    let t = thread::spawn(move || theirs.store(1, Relaxed));
    let n = mine.load(Relaxed);
    t.join().unwrap();
    assert!(n == 0);
}
";

#[test]
fn parts_without_names_are_told_apart_by_where_they_are() {
    let (exit, out, err) = check("arc.rs", IN_AN_ARC, &["--model", "sc", "--engine", "explicit"]);
    assert_eq!(exit, Exit::Violated, "{out}{err}");
    // Behind the two counters of the `Arc`.
    assert!(out.contains("byte 16=1") && out.contains("byte 16: 1"), "{out}");
    assert!(!out.contains('\''.to_string().repeat(2).as_str()), "{out}");
    assert!(out.contains("main's assertion fails at line 9 (assert!(n == 0);)"), "{out}");
}

#[test]
fn an_open_question_lists_what_was_asked() {
    if !has_clang() {
        return;
    }
    let (exit, out, _) = check("open.c", FREED_IF_BOTH_MISS, &["--model", "tso", "--max-states", "1"]);
    assert_eq!(exit, Exit::Unknown, "{out}");
    let asked = out.lines().find(|line| line.contains("asked: ")).unwrap_or_default();
    let (_, holds, _) = check("open.c", FREED_IF_BOTH_MISS, &["--model", "sc"]);
    let checked = holds.lines().find(|line| line.contains("checked: ")).unwrap_or_default();
    assert!(asked.contains("memory") && asked.contains("deadlock"), "{out}");
    assert_eq!(asked.trim_start().strip_prefix("asked: "), checked.trim_start().strip_prefix("checked: "));
}

#[test]
fn the_useful_refusal_comes_first() {
    if !has_clang() {
        return;
    }
    let text = "int mystery(int);\nint main(void) {\n    return mystery(3);\n}\n";
    let (exit, _, err) = check("mystery.c", text, &["--model", "tso"]);
    assert_eq!(exit, Exit::BadInput, "{err}");
    let lines: Vec<&str> = err.lines().collect();
    assert_eq!(lines.len(), 2, "{err}");
    assert!(
        lines[0].starts_with("error: ") && lines[0].contains("the literal machine cannot execute"),
        "{err}"
    );
    assert!(lines[0].contains("the function `mystery`, which has no body here (line 3); "), "{err}");
    assert_eq!(err.matches("--stub ").count(), 1, "{err}");
    assert!(lines[1].starts_with("  the other engines do not take it, either: "), "{err}");

    // No stub for names that no C program has.
    let text = "struct S { S(int); int v; };\nint main() {\n    S s(3);\n    return s.v;\n}\n";
    let (exit, _, err) = check("mystery.cpp", text, &["--model", "tso"]);
    assert_eq!(exit, Exit::BadInput, "{err}");
    assert!(err.lines().next().is_some_and(|first| first.contains("the function `S")), "{err}");
    assert!(!err.contains("--stub") && !err.contains("LLVM IR"), "{err}");
}
