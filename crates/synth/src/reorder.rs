//! The strategies `te`, `fi`, `robmc` and `robmc-et`: Algorithms 1 to 4 of S. Joshi and D. Kroening, *Property-driven fence
//! insertion using reorder bounded model checking*.
//!
//! They look for the fewest *pairs* of statements that must keep their order: every violation reorders some pairs, and one
//! of them must be kept. What a repair costs is decided afterwards: the cheapest remedies that stand on every way between
//! the statements of all those pairs. Fewest pairs need not be cheapest fences, so the result is proved but not called
//! minimum.

use fencewright_engine::{
    Context, Engine, OpenPairs, Order, Pair, PairAnswer, PairEngine, Rejected, Task, Taste, Unknown,
    run_pairs,
};
use fencewright_ir::{EdgeId, FenceKind, Program};
use fencewright_logic::{Diagram, Diagrams, HittingSet};

use crate::answer::{Evidence, Reason, Repair, Repaired, Request};
use crate::cut::{Cuts, fences_of};
use crate::repair::Search;

/// The first bound on reordered pairs, K₁ of the paper's experiments. It is doubled when there is no violation within it.
const FIRST_BOUND: usize = 5;

/// Room for the formula of a few pairs.
const NODES: usize = 1 << 20;

/// Which of the four.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum Algorithm {
    /// Algorithm 1: every violation is forbidden by a clause of its own; pairs are chosen at the end.
    TraceEnumeration,
    /// Algorithm 2: the fewest pairs that all violations so far have are kept in order before the next question.
    FenceInsertion,
    /// Algorithm 3: the same with few reordered pairs at first.
    ReorderBounded,
    /// Algorithm 4: the same, ended as soon as the bound is not why there is no violation.
    EarlyTermination,
}

impl Algorithm {
    /// The first two take a counterexample as it comes; to look for those with few reorderings is the idea of the others.
    fn taste(self) -> Taste {
        match self {
            Algorithm::TraceEnumeration | Algorithm::FenceInsertion => Taste::Any,
            Algorithm::ReorderBounded | Algorithm::EarlyTermination => Taste::Few,
        }
    }
}

/// The pairs that one of the algorithms keeps in order.
#[derive(Debug)]
enum Kept {
    Pairs(Vec<usize>),
    /// A violation that reorders nothing.
    Hopeless(Box<Evidence>),
}

/// The repair that the algorithm gives.
pub(crate) fn repair<'c>(
    engine: &dyn Engine,
    (pairs, algorithm): (&dyn PairEngine, Algorithm),
    request: &Request<'_>,
    context: &mut dyn FnMut() -> Context<'c>,
) -> Result<Repair, Rejected> {
    let mut search = Search::new(engine, request, context);
    if let Some(settled) = search.settled_as_it_is()? {
        return Ok(settled);
    }
    let task = Task { program: request.program, model: request.model, options: request.options.clone() };
    let mut queries = 0;
    let open = run_pairs(pairs, &task, algorithm.taste(), &mut (search.context)());
    let kept = open.and_then(|mut open| {
        let mut question = Question { open: &mut open, program: request.program, queries: &mut queries };
        let kept = question.answer(algorithm, &mut || (search.context)())?;
        Ok(kept.map(|kept| (kept, open.pairs().to_vec())))
    });
    let (kept, all) = match kept {
        Ok(Ok((Kept::Pairs(kept), all))) => (kept, all),
        Ok(Ok((Kept::Hopeless(evidence), _))) => {
            return Ok(search.not_found(Vec::new(), 0, Reason::NotRepairable(*evidence)));
        }
        Ok(Err(rejected)) => return Err(rejected),
        Err(unknown) => return Ok(search.not_found(Vec::new(), 0, Reason::NoPairs(unknown))),
    };
    let kept: Vec<Pair> = kept.into_iter().map(|pair| all[pair]).collect();
    let Some((chosen, cost)) = cheapest_cut(request.program, &search, &kept) else {
        return Ok(search.not_found(Vec::new(), 0, Reason::NoPlace));
    };
    let (program, proof) = match search.proved(&chosen, cost)? {
        Ok(proved) => proved,
        Err(not_found) => return Ok(not_found),
    };
    let unneeded = search.unneeded(&program)?;
    let remedies = search.evidence(&chosen)?;
    Ok(Repair::Repaired(Box::new(Repaired {
        remedies,
        cost,
        minimum: false,
        avoidance: None,
        program,
        proof,
        alternatives: Vec::new(),
        complete: true,
        unneeded,
        rounds: queries,
    })))
}

