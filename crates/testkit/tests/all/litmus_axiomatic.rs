//! The axiomatic oracle against literal outcome sets: those of the classic shapes here, and those of every test of
//! `corpus/litmus`. Both ways: no outcome too many, none too few.

use std::fs;
use std::path::{Path, PathBuf};

use fencewright_base::SourceMap;
use fencewright_frontend::litmus::LANGUAGE;
use fencewright_ir::Program;
use fencewright_testkit::axiomatic::{Model, outcomes};
use serde::Deserialize;

/// Two rounds of each loop are enough for the corpus: a round of its spin loops that fails changes nothing that counts.
const VISITS: usize = 2;

fn load(name: &str, text: &str) -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    match (LANGUAGE.load)(&sources, file) {
        Ok(loaded) => loaded.program,
        Err(diagnostics) => panic!("{name}: {diagnostics:#?}"),
    }
}

fn states(text: &str, model: Model) -> Vec<String> {
    outcomes(&load("test", text), model, VISITS).expect("litmus tests are supported").states
}

#[derive(Deserialize)]
struct Expect {
    source: String,
    level: String,
    sc: ExpectModel,
    tso: ExpectModel,
    pso: ExpectModel,
}

#[derive(Deserialize)]
struct ExpectModel {
    states: Vec<String>,
    observation: String,
    why: String,
}

fn corpus() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/litmus");
    let mut folders: Vec<PathBuf> = fs::read_dir(root)
        .expect("the corpus is there")
        .map(|entry| entry.expect("readable").path())
        .collect();
    folders.sort();
    folders
}

#[test]
fn the_oracle_finds_exactly_the_expected_outcomes_of_the_corpus() {
    let folders = corpus();
    assert!(folders.len() >= 64, "only {} litmus tests", folders.len());
    for folder in folders {
        let name = folder.file_name().expect("a folder has a name").to_string_lossy().into_owned();
        let text =
            fs::read_to_string(folder.join(format!("{name}.litmus"))).expect("the folder holds its test");
        let expect = fs::read_to_string(folder.join("expect.toml")).expect("every test has expectations");
        let expect: Expect = toml::from_str(&expect).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(!expect.source.is_empty() && expect.level == "core", "{name}");
        let program = load(&name, &text);
        assert_eq!(program.name, name, "the folder is called as the test");
        for ((model_name, model), expected) in Model::ALL.into_iter().zip([expect.sc, expect.tso, expect.pso])
        {
            let found = outcomes(&program, model, VISITS).unwrap_or_else(|error| panic!("{name}: {error:?}"));
            assert_eq!(found.states, expected.states, "{name} under {model_name}");
            assert_eq!(format!("{:?}", found.observation), expected.observation, "{name} under {model_name}");
            assert!(expected.why.contains("by hand: "), "{name} under {model_name} gives its reason");
        }
    }
}

/// Every outcome that is not impossible: all of `all` but those in `missing`.
fn all_but<'a>(all: &[&'a str], missing: &[&str]) -> Vec<&'a str> {
    all.iter().copied().filter(|state| !missing.contains(state)).collect()
}

#[test]
fn store_buffering() {
    let sb = "X86 SB\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)";
    let all = ["0:EAX=0; 1:EAX=0;", "0:EAX=0; 1:EAX=1;", "0:EAX=1; 1:EAX=0;", "0:EAX=1; 1:EAX=1;"];
    assert_eq!(states(sb, Model::Sc), all_but(&all, &["0:EAX=0; 1:EAX=0;"]));
    assert_eq!(states(sb, Model::Tso), all);
    assert_eq!(states(sb, Model::Pso), all);
}

#[test]
fn message_passing() {
    let mp = "X86 MP\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV EAX,[y] ;\n MOV [y],$1 | MOV EBX,[x] ;\nexists (1:EAX=1 /\\ 1:EBX=0)";
    let all = ["1:EAX=0; 1:EBX=0;", "1:EAX=0; 1:EBX=1;", "1:EAX=1; 1:EBX=0;", "1:EAX=1; 1:EBX=1;"];
    assert_eq!(states(mp, Model::Sc), all_but(&all, &["1:EAX=1; 1:EBX=0;"]));
    assert_eq!(states(mp, Model::Tso), all_but(&all, &["1:EAX=1; 1:EBX=0;"]));
    assert_eq!(states(mp, Model::Pso), all);
}

