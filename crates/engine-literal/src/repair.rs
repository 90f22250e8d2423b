//! The cheapest fences that repair a program: implicit hitting sets over executions of the literal machine.
//!
//! Every violation gives the set of fences that forbid it ([`forbid`](crate::forbid)), and a repair has one of each such set.
//! The next candidate is a cheapest hitting set. The first candidate that is proved is a cheapest repair: anything cheaper
//! misses one of the sets, so the execution behind that set is still possible. The program is checked under SC only when no
//! fence forbids an execution. A program that is violated under SC has such an execution; all other programs need no second
//! search.
//!
//! *Limit:* a candidate that is neither proved nor refuted ends the search, because it may be the cheapest repair.

use std::collections::HashMap;

use fencewright_base::{Meter, Progress};
use fencewright_literal::buffer::Model;
use fencewright_literal::machine::Settings;
use fencewright_literal::program::Program;
use fencewright_logic::HittingSet;

use crate::forbid::{Fence, Forbidding, forbidding, placed, with_fences};
use crate::search::{Found, Question, Trace, Verdict, search};

/// The most repairs listed besides the first.
const MOST_ALTERNATIVES: usize = 1000;

/// How many repairs are wanted.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum Want {
    /// A cheapest one.
    One,
    /// All of least cost.
    AllMinimum,
    /// All from which no fence can be removed.
    AllMinimal,
}

/// A program to repair.
pub struct Request<'a> {
    /// How it is executed. Its fences are ignored.
    pub settings: Settings,
    /// The user's bound on pending writes, if there is one: then a search that found a buffer full proves nothing.
    pub fixed_buffer: Option<usize>,
    /// The fences that a repair may use, and the cost of each, at least 1.
    pub offers: &'a [(Fence, u64)],
    /// How many repairs are wanted.
    pub want: Want,
    /// Receives the progress of the search from time to time.
    pub progress: &'a (dyn Fn(Progress<'_>) + Sync),
}

/// The result. Fences are numbers of offers.
#[derive(Debug, Clone)]
pub enum Repair {
    /// The program is proved as it is.
    AlreadySafe(Box<Found>),
    /// A repair was found and proved.
    Repaired(Box<Repaired>),
    /// This violation happens under sequential consistency: no fence can prevent it.
    WrongUnderSc(Box<Trace>),
    /// This violation happens with every fence in place.
    NotRepairable(Box<Trace>),
    /// The cheapest remaining candidate is neither proved nor refuted.
    Undecided {
        /// The candidate.
        candidate: Vec<usize>,
        /// Its cost: no repair is cheaper.
        cost: u64,
        /// The result of its search.
        found: Box<Found>,
        /// How many candidates were tried.
        rounds: usize,
    },
}

/// A proved repair of least cost.
#[derive(Debug, Clone)]
pub struct Repaired {
    /// Its fences. Each comes with an execution that violates the program with only the other fences; `None` if a limit was
    /// reached.
    pub fences: Vec<(usize, Option<Trace>)>,
    /// Its cost.
    pub cost: u64,
    /// The proof.
    pub proof: Found,
    /// The further repairs that are wanted, cheapest first.
    pub alternatives: Vec<Vec<usize>>,
    /// Whether the alternatives are complete.
    pub complete: bool,
    /// How many candidates were tried.
    pub rounds: usize,
}

/// Looks for a repair. Every search has a budget of its own. An error is an internal one: a violation that the search found
/// does not occur when it is carried out again.
pub fn repair(
    program: &Program<'_>,
    request: &Request<'_>,
    meter: &mut dyn FnMut() -> Meter,
) -> Result<Repair, String> {
    let numbers = request.offers.iter().enumerate().map(|(number, (fence, _))| (*fence, number)).collect();
    let hitting = HittingSet::new(request.offers.iter().map(|(_, cost)| (*cost).max(1)).collect());
    let settings = Settings { fences: placed([]), ..request.settings.clone() };
    let mut search =
        Search { program, request, meter, numbers, hitting, settings, learnt: Vec::new(), rounds: 0 };
    Ok(match search.next(None)? {
        Next::Proved(chosen, _, proof) if chosen.is_empty() => Repair::AlreadySafe(Box::new(proof)),
        Next::Proved(chosen, cost, proof) => {
            let rounds = search.rounds;
            let fences = chosen.iter().map(|&one| (one, search.without(one, &chosen))).collect();
            let (alternatives, complete) = search.alternatives(&chosen, cost)?;
            Repair::Repaired(Box::new(Repaired { fences, cost, proof, alternatives, complete, rounds }))
        }
        Next::Undecided(candidate, cost, found) => {
            Repair::Undecided { candidate, cost, found: Box::new(found), rounds: search.rounds }
        }
        Next::Hopeless(trace) => match search.ask(&[], Model::Sc).verdict {
            Verdict::Violated(under_sc) => Repair::WrongUnderSc(under_sc),
            _ => Repair::NotRepairable(Box::new(trace)),
        },
        Next::TooDear => return Err("internal error: no choice hits all sets".to_owned()),
    })
}

