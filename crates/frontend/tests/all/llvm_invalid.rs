//! Diagnostics of the LLVM front end at the line. A comment `;~ E0403 part of the message` stands on the line of each
//! diagnostic that `corpus/invalid/llvm` is to give: each must come, and none else. Every code is covered.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use fencewright_base::{Budget, CancelToken, Meter, SourceMap};
use fencewright_frontend::llvm::{LANGUAGE, Options, Unit, load};

#[test]
fn every_diagnostic_comes_where_it_is_expected_and_no_other() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/invalid/llvm");
    let mut paths: Vec<_> = std::fs::read_dir(root)
        .expect("the corpus is there")
        .map(|entry| entry.expect("readable").path())
        .collect();
    paths.sort();
    let mut seen = BTreeSet::new();
    for path in paths {
        let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("readable");
        let mut sources = SourceMap::new();
        let file = sources.add(name.clone(), text.clone());
        // This one has no time at all.
        let time = (name == "gave-up.ll").then_some(Duration::ZERO);
        let meter = Meter::start(Budget { time, ..Budget::default() }, CancelToken::new());
        let options = Options::default();
        let unit = Unit { sources: &sources, ir: file, places: None, options: &options, meter };
        let given = match load(&unit) {
            Ok(loaded) => loaded.warnings,
            Err(diagnostics) => diagnostics,
        };
        let mut given: Vec<(usize, &str, String)> = given
            .iter()
            .map(|d| (sources.line_column(d.primary.span).line, d.code.name, d.message.clone()))
            .collect();
        let mut n_expected = 0;
        for (line, text) in text.lines().enumerate() {
            let Some((_, marker)) = text.split_once(";~ ") else { continue };
            let (code, part) = marker.split_once(' ').expect("a marker has a code and a text");
            let found = given
                .iter()
                .position(|(l, c, message)| (*l, *c) == (line + 1, code) && message.contains(part.trim()));
            let Some(found) = found else { panic!("{name}:{}: no {code} `{part}` in {given:#?}", line + 1) };
            given.remove(found);
            seen.insert(code.to_owned());
            n_expected += 1;
        }
        assert!(n_expected > 0, "{name} expects nothing");
        assert!(given.is_empty(), "{name} gives more than is expected: {given:#?}");
    }
    let all: BTreeSet<String> = LANGUAGE.codes.iter().map(|code| code.name.to_owned()).collect();
    assert_eq!(seen, all, "every code is in the table and is given by some file");
}

#[test]
fn every_code_is_explained() {
    for code in LANGUAGE.codes {
        assert!(code.name.starts_with("E04"), "{}", code.name);
        for heading in ["# What\n", "# Why\n", "# Example\n", "# Fix\n"] {
            assert!(code.explanation.contains(heading), "{} lacks {heading}", code.name);
        }
    }
}
