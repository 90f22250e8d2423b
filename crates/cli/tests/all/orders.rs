//! `fix --with order`: stronger words for the orders of atomic accesses, beside fences. What is expected is argued at each
//! test; the costs are those of `docs/repair.md`. What needs clang says on standard error when there is none.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use fencewright_cli::{Exit, World, main_with};
use fencewright_ir::{EdgeId, Program, ThreadId, edit, text};

fn run(args: &[&str]) -> (Exit, String, String) {
    let (mut stdin, mut out, mut err) = (&b""[..], Vec::new(), Vec::new());
    let world = World::new(&mut stdin, &mut out, &mut err);
    let args = std::iter::once("fencewright").chain(args.iter().copied());
    let exit = main_with(args.map(Into::into), world);
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    (exit, text(out), text(err))
}

fn file(name: &str, text: &str) -> String {
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("orders");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("the file can be written");
    path.to_str().expect("the path is UTF-8").to_owned()
}

fn corpus(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(path);
    path.to_str().expect("the path is UTF-8").to_owned()
}

fn has_clang() -> bool {
    let found = Command::new("clang").arg("--version").output().is_ok();
    if !found {
        // Past the test harness, which would keep it to itself.
        let _ =
            std::io::stderr().write_all(b"\nSKIPPED: a test needs clang: `cargo xtask setup` installs it\n");
    }
    found
}

/// The lines that a repair takes out and puts in, and what the report says of it.
fn repaired(file: &str, model: &str, more: &[&str]) -> (Vec<String>, String) {
    let args = [&["fix", file, "--model", model, "--with", "order"], more].concat();
    let (exit, report, err) = run(&args);
    assert_eq!(exit, Exit::Proved, "{file} under {model}: {report}{err}");
    let changed = |line: &&str| {
        (line.starts_with('+') || line.starts_with('-'))
            && !line.starts_with("+++")
            && !line.starts_with("---")
    };
    let squeezed = |line: &str| format!("{}{}", &line[..1], line[1..].trim());
    let lines = report.lines().filter(changed).map(squeezed).collect();
    (lines, report)
}

/// Peterson needs the flag in memory before the turn, and the turn before the other's flag is read: a full and a
/// store-store fence under PSO. A sequentially consistent store of the turn waits for the flag, and is in memory before
/// anything else: one word does both. It costs 80, less than any repair with a full fence; and every repair has one or a
/// sequentially consistent store, because under TSO nothing else does anything.
#[test]
fn one_word_repairs_peterson() {
    let c = [
        "-atomic_store_explicit(&turn, other, memory_order_relaxed);",
        "+atomic_store_explicit(&turn, other, memory_order_seq_cst);",
    ];
    let cpp =
        ["-turn.store(other, std::memory_order_relaxed);", "+turn.store(other, std::memory_order_seq_cst);"];
    let rust = ["-TURN.store(other, Ordering::Relaxed);", "+TURN.store(other, Ordering::SeqCst);"];
    let mut cases = vec![("rust/peterson/peterson.rs", rust)];
    if has_clang() {
        cases.extend([("c/peterson/peterson.c", c), ("cpp/peterson/peterson.cpp", cpp)]);
    }
    for (path, expected) in cases {
        for model in ["tso", "pso"] {
            let (lines, report) = repaired(&corpus(path), model, &[]);
            assert_eq!(lines, expected, "{path} under {model}");
            assert!(report.contains("REPAIRED — 1 stronger order: minimum, proved"), "{report}");
        }
    }
}

/// Message passing under PSO: what is published must not overtake the data. A store that releases (30) is less than a
/// store-store fence (40).
#[test]
fn what_publishes_releases() {
    let mut cases = vec![("rust/publish/publish.rs", "Ordering::Relaxed", "Ordering::Release")];
    if has_clang() {
        cases.extend([
            ("c/mcs-relaxed/mcs-relaxed.c", "memory_order_relaxed", "memory_order_release"),
            ("cpp/singleton/singleton.cpp", "std::memory_order_relaxed", "std::memory_order_release"),
        ]);
    }
    for (path, weak, strong) in cases {
        let (lines, report) = repaired(&corpus(path), "pso", &[]);
        let [old, new] = &lines[..] else { panic!("{path}: {lines:?}") };
        assert_eq!(new[1..], old[1..].replace(weak, strong), "{path}");
        assert!(report.contains("1 stronger order: minimum, proved"), "{report}");
        // With a dear word the fence is taken, as it is without `--with order`.
        let (lines, report) = repaired(&corpus(path), "pso", &["--cost", "release=41,order=101"]);
        assert!(lines.iter().all(|line| !line.contains("store")), "{path}: {lines:?}");
        assert!(report.contains("1 store-store fence: minimum, proved"), "{report}");
    }
}

