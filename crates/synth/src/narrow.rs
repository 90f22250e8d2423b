//! Smaller sets to hit. An engine that does not look for short executions gives some in which much is reordered that has
//! nothing to do with the violation; each is forbidden by many remedies, and the search tries them one by one. Where that
//! goes on, the engine is asked about the program with most of those remedies in place: a violation that is left is
//! forbidden by the others alone, and if none is left, one of those put in is needed. Halving what is put in, a set to hit
//! is found of which nothing can be left out.

use fencewright_engine::{Rejected, Verdict};

use crate::forbid::{Forbidding, forbidding};
use crate::repair::Search;

/// Candidates tried before sets are made smaller: few repairs need more when executions are short.
const LATE: usize = 12;

/// Sets of at most so many remedies stay as they are.
const SMALL: usize = 3;

/// Most questions for one set.
const QUESTIONS: usize = 40;

impl Search<'_, '_, '_> {
    /// A part of the set that every repair has one of, too.
    pub(crate) fn narrowed(&mut self, mut learnt: Forbidding) -> Result<Forbidding, Rejected> {
        if self.rounds < LATE || learnt.shown_by.is_none() {
            return Ok(learnt);
        }
        let mut needed: Vec<usize> = Vec::new();
        let mut tried = 0;
        while learnt.set.len() > SMALL.max(needed.len()) {
            let mut part: Vec<usize> =
                learnt.set.iter().copied().filter(|remedy| !needed.contains(remedy)).collect();
            part.truncate(part.len().div_ceil(2));
            loop {
                if tried == QUESTIONS {
                    return Ok(learnt);
                }
                tried += 1;
                self.rounds += 1;
                let outside = (0..self.offers.len()).filter(|one| !learnt.set.contains(one));
                let candidate: Vec<usize> = outside.chain(part.iter().copied()).collect();
                let answer = self.ask(&self.repaired(&candidate), self.request.model)?;
                let smaller = match &answer.verdict {
                    Verdict::Violated(trace) => {
                        let found = forbidding(self.request.program, &self.offers, &candidate, trace);
                        Some(found).filter(|found| found.shown_by.is_some() && !found.set.is_empty())
                    }
                    Verdict::Holds(_) | Verdict::Unknown(_) => None,
                };
                match smaller {
                    Some(smaller) => {
                        learnt = smaller;
                        break;
                    }
                    None if part.len() == 1 => {
                        needed.append(&mut part);
                        break;
                    }
                    None => part.truncate(part.len().div_ceil(2)),
                }
            }
            needed.retain(|remedy| learnt.set.contains(remedy));
        }
        Ok(learnt)
    }
}
