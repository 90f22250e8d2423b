//! G-1 to G-9: what is common to all models.

use fencewright_base::{ArithmeticError, Int};
use fencewright_ir::{
    BinaryOp, Condition, Domain, EdgeId, Expr, Init, Op, Outside, Property, Quantifier, StateAtom,
};
use fencewright_memory::{
    Action, Event, Fault, InitialChoices, Machine, Model, NotEnumerable, Outcome, Violation, WriteTo,
};
use fencewright_testkit::toy::{self, Toy, cell, eq, guard, indexed, reg};

use crate::{Run, T0, T1, step};

#[test]
fn g_1_initial_states_are_all_combinations_of_open_values() {
    let mut p = Toy::new("p");
    let x = p.var("x", Domain::range(0, 2), Init::Any);
    let y = p.var("y", Domain::range(5, 9), Init::Value(Int::from(7)));
    p.thread(|t| {
        t.reg_of("r", Domain::Machine { bits: 1, signed: true }, Init::Any);
    });
    let p = p.finish();
    for model in Model::OPERATIONAL {
        let machine = Machine::new(&p, model);
        let states = machine.initial_states(6).expect("there are six");
        let seen: Vec<(i64, i64)> = states
            .iter()
            .map(|(choices, state)| {
                assert_eq!(machine.initial(choices).as_ref(), Some(state), "the choices give the state");
                assert_eq!(state.memory[y], Int::from(7));
                assert_eq!(state.locations[T0], p.threads[T0].entry);
                assert!(state.pending[T0].rules().is_empty());
                let r = state.registers[T0].iter().next().expect("there is a register");
                (state.memory[x].to_i64().unwrap(), r.to_i64().unwrap())
            })
            .collect();
        assert_eq!(seen, [(0, -1), (0, 0), (1, -1), (1, 0), (2, -1), (2, 0)]);
        assert_eq!(machine.initial_states(5), Err(NotEnumerable));
        let mut outside = InitialChoices::default();
        outside.cells.insert(x, Int::from(3));
        assert_eq!(machine.initial(&outside), None);
    }
}

#[test]
fn g_2_a_step_is_made_whole_or_not_at_all() {
    let mut p = Toy::new("p");
    let [x] = p.vars(["x"]);
    p.thread(|t| {
        let r = t.reg("r");
        t.step(None, [toy::write(x, 1), toy::read(r, x), guard(eq(r, 2))]);
    });
    p.thread(|t| {
        t.write(x, 2);
    });
    let p = p.finish();
    for model in Model::OPERATIONAL {
        let run = Run::new(&p, model);
        assert_eq!(run.machine.perform(&run.state, &step(T0, 0)), Outcome::Blocked, "{model:?}");
        assert_eq!(run.machine.perform(&run.state, &step(T0, 1)), Outcome::Blocked, "there is no such edge");
        let mut run = Run::new(&p, model);
        run.step(T1);
        assert_eq!(run.machine.perform(&run.state, &step(T1, 0)), Outcome::Blocked, "it has left the source");
    }
}

#[test]
fn g_3_a_read_of_a_value_the_register_cannot_hold_blocks_or_wraps() {
    let value = 300;
    let mut p = Toy::new("p");
    let x = p.var("x", Domain::Integers, Init::Value(Int::from(value)));
    p.thread(|t| {
        let r = t.reg_of("r", Domain::range(0, 255), Init::Value(Int::ZERO));
        t.read(r, x);
    });
    let (_, r) = p.thread(|t| {
        let r = t.reg_of("r", Domain::Machine { bits: 8, signed: false }, Init::Value(Int::ZERO));
        t.read(r, x);
        r
    });
    let p = p.finish();
    let mut run = Run::new(&p, Model::Tso);
    assert!(run.is_blocked(T0));
    run.step(T1);
    assert_eq!(run.register(T1, r), 44);
}

#[test]
fn g_4_a_write_of_a_value_the_variable_cannot_hold_blocks_or_wraps() {
    for model in Model::OPERATIONAL {
        let mut p = Toy::new("p");
        let small = p.var("small", Domain::range(0, 3), Init::Value(Int::ZERO));
        let byte = p.var("byte", Domain::Machine { bits: 8, signed: true }, Init::Value(Int::ZERO));
        p.thread(|t| {
            t.write(small, 4);
        });
        p.thread(|t| {
            t.write(byte, 200);
        });
        let p = p.finish();
        let mut run = Run::new(&p, model);
        assert!(run.is_blocked(T0), "{model:?}");
        let events = run.step(T1);
        let to = if model == Model::Sc { WriteTo::Memory } else { WriteTo::Pending };
        assert_eq!(events, [Event::Write { cell: byte, value: Int::from(-56), to }]);
    }
}

