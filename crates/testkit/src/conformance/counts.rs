//! Exact sizes of small graphs, counted by hand, for engines that store the states of the machine.
//!
//! A state is: where the threads stand, memory, registers, and what is pending. Without reductions and with a bound
//! that is not met, the engine must count exactly these.

use fencewright_base::Meter;
use fencewright_engine::{Engine, Options};
use fencewright_ir::{FenceKind, Program};
use fencewright_memory::Model;

use super::ask_with;
use crate::toy::Toy;

/// States and transitions under SC, TSO, PSO and Slot, in that order.
fn expect_counts(engine: &dyn Engine, program: &Program, expected: [(u64, u64); 4]) {
    let found = Model::OPERATIONAL.map(|model| {
        let options = Options { buffer: Some(4), reduction: false, ..Options::default() };
        let statistics = ask_with(engine, program, model, options, Meter::unlimited()).statistics;
        (statistics.states, statistics.transitions)
    });
    assert_eq!(found, expected, "(states, transitions) of {} under sc, tso, pso, slot", program.name);
}

/// x = 1; y = 1. States by location: before both writes 1. Between them: x pending or in memory, 2 (SC: 1). After both:
/// TSO 3 (both pending, y pending, none: x goes first), PSO and Slot 2 · 2 = 4, SC 1.
/// Transitions, TSO: 1 write from the first; from the two between: 2 writes, 1 flush; among the last three: 2 flushes.
/// PSO and Slot: the last four have 4 flushes among them.
pub fn one_writer_counts(engine: &dyn Engine) {
    let mut p = Toy::new("one writer");
    let [x, y] = p.vars(["x", "y"]);
    p.thread(|t| {
        t.write(x, 1);
        t.write(y, 1);
    });
    expect_counts(engine, &p.finish(), [(3, 2), (6, 6), (7, 8), (7, 8)]);
}

/// x = 1 ∥ y = 1: independent, so the states are pairs. One such thread has 2 states and 1 transition under SC, else 3
/// (before, pending, in memory) and 2. Pairs: n² states, and 2 · n transitions for each of the thread's own.
pub fn two_writers_counts(engine: &dyn Engine) {
    let mut p = Toy::new("two writers");
    let [x, y] = p.vars(["x", "y"]);
    p.thread(|t| t.write(x, 1));
    p.thread(|t| t.write(y, 1));
    expect_counts(engine, &p.finish(), [(4, 4), (9, 12), (9, 12), (9, 12)]);
}

/// x = 1; fence; y = 1, with a store-store fence. Before x: 1. Before the fence: 2. Behind it: with x pending (and a
/// mark, under PSO) or not, 2; under Slot it waits for x, so 1. After y: TSO and PSO 3, x going first; Slot 2, x being in
/// memory already. SC: 1 each.
/// Transitions, TSO and PSO: 1 write; 1 flush and 2 fences; 1 flush and 2 writes; 2 flushes. Slot: 1 write; 1 flush,
/// 1 fence; 1 write; 1 flush.
pub fn fences_counts(engine: &dyn Engine) {
    let mut p = Toy::new("fenced writer");
    let [x, y] = p.vars(["x", "y"]);
    p.thread(|t| {
        t.write(x, 1);
        t.fence(FenceKind::StoreStore);
        t.write(y, 1);
    });
    expect_counts(engine, &p.finish(), [(4, 3), (8, 9), (8, 9), (6, 5)]);
}
