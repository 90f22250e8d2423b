//! The engine against the reference semantics on generated programs: two independent views of the memory models, orders
//! of events and store buffers, must agree.

use std::collections::BTreeMap;

use fencewright_base::{Budget, CancelToken, Meter};
use fencewright_engine::{Context, Guarantee, Options, Task, Verdict, run};
use fencewright_engine_bmc::Bmc;
use fencewright_memory::{Machine, Model};
use fencewright_testkit::generate::{Config, program};
use fencewright_testkit::reference::{Limits, explore};

const FIRST_SEED: u64 = 3_000_000;
const PROGRAMS: u64 = 1_000;

#[test]
fn orders_of_events_and_store_buffers_agree_on_generated_programs() {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for seed in FIRST_SEED..FIRST_SEED + PROGRAMS {
        let program = program(seed, &Config::default());
        for model in [Model::Sc, Model::Tso, Model::Pso] {
            let budget = Budget { states: Some(5_000), ..Budget::default() };
            let machine = Machine::new(&program, model);
            let meter = Meter::start(budget, CancelToken::new());
            let Ok(graph) = explore(&machine, &Limits::buffer(3), &meter) else { continue };
            let options = Options { unroll: Some(3), ..Options::default() };
            let task = Task { program: &program, model, options };
            let answer = run(&Bmc, &task, &mut Context::quiet(Meter::unlimited()))
                .unwrap_or_else(|rejected| panic!("seed {seed}, {}: {rejected}", model.name()));
            let kind = match (&answer.verdict, graph.violation.is_some()) {
                (Verdict::Violated(_), true) => "both violated",
                (Verdict::Violated(_), false) if graph.met_cap => "violated past the reference's bound",
                (Verdict::Holds(Guarantee::Unbounded), false) => "both hold",
                (Verdict::Holds(Guarantee::UpTo(_)), false) => "holds as far as unrolled",
                (Verdict::Holds(Guarantee::UpTo(_)), true) => "violated past what is unrolled",
                (Verdict::Unknown(unknown), _) => panic!("seed {seed}, {}: {unknown:?}", model.name()),
                (verdict, violated) => {
                    panic!("seed {seed}, {}: {verdict:?}, the reference: {violated}", model.name())
                }
            };
            *counts.entry(kind).or_default() += 1;
        }
    }
    eprintln!("{counts:?}");
    assert!(counts["both violated"] > PROGRAMS / 2 && counts["both hold"] > PROGRAMS / 2, "{counts:?}");
}
