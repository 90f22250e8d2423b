//! What modules become: orders, fence sites, names, statements. The expectations are argued from the table in
//! `docs/formats/c-and-rust.md` and from the texts beside them.

use std::collections::BTreeMap;

use fencewright_base::{FileId, Int, Meter, SourceMap, Span};
use fencewright_frontend::llvm::{Lowered, Options, OrderInfo, PlaceInfo, Places, Unit, load_with_places};
use fencewright_ir::{FenceKind, Init, Lock, Op, Program, Side, Step, sites};

/// Two threads with these bodies, one that writes and reads what the other does, so that nothing is one thread's own.
fn two_threads(globals: &str, first: &str, second: &str) -> String {
    format!(
        "{globals}
declare void @__fencewright_site(i32)
declare void @abort()
define void @first() {{
{first}
}}
define void @second() {{
{second}
}}
"
    )
}

fn lower(text: &str, places: Option<&dyn Places>) -> Lowered {
    let mut sources = SourceMap::new();
    let ir = sources.add("test.ll", text);
    let options = Options { entries: vec!["first".to_owned(), "second".to_owned()], ..Options::default() };
    load_with_places(&Unit { sources: &sources, ir, places, options: &options, meter: Meter::unlimited() })
        .unwrap_or_else(|problems| panic!("{problems:#?}\nin\n{text}"))
}

fn program(text: &str) -> Program {
    lower(text, None).loaded.program
}

fn steps(program: &Program, thread: usize) -> Vec<&Step> {
    program.threads.as_slice()[thread].edges.iter().map(|edge| &edge.step).collect()
}

/// A step in a few words.
fn shown(step: &Step) -> String {
    let ops = step.ops.iter().map(|op| match op {
        Op::Read { .. } => "read",
        Op::Write { .. } => "write",
        Op::Fence(FenceKind::Full) => "full",
        Op::Fence(FenceKind::StoreStore) => "store-store",
        Op::Assign { .. } => "assign",
        Op::Guard(_) => "guard",
        Op::Assert(_) => "assert",
        Op::Havoc { .. } => "havoc",
        Op::Send { .. } => "send",
        Op::Receive { .. } => "receive",
    });
    let lock = match step.lock {
        None => "",
        Some(Lock::Location) => "location: ",
        Some(Lock::Full) => "lock: ",
    };
    format!("{lock}{}", ops.collect::<Vec<_>>().join(" "))
}

/// Reads both variables, so that they are shared and hold more than one value.
const READER: &str = "
  %a = load i32, ptr @x
  %b = load i32, ptr @y
  %c = icmp eq i32 %a, %b
  br i1 %c, label %same, label %other
same:
  store i32 5, ptr @x
  ret void
other:
  store i32 6, ptr @y
  ret void";

#[test]
fn orders_become_fences_and_locked_steps() {
    let globals = "@x = global i32 0\n@y = global i32 0";
    for (instruction, expected) in [
        ("store i32 1, ptr @x", vec!["write"]),
        ("store volatile i32 1, ptr @x", vec!["write"]),
        ("store atomic i32 1, ptr @x monotonic, align 4", vec!["write"]),
        ("store atomic i32 1, ptr @x release, align 4", vec!["store-store write"]),
        ("store atomic i32 1, ptr @x seq_cst, align 4", vec!["lock: write"]),
        ("%r = atomicrmw add ptr @x, i32 1 monotonic", vec!["location: read write"]),
        ("%r = atomicrmw add ptr @x, i32 1 acquire", vec!["location: read write"]),
        ("%r = atomicrmw add ptr @x, i32 1 release", vec!["lock: read write"]),
        ("%r = atomicrmw add ptr @x, i32 1 acq_rel", vec!["lock: read write"]),
        ("%r = atomicrmw xchg ptr @x, i32 1 seq_cst", vec!["lock: read write"]),
        (
            "%r = cmpxchg ptr @x, i32 0, i32 1 seq_cst seq_cst",
            vec!["lock: read guard", "lock: read guard write"],
        ),
        ("fence seq_cst", vec!["full"]),
        ("fence release", vec!["store-store"]),
        ("fence acq_rel", vec!["store-store"]),
        ("fence acquire", vec![]),
        ("fence syncscope(\"singlethread\") seq_cst", vec![]),
        ("call void asm sideeffect \"mfence\", \"~{memory}\"()", vec!["full"]),
        ("call void asm sideeffect \"\", \"~{memory}\"()", vec![]),
        ("call void asm sideeffect \"lock; addl $$0,0(%rsp)\", \"~{memory}\"()", vec!["full"]),
    ] {
        let text = two_threads(globals, &format!("  {instruction}\n  ret void"), READER);
        let program = program(&text);
        let mut found: Vec<String> = steps(&program, 0).into_iter().map(shown).collect();
        found.sort();
        assert_eq!(found, expected, "{instruction}");
    }
}

