//! Lowering, seen through the programs it gives: edges as `from -[operations]-> to`, literally.

use fencewright_ir::{
    Addr, Domain, FenceKind, Init, LocId, LocationSet, Lock, Op, Program, Property, Thread,
};

use crate::rmm::testing::{load, program};

/// Every edge of a thread on a line of its own.
fn edges(program: &Program, thread: usize) -> Vec<String> {
    let thread: &Thread = &program.threads.as_slice()[thread];
    thread
        .edges
        .iter()
        .map(|edge| {
            let ops: Vec<String> = edge.step.ops.iter().map(|op| show(program, thread, op)).collect();
            let lock = match edge.step.lock {
                None => "",
                Some(Lock::Location) => "locked ",
                Some(Lock::Full) => "full ",
            };
            format!("{} -[{lock}{}]-> {}", edge.from.0, ops.join("; "), edge.to.0)
        })
        .collect()
}

fn show(program: &Program, thread: &Thread, op: &Op) -> String {
    let expr = |e: &fencewright_ir::RegExpr| show_expr(thread, e);
    let addr = |addr: &Addr| match addr {
        Addr::Cell(cell) => program.cell_name(*cell),
        Addr::Indexed { first, len, index, outside } => {
            format!("[{} of {}+{len}, else {outside:?}]", show_expr(thread, index), first.0)
        }
    };
    match op {
        Op::Read { dst, addr: at } => format!("{} <- {}", thread.regs[*dst].name, addr(at)),
        Op::Write { addr: at, value } => format!("{} := {}", addr(at), expr(value)),
        Op::Assign { dst, value } => format!("{} = {}", thread.regs[*dst].name, expr(value)),
        Op::Guard(condition) => format!("? {}", expr(condition)),
        Op::Fence(FenceKind::Full) => "fence".to_owned(),
        Op::Fence(FenceKind::StoreStore) => "ssfence".to_owned(),
        Op::Assert(_) | Op::Havoc { .. } | Op::Send { .. } | Op::Receive { .. } => {
            "not of this language".to_owned()
        }
    }
}

fn show_expr(thread: &Thread, e: &fencewright_ir::RegExpr) -> String {
    use fencewright_ir::{Expr, UnaryOp};
    match e {
        Expr::Const(value) => value.to_string(),
        Expr::Atom(register) => thread.regs[*register].name.clone(),
        Expr::Unary(UnaryOp::Neg, e) => format!("-{}", show_expr(thread, e)),
        Expr::Unary(_, e) => format!("!({})", show_expr(thread, e)),
        Expr::Binary(op, a, b) => {
            format!("{} {} {}", show_expr(thread, a), op.symbol(), show_expr(thread, b))
        }
        Expr::Wrap { .. } | Expr::Checked { .. } | Expr::Choose(..) => "not of this language".to_owned(),
    }
}

/// The edges of one process with a global `x`, a global `y` and two registers.
fn lowered(text: &str) -> Vec<String> {
    let whole = format!("forbidden * data x = 0 : [0:3] y = 0 process registers $r = 0, $q = 0 text {text}");
    edges(&program(&whole), 0)
}

/// For every label the locations it names.
fn labels(program: &Program, thread: usize) -> Vec<(String, u32)> {
    let thread = &program.threads.as_slice()[thread];
    let mut all: Vec<(String, u32)> = thread
        .locations
        .iter_enumerated()
        .flat_map(|(id, location)| location.labels.iter().map(move |label| (label.clone(), id.0)))
        .collect();
    all.sort();
    all
}

#[test]
fn every_plain_statement() {
    for (text, edge) in [
        ("nop", "0 -[]-> 1"),
        ("llfence", "0 -[]-> 1"),
        ("$r := $q + 1 - 2", "0 -[$r = $q + 1 - 2]-> 1"),
        ("$r := -$q", "0 -[$r = -$q]-> 1"),
        ("assume: not $r = 1 && true || $q <= -3", "0 -[? !($r == 1) && 1 || $q <= -3]-> 1"),
        ("read: $r := x", "0 -[$r <- x]-> 1"),
        ("syncrd: $r := x", "0 -[$r <- x]-> 1"),
        ("read: x = $r", "0 -[<0:3> <- x; ? <0:3> == $r]-> 1"),
        ("read: y = 0", "0 -[<Z> <- y; ? <Z> == 0]-> 1"),
        ("write: x := $r", "0 -[x := $r]-> 1"),
        ("locked write: x := 1", "0 -[locked x := 1]-> 1"),
        ("syncwr: x := 1", "0 -[locked x := 1]-> 1"),
        ("cas(x, 0, $r)", "0 -[locked <0:3> <- x; ? <0:3> == 0; x := $r]-> 1"),
        ("fence", "0 -[fence]-> 1"),
        ("ssfence", "0 -[ssfence]-> 1"),
        ("write: [$r + 1] := 2", "0 -[[$r + 1 of 0+2, else Blocks] := 2]-> 1"),
        ("read: [$r] = 2", "0 -[<Z> <- [$r of 0+2, else Blocks]; ? <Z> == 2]-> 1"),
        ("{{ nop }}", "0 -[]-> 1"),
        ("nop;", "0 -[]-> 1"),
        ("$r := me + @0", "0 -[$r = 0 + 0]-> 1"),
    ] {
        assert_eq!(lowered(text), [edge], "{text}");
    }
    assert_eq!(lowered("slocked write: x := 1"), ["0 -[x := 1]-> 1", "1 -[ssfence]-> 2"]);
}

