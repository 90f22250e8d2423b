//! The constructs of the program representation, each with a verdict that follows from its rule.

use fencewright_base::Int;
use fencewright_engine::Engine;
use fencewright_ir::{BinaryOp, Domain, Expr, Init, Op, Outside};

use super::expect;
use crate::toy::{Toy, cell, eq, guard, indexed, read, reg, write};

/// A thread waits for x = 1 and asserts that x is still what it saw: reading and deciding are one step, so the register
/// holds 1. Split in two steps it would hold whatever the first read gave.
pub fn blocking_read_is_one_step(engine: &dyn Engine) {
    for (one_step, expected) in [(true, "hhhh"), (false, "vvvv")] {
        let mut p = Toy::new("wait");
        let [x] = p.vars(["x"]);
        p.thread(|t| {
            t.write(x, 1);
            t.write(x, 0);
        });
        let (t1, l1) = p.thread(|t| {
            let r = t.reg("r");
            if one_step {
                t.wait(r, x, 1);
            } else {
                t.read(r, x);
            }
            t.step(None, [guard(eq(r, 0))]);
            t.here()
        });
        p.forbid(&[(t1, l1)]);
        expect(engine, &p.finish(), expected);
    }
}

/// A value outside a range blocks the step: nothing behind it happens.
pub fn ranges_block(engine: &dyn Engine) {
    for (value, expected) in [(2, "vvvv"), (3, "hhhh")] {
        let mut p = Toy::new("range");
        let x = p.var("x", Domain::range(0, 2), Init::Value(Int::ZERO));
        let (t0, l0) = p.thread(|t| {
            t.write(x, value);
            t.here()
        });
        p.forbid(&[(t0, l0)]);
        expect(engine, &p.finish(), expected);
    }
    // The same for a register.
    for (value, expected) in [(2, "vvvv"), (3, "hhhh")] {
        let mut p = Toy::new("register range");
        let (t0, l0) = p.thread(|t| {
            let r = t.reg_of("r", Domain::range(0, 2), Init::Value(Int::ZERO));
            t.assign(r, value);
            t.here()
        });
        p.forbid(&[(t0, l0)]);
        expect(engine, &p.finish(), expected);
    }
}

/// 255 + 1 is 0 in a `u8` and -1 - 127 - 1 is 127 in an `i8`; in 64 bits, 2^63 is the least number if signed.
pub fn machine_integers_wrap(engine: &dyn Engine) {
    let two_63 = Expr::Const(Int::power_of_two(63));
    for (bits, signed, value, wrapped) in [
        (8, false, Expr::constant(256), Int::ZERO),
        (8, true, Expr::constant(-129), Int::from(127)),
        (64, true, two_63.clone(), Int::from(i64::MIN)),
        (64, false, two_63, Int::power_of_two(63)),
        (32, true, Expr::constant(i64::from(u32::MAX)), Int::from(-1)),
    ] {
        let mut p = Toy::new("wrap");
        let x = p.var("x", Domain::Machine { bits, signed }, Init::Value(Int::ZERO));
        let (t0, r) = p.thread(|t| {
            let r = t.reg("r");
            t.write(x, value);
            t.read(r, x);
            r
        });
        p.always(eq(reg(t0, r), 0).or(reg(t0, r).eq(Expr::Const(wrapped.clone()))));
        p.never(eq(cell(x), 0).and(Expr::Const(wrapped).ne(Expr::constant(0))));
        expect(engine, &p.finish(), "hhhh");
    }
}

/// A pointer outside its window blocks.
pub fn pointers_block(engine: &dyn Engine) {
    for (index, expected) in [(-1, "hhhh"), (0, "vvvv"), (1, "vvvv"), (2, "hhhh")] {
        let mut p = Toy::new("pointer");
        let [x, _] = p.vars(["x", "y"]);
        let (t0, l0) = p.thread(|t| {
            let r = t.reg("r");
            t.assign(r, index);
            t.write(indexed(x, 2, r, Outside::Blocks), 1);
            t.here()
        });
        p.forbid(&[(t0, l0)]);
        expect(engine, &p.finish(), expected);
    }
}

/// An index outside its array is a violation by itself.
pub fn indices_fault(engine: &dyn Engine) {
    for (index, expected) in [(-1, "vvvv"), (0, "hhhh"), (1, "hhhh"), (2, "vvvv")] {
        let mut p = Toy::new("index");
        let a = p.array("a", Domain::range(0, 3), &[0, 0]);
        p.thread(|t| {
            let r = t.reg("r");
            t.assign(r, index);
            t.read(r, indexed(a, 2, r, Outside::Faults));
        });
        expect(engine, &p.finish(), expected);
    }
    // Only an index that is read late is out of bounds: P1 must see P0's write.
    let mut p = Toy::new("index from memory");
    let [x] = p.vars(["x"]);
    let a = p.array("a", Domain::range(0, 3), &[0, 0]);
    p.thread(|t| t.write(x, 2));
    p.thread(|t| {
        let r = t.reg("r");
        t.read(r, x);
        t.write(indexed(a, 2, r, Outside::Faults), 1);
    });
    expect(engine, &p.finish(), "vvvv");
}

