//! Invisible steps: a thread that stands before nothing else makes them at once, and the states between are not given.

use smallvec::SmallVec;

use crate::compile::CompiledEdge;
use crate::step::{Halt, Interrupt, PackedSystem, Worker};
use crate::trail::{Sink, Trail};

impl PackedSystem<'_> {
    /// Lets the thread make its invisible steps, as long as it stands before nothing else, and gives where it rests.
    #[inline(always)]
    pub(crate) fn settle<const W: usize, T: Trail>(
        &self,
        worker: &mut Worker<'_>,
        t: usize,
        state: &[u64; W],
        trail: T,
        sink: &mut impl Sink<W, T>,
    ) -> Result<(), Interrupt> {
        let thread = &self.compiled.threads[t];
        if thread.locations[thread.location.get(state) as usize].first {
            self.settle_on(worker, t, *state, trail, sink)
        } else {
            sink.state(state, trail);
            Ok(())
        }
    }

    /// As `settle`, from a state whose thread may have to go on.
    fn settle_on<const W: usize, T: Trail>(
        &self,
        worker: &mut Worker<'_>,
        t: usize,
        mut state: [u64; W],
        mut trail: T,
        sink: &mut impl Sink<W, T>,
    ) -> Result<(), Interrupt> {
        let thread = &self.compiled.threads[t];
        loop {
            let location = &thread.locations[thread.location.get(&state) as usize];
            if !location.first {
                break;
            }
            let Ok(edges) = self.possible(worker, thread, location, &state) else {
                trail.step(t, &location.edges[0], 0);
                sink.violation(trail);
                return Ok(());
            };
            let [edge @ CompiledEdge { choices: 1, .. }] = edges else {
                return self.settle_fork(worker, t, edges, &state, trail, sink);
            };
            let mut next = state;
            match self.take(worker, t, thread, edge, 0, &mut next) {
                Ok(()) => {
                    trail.step(t, edge, 0);
                    state = next;
                }
                // Stuck for good, or until enough of its own writes are flushed.
                Err(Halt::Blocked | Halt::Waits) => break,
                Err(Halt::Violates | Halt::Faults) => {
                    trail.step(t, edge, 0);
                    sink.violation(trail);
                    return Ok(());
                }
                Err(Halt::Interrupt(interrupt)) => return Err(interrupt),
            }
        }
        sink.state(&state, trail);
        Ok(())
    }

    /// As `settle_on`, where there are several ways to go on.
    fn settle_fork<const W: usize, T: Trail>(
        &self,
        worker: &mut Worker<'_>,
        t: usize,
        edges: &[CompiledEdge],
        state: &[u64; W],
        trail: T,
        sink: &mut impl Sink<W, T>,
    ) -> Result<(), Interrupt> {
        let thread = &self.compiled.threads[t];
        let mut next_states: SmallVec<[([u64; W], T); 4]> = SmallVec::new();
        let mut violations: SmallVec<[T; 1]> = SmallVec::new();
        for edge in edges {
            for choice in 0..edge.choices {
                let mut next = *state;
                let result = self.take(worker, t, thread, edge, choice, &mut next);
                let extended = || {
                    let mut trail = trail.clone();
                    trail.step(t, edge, choice);
                    trail
                };
                match result {
                    Ok(()) => next_states.push((next, extended())),
                    Err(Halt::Blocked) => {}
                    Err(Halt::Violates | Halt::Faults) => violations.push(extended()),
                    Err(Halt::Interrupt(interrupt)) => return Err(interrupt),
                    Err(Halt::Waits) => {
                        // It may be enabled later, so nothing may be decided yet.
                        sink.state(state, trail);
                        return Ok(());
                    }
                }
            }
        }
        if next_states.is_empty() && violations.is_empty() {
            sink.state(state, trail);
        }
        for trail in violations {
            sink.violation(trail);
        }
        for (next, trail) in next_states {
            self.settle_on(worker, t, next, trail, sink)?;
        }
        Ok(())
    }
}
