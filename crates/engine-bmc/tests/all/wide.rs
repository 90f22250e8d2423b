//! Machine integers whose values need more bits than are tried first.

use fencewright_base::Meter;
use fencewright_engine::{Context, Guarantee, Options, Task, Verdict, run};
use fencewright_engine_bmc::Bmc;
use fencewright_ir::{BinaryOp, Domain, Expr, Init, Program};
use fencewright_memory::Model;
use fencewright_testkit::toy::{Toy, cell, eq};

/// 3 squared so many times, in memory; the other thread only looks.
fn squares(times: usize, forbidden: i64) -> Program {
    let int = || Domain::Machine { bits: 32, signed: true };
    let mut toy = Toy::new("squares");
    let x = toy.var("x", int(), Init::Value(3.into()));
    toy.thread(|t| {
        let r = t.reg_of("r", int(), Init::Value(0.into()));
        for _ in 0..times {
            t.read(r, x);
            t.write(x, Expr::Atom(r).binary(BinaryOp::Mul, Expr::Atom(r)));
        }
    });
    toy.thread(|t| {
        let r = t.reg_of("r", int(), Init::Value(0.into()));
        t.read(r, x);
    });
    toy.never(eq(cell(x), forbidden));
    toy.finish()
}

fn verdict(program: &Program, model: Model) -> Verdict {
    let task = Task { program, model, options: Options::default() };
    run(&Bmc, &task, &mut Context::quiet(Meter::unlimited())).expect("the trace replays").verdict
}

#[test]
fn values_grow_until_they_fit_or_wrap() {
    // 3, 9, 81, 6561, 43046721, and then 43046721² = 1853020188851841 = 431439 · 2³² + 3793632897, that is -501334399.
    for model in [Model::Sc, Model::Tso, Model::Pso] {
        for (times, value) in [(2, 81), (3, 6_561), (4, 43_046_721), (5, -501_334_399)] {
            assert!(matches!(verdict(&squares(times, value), model), Verdict::Violated(_)), "{value}");
            let safe = verdict(&squares(times, value + 1), model);
            assert_eq!(safe, Verdict::Holds(Guarantee::Unbounded), "{} after {times}", value + 1);
        }
    }
}
