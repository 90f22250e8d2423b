//! The program in which a thread arrives at a location that a property names by a step of its own.
//!
//! A write may lead to a location that must not be reached while the write is pending. A fence behind the write keeps
//! the thread from arriving there; but no step of the thread comes after the write that an order could forbid. So for
//! the inference the way there is cut in two: the write, and an empty step that arrives.

use fencewright_ir::{Edge, EdgeId, Location, Op, Program, Step};

use crate::offer::named_locations;

/// The program with a step of its own behind each write that leads to a location that a property names. The new
/// edges stand behind the old ones, which keep their numbers and their sources.
pub(crate) fn with_arrivals(program: &Program) -> Program {
    let named = named_locations(program);
    let mut result = program.clone();
    for t in program.threads.indices() {
        let thread = &mut result.threads[t];
        let named = |edge: &Edge| named.contains(&(t, edge.to));
        let writes = |edge: &Edge| {
            edge.step.lock.is_none() && edge.step.ops.iter().any(|op| matches!(op, Op::Write { .. }))
        };
        let split: Vec<EdgeId> = (thread.edges.iter_enumerated())
            .filter(|(_, edge)| writes(edge) && named(edge))
            .map(|(id, _)| id)
            .collect();
        for id in split {
            let middle = thread.locations.push(Location::default());
            let to = std::mem::replace(&mut thread.edges[id].to, middle);
            let step =
                Step { ops: Default::default(), lock: None, statement: thread.edges[id].step.statement };
            thread.edges.push(Edge { from: middle, to, step });
        }
    }
    result
}
