//! The engine against the oracle on generated programs with random formulae and fairness, under every model. A fixed
//! sample; `cargo xtask fuzz --engine ltl` takes as many as asked.

use fencewright_engine_ltl::Ltl;
use fencewright_memory::Model;
use fencewright_testkit::agreement::{Agreed, Scope, agree_on_temporal};
use fencewright_testkit::generate::{temporal_model, temporal_program};
use fencewright_testkit::reference::Limits;

const PROGRAMS: u64 = 600;
const MODELS: u64 = 400;

#[test]
fn the_engine_and_the_oracle_agree_on_generated_programs() {
    let scope = Scope { limits: Limits::buffer(2), states: 800, counts: false };
    let mut counts = [0u64; 3];
    for seed in 0..PROGRAMS {
        let program = temporal_program(seed);
        for model in Model::OPERATIONAL {
            match agree_on_temporal(&Ltl, &program, model, &scope) {
                Ok(Agreed::Violated) => counts[0] += 1,
                Ok(Agreed::Holds) => counts[1] += 1,
                Ok(Agreed::HoldsUpTo) => counts[2] += 1,
                Ok(Agreed::TooLarge) => {}
                Ok(Agreed::Unknown) => panic!("seed {seed}: the engine gave no answer"),
                Err(disagreement) => panic!("seed {seed}: {disagreement}"),
            }
        }
    }
    // A generator that made only trivial formulae would agree with anything.
    let [violated, held, bounded] = counts;
    assert!(violated > PROGRAMS / 2 && held > PROGRAMS / 4 && bounded > 0, "{counts:?}");
}

/// Models with channels, committed states and automata of their own.
#[test]
fn the_engine_and_the_oracle_agree_on_generated_models() {
    let scope = Scope { limits: Limits::buffer(2), states: 800, counts: false };
    let mut counts = [0u64; 4];
    for seed in 0..MODELS {
        let program = temporal_model(seed);
        for model in Model::OPERATIONAL {
            match agree_on_temporal(&Ltl, &program, model, &scope) {
                Ok(Agreed::Violated) => counts[0] += 1,
                Ok(Agreed::Holds) => counts[1] += 1,
                Ok(Agreed::HoldsUpTo) => counts[2] += 1,
                Ok(Agreed::TooLarge) => counts[3] += 1,
                Ok(Agreed::Unknown) => panic!("seed {seed}: the engine gave no answer"),
                Err(disagreement) => panic!("seed {seed}: {disagreement}"),
            }
        }
    }
    let [violated, held, bounded, too_large] = counts;
    assert!(violated > MODELS / 2 && held > MODELS / 2, "{violated} {held} {bounded} {too_large}");
}
