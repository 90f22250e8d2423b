use fencewright_base::{FileId, Int, Span};
use smallvec::smallvec;

use super::{parse, print};
use crate::{
    Addr, BinaryOp, Claim, Condition, Domain, Expr, Fairness, FenceKind, Forbidden, Formula, Init,
    LocationSet, Lock, Never, NeverMove, NeverState, Op, Outside, Program, ProgramBuilder, Property,
    Quantifier, RegId, StateAtom, Statement, Step, Temporal, ThreadBuilder, ThreadId, UnaryOp,
};

fn span(start: usize, end: usize) -> Option<Span> {
    Some(Span::new(FileId(0), start, end))
}

fn value(value: i64) -> Init {
    Init::Value(Int::from(value))
}

const SB: &str = r#"program sb

var x: 0..1 = 0 @0:3-4
var y: 0..1 = 0

statement s0 "x := 1" @0:12-18 fence before after
statement s1 "read: $r := y" loop 2 fence after

thread P0
  register $r: 0..1 = 0
  location L0
  location L1
  location L2 CS
  entry L0
  edge L0 -> L1 s0: write x <- 1
  edge L1 -> L2 s1: read $r <- y; guard $r == 0

forbidden "CS" @0:30-32
  P0 at L2
"#;

fn sb() -> Program {
    let mut builder = ProgramBuilder::new("sb");
    let x = builder.scalar("x", Domain::range(0, 1), value(0), span(3, 4));
    let y = builder.scalar("y", Domain::range(0, 1), value(0), None);
    let write = builder.statement("x := 1", span(12, 18));
    let read = builder.add_statement(Statement {
        text: "read: $r := y".into(),
        span: None,
        loop_depth: 2,
        fence_before: false,
        fence_after: true,
    });
    let mut thread = ThreadBuilder::new("P0");
    let r = thread.register("$r", Domain::range(0, 1), value(0));
    let start = thread.entry();
    let middle = thread.then(start, Op::Write { addr: Addr::Cell(x), value: Expr::constant(1) }, write);
    let end = thread.location();
    let guard = Op::Guard(Expr::Atom(r).eq(Expr::constant(0)));
    let ops = smallvec![Op::Read { dst: r, addr: Addr::Cell(y) }, guard];
    thread.edge(middle, end, Step { ops, lock: None, statement: read });
    thread.label(end, "CS");
    builder.add_thread(thread);
    builder.property(Property::Forbidden(Forbidden {
        at: vec![LocationSet::OneOf([end].into())].into(),
        text: "CS".into(),
        span: span(30, 32),
    }));
    builder.finish().expect("the program is valid")
}

#[test]
fn a_program_reads_as_it_should() {
    assert_eq!(print(&sb()), SB);
    assert_eq!(parse(SB), Ok(sb()));
}

#[test]
fn orders_come_back_as_they_were() {
    let orders = r#"
order o0 "x.store(1, relaxed)" "relaxed" @0:30-37 loop 2 full "seq_cst" store "release": t0 e0, t0 e1
order o1 "fence(release)" "release":
"#;
    let text = SB.replace("\nforbidden", &format!("{orders}\nforbidden"));
    let program = parse(&text).expect("it is a program");
    assert_eq!(print(&program), text);
    assert_eq!(program.orders.len(), 2);
    let order = &program.orders.iter().next().expect("there are two");
    assert_eq!((order.word.as_str(), order.loop_depth, order.steps.len()), ("relaxed", 2, 2));
    assert_eq!(order.stronger.len(), 2);
    let nowhere = text.replace("t0 e1", "t0 e2");
    assert!(
        parse(&nowhere).is_err_and(|error| error.message.contains("does not exist")),
        "edges are checked"
    );
}

/// Every operator, nested on either side, with constants of either sign.
fn expressions(reg: RegId) -> Vec<Expr<RegId>> {
    let atom = || Expr::Atom(reg);
    let mut all = vec![
        Expr::constant(-5),
        Expr::Unary(UnaryOp::Neg, Box::new(Expr::constant(5))),
        Expr::Unary(UnaryOp::Neg, Box::new(Expr::constant(-5))),
        Expr::Unary(UnaryOp::Neg, Box::new(Expr::Unary(UnaryOp::BitNot, Box::new(atom())))),
        Expr::Const("-123456789012345678901234567890".parse().expect("a number")),
        Expr::Wrap { bits: 128, signed: false, value: Box::new(atom().add(Expr::constant(1))) },
        Expr::Checked { bits: 8, signed: true, value: Box::new(atom().add(Expr::constant(1))) },
        Expr::Choose(Box::new(atom().not()), Box::new(atom().sub(Expr::constant(-1))), Box::new(atom())),
    ];
    for op in BinaryOp::ALL {
        let pair = atom().binary(op, Expr::constant(-2));
        all.push(pair.clone().binary(op, atom()));
        all.push(atom().binary(op, pair.clone()));
        all.push(pair.clone().not().binary(op, pair.clone().add(atom())));
        all.push(pair.clone().or(pair).binary(op, Expr::constant(3)));
    }
    all
}