/// Store buffering of functions `left` and `right`; both may read 0.
fn store_buffering(name: &str, left: &str, right: &str) -> String {
    let text = format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
         static atomic_int x, y;\nstatic volatile int plain;\nstatic int a, b, which;\n\
         static void *left(void *argument) {{\n    (void)argument;\n{left}    return 0;\n}}\n\
         static void *right(void *argument) {{\n    (void)argument;\n{right}    return 0;\n}}\n\
         int main(void) {{\n    pthread_t one, two;\n    pthread_create(&one, 0, left, 0);\n    \
         pthread_create(&two, 0, right, 0);\n    pthread_join(one, 0);\n    pthread_join(two, 0);\n    (void)which;\n    \
         (void)plain;\n    assert(a != 0 || b != 0);\n    return 0;\n}}\n"
    );
    file(name, &text)
}

const RELAXED_LEFT: &str = "    atomic_store_explicit(&x, 1, memory_order_relaxed);\n    \
                            a = atomic_load_explicit(&y, memory_order_relaxed);\n";
const RELAXED_RIGHT: &str = "    atomic_store_explicit(&y, 1, memory_order_relaxed);\n    \
                             b = atomic_load_explicit(&x, memory_order_relaxed);\n";

/// Each side needs its own remedy (store buffering with one fence is still observable). A plain store has no word, so that
/// side gets a fence: 80 + 100.
#[test]
fn words_and_fences_together() {
    if !has_clang() {
        return;
    }
    let plain_right = "    plain = 1;\n    b = atomic_load_explicit(&x, memory_order_relaxed);\n";
    let reads_plain = RELAXED_LEFT.replace("atomic_load_explicit(&y, memory_order_relaxed)", "plain");
    let path = store_buffering("mixed.c", &reads_plain, plain_right);
    let (lines, report) = repaired(&path, "tso", &["--cflags", "-Wall -Wextra"]);
    assert_eq!(
        lines,
        [
            "-atomic_store_explicit(&x, 1, memory_order_relaxed);",
            "+atomic_store_explicit(&x, 1, memory_order_seq_cst);",
            "+atomic_thread_fence(memory_order_seq_cst);"
        ]
    );
    assert!(report.contains("1 full fence, 1 stronger order: minimum, proved"), "{report}");
}

/// Two stores in two branches before one load: two words cost 160, one fence behind the branches 100.
#[test]
fn the_cheaper_of_a_fence_and_two_words() {
    if !has_clang() {
        return;
    }
    let branches = "    if (which)\n        atomic_store_explicit(&x, 1, memory_order_relaxed);\n    else\n        \
                    atomic_store_explicit(&x, 2, memory_order_relaxed);\n    \
                    a = atomic_load_explicit(&y, memory_order_relaxed);\n";
    // Which branch it is must not be known: the other side decides it, before or after.
    let right = format!("    which = 1;\n{RELAXED_RIGHT}");
    let path = store_buffering("branches.c", branches, &right);
    let (lines, report) = repaired(&path, "tso", &[]);
    assert_eq!(
        lines,
        [
            "+atomic_thread_fence(memory_order_seq_cst);",
            "-atomic_store_explicit(&y, 1, memory_order_relaxed);",
            "+atomic_store_explicit(&y, 1, memory_order_seq_cst);"
        ]
    );
    assert!(report.contains("1 full fence, 1 stronger order: minimum, proved"), "{report}");
}

/// A release fence between store and load keeps stores in order only. Made sequentially consistent (80) it is the full fence
/// that each side needs; nothing else here has a word.
#[test]
fn a_fence_becomes_a_stronger_fence() {
    if !has_clang() {
        return;
    }
    let side = |mine: &str, other: &str, into: &str| {
        format!("    {mine} = 1;\n    atomic_thread_fence(memory_order_release);\n    {into} = {other};\n")
    };
    let path = file(
        "fences.c",
        &std::fs::read_to_string(store_buffering("fences.c", &side("vx", "vy", "a"), &side("vy", "vx", "b")))
            .expect("it was written")
            .replace("static atomic_int x, y;", "static volatile int vx, vy;"),
    );
    let (lines, report) = repaired(&path, "pso", &[]);
    let once = ["-atomic_thread_fence(memory_order_release);", "+atomic_thread_fence(memory_order_seq_cst);"];
    assert_eq!(lines, [once, once].concat());
    assert!(report.contains("2 stronger orders: minimum, proved"), "{report}");
}

