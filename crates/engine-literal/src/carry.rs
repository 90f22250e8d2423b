//! Carries an execution over to the program with other fences at its sites, with every write flushed as early as possible.
//!
//! Fences change when a thread acts, not what it does. So the same actions are tried in the same order. A flush is identified
//! by its target, because its position in the buffer depends on what else is pending. Writes to one target are flushed in
//! order, so the target is enough. The program with the other fences has the execution if all actions can be carried out.

use fencewright_base::Meter;
use fencewright_literal::buffer::Write;
use fencewright_literal::choice::Choices;
use fencewright_literal::event::{Event, What};
use fencewright_literal::footprint::Footprints;
use fencewright_literal::machine::{Action, Machine, Notes, Settings};
use fencewright_literal::program::Program;
use fencewright_literal::state::State;
use fencewright_literal::value::ObjectId;
use fencewright_literal::violation::{Halt, Violation};

use crate::replay::is_stuck;
use crate::search::Trace;

/// The target of a pending write.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
struct Target {
    object: ObjectId,
    offset: u64,
    size: u32,
}

impl Target {
    fn of(write: &Write) -> Self {
        Self { object: write.object, offset: write.offset, size: write.size }
    }
}

/// An action that makes sense with other fences, too.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Move {
    Acts(Action),
    /// The thread's oldest pending write to this target reaches memory. The numbers answer the choices that follow.
    Flushes(usize, Target, Vec<u32>),
}

impl Move {
    fn flushes(&self, thread: usize, target: Target) -> bool {
        matches!(self, Move::Flushes(of, to, _) if (*of, *to) == (thread, target))
    }
}

/// A violating execution to try with other fences.
pub(crate) struct Carried<'p, 'm> {
    program: &'p Program<'m>,
    settings: Settings,
    moves: Vec<Move>,
}

/// An execution that was carried out.
pub(crate) struct Done {
    pub(crate) actions: Vec<Action>,
    pub(crate) violation: Violation,
    /// The sites that were passed, once per pass.
    pub(crate) passed: Vec<u32>,
}

impl<'p, 'm> Carried<'p, 'm> {
    /// The execution as it was found. `None` if it cannot be carried out: then the search that found it is wrong.
    pub(crate) fn new(program: &'p Program<'m>, trace: &Trace) -> Option<Self> {
        let machine = Machine::new(program, trace.settings.clone()).ok()?;
        let mut state = machine.initial();
        let mut moves = Vec::new();
        for (number, action) in trace.actions.iter().enumerate() {
            moves.push(match action {
                Action::Flush { thread, place, choices } => {
                    let buffer = &state.threads.get(*thread)?.buffer;
                    let (_, write) = buffer.writes().find(|(at, _)| at == place)?;
                    Move::Flushes(*thread, Target::of(write), choices.to_vec())
                }
                other => Move::Acts(other.clone()),
            });
            match apply(&machine, &mut state, action, None) {
                Ok(()) => state.trim(),
                Err(Halt::Violation(_)) if number + 1 == trace.actions.len() => {}
                Err(_) => return None,
            }
        }
        Some(Self { program, settings: trace.settings.clone(), moves })
    }

    /// The execution with the fences of these settings, if the program with them has it.
    pub(crate) fn with(&self, settings: &Settings) -> Option<Done> {
        let machine = Machine::new(self.program, settings.clone()).ok()?;
        let mut events = Vec::new();
        let (actions, violation) = run(&machine, machine.initial(), &self.moves, Some(&mut events))?;
        let passed = events.iter().filter_map(|event| match event.what {
            What::Passes(place) => Some(place),
            _ => None,
        });
        Some(Done { actions, violation, passed: passed.collect() })
    }

