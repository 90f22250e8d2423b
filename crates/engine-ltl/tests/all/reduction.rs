//! Partial-order reduction changes no verdict, and leaves states out where there is something to leave out.

use fencewright_base::{Budget, CancelToken, Meter};
use fencewright_engine::{Answer, Context, Guarantee, Options, Task, Verdict, run};
use fencewright_engine_ltl::Ltl;
use fencewright_ir::Program;
use fencewright_memory::Model;
use fencewright_testkit::generate::{temporal_model, temporal_program};

fn ask(program: &Program, model: Model, reduction: bool) -> Answer {
    let options = Options { buffer: Some(2), reduction, ..Options::default() };
    let task = Task { program, model, options };
    let budget = Budget { states: Some(4_000), ..Budget::default() };
    let meter = Meter::start(budget, CancelToken::new());
    run(&Ltl, &task, &mut Context::quiet(meter)).expect("the gate lets it through")
}

/// How often the reduction left states out, and how often there was a violation. The verdicts must be the same.
fn compare(programs: impl Iterator<Item = Program>, models: &[Model]) -> (u64, u64) {
    let (mut fewer, mut violated) = (0, 0);
    for program in programs {
        for &model in models {
            let [reduced, plain] = [true, false].map(|reduction| ask(&program, model, reduction));
            // Some models are too large for a test.
            if [&reduced, &plain].iter().any(|answer| matches!(answer.verdict, Verdict::Unknown(_))) {
                continue;
            }
            let told = |answer: &Answer| match &answer.verdict {
                Verdict::Violated(_) => "violated".to_owned(),
                Verdict::Holds(Guarantee::Unbounded) => "holds".to_owned(),
                Verdict::Holds(Guarantee::UpTo(bounds)) => format!("{bounds:?}"),
                Verdict::Unknown(unknown) => panic!("{}: no answer: {unknown:?}", program.name),
            };
            assert_eq!(told(&reduced), told(&plain), "{} under {}", program.name, model.name());
            violated += u64::from(told(&plain) == "violated");
            fewer += u64::from(reduced.statistics.states < plain.statistics.states);
        }
    }
    (fewer, violated)
}

/// `xtask fuzz --engine ltl` does the same with as many programs as asked.
#[test]
fn verdicts_are_the_same_with_and_without_reduction() {
    let (fewer, violated) = compare((0..400).map(temporal_program), &Model::OPERATIONAL);
    assert!(fewer > 100 && violated > 100, "{fewer} smaller, {violated} violated");
}

/// Models with channels and committed states.
#[test]
fn verdicts_on_models_are_the_same_with_and_without_reduction() {
    let (fewer, violated) = compare((0..300).map(temporal_model), &[Model::Sc, Model::Slot]);
    assert!(fewer > 20 && violated > 50, "{fewer} smaller, {violated} violated");
}
