//! The classic shapes. The verdicts are those of the literature on TSO and PSO (and of herd for the x86 ones): TSO lets
//! a read pass an earlier write, PSO a write as well; nothing lets a read wait.

use fencewright_engine::Engine;
use fencewright_ir::{CellId, FenceKind, Lock, Op, Program};

use super::expect;
use crate::toy::{Toy, ToyThread, cell, eq, guard, read, reg, write};

/// x = 1; `between`; r0 = y  ∥  y = 1; `between`; r1 = x. Never r0 = r1 = 0.
fn sb(name: &str, between: &dyn Fn(&mut ToyThread<'_>)) -> Program {
    let mut p = Toy::new(name);
    let [x, y] = p.vars(["x", "y"]);
    let mut side = |own: CellId, other: CellId| {
        p.thread(|t| {
            let r = t.reg("r");
            t.write(own, 1);
            between(t);
            t.read(r, other);
            r
        })
    };
    let (t0, r0) = side(x, y);
    let (t1, r1) = side(y, x);
    p.never(eq(reg(t0, r0), 0).and(eq(reg(t1, r1), 0)));
    p.finish()
}

/// x = 1; `between`; y = 1  ∥  r0 = y; r1 = x. Never r0 = 1, r1 = 0.
fn mp(name: &str, between: &dyn Fn(&mut ToyThread<'_>)) -> Program {
    let mut p = Toy::new(name);
    let [x, y] = p.vars(["x", "y"]);
    p.thread(|t| {
        t.write(x, 1);
        between(t);
        t.write(y, 1);
    });
    let (t1, (r0, r1)) = p.thread(|t| {
        let (r0, r1) = (t.reg("r0"), t.reg("r1"));
        t.read(r0, y);
        t.read(r1, x);
        (r0, r1)
    });
    p.never(eq(reg(t1, r0), 1).and(eq(reg(t1, r1), 0)));
    p.finish()
}

/// Both reads may pass the writes before them wherever writes are delayed.
pub fn store_buffering(engine: &dyn Engine) {
    expect(engine, &sb("SB", &|_| {}), "hvvv");
}

/// The second write may pass the first where each cell has a buffer of its own.
pub fn message_passing(engine: &dyn Engine) {
    expect(engine, &mp("MP", &|_| {}), "hhvv");
}

/// r0 = x; y = 1  ∥  r1 = y; x = 1. Never r0 = r1 = 1: no model here lets a write pass an earlier read.
pub fn load_buffering(engine: &dyn Engine) {
    let mut p = Toy::new("LB");
    let [x, y] = p.vars(["x", "y"]);
    let mut side = |from: CellId, to: CellId| {
        p.thread(|t| {
            let r = t.reg("r");
            t.read(r, from);
            t.write(to, 1);
            r
        })
    };
    let (t0, r0) = side(x, y);
    let (t1, r1) = side(y, x);
    p.never(eq(reg(t0, r0), 1).and(eq(reg(t1, r1), 1)));
    expect(engine, &p.finish(), "hhhh");
}

/// x = 1; x = 2  ∥  r0 = x; r1 = x. Never the newer value and then an older one: each cell is coherent in every model.
pub fn coherence(engine: &dyn Engine) {
    let mut p = Toy::new("CoRR");
    let [x] = p.vars(["x"]);
    p.thread(|t| {
        t.write(x, 1);
        t.write(x, 2);
    });
    let (t1, (r0, r1)) = p.thread(|t| {
        let (r0, r1) = (t.reg("r0"), t.reg("r1"));
        t.read(r0, x);
        t.read(r1, x);
        (r0, r1)
    });
    let older = eq(reg(t1, r0), 2).and(eq(reg(t1, r1), 2).not());
    p.never(older.or(eq(reg(t1, r0), 1).and(eq(reg(t1, r1), 0))));
    expect(engine, &p.finish(), "hhhh");
}

/// x = 1; y = 2  ∥  y = 1; x = 2. Never x = 1, y = 1 at the end: it needs both threads' writes in the other order.
pub fn two_plus_two_writes(engine: &dyn Engine) {
    let mut p = Toy::new("2+2W");
    let [x, y] = p.vars(["x", "y"]);
    p.thread(|t| {
        t.write(x, 1);
        t.write(y, 2);
    });
    p.thread(|t| {
        t.write(y, 1);
        t.write(x, 2);
    });
    p.never(eq(cell(x), 1).and(eq(cell(y), 1)));
    expect(engine, &p.finish(), "hhvv");
}

/// Two writers, two readers that see the writes in opposite orders. Never: memory is one for all threads.
pub fn independent_reads(engine: &dyn Engine) {
    let mut p = Toy::new("IRIW");
    let [x, y] = p.vars(["x", "y"]);
    p.thread(|t| t.write(x, 1));
    p.thread(|t| t.write(y, 1));
    let mut reader = |first: CellId, second: CellId| {
        let (t, (a, b)) = p.thread(|t| {
            let (a, b) = (t.reg("a"), t.reg("b"));
            t.read(a, first);
            t.read(b, second);
            (a, b)
        });
        eq(reg(t, a), 1).and(eq(reg(t, b), 0))
    };
    let one = reader(x, y);
    let two = reader(y, x);
    p.never(one.and(two));
    expect(engine, &p.finish(), "hhhh");
}

/// Each thread raises its flag and enters if the other's is down. With a full fence between, never both; a store-store
/// fence is as good under Slot, whose only barrier it is, and of no use elsewhere.
pub fn dekker_needs_its_fences(engine: &dyn Engine) {
    for (fence, expected) in
        [(None, "hvvv"), (Some(FenceKind::Full), "hhhh"), (Some(FenceKind::StoreStore), "hvvh")]
    {
        let mut p = Toy::new("Dekker");
        let [x, y] = p.vars(["x", "y"]);
        let mut side = |own: CellId, other: CellId| {
            p.thread(|t| {
                let r = t.reg("r");
                t.write(own, 1);
                if let Some(kind) = fence {
                    t.fence(kind);
                }
                t.step(None, [read(r, other), guard(eq(r, 0))]);
                t.here()
            })
        };
        let first = side(x, y);
        let second = side(y, x);
        p.forbid(&[first, second]);
        expect(engine, &p.finish(), expected);
    }
}

/// A full fence lets no read pass a write.
pub fn full_fences_restore_store_buffering(engine: &dyn Engine) {
    let fence = |t: &mut ToyThread<'_>| {
        t.fence(FenceKind::Full);
    };
    expect(engine, &sb("SB+fences", &fence), "hhhh");
    expect(engine, &mp("MP+fence", &fence), "hhhh");
}

/// A store-store fence orders writes; reads still pass it, except under Slot, where it waits like a full one.
pub fn store_store_fences_restore_message_passing_only(engine: &dyn Engine) {
    let fence = |t: &mut ToyThread<'_>| {
        t.fence(FenceKind::StoreStore);
    };
    expect(engine, &mp("MP+ssfence", &fence), "hhhh");
    expect(engine, &sb("SB+ssfences", &fence), "hvvh");
}

