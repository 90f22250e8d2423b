//! A thread's automaton without cycles: every location once for each round, a round being over when an edge goes back.
//!
//! An edge goes back if its target does not come after its source in a reverse postorder; every cycle has such an edge.
//! A path that goes back more often than the bound ends in a *cut* copy: an edge without a target.

use std::collections::BTreeSet;

use fencewright_base::Index;
use fencewright_ir::{EdgeId, LocId, Thread};

/// A thread without cycles.
#[derive(Debug)]
pub(crate) struct Unrolled {
    /// Copies of locations; an edge leads to a later one. The first is the entry.
    pub(crate) nodes: Vec<Node>,
    /// Copies of edges, by their sources.
    pub(crate) copies: Vec<Copy>,
    /// The targets of edges that go back.
    pub(crate) heads: BTreeSet<LocId>,
    /// For each node the nodes that can follow it, itself included.
    reach: Vec<Vec<u64>>,
}

/// A copy of a location.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) location: LocId,
    /// The copies that leave it.
    pub(crate) leaving: Vec<usize>,
    /// The copies that enter it.
    pub(crate) entering: Vec<usize>,
}

/// A copy of an edge.
#[derive(Debug)]
pub(crate) struct Copy {
    pub(crate) edge: EdgeId,
    pub(crate) from: usize,
    /// `None` if the bound is met here.
    pub(crate) to: Option<usize>,
}

impl Unrolled {
    /// With at most `bound` edges that go back on every path.
    pub(crate) fn new(thread: &Thread, bound: usize) -> Self {
        let outgoing = thread.outgoing();
        let order = reverse_postorder(thread);
        let mut rank = vec![usize::MAX; thread.locations.len()];
        for (i, loc) in order.iter().enumerate() {
            rank[loc.index()] = i;
        }
        let goes_back = |edge: EdgeId| {
            let edge = &thread.edges[edge];
            rank[edge.to.index()] <= rank[edge.from.index()]
        };
        let heads = order
            .iter()
            .flat_map(|&loc| &outgoing[loc])
            .filter(|&&edge| goes_back(edge))
            .map(|&edge| thread.edges[edge].to)
            .collect();
        // Which copies are reached, round by round.
        let n = order.len();
        let mut number = vec![usize::MAX; n * (bound + 1)];
        let mut reached = vec![false; n * (bound + 1)];
        reached[0] = true;
        let mut nodes = Vec::new();
        for at in 0..number.len() {
            if !reached[at] {
                continue;
            }
            number[at] = nodes.len();
            let location = order[at % n];
            nodes.push(Node { location, leaving: Vec::new(), entering: Vec::new() });
            for &edge in &outgoing[location] {
                if let Some(next) = target(at, edge, thread, &rank, goes_back(edge), n, bound) {
                    reached[next] = true;
                }
            }
        }
        let mut copies = Vec::new();
        for at in (0..number.len()).filter(|&at| reached[at]) {
            for &edge in &outgoing[order[at % n]] {
                let to = target(at, edge, thread, &rank, goes_back(edge), n, bound).map(|next| number[next]);
                let copy = copies.len();
                nodes[number[at]].leaving.push(copy);
                if let Some(to) = to {
                    nodes[to].entering.push(copy);
                }
                copies.push(Copy { edge, from: number[at], to });
            }
        }
        let reach = reachability(&nodes, &copies);
        Self { nodes, copies, heads, reach }
    }

    /// A single step.
    pub(crate) fn once() -> Self {
        let node = Node { location: LocId(0), leaving: vec![0], entering: Vec::new() };
        let copy = Copy { edge: EdgeId(0), from: 0, to: None };
        Self { nodes: vec![node], copies: vec![copy], heads: BTreeSet::new(), reach: vec![vec![1]] }
    }

    /// Whether a path can take the first copy and the second one later.
    pub(crate) fn precedes(&self, first: usize, second: usize) -> bool {
        let from = self.copies[second].from;
        self.copies[first].to.is_some_and(|to| self.reach[to][from / 64] >> (from % 64) & 1 == 1)
    }
}

fn target(
    at: usize,
    edge: EdgeId,
    thread: &Thread,
    rank: &[usize],
    goes_back: bool,
    n: usize,
    bound: usize,
) -> Option<usize> {
    let round = at / n + usize::from(goes_back);
    (round <= bound).then(|| round * n + rank[thread.edges[edge].to.index()])
}

/// The locations that can be reached, each before its successors but for edges that go back.
fn reverse_postorder(thread: &Thread) -> Vec<LocId> {
    let outgoing = thread.outgoing();
    let mut seen = vec![false; thread.locations.len()];
    let mut order = Vec::new();
    let mut stack = vec![(thread.entry, 0)];
    seen[thread.entry.index()] = true;
    while let Some((loc, next)) = stack.last_mut() {
        let edges = &outgoing[*loc];
        if let Some(&edge) = edges.get(edges.len().wrapping_sub(*next + 1)) {
            *next += 1;
            let to = thread.edges[edge].to;
            if !std::mem::replace(&mut seen[to.index()], true) {
                stack.push((to, 0));
            }
        } else {
            order.push(*loc);
            stack.pop();
        }
    }
    order.reverse();
    order
}

fn reachability(nodes: &[Node], copies: &[Copy]) -> Vec<Vec<u64>> {
    let words = nodes.len().div_ceil(64);
    let mut reach = vec![vec![0u64; words]; nodes.len()];
    for at in (0..nodes.len()).rev() {
        let mut own = vec![0u64; words];
        own[at / 64] |= 1 << (at % 64);
        for next in nodes[at].leaving.iter().filter_map(|&copy| copies[copy].to) {
            for (word, more) in own.iter_mut().zip(&reach[next]) {
                *word |= more;
            }
        }
        reach[at] = own;
    }
    reach
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencewright_testkit::toy::Toy;

    #[test]
    fn a_loop_of_two_locations() {
        // 0 -> 1 -> 0, and 1 -> 2: with two rounds back, three copies of 0, 1 and 2, and one cut.
        let mut toy = Toy::new("loop");
        let [x] = toy.vars(["x"]);
        let (thread, _) = toy.thread(|t| {
            let start = t.here();
            let r = t.reg("r");
            t.read(r, x);
            t.step_to(start, None, []);
            t.write(x, 1);
        });
        let program = toy.finish();
        let unrolled = Unrolled::new(&program.threads[thread], 2);
        assert_eq!(unrolled.nodes.len(), 9);
        assert_eq!(unrolled.copies.iter().filter(|copy| copy.to.is_none()).count(), 1);
        assert_eq!(unrolled.copies.len(), 9);
        for (i, copy) in unrolled.copies.iter().enumerate() {
            assert!(copy.to.is_none_or(|to| to > copy.from), "an edge leads to a later node");
            assert!(!unrolled.precedes(i, i));
        }
        // The first read precedes every later one.
        let first = unrolled.nodes[0].leaving[0];
        let reads: Vec<usize> =
            (0..9).filter(|&i| unrolled.copies[i].edge == unrolled.copies[first].edge).collect();
        assert_eq!(reads.len(), 3);
        assert!(unrolled.precedes(reads[0], reads[1]) && unrolled.precedes(reads[0], reads[2]));
        assert!(!unrolled.precedes(reads[2], reads[1]));
    }
}
