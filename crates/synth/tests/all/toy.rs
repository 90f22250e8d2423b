//! Repairs of programs small enough to repair by hand.

use fencewright_ir::edit::Remedy;
use fencewright_ir::{FenceKind, Lock, Program, Side};
use fencewright_memory::Model;
use fencewright_synth::{Beside, Reason, Repair, Repaired, Request, Want};
use fencewright_testkit::toy::{Toy, eq, reg};

use crate::common::{ask, check, fences, request};

const ATOMIC: Beside = Beside { atomic: true, orders: false };

/// Each thread writes its variable, then perhaps a fence, then reads the other's. Statements 0, 1 (, 2) and 2, 3
/// (3, 4, 5).
fn store_buffering(fence: Option<FenceKind>) -> Program {
    let mut p = Toy::new("SB");
    let [x, y] = p.vars(["x", "y"]);
    let mut thread = |own, other| {
        p.thread(|t| {
            let r = t.reg("r");
            t.write(own, 1);
            if let Some(kind) = fence {
                t.fence(kind);
            }
            t.read(r, other);
            r
        })
    };
    let (t0, r0) = thread(x, y);
    let (t1, r1) = thread(y, x);
    p.never(eq(reg(t0, r0), 0).and(eq(reg(t1, r1), 0)));
    p.finish()
}

/// Data, then a flag; the reader sees the flag and not the data.
fn message_passing(wrong: bool) -> Program {
    let mut p = Toy::new("MP");
    let [data, flag] = p.vars(["data", "flag"]);
    p.thread(|t| {
        t.write(data, 1);
        t.write(flag, 1);
    });
    let (reader, (seen, read)) = p.thread(|t| {
        let (seen, read) = (t.reg("seen"), t.reg("read"));
        t.read(seen, flag);
        t.read(read, data);
        (seen, read)
    });
    let never = eq(reg(reader, seen), i64::from(!wrong)).and(eq(reg(reader, read), 0));
    p.never(never);
    p.finish()
}

fn repaired(request: &Request<'_>) -> Repaired {
    let Repair::Repaired(found) = ask(request) else { panic!("no repair of {}", request.program.name) };
    check(&request.program.name, &found);
    *found
}

fn remedies(found: &Repaired) -> Vec<Remedy> {
    found.remedies.iter().map(|chosen| chosen.remedy).collect()
}

#[test]
fn store_buffering_needs_a_full_fence_in_each_thread() {
    let program = store_buffering(None);
    for model in [Model::Tso, Model::Pso, Model::Slot] {
        let found = repaired(&request(&program, model));
        let places: Vec<(u32, Side)> = remedies(&found)
            .iter()
            .map(|remedy| match remedy {
                Remedy::Fence(site, _) => (site.statement.0, site.side),
                Remedy::Atomic(_) | Remedy::Order(..) => panic!("not allowed"),
            })
            .collect();
        assert_eq!(places, [(0, Side::After), (2, Side::After)], "{model:?}");
        assert_eq!(found.rounds, 3, "{model:?}: nothing, one thread, both");
    }
    assert_eq!(fences(remedies(&repaired(&request(&program, Model::Tso)))), "2m");
}

#[test]
fn a_store_store_fence_is_enough_for_message_passing_under_pso() {
    let program = message_passing(false);
    let found = repaired(&request(&program, Model::Pso));
    assert_eq!(fences(remedies(&found)), "1s");
    assert_eq!(found.cost, 40);
    assert!(matches!(ask(&request(&program, Model::Tso)), Repair::AlreadySafe(_)));
}

