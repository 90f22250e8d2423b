//! Pairs of statements that the model lets change places, each with a bit that allows it (section 5 of Joshi and
//! Kroening, *building M′*): where the bit is false, all instances of the pair keep the order of the text.

use std::collections::BTreeMap;

use fencewright_engine::{
    Bounds, Context, Guarantee, Pair, PairAnswer, PairEngine, PairQueries, Task, Taste, Unknown,
};
use fencewright_ir::{Program, StatementId, ThreadId};
use fencewright_logic::{Bit, Totals};
use fencewright_memory::Model;

use crate::Bmc;
use crate::axioms::{Axioms, Kept};
use crate::decode::trace;
use crate::encode::Encoding;
use crate::events::{Extent, Kind, Point};
use crate::order::Ties;
use crate::plan::{ask, encode, further};
use crate::relations::in_text_order;

/// Pairs of a program that never ends are looked for in so many rounds of its loops; whoever uses them asks for a proof.
const MOST_ROUNDS: usize = 4;

/// The selectors of an encoding; none if nobody asks about pairs.
#[derive(Debug, Default)]
pub(crate) struct Selectors {
    of_points: BTreeMap<(usize, usize), Bit>,
}

impl Selectors {
    /// The bit that lets the second point come before the first, if there is one.
    pub(crate) fn selector(&self, first: usize, second: usize) -> Option<Bit> {
        self.of_points.get(&(first, second)).copied()
    }
}

/// A program with its pairs.
struct Open {
    program: Program,
    model: Model,
    encoding: Encoding,
    guarantee: Guarantee,
    pairs: Vec<Pair>,
    bits: Vec<Bit>,
    totals: Totals,
}

impl PairEngine for Bmc {
    fn open(
        &self,
        task: &Task<'_>,
        taste: Taste,
        context: &mut Context<'_>,
    ) -> Result<Box<dyn PairQueries>, Unknown> {
        let axioms = Axioms::of(task.model).expect("a supported task has a model with axioms");
        let mut extent = Extent::with_bound(task.options.unroll.unwrap_or(0));
        loop {
            let mut encoding = encode(task, axioms, extent, &[], context)?;
            let more = further(extent, &mut encoding, context)?;
            if let Some(more) = more
                && (more.bound == extent.bound || task.options.unroll.is_none() && extent.bound < MOST_ROUNDS)
            {
                extent = more;
                continue;
            }
            let guarantee = if more.is_some() {
                Guarantee::UpTo(Bounds { unroll: Some(extent.bound), ..Bounds::default() })
            } else {
                Guarantee::Unbounded
            };
            encoding.ties = match taste {
                Taste::Few => Ties::FewOvertaken,
                Taste::Any => Ties::ByLot(0),
            };
            let (pairs, bits) = select(task.program, taste, &mut encoding);
            let totals = Totals::of(bits.iter().copied());
            let (program, model) = (task.program.clone(), task.model);
            return Ok(Box::new(Open { program, model, encoding, guarantee, pairs, bits, totals }));
        }
    }
}

/// A bit for every pair of statements that can change places.
fn select(program: &Program, taste: Taste, encoding: &mut Encoding) -> (Vec<Pair>, Vec<Bit>) {
    let Encoding { circuit, axioms, points, runs, selectors, .. } = encoding;
    let statement = |point: &Point| -> Option<StatementId> {
        let thread: ThreadId = point.thread;
        // The observer is no thread of the program.
        program.threads.get(thread)?;
        Some(program.edge(thread, runs[thread].unrolled.copies[point.copy].edge).step.statement)
    };
    let mut known: BTreeMap<Pair, Bit> = BTreeMap::new();
    for p in 0..points.len() {
        let first = &points[p];
        if first.kind != Kind::Plain {
            continue;
        }
        for q in 0..points.len() {
            let second = &points[q];
            let follows = first.thread == second.thread
                && second.kind == Kind::Plain
                && p != q
                && in_text_order(p, q, points, runs);
            if !follows || axioms.kept(first, second) == Kept::Always || must_share(first, second) {
                continue;
            }
            let (Some(one), Some(other)) = (statement(first), statement(second)) else { continue };
            let pair = Pair {
                first: one,
                second: other,
                both_write: !first.writes.is_empty() && !second.writes.is_empty(),
            };
            // The solver tries false first: a pair keeps its order unless it must not, or changes places unless it must.
            let bit = *known.entry(pair).or_insert_with(|| match taste {
                Taste::Few => circuit.fresh(),
                Taste::Any => !circuit.fresh(),
            });
            selectors.of_points.insert((p, q), bit);
        }
    }
    known.into_iter().unzip()
}

/// Whether both touch one cell and no other.
fn must_share(first: &Point, second: &Point) -> bool {
    let only = |point: &Point| match &point.reads.iter().chain(&point.writes).collect::<Vec<_>>()[..] {
        [touch] if touch.cells.len() == 1 => Some(touch.cells[0].0),
        _ => None,
    };
    only(first).is_some() && only(first) == only(second)
}

impl Open {
    /// The pairs of which some instance is not in the order of the text. Their bits are true; that of a pair that could
    /// change places but does not may be, too.
    fn reordered(&self, order: &[usize]) -> Vec<usize> {
        let mut place = vec![None; self.encoding.points.len()];
        for (i, &p) in order.iter().enumerate() {
            place[p] = Some(i);
        }
        let mut found: Vec<Bit> = Vec::new();
        for (&(p, q), &bit) in &self.encoding.selectors.of_points {
            if let (Some(first), Some(second)) = (place[p], place[q])
                && second < first
            {
                found.push(bit);
            }
        }
        (0..self.bits.len()).filter(|&pair| found.contains(&self.bits[pair])).collect()
    }
}

impl PairQueries for Open {
    fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee.clone()
    }

    fn keep_one_of(&mut self, pairs: &[usize]) {
        let clause: Vec<Bit> = pairs.iter().map(|&pair| !self.bits[pair]).collect();
        self.encoding.circuit.require(&clause);
    }

    fn violation(
        &mut self,
        kept: &[usize],
        bound: Option<usize>,
        context: &mut Context<'_>,
    ) -> Result<PairAnswer, Unknown> {
        let mut assumptions = vec![self.encoding.violated];
        assumptions.extend(kept.iter().map(|&pair| !self.bits[pair]));
        let limit = match bound.filter(|&bound| bound < self.bits.len()) {
            Some(bound) => self.totals.at_most(bound, &mut self.encoding.circuit),
            None => Vec::new(),
        };
        assumptions.extend(&limit);
        match ask(&assumptions, &mut self.encoding, context)? {
            Some(order) => {
                let reordered = self.reordered(&order);
                let trace = trace(&self.program, self.model, &self.encoding, &order, false);
                Ok(PairAnswer::Violated { trace, reordered })
            }
            None => {
                let core = self.encoding.circuit.core();
                let whatever_the_bound = !core.iter().any(|bit| limit.contains(bit));
                Ok(PairAnswer::Safe { whatever_the_bound })
            }
        }
    }
}
