//! Every remedy that can be written gives a text that loads and behaves like the edit of the program, for every program
//! of the corpus; and the diff leads from the one text to the other.

use std::path::{Path, PathBuf};

use fencewright_base::Span;
use fencewright_frontend::patch::{apply_edits, unified_diff};
use fencewright_frontend::{Language, litmus, rmm};
use fencewright_ir::edit::{self, Remedy};
use fencewright_ir::{FenceKind, Op, Program, Side, sites};

use crate::common::{load, same};

/// The texts of the corpus with that ending, one folder a program.
fn corpus(extension: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let inside = |path: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
        let mut paths: Vec<PathBuf> = entries.collect();
        paths.sort();
        paths
    };
    let areas = inside(&root).into_iter().filter(|path| path.is_dir() && !path.ends_with("invalid"));
    let programs = areas.flat_map(|area| inside(&area)).filter(|path| path.is_dir());
    let files = programs.flat_map(|program| inside(&program));
    let files = files.filter(|path| path.extension().is_some_and(|found| found == extension));
    files.map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

fn rmm_texts() -> Vec<String> {
    let valid = crate::rmm_valid::VALID.iter().map(|text| (*text).to_owned());
    corpus("rmm").into_iter().chain(valid).collect()
}

/// The text without comments, words separated by this.
fn laid_out(text: &str, separator: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        plain.push_str(&rest[..at]);
        plain.push(' ');
        let (end, length) = if rest[at..].starts_with("//") { ("\n", 1) } else { ("*/", 2) };
        rest = rest[at..].find(end).map_or("", |found| &rest[at + found + length..]);
    }
    plain.push_str(rest);
    plain.split_whitespace().collect::<Vec<_>>().join(separator)
}

/// All remedies of a program. Applied one after the other, a full fence comes before a store-store fence on both sides.
fn remedies(program: &Program) -> Vec<Remedy> {
    let fences = sites(program).into_iter().flat_map(|site| match site.side {
        Side::Before => [FenceKind::Full, FenceKind::StoreStore].map(|kind| Remedy::Fence(site, kind)),
        Side::After => [FenceKind::StoreStore, FenceKind::Full].map(|kind| Remedy::Fence(site, kind)),
    });
    let writes = |id| {
        let edges = program.threads.iter().flat_map(|thread| &thread.edges);
        let mut steps = edges.map(|edge| &edge.step).filter(|step| step.statement == id);
        steps.any(|step| step.ops.iter().any(|op| matches!(op, Op::Write { .. })))
    };
    fences.chain(program.statements.indices().filter(|&id| writes(id)).map(Remedy::Atomic)).collect()
}

fn span(program: &Program, remedy: Remedy) -> Span {
    remedy.span(program).unwrap()
}

/// The patched text, checked in every way, or why there is none.
fn check(language: &Language, text: &str, remedies: &[Remedy]) -> Result<String, String> {
    let (map, file, program) = load(language, text);
    let edits = (language.patch)(&map, file, &program, remedies).map_err(|error| error.reason)?;
    let patched = apply_edits(text, &edits);
    let mut done = 0;
    for edit in &edits {
        assert!(done <= edit.range.start && edit.range.start <= edit.range.end, "{edits:?}");
        done = edit.range.end;
        // Only labels are taken away, and the first letter of `slocked`.
        let taken = &text[edit.range.clone()];
        assert!(taken.is_empty() || taken == "s" || taken.ends_with(':'), "{edits:?}");
    }
    let (_, _, loaded) = load(language, &patched);
    let edited = edit::apply(&program, remedies);
    assert_eq!(loaded.threads.len(), edited.threads.len());
    for (loaded, edited) in loaded.threads.iter().zip(&edited.threads) {
        assert!(same([loaded, edited]), "{remedies:?} of\n{text}\nwhich became\n{patched}");
    }
    let diff = unified_diff("program", text, &patched);
    assert_eq!(after_diff(text, &diff), patched, "{diff}");
    Ok(patched)
}

/// The diff adds lines and changes lines of the statement, and no others.
fn check_lines(text: &str, patched: &str, span: Span) {
    let lines = [span.start, span.end].map(|at| text[..at as usize].matches('\n').count());
    let old: Vec<&str> = text.split_inclusive('\n').collect();
    let own = old[lines[0]..=lines[1].min(old.len() - 1)].concat();
    let diff = unified_diff("program", text, patched);
    for line in diff.lines().skip(2).filter(|line| line.starts_with('-')) {
        assert!(own.contains(&line[1..]), "{diff}");
    }
}

