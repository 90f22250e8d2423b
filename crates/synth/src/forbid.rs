//! Which remedies forbid an execution.
//!
//! A remedy allows an execution if the program with the remedy has it too; that is found by running it there. What is
//! given back is everything but a set of remedies that *together* allow it. That set is the certificate: taking
//! remedies away from a program takes no execution away, so every choice among the allowed remedies is violated, and
//! every repair has at least one of the others.

use fencewright_ir::Program;
use fencewright_ir::edit::{self, Remedy};
use fencewright_memory::{Trace, replay};

use crate::{carry, order};

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

fn certified(program: &Program, offers: &[Remedy], candidate: &[usize], found: &Trace) -> Option<Forbidding> {
    let chosen: Vec<Remedy> = candidate.iter().map(|&i| offers[i]).collect();
    let plain = carry::without_remedies(program, &edit::apply(program, &chosen), found)?;
    let as_found = replay(program, &plain).ok().filter(|execution| execution.violation.is_some())?;
    let normal = order::normal_form(program, &plain, &as_found);
    // The candidate allows the execution as found, so it should in normal form; if not, the normal form is no good.
    for (trace, execution) in [normal, (plain, as_found)] {
        let allows = |remedies: &[usize]| {
            let remedies: Vec<Remedy> = remedies.iter().map(|&i| offers[i]).collect();
            carry::with_remedies(program, &edit::apply(program, &remedies), &trace, &execution).is_some()
        };
        if !allows(candidate) {
            continue;
        }
        // What is at statements that are not executed changes nothing.
        let passed = carry::passed(program, &execution);
        let touched: Vec<usize> =
            (0..offers.len()).filter(|i| !candidate.contains(i) && passed.by(offers[*i])).collect();
        let alone: Vec<usize> = touched.iter().copied().filter(|&i| allows(&[i])).collect();
        let mut allowed = [candidate, &alone].concat();
        if !allows(&allowed) {
            allowed = candidate.to_vec();
            for i in alone {
                allowed.push(i);
                if !allows(&allowed) {
                    allowed.pop();
                }
            }
        }
        let set = touched.into_iter().filter(|i| !allowed.contains(i)).collect();
        return Some(Forbidding { set, shown_by: Some(trace) });
    }
    None
}