#[test]
fn a_locked_step_that_changes_nothing_still_orders() {
    // The cell only ever holds 0, so the store is no write; the wait for earlier writes is left.
    let globals = "@x = global i32 0\n@y = global i32 0\n@z = global i32 0";
    let first = "  store i32 1, ptr @x\n  store atomic i32 0, ptr @z seq_cst, align 4\n  ret void";
    let program = program(&two_threads(globals, first, READER));
    let found: Vec<String> = steps(&program, 0).into_iter().map(shown).collect();
    assert_eq!(found, ["write", "full"]);
}

#[test]
fn computing_and_branching_are_part_of_the_access() {
    // Six instructions between two reads: the second thread has one step for each way a read can go.
    let program = program(&two_threads(
        "@x = global i32 0\n@y = global i32 0",
        "  store i32 1, ptr @x\n  store i32 1, ptr @y\n  ret void",
        READER,
    ));
    let found: Vec<String> = steps(&program, 1).into_iter().map(shown).collect();
    assert_eq!(found, ["read", "read guard", "read guard", "write", "write"]);
}

/// Clang writes such loops from -O1 on: the value is made in the block of the phi, and comes back to it by another one.
#[test]
fn a_value_lasts_until_the_phi_that_uses_it() {
    let globals = "@x = global i32 9\n@y = global i32 0";
    let first = "
  br label %loop
loop:
  %p = phi i32 [ 0, %0 ], [ %v, %next ]
  store i32 %p, ptr @y
  %v = load i32, ptr @x
  br label %next
next:
  %again = icmp eq i32 %p, 0
  br i1 %again, label %loop, label %done
done:
  ret void";
    let program = program(&two_threads(globals, first, READER));
    let y = program.vars.iter().find(|var| var.name == "y").expect("it is shared");
    assert!(y.domain.contains(&9.into()), "what x held comes to y: {:?}", y.domain);
}

#[test]
fn what_one_thread_alone_touches_is_no_cell() {
    let globals = "@x = global i32 0\n@y = global i32 0\n@own = global i32 0\n@const = constant i32 9";
    let first = "
  %k = load i32, ptr @const
  store i32 %k, ptr @own
  %v = load i32, ptr @own
  store i32 %v, ptr @x
  store i32 %v, ptr @y
  ret void";
    let program = program(&two_threads(globals, first, READER));
    let names: Vec<&str> = program.vars.iter().map(|var| var.name.as_str()).collect();
    assert_eq!(names, ["x", "y"]);
    assert_eq!(steps(&program, 0).len(), 2, "9 is written to x and to y, and nothing else happens");
}

#[test]
fn domains_are_the_values_that_occur() {
    use fencewright_ir::Domain;
    let globals = "@x = global i32 0\n@y = global i32 0";
    let text = two_threads(globals, "  store i32 1, ptr @x\n  store i32 2, ptr @y\n  ret void", READER);
    let narrow = program(&text);
    let domains: Vec<&Domain> = narrow.vars.iter().map(|var| &var.domain).collect();
    assert_eq!(domains, [&Domain::range(0, 5), &Domain::range(0, 6)], "0, 1 and 5; 0, 2 and 6");
    let mut sources = SourceMap::new();
    let ir = sources.add("test.ll", text);
    let options = Options {
        entries: vec!["first".to_owned(), "second".to_owned()],
        narrow: false,
        ..Options::default()
    };
    let wide = load_with_places(&Unit {
        sources: &sources,
        ir,
        places: None,
        options: &options,
        meter: Meter::unlimited(),
    })
    .expect("loads");
    let machine = Domain::Machine { bits: 32, signed: true };
    assert!(wide.loaded.program.vars.iter().all(|var| var.domain == machine));
}

/// Places with the number as their text, one byte each.
struct Numbered;

impl Places for Numbered {
    fn place(&self, number: u32) -> Option<PlaceInfo> {
        let span = Span { file: FileId(0), start: number, end: number + 1 };
        Some(PlaceInfo { span, loop_depth: number / 10, text: format!("place {number}") })
    }

    fn statement_at(&self, _: &str, _: u32, _: u32) -> Option<(Span, String)> {
        None
    }

    fn order_at(&self, _: &str, _: u32, _: u32) -> Option<OrderInfo> {
        None
    }
}

/// The places of all sites, with their sides.
fn found_places(lowered: &Lowered) -> BTreeMap<u32, Side> {
    let all = sites(&lowered.loaded.program);
    assert_eq!(all.len(), lowered.places.len(), "every site has its place");
    all.iter().map(|site| (lowered.places[site], site.side)).collect()
}