/// The text after a unified diff, whose every line must fit.
fn after_diff(old: &str, diff: &str) -> String {
    let mut old = old.split_inclusive('\n').peekable();
    let (mut result, mut number) = (String::new(), 1);
    let mut lines = diff.split_inclusive('\n').skip(2).peekable();
    while let Some(line) = lines.next() {
        if let Some(header) = line.strip_prefix("@@ -") {
            let mut numbers = header.split([' ', ',']).map(|part| part.parse::<usize>().unwrap_or(0));
            let first = numbers.next().unwrap();
            let first = if header.split(' ').next().unwrap().ends_with(",0") { first + 1 } else { first };
            while number < first {
                result.push_str(old.next().unwrap());
                number += 1;
            }
            continue;
        }
        let no_newline = lines.next_if(|next| next.starts_with('\\')).is_some();
        let (sign, text) = line.split_at(1);
        let text = if no_newline { text.strip_suffix('\n').unwrap() } else { text };
        if sign != "+" {
            assert_eq!(old.next(), Some(text));
            number += 1;
        }
        if sign != "-" {
            result.push_str(text);
        }
    }
    result.extend(old);
    result
}

/// Whether a fence there is more in the edit than in the text: an `slocked write` is two steps, and the edit puts a
/// fence behind each. The one between them adds nothing to the one behind.
fn is_two_steps(program: &Program, remedy: Remedy) -> bool {
    match remedy {
        Remedy::Fence(site, _) => program.statements[site.statement].text.starts_with("slocked"),
        Remedy::Atomic(_) | Remedy::Order(..) => false,
    }
}

#[test]
fn rmm_repairs_are_the_edits() {
    let (mut n_fences, mut n_atomic) = (0, 0);
    for text in rmm_texts() {
        let (_, _, program) = load(&rmm::LANGUAGE, &text);
        let remedies = remedies(&program);
        for &remedy in remedies.iter().filter(|&&remedy| !is_two_steps(&program, remedy)) {
            let patched = check(&rmm::LANGUAGE, &text, &[remedy]).unwrap();
            check_lines(&text, &patched, span(&program, remedy));
            match remedy {
                Remedy::Fence(..) => n_fences += 1,
                Remedy::Atomic(_) => n_atomic += 1,
                Remedy::Order(..) => unreachable!("RMM has no orders"),
            }
        }
    }
    assert!(n_fences > 1000 && n_atomic > 100, "{n_fences} fences, {n_atomic} atomic writes");
}

#[test]
fn rmm_repairs_go_together() {
    for text in rmm_texts() {
        let (_, _, program) = load(&rmm::LANGUAGE, &text);
        let all: Vec<Remedy> =
            remedies(&program).into_iter().filter(|&remedy| !is_two_steps(&program, remedy)).collect();
        check(&rmm::LANGUAGE, &text, &all).unwrap();
        for part in 0..5 {
            let some: Vec<Remedy> = all.iter().skip(part).step_by(5).copied().collect();
            check(&rmm::LANGUAGE, &text, &some).unwrap();
        }
        assert_eq!(check(&rmm::LANGUAGE, &text, &[]).as_ref(), Ok(&text));
    }
}

/// Macros that stand for pieces of statements, and statements that are pieces of macros.
const MACROS: [&str; 6] = [
    "forbidden * data x = 0 y = 0 macro store(a, v) write: a := v endmacro macro both(s, t) s; t endmacro\n\
     process registers $r = 0 text both(store(x, 1), store(y, 1)); if $r = 0 then store(x, 2) else nop; store(y, 2)",
    "forbidden * data x = 0 macro if0(s) if $r = 0 then s endmacro macro twice(s) { s; L: s } endmacro\n\
     process registers $r = 0 text if0(twice(write: x := 1)) else if0(read: $r := x); while $r = 1 do if0(fence)",
    "forbidden * data x = 0 macro head() write: x := endmacro macro tail() 1; nop; read: x endmacro\n\
     process text head() tail() = 1; head() 1; either { head() 2 or nop; goto END }; END: head() tail() = 2",
    "forbidden * data x = 0 macro kind(k) k: x := 1 endmacro process text kind(write); kind(syncwr)",
    "forbidden * data x = 0 macro kind(k) k: x := 1 endmacro process text kind(write); locked { kind(write) }; kind(write)",
    "forbidden A * macro p(l, s) process text l: s; either { s or l: s } ; goto B; B: s endmacro data x = 0\n\
     p(A, write: x := 1) macro q() nop; nop endmacro p(A, { q() })",
];

