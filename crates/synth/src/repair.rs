//! The loop: a cheapest candidate that no known execution rules out, a question to the engine, and again.

use fencewright_base::Stop;
use fencewright_engine::{
    Answer, Context, Engine, Feature, Guarantee, Rejected, Statistics, Task, Unknown, Verdict, run,
};
use fencewright_ir::edit::{self, Remedy};
use fencewright_ir::{Op, Program, Property, StatementId};
use fencewright_logic::HittingSet;
use fencewright_memory::{Model, replay};

use crate::answer::{
    AlreadySafe, Chosen, Evidence, NotFound, Reason, Repair, Repaired, Request, Strategy, Want, WrongUnderSc,
};
use crate::forbid::{Forbidding, forbidding};
use crate::{carry, formula, hazard, minimal, offer, reorder};

/// Most repairs that are listed beside the first.
pub(crate) const MOST_ALTERNATIVES: usize = 1000;

/// Most candidates for further repairs that may stay undecided before no more are looked for: each may have taken the
/// engine its whole budget.
const MOST_UNDECIDED: usize = 10;

/// Most sets that are guessed. A guess rules out one candidate and no more, so with many of them the search would be one
/// through all candidates.
const MOST_GUESSES: usize = 30;

/// A repair of the program, as `docs/repair.md` describes. Every question to the engine gets a context of its own.
pub fn repair<'c>(
    engine: &dyn Engine,
    request: &Request<'_>,
    context: &mut dyn FnMut() -> Context<'c>,
) -> Result<Repair, Rejected> {
    let temporal = request.program.properties.iter().any(Property::is_temporal);
    if temporal && matches!(request.strategy, Strategy::AvoidFormula(_) | Strategy::Reordering(..)) {
        // What they keep in order is read off the way to a bad state; of an execution that never ends there is none.
        let unknown = Unknown::Unsupported { feature: Feature::TemporalRepair, span: None };
        let answer = Answer {
            engine: engine.name(),
            verdict: Verdict::Unknown(unknown),
            execution: None,
            statistics: Statistics::default(),
            parts: Vec::new(),
        };
        return Ok(Search::new(engine, request, context).not_found(Vec::new(), 0, Reason::Unproved(answer)));
    }
    match request.strategy {
        Strategy::HittingSets => by_hitting_sets(engine, request, context),
        Strategy::MinimalSets => minimal::repair(engine, request, context),
        Strategy::Hazard => hazard::repair(engine, request, context),
        Strategy::AvoidFormula(orders) => formula::repair(engine, orders, request, context),
        Strategy::Reordering(pairs, algorithm) => {
            reorder::repair(engine, (pairs, algorithm), request, context)
        }
    }
}

/// The cheapest repair.
fn by_hitting_sets<'c>(
    engine: &dyn Engine,
    request: &Request<'_>,
    context: &mut dyn FnMut() -> Context<'c>,
) -> Result<Repair, Rejected> {
    let mut search = Search::new(engine, request, context);
    if let Some(wrong) = search.wrong_under_sc()? {
        return Ok(wrong);
    }
    match search.next(None)? {
        Found::Proved(chosen, _, proof) if chosen.is_empty() => {
            let unneeded = search.unneeded(request.program)?;
            Ok(Repair::AlreadySafe(Box::new(AlreadySafe { proof, unneeded })))
        }
        Found::Proved(chosen, cost, proof) => {
            let minimum = search.exact();
            let (chosen, cost, proof) =
                if minimum { (chosen, cost, proof) } else { search.pruned(chosen, proof)? };
            let repaired = search.repaired(&chosen);
            let remedies = search.evidence(&chosen)?;
            let rounds = search.rounds;
            let unneeded = search.unneeded(&repaired)?;
            let (alternatives, complete) = search.alternatives(&chosen, cost)?;
            Ok(Repair::Repaired(Box::new(Repaired {
                remedies,
                cost,
                minimum,
                avoidance: None,
                program: repaired,
                proof,
                alternatives,
                complete,
                unneeded,
                rounds,
            })))
        }
        Found::Unproved(chosen, cost, answer) => Ok(search.not_found(chosen, cost, Reason::Unproved(answer))),
        Found::Nothing(violation) => Ok(search.not_found(Vec::new(), 0, Reason::NotRepairable(violation))),
        Found::GaveUp(chosen, cost, violation) => {
            Ok(search.not_found(chosen, cost, Reason::GaveUp(violation)))
        }
        Found::TooDear => unreachable!("internal error: there was no limit"),
    }
}

