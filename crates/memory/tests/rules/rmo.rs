//! RMO-1 to RMO-7.

use fencewright_base::Int;
use fencewright_ir::{CellId, EdgeId, Expr, FenceKind, Lock, Op, Program, RegId, ThreadId};
use fencewright_memory::{Action, InitialChoices, Machine, Model, Outcome, State};
use fencewright_testkit::toy::{self, Toy, ToyThread};

use crate::{T0, T1, step};

/// The state after the actions, or the position of the first that is not enabled.
fn after(p: &Program, actions: &[Action]) -> Result<State, usize> {
    let machine = Machine::new(p, Model::Rmo);
    let mut state = machine.initial(&InitialChoices::default()).expect("there is a default initial state");
    for (position, action) in actions.iter().enumerate() {
        match machine.perform(&state, action) {
            Outcome::Next(next, _) => state = *next,
            Outcome::Blocked | Outcome::Violates(..) => return Err(position),
        }
    }
    Ok(state)
}

fn ahead(thread: ThreadId, edge: u32, guess: i64) -> Action {
    Action::Ahead { thread, edge: EdgeId(edge), choices: Vec::new(), guesses: vec![Int::from(guess)] }
}

fn late(thread: ThreadId, step: u32) -> Action {
    Action::Late { thread, step }
}

fn flush(thread: ThreadId, cell: CellId) -> Action {
    Action::Flush { thread, cell }
}

