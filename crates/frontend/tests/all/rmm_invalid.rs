//! Texts that must be rejected: `corpus/invalid/rmm/*.rmm`. Each carries its expectations as comments at the line of
//! the diagnostic, `//~ CODE part of the message`; both sides must agree: every expectation is met, and nothing else
//! is reported.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use fencewright_base::{Severity, SourceMap};
use fencewright_frontend::rmm::{LANGUAGE, codes};

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/invalid/rmm");
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rmm"))
        .collect();
    files.sort();
    files
}

/// Line, code and part of the message of every expectation.
fn expectations(text: &str) -> Vec<(usize, &str, &str)> {
    text.lines()
        .enumerate()
        .filter_map(|(i, line)| {
            let (_, expectation) = line.split_once("//~ ")?;
            let (code, message) = expectation.split_once(' ').unwrap_or((expectation, ""));
            Some((i + 1, code, message.trim()))
        })
        .collect()
}

#[test]
fn every_invalid_text_gives_exactly_its_diagnostics() {
    let mut failures = String::new();
    let files = cases();
    assert!(files.len() >= 30, "only {} cases", files.len());
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let mut expected = expectations(&text);
        assert!(!expected.is_empty(), "{name} expects nothing");
        let mut map = SourceMap::new();
        let file = map.add(&*name, &*text);
        let Err(problems) = (LANGUAGE.load)(&map, file) else {
            failures += &format!("{name}: loads\n");
            continue;
        };
        for problem in &problems {
            let line = map.line_column(problem.primary.span).line;
            let met = expected.iter().position(|&(at, code, message)| {
                at == line
                    && code == problem.code.name
                    && !message.is_empty()
                    && problem.message.contains(message)
            });
            match met {
                Some(met) => drop(expected.remove(met)),
                None => {
                    failures +=
                        &format!("{name}:{line}: unexpected {} {}\n", problem.code.name, problem.message)
                }
            }
            assert_eq!(problem.severity, Severity::Error, "{name}");
        }
        let in_order = problems.is_sorted_by_key(|problem| problem.primary.span.start);
        assert!(in_order, "{name}: diagnostics are not in the order of the text");
        for (line, code, message) in expected {
            failures += &format!("{name}:{line}: missing {code} {message}\n");
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

#[test]
fn every_code_has_a_case() {
    let texts: Vec<String> = cases().iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    let seen: BTreeSet<&str> =
        texts.iter().flat_map(|text| expectations(text)).map(|(_, code, _)| code).collect();
    let missing: Vec<&str> =
        LANGUAGE.codes.iter().map(|code| code.name).filter(|name| !seen.contains(name)).collect();
    // Nothing is known to give the internal error; if something did, it would be mended instead.
    assert_eq!(missing, [codes::INTERNAL.name]);
}

#[test]
fn diagnostics_in_a_macro_say_where_it_was_expanded() {
    let text = "forbidden A\nmacro in(r) r := 1 endmacro\nmacro out(r) in(r); $q := 2 endmacro\nprocess text A: out($r)\n";
    let mut map = SourceMap::new();
    let file = map.add("t.rmm", text);
    let problems = (LANGUAGE.load)(&map, file).unwrap_err();
    let shown: Vec<Vec<String>> = problems
        .iter()
        .map(|problem| {
            let primary = std::iter::once((&problem.primary.span, problem.message.as_str()));
            let secondary = problem.secondary.iter().map(|label| (&label.span, label.text.as_str()));
            primary.chain(secondary).map(|(span, said)| format!("`{}` {said}", map.text(*span))).collect()
        })
        .collect();
    assert_eq!(
        shown,
        [
            vec!["`$q` this process has no register `$q`", "`out($r)` expanded here"],
            vec![
                "`$r` this process has no register `$r`",
                "`r` put in here",
                "`r` put in here",
                "`in(r)` expanded here",
                "`out($r)` expanded here"
            ],
        ]
    );
    assert_eq!(problems[0].help.as_deref(), Some("declare it: `registers $q = *`"));
}

#[test]
fn the_programs_of_the_description_load() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats/rmm.md");
    let text = fs::read_to_string(&page).unwrap();
    let programs: Vec<&str> =
        text.split("```rmm\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(programs.len(), 2);
    for program in programs {
        let mut map = SourceMap::new();
        let file = map.add("page.rmm", program);
        assert!((LANGUAGE.load)(&map, file).is_ok(), "{program}");
    }
}
