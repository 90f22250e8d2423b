//! Small programs whose verdicts can be argued by hand; the reason is beside each.

use std::time::Duration;

use fencewright_base::{Budget, CancelToken, Int, Meter, Stop};
use fencewright_engine::{Answer, Context, Engine, Feature, Guarantee, Options, Task, Unknown, Verdict, run};
use fencewright_engine_coherence::{Abstraction, Coherence};
use fencewright_ir::{Domain, Expr, FenceKind, Init, Lock, Op, Program, Quantifier};
use fencewright_memory::Model;
use fencewright_testkit::toy::{Toy, cell, eq, guard, read, reg, write};

const ALL: [Abstraction; 5] =
    [Abstraction::Set, Abstraction::Fd(0), Abstraction::Fd(1), Abstraction::Pd(0), Abstraction::Pd(1)];

fn ask_with(engine: &dyn Engine, program: &Program, model: Model, meter: Meter) -> Answer {
    let task = Task { program, model, options: Options::default() };
    run(engine, &task, &mut Context::quiet(meter)).expect("the trace replays")
}

/// `h` proved, `v` violated, `i` imprecise.
fn letter(engine: &Coherence, program: &Program, model: Model) -> char {
    match ask_with(engine, program, model, Meter::unlimited()).verdict {
        Verdict::Holds(Guarantee::Unbounded) => 'h',
        Verdict::Violated(_) => 'v',
        Verdict::Unknown(Unknown::Imprecise) => 'i',
        other => panic!("{}: {other:?}", program.name),
    }
}

/// What the growing engine says under TSO and PSO.
fn grown(program: &Program) -> String {
    [Model::Tso, Model::Pso].map(|model| letter(&Coherence::growing(), program, model)).iter().collect()
}

/// x = 1; fence?; y = 1  ∥  r0 = y; r1 = x. Never r0 = 1 and r1 = 0.
fn message_passing(fence: Option<FenceKind>) -> Program {
    let mut p = Toy::new("MP");
    let [x, y] = p.vars(["x", "y"]);
    p.thread(|t| {
        t.write(x, 1);
        if let Some(kind) = fence {
            t.fence(kind);
        }
        t.write(y, 1);
    });
    let (t1, (a, b)) = p.thread(|t| {
        let (a, b) = (t.reg("a"), t.reg("b"));
        t.read(a, y);
        t.read(b, x);
        (a, b)
    });
    p.never(eq(reg(t1, a), 1).and(eq(reg(t1, b), 0)));
    p.finish()
}

/// x = 1; fence?; r0 = y  ∥  y = 1; fence?; r1 = x. Never r0 = r1 = 0.
fn store_buffering(fence: Option<FenceKind>) -> Program {
    let mut p = Toy::new("SB");
    let [x, y] = p.vars(["x", "y"]);
    let mut side = |own, other| {
        let (t, r) = p.thread(|t| {
            let r = t.reg("r");
            t.write(own, 1);
            if let Some(kind) = fence {
                t.fence(kind);
            }
            t.read(r, other);
            r
        });
        eq(reg(t, r), 0)
    };
    let (one, two) = (side(x, y), side(y, x));
    p.never(one.and(two));
    p.finish()
}

#[test]
fn message_passing_needs_a_store_store_fence_under_pso_only() {
    assert_eq!(grown(&message_passing(None)), "hv");
    assert_eq!(grown(&message_passing(Some(FenceKind::StoreStore))), "hh");
    assert_eq!(grown(&message_passing(Some(FenceKind::Full))), "hh");
}

#[test]
fn the_epochs_of_store_store_fences_are_kept_apart_by_every_abstraction() {
    let program = message_passing(Some(FenceKind::StoreStore));
    for abstraction in ALL {
        assert_eq!(letter(&Coherence::new(abstraction), &program, Model::Pso), 'h', "{abstraction}");
    }
}

