//! Reads-from and the order of conflicting points.
//!
//! `before(p, q)` is a bit of its own for every two points of different threads that can touch the same cell, one of them
//! writing. Nothing forces it unless a read depends on it: if `r` reads from `w`, then `w` is before `r`, and every other
//! write to the cell is before `w` or after `r`. Points of one thread that touch the same cell have the order of the text.
//! That all this fits together, and with the order that the model keeps, is checked by [`crate::order`].

use std::collections::HashMap;

use fencewright_base::IndexVec;
use fencewright_ir::{CellId, ThreadId};
use fencewright_logic::{Bit, Circuit, Halted, Number};
use foldhash::fast::FixedState;

use crate::events::{Point, ThreadRun};

/// The orders between points of different threads.
#[derive(Debug, Default)]
pub(crate) struct Relations {
    before: HashMap<(usize, usize), Bit, FixedState>,
}

/// What a cell can hold.
pub(crate) struct Writes {
    /// Point, number of the write in it, and whether it writes this cell.
    pub(crate) list: Vec<(usize, usize, Bit)>,
}

impl Relations {
    /// Whether the first point is before the second, as a bit; both touch one cell and one of them writes it.
    pub(crate) fn before(
        &mut self,
        first: usize,
        second: usize,
        points: &[Point],
        runs: &IndexVec<ThreadId, ThreadRun>,
        circuit: &mut Circuit,
    ) -> Bit {
        let (p, q) = (&points[first], &points[second]);
        if p.thread == q.thread {
            // Of two that exclude each other nobody asks; the answer makes the clause true.
            return Bit::from(!in_text_order(second, first, points, runs));
        }
        if let Some(&known) = self.before.get(&(first, second)) {
            return known;
        }
        let (there, back) = (circuit.fresh(), circuit.fresh());
        circuit.require(&[!there, !back]);
        self.before.insert((first, second), there);
        self.before.insert((second, first), back);
        there
    }

    /// The bit that says that the first point, of one thread, is before the second, of another, if somebody asked for it.
    pub(crate) fn known(&self, first: usize, second: usize) -> Option<Bit> {
        self.before.get(&(first, second)).copied()
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = ((usize, usize), Bit)> + '_ {
        self.before.iter().map(|(&pair, &bit)| (pair, bit))
    }
}

/// Whether a path can pass the first point and later the second, of the same thread.
pub(crate) fn in_text_order(
    first: usize,
    second: usize,
    points: &[Point],
    runs: &IndexVec<ThreadId, ThreadRun>,
) -> bool {
    let (p, q) = (&points[first], &points[second]);
    if p.copy == q.copy { first < second } else { runs[p.thread].unrolled.precedes(p.copy, q.copy) }
}

/// The writes to each cell.
pub(crate) fn writes_to(cell: CellId, points: &[Point]) -> Writes {
    let mut list = Vec::new();
    for (p, point) in points.iter().enumerate() {
        for (i, write) in point.writes.iter().enumerate() {
            list.extend(write.cells.iter().filter(|(c, _)| *c == cell).map(|&(_, bit)| (p, i, bit)));
        }
    }
    Writes { list }
}

/// Says where every read gets its value.
pub(crate) fn connect_reads(
    relations: &mut Relations,
    initial: &IndexVec<CellId, Number>,
    points: &[Point],
    runs: &IndexVec<ThreadId, ThreadRun>,
    circuit: &mut Circuit,
) -> Result<(), Halted> {
    let writes: Vec<Writes> = initial.indices().map(|cell| writes_to(cell, points)).collect();
    for r in 0..points.len() {
        for read in &points[r].reads {
            let mut sources = Vec::new();
            for &(cell, here) in &read.cells {
                let reads_it = circuit.and(read.done, here);
                if reads_it == Bit::FALSE {
                    continue;
                }
                let writes = &writes[cell.0 as usize];
                // From the initial value: every write comes later.
                let from_initial = circuit.fresh();
                circuit.imply(from_initial, &[reads_it]);
                read.value.equate_if(from_initial, &initial[cell], circuit);
                for &(w, i, bit) in &writes.list {
                    if w != r {
                        let later = relations.before(r, w, points, runs, circuit);
                        let done = points[w].writes[i].done;
                        circuit.require(&[!from_initial, !done, !bit, later]);
                    }
                }
                sources.push(from_initial);
                for &(w, i, bit) in &writes.list {
                    circuit.go_on()?;
                    let same_thread = points[w].thread == points[r].thread;
                    if w == r || (same_thread && !in_text_order(w, r, points, runs)) {
                        continue;
                    }
                    let write = &points[w].writes[i];
                    let from = circuit.fresh();
                    circuit.imply(from, &[reads_it]);
                    circuit.imply(from, &[write.done]);
                    circuit.imply(from, &[bit]);
                    read.value.equate_if(from, &write.value, circuit);
                    let first = relations.before(w, r, points, runs, circuit);
                    circuit.imply(from, &[first]);
                    for &(other, j, there) in &writes.list {
                        if other == w || other == r {
                            continue;
                        }
                        let earlier = relations.before(other, w, points, runs, circuit);
                        let later = relations.before(r, other, points, runs, circuit);
                        let done = points[other].writes[j].done;
                        circuit.require(&[!from, !done, !there, earlier, later]);
                    }
                    sources.push(from);
                }
            }
            circuit.imply(read.done, &sources);
        }
    }
    Ok(())
}
