//! C, C++ and Rust on the command line: the compiler, its absence, its messages, and texts nobody should write. What
//! needs clang says on standard error when there is none.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use fencewright_cli::{Exit, World, main_with};

fn run_on(args: &[&str], mut stdin: &[u8]) -> (Exit, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let world = World::new(&mut stdin, &mut out, &mut err);
    let args = std::iter::once("fencewright").chain(args.iter().copied());
    let exit = main_with(args.map(Into::into), world);
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    (exit, text(out), text(err))
}

pub(crate) fn run(args: &[&str]) -> (Exit, String, String) {
    run_on(args, b"")
}

/// A file for a test.
fn file(name: &str, bytes: impl AsRef<[u8]>) -> String {
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiled");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    // Tests run at once, and some share a header: it is there whole or not at all.
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let (path, new) =
        (folder.join(name), folder.join(format!("{name}.{}", NEXT.fetch_add(1, Ordering::Relaxed))));
    std::fs::write(&new, bytes).expect("the file can be written");
    std::fs::rename(&new, &path).expect("the file can be renamed");
    path.to_str().expect("the path is UTF-8").to_owned()
}

pub(crate) fn has_clang() -> bool {
    let found = Command::new("clang").arg("--version").output().is_ok();
    if !found {
        // Past the test harness, which would keep it to itself.
        let _ =
            std::io::stderr().write_all(b"\nSKIPPED: a test needs clang: `cargo xtask setup` installs it\n");
    }
    found
}

/// Store buffering: both threads may read 0.
const SB: &str = "\
#include <assert.h>
#include <pthread.h>
#include \"compiled-own.h\"

static volatile int x, y;
static int a, b;

static void *left(void *argument) {
    (void)argument;
    x = 1;
    a = y;
    return 0;
}

static void *right(void *argument) {
    (void)argument;
    y = 1;
    b = peek(&x);
    return 0;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, left, 0);
    pthread_create(&second, 0, right, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(a == 1 || b == 1);
    return 0;
}
";

/// Reads twice: the first read is shown as the call, which is in the user's file, the second where it stands.
const OWN_HEADER: &str =
    "static inline int peek(volatile int *cell) {\n    int first = *cell;\n    return first | *cell;\n}\n";

fn store_buffering(name: &str) -> String {
    file("compiled-own.h", OWN_HEADER);
    file(name, SB)
}

#[test]
fn a_program_of_c_is_checked_and_its_lines_are_shown() {
    if !has_clang() {
        return;
    }
    let path = store_buffering("sb.c");
    let (exit, out, err) = run(&["check", &path, "--model", "sc,tso"]);
    assert_eq!(exit, Exit::Violated, "{err}");
    assert!(out.contains("under SC: HOLDS"), "{out}");
    assert!(out.contains("under TSO: VIOLATED — main's assertion fails at sb.c:28"), "{out}");
    for part in [
        "x = 1;",
        "y = 1;",
        "a = y;",
        "return first |",
        "compiled-own.h:3",
        "was still in its store buffer when",
    ] {
        assert!(out.contains(part), "{part} is not in\n{out}");
    }
    assert!(!out.contains("fencewright_site") && !out.contains('%'), "nothing of the IR is shown:\n{out}");
}

#[test]
fn the_command_can_be_seen_and_given_arguments() {
    if !has_clang() {
        return;
    }
    let text = "int main(void) { BODY; return 0; }\n";
    let path = file("flags.c", text);
    let (exit, _, err) = run(&["check", &path, "--verbose", "--cflags", "-DBODY='int z = 1; (void)z'"]);
    assert_eq!(exit, Exit::Proved, "{err}");
    assert!(err.contains("-emit-llvm") && err.contains("'-DBODY=int z = 1; (void)z'"), "{err}");
    let (exit, _, err) = run(&["check", &path, "--", "-DBODY=(void)0"]);
    assert_eq!((exit, err.as_str()), (Exit::Proved, ""));
    let (exit, _, _) = run(&["check", &path]);
    assert_eq!(exit, Exit::BadInput);
}

