//! PSO-1 to PSO-6.

use fencewright_ir::{CellId, FenceKind, Lock, Program};
use fencewright_memory::{Model, ReadFrom};
use fencewright_testkit::toy::{self, Toy};

use crate::{Run, T0, read};

/// P0 writes x = 1, y = 1, x = 2, then what `rest` adds.
fn three_writes(rest: impl FnOnce(&mut toy::ToyThread<'_>, CellId, CellId)) -> (Program, CellId, CellId) {
    let mut p = Toy::new("p");
    let [x, y] = p.vars(["x", "y"]);
    p.thread(|t| {
        t.write(x, 1);
        t.write(y, 1);
        t.write(x, 2);
        rest(t, x, y);
    });
    (p.finish(), x, y)
}

fn after_three(p: &Program) -> Run<'_> {
    let mut run = Run::new(p, Model::Pso);
    for _ in 0..3 {
        run.step(T0);
    }
    run
}

#[test]
fn pso_1_a_read_takes_the_newest_own_pending_write_of_that_cell_over_all_marks() {
    let (p, x, y) = three_writes(|t, x, y| {
        let r = t.reg("r");
        t.fence(FenceKind::StoreStore);
        t.read(r, x);
        t.write(x, 3);
        t.read(r, x);
        t.read(r, y);
    });
    let mut run = after_three(&p);
    run.step(T0);
    assert_eq!(run.step(T0), [read(x, 2, ReadFrom::OwnPending)]);
    run.step(T0);
    assert_eq!(run.step(T0), [read(x, 3, ReadFrom::OwnPending)]);
    run.flush(T0, y);
    assert_eq!(run.step(T0), [read(y, 1, ReadFrom::Memory)]);
}

#[test]
fn pso_2_a_write_goes_to_the_end_of_the_buffer_of_its_cell() {
    let (p, x, y) = three_writes(|_, _, _| {});
    let run = after_three(&p);
    assert_eq!(run.queues(T0), [vec![Some((x, 1)), Some((x, 2))], vec![Some((y, 1))]]);
    assert_eq!([run.memory(x), run.memory(y)], [0, 0]);
}

#[test]
fn pso_3_the_oldest_write_of_each_buffer_flushes_in_any_order_of_cells() {
    let (p, x, y) = three_writes(|_, _, _| {});
    for (order, seen) in [
        ([x, x, y], [(1, 0), (2, 0), (2, 1)]),
        ([x, y, x], [(1, 0), (1, 1), (2, 1)]),
        ([y, x, x], [(0, 1), (1, 1), (2, 1)]),
    ] {
        let mut run = after_three(&p);
        for (cell, expected) in order.into_iter().zip(seen) {
            run.flush(T0, cell);
            assert_eq!((run.memory(x), run.memory(y)), expected);
        }
        assert_eq!(run.flushable(T0), []);
    }
}

#[test]
fn pso_4_a_full_fence_needs_all_buffers_empty() {
    let (p, x, y) = three_writes(|t, _, _| {
        t.fence(FenceKind::Full);
    });
    let mut run = after_three(&p);
    for cell in [x, y, x] {
        assert!(run.is_blocked(T0));
        run.flush(T0, cell);
    }
    assert!(!run.is_blocked(T0));
}

#[test]
fn pso_5_no_write_passes_a_store_store_fence() {
    let (p, x, y) = three_writes(|t, x, y| {
        t.fence(FenceKind::StoreStore);
        t.write(y, 2);
        t.fence(FenceKind::StoreStore);
        t.write(x, 3);
    });
    let mut run = after_three(&p);
    for _ in 0..4 {
        run.step(T0);
    }
    assert_eq!(
        run.queues(T0),
        [
            vec![Some((x, 1)), Some((x, 2)), None, None, Some((x, 3))],
            vec![Some((y, 1)), None, Some((y, 2)), None],
        ]
    );
    assert_eq!(run.flushable(T0), [x, y]);
    run.flush(T0, x);
    run.flush(T0, x);
    assert_eq!(
        run.flushable(T0),
        [y],
        "x = 3 stands behind two marks, and the first is not at the head of y"
    );
    run.flush(T0, y);
    assert_eq!(run.flushable(T0), [y]);
    run.flush(T0, y);
    assert_eq!(run.flushable(T0), [x]);
    run.flush(T0, x);
    assert_eq!([run.memory(x), run.memory(y)], [3, 2]);
    assert_eq!(run.queues(T0), Vec::<Vec<_>>::new(), "no mark is left");
}

#[test]
fn pso_5_a_fence_that_nothing_can_notice_leaves_no_mark() {
    // At empty buffers, and right behind another.
    let mut p = Toy::new("p");
    let [x] = p.vars(["x"]);
    p.thread(|t| {
        t.fence(FenceKind::StoreStore);
        t.write(x, 1);
        t.fence(FenceKind::StoreStore);
        t.fence(FenceKind::StoreStore);
    });
    let p = p.finish();
    let mut run = Run::new(&p, Model::Pso);
    run.step(T0);
    assert_eq!(run.queues(T0), Vec::<Vec<_>>::new());
    run.step(T0);
    run.step(T0);
    let one = run.state.pending.clone();
    assert_eq!(run.queues(T0), [[Some((x, 1)), None]]);
    run.step(T0);
    assert_eq!(run.state.pending, one);
    run.flush(T0, x);
    assert_eq!(run.queues(T0), Vec::<Vec<_>>::new(), "the mark leaves with the last write before it");
}

/// What a locked step on y of each strength waits for, after x = 1 and the given fences.
fn waits(lock: Lock, fences: &[FenceKind], touched_is_pending: bool) -> bool {
    let mut p = Toy::new("p");
    let [x, y] = p.vars(["x", "y"]);
    p.thread(|t| {
        t.write(if touched_is_pending { y } else { x }, 1);
        for &kind in fences {
            t.fence(kind);
        }
        t.locked_write(lock, y, 7);
    });
    let p = p.finish();
    let mut run = Run::new(&p, Model::Pso);
    for _ in 0..1 + fences.len() {
        run.step(T0);
    }
    let waits = run.is_blocked(T0);
    run.flush(T0, if touched_is_pending { y } else { x });
    run.step(T0);
    assert_eq!(run.memory(y), 7, "once nothing is pending it goes on, and acts on memory");
    assert_eq!(run.flushable(T0), []);
    waits
}

#[test]
fn pso_6_a_full_lock_waits_for_all_buffers_and_a_location_lock_for_those_it_touches_marks_included() {
    use FenceKind::StoreStore;
    assert!(waits(Lock::Full, &[], false));
    assert!(waits(Lock::Full, &[], true));
    assert!(!waits(Lock::Location, &[], false));
    assert!(waits(Lock::Location, &[], true));
    assert!(waits(Lock::Location, &[StoreStore], false), "the mark is in the buffer of y too");
}

#[test]
fn pso_6_a_location_lock_passes_a_pending_write_to_another_cell() {
    let mut p = Toy::new("p");
    let [x, y] = p.vars(["x", "y"]);
    p.thread(|t| {
        t.write(x, 1);
        t.locked_write(Lock::Location, y, 7);
    });
    let p = p.finish();
    let mut run = Run::new(&p, Model::Pso);
    run.step(T0);
    run.step(T0);
    assert_eq!([run.memory(x), run.memory(y)], [0, 7]);
}