    /// The settings it was found with.
    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Flushes every write as early as the violation allows, so that a write still pending at a site has to be. Stops early if
    /// the meter does.
    pub(crate) fn hasten(&mut self, meter: &Meter) {
        let Ok(machine) = Machine::new(self.program, self.settings.clone()) else { return };
        let mut state = machine.initial();
        let mut at = 0;
        // A write that could not be flushed can only become flushable after another thread has acted.
        let mut tried: Vec<(usize, Target)> = Vec::new();
        while at < self.moves.len() {
            let mut ready = Vec::new();
            for (thread, of) in state.threads.iter().enumerate() {
                let places = of.buffer.ready(self.settings.model);
                let may_leave = |(place, write): &(usize, &Write)| {
                    // A write to an object that no other thread knows may be flushed at any time.
                    let object = state.object(write.object);
                    places.contains(place) && object.is_none_or(|object| object.shared || object.ended)
                };
                ready.extend(
                    of.buffer.writes().filter(may_leave).map(|(_, write)| (thread, Target::of(write))),
                );
            }
            let next = self.moves[at].clone();
            let mut hastened = None;
            for (thread, target) in ready {
                if next.flushes(thread, target) || tried.contains(&(thread, target)) {
                    continue;
                }
                if meter.tick().is_err() {
                    return;
                }
                let mut rest = self.moves[at..].to_vec();
                if let Some(later) = rest.iter().position(|other| other.flushes(thread, target)) {
                    rest.remove(later);
                }
                rest.insert(0, Move::Flushes(thread, target, Vec::new()));
                if run(&machine, state.clone(), &rest, None).is_some() {
                    hastened = Some(rest);
                    break;
                }
                tried.push((thread, target));
            }
            if let Some(rest) = hastened {
                self.moves.splice(at.., rest);
            }
            let Some(action) = action_of(&machine, &state, &self.moves[at]) else { return };
            let actor = action.thread();
            tried.retain(|&(thread, target)| thread == actor && !self.moves[at].flushes(thread, target));
            if apply(&machine, &mut state, &action, None).is_err() {
                return;
            }
            state.trim();
            at += 1;
        }
    }
}

/// The action of a move in a state.
fn action_of(machine: &Machine<'_, '_>, state: &State, one: &Move) -> Option<Action> {
    match one {
        Move::Acts(action) => Some(action.clone()),
        Move::Flushes(thread, target, choices) => {
            let buffer = &state.threads.get(*thread)?.buffer;
            let ready = buffer.ready(machine.settings.model);
            let (place, _) = buffer
                .writes()
                .find(|(place, write)| ready.contains(place) && Target::of(write) == *target)?;
            Some(Action::Flush { thread: *thread, place, choices: choices.iter().copied().collect() })
        }
    }
}

/// Carries out moves. `None` if one is impossible, or if they do not end in a violation of a check that is on.
fn run(
    machine: &Machine<'_, '_>,
    mut state: State,
    moves: &[Move],
    mut events: Option<&mut Vec<Event>>,
) -> Option<(Vec<Action>, Violation)> {
    let mut actions = Vec::with_capacity(moves.len());
    for (number, one) in moves.iter().enumerate() {
        let action = action_of(machine, &state, one)?;
        if action.thread() >= state.threads.len() {
            return None;
        }
        let result = apply(machine, &mut state, &action, events.as_deref_mut());
        actions.push(action);
        match result {
            Ok(()) => state.trim(),
            Err(Halt::Violation(violation))
                if number + 1 == moves.len()
                    && machine.settings.checks.contains(&violation.fault.check()) =>
            {
                return Some((actions, *violation));
            }
            Err(_) => return None,
        }
    }
    let violation = machine.deadlock(&state).filter(|_| is_stuck(machine, &state))?;
    Some((actions, violation))
}

fn apply(
    machine: &Machine<'_, '_>,
    state: &mut State,
    action: &Action,
    events: Option<&mut Vec<Event>>,
) -> Result<(), Halt> {
    let mut choices = Choices::new(action.choices());
    let footprints = Footprints::new(machine.settings.contested.clone());
    let mut notes = Notes { footprints, ..Notes::default() };
    machine.apply(state, action, &mut choices, &mut notes, events)
}
