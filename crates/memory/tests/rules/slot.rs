//! SLOT-1 to SLOT-6.

use fencewright_ir::Lock;
use fencewright_memory::{Model, ReadFrom};
use fencewright_testkit::toy::{self, Toy};

use crate::{BOTH_FENCES, Run, T0, T1, read};

#[test]
fn slot_1_a_read_takes_the_own_pending_value_else_memory() {
    let mut p = Toy::new("p");
    let [x, y] = p.vars(["x", "y"]);
    p.thread(|t| {
        let r = t.reg("r");
        t.write(x, 1);
        t.read(r, x);
        t.read(r, y);
    });
    p.thread(|t| {
        let r = t.reg("r");
        t.read(r, x);
    });
    let p = p.finish();
    let mut run = Run::new(&p, Model::Slot);
    run.step(T0);
    assert_eq!(run.step(T0), [read(x, 1, ReadFrom::OwnPending)]);
    assert_eq!(run.step(T0), [read(y, 0, ReadFrom::Memory)]);
    assert_eq!(run.step(T1), [read(x, 0, ReadFrom::Memory)]);
}

#[test]
fn slot_2_a_newer_write_destroys_the_pending_one() {
    let mut p = Toy::new("p");
    let [x] = p.vars(["x"]);
    p.thread(|t| {
        t.write(x, 1);
        t.write(x, 2);
    });
    let p = p.finish();
    let mut run = Run::new(&p, Model::Slot);
    run.step(T0);
    run.step(T0);
    assert_eq!(run.queues(T0), [[Some((x, 2))]]);
    run.flush(T0, x);
    assert_eq!(run.memory(x), 2, "1 never reached memory");
    assert_eq!(run.flushable(T0), []);
}

#[test]
fn slot_3_any_pending_value_flushes() {
    for first in [0, 1] {
        let mut p = Toy::new("p");
        let cells = p.vars(["x", "y"]);
        p.thread(|t| {
            t.write(cells[0], 1);
            t.write(cells[1], 1);
        });
        let p = p.finish();
        let mut run = Run::new(&p, Model::Slot);
        run.step(T0);
        run.step(T0);
        assert_eq!(run.flushable(T0), cells);
        run.flush(T0, cells[first]);
        assert_eq!([run.memory(cells[first]), run.memory(cells[1 - first])], [1, 0]);
    }
}

#[test]
fn slot_4_and_slot_5_a_fence_of_either_kind_needs_all_slots_empty() {
    for kind in BOTH_FENCES {
        let mut p = Toy::new("p");
        let [x, y] = p.vars(["x", "y"]);
        p.thread(|t| {
            t.write(x, 1);
            t.write(y, 1);
            t.fence(kind);
        });
        let p = p.finish();
        let mut run = Run::new(&p, Model::Slot);
        run.step(T0);
        run.step(T0);
        for cell in [y, x] {
            assert!(run.is_blocked(T0), "{kind:?}");
            run.flush(T0, cell);
        }
        assert!(!run.is_blocked(T0), "{kind:?}");
    }
}

#[test]
fn slot_6_a_full_lock_needs_all_slots_empty() {
    let mut p = Toy::new("p");
    let [x, y] = p.vars(["x", "y"]);
    p.thread(|t| {
        t.write(x, 1);
        t.locked_write(Lock::Full, y, 2);
    });
    let p = p.finish();
    let mut run = Run::new(&p, Model::Slot);
    run.step(T0);
    assert!(run.is_blocked(T0));
    run.flush(T0, x);
    run.step(T0);
    assert_eq!(run.memory(y), 2);
}

#[test]
fn slot_6_an_atomic_write_goes_to_memory_and_destroys_the_pending_value() {
    let mut p = Toy::new("p");
    let [x] = p.vars(["x"]);
    p.thread(|t| {
        let r = t.reg("r");
        t.write(x, 1);
        t.step(Some(Lock::Location), [toy::read(r, x), toy::write(x, 2)]);
    });
    let p = p.finish();
    let mut run = Run::new(&p, Model::Slot);
    run.step(T0);
    let events = run.step(T0);
    assert_eq!(events[0], read(x, 1, ReadFrom::OwnPending), "it reads as any step does");
    assert_eq!(run.memory(x), 2);
    assert_eq!(run.flushable(T0), []);
}