/// A relaxed exchange waits under PSO for stores to its own location only (the table of `docs/formats/c-and-rust.md`), so the
/// flag overtakes the data. One that releases waits for all: 30, against 40 for a store-store fence before it. One that
/// acquires keeps doing so.
#[test]
fn a_read_modify_write_releases() {
    let text = |order: &str| {
        format!(
            "use std::sync::atomic::{{AtomicU32, Ordering}};\nuse std::thread;\n\
             static DATA: AtomicU32 = AtomicU32::new(0);\nstatic READY: AtomicU32 = AtomicU32::new(0);\n\
             fn main() {{\n    let reader = thread::spawn(|| {{\n        if READY.load(Ordering::Acquire) == 1 {{\n            \
             assert!(DATA.load(Ordering::Relaxed) == 1);\n        }}\n    }});\n    \
             let writer = thread::spawn(|| {{\n        DATA.store(1, Ordering::Relaxed);\n        \
             READY.swap(1, Ordering::{order});\n    }});\n    reader.join().unwrap();\n    writer.join().unwrap();\n}}\n"
        )
    };
    for (weak, strong) in [("Relaxed", "Release"), ("Acquire", "AcqRel")] {
        let path = file(&format!("swap-{weak}.rs"), &text(weak));
        let (lines, report) = repaired(&path, "pso", &[]);
        assert_eq!(
            lines,
            [format!("-READY.swap(1, Ordering::{weak});"), format!("+READY.swap(1, Ordering::{strong});")]
        );
        assert!(report.contains("1 stronger order: minimum, proved"), "{report}");
    }
}

/// Variants that are imported by themselves: the stronger one is written by a path that is good there.
#[test]
fn imported_variants() {
    let text = "use std::sync::atomic::Ordering::Relaxed;\nuse std::sync::atomic::AtomicU32;\n\
                static X: AtomicU32 = AtomicU32::new(0);\nstatic Y: AtomicU32 = AtomicU32::new(0);\n\
                static A: AtomicU32 = AtomicU32::new(9);\n\
                pub fn left() {\n    X.store(1, Relaxed);\n    A.store(Y.load(Relaxed), Relaxed);\n}\n\
                pub fn right() {\n    Y.store(1, Relaxed);\n    let b = X.load(Relaxed);\n    \
                assert!(b == 1 || A.load(Relaxed) != 0);\n}\n";
    let path = file("variants.rs", text);
    let (lines, _) = repaired(&path, "tso", &["--entry", "left,right"]);
    assert_eq!(
        lines,
        [
            "-X.store(1, Relaxed);",
            "+X.store(1, std::sync::atomic::Ordering::SeqCst);",
            "-Y.store(1, Relaxed);",
            "+Y.store(1, std::sync::atomic::Ordering::SeqCst);"
        ]
    );
}

#[test]
fn what_order_is_not_for() {
    let rmm = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/peterson.rmm");
    let (exit, _, err) = run(&["fix", &rmm.to_string_lossy(), "--with", "order"]);
    assert_eq!(exit, Exit::BadInput);
    assert!(err.contains("--with order is for C, C++ and Rust, not for rmm"), "{err}");
    let path = corpus("rust/peterson/peterson.rs");
    let (exit, _, err) = run(&["fix", &path, "--with", "order", "--strategy", "avoid-formula"]);
    assert_eq!(exit, Exit::BadInput);
    assert!(err.contains("hitting-sets and minimal-sets"), "{err}");
    let (exit, _, err) = run(&["fix", &path, "--with", "orders"]);
    assert_eq!(exit, Exit::BadInput);
    assert!(err.contains("fences, atomic or order"), "{err}");
}

#[test]
fn json_names_the_word() {
    let path = corpus("rust/peterson/peterson.rs");
    let (exit, out, err) = run(&["fix", &path, "--with", "order", "--format", "json"]);
    assert_eq!(exit, Exit::Proved, "{err}");
    for part in [
        r#""kind": "order""#,
        r#""order": "Ordering::SeqCst""#,
        r#""text": "TURN.store(other, Ordering::Relaxed)""#,
    ] {
        assert!(out.contains(part), "{part} in\n{out}");
    }
}

