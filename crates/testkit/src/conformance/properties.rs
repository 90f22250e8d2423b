//! What each kind of property sees.

use fencewright_engine::Engine;
use fencewright_ir::{Condition, Expr, Property, Quantifier, StateAtom};

use super::expect;
use crate::toy::{Toy, cell, eq, reg};

/// x is 1 for a moment only. Under Slot the second write may destroy the first, but need not.
pub fn invariants_see_every_state(engine: &dyn Engine) {
    let mut p = Toy::new("moment");
    let [x] = p.vars(["x"]);
    p.thread(|t| {
        t.write(x, 1);
        t.write(x, 0);
    });
    p.always(eq(cell(x), 0));
    expect(engine, &p.finish(), "vvvv");

    // A register shows at once what memory does not show yet.
    let mut p = Toy::new("register before memory");
    let [x] = p.vars(["x"]);
    let (t0, r) = p.thread(|t| {
        let r = t.reg("r");
        t.write(x, 1);
        t.read(r, x);
        r
    });
    p.always(eq(reg(t0, r), 0).or(eq(cell(x), 1)));
    expect(engine, &p.finish(), "hvvv");
}

/// The outcome x = 1 is the only one: asked for, forbidden, demanded. `Exists` as a property forbids it.
pub fn final_conditions(engine: &dyn Engine) {
    for (quantifier, wanted, expected) in [
        (Quantifier::Exists, 1, "vvvv"),
        (Quantifier::Exists, 2, "hhhh"),
        (Quantifier::NotExists, 1, "vvvv"),
        (Quantifier::NotExists, 0, "hhhh"),
        (Quantifier::Forall, 1, "hhhh"),
        (Quantifier::Forall, 0, "vvvv"),
    ] {
        let mut p = Toy::new("final");
        let [x] = p.vars(["x"]);
        p.thread(|t| t.write(x, 1));
        p.last(quantifier, eq(cell(x), wanted));
        expect(engine, &p.finish(), expected);
    }
    // A thread that never ends has no final state.
    let mut p = Toy::new("endless");
    let [x] = p.vars(["x"]);
    p.thread(|t| {
        let head = t.here();
        t.step_to(head, None, []);
    });
    p.never(eq(cell(x), 0));
    expect(engine, &p.finish(), "hhhh");
}

/// Store buffering again; the filter leaves only outcomes with r0 = 1, and the bad one is not among them.
pub fn filters(engine: &dyn Engine) {
    for (kept, expected) in [(0, "hvvv"), (1, "hhhh")] {
        let mut p = Toy::new("SB filtered");
        let [x, y] = p.vars(["x", "y"]);
        let mut side = |own, other| {
            let (t, r) = p.thread(|t| {
                let r = t.reg("r");
                t.write(own, 1);
                t.read(r, other);
                r
            });
            reg(t, r)
        };
        let (r0, r1) = (side(x, y), side(y, x));
        let named = |expr: Expr<StateAtom>| Condition { expr, text: "condition".to_owned(), span: None };
        p.property(Property::Final {
            quantifier: Quantifier::NotExists,
            condition: named(eq(r0.clone(), 0).and(eq(r1, 0))),
            filter: Some(named(eq(r0, kept))),
            observed: Vec::new(),
        });
        expect(engine, &p.finish(), expected);
    }
}

/// A combination of locations counts only when all threads stand there at once; a thread that is not named may stand
/// anywhere.
pub fn forbidden_locations_and_labels(engine: &dyn Engine) {
    for (both, expected) in [(true, "hhhh"), (false, "vvvv")] {
        let mut p = Toy::new("forbidden");
        let [x] = p.vars(["x"]);
        // P0 passes its location before it lets P1 start.
        let (t0, l0) = p.thread(|t| {
            t.step(None, []);
            let passed = t.here();
            t.write(x, 1);
            passed
        });
        let (t1, l1) = p.thread(|t| {
            let r = t.reg("r");
            t.wait(r, x, 1);
            t.here()
        });
        if both {
            p.forbid(&[(t0, l0), (t1, l1)])
        } else {
            p.forbid(&[(t1, l1)])
        }
        expect(engine, &p.finish(), expected);
    }
}

/// Nothing to violate.
pub fn no_property_holds(engine: &dyn Engine) {
    let mut p = Toy::new("nothing");
    let [x] = p.vars(["x"]);
    p.thread(|t| t.write(x, 1));
    expect(engine, &p.finish(), "hhhh");
    // Not even a step or a variable.
    let mut p = Toy::new("empty");
    p.thread(|t| t.here());
    expect(engine, &p.finish(), "hhhh");
}