/// Memory, divisions and the like are looked at whatever the text states: that is a proof, of that. Only who leaves all of it out
/// asks nothing.
#[test]
fn a_text_without_assertions_is_looked_at_for_all_else() {
    if !has_clang() {
        return;
    }
    let path = file("no_assertions.c", "int g;\nint main(void) { g = 1; return g; }\n");
    for engine in ["auto", "literal", "explicit", "bmc"] {
        let (exit, text, err) = run(&["check", &path, "--engine", engine]);
        assert_eq!(exit, Exit::Proved, "{engine}: {err}");
        assert!(text.contains("HOLDS") && text.contains("the text has no assertions"), "{engine}: {text}");
        assert!(text.contains("memory"), "{engine}: {text}");
        assert_eq!(text.contains("deadlock"), ["auto", "literal"].contains(&engine), "{engine}: {text}");
        let (exit, json, _) = run(&["check", &path, "--engine", engine, "--format", "json"]);
        assert_eq!(exit, Exit::Proved, "{engine}: {json}");
        assert!(json.contains("\"verdict\": \"holds\"") && json.contains("memory"), "{engine}: {json}");
    }
    let (exit, text, _) = run(&["check", &path, "--no-check", "assertions,memory"]);
    assert!(exit == Exit::Proved && text.contains("HOLDS"), "{text}");
    let all = "assertions,memory,unset,division,deadlock";
    for text in
        [path.clone(), file("assertion_left_out.c", "#include <assert.h>\nint main(void) { assert(1); }\n")]
    {
        let (exit, text, _) = run(&["check", &text, "--no-check", all]);
        assert!(exit == Exit::Unknown && text.contains("EXPLORED"), "{text}");
    }
    let (exit, text, err) = run(&["fix", &path]);
    assert!(exit == Exit::Proved && text.contains("HOLDS"), "{text}{err}");
}

#[test]
fn standard_input_is_compiled_too() {
    if !has_clang() {
        return;
    }
    let (exit, out, err) = run_on(&["check", "-", "--language", "c"], b"int main(void) { return 0; }\n");
    assert_eq!(exit, Exit::Proved, "{err}");
    assert!(out.contains("<stdin> under TSO: HOLDS"), "{out}");
    let wrong = b"int main(void) { return x; }\n";
    let (exit, _, err) = run_on(&["check", "-", "--language", "c"], wrong);
    assert_eq!(exit, Exit::BadInput);
    assert!(err.contains("<stdin>:1:25: error: use of undeclared identifier 'x'"), "{err}");
}

#[test]
fn a_missing_compiler_is_named_with_the_way_out() {
    let path = file("missing.c", "int main(void) { return 0; }\n");
    let (exit, _, err) = run(&["check", &path, "--cc", "no-such-clang"]);
    assert_eq!(exit, Exit::BadInput);
    assert!(err.contains("there is no compiler `no-such-clang`; give --cc the name of a clang"), "{err}");
    let (exit, _, err) = run(&["check", &path, "--cc", "rustc"]);
    assert_eq!(exit, Exit::BadInput);
    assert!(err.contains("`rustc` is not clang"), "{err}");
    let path = file("missing.rs", "fn main() {}\n");
    let (exit, out, err) = run(&["check", &path, "--rustc", "no-such-rustc", "--format", "json"]);
    assert_eq!(exit, Exit::BadInput);
    assert!(err.contains("no `no-such-rustc` on the path"), "{err}");
    assert!(out.contains("no-such-rustc"), "scripts hear of it too: {out}");
}

#[test]
fn the_compilers_messages_are_about_the_users_text() {
    if !has_clang() {
        return;
    }
    let path = file("wrong.c", "int x;\nvoid f(void) { x = 1; x = ; }\n");
    let (exit, out, err) = run(&["check", &path, "--format", "json"]);
    assert_eq!(exit, Exit::BadInput);
    assert!(err.contains(&format!("{path}:2:27: error: expected expression")), "{err}");
    assert!(out.contains("error: expected expression"), "scripts hear of it too: {out}");
    assert!(!err.contains("fencewright_site"), "{err}");
    assert!(err.contains("clang does not take it"), "{err}");

    let path = file("wrong.rs", "fn main() {\n    let x: u32 = \"a\";\n}\n");
    let (exit, _, err) = run(&["check", &path]);
    assert_eq!(exit, Exit::BadInput);
    assert!(err.contains(&format!("{path}:2:18")) && err.contains("mismatched types"), "{err}");
    assert!(!err.contains("<anon>"), "{err}");
}

/// Macros that the parser cannot see through: the program is checked, without places there.
#[test]
fn macros_may_cost_places_but_not_the_verdict() {
    if !has_clang() {
        return;
    }
    let text = "\
#include <assert.h>
#define BEGIN {
#define END }
#define UNLESS(c) if (!(c))
#define ELSE else
volatile int x;
int pick(void) {
    UNLESS (x)
        x = 1;
    ELSE
        x = 2;
    return x;
}
int main(void) BEGIN
    pick();
    assert(x == 1);
    return 0;
END
";
    let path = file("macros.c", text);
    let (exit, out, err) = run(&["check", &path]);
    assert!(matches!(exit, Exit::Proved | Exit::Unknown), "{out}{err}");
    assert!(!err.contains("E0503"), "an answer has nothing to do with places: {err}");
    let (_, _, err) = run(&["fix", &path]);
    assert!(err.contains("E0503"), "it is said that places are missing: {err}");
}

