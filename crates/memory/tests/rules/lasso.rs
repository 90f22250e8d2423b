//! F-1 to F-4: executions that never end.

use fencewright_ir::{
    CellId, Claim, Expr, Fairness, Formula, Never, NeverMove, NeverState, Op, Program, Property, StateAtom,
    Temporal,
};
use fencewright_memory::{Action, InitialChoices, Model, ReplayError, Trace, Violation, replay};
use fencewright_testkit::toy::{Toy, cell, eq};

use crate::{T0, T1, step};

fn flush(cell: CellId) -> Action {
    Action::Flush { thread: T0, cell }
}

/// `x = 1 ∥ loop { r = x }`, with one temporal property. Steps of T1: edge 0 reads and stays where it is.
fn spin(formula: impl Fn(CellId) -> Formula, fairness: Fairness) -> (Program, CellId) {
    let mut p = Toy::new("spin");
    let [x] = p.vars(["x"]);
    p.thread(|t| {
        t.write(x, 1);
    });
    p.thread(|t| {
        let r = t.reg("r");
        let here = t.here();
        t.step_to(here, None, [Op::Read { dst: r, addr: fencewright_ir::Addr::Cell(x) }]);
    });
    p.property(Property::Temporal(Temporal {
        claim: Claim::Formula(formula(x)),
        fairness,
        text: "test".to_owned(),
        span: None,
    }));
    (p.finish(), x)
}

fn x_is(x: CellId, value: i64) -> Formula {
    Formula::Now(eq(cell(x), value))
}

const NONE: Fairness = Fairness { flush: false, process: false };
const FLUSH: Fairness = Fairness { flush: true, process: false };
const PROCESS: Fairness = Fairness { flush: false, process: true };

fn violation(program: &Program, model: Model, actions: &[Action], from: usize) -> Result<bool, ReplayError> {
    let trace = Trace {
        model,
        initial: InitialChoices::default(),
        actions: actions.to_vec(),
        repeats_from: Some(from),
    };
    replay(program, &trace).map(|execution| execution.violation == Some(Violation::Property(0)))
}

#[test]
fn f1_a_cycle_must_return_to_its_first_state() {
    let (p, x) = spin(|x| x_is(x, 1).finally(), NONE);
    let (write, read) = (step(T0, 0), step(T1, 0));
    let check = |actions: &[Action], from| violation(&p, Model::Tso, actions, from);
    assert_eq!(check(std::slice::from_ref(&read), 0), Ok(true));
    assert_eq!(check(&[write.clone(), read.clone()], 0), Err(ReplayError::NoReturn(0)), "T0 has moved on");
    assert_eq!(check(&[write.clone(), read.clone()], 1), Ok(true));
    assert_eq!(check(&[write.clone(), flush(x), read.clone()], 1), Err(ReplayError::NoReturn(1)));
    assert_eq!(check(&[write, flush(x), read.clone(), read.clone()], 3), Ok(false), "x is 1 in the end");
    assert_eq!(check(&[read], 2), Err(ReplayError::NoReturn(2)), "there is no such position");
}

#[test]
fn f1_an_execution_comes_to_rest_only_where_nothing_is_enabled() {
    let mut p = Toy::new("one write");
    let [x] = p.vars(["x"]);
    p.thread(|t| {
        t.write(x, 1);
    });
    let never = Temporal {
        claim: Claim::Formula(x_is(x, 0).globally()),
        fairness: FLUSH,
        text: "G x = 0".to_owned(),
        span: None,
    };
    p.property(Property::Temporal(never));
    let p = p.finish();
    let write = step(T0, 0);
    assert_eq!(violation(&p, Model::Tso, &[], 0), Err(ReplayError::NotAtRest), "T0 can write");
    assert_eq!(
        violation(&p, Model::Tso, std::slice::from_ref(&write), 1),
        Err(ReplayError::NotAtRest),
        "a write is pending"
    );
    assert_eq!(violation(&p, Model::Tso, &[write.clone(), flush(x)], 2), Ok(true));
    assert_eq!(violation(&p, Model::Sc, &[write], 1), Ok(true));
}

#[test]
fn f2_a_write_that_is_pending_for_ever_is_unfair() {
    let delayed = [step(T0, 0), step(T1, 0)];
    for model in [Model::Tso, Model::Pso, Model::Slot] {
        for (fairness, counts) in [(NONE, true), (PROCESS, true), (FLUSH, false)] {
            let (p, _) = spin(|x| x_is(x, 1).finally(), fairness);
            assert_eq!(violation(&p, model, &delayed, 1), Ok(counts), "{model:?} {fairness:?}");
        }
    }
}

#[test]
fn f2_a_buffer_that_is_never_empty_is_fair_if_it_is_flushed() {
    // loop { x = 1; x = 1 }: one write enters and one leaves, and one is always pending.
    let mut p = Toy::new("writer");
    let [x] = p.vars(["x"]);
    p.thread(|t| {
        let here = t.here();
        t.write(x, 1);
        t.step_to(here, None, [fencewright_testkit::toy::write(x, 1)]);
    });
    let never = Temporal {
        claim: Claim::Formula(x_is(x, 0).globally()),
        fairness: FLUSH,
        text: "G x = 0".to_owned(),
        span: None,
    };
    p.property(Property::Temporal(never));
    let p = p.finish();
    let round = [step(T0, 1), flush(x), step(T0, 0), flush(x)];
    let actions = [&[step(T0, 0)][..], &[flush(x)], &[step(T0, 1)], &[step(T0, 0)], &round].concat();
    assert_eq!(violation(&p, Model::Tso, &actions, 4), Ok(true));
    // Under Slot a newer write takes the place of the older one; it must be flushed all the same.
    let overwritten = [step(T0, 0), flush(x), step(T0, 1), step(T0, 0), step(T0, 1)];
    assert_eq!(violation(&p, Model::Slot, &overwritten, 3), Ok(false));
}