/// A division by zero is a violation by itself; one that is not evaluated is none.
pub fn division_faults(engine: &dyn Engine) {
    for (guarded, expected) in [(false, "vvvv"), (true, "hhhh")] {
        let mut p = Toy::new("division");
        p.thread(|t| {
            let r = t.reg("r");
            let division = Expr::constant(1).binary(BinaryOp::Div, Expr::Atom(r));
            t.assign(r, if guarded { eq(r, 1).and(division) } else { division });
        });
        expect(engine, &p.finish(), expected);
    }
}

/// The store-buffering outcome as an assertion of a third thread's view: r = 0 is asserted away where it can happen.
pub fn assertions_fail(engine: &dyn Engine) {
    let mut p = Toy::new("assertion");
    let [x, y, done] = p.vars(["x", "y", "done"]);
    p.thread(|t| {
        let r = t.reg("r");
        t.write(x, 1);
        t.read(r, y);
        t.step(None, [guard(eq(r, 0))]);
        t.write(done, 1);
    });
    p.thread(|t| {
        let (r, q) = (t.reg("r"), t.reg("q"));
        t.write(y, 1);
        t.read(r, x);
        t.wait(q, done, 1);
        t.step(None, [Op::Assert(eq(r, 1))]);
    });
    expect(engine, &p.finish(), "hvvv");
}

/// Some value of the havoc satisfies the guard, and no value outside the domain does.
pub fn havoc_tries_every_value(engine: &dyn Engine) {
    for (wanted, expected) in [(-2, "hhhh"), (-1, "vvvv"), (3, "vvvv"), (4, "hhhh")] {
        let mut p = Toy::new("havoc");
        let (t0, l0) = p.thread(|t| {
            let r = t.reg_of("r", Domain::range(-1, 3), Init::Value(Int::ZERO));
            t.step(None, [Op::Havoc { dst: r }]);
            t.step(None, [guard(eq(r, wanted))]);
            t.here()
        });
        p.forbid(&[(t0, l0)]);
        expect(engine, &p.finish(), expected);
    }
}

/// So do open initial values, of cells and registers together.
pub fn open_values_are_all_tried(engine: &dyn Engine) {
    for (wanted, expected) in [(0, "vvvv"), (5, "vvvv"), (6, "hhhh")] {
        let mut p = Toy::new("open");
        let x = p.var("x", Domain::range(0, 3), Init::Any);
        let (t0, l0) = p.thread(|t| {
            let r = t.reg_of("r", Domain::range(0, 2), Init::Any);
            let q = t.reg("q");
            t.read(q, x);
            t.step(None, [guard(Expr::Atom(r).add(Expr::Atom(q)).eq(Expr::constant(wanted)))]);
            t.here()
        });
        p.forbid(&[(t0, l0)]);
        expect(engine, &p.finish(), expected);
    }
}

/// 2^64 + 1 goes through memory and back; 2^128 comes of a multiplication.
pub fn integers_past_64_bits(engine: &dyn Engine) {
    let two_64 = Int::power_of_two(64);
    let square = two_64.mul(&two_64);
    assert_eq!(square.to_string(), "340282366920938463463374607431768211456");
    for (wanted, expected) in [(square.clone(), "vvvv"), (square.add(&Int::ONE), "hhhh")] {
        let mut p = Toy::new("big");
        let [x] = p.vars(["x"]);
        let (t0, l0) = p.thread(|t| {
            let r = t.reg("r");
            t.write(x, Expr::Const(two_64.clone()));
            t.read(r, x);
            t.write(x, Expr::Atom(r).binary(BinaryOp::Mul, Expr::Atom(r)));
            t.read(r, x);
            t.step(None, [guard(Expr::Atom(r).eq(Expr::Const(wanted)))]);
            t.here()
        });
        p.forbid(&[(t0, l0)]);
        expect(engine, &p.finish(), expected);
    }
}

/// Two writes of one step are not seen apart under SC, and come apart where they are delayed. A later operation of the
/// step sees an earlier one.
pub fn several_operations_in_one_step(engine: &dyn Engine) {
    let mut p = Toy::new("together");
    let [x, y] = p.vars(["x", "y"]);
    p.thread(|t| {
        let r = t.reg("r");
        t.step(None, [write(x, 1), read(r, x), write(y, r)]);
    });
    p.always(cell(x).eq(cell(y)));
    expect(engine, &p.finish(), "hvvv");
}

/// A thread that can run in a circle on its registers for ever does not keep the others from acting, and what it can do
/// after the circle is found.
pub fn local_loops_do_not_hide_others(engine: &dyn Engine) {
    let mut p = Toy::new("circle");
    let [x] = p.vars(["x"]);
    p.thread(|t| {
        let r = t.reg("r");
        let head = t.here();
        t.assign(r, 1);
        t.step_to(head, None, [Op::Assign { dst: r, value: Expr::constant(0) }]);
    });
    p.thread(|t| t.write(x, 1));
    p.always(eq(cell(x), 0));
    expect(engine, &p.finish(), "vvvv");

    let mut p = Toy::new("way out");
    let [x] = p.vars(["x"]);
    p.thread(|t| {
        let r = t.reg_of("r", Domain::range(0, 3), Init::Value(Int::ZERO));
        let head = t.here();
        t.step_to(head, None, [Op::Assign { dst: r, value: Expr::Atom(r).add(Expr::constant(1)) }]);
        t.step(None, [guard(eq(r, 3))]);
        t.write(x, 1);
    });
    p.always(eq(cell(x), 0));
    expect(engine, &p.finish(), "vvvv");
}
