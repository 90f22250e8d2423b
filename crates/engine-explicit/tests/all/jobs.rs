//! What is found does not depend on how many threads search.

use std::num::NonZeroUsize;

use fencewright_base::{Meter, SourceMap};
use fencewright_engine::{Answer, Context, Guarantee, Options, Task, Verdict, run};
use fencewright_engine_explicit::Explicit;
use fencewright_ir::Program;
use fencewright_memory::Model;

/// A ring of six threads that pass numbers on: past 100,000 states under TSO, so that threads really share the work.
/// Each waits for nothing but its own buffer, so the forbidden combination is reached late.
fn ring(forbidden: &str) -> Program {
    let text = format!(
        "forbidden {forbidden}
         process(6)
         data
           x = 0 : [0:2]
         registers
           $r = 0 : [0:2]
         text
         Start:
           read: $r := x[0];
           if $r < 2 then $r := $r + 1;
           write: x[my] := $r;
           fence;
           read: x[1] = 1;
         Done:
           write: x[my] := 0;
           fence;
           goto Start"
    );
    let mut sources = SourceMap::new();
    let file = sources.add("ring.rmm", text);
    (fencewright_frontend::rmm::LANGUAGE.load)(&sources, file).expect("the program loads").program
}

fn ask(program: &Program, jobs: usize) -> Answer {
    let jobs = NonZeroUsize::new(jobs).expect("at least one");
    let task = Task { program, model: Model::Tso, options: Options { jobs, ..Options::default() } };
    run(&Explicit, &task, &mut Context::quiet(Meter::unlimited())).expect("the trace replays")
}

#[test]
fn counts_are_the_same_for_one_two_and_three_threads() {
    // Nobody is ever at a location that does not exist for it: no state is bad.
    let program = Program { properties: Vec::new(), ..ring("* * * * * *") };
    let alone = ask(&program, 1);
    assert_eq!(alone.verdict, Verdict::Holds(Guarantee::Unbounded));
    assert!(alone.statistics.states > 100_000, "{}", alone.statistics.states);
    for jobs in [2, 3] {
        let together = ask(&program, jobs);
        assert_eq!(together.verdict, alone.verdict);
        assert_eq!(together.statistics.states, alone.statistics.states);
        assert_eq!(together.statistics.transitions, alone.statistics.transitions);
        assert_eq!(together.statistics.longest_buffer, alone.statistics.longest_buffer);
    }
}

#[test]
fn the_counterexample_is_the_same_for_one_two_and_three_threads() {
    let program = ring("Done Done Done Done Done *");
    let alone = ask(&program, 1);
    let Verdict::Violated(trace) = &alone.verdict else { panic!("{:?}", alone.verdict) };
    assert!(alone.statistics.states > 30_000, "{}", alone.statistics.states);
    for jobs in [2, 3] {
        let together = ask(&program, jobs);
        assert_eq!(together.verdict, Verdict::Violated(trace.clone()));
        assert_eq!(together.statistics.states, alone.statistics.states);
    }
}
