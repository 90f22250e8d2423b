//! How many loops an edge of a thread is inside, whether they were written with `while` or with `goto`.
//!
//! The rule: the edges inside a strongly connected part of the automaton are in one loop. Without the loop's head (of
//! its locations the one reached first from the entry, depth first) the part may fall into smaller connected parts:
//! these are the loops nested in it, and so on. For text made of `while` loops this counts exactly the loops around the
//! edge, the test of a loop being inside it; where jumps enter a loop at several places the choice of the head decides.
//!
//! *Limits:* no more than [`MAX_LOOPS`] are counted, so the work is linear in the size of the automaton.

use fencewright_base::{Index, IndexVec};
use fencewright_ir::{LocId, Thread};

/// How many nested loops are told apart.
const MAX_LOOPS: u32 = 16;

/// The depth of every edge.
pub(super) fn depths(thread: &Thread) -> Vec<u32> {
    let outgoing: IndexVec<LocId, Vec<LocId>> = thread
        .outgoing()
        .iter()
        .map(|edges| edges.iter().map(|&edge| thread.edges[edge].to).collect())
        .collect();
    let order = preorder(&outgoing, thread.entry);
    let mut depths = vec![0; thread.edges.len()];
    // Which part a location is in; 0 means none. Parts are numbered through all rounds.
    let mut part: IndexVec<LocId, u32> = outgoing.iter().map(|_| 1).collect();
    let mut n_parts = 1;
    for _ in 0..MAX_LOOPS {
        let parts = connected(&outgoing, &part);
        part.iter_mut().for_each(|part| *part = 0);
        for locations in parts {
            n_parts += 1;
            for &location in &locations {
                part[location] = n_parts;
            }
        }
        let mut any = false;
        for (edge, depth) in thread.edges.iter().zip(&mut depths) {
            if part[edge.from] != 0 && part[edge.from] == part[edge.to] {
                *depth += 1;
                any = true;
            }
        }
        if !any {
            break;
        }
        let mut heads: Vec<Option<LocId>> = vec![None; n_parts as usize + 1];
        for location in part.indices().filter(|&location| part[location] != 0) {
            let head = &mut heads[part[location] as usize];
            if head.is_none_or(|head| order[location] < order[head]) {
                *head = Some(location);
            }
        }
        for head in heads.into_iter().flatten() {
            part[head] = 0;
        }
    }
    depths
}

/// When each location is first met, depth first from the entry; those never met come last.
fn preorder(outgoing: &IndexVec<LocId, Vec<LocId>>, entry: LocId) -> IndexVec<LocId, usize> {
    let mut order: IndexVec<LocId, usize> =
        outgoing.indices().map(|location| outgoing.len() + location.index()).collect();
    let mut met: IndexVec<LocId, bool> = outgoing.iter().map(|_| false).collect();
    let mut next = 0;
    let mut stack = vec![entry];
    while let Some(location) = stack.pop() {
        if !std::mem::replace(&mut met[location], true) {
            order[location] = next;
            next += 1;
            stack.extend(outgoing[location].iter().rev());
        }
    }
    order
}

/// The strongly connected parts that hold a cycle, using only edges between locations of one old part. Tarjan's
/// algorithm with a stack of its own.
fn connected(outgoing: &IndexVec<LocId, Vec<LocId>>, part: &IndexVec<LocId, u32>) -> Vec<Vec<LocId>> {
    const NEW: usize = usize::MAX;
    let mut index: IndexVec<LocId, usize> = outgoing.iter().map(|_| NEW).collect();
    let mut low = index.clone();
    let mut open: IndexVec<LocId, bool> = outgoing.iter().map(|_| false).collect();
    let (mut path, mut parts, mut next) = (Vec::new(), Vec::new(), 0);
    for root in outgoing.indices().filter(|&location| part[location] != 0) {
        if index[root] != NEW {
            continue;
        }
        // A location and how many of its successors have been looked at.
        let mut work = vec![(root, 0)];
        while let Some((location, seen)) = work.pop() {
            if seen == 0 {
                index[location] = next;
                low[location] = next;
                next += 1;
                path.push(location);
                open[location] = true;
            } else {
                let child = outgoing[location][seen - 1];
                if open[child] {
                    low[location] = low[location].min(low[child]);
                }
            }
            let inside = |&i: &usize| part[outgoing[location][i]] == part[location];
            let fresh = (seen..outgoing[location].len()).filter(inside).find(|&i| {
                let child = outgoing[location][i];
                if index[child] != NEW && open[child] {
                    low[location] = low[location].min(index[child]);
                }
                index[child] == NEW
            });
            if let Some(i) = fresh {
                work.push((location, i + 1));
                work.push((outgoing[location][i], 0));
            } else if low[location] == index[location] {
                let start = path.iter().rposition(|&other| other == location).unwrap_or(0);
                let locations: Vec<LocId> = path.drain(start..).collect();
                locations.iter().for_each(|&location| open[location] = false);
                if locations.len() > 1 || outgoing[location].contains(&location) {
                    parts.push(locations);
                }
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use fencewright_ir::{Expr, Op, StatementId, Step, ThreadBuilder};

    use super::*;

    fn depths_of(n_locations: u32, edges: &[(u32, u32)]) -> Vec<u32> {
        let mut thread = ThreadBuilder::new("T");
        for _ in 1..n_locations {
            thread.location();
        }
        for &(from, to) in edges {
            thread.edge(LocId(from), LocId(to), Step::of(Op::Guard(Expr::constant(1)), StatementId(0)));
        }
        depths(thread.thread())
    }

    #[test]
    fn loops_nest() {
        assert_eq!(depths_of(3, &[(0, 1), (1, 2)]), [0, 0]);
        assert_eq!(depths_of(1, &[(0, 0)]), [1]);
        // 0 → 1 → 2 → 1, 1 → 0, and 0 leaves to 3.
        assert_eq!(depths_of(4, &[(0, 1), (1, 2), (2, 1), (1, 0), (0, 3)]), [1, 2, 2, 1, 0]);
        // A self-loop inside a loop.
        assert_eq!(depths_of(2, &[(0, 1), (1, 1), (1, 0)]), [1, 2, 1]);
        // Two loops one after the other.
        assert_eq!(depths_of(4, &[(0, 1), (1, 0), (1, 2), (2, 3), (3, 2)]), [1, 1, 0, 1, 1]);
        // A loop that is entered at two places.
        assert_eq!(depths_of(3, &[(0, 1), (0, 2), (1, 2), (2, 1)]), [0, 0, 1, 1]);
        // A loop no path reaches still counts.
        assert_eq!(depths_of(3, &[(1, 2), (2, 1)]), [1, 1]);
    }

    #[test]
    fn long_text_is_no_problem() {
        let n = 100_000;
        let edges: Vec<(u32, u32)> = (0..n).map(|i| (i, (i + 1) % n)).collect();
        assert!(depths_of(n, &edges).iter().all(|&depth| depth == 1));
        // Every location jumps back to the first one met before it: as many nested loops as locations.
        let nested: Vec<(u32, u32)> =
            (0..1000).map(|i| (i, i + 1)).chain((0..500).map(|i| (1000 - i, i))).collect();
        assert_eq!(depths_of(1001, &nested).into_iter().max(), Some(MAX_LOOPS));
    }
}
