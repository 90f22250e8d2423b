//! The order as numbers: every point has a moment, and what is before another has a smaller one.
//!
//! The second of two encodings, `bmc:moments`. No solution has a circle then, at the price of a number for each point and a
//! comparison for each order; the first (`order`) refuses circles when it meets them. `docs/engines/bmc.md` has figures of both.
//!
//! Orders that depend on the path a solution takes (dependencies, pairs that are told to keep their order, what is asked for
//! later) are not among them; every solution is looked through for circles anyway.

use fencewright_base::IndexVec;
use fencewright_ir::{CellId, ThreadId};
use fencewright_logic::{Bit, Circuit, Number};

use crate::axioms::{Axioms, Kept};
use crate::events::{Point, Refused, ThreadRun};
use crate::order::may_be_pending;
use crate::relations::{Relations, in_text_order};

/// Gives every point its moment.
pub(crate) fn number_points(
    axioms: &Axioms,
    relations: &Relations,
    (points, observer): (&[Point], Option<usize>),
    runs: &IndexVec<ThreadId, ThreadRun>,
    circuit: &mut Circuit,
) -> Result<(), Refused> {
    let width = (usize::BITS - points.len().leading_zeros()) as usize;
    let mut moments = Vec::new();
    for _ in points {
        moments.push(Number::fresh(width, false, circuit)?);
    }
    let mut between_threads: Vec<((usize, usize), Bit)> = relations.iter().collect();
    // They come from a hash table; the order of clauses decides what the solver does.
    between_threads.sort();
    for ((p, q), bit) in between_threads {
        circuit.go_on()?;
        let less = moments[p].less(&moments[q], circuit);
        circuit.imply(bit, &[less]);
    }
    for (p, first) in points.iter().enumerate() {
        for (q, second) in points.iter().enumerate() {
            if p == q || first.thread != second.thread || !in_text_order(p, q, points, runs) {
                continue;
            }
            circuit.go_on()?;
            let condition = match axioms.kept(first, second) {
                Kept::Never => continue,
                Kept::IfSameCell => share_a_cell(first, second, circuit),
                Kept::Always if follows_from_others(axioms, (p, q), points, runs) => continue,
                Kept::Always => Bit::TRUE,
            };
            let less = moments[p].less(&moments[q], circuit);
            circuit.require(&[!first.done, !second.done, !condition, less]);
        }
    }
    if let Some(observer) = observer {
        for (p, point) in points.iter().enumerate() {
            if p != observer && !may_be_pending(point) {
                let less = moments[p].less(&moments[observer], circuit);
                circuit.require(&[!point.done, less]);
            }
        }
    }
    Ok(())
}

/// Whether both touch one cell.
fn share_a_cell(first: &Point, second: &Point, circuit: &mut Circuit) -> Bit {
    let cells = |point: &Point| -> Vec<(CellId, Bit)> {
        point.reads.iter().chain(&point.writes).flat_map(|touch| touch.cells.iter().copied()).collect()
    };
    let theirs = cells(second);
    let mut shared = Vec::new();
    for (cell, mine) in cells(first) {
        for &(_, its) in theirs.iter().filter(|(other, _)| *other == cell) {
            shared.push(circuit.and(mine, its));
        }
    }
    circuit.any(&shared)
}

/// Whether a point between the two, which is there whenever one of them is, is behind the first and before the second.
fn follows_from_others(
    axioms: &Axioms,
    (p, q): (usize, usize),
    points: &[Point],
    runs: &IndexVec<ThreadId, ThreadRun>,
) -> bool {
    let (first, second) = (&points[p], &points[q]);
    points.iter().enumerate().any(|(m, between)| {
        m != p
            && m != q
            && between.thread == first.thread
            && [Bit::TRUE, first.done, second.done].contains(&between.done)
            && in_text_order(p, m, points, runs)
            && in_text_order(m, q, points, runs)
            && axioms.kept(first, between) == Kept::Always
            && axioms.kept(between, second) == Kept::Always
    })
}
