//! G-10 to G-12: direct variables, scratch registers, rendezvous, committed locations. Programs are given in the text
//! form of the representation, which must come back as it was.

use fencewright_base::Int;
use fencewright_ir::{CellId, EdgeId, Program, RegId, text};
use fencewright_memory::{Action, Fault, Model, Outcome, Trace, Violation, by_thread, replay};

use crate::{Run, T0, T1};

fn program(source: &str) -> Program {
    let program = text::parse(source).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(text::parse(&text::print(&program)).as_ref(), Ok(&program), "the text form comes back");
    program
}

const MEET: Action = Action::Rendezvous { sender: T0, send: EdgeId(0), receiver: T1, receive: EdgeId(0) };

#[test]
fn g_10_a_direct_variable_is_never_pending() {
    let p = program(
        "program p\nvar x: u8 = 0\ndirect d: u8 = 0\nstatement s0 \"s\"\n\
         thread P\nscratch _0: u8 = 0\nlocation L0\nlocation L1\nentry L0\n\
         edge L0 -> L1 s0: write x <- 1; write d <- 2; read _0 <- d; guard _0 == 2\n",
    );
    for model in [Model::Tso, Model::Pso, Model::Slot] {
        let mut run = Run::new(&p, model);
        run.step(T0);
        assert_eq!((run.memory(CellId(0)), run.memory(CellId(1))), (0, 2), "{}", model.name());
        assert_eq!(run.flushable(T0), [CellId(0)]);
    }
}

#[test]
fn g_10_a_scratch_register_lasts_for_one_step() {
    let p = program(
        "program p\nvar x: u8 = 3\nstatement s0 \"s\"\n\
         thread P\nscratch _0: u8 = 0\nregister r: u8 = 0\nlocation L0\nlocation L1\nentry L0\n\
         edge L0 -> L1 s0: read _0 <- x; assign r <- _0 + 1\n",
    );
    let mut run = Run::new(&p, Model::Sc);
    run.step(T0);
    assert_eq!((run.register(T0, RegId(0)), run.register(T0, RegId(1))), (0, 4));
}

/// Both change `x` behind the rendezvous; the receiver's target is `x` itself.
const HANDSHAKE: &str = "program p\nvar x: u8 = 5\nvar y: u8 = 0\nchannel c 1\nstatement s0 \"send\"\n\
     statement s1 \"receive\"\n\
     thread P\nscratch _0: u8 = 0\nlocation L0\nlocation L1\nentry L0\n\
     edge L0 -> L1 s0: read _0 <- x; guard _0 == 5; send c <- (_0 + 1); read _0 <- x; write y <- _0\n\
     thread Q\nscratch _0: u8 = 0\nregister r: u8 = 0\nlocation L0\nlocation L1\nentry L0\n\
     edge L0 -> L1 s1: read _0 <- x; guard _0 == 5; receive (memory x) <- c; read _0 <- y; assign r <- _0\n";

#[test]
fn g_11_both_look_first_then_the_value_passes_then_the_sender_then_the_receiver() {
    let p = program(HANDSHAKE);
    let run = Run::new(&p, Model::Sc);
    assert_eq!(run.steps(T0), [], "nobody sends alone");
    assert_eq!(run.steps(T1), [], "nobody receives alone");
    assert_eq!(run.machine.actions(&run.state, 1).unwrap(), [MEET]);
    let trace =
        Trace { model: Model::Sc, initial: Default::default(), actions: vec![MEET], repeats_from: None };
    let execution = replay(&p, &trace).expect("it is possible");
    let end = execution.last();
    // x = 6 passes first, so the sender reads 6 and writes it to y, where the receiver finds it.
    assert_eq!(
        [&end.memory[CellId(0)], &end.memory[CellId(1)], &end.registers[T1][RegId(1)]],
        [&Int::from(6); 3]
    );
    assert_eq!(end.locations.as_slice(), [fencewright_ir::LocId(1); 2]);
    let done = &execution.performed[0];
    let who: Vec<u32> = by_thread(&done.action, &done.events).map(|(thread, _)| thread.0).collect();
    assert!(who.contains(&0) && who.contains(&1));
    assert_eq!(
        done.sources,
        [None, None, Some(0), Some(0)],
        "the last two reads see what the rendezvous wrote"
    );
}

#[test]
fn g_11_what_is_received_into_memory_is_a_write_of_the_receiver() {
    let p = program(HANDSHAKE);
    let mut run = Run::new(&p, Model::Tso);
    let Outcome::Next(next, _) = run.machine.perform(&run.state, &MEET) else { panic!("it is enabled") };
    run.state = *next;
    assert_eq!(run.queues(T1), [[Some((CellId(0), 6))]]);
    // The sender sees memory, where x is still 5.
    assert_eq!(run.queues(T0), [[Some((CellId(1), 5))]]);
    assert_eq!(run.register(T1, RegId(1)), 0, "the sender's y is pending");
}

#[test]
fn g_11_if_one_side_is_not_enabled_nothing_happens() {
    let p = program(&HANDSHAKE.replace("guard _0 == 5; receive", "guard _0 == 4; receive"));
    let run = Run::new(&p, Model::Sc);
    assert_eq!(run.machine.actions(&run.state, 1).unwrap(), []);
    assert_eq!(run.machine.perform(&run.state, &MEET), Outcome::Blocked);
}

#[test]
fn g_8_a_checked_value_that_does_not_fit_is_a_fault() {
    let p = program(
        "program p\nvar x: u8 = 255\nstatement s0 \"s\"\nthread P\nscratch _0: u8 = 0\nlocation L0\nentry L0\n\
         edge L0 -> L0 s0: read _0 <- x; write x <- checked(u8, _0 + 1)\n",
    );
    let run = Run::new(&p, Model::Sc);
    let [action] = &run.steps(T0)[..] else { panic!("the step is enabled, as a violation") };
    let Outcome::Violates(Violation::Fault { fault, .. }, _) = run.machine.perform(&run.state, action) else {
        panic!("it violates")
    };
    assert_eq!(fault, Fault::Arithmetic(fencewright_base::ArithmeticError::Overflow));
}

#[test]
fn g_12_committed_threads_go_first_and_flushes_wait() {
    let p = program(
        "program p\nvar x: u8 = 0\nchannel c 0\nstatement s0 \"s\"\n\
         thread P\nlocation L0\ncommitted L1\nlocation L2\nentry L0\n\
         edge L0 -> L1 s0: write x <- 1\nedge L1 -> L2 s0: send c <- ()\n\
         thread Q\nlocation L0\nlocation L1\nentry L0\n\
         edge L0 -> L0 s0: skip\nedge L0 -> L1 s0: receive () <- c\n",
    );
    let mut run = Run::new(&p, Model::Tso);
    assert_eq!(run.steps(T1).len(), 1, "nobody is committed yet");
    run.step(T0);
    assert!(run.is_blocked(T1));
    assert_eq!(run.flushable(T0), [], "the write of x waits");
    let meet = Action::Rendezvous { sender: T0, send: EdgeId(1), receiver: T1, receive: EdgeId(1) };
    assert_eq!(
        run.machine.actions(&run.state, 1).unwrap(),
        std::slice::from_ref(&meet),
        "one of the two is committed"
    );
    let Outcome::Next(next, _) = run.machine.perform(&run.state, &meet) else { panic!("it is enabled") };
    run.state = *next;
    assert_eq!(run.flushable(T0), [CellId(0)]);
}
