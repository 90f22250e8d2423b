//! A way of the labelled abstract machine to a violation on which no enforced order forbids anything.
//!
//! A breadth-first search that leaves out what the orders forbid. Where enough is enforced it sees little more than the
//! states of the repaired program, where little is enforced the first violation is near; so it keeps a fraction of the
//! states of the whole graph ([`orders`](crate::orders)).
//!
//! With PD, a state that another covers is not expanded. That changes no answer: what forbids a move of the coverer, all
//! the orders of its writes, forbids the same move of the covered state, which has some of these writes; so whatever the
//! covered state can do the coverer can. And every state seen is one that the machine reaches under these orders. The whole
//! graph is coarser: there a coverer takes the place of a state even if only the orders that are missing lead to it.

use fencewright_base::Progress;
use fencewright_engine::{Context, Order, Prevention};

use crate::Abstraction;
use crate::labels::Labels;
use crate::prevent::Preventions;
use crate::search::{Ended, OPEN_VALUES, bytes, tell};
use crate::store::Store;
use crate::system::{Move, System, Target, Words};

/// States between two reports of progress.
const REPORT_EVERY: u32 = 4096;

/// What would forbid each move of such a way, in the order of the moves; `None` if there is no way.
pub(crate) fn open_way(
    system: &mut System<'_>,
    abstraction: Abstraction,
    store_store: bool,
    enforced: &mut dyn FnMut(Order) -> bool,
    context: &mut Context<'_>,
) -> Result<Option<Vec<Prevention>>, Ended> {
    system.labels = Some(Labels::new(store_store, system.model));
    let forbidden = Forbidden { preventions: Preventions::default(), known: Vec::new(), enforced };
    let mut search = Search { store: Store::default(), forbidden, transitions: 0 };
    let end = search.run(system, abstraction, context);
    tell(context, abstraction, system, &search.store, search.transitions);
    end
}

struct Search<'e> {
    store: Store,
    forbidden: Forbidden<'e>,
    transitions: u64,
}

impl Search<'_> {
    fn run(
        &mut self,
        system: &mut System<'_>,
        abstraction: Abstraction,
        context: &Context<'_>,
    ) -> Result<Option<Vec<Prevention>>, Ended> {
        context.meter.tick()?;
        let phase = format!("{abstraction}, labelled");
        for (_, words) in system.initial_states(OPEN_VALUES)? {
            if system.is_bad(&words) {
                return Ok(Some(Vec::new()));
            }
            // Which of equal ones is kept does not matter.
            let _ = self.store.insert(system, words, None);
        }
        let mut number = 0;
        while (number as usize) < self.store.len() {
            context.meter.tick()?;
            if number % REPORT_EVERY == 0 {
                let states = self.store.len() as u64;
                let frontier = states - u64::from(number);
                (context.progress)(Progress {
                    phase: &phase,
                    states,
                    frontier,
                    bytes: bytes(&self.store, system),
                });
            }
            if !self.store.is_covered(number)
                && let Some(last) = self.expand(system, number, context)?
            {
                return self.way(system, number, last).map(Some);
            }
            number += 1;
        }
        Ok(None)
    }

    /// What would forbid a move from here to a violation that nothing forbids, if there is one.
    fn expand(
        &mut self,
        system: &mut System<'_>,
        from: u32,
        context: &Context<'_>,
    ) -> Result<Option<u32>, Ended> {
        let words = self.store.words(from).clone();
        for (prevention, target) in self.forbidden.open_moves(system, &words)? {
            self.transitions += 1;
            match target {
                Target::State(next) if !system.is_bad(&next) => {
                    if self.store.insert(system, next, Some(from)).is_ok() {
                        context.meter.store(self.store.len() as u64)?;
                        context.meter.hold(bytes(&self.store, system))?;
                    }
                }
                Target::State(_) | Target::Violation => return Ok(Some(prevention)),
            }
        }
        Ok(None)
    }

    /// What would forbid the moves to the state, and then the last one.
    fn way(&mut self, system: &mut System<'_>, number: u32, last: u32) -> Result<Vec<Prevention>, Ended> {
        let path = self.store.path_to(number);
        let mut way = Vec::with_capacity(path.len());
        for pair in path.windows(2) {
            let (from, to) = (self.store.words(pair[0]), self.store.words(pair[1]));
            let leads = |target: &Target| matches!(target, Target::State(next) if next == to);
            let moves = self.forbidden.open_moves(system, from)?;
            let (prevention, _) = moves
                .into_iter()
                .find(|(_, target)| leads(target))
                .expect("internal error: a state on the path is a successor of the one before");
            way.push(prevention);
        }
        way.push(last);
        let all = self.forbidden.preventions.all();
        Ok(way.into_iter().map(|number| all[number as usize].clone()).collect())
    }
}