/// Uses every construct, with names that need quotes and names that are not unique.
fn everything() -> Program {
    let mut builder = ProgramBuilder::new("two words \"and\" a \\ \u{7} ä\n");
    let x = builder.scalar("x", Domain::Integers, Init::Any, None);
    builder.scalar("any", Domain::range(-3, -1), value(-2), None);
    let a = builder.array("a b", Domain::Machine { bits: 8, signed: true }, vec![value(-1), Init::Any], None);
    let twin = builder.scalar("twin", Domain::Machine { bits: 64, signed: false }, value(0), None);
    builder.array("twin", Domain::range(0, 1), vec![value(1)], span(0, 0));
    let a0 = builder.program().vars[a].first_cell;
    let statement = builder.statement("", None);
    for name in ["P", "P", "var"] {
        let mut thread = ThreadBuilder::new(name);
        let r = thread.register("wrap", Domain::Integers, Init::Any);
        let s = thread.register("s", Domain::range(0, 7), value(7));
        thread.register("s", Domain::range(0, 7), value(0));
        let entry = thread.entry();
        let end = thread.location();
        thread.label(entry, "two words");
        thread.label(entry, "L7");
        thread.label(entry, "");
        let outside = [Outside::Blocks, Outside::Faults];
        let indexed = |len, outside, index| Addr::Indexed { first: a0, len, index, outside };
        let mut steps: Vec<Vec<Op>> = vec![
            Vec::new(),
            vec![Op::Havoc { dst: s }, Op::Assert(Expr::Atom(s))],
            vec![Op::Fence(FenceKind::Full)],
            vec![Op::Fence(FenceKind::StoreStore)],
            vec![Op::Read { dst: r, addr: Addr::Cell(x) }, Op::Read { dst: s, addr: Addr::Cell(twin) }],
            vec![Op::Write { addr: indexed(2, outside[0], Expr::Atom(r)), value: Expr::Atom(s) }],
            vec![Op::Read { dst: r, addr: indexed(1, outside[1], Expr::Atom(r).add(Expr::constant(1))) }],
        ];
        let past_the_end = Addr::Indexed {
            first: crate::CellId(builder.program().n_cells() as u32),
            len: 0,
            index: Expr::Atom(s),
            outside: Outside::Blocks,
        };
        steps.push(vec![Op::Write { addr: past_the_end, value: Expr::constant(0) }]);
        steps.extend(expressions(r).into_iter().map(|value| vec![Op::Assign { dst: r, value }]));
        for (i, ops) in steps.into_iter().enumerate() {
            let lock = [None, Some(Lock::Location), Some(Lock::Full)][i % 3];
            thread.edge(entry, end, Step { ops: ops.into(), lock, statement });
        }
        builder.add_thread(thread);
    }
    let at = |thread, loc| Expr::Atom(StateAtom::At(ThreadId(thread), crate::LocId(loc)));
    let register = |thread, reg| StateAtom::Register(ThreadId(thread), RegId(reg));
    let condition = |expr, text: &str| Condition { expr, text: text.into(), span: None };
    builder.property(Property::Forbidden(Forbidden {
        at: vec![
            LocationSet::Any,
            LocationSet::OneOf([].into()),
            LocationSet::OneOf([crate::LocId(1)].into()),
        ]
        .into(),
        text: "\"quoted\"\t".into(),
        span: None,
    }));
    builder.property(Property::Invariant(condition(at(0, 0).or(at(2, 1).and(at(1, 0))), "")));
    for quantifier in [Quantifier::Exists, Quantifier::NotExists, Quantifier::Forall] {
        builder.property(Property::Final {
            quantifier,
            condition: condition(Expr::Atom(register(2, 1)).eq(Expr::Atom(StateAtom::Cell(twin))), "c"),
            filter: (quantifier == Quantifier::Exists).then(|| condition(Expr::constant(1), "true")),
            observed: if quantifier == Quantifier::Forall {
                Vec::new()
            } else {
                vec![register(0, 0), register(1, 2), StateAtom::Cell(a0), StateAtom::Cell(x)]
            },
        });
    }
    let p = || Formula::Now(at(0, 0));
    let q = || Formula::Now(Expr::Atom(register(2, 1)).eq(Expr::Atom(StateAtom::Cell(a0))));
    let formula = p().implies(q().next().finally()).globally().and(p().weak_until(Formula::Const(true)));
    for (flush, process) in [(true, false), (false, true), (true, true), (false, false)] {
        builder.property(Property::Temporal(Temporal {
            claim: Claim::Formula(formula.clone()),
            fairness: Fairness { flush, process },
            text: "G(p -> F X q) & (p W true)".into(),
            span: None,
        }));
    }
    let step = |when, to| NeverMove { when, to };
    let states = vec![
        NeverState { accepting: false, moves: vec![step(Expr::constant(1), 0), step(at(0, 0).not(), 1)] },
        NeverState { accepting: true, moves: vec![step(Expr::Atom(StateAtom::Cell(a0)), 1)] },
    ];
    for states in [states, Vec::new()] {
        builder.property(Property::Temporal(Temporal {
            claim: Claim::Never(Never { states }),
            fairness: Fairness { flush: true, process: true },
            text: "property process".into(),
            span: None,
        }));
    }
    builder.finish().expect("the program is valid")
}