/// What the search for a candidate ends in.
enum Found {
    /// A repair, its cost, and the proof.
    Proved(Vec<usize>, u64, Answer),
    /// A candidate, its cost, and the answer that is no proof.
    Unproved(Vec<usize>, u64, Answer),
    /// This happens whatever is put in.
    Nothing(Evidence),
    /// A candidate, its cost and a violation of it, after too many guesses.
    GaveUp(Vec<usize>, u64, Evidence),
    /// All that is left costs more than the limit, or nothing is left.
    TooDear,
}

pub(crate) struct Search<'a, 'p, 'c> {
    engine: &'a dyn Engine,
    pub(crate) request: &'a Request<'p>,
    pub(crate) context: &'a mut dyn FnMut() -> Context<'c>,
    pub(crate) offers: Vec<Remedy>,
    pub(crate) costs: Vec<u64>,
    hitting: HittingSet,
    pub(crate) learnt: Vec<Forbidding>,
    pub(crate) rounds: usize,
}

impl<'a, 'p, 'c> Search<'a, 'p, 'c> {
    pub(crate) fn new(
        engine: &'a dyn Engine,
        request: &'a Request<'p>,
        context: &'a mut dyn FnMut() -> Context<'c>,
    ) -> Self {
        let offers = offer::offers(request.program, request.beside);
        let costs: Vec<u64> =
            offers.iter().map(|&remedy| request.costs.of(request.program, remedy)).collect();
        let hitting = HittingSet::new(costs.clone());
        Self { engine, request, context, offers, costs, hitting, learnt: Vec::new(), rounds: 0 }
    }

    /// The violation under sequential consistency, if there is one: then no remedy can help.
    pub(crate) fn wrong_under_sc(&mut self) -> Result<Option<Repair>, Rejected> {
        let under_sc = self.ask(self.request.program, Model::Sc)?;
        Ok(match (under_sc.verdict, under_sc.execution) {
            (Verdict::Violated(trace), Some(execution)) => {
                Some(Repair::WrongUnderSc(Box::new(WrongUnderSc { trace, execution })))
            }
            _ => None,
        })
    }

    /// What no remedy changes: the program is wrong under sequential consistency, or proved as it is.
    pub(crate) fn settled_as_it_is(&mut self) -> Result<Option<Repair>, Rejected> {
        if let Some(wrong) = self.wrong_under_sc()? {
            return Ok(Some(wrong));
        }
        let proof = self.ask(self.request.program, self.request.model)?;
        if proof.verdict != Verdict::Holds(Guarantee::Unbounded) {
            return Ok(None);
        }
        let unneeded = self.unneeded(self.request.program)?;
        Ok(Some(Repair::AlreadySafe(Box::new(AlreadySafe { proof, unneeded }))))
    }

    /// The program with what a strategy chose and its proof, or that there is none.
    pub(crate) fn proved(
        &mut self,
        chosen: &[usize],
        cost: u64,
    ) -> Result<Result<(Program, Answer), Repair>, Rejected> {
        let program = self.repaired(chosen);
        let proof = self.ask(&program, self.request.model)?;
        let reason = match (&proof.verdict, &proof.execution) {
            (Verdict::Holds(Guarantee::Unbounded), _) => return Ok(Ok((program, proof))),
            (Verdict::Violated(trace), Some(execution)) => {
                Reason::Refuted(Evidence { program, trace: trace.clone(), execution: execution.clone() })
            }
            _ => Reason::Unproved(proof),
        };
        Ok(Err(self.not_found(chosen.to_vec(), cost, reason)))
    }