#[test]
fn macros_give_the_edit_or_a_reason() {
    let (mut n_written, mut n_refused) = (0, 0);
    for text in MACROS {
        let (_, _, program) = load(&rmm::LANGUAGE, text);
        let mut all = Vec::new();
        for remedy in remedies(&program) {
            match check(&rmm::LANGUAGE, text, &[remedy]) {
                Ok(_) => all.push(remedy),
                Err(_) => n_refused += 1,
            }
        }
        check(&rmm::LANGUAGE, text, &all).unwrap();
        n_written += all.len();
    }
    assert!(n_written > 50 && n_refused < 10, "{n_written} written, {n_refused} refused");
}

/// A third of the remedies that can be written, in so many parts.
fn check_some(language: &Language, text: &str, n_parts: usize) {
    let (_, _, program) = load(language, text);
    let possible =
        |remedy: &Remedy| !is_two_steps(&program, *remedy) && check(language, text, &[*remedy]).is_ok();
    let all: Vec<Remedy> = remedies(&program).into_iter().step_by(3).filter(possible).collect();
    for part in 0..n_parts {
        let some: Vec<Remedy> = all.iter().skip(part).step_by(n_parts).copied().collect();
        check(language, text, &some).unwrap();
    }
}

#[test]
fn white_space_of_rmm_does_not_matter() {
    for text in rmm_texts() {
        check_some(&rmm::LANGUAGE, &text.replace('\n', "\r\n"), 2);
        check_some(&rmm::LANGUAGE, text.trim_end(), 2);
        for separator in [" ", "\n", "\r\n\t"] {
            check_some(&rmm::LANGUAGE, &laid_out(&text, separator), 3);
        }
    }
}

#[test]
fn comments_of_rmm_do_not_matter() {
    for text in rmm_texts() {
        for separator in [" /* ; */ ", " // }\n", "/*\n*/"] {
            check_some(&rmm::LANGUAGE, &laid_out(&text, separator), 3);
        }
    }
}

#[test]
fn layout_of_litmus_tests_does_not_matter() {
    for text in corpus("litmus") {
        check_some(&litmus::LANGUAGE, &text.replace('\n', "\r\n"), 2);
        check_some(&litmus::LANGUAGE, &text.replace(" ;\n", "; (* | *)\n"), 2);
        check_some(&litmus::LANGUAGE, &text.replace(" ;\n ", "; "), 2);
        check_some(&litmus::LANGUAGE, &text.replace(" | ", "\n|(* ;\n*)"), 2);
        check_some(&litmus::LANGUAGE, &text.replace(" ;\n", " (*\n*); (*\n*) "), 2);
    }
}

#[test]
fn litmus_repairs_are_the_edits() {
    let mut n_written = 0;
    for text in corpus("litmus") {
        let (_, _, program) = load(&litmus::LANGUAGE, &text);
        let mut all = Vec::new();
        for remedy in remedies(&program) {
            match check(&litmus::LANGUAGE, &text, &[remedy]) {
                Ok(patched) => {
                    check_lines(&text, &patched, span(&program, remedy));
                    n_written += 1;
                    all.push(remedy);
                }
                Err(reason) => match remedy {
                    Remedy::Atomic(_) => assert!(reason.contains("XCHG"), "{reason}"),
                    Remedy::Fence(..) | Remedy::Order(..) => panic!("{remedy:?} of\n{text}\n{reason}"),
                },
            }
        }
        check(&litmus::LANGUAGE, &text, &all).unwrap();
        for part in 0..5 {
            let some: Vec<Remedy> = all.iter().skip(part).step_by(5).copied().collect();
            check(&litmus::LANGUAGE, &text, &some).unwrap();
        }
        assert_eq!(check(&litmus::LANGUAGE, &text, &[]).as_ref(), Ok(&text));
    }
    assert!(n_written > 1000, "{n_written} written");
}
