//! Which fences forbid an execution.
//!
//! A fence allows an execution if the program with the fence has it too; that is found by carrying it out there. What is given
//! back is everything but a set of fences that *together* allow it. That set is the certificate: taking fences away takes no
//! execution away, so with every choice among the allowed ones the program is violated, and every repair has at least one of
//! the others.

use std::collections::{BTreeMap, BTreeSet};

use fencewright_base::Meter;
use fencewright_literal::buffer::Model;
use fencewright_literal::machine::{FenceKind, Settings};
use fencewright_literal::program::Program;

use crate::carry::Carried;
use crate::search::Trace;

/// A fence at a place of the user's text.
pub type Fence = (u32, FenceKind);

/// A set to hit.
#[derive(Debug, Clone)]
pub struct Forbidding {
    /// Every repair has one of these. None of them stands in the program that the execution was found in.
    pub set: Vec<Fence>,
    /// The execution that shows it, of that program.
    pub shown_by: Trace,
}

/// Fences as the machine takes them. A full fence does all that a store-store fence at its place does.
pub fn placed(fences: impl IntoIterator<Item = Fence>) -> BTreeMap<u32, FenceKind> {
    let mut placed = BTreeMap::new();
    for (place, kind) in fences {
        let stands = placed.entry(place).or_insert(kind);
        // The kinds are in order: a full fence is the first and the strongest.
        *stands = kind.min(*stands);
    }
    placed
}

/// The fences that forbid a violation, which was found with the fences of its settings in place. Of the others only those
/// `offered` count. `None` if it cannot be carried out again.
pub fn forbidding(
    program: &Program<'_>,
    found: &Trace,
    offered: &dyn Fn(Fence) -> bool,
    meter: &Meter,
) -> Option<Forbidding> {
    let mut carried = Carried::new(program, found)?;
    carried.hasten(meter);
    let settings = carried.settings().clone();
    let there: Vec<Fence> = settings.fences.iter().map(|(place, kind)| (*place, *kind)).collect();
    let with = |more: &[Fence]| {
        let fences = placed(there.iter().chain(more).copied());
        carried.with(&Settings { fences, ..settings.clone() })
    };
    let shown = with(&[])?;
    let kinds: &[FenceKind] = match settings.model {
        Model::Sc => &[],
        // Writes stay in order by themselves.
        Model::Tso => &[FenceKind::Full],
        Model::Pso => &[FenceKind::Full, FenceKind::StoreStore],
    };
    // A place that is not passed changes nothing.
    let passed: BTreeSet<u32> = shown.passed.into_iter().collect();
    let fences = passed.into_iter().flat_map(|place| kinds.iter().map(move |kind| (place, *kind)));
    let touched: Vec<Fence> = fences
        .filter(|fence| offered(*fence) && settings.fences.get(&fence.0).is_none_or(|kind| fence.1 < *kind))
        .collect();
    let alone: Vec<Fence> = touched.iter().copied().filter(|fence| with(&[*fence]).is_some()).collect();
    let mut allowed = alone.clone();
    if with(&allowed).is_none() {
        allowed = Vec::new();
        for fence in alone {
            allowed.push(fence);
            if with(&allowed).is_none() {
                allowed.pop();
            }
        }
    }
    let set = touched.into_iter().filter(|fence| !allowed.contains(fence)).collect();
    let shown_by = Trace { settings: settings.clone(), actions: shown.actions, violation: shown.violation };
    Some(Forbidding { set, shown_by })
}

/// A violation as one of the program with these fences instead of those it was found with, if that has it.
pub fn with_fences(program: &Program<'_>, found: &Trace, fences: &[Fence]) -> Option<Trace> {
    let carried = Carried::new(program, found)?;
    let settings = Settings { fences: placed(fences.iter().copied()), ..found.settings.clone() };
    let done = carried.with(&settings)?;
    Some(Trace { settings, actions: done.actions, violation: done.violation })
}
