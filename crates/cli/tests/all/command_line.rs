//! The commands, called as the binary calls them.

use std::path::{Path, PathBuf};

use fencewright_cli::{Exit, World, main_with};
use serde_json::Value;

/// What a run left.
#[derive(Debug)]
struct Ran {
    exit: Exit,
    out: String,
    err: String,
}

/// Runs the command line with this standard input, in a world that `change` may change.
fn run_in(args: &[&str], stdin: &str, change: impl FnOnce(&mut World<'_>)) -> Ran {
    let (mut stdin, mut out, mut err) = (stdin.as_bytes(), Vec::new(), Vec::new());
    let mut world = World::new(&mut stdin, &mut out, &mut err);
    change(&mut world);
    let args = std::iter::once("fencewright").chain(args.iter().copied());
    let exit = main_with(args.map(Into::into), world);
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    Ran { exit, out: text(out), err: text(err) }
}

fn run(args: &[&str]) -> Ran {
    run_in(args, "", |_| {})
}

/// A folder that is gone when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("the folder can be made");
        Folder(path)
    }

    fn file(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().expect("it has a folder")).expect("the folder can be made");
        std::fs::write(&path, text).expect("the file can be written");
        self.path(name)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("the path is UTF-8").to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Store buffering with a critical section: violated under TSO, not under SC.
const SB: &str = "\
forbidden
  CS CS
data
  x = 0 : [0:1]
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

/// The same with fences.
fn fenced() -> String {
    SB.replace(":= 1;\n", ":= 1;\n  fence;\n")
}

const SB_LITMUS: &str = "\
X86 SB
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
";

const SB_LOG: &str = "\
Test SB Allowed
States 4
0:EAX=0; 1:EAX=0;
0:EAX=0; 1:EAX=1;
0:EAX=1; 1:EAX=0;
0:EAX=1; 1:EAX=1;
Ok
Witnesses
Positive: 1 Negative: 3
Condition exists (0:EAX=0 /\\ 1:EAX=0)
Observation SB Sometimes 1 3

";

fn schema(name: &str, text: &str) -> Value {
    let path = format!("{}/../../docs/json-schema/{name}", env!("CARGO_MANIFEST_DIR"));
    let schema = std::fs::read_to_string(path).expect("the schema is there");
    let validator = jsonschema::validator_for(&serde_json::from_str(&schema).expect("the schema is JSON"))
        .expect("the schema is one");
    let value: Value = serde_json::from_str(text).expect("standard output is one JSON object");
    let errors: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    value
}

#[test]
fn exit_codes_say_what_was_found() {
    let folder = Folder::new("exit_codes");
    let (sb, fenced, bad) =
        (folder.file("sb.rmm", SB), folder.file("fenced.rmm", fenced()), folder.file("bad.rmm", "nonsense"));
    let exit = |args: &[&str]| run(&[&["check"], args].concat()).exit;
    assert_eq!(exit(&[&sb]), Exit::Violated);
    assert_eq!(exit(&[&sb, "--model", "sc"]), Exit::Proved);
    assert_eq!(exit(&[&fenced, "--model", "all"]), Exit::Proved);
    assert_eq!(exit(&[&sb, "--model", "sc", "--max-states", "2"]), Exit::Unknown);
    assert_eq!(exit(&[&sb, "--model", "sc", "--timeout", "0"]), Exit::Unknown);
    assert_eq!(exit(&[&sb, "--model", "sc,tso"]), Exit::Violated);
    assert_eq!(exit(&[&fenced, &sb]), Exit::Violated);
    assert_eq!(exit(&[&sb, &bad]), Exit::BadInput);
}

