//! The suite that every engine inherits, as far as it is about verdicts; and what this engine says of data without bound.
//! Slot, which it does not know, is left to the plain search.

use std::time::Duration;

use fencewright_base::{Budget, CancelToken, Int, Meter, Stop};
use fencewright_engine::{Answer, Context, Engine, Feature, Guarantee, Options, Task, Unknown, Verdict, run};
use fencewright_engine_predicate::{Part, Predicate};
use fencewright_ir::{BinaryOp, Domain, Expr, Init, Lock, Op, Program, StateAtom};
use fencewright_memory::Model;
use fencewright_testkit::reference::ReferenceEngine;
use fencewright_testkit::toy::{Toy, cell, eq, guard, read, reg, write};

struct OrPlainSearch(Part);

impl OrPlainSearch {
    fn of(&self, model: Model) -> &'static dyn Engine {
        static OLDEST: Predicate = Predicate::with(Part::Oldest);
        static NEWEST: Predicate = Predicate::with(Part::Newest);
        match (model, self.0) {
            (Model::Slot, _) => &ReferenceEngine,
            (_, Part::Oldest) => &OLDEST,
            (_, Part::Newest) => &NEWEST,
        }
    }
}

impl Engine for OrPlainSearch {
    fn name(&self) -> &'static str {
        "predicate"
    }

    fn about(&self) -> &'static str {
        "predicate, and the plain search under Slot"
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Unknown> {
        self.of(task.model).supports(task)
    }

    fn check(&self, task: &Task<'_>, context: &mut Context<'_>) -> Verdict {
        self.of(task.model).check(task, context)
    }
}

/// Left out: what counts states of the concrete machine, what bounds its buffers, searches without end, and numbers past
/// what a zone can hold (`machine_integers_wrap`, `integers_past_64_bits`).
macro_rules! suite {
    ($name:ident, $engine:expr) => {
        mod $name {
            use super::*;
            fencewright_testkit::conformance_tests! { $engine;
                store_buffering message_passing load_buffering coherence two_plus_two_writes
                dekker_needs_its_fences independent_reads
                full_fences_restore_store_buffering store_store_fences_restore_message_passing_only
                locked_writes_of_both_strengths
                blocking_read_is_one_step ranges_block pointers_block indices_fault
                division_faults assertions_fail havoc_tries_every_value open_values_are_all_tried
                several_operations_in_one_step local_loops_do_not_hide_others
                invariants_see_every_state final_conditions filters forbidden_locations_and_labels
                no_property_holds slot_destroys_older_writes early_reads_of_own_writes
                cancelling_ends_in_unknown an_endless_domain_is_unsupported
            }
        }
    };
}

suite!(oldest, OrPlainSearch(Part::Oldest));
suite!(newest, OrPlainSearch(Part::Newest));

fn ask(engine: Predicate, program: &Program, model: Model, budget: Budget) -> Answer {
    let task = Task { program, model, options: Options::default() };
    let mut context = Context::quiet(Meter::start(budget, CancelToken::new()));
    run(&engine, &task, &mut context).expect("the trace replays")
}

/// r = x; x = r + 1 for ever, in a locked step or not, by two threads; x is never below 0, and with the lock it never
/// falls: a third thread reads it twice. Without the lock an old value may be written late.
#[test]
fn a_counter_never_falls() {
    for (lock, expected) in [(Some(Lock::Location), "hhh"), (None, "vvv")] {
        let mut p = Toy::new("counter");
        let x = p.var("x", Domain::Integers, Init::Value(Int::ZERO));
        for _ in 0..2 {
            p.thread(|t| {
                let r = t.reg_of("r", Domain::Integers, Init::Value(Int::ZERO));
                let head = t.here();
                let next = Expr::Atom(r).add(Expr::constant(1));
                let raise = Op::Assign { dst: r, value: next };
                match lock {
                    Some(_) => {
                        t.step_to(head, lock, [read(r, x), raise, write(x, r)]);
                    }
                    None => {
                        t.read(r, x);
                        t.step_to(head, None, [raise, write(x, r)]);
                    }
                }
            });
        }
        let (watcher, fell) = p.thread(|t| {
            let (a, b) = (t.reg_of("a", Domain::Integers, Init::Value(Int::ZERO)), t.reg("b"));
            t.read(a, x);
            t.read(b, x);
            t.step(None, [guard(Expr::Atom(b).binary(BinaryOp::Lt, Expr::Atom(a)))]);
            t.here()
        });
        p.forbid(&[(watcher, fell)]);
        let p = p.finish();
        let letters: String = [Model::Sc, Model::Tso, Model::Pso]
            .map(|model| match ask(Predicate::new(), &p, model, Budget::default()).verdict {
                Verdict::Holds(Guarantee::Unbounded) => 'h',
                Verdict::Violated(_) => 'v',
                _ => '?',
            })
            .into_iter()
            .collect();
        assert_eq!(letters, expected, "{lock:?}");
    }
}

