//! `fix` by the literal machine: texts that the lowering does not take, and repairs of the lowered program that it confirms.
//! What needs clang says on standard error when there is none.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fencewright_cli::Exit;
use serde_json::Value;

use crate::compiled::{has_clang, run};

fn file(name: &str, text: &str) -> String {
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fix-literal");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("the file can be written");
    path.to_str().expect("the path is UTF-8").to_owned()
}

fn json(args: &[&str]) -> Value {
    let (_, out, err) = run(args);
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}\n{out}\n{err}"))
}

/// Two threads of a text that has recursion, which the lowering refuses.
fn two_threads(globals: &str, left: &str, right: &str, in_the_end: &str) -> String {
    format!(
        "\
#include <assert.h>
#include <pthread.h>

{globals}

static int depth(int n) {{
    return n == 0 ? 0 : 1 + depth(n - 1);
}}

static void *left(void *argument) {{
    (void)argument;
{left}
    return 0;
}}

static void *right(void *argument) {{
    (void)argument;
{right}
    return 0;
}}

int main(void) {{
    pthread_t first, second;
    pthread_create(&first, 0, left, 0);
    pthread_create(&second, 0, right, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
{in_the_end}
    return 0;
}}
"
    )
}

/// Store buffering: each thread needs a full fence between its write and its read, under TSO as under PSO, and nothing else
/// helps: the two reads can both come first only if both writes wait.
fn store_buffering() -> String {
    two_threads(
        "static volatile int x, y;\nstatic int a, b;",
        "    x = depth(1);\n    a = y;",
        "    y = depth(1);\n    b = x;",
        "    assert(a == 1 || b == 1);",
    )
}

/// Message passing by a byte of a word: under PSO the two writes of the sender can arrive in the other order, so one
/// store-store fence between them is needed and enough; under TSO nothing is.
fn message_passing() -> String {
    two_threads(
        "static union { int whole; unsigned char part[4]; } data;\nstatic volatile int ready;",
        "    int one = depth(1);\n    data.part[0] = 7;\n    ready = one;",
        "    if (ready) assert(data.whole == 7);",
        "",
    )
}

fn kinds(result: &Value) -> Vec<&str> {
    let fences = result["repair"]["fences"].as_array().expect("there is a list of fences");
    fences.iter().map(|fence| fence["kind"].as_str().expect("a fence has a kind")).collect()
}

#[test]
fn recursion_that_the_lowering_refuses_is_repaired_with_the_fewest_fences() {
    if !has_clang() {
        return;
    }
    let path = file("store-buffering.c", &store_buffering());
    let (exit, _, err) = run(&["fix", &path, "--engine", "explicit"]);
    assert_eq!(exit, Exit::BadInput, "the lowering does not take it");
    assert!(err.contains("`depth` calls itself"), "{err}");
    for model in ["tso", "pso"] {
        let (exit, out, err) = run(&["fix", &path, "--model", model]);
        assert_eq!(exit, Exit::Proved, "{out}{err}");
        assert!(out.contains("REPAIRED — 2 full fences: minimum, proved"), "{out}");
        assert!(out.contains("+    atomic_thread_fence(memory_order_seq_cst);\n     a = y;"), "{out}");
        assert!(out.contains("+    atomic_thread_fence(memory_order_seq_cst);\n     b = x;"), "{out}");
        // Each fence comes with what happens without it.
        assert_eq!(out.matches("without it: main's assertion fails").count(), 2, "{out}");
        assert!(out.contains("was still in its store buffer when"), "{out}");
        assert!(!out.contains("fencewright_site"), "{out}");
        let value = json(&["fix", &path, "--model", model, "--format", "json"]);
        let result = &value["results"][0];
        assert_eq!(result["engine"], "literal");
        assert_eq!(result["repair"]["cost"], 200);
        assert_eq!(result["repair"]["minimum"], true);
        assert_eq!(kinds(result), ["full", "full"]);
        for fence in result["repair"]["fences"].as_array().expect("a list") {
            assert_eq!(fence["literal_evidence"]["check"], "assertions");
            assert!(!fence["literal_evidence"]["rows"].as_array().expect("rows").is_empty());
        }
    }
}

#[test]
fn writes_that_only_pso_reorders_get_a_store_store_fence() {
    if !has_clang() {
        return;
    }
    let path = file("message-passing.c", &message_passing());
    let (exit, out, _) = run(&["fix", &path, "--model", "tso", "--quiet"]);
    assert_eq!(exit, Exit::Proved);
    assert!(out.contains("HOLDS — proved for store buffers of any length, nothing to repair"), "{out}");
    let (exit, out, err) = run(&["fix", &path, "--model", "pso"]);
    assert_eq!(exit, Exit::Proved, "{out}{err}");
    assert!(out.contains("REPAIRED — 1 store-store fence: minimum, proved"), "{out}");
    assert!(out.contains("+    atomic_thread_fence(memory_order_release);\n     ready = one;"), "{out}");
}

#[test]
fn the_repaired_file_is_written_and_needs_no_more() {
    if !has_clang() {
        return;
    }
    let path = file("written.c", &store_buffering());
    let (exit, diff, _) = run(&["fix", &path, "--model", "tso", "--diff", "--write"]);
    assert_eq!(exit, Exit::Proved);
    assert!(diff.starts_with(&format!("--- {path}\n")), "{diff}");
    let text = std::fs::read_to_string(&path).expect("the file is there");
    assert_eq!(text.matches("atomic_thread_fence(memory_order_seq_cst);").count(), 2, "{text}");
    let (exit, out, _) = run(&["fix", &path, "--model", "tso", "--quiet"]);
    assert_eq!(exit, Exit::Proved);
    assert!(out.contains("nothing to repair"), "{out}");
}

#[test]
fn a_violation_under_sc_is_no_matter_of_fences() {
    if !has_clang() {
        return;
    }
    let text = store_buffering().replace("a == 1 || b == 1", "a == 1");
    let path = file("wrong.c", &text);
    let (exit, out, _) = run(&["fix", &path, "--model", "tso"]);
    assert_eq!(exit, Exit::Violated, "{out}");
    assert!(out.contains("WRONG — violated under sequential consistency too, no fence can help"), "{out}");
    assert!(out.contains("  under SC: main's assertion fails"), "{out}");
    let value = json(&["fix", &path, "--model", "tso", "--format", "json"]);
    assert_eq!(value["results"][0]["repair"]["status"], "wrong-under-sc");
}

/// The write and the read are one expression of a macro: there is no place between them.
#[test]
fn an_execution_that_no_place_forbids_is_not_repairable() {
    if !has_clang() {
        return;
    }
    let text = two_threads(
        "#define BOTH(mine, its, seen) (mine = depth(1), seen = its)\nstatic volatile int x, y;\nstatic int a, b;",
        "    BOTH(x, y, a);",
        "    BOTH(y, x, b);",
        "    assert(a == 1 || b == 1);",
    );
    let path = file("no-place.c", &text);
    let (exit, out, _) = run(&["fix", &path, "--model", "tso"]);
    assert_eq!(exit, Exit::Violated, "{out}");
    assert!(
        out.contains("NOT REPAIRED — violated with a fence at every place where one can be written"),
        "{out}"
    );
    assert!(out.contains("  with all fences in place: main's assertion fails"), "{out}");
}

#[test]
fn what_neither_reading_takes_is_refused_for_both_reasons() {
    if !has_clang() {
        return;
    }
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/c/setjmp/setjmp.c");
    let (exit, _, err) = run(&["fix", program]);
    assert_eq!(exit, Exit::BadInput, "{err}");
    assert!(err.contains("setjmp.c: the literal machine cannot execute "), "{err}");
    assert!(err.contains("\n  the other engines do not take it, either: "), "{err}");
}

#[test]
fn what_the_literal_machine_cannot_do_is_said() {
    if !has_clang() {
        return;
    }
    let path = file("refusals.c", &store_buffering());
    let (exit, _, err) = run(&["fix", &path, "--strategy", "avoid-formula"]);
    assert_eq!(exit, Exit::BadInput);
    assert!(err.contains("--strategy hitting-sets or minimal-sets only"), "{err}");
    let (exit, _, err) = run(&["fix", &path, "--with", "order"]);
    assert_eq!(exit, Exit::BadInput);
    assert!(err.contains("--with order is for programs that the other engines take"), "{err}");
}

#[test]
fn a_repair_of_the_lowered_program_is_confirmed() {
    if !has_clang() {
        return;
    }
    let peterson = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/c/peterson/peterson.c");
    let (exit, out, err) = run(&["fix", peterson, "--model", "tso"]);
    assert_eq!(exit, Exit::Proved, "{out}{err}");
    assert!(out.contains("REPAIRED — 1 full fence: minimum, proved"), "{out}");
    assert!(out.contains("  confirmed on the literal machine, all "), "{out}");
    let value = json(&["fix", peterson, "--model", "tso", "--format", "json"]);
    assert_eq!(value["results"][0]["literal"]["standing"], "confirmed");
    // Whoever names another engine asks that one.
    let (_, out, _) = run(&["fix", peterson, "--model", "tso", "--engine", "explicit"]);
    assert!(!out.contains("literal machine"), "{out}");
}

/// The lowered program knows no deadlocks: the fence that its assertion needs does not end this one, and `check` says so.
#[test]
fn a_deadlock_that_the_lowering_does_not_see_is_no_repair() {
    if !has_clang() {
        return;
    }
    let text = two_threads(
        "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\n\
         static volatile int x, y;\nstatic int a, b;",
        "    x = 1;\n    a = y;\n    pthread_mutex_lock(&m);\n    pthread_mutex_lock(&n);\n    pthread_mutex_unlock(&n);\n    pthread_mutex_unlock(&m);",
        "    y = 1;\n    b = x;\n    pthread_mutex_lock(&n);\n    pthread_mutex_lock(&m);\n    pthread_mutex_unlock(&m);\n    pthread_mutex_unlock(&n);",
        "    assert(a == 1 || b == 1);",
    )
    .replace("n == 0 ? 0 : 1 + depth(n - 1)", "n");
    let path = file("deadlock.c", &text);
    let (exit, out, err) = run(&["fix", &path, "--model", "tso"]);
    assert_eq!(exit, Exit::Violated, "{out}{err}");
    assert!(out.contains("WRONG — violated under sequential consistency too"), "{out}");
    assert!(out.contains("deadlock: nobody can go on"), "{out}");
}

/// Of these the literal machine proves no repair: a thread of the first two that waits writes again and again, which fills every
/// buffer, and of an open number of 32 bits it tries some values only.
const UNPROVED: [&str; 3] = ["burns", "dijkstra", "wide-message"];

/// The fewest fences of the corpus, which papers or hand arguments give, by both readings and at the same cost.
#[test]
fn both_readings_have_the_minimum_of_the_corpus() {
    if !has_clang() {
        return;
    }
    let corpus = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/c"));
    let mut folders: Vec<PathBuf> = std::fs::read_dir(corpus)
        .expect("the corpus is there")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    folders.sort();
    let mut compared = 0;
    for folder in folders {
        let name = folder.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        let program = folder.join(format!("{name}.c"));
        let expected = std::fs::read_to_string(folder.join("expect.toml")).expect("it has expectations");
        let mut model = "";
        for line in expected.lines() {
            if let Some(table) = line.strip_prefix('[') {
                model = table.trim_end_matches(']');
            }
            let Some(fences) = line.strip_prefix("fences = ") else { continue };
            if UNPROVED.contains(&&name[..]) {
                continue;
            }
            let count = |kind: char| {
                let part = fences.trim_matches('"').split(' ').find_map(|part| part.strip_suffix(kind));
                part.map_or(0, |number| number.parse::<usize>().expect("a number"))
            };
            let ask = |engine: &str| {
                let path = program.to_str().expect("the path is UTF-8");
                json(&["fix", path, "--model", model, "--engine", engine, "--format", "json"])
            };
            let literal = &ask("literal")["results"][0];
            let found = kinds(literal);
            let number = |kind: &str| found.iter().filter(|found| **found == kind).count();
            assert_eq!(
                (number("full"), number("store-store")),
                (count('m'), count('s')),
                "{name} under {model}"
            );
            // The lowering takes the others.
            if !expected.contains("engine = \"literal\"") {
                let lowered = &ask("coherence")["results"][0];
                assert_eq!(literal["repair"]["cost"], lowered["repair"]["cost"], "{name} under {model}");
            }
            assert_eq!(literal["engine"], "literal", "{name}");
            compared += 1;
        }
    }
    assert!(compared >= 20, "only {compared} programs have such an expectation");
}

/// A statement between the two writes makes two places of which either is enough.
#[test]
fn all_cheapest_repairs_are_listed() {
    if !has_clang() {
        return;
    }
    let text = message_passing()
        .replace("static volatile int ready;", "static volatile int ready;\nstatic int noted;")
        .replace("    ready = one;", "    noted = one;\n    ready = one;");
    let path = file("two-places.c", &text);
    let value = json(&["fix", &path, "--model", "pso", "--all", "--format", "json"]);
    let repair = &value["results"][0]["repair"];
    let texts = |fences: &Value| -> Vec<String> {
        let fences = fences.as_array().expect("a list of fences");
        fences.iter().map(|fence| fence["text"].as_str().expect("a text").to_owned()).collect()
    };
    assert_eq!(texts(&repair["fences"]), ["noted = one;"]);
    let others: Vec<_> = repair["alternatives"].as_array().expect("a list").iter().map(texts).collect();
    assert_eq!(others, [["ready = one;"]]);
}

/// Five threads that each write five times: far more states than a second is enough for.
#[test]
fn the_time_limit_ends_a_repair_within_a_second() {
    if !has_clang() {
        return;
    }
    let mut text = two_threads(
        "static volatile int x[5];\nstatic int at;",
        "    int i = __sync_fetch_and_add(&at, 1);\n    for (int n = 1; n < 6; n++) { x[i] = n; x[(i + 1) % 5] = depth(n); }",
        "    left(0);",
        "    assert(x[0] >= 0);",
    );
    text = text.replace("pthread_join(first, 0);", "pthread_t more[3];\n    for (int i = 0; i < 3; i++) pthread_create(&more[i], 0, left, 0);\n    pthread_join(first, 0);");
    let path = file("long.c", &text);
    let start = Instant::now();
    let (exit, out, err) = run(&["fix", &path, "--model", "pso", "--timeout", "2s", "--quiet"]);
    let took = start.elapsed();
    assert_eq!(exit, Exit::Unknown, "{out}{err}");
    assert!(out.contains("UNKNOWN — the program as it is was neither proved nor refuted"), "{out}{err}");
    assert!(took < Duration::from_secs(3), "{took:?}");
}

/// There is no program for an engine on the lowered program, and what holds of none is no answer.
#[test]
fn what_only_the_literal_machine_takes_no_other_engine_proves() {
    if !has_clang() {
        return;
    }
    let path = file("refused.c", &store_buffering());
    let questions: [&[&str]; 4] =
        [&["--engine", "explicit"], &["--engine", "bmc"], &["--ltl", "G true"], &["--invariant", "1 == 1"]];
    for question in questions {
        for command in ["check", "fix"] {
            let (exit, out, err) = run(&[&[command, &path, "--model", "tso"], question].concat());
            assert_eq!(exit, Exit::BadInput, "{command} {question:?}\n{out}{err}");
            assert!(err.contains("`depth` calls itself"), "{command} {question:?}\n{out}{err}");
        }
    }
}

/// The literal machine does not read `--invariant`, so it neither confirms nor contradicts the answer.
#[test]
fn an_invariant_of_the_command_line_is_asked_of_the_lowered_program() {
    if !has_clang() {
        return;
    }
    let text =
        store_buffering().replace("n == 0 ? 0 : 1 + depth(n - 1)", "n").replace("a == 1 || b == 1", "1");
    let path = file("invariant.c", &text);
    let (exit, out, err) = run(&["check", &path, "--model", "sc", "--invariant", "x == 0"]);
    assert_eq!(exit, Exit::Violated, "{out}{err}");
    let (exit, out, err) = run(&["check", &path, "--model", "sc", "--invariant", "x < 2"]);
    assert_eq!(exit, Exit::Proved, "{out}{err}");
    assert!(!out.contains("literal machine"), "{out}");
}
