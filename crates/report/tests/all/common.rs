//! Small programs and hand-made executions of them.

use fencewright_base::{Int, SourceMap, Span};
use fencewright_engine::{Answer, Statistics, Verdict};
use fencewright_ir::{
    Addr, CellId, Condition, Domain, EdgeId, Expr, FenceKind, Forbidden, Init, LocationSet, Lock, Op,
    Program, ProgramBuilder, Property, Quantifier, RegId, StateAtom, Step, ThreadBuilder, ThreadId,
};
use fencewright_memory::{Action, InitialChoices, Model, Trace, replay};
use fencewright_report::terminal::Style;
use fencewright_report::{ModelResult, Report};

pub(crate) const PLAIN: Style = Style { color: false, width: 100 };

/// A program that stands in a text, one statement a line.
pub(crate) struct Sample {
    pub(crate) program: Program,
    pub(crate) sources: SourceMap,
}

/// What a statement of a sample does.
pub(crate) enum Do {
    Write(u32, i64),
    Read(u32),
    Fence,
    StoreFence,
    /// Stops unless the register, which every read fills, has this value.
    Guard(i64),
    Assert(i64),
    /// Divides by the register.
    Divide,
    /// Reads a cell and writes to it at once, waiting for pending writes to this cell only.
    Swap(u32, i64),
}

/// The threads run straight through their statements; the last location of each is called `END`, and the program
/// forbids that all stand there.
pub(crate) fn sample(cells: &[&str], threads: &[Vec<(&str, Do)>]) -> Sample {
    let text: String = threads.iter().flatten().map(|(line, _)| format!("{line}\n")).collect();
    let mut sources = SourceMap::new();
    let file = sources.add("sample.rmm", text);
    let mut builder = ProgramBuilder::new("sample");
    for cell in cells {
        builder.scalar(*cell, Domain::Integers, Init::Value(Int::ZERO), None);
    }
    let mut at = 0;
    let mut ends = Vec::new();
    for (i, statements) in threads.iter().enumerate() {
        let mut thread = ThreadBuilder::new(format!("P{i}"));
        let r = thread.register("$r", Domain::Integers, Init::Value(Int::ZERO));
        let mut loc = thread.entry();
        for (line, what) in statements {
            let statement = builder.statement(*line, Some(Span::new(file, at, at + line.len())));
            at += line.len() + 1;
            let is = |value: &i64| Expr::Atom(r).eq(Expr::constant(*value));
            let op = match what {
                Do::Write(cell, value) => {
                    Op::Write { addr: Addr::Cell(CellId(*cell)), value: Expr::constant(*value) }
                }
                Do::Read(cell) => Op::Read { dst: r, addr: Addr::Cell(CellId(*cell)) },
                Do::Fence => Op::Fence(FenceKind::Full),
                Do::StoreFence => Op::Fence(FenceKind::StoreStore),
                Do::Guard(value) => Op::Guard(is(value)),
                Do::Assert(value) => Op::Assert(is(value)),
                Do::Divide => Op::Assign {
                    dst: r,
                    value: Expr::constant(1).binary(fencewright_ir::BinaryOp::Div, Expr::Atom(r)),
                },
                Do::Swap(cell, value) => {
                    let addr = || Addr::Cell(CellId(*cell));
                    let ops = [
                        Op::Read { dst: r, addr: addr() },
                        Op::Write { addr: addr(), value: Expr::constant(*value) },
                    ];
                    let to = thread.location();
                    thread.edge(
                        loc,
                        to,
                        Step { ops: ops.into_iter().collect(), lock: Some(Lock::Location), statement },
                    );
                    loc = to;
                    continue;
                }
            };
            loc = thread.then(loc, op, statement);
        }
        thread.label(loc, "END");
        ends.push(LocationSet::OneOf([loc].into()));
        builder.add_thread(thread);
    }
    let text = vec!["END"; threads.len()].join(" ");
    builder.property(Property::Forbidden(Forbidden { at: ends.into(), text, span: None }));
    Sample { program: builder.finish().expect("the sample is valid"), sources }
}

