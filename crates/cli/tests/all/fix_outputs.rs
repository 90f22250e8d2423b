//! What `fix` prints, in each format, for each kind of answer. Machine formats are held against their schemas, and the
//! `fixes` of SARIF, applied by code of this test alone, must give what `--diff` shows.

use fencewright_cli::{Exit, World, main_with};
use serde_json::Value;

/// Store buffering with a critical section, with something before and behind the reads.
fn store_buffering(before: &str, behind: &str) -> String {
    let process = |own: &str, other: &str| {
        format!(
            "process\ntext\n  L0: write: {own} := 1; // ☞ me\n{before}  read: {other} = 0;\n  CS: nop{behind}\n"
        )
    };
    format!(
        "forbidden\n  CS CS\ndata\n  x = 0 : [0:1]\n  y = 0 : [0:1]\n{}{}",
        process("x", "y"),
        process("y", "x")
    )
}

/// Two processes that pass a message; needs PSO to go wrong.
const MESSAGE: &str = "\
forbidden
  * Stale
data
  message = 0 : [0:1]
  ready = 0 : [0:1]
process
text
  write: message := 1;
  write: ready := 1
process
text
  read: ready = 1;
  read: message = 0;
  Stale: nop
";

/// Both can be at CS whatever the memory does.
const WRONG: &str = "forbidden\n  CS CS\nprocess(2)\ntext\n  L0: nop;\n  CS: nop\n";

const LITMUS: &str = "\
X86 SB
{ }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
";

fn run(text: &str, args: &[&str]) -> (Exit, String) {
    let (mut stdin, mut out, mut err) = (text.as_bytes(), Vec::new(), Vec::new());
    let world = World::new(&mut stdin, &mut out, &mut err);
    let args = std::iter::once("fencewright").chain(args.iter().copied());
    let exit = main_with(args.map(Into::into), world);
    (exit, String::from_utf8(out).expect("output is UTF-8"))
}

fn validate(schema: &str, value: &Value) {
    let path = format!("{}/../../docs/json-schema/{schema}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the schema is there");
    let schema = jsonschema::validator_for(&serde_json::from_str(&text).expect("the schema is JSON"))
        .expect("the schema is one");
    let errors: Vec<String> =
        schema.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path)).collect();
    assert!(errors.is_empty(), "{}\n{value:#}", errors.join("\n"));
}

/// The text with every time in it made the same.
fn timeless(text: &str) -> String {
    let words = text.split_inclusive([' ', ',', '\n']);
    let mut out = Vec::new();
    for word in words {
        if matches!(word.trim_end_matches([',', '\n']), "ms" | "s") && !out.is_empty() {
            out.pop();
            out.push("TIME ");
        }
        out.push(word);
    }
    out.concat()
}

/// The value with what differs from run to run set to 0.
fn steady(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                match name.as_str() {
                    "seconds" | "peak_bytes" => *field = 0.into(),
                    _ => steady(field),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(steady),
        _ => {}
    }
}

/// The value with everything that fits on a line on one line: the usual form is too long to be read.
fn compact(value: &Value, indent: usize) -> String {
    let line = value.to_string();
    if indent + line.len() <= 120 {
        return line;
    }
    let inner = " ".repeat(indent + 2);
    let (open, parts, close): (_, Vec<String>, _) = match value {
        Value::Object(fields) => {
            let field =
                |(name, field): (&String, &Value)| format!("{name:?}: {}", compact(field, indent + 2));
            ('{', fields.iter().map(field).collect(), '}')
        }
        Value::Array(items) => ('[', items.iter().map(|item| compact(item, indent + 2)).collect(), ']'),
        _ => return line,
    };
    format!("{open}\n{inner}{}\n{}{close}", parts.join(&format!(",\n{inner}")), " ".repeat(indent))
}

