//! Programs of the corpus whose buffers have no bound, or that the paper's tables speak of.

use std::path::PathBuf;

use fencewright_base::Meter;
use fencewright_engine::{Context, Guarantee, Options, Task, Unknown, Verdict, run};
use fencewright_engine_coherence::{Abstraction, Coherence};
use fencewright_memory::Model;
use fencewright_testkit::corpus::load_program;

/// The verdict in a letter (`h` proved, `v` violated, `i` imprecise), and the states.
fn ask(engine: &Coherence, program: &str, model: Model) -> (char, u64) {
    let (_, name) = program.split_once('/').expect("a family and a name");
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let program = load_program(&root.join(program).join(format!("{name}.rmm"))).expect("the program loads");
    let task = Task { program: &program, model, options: Options::default() };
    let answer = run(engine, &task, &mut Context::quiet(Meter::unlimited())).expect("the trace replays");
    let letter = match answer.verdict {
        Verdict::Holds(Guarantee::Unbounded) => 'h',
        Verdict::Violated(_) => 'v',
        Verdict::Unknown(Unknown::Imprecise) => 'i',
        other => panic!("{other:?}"),
    };
    (letter, answer.statistics.states)
}

#[test]
fn survey() {
    let mut out = String::new();
    for program in ["mutex/burns-pso","mutex/dijkstra-pso","locks/mcs","mutex/peterson-pso","mutex/peterson","mutex/lamport-fast-pso","locks/clh-pso","mutex/dekker-pso","mutex/szymanski-pso","mutex/kessels-pso"] {
        for model in [Model::Tso, Model::Pso] {
            for a in [Abstraction::Set, Abstraction::Fd(0), Abstraction::Pd(0), Abstraction::Fd(1), Abstraction::Pd(1), Abstraction::Fd(2), Abstraction::Pd(2)] {
                let t = std::time::Instant::now();
                let r = ask(&Coherence::new(a), program, model);
                out += &format!("{program} {} {a} {r:?} {:?}\n", model.name(), t.elapsed());
            }
        }
    }
    panic!("{out}");
}
