//! Steps that need not wait: where a thread stands before steps that touch nothing but its own registers and the end of its
//! own store buffer, only these are made.
//!
//! Such a step is independent of every step of another thread and of every flush, its own thread's too: a write goes behind
//! what a flush takes. Nobody else can enable or forbid it. So whatever happens before it can happen after it (a persistent
//! set), if it is sure to be possible, no property can see it, and no loop consists of such steps alone. The last two are
//! known from the text; the first is seen in the moves of a control: one that demands nothing.

use fencewright_base::IndexVec;
use fencewright_ir::{LocId, Op, Program, Property, StateAtom, Step, Thread, ThreadId};
use fencewright_ir::{RegId, liveness::watched_registers};
use fencewright_memory::Model;

/// For each location whether the steps from it need not wait.
pub(crate) fn eager(program: &Program, model: Model) -> IndexVec<ThreadId, IndexVec<LocId, bool>> {
    let watched = watched_registers(program, &[]);
    let of = |(t, thread)| of_thread(program, model, t, thread, &watched[t]);
    program.threads.iter_enumerated().map(of).collect()
}

fn of_thread(
    program: &Program,
    model: Model,
    t: ThreadId,
    thread: &Thread,
    watched: &[RegId],
) -> IndexVec<LocId, bool> {
    let outgoing = thread.outgoing();
    let quiet = |step: &Step| {
        step.lock.is_none()
            && step.ops.iter().all(|op| match op {
                Op::Assign { dst, .. } | Op::Havoc { dst } => !watched.contains(dst),
                Op::Write { .. } => matches!(model, Model::Tso | Model::Pso),
                Op::Guard(_) => true,
                Op::Read { .. } | Op::Assert(_) | Op::Fence(_) | Op::Send { .. } | Op::Receive { .. } => {
                    false
                }
            })
    };
    let mut eager: IndexVec<LocId, bool> = (thread.locations.indices())
        .map(|loc| {
            let mut edges = outgoing[loc].iter().map(|&edge| &thread.edges[edge]);
            !outgoing[loc].is_empty()
                && edges.all(|edge| quiet(&edge.step) && look_alike(program, t, loc, edge.to))
        })
        .collect();
    // What lies on a loop of such locations waits: a location stays if every step leads to one that does not, or to one
    // that was found to stay before.
    let mut ends: IndexVec<LocId, bool> = eager.iter().map(|eager| !eager).collect();
    loop {
        let next = thread
            .locations
            .indices()
            .find(|&loc| !ends[loc] && outgoing[loc].iter().all(|&edge| ends[thread.edges[edge].to]));
        match next {
            Some(loc) => ends[loc] = true,
            None => break,
        }
    }
    for loc in thread.locations.indices() {
        eager[loc] &= ends[loc];
    }
    eager
}

/// Whether no property can tell at which of the two locations the thread stands.
fn look_alike(program: &Program, thread: ThreadId, one: LocId, other: LocId) -> bool {
    program.properties.iter().all(|property| {
        let mut told = false;
        let mut look = |atom: &StateAtom| {
            told |= matches!(*atom, StateAtom::At(t, loc) if t == thread && (loc == one || loc == other));
        };
        match property {
            Property::Forbidden(forbidden) => {
                told = forbidden.at[thread].contains(one) != forbidden.at[thread].contains(other);
            }
            Property::Invariant(condition) => condition.expr.for_each_atom(&mut look),
            // Final states are reached all the same.
            Property::Final { .. } => {}
            Property::Temporal(_) => told = true,
        }
        !told
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencewright_ir::Expr;
    use fencewright_testkit::toy::Toy;

    /// `x = 1` and `r = r + 1` need not wait, `r = y` does; under SC a write acts at once, so it waits. A loop of writes
    /// alone waits somewhere.
    #[test]
    fn writes_and_registers_need_not_wait() {
        let mut p = Toy::new("eager");
        let [x, y] = p.vars(["x", "y"]);
        p.thread(|t| {
            let r = t.reg("r");
            t.write(x, 1);
            t.assign(r, Expr::Atom(r).add(Expr::constant(1)));
            t.read(r, y);
        });
        p.thread(|t| {
            let head = t.here();
            t.write(x, 1);
            t.step_to(head, None, []);
        });
        let program = p.finish();
        let of = |model| eager(&program, model).iter().map(|locs| locs.iter().copied().collect()).collect();
        let tso: Vec<Vec<bool>> = of(Model::Tso);
        assert_eq!(tso[0], [true, true, false, false]);
        assert!(tso[1].iter().all(|eager| !eager), "{tso:?}");
        let sc: Vec<Vec<bool>> = of(Model::Sc);
        assert_eq!(sc[0], [false, true, false, false]);
    }
}