/// Where a line and column, both from 1 and counted in characters, stand in the text.
fn offset(text: &str, line: &Value, column: &Value) -> usize {
    let number = |value: &Value| value.as_u64().expect("a number") as usize;
    let start: usize = text.split_inclusive('\n').take(number(line) - 1).map(str::len).sum();
    let rest = &text[start..];
    start + rest.char_indices().nth(number(column) - 1).map_or(rest.len(), |(at, _)| at)
}

/// The text with the replacements of these fixes, all of them in terms of the old text.
fn applied<'v>(text: &str, fixes: impl IntoIterator<Item = &'v Value>) -> String {
    let mut replacements: Vec<(usize, usize, String)> = Vec::new();
    for fix in fixes {
        for replacement in fix["artifactChanges"][0]["replacements"].as_array().expect("replacements") {
            let region = &replacement["deletedRegion"];
            let start = offset(text, &region["startLine"], &region["startColumn"]);
            let end = offset(text, &region["endLine"], &region["endColumn"]);
            let content = replacement["insertedContent"]["text"].as_str().expect("a text").to_owned();
            replacements.push((start, end, content));
        }
    }
    replacements.sort();
    let mut result = text.to_owned();
    for (start, end, content) in replacements.into_iter().rev() {
        result.replace_range(start..end, &content);
    }
    result
}

/// The text that a unified diff of one file makes of the old one: its `+` and blank lines in place of what each hunk
/// replaces.
fn patched(text: &str, diff: &str) -> String {
    let old: Vec<&str> = text.split_inclusive('\n').collect();
    let (mut result, mut next) = (String::new(), 0);
    for line in diff.split_inclusive('\n').skip(2) {
        match line.split_at(1) {
            ("@", header) => {
                let start = header.split(['-', ',', ' ']).nth(2).expect("a header").parse::<usize>();
                let start = start.expect("a line number") - 1;
                result.extend(old[next..start].iter().copied());
                next = start;
            }
            (" ", rest) | ("-", rest) => {
                assert_eq!(old[next], rest, "the diff is one of this text");
                if line.starts_with(' ') {
                    result.push_str(rest);
                }
                next += 1;
            }
            ("+", rest) => result.push_str(rest),
            _ => panic!("{line}"),
        }
    }
    result.extend(old[next..].iter().copied());
    result
}

/// Snapshots of all formats, after all that can be checked without them.
fn show(name: &str, language: &str, text: &str, args: &[&str], expected: Exit) -> Value {
    let base = ["fix", "-", "--language", language, "--engine", "explicit", "--jobs", "1"];
    let ask = |more: &[&str]| {
        let (exit, out) = run(text, &[&base[..], args, more].concat());
        assert_eq!(exit, expected, "{name} {more:?}\n{out}");
        out
    };
    insta::assert_snapshot!(format!("{name}_text"), timeless(&ask(&[])));

    let mut json: Value = serde_json::from_str(&ask(&["--format", "json"])).expect("the output is JSON");
    validate("check-1.json", &json);
    steady(&mut json);
    insta::assert_snapshot!(format!("{name}_json"), compact(&json, 0));

    let mut sarif: Value = serde_json::from_str(&ask(&["--format", "sarif"])).expect("the output is JSON");
    validate("sarif-2.1.0.json", &sarif);
    let results = sarif["runs"][0]["results"].as_array().expect("results").clone();
    let needed = results.iter().filter(|result| result["ruleId"] == "R0002");
    let fixes: Vec<&Value> =
        needed.flat_map(|result| result["fixes"].as_array().into_iter().flatten()).collect();
    if !args.iter().any(|arg| arg.contains("tso,pso")) {
        assert_eq!(applied(text, fixes), patched(text, &ask(&["--diff"])), "{name}");
    }
    // The rules are the same in all of them.
    sarif["runs"][0]["tool"]["driver"]["rules"].take();
    insta::assert_snapshot!(format!("{name}_sarif"), compact(&sarif, 0));
    sarif["runs"][0]["results"].take()
}

