//! Breadth-first search of the abstract machine. It ends with a proof, with a violation that the concrete machine
//! confirms, or with abstract counterexamples that it does not confirm.

use fencewright_base::{Progress, Stop};
use fencewright_engine::Context;
use fencewright_memory::{InitialChoices, Machine, NotEnumerable, Trace};

use crate::Abstraction;
use crate::realise::{Schedule, realise};
use crate::store::Store;
use crate::system::{Move, System, Target, Words};

/// The most initial states, and the most values one `Havoc` may try.
pub(crate) const OPEN_VALUES: usize = 1 << 16;

/// Abstract counterexamples that are tried on the concrete machine before the abstraction is called imprecise.
const ATTEMPTS: usize = 4;

/// States between two reports of progress.
const REPORT_EVERY: u32 = 4096;

/// How a search ended.
#[derive(Debug)]
pub(crate) enum End {
    /// No abstract state is bad; these are all of them.
    Proved(Store),
    /// This execution is.
    Violated(Trace),
    /// An abstract state is bad, and no real one was found.
    Imprecise,
}

/// Why a search did not end.
#[derive(Debug)]
pub(crate) enum Ended {
    Stopped(Stop),
    NotEnumerable,
}

impl From<Stop> for Ended {
    fn from(stop: Stop) -> Self {
        Ended::Stopped(stop)
    }
}

impl From<NotEnumerable> for Ended {
    fn from(NotEnumerable: NotEnumerable) -> Self {
        Ended::NotEnumerable
    }
}

/// Searches everything.
pub(crate) fn search(
    system: &mut System<'_>,
    abstraction: Abstraction,
    machine: &Machine<'_>,
    context: &mut Context<'_>,
) -> Result<End, Ended> {
    let mut search =
        Search { machine, store: Store::default(), initial: Vec::new(), transitions: 0, failed: 0 };
    let end = search.run(system, abstraction, context);
    tell(context, abstraction, system, &search.store, search.transitions);
    Ok(end?.unwrap_or(End::Proved(search.store)))
}

/// What the search of an abstraction cost.
pub(crate) fn tell(
    context: &mut Context<'_>,
    abstraction: Abstraction,
    system: &System<'_>,
    store: &Store,
    transitions: u64,
) {
    let statistics = &mut context.statistics;
    statistics.abstraction = Some(abstraction.to_string());
    statistics.states = store.kept() as u64;
    statistics.transitions = transitions;
    statistics.peak_bytes = statistics.peak_bytes.max(bytes(store, system));
    statistics.state_bytes = system.width() * size_of::<u32>();
}

/// What a search holds: exactly for the states, an estimate for the values and buffers they are made of.
pub(crate) fn bytes(store: &Store, system: &System<'_>) -> u64 {
    store.bytes(system.width()) + system.bytes()
}

struct Search<'m, 'p> {
    machine: &'m Machine<'p>,
    store: Store,
    /// The choices that give the initial states, in the order in which these are stored.
    initial: Vec<InitialChoices>,
    transitions: u64,
    /// Abstract counterexamples that could not be made real.
    failed: usize,
}

impl Search<'_, '_> {
    /// Nothing: no abstract state is bad.
    fn run(
        &mut self,
        system: &mut System<'_>,
        abstraction: Abstraction,
        context: &mut Context<'_>,
    ) -> Result<Option<End>, Ended> {
        context.meter.tick()?;
        let phase = abstraction.to_string();
        for (choices, words) in system.initial_states(OPEN_VALUES)? {
            if let Ok(number) = self.store.insert(system, words, None) {
                self.initial.push(choices);
                if system.is_bad(self.store.words(number))
                    && let Some(end) = self.try_to_realise(system, number, None, context)?
                {
                    return Ok(Some(end));
                }
            }
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
                && let Some(end) = self.expand(system, number, context)?
            {
                return Ok(Some(end));
            }
            number += 1;
        }
        Ok((self.failed > 0).then_some(End::Imprecise))
    }

    fn expand(
        &mut self,
        system: &mut System<'_>,
        number: u32,
        context: &Context<'_>,
    ) -> Result<Option<End>, Ended> {
        let words = self.store.words(number).clone();
        for (made, target) in system.successors(&words, OPEN_VALUES)? {
            self.transitions += 1;
            let end = match target {
                Target::Violation => self.try_to_realise(system, number, Some(made), context)?,
                Target::State(next) => match self.store.insert(system, next, Some(number)) {
                    Ok(next) => {
                        context.meter.store(self.store.len() as u64)?;
                        context.meter.hold(bytes(&self.store, system))?;
                        match system.is_bad(self.store.words(next)) {
                            true => self.try_to_realise(system, next, None, context)?,
                            false => None,
                        }
                    }
                    Err(_) => None,
                },
            };
            if end.is_some() {
                return Ok(end);
            }
        }
        Ok(None)
    }

    /// The path to the state, and then the violating step if there is one, on the concrete machine.
    fn try_to_realise(
        &mut self,
        system: &mut System<'_>,
        number: u32,
        violating: Option<Move>,
        context: &Context<'_>,
    ) -> Result<Option<End>, Ended> {
        let path = self.store.path_to(number);
        let initial = self.initial[path[0] as usize].clone();
        let mut moves = Vec::new();
        for pair in path.windows(2) {
            moves.push(move_between(system, self.store.words(pair[0]), self.store.words(pair[1]))?);
        }
        moves.extend(violating);
        let schedule = Schedule::new(system.program.threads.len(), moves);
        Ok(match realise(self.machine, initial, &schedule, &context.meter)? {
            Some(trace) => Some(End::Violated(trace)),
            None => {
                self.failed += 1;
                (self.failed == ATTEMPTS).then_some(End::Imprecise)
            }
        })
    }
}

/// The move that leads from the one to the other.
fn move_between(system: &mut System<'_>, from: &Words, to: &Words) -> Result<Move, NotEnumerable> {
    let leads = |(_, target): &(Move, Target)| matches!(target, Target::State(next) if next == to);
    let found = system.successors(from, OPEN_VALUES)?.into_iter().find(leads);
    Ok(found.expect("internal error: a state on the path is a successor of the one before").0)
}