#[test]
fn every_construct_comes_back() {
    for program in [sb(), everything()] {
        let text = print(&program);
        assert_eq!(parse(&text).as_ref(), Ok(&program), "{text}");
    }
}

#[test]
fn a_thousand_conjuncts_are_no_deep_nesting() {
    let mut program = sb();
    let atom = || Expr::Atom(StateAtom::Cell(crate::CellId(0)));
    let expr = (0..1000).fold(atom(), |chain, _| chain.and(atom()));
    program.properties = vec![Property::Invariant(Condition { expr, text: String::new(), span: None })];
    assert_eq!(parse(&print(&program)), Ok(program));
}

#[test]
fn messages_name_the_line_and_what_was_expected() {
    let wrong = |from: &str, to: &str| {
        assert!(SB.contains(from), "{from}");
        parse(&SB.replace(from, to)).expect_err(to).to_string()
    };
    assert_eq!(wrong("program sb", ""), "line 3: the first line must be `program` and a name");
    assert_eq!(wrong("y: 0..1 = 0", "y: 0..1"), "line 4: expected `=` at the end of the line");
    assert_eq!(wrong("write x <- 1", "write z <- 1"), "line 15: there is no variable `z`");
    assert_eq!(wrong("guard $r == 0", "guard $q == 0"), "line 16: there is no register `$q`");
    assert_eq!(wrong("x: 0..1 = 0", "x: 0..1 = 2"), "variable `x` starts with 2, outside its domain");
    assert_eq!(
        wrong("guard $r == 0", "guard $r == 0 && 1"),
        "line 16: expected parentheses around the operands of another operator, found `&&`"
    );
    let deep = format!("guard {}", "(".repeat(100_000));
    assert_eq!(wrong("guard $r == 0", &deep), "line 16: an expression is nested more than 200 deep");
    assert_eq!(parse("").expect_err("nothing").to_string(), "there is no `program`");
}

/// Cuts, swaps and overwrites at every position of a text that uses everything: an error or a program, no panic.
#[test]
fn garbage_gives_errors_and_no_panic() {
    let text = print(&everything());
    let mut seed = 1u64;
    let mut random = |below: usize| {
        // A linear congruence is random enough to hit every kind of token and the same on every machine.
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let chars: Vec<char> = text.chars().collect();
    let junk: Vec<char> = "\"\\#@:-<>()[]{},;=. 09azLs\u{0}ä\n".chars().collect();
    for _ in 0..4000 {
        let mut garbled = chars.clone();
        for _ in 0..=random(3) {
            let at = random(garbled.len());
            match random(4) {
                0 => garbled[at] = junk[random(junk.len())],
                1 => garbled.truncate(at + 1),
                2 => {
                    let from = random(garbled.len());
                    garbled.swap(at, from);
                }
                _ => {
                    garbled.remove(at);
                    if garbled.is_empty() {
                        garbled.push('x');
                    }
                }
            }
        }
        let garbled: String = garbled.into_iter().collect();
        if let Ok(program) = parse(&garbled) {
            assert_eq!(parse(&print(&program)), Ok(program));
        }
    }
}