/// x is open; r = x; y = r; s = y; never s = 77 + x - r … which is so whenever x is 77: the value has to be chosen.
#[test]
fn open_integers_get_values() {
    let mut p = Toy::new("open");
    let x = p.var("x", Domain::Integers, Init::Any);
    let (t, r) = p.thread(|t| {
        let r = t.reg_of("r", Domain::Integers, Init::Value(Int::ZERO));
        t.read(r, x);
        r
    });
    p.never(eq(reg(t, r), 77).and(eq(cell(x), 77)));
    let p = p.finish();
    for model in [Model::Sc, Model::Tso, Model::Pso] {
        let verdict = ask(Predicate::new(), &p, model, Budget::default()).verdict;
        let Verdict::Violated(trace) = verdict else { panic!("{verdict:?} under {}", model.name()) };
        assert_eq!(trace.initial.cells.values().collect::<Vec<_>>(), [&Int::from(77)]);
    }
}

/// x and y are open; x + y = 10 and x - 3y = 2: only x = 8, y = 2 will do, and no zone says so; the solver does.
#[test]
fn sums_of_open_integers_are_solved() {
    let mut p = Toy::new("sums");
    let [x, y] = ["x", "y"].map(|name| p.var(name, Domain::Integers, Init::Any));
    let (sum, factor) =
        (Expr::Atom(0).add(Expr::Atom(1)), Expr::constant(3).binary(BinaryOp::Mul, Expr::Atom(1)));
    let both = sum.eq(Expr::constant(10)).and(Expr::Atom(0).sub(factor).eq(Expr::constant(2)));
    p.thread(|t| t.here());
    p.never(both.map(&mut |var| StateAtom::Cell([x, y][*var])));
    let p = p.finish();
    let verdict = ask(Predicate::new(), &p, Model::Sc, Budget::default()).verdict;
    let Verdict::Violated(trace) = verdict else { panic!("{verdict:?}") };
    assert_eq!(trace.initial.cells.values().collect::<Vec<_>>(), [&Int::from(8), &Int::from(2)]);
}

/// x, y and z are open; y + z = 3 and then 2x = y + z: a sum of these refutes nothing, as x might be one and a half. The solver says
/// that the path cannot be taken, and then y + z = 3 is followed.
#[test]
fn integers_exclude_what_fractions_do_not() {
    let mut p = Toy::new("one and a half");
    let cells = ["x", "y", "z"].map(|name| p.var(name, Domain::Integers, Init::Any));
    let (t, wrong) = p.thread(|t| {
        let [x, y, z] = ["x", "y", "z"].map(|name| t.reg_of(name, Domain::Integers, Init::Value(Int::ZERO)));
        [x, y, z].into_iter().zip(cells).for_each(|(reg, cell)| {
            t.read(reg, cell);
        });
        let sum = || Expr::Atom(y).add(Expr::Atom(z));
        t.step(None, [guard(sum().eq(Expr::constant(3)))]);
        t.step(None, [guard(Expr::Atom(x).add(Expr::Atom(x)).eq(sum()))]);
        t.here()
    });
    p.forbid(&[(t, wrong)]);
    let p = p.finish();
    for model in [Model::Sc, Model::Tso, Model::Pso] {
        let verdict = ask(Predicate::new(), &p, model, Budget::default()).verdict;
        assert_eq!(verdict, Verdict::Holds(Guarantee::Unbounded), "{}", model.name());
    }
}

/// Budgets end in `Unknown`, and the abstraction reached is told.
#[test]
fn budgets_end_in_unknown() {
    let mut p = Toy::new("two counters");
    let [x, y] = p.vars(["x", "y"]);
    for (own, other) in [(x, y), (y, x)] {
        p.thread(|t| {
            let r = t.reg("r");
            let head = t.here();
            t.read(r, other);
            let next = Expr::Atom(r).add(Expr::constant(1));
            t.step_to(head, None, [Op::Assign { dst: r, value: next }, write(own, r)]);
        });
    }
    p.never(eq(cell(x), -5));
    let p = p.finish();
    let none = Budget::default;
    for (budget, expected) in [
        (Budget { states: Some(3), ..none() }, Stop::States),
        (Budget { memory: Some(300), ..none() }, Stop::Memory),
        (Budget { time: Some(Duration::ZERO), ..none() }, Stop::Time),
    ] {
        let answer = ask(Predicate::new(), &p, Model::Tso, budget);
        match answer.verdict {
            Verdict::Unknown(Unknown::Stopped { stop, explored: None }) => assert_eq!(stop, expected),
            other => panic!("{expected:?} gave {other:?}"),
        }
        assert!(answer.statistics.abstraction.is_some_and(|text| text.starts_with("oldest ")));
    }
}

/// Slot is another machine's, and the engine for integers leaves finite data to others.
#[test]
fn what_is_not_taken() {
    let mut p = Toy::new("finite");
    let x = p.var("x", Domain::range(0, 1), Init::Value(Int::ZERO));
    p.thread(|t| t.write(x, 1));
    let p = p.finish();
    let unsupported = |feature| Verdict::Unknown(Unknown::Unsupported { feature, span: None });
    let slot = ask(Predicate::new(), &p, Model::Slot, Budget::default()).verdict;
    assert_eq!(slot, unsupported(Feature::Model(Model::Slot)));
    let finite = ask(Predicate::for_unbounded_data(), &p, Model::Tso, Budget::default()).verdict;
    assert_eq!(finite, unsupported(Feature::FiniteData));
}
