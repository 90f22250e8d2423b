//! The suite that every engine inherits, as far as it is about verdicts; and what this engine says where others have only
//! bounds. Slot, which it does not know, is left to the plain search.

use std::path::Path;
use std::time::Duration;

use fencewright_base::{Budget, CancelToken, Int, Meter, Stop};
use fencewright_engine::{Context, Engine, Feature, Guarantee, Options, Task, Unknown, Verdict, run};
use fencewright_engine_wsts::{Buffering, Wsts};
use fencewright_ir::{Domain, Expr, FenceKind, Init, Lock, Op, Program};
use fencewright_memory::Model;
use fencewright_testkit::corpus::load_program;
use fencewright_testkit::reference::ReferenceEngine;
use fencewright_testkit::toy::{Toy, cell, eq, guard, read, reg, write};

struct OrPlainSearch;

impl OrPlainSearch {
    fn of(model: Model) -> &'static dyn Engine {
        static WSTS: Wsts = Wsts::new();
        if model == Model::Slot { &ReferenceEngine } else { &WSTS }
    }
}

impl Engine for OrPlainSearch {
    fn name(&self) -> &'static str {
        "wsts"
    }

    fn about(&self) -> &'static str {
        "wsts, and the plain search under Slot"
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Unknown> {
        Self::of(task.model).supports(task)
    }

    fn check(&self, task: &Task<'_>, context: &mut Context<'_>) -> Verdict {
        Self::of(task.model).check(task, context)
    }
}

// Left out: what counts states of the concrete machine, what bounds its buffers, and searches without end; and squares of
// integers (`integers_past_64_bits`): the values of cells are found without looking at the order of steps, so there the
// square of a square is one of them, and so on.
fencewright_testkit::conformance_tests! { OrPlainSearch;
    store_buffering message_passing load_buffering coherence two_plus_two_writes
    dekker_needs_its_fences independent_reads
    full_fences_restore_store_buffering store_store_fences_restore_message_passing_only
    locked_writes_of_both_strengths
    blocking_read_is_one_step ranges_block machine_integers_wrap pointers_block indices_fault
    division_faults assertions_fail havoc_tries_every_value open_values_are_all_tried
    several_operations_in_one_step local_loops_do_not_hide_others
    invariants_see_every_state final_conditions filters forbidden_locations_and_labels
    no_property_holds slot_destroys_older_writes early_reads_of_own_writes
    cancelling_ends_in_unknown an_endless_domain_is_unsupported
}

fn ask(engine: Wsts, program: &Program, model: Model, budget: Budget) -> Verdict {
    let task = Task { program, model, options: Options::default() };
    let mut context = Context::quiet(Meter::start(budget, CancelToken::new()));
    run(&engine, &task, &mut context).expect("the trace replays").verdict
}

/// x = 1; x = 2; x = 1; … for ever  ∥  y = 1; r0 = x; r1 = x. The buffer has no bound; x is 0, 1 or 2, and once it is not
/// 0 it is never 0 again.
#[test]
fn endless_writes_are_proved() {
    let mut p = Toy::new("endless writes");
    let [x, y] = p.vars(["x", "y"]);
    p.thread(|t| {
        let head = t.here();
        t.write(x, 1);
        t.step_to(head, None, [write(x, 2)]);
    });
    let (t1, [r0, r1]) = p.thread(|t| {
        let regs = ["r0", "r1"].map(|name| t.reg(name));
        t.write(y, 1);
        for r in regs {
            t.read(r, x);
        }
        regs
    });
    p.always(eq(cell(x), 0).or(eq(cell(x), 1)).or(eq(cell(x), 2)));
    p.never(eq(reg(t1, r1), 0).and(eq(reg(t1, r0), 1)));
    let p = p.finish();
    for (engine, model) in
        [(Wsts::new(), Model::Tso), (Wsts::new(), Model::Pso), (Wsts::with(Buffering::Single), Model::Tso)]
    {
        let verdict = ask(engine, &p, model, Budget::default());
        assert_eq!(verdict, Verdict::Holds(Guarantee::Unbounded), "{engine:?} under {}", model.name());
    }
}

/// Four writes to x must be pending while y is read: x = 1; … x = 4; r0 = y  ∥  y = 1; fence; r1 = x, never r0 = r1 = 0.
#[test]
fn long_buffers_are_followed() {
    let mut p = Toy::new("four writes");
    let [x, y] = p.vars(["x", "y"]);
    let (t0, r0) = p.thread(|t| {
        let r = t.reg("r");
        for value in 1..=4 {
            t.write(x, value);
        }
        t.read(r, y);
        r
    });
    let (t1, r1) = p.thread(|t| {
        let r = t.reg("r");
        t.write(y, 1);
        t.fence(FenceKind::Full);
        t.read(r, x);
        r
    });
    p.never(eq(reg(t0, r0), 0).and(eq(reg(t1, r1), 0)));
    let p = p.finish();
    for model in [Model::Tso, Model::Pso] {
        let verdict = ask(Wsts::new(), &p, model, Budget::default());
        assert!(matches!(verdict, Verdict::Violated(_)), "{}", model.name());
    }
}

