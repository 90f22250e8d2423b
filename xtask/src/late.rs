//! `cargo xtask late`: generated programs, the late machine of the engine `wsts` against the reference semantics. Where
//! the threads can stand together, with the values of the registers that are live there, must be the same.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context as _, Result, bail};
use fencewright_base::{Budget, CancelToken, Int, Meter};
use fencewright_engine_wsts::late::control_states;
use fencewright_ir::liveness::{live_registers, watched_registers};
use fencewright_ir::{LocId, Program};
use fencewright_memory::{Machine, Model};
use fencewright_testkit::generate::{Config, program};
use fencewright_testkit::reference::{Limits, explore};

use crate::shell::{again_in_release, only, option};

/// States of either machine that are looked at; programs with more are left out.
const STATES: usize = 3_000;

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if cfg!(debug_assertions) {
        return again_in_release("late", arguments);
    }
    only(arguments, &["--programs", "--seed"])?;
    let number = |name: &str, default: u64| -> Result<u64> {
        option(arguments, name)?
            .map_or(Ok(default), |text| text.parse().with_context(|| format!("`{name} {text}`")))
    };
    let (programs, first) = (number("--programs", 20_000)?, number("--seed", 0)?);
    let next = AtomicU64::new(0);
    let [compared, left_out, wrong] = [const { AtomicU64::new(0) }; 3];
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= programs {
                        break;
                    }
                    for model in [Model::Tso, Model::Pso] {
                        let program = program(first + number, &small());
                        let count = match same(&program, model) {
                            None => &left_out,
                            Some(true) => &compared,
                            Some(false) => {
                                println!("seed {} under {}", first + number, model.name());
                                &wrong
                            }
                        };
                        count.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let [compared, left_out, wrong] = [compared, left_out, wrong].map(AtomicU64::into_inner);
    println!(
        "{programs} programs under TSO and PSO: {compared} the same, {left_out} too large, {wrong} not the same"
    );
    if wrong == 0 { Ok(()) } else { bail!("the late machine and the reference semantics differ") }
}

fn small() -> Config {
    Config { threads: 2, cells: 2, statements: 3, relaxed: 0 }
}

/// Whether the two machines reach the same; `None` if one is too large.
fn same(program: &Program, model: Model) -> Option<bool> {
    let machine = Machine::new(program, model);
    let budget = Budget { states: Some(STATES as u64), ..Budget::default() };
    let graph = explore(&machine, &Limits::buffer(4), &Meter::start(budget, CancelToken::new())).ok()?;
    if graph.met_cap {
        return None;
    }
    let watched = watched_registers(program, &[]);
    let live: Vec<_> = (program.threads.iter_enumerated())
        .map(|(thread, text)| live_registers(text, &watched[thread]))
        .collect();
    let standing = |state: &fencewright_memory::State| -> Vec<(LocId, Vec<Int>)> {
        let threads = state.locations.iter_enumerated().zip(&live);
        let of = |((thread, &location), live): ((_, &LocId), &fencewright_base::IndexVec<LocId, _>)| {
            let live: &fencewright_base::IndexVec<_, bool> = &live[location];
            let registers = state.registers[thread].iter().zip(live);
            (location, registers.map(|(value, &live)| if live { value.clone() } else { Int::ZERO }).collect())
        };
        threads.map(of).collect()
    };
    let concrete: BTreeSet<_> = graph.states.iter().map(|state| standing(state)).collect();
    let late = control_states(program, model, 4, STATES)?;
    Some(concrete == late)
}
