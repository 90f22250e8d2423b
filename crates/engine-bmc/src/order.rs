//! Whether all orders of a solution fit together. A solution that puts points in a circle is refused with a clause that
//! says which orders cannot hold together; the solver then looks for another one.
//!
//! A circle is made of `before` bits between threads and of order that the model keeps inside a thread. Clauses from
//! circles are true of every execution, so they stay.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::hash::BuildHasher;

use fencewright_base::IndexVec;
use fencewright_ir::{CellId, FenceKind, Program, ThreadId};
use fencewright_logic::{Bit, Circuit};
use foldhash::fast::FixedState;

use crate::axioms::{Axioms, Kept};
use crate::depend::{dependencies, path};
use crate::events::{Kind, Point, ThreadRun};
use crate::pairs::Selectors;
use crate::relations::{Relations, in_text_order};

/// The points of a solution and their order.
#[derive(Debug)]
pub(crate) struct Graph {
    /// The points that happen.
    pub(crate) done: Vec<usize>,
    /// For each of them the bit that says that it happens.
    happens: Vec<Bit>,
    /// For each of them what comes after it.
    next: Vec<Vec<Edge>>,
    /// For each of them the later ones of its thread's text.
    behind: Vec<Vec<usize>>,
}

/// That a point comes before another one.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Edge {
    /// The other's place in `done`.
    to: usize,
    /// The bits that make it so.
    why: Vec<Bit>,
    /// Whether they say of both that they happen. A `before` bit does: of an execution it says that both were there.
    says_both: bool,
}

/// Points each of which is before the next, and the last before the first.
#[derive(Debug, Clone)]
pub(crate) struct Circle {
    pub(crate) points: Vec<usize>,
    /// That not all is so which makes it a circle. Every execution satisfies this.
    pub(crate) clause: Vec<Bit>,
}

/// Which of the points that nothing keeps from being next is taken.
#[derive(Debug, Copy, Clone)]
pub(crate) enum Ties {
    /// The one that overtakes fewest others of its thread: an order that needs no reordering has none, and few come without a
    /// reason.
    FewOvertaken,
    /// One drawn by lot; the number says which draw comes next.
    ByLot(u64),
}

impl Ties {
    fn next(&mut self, free: &BTreeSet<usize>, overtaken: &[usize]) -> Option<usize> {
        match self {
            Ties::FewOvertaken => free.iter().copied().min_by_key(|&i| (overtaken[i], i)),
            Ties::ByLot(draw) => {
                *draw += 1;
                let lot = FixedState::default().hash_one(*draw) as usize % free.len().max(1);
                free.iter().copied().nth(lot)
            }
        }
    }
}

/// The bits that say which cells a point touches, those that can be otherwise.
fn cells_in_solution(point: &Point, value: &dyn Fn(Bit) -> bool) -> Vec<Bit> {
    let touches = point.reads.iter().chain(&point.writes);
    let bits = touches.flat_map(|touch| touch.cells.iter().map(|&(_, bit)| bit));
    bits.filter(|bit| bit.constant().is_none() && value(*bit)).collect()
}

/// The cell that both touch in the solution, with the bits that say so.
pub(crate) fn shared_cell(first: &Point, second: &Point, value: &dyn Fn(Bit) -> bool) -> Option<Vec<Bit>> {
    let cells = |point: &Point| -> Vec<(CellId, Bit)> {
        let touches = point.reads.iter().chain(&point.writes);
        touches.flat_map(|touch| touch.cells.iter().copied()).filter(|&(_, bit)| value(bit)).collect()
    };
    let theirs = cells(second);
    let (cell, mine) = cells(first).into_iter().find(|(cell, _)| theirs.iter().any(|(c, _)| c == cell))?;
    let (_, its) = theirs.into_iter().find(|(c, _)| *c == cell)?;
    Some([mine, its].into_iter().filter(|bit| bit.constant().is_none()).collect())
}

/// Whether the run may end before the point although the thread has passed it.
pub(crate) fn may_be_pending(point: &Point) -> bool {
    match point.kind {
        Kind::Plain => !point.writes.is_empty(),
        Kind::Fence(kind) => kind == FenceKind::StoreStore,
        Kind::Locked(_) => false,
    }
}