fn exported(path: &str) -> Program {
    let (exit, out, err) = run(&["export", path, "--to", "ir"]);
    assert_eq!(exit, Exit::Proved, "{path}: {err}");
    text::parse(&out).expect("what is exported can be read")
}

/// What a stronger word makes of the program is what the compiler and the lowering make of the changed text: the program of
/// the one is the program of the other, step by step.
#[test]
fn a_stronger_word_means_what_the_changed_text_means() {
    let mut files = vec!["rust/peterson/peterson.rs", "rust/spinlock-relaxed/spinlock-relaxed.rs"];
    if has_clang() {
        files.extend(["c/chase-lev/chase-lev.c", "c/mcs-relaxed/mcs-relaxed.c", "cpp/peterson/peterson.cpp"]);
    }
    let mut compared = 0;
    for path in files {
        let whole = std::fs::read_to_string(corpus(path)).expect("it is there");
        let program = exported(&corpus(path));
        let kinds = program.orders.iter_enumerated().flat_map(|(id, order)| {
            order
                .stronger
                .iter()
                .map(move |(kind, word)| (id, *kind, order.span.expect("it stands there"), word))
        });
        for (id, kind, span, word) in kinds {
            let mut changed = whole.clone();
            changed.replace_range(span.start as usize..span.end as usize, word);
            let name = path.rsplit('/').next().expect("it has a name");
            let compiled = exported(&file(&format!("{}-{kind:?}-{name}", id.0), &changed));
            let edited = edit::strengthen(&program, id, kind);
            assert_eq!(edited.threads.len(), compiled.threads.len(), "{path}: {word} at {span:?}");
            for (thread, edges) in compiled.threads.iter_enumerated().map(|(id, thread)| (id, &thread.edges))
            {
                for (edge, expected) in edges.iter_enumerated() {
                    let (thread, edge): (ThreadId, EdgeId) = (thread, edge);
                    let found = edited.edge(thread, edge);
                    assert_eq!(
                        (found.from, found.to, found.step.lock, &found.step.ops),
                        (expected.from, expected.to, expected.step.lock, &expected.step.ops),
                        "{path}: {word} at {span:?}, {edge:?} of {thread:?}"
                    );
                }
            }
            compared += 1;
        }
    }
    assert!(compared >= 8, "{compared}");
}

const PUBLISH: &str = r#"#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
atomic_int data, ready;
void *write(void *unused) {
  atomic_store_explicit(&data, 1, memory_order_relaxed);
  atomic_store_explicit(&ready, 1, memory_order_release);
  return 0;
}
void *read(void *unused) {
  if (atomic_load_explicit(&ready, memory_order_acquire))
    assert(atomic_load_explicit(&data, memory_order_relaxed));
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, write, 0);
  pthread_create(&b, 0, read, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
"#;

/// TSO keeps the two stores in order whatever is written there; PSO does not. What is not needed under TSO is the order of
/// the store, not the store: without the store nothing would be published.
#[test]
fn an_order_that_is_not_needed_is_not_called_a_store_that_is_not_needed() {
    if !has_clang() {
        return;
    }
    let path = file("publish.c", PUBLISH);
    let store = "atomic_store_explicit(&ready, 1, memory_order_release);";
    let (exit, text, err) = run(&["fix", &path, "--model", "tso"]);
    assert_eq!(exit, Exit::Proved, "{text}{err}");
    let said = format!(
        "line 7: the order `memory_order_release` of `{store}` is not needed: with a relaxed one the program is still proved"
    );
    assert!(text.contains(&said) && text.matches("is not needed").count() == 1, "{text}");
    let (_, json, _) = run(&["fix", &path, "--model", "tso", "--format", "json"]);
    assert!(json.contains("\"order\": \"memory_order_release\""), "{json}");
    let (_, sarif, _) = run(&["fix", &path, "--model", "tso", "--format", "sarif"]);
    let said = format!("The order `memory_order_release` of `{store}` is not needed under TSO: ");
    assert!(sarif.contains(&said), "{sarif}");
    let (_, text, _) = run(&["fix", &path, "--model", "pso"]);
    assert!(!text.contains("is not needed"), "{text}");
}
