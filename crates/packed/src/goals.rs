//! The states that violate a property, compiled for packed states.

use fencewright_ir::{Forbidden, LocId, Program, Property, Quantifier, ThreadId};

use crate::compile::StateCode;

/// Some forbidden combinations of locations: for each thread and location a set of bits, one for each combination that
/// allows the thread to be there. A state is bad if some combination has its bit in all threads' sets.
#[derive(Debug)]
pub(crate) struct ForbiddenTable {
    pub(crate) sets: Vec<Vec<u64>>,
}

/// A state that violates a property.
#[derive(Debug)]
pub(crate) enum Goal {
    /// The condition does not hold.
    Not(StateCode),
    /// The state is final, satisfies the filter, and the condition has this value.
    Final { condition: StateCode, filter: Option<StateCode>, bad: bool },
}

/// The combinations of locations that the properties forbid.
pub(crate) fn forbidden_tables(program: &Program) -> Vec<ForbiddenTable> {
    let combinations: Vec<&Forbidden> = (program.properties.iter())
        .filter_map(|property| match property {
            Property::Forbidden(forbidden) => Some(forbidden),
            Property::Invariant(_) | Property::Final { .. } | Property::Temporal(_) => None,
        })
        .collect();
    let table = |some: &[&Forbidden]| {
        let set = |thread: ThreadId, loc: LocId| {
            let allows =
                |(bit, forbidden): (usize, &&Forbidden)| u64::from(forbidden.at[thread].contains(loc)) << bit;
            some.iter().enumerate().map(allows).sum()
        };
        let sets = (program.threads.iter_enumerated())
            .map(|(t, thread)| thread.locations.indices().map(|loc| set(t, loc)).collect())
            .collect();
        ForbiddenTable { sets }
    };
    combinations.chunks(64).map(table).collect()
}

/// The states that violate the property, but for what is in [`forbidden_tables`] and what is not about states.
pub(crate) fn goal(property: &Property) -> Option<Goal> {
    match property {
        Property::Forbidden(_) | Property::Temporal(_) => None,
        Property::Invariant(condition) => Some(Goal::Not(StateCode::new(&condition.expr))),
        Property::Final { quantifier, condition, filter, observed: _ } => Some(Goal::Final {
            condition: StateCode::new(&condition.expr),
            filter: filter.as_ref().map(|filter| StateCode::new(&filter.expr)),
            bad: match quantifier {
                Quantifier::Exists | Quantifier::NotExists => true,
                Quantifier::Forall => false,
            },
        }),
    }
}