    pub(crate) fn ask(&mut self, program: &Program, model: Model) -> Result<Answer, Rejected> {
        let task = Task { program, model, options: self.request.options.clone() };
        run(self.engine, &task, &mut (self.context)())
    }

    pub(crate) fn repaired(&self, chosen: &[usize]) -> Program {
        edit::apply(self.request.program, &self.remedies(chosen))
    }

    pub(crate) fn remedies(&self, chosen: &[usize]) -> Vec<Remedy> {
        chosen.iter().map(|&i| self.offers[i]).collect()
    }

    /// Whether all sets came with their certificates, so that what they cost is a lower bound.
    fn exact(&self) -> bool {
        let certified = self.learnt.iter().all(|learnt| learnt.shown_by.is_some());
        certified && matches!(self.request.strategy, Strategy::HittingSets)
    }

    /// The cheapest candidate that is not blocked and that the engine finds no violation of.
    fn next(&mut self, limit: Option<u64>) -> Result<Found, Rejected> {
        loop {
            let Some((candidate, cost)) = self.hitting.minimum() else { return Ok(Found::TooDear) };
            if limit.is_some_and(|limit| cost > limit) {
                return Ok(Found::TooDear);
            }
            self.rounds += 1;
            let program = self.repaired(&candidate);
            let answer = self.ask(&program, self.request.model)?;
            let (trace, execution) = match (&answer.verdict, &answer.execution) {
                (Verdict::Holds(Guarantee::Unbounded), _) => {
                    return Ok(Found::Proved(candidate, cost, answer));
                }
                (Verdict::Violated(trace), Some(execution)) => (trace, execution),
                _ => return Ok(Found::Unproved(candidate, cost, answer)),
            };
            let learnt = forbidding(self.request.program, &self.offers, &candidate, trace);
            if learnt.set.is_empty() {
                let evidence = learnt.shown_by.as_ref().and_then(|trace| self.carried(trace, &self.offers));
                let found = Evidence { program, trace: trace.clone(), execution: execution.clone() };
                return Ok(Found::Nothing(evidence.unwrap_or(found)));
            }
            if self.learnt.iter().filter(|learnt| learnt.shown_by.is_none()).count() >= MOST_GUESSES {
                let violation = Evidence { program, trace: trace.clone(), execution: execution.clone() };
                return Ok(Found::GaveUp(candidate, cost, violation));
            }
            let learnt = self.narrowed(learnt)?;
            self.hitting.add_set(&learnt.set);
            self.learnt.push(learnt);
        }
    }

    /// The execution of the original program as one of the program with the remedies, if they allow it.
    fn carried(&self, trace: &fencewright_memory::Trace, remedies: &[Remedy]) -> Option<Evidence> {
        let execution = replay(self.request.program, trace).ok()?;
        let program = edit::apply(self.request.program, remedies);
        let trace = carry::with_remedies(self.request.program, &program, trace, &execution)?;
        let execution = replay(&program, &trace).ok()?;
        execution.violation.as_ref()?;
        Some(Evidence { program, trace, execution })
    }

    /// The repair without the remedies that it is proved without, its cost and its proof. Where sets were guessed the
    /// repair may have such.
    fn pruned(
        &mut self,
        mut chosen: Vec<usize>,
        mut proof: Answer,
    ) -> Result<(Vec<usize>, u64, Answer), Rejected> {
        for one in chosen.clone() {
            let others: Vec<usize> = chosen.iter().copied().filter(|&other| other != one).collect();
            let answer = self.ask(&self.repaired(&others), self.request.model)?;
            if answer.verdict == Verdict::Holds(Guarantee::Unbounded) {
                (chosen, proof) = (others, answer);
            }
        }
        let cost = chosen.iter().map(|&i| self.costs[i]).sum();
        Ok((chosen, cost, proof))
    }

