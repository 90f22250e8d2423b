//! Replay accepts executions and nothing else, and knows which step wrote what a read saw.

use fencewright_base::Int;
use fencewright_ir::{CellId, Domain, Expr, Init, Lock, Op, Program};
use fencewright_memory::{Action, InitialChoices, Model, ReplayError, Trace, Violation, replay};
use fencewright_testkit::toy::{self, Toy, eq};

use crate::{T0, T1, step};

fn flush(thread: fencewright_ir::ThreadId, cell: CellId) -> Action {
    Action::Flush { thread, cell }
}

fn trace(model: Model, actions: &[Action]) -> Trace {
    Trace { model, initial: InitialChoices::default(), actions: actions.to_vec(), repeats_from: None }
}

/// For each read of the trace, in order, the position that wrote what it saw.
fn sources(p: &Program, model: Model, actions: &[Action]) -> Vec<Option<usize>> {
    let execution = replay(p, &trace(model, actions)).expect("it is an execution");
    execution.performed.into_iter().flat_map(|performed| performed.sources).collect()
}

fn message_passing() -> (Program, [CellId; 2]) {
    let mut p = Toy::new("MP");
    let [x, y] = p.vars(["x", "y"]);
    p.thread(|t| {
        t.write(x, 1);
        t.write(y, 1);
    });
    p.thread(|t| {
        let (r, q) = (t.reg("r"), t.reg("q"));
        t.read(r, y);
        t.read(q, x);
    });
    (p.finish(), [x, y])
}

#[test]
fn a_trace_that_is_not_an_execution_is_rejected_at_the_first_wrong_action() {
    let (p, [x, y]) = message_passing();
    let (w0, w1, r0) = (step(T0, 0), step(T0, 1), step(T1, 0));
    let check = |model, actions: &[Action]| replay(&p, &trace(model, actions)).map(|_| ()).unwrap_err();
    assert_eq!(check(Model::Sc, &[step(T0, 1)]), ReplayError::Blocked(0), "the thread does not stand there");
    assert_eq!(check(Model::Sc, &[w0.clone(), flush(T0, x)]), ReplayError::Blocked(1), "nothing is pending");
    assert_eq!(check(Model::Tso, &[w0.clone(), w1.clone(), flush(T0, y)]), ReplayError::Blocked(2));
    assert_eq!(check(Model::Tso, &[w0.clone(), w0.clone()]), ReplayError::Blocked(1));
    assert_eq!(check(Model::Pso, &[r0, flush(T1, x)]), ReplayError::Blocked(1), "it is not this thread's");
    assert_eq!(check(Model::Sc, &[step(fencewright_ir::ThreadId(7), 0)]), ReplayError::Blocked(0));
    assert_eq!(check(Model::Sc, &[flush(fencewright_ir::ThreadId(7), x)]), ReplayError::Blocked(0));
    assert!(replay(&p, &trace(Model::Pso, &[w0, w1, flush(T0, y)])).is_ok());
}

#[test]
fn an_initial_choice_outside_its_domain_is_rejected() {
    let mut p = Toy::new("p");
    let x = p.var("x", Domain::range(0, 1), Init::Any);
    p.thread(|t| t.here());
    let p = p.finish();
    let with = |value: i64| {
        let mut trace = trace(Model::Sc, &[]);
        trace.initial.cells.insert(x, Int::from(value));
        replay(&p, &trace).map(|execution| execution.initial.memory[x].clone())
    };
    assert_eq!(with(1), Ok(Int::from(1)));
    assert_eq!(with(2), Err(ReplayError::Initial));
}

#[test]
fn nothing_follows_a_failed_assertion() {
    let mut p = Toy::new("p");
    let [x] = p.vars(["x"]);
    p.thread(|t| t.step(None, [Op::Assert(Expr::constant(0))]));
    p.thread(|t| t.write(x, 1));
    let p = p.finish();
    let execution = replay(&p, &trace(Model::Sc, &[step(T1, 0), step(T0, 0)])).expect("it ends there");
    assert!(matches!(execution.violation, Some(Violation::Assertion { thread: T0, .. })));
    let on = replay(&p, &trace(Model::Sc, &[step(T0, 0), step(T1, 0)]));
    assert_eq!(on.map(|_| ()), Err(ReplayError::Continues(0)));
}

