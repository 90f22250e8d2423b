//! The programs of SAS 2012, Table 1, under TSO: the fewest fences, found and proved by this engine, are those of the paper.
//!
//! The table counts fences for each process; the texts of Burns' and Peterson's programs are written once for each process
//! here, the others once for both. The full Dekker of the paper needs one fence: it raises its flag at one place, as below;
//! `corpus/mutex/dekker` raises it at two. Dijkstra's takes some hundred thousand abstract states, more than a test should.

use std::path::PathBuf;

use fencewright_base::{Meter, SourceMap};
use fencewright_engine::{Context, Options};
use fencewright_engine_predicate::Predicate;
use fencewright_ir::edit::Remedy;
use fencewright_ir::{FenceKind, Program};
use fencewright_memory::Model;
use fencewright_synth::{Costs, Repair, Request, Strategy, Want, repair};
use fencewright_testkit::corpus::load_program;

/// Dekker's algorithm with one place that raises the flag: who has yielded begins again.
const DEKKER: &str = "\
forbidden Crit Crit
data turn = * : [0:1]
process(2)
data wants = 0 : [0:1]
registers $t = 0 : [0:1]
text
Enter:
  write: wants[my] := 1;
Look:
  either {
    read: wants[0] = 0;
    goto Crit
  or
    read: wants[0] = 1
  };
  read: $t := turn;
  if $t = me then
    goto Look;
  write: wants[my] := 0;
  read: turn = me;
  goto Enter;
Crit:
  write: turn := other 0;
  write: wants[my] := 0;
  goto Enter
";

fn of_corpus(name: &str) -> Program {
    let corpus = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let file = name.rsplit('/').next().expect("a name");
    load_program(&corpus.join(name).join(format!("{file}.rmm"))).expect("a program of the corpus")
}

/// How many fences of that kind the cheapest repair has; it has no others, and is proved to be a minimum.
fn fences(program: &Program, model: Model, kind: FenceKind) -> usize {
    let request = Request {
        program,
        model,
        options: Options::default(),
        costs: Costs::default(),
        beside: fencewright_synth::Beside::default(),
        want: Want::One,
        strategy: Strategy::HittingSets,
    };
    let mut context = || Context::quiet(Meter::unlimited());
    match repair(&Predicate::new(), &request, &mut context).expect("the traces replay") {
        Repair::Repaired(found) => {
            assert!(found.minimum, "{}", program.name);
            let is_one = |remedy: Remedy| matches!(remedy, Remedy::Fence(_, of) if of == kind);
            assert!(found.remedies.iter().all(|chosen| is_one(chosen.remedy)), "{}", program.name);
            found.remedies.len()
        }
        Repair::AlreadySafe(_) => 0,
        other => panic!("{}: {other:?}", program.name),
    }
}

fn full_fences(program: &Program) -> usize {
    fences(program, Model::Tso, FenceKind::Full)
}

/// Beyond the paper: a sender that never waits, so that no number of writes kept in order is enough. Number 1 may reach memory
/// before the news; one store-store fence between the two writes forbids that for all numbers.
#[test]
fn who_never_waits_needs_one_store_store_fence() {
    let program = of_corpus("integers/news-without-fence");
    assert_eq!(fences(&program, Model::Tso, FenceKind::Full), 0);
    assert_eq!(fences(&program, Model::Pso, FenceKind::StoreStore), 1);
}

#[test]
fn fences_are_those_of_the_paper() {
    // The program, how many texts its processes have, fences for each process in Table 1.
    for (name, texts, of_the_paper) in [
        ("mutex/burns", 2, 1),
        ("mutex/dekker-simple", 1, 1),
        ("mutex/bakery-unbounded", 1, 2),
        ("mutex/lamport-fast", 1, 2),
        ("mutex/peterson", 2, 1),
        ("locks/ticket-unbounded", 1, 0),
    ] {
        assert_eq!(full_fences(&of_corpus(name)), texts * of_the_paper, "{name}");
    }
}

#[test]
fn full_dekker_needs_one_fence() {
    let mut sources = SourceMap::new();
    let file = sources.add("dekker.rmm", DEKKER);
    let language = fencewright_frontend::language_of("dekker.rmm").expect("it is RMM");
    let loaded = (language.load)(&sources, file).expect("it is a program");
    assert_eq!(full_fences(&loaded.program), 1);
}
