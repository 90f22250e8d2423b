//! The strategy `minimal-sets`: Algorithm 2 of NETYS 2015, section 5, with any engine as the oracle.
//!
//! A set of candidates, at first the empty one. Take a cheapest; if the engine proves the program with it, it is a repair;
//! if the engine shows a violation, put back the candidate with each remedy that forbids that violation. A candidate that
//! contains another, or a repair, is not kept. The engine is not asked about a candidate that forbids none of what was seen
//! before: that violation is one of this candidate, too. So it is asked once for each violation and each repair.
//!
//! Every repair contains a candidate or a repair that was found, and goes on to do so: one that contains a candidate that is
//! violated has a remedy that forbids the violation. Candidates come in the order of their costs, so the repairs found
//! have no remedy to spare, the first of them is a minimum, and at the end they are all there are.

use std::collections::BTreeSet;

use fencewright_base::Stop;
use fencewright_engine::{Answer, Context, Engine, Guarantee, Rejected, Unknown, Verdict};

use crate::answer::{AlreadySafe, Evidence, Reason, Repair, Repaired, Request, Want};
use crate::forbid::forbidding;
use crate::repair::{MOST_ALTERNATIVES, Search};

/// The repairs that no remedy can be left out of, cheapest first: one, those of least cost, or all, as wanted.
pub(crate) fn repair<'c>(
    engine: &dyn Engine,
    request: &Request<'_>,
    context: &mut dyn FnMut() -> Context<'c>,
) -> Result<Repair, Rejected> {
    let mut search = Search::new(engine, request, context);
    if let Some(wrong) = search.wrong_under_sc()? {
        return Ok(wrong);
    }
    let mut candidates = BTreeSet::from([(0, Vec::new())]);
    let mut found: Vec<(u64, Vec<usize>)> = Vec::new();
    let mut proof: Option<Answer> = None;
    let mut complete = true;
    while let Some((cost, candidate)) = candidates.pop_first() {
        let enough = match (request.want, found.first()) {
            (_, None) => false,
            (Want::One, Some(_)) => true,
            (Want::AllMinimum, Some((least, _))) => cost > *least,
            (Want::AllMinimal, Some(_)) => false,
        };
        if enough {
            break;
        }
        if found.len() > MOST_ALTERNATIVES {
            complete = false;
            break;
        }
        if found.iter().any(|(_, repair)| is_subset(repair, &candidate)) {
            continue;
        }
        let seen = search.learnt.iter().find(|learnt| !candidate.iter().any(|one| learnt.set.contains(one)));
        if let Some(seen) = seen {
            let larger =
                grown(&candidate, &seen.set).map(|(remedy, larger)| (cost + search.costs[remedy], larger));
            offer(&mut candidates, &found, larger);
            continue;
        }
        search.rounds += 1;
        let program = search.repaired(&candidate);
        let answer = search.ask(&program, request.model)?;
        let trace = match (&answer.verdict, &answer.execution) {
            (Verdict::Holds(Guarantee::Unbounded), _) => {
                found.push((cost, candidate));
                proof.get_or_insert(answer);
                continue;
            }
            (Verdict::Violated(trace), Some(_)) => trace,
            // What the engine cannot decide may be a repair, cheaper than all that follow.
            _ if found.is_empty() => return Ok(search.not_found(candidate, cost, Reason::Unproved(answer))),
            (Verdict::Unknown(Unknown::Stopped { stop: Stop::Cancelled, .. }), _) => {
                complete = false;
                break;
            }
            _ => {
                complete = false;
                continue;
            }
        };
        let learnt = forbidding(request.program, &search.offers, &candidate, trace);
        if learnt.set.is_empty()
            && let Some(execution) = &answer.execution
        {
            let violation = Evidence { program, trace: trace.clone(), execution: execution.clone() };
            return Ok(search.not_found(Vec::new(), 0, Reason::NotRepairable(violation)));
        }
        let larger =
            grown(&candidate, &learnt.set).map(|(remedy, larger)| (cost + search.costs[remedy], larger));
        offer(&mut candidates, &found, larger);
        search.learnt.push(learnt);
    }
    let (Some((cost, chosen)), Some(proof)) = (found.first().cloned(), proof) else {
        unreachable!("internal error: the candidates ended without a repair and without a reason")
    };
    if chosen.is_empty() {
        let unneeded = search.unneeded(request.program)?;
        return Ok(Repair::AlreadySafe(Box::new(AlreadySafe { proof, unneeded })));
    }
    let program = search.repaired(&chosen);
    let rounds = search.rounds;
    let remedies = search.evidence(&chosen)?;
    let unneeded = search.unneeded(&program)?;
    let alternatives = found[1..].iter().map(|(_, repair)| search.remedies(repair)).collect();
    Ok(Repair::Repaired(Box::new(Repaired {
        remedies,
        cost,
        minimum: true,
        avoidance: None,
        program,
        proof,
        alternatives,
        complete,
        unneeded,
        rounds,
    })))
}

/// The candidate with each of the remedies.
fn grown<'a>(
    candidate: &'a [usize],
    remedies: &'a [usize],
) -> impl Iterator<Item = (usize, Vec<usize>)> + 'a {
    remedies.iter().map(|&remedy| {
        let mut larger = candidate.to_vec();
        larger.push(remedy);
        larger.sort_unstable();
        (remedy, larger)
    })
}

/// Keeps those that contain no other candidate and no repair.
fn offer(
    candidates: &mut BTreeSet<(u64, Vec<usize>)>,
    found: &[(u64, Vec<usize>)],
    larger: impl Iterator<Item = (u64, Vec<usize>)>,
) {
    for (cost, larger) in larger {
        let known = found.iter().chain(&*candidates).any(|(_, other)| is_subset(other, &larger));
        if !known {
            candidates.insert((cost, larger));
        }
    }
}

/// Whether all of the first are in the second. Both sorted.
fn is_subset(some: &[usize], all: &[usize]) -> bool {
    let mut all = all.iter();
    some.iter().all(|one| all.any(|other| other == one))
}