#[test]
fn store_buffering_needs_full_fences() {
    assert_eq!(grown(&store_buffering(None)), "vv");
    assert_eq!(grown(&store_buffering(Some(FenceKind::StoreStore))), "vv", "it orders writes only");
    assert_eq!(grown(&store_buffering(Some(FenceKind::Full))), "hh");
    for abstraction in ALL {
        for model in [Model::Tso, Model::Pso] {
            let engine = Coherence::new(abstraction);
            assert_eq!(letter(&engine, &store_buffering(None), model), 'v', "{abstraction}");
        }
    }
}

/// x = 1; lock(y) = 1  ∥  r0 = y; r1 = x. A lock of the location waits for y only, so under PSO x may still be pending;
/// a full one waits for both. Under TSO both wait for the whole buffer.
#[test]
fn locked_writes_of_both_strengths() {
    for (lock, expected) in [(Lock::Location, "hv"), (Lock::Full, "hh")] {
        let mut p = Toy::new("MP+lock");
        let [x, y] = p.vars(["x", "y"]);
        p.thread(|t| {
            t.write(x, 1);
            t.locked_write(lock, y, 1);
        });
        let (t1, (a, b)) = p.thread(|t| {
            let (a, b) = (t.reg("a"), t.reg("b"));
            t.read(a, y);
            t.read(b, x);
            (a, b)
        });
        p.never(eq(reg(t1, a), 1).and(eq(reg(t1, b), 0)));
        assert_eq!(grown(&p.finish()), expected, "{lock:?}");
    }
}

/// x = 1; x = 0 for ever; the other waits for x to be 2. No buffer is long enough to show that all of it is known, so
/// explicit search has only bounds; no value comes from nowhere, so every abstraction proves it.
#[test]
fn a_writer_that_never_waits_is_proved() {
    let mut p = Toy::new("endless writer");
    let [x] = p.vars(["x"]);
    p.thread(|t| {
        let head = t.here();
        t.write(x, 1);
        t.step_to(head, None, [write(x, 0)]);
    });
    let (t1, end) = p.thread(|t| {
        let r = t.reg("r");
        t.wait(r, x, 2);
        t.here()
    });
    p.forbid(&[(t1, end)]);
    let program = p.finish();
    for abstraction in ALL {
        for model in [Model::Tso, Model::Pso] {
            assert_eq!(letter(&Coherence::new(abstraction), &program, model), 'h', "{abstraction}");
        }
    }
}

/// (data = 1; ssfence; flag = 1) for ever. When flag is 1, data is. Epochs are joined, but never the oldest.
#[test]
fn a_loop_of_store_store_fences_is_proved() {
    let mut p = Toy::new("endless publisher");
    let [data, flag] = p.vars(["data", "flag"]);
    p.thread(|t| {
        t.write(data, 1);
        t.fence(FenceKind::StoreStore);
        let head = t.here();
        t.write(flag, 1);
        t.fence(FenceKind::StoreStore);
        t.step_to(head, None, [write(data, 1)]);
    });
    p.always(eq(cell(flag), 0).or(eq(cell(data), 1)));
    assert_eq!(grown(&p.finish()), "hh");
}

/// x = 1; x = 2; fence. Recency alone says that 2 is in memory in the end, order that 1 is never seen after 2.
#[test]
fn a_set_is_imprecise_where_recency_or_order_decide() {
    let mut p = Toy::new("recency");
    let [x] = p.vars(["x"]);
    p.thread(|t| {
        t.write(x, 1);
        t.write(x, 2);
        t.fence(FenceKind::Full);
    });
    p.last(Quantifier::Forall, eq(cell(x), 2));
    let last = p.finish();
    for (abstraction, expected) in ALL.into_iter().zip(['i', 'h', 'h', 'h', 'h']) {
        for model in [Model::Tso, Model::Pso] {
            assert_eq!(letter(&Coherence::new(abstraction), &last, model), expected, "{abstraction}");
        }
    }
    let mut p = Toy::new("order");
    let [x] = p.vars(["x"]);
    p.thread(|t| {
        t.write(x, 1);
        t.write(x, 2);
    });
    let (t1, end) = p.thread(|t| {
        let r = t.reg("r");
        t.wait(r, x, 2);
        t.wait(r, x, 1);
        t.here()
    });
    p.forbid(&[(t1, end)]);
    let order = p.finish();
    for (abstraction, expected) in ALL.into_iter().zip(['i', 'i', 'h', 'i', 'h']) {
        for model in [Model::Tso, Model::Pso] {
            assert_eq!(letter(&Coherence::new(abstraction), &order, model), expected, "{abstraction}");
        }
    }
}

