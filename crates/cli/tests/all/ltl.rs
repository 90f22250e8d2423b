//! Formulae on the command line.

use std::path::Path;

use fencewright_cli::{Exit, World, main_with};
use serde_json::Value;

fn run(args: &[&str]) -> (Exit, String, String) {
    let (mut stdin, mut out, mut err) = (&b""[..], Vec::new(), Vec::new());
    let world = World::new(&mut stdin, &mut out, &mut err);
    let exit = main_with(std::iter::once("fencewright").chain(args.iter().copied()).map(Into::into), world);
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    (exit, text(out), text(err))
}

fn corpus(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/liveness").join(name);
    path.to_str().expect("the path is UTF-8").to_owned()
}

const RESPONSE: &str = "G (P0.Wait -> F P0.Crit)";

/// The corpus argues the verdicts: fair threads and buffers, an unfair scheduler, unfair buffers.
#[test]
fn fairness_decides_the_verdict() {
    let peterson = corpus("peterson/peterson.rmm");
    let exit = |more: &[&str]| run(&[&["check", &peterson, "--ltl", RESPONSE], more].concat()).0;
    assert_eq!(exit(&["--fairness", "process"]), Exit::Proved);
    assert_eq!(exit(&["--fairness", "process", "--no-reduction"]), Exit::Proved);
    assert_eq!(exit(&["--fairness", "process", "--engine", "ltl"]), Exit::Proved);
    assert_eq!(exit(&[]), Exit::Violated);
    assert_eq!(exit(&["--fairness", "process", "--no-flush-fairness"]), Exit::Violated);
    assert_eq!(exit(&["--fairness", "process", "--no-flush-fairness", "--model", "sc"]), Exit::Proved);
    assert_eq!(exit(&["--ltl", "true", "--fairness", "process"]), Exit::Proved, "two formulae");
}

#[test]
fn a_lasso_is_shown_and_a_write_that_never_arrives_is_named() {
    let asked = [
        ("dekker/dekker.rmm", RESPONSE, "write: wants[my] := 1"),
        ("peterson/peterson.rmm", RESPONSE, "write: wants[my] := 1"),
        ("bakery-once/bakery.rmm", "F P0.Crit", "write: choosing[my] := 1"),
    ];
    for (file, formula, first) in asked {
        let args = ["check", &corpus(file), "--ltl", formula, "--fairness", "process", "--no-flush-fairness"];
        let (exit, out, _) = run(&args);
        assert_eq!(exit, Exit::Violated);
        let (stem, cycle) = out.split_once("  then for ever:\n").expect("the cycle is marked");
        assert!(stem.contains(first), "{out}");
        assert!(cycle.contains("These never reach memory: P1's write to"), "{out}");
    }
    let (_, out, _) = run(&["check", &corpus("lost-wakeup/lost_wakeup.rmm"), "--ltl", "F P0.Awake"]);
    assert!(out.contains("  then nothing can happen any more\n"), "{out}");
}

#[test]
fn json_says_where_the_cycle_begins_and_replay_takes_it_back() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ltl_json");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let file = folder.join("lasso.json").to_str().expect("the path is UTF-8").to_owned();
    let dekker = corpus("dekker/dekker.rmm");
    let asked = ["--ltl", RESPONSE, "--fairness", "process", "--no-flush-fairness"];
    let (_, out, _) = run(&[&["check", &dekker, "--format", "json", "--trace", &file], &asked[..]].concat());
    let value: Value = serde_json::from_str(&out).expect("standard output is one JSON object");
    let schema = format!("{}/../../docs/json-schema/check-1.json", env!("CARGO_MANIFEST_DIR"));
    let schema = std::fs::read_to_string(schema).expect("the schema is there");
    let schema = serde_json::from_str(&schema).expect("the schema is JSON");
    assert!(jsonschema::validator_for(&schema).expect("the schema is one").is_valid(&value), "{out}");
    let result = &value["results"][0];
    let from = result["repeats_from"].as_u64().expect("it never ends");
    let actions = result["trace"].as_array().expect("there is an execution").len() as u64;
    assert!(0 < from && from < actions, "{from} of {actions}");
    let (exit, out, err) = run(&[&["replay", &dekker, &file], &asked[..]].concat());
    assert_eq!((exit, out.contains("then for ever:")), (Exit::Violated, true), "{out}{err}");
    let fair = ["--ltl", RESPONSE, "--fairness", "process"];
    let (exit, _, _) = run(&[&["replay", &dekker, &file], &fair[..]].concat());
    assert_eq!(exit, Exit::Proved, "with fair buffers the same execution does not count");
}

#[test]
fn wrong_formulae_and_flags_are_refused() {
    let peterson = corpus("peterson/peterson.rmm");
    let (exit, _, err) = run(&["check", &peterson, "--ltl", "G (P0.Wait -> F P0.Critical)"]);
    assert_eq!(exit, Exit::BadInput);
    assert!(err.contains("E0803") && err.contains("`P0.Crit`"), "{err}");
    assert_eq!(run(&["check", &peterson, "--no-flush-fairness"]).0, Exit::BadInput, "it needs --ltl");
    let (exit, out, _) = run(&["check", &peterson, "--ltl", RESPONSE, "--engine", "explicit"]);
    assert_eq!(exit, Exit::Unknown);
    assert!(out.contains("a property of whole executions"), "{out}");
    let (exit, out, _) = run(&["explain", "E0803"]);
    assert_eq!((exit, out.starts_with("E0803: the program has no such name")), (Exit::Proved, true), "{out}");
}

/// corpus/liveness/lost-wakeup as a model whose property process waits for somebody who sleeps for ever.
const LATCH: &str = "\
byte work, asleep, wake;
process Waiter {
  state announce, look, sleeping, awake;
  init announce;
  trans
    announce -> look { effect asleep = 1; },
    look -> awake { guard work == 1; },
    look -> sleeping { guard work == 0; },
    sleeping -> awake { guard wake == 1; };
}
process Setter {
  state start, look, wakes, done;
  init start;
  trans
    start -> look { effect work = 1; },
    look -> wakes { guard asleep == 1; },
    look -> done { guard asleep == 0; },
    wakes -> done { effect wake = 1; };
}
process SleepsForEver {
  state asleep, watching;
  init watching;
  accept asleep;
  trans
    watching -> watching { },
    watching -> asleep { guard Waiter.sleeping; },
    asleep -> asleep { guard Waiter.sleeping; };
}
system async property SleepsForEver;
";

/// The verdicts are those of corpus/liveness/lost-wakeup. Both announcements must be atomic: if one waits in its buffer,
/// who made it looks too early, whatever the other does.
#[test]
fn a_property_process_is_an_automaton() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("latch.dve");
    std::fs::write(&file, LATCH).expect("the file can be written");
    let file = file.to_str().expect("the path is UTF-8");
    assert_eq!(run(&["check", file, "--model", "sc"]).0, Exit::Proved);
    for model in ["tso", "pso", "slot"] {
        let (exit, out, err) = run(&["check", file, "--model", model]);
        assert_eq!(exit, Exit::Violated, "{out}{err}");
        assert!(out.contains("then nothing can happen any more"), "{out}");
        let (exit, out, err) = run(&["fix", file, "--model", model, "--quiet"]);
        assert_eq!(exit, Exit::Proved, "{out}{err}");
        assert!(out.contains("2 atomic writes: minimum, proved"), "{out}");
    }
    let (exit, _, _) = run(&["check", file, "--model", "sc", "--ltl", "F Waiter.sleeping"]);
    assert_eq!(exit, Exit::Violated, "a formula is asked instead");
}
