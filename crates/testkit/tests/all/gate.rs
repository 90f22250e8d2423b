//! The gate: whatever an engine claims, only what replays on the reference semantics gets through.

use std::collections::BTreeMap;

use fencewright_base::{Int, Meter};
use fencewright_engine::{
    CertifyingEngine, Context, Engine, Feature, Guarantee, Options, Order, OrderEngine, OrderGraph,
    OutcomeEngine, OutcomeQuery, Pair, PairAnswer, PairEngine, PairQueries, Prevention, Rejected,
    StateEngine, Task, Taste, Unknown, Verdict, run, run_barriers, run_certificate, run_open_way, run_orders,
    run_outcomes, run_pairs, run_states,
};
use fencewright_ir::{
    Claim, EdgeId, Extension, Fairness, FenceKind, Formula, Program, Property, Temporal, ThreadId, VarId,
};
use fencewright_memory::{Action, InitialChoices, Model, State, Trace};
use fencewright_testkit::toy::{Toy, cell, eq};

/// An engine that says what it was told to say.
struct Parrot {
    trace: Trace,
    outcome: Vec<Int>,
}

impl Engine for Parrot {
    fn name(&self) -> &'static str {
        "parrot"
    }

    fn about(&self) -> &'static str {
        "says what it was told"
    }

    fn supports(&self, _task: &Task<'_>) -> Result<(), Unknown> {
        Ok(())
    }

    fn check(&self, _task: &Task<'_>, _context: &mut Context<'_>) -> Verdict {
        Verdict::Violated(self.trace.clone())
    }
}

impl OutcomeEngine for Parrot {
    fn outcomes(
        &self,
        _task: &Task<'_>,
        _query: &OutcomeQuery<'_>,
        _context: &mut Context<'_>,
    ) -> Result<(BTreeMap<Vec<Int>, Trace>, Guarantee), Unknown> {
        Ok((BTreeMap::from([(self.outcome.clone(), self.trace.clone())]), Guarantee::Unbounded))
    }
}

/// x = 1, and x must never be 1 in the end.
fn program() -> Program {
    let mut p = Toy::new("p");
    let [x] = p.vars(["x"]);
    p.thread(|t| t.write(x, 1));
    p.never(eq(cell(x), 1));
    p.finish()
}

fn write() -> Action {
    Action::Step { thread: ThreadId(0), edge: EdgeId(0), choices: Vec::new() }
}

fn flush() -> Action {
    Action::Flush { thread: ThreadId(0), cell: fencewright_ir::CellId(0) }
}

fn parrot(model: Model, actions: &[Action], outcome: i64) -> Parrot {
    let trace =
        Trace { model, initial: InitialChoices::default(), actions: actions.to_vec(), repeats_from: None };
    Parrot { trace, outcome: vec![Int::from(outcome)] }
}

fn violated(parrot: &Parrot) -> Result<(), Rejected> {
    let program = program();
    let task = Task { program: &program, model: Model::Tso, options: Options::default() };
    run(parrot, &task, &mut Context::quiet(Meter::unlimited())).map(|answer| {
        assert!(answer.execution.is_some_and(|execution| execution.violation.is_some()));
    })
}

fn reached(parrot: &Parrot) -> Result<(), Rejected> {
    let program = program();
    let task = Task { program: &program, model: Model::Tso, options: Options::default() };
    let property = &program.properties[0];
    let outcomes = run_outcomes(parrot, &task, property, &mut Context::quiet(Meter::unlimited()))?;
    assert!(outcomes.is_ok_and(|outcomes| outcomes.outcomes[0].satisfies));
    Ok(())
}

fn reason(result: Result<(), Rejected>) -> String {
    result.expect_err("the gate lets it through").reason
}

#[test]
fn a_violation_passes_only_if_it_replays_under_the_model_asked_and_violates() {
    assert_eq!(violated(&parrot(Model::Tso, &[write(), flush()], 1)), Ok(()));
    assert_eq!(
        reason(violated(&parrot(Model::Tso, &[flush()], 1))),
        "does not replay: the action at position 0 is not enabled"
    );
    assert_eq!(reason(violated(&parrot(Model::Tso, &[write()], 1))), "violates no property");
    assert_eq!(reason(violated(&parrot(Model::Pso, &[write(), flush()], 1))), "is of another memory model");
}

