//! Avoid formulae of programs small enough to compute them by hand. The variables are the orders themselves, as in the
//! paper. Each is computed over the whole graph, and from what open ways demand.

use std::cell::RefCell;
use std::collections::BTreeMap;

use fencewright_base::Meter;
use fencewright_engine::{Context, Options, Order, Task, run_orders};
use fencewright_engine_coherence::{Abstraction, Coherence};
use fencewright_ir::{FenceKind, Program};
use fencewright_logic::Diagrams;
use fencewright_memory::Model;
use fencewright_synth::{Demands, avoid};
use fencewright_testkit::toy::{Toy, cell, eq, reg};

/// The least sets of orders that satisfy the formula, each order as in `P0:[0<1]`, or `P0:[0<1]s` if a store-store fence
/// enforces it. Edges count from 0 in their thread. `true` has the empty set; `false` has none.
fn formula(program: &Program, model: Model, abstraction: Abstraction, store_store: bool) -> Vec<String> {
    let task = Task { program, model, options: Options::default() };
    let mut context = Context::quiet(Meter::unlimited());
    let graph = run_orders(&Coherence::new(abstraction), &task, store_store, &mut context)
        .expect("the program is taken, and there is no limit");
    let variables: RefCell<BTreeMap<Order, usize>> = RefCell::default();
    let mut enforced = |diagrams: &mut Diagrams, order: Order| {
        let mut variables = variables.borrow_mut();
        let next = variables.len();
        diagrams.variable(*variables.entry(order).or_insert(next))
    };
    let mut diagrams = Diagrams::new(64, 1 << 16);
    let root = avoid(&graph, &mut diagrams, &mut enforced, &context.meter).expect("there is no limit");
    let (mut models, all) = diagrams.minimal(root, 100);
    assert!(all);
    let engine = Coherence::new(abstraction);
    let mut demands = Demands::new(&engine, task, store_store, 64, Box::new(enforced));
    let mut context = || Context::quiet(Meter::unlimited());
    let (mut demanded, all) = demands.minimal(100, &mut context).expect("there is no limit");
    assert!(all);
    models.sort();
    demanded.sort();
    assert_eq!(models, demanded, "{} with {abstraction}", program.name);
    let variables = variables.borrow();
    let name = |variable: &usize| {
        let (Order { thread, write, then, kind }, _) =
            variables.iter().find(|(_, number)| *number == variable).expect("every variable is an order");
        let kind = if *kind == FenceKind::StoreStore { "s" } else { "" };
        format!("P{}:[{}<{}]{kind}", thread.0, write.0, then.0)
    };
    let text = |model: &Vec<usize>| {
        let mut orders: Vec<String> = model.iter().map(name).collect();
        orders.sort();
        orders.join(" & ")
    };
    let mut models: Vec<String> = models.iter().map(text).collect();
    models.sort();
    models
}

/// Each thread writes its variable and reads the other's.
///
/// There is an execution in which only P0's write waits (P1 writes, reads x = 0; P0 has read y = 0 before), and one in
/// which only P1's does: both orders are needed.
#[test]
fn store_buffering_needs_both_orders() {
    let mut p = Toy::new("SB");
    let [x, y] = p.vars(["x", "y"]);
    let mut thread = |own, other| {
        p.thread(|t| {
            let r = t.reg("r");
            t.write(own, 1);
            t.read(r, other);
            r
        })
    };
    let (t0, r0) = thread(x, y);
    let (t1, r1) = thread(y, x);
    p.never(eq(reg(t0, r0), 0).and(eq(reg(t1, r1), 0)));
    let program = p.finish();
    for model in [Model::Tso, Model::Pso] {
        for abstraction in [Abstraction::Fd(0), Abstraction::Fd(1), Abstraction::Pd(0), Abstraction::Pd(1)] {
            assert_eq!(formula(&program, model, abstraction, true), ["P0:[0<1] & P1:[0<1]"], "{abstraction}");
        }
    }
}

/// Data, then a flag. The flag must not reach memory first: either the data is in memory before the flag is written, or a
/// store-store fence keeps the order of the two flushes.
#[test]
fn message_passing_needs_its_writes_in_order() {
    let mut p = Toy::new("MP");
    let [data, flag] = p.vars(["data", "flag"]);
    p.thread(|t| {
        t.write(data, 1);
        t.write(flag, 1);
    });
    let (reader, (seen, read)) = p.thread(|t| {
        let (seen, read) = (t.reg("seen"), t.reg("read"));
        t.read(seen, flag);
        t.read(read, data);
        (seen, read)
    });
    p.never(eq(reg(reader, seen), 1).and(eq(reg(reader, read), 0)));
    let program = p.finish();
    for abstraction in [Abstraction::Fd(1), Abstraction::Pd(1)] {
        assert_eq!(formula(&program, Model::Pso, abstraction, true), ["P0:[0<1]", "P0:[0<1]s"]);
        assert_eq!(formula(&program, Model::Pso, abstraction, false), ["P0:[0<1]"]);
        assert_eq!(formula(&program, Model::Tso, abstraction, true), [""], "no order is needed");
    }
    // Without any write in order, the flag may be flushed, stay, and be flushed again behind the data.
    assert_eq!(formula(&program, Model::Tso, Abstraction::Fd(0), true), ["P0:[0<1]"]);
}

