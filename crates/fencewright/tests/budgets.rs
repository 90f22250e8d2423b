//! `--timeout` and an interrupt end every engine, every strategy and the compiler. Verdicts are compared, never times; a run that
//! does not end at all is killed and fails. `cargo xtask budgets` measures how soon it ends.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A run that takes longer hangs: it was given a second.
const WATCHDOG: Duration = Duration::from_secs(60);

/// When the interrupt comes.
const INTERRUPT: Duration = Duration::from_millis(700);

/// Peterson's filter lock for so many processes with a fence on every floor (IPL 12(3), 1981). It is right, and with six
/// processes no engine gets anywhere in a second: the interleavings alone are more than 10^12 states.
fn filter_lock(n: usize) -> String {
    let others = 0..n - 1;
    let mut text = "forbidden\n".to_owned();
    for (i, j) in (0..n).flat_map(|i| (0..i).map(move |j| (i, j))) {
        let at = |k| if k == i || k == j { "Crit" } else { "*" };
        let end = if (i, j) == (n - 1, n - 2) { "" } else { " ;" };
        text += &format!("  {}{end}\n", (0..n).map(at).collect::<Vec<_>>().join(" "));
    }
    text += "data\n";
    (1..n).for_each(|floor| text += &format!("  victim{floor} = 0 : [0:{}]\n", n - 1));
    text += &format!("process({n})\ndata\n  floor = 0 : [0:{}]\ntext\nEnter:\n", n - 1);
    for floor in 1..n {
        text += &format!(
            "  write: floor[my] := {floor};\n  write: victim{floor} := me;\n  fence;\n  either {{\n"
        );
        let below = |other: usize| {
            let lower = (0..floor).map(|level| format!("read: floor[{other}] = {level}"));
            let lower: Vec<String> = lower.collect();
            if floor == 1 { lower[0].clone() } else { format!("either {{ {} }}", lower.join(" or ")) }
        };
        text += &others.clone().map(below).collect::<Vec<_>>().join(";\n");
        others.clone().for_each(|other| text += &format!("\n  or read: victim{floor} = other {other}"));
        text += "\n  };\n";
    }
    text + "Crit:\n  write: floor[my] := 0;\n  goto Enter\n"
}

fn file(name: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("budgets");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("the file can be written");
    path
}

