//! C, C++ and Rust through their compilers and the LLVM front end: verdicts, and the size of what is explored.
//!
//! The compilers are asked for LLVM IR; where one is missing its tests say so and pass. Expected verdicts are those of the
//! twins in `corpus/mutex`, or are argued beside the program. The programs are in `crates/frontend/tests/llvm`.

use std::path::{Path, PathBuf};
use std::process::Command;

use fencewright_base::{Meter, SourceMap};
use fencewright_engine::{Answer, Context, Guarantee, Options, Task, Verdict, run};
use fencewright_engine_explicit::Explicit;
use fencewright_frontend::{llvm, rmm};
use fencewright_ir::Program;
use fencewright_memory::Model;

const MODELS: [Model; 3] = [Model::Sc, Model::Tso, Model::Pso];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../frontend/tests/llvm")
}

/// The IR of a program; `None`, with a message, if there is no such compiler.
fn compile(file: &str, flags: &[&str]) -> Option<String> {
    let (compiler, fixed): (&str, &[&str]) = match file.rsplit('.').next() {
        Some("rs") => ("rustc", &["--edition=2024", "--emit=llvm-ir", "-g", "-Ccodegen-units=1", "-o", "-"]),
        Some("cc") => (
            "clang++",
            &["-std=c++17", "-S", "-emit-llvm", "-O0", "-g", "-Xclang", "-disable-O0-optnone", "-o", "-"],
        ),
        _ => ("clang", &["-S", "-emit-llvm", "-O0", "-g", "-Xclang", "-disable-O0-optnone", "-o", "-"]),
    };
    let output = match Command::new(compiler).args(fixed).args(flags).arg(folder().join(file)).output() {
        Ok(output) => output,
        Err(error) => {
            let message = format!("{file} is not tested: {compiler} cannot be run: {error}\n");
            std::io::Write::write_all(&mut std::io::stderr(), message.as_bytes())
                .expect("a message can be written");
            return None;
        }
    };
    assert!(output.status.success(), "{file}: {}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).expect("IR is UTF-8"))
}

fn lower(ir: &str, options: &llvm::Options) -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add("program.ll", ir);
    let unit = llvm::Unit { sources: &sources, ir: file, places: None, options, meter: Meter::unlimited() };
    llvm::load(&unit).unwrap_or_else(|problems| panic!("{problems:#?}")).program
}

fn ask(program: &Program, model: Model) -> Answer {
    let task = Task { program, model, options: Options::default() };
    run(&Explicit, &task, &mut Context::quiet(Meter::unlimited())).expect("the trace replays")
}

/// Whether the program is proved; that it is violated is the other answer.
fn holds(answer: &Answer) -> bool {
    match &answer.verdict {
        Verdict::Holds(guarantee) => {
            assert_eq!(*guarantee, Guarantee::Unbounded);
            true
        }
        Verdict::Violated(_) => false,
        Verdict::Unknown(reason) => panic!("no answer: {reason:?}"),
    }
}

/// Verdicts under SC, TSO and PSO. Wide domains, without what the analysis found out about values, must give the same.
fn check(file: &str, flags: &[&str], entries: &[&str], expected: [bool; 3]) {
    let Some(ir) = compile(file, flags) else { return };
    let entries: Vec<String> = entries.iter().map(|entry| (*entry).to_owned()).collect();
    for narrow in [true, false] {
        let options = llvm::Options { entries: entries.clone(), narrow, ..llvm::Options::default() };
        let program = lower(&ir, &options);
        let found = MODELS.map(|model| holds(&ask(&program, model)));
        assert_eq!(found, expected, "{file} {flags:?}, narrow: {narrow}");
    }
}

#[test]
fn lock_algorithms_cost_at_most_three_times_their_twins() {
    for (file, twin) in [
        ("peterson.c", "peterson"),
        ("dekker.c", "dekker"),
        ("bakery.c", "bakery-bounded"),
        ("lamport_fast.c", "lamport-fast"),
    ] {
        for (flags, folder) in [(&[][..], twin.to_owned()), (&["-DFENCED"][..], format!("{twin}-pso"))] {
            let Some(ir) = compile(file, flags) else { return };
            let program = lower(&ir, &llvm::Options::default());
            let path = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join(format!("../../corpus/mutex/{folder}/{folder}.rmm"));
            let mut sources = SourceMap::new();
            let id = sources.add("twin.rmm", std::fs::read_to_string(&path).expect("the twin is there"));
            let twin = (rmm::LANGUAGE.load)(&sources, id).expect("the twin loads").program;
            for model in MODELS {
                let (ours, theirs) = (ask(&program, model), ask(&twin, model));
                assert_eq!(holds(&ours), holds(&theirs), "{file} {flags:?} under {model:?}");
                let (ours, theirs) = (ours.statistics.states, theirs.statistics.states);
                assert!(
                    ours <= 3 * theirs,
                    "{file} {flags:?} under {model:?}: {ours} states, the twin has {theirs}"
                );
            }
        }
    }
}

#[test]
fn store_buffering_by_a_final_assertion() {
    // r1 = r2 = 0 needs both writes pending while both reads are made; a seq_cst store waits for its write.
    check("store_buffering.c", &["-DORDER=memory_order_relaxed"], &[], [true, false, false]);
    check("store_buffering.c", &["-DORDER=memory_order_release"], &[], [true, false, false]);
    check("store_buffering.c", &["-DORDER=memory_order_seq_cst"], &[], [true, true, true]);
}

#[test]
fn a_ring_buffer_needs_its_release_stores_under_pso() {
    // The element must be in memory before the index that announces it; TSO keeps stores in order anyway.
    check("ring.c", &["-DORDER=memory_order_release"], &[], [true, true, true]);
    check("ring.c", &["-DORDER=memory_order_relaxed"], &[], [true, true, false]);
}

#[test]
fn a_stack_of_allocated_nodes() {
    // The node's value must be in memory before the pointer to it is; only PSO and a relaxed exchange break that.
    check("stack.c", &["-DORDER=memory_order_release"], &[], [true, true, true]);
    check("stack.c", &["-DORDER=memory_order_relaxed"], &[], [true, true, false]);
}

#[test]
fn mutexes_and_arguments_of_threads() {
    check("sum.c", &["-DLOCKED"], &[], [true, true, true]);
    check("sum.c", &[], &[], [false, false, false]); // Two threads read the sum before either writes it.
}

#[test]
fn threads_of_cxx() {
    // Peterson's algorithm once round: a fence before the loop repairs TSO; PSO needs the two writes in order too.
    check("peterson.cc", &[], &[], [true, false, false]);
    check("peterson.cc", &["-DFENCED"], &[], [true, true, false]);
}

#[test]
fn threads_of_rust() {
    // Spawned closures, and a mutex around what main and the thread both change.
    check("shared.rs", &[], &[], [true, true, true]);
    // A flag that says that data is there: relaxed, it can overtake the data under PSO.
    check("message.rs", &["--crate-type=lib"], &["writer", "reader"], [true, true, false]);
    check("message.rs", &["--crate-type=lib", "--cfg=released"], &["writer", "reader"], [true, true, true]);
}
