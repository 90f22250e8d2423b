//! `fix`, called as the binary calls it.

use std::path::{Path, PathBuf};

use fencewright_cli::{Exit, World, main_with};
use serde_json::Value;

/// Store buffering with a critical section: one full fence for each process repairs it.
const SB: &str = "\
forbidden
  CS CS
data
  x = 0 : [0:1] // the first flag
  y = 0 : [0:1]
process
text
  L0: write: x := 1;
  read: y = 0;
  CS: nop
process
text
  L0: write: y := 1;
  read: x = 0;
  CS: nop
";

/// Both can be at CS whatever the memory does.
const WRONG: &str = "\
forbidden
  CS CS
process(2)
text
  L0: nop;
  CS: nop
";

fn run(args: &[&str]) -> (Exit, String, String) {
    let (mut stdin, mut out, mut err) = (&b""[..], Vec::new(), Vec::new());
    let world = World::new(&mut stdin, &mut out, &mut err);
    let args = std::iter::once("fencewright").chain(args.iter().copied());
    let exit = main_with(args.map(Into::into), world);
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    (exit, text(out), text(err))
}

/// A file of its own for a test.
fn file(test: &str, text: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fix-{test}.rmm"));
    std::fs::write(&path, text).expect("the file can be written");
    path.to_str().expect("the path is UTF-8").to_owned()
}

#[test]
fn the_change_is_a_diff_of_the_users_file() {
    let path = file("diff", SB);
    let (exit, out, err) = run(&["fix", &path, "--diff"]);
    let expected = format!(
        "--- {path}\n+++ {path}\n{}",
        "\
@@ -6,10 +6,12 @@
 process
 text
   L0: write: x := 1;
+  fence;
   read: y = 0;
   CS: nop
 process
 text
   L0: write: y := 1;
+  fence;
   read: x = 0;
   CS: nop
"
    );
    assert_eq!((exit, out, err), (Exit::Proved, expected, String::new()));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), SB, "nothing is written without --write");
}

#[test]
fn write_changes_the_file_and_check_proves_it() {
    let path = file("write", SB);
    assert_eq!(run(&["check", &path]).0, Exit::Violated);
    assert_eq!(run(&["fix", &path, "--write", "--quiet"]).0, Exit::Proved);
    assert_eq!(run(&["check", &path]).0, Exit::Proved);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("// the first flag"), "comments stay: {text}");
    let (exit, out, _) = run(&["fix", &path]);
    assert_eq!(exit, Exit::Proved);
    assert!(out.contains("HOLDS") && !out.contains("is not needed"), "{out}");
}

#[test]
fn each_fence_comes_with_the_execution_that_returns_without_it() {
    let path = file("evidence", SB);
    let (exit, out, _) = run(&["fix", &path]);
    assert_eq!(exit, Exit::Proved);
    assert!(
        out.starts_with(&format!("{path} under TSO: REPAIRED — 2 full fences: minimum, proved\n")),
        "{out}"
    );
    assert_eq!(out.matches("without it:").count(), 2, "{out}");
    assert_eq!(out.matches("was still in its store buffer").count(), 2, "{out}");
}

