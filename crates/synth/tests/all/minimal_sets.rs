//! The strategy `minimal-sets` against the default one: the same cost, and the same inclusion-minimal repairs.

use std::collections::BTreeSet;
use std::path::Path;

use fencewright_base::Meter;
use fencewright_engine::Context;
use fencewright_engine_wsts::Wsts;
use fencewright_ir::Program;
use fencewright_ir::edit::Remedy;
use fencewright_memory::Model;
use fencewright_synth::{Reason, Repair, Request, Strategy, Want, repair};
use fencewright_testkit::corpus;
use fencewright_testkit::toy::{Toy, eq, reg};

use crate::common::{ask, check, request};

fn load(name: &str) -> Program {
    let (_, file) = name.split_once('/').expect("a family and a name");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../corpus/{name}/{file}.rmm"));
    corpus::load_program(&path).expect("a program of the corpus")
}

/// All repairs found, each a set, and what the first costs. A program that needs none has one, which is empty.
fn repairs(request: &Request<'_>, name: &str) -> (u64, BTreeSet<BTreeSet<Remedy>>) {
    // An engine that decides every candidate: with another some stay open, and the list is not complete.
    let mut context = || Context::quiet(Meter::unlimited());
    let answer = repair(&Wsts::new(), request, &mut context).expect("the engine's traces replay");
    let found = match answer {
        Repair::Repaired(found) => found,
        Repair::AlreadySafe(_) => return (0, BTreeSet::from([BTreeSet::new()])),
        _ => panic!("{name}: no repair"),
    };
    check(name, &found);
    assert!(found.complete, "{name}");
    let first = found.remedies.iter().map(|chosen| chosen.remedy).collect();
    let others = found.alternatives.into_iter().map(|repair| repair.into_iter().collect());
    (found.cost, std::iter::once(first).chain(others).collect())
}

/// Store buffering, `x = 1; r = y ∥ y = 1; s = x`, never both 0. Each thread needs a full fence between its write and its
/// read, and there is one place for it: one minimal repair, of two fences. Message passing under PSO,
/// `x = 1; y = 1 ∥ r = y; s = x`: a full fence or a store-store fence between the writes, two minimal repairs.
#[test]
fn by_hand() {
    let mut p = Toy::new("sb");
    let [x, y] = p.vars(["x", "y"]);
    let mut side = |own, other| {
        let (t, r) = p.thread(|t| {
            let r = t.reg("r");
            t.write(own, 1);
            t.read(r, other);
            r
        });
        eq(reg(t, r), 0)
    };
    let (one, two) = (side(x, y), side(y, x));
    p.never(one.and(two));
    let sb = p.finish();
    let mut p = Toy::new("mp");
    let [x, y] = p.vars(["x", "y"]);
    p.thread(|t| {
        t.write(x, 1);
        t.write(y, 1);
    });
    let (t, [r, s]) = p.thread(|t| {
        let regs = ["r", "s"].map(|name| t.reg(name));
        t.read(regs[0], y);
        t.read(regs[1], x);
        regs
    });
    p.never(eq(reg(t, r), 1).and(eq(reg(t, s), 0)));
    let mp = p.finish();
    for (program, model, cost, expected) in [(&sb, Model::Tso, 200, 1), (&mp, Model::Pso, 40, 2)] {
        let asked =
            Request { strategy: Strategy::MinimalSets, want: Want::AllMinimal, ..request(program, model) };
        let (found, sets) = repairs(&asked, &program.name);
        assert_eq!((found, sets.len()), (cost, expected), "{}: {sets:?}", program.name);
    }
}

fn compare(name: &str, model: Model) {
    let program = load(name);
    let by = |strategy| {
        let asked = Request { strategy, want: Want::AllMinimal, ..request(&program, model) };
        repairs(&asked, name)
    };
    assert_eq!(by(Strategy::MinimalSets), by(Strategy::HittingSets), "{name} under {}", model.name());
}

#[test]
fn the_same_repairs_as_by_hitting_sets() {
    for (name, model) in [
        ("mutex/dekker-simple", Model::Tso),
        ("mutex/peterson", Model::Pso),
        ("mutex/kessels", Model::Tso),
        ("protocols/message-passing", Model::Pso),
        ("protocols/double-checked-init", Model::Pso),
        ("locks/clh", Model::Pso),
    ] {
        compare(name, model);
    }
}

/// The sixteen programs of the paper's Table 1.
fn compare_the_papers_programs(model: Model) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/netys2015");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).expect("the corpus has the paper's programs") {
        let entry = entry.expect("the folder can be read").file_name();
        let name = format!("netys2015/{}", entry.to_string_lossy());
        compare(&name, model);
        seen += 1;
    }
    assert_eq!(seen, 16);
}

#[test]
fn the_same_repairs_of_the_papers_programs_under_tso() {
    compare_the_papers_programs(Model::Tso);
}

#[test]
fn the_same_repairs_of_the_papers_programs_under_pso() {
    compare_the_papers_programs(Model::Pso);
}

#[test]
fn what_needs_no_repair_and_what_has_none() {
    let asked = |name: &str| {
        let program = load(name);
        ask(&Request { strategy: Strategy::MinimalSets, ..request(&program, Model::Tso) })
    };
    assert!(matches!(asked("mutex/peterson-tso"), Repair::AlreadySafe(_)));
    assert!(matches!(asked("mutex/hyman"), Repair::WrongUnderSc(_)));
    let Repair::NotFound(open) = asked("mutex/burns") else { panic!("explicit search cannot prove it") };
    assert!(matches!(open.reason, Reason::Unproved(_)));
}
