//! Which remedies forbid an execution.
//!
//! A remedy allows an execution if the program with the remedy has it too; that is found by running it there. What is
//! given back is everything but a set of remedies that *together* allow it. That set is the certificate: taking
//! remedies away from a program takes no execution away, so every choice among the allowed remedies is violated, and
//! every repair has at least one of the others.
//!
//! Of an execution that never ends that is only so for remedies that no temporal property can see (`sight`). For each
//! choice among those that one may see, the execution is run with that choice: it must be a violation every time.

use fencewright_base::Meter;
use fencewright_ir::Program;
use fencewright_ir::edit::{self, Remedy};
use fencewright_memory::{Execution, Trace, replay};

use crate::sight::Sight;
use crate::{carry, hasten, order};

/// Most remedies that a property may see and that are still allowed together: each of their choices is tried.
const MOST_SEEN: u32 = 6;

/// A set to hit.
#[derive(Debug, Clone)]
pub(crate) struct Forbidding {
    /// The remedies, by their numbers, of which every repair has one.
    pub(crate) set: Vec<usize>,
    /// The execution of the original program that shows it; `None` if the set is a guess.
    pub(crate) shown_by: Option<Trace>,
}

/// The set to hit that a violation of the program with the candidate in place gives. No element of the candidate is in
/// it.
pub(crate) fn forbidding(
    program: &Program,
    offers: &[Remedy],
    candidate: &[usize],
    found: &Trace,
) -> Forbidding {
    certified(program, offers, candidate, found).unwrap_or_else(|| Forbidding {
        set: (0..offers.len()).filter(|i| !candidate.contains(i)).collect(),
        shown_by: None,
    })
}

/// The first of the remedies with which the program does not have the execution, a violation of it as it is. The execution is
/// run in normal form, so that a remedy counts only if it forbids what the violation needs. None when the meter stops.
pub fn first_that_forbids(
    program: &Program,
    found: &Trace,
    remedies: &[Remedy],
    meter: &Meter,
) -> Option<Remedy> {
    let as_found = replay(program, found).ok().filter(|execution| execution.violation.is_some())?;
    let sight = found.repeats_from.map(|_| Sight::new(program));
    let (trace, execution) = normal_form(program, found, &as_found);
    let run = Runs { program, offers: remedies, trace: &trace, execution: &execution, sight: sight.as_ref() };
    if !run.allows(&[]) {
        return None;
    }
    let passed = carry::passed(program, &execution);
    for (number, &remedy) in remedies.iter().enumerate() {
        meter.tick().ok()?;
        // What is at statements that are not executed changes nothing.
        if passed.by(remedy) && !run.allows(&[number]) {
            return Some(remedy);
        }
    }
    None
}

fn normal_form(program: &Program, trace: &Trace, execution: &Execution) -> (Trace, Execution) {
    match trace.repeats_from {
        None => order::normal_form(program, trace, execution),
        Some(from) => hasten::normal_form(program, trace, execution, from),
    }
}

fn certified(program: &Program, offers: &[Remedy], candidate: &[usize], found: &Trace) -> Option<Forbidding> {
    let chosen: Vec<Remedy> = candidate.iter().map(|&i| offers[i]).collect();
    let plain = carry::without_remedies(program, &edit::apply(program, &chosen), found)?;
    let as_found = replay(program, &plain).ok().filter(|execution| execution.violation.is_some())?;
    let normal = normal_form(program, &plain, &as_found);
    let sight = found.repeats_from.map(|_| Sight::new(program));
    // The candidate allows the execution as found, so it should in normal form; if not, the normal form is no good.
    for (trace, execution) in [normal, (plain, as_found)] {
        let run = Runs { program, offers, trace: &trace, execution: &execution, sight: sight.as_ref() };
        if !run.allow_all_of(candidate) {
            continue;
        }
        // What is at statements that are not executed changes nothing.
        let passed = carry::passed(program, &execution);
        let touched: Vec<usize> =
            (0..offers.len()).filter(|i| !candidate.contains(i) && passed.by(offers[*i])).collect();
        let alone: Vec<usize> = touched.iter().copied().filter(|&i| run.allows(&[i])).collect();
        let mut allowed = [candidate, &alone].concat();
        if !run.allow_all_of(&allowed) {
            allowed = candidate.to_vec();
            for i in alone {
                allowed.push(i);
                if !run.allow_all_of(&allowed) {
                    allowed.pop();
                }
            }
        }
        let set = touched.into_iter().filter(|i| !allowed.contains(i)).collect();
        return Some(Forbidding { set, shown_by: Some(trace) });
    }
    None
}

/// The execution, run with remedies.
struct Runs<'a> {
    program: &'a Program,
    offers: &'a [Remedy],
    trace: &'a Trace,
    execution: &'a Execution,
    /// What temporal properties see, if the execution never ends.
    sight: Option<&'a Sight<'a>>,
}

impl Runs<'_> {
    /// Whether the program with these remedies has the execution.
    fn allows(&self, remedies: &[usize]) -> bool {
        let remedies: Vec<Remedy> = remedies.iter().map(|&i| self.offers[i]).collect();
        let repaired = edit::apply(self.program, &remedies);
        carry::with_remedies(self.program, &repaired, self.trace, self.execution).is_some()
    }

    /// Whether the program with any choice among these remedies has the execution, or one that differs from it in
    /// nothing that matters.
    fn allow_all_of(&self, remedies: &[usize]) -> bool {
        let seen = |i: &usize| self.sight.is_some_and(|sight| sight.sees(self.offers[*i]));
        let (seen, unseen): (Vec<usize>, Vec<usize>) = remedies.iter().copied().partition(seen);
        if seen.len() as u32 > MOST_SEEN {
            return false;
        }
        // All of them first: that is the choice that fails most often.
        (0..1_u32 << seen.len()).rev().all(|choice| {
            let chosen = seen.iter().enumerate().filter(|(nth, _)| choice >> nth & 1 == 1);
            let together: Vec<usize> = unseen.iter().copied().chain(chosen.map(|(_, &i)| i)).collect();
            self.allows(&together)
        })
    }
}
