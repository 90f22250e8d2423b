//! Reports of violations in compiled programs name the failing line, say what failed, and use no name that the user did not
//! write. Lines and words are taken from the programs, by hand. What needs clang says on standard error
//! when there is none.

use std::io::Write;
use std::path::Path;
use std::process::Command;

use fencewright_cli::{Exit, World, main_with};

fn run(args: &[&str]) -> (Exit, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut stdin: &[u8] = b"";
    let world = World::new(&mut stdin, &mut out, &mut err);
    let exit = main_with(std::iter::once("fencewright").chain(args.iter().copied()).map(Into::into), world);
    (exit, String::from_utf8(out).expect("output is UTF-8"))
}

fn has_clang() -> bool {
    let found = Command::new("clang").arg("--version").output().is_ok();
    if !found {
        let _ =
            std::io::stderr().write_all(b"\nSKIPPED: a test needs clang: `cargo xtask setup` installs it\n");
    }
    found
}

/// A program of the corpus, the model, the engine, the line where it goes wrong, and what the first line of the report
/// says of it.
type Case = (&'static str, &'static str, &'static str, usize, &'static str);

const C_AND_CPP: &[Case] = &[
    // The value is read in line 19, in another function than the assertion.
    ("c/double-checked/double-checked.c", "pso", "explicit", 24, "assertion fails"),
    ("c/double-checked/double-checked.c", "pso", "literal", 24, "assertion fails"),
    ("c/peterson/peterson.c", "tso", "explicit", 12, "assertion fails"),
    ("c/peterson/peterson.c", "tso", "literal", 12, "assertion fails"),
    ("c/chase-lev/chase-lev.c", "tso", "explicit", 12, "assertion fails"),
    ("c/mcs-relaxed/mcs-relaxed.c", "pso", "explicit", 18, "assertion fails"),
    ("c/condition-without-loop/condition-without-loop.c", "sc", "explicit", 15, "assertion fails"),
    ("c/condition-without-loop/condition-without-loop.c", "sc", "literal", 15, "assertion fails"),
    ("c/lost-wakeup/lost-wakeup.c", "tso", "explicit", 33, "main's assertion fails"),
    ("c/lost-wakeup/lost-wakeup.c", "tso", "literal", 33, "main's assertion fails"),
    ("c/rcu-publish/rcu-publish.c", "pso", "explicit", 25, "assertion fails"),
    ("c/atomic-flag-relaxed/atomic-flag-relaxed.c", "pso", "literal", 24, "assertion fails"),
    ("c/esbmc-check-then-act/esbmc-check-then-act.c", "sc", "literal", 28, "assertion fails"),
    // The overflow is in line 16; line 28 looks at its result.
    ("c/signed-overflow/signed-overflow.c", "sc", "literal", 16, "signed overflow in add#2"),
    ("c/use-after-free/use-after-free.c", "sc", "literal", 16, "uses block@28 after it was freed"),
    ("c/double-free/double-free.c", "sc", "literal", 10, "frees block@18 a second time"),
    ("c/michael-scott-free/michael-scott-free.c", "sc", "literal", 25, "after it was freed"),
    ("c/null-check-race/null-check-race.c", "sc", "literal", 12, "uses a null pointer"),
    ("c/division-race/division-race.c", "sc", "literal", 10, "divides by zero"),
    ("c/bounds-heap/bounds-heap.c", "sc", "literal", 16, "accesses block@24 outside its bounds"),
    ("c/unset-branch/unset-branch.c", "sc", "literal", 20, "decides by a value that was never set"),
    ("c/stack-escape/stack-escape.c", "sc", "literal", 9, "uses number after its function has returned"),
    ("cpp/singleton/singleton.cpp", "pso", "explicit", 33, "assertion fails"),
    ("cpp/singleton/singleton.cpp", "pso", "literal", 33, "assertion fails"),
    ("cpp/spinlock-guard-relaxed/spinlock-guard-relaxed.cpp", "pso", "explicit", 44, "assertion fails"),
    ("cpp/handshake/handshake.cpp", "tso", "explicit", 20, "main's assertion fails"),
    ("cpp/handshake/handshake.cpp", "tso", "literal", 20, "main's assertion fails"),
    ("cpp/lambda-flags/lambda-flags.cpp", "tso", "literal", 17, "main's assertion fails"),
];

const RUST: &[Case] = &[
    ("rust/publish/publish.rs", "pso", "explicit", 16, "thread@21's assertion fails"),
    ("rust/peterson/peterson.rs", "tso", "explicit", 12, "assertion fails"),
    ("rust/peterson/peterson.rs", "tso", "literal", 12, "panics"),
    ("rust/arc-publish-relaxed/arc-publish-relaxed.rs", "pso", "literal", 20, "main panics"),
    ("rust/mutex-vec-check-then-pop/mutex-vec-check-then-pop.rs", "sc", "literal", 8, "main panics"),
];

/// Names of the implementation: of the lowering, of glibc, libstdc++ and Rust's standard library, of LLVM, of mangling.
const INTERNAL: &[&str] = &[
    "ended[",
    "started[",
    "returned[",
    ".__",
    "__data",
    "__lock",
    "__fencewright",
    "lang_start",
    ".addr",
    "_ZN",
    "_ZT",
    "_ZS",
    "_RN",
    "_RI",
    "_M_",
    "._Value",
    "{closure",
    "{{",
    "{vtable",
    "anon.",
    "alloc_",
    "std::sys",
    "std::panicking",
    "core::",
    "''",
    "} behind",
    "allocations",
    "allocated memory",
    "(null)",
    "whether block",
];