#[test]
fn json_has_the_repair_and_follows_the_schema() {
    let path = file("json", SB);
    let (exit, out, _) = run(&["fix", &path, "--format", "json", "--model", "sc,tso"]);
    assert_eq!(exit, Exit::Proved);
    let value: Value = serde_json::from_str(&out).expect("the output is JSON");
    assert_eq!((value["schema"].as_u64(), value["command"].as_str()), (Some(1), Some("fix")));
    let [sc, tso] = &value["results"].as_array().unwrap()[..] else { panic!("two models: {out}") };
    assert_eq!(sc["repair"]["status"], "already-safe");
    let repair = &tso["repair"];
    assert_eq!((&repair["status"], &repair["minimum"]), (&"repaired".into(), &true.into()));
    let lines: Vec<u64> =
        repair["fences"].as_array().unwrap().iter().map(|f| f["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [8, 13]);
    for fence in repair["fences"].as_array().unwrap() {
        assert_eq!(fence["kind"], "full");
        assert!(!fence["evidence"].as_array().unwrap().is_empty());
    }
    let schema = format!("{}/../../docs/json-schema/check-1.json", env!("CARGO_MANIFEST_DIR"));
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(schema).unwrap()).unwrap();
    let schema = jsonschema::validator_for(&schema).expect("the schema is one");
    let errors: Vec<String> = schema.iter_errors(&value).map(|error| error.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
}

#[test]
fn a_program_that_is_wrong_under_sc_is_said_to_be() {
    let path = file("wrong", WRONG);
    let (exit, out, _) = run(&["fix", &path]);
    assert_eq!(exit, Exit::Violated);
    assert!(out.contains("WRONG — violated under sequential consistency too"), "{out}");
}

#[test]
fn a_fence_that_is_not_needed_is_reported() {
    let path = file(
        "unneeded",
        &SB.replace(":= 1;\n", ":= 1;\n  fence;\n").replace("CS: nop\n", "CS: nop;\n  fence\n"),
    );
    let (exit, out, _) = run(&["fix", &path]);
    assert_eq!(exit, Exit::Proved);
    assert_eq!(out.matches("`fence` is not needed").count(), 2, "{out}");
}

/// Store buffering; and a third process that has seen the only d = 1, writes d = 2, and must not find d = 1 again. A set of
/// pending values cannot tell that there is one write only, and no fence changes that; a buffer in order can.
const TWICE: &str = "\
forbidden
  CS CS *;
  * * Again
data
  d = 0 : [0:2]
  x = 0 : [0:1]
  y = 0 : [0:1]
process
text
  L0: write: d := 1;
  fence;
  write: x := 1;
  read: y = 0;
  CS: nop
process
text
  L0: write: y := 1;
  read: x = 0;
  CS: nop
process
text
  L0: read: d = 1;
  write: d := 2;
  fence;
  read: d = 1;
  Again: nop
";

#[test]
fn the_avoid_formula_gives_a_repair_or_says_why_not() {
    let path = file("avoid", SB);
    for abstraction in ["fd:0", "fd:1", "pd:0", "pd:2"] {
        let args = ["fix", &path, "--strategy", "avoid-formula", "--abstraction", abstraction];
        let (exit, out, err) = run(&args);
        let first = format!(
            "{path} under TSO: REPAIRED — 2 full fences: proved, the cheapest for the avoid formula of {abstraction}\n"
        );
        assert_eq!((exit, err.as_str()), (Exit::Proved, ""), "{abstraction}");
        assert!(out.starts_with(&first), "{out}");
        assert!(!out.contains("minimum"), "{out}");
        assert_eq!(out.matches("without it:").count(), 2, "{out}");
        assert_eq!(out.matches("\n+  fence;\n").count(), 2, "{out}");
    }
    let twice = file("avoid-twice", TWICE);
    let ask = |abstraction| {
        run(&["fix", &twice, "--quiet", "--strategy", "avoid-formula", "--abstraction", abstraction])
    };
    let (exit, out, _) = ask("fd:0");
    let expected = "NOT REPAIRED — the abstraction fd:0 has a violation that no fence excludes; try --abstraction fd:1\n";
    assert_eq!((exit, out), (Exit::Violated, format!("{twice} under TSO: {expected}")));
    let (exit, out, _) = ask("fd:1");
    assert_eq!(exit, Exit::Proved, "{out}");
    assert!(out.contains("2 full fences: proved"), "{out}");
}

#[test]
fn limits_end_the_avoid_formula() {
    let path = file("avoid-limit", SB);
    let args = ["fix", &path, "--quiet", "--strategy", "avoid-formula", "--engine", "explicit"];
    let (exit, out, _) = run(&[&args[..], &["--max-states", "20"]].concat());
    assert_eq!(exit, Exit::Unknown, "{out}");
    assert!(out.contains("UNKNOWN — there is no avoid formula of fd:1: "), "{out}");
}

#[test]
fn usage_errors_exit_with_2() {
    let path = file("usage-strategy", SB);
    assert_eq!(run(&["fix", &path, "--abstraction", "fd:1"]).0, Exit::BadInput);
    assert_eq!(run(&["fix", &path, "--strategy", "avoid-formula", "--abstraction", "set"]).0, Exit::BadInput);
    assert_eq!(run(&["fix", &path, "--strategy", "luck"]).0, Exit::BadInput);

    let path = file("usage", SB);
    assert_eq!(run(&["fix", &path, "--write", "--model", "tso,pso"]).0, Exit::BadInput);
    assert_eq!(run(&["fix", &path, "--cost", "full=many"]).0, Exit::BadInput);
    assert_eq!(run(&["fix", &path, "--cost", "gold=1"]).0, Exit::BadInput);
    assert_eq!(run(&["fix", "/no/such/file.rmm"]).0, Exit::BadInput);
}