#[test]
fn the_verdict_comes_first_and_the_rest_backs_it() {
    let folder = Folder::new("verdict_first");
    let sb = folder.file("sb.rmm", SB);
    let ran = run(&["check", &sb]);
    assert!(
        ran.out.starts_with(&format!("{sb} under TSO: VIOLATED — both threads at CS (forbidden: CS CS)\n\n")),
        "{}",
        ran.out
    );
    for part in ["P0: [x=1]", "reads y: 0 from memory (initial)", "►", "was still in its store buffer when"]
    {
        assert!(ran.out.contains(part), "{part}\n{}", ran.out);
    }
    assert_eq!(ran.err, "", "standard error is no terminal: no progress on it");
    let quiet = run(&["check", &sb, "--model", "sc,tso", "--quiet"]);
    assert_eq!(quiet.out.lines().count(), 2, "{}", quiet.out);
}

#[test]
fn several_models_and_files_begin_with_a_table() {
    let folder = Folder::new("several_models");
    let (sb, fenced) = (folder.file("sb.rmm", SB), folder.file("fenced.rmm", fenced()));
    let ran = run(&["check", &sb, &fenced, "--model", "sc", "--model", "tso,pso"]);
    let words: Vec<Vec<&str>> =
        ran.out.lines().take(3).map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(
        words,
        [
            vec!["file", "SC", "TSO", "PSO"],
            vec![&sb, "HOLDS", "VIOLATED", "VIOLATED"],
            vec![&fenced, "HOLDS", "HOLDS", "HOLDS"]
        ]
    );
}

#[test]
fn color_is_for_terminals_and_for_who_asks() {
    let folder = Folder::new("color");
    let sb = folder.file("sb.rmm", SB);
    let colored = |args: &[&str], terminal: bool, no_color: bool| {
        let args = [&["check", sb.as_str()], args].concat();
        let ran = run_in(&args, "", |world| {
            world.out_is_terminal = terminal;
            world.no_color = no_color;
        });
        ran.out.contains('\x1b')
    };
    assert!(!colored(&[], false, false));
    assert!(colored(&[], true, false));
    assert!(!colored(&[], true, true));
    assert!(colored(&["--color", "always"], false, true));
    assert!(!colored(&["--color", "never"], true, false));
}

#[test]
fn json_is_one_object_that_follows_its_schema() {
    let folder = Folder::new("json");
    let (sb, bad) = (folder.file("sb.rmm", SB), folder.file("bad.rmm", "forbidden\n  CS CS\ndata\n  ???\n"));
    let one = schema("check-1.json", &run(&["check", &sb, "--model", "sc,tso,pso", "--format", "json"]).out);
    assert_eq!(one["file"], sb.as_str());
    let verdicts: Vec<&Value> =
        one["results"].as_array().expect("a list").iter().map(|r| &r["verdict"]).collect();
    assert_eq!(verdicts, ["holds", "violated", "violated"]);
    assert_eq!(one["results"][0]["guarantee"], "unbounded");
    assert_eq!(one["results"][1]["property"], "forbidden: CS CS");
    assert_eq!(one["results"][1]["trace"][0]["kind"], "step");
    let ran = run(&["check", &bad, "--format", "json"]);
    assert_eq!(ran.exit, Exit::BadInput);
    let none = schema("check-1.json", &ran.out);
    assert_eq!(none["results"], Value::Array(Vec::new()));
    assert_eq!(none["diagnostics"][0]["severity"], "error");
    assert_eq!(none["diagnostics"][0]["line"], 4);
}