#[test]
fn load_buffering() {
    let lb = "X86 LB\n{ }\n P0 | P1 ;\n MOV EAX,[x] | MOV EAX,[y] ;\n MOV [y],$1 | MOV [x],$1 ;\nexists (0:EAX=1 /\\ 1:EAX=1)";
    for (_, model) in Model::ALL {
        assert_eq!(
            states(lb, model),
            ["0:EAX=0; 1:EAX=0;", "0:EAX=0; 1:EAX=1;", "0:EAX=1; 1:EAX=0;"],
            "{model:?}"
        );
    }
}

#[test]
fn two_plus_two_writes() {
    let ww = "X86 2+2W\n{ }\n P0 | P1 ;\n MOV [x],$2 | MOV [y],$2 ;\n MOV [y],$1 | MOV [x],$1 ;\nexists (x=2 /\\ y=2)";
    let all = ["[x]=1; [y]=1;", "[x]=1; [y]=2;", "[x]=2; [y]=1;", "[x]=2; [y]=2;"];
    assert_eq!(states(ww, Model::Sc), all_but(&all, &["[x]=2; [y]=2;"]));
    assert_eq!(states(ww, Model::Tso), all_but(&all, &["[x]=2; [y]=2;"]));
    assert_eq!(states(ww, Model::Pso), all);
}

#[test]
fn shapes_r_and_s() {
    let r = "X86 R\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$2 ;\n MOV [y],$1 | MOV EAX,[x] ;\nexists (y=2 /\\ 1:EAX=0)";
    let all = ["1:EAX=0; [y]=1;", "1:EAX=0; [y]=2;", "1:EAX=1; [y]=1;", "1:EAX=1; [y]=2;"];
    assert_eq!(states(r, Model::Sc), all_but(&all, &["1:EAX=0; [y]=2;"]));
    assert_eq!(states(r, Model::Tso), all);
    assert_eq!(states(r, Model::Pso), all);
    let s = "X86 S\n{ }\n P0 | P1 ;\n MOV [x],$2 | MOV EAX,[y] ;\n MOV [y],$1 | MOV [x],$1 ;\nexists (x=2 /\\ 1:EAX=1)";
    let all = ["1:EAX=0; [x]=1;", "1:EAX=0; [x]=2;", "1:EAX=1; [x]=1;", "1:EAX=1; [x]=2;"];
    assert_eq!(states(s, Model::Sc), all_but(&all, &["1:EAX=1; [x]=2;"]));
    assert_eq!(states(s, Model::Tso), all_but(&all, &["1:EAX=1; [x]=2;"]));
    assert_eq!(states(s, Model::Pso), all);
}

#[test]
fn independent_reads_of_independent_writes() {
    let iriw = "X86 IRIW\n{ }\n P0 | P1 | P2 | P3 ;\n MOV [x],$1 | MOV [y],$1 | MOV EAX,[x] | MOV EAX,[y] ;\n | | MOV EBX,[y] | MOV EBX,[x] ;\nexists (2:EAX=1 /\\ 2:EBX=0 /\\ 3:EAX=1 /\\ 3:EBX=0)";
    let mut all = Vec::new();
    for bits in 0..16 {
        let bit = |i: u32| bits >> i & 1;
        all.push(format!("2:EAX={}; 2:EBX={}; 3:EAX={}; 3:EBX={};", bit(3), bit(2), bit(1), bit(0)));
    }
    all.retain(|state| state != "2:EAX=1; 2:EBX=0; 3:EAX=1; 3:EBX=0;");
    for (_, model) in Model::ALL {
        assert_eq!(states(iriw, model), all, "{model:?}");
    }
}

#[test]
fn coherence_of_two_reads() {
    let corr = "X86 CoRR\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV EAX,[x] ;\n | MOV EBX,[x] ;\nexists (1:EAX=1 /\\ 1:EBX=0)";
    for (_, model) in Model::ALL {
        assert_eq!(
            states(corr, model),
            ["1:EAX=0; 1:EBX=0;", "1:EAX=0; 1:EBX=1;", "1:EAX=1; 1:EBX=1;"],
            "{model:?}"
        );
    }
}