/// A locked step on a third cell between a write and a read. Where there is one buffer, both strengths wait for it; with
/// a buffer for each cell only the full one waits for the write to another cell.
pub fn locked_writes_of_both_strengths(engine: &dyn Engine) {
    for (lock, expected) in [(Lock::Full, "hhhh"), (Lock::Location, "hhvv")] {
        let mut p = Toy::new("SB+lock");
        let [x, y, z] = p.vars(["x", "y", "z"]);
        let mut side = |own: CellId, other: CellId| {
            p.thread(|t| {
                let r = t.reg("r");
                t.write(own, 1);
                t.step(Some(lock), [read(r, z), write(z, 1)]);
                t.step(None, [Op::Assign { dst: r, value: fencewright_ir::Expr::constant(7) }]);
                t.read(r, other);
                r
            })
        };
        let (t0, r0) = side(x, y);
        let (t1, r1) = side(y, x);
        p.never(eq(reg(t0, r0), 0).and(eq(reg(t1, r1), 0)));
        expect(engine, &p.finish(), expected);
    }
    // An atomic first write is in memory at once, whatever its strength.
    for lock in [Lock::Full, Lock::Location] {
        let mut p = Toy::new("SB+atomic");
        let [x, y] = p.vars(["x", "y"]);
        let mut side = |own: CellId, other: CellId| {
            p.thread(|t| {
                let r = t.reg("r");
                t.locked_write(lock, own, 1);
                t.read(r, other);
                r
            })
        };
        let (t0, r0) = side(x, y);
        let (t1, r1) = side(y, x);
        p.never(eq(reg(t0, r0), 0).and(eq(reg(t1, r1), 0)));
        expect(engine, &p.finish(), "hhhh");
    }
}