/// What the enforced orders forbid.
struct Forbidden<'e> {
    preventions: Preventions,
    /// For those asked about so far, by number.
    known: Vec<bool>,
    enforced: &'e mut dyn FnMut(Order) -> bool,
}

impl Forbidden<'_> {
    /// The moves from the state that are not forbidden: where they lead, and what would forbid them.
    fn open_moves(&mut self, system: &mut System<'_>, state: &Words) -> Result<Vec<(u32, Target)>, Ended> {
        let mut open = Vec::new();
        let mut found = Vec::new();
        for thread in system.program.threads.indices() {
            let location = system.location(state, thread);
            for at in 0..system.outgoing[thread][location].len() {
                let edge = system.outgoing[thread][location][at];
                // Before the step is made: most of what is forbidden need not be looked at.
                let prevention = self.preventions.of_step(system, state, thread, edge);
                if !self.forbids(prevention) {
                    system.steps(state, thread, edge, OPEN_VALUES, &mut found)?;
                    open.extend(found.drain(..).map(|(_, target)| (prevention, target)));
                }
            }
            system.flushes(state, thread, &mut found);
            for (made, target) in found.drain(..) {
                let Move::Flush { entry, .. } = made else { continue };
                let prevention = self.preventions.of_flush(system, thread, entry);
                if !self.forbids(prevention) {
                    open.push((prevention, target));
                }
            }
        }
        Ok(open)
    }

    fn forbids(&mut self, number: u32) -> bool {
        let Self { preventions, known, enforced } = self;
        for prevention in &preventions.all()[known.len()..] {
            known.push(prevention.forbids(enforced));
        }
        known[number as usize]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::hash::BuildHasher;

    use fencewright_base::{Budget, CancelToken, Meter};
    use fencewright_ir::Program;
    use fencewright_memory::Model;
    use fencewright_testkit::generate::{Config, program};
    use foldhash::fast::FixedState;

    use super::*;

    const STATES: usize = 5_000;

    /// Whether the labelled machine reaches a violation by moves that are not forbidden: every state for itself, none
    /// covered by another. `None` if it has too many states.
    fn reaches(system: &mut System<'_>, enforced: &mut dyn FnMut(Order) -> bool) -> Option<bool> {
        let mut preventions = Preventions::default();
        let initial = system.initial_states(OPEN_VALUES).expect("the programs have no open values");
        let mut open: Vec<Words> = initial.into_iter().map(|(_, words)| words).collect();
        let mut seen: HashSet<Words> = open.iter().cloned().collect();
        while let Some(state) = open.pop() {
            if system.is_bad(&state) {
                return Some(true);
            }
            if seen.len() > STATES {
                return None;
            }
            for (made, target) in system.successors(&state, OPEN_VALUES).expect("no open values") {
                let prevention = preventions.of(system, &state, &made);
                if preventions.all()[prevention as usize].forbids(enforced) {
                    continue;
                }
                match target {
                    Target::Violation => return Some(true),
                    Target::State(next) => {
                        if seen.insert(next.clone()) {
                            open.push(next);
                        }
                    }
                }
            }
        }
        Some(false)
    }

    /// The answers of both for some orders, if both have one.
    fn compare(
        program: &Program,
        model: Model,
        abstraction: Abstraction,
        store_store: bool,
        seed: u64,
    ) -> Option<bool> {
        // Orders that look chosen at random: none of them, a third, two thirds, all.
        let mut enforced = |order: Order| FixedState::with_seed(seed).hash_one(order) % 3 < seed % 4;
        let new = || System::new(program, model, abstraction).expect("the model is known");
        let mut system = new();
        system.labels = Some(Labels::new(store_store, model));
        let expected = reaches(&mut system, &mut enforced)?;
        let budget = Budget { time: None, memory: None, states: Some(STATES as u64) };
        let mut context = Context::quiet(Meter::start(budget, CancelToken::new()));
        let way = open_way(&mut new(), abstraction, store_store, &mut enforced, &mut context)
            .expect("it sees no more states than the plain search");
        assert_eq!(way.is_some(), expected, "{} under {model:?} with {abstraction}", program.name);
        assert!(!way.into_iter().flatten().any(|prevention| prevention.forbids(&mut enforced)));
        Some(expected)
    }

    #[test]
    fn a_way_is_found_if_and_only_if_there_is_one() {
        let mut found = [0, 0];
        for seed in 0..200 {
            let program = program(seed, &Config { threads: 2, cells: 2, statements: 3, relaxed: 100 });
            for model in [Model::Tso, Model::Pso] {
                for abstraction in
                    [Abstraction::Fd(0), Abstraction::Fd(1), Abstraction::Pd(0), Abstraction::Pd(1)]
                {
                    for store_store in [false, true] {
                        if let Some(open) = compare(&program, model, abstraction, store_store, seed) {
                            found[usize::from(open)] += 1;
                        }
                    }
                }
            }
        }
        assert!(found.iter().all(|&n| n > 500), "{found:?}");
    }
}
