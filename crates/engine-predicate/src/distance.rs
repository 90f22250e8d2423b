//! How far a violation is at least: for each thread the fewest steps to where it must not stand together with the others.
//!
//! A search that goes by what a state is away from the start and from a violation meets the violation long before one in
//! breadth does, and hardly ever by a longer path. Where nothing is violated it visits the same states.

use std::collections::VecDeque;

use fencewright_base::{Index, IndexVec};
use fencewright_ir::{LocId, LocationSet, Program, Property, Thread, ThreadId};

/// A distance of which nothing leads there. Sums of these do not overflow.
const NEVER: u32 = 1 << 20;

/// For each forbidden combination, each thread and each location the fewest steps to the combination.
pub(crate) struct Distances(Vec<IndexVec<ThreadId, IndexVec<LocId, u32>>>);

impl Distances {
    pub(crate) fn new(program: &Program) -> Self {
        let forbidden = program.properties.iter().filter_map(|property| match property {
            Property::Forbidden(forbidden) => Some(forbidden),
            Property::Invariant(_) | Property::Final { .. } | Property::Temporal(_) => None,
        });
        let of = |(t, thread): (ThreadId, &Thread), at: &IndexVec<ThreadId, LocationSet>| to(thread, &at[t]);
        Self(
            forbidden
                .map(|bad| program.threads.iter_enumerated().map(|thread| of(thread, &bad.at)).collect())
                .collect(),
        )
    }

    /// From where the threads stand; 0 if only values tell what a violation is.
    pub(crate) fn from(&self, locations: &[LocId]) -> u32 {
        let sum = |of: &IndexVec<ThreadId, IndexVec<LocId, u32>>| {
            locations.iter().enumerate().map(|(t, loc)| of[ThreadId::new(t)][*loc]).sum()
        };
        self.0.iter().map(sum).min().unwrap_or(0)
    }
}

fn to(thread: &Thread, bad: &LocationSet) -> IndexVec<LocId, u32> {
    let mut distance: IndexVec<LocId, u32> = thread.locations.iter().map(|_| NEVER).collect();
    let mut next: VecDeque<LocId> = thread.locations.indices().filter(|&loc| bad.contains(loc)).collect();
    next.iter().for_each(|&loc| distance[loc] = 0);
    while let Some(loc) = next.pop_front() {
        for edge in thread.edges.iter().filter(|edge| edge.to == loc) {
            if distance[edge.from] == NEVER {
                distance[edge.from] = distance[loc] + 1;
                next.push_back(edge.from);
            }
        }
    }
    distance
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencewright_testkit::toy::Toy;

    /// Two steps to the end of a line; nothing leads back.
    #[test]
    fn distances_are_counted_against_the_steps() {
        let mut p = Toy::new("line");
        let [x] = p.vars(["x"]);
        p.thread(|t| {
            t.write(x, 1);
            t.write(x, 2);
        });
        let program = p.finish();
        let thread = &program.threads[ThreadId::new(0)];
        let ends = |loc: LocId| LocationSet::OneOf([loc].into_iter().collect());
        let distances = |loc| to(thread, &ends(loc)).iter().copied().collect::<Vec<u32>>();
        assert_eq!(distances(LocId::new(2)), [2, 1, 0]);
        assert_eq!(distances(LocId::new(1)), [1, 0, NEVER]);
    }
}