/// Whether a search has seen all executions, and none is violating.
pub fn is_proof(found: &Found) -> bool {
    matches!(found.verdict, Verdict::Holds) && !found.partly.any()
}

/// The result of the search for a candidate.
enum Next {
    Proved(Vec<usize>, u64, Found),
    Undecided(Vec<usize>, u64, Found),
    /// This violation happens with every offered fence.
    Hopeless(Trace),
    /// Everything left costs more than the limit, or nothing is left.
    TooDear,
}

struct Search<'a, 'p, 'm> {
    program: &'p Program<'m>,
    request: &'a Request<'a>,
    meter: &'a mut dyn FnMut() -> Meter,
    numbers: HashMap<Fence, usize>,
    hitting: HittingSet,
    /// Each search starts with the contested bytes that the last one found, because they are contested with most fences.
    settings: Settings,
    learnt: Vec<(Vec<usize>, Trace)>,
    rounds: usize,
}

impl Search<'_, '_, '_> {
    fn fences(&self, chosen: &[usize]) -> Vec<Fence> {
        chosen.iter().map(|&number| self.request.offers[number].0).collect()
    }

    fn ask(&mut self, chosen: &[usize], model: Model) -> Found {
        let fences = placed(self.fences(chosen));
        let question = Question {
            settings: Settings { fences, model, ..self.settings.clone() },
            fixed_buffer: self.request.fixed_buffer,
            observed: None,
            dives: false,
            progress: self.request.progress,
        };
        let found = search(self.program, &question, &(self.meter)());
        if let Verdict::Violated(trace) = &found.verdict {
            self.settings.contested = trace.settings.contested.clone();
            self.settings.private = trace.settings.private;
        }
        found
    }

    /// The cheapest candidate that is not blocked and of which no violation is found.
    fn next(&mut self, limit: Option<u64>) -> Result<Next, String> {
        loop {
            let Some((candidate, cost)) = self.hitting.minimum() else { return Ok(Next::TooDear) };
            if limit.is_some_and(|limit| cost > limit) {
                return Ok(Next::TooDear);
            }
            self.rounds += 1;
            let found = self.ask(&candidate, self.request.settings.model);
            let Verdict::Violated(trace) = &found.verdict else {
                return Ok(if is_proof(&found) {
                    Next::Proved(candidate, cost, found)
                } else {
                    Next::Undecided(candidate, cost, found)
                });
            };
            let meter = (self.meter)();
            let offered = |fence: Fence| self.numbers.contains_key(&fence);
            let Some(Forbidding { set, shown_by }) = forbidding(self.program, trace, &offered, &meter) else {
                return Err(
                    "internal error: a violation that was found cannot be carried out again".to_owned()
                );
            };
            if set.is_empty() {
                return Ok(Next::Hopeless(shown_by));
            }
            let set: Vec<usize> = set.iter().map(|fence| self.numbers[fence]).collect();
            self.hitting.add_set(&set);
            self.learnt.push((set, shown_by));
        }
    }

    /// A violation without one of the chosen fences. A new search comes first, because it may find a shorter execution than the
    /// one that led to the fence.
    fn without(&mut self, one: usize, chosen: &[usize]) -> Option<Trace> {
        let others: Vec<usize> = chosen.iter().copied().filter(|&other| other != one).collect();
        if let Verdict::Violated(trace) = self.ask(&others, self.request.settings.model).verdict {
            return Some(*trace);
        }
        let fences = self.fences(&others);
        let led_here = self
            .learnt
            .iter()
            .filter(|(set, _)| set.contains(&one) && !others.iter().any(|other| set.contains(other)));
        led_here.into_iter().find_map(|(_, trace)| with_fences(self.program, trace, &fences))
    }

    /// The further repairs that are wanted, and whether they are complete.
    fn alternatives(&mut self, first: &[usize], cost: u64) -> Result<(Vec<Vec<usize>>, bool), String> {
        let limit = match self.request.want {
            Want::One => return Ok((Vec::new(), true)),
            Want::AllMinimum => Some(cost),
            Want::AllMinimal => None,
        };
        let mut all = Vec::new();
        self.hitting.block(first);
        loop {
            match self.next(limit)? {
                Next::Proved(chosen, ..) if all.len() < MOST_ALTERNATIVES => {
                    self.hitting.block(&chosen);
                    all.push(chosen);
                }
                Next::Proved(..) | Next::Undecided(..) => return Ok((all, false)),
                Next::Hopeless(_) | Next::TooDear => return Ok((all, true)),
            }
        }
    }
}