#[test]
fn branches_and_loops() {
    assert_eq!(
        lowered("if $r = 1 then fence else nop; nop"),
        ["0 -[? $r == 1]-> 2", "0 -[? !($r == 1)]-> 3", "2 -[fence]-> 1", "3 -[]-> 1", "1 -[]-> 4"]
    );
    assert_eq!(
        lowered("while $r = 1 do read: $r := x"),
        ["0 -[? $r == 1]-> 1", "0 -[? !($r == 1)]-> 2", "1 -[$r <- x]-> 0"]
    );
    assert_eq!(
        lowered("A: nop; if $r = 1 then goto A; fence; goto A"),
        ["0 -[]-> 1", "1 -[? $r == 1]-> 0", "1 -[? !($r == 1)]-> 2", "2 -[fence]-> 0"]
    );
}

#[test]
fn jumps_take_no_step_unless_there_is_nothing_else() {
    assert_eq!(lowered("L: goto L"), ["0 -[]-> 0"]);
    assert_eq!(lowered("L: { goto L }"), ["0 -[]-> 0"]);
    assert_eq!(lowered("A: goto B; B: goto A"), ["0 -[]-> 1", "1 -[]-> 0"]);
    assert_eq!(lowered("goto A; nop; A: fence"), ["1 -[]-> 0", "0 -[fence]-> 2"], "it starts at A");
    assert_eq!(
        lowered("either { goto A or nop }; fence; A: nop"),
        ["0 -[]-> 1", "0 -[]-> 2", "2 -[fence]-> 1", "1 -[]-> 3"]
    );
}

#[test]
fn labels_in_either_name_their_alternative_only() {
    let text =
        "forbidden B data x = 0 process text A: either { B: write: x := 1 or C: fence or nop; D: nop }; E:";
    let program = program(text);
    assert_eq!(
        edges(&program, 0),
        ["0 -[]-> 1", "1 -[x := 1]-> 4", "0 -[]-> 2", "2 -[fence]-> 4", "0 -[]-> 3", "3 -[]-> 4"]
    );
    let expected = [("A", 0), ("B", 1), ("C", 2), ("D", 3), ("E", 4)].map(|(l, n)| (l.to_owned(), n));
    assert_eq!(labels(&program, 0), expected);
    let texts: Vec<&str> = program.statements.iter().map(|statement| statement.text.as_str()).collect();
    assert_eq!(texts, ["either", "write: x := 1", "fence", "nop", "nop"]);
    let Property::Forbidden(forbidden) = &program.properties[0] else { panic!() };
    assert_eq!(forbidden.at.as_slice(), [LocationSet::OneOf([LocId(1)].into())]);
    assert_eq!(forbidden.text, "B");
}

#[test]
fn a_loop_that_begins_an_alternative_does_not_come_back_to_the_choice() {
    assert_eq!(
        lowered("either { while $r = 0 do nop or fence }"),
        [
            "0 -[? $r == 0]-> 1",
            "0 -[? !($r == 0)]-> 3",
            "2 -[? $r == 0]-> 1",
            "2 -[? !($r == 0)]-> 3",
            "1 -[]-> 2",
            "0 -[fence]-> 3"
        ]
    );
}

#[test]
fn locked_blocks_are_one_step_a_way() {
    assert_eq!(
        lowered("locked { read: x = 0; write: x := 1 or read: $r := x; read: $q := y }"),
        ["0 -[locked <0:3> <- x; ? <0:3> == 0; x := 1]-> 1", "0 -[$r <- x; $q <- y]-> 1"]
    );
    assert_eq!(
        lowered("locked { if $r = 1 then { either { nop or $q := 2 } } else write: x := 3; $r := 4 }"),
        [
            "0 -[? $r == 1; $r = 4]-> 1",
            "0 -[? $r == 1; $q = 2; $r = 4]-> 1",
            "0 -[locked ? !($r == 1); x := 3; $r = 4]-> 1"
        ]
    );
}