#[test]
fn an_outcome_passes_only_with_an_execution_under_the_model_asked_that_ends_in_it() {
    assert_eq!(reached(&parrot(Model::Tso, &[write(), flush()], 1)), Ok(()));
    assert_eq!(
        reason(reached(&parrot(Model::Tso, &[write(), write()], 1))),
        "does not replay: the action at position 1 is not enabled"
    );
    assert_eq!(reason(reached(&parrot(Model::Tso, &[write()], 1))), "does not end in a final state");
    assert_eq!(
        reason(reached(&parrot(Model::Tso, &[write(), flush()], 0))),
        "does not end in the outcome it is given for"
    );
    assert_eq!(reason(reached(&parrot(Model::Pso, &[write(), flush()], 1))), "is of another memory model");
}

/// The same, of whole executions.
struct TemporalParrot(Parrot);

impl Engine for TemporalParrot {
    fn name(&self) -> &'static str {
        "parrot"
    }

    fn about(&self) -> &'static str {
        "says what it was told of whole executions"
    }

    fn decides_temporal(&self) -> bool {
        true
    }

    fn supports(&self, _task: &Task<'_>) -> Result<(), Unknown> {
        Ok(())
    }

    fn check(&self, task: &Task<'_>, context: &mut Context<'_>) -> Verdict {
        self.0.check(task, context)
    }
}

/// `x = 1`, and x must stay 0 for ever.
fn temporal_program() -> Program {
    let mut program = program();
    let x = fencewright_ir::CellId(0);
    program.properties = vec![Property::Temporal(Temporal {
        claim: Claim::Formula(Formula::Now(eq(cell(x), 0)).globally()),
        fairness: Fairness::default(),
        text: "G x = 0".to_owned(),
        span: None,
    })];
    program
}

fn ask(engine: &dyn Engine) -> Result<Verdict, Rejected> {
    let program = temporal_program();
    let task = Task { program: &program, model: Model::Tso, options: Options::default() };
    run(engine, &task, &mut Context::quiet(Meter::unlimited())).map(|answer| answer.verdict)
}

#[test]
fn an_engine_that_does_not_decide_temporal_properties_is_not_asked() {
    let unknown = Unknown::Unsupported { feature: Feature::Temporal, span: None };
    assert_eq!(ask(&parrot(Model::Tso, &[write(), flush()], 1)), Ok(Verdict::Unknown(unknown)));
}

#[test]
fn an_execution_that_never_ends_must_do_so_and_violate_the_formula() {
    let lasso = |actions: &[Action], from| {
        let mut told = parrot(Model::Tso, actions, 1);
        told.trace.repeats_from = from;
        ask(&TemporalParrot(told)).map(|_| ())
    };
    assert!(reason(lasso(&[write(), flush()], None)).contains("violates no property"), "it ends");
    assert!(reason(lasso(&[write()], Some(1))).contains("does not come to rest"), "a write is pending");
    assert!(reason(lasso(&[write(), flush()], Some(0))).contains("do not lead back"));
    assert_eq!(lasso(&[write(), flush()], Some(2)), Ok(()));
}

/// Every extra ability, of an engine that knows neither extensions nor temporal properties: it says at once what it would
/// have misread.
impl OrderEngine for Parrot {
    fn order_graph(
        &self,
        _task: &Task<'_>,
        _store_store: bool,
        _context: &mut Context<'_>,
    ) -> Result<OrderGraph, Unknown> {
        Ok(OrderGraph { states: 1, initial: vec![0], ..OrderGraph::default() })
    }

    fn open_way(
        &self,
        _task: &Task<'_>,
        _store_store: bool,
        _enforced: &mut dyn FnMut(Order) -> bool,
        _context: &mut Context<'_>,
    ) -> Result<Option<Vec<Prevention>>, Unknown> {
        Ok(None)
    }

    fn barriers(&self, _task: &Task<'_>) -> Vec<(ThreadId, EdgeId, FenceKind)> {
        Vec::new()
    }

    fn abstraction(&self) -> String {
        "parrot".to_owned()
    }

    fn finer_abstraction(&self) -> String {
        "parrot".to_owned()
    }
}

