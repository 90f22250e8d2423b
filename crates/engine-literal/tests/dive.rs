//! Random executions beside the search: they find violations that lie deep, the same ones each time, and prove nothing.

use fencewright_base::{Budget, CancelToken, Meter, Stop};
use fencewright_engine_literal::replay::replay;
use fencewright_engine_literal::search::{Found, Question, Verdict, search};
use fencewright_literal::PRELUDE;
use fencewright_literal::buffer::Model;
use fencewright_literal::machine::Settings;
use fencewright_literal::program::Program;
use fencewright_llvm::parse::Module;

/// Three threads add to `@v` `rounds` times each, with a read and a write, or in one step. If an addition is lost, the sum is
/// not three times `rounds`.
fn adds(rounds: u32, in_one_step: bool) -> String {
    let add = if in_one_step {
        "%n = atomicrmw add i32* @v, i32 1 seq_cst"
    } else {
        "%o = load i32, i32* @v\n %n = add i32 %o, 1\n store i32 %n, i32* @v"
    };
    let create = |thread: u32| {
        format!(
            " %t{thread} = getelementptr [3 x i64], [3 x i64]* %t, i64 0, i64 {thread}\n \
             %c{thread} = call i32 @pthread_create(i64* %t{thread}, i8* null, i8* (i8*)* @w, i8* null)\n"
        )
    };
    let join = |thread: u32| {
        format!(
            " %h{thread} = load i64, i64* %t{thread}\n \
             %j{thread} = call i32 @pthread_join(i64 %h{thread}, i8** null)\n"
        )
    };
    format!(
        "@v = global i32 0\ndeclare i32 @pthread_create(i64*, i8*, i8* (i8*)*, i8*)\n\
         declare i32 @pthread_join(i64, i8**)\ndeclare void @abort()\n\
         define i8* @w(i8* %a) {{\nentry:\n br label %head\nhead:\n %i = phi i32 [ 0, %entry ], [ %k, %head ]\n {add}\n \
         %k = add i32 %i, 1\n %more = icmp ult i32 %k, {rounds}\n br i1 %more, label %head, label %end\n\
         end:\n ret i8* null\n}}\n\
         define i32 @main() {{\nentry:\n %t = alloca [3 x i64]\n{}{}%s = load i32, i32* @v\n \
         %ok = icmp eq i32 %s, {}\n br i1 %ok, label %good, label %bad\nbad:\n call void @abort()\n \
         unreachable\ngood:\n ret i32 0\n}}\n",
        (0..3).map(create).collect::<String>(),
        (0..3).map(join).collect::<String>(),
        3 * rounds
    )
}

/// The verdict of a search limited to so many states.
fn found(ir: &str, model: Model, dives: bool, states: u64) -> Found {
    let modules: Vec<Module<'_>> = [ir, PRELUDE]
        .iter()
        .map(|text| Module::parse(text).unwrap_or_else(|e| panic!("{e:?}\n{ir}")))
        .collect();
    let program = Program::new(&modules).unwrap_or_else(|error| panic!("{error}\n{ir}"));
    let question = Question {
        settings: Settings::new(model),
        fixed_buffer: None,
        observed: None,
        dives,
        progress: &|_| (),
    };
    let budget = Budget { states: Some(states), ..Budget::default() };
    let found = search(&program, &question, &Meter::start(budget, CancelToken::new()));
    if let Verdict::Violated(trace) = &found.verdict {
        let execution = replay(&program, trace).unwrap_or_else(|error| panic!("{error}\n{ir}"));
        assert_eq!(execution.violation.as_ref(), Some(&trace.violation), "{ir}");
    }
    found
}

#[test]
fn a_violation_behind_thousands_of_rounds_is_found() {
    let text = adds(1_000, false);
    for model in [Model::Sc, Model::Tso, Model::Pso] {
        let found = found(&text, model, true, 100_000);
        assert!(matches!(found.verdict, Verdict::Violated(_)), "{model:?}: {:?}", found.verdict);
        assert!(!found.statistics.shortest, "nobody has shown that it is");
    }
    // Out of reach of a breadth-first search.
    let found = found(&text, Model::Sc, false, 100_000);
    assert!(matches!(found.verdict, Verdict::Stopped(Stop::States)), "{:?}", found.verdict);
}

#[test]
fn the_same_execution_is_found_each_time() {
    let text = adds(300, false);
    let actions = || match found(&text, Model::Tso, true, 100_000).verdict {
        Verdict::Violated(trace) => trace.actions,
        other => panic!("{other:?}"),
    };
    assert_eq!(actions(), actions());
}

#[test]
fn a_violation_that_is_near_is_still_a_shortest_one() {
    let with = |dives: bool| match found(&adds(2, false), Model::Tso, dives, 1_000_000) {
        Found { verdict: Verdict::Violated(trace), statistics, .. } => (trace.actions, statistics.shortest),
        other => panic!("{:?}", other.verdict),
    };
    assert_eq!(with(true), with(false));
    assert!(with(true).1);
}

#[test]
fn executions_at_random_are_no_proof() {
    let text = adds(1_000, true);
    for model in [Model::Sc, Model::Pso] {
        let found = found(&text, model, true, 30_000);
        assert!(matches!(found.verdict, Verdict::Stopped(Stop::States)), "{:?}", found.verdict);
    }
    let small = found(&adds(2, true), Model::Tso, true, 1_000_000);
    assert!(matches!(small.verdict, Verdict::Holds), "{:?}", small.verdict);
}

/// As `adds`, but at its end each thread waits to be woken. Nobody wakes it, and waking up without a reason does not help.
fn adds_and_waits() -> String {
    let text = adds(100, true).replace(
        "end:\n",
        "end:\n %l = call i32 @pthread_mutex_lock(i8* getelementptr ([40 x i8], [40 x i8]* @m, i64 0, i64 0))\n br label %wait\n\
         wait:\n %c = call i32 @pthread_cond_wait(i8* getelementptr ([48 x i8], [48 x i8]* @c, i64 0, i64 0), \
         i8* getelementptr ([40 x i8], [40 x i8]* @m, i64 0, i64 0))\n br label %wait\nunreached:\n",
    );
    format!(
        "@m = global [40 x i8] zeroinitializer\n@c = global [48 x i8] zeroinitializer\n\
         declare i32 @pthread_mutex_lock(i8*)\ndeclare i32 @pthread_cond_wait(i8*, i8*)\n{text}"
    )
}

#[test]
fn threads_that_only_wake_up_without_a_reason_are_stuck() {
    for model in [Model::Sc, Model::Tso, Model::Pso] {
        let found = found(&adds_and_waits(), model, true, 30_000);
        assert!(matches!(found.verdict, Verdict::Violated(_)), "{model:?}: {:?}", found.verdict);
    }
}
