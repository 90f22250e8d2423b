//! Engines in a race, with engines made for the purpose.

use fencewright_base::{Budget, CancelToken, Meter, Stop};
use fencewright_engine::{
    Answer, Context, Engine, Guarantee, Options, Race, Rejected, Task, Unknown, Verdict, run,
};
use fencewright_ir::Program;
use fencewright_memory::Model;
use fencewright_testkit::reference::ReferenceEngine;
use fencewright_testkit::toy::{Toy, eq, reg};

/// Store buffering: violated under TSO, right under SC.
fn store_buffering() -> Program {
    let mut toy = Toy::new("sb");
    let [x, y] = toy.vars(["x", "y"]);
    let mut thread = |mine, other| {
        toy.thread(|t| {
            let r = t.reg("r");
            t.write(mine, 1);
            t.read(r, other);
            r
        })
    };
    let (p, a) = thread(x, y);
    let (q, b) = thread(y, x);
    toy.never(eq(reg(p, a), 0).and(eq(reg(q, b), 0)));
    toy.finish()
}

/// An engine that is a name and a function.
struct Made(&'static str, fn(&Task<'_>, &Context<'_>) -> Verdict);

impl Engine for Made {
    fn name(&self) -> &'static str {
        self.0
    }

    fn about(&self) -> &'static str {
        "made for a test"
    }

    fn supports(&self, _: &Task<'_>) -> Result<(), Unknown> {
        Ok(())
    }

    fn check(&self, task: &Task<'_>, context: &mut Context<'_>) -> Verdict {
        (self.1)(task, context)
    }
}

static PROVES: Made = Made("proves", |_, _| Verdict::Holds(Guarantee::Unbounded));

static IMPRECISE: Made = Made("imprecise", |_, _| Verdict::Unknown(Unknown::Imprecise));

/// Gives up within a head start, and then waits to be stopped.
static SLOW: Made = Made("slow", |_, context| {
    if in_head_start(context) {
        return stopped(Stop::States);
    }
    loop {
        if let Err(stop) = context.meter.tick() {
            return stopped(stop);
        }
        std::thread::yield_now();
    }
});

/// Gives up within a head start, and finds the violation then, even if somebody asks it to stop.
static STUBBORN: Made = Made("stubborn", |task, context| {
    if in_head_start(context) {
        return stopped(Stop::States);
    }
    ReferenceEngine.check(task, &mut Context::quiet(Meter::unlimited()))
});

fn in_head_start(context: &Context<'_>) -> bool {
    context.meter.budget().states.is_some()
}

fn stopped(stop: Stop) -> Verdict {
    Verdict::Unknown(Unknown::Stopped { stop, explored: None })
}

fn task(program: &Program) -> Task<'_> {
    Task { program, model: Model::Tso, options: Options { buffer: Some(2), ..Options::default() } }
}

/// Lets the engines race through the gate, with buffers of at most two writes.
fn race(engines: &[&dyn Engine], program: &Program, context: &mut Context<'_>) -> Result<Answer, Rejected> {
    race_with(engines, None, program, context)
}

fn race_with(
    engines: &[&dyn Engine],
    reserve: Option<&dyn Engine>,
    program: &Program,
    context: &mut Context<'_>,
) -> Result<Answer, Rejected> {
    run(&Race { name: "race", about: "made for a test", engines, reserve }, &task(program), context)
}

#[test]
fn the_engine_from_below_decides_alone_if_it_can() {
    let program = store_buffering();
    let mut context = Context::quiet(Meter::unlimited());
    let answer = race(&[&ReferenceEngine, &PROVES], &program, &mut context).unwrap();
    let parts = &answer.parts;
    assert!(matches!(answer.verdict, Verdict::Violated(_)));
    assert!(answer.execution.is_some(), "it has passed the gate");
    assert_eq!(parts.len(), 1, "the wrong prover was never asked");
}

#[test]
fn a_decision_stops_the_others_and_names_who_made_it() {
    let program = store_buffering();
    let mut context = Context::quiet(Meter::unlimited());
    let answer = race(&[&SLOW, &PROVES], &program, &mut context).unwrap();
    let parts = &answer.parts;
    assert_eq!((answer.engine, &answer.verdict), ("proves", &Verdict::Holds(Guarantee::Unbounded)));
    assert_eq!((parts[0].engine, &parts[0].verdict), ("slow", &stopped(Stop::Cancelled)));
    assert!(!context.meter.cancel_token().is_cancelled(), "only the race is stopped");
}

#[test]
fn a_proof_and_a_violation_are_an_internal_error() {
    let program = store_buffering();
    let mut context = Context::quiet(Meter::unlimited());
    let rejected = race(&[&STUBBORN, &PROVES], &program, &mut context).unwrap_err();
    assert_eq!(rejected.engine, "stubborn");
    assert!(rejected.reason.contains("proves"), "{}", rejected.reason);
}

#[test]
fn without_a_decision_the_limit_ends_the_race() {
    let program = store_buffering();
    let budget = Budget { time: Some(std::time::Duration::from_millis(50)), ..Budget::default() };
    let mut context = Context::quiet(Meter::start(budget, CancelToken::new()));
    let answer = race(&[&SLOW, &IMPRECISE], &program, &mut context).unwrap();
    let parts = &answer.parts;
    assert_eq!(parts.iter().map(|part| part.engine).collect::<Vec<_>>(), ["slow", "imprecise"]);
    assert!(matches!(answer.verdict, Verdict::Unknown(_)));
    assert_eq!(parts[0].verdict, stopped(Stop::Time));
}

#[test]
fn the_reserve_is_asked_when_one_gives_up() {
    let program = store_buffering();
    let mut context = Context::quiet(Meter::unlimited());
    let answer = race_with(&[&SLOW, &IMPRECISE], Some(&PROVES), &program, &mut context).unwrap();
    assert_eq!((answer.engine, &answer.verdict), ("proves", &Verdict::Holds(Guarantee::Unbounded)));
    let names: Vec<&str> = answer.parts.iter().map(|part| part.engine).collect();
    assert_eq!(names, ["slow", "imprecise", "proves"]);
    assert_eq!(answer.parts[0].verdict, stopped(Stop::Cancelled), "its decision stops the others");
}

#[test]
fn the_reserve_is_not_asked_when_another_decides() {
    let program = store_buffering();
    let mut context = Context::quiet(Meter::unlimited());
    let answer = race_with(&[&SLOW, &PROVES], Some(&IMPRECISE), &program, &mut context).unwrap();
    assert_eq!(answer.engine, "proves");
    assert_eq!(answer.parts.len(), 2, "who was stopped has not given up");
}

/// Waits to be stopped, and counts no states.
struct Endless;

impl Engine for Endless {
    fn name(&self) -> &'static str {
        "endless"
    }

    fn about(&self) -> &'static str {
        "made for a test"
    }

    fn supports(&self, _: &Task<'_>) -> Result<(), Unknown> {
        Ok(())
    }

    fn is_bounded_by_states(&self) -> bool {
        false
    }

    fn check(&self, task: &Task<'_>, context: &mut Context<'_>) -> Verdict {
        SLOW.check(task, context)
    }
}

#[test]
fn a_bound_of_states_ends_those_who_count_none() {
    let program = store_buffering();
    let at_bound = Made("bounded", |_, _| stopped(Stop::States));
    let mut context = Context::quiet(Meter::unlimited());
    let answer = race(&[&at_bound, &Endless], &program, &mut context).unwrap();
    assert!(matches!(answer.verdict, Verdict::Unknown(_)));
    assert_eq!(answer.parts[1].verdict, stopped(Stop::Cancelled));
}
