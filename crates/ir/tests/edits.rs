//! Sites and edits: where a fence can be written, and what writing it does to every thread that runs through it.

use fencewright_ir::edit::{
    Remedy, apply, can_strengthen, insert_fence, make_atomic, remove_fence, strengthen,
};
use fencewright_ir::{
    Addr, CellId, Domain, EdgeId, Expr, FenceKind, Init, LocId, Lock, Op, OrderId, OrderWord, Place, Program,
    ProgramBuilder, RegId, Side, Site, StatementId, Step, ThreadBuilder, ThreadId, sites, validate,
};

const T0: ThreadId = ThreadId(0);
const T1: ThreadId = ThreadId(1);

/// Two threads of one text: `x := 1; r := x`, where the first statement stands at a labelled location, and may be
/// skipped from there.
fn shared_text() -> (Program, [StatementId; 3]) {
    let mut p = ProgramBuilder::new("p");
    let x = p.scalar("x", Domain::range(0, 1), Init::Value(0.into()), None);
    let write = p.statement("x := 1", None);
    let read = p.statement("r := x", None);
    let skip = p.statement("skip", None);
    p.statement("never used", None);
    p.statement_mut(skip).fence_before = false;
    p.statement_mut(skip).fence_after = false;
    p.statement_mut(read).fence_after = false;
    for name in ["P0", "P1"] {
        let mut t = ThreadBuilder::new(name);
        let r = t.register("r", Domain::range(0, 1), Init::Value(0.into()));
        let start = t.entry();
        t.label(start, "START");
        let written = t.then(start, Op::Write { addr: Addr::Cell(x), value: Expr::constant(1) }, write);
        t.edge(start, written, Step { ops: Default::default(), lock: None, statement: skip });
        t.then(written, Op::Read { dst: r, addr: Addr::Cell(x) }, read);
        p.add_thread(t);
    }
    (p.finish().expect("well-formed"), [write, read, skip])
}

#[test]
fn a_site_is_a_side_of_a_used_statement_where_a_fence_can_be_written() {
    let (p, [write, read, _]) = shared_text();
    let site = |statement, side| Site { statement, side };
    assert_eq!(sites(&p), [site(write, Side::Before), site(write, Side::After), site(read, Side::Before)]);
}

#[test]
fn a_site_stands_for_its_places_in_all_threads() {
    let (p, [write, ..]) = shared_text();
    let before = Site { statement: write, side: Side::Before }.places(&p);
    assert_eq!(before, [Place::Before(T0, LocId(0)), Place::Before(T1, LocId(0))]);
    let after = Site { statement: write, side: Side::After }.places(&p);
    assert_eq!(after, [Place::After(T0, EdgeId(0)), Place::After(T1, EdgeId(0))]);
}

/// The edges of a thread as (from, to, is a fence), in order.
fn edges(p: &Program, thread: ThreadId) -> Vec<(u32, u32, bool)> {
    let is_fence = |step: &Step| step.ops.iter().any(|op| matches!(op, Op::Fence(_)));
    p.threads[thread].edges.iter().map(|edge| (edge.from.0, edge.to.0, is_fence(&edge.step))).collect()
}

#[test]
fn a_fence_before_a_statement_stands_behind_its_label_and_only_on_its_own_way() {
    let (p, [write, ..]) = shared_text();
    let fenced = insert_fence(&p, Site { statement: write, side: Side::Before }, FenceKind::Full);
    assert_eq!(validate(&fenced), []);
    for thread in [T0, T1] {
        assert_eq!(edges(&p, thread), [(0, 1, false), (0, 1, false), (1, 2, false)]);
        // The write starts at the new location 3; skipping it still starts at 0 and passes no fence.
        assert_eq!(edges(&fenced, thread), [(3, 1, false), (0, 1, false), (1, 2, false), (0, 3, true)]);
        assert_eq!(fenced.threads[thread].locations[LocId(0)].labels, ["START"]);
        assert_eq!(fenced.threads[thread].locations[LocId(3)].labels, Vec::<String>::new());
    }
    assert_eq!(
        fenced.statements.len(),
        p.statements.len() + 1,
        "one statement for all threads: it costs once"
    );
}

#[test]
fn a_fence_after_a_statement_is_passed_next_by_whoever_has_executed_it() {
    let (p, [write, ..]) = shared_text();
    let fenced = insert_fence(&p, Site { statement: write, side: Side::After }, FenceKind::StoreStore);
    assert_eq!(validate(&fenced), []);
    for thread in [T0, T1] {
        assert_eq!(edges(&fenced, thread), [(0, 3, false), (0, 1, false), (1, 2, false), (3, 1, true)]);
    }
}

#[test]
fn taking_a_fence_out_leaves_the_step_and_nothing_else_changes() {
    let (p, [write, ..]) = shared_text();
    let fenced = insert_fence(&p, Site { statement: write, side: Side::After }, FenceKind::Full);
    let fence = StatementId(p.statements.len() as u32);
    let without = remove_fence(&fenced, fence);
    assert_eq!(edges(&without, T0), [(0, 3, false), (0, 1, false), (1, 2, false), (3, 1, false)]);
    assert_eq!(remove_fence(&p, write), p, "a statement without a fence stays as it is");
}

#[test]
fn an_atomic_write_is_locked_in_every_thread_and_never_weaker_than_it_was() {
    let (p, [write, read, _]) = shared_text();
    let locks = |p: &Program| -> Vec<Option<Lock>> {
        p.threads.iter().flat_map(|thread| thread.edges.iter().map(|edge| edge.step.lock)).collect()
    };
    let full = make_atomic(&p, write, Lock::Full);
    assert_eq!(locks(&full), [Some(Lock::Full), None, None, Some(Lock::Full), None, None]);
    assert_eq!(make_atomic(&full, write, Lock::Location), full);
    assert_eq!(make_atomic(&p, read, Lock::Full), p, "a statement that writes nothing stays as it is");
}

