//! Whether all orders of a solution fit together. A solution that puts points in a circle is refused with a clause that
//! says which orders cannot hold together; the solver then looks for another one.
//!
//! A circle is made of `before` bits between threads and of order that the model keeps inside a thread. Clauses from
//! circles are true of every execution, so they stay.

use std::collections::{BTreeSet, VecDeque};
use std::hash::BuildHasher;

use fencewright_base::IndexVec;
use fencewright_ir::{CellId, FenceKind, Program, ThreadId};
use fencewright_logic::{Bit, Circuit};
use foldhash::fast::FixedState;

use crate::axioms::{Axioms, Kept};
use crate::depend::dependencies;
use crate::events::{Kind, Point, ThreadRun};
use crate::pairs::Selectors;
use crate::relations::{Relations, in_text_order};

/// The points of a solution and their order.
#[derive(Debug)]
pub(crate) struct Graph {
    /// The points that happen.
    pub(crate) done: Vec<usize>,
    /// For each of them its successors (by place in `done`), with the bits that make it so.
    next: Vec<Vec<(usize, Vec<Bit>)>>,
    /// For each of them the later ones of its thread's text.
    behind: Vec<Vec<usize>>,
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
fn cells_in_solution(point: &Point, circuit: &Circuit) -> Vec<Bit> {
    let touches = point.reads.iter().chain(&point.writes);
    let bits = touches.flat_map(|touch| touch.cells.iter().map(|&(_, bit)| bit));
    bits.filter(|bit| bit.constant().is_none() && circuit.value(*bit)).collect()
}

/// The cell that both touch in the solution, with the bits that say so.
pub(crate) fn shared_cell(first: &Point, second: &Point, circuit: &Circuit) -> Option<Vec<Bit>> {
    let cells = |point: &Point| -> Vec<(CellId, Bit)> {
        let touches = point.reads.iter().chain(&point.writes);
        touches.flat_map(|touch| touch.cells.iter().copied()).filter(|&(_, bit)| circuit.value(bit)).collect()
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
        let done: Vec<usize> = (0..points.len()).filter(|&p| circuit.value(points[p].done)).collect();
        let mut place = vec![usize::MAX; points.len()];
        for (i, &p) in done.iter().enumerate() {
            place[p] = i;
        }
        let mut next: Vec<Vec<(usize, Vec<Bit>)>> = done.iter().map(|_| Vec::new()).collect();
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
                let shared = shared_cell(first, second, circuit);
                match axioms.kept(first, second) {
                    Kept::Always => {}
                    Kept::IfSameCell if shared.is_some() => why.extend(shared.into_iter().flatten()),
                    Kept::IfSameCell | Kept::Never => {
                        // Two plain accesses to different cells keep their order if they are told to.
                        let told = pairs.selector(p, q).filter(|&told| circuit.value(!told));
                        let (Some(selector), None) = (told, shared) else { continue };
                        why.push(!selector);
                        why.extend(cells_in_solution(first, circuit));
                        why.extend(cells_in_solution(second, circuit));
                    }
                }
                next[i].push((j, why));
            }
        }
        if let Some(rules) = &axioms.dependencies {
            for thread in program.threads.indices() {
                for (p, q, why) in dependencies(rules, program, thread, points, &runs[thread], circuit) {
                    next[place[p]].push((place[q], why));
                }
            }
        }
        if let Some(observer) = observer {
            for (i, &p) in done.iter().enumerate() {
                if p != observer && !may_be_pending(&points[p]) {
                    next[i].push((place[observer], vec![points[p].done]));
                }
            }
        }
        for ((p, q), bit) in relations.iter() {
            if place[p] != usize::MAX && place[q] != usize::MAX && circuit.value(bit) {
                next[place[p]].push((place[q], vec![bit]));
            }
        }
        // The relations come from a hash table; the order of edges decides which circles are found.
        for edges in &mut next {
            edges.sort();
        }
        Self { done, next, behind }
    }

    /// The points in an order that fits, or clauses of which every execution satisfies all.
    pub(crate) fn sort(&self, ties: &mut Ties) -> Result<Vec<usize>, Vec<Vec<Bit>>> {
        let mut n_before = vec![0usize; self.next.len()];
        for &(to, _) in self.next.iter().flatten() {
            n_before[to] += 1;
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
            for &(to, _) in &self.next[at] {
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
        let mut clauses: BTreeSet<Vec<Bit>> = BTreeSet::new();
        for &start in &on_a_circle {
            if let Some(bits) = self.shortest_circle(start) {
                let mut clause: Vec<Bit> = bits.into_iter().map(|bit| !bit).collect();
                clause.sort();
                clause.dedup();
                clauses.insert(clause);
            }
        }
        Err(clauses.into_iter().collect())
    }

    /// The bits of a shortest circle through a point, if there is one.
    fn shortest_circle(&self, start: usize) -> Option<Vec<Bit>> {
        let mut came: Vec<Option<(usize, usize)>> = vec![None; self.next.len()];
        let mut queue = VecDeque::from([start]);
        while let Some(at) = queue.pop_front() {
            for (e, &(to, _)) in self.next[at].iter().enumerate() {
                if came[to].is_some() {
                    continue;
                }
                came[to] = Some((at, e));
                if to == start {
                    let mut bits = Vec::new();
                    let mut back = start;
                    loop {
                        let (from, edge) = came[back].expect("it was reached");
                        bits.extend(&self.next[from][edge].1);
                        back = from;
                        if back == start {
                            return Some(bits);
                        }
                    }
                }
                queue.push_back(to);
            }
        }
        None
    }
}