#[test]
fn g_5_an_assignment_computes_on_registers() {
    let mut p = Toy::new("p");
    let (_, (r, q)) = p.thread(|t| {
        let r = t.reg("r");
        let q = t.reg_of("q", Domain::range(0, 1), Init::Value(Int::ZERO));
        t.assign(r, 20);
        t.assign(r, Expr::Atom(r).add(Expr::constant(22)));
        t.assign(q, r);
        (r, q)
    });
    let p = p.finish();
    let mut run = Run::new(&p, Model::Pso);
    run.step(T0);
    assert_eq!(run.step(T0), [Event::Assign { reg: r, value: Int::from(42) }]);
    assert_eq!(run.register(T0, r), 42);
    assert_eq!(run.register(T0, q), 0);
    assert!(run.is_blocked(T0), "42 is not in the range of q");
}

#[test]
fn g_6_a_false_guard_blocks_and_a_false_assertion_violates() {
    for (value, blocked) in [(0, true), (1, false), (-5, false)] {
        let mut p = Toy::new("p");
        p.thread(|t| t.step(None, [guard(Expr::constant(value))]));
        p.thread(|t| t.step(None, [Op::Assert(Expr::constant(value))]));
        let p = p.finish();
        let run = Run::new(&p, Model::Sc);
        assert_eq!(run.is_blocked(T0), blocked);
        let outcome = run.machine.perform(&run.state, &step(T1, 0));
        let failed = Outcome::Violates(Violation::Assertion { thread: T1, edge: EdgeId(0) }, Vec::new());
        assert_eq!(outcome == failed, blocked, "{outcome:?}");
    }
}

#[test]
fn g_7_a_havoc_gives_every_value_of_the_domain_and_no_other() {
    let mut p = Toy::new("p");
    let (_, (r, q)) = p.thread(|t| {
        let r = t.reg_of("r", Domain::range(-1, 1), Init::Value(Int::ZERO));
        let q = t.reg_of("q", Domain::Machine { bits: 1, signed: false }, Init::Value(Int::ZERO));
        t.step(None, [Op::Havoc { dst: r }, Op::Havoc { dst: q }]);
        (r, q)
    });
    let p = p.finish();
    let run = Run::new(&p, Model::Sc);
    let mut seen = Vec::new();
    for action in run.steps(T0) {
        let Outcome::Next(next, _) = run.machine.perform(&run.state, &action) else {
            panic!("it is enabled")
        };
        seen.push((next.registers[T0][r].to_i64().unwrap(), next.registers[T0][q].to_i64().unwrap()));
    }
    assert_eq!(seen, [(-1, 0), (-1, 1), (0, 0), (0, 1), (1, 0), (1, 1)]);
    assert_eq!(run.machine.actions(&run.state, 2), Err(NotEnumerable));
    let choose = |choices: &[i64]| Action::Step {
        thread: T0,
        edge: EdgeId(0),
        choices: choices.iter().map(|&c| Int::from(c)).collect(),
    };
    for wrong in [&[2, 0][..], &[0], &[0, 0, 0]] {
        assert_eq!(run.machine.perform(&run.state, &choose(wrong)), Outcome::Blocked, "{wrong:?}");
    }
}

#[test]
fn g_8_an_index_outside_its_window_blocks_or_faults() {
    for (index, cell_written) in [(-1, None), (0, Some(0)), (1, Some(1)), (2, None)] {
        for outside in [Outside::Blocks, Outside::Faults] {
            let mut p = Toy::new("p");
            let first = p.array("a", Domain::Integers, &[0, 0]);
            p.vars(["behind"]);
            p.thread(|t| {
                t.write(indexed(first, 2, index, outside), 9);
            });
            let p = p.finish();
            let run = Run::new(&p, Model::Sc);
            let outcome = run.machine.perform(&run.state, &step(T0, 0));
            match (cell_written, outside) {
                (Some(i), _) => {
                    let Outcome::Next(next, _) = outcome else { panic!("index {index} is inside") };
                    let memory: Vec<i64> = next.memory.iter().map(|value| value.to_i64().unwrap()).collect();
                    assert_eq!(memory, [9 * i64::from(i == 0), 9 * i64::from(i == 1), 0]);
                }
                (None, Outside::Blocks) => assert_eq!(outcome, Outcome::Blocked),
                (None, Outside::Faults) => {
                    let fault = Fault::Index(Int::from(index));
                    let violation = Violation::Fault { thread: T0, edge: EdgeId(0), fault };
                    assert_eq!(outcome, Outcome::Violates(violation, Vec::new()));
                }
            }
        }
    }
}