#[test]
fn an_execution_can_be_written_and_replayed() {
    let folder = Folder::new("replay");
    let (sb, fenced) = (folder.file("sb.rmm", SB), folder.file("fenced.rmm", fenced()));
    let trace = folder.path("trace.json");
    assert_eq!(run(&["check", &sb, "--model", "sc,tso,pso", "--trace", &trace]).exit, Exit::Violated);
    let again = run(&["replay", &sb, &trace]);
    assert_eq!(again.exit, Exit::Violated);
    assert!(again.out.contains("under TSO: VIOLATED — both threads at CS"), "{}", again.out);
    assert!(run(&["replay", &sb, &trace, "--model", "pso"]).out.contains("under PSO: VIOLATED"));
    let whole = folder.file("whole.json", run(&["check", &sb, "--format", "json"]).out);
    assert_eq!(run(&["replay", &sb, &whole]).exit, Exit::Violated);

    // The text has changed.
    let refused = run(&["replay", &fenced, &trace]);
    assert_eq!(refused.exit, Exit::BadInput);
    assert!(refused.err.contains("another text of the program"), "{}", refused.err);
    // An action is left out: the rest is still an execution, or it is not; never a panic.
    let mut value: Value =
        serde_json::from_str(&std::fs::read_to_string(&trace).expect("it was written")).expect("JSON");
    let actions = value["results"][0]["trace"].as_array_mut().expect("a list");
    let last = actions.pop();
    let shorter = folder.file("shorter.json", value.to_string());
    let ran = run(&["replay", &sb, &shorter]);
    assert_eq!(ran.exit, Exit::Proved);
    assert!(ran.out.contains("REPLAYED — the execution is possible and violates nothing"), "{}", ran.out);
    let actions = value["results"][0]["trace"].as_array_mut().expect("a list");
    actions.insert(0, last.expect("there was an action"));
    let impossible = folder.file("impossible.json", value.to_string());
    let ran = run(&["replay", &sb, &impossible]);
    assert_eq!(ran.exit, Exit::BadInput);
    assert!(ran.err.contains("is no execution of"), "{}", ran.err);
    assert!(ran.err.contains("the action at position 0 is not enabled: P"), "{}", ran.err);
}

#[test]
fn what_cannot_be_read_is_said_and_the_rest_is_done() {
    let folder = Folder::new("unreadable");
    let sb = folder.file("sb.rmm", SB);
    for (name, bytes, message) in [
        ("empty.rmm", &b"  \n"[..], "is empty"),
        ("binary.rmm", &b"data\n\xff"[..], "is not UTF-8 text: the first bad byte is at offset 5, in line 2"),
        (
            "program.txt",
            &b"x"[..],
            "its language is not known by the ending of its name (known: .rmm, .litmus, ",
        ),
    ] {
        let ran = run(&["check", &folder.file(name, bytes), &sb]);
        assert_eq!(ran.exit, Exit::BadInput, "{name}");
        assert!(ran.err.contains(message), "{name}: {}", ran.err);
        assert!(ran.out.contains("VIOLATED"), "the other file is still checked");
    }
    let missing = folder.path("missing.rmm");
    assert!(run(&["check", &missing]).err.contains("missing.rmm: cannot be read: "));
    let directory = folder.path("");
    assert!(run(&["check", &directory]).err.contains("is a folder"));
    assert_eq!(run(&["check", &directory]).exit, Exit::BadInput);
}

#[test]
fn standard_input_needs_a_language() {
    let ran = run_in(&["check", "-"], SB, |_| {});
    assert_eq!(ran.exit, Exit::BadInput);
    assert!(ran.err.contains("standard input needs --language, one of rmm, litmus"), "{}", ran.err);
    let ran = run_in(&["check", "-", "--language", "rmm"], SB, |_| {});
    assert_eq!(ran.exit, Exit::Violated);
    assert!(ran.out.starts_with("<stdin> under TSO: VIOLATED"), "{}", ran.out);
}

#[test]
fn bad_input_is_shown_at_its_place_and_its_code_explained() {
    let folder = Folder::new("diagnostics");
    let bad = folder.file("bad.rmm", "forbidden\n  CS CS\ndata\n  ???\n");
    let ran = run(&["check", &bad]);
    assert_eq!((ran.exit, ran.out.as_str()), (Exit::BadInput, ""));
    assert!(ran.err.contains("bad.rmm:4:3"), "{}", ran.err);
    let code = ran.err.split_once("error[").and_then(|(_, rest)| rest.split_once(']')).expect("a code").0;
    let page = run(&["explain", &code.to_lowercase()]);
    assert_eq!(page.exit, Exit::Proved);
    assert!(page.out.starts_with(&format!("{code}: ")), "{}", page.out);
    assert!(run(&["explain"]).out.lines().any(|line| line.starts_with(code)));
    assert_eq!(run(&["explain", "E9999"]).exit, Exit::BadInput);
}