/// Two cells x and y, and a first thread made by `build` with two registers.
fn one_thread(build: impl FnOnce(&mut ToyThread<'_>, [CellId; 2], [RegId; 2])) -> (Program, [CellId; 2]) {
    let mut p = Toy::new("p");
    let cells = p.vars(["x", "y"]);
    p.thread(|t| {
        let registers = [t.reg("r"), t.reg("s")];
        build(t, cells, registers);
    });
    p.thread(|t| {
        t.write(cells[0], 1);
    });
    (p.finish(), cells)
}

#[test]
fn rmo_1_a_read_takes_the_newest_own_open_write_before_it_and_a_guess_must_be_that() {
    let (p, [x, _]) = one_thread(|t, [x, y], [r, s]| {
        t.read(s, y);
        t.write(x, 5);
        t.read(r, x);
        t.write(x, 6);
    });
    // The write behind the read does not count for it, though it is open when the read is performed.
    let made = [step(T0, 0), step(T0, 1), ahead(T0, 2, 5), step(T0, 3), late(T0, 2)];
    assert!(after(&p, &made).is_ok());
    let wrong = [step(T0, 0), step(T0, 1), ahead(T0, 2, 6), step(T0, 3), late(T0, 2)];
    assert_eq!(after(&p, &wrong).err(), Some(4));
    // When the write has been performed, memory counts.
    let memory =
        [step(T0, 0), step(T0, 1), ahead(T0, 2, 1), flush(T0, x), step(T1, 0), flush(T1, x), late(T0, 2)];
    assert!(after(&p, &memory).is_ok());
}

#[test]
fn rmo_2_a_write_comes_after_what_its_value_or_a_branch_before_it_comes_from() {
    let (data, [_, y]) = one_thread(|t, [x, y], [r, _]| {
        t.read(r, x);
        t.write(y, r);
    });
    assert_eq!(after(&data, &[ahead(T0, 0, 1), step(T0, 1), flush(T0, y)]).err(), Some(2));
    let in_order =
        [ahead(T0, 0, 1), step(T0, 1), step(T1, 0), flush(T1, CellId(0)), late(T0, 0), flush(T0, y)];
    assert!(after(&data, &in_order).is_ok());
    let branch = |then_reads: bool| {
        one_thread(move |t, [x, y], [r, s]| {
            t.read(r, x);
            t.step(None, [Op::Guard(Expr::Atom(r))]);
            if then_reads {
                t.read(s, y);
            } else {
                t.write(y, 1);
            }
        })
        .0
    };
    let write = [ahead(T0, 0, 1), step(T0, 1), step(T0, 2), flush(T0, y)];
    assert_eq!(after(&branch(false), &write).err(), Some(3));
    // A read behind the branch is performed at once.
    assert!(after(&branch(true), &write[..3]).is_ok());
}

#[test]
fn rmo_2_a_read_comes_after_what_an_own_write_to_its_cell_depends_on() {
    let (p, _) = one_thread(|t, [x, y], [r, s]| {
        t.read(r, x);
        t.write(y, r);
        t.read(s, y);
    });
    assert_eq!(after(&p, &[ahead(T0, 0, 0), step(T0, 1), step(T0, 2)]).err(), Some(2));
    assert!(after(&p, &[step(T0, 0), step(T0, 1), step(T0, 2)]).is_ok());
}

#[test]
fn rmo_2_accesses_to_one_cell_keep_their_order_if_the_second_writes() {
    let (p, [x, _]) = one_thread(|t, [x, _], [r, s]| {
        t.read(r, x);
        t.read(s, x);
        t.write(x, 2);
    });
    // The second read is performed first.
    assert!(after(&p, &[ahead(T0, 0, 1), step(T0, 1), step(T1, 0), flush(T1, x), late(T0, 0)]).is_ok());
    assert_eq!(after(&p, &[ahead(T0, 0, 2), step(T0, 1), step(T0, 2), flush(T0, x)]).err(), Some(3));
}

#[test]
fn rmo_3_an_open_access_is_performed_when_nothing_must_come_first() {
    let (p, [x, y]) = one_thread(|t, [x, y], [r, _]| {
        t.read(r, x);
        t.write(y, 1);
    });
    // Load buffering: the write is performed, and then the read.
    let run = [ahead(T0, 0, 1), step(T0, 1), flush(T0, y), step(T1, 0), flush(T1, x), late(T0, 0)];
    let state = after(&p, &run).expect("it is an execution");
    assert_eq!(state.memory[y], Int::ONE);
    assert_eq!(after(&p, &[late(T0, 0)]).err(), Some(0));
    assert_eq!(after(&p, &[ahead(T0, 0, 1), late(T0, 0)]).err(), Some(1), "the guess is wrong");
    assert_eq!(after(&p, &[step(T0, 0), late(T0, 0)]).err(), Some(1), "it has been performed");
}

#[test]
fn rmo_4_a_full_fence_waits_for_everything() {
    let (p, [x, _]) = one_thread(|t, [x, y], [r, _]| {
        t.read(r, y);
        t.write(x, 2);
        t.fence(FenceKind::Full);
    });
    assert_eq!(after(&p, &[step(T0, 0), step(T0, 1), step(T0, 2)]).err(), Some(2));
    assert_eq!(after(&p, &[ahead(T0, 0, 0), step(T0, 1), flush(T0, x), step(T0, 2)]).err(), Some(3));
    assert!(after(&p, &[ahead(T0, 0, 0), step(T0, 1), flush(T0, x), late(T0, 0), step(T0, 2)]).is_ok());
}

#[test]
fn rmo_5_a_store_store_fence_orders_writes() {
    let (p, [x, y]) = one_thread(|t, [x, y], [r, _]| {
        t.read(r, y);
        t.write(x, 2);
        t.fence(FenceKind::StoreStore);
        t.write(y, 1);
    });
    let made = |rest: &[Action]| [&[ahead(T0, 0, 0), step(T0, 1), step(T0, 2), step(T0, 3)], rest].concat();
    assert_eq!(after(&p, &made(&[late(T0, 0), flush(T0, y)])).err(), Some(5));
    assert!(
        after(&p, &made(&[flush(T0, x), late(T0, 0), flush(T0, y)])).is_ok(),
        "the read waits for nobody"
    );
}

#[test]
fn rmo_6_a_step_locked_for_its_location_orders_its_cell_only() {
    let program = |lock: Lock| {
        one_thread(move |t, [x, y], [r, s]| {
            t.write(y, 7);
            t.step(Some(lock), [toy::read(r, x), toy::write(x, 2)]);
            t.read(s, y);
            t.write(x, 3);
        })
    };
    let (p, [x, y]) = program(Lock::Location);
    // Made ahead, it is performed after the read and the write behind it have been made, but before the write to its cell.
    let made = [step(T0, 0), ahead(T0, 1, 1), step(T0, 2), step(T0, 3)];
    assert_eq!(after(&p, &[&made[..], &[flush(T0, x)]].concat()).err(), Some(4));
    let all = [&made[..], &[step(T1, 0), flush(T1, x), late(T0, 1), flush(T0, x), flush(T0, y)]].concat();
    assert_eq!(after(&p, &all).expect("it is an execution").memory[x], Int::from(3));
    let (p, [x, y]) = program(Lock::Full);
    assert_eq!(after(&p, &[step(T0, 0), step(T0, 1)]).err(), Some(1));
    assert_eq!(after(&p, &[step(T0, 0), flush(T0, y), ahead(T0, 1, 0)]).err(), Some(2));
    let state = after(&p, &[step(T0, 0), flush(T0, y), step(T0, 1)]).expect("nothing is open");
    assert_eq!(state.memory[x], Int::from(2));
}

#[test]
fn rmo_7_a_failure_counts_when_all_guesses_have_come_true() {
    let (p, [x, _]) = one_thread(|t, [x, y], [r, s]| {
        t.read(r, x);
        t.step(None, [toy::read(s, y), Op::Assert(Expr::Atom(s))]);
    });
    let machine = Machine::new(&p, Model::Rmo);
    let failed = after(&p, &[ahead(T0, 0, 1), step(T0, 1)]).expect("the guess is open");
    assert_eq!(machine.violation(&failed), None);
    let run = [ahead(T0, 0, 1), step(T0, 1), step(T1, 0), flush(T1, x), late(T0, 0)];
    assert!(machine.violation(&after(&p, &run).expect("it comes true")).is_some());
    assert_eq!(after(&p, &[step(T0, 0), step(T0, 1)]).err(), Some(1), "without guesses it counts at once");
}

#[test]
fn other_models_make_no_guesses() {
    let (p, _) = one_thread(|t, [x, _], [r, _]| {
        t.read(r, x);
    });
    for model in Model::OPERATIONAL {
        let machine = Machine::new(&p, model);
        let state = machine.initial(&InitialChoices::default()).expect("there is a default initial state");
        assert_eq!(machine.perform(&state, &ahead(T0, 0, 0)), Outcome::Blocked, "{}", model.name());
        assert_eq!(machine.perform(&state, &late(T0, 0)), Outcome::Blocked, "{}", model.name());
    }
}
