//! Which of a thread's cells may bound what it writes to another one.
//!
//! Under TSO, when a pending write reaches memory, all that its thread wrote before is there. So what it carries stands to a cell
//! that nobody else writes as it stood to what the thread had written there when it made the write. Whoever announces in one cell
//! what another one holds already (a number behind the data, the second counter of a sequence lock) relies on that.
//!
//! Under PSO what stands before a store-store fence is there, and later writes to the same cell may be: the bound stays one as
//! long as they do not fall. Locked writes do not wait for the others there, so cells with such are left out.
//!
//! Every pair that is followed is one more way to make a step, so of many cells only those are taken that are written right
//! before: that a bounds b and b bounds c shows the rest.

use std::collections::{BTreeMap, BTreeSet};

use fencewright_base::Index;
use fencewright_ir::{Addr, CellId, Edge, LocId, Op, Program, Thread};
use fencewright_memory::Model;

/// Of a thread with so many cells all pairs are followed.
const ALL_PAIRS: usize = 3;

/// For each cell of a thread those that may bound what it writes there, in order.
pub(crate) type PossibleBounds = BTreeMap<CellId, Vec<CellId>>;

/// For each thread. Only cells for which `is_of_numbers` holds count.
pub(crate) fn possible_bounds(
    program: &Program,
    model: Model,
    is_of_numbers: &dyn Fn(CellId) -> bool,
) -> Vec<PossibleBounds> {
    let written: Vec<BTreeSet<CellId>> =
        program.threads.iter().map(|thread| thread.edges.iter().flat_map(written_by).collect()).collect();
    let of_thread = |(t, thread): (usize, &Thread)| {
        let others = || written.iter().enumerate().filter(|(other, _)| *other != t);
        let locked = thread.edges.iter().filter(|edge| model == Model::Pso && edge.step.lock.is_some());
        let locked: BTreeSet<CellId> = locked.flat_map(written_by).collect();
        let is_own =
            |cell: &CellId| !locked.contains(cell) && others().all(|(_, cells)| !cells.contains(cell));
        let numbers: BTreeSet<CellId> =
            written[t].iter().copied().filter(|&cell| is_of_numbers(cell)).collect();
        let own: BTreeSet<CellId> = numbers.iter().copied().filter(is_own).collect();
        let bounds = |&cell: &CellId| {
            let all = if own.len() <= ALL_PAIRS { own.clone() } else { written_before(thread, cell, &own) };
            (cell, all.into_iter().filter(|other| *other != cell).collect())
        };
        numbers.iter().map(bounds).collect()
    };
    program.threads.iter().enumerate().map(of_thread).collect()
}

/// The cells that an edge may write.
fn written_by(edge: &Edge) -> Vec<CellId> {
    let mut cells = Vec::new();
    for op in &edge.step.ops {
        match op {
            Op::Write { addr: Addr::Cell(cell), .. } => cells.push(*cell),
            Op::Write { addr: Addr::Indexed { first, len, .. }, .. } => {
                cells.extend((0..*len as usize).map(|i| CellId::new(first.index() + i)));
            }
            _ => {}
        }
    }
    cells
}

/// Those of the cells that may be the last of them to be written before this one is.
fn written_before(thread: &Thread, cell: CellId, cells: &BTreeSet<CellId>) -> BTreeSet<CellId> {
    let mut found = BTreeSet::new();
    let mut seen: BTreeSet<LocId> = BTreeSet::new();
    let mut next: Vec<LocId> = Vec::new();
    for edge in thread.edges.iter().filter(|edge| written_by(edge).contains(&cell)) {
        // A step with several writes makes them at once, for whoever looks this far.
        found.extend(written_by(edge).into_iter().filter(|other| cells.contains(other)));
        next.push(edge.from);
    }
    while let Some(location) = next.pop() {
        if !seen.insert(location) {
            continue;
        }
        for edge in thread.edges.iter().filter(|edge| edge.to == location) {
            let mut others = written_by(edge).into_iter().filter(|other| cells.contains(other)).peekable();
            if others.peek().is_none() {
                next.push(edge.from);
            }
            found.extend(others);
        }
    }
    found
}
