//! SC-1 to SC-6.

use fencewright_ir::Lock;
use fencewright_memory::{Model, ReadFrom};
use fencewright_testkit::toy::{self, Toy};

use crate::{BOTH_FENCES, Run, T0, T1, read};

#[test]
fn sc_1_a_read_takes_what_is_in_memory_and_sc_2_a_write_goes_there() {
    let mut p = Toy::new("p");
    let [x] = p.vars(["x"]);
    p.thread(|t| t.write(x, 1));
    p.thread(|t| {
        let r = t.reg("r");
        t.read(r, x)
    });
    let p = p.finish();
    let mut run = Run::new(&p, Model::Sc);
    run.step(T0);
    assert_eq!(run.memory(x), 1);
    assert_eq!(run.step(T1), [read(x, 1, ReadFrom::Memory)]);
}

#[test]
fn sc_3_there_is_nothing_to_flush() {
    let mut p = Toy::new("p");
    let [x] = p.vars(["x"]);
    p.thread(|t| t.write(x, 1));
    let p = p.finish();
    let mut run = Run::new(&p, Model::Sc);
    run.step(T0);
    assert_eq!(run.flushable(T0), []);
    assert_eq!(run.state.longest_buffer(), 0);
}

#[test]
fn sc_4_and_sc_5_fences_do_nothing_and_sc_6_locked_steps_are_steps() {
    for kind in BOTH_FENCES {
        for lock in [Lock::Location, Lock::Full] {
            let mut p = Toy::new("p");
            let [x] = p.vars(["x"]);
            p.thread(|t| {
                let r = t.reg("r");
                t.write(x, 1);
                t.fence(kind);
                t.step(Some(lock), [toy::read(r, x), toy::write(x, 2)]);
            });
            let p = p.finish();
            let mut run = Run::new(&p, Model::Sc);
            run.step(T0);
            let before = run.state.memory.clone();
            run.step(T0);
            assert_eq!(run.state.memory, before);
            run.step(T0);
            assert_eq!(run.memory(x), 2);
        }
    }
}