/// Figure 6 of the paper: FD 0 may flush 2, then 1, and asks for a fence between the writes; FD 1 does not.
#[test]
fn the_example_of_the_paper() {
    let mut p = Toy::new("figure 6");
    let [x] = p.vars(["x"]);
    p.thread(|t| {
        t.write(x, 1);
        t.write(x, 2);
    });
    let (reader, (r1, r2)) = p.thread(|t| {
        let (r1, r2) = (t.reg("r1"), t.reg("r2"));
        t.read(r1, x);
        t.read(r2, x);
        (r1, r2)
    });
    p.never(eq(reg(reader, r1), 2).and(eq(reg(reader, r2), 1)));
    let program = p.finish();
    assert_eq!(formula(&program, Model::Pso, Abstraction::Fd(0), false), ["P0:[0<1]"]);
    assert_eq!(formula(&program, Model::Pso, Abstraction::Fd(1), false), [""]);
}

/// P0: x = 1 (0), y = 1 (1), read z (2). P1: z = 1, a full fence, read x. Not both may read 0: x must not wait while z is
/// read.
fn two_writes_and_a_read() -> Program {
    let mut p = Toy::new("two writes");
    let [x, y, z] = p.vars(["x", "y", "z"]);
    let (t0, r0) = p.thread(|t| {
        let r = t.reg("r");
        t.write(x, 1);
        t.write(y, 1);
        t.read(r, z);
        r
    });
    let (t1, r1) = p.thread(|t| {
        let r = t.reg("r");
        t.write(z, 1);
        t.fence(FenceKind::Full);
        t.read(r, x);
        r
    });
    p.never(eq(reg(t0, r0), 0).and(eq(reg(t1, r1), 0)));
    p.finish()
}

/// Two kinds of executions are wrong: y is flushed before z is read, or it is not. In both, x waits at 1 and at 2.
///
/// FD: ([0≺1] ∨ [0≺2]) ∧ ([0≺1] ∨ [0≺2] ∨ [1≺2]). PD 0: at the read, all that may be pending must be ordered, so the second
/// is [0≺1] ∨ ([0≺2] ∧ [1≺2]). PD 1 keeps both writes in order, each in its buffer, so both are certain: as FD.
#[test]
fn fd_needs_any_order_and_pd_all() {
    let program = two_writes_and_a_read();
    let formula = |abstraction| formula(&program, Model::Pso, abstraction, false);
    assert_eq!(formula(Abstraction::Fd(1)), ["P0:[0<1]", "P0:[0<2]"]);
    assert_eq!(formula(Abstraction::Pd(0)), ["P0:[0<1]", "P0:[0<2] & P0:[1<2]"]);
    assert_eq!(formula(Abstraction::Pd(1)), ["P0:[0<1]", "P0:[0<2]"]);
}

/// A store-store fence between the writes does not keep x from waiting while z is read, though the order [0≺1] is one of
/// two stores: only together with [1≺2] it does. The second kind of execution has no flush it could forbid.
#[test]
fn an_order_of_stores_is_not_always_one_for_a_store_store_fence() {
    let found = formula(&two_writes_and_a_read(), Model::Pso, Abstraction::Fd(1), true);
    assert_eq!(found, ["P0:[0<1]", "P0:[0<1]s & P0:[1<2]", "P0:[0<2]"]);
}

/// With nothing in order, one write of x = 1 can be flushed twice, and no order of its thread's steps forbids that.
#[test]
fn what_no_order_forbids_is_false() {
    let mut p = Toy::new("twice");
    let [x] = p.vars(["x"]);
    p.thread(|t| t.write(x, 1));
    let (t, (r, s)) = p.thread(|t| {
        let (r, s) = (t.reg("r"), t.reg("s"));
        t.wait(r, x, 1);
        t.write(x, 2);
        t.fence(FenceKind::Full);
        t.read(s, x);
        (r, s)
    });
    p.never(eq(reg(t, r), 1).and(eq(reg(t, s), 1)));
    let program = p.finish();
    for abstraction in [Abstraction::Fd(0), Abstraction::Pd(0)] {
        assert_eq!(formula(&program, Model::Pso, abstraction, false), Vec::<String>::new());
    }
    assert_eq!(formula(&program, Model::Pso, Abstraction::Fd(1), false), [""]);
}

#[test]
fn a_violation_at_the_start_cannot_be_avoided() {
    let mut p = Toy::new("start");
    let [x] = p.vars(["x"]);
    p.thread(|t| t.write(x, 1));
    p.always(eq(cell(x), 1));
    let program = p.finish();
    assert_eq!(formula(&program, Model::Pso, Abstraction::Fd(1), false), Vec::<String>::new());
}