#[test]
fn labels_at_the_end_name_the_end() {
    let text = "forbidden END process registers $r = * : [0:1] text if $r = 1 then { fence; IN: }; nop; END:";
    let program = program(text);
    assert_eq!(
        edges(&program, 0),
        ["0 -[? $r == 1]-> 4", "0 -[? !($r == 1)]-> 3", "4 -[fence]-> 2", "2 -[]-> 3", "3 -[]-> 1"]
    );
    assert_eq!(labels(&program, 0), [("END".to_owned(), 1), ("IN".to_owned(), 2)]);
    let in_label = &program.statements.as_slice()[2];
    assert_eq!((in_label.text.as_str(), in_label.fence_before, in_label.fence_after), ("IN", false, false));
}

#[test]
fn copies_share_statements_and_differ_in_cells() {
    let text = "forbidden CS CS\nprocess(2)\ndata flag = 0 : [0:1]\nregisters $r = *\n\
                text\n  write: flag[my]\n := me; read: $r := flag[0];\nCS: nop";
    let program = program(text);
    let names: Vec<&str> = program.threads.iter().map(|thread| thread.name.as_str()).collect();
    assert_eq!(names, ["P0", "P1"]);
    assert_eq!(edges(&program, 0), ["0 -[flag[0] := 0]-> 2", "2 -[$r <- flag[1]]-> 1", "1 -[]-> 3"]);
    assert_eq!(edges(&program, 1), ["0 -[flag[1] := 1]-> 2", "2 -[$r <- flag[0]]-> 1", "1 -[]-> 3"]);
    let texts: Vec<&str> = program.statements.iter().map(|statement| statement.text.as_str()).collect();
    assert_eq!(texts, ["write: flag[my] := me", "read: $r := flag[0]", "nop"]);
    for (a, b) in program.threads.as_slice()[0].edges.iter().zip(&program.threads.as_slice()[1].edges) {
        assert_eq!(a.step.statement, b.step.statement);
    }
    let span = program.statements.as_slice()[2].span.unwrap();
    assert_eq!(
        &text[span.start as usize..span.end as usize],
        "nop",
        "the label is not part of the statement"
    );
}

#[test]
fn other_processes_are_counted_without_this_one() {
    let text = "forbidden * * * process(3) data d = 0 registers $r = 0 text read: $r := d[0]; read: $r := d[1]; $r := other 1";
    let program = program(text);
    let reads: Vec<Vec<String>> = (0..3).map(|thread| edges(&program, thread)).collect();
    assert_eq!(reads[0], ["0 -[$r <- d[1]]-> 1", "1 -[$r <- d[2]]-> 2", "2 -[$r = 2]-> 3"]);
    assert_eq!(reads[1], ["0 -[$r <- d[0]]-> 1", "1 -[$r <- d[2]]-> 2", "2 -[$r = 2]-> 3"]);
    assert_eq!(reads[2], ["0 -[$r <- d[0]]-> 1", "1 -[$r <- d[1]]-> 2", "2 -[$r = 1]-> 3"]);
}

#[test]
fn declarations() {
    let program = program(
        "forbidden * data a = -1 : [-2:9223372036854775808], b = * : Z c = 5 process data p = 1 registers $x = *:[0:1] text nop",
    );
    let vars: Vec<(&str, &Domain, &Init)> =
        program.vars.iter().map(|var| (var.name.as_str(), &var.domain, &var.init[0])).collect();
    let big: fencewright_base::Int = "9223372036854775808".parse().unwrap();
    assert_eq!(
        vars,
        [
            ("a", &Domain::range(-2, big), &Init::Value((-1).into())),
            ("b", &Domain::Integers, &Init::Any),
            ("c", &Domain::Integers, &Init::Value(5.into())),
            ("p[0]", &Domain::Integers, &Init::Value(1.into())),
        ]
    );
    assert_eq!(program.name, "test");
    let register = &program.threads.as_slice()[0].regs.as_slice()[0];
    assert_eq!(
        (register.name.as_str(), &register.domain, &register.init),
        ("$x", &Domain::range(0, 1), &Init::Any)
    );
}