/// Store buffering: each thread writes its own cell and misses the other's write.
pub(crate) fn store_buffering() -> Sample {
    sample(
        &["x", "y"],
        &[
            vec![
                ("write: x := 1", Do::Write(0, 1)),
                ("read: y = 0", Do::Read(1)),
                ("assume: 0", Do::Guard(0)),
            ],
            vec![
                ("write: y := 1", Do::Write(1, 1)),
                ("read: x = 0", Do::Read(0)),
                ("assume: 0", Do::Guard(0)),
            ],
        ],
    )
}

/// Message passing whose reader sees the flag but not the data; needs PSO.
pub(crate) fn message_passing() -> Sample {
    sample(
        &["data", "flag"],
        &[
            vec![("write: data := 42", Do::Write(0, 42)), ("write: flag := 1", Do::Write(1, 1))],
            vec![
                ("read: flag", Do::Read(1)),
                ("assume: seen", Do::Guard(1)),
                ("read: data", Do::Read(0)),
                ("assume: not seen", Do::Guard(0)),
            ],
        ],
    )
}

/// The property of a litmus test on the registers of the first two threads, in place of the sample's own.
pub(crate) fn with_outcome(mut sample: Sample) -> Sample {
    let register = |thread| StateAtom::Register(ThreadId(thread), RegId(0));
    let zero = |thread| Expr::Atom(register(thread)).eq(Expr::constant(0));
    sample.program.properties = vec![Property::Final {
        quantifier: Quantifier::Exists,
        condition: Condition { expr: zero(0).and(zero(1)), text: "(0:$r=0 /\\ 1:$r=0)".into(), span: None },
        filter: None,
        observed: vec![StateAtom::Cell(CellId(0)), register(1), register(0)],
    }];
    sample
}

/// An execution in short: a thread's next step, or a flush.
#[derive(Debug, Copy, Clone)]
pub(crate) enum Act {
    S(u32),
    F(u32, u32),
}

pub(crate) fn trace(model: Model, acts: &[Act]) -> Trace {
    let mut taken = [0; 16];
    let action = |act: &Act| match *act {
        Act::S(thread) => {
            taken[thread as usize] += 1;
            let edge = EdgeId(taken[thread as usize] - 1);
            Action::Step { thread: ThreadId(thread), edge, choices: Vec::new() }
        }
        Act::F(thread, cell) => Action::Flush { thread: ThreadId(thread), cell: CellId(cell) },
    };
    Trace {
        model,
        initial: InitialChoices::default(),
        actions: acts.iter().map(action).collect(),
        repeats_from: None,
    }
}

pub(crate) fn statistics() -> Statistics {
    Statistics {
        states: 1234,
        transitions: 1,
        peak_bytes: 4096,
        longest_buffer: 2,
        seconds: 0.25,
        shortest: true,
        ..Statistics::default()
    }
}

/// The answer an engine would give for an execution.
pub(crate) fn violated(sample: &Sample, trace: Trace) -> ModelResult {
    let execution = replay(&sample.program, &trace).expect("the execution is possible");
    assert!(execution.violation.is_some(), "the execution violates the property");
    ModelResult {
        model: trace.model,
        answer: Answer {
            engine: "explicit",
            verdict: Verdict::Violated(trace),
            execution: Some(execution),
            statistics: statistics(),
            parts: Vec::new(),
        },
        advice: None,
        literal: None,
    }
}

pub(crate) fn answered(model: Model, verdict: Verdict) -> ModelResult {
    let statistics = Statistics { shortest: false, ..statistics() };
    ModelResult {
        model,
        answer: Answer { engine: "explicit", verdict, execution: None, statistics, parts: Vec::new() },
        advice: None,
        literal: None,
    }
}

pub(crate) fn report(sample: &Sample, results: Vec<ModelResult>) -> Report<'_> {
    Report {
        file: "sample.rmm",
        program: &sample.program,
        sources: &sample.sources,
        stated: 0,
        looked_for: None,
        assumptions: &[],
        results,
    }
}