#[test]
fn fix_changes_the_users_file_and_nothing_else_in_it() {
    if !has_clang() {
        return;
    }
    let path = store_buffering("fix.c");
    let (exit, out, err) = run(&["fix", &path, "--write", "--quiet"]);
    assert_eq!(exit, Exit::Proved, "{out}{err}");
    let fence = "    atomic_thread_fence(memory_order_seq_cst);\n";
    let expected = SB
        .replace("#include <pthread.h>\n", "#include <pthread.h>\n#include <stdatomic.h>\n")
        .replace("    a = y;\n", &format!("{fence}    a = y;\n"))
        .replace("    b = peek(&x);\n", &format!("{fence}    b = peek(&x);\n"));
    assert_eq!(std::fs::read_to_string(&path).expect("it is there"), expected);
}

/// Dekker's flags as a library: nobody starts the threads but the command line.
#[test]
fn functions_named_on_the_command_line_are_threads() {
    let side = |name: &str, mine: &str, other: &str| {
        format!(
            "fn {name}() {{\n    {mine}.store(true, Ordering::Release);\n    if !{other}.load(Ordering::Acquire) {{\n        \
             assert!(INSIDE.fetch_add(1, Ordering::SeqCst) == 0);\n        INSIDE.fetch_sub(1, Ordering::SeqCst);\n    }}\n}}\n"
        )
    };
    let text = format!(
        "#![forbid(unsafe_code)]\nuse std::sync::atomic::{{AtomicBool, AtomicUsize, Ordering}};\n\
         static A: AtomicBool = AtomicBool::new(false);\nstatic B: AtomicBool = AtomicBool::new(false);\n\
         static INSIDE: AtomicUsize = AtomicUsize::new(0);\n{}{}",
        side("left", "A", "B"),
        side("right", "B", "A")
    );
    let path = file("library.rs", &text);
    let (exit, out, err) = run(&["check", &path, "--entry", "left,right", "--model", "sc,tso", "--quiet"]);
    assert_eq!(exit, Exit::Violated, "{err}");
    assert!(out.contains("under SC: HOLDS") && out.contains("under TSO: VIOLATED"), "{out}");
    let (exit, out, err) = run(&["fix", &path, "--entry", "left,right", "--diff"]);
    assert_eq!(exit, Exit::Proved, "{out}{err}");
    assert_eq!(out.matches("+    fence(Ordering::SeqCst);\n").count(), 2, "{out}");
    assert!(out.contains("+use std::sync::atomic::{fence, AtomicBool, AtomicUsize, Ordering};"), "{out}");
    let (exit, _, err) = run(&["check", &path, "--entry", "nobody"]);
    assert_eq!(exit, Exit::BadInput);
    assert!(err.contains("nobody"), "{err}");
}

#[test]
fn kernels_have_their_own_names_for_fences() {
    if !has_clang() {
        return;
    }
    let smp = "#define smp_mb() __asm__ volatile(\"mfence\" ::: \"memory\")\n";
    file("compiled-own.h", OWN_HEADER);
    let path = file("kernel.c", format!("{smp}{SB}"));
    let (exit, out, err) = run(&["fix", &path, "--fence-text", "full=smp_mb();", "--diff"]);
    assert_eq!(exit, Exit::Proved, "{out}{err}");
    assert_eq!(out.matches("+    smp_mb();\n").count(), 2, "{out}");
    assert!(!out.contains("stdatomic"), "{out}");
    let (exit, _, err) = run(&["fix", &path, "--fence-text", "full=(void)0;", "--diff"]);
    assert_eq!(exit, Exit::Unknown);
    assert!(err.contains("are not the fences they stand for"), "{err}");
    let (exit, _, err) = run(&["fix", &path, "--with", "atomic"]);
    assert_eq!(exit, Exit::BadInput);
    assert!(err.contains("have --with order"), "{err}");
    let rmm = "examples/peterson.rmm";
    let rmm = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(rmm);
    let (exit, _, err) = run(&["fix", &rmm.to_string_lossy(), "--fence-text", "full=x;"]);
    assert_eq!(exit, Exit::BadInput);
    assert!(err.contains("--fence-text is for C, C++ and Rust"), "{err}");
}

