//! Which remedies enforce an order: something that orders stands on every way from the write to the later step.
//!
//! [write ≺ then] is a formula over the remedies. It is computed along the thread's automaton: what is said at a
//! location is that every way from the write to there is cut. At first nothing is known to lead anywhere (true); every
//! edge hands on what holds at its source or stands beside it, and what several edges hand on must all hold. That is a
//! greatest fixpoint, so it needs no list of the ways, which may be endlessly many.

use std::collections::{BTreeMap, HashMap};

use fencewright_base::IndexVec;
use fencewright_engine::Order;
use fencewright_ir::edit::Remedy;
use fencewright_ir::{EdgeId, FenceKind, LocId, Op, Program, Side, Site, StatementId, ThreadId};
use fencewright_logic::{Diagram, Diagrams, Full};

/// The automata, and what can be put into them.
pub(crate) struct Cuts<'a> {
    /// The program whose edges the orders name.
    program: &'a Program,
    /// Edges from this one on are not of the user's text: no remedy stands beside them.
    own_edges: IndexVec<ThreadId, usize>,
    /// The remedies by their places, with their numbers: the variables.
    fences: BTreeMap<(Site, FenceKind), usize>,
    atomic: BTreeMap<StatementId, usize>,
    /// Edges that order already.
    barriers: BTreeMap<(ThreadId, EdgeId), FenceKind>,
    known: HashMap<Order, Diagram>,
}

impl<'a> Cuts<'a> {
    /// For the program given, which has the edges of `original` first, and these remedies, of which number `i` is
    /// variable `i`.
    pub(crate) fn new(
        original: &Program,
        program: &'a Program,
        offers: &[Remedy],
        barriers: &[(ThreadId, EdgeId, FenceKind)],
    ) -> Self {
        let (mut fences, mut atomic) = (BTreeMap::new(), BTreeMap::new());
        for (number, &remedy) in offers.iter().enumerate() {
            match remedy {
                Remedy::Fence(site, kind) => drop(fences.insert((site, kind), number)),
                Remedy::Atomic(statement) => drop(atomic.insert(statement, number)),
                // The strategies that choose by orders of steps are not offered stronger words.
                Remedy::Order(..) => {}
            }
        }
        Self {
            program,
            own_edges: original.threads.iter().map(|thread| thread.edges.len()).collect(),
            fences,
            atomic,
            barriers: barriers.iter().map(|&(thread, edge, kind)| ((thread, edge), kind)).collect(),
            known: HashMap::new(),
        }
    }

    /// The formula of the order.
    pub(crate) fn enforced(&mut self, diagrams: &mut Diagrams, order: Order) -> Result<Diagram, Full> {
        if let Some(&known) = self.known.get(&order) {
            return Ok(known);
        }
        let formula = self.compute(diagrams, order)?;
        self.known.insert(order, formula);
        Ok(formula)
    }

    fn compute(&self, diagrams: &mut Diagrams, order: Order) -> Result<Diagram, Full> {
        let Order { thread, write, then, kind } = order;
        let text = &self.program.threads[thread];
        let mut cut: IndexVec<LocId, Diagram> = text.locations.iter().map(|_| Diagram::TRUE).collect();
        let start = text.edges[write].to;
        cut[start] = self.fence(diagrams, thread, write, Side::After, kind)?;
        let outgoing = text.outgoing();
        let mut open = vec![start];
        while let Some(here) = open.pop() {
            for &edge in &outgoing[here] {
                if self.barriers.get(&(thread, edge)).is_some_and(|&barrier| orders(barrier, kind)) {
                    continue;
                }
                let before = self.fence(diagrams, thread, edge, Side::Before, kind)?;
                let after = self.fence(diagrams, thread, edge, Side::After, kind)?;
                let beside = diagrams.or(before, after)?;
                let handed_on = diagrams.or(cut[here], beside)?;
                let to = text.edges[edge].to;
                let both = diagrams.and(cut[to], handed_on)?;
                if both != cut[to] {
                    cut[to] = both;
                    open.push(to);
                }
            }
        }
        let before = self.fence(diagrams, thread, then, Side::Before, kind)?;
        let cut = diagrams.or(cut[text.edges[then].from], before)?;
        // An atomic write is never pending.
        match self.atomic.get(&text.edges[write].step.statement) {
            Some(&number) => {
                let atomic = diagrams.variable(number)?;
                diagrams.or(cut, atomic)
            }
            None => Ok(cut),
        }
    }