/// Whether the text gives a value to a register that no variable of the user's stands for: `r29 = 1`.
fn has_register(text: &str) -> bool {
    text.match_indices('r').any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let rest = &text[at + 1..];
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let is_word = before.is_none_or(|c| !c.is_alphanumeric() && c != '_');
        is_word && digits > 0 && rest[digits..].starts_with(" = ")
    })
}

fn check_all(cases: &[Case]) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    for (program, model, engine, line, words) in cases {
        let path = corpus.join(program);
        let path = path.to_str().expect("the path is UTF-8");
        let args = ["check", path, "--model", model, "--engine", engine, "--timeout", "60s"];
        let (exit, text) = run(&args);
        let what = format!("{program} under {model} by {engine}:\n{text}");
        assert_eq!(exit, Exit::Violated, "{what}");
        let first = text.lines().next().unwrap_or_default();
        assert!(first.contains(words), "not `{words}`: {what}");
        assert!(first.contains(&format!("at line {line} (")), "not line {line}: {what}");
        let (_, json) = run(&[&args[..], &["--format", "json"]].concat());
        let parsed: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
        let result = &parsed["results"][0];
        assert_eq!(result["place"]["line"], serde_json::json!(line), "{what}\n{json}");
        assert!(result["message"].as_str().is_some_and(|message| message.contains(words)), "{json}");
        for (kind, text) in [("text", text), ("JSON", json)] {
            let found: Vec<&&str> = INTERNAL.iter().filter(|name| text.contains(**name)).collect();
            assert!(found.is_empty(), "{found:?} in the {kind} of {what}");
            assert!(!has_register(&text), "a register in the {kind} of {what}");
        }
    }
}

#[test]
fn violations_of_c_and_cpp_are_told_in_the_users_words() {
    if has_clang() {
        check_all(C_AND_CPP);
    }
}

#[test]
fn violations_of_rust_are_told_in_the_users_words() {
    check_all(RUST);
}

#[test]
fn registers_are_seen() {
    assert!(has_register("reads x: 0; r29 = 1"));
    assert!(!has_register("reads r1: 0; number = 1; var1 = 2"));
}

/// The report of a program of the corpus.
fn report(program: &str, model: &str, engine: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(program);
    let path = path.to_str().expect("the path is UTF-8");
    run(&["check", path, "--model", model, "--engine", engine, "--timeout", "60s"]).1
}

#[test]
fn locks_joins_and_addresses_have_words() {
    if !has_clang() {
        return;
    }
    let locks = report("c/double-checked/double-checked.c", "pso", "explicit");
    assert!(locks.contains("takes mutex"), "{locks}");
    let joins = report("c/lost-wakeup/lost-wakeup.c", "tso", "explicit");
    assert!(joins.contains("joins waiter") && joins.contains("ends"), "{joins}");
    let addresses = report("c/rcu-publish/rcu-publish.c", "pso", "explicit");
    assert!(addresses.contains("current=&versions[1] "), "{addresses}");
    let addresses = report("c/rcu-publish/rcu-publish.c", "pso", "literal");
    assert!(addresses.contains("current=&versions[1] "), "{addresses}");
    let readers = report("c/rwlock-upgrade/rwlock-upgrade.c", "sc", "literal");
    assert!(readers.contains("takes lock for reading"), "{readers}");
}

#[test]
fn an_atomic_section_is_rows() {
    if !has_clang() {
        return;
    }
    let text = report("c/esbmc-check-then-act/esbmc-check-then-act.c", "sc", "literal");
    // Lines 12 and 16 of each thread: a row for each access.
    assert_eq!(text.matches("atomic section: reads balance").count(), 4, "{text}");
    assert_eq!(text.matches("atomic section: balance=").count(), 2, "{text}");
}

#[test]
fn blocks_are_told_apart() {
    if !has_clang() {
        return;
    }
    let text = report("c/michael-scott-free/michael-scott-free.c", "sc", "literal");
    // The node that `main` allocates first, in line 15, is the one that `put_and_take` frees in line 43.
    assert!(text.contains("block@15#1: 16 bytes for node, allocated by main at line 15"), "{text}");
    assert!(text.contains("put_and_take freed it at line 43"), "{text}");
    assert!(text.contains("reads block@15#1.next"), "{text}");
}

#[test]
fn rows_name_their_file_when_there_are_several() {
    if !has_clang() {
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reports");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let header = "static volatile int x, y;\n\
                  static inline int left(void) {\n    x = 1;\n    return y;\n}\n\
                  static inline int right(void) {\n    y = 1;\n    return x;\n}\n";
    let program = "#include <assert.h>\n#include <pthread.h>\n#include \"both.h\"\n\n\
                   static int a, b;\n\n\
                   static void *first(void *p) {\n    a = left();\n    return p;\n}\n\n\
                   static void *second(void *p) {\n    b = right();\n    return p;\n}\n\n\
                   int main(void) {\n    pthread_t s, t;\n    pthread_create(&s, 0, first, 0);\n    \
                   pthread_create(&t, 0, second, 0);\n    pthread_join(s, 0);\n    pthread_join(t, 0);\n    \
                   assert(a || b);\n    return 0;\n}\n";
    std::fs::write(folder.join("both.h"), header).expect("the file can be written");
    std::fs::write(folder.join("both.c"), program).expect("the file can be written");
    let path = folder.join("both.c");
    let path = path.to_str().expect("the path is UTF-8");
    for engine in ["explicit", "literal"] {
        let (exit, text) = run(&["check", path, "--model", "tso", "--engine", engine]);
        assert_eq!(exit, Exit::Violated, "{text}");
        // The read of y is line 4 of the header; the assertion, line 23 of the program.
        assert!(text.contains("both.h:4") && text.contains("both.c:23"), "{engine}: {text}");
        assert!(text.contains("assertion fails at both.c:23 ("), "{engine}: {text}");
    }
}