impl Graph {
    /// Of the circuit's last solution. The observer comes after everything but writes that are still pending.
    pub(crate) fn of_solution(
        axioms: &Axioms,
        program: &Program,
        relations: &Relations,
        (points, observer): (&[Point], Option<usize>),
        pairs: &Selectors,
        runs: &IndexVec<ThreadId, ThreadRun>,
        circuit: &Circuit,
    ) -> Self {
        let value = |bit| circuit.value(bit);
        let done: Vec<usize> = (0..points.len()).filter(|&p| circuit.value(points[p].done)).collect();
        let mut place = vec![usize::MAX; points.len()];
        for (i, &p) in done.iter().enumerate() {
            place[p] = i;
        }
        let mut next: Vec<Vec<Edge>> = done.iter().map(|_| Vec::new()).collect();
        let mut behind: Vec<Vec<usize>> = done.iter().map(|_| Vec::new()).collect();
        for (i, &p) in done.iter().enumerate() {
            for (j, &q) in done.iter().enumerate() {
                let (first, second) = (&points[p], &points[q]);
                if first.thread != second.thread || p == q || !in_text_order(p, q, points, runs) {
                    continue;
                }
                behind[i].push(j);
                // What orders others by standing between them does so only if it is there. Of a plain access a `before`
                // bit says so already, or the order of its neighbours does not depend on it.
                let mut why: Vec<Bit> = [first, second]
                    .into_iter()
                    .filter(|point| point.kind != Kind::Plain && point.done.constant().is_none())
                    .map(|point| point.done)
                    .collect();
                let shared = shared_cell(first, second, &value);
                match axioms.kept(first, second) {
                    Kept::Always => {}
                    Kept::IfSameCell if shared.is_some() => why.extend(shared.into_iter().flatten()),
                    Kept::IfSameCell | Kept::Never => {
                        // Two plain accesses to different cells keep their order if they are told to.
                        let told = pairs.selector(p, q).filter(|&told| circuit.value(!told));
                        let (Some(selector), None) = (told, shared) else { continue };
                        why.push(!selector);
                        why.extend(cells_in_solution(first, &value));
                        why.extend(cells_in_solution(second, &value));
                    }
                }
                next[i].push(Edge { to: j, why, says_both: false });
            }
        }
        if let Some(rules) = &axioms.dependencies {
            for thread in program.threads.indices() {
                let run = &runs[thread];
                let (copies, failing) = path(run, circuit);
                let way: Vec<usize> = copies.into_iter().chain(failing).collect();
                for (p, q, why) in dependencies(rules, program, thread, points, run, &way, &value) {
                    next[place[p]].push(Edge { to: place[q], why, says_both: true });
                }
            }
        }
        if let Some(observer) = observer {
            for (i, &p) in done.iter().enumerate() {
                if p != observer && !may_be_pending(&points[p]) {
                    let why = vec![points[p].done];
                    next[i].push(Edge { to: place[observer], why, says_both: true });
                }
            }
        }
        for ((p, q), bit) in relations.iter() {
            if place[p] != usize::MAX && place[q] != usize::MAX && circuit.value(bit) {
                next[place[p]].push(Edge { to: place[q], why: vec![bit], says_both: true });
            }
        }
        // The relations come from a hash table; the order of edges decides which circles are found.
        for edges in &mut next {
            edges.sort();
        }
        let happens = done.iter().map(|&p| points[p].done).collect();
        Self { done, happens, next, behind }
    }

    /// The points in an order that fits, or circles: not all of them if the circuit is told to stop.
    pub(crate) fn sort(&self, ties: &mut Ties, circuit: &Circuit) -> Result<Vec<usize>, Vec<Circle>> {
        let mut n_before = vec![0usize; self.next.len()];
        for edge in self.next.iter().flatten() {
            n_before[edge.to] += 1;
        }
        let mut overtaken = vec![0usize; self.next.len()];
        for &later in self.behind.iter().flatten() {
            overtaken[later] += 1;
        }
        let mut free: BTreeSet<usize> = (0..self.next.len()).filter(|&i| n_before[i] == 0).collect();
        let mut order = Vec::new();
        while let Some(at) = ties.next(&free, &overtaken) {
            free.remove(&at);
            order.push(at);
            for &later in &self.behind[at] {
                overtaken[later] -= 1;
            }
            for &Edge { to, .. } in &self.next[at] {
                n_before[to] -= 1;
                if n_before[to] == 0 {
                    free.insert(to);
                }
            }
        }
        if order.len() == self.next.len() {
            return Ok(order.into_iter().map(|i| self.done[i]).collect());
        }
        let on_a_circle: Vec<usize> = (0..self.next.len()).filter(|&i| n_before[i] > 0).collect();
        let mut circles: BTreeMap<Vec<Bit>, Vec<usize>> = BTreeMap::new();
        for &start in &on_a_circle {
            if circuit.go_on().is_err() {
                break;
            }
            if let Some(Circle { clause, points }) = self.shortest_circle(start) {
                circles.entry(clause).or_insert(points);
            }
        }
        Err(circles.into_iter().map(|(clause, points)| Circle { points, clause }).collect())
    }

    /// A shortest circle through a point, if there is one.
    fn shortest_circle(&self, start: usize) -> Option<Circle> {
        let mut came: Vec<Option<(usize, usize)>> = vec![None; self.next.len()];
        let mut queue = VecDeque::from([start]);
        while let Some(at) = queue.pop_front() {
            for (e, &Edge { to, .. }) in self.next[at].iter().enumerate() {
                if came[to].is_some() {
                    continue;
                }
                came[to] = Some((at, e));
                if to == start {
                    return Some(self.circle(start, &came));
                }
                queue.push_back(to);
            }
        }
        None
    }
    /// The circle through a point by which each was come to.
    fn circle(&self, start: usize, came: &[Option<(usize, usize)>]) -> Circle {
        let mut back = Vec::new();
        let mut at = start;
        while back.is_empty() || at != start {
            let (from, edge) = came[at].expect("it was reached");
            back.push((at, &self.next[from][edge]));
            at = from;
        }
        let mut clause = BTreeSet::new();
        for (i, (point, entered)) in back.iter().enumerate() {
            clause.extend(entered.why.iter().map(|&bit| !bit));
            let (_, left) = &back[(i + back.len() - 1) % back.len()];
            // That all are there is almost always said by the orders: circles through others would be shorter without.
            if !entered.says_both && !left.says_both {
                clause.insert(!self.happens[*point]);
            }
        }
        clause.remove(&Bit::FALSE);
        let points = back.iter().rev().map(|(point, _)| self.done[*point]).collect();
        Circle { points, clause: clause.into_iter().collect() }
    }
}