#[test]
fn usage_errors_are_bad_input_and_help_is_not() {
    for args in [
        &[][..],
        &["frobnicate"],
        &["check"],
        &["check", "x.rmm", "--model", "arm"],
        &["check", "x.rmm", "--engine", "magic"],
        &["check", "x.rmm", "--timeout", "soon"],
        &["check", "x.rmm", "--memory", "lots"],
        &["check", "x.rmm", "--jobs", "0"],
        &["export", "x.rmm"],
        &["litmus"],
    ] {
        let ran = run(args);
        assert_eq!(ran.exit, Exit::BadInput, "{args:?}");
        assert_eq!(ran.out, "", "{args:?}");
        assert!(!ran.err.is_empty(), "{args:?}");
    }
    for command in ["check", "replay", "litmus", "export", "explain", "models", "engines"] {
        let ran = run(&[command, "--help"]);
        assert_eq!(ran.exit, Exit::Proved, "{command}");
        assert!(ran.out.contains("Usage: fencewright"), "{command}: {}", ran.out);
    }
    let help = run(&["--help"]).out;
    assert!(help.contains("Exit codes:") && help.contains("Examples:"), "{help}");
    assert!(run(&["--version"]).out.starts_with("fencewright "));
}

#[test]
fn an_interrupt_ends_in_unknown() {
    let folder = Folder::new("interrupt");
    let sb = folder.file("sb.rmm", SB);
    let ran = run_in(&["check", &sb], "", |world| world.cancel.cancel());
    assert_eq!(ran.exit, Exit::Unknown);
    assert!(ran.out.contains("UNKNOWN — interrupted"), "{}", ran.out);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    struct Closed;
    impl std::io::Write for Closed {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let folder = Folder::new("broken_pipe");
    let sb = folder.file("sb.rmm", SB);
    let (mut stdin, mut closed, mut err) = (std::io::empty(), Closed, Vec::new());
    let world = World::new(&mut stdin, &mut closed, &mut err);
    let args = ["fencewright", "check", &sb, "--model", "sc,tso"];
    assert_eq!(
        main_with(args.map(Into::into), world),
        Exit::Violated,
        "the verdict is still told by the exit code"
    );
    assert_eq!(String::from_utf8(err), Ok(String::new()));
}

#[test]
fn litmus_tests_give_herds_log() {
    let folder = Folder::new("litmus");
    folder.file("b/sb.litmus", SB_LITMUS);
    folder.file("a/other.litmus", SB_LITMUS.replace("SB", "OTHER"));
    folder.file("a/notes.txt", "not a test");
    let ran = run(&["litmus", &folder.path("")]);
    assert_eq!(ran.exit, Exit::Proved, "{}", ran.err);
    assert_eq!(ran.out, SB_LOG.replace("SB", "OTHER") + SB_LOG, "sorted by path");
    let sc = run(&["litmus", &folder.path("b/sb.litmus"), "--model", "sc"]);
    assert!(sc.out.contains("States 3\n0:EAX=0; 1:EAX=1;\n"), "{}", sc.out);
    assert!(sc.out.contains("No\n") && sc.out.contains("Observation SB Never 0 3\n"), "{}", sc.out);

    folder.file("a/bad.litmus", "X86 BAD\n{ }\n P0 ;\n FROB [x] ;\nexists (x=1)\n");
    let ran = run(&["litmus", &folder.path("")]);
    assert_eq!(ran.exit, Exit::BadInput);
    assert!(ran.err.contains("bad.litmus"), "{}", ran.err);
    assert_eq!(ran.out, SB_LOG.replace("SB", "OTHER") + SB_LOG, "the others still run");
    let ran = run(&["litmus", &folder.path("b"), "--max-states", "1"]);
    assert_eq!(ran.exit, Exit::Unknown);
    assert!(ran.err.contains("outcomes unknown: the limit on states was reached"), "{}", ran.err);
}

#[test]
fn litmus_json_follows_its_schema() {
    let folder = Folder::new("litmus_json");
    let sb = folder.file("sb.litmus", SB_LITMUS);
    let value = schema("litmus-1.json", &run(&["litmus", &sb, "--model", "sc,tso", "--format", "json"]).out);
    assert_eq!(value["tests"][0]["observation"], "Never");
    assert_eq!(value["tests"][1]["states"].as_array().map(Vec::len), Some(4));
    assert_eq!(value["tests"][1]["name"], "SB");
}

#[test]
fn litmus_compares_with_what_another_tool_says() {
    let folder = Folder::new("litmus_against");
    let sb = folder.file("sb.litmus", SB_LITMUS);
    let states = r#"["0:EAX=0; 1:EAX=0;", "0:EAX=0; 1:EAX=1;", "0:EAX=1; 1:EAX=0;", "0:EAX=1; 1:EAX=1;"]"#;
    let right = format!(r#"{{ "SB": {{ "states": {states}, "observation": "Sometimes" }} }}"#);
    let right = folder.file("right.json", right);
    let ran = run(&["litmus", &sb, "--against", &right]);
    assert_eq!((ran.exit, ran.out), (Exit::Proved, format!("compared with {right}: 1 agree, 0 differ\n")));
    let ran = run(&["litmus", &sb, "--against", &right, "--model", "sc"]);
    assert_eq!(ran.exit, Exit::Violated);
    assert!(ran.out.contains("SB under SC differs:\n  missing:    0:EAX=0; 1:EAX=0;\n"), "{}", ran.out);
    assert_eq!(run(&["litmus", &sb, "--against", &right, "--model", "sc,tso"]).exit, Exit::BadInput);
    let other = folder.file("other.json", r#"{ "MP": { "states": [] } }"#);
    let ran = run(&["litmus", &sb, "--against", &other]);
    assert!(ran.out.contains(&format!("1 not in {other}, 1 expected but not run")), "{}", ran.out);
}

#[test]
fn programs_can_be_exported() {
    let folder = Folder::new("export");
    let sb = folder.file("sb.rmm", SB);
    let ir = run(&["export", &sb, "--to", "ir"]);
    assert_eq!(ir.exit, Exit::Proved);
    let program = fencewright_ir::text::parse(&ir.out).expect("the text form can be read");
    assert_eq!(fencewright_ir::text::print(&program), ir.out);
    assert!(run(&["export", &sb, "--to", "dot"]).out.starts_with("digraph"));
    let target = folder.path("out.dot");
    assert_eq!(run(&["export", &sb, "--to", "dot", "-o", &target]).out, "");
    assert!(std::fs::read_to_string(&target).expect("it was written").starts_with("digraph"));
    assert_eq!(
        run(&["export", &sb, "--to", "ir", "-o", &folder.path("no/such/folder")]).exit,
        Exit::BadInput
    );
}

#[test]
fn tables_name_everything() {
    let models = run(&["models"]).out;
    assert_eq!(models.lines().count(), 5);
    assert!(models.starts_with("sc    sequential consistency"), "{models}");
    let engines = run(&["engines"]).out;
    let names: Vec<&str> = engines.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, ["auto", "explicit", "coherence", "wsts", "predicate", "bmc", "ltl", "literal"]);
}

/// A counter without bound: only `predicate` proves it, by itself and within `auto`.
#[test]
fn integers_are_decided_by_predicate() {
    let folder = Folder::new("integers");
    let text = "forbidden Low\ndata x = 0 : Z\nprocess registers $r = 0 : Z text\n\
                L: read: $r := x; locked write: x := $r + 1; if $r < 0 then goto Low; goto L; Low: nop";
    let path = folder.file("count.rmm", text);
    let with = |engine: &str| run(&["check", &path, "--model", "sc,tso,pso", "--engine", engine]).exit;
    for engine in ["predicate", "predicate:oldest", "predicate:newest", "auto"] {
        assert_eq!(with(engine), Exit::Proved, "{engine}");
    }
    assert_eq!(with("predicate:some"), Exit::BadInput);
}

/// What `--certificate` writes, `verify-certificate` accepts; what is no certificate is bad input; a proof that is gone from
/// the file is not accepted.
#[test]
fn certificates_are_written_and_checked() {
    let folder = Folder::new("certificates");
    let path = folder.file("sb.rmm", fenced());
    for engine in ["explicit", "predicate", "coherence", "coherence:fd:1", "wsts", "bmc", "auto"] {
        let file = folder.file("sb.json", "");
        let written = run(&["check", &path, "--engine", engine, "--certificate", &file]);
        assert_eq!(written.exit, Exit::Proved, "{engine}: {}", written.err);
        let checked = run(&["verify-certificate", &file]);
        assert_eq!(checked.exit, Exit::Proved, "{engine}: {}", checked.err);
        assert!(checked.out.contains("ACCEPTED"), "{}", checked.out);
        let text = std::fs::read_to_string(&file).expect("it was written");
        let lines: Vec<&str> = text.lines().collect();
        let less = [&lines[..1], &lines[2..]].concat().join("\n");
        let less = folder.file("less.json", &less);
        assert_eq!(run(&["verify-certificate", &less]).exit, Exit::Violated, "{engine}");
        // Without the line that seals it a proof is one still, but not the one that was written.
        let open = folder.file("open.json", lines[..lines.len() - 1].join("\n"));
        assert_eq!(run(&["verify-certificate", &open]).exit, Exit::BadInput, "{engine}");
    }
    let file = folder.file("rmo.json", "");
    assert_eq!(run(&["check", &path, "--model", "rmo", "--certificate", &file]).exit, Exit::Proved);
    assert_eq!(run(&["verify-certificate", &file]).exit, Exit::Proved);
    // One complaint is enough about a file that is not there.
    let unread = run(&["check", "nowhere.rmm", "--certificate", &file]);
    assert_eq!((unread.exit, unread.err.lines().count()), (Exit::BadInput, 1), "{}", unread.err);
    assert_eq!(run(&["verify-certificate", &path]).exit, Exit::BadInput);
    assert_eq!(run(&["verify-certificate", "nowhere.json"]).exit, Exit::BadInput);
    let foreign = folder.file("foreign.json", "{\"engine\":\"another\"}");
    assert_eq!(run(&["verify-certificate", &foreign]).exit, Exit::BadInput);
}

#[test]
fn the_abstraction_of_coherence_can_be_fixed() {
    let folder = Folder::new("abstraction");
    let path = folder.file("sb.rmm", fenced());
    let with = |engine: &str| run(&["check", &path, "--engine", engine]).exit;
    assert_eq!(with("coherence:fd:1"), Exit::Proved);
    assert_eq!(with("coherence:pd:0"), Exit::Proved);
    assert_eq!(with("coherence"), Exit::Proved);
    for wrong in ["coherence:", "coherence:fd", "coherence:fd:x", "coherence:qd:1"] {
        assert_eq!(with(wrong), Exit::BadInput, "{wrong}");
    }
}

#[test]
fn the_machine_of_wsts_can_be_fixed() {
    let folder = Folder::new("machine");
    let path = folder.file("sb.rmm", fenced());
    let with = |engine: &str, model: &str| run(&["check", &path, "--engine", engine, "--model", model]).exit;
    assert_eq!(with("wsts", "tso"), Exit::Proved);
    assert_eq!(with("wsts", "pso"), Exit::Proved);
    assert_eq!(with("wsts:sb", "tso"), Exit::Proved);
    assert_eq!(with("wsts:dual", "tso"), Exit::Proved);
    assert_eq!(with("wsts:hsb", "pso"), Exit::Proved);
    // A machine of another model has no answer.
    assert_eq!(with("wsts:hsb", "tso"), Exit::Unknown);
    assert_eq!(with("wsts:dual", "pso"), Exit::Unknown);
    assert_eq!(with("wsts:tso", "tso"), Exit::BadInput);
}