    /// For each remedy what happens without it. The engine is asked first: it may know a shorter execution than the one
    /// that led to the remedy.
    pub(crate) fn evidence(&mut self, chosen: &[usize]) -> Result<Vec<Chosen>, Rejected> {
        let mut all = Vec::new();
        for &one in chosen {
            let others: Vec<usize> = chosen.iter().copied().filter(|&other| other != one).collect();
            let program = self.repaired(&others);
            let answer = self.ask(&program, self.request.model)?;
            let spare = answer.verdict == Verdict::Holds(Guarantee::Unbounded);
            let evidence = match (answer.verdict, answer.execution) {
                (Verdict::Violated(trace), Some(execution)) => Some(Evidence { program, trace, execution }),
                _ => {
                    let led_here = self.learnt.iter().filter(|learnt| {
                        learnt.set.contains(&one) && !others.iter().any(|other| learnt.set.contains(other))
                    });
                    let remedies = self.remedies(&others);
                    led_here
                        .filter_map(|learnt| learnt.shown_by.as_ref())
                        .find_map(|trace| self.carried(trace, &remedies))
                }
            };
            all.push(Chosen { remedy: self.offers[one], cost: self.costs[one], evidence, spare });
        }
        Ok(all)
    }

    /// Statements of the original program whose fences the program given, a repair of it, is proved without.
    pub(crate) fn unneeded(&mut self, repaired: &Program) -> Result<Vec<StatementId>, Rejected> {
        let original = self.request.program;
        let edges = original.threads.iter().flat_map(|thread| &thread.edges);
        let mut fences: Vec<StatementId> = edges
            .filter(|edge| edge.step.ops.iter().any(|op| matches!(op, Op::Fence(_))))
            .map(|edge| edge.step.statement)
            .collect();
        fences.sort();
        fences.dedup();
        let mut unneeded = Vec::new();
        for fence in fences {
            let without = edit::remove_fence(repaired, fence);
            if self.ask(&without, self.request.model)?.verdict == Verdict::Holds(Guarantee::Unbounded) {
                unneeded.push(fence);
            }
        }
        Ok(unneeded)
    }

    /// Further repairs as they are wanted, and whether these are all.
    fn alternatives(&mut self, first: &[usize], cost: u64) -> Result<(Vec<Vec<Remedy>>, bool), Rejected> {
        let limit = match self.request.want {
            Want::One => return Ok((Vec::new(), true)),
            Want::AllMinimum => Some(cost),
            Want::AllMinimal => None,
        };
        let (mut all, mut undecided) = (Vec::new(), 0);
        self.hitting.block(first);
        loop {
            match self.next(limit)? {
                Found::Proved(chosen, ..) if all.len() < MOST_ALTERNATIVES => {
                    self.hitting.block(&chosen);
                    all.push(self.remedies(&chosen));
                }
                Found::Unproved(chosen, _, answer) => {
                    let cancelled = matches!(
                        answer.verdict,
                        Verdict::Unknown(Unknown::Stopped { stop: Stop::Cancelled, .. })
                    );
                    undecided += 1;
                    if undecided > MOST_UNDECIDED || cancelled {
                        return Ok((all, false));
                    }
                    self.hitting.block(&chosen);
                }
                Found::Proved(..) | Found::GaveUp(..) => return Ok((all, false)),
                Found::Nothing(_) | Found::TooDear => return Ok((all, undecided == 0 && self.exact())),
            }
        }
    }

    pub(crate) fn not_found(&self, chosen: Vec<usize>, cost: u64, reason: Reason) -> Repair {
        Repair::NotFound(Box::new(NotFound {
            reason,
            candidate: self.remedies(&chosen),
            cost,
            exact: self.exact(),
            rounds: self.rounds,
        }))
    }
}