impl PairEngine for Parrot {
    fn open(
        &self,
        _task: &Task<'_>,
        _taste: Taste,
        _context: &mut Context<'_>,
    ) -> Result<Box<dyn PairQueries>, Unknown> {
        Ok(Box::new(ToldPairs(self.trace.clone())))
    }
}

impl StateEngine for Parrot {
    fn states(&self, _task: &Task<'_>, _context: &mut Context<'_>) -> Result<Vec<State>, Unknown> {
        Ok(Vec::new())
    }
}

impl CertifyingEngine for Parrot {
    fn certificate(&self, _task: &Task<'_>, _context: &mut Context<'_>) -> Result<String, Unknown> {
        Ok("trust me".to_owned())
    }
}

/// Pairs of which every question has the same answer.
struct ToldPairs(Trace);

impl PairQueries for ToldPairs {
    fn pairs(&self) -> &[Pair] {
        &[]
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Unbounded
    }

    fn keep_one_of(&mut self, _pairs: &[usize]) {}

    fn violation(
        &mut self,
        _kept: &[usize],
        _bound: Option<usize>,
        _context: &mut Context<'_>,
    ) -> Result<PairAnswer, Unknown> {
        Ok(PairAnswer::Violated { trace: self.0.clone(), reordered: Vec::new() })
    }
}

/// What each way through the gate says of the program: `Ok` if the engine was asked.
fn each_ability(program: &Program) -> Vec<(&'static str, Result<(), Unknown>)> {
    let told = parrot(Model::Tso, &[write(), flush()], 1);
    let task = Task { program, model: Model::Tso, options: Options::default() };
    let context = || Context::quiet(Meter::unlimited());
    let check = match run(&told, &task, &mut context()).expect("the trace replays").verdict {
        Verdict::Unknown(unknown) => Err(unknown),
        Verdict::Violated(_) | Verdict::Holds(_) => Ok(()),
    };
    let outcomes = run_outcomes(&told, &task, &self::program().properties[0], &mut context());
    vec![
        ("check", check),
        ("outcomes", outcomes.expect("the trace replays").map(|_| ())),
        ("orders", run_orders(&told, &task, true, &mut context()).map(|_| ())),
        ("open way", run_open_way(&told, &task, true, &mut |_| false, &mut context()).map(|_| ())),
        ("barriers", run_barriers(&told, &task).map(|_| ())),
        ("pairs", run_pairs(&told, &task, Taste::Few, &mut context()).map(|_| ())),
        ("states", run_states(&told, &task, &mut context()).map(|_| ())),
        ("certificate", run_certificate(&told, &task, &mut context()).map(|_| ())),
    ]
}

#[test]
fn no_ability_is_a_way_around_what_an_engine_takes() {
    for (ability, answer) in each_ability(&program()) {
        assert_eq!(answer, Ok(()), "{ability}");
    }
    let temporal = Unknown::Unsupported { feature: Feature::Temporal, span: None };
    for (ability, answer) in each_ability(&temporal_program()) {
        assert_eq!(answer, Err(temporal.clone()), "{ability}");
    }
    let mut direct = program();
    direct.vars[VarId(0)].direct = true;
    let feature = Feature::Extension(Extension::Direct("x".to_owned()));
    let extension = Unknown::Unsupported { feature, span: None };
    for (ability, answer) in each_ability(&direct) {
        assert_eq!(answer, Err(extension.clone()), "{ability}");
    }
}

#[test]
fn a_violation_that_reorders_pairs_must_replay_too() {
    let violated = |told: Parrot| {
        let program = program();
        let task = Task { program: &program, model: Model::Tso, options: Options::default() };
        let mut context = Context::quiet(Meter::unlimited());
        let mut open = run_pairs(&told, &task, Taste::Few, &mut context).expect("it takes the program");
        let answer = open.violation(&[], None, &mut context)?;
        assert!(answer.expect("it has an answer").1.is_some_and(|execution| execution.violation.is_some()));
        Ok(())
    };
    assert_eq!(violated(parrot(Model::Tso, &[write(), flush()], 1)), Ok(()));
    assert_eq!(reason(violated(parrot(Model::Tso, &[write()], 1))), "violates no property");
    assert_eq!(reason(violated(parrot(Model::Pso, &[write(), flush()], 1))), "is of another memory model");
}