#[test]
fn f3_a_thread_that_can_go_on_and_never_does_is_unfair() {
    let spins = [step(T1, 0)];
    for (fairness, counts) in [(NONE, true), (FLUSH, true), (PROCESS, false)] {
        let (p, _) = spin(|x| x_is(x, 1).finally(), fairness);
        assert_eq!(violation(&p, Model::Tso, &spins, 0), Ok(counts), "T0 never writes: {fairness:?}");
    }
}

/// The execution `write, flush, read, (read)*`: x is 0 at the first two moments, then 1; T0 stands at its end from the second
/// moment on.
#[test]
fn f4_operators_mean_what_they_say() {
    let actions = |x| [step(T0, 0), flush(x), step(T1, 0), step(T1, 0)];
    let end = |_: CellId| {
        let at = |loc| Expr::Atom(StateAtom::At(T0, fencewright_ir::LocId(loc)));
        Formula::Now(at(1))
    };
    let zero = |x| x_is(x, 0);
    let one = |x| x_is(x, 1);
    type Of = Box<dyn Fn(CellId) -> Formula>;
    let table: Vec<(&str, bool, Of)> = vec![
        ("true", true, Box::new(|_| Formula::Const(true))),
        ("x = 0", true, Box::new(zero)),
        ("X x = 0", true, Box::new(move |x| zero(x).next())),
        ("X X x = 0", false, Box::new(move |x| zero(x).next().next())),
        ("X X X x = 1", true, Box::new(move |x| one(x).next().next().next())),
        ("F x = 1", true, Box::new(move |x| one(x).finally())),
        ("G x = 1", false, Box::new(move |x| one(x).globally())),
        ("F G x = 1", true, Box::new(move |x| one(x).globally().finally())),
        ("G F x = 0", false, Box::new(move |x| zero(x).finally().globally())),
        ("x = 0 U x = 1", true, Box::new(move |x| zero(x).until(one(x)))),
        ("x = 0 U end", true, Box::new(move |x| zero(x).until(end(x)))),
        ("end U x = 1", false, Box::new(move |x| end(x).until(one(x)))),
        ("x = 1 R x = 0", false, Box::new(move |x| one(x).release(zero(x)))),
        ("end R x = 0", true, Box::new(move |x| end(x).release(zero(x)))),
        ("x = 0 W false", false, Box::new(move |x| zero(x).weak_until(Formula::Const(false)))),
        ("end M x = 0", true, Box::new(move |x| end(x).strong_release(zero(x)))),
        ("G (x = 1 -> end)", true, Box::new(move |x| one(x).implies(end(x)).globally())),
        ("G (x = 1 <-> end)", false, Box::new(move |x| one(x).equivalent(end(x)).globally())),
    ];
    for (text, holds, formula) in table {
        let (p, x) = spin(&formula, NONE);
        assert_eq!(violation(&p, Model::Tso, &actions(x), 3), Ok(!holds), "{text}");
    }
}

/// The execution `write, flush, read, (read)*` against automata: x is 0 at the first two moments, then 1 for ever.
#[test]
fn f5_an_automaton_accepts_by_passing_accepting_states_for_ever() {
    let accepts = |states: &dyn Fn(CellId) -> Vec<NeverState>| {
        let (mut p, x) = spin(|_| Formula::Const(true), NONE);
        let claim = Claim::Never(Never { states: states(x) });
        p.properties = vec![Property::Temporal(Temporal {
            claim,
            fairness: NONE,
            text: "automaton".to_owned(),
            span: None,
        })];
        violation(&p, Model::Tso, &[step(T0, 0), flush(x), step(T1, 0), step(T1, 0)], 3)
    };
    let go = |when, to| NeverMove { when, to };
    let state = |accepting, moves: Vec<NeverMove>| NeverState { accepting, moves };
    let any = || Expr::constant(1);
    assert_eq!(accepts(&|_| Vec::new()), Ok(false), "no state");
    assert_eq!(accepts(&|_| vec![state(true, Vec::new())]), Ok(false), "it cannot move");
    assert_eq!(accepts(&|_| vec![state(true, vec![go(any(), 0)])]), Ok(true));
    assert_eq!(accepts(&|_| vec![state(false, vec![go(any(), 0)])]), Ok(false));
    // From some moment on always x = 1; and the same with x = 0.
    for (value, expected) in [(1, true), (0, false)] {
        let eventually_always = |x| {
            let is = || eq(cell(x), value);
            vec![state(false, vec![go(any(), 0), go(is(), 1)]), state(true, vec![go(is(), 1)])]
        };
        assert_eq!(accepts(&eventually_always), Ok(expected), "x = {value}");
    }
    // Passed once is not passed again and again.
    let once = |x| vec![state(true, vec![go(eq(cell(x), 0), 1)]), state(false, vec![go(any(), 1)])];
    assert_eq!(accepts(&once), Ok(false));
}