    /// A fence that gives orders of this kind on that side of the edge.
    fn fence(
        &self,
        diagrams: &mut Diagrams,
        thread: ThreadId,
        edge: EdgeId,
        side: Side,
        kind: FenceKind,
    ) -> Result<Diagram, Full> {
        let mut any = Diagram::FALSE;
        if (edge.0 as usize) < self.own_edges[thread] {
            let site = Site { statement: self.program.edge(thread, edge).step.statement, side };
            for fence in [FenceKind::Full, FenceKind::StoreStore] {
                if let Some(&number) = self.fences.get(&(site, fence)).filter(|_| orders(fence, kind)) {
                    let one = diagrams.variable(number)?;
                    any = diagrams.or(any, one)?;
                }
            }
        }
        Ok(any)
    }
}

/// The fences of a program, by their edges, each with the strongest order it gives.
pub(crate) fn fences_of(program: &Program) -> Vec<(ThreadId, EdgeId, FenceKind)> {
    let mut all = Vec::new();
    for (t, thread) in program.threads.iter_enumerated() {
        for (id, edge) in thread.edges.iter_enumerated() {
            let fences = edge.step.ops.iter().filter_map(|op| match op {
                Op::Fence(kind) => Some(*kind),
                _ => None,
            });
            // Full comes first in the order of kinds, and gives every order.
            all.extend(fences.min().map(|kind| (t, id, kind)));
        }
    }
    all
}

/// Whether a fence gives orders of this kind.
fn orders(fence: FenceKind, kind: FenceKind) -> bool {
    fence == FenceKind::Full || fence == kind
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use fencewright_ir::edit;
    use fencewright_testkit::generate::{Config, Rng, program};

    use super::*;
    use crate::{Beside, offers};

    /// Whether the program with the remedies, none of them atomic writes, has a way from behind the one edge to the
    /// other that passes no fence of the kind. Edges keep their numbers when fences are put in.
    fn has_open_way(program: &Program, remedies: &[Remedy], order: Order) -> bool {
        let changed = edit::apply(program, remedies);
        let text = &changed.threads[order.thread];
        let fences = |edge: EdgeId| {
            text.edges[edge]
                .step
                .ops
                .iter()
                .any(|op| matches!(op, Op::Fence(kind) if orders(*kind, order.kind)))
        };
        let (mut seen, mut open) = (BTreeSet::new(), vec![text.edges[order.write].to]);
        let outgoing = text.outgoing();
        while let Some(here) = open.pop() {
            if !seen.insert(here) {
                continue;
            }
            open.extend(
                outgoing[here].iter().filter(|&&edge| !fences(edge)).map(|&edge| text.edges[edge].to),
            );
        }
        seen.contains(&text.edges[order.then].from)
    }

    #[test]
    fn what_enforces_an_order_is_what_leaves_no_way_open() {
        let mut compared = [0, 0];
        for seed in 0..300 {
            let program = program(seed, &Config::default());
            let offers = offers(&program, Beside::default());
            let mut diagrams = Diagrams::new(offers.len(), 1 << 14);
            let mut cuts = Cuts::new(&program, &program, &offers, &fences_of(&program));
            let mut rng = Rng::new(seed);
            for (thread, text) in program.threads.iter_enumerated() {
                for _ in 0..6 {
                    let mut edge = || EdgeId(rng.below(text.edges.len()) as u32);
                    let (write, then) = (edge(), edge());
                    let kind = [FenceKind::Full, FenceKind::StoreStore][rng.below(2)];
                    let order = Order { thread, write, then, kind };
                    let formula = cuts.enforced(&mut diagrams, order).expect("there is room");
                    for percent in [0, 10, 30, 60] {
                        let chosen: Vec<usize> = (0..offers.len()).filter(|_| rng.percent(percent)).collect();
                        let remedies: Vec<Remedy> = chosen.iter().map(|&i| offers[i]).collect();
                        let open = has_open_way(&program, &remedies, order);
                        assert_eq!(
                            diagrams.is_model(formula, &chosen),
                            !open,
                            "seed {seed}: {order:?} with {remedies:?}"
                        );
                        compared[usize::from(open)] += 1;
                    }
                }
            }
        }
        assert!(compared.iter().all(|&n| n > 1000), "{compared:?}");
    }
}