/// A program with its pairs, being asked.
struct Question<'a, 't, 'p> {
    open: &'a mut OpenPairs<'t, 'p>,
    program: &'a Program,
    queries: &'a mut usize,
}

impl Question<'_, '_, '_> {
    fn answer<'c>(
        &mut self,
        algorithm: Algorithm,
        context: &mut dyn FnMut() -> Context<'c>,
    ) -> Result<Result<Kept, Rejected>, Unknown> {
        let n_pairs = self.open.pairs().len();
        let mut seen = HittingSet::new(vec![1; n_pairs]);
        let mut kept: Vec<usize> = Vec::new();
        let mut bound = match algorithm {
            Algorithm::TraceEnumeration | Algorithm::FenceInsertion => None,
            Algorithm::ReorderBounded | Algorithm::EarlyTermination => Some(FIRST_BOUND),
        };
        loop {
            *self.queries += 1;
            let assumed: &[usize] = if algorithm == Algorithm::TraceEnumeration { &[] } else { &kept };
            let answer = match self.open.violation(assumed, bound, &mut context()) {
                Ok(answer) => answer?,
                Err(rejected) => return Ok(Err(rejected)),
            };
            match answer {
                (PairAnswer::Violated { trace, reordered }, execution) => {
                    if reordered.is_empty() {
                        let execution = execution.expect("the gate gives the execution of a violation");
                        let program = self.program.clone();
                        return Ok(Ok(Kept::Hopeless(Box::new(Evidence { program, trace, execution }))));
                    }
                    seen.add_set(&reordered);
                    if algorithm == Algorithm::TraceEnumeration {
                        self.open.keep_one_of(&reordered);
                    } else {
                        (kept, _) = seen.minimum().expect("no set of pairs is empty");
                    }
                }
                (PairAnswer::Safe { whatever_the_bound }, _) => match bound {
                    Some(k)
                        if k < n_pairs
                            && !(algorithm == Algorithm::EarlyTermination && whatever_the_bound) =>
                    {
                        bound = Some(2 * k);
                    }
                    _ => break,
                },
            }
        }
        if algorithm == Algorithm::TraceEnumeration {
            (kept, _) = seen.minimum().expect("no set of pairs is empty");
        }
        Ok(Ok(Kept::Pairs(kept)))
    }
}

/// The cheapest remedies on every way between the statements of each pair.
fn cheapest_cut(program: &Program, search: &Search<'_, '_, '_>, pairs: &[Pair]) -> Option<(Vec<usize>, u64)> {
    let mut diagrams = Diagrams::new(search.offers.len(), NODES);
    let mut cuts = Cuts::new(program, program, &search.offers, &fences_of(program));
    let mut all = Diagram::TRUE;
    for pair in pairs {
        let kind = if pair.both_write { FenceKind::StoreStore } else { FenceKind::Full };
        for (thread, text) in program.threads.iter_enumerated() {
            let edges_of = |statement| {
                let is_its =
                    move |(_, edge): &(EdgeId, &fencewright_ir::Edge)| edge.step.statement == statement;
                text.edges.iter_enumerated().filter(is_its).map(|(id, _)| id)
            };
            for write in edges_of(pair.first) {
                for then in edges_of(pair.second) {
                    let order = Order { thread, write, then, kind };
                    let one = cuts.enforced(&mut diagrams, order).ok()?;
                    all = diagrams.and(all, one).ok()?;
                }
            }
        }
    }
    diagrams.cheapest(all, &search.costs)
}
