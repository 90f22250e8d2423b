//! Where a fence can be written, and which places of the automata that changes.

use crate::{EdgeId, LocId, Program, StatementId, ThreadId};

/// On which side of a statement.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Just before it, behind its label: whoever jumps to the statement passes the fence.
    Before,
    /// Just behind it: whoever has executed the statement passes the fence next.
    After,
}

/// A position in the user's text at which a fence can be written. It is written once and costs once, however many
/// threads run through it.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    /// The statement.
    pub statement: StatementId,
    /// The side of it.
    pub side: Side,
}

/// A place of one thread's automaton that a site stands for.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// At the source of the statement's edges from this location.
    Before(ThreadId, LocId),
    /// Behind this edge.
    After(ThreadId, EdgeId),
}

/// All sites of a program, in the order of its statements.
pub fn sites(program: &Program) -> Vec<Site> {
    let mut used = vec![false; program.statements.len()];
    for edge in program.threads.iter().flat_map(|thread| &thread.edges) {
        used[edge.step.statement.0 as usize] = true;
    }
    program
        .statements
        .iter_enumerated()
        .filter(|(id, _)| used[id.0 as usize])
        .flat_map(|(id, statement)| {
            let before = statement.fence_before.then_some(Site { statement: id, side: Side::Before });
            let after = statement.fence_after.then_some(Site { statement: id, side: Side::After });
            before.into_iter().chain(after)
        })
        .collect()
}

impl Site {
    /// The places of all threads that this site stands for.
    pub fn places(self, program: &Program) -> Vec<Place> {
        let mut places = Vec::new();
        for (thread_id, thread) in program.threads.iter_enumerated() {
            for (edge_id, edge) in thread.edges.iter_enumerated() {
                if edge.step.statement == self.statement {
                    places.push(match self.side {
                        Side::Before => Place::Before(thread_id, edge.from),
                        Side::After => Place::After(thread_id, edge_id),
                    });
                }
            }
        }
        places.sort();
        places.dedup();
        places
    }
}
