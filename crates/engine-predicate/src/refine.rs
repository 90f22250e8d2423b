//! Predicates that exclude a path (SAS 2012, section 7, case 4): Craig interpolants along it.
//!
//! The zones that hold exactly along an infeasible path are an inductive sequence of interpolants already, but far too
//! strong: they tell the very numbers. Going backward from where the path breaks, everything is dropped from a zone that
//! is not needed for the interpolant behind it; and of what remains, each bound is made as weak as a predicate that is
//! known already, if that is enough. Dropped first is what is least likely to be an invariant: numbers that the program
//! does not mention.

use std::collections::BTreeSet;

use fencewright_base::{Meter, Stop};

use crate::known::zone_after;
use crate::precision::Precision;
use crate::system::Move;
use crate::zone::{Bound, Empty, Zone};

/// Why a path gave no new predicates.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(crate) enum NoPredicates {
    /// As far as zones can tell, the path is feasible.
    Feasible,
    /// All predicates were known.
    Nothing,
    /// The budget ended.
    Stopped(Stop),
}

/// Adds predicates that exclude the path.
pub(crate) fn refine(
    path: &[Move],
    constants: &BTreeSet<i64>,
    precision: &mut Precision,
    meter: &Meter,
) -> Result<(), NoPredicates> {
    let mut zones = vec![Zone::anything(0)];
    for made in path {
        match zone_after(made, zones.last().expect("one is there")) {
            Ok(zone) => zones.push(zone),
            Err(Empty) => break,
        }
    }
    if zones.len() > path.len() {
        return Err(NoPredicates::Feasible);
    }
    let mut found = Vec::new();
    // What must follow from the interpolant that is sought; `None`: that the move is impossible.
    let mut goal: Option<Vec<Bound>> = None;
    for (made, zone) in path.iter().zip(&zones).rev() {
        let interpolant = weakest(made, zone, goal.as_deref(), (constants, precision), meter)
            .map_err(NoPredicates::Stopped)?;
        found.extend(interpolant.iter().copied());
        goal = Some(interpolant);
    }
    let mut is_new = false;
    for bound in found {
        is_new |= precision.add(bound);
    }
    if is_new { Ok(()) } else { Err(NoPredicates::Nothing) }
}

/// Bounds that follow from the zone and are enough for the goal behind the move.
fn weakest(
    made: &Move,
    zone: &Zone,
    goal: Option<&[Bound]>,
    (constants, precision): (&BTreeSet<i64>, &Precision),
    meter: &Meter,
) -> Result<Vec<Bound>, Stop> {
    let enough = |bounds: &[Bound]| {
        // Weaker than a zone that has a solution; if it had none, anything would follow.
        let Ok(zone) = Zone::of(zone.n_vars(), bounds.iter().copied()) else { return true };
        match (zone_after(made, &zone), goal) {
            (Err(Empty), _) => true,
            (Ok(_), None) => false,
            (Ok(image), Some(goal)) => goal.iter().all(|&bound| image.implies(bound)),
        }
    };
    let mut kept: Vec<Bound> = zone.all().collect();
    kept.sort_by_key(|bound| (worth(bound, constants, precision), *bound));
    let mut position = 0;
    while position < kept.len() {
        meter.tick()?;
        let tried = kept.remove(position);
        if !enough(&kept) {
            kept.insert(position, tried);
            position += 1;
        }
    }
    for position in 0..kept.len() {
        meter.tick()?;
        let exact = kept[position];
        for weaker in precision.weaker(exact).chain(simple(exact)) {
            kept[position] = weaker;
            if enough(&kept) {
                break;
            }
            kept[position] = exact;
        }
    }
    Ok(kept)
}

/// How much a bound looks like something that stays true. More is better; a number of one variable that the program does
/// not mention is how far some counter happened to get.
fn worth(bound: &Bound, constants: &BTreeSet<i64>, precision: &Precision) -> u8 {
    let single = bound.left == 0 || bound.right == 0;
    let mentioned =
        |by: i64| constants.contains(&(bound.bound + by)) || constants.contains(&(by - bound.bound));
    let known = precision.contains(*bound);
    match (single, mentioned(0), bound.bound) {
        (true, false, _) => u8::from(known),
        _ if known => 6,
        (true, true, _) => 5,
        (false, _, -1 | 0) => 4,
        (false, true, _) => 3,
        // A bound and its strict form differ by one.
        (false, false, _) => 2 + u8::from(mentioned(1) || mentioned(-1)),
    }
}

/// Weaker bounds that are worth a try: the usual orders.
fn simple(bound: Bound) -> impl Iterator<Item = Bound> {
    [0, -1]
        .into_iter()
        .filter(move |&constant| constant > bound.bound)
        .map(move |constant| Bound { bound: constant, ..bound })
}