#[test]
fn g_8_arithmetic_without_a_result_faults() {
    for (op, error) in
        [(BinaryOp::Div, ArithmeticError::DivisionByZero), (BinaryOp::Rem, ArithmeticError::DivisionByZero)]
    {
        let mut p = Toy::new("p");
        p.thread(|t| {
            let r = t.reg("r");
            t.assign(r, Expr::constant(1).binary(op, Expr::Atom(r)))
        });
        let p = p.finish();
        let run = Run::new(&p, Model::Sc);
        let violation = Violation::Fault { thread: T0, edge: EdgeId(0), fault: Fault::Arithmetic(error) };
        assert_eq!(run.machine.perform(&run.state, &step(T0, 0)), Outcome::Violates(violation, Vec::new()));
    }
}

#[test]
fn g_9_forbidden_locations_are_violated_only_all_together() {
    let mut p = Toy::new("p");
    let (t0, l0) = p.thread(|t| {
        t.step(None, []);
        t.here()
    });
    let (t1, l1) = p.thread(|t| {
        t.step(None, []);
        t.here()
    });
    p.forbid(&[(t0, l0), (t1, l1)]);
    let p = p.finish();
    let mut run = Run::new(&p, Model::Tso);
    assert_eq!(run.machine.violation(&run.state), None);
    run.step(T0);
    assert_eq!(run.machine.violation(&run.state), None);
    run.step(T1);
    assert_eq!(run.machine.violation(&run.state), Some(Violation::Property(0)));
}

#[test]
fn g_9_an_invariant_sees_memory_and_not_what_is_pending() {
    let mut p = Toy::new("p");
    let [x] = p.vars(["x"]);
    p.thread(|t| t.write(x, 1));
    p.always(eq(cell(x), 0));
    let p = p.finish();
    let mut run = Run::new(&p, Model::Tso);
    run.step(T0);
    assert_eq!(run.machine.violation(&run.state), None);
    run.flush(T0, x);
    assert_eq!(run.machine.violation(&run.state), Some(Violation::Property(0)));
}

/// For each quantifier whether a final state with x = 1 violates `x = 1`, and one with x = 1 violates `x = 2`.
#[test]
fn g_9_final_conditions_count_when_all_threads_have_ended_and_nothing_is_pending() {
    for (quantifier, when_true, when_false) in [
        (Quantifier::Exists, true, false),
        (Quantifier::NotExists, true, false),
        (Quantifier::Forall, false, true),
    ] {
        for (wanted, violated) in [(1, when_true), (2, when_false)] {
            let mut p = Toy::new("p");
            let [x] = p.vars(["x"]);
            p.thread(|t| t.write(x, 1));
            p.last(quantifier, eq(cell(x), wanted));
            let p = p.finish();
            let mut run = Run::new(&p, Model::Pso);
            assert_eq!(run.machine.violation(&run.state), None, "the thread has not ended");
            run.step(T0);
            assert!(!run.machine.is_final(&run.state), "a write is pending");
            assert_eq!(run.machine.violation(&run.state), None);
            run.flush(T0, x);
            assert!(run.machine.is_final(&run.state));
            assert_eq!(run.machine.violation(&run.state).is_some(), violated, "{quantifier:?} x = {wanted}");
        }
    }
}

#[test]
fn g_9_a_filter_leaves_final_states_out_and_a_condition_without_value_does_not_hold() {
    let violated = |quantifier, condition: Expr<StateAtom>, filter: Option<Expr<StateAtom>>| {
        let named = |expr| Condition { expr, text: String::new(), span: None };
        let mut p = Toy::new("p");
        p.thread(|t| t.reg("r"));
        p.property(Property::Final {
            quantifier,
            condition: named(condition),
            filter: filter.map(named),
            observed: Vec::new(),
        });
        let p = p.finish();
        let run = Run::new(&p, Model::Sc);
        run.machine.violation(&run.state).is_some()
    };
    let r = || reg(T0, fencewright_ir::RegId(0));
    let undefined = || Expr::constant(1).binary(BinaryOp::Div, r());
    assert!(violated(Quantifier::NotExists, eq(r(), 0), None));
    assert!(violated(Quantifier::NotExists, eq(r(), 0), Some(eq(r(), 0))));
    assert!(!violated(Quantifier::NotExists, eq(r(), 0), Some(eq(r(), 1))));
    assert!(!violated(Quantifier::NotExists, undefined(), None));
    assert!(violated(Quantifier::Forall, undefined(), None));
    assert!(!violated(Quantifier::NotExists, eq(r(), 0), Some(undefined())));
}