/// rustc writes a file named by the crate alone before it prints: several runs in one folder must not meet there.
#[test]
fn several_runs_in_one_folder() {
    let text = |n: u32| {
        format!(
            "use std::sync::atomic::{{AtomicU32, Ordering}};\nstatic X: AtomicU32 = AtomicU32::new(0);\n\
             pub fn f() {{ X.store({n}, Ordering::SeqCst); }}\n\
             pub fn g() {{ assert!([0, {n}].contains(&X.load(Ordering::SeqCst))); }}\n"
        )
    };
    let paths: Vec<String> = (1..=6).map(|n| file(&format!("run-{n}.rs"), text(n))).collect();
    std::thread::scope(|scope| {
        for path in &paths {
            scope.spawn(move || {
                let (exit, out, err) = run(&["check", path, "--entry", "f,g", "--quiet"]);
                assert_eq!(exit, Exit::Proved, "{path}: {out}{err}");
            });
        }
    });
    let folder = Path::new(&paths[0]).parent().expect("it is in a folder");
    let names = std::fs::read_dir(folder).expect("it can be read").filter_map(Result::ok);
    let left: Vec<_> = names.map(|entry| entry.file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().ends_with(".ll")), "{left:?}");
}

/// What a thread returns, by `return` or by exiting, is there for who waits for it: the first gives back 1 or 0, as it finds
/// `x`, and the second always 7.
#[test]
fn what_a_thread_returns() {
    if !has_clang() {
        return;
    }
    let text = |claim: &str| {
        format!(
            "#include <assert.h>\n#include <pthread.h>\nstatic volatile long x;\n\
             static void *first(void *argument) {{ (void)argument; return (void *)x; }}\n\
             static void *second(void *argument) {{ (void)argument; x = 1; pthread_exit((void *)7); }}\n\
             int main(void) {{\n    pthread_t one, two;\n    void *a, *b;\n    pthread_create(&one, 0, first, 0);\n    \
             pthread_create(&two, 0, second, 0);\n    pthread_join(one, &a);\n    pthread_join(two, &b);\n    \
             assert({claim});\n    return 0;\n}}\n"
        )
    };
    for (name, claim, expected) in [
        ("returns-both.c", "(long)b == 7 && ((long)a == 0 || (long)a == 1)", Exit::Proved),
        ("returns-0.c", "(long)a == 0", Exit::Violated),
        ("returns-1.c", "(long)a == 1", Exit::Violated),
    ] {
        let path = file(name, text(claim));
        let (exit, out, err) = run(&["check", &path, "--model", "sc,tso,pso", "--quiet"]);
        assert_eq!(exit, expected, "{claim}: {out}{err}");
    }
}

/// Threads have the names of their functions, also where a library starts them; a closure has none, and its thread is called
/// by the line.
#[test]
fn threads_have_names() {
    let shown = |path: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(path);
        let (exit, out, err) = run(&["check", &path.to_string_lossy(), "--model", "tso"]);
        assert_eq!(exit, Exit::Violated, "{err}");
        (out, std::fs::read_to_string(path).expect("it is there"))
    };
    let (out, text) = shown("rust/peterson/peterson.rs");
    for (i, _) in text.lines().enumerate().filter(|(_, line)| line.contains("thread::spawn(")) {
        assert!(out.contains(&format!("thread@{}", i + 1)), "{out}");
    }
    if has_clang() {
        let (out, _) = shown("cpp/peterson/peterson.cpp");
        assert!(out.contains("worker#1") && out.contains("worker#2"), "{out}");
    }
}

/// C11's threads: what `thrd_join` gives is an `int`; `mtx_trylock` may find the mutex taken; a wait with a time limit may
/// end either way.
#[test]
fn threads_of_c11() {
    if !has_clang() {
        return;
    }
    let text = "#include <assert.h>\n#include <threads.h>\nstatic mtx_t mutex;\nstatic cnd_t changed;\nstatic int n;\n\
                static int run(void *argument) {\n    (void)argument;\n    mtx_lock(&mutex);\n    n++;\n    \
                struct timespec soon = {0, 0};\n    int late = cnd_timedwait(&changed, &mutex, &soon);\n    \
                assert(late == thrd_success || late == thrd_timedout);\n    n--;\n    mtx_unlock(&mutex);\n    \
                return late == thrd_success ? 3 : 4;\n}\n\
                int main(void) {\n    thrd_t one, two;\n    int a, b;\n    mtx_init(&mutex, mtx_plain);\n    \
                cnd_init(&changed);\n    thrd_create(&one, run, 0);\n    thrd_create(&two, run, 0);\n    \
                thrd_join(one, &a);\n    thrd_join(two, &b);\n    assert(n == 0);\n    assert(a == 3 || a == 4);\n    \
                assert(CLAIM);\n    return 0;\n}\n";
    for (name, claim, expected) in [
        ("c11.c", "b == 3 || b == 4", Exit::Proved),
        ("c11-3.c", "b == 3", Exit::Violated),
        ("c11-4.c", "b == 4", Exit::Violated),
    ] {
        let path = file(name, text.replace("CLAIM", claim));
        let (exit, out, err) = run(&["check", &path, "--model", "tso", "--quiet"]);
        assert_eq!(exit, expected, "{claim}: {out}{err}");
    }
}