/// A machine answers for its own model only, and Slot has none.
#[test]
fn machines_have_their_models() {
    let mut p = Toy::new("nothing");
    p.thread(|t| t.here());
    let p = p.finish();
    for (engine, model) in [
        (Wsts::new(), Model::Slot),
        (Wsts::with(Buffering::Single), Model::Pso),
        (Wsts::with(Buffering::Dual), Model::Sc),
        (Wsts::with(Buffering::Hierarchical), Model::Tso),
    ] {
        let feature = Feature::Model(model);
        let expected = Verdict::Unknown(Unknown::Unsupported { feature, span: None });
        assert_eq!(ask(engine, &p, model, Budget::default()), expected);
    }
}

/// A counter in ℤ has no finite domain; the engine says whose.
#[test]
fn unbounded_data_is_refused_by_name() {
    let mut p = Toy::new("counter");
    let x = p.var("x", Domain::Integers, Init::Value(Int::ZERO));
    p.thread(|t| {
        let r = t.reg_of("r", Domain::Integers, Init::Value(Int::ZERO));
        let head = t.here();
        t.read(r, x);
        let next = Expr::Atom(r).add(Expr::constant(1));
        t.step_to(head, None, [Op::Assign { dst: r, value: next }, write(x, r)]);
    });
    let verdict = ask(Wsts::new(), &p.finish(), Model::Tso, Budget::default());
    let feature = Feature::Values("x".to_owned());
    assert_eq!(verdict, Verdict::Unknown(Unknown::Unsupported { feature, span: None }));
}

/// A program whose proof takes more than a handful of configurations.
fn peterson() -> Program {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/mutex/peterson-pso/peterson-pso.rmm");
    load_program(Path::new(path)).expect("a program of the corpus")
}

#[test]
fn budgets_end_in_unknown() {
    let none = Budget::default;
    for (budget, expected) in [
        (Budget { states: Some(20), ..none() }, Stop::States),
        (Budget { memory: Some(2_000), ..none() }, Stop::Memory),
        (Budget { time: Some(Duration::ZERO), ..none() }, Stop::Time),
    ] {
        match ask(Wsts::new(), &peterson(), Model::Pso, budget) {
            Verdict::Unknown(Unknown::Stopped { stop, explored: None }) => assert_eq!(stop, expected),
            other => panic!("{expected:?} gave {other:?}"),
        }
    }
}

/// Three threads take a lock by compare-and-swap, write x and y inside, and give it back; the forbidden pairs are the same
/// for all. Folding the threads gives the same answer with fewer configurations. If nobody looks whether the lock is free, two
/// threads are inside together.
#[test]
fn threads_of_one_text_are_folded() {
    for (waits, expected) in [(true, 'h'), (false, 'v')] {
        let mut p = Toy::new("lock");
        let [lock, x, y] = p.vars(["lock", "x", "y"]);
        let mut places = Vec::new();
        for _ in 0..3 {
            places.push(p.thread(|t| {
                let r = t.reg("r");
                let head = t.here();
                let free = Expr::Atom(r).eq(Expr::constant(0)).or(Expr::constant(i64::from(!waits)));
                let taken = [read(r, lock), guard(free), write(lock, 1)];
                t.step(Some(Lock::Full), taken);
                let inside = t.here();
                t.write(x, 1);
                t.write(y, 1);
                t.fence(FenceKind::StoreStore);
                t.step_to(head, None, [write(lock, 0)]);
                inside
            }));
        }
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            p.forbid(&[places[a], places[b]]);
        }
        let p = p.finish();
        for model in [Model::Tso, Model::Pso] {
            let [folded, plain] = [true, false].map(|reduction| {
                let options = Options { reduction, ..Options::default() };
                let task = Task { program: &p, model, options };
                run(&Wsts::new(), &task, &mut Context::quiet(Meter::unlimited())).expect("the trace replays")
            });
            for answer in [&folded, &plain] {
                let letter = match answer.verdict {
                    Verdict::Holds(Guarantee::Unbounded) => 'h',
                    Verdict::Violated(_) => 'v',
                    _ => '?',
                };
                assert_eq!(letter, expected, "{}", model.name());
            }
            assert!(folded.statistics.states < plain.statistics.states, "{}", model.name());
        }
    }
}
