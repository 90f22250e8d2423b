//! DVE texts: those that must be rejected (`corpus/invalid/dve`, expectations at the line as `//~ CODE part of the
//! message`), the pages of the codes, and any bytes whatever.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use fencewright_base::SourceMap;
use fencewright_frontend::dve::{LANGUAGE, apply_atomic, parse_condition};
use fencewright_ir::{FenceKind, Lock, Op, Program, validate};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn files(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root().join(folder)];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(&path).expect("readable").map(|entry| entry.expect("readable").path()));
        } else if path.extension().is_some_and(|extension| extension == "dve") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Line, code and message of every diagnostic; the program if there is one.
fn load(text: &str) -> (Option<Program>, Vec<(usize, &'static str, String)>) {
    let mut sources = SourceMap::new();
    let file = sources.add("test.dve", text);
    let shown = |all: &[fencewright_base::Diagnostic]| {
        all.iter()
            .map(|d| (sources.line_column(d.primary.span).line, d.code.name, d.message.clone()))
            .collect()
    };
    match (LANGUAGE.load)(&sources, file) {
        Ok(loaded) => (Some(loaded.program), shown(&loaded.warnings)),
        Err(problems) => (None, shown(&problems)),
    }
}

#[test]
fn every_invalid_text_gives_exactly_its_diagnostics() {
    let mut failures = String::new();
    let mut seen = BTreeSet::new();
    for path in files("corpus/invalid/dve") {
        let text = fs::read_to_string(&path).expect("readable");
        let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        let mut expected: Vec<(usize, &str, &str)> = Vec::new();
        for (i, line) in text.lines().enumerate() {
            if let Some((_, said)) = line.split_once("//~ ") {
                let (code, message) = said.split_once(' ').expect("a code and a message");
                expected.push((i + 1, code, message.trim()));
                seen.insert(code.to_owned());
            }
        }
        assert!(!expected.is_empty(), "{name} expects nothing");
        let (program, problems) = load(&text);
        if program.is_some() {
            failures += &format!("{name}: loads\n");
        }
        for (line, code, message) in problems {
            let met = expected.iter().position(|e| e.0 == line && e.1 == code && message.contains(e.2));
            match met {
                Some(met) => drop(expected.remove(met)),
                None => failures += &format!("{name}:{line}: unexpected {code} {message}\n"),
            }
        }
        for (line, code, message) in expected {
            failures += &format!("{name}:{line}: missing {code} {message}\n");
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
    let missing: Vec<&str> =
        LANGUAGE.codes.iter().map(|code| code.name).filter(|name| !seen.contains(*name)).collect();
    assert!(missing.is_empty(), "no text has {missing:?}");
}

#[test]
fn the_pages_of_the_codes_are_right() {
    for code in LANGUAGE.codes {
        let programs: Vec<&str> = code
            .explanation
            .split("```dve\n")
            .skip(1)
            .filter_map(|rest| rest.split("\n```").next())
            .collect();
        let [example, fixed] = programs[..] else { panic!("{} has {} programs", code.name, programs.len()) };
        let (_, problems) = load(example);
        assert!(problems.iter().any(|(_, name, _)| *name == code.name), "{}: {problems:?}", code.name);
        let (program, problems) = load(fixed);
        assert!(program.is_some() && problems.is_empty(), "{}: {problems:?}", code.name);
    }
}

#[test]
fn the_model_of_the_description_loads() {
    let page = fs::read_to_string(root().join("docs/formats/dve.md")).expect("readable");
    let models: Vec<&str> =
        page.split("```dve\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(models.len(), 1);
    assert!(load(models[0]).0.is_some());
}

const PETERSON: &str = "byte w[2], v;\n\
    process P { state a, b, c; init a;\n\
    trans a -> b { effect w[0] = 1; }, b -> c { effect v = 0, w[1] = 1; }, c -> a { guard w[1] == 0; }; }\n\
    process Q { byte r; state a; init a; trans a -> a { effect r = 1; }; }\n\
    system async;\n";

#[test]
fn atomic_writes_and_barriers_are_put_where_the_file_says() {
    let mut sources = SourceMap::new();
    let file = sources.add("p.dve", PETERSON);
    let program = (LANGUAGE.load)(&sources, file).expect("it loads").program;
    let list = sources.add("atomic.txt", "(w, P.1) // first\n(*, P.2)\nbarrier P.3\nbarrier P.3\n");
    let changed = apply_atomic(&sources, list, &program).expect("it can be done");
    assert_eq!(validate(&changed), []);
    let steps: Vec<(Option<Lock>, bool)> = (changed.threads[fencewright_ir::ThreadId(0)].edges.iter())
        .map(|edge| (edge.step.lock, edge.step.ops.first() == Some(&Op::Fence(FenceKind::Full))))
        .collect();
    assert_eq!(steps, [(Some(Lock::Location), false), (Some(Lock::Location), false), (None, true)]);

    let wrong = "(w, P.2)\n(v, P.1)\n(*, P.3)\n(*, R.1)\nbarrier P.4\nfence P.1\n(x\n";
    let list = sources.add("wrong.txt", wrong);
    let problems = apply_atomic(&sources, list, &program).expect_err("it cannot be done");
    let shown: Vec<(usize, &str)> =
        (problems.iter()).map(|d| (sources.line_column(d.primary.span).line, d.message.as_str())).collect();
    assert_eq!(
        shown,
        [
            (1, "this transition writes more than `w`: its writes are atomic together or not at all"),
            (2, "this transition does not write `v`"),
            (3, "this transition writes no global variable"),
            (4, "there is no process `R`"),
            (5, "process `P` has 3 transitions"),
            (6, "`fence` means nothing here"),
            (8, "expected `,`"),
        ]
    );
}

#[test]
fn conditions_name_variables_registers_and_states() {
    let mut sources = SourceMap::new();
    let file = sources.add("p.dve", PETERSON);
    let program = (LANGUAGE.load)(&sources, file).expect("it loads").program;
    for good in ["v == 0", "w[1] + 1 < 3 && !(P.c and Q.a)", "P.a imply Q->r == 0", "w[v] == 0"] {
        let file = sources.add("--invariant", good);
        assert!(parse_condition(&sources, file, &program).is_ok(), "{good}");
    }
    for bad in ["", "x == 0", "P.z", "R.a", "Q->x == 1", "w == 0", "v[0]", "v ==", "v == 0 v"] {
        let file = sources.add("--invariant", bad);
        assert!(parse_condition(&sources, file, &program).is_err(), "{bad}");
    }
}

/// xorshift64*: small, fixed, good enough to choose mutations.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n.max(1)
    }
}

#[test]
fn mutated_models_never_panic_and_what_loads_is_well_formed() {
    const PIECES: [&str; 28] = [
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ",",
        ";",
        ":",
        "->",
        "!",
        "?",
        "-",
        "9999999999",
        "255",
        "byte",
        "int",
        "const",
        "channel",
        "process",
        "state",
        "commit",
        "guard",
        "sync",
        "effect",
        "system",
        "/*",
        "é",
    ];
    let seeds: Vec<String> = (files("corpus/dve").iter().chain(&files("corpus/invalid/dve")))
        .map(|path| fs::read_to_string(path).expect("readable"))
        .collect();
    let mut random = Random(0x5eed_0d7e_5eed_0d7e);
    let mut loaded = 0;
    for round in 0..4000 {
        let mut text: Vec<char> = seeds[round % seeds.len()].chars().collect();
        for _ in 0..1 + random.below(3) {
            let at = random.below(text.len());
            match random.below(4) {
                0 => drop(text.drain(at..(at + 1 + random.below(8)).min(text.len()))),
                1 => {
                    drop(text.splice(at..at, PIECES[random.below(PIECES.len())].chars()).collect::<String>())
                }
                2 => {
                    let other = random.below(text.len());
                    text.swap(at, other);
                }
                _ => {
                    let end = (at + random.below(40)).min(text.len());
                    let copy: Vec<char> = text[at..end].to_vec();
                    text.splice(at..at, copy);
                }
            }
            if text.is_empty() {
                text.push('x');
            }
        }
        let text: String = text.into_iter().collect();
        let (program, problems) = load(&text);
        match program {
            Some(program) => {
                assert_eq!(validate(&program), [], "{text}");
                loaded += 1;
            }
            None => assert!(!problems.is_empty(), "refused without a reason: {text}"),
        }
    }
    assert!(loaded > 100, "only {loaded} mutants load: the mutations are too rough");
}

/// As DiVinE reads it: no comma between transitions, no semicolon behind the last, several guards.
#[test]
fn commas_and_the_last_semicolon_may_be_left_out() {
    let strict = "byte x;\nprocess P { state a, b; init a; trans a -> b { effect x = 1; }, -> a { guard x == 1, x > 0; }, \
                  b -> a { }; }\nsystem async;";
    let loose = "byte x;\nprocess P { state a, b; init a; trans a -> b { effect x = 1; } -> a { guard x == 1, x > 0; } \
                 b -> a { } }\nsystem async;";
    let [strict, loose] = [strict, loose].map(|text| load(text).0.expect("it loads"));
    assert_eq!(strict.threads.len(), 1);
    let edges = |program: &Program| {
        let thread = program.threads.iter().next().expect("there is one");
        let of = |edge: &fencewright_ir::Edge| (edge.from, edge.to, edge.step.ops.clone());
        thread.edges.iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(edges(&strict).len(), 3);
    assert_eq!(edges(&strict), edges(&loose));
    let guards = edges(&loose)[1].2.iter().filter(|op| matches!(op, Op::Guard(_))).count();
    assert_eq!(guards, 2);
}

/// `system sync` is one thread, but the processes keep their names in conditions and formulae.
#[test]
fn processes_in_lock_step_keep_their_names() {
    let text = "byte g;\nprocess P { byte x; state a, b; init a; assert b: x == 1; trans a -> b { effect x = 1; }; }\n\
                process Q { state c, d, never; init c; trans c -> d { guard P.a && P->x == 0; }, d -> c { }; }\nsystem sync;";
    let program = load(text).0.expect("it loads");
    assert_eq!(program.threads.len(), 1);
    // From (a, c) to (b, d), where P has no transition.
    assert_eq!(program.threads.iter().map(|thread| thread.edges.len()).sum::<usize>(), 1);
    let mut sources = SourceMap::new();
    for (text, right) in [
        ("P.b && Q.d && P->x == 1", true),
        ("P.c", false),
        ("R.a", false),
        ("Q.never", true),
        ("P->g", false),
    ] {
        let file = sources.add("condition", text);
        assert_eq!(parse_condition(&sources, file, &program).is_ok(), right, "{text}");
    }
    for (text, right) in [("G (P.a -> F Q.d)", true), ("F P.c", false)] {
        let file = sources.add("formula", text);
        assert_eq!(fencewright_frontend::ltl::formula(&sources, file, &program).is_ok(), right, "{text}");
    }
}
