//! Diagnostics of the litmus front end at the line. A comment `(*~ E0203 part of the message *)` stands on the line of
//! each diagnostic that `corpus/invalid/litmus` is to give: each must come, and none else. Every code is covered.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use fencewright_base::{Diagnostic, SourceMap};
use fencewright_frontend::litmus::LANGUAGE;

/// Line, code and part of the message of each marker.
fn markers(text: &str) -> Vec<(usize, String, String)> {
    let mut markers = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for marker in line.split("(*~ ").skip(1) {
            let marker = marker.split("*)").next().unwrap_or("").trim();
            let (code, message) = marker.split_once(' ').expect("a marker has a code and a text");
            markers.push((index + 1, code.to_owned(), message.to_owned()));
        }
    }
    markers
}

fn diagnostics(sources: &SourceMap, file: fencewright_base::FileId) -> Vec<Diagnostic> {
    match (LANGUAGE.load)(sources, file) {
        Ok(loaded) => loaded.warnings,
        Err(diagnostics) => diagnostics,
    }
}

#[test]
fn every_diagnostic_comes_where_it_is_expected_and_no_other() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/invalid/litmus");
    let mut paths: Vec<_> = fs::read_dir(root)
        .expect("the corpus is there")
        .map(|entry| entry.expect("readable").path())
        .collect();
    paths.sort();
    let mut seen = BTreeSet::new();
    for path in paths {
        let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("readable");
        let mut sources = SourceMap::new();
        let file = sources.add(name.clone(), text.clone());
        let given = diagnostics(&sources, file);
        let expected = markers(&text);
        assert!(!expected.is_empty(), "{name} expects nothing");
        let shown: Vec<String> = given
            .iter()
            .map(|d| format!("{} {} {}", sources.location(d.primary.span), d.code.name, d.message))
            .collect();
        let mut given: Vec<(usize, &str, &str)> = given
            .iter()
            .map(|d| (sources.line_column(d.primary.span).line, d.code.name, d.message.as_str()))
            .collect();
        for (line, code, part) in expected {
            let found = given
                .iter()
                .position(|(l, c, message)| (*l, *c) == (line, &*code) && message.contains(&part));
            let Some(found) = found else {
                panic!("{name}:{line}: no {code} `{part}` in\n{}", shown.join("\n"))
            };
            given.remove(found);
            seen.insert(code);
        }
        assert!(given.is_empty(), "{name} gives more than is expected: {given:#?}");
    }
    let all: BTreeSet<String> = LANGUAGE.codes.iter().map(|code| code.name.to_owned()).collect();
    assert_eq!(seen, all, "every code is in the table and is given by some file");
}

#[test]
fn every_code_is_explained() {
    for code in LANGUAGE.codes {
        assert!(code.name.starts_with("E02"), "{}", code.name);
        for heading in ["# What\n", "# Why\n", "# Example\n", "# Fix\n"] {
            assert!(code.explanation.contains(heading), "{} lacks {heading}", code.name);
        }
    }
}
