//! When the reader of the output goes away, the binary ends quietly with the exit code that it would have had.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A run that takes longer hangs.
const WATCHDOG: Duration = Duration::from_secs(60);

/// Store buffering with a wrong end under TSO, and one variable that is only ever 0 or 1.
const VIOLATED: &str = "forbidden\n  A B\ndata\n  x = 0 : [0:1]\n  y = 0 : [0:1]\nprocess\ntext\n  write: x := 1;\n  \
                        read: y = 0;\n  A: nop\nprocess\ntext\n  write: y := 1;\n  read: x = 0;\n  B: nop\n";
const LITMUS: &str = "X86 SB\n{ x=0; y=0; }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\n\
                      exists (0:EAX=0 /\\ 1:EAX=0)\n";

fn file(name: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("closed_pipe");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("the file can be written");
    path
}

/// The exit code and what stands on standard error, when nobody reads standard output.
fn unread(arguments: &[&str]) -> (Option<i32>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_fencewright"))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    drop(child.stdout.take());
    let start = Instant::now();
    while child.try_wait().expect("the child can be waited for").is_none() {
        if start.elapsed() > WATCHDOG {
            child.kill().expect("it can be killed");
            panic!("{arguments:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().expect("the output can be read");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn every_command_ends_quietly_when_nobody_reads_its_output() {
    let program = file("sb.rmm", VIOLATED);
    let litmus = file("sb.litmus", LITMUS);
    let trace = program.with_extension("json");
    let (program, litmus, trace) =
        [&program, &litmus, &trace].map(|path| path.to_str().expect("the path is UTF-8")).into();
    assert_eq!(unread(&["check", program, "--trace", trace]), (Some(1), String::new()));
    assert_eq!(unread(&["check", program, program, "--format", "json"]), (Some(1), String::new()));
    assert_eq!(unread(&["check", program, program, "--model", "sc,tso"]), (Some(1), String::new()));
    assert_eq!(unread(&["fix", program]), (Some(0), String::new()));
    assert_eq!(unread(&["litmus", litmus]), (Some(0), String::new()));
    assert_eq!(unread(&["replay", program, trace]).1, String::new());
    assert_eq!(unread(&["models"]), (Some(0), String::new()));
}

#[test]
fn compiled_programs_end_quietly_when_nobody_reads_the_output() {
    let path = file("nothing.c", "int main(void) { return 0; }\n");
    let path = path.to_str().expect("the path is UTF-8");
    let has_clang = Command::new("clang").arg("--version").output().is_ok();
    if has_clang {
        assert_eq!(unread(&["check", path, path]), (Some(0), String::new()));
        assert_eq!(unread(&["fix", path]), (Some(0), String::new()));
    }
}
