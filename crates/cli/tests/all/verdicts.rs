//! What a verdict claims, and no more: the fence that is advised forbids the execution, and a file that states nothing is not
//! said to hold.

use std::path::Path;

use fencewright_cli::{Exit, World, main_with};

fn run(args: &[&str]) -> (Exit, String) {
    let (mut stdin, mut out, mut err) = (&b""[..], Vec::new(), Vec::new());
    let world = World::new(&mut stdin, &mut out, &mut err);
    let args = std::iter::once("fencewright").chain(args.iter().copied());
    let exit = main_with(args.map(Into::into), world);
    (exit, String::from_utf8(out).expect("output is UTF-8"))
}

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    path.to_str().expect("the path is UTF-8").to_owned()
}

fn file(name: &str, text: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("verdicts");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("the file can be written");
    path.to_str().expect("the path is UTF-8").to_owned()
}

fn advice(args: &[&str]) -> Option<String> {
    let (exit, text) = run(&[&["check"], args].concat());
    assert_eq!(exit, Exit::Violated, "{text}");
    text.lines().find(|line| line.contains("would have stopped it")).map(|line| line.trim().to_owned())
}

/// Under TSO the writes of a thread stay in order, so a store-store fence forbids nothing, whatever overtook the write. A DVE model
/// has no place for a fence at all.
#[test]
fn a_fence_that_does_nothing_under_the_model_is_not_advised() {
    assert_eq!(advice(&[&example("mailbox.dve"), "--model", "tso"]), None);
}

/// The writes are in lines 22 and 23 and the read of `sb.litmus` behind its write: under PSO the first pair needs a store-store
/// fence, the second a full one, which is dearer and so not advised where the first does.
#[test]
fn the_cheapest_fence_that_forbids_the_execution_is_advised() {
    let store_store = "A store-store fence between lines 22 and 23 would have stopped it.";
    assert_eq!(advice(&[&example("message_passing.rmm"), "--model", "pso"]).as_deref(), Some(store_store));
    for model in ["tso", "pso"] {
        let said = advice(&[&example("peterson.rmm"), "--model", model]).expect("a fence is advised");
        assert!(said.starts_with("A full fence between lines ") || model == "pso", "{model}: {said}");
    }
}

/// The process gets to `A` whatever the model does: no fence forbids that.
#[test]
fn nothing_is_advised_for_a_violation_that_needs_no_reordering() {
    let text = "forbidden\n  A\ndata\n  x = 0 : [0:1]\nprocess\ntext\n  write: x := 1;\n  A: nop\n";
    let wrong = file("wrong_under_sc.rmm", text);
    assert_eq!(advice(&[&wrong, "--model", "tso"]), None);
}

const NOTHING: &str =
    "byte x;\nprocess P { state a, b; init a; trans a -> b { effect x = 1; }; }\nsystem async;\n";

#[test]
fn a_file_that_states_nothing_is_explored_and_not_proved() {
    let path = file("nothing.dve", NOTHING);
    for engine in ["auto", "explicit"] {
        let (exit, text) = run(&["check", &path, "--engine", engine]);
        assert!(text.contains("EXPLORED"), "{text}");
        assert_eq!(exit, Exit::Unknown, "{engine}");
        let (exit, json) = run(&["check", &path, "--engine", engine, "--format", "json"]);
        assert!(json.contains("\"verdict\": \"explored\"") && !json.contains("\"holds\""), "{json}");
        assert_eq!(exit, Exit::Unknown, "{engine}");
    }
    let (exit, text) = run(&["fix", &path]);
    assert!(text.contains("EXPLORED") && !text.contains("HOLDS"), "{text}");
    assert_eq!(exit, Exit::Unknown);
    let (exit, sarif) = run(&["fix", &path, "--format", "sarif"]);
    assert!(sarif.contains("\"kind\": \"notApplicable\""), "{sarif}");
    assert_eq!(exit, Exit::Unknown);
    // With something to check, it is checked.
    let (exit, text) = run(&["check", &path, "--invariant", "x <= 1"]);
    assert!(exit == Exit::Proved && text.contains("HOLDS"), "{text}");
}
