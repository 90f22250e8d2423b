//! TSO-1 to TSO-6.

use fencewright_ir::{CellId, FenceKind, Lock, Program, RegId};
use fencewright_memory::{Model, ReadFrom};
use fencewright_testkit::toy::{self, Toy};

use crate::{Run, T0, T1, read};

/// P0 writes x = 1, y = 1, x = 2 and reads x, z; P1 reads x.
fn three_writes() -> (Program, [CellId; 3], RegId) {
    let mut p = Toy::new("p");
    let [x, y, z] = p.vars(["x", "y", "z"]);
    let (_, r) = p.thread(|t| {
        let r = t.reg("r");
        t.write(x, 1);
        t.write(y, 1);
        t.write(x, 2);
        t.read(r, x);
        t.read(r, z);
        r
    });
    p.thread(|t| {
        let r = t.reg("r");
        t.read(r, x);
    });
    (p.finish(), [x, y, z], r)
}

#[test]
fn tso_1_a_read_takes_the_newest_own_pending_write_else_memory() {
    let (p, [x, _, z], r) = three_writes();
    let mut run = Run::new(&p, Model::Tso);
    for _ in 0..3 {
        run.step(T0);
    }
    assert_eq!(run.step(T0), [read(x, 2, ReadFrom::OwnPending)]);
    assert_eq!(run.register(T0, r), 2);
    assert_eq!(run.step(T0), [read(z, 0, ReadFrom::Memory)]);
    assert_eq!(run.step(T1), [read(x, 0, ReadFrom::Memory)], "another thread's pending writes are not seen");
}

#[test]
fn tso_2_a_write_goes_to_the_end_of_the_one_buffer() {
    let (p, [x, y, _], _) = three_writes();
    let mut run = Run::new(&p, Model::Tso);
    for _ in 0..3 {
        run.step(T0);
    }
    assert_eq!(run.queues(T0), [[Some((x, 1)), Some((y, 1)), Some((x, 2))]]);
    assert_eq!([run.memory(x), run.memory(y)], [0, 0]);
    assert_eq!(run.state.longest_buffer(), 3);
}

#[test]
fn tso_3_only_the_oldest_write_flushes() {
    let (p, [x, y, _], _) = three_writes();
    let mut run = Run::new(&p, Model::Tso);
    for _ in 0..3 {
        run.step(T0);
    }
    let mut seen = Vec::new();
    while let [cell] = run.flushable(T0)[..] {
        run.flush(T0, cell);
        seen.push((cell, run.memory(x), run.memory(y)));
    }
    assert_eq!(seen, [(x, 1, 0), (y, 1, 1), (x, 2, 1)]);
    assert_eq!(run.flushable(T0), []);
}

#[test]
fn tso_4_a_full_fence_needs_an_empty_buffer() {
    let mut p = Toy::new("p");
    let [x] = p.vars(["x"]);
    p.thread(|t| {
        t.write(x, 1);
        t.fence(FenceKind::Full);
    });
    let p = p.finish();
    let mut run = Run::new(&p, Model::Tso);
    run.step(T0);
    assert!(run.is_blocked(T0));
    run.flush(T0, x);
    assert!(!run.is_blocked(T0));
}

#[test]
fn tso_5_a_store_store_fence_does_nothing() {
    let mut p = Toy::new("p");
    let [x] = p.vars(["x"]);
    p.thread(|t| {
        t.write(x, 1);
        t.fence(FenceKind::StoreStore);
    });
    let p = p.finish();
    let mut run = Run::new(&p, Model::Tso);
    run.step(T0);
    let before = run.state.pending.clone();
    run.step(T0);
    assert_eq!(run.state.pending, before);
}

#[test]
fn tso_6_a_locked_step_of_either_strength_needs_an_empty_buffer_and_acts_on_memory() {
    for lock in [Lock::Location, Lock::Full] {
        let mut p = Toy::new("p");
        let [x, y] = p.vars(["x", "y"]);
        p.thread(|t| {
            let r = t.reg("r");
            t.write(x, 1);
            // It touches y only, yet it waits for the write to x: there is one buffer.
            t.step(Some(lock), [toy::read(r, y), toy::write(y, 5)]);
        });
        let p = p.finish();
        let mut run = Run::new(&p, Model::Tso);
        run.step(T0);
        assert!(run.is_blocked(T0), "{lock:?}");
        run.flush(T0, x);
        run.step(T0);
        assert_eq!(run.memory(y), 5, "{lock:?}");
        assert_eq!(run.flushable(T0), [], "{lock:?}");
    }
}