/// What the binary says, interrupted if that is wanted.
fn run(path: &Path, arguments: &[&str], interrupt: bool) -> Output {
    let (command, rest) = arguments.split_first().expect("a command");
    let mut child = Command::new(env!("CARGO_BIN_EXE_fencewright"))
        .arg(command)
        .arg(path)
        .args(["--format", "json", "--memory", "2G"])
        .args(rest)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let start = Instant::now();
    let mut sent = !interrupt;
    while child.try_wait().expect("the child can be waited for").is_none() {
        if !sent && start.elapsed() > INTERRUPT {
            sent = true;
            let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
            assert!(status.expect("`kill` starts").success(), "the interrupt is sent");
        }
        if start.elapsed() > WATCHDOG {
            child.kill().expect("it can be killed");
            panic!("{arguments:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().expect("the output can be read")
}

/// The verdict is unknown for this reason.
fn is_stopped(output: &Output, reason: &str, what: &str) {
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{what}: {text}");
    assert!(text.contains("\"verdict\": \"unknown\""), "{what}: {text}");
    assert!(text.contains(&format!("\"reason\": \"{reason}\"")), "{what}: {text}");
}

const ENGINES: [&str; 8] =
    ["auto", "explicit", "coherence", "wsts", "predicate", "predicate:newest", "bmc", "bmc:moments"];

#[test]
fn every_engine_ends_with_its_time() {
    let path = file("time.rmm", &filter_lock(6));
    for engine in ENGINES {
        let output = run(&path, &["check", "--timeout", "1s", "--engine", engine], false);
        is_stopped(&output, "time", engine);
    }
    let formula = "G !(P0.Crit && P1.Crit)";
    let output = run(&path, &["check", "--timeout", "1s", "--engine", "ltl", "--ltl", formula], false);
    is_stopped(&output, "time", "ltl");
}

#[test]
fn every_engine_ends_when_interrupted() {
    let path = file("interrupt.rmm", &filter_lock(6));
    for engine in ENGINES {
        let output = run(&path, &["check", "--timeout", "none", "--engine", engine], true);
        is_stopped(&output, "cancelled", engine);
    }
}

#[test]
fn every_strategy_ends_with_its_time() {
    let path = file("repair.rmm", &filter_lock(6));
    for strategy in
        ["hitting-sets", "minimal-sets", "hazard", "avoid-formula", "te", "fi", "robmc", "robmc-et"]
    {
        let output = run(&path, &["fix", "--timeout", "1s", "--strategy", strategy], false);
        is_stopped(&output, "time", strategy);
    }
}

/// Two models have a second each, and what reading took counts against the first only: both are asked, and both end.
#[test]
fn every_question_has_its_time() {
    let path = file("models.rmm", &filter_lock(6));
    let output = run(&path, &["check", "--timeout", "1s", "--model", "tso,pso"], false);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.matches("\"reason\": \"time\"").count(), 2, "{text}");
}

/// One action of the literal machine that would run for very long is stopped in the middle.
#[test]
fn an_action_of_the_literal_machine_ends_with_its_time() {
    let filled = "#include <string.h>\n#include <stdlib.h>\nint main(void) {\n  char *p = malloc(1 << 20);\n  \
                  for (;;) memset(p, 1, 1 << 20);\n}\n";
    let allocated = "#include <stdlib.h>\nint main(void) {\n  for (int i = 0; ; i++) { char *p = alloca(16); \
                     *p = (char)i; }\n}\nvoid *alloca(unsigned long);\n";
    let allocated = &allocated
        .replace("alloca(", "__builtin_alloca(")
        .replace("void *__builtin_alloca(unsigned long);\n", "");
    let chosen = "int __VERIFIER_nondet_int(void);\nunsigned char __VERIFIER_nondet_uchar(void);\nint a[256];\n\
                  int main(void) {\n  for (int i = 0; i < 100; i++) a[__VERIFIER_nondet_uchar()]++;\n  \
                  return 0;\n}\n";
    for (name, text) in [("fills.c", filled), ("allocates.c", allocated), ("chooses.c", chosen)] {
        let path = file(name, text);
        let options = ["check", "--timeout", "1s", "--engine", "literal", "--model", "sc"];
        let output = run(&path, &options, false);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("\"verdict\": \"unknown\""), "{name}: {text}");
        assert_eq!(output.status.code(), Some(3), "{name}: {text}");
    }
}

/// Nobody writes to the pipe that is to be read.
#[test]
fn a_pipe_without_a_writer_ends_with_the_time_of_the_question() {
    let path = file("beside-the-pipe", "").with_file_name("pipe.c");
    // An earlier run left it, and opening it would wait for ever.
    let _ = std::fs::remove_file(&path);
    assert!(Command::new("mkfifo").arg(&path).status().expect("`mkfifo` starts").success());
    let output = run(&path, &["check", "--timeout", "1s"], false);
    is_stopped(&output, "time", "a pipe");
}

/// A compiler that never ends, with a child that holds its pipes.
#[test]
fn a_compiler_ends_with_the_time_of_the_question() {
    use std::os::unix::fs::PermissionsExt;
    let script = "#!/bin/sh\ncase \"$1\" in\n--version) echo 'clang version 14.0.0';;\n*) sleep 50 & sleep 50;;\nesac\n";
    let compiler = file("clang-that-hangs", script);
    std::fs::set_permissions(&compiler, std::fs::Permissions::from_mode(0o755)).expect("it can be run");
    let compiler = compiler.to_str().expect("the path is UTF-8");
    let path = file("hangs.c", "int main(void) { return 0; }\n");
    let output = run(&path, &["check", "--timeout", "1s", "--cc", compiler], false);
    is_stopped(&output, "time", "a compiler");
    let output = run(&path, &["check", "--timeout", "none", "--cc", compiler], true);
    is_stopped(&output, "cancelled", "a compiler");
}
