//! How long buffers get, and what an engine may say of it.

use fencewright_engine::{Bounds, Engine, Guarantee, Verdict};
use fencewright_ir::{CellId, FenceKind, Program};
use fencewright_memory::Model;

use super::{ask, expect, letter};
use crate::toy::{Toy, cell, eq, reg};

/// x = 1; x = 2; y = 1  ∥  r0 = y; r1 = x; r2 = x. Never r0 = 1, r1 = 0, r2 = 1. With a queue for each cell, y passes
/// both writes to x, which then arrive one by one. With a slot, y = 1 is written after x = 2 took the place of x = 1: if
/// memory still has x = 0, then 1 was destroyed and never comes.
pub fn slot_destroys_older_writes(engine: &dyn Engine) {
    let mut p = Toy::new("destroyed");
    let [x, y] = p.vars(["x", "y"]);
    p.thread(|t| {
        t.write(x, 1);
        t.write(x, 2);
        t.write(y, 1);
    });
    let (t1, [r0, r1, r2]) = p.thread(|t| {
        let regs = ["r0", "r1", "r2"].map(|name| t.reg(name));
        for (r, from) in regs.into_iter().zip([y, x, x]) {
            t.read(r, from);
        }
        regs
    });
    p.never(eq(reg(t1, r0), 1).and(eq(reg(t1, r1), 0)).and(eq(reg(t1, r2), 1)));
    expect(engine, &p.finish(), "hhvh");
}

/// x = 1 for ever, and nobody minds. The queues have no bound, so an answer for a bound is only that; where nothing
/// queues it is a proof.
pub fn unbounded_buffers_are_never_proved(engine: &dyn Engine) {
    let mut p = Toy::new("endless writes");
    let [x] = p.vars(["x"]);
    p.thread(|t| {
        let head = t.here();
        t.step_to(head, None, [crate::toy::write(x, 1)]);
    });
    p.always(eq(cell(x), 0).or(eq(cell(x), 1)));
    let p = p.finish();
    for buffer in [1, 3] {
        for model in [Model::Tso, Model::Pso] {
            let verdict = ask(engine, &p, model, Some(buffer)).verdict;
            let bounded = Guarantee::UpTo(Bounds { buffer: Some(buffer), ..Bounds::default() });
            assert_eq!(verdict, Verdict::Holds(bounded), "{}", model.name());
        }
        for model in [Model::Sc, Model::Slot] {
            assert_eq!(letter(&ask(engine, &p, model, Some(buffer)).verdict), 'h', "{}", model.name());
        }
    }
}

/// x = 1; x = 2; x = 3; x = 4; r0 = y  ∥  y = 1; fence; r1 = x. Never r0 = r1 = 0.
fn four_writes() -> Program {
    let mut p = Toy::new("four writes");
    let [x, y] = p.vars(["x", "y"]);
    let (t0, r0) = p.thread(|t| {
        let r = t.reg("r");
        for value in 1..=4 {
            t.write(x, value);
        }
        t.read(r, y);
        r
    });
    let (t1, r1) = p.thread(|t| {
        let r = t.reg("r");
        t.write(y, 1);
        t.fence(FenceKind::Full);
        t.read(r, x);
        r
    });
    p.never(eq(reg(t0, r0), 0).and(eq(reg(t1, r1), 0)));
    p.finish()
}

/// All four writes must be pending when y is read, so the violation needs a queue of four, or one slot.
pub fn long_buffers_are_followed(engine: &dyn Engine) {
    let p = four_writes();
    expect(engine, &p, "hvvv");
    for model in [Model::Tso, Model::Pso] {
        assert_eq!(letter(&ask(engine, &p, model, Some(3)).verdict), 'b', "{} with 3", model.name());
        assert_eq!(letter(&ask(engine, &p, model, Some(4)).verdict), 'v', "{} with 4", model.name());
    }
}

/// x = 1; r0 = x; r1 = y  ∥  y = 1; r2 = y; r3 = x. Never 1, 0, 1, 0: each sees its own write early (SB+rfi-pos).
pub fn early_reads_of_own_writes(engine: &dyn Engine) {
    let mut p = Toy::new("SB+rfi");
    let [x, y] = p.vars(["x", "y"]);
    let mut side = |own: CellId, other: CellId| {
        let (t, (a, b)) = p.thread(|t| {
            let (a, b) = (t.reg("a"), t.reg("b"));
            t.write(own, 1);
            t.read(a, own);
            t.read(b, other);
            (a, b)
        });
        eq(reg(t, a), 1).and(eq(reg(t, b), 0))
    };
    let one = side(x, y);
    let two = side(y, x);
    p.never(one.and(two));
    expect(engine, &p.finish(), "hvvv");
}
