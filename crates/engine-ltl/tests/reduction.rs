//! Partial-order reduction changes no verdict, and leaves states out where there is something to leave out.

use fencewright_base::Meter;
use fencewright_engine::{Answer, Context, Guarantee, Options, Task, Verdict, run};
use fencewright_engine_ltl::Ltl;
use fencewright_ir::Program;
use fencewright_memory::Model;
use fencewright_testkit::generate::temporal_program;

fn ask(program: &Program, model: Model, reduction: bool) -> Answer {
    let options = Options { buffer: Some(2), reduction, ..Options::default() };
    let task = Task { program, model, options };
    run(&Ltl, &task, &mut Context::quiet(Meter::unlimited())).expect("the gate lets it through")
}

/// `xtask fuzz --engine ltl` does the same with as many programs as asked.
#[test]
fn verdicts_are_the_same_with_and_without_reduction() {
    let (mut fewer, mut violated) = (0, 0);
    for seed in 0..400 {
        let program = temporal_program(seed);
        for model in Model::OPERATIONAL {
            let [reduced, plain] = [true, false].map(|reduction| ask(&program, model, reduction));
            let told = |answer: &Answer| match &answer.verdict {
                Verdict::Violated(_) => "violated".to_owned(),
                Verdict::Holds(Guarantee::Unbounded) => "holds".to_owned(),
                Verdict::Holds(Guarantee::UpTo(bounds)) => format!("{bounds:?}"),
                Verdict::Unknown(unknown) => panic!("seed {seed}: no answer: {unknown:?}"),
            };
            assert_eq!(told(&reduced), told(&plain), "seed {seed} under {}", model.name());
            violated += u64::from(told(&plain) == "violated");
            fewer += u64::from(reduced.statistics.states < plain.statistics.states);
        }
    }
    assert!(fewer > 100 && violated > 100, "{fewer} smaller, {violated} violated");
}