#[test]
fn assertions_faults_and_choices() {
    // A havoc finds the one value that fails.
    let mut p = Toy::new("assert");
    let [x] = p.vars(["x"]);
    p.thread(|t| {
        let r = t.reg_of("r", Domain::range(0, 9), Init::Value(Int::ZERO));
        t.step(None, [Op::Havoc { dst: r }, write(x, r)]);
        t.step(None, [read(r, x), Op::Assert(Expr::Atom(r).ne(Expr::constant(7)))]);
    });
    assert_eq!(grown(&p.finish()), "vv");
    // An open initial value does.
    let mut p = Toy::new("open");
    let x = p.var("x", Domain::range(0, 5), Init::Any);
    let (t0, end) = p.thread(|t| {
        let r = t.reg("r");
        t.step(None, [read(r, x), guard(eq(r, 5))]);
        t.here()
    });
    p.forbid(&[(t0, end)]);
    assert_eq!(grown(&p.finish()), "vv");
    // A division by zero, which only a write that was never made could cause.
    for (value, expected) in [(0, "hh"), (2, "vv")] {
        let mut p = Toy::new("division");
        let [x] = p.vars(["x"]);
        p.thread(|t| t.write(x, value));
        p.thread(|t| {
            let r = t.reg("r");
            let quotient = Expr::constant(1).binary(
                fencewright_ir::BinaryOp::Div,
                Expr::Atom(r).binary(fencewright_ir::BinaryOp::Sub, Expr::constant(2)),
            );
            t.step(None, [read(r, x), Op::Assign { dst: r, value: quotient }]);
        });
        assert_eq!(grown(&p.finish()), expected, "writes {value}");
    }
}

#[test]
fn other_models_and_endless_domains_are_not_supported() {
    let program = store_buffering(None);
    for model in [Model::Sc, Model::Slot] {
        let answer = ask_with(&Coherence::growing(), &program, model, Meter::unlimited());
        let feature = Feature::Model(model);
        assert_eq!(answer.verdict, Verdict::Unknown(Unknown::Unsupported { feature, span: None }));
    }
    let mut p = Toy::new("open integer");
    p.var("x", Domain::Integers, Init::Any);
    p.thread(|_| {});
    let answer = ask_with(&Coherence::growing(), &p.finish(), Model::Tso, Meter::unlimited());
    let feature = Feature::OpenValue("x".to_owned());
    assert_eq!(answer.verdict, Verdict::Unknown(Unknown::Unsupported { feature, span: None }));
}

/// A counter in ℤ: no search of its states ends.
#[test]
fn budgets_end_in_unknown() {
    let mut p = Toy::new("counter");
    let [x] = p.vars(["x"]);
    p.thread(|t| {
        let r = t.reg("r");
        let head = t.here();
        let next = Expr::Atom(r).add(Expr::constant(1));
        t.step_to(head, None, [Op::Assign { dst: r, value: next }, write(x, r)]);
    });
    let program = p.finish();
    let cancelled = CancelToken::new();
    cancelled.cancel();
    let time = Some(Duration::from_millis(30));
    for (budget, cancel, expected) in [
        (Budget { states: Some(500), ..Budget::default() }, CancelToken::new(), Stop::States),
        (Budget { memory: Some(1 << 19), ..Budget::default() }, CancelToken::new(), Stop::Memory),
        (Budget { time, states: Some(1 << 20), ..Budget::default() }, CancelToken::new(), Stop::Time),
        (Budget::default(), cancelled, Stop::Cancelled),
    ] {
        for model in [Model::Tso, Model::Pso] {
            let meter = Meter::start(budget.clone(), cancel.clone());
            let answer = ask_with(&Coherence::growing(), &program, model, meter);
            let stopped = Unknown::Stopped { stop: expected, explored: None };
            assert_eq!(answer.verdict, Verdict::Unknown(stopped), "{}", model.name());
        }
    }
}
