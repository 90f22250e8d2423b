//! Finds the fences that forbid an execution.
//!
//! A fence allows an execution if the program with the fence still has it; that is found by carrying the execution out there.
//! The result is all fences except a set that *together* allow it. That set is the certificate. Removing fences removes no
//! execution, so every choice among the allowed fences leaves the program violated, and every repair has one of the others.

use std::collections::{BTreeMap, BTreeSet};

use fencewright_base::Meter;
use fencewright_literal::buffer::Model;
use fencewright_literal::machine::{FenceKind, Settings};
use fencewright_literal::program::Program;

use crate::carry::Carried;
use crate::search::Trace;

/// A fence at a site of the user's text.
pub type Fence = (u32, FenceKind);

/// A set that every repair must hit.
#[derive(Debug, Clone)]
pub struct Forbidding {
    /// Every repair has one of these. None of them is in the program that the execution was found in.
    pub set: Vec<Fence>,
    /// The execution that shows it, with the fences it was found with.
    pub shown_by: Trace,
}

/// Fences as the machine takes them. A full fence includes the store-store fence at its site.
pub fn placed(fences: impl IntoIterator<Item = Fence>) -> BTreeMap<u32, FenceKind> {
    let mut placed = BTreeMap::new();
    for (place, kind) in fences {
        let stands = placed.entry(place).or_insert(kind);
        // The kinds are ordered: a full fence is the first and the strongest.
        *stands = kind.min(*stands);
    }
    placed
}

/// The fences that forbid a violation, which was found with the fences of its settings. Of the others, only those `offered` are
/// considered. `None` if the violation cannot be carried out again.
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
        // Writes are already in order.
        Model::Tso => &[FenceKind::Full],
        Model::Pso => &[FenceKind::Full, FenceKind::StoreStore],
    };
    // A fence at a site that is not passed has no effect.
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

/// A violation with these fences instead of those it was found with, if the program with them has it.
pub fn with_fences(program: &Program<'_>, found: &Trace, fences: &[Fence]) -> Option<Trace> {
    let carried = Carried::new(program, found)?;
    let settings = Settings { fences: placed(fences.iter().copied()), ..found.settings.clone() };
    let done = carried.with(&settings)?;
    Some(Trace { settings, actions: done.actions, violation: done.violation })
}
