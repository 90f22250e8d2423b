//! Partial-order reduction: where a thread stands before steps that nobody can notice, these go before everything else.
//!
//! A location is *quiet* if all edges from it are steps on what the thread has for itself: its registers, cells that no
//! other thread writes to read from, cells that no other thread touches to write to. No property names a register or
//! cell they change or a location they connect, neither end is committed, and no way from it comes back to it through
//! quiet locations. At a state in which a thread stands at a quiet location, can go on and does not fail, its steps are
//! an ample set (D. Peled, *All from one, one for all*, CAV 1993; conditions C0 to C3 as in Clarke, Grumberg, Peled,
//! *Model checking*, chapter 10):
//!
//! - nothing another thread or a flush does changes what these steps do, or whether they can be made but for committed
//!   threads, and they change nothing for the others (C1);
//! - no condition of the formula changes with them (C2);
//! - quiet steps alone make no cycle, so on every cycle there is a state all of whose transitions are followed (C3).
//!
//! *Committed threads.* Another thread that becomes committed keeps the quiet step from being made. An execution from
//! there on can be made all the same behind the step: the thread is committed neither before nor after it, so the same
//! steps and flushes of the others are enabled.
//!
//! *Rendezvous.* A thread at a quiet location takes part in none, and those of others are steps of theirs.
//!
//! *Writes* go to a store buffer under all models but SC, where they are in the way of the thread's own flushes: there
//! only direct cells count.
//!
//! An execution and the one with a quiet step moved forward have the same fairness: buffers do not change with it, nor
//! does what other threads can do, and a thread that could make it and never does is not fair in the first place, unless
//! others are committed again and again, which keeps it from any step, before the quiet one or behind it.
//!
//! Only for formulae without `X`, which cannot count moments; never for automata that a program gives, which may.

use std::collections::BTreeSet;

use fencewright_ir::{
    Addr, CellId, Claim, Edge, LocId, Op, Program, RegId, StateAtom, Target, Temporal, Thread, ThreadId,
};
use fencewright_memory::Model;

/// For each thread and location whether it is quiet under the model, as far as the property can tell.
pub(crate) fn quiet_locations(program: &Program, temporal: &Temporal, model: Model) -> Vec<Vec<bool>> {
    let counts_moments = match &temporal.claim {
        Claim::Formula(formula) => formula.has_next(),
        Claim::Never(_) => true,
    };
    if counts_moments {
        return program.threads.iter().map(|thread| vec![false; thread.locations.len()]).collect();
    }
    let mut named = Named::default();
    temporal.for_each_atom(&mut |atom| match *atom {
        StateAtom::At(thread, location) => _ = named.locations.insert((thread, location)),
        StateAtom::Register(thread, reg) => _ = named.registers.insert((thread, reg)),
        StateAtom::Cell(cell) => _ = named.cells.insert(cell),
    });
    let touched: Vec<Touched> = program.threads.iter().map(Touched::by).collect();
    let threads = program.threads.iter_enumerated();
    threads
        .map(|(id, thread)| {
            let mut others = Touched::default();
            for (_, other) in touched.iter().enumerate().filter(|(other, _)| *other != id.0 as usize) {
                others.read.extend(&other.read);
                others.written.extend(&other.written);
            }
            let writes_at_once = |cell: CellId| model == Model::Sc || program.is_direct(cell);
            let alone = Alone { id, named: &named, others, writes_at_once: &writes_at_once };
            alone.quiet_locations(thread)
        })
        .collect()
}

/// What the property names.
#[derive(Default)]
struct Named {
    locations: BTreeSet<(ThreadId, LocId)>,
    registers: BTreeSet<(ThreadId, RegId)>,
    cells: BTreeSet<CellId>,
}

/// The cells that threads touch anywhere in their text.
#[derive(Default)]
struct Touched {
    read: BTreeSet<CellId>,
    written: BTreeSet<CellId>,
}

impl Touched {
    fn by(thread: &Thread) -> Self {
        let mut touched = Touched::default();
        for op in thread.edges.iter().flat_map(|edge| &edge.step.ops) {
            match op {
                Op::Read { addr, .. } => touched.read.extend(cells(addr)),
                Op::Write { addr, .. } => touched.written.extend(cells(addr)),
                Op::Receive { targets, .. } => {
                    for target in targets {
                        if let Target::Memory(addr) = target {
                            touched.written.extend(cells(addr));
                        }
                    }
                }
                Op::Assign { .. }
                | Op::Guard(_)
                | Op::Assert(_)
                | Op::Havoc { .. }
                | Op::Fence(_)
                | Op::Send { .. } => {}
            }
        }
        touched
    }
}

/// The cells that the address can be.
fn cells(addr: &Addr) -> impl Iterator<Item = CellId> + use<> {
    let (first, len) = match addr {
        Addr::Cell(cell) => (cell.0, 1),
        Addr::Indexed { first, len, .. } => (first.0, *len),
    };
    (first..first + len).map(CellId)
}

/// What a thread has for itself.
struct Alone<'a> {
    id: ThreadId,
    named: &'a Named,
    others: Touched,
    writes_at_once: &'a dyn Fn(CellId) -> bool,
}

impl Alone<'_> {
    fn quiet_locations(&self, thread: &Thread) -> Vec<bool> {
        let mut quiet: Vec<bool> = (thread.locations.indices())
            .map(|location| {
                let mut own = thread.edges.iter().filter(|edge| edge.from == location).peekable();
                own.peek().is_some() && own.all(|edge| self.goes_unnoticed(thread, edge))
            })
            .collect();
        // One location of each cycle less, until no cycle is left.
        while let Some(location) = thread.locations.indices().find(|&at| comes_back(thread, &quiet, at)) {
            quiet[location.0 as usize] = false;
        }
        quiet
    }

    fn goes_unnoticed(&self, thread: &Thread, edge: &Edge) -> bool {
        let ends = [edge.from, edge.to];
        edge.step.lock.is_none()
            && edge.step.ops.iter().all(|op| self.is_own(op))
            && !ends.iter().any(|&location| {
                self.named.locations.contains(&(self.id, location)) || thread.locations[location].committed
            })
    }

    fn is_own(&self, op: &Op) -> bool {
        match op {
            Op::Assign { dst, .. } | Op::Havoc { dst } => self.may_change(*dst),
            Op::Guard(_) => true,
            Op::Read { dst, addr } => {
                self.may_change(*dst) && cells(addr).all(|cell| !self.others.written.contains(&cell))
            }
            Op::Write { addr, .. } => cells(addr).all(|cell| {
                (self.writes_at_once)(cell)
                    && !self.named.cells.contains(&cell)
                    && !self.others.read.contains(&cell)
                    && !self.others.written.contains(&cell)
            }),
            Op::Assert(_) | Op::Fence(_) | Op::Send { .. } | Op::Receive { .. } => false,
        }
    }

    fn may_change(&self, reg: RegId) -> bool {
        !self.named.registers.contains(&(self.id, reg))
    }
}

/// Whether a way leads from the location back to it through quiet locations only.
fn comes_back(thread: &Thread, quiet: &[bool], start: LocId) -> bool {
    let mut seen = vec![false; quiet.len()];
    let mut stack = vec![start];
    while let Some(location) = stack.pop() {
        if !quiet[location.0 as usize] {
            continue;
        }
        for edge in thread.edges.iter().filter(|edge| edge.from == location) {
            if edge.to == start {
                return true;
            }
            if !std::mem::replace(&mut seen[edge.to.0 as usize], true) {
                stack.push(edge.to);
            }
        }
    }
    false
}