/// Whatever it is given: a message and exit code 2, soon.
#[test]
fn hostile_files() {
    let itself = file("itself.c", "#include \"itself.c\"\nint main(void) { return 0; }\n");
    let header = file("header.c", "#include <no/such/header.h>\nint main(void) { return 0; }\n");
    let line = file("line.c", format!("int main(void) {{ return {}0; }}", "1+".repeat(5 << 20)));
    let junk: Vec<u8> = (0..200_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let binary = file("binary.c", &junk);
    let text: String = junk.iter().map(|byte| char::from(byte % 95 + 32)).collect();
    let noise = file("noise.c", &text);
    let noise_rust = file("noise.rs", &text);
    let deep = file("deep.c", format!("int main(void) {{ return {}0; }}", "(".repeat(100_000)));
    let braces = file("braces.cc", format!("int main() {}", "{".repeat(100_000)));
    let nul = file("nul.c", "int main(void) { return 0; }\n\0\0\0");
    for (path, says) in [
        (&itself, "#include nested too deeply"),
        (&header, "'no/such/header.h' file not found"),
        (&line, "E0502"),
        (&binary, "is not UTF-8 text"),
        (&noise, "error"),
        (&noise_rust, "error"),
        (&deep, "error"),
        (&braces, "error"),
    ] {
        if !path.ends_with(".rs") && !has_clang() {
            continue;
        }
        let (exit, out, err) = run(&["check", path]);
        assert_eq!((exit, out.as_str()), (Exit::BadInput, ""), "{path}: {err}");
        let start: String = err.chars().take(2000).collect();
        assert!(err.contains(says), "{path}: {start}");
    }
    if has_clang() {
        let (exit, _, err) = run(&["check", &nul]);
        assert_eq!(exit, Exit::Proved, "clang takes a NUL for white space: {err}");
    }
}

/// Compilers differ in how they write names down; the programs are the same.
#[test]
fn rust_names_of_both_manglings_are_known() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/rust");
    for name in ["condition", "lost-wakeup", "peterson-fenced", "publish", "spinlock", "ticket"] {
        let path = corpus.join(name).join(format!("{name}.rs"));
        let path = path.to_str().expect("the path is UTF-8");
        // The engines on the lowered program: how names are written is no concern of the literal machine.
        let check = ["check", path, "--model", "tso", "--quiet", "--engine", "explicit"];
        let newer = [&check[..], &["--", "-C", "symbol-mangling-version=v0"]].concat();
        let ((expected, ..), (exit, _, err)) = (run(&check), run(&newer));
        assert_eq!(exit, expected, "{name}: {err}");
        assert!(matches!(exit, Exit::Proved | Exit::Violated), "{name}: {err}");
    }
}

/// What the front end refuses is no program that an engine could be asked about: never a proof of nothing.
#[test]
fn a_refused_text_is_not_proved_by_the_engines() {
    let text = "declare i32 @nondet_int()\ndeclare void @reach_error()\ndefine i32 @main() {\n\
                %x = call i32 @nondet_int()\n%c = icmp eq i32 %x, 7\nbr i1 %c, label %bad, label %good\nbad:\n\
                call void @reach_error()\nret i32 1\ngood:\nret i32 0\n}\n";
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("refused");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let path = folder.join("refused.ll");
    std::fs::write(&path, text).expect("the file can be written");
    let file = path.to_str().expect("the path is UTF-8").to_owned();
    for engine in ["explicit", "coherence", "wsts", "predicate", "bmc"] {
        let (exit, out, err) = run(&["check", &file, "--engine", engine, "--model", "sc"]);
        assert_eq!(exit, Exit::BadInput, "{engine}: {out}{err}");
        assert!(err.contains("nondet_int"), "{engine}: {err}");
    }
    for engine in ["literal", "auto"] {
        let (exit, out, err) = run(&["check", &file, "--engine", engine, "--model", "sc"]);
        assert_eq!(exit, Exit::Violated, "{engine}: {out}{err}");
    }
}
