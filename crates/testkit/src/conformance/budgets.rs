//! Limits end in `Unknown` with the reason, never in a verdict or a panic.

use std::time::Duration;

use fencewright_base::{Budget, CancelToken, Int, Meter, Stop};
use fencewright_engine::{Engine, Feature, Options, Unknown, Verdict};
use fencewright_ir::{Domain, Expr, Init, Op, Program};
use fencewright_memory::Model;

use super::{ask, ask_with};
use crate::toy::{Toy, write};

/// A counter in ℤ that two threads raise for ever: no search of its states ends.
fn endless() -> Program {
    let mut p = Toy::new("counter");
    let [x] = p.vars(["x"]);
    for _ in 0..2 {
        p.thread(|t| {
            let r = t.reg("r");
            let head = t.here();
            let next = Expr::Atom(r).add(Expr::constant(1));
            t.step_to(head, None, [Op::Assign { dst: r, value: next }, write(x, r)]);
        });
    }
    p.finish()
}

fn stopped_by(engine: &dyn Engine, model: Model, budget: Budget, cancel: CancelToken) -> Stop {
    let options = Options { buffer: Some(1), ..Options::default() };
    let answer = ask_with(engine, &endless(), model, options, Meter::start(budget, cancel));
    match answer.verdict {
        Verdict::Unknown(Unknown::Stopped { stop, explored: None }) => stop,
        other => panic!("an endless search under {} gave {other:?}", model.name()),
    }
}

/// Some thousand states.
pub fn a_state_budget_ends_in_unknown(engine: &dyn Engine) {
    for model in Model::OPERATIONAL {
        let budget = Budget { states: Some(5_000), ..Budget::default() };
        assert_eq!(stopped_by(engine, model, budget, CancelToken::new()), Stop::States, "{}", model.name());
    }
}

/// Some megabytes.
pub fn a_memory_budget_ends_in_unknown(engine: &dyn Engine) {
    let budget = Budget { memory: Some(4 << 20), ..Budget::default() };
    assert_eq!(stopped_by(engine, Model::Sc, budget, CancelToken::new()), Stop::Memory);
}

/// Some milliseconds; the other limits only keep a broken engine from eating the machine.
pub fn a_time_budget_ends_in_unknown(engine: &dyn Engine) {
    let time = Some(Duration::from_millis(30));
    let budget = Budget { time, memory: Some(2 << 30), states: None };
    assert_eq!(stopped_by(engine, Model::Tso, budget, CancelToken::new()), Stop::Time);
}

/// Cancelled before it begins, it does not answer either.
pub fn cancelling_ends_in_unknown(engine: &dyn Engine) {
    let cancel = CancelToken::new();
    cancel.cancel();
    assert_eq!(stopped_by(engine, Model::Pso, Budget::default(), cancel), Stop::Cancelled);
}

/// An open value of ℤ cannot be tried value by value. An engine that can do otherwise must find that 12345 is reached.
pub fn an_endless_domain_is_unsupported(engine: &dyn Engine) {
    let mut p = Toy::new("open integer");
    let x = p.var("x", Domain::Integers, Init::Any);
    let (t0, l0) = p.thread(|t| {
        let r = t.reg_of("r", Domain::range(12_345, 12_345), Init::Value(Int::from(12_345)));
        t.read(r, x);
        t.here()
    });
    p.forbid(&[(t0, l0)]);
    match ask(engine, &p.finish(), Model::Sc, None).verdict {
        Verdict::Unknown(Unknown::Unsupported { feature: Feature::OpenValue(name), .. }) => {
            assert_eq!(name, "x")
        }
        Verdict::Violated(_) => {}
        other => panic!("an open integer gave {other:?}"),
    }
}