/// A result's rule, kind and level, and how many fixes and code flows it has.
fn shape(result: &Value) -> (&str, &str, &str, usize, usize) {
    let word = |name: &str| result[name].as_str().expect("a word");
    let number = |name: &str| result[name].as_array().map_or(0, Vec::len);
    (word("ruleId"), word("kind"), word("level"), number("fixes"), number("codeFlows"))
}

fn shapes(results: &Value) -> Vec<(&str, &str, &str, usize, usize)> {
    results.as_array().expect("results").iter().map(shape).collect()
}

#[test]
fn a_repaired_program() {
    let results = show("repaired", "rmm", &store_buffering("", ""), &["--model", "tso"], Exit::Proved);
    assert_eq!(shapes(&results), [("R0002", "fail", "error", 1, 1); 2]);
    // A fence for each process stands behind its write, in lines 8 and 13 of the text.
    let lines: Vec<u64> = (results.as_array().unwrap().iter())
        .map(|result| result["locations"][0]["physicalLocation"]["region"]["startLine"].as_u64().unwrap())
        .collect();
    assert_eq!(lines, [8, 13]);
}

#[test]
fn a_program_that_is_safe() {
    let text = store_buffering("  fence;\n", "");
    let results = show("safe", "rmm", &text, &["--model", "tso"], Exit::Proved);
    assert_eq!(shapes(&results), [("R0001", "pass", "none", 0, 0)]);
}

#[test]
fn a_program_that_is_wrong_under_sc() {
    let results = show("wrong", "rmm", WRONG, &["--model", "tso"], Exit::Violated);
    assert_eq!(shapes(&results), [("R0001", "fail", "error", 0, 1)]);
}

#[test]
fn a_candidate_without_proof() {
    let text = store_buffering("", "");
    let results = show("unproved", "rmm", &text, &["--model", "tso", "--max-states", "1"], Exit::Unknown);
    assert_eq!(shapes(&results), [("R0001", "open", "none", 0, 0)]);
}

#[test]
fn atomic_writes() {
    let args = ["--model", "pso", "--with", "atomic", "--cost", "atomic=1"];
    let results = show("atomic", "rmm", MESSAGE, &args, Exit::Proved);
    assert_eq!(shapes(&results), [("R0002", "fail", "error", 1, 1)]);
}

#[test]
fn fences_that_are_not_needed() {
    // Behind CS nothing is read any more, and the last statement of a list has no semicolon.
    let text = store_buffering("", ";\n  fence");
    let results = show("unneeded", "rmm", &text, &["--model", "tso"], Exit::Proved);
    let needed = ("R0002", "fail", "error", 1, 1);
    let unneeded = ("R0003", "fail", "note", 1, 0);
    assert_eq!(shapes(&results), [needed, needed, unneeded, unneeded]);
    let without: String = text.replacen(";\n  fence", "", 1);
    assert_eq!(applied(&text, &[results[2]["fixes"][0].clone()]), without);
}

#[test]
fn an_unneeded_fence_on_a_line_of_its_own_goes_with_its_line() {
    let text = store_buffering("  fence;\n  fence;\n", "");
    let (_, out) = run(&text, &["fix", "-", "--language", "rmm", "--format", "sarif"]);
    let sarif: Value = serde_json::from_str(&out).expect("the output is JSON");
    let results = &sarif["runs"][0]["results"];
    let unneeded = ("R0003", "fail", "note", 1, 0);
    // Each of the four is not needed as long as the one beside it is there.
    assert_eq!(shapes(results), [("R0001", "pass", "none", 0, 0), unneeded, unneeded, unneeded, unneeded]);
    let without = text.replacen("  fence;\n  fence;\n", "  fence;\n", 1);
    for number in [1, 2] {
        assert_eq!(applied(&text, &[results[number]["fixes"][0].clone()]), without);
    }
}

