//! The engine against the reference semantics on generated programs: two independent views of the memory models, orders
//! of events and store buffers, must agree.

use std::collections::{BTreeMap, BTreeSet};

use fencewright_base::{Budget, CancelToken, Int, Meter};
use fencewright_engine::{Context, Guarantee, Options, OutcomeQuery, Task, Verdict, run, run_outcomes};
use fencewright_engine_bmc::{Bmc, BmcWithMoments};
use fencewright_ir::Property;
use fencewright_memory::{Machine, Model};
use fencewright_testkit::agreement::{Agreed, Scope, agree_on_results};
use fencewright_testkit::generate::{Config, program, straight_line_program};
use fencewright_testkit::reference::{Exploration, Limits, explore};

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
            if seed % 4 == 0 {
                let other = run(&BmcWithMoments, &task, &mut Context::quiet(Meter::unlimited()))
                    .unwrap_or_else(|rejected| panic!("seed {seed}, {}: {rejected}", model.name()));
                let same = match (&answer.verdict, &other.verdict) {
                    (Verdict::Violated(_), Verdict::Violated(_)) => true,
                    (one, other) => one == other,
                };
                assert!(same, "seed {seed}, {}: {:?}", model.name(), other.verdict);
            }
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
            if let Verdict::Holds(Guarantee::Unbounded) = answer.verdict
                && !graph.met_cap
            {
                *counts.entry("outcomes compared").or_default() +=
                    same_outcomes(&task, &graph, &machine, seed);
            }
        }
    }
    assert!(counts["outcomes compared"] > PROGRAMS / 20, "{counts:?}");
    assert!(counts["both violated"] > PROGRAMS / 2 && counts["both hold"] > PROGRAMS / 2, "{counts:?}");
}

/// The outcomes of every condition on final states, by both. How many conditions there are.
fn same_outcomes(task: &Task<'_>, graph: &Exploration, machine: &Machine<'_>, seed: u64) -> u64 {
    let mut compared = 0;
    for property in &task.program.properties {
        let Property::Final { filter, observed, .. } = property else { continue };
        let query = OutcomeQuery { observed, filter: filter.as_ref() };
        let expected: BTreeSet<Vec<Int>> = graph.outcomes(machine, &query).into_keys().collect();
        let found = run_outcomes(&Bmc, task, property, &mut Context::quiet(Meter::unlimited()))
            .unwrap_or_else(|rejected| panic!("seed {seed}, {}: {rejected}", task.model.name()))
            .unwrap_or_else(|unknown| panic!("seed {seed}, {}: {unknown:?}", task.model.name()));
        let found: BTreeSet<Vec<Int>> = found.outcomes.into_iter().map(|outcome| outcome.values).collect();
        assert_eq!(found, expected, "seed {seed}, {}", task.model.name());
        compared += 1;
    }
    compared
}

/// Straight lines with everything observed. Among them are a step that is locked for its location and only reads, behind a
/// store-store fence, and numbers that outgrow the bits a variable has at first: both went wrong once.
#[test]
fn straight_lines_have_the_same_outcomes() {
    let scope = Scope { limits: Limits::buffer(32), states: 5_000, counts: false };
    let mut counts: BTreeMap<Agreed, u64> = BTreeMap::new();
    for seed in (3_300..3_450).chain(7_600..7_750) {
        let program = straight_line_program(seed);
        for model in [Model::Sc, Model::Tso, Model::Pso] {
            let agreed = agree_on_results(&Bmc, &program, model, &scope)
                .unwrap_or_else(|differs| panic!("seed {seed}: {differs}"));
            *counts.entry(agreed).or_default() += 1;
        }
    }
    assert!(counts[&Agreed::Holds] > 500 && counts[&Agreed::Violated] > 50, "{counts:?}");
}