/// Each way to break a valid program is found.
#[test]
fn validation_finds_what_is_out_of_range() {
    let (p, _) = shared_text();
    assert_eq!(validate(&p), []);
    let broken = |change: &dyn Fn(&mut Program)| {
        let mut broken = p.clone();
        change(&mut broken);
        validate(&broken).iter().map(|error| error.to_string()).collect::<Vec<_>>()
    };
    let step = |p: &mut Program, op: Op| p.threads[T1].edges[EdgeId(2)].step.ops[0] = op;
    let far = fencewright_ir::CellId(1);
    let far_reg = fencewright_ir::RegId(1);
    let value = Expr::constant(0);
    assert_eq!(broken(&|p| p.threads[T0].entry = LocId(9)), ["thread 0: entry L9 does not exist"]);
    assert_eq!(
        broken(&|p| p.threads[T0].edges[EdgeId(0)].to = LocId(9)),
        ["thread 0: e0 uses L9, which does not exist"]
    );
    assert_eq!(
        broken(&|p| step(p, Op::Write { addr: Addr::Cell(far), value: value.clone() })),
        ["thread 1: c1 does not exist"]
    );
    assert_eq!(broken(&|p| step(p, Op::Havoc { dst: far_reg })), ["thread 1: r1 does not exist"]);
    assert_eq!(broken(&|p| step(p, Op::Guard(Expr::Atom(far_reg)))), ["thread 1: r1 does not exist"]);
    assert_eq!(
        broken(&|p| p.vars[fencewright_ir::VarId(0)].init[0] = Init::Value(2.into())),
        ["variable `x` starts with 2, outside its domain"]
    );
    assert_eq!(
        broken(&|p| p.vars[fencewright_ir::VarId(0)].domain = Domain::range(1, 0)),
        ["variable `x` has the empty range 1..0"]
    );
    assert_eq!(broken(&|p| p.threads = Default::default()), ["there is no thread"]);
}

/// The program with this step in the place of the first write of each thread, and a word for its order.
fn with_word(step: Step) -> (Program, OrderId) {
    let (mut p, [write, ..]) = shared_text();
    let stronger = [FenceKind::Full, FenceKind::StoreStore].map(|kind| (kind, "stronger".to_owned()));
    let steps = vec![(T0, EdgeId(0)), (T1, EdgeId(0))];
    for &(thread, edge) in &steps {
        p.threads[thread].edges[edge].step = Step { statement: write, ..step.clone() };
    }
    let order = p.orders.push(OrderWord {
        text: "x.store(1, weak)".to_owned(),
        word: "weak".to_owned(),
        span: None,
        stronger: stronger.to_vec(),
        loop_depth: 0,
        steps,
    });
    assert_eq!(validate(&p), []);
    (p, order)
}

/// Locks and operations of a program's first step, in letters: a lock, then fence, read, write.
fn letters(p: &Program) -> String {
    let step = &p.edge(T1, EdgeId(0)).step;
    assert_eq!(step, &p.edge(T0, EdgeId(0)).step, "both threads run one text");
    let lock = match step.lock {
        None => "",
        Some(Lock::Location) => "location ",
        Some(Lock::Full) => "full ",
    };
    let op = |op: &Op| match op {
        Op::Fence(FenceKind::Full) => 'F',
        Op::Fence(FenceKind::StoreStore) => 'S',
        Op::Read { .. } => 'R',
        Op::Write { .. } => 'W',
        _ => '-',
    };
    format!("{lock}{}", step.ops.iter().map(op).collect::<String>())
}

#[test]
fn a_stronger_word_makes_its_steps_as_strong_as_the_fence() {
    let x = Addr::Cell(CellId(0));
    let write = || Op::Write { addr: x.clone(), value: Expr::constant(1) };
    let read = || Op::Read { dst: RegId(0), addr: x.clone() };
    let store_store = || Op::Fence(FenceKind::StoreStore);
    let statement = StatementId(0);
    let step = |ops: Vec<Op>, lock| Step { ops: ops.into(), lock, statement };
    // A step, what it is with a store-store fence's strength, and with a full one's; the same where nothing changes.
    for (step, store, full) in [
        (step(vec![write()], None), "SW", "full W"),
        (step(vec![store_store(), write()], None), "SW", "full W"),
        (step(vec![read(), write()], Some(Lock::Location)), "location RW", "full RW"),
        (step(vec![read()], Some(Lock::Location)), "location R", "full R"),
        (step(vec![read(), write()], Some(Lock::Full)), "full RW", "full RW"),
        (step(vec![store_store()], None), "S", "F"),
        (step(vec![Op::Fence(FenceKind::Full)], None), "F", "F"),
        (step(vec![], None), "", ""),
    ] {
        let (p, order) = with_word(step);
        for (kind, expected) in [(FenceKind::StoreStore, store), (FenceKind::Full, full)] {
            let stronger = strengthen(&p, order, kind);
            assert_eq!(validate(&stronger), []);
            assert_eq!(letters(&stronger), expected);
            assert_eq!(can_strengthen(&p, order, kind), letters(&p) != expected, "{expected}");
        }
        // Both together are the stronger one, in either order.
        let [a, b] = [FenceKind::StoreStore, FenceKind::Full].map(|kind| Remedy::Order(order, kind));
        assert_eq!(letters(&apply(&p, &[a, b])), full);
        assert_eq!(letters(&apply(&p, &[b, a])), full);
    }
}