#[test]
fn an_unneeded_fence_of_a_litmus_test_leaves_its_cell_empty() {
    let text =
        LITMUS.replace(" MOV EAX,[y] |", " MFENCE      |             ;\n MFENCE | MFENCE ;\n MOV EAX,[y] |");
    let (_, out) = run(&text, &["fix", "-", "--language", "litmus", "--format", "sarif"]);
    let sarif: Value = serde_json::from_str(&out).expect("the output is JSON");
    let results = &sarif["runs"][0]["results"];
    let unneeded = ("R0003", "fail", "note", 1, 0);
    assert_eq!(shapes(results), [("R0001", "pass", "none", 0, 0), unneeded, unneeded]);
    let fixed = applied(&text, &[results[1]["fixes"][0].clone()]);
    assert_eq!(fixed, text.replacen("MFENCE ", "       ", 1));
}

#[test]
fn all_cheapest_repairs() {
    let text = store_buffering("  nop;\n", "");
    show("all", "rmm", &text, &["--model", "tso", "--all"], Exit::Proved);
}

#[test]
fn a_litmus_test() {
    // Both fences share a row: the first result has the whole change.
    let results = show("litmus", "litmus", LITMUS, &["--model", "tso"], Exit::Proved);
    assert_eq!(shapes(&results), [("R0002", "fail", "error", 1, 1), ("R0002", "fail", "error", 0, 1)]);
}

#[test]
fn several_models_are_one_run() {
    let results = show("models", "rmm", MESSAGE, &["--model", "tso,pso"], Exit::Proved);
    let models: Vec<&str> = (results.as_array().unwrap().iter())
        .map(|result| result["properties"]["model"].as_str().unwrap())
        .collect();
    assert_eq!(models, ["tso", "pso"]);
    assert_eq!(shapes(&results), [("R0001", "pass", "none", 0, 0), ("R0002", "fail", "error", 1, 1)]);
}

#[test]
fn bad_input_is_in_the_invocation() {
    let (exit, out) = run("forbidden\n", &["fix", "-", "--language", "rmm", "--format", "sarif"]);
    assert_eq!(exit, Exit::BadInput);
    let sarif: Value = serde_json::from_str(&out).expect("the output is JSON");
    validate("sarif-2.1.0.json", &sarif);
    let invocation = &sarif["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let codes = invocation["toolExecutionNotifications"].as_array().expect("what is wrong");
    assert!(codes.iter().all(|note| note["descriptor"]["id"].as_str().is_some_and(|id| id.starts_with('E'))));
}

#[test]
fn check_gives_a_result_for_each_file_and_model() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let files = ["peterson.rmm", "message_passing.rmm"].map(|name| format!("{root}/{name}"));
    let args = ["check", &files[0], &files[1], "--model", "sc,tso,pso", "--format", "sarif"];
    let (exit, out) = run("", &args);
    assert_eq!(exit, Exit::Violated);
    let sarif: Value = serde_json::from_str(&out).expect("the output is JSON");
    validate("sarif-2.1.0.json", &sarif);
    assert_eq!(sarif["runs"].as_array().map(Vec::len), Some(1));
    let pass = ("R0001", "pass", "none", 0, 0);
    let fail = ("R0001", "fail", "error", 0, 1);
    assert_eq!(shapes(&sarif["runs"][0]["results"]), [pass, fail, fail, pass, pass, fail]);
    // Peterson's lock needs nothing but steps of its two threads, which take turns.
    let flows = &sarif["runs"][0]["results"][1]["codeFlows"][0]["threadFlows"];
    let flows = flows.as_array().expect("thread flows");
    assert_eq!(flows.len(), 2);
    let mut order: Vec<u64> = (flows.iter())
        .flat_map(|flow| flow["locations"].as_array().expect("locations"))
        .map(|location| location["executionOrder"].as_u64().expect("a number"))
        .collect();
    order.sort_unstable();
    assert_eq!(order, (1..=order.len() as u64).collect::<Vec<_>>());
    // The rules say what they mean.
    let rules = sarif["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules");
    for rule in rules {
        let id = rule["id"].as_str().expect("an id");
        let (exit, page) = run("", &["explain", id]);
        assert_eq!(exit, Exit::Proved);
        assert!(page.contains(rule["help"]["text"].as_str().expect("help")), "{page}");
    }
}
