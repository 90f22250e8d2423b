//! RMO: the engine against the trial of all orders on generated straight lines, and against what PSO allows, which RMO must
//! allow, too. Every outcome of the engine comes with an execution that the gate has run on the reference semantics, so three
//! readings of the rules meet here: orders of events, a machine with guesses, and all orders.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fencewright_base::{Int, Meter};
use fencewright_engine::{Context, Guarantee, Options, Task, Verdict, run, run_outcomes};
use fencewright_engine_bmc::Bmc;
use fencewright_ir::Program;
use fencewright_memory::Model;
use fencewright_testkit::agreement::{Agreed, agree_on_relaxed};
use fencewright_testkit::corpus;
use fencewright_testkit::generate::{Config, program, relaxed_program, straight_line_program};

#[test]
fn straight_lines_have_the_outcomes_of_all_orders() {
    let mut counts: BTreeMap<Agreed, u64> = BTreeMap::new();
    for seed in 0..500 {
        let program = relaxed_program(seed);
        let agreed = agree_on_relaxed(&Bmc, &program).unwrap_or_else(|differs| {
            panic!("seed {seed}: {differs}\n{}", fencewright_ir::text::print(&program))
        });
        *counts.entry(agreed).or_default() += 1;
    }
    assert!(counts[&Agreed::Violated] > 250 && !counts.contains_key(&Agreed::Unknown), "{counts:?}");
}

fn outcomes(program: &Program, model: Model) -> BTreeSet<Vec<Int>> {
    let task = Task { program, model, options: Options::default() };
    let found = run_outcomes(&Bmc, &task, &program.properties[0], &mut Context::quiet(Meter::unlimited()));
    let found = found.unwrap_or_else(|rejected| panic!("{}: {rejected}", program.name));
    let found = found.unwrap_or_else(|unknown| panic!("{}: {unknown:?}", program.name));
    found.outcomes.into_iter().map(|outcome| outcome.values).collect()
}

/// Also on programs with ranges, faults and open values, which the trial of all orders does not take.
#[test]
fn what_pso_allows_rmo_allows() {
    let mut more = 0;
    for seed in 0..150 {
        for program in [relaxed_program(1_000 + seed), straight_line_program(seed)] {
            let (pso, rmo) = (outcomes(&program, Model::Pso), outcomes(&program, Model::Rmo));
            assert!(
                pso.is_subset(&rmo),
                "{}: {pso:?} {rmo:?}\n{}",
                program.name,
                fencewright_ir::text::print(&program)
            );
            more += u32::from(pso != rmo);
        }
    }
    assert!(more > 30, "{more}");
}

/// Loops, branches and all kinds of properties: every violation passes the gate, and what is violated under PSO is under RMO.
#[test]
fn violations_of_generated_programs_are_confirmed() {
    let (mut violated, mut proved, mut new) = (0, 0, 0);
    for seed in 5_000_000..5_000_300 {
        let program = program(seed, &Config::default());
        let ask = |model| {
            let options = Options { unroll: Some(3), ..Options::default() };
            let task = Task { program: &program, model, options };
            let answer = run(&Bmc, &task, &mut Context::quiet(Meter::unlimited()));
            answer.unwrap_or_else(|rejected| panic!("seed {seed}, {}: {rejected}", model.name())).verdict
        };
        match (ask(Model::Pso), ask(Model::Rmo)) {
            (Verdict::Violated(_), Verdict::Violated(_)) => violated += 1,
            (Verdict::Violated(_), rmo) => panic!("seed {seed}: violated under PSO, and under RMO {rmo:?}"),
            (_, Verdict::Violated(_)) => new += 1,
            (_, Verdict::Holds(Guarantee::Unbounded)) => proved += 1,
            (_, Verdict::Holds(Guarantee::UpTo(_))) => {}
            (_, Verdict::Unknown(unknown)) => panic!("seed {seed}: {unknown:?}"),
        }
    }
    assert!(violated > 100 && proved > 30, "{violated} {proved} {new}");
}

#[test]
fn the_corpus_is_as_expected() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let entries = corpus::load(&root).unwrap_or_else(|errors| panic!("{}", errors.join("\n")));
    let asked = entries.iter().filter(|entry| entry.expected.iter().any(|(model, _)| *model == Model::Rmo));
    let asked: Vec<_> = asked.collect();
    assert!(asked.len() >= 30, "only {} programs say what is expected under RMO", asked.len());
    let missed: Vec<String> = asked
        .iter()
        .flat_map(|entry| corpus::check_without_walking(&Bmc, entry))
        .map(|m| m.to_string())
        .collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