#[test]
fn expansions_of_a_macro_share_the_statements_of_its_text() {
    let text = "forbidden CS CS\ndata x = 0 y = 0\n\
                macro set(v, n) write: v := n; nop endmacro\n\
                macro lock(v)\nprocess text set(v, 1); CS: read: v = 1 endmacro\nlock(x) lock(y)";
    let program = program(text);
    assert_eq!(edges(&program, 0), ["0 -[x := 1]-> 2", "2 -[]-> 1", "1 -[<Z> <- x; ? <Z> == 1]-> 3"]);
    assert_eq!(edges(&program, 1), ["0 -[y := 1]-> 2", "2 -[]-> 1", "1 -[<Z> <- y; ? <Z> == 1]-> 3"]);
    let texts: Vec<&str> = program.statements.iter().map(|statement| statement.text.as_str()).collect();
    assert_eq!(
        texts,
        ["write: v := n", "nop", "read: v = 1"],
        "shown as the macro has it, parameters included"
    );
    assert!(program.statements.iter().all(|statement| statement.fence_before && statement.fence_after));
}

#[test]
fn a_statement_cut_by_a_macro_call_has_no_room_on_that_side() {
    let flags = |text: &str| -> Vec<(String, bool, bool)> {
        let statements = program(text).statements;
        statements.iter().map(|s| (s.text.clone(), s.fence_before, s.fence_after)).collect()
    };
    let cut = "forbidden * data x = 0 macro half() fence; write: x := endmacro process text half() 1; nop";
    assert_eq!(
        flags(cut),
        [
            ("fence".to_owned(), true, true),
            ("half() 1".to_owned(), false, true),
            ("nop".to_owned(), true, true)
        ]
    );
    let given = "forbidden * data x = 0 macro twice(s) s; s endmacro process text twice(write: x := 1)";
    assert_eq!(
        flags(given),
        [("write: x := 1".to_owned(), true, true)],
        "an argument stands where it is written"
    );
}

#[test]
fn where_a_fence_can_be_written() {
    let text = "forbidden * data x = 0 macro m() write: x := 1 endmacro process registers $r = 0 text\n\
                if $r = /* why */ 1 then read: $r := x;\nwhile $r\n = 2 do $r := 3;\nslocked write: x := 4;\n\
                locked { m(); nop }; m(); L: goto L";
    let program = program(text);
    let flags: Vec<(&str, bool, bool)> =
        program.statements.iter().map(|s| (s.text.as_str(), s.fence_before, s.fence_after)).collect();
    assert_eq!(
        flags,
        [
            ("if $r = 1", true, false),
            ("read: $r := x", true, true),
            ("while $r = 2", false, false),
            ("$r := 3", true, true),
            ("slocked write: x := 4", false, true),
            ("locked { m(); nop }", true, true),
            ("write: x := 1", false, false),
            ("goto L", true, false),
        ]
    );
}

#[test]
fn loops_are_counted_by_while_and_by_goto() {
    let text = "forbidden * data x = 0 process registers $r = 0 text\n\
                nop; A: read: $r := x; while $r = 1 do { while $r = 2 do fence; $r := 3 }; if $r = 4 then goto A; ssfence";
    let program = program(text);
    let depths: Vec<(&str, u32)> =
        program.statements.iter().map(|s| (s.text.as_str(), s.loop_depth)).collect();
    assert_eq!(
        depths,
        [
            ("nop", 0),
            ("read: $r := x", 1),
            ("while $r = 1", 2),
            ("while $r = 2", 3),
            ("fence", 3),
            ("$r := 3", 2),
            ("if $r = 4", 1),
            ("ssfence", 0),
        ]
    );
}

#[test]
fn forbidden_alternatives_are_properties() {
    let text = "forbidden A * ;\n  B A;\nprocess text A: nop; B: nop; A: nop\npredicates";
    assert!(load(text).is_err(), "sections have an order");
    let program =
        program("forbidden A * ; B A predicates 1 = 1; true process(2) text A: nop; B: nop; A: nop");
    let shown: Vec<(&str, &[LocationSet])> = program
        .properties
        .iter()
        .map(|property| match property {
            Property::Forbidden(forbidden) => (forbidden.text.as_str(), forbidden.at.as_slice()),
            _ => panic!(),
        })
        .collect();
    let a = LocationSet::OneOf([LocId(0), LocId(1)].into());
    let b = LocationSet::OneOf([LocId(2)].into());
    assert_eq!(shown, [("A *", &[a.clone(), LocationSet::Any][..]), ("B A", &[b, a][..])]);
}

#[test]
fn one_line_drops_comments() {
    assert_eq!(super::one_line(" a /* b\n */ c // d\n\te"), "a c e");
    assert_eq!(super::one_line("a//"), "a");
}