#[test]
fn atomic_writes_are_used_when_they_are_allowed_and_cheaper() {
    let program = message_passing(false);
    let mut asked = Request { beside: ATOMIC, want: Want::AllMinimal, ..request(&program, Model::Pso) };
    let found = repaired(&asked);
    assert_eq!(fences(remedies(&found)), "1s");
    // The first write made atomic is in memory before the flag is; the flag made atomic would only be faster.
    let first = fencewright_ir::StatementId(0);
    assert!(found.alternatives.contains(&vec![Remedy::Atomic(first)]), "{:?}", found.alternatives);
    assert_eq!(found.alternatives.len(), 2, "and the full fence");
    assert!(found.complete);
    asked.costs.atomic = 1;
    assert_eq!(remedies(&repaired(&asked)), [Remedy::Atomic(first)]);
}

#[test]
fn fences_that_are_there_are_enough_or_not_needed() {
    let program = store_buffering(Some(FenceKind::Full));
    let Repair::AlreadySafe(found) = ask(&request(&program, Model::Tso)) else { panic!("it is safe") };
    assert!(found.unneeded.is_empty());
    // Store-store fences do not help; the repair does not need them.
    let program = store_buffering(Some(FenceKind::StoreStore));
    let found = repaired(&request(&program, Model::Tso));
    assert_eq!(fences(remedies(&found)), "2m");
    assert_eq!(found.unneeded.len(), 2);
}

#[test]
fn a_program_that_is_wrong_under_sc_is_not_repaired() {
    let program = message_passing(true);
    let Repair::WrongUnderSc(found) = ask(&request(&program, Model::Pso)) else { panic!("it is wrong") };
    assert_eq!(found.trace.model, Model::Sc);
    assert!(found.execution.violation.is_some());
    assert!(matches!(ask(&request(&program, Model::Sc)), Repair::WrongUnderSc(_)));
}

#[test]
fn without_places_for_fences_there_is_no_repair() {
    let mut program = store_buffering(None);
    for statement in program.statements.iter_mut() {
        (statement.fence_before, statement.fence_after) = (false, false);
    }
    let Repair::NotFound(found) = ask(&request(&program, Model::Tso)) else { panic!("nothing can be done") };
    let Reason::NotRepairable(evidence) = found.reason else { panic!("and that is known") };
    assert!(evidence.execution.violation.is_some());
    // With atomic writes something can.
    let found = repaired(&Request { beside: ATOMIC, ..request(&program, Model::Tso) });
    assert_eq!(found.remedies.len(), 2);
}

#[test]
fn a_text_that_two_threads_run_is_repaired_once() {
    // Both threads run one text: the second is a copy of the first that shares its statements.
    let mut program = store_buffering(None);
    let (first, second) = (fencewright_ir::ThreadId(0), fencewright_ir::ThreadId(1));
    let shared: Vec<_> = program.threads[first].edges.iter().map(|edge| edge.step.statement).collect();
    for (edge, statement) in program.threads[second].edges.iter_mut().zip(shared) {
        edge.step.statement = statement;
    }
    let found = repaired(&request(&program, Model::Tso));
    assert_eq!(fences(remedies(&found)), "1m");
    assert_eq!(found.cost, 100);
}

#[test]
fn all_minimum_repairs_are_told_apart_by_place() {
    // The write, something else, the read: on either side of it the fence does the same.
    let mut p = Toy::new("SB with a pause");
    let [x, y] = p.vars(["x", "y"]);
    let (t0, r0) = p.thread(|t| {
        let (r, other) = (t.reg("r"), t.reg("other"));
        t.write(x, 1);
        t.assign(other, 1);
        t.read(r, y);
        r
    });
    let (t1, r1) = p.thread(|t| {
        let r = t.reg("r");
        t.locked_write(Lock::Full, y, 1);
        t.read(r, x);
        r
    });
    p.never(eq(reg(t0, r0), 0).and(eq(reg(t1, r1), 0)));
    let program = p.finish();
    let found = repaired(&Request { want: Want::AllMinimum, ..request(&program, Model::Tso) });
    assert_eq!(fences(remedies(&found)), "1m");
    assert_eq!(found.alternatives.len(), 1);
    assert!(found.complete);
}