#[test]
fn sites_stand_where_they_are_called() {
    let globals = "@x = global i32 0\n@y = global i32 0";
    // Before each access; 3 and 4 have no access between them, so 4, which stands at the access, stands for both.
    let first = "
  call void @__fencewright_site(i32 1)
  store i32 1, ptr @x
  call void @__fencewright_site(i32 2)
  %r = load i32, ptr @y
  call void @__fencewright_site(i32 3)
  call void @__fencewright_site(i32 4)
  store i32 %r, ptr @x
  ret void";
    let lowered = lower(&two_threads(globals, first, READER), Some(&Numbered));
    let expected = BTreeMap::from([(1, Side::Before), (2, Side::Before), (4, Side::Before)]);
    assert_eq!(found_places(&lowered), expected);
    assert_eq!(lowered.loaded.program.threads.as_slice()[0].edges.len(), 3, "a site costs no step here");
    let two = sites(&lowered.loaded.program)[1];
    let statement = &lowered.loaded.program.statements[two.statement];
    assert_eq!((statement.text.as_str(), statement.loop_depth), ("place 2", 0));
}

#[test]
fn a_site_before_a_loop_is_behind_the_step_before_it() {
    // The loop is entered through the site and comes back behind it, so the site is no part of the loop's first step.
    let globals = "@x = global i32 0\n@y = global i32 0";
    let first = "
  call void @__fencewright_site(i32 1)
  store i32 1, ptr @x
  call void @__fencewright_site(i32 2)
  br label %loop
loop:
  %r = load i32, ptr @y
  %again = icmp ne i32 %r, 0
  br i1 %again, label %loop, label %done
done:
  call void @__fencewright_site(i32 13)
  store i32 2, ptr @x
  ret void";
    let lowered = lower(&two_threads(globals, first, READER), Some(&Numbered));
    let expected = BTreeMap::from([(1, Side::Before), (2, Side::After), (13, Side::Before)]);
    assert_eq!(found_places(&lowered), expected);
    let program = &lowered.loaded.program;
    assert_eq!(program.threads.as_slice()[0].edges.len(), 4, "the loop's two ways, and the two writes");
    let after = sites(program).into_iter().find(|site| lowered.places[site] == 2).expect("it is there");
    assert_eq!(after.places(program).len(), 1);
}

#[test]
fn threads_of_one_text_share_its_sites() {
    let text = "
@x = global i32 0
@y = global i32 0
declare void @__fencewright_site(i32)
define void @both(i32 %v) {
  call void @__fencewright_site(i32 1)
  store i32 %v, ptr @x
  call void @__fencewright_site(i32 2)
  %r = load i32, ptr @y
  %c = icmp eq i32 %r, 0
  br i1 %c, label %write, label %done
write:
  store i32 %v, ptr @y
  br label %done
done:
  ret void
}
define void @first() {
  call void @both(i32 1)
  ret void
}
define void @second() {
  call void @both(i32 2)
  ret void
}
";
    let lowered = lower(text, Some(&Numbered));
    assert_eq!(found_places(&lowered), BTreeMap::from([(1, Side::Before), (2, Side::Before)]));
    for site in sites(&lowered.loaded.program) {
        assert_eq!(site.places(&lowered.loaded.program).len(), 2, "one place in each thread");
    }
}

#[test]
fn without_places_there_are_no_sites() {
    let text = two_threads(
        "@x = global i32 0\n@y = global i32 0",
        "  call void @__fencewright_site(i32 1)\n  store i32 1, ptr @x\n  ret void",
        READER,
    );
    assert!(sites(&program(&text)).is_empty());
}

#[test]
fn an_access_across_padding_takes_the_bytes_around_it() {
    // As clang lays out bit-fields of 24 bits with an integer behind them, and loads them: i32 from three bytes and one
    // of padding. The initial value is 1 + 2 * 256 + 3 * 65536.
    let globals = "@g = global { i8, i8, i8, i32 } { i8 1, i8 2, i8 3, i32 5 }\n@x = global i32 0";
    let body = "  %a = load i32, ptr @g\n  %b = add i32 %a, 1\n  store i32 %b, ptr @g\n  ret void";
    let program = program(&two_threads(globals, body, body));
    let (_, _, initial) = program.cells().next().expect("it is shared");
    assert_eq!(*initial, Init::Value(Int::from(197_121)));
}

#[test]
fn an_observed_global_stays_in_memory() {
    let globals = "@x = global i32 0\n@out = global i32 0";
    let first = "  store i32 1, ptr @out\n  store i32 1, ptr @x\n  ret void";
    let text = two_threads(globals, first, "  store i32 2, ptr @x\n  ret void");
    let cells = |observed: &[&str]| {
        let mut sources = SourceMap::new();
        let ir = sources.add("test.ll", text.as_str());
        let options = Options {
            entries: vec!["first".to_owned(), "second".to_owned()],
            observed: observed.iter().map(|name| (*name).to_owned()).collect(),
            ..Options::default()
        };
        let unit = Unit { sources: &sources, ir, places: None, options: &options, meter: Meter::unlimited() };
        let program = load_with_places(&unit).expect("it is lowered").loaded.program;
        program.cells().map(|(id, _, _)| program.cell_name(id)).collect::<Vec<_>>()
    };
    assert_eq!(cells(&[]), ["x"]);
    assert_eq!(cells(&["out"]), ["x", "out"]);
}