#[test]
fn only_the_last_state_decides_whether_a_property_is_violated() {
    let mut p = Toy::new("p");
    let [x] = p.vars(["x"]);
    p.thread(|t| {
        t.write(x, 1);
        t.write(x, 0);
    });
    p.always(eq(toy::cell(x), 0));
    let p = p.finish();
    let violation = |n| replay(&p, &trace(Model::Sc, &[step(T0, 0), step(T0, 1)][..n])).unwrap().violation;
    assert_eq!([violation(0), violation(1), violation(2)], [None, Some(Violation::Property(0)), None]);
}

#[test]
fn a_read_knows_the_write_it_saw_in_memory_in_the_own_buffer_and_at_the_start() {
    let mut p = Toy::new("p");
    let [x] = p.vars(["x"]);
    p.thread(|t| {
        let r = t.reg("r");
        t.read(r, x); // 0: the initial value
        t.write(x, 1);
        t.write(x, 2);
        t.read(r, x); // 3: its own newest
    });
    p.thread(|t| {
        let r = t.reg("r");
        t.read(r, x);
        t.read(r, x);
    });
    let p = p.finish();
    let own = [step(T0, 0), step(T0, 1), step(T0, 2), step(T0, 3)];
    assert_eq!(sources(&p, Model::Sc, &own), [None, Some(2)]);
    for model in [Model::Tso, Model::Pso] {
        let mut actions = own.to_vec();
        actions.extend([flush(T0, x), step(T1, 0), flush(T0, x), step(T1, 1)]);
        assert_eq!(sources(&p, model, &actions), [None, Some(2), Some(1), Some(2)], "{model:?}");
        let execution = replay(&p, &trace(model, &actions)).unwrap();
        assert_eq!([execution.performed[4].flushed, execution.performed[6].flushed], [Some(1), Some(2)]);
    }
}

#[test]
fn under_slot_a_flush_carries_the_write_that_was_not_destroyed() {
    let mut p = Toy::new("p");
    let [x] = p.vars(["x"]);
    p.thread(|t| {
        t.write(x, 1);
        t.write(x, 2);
        t.write(x, 3);
    });
    p.thread(|t| {
        let r = t.reg("r");
        t.read(r, x);
    });
    let p = p.finish();
    let actions = [step(T0, 0), step(T0, 1), flush(T0, x), step(T1, 0), step(T0, 2), flush(T0, x)];
    let execution = replay(&p, &trace(Model::Slot, &actions)).unwrap();
    assert_eq!(execution.performed[2].flushed, Some(1));
    assert_eq!(execution.performed[3].sources, [Some(1)]);
    assert_eq!(execution.performed[5].flushed, Some(4));
}

#[test]
fn under_slot_two_writes_of_one_step_leave_one_pending() {
    let mut p = Toy::new("p");
    let [x] = p.vars(["x"]);
    p.thread(|t| {
        t.step(None, [toy::write(x, 1), toy::write(x, 2)]);
        t.write(x, 3);
    });
    let p = p.finish();
    let actions = [step(T0, 0), flush(T0, x), step(T0, 1), flush(T0, x)];
    let execution = replay(&p, &trace(Model::Slot, &actions)).unwrap();
    assert_eq!([execution.performed[1].flushed, execution.performed[3].flushed], [Some(0), Some(2)]);
}

#[test]
fn a_read_behind_a_write_of_the_same_failing_step_knows_it() {
    let mut p = Toy::new("p");
    let [x] = p.vars(["x"]);
    p.thread(|t| {
        let r = t.reg("r");
        t.step(None, [toy::write(x, 1), toy::read(r, x), Op::Assert(eq(r, 0))]);
    });
    let p = p.finish();
    for model in Model::OPERATIONAL {
        assert_eq!(sources(&p, model, &[step(T0, 0)]), [Some(0)], "{model:?}");
    }
}

#[test]
fn a_locked_write_is_the_source_of_later_reads_and_destroys_what_was_pending_under_slot() {
    let mut p = Toy::new("p");
    let [x] = p.vars(["x"]);
    p.thread(|t| {
        let r = t.reg("r");
        t.write(x, 1);
        t.locked_write(Lock::Location, x, 2);
        t.read(r, x);
    });
    let p = p.finish();
    assert_eq!(sources(&p, Model::Slot, &[step(T0, 0), step(T0, 1), step(T0, 2)]), [Some(1)]);
    let actions = [step(T0, 0), flush(T0, x), step(T0, 1), step(T0, 2)];
    assert_eq!(sources(&p, Model::Tso, &actions), [Some(2)]);
}
