//! Executions at random, beside the breadth-first search: a violation that lies deep in a large state space is found by whoever
//! goes straight down.
//!
//! They are carried out without the reduction, an instruction at a time, so nothing has to be known of what threads share, and
//! what is found is an execution whatever the search has learnt by then. They show violations only: that there is none is
//! for the search to say. Numbers come from a seed and the work is measured in steps, so a result does not depend on
//! the time.

use std::cmp::Reverse;

use fencewright_base::Meter;
use fencewright_literal::choice::Choices;
use fencewright_literal::machine::{Action, Machine, Notes, Settings};
use fencewright_literal::program::Program;
use fencewright_literal::state::{State, Status};
use fencewright_literal::violation::{Halt, Violation};

use crate::replay::is_stuck;
use crate::search::{Trace, with_choices};
use crate::witness::with_numbers;

/// Steps of the first executions; the bound doubles after some of them, so many times.
const FIRST_LENGTH: usize = 50_000;
const MOST_DOUBLINGS: usize = 3;
/// Actions of the search that pay for as many steps here: they cost more, and most of the time is to be theirs.
const STEPS_FOR_AN_ACTION: u64 = 4;
/// A thread goes on with all but one in so many steps.
const STAYS: [u32; 4] = [8, 2, 64, 1024];
/// One in so many steps is a pending write that reaches memory, if there is one.
const FLUSHES: [u32; 3] = [2, 8, 64];
/// Further executions in which one with fewer changes of threads is looked for.
const IMPROVEMENTS: u32 = 16;
/// Answers that are tried before it is believed that none goes on.
const ANSWERS: u32 = 8;
/// Steps between two questions to the meter.
const BETWEEN_TICKS: usize = 64;

/// Executions at random of one program.
pub(crate) struct Dives<'p, 'm> {
    program: &'p Program<'m>,
    settings: Settings,
    meter: Meter,
    /// Executions so far.
    number: u32,
    /// Actions of the search that have not been paid back.
    credit: u64,
    seen: u64,
}

struct Found {
    actions: Vec<Action>,
    violation: Violation,
}

impl Found {
    /// How often another thread goes on, and how many actions there are.
    fn cost(&self) -> (usize, usize) {
        let changes = self.actions.windows(2).filter(|pair| pair[0].thread() != pair[1].thread()).count();
        (changes, self.actions.len())
    }
}

impl<'p, 'm> Dives<'p, 'm> {
    /// `settings` are those of the search, but for its bound on pending writes.
    pub(crate) fn new(program: &'p Program<'m>, settings: &Settings, buffer: usize, meter: &Meter) -> Self {
        let settings = Settings { reduction: false, buffer, ..settings.clone() };
        Self { program, settings, meter: meter.clone(), number: 0, credit: 0, seen: 0 }
    }

    /// The search begins again: its count of actions does.
    pub(crate) fn search_begins(&mut self) {
        self.seen = 0;
    }

    /// The search has carried out so many actions. A violation, if an execution was due and has one.
    pub(crate) fn beside(&mut self, actions: u64) -> Option<Trace> {
        self.credit += actions - self.seen;
        self.seen = actions;
        let length = self.length();
        if self.credit * STEPS_FOR_AN_ACTION < length as u64 {
            return None;
        }
        self.credit = 0;
        let machine = Machine::new(self.program, self.settings.clone()).ok()?.within(&self.meter);
        let mut best = self.dive(&machine, length)?;
        for _ in 0..IMPROVEMENTS {
            if let Some(found) = self.dive(&machine, best.actions.len())
                && found.cost() < best.cost()
            {
                best = found;
            }
        }
        Some(with_numbers(&machine, best.actions, best.violation))
    }

    fn length(&self) -> usize {
        let rounds = self.number as usize / STAYS.len();
        FIRST_LENGTH << rounds.min(MOST_DOUBLINGS)
    }

    /// One execution.
    fn dive(&mut self, machine: &Machine<'_, '_>, most: usize) -> Option<Found> {
        let number = self.number as usize;
        self.number += 1;
        let style = Style {
            stays: STAYS[number % STAYS.len()],
            flushes: FLUSHES[number / STAYS.len() % FLUSHES.len()],
        };
        let mut random = Random(number as u64);
        let mut state = machine.initial();
        let mut notes = Notes::default();
        let mut actions: Vec<Action> = Vec::new();
        let mut current = 0;
        while actions.len() < most && !machine.is_over(&state) {
            if actions.len().is_multiple_of(BETWEEN_TICKS) && self.meter.tick().is_err() {
                return None;
            }
            let mut open = machine.actions(&state);
            let taken = loop {
                let Some(at) = style.pick(&open, &state, current, &mut random) else { break None };
                let action = open.swap_remove(at);
                match carry_out(machine, &state, &action, &mut random, &mut notes) {
                    Outcome::Goes(next, action) => {
                        state = *next;
                        break Some(action);
                    }
                    Outcome::Violates(violation, action) => {
                        actions.push(action);
                        return Some(Found { actions, violation });
                    }
                    Outcome::Waits => {}
                    Outcome::Ends => return None,
                    Outcome::NothingIsPrivate => {
                        self.settings.private = false;
                        return None;
                    }
                    Outcome::ReuseMatters => {
                        self.settings.reuse = true;
                        return None;
                    }
                }
            };
            let Some(action) = taken else {
                let violation = machine.deadlock(&state).filter(|_| is_stuck(machine, &state))?;
                return Some(Found { actions, violation });
            };
            current = action.thread();
            actions.push(action);
        }
        None
    }
}

enum Outcome {
    Goes(Box<State>, Action),
    Violates(Violation, Action),
    Waits,
    /// The execution is none, or cannot be followed further.
    Ends,
    NothingIsPrivate,
    ReuseMatters,
}

fn carry_out(
    machine: &Machine<'_, '_>,
    state: &State,
    action: &Action,
    random: &mut Random,
    notes: &mut Notes,
) -> Outcome {
    let mut waits = false;
    for _ in 0..ANSWERS {
        let mut choices = Choices::new(&random.answers());
        let mut next = state.clone();
        let result = machine.apply(&mut next, action, &mut choices, notes, None);
        match result {
            Ok(()) => {
                next.trim();
                return Outcome::Goes(Box::new(next), with_choices(action, &choices));
            }
            Err(Halt::Violation(violation)) if machine.settings.checks.contains(&violation.fault.check()) => {
                return Outcome::Violates(*violation, with_choices(action, &choices));
            }
            Err(Halt::Blocked | Halt::Late) => waits = true,
            Err(Halt::Infeasible) => {}
            Err(Halt::NothingIsPrivate) => return Outcome::NothingIsPrivate,
            Err(Halt::ReuseMatters) => return Outcome::ReuseMatters,
            Err(Halt::Violation(_) | Halt::Refused(_) | Halt::Limit(_) | Halt::Stopped(_)) => {
                return Outcome::Ends;
            }
        }
        // Other answers make no difference where nothing was asked.
        if choices.used().is_empty() {
            break;
        }
    }
    if waits { Outcome::Waits } else { Outcome::Ends }
}

/// How an execution goes about it.
struct Style {
    stays: u32,
    flushes: u32,
}

impl Style {
    /// What is tried next.
    fn pick(&self, open: &[Action], state: &State, current: usize, random: &mut Random) -> Option<usize> {
        let places = |wanted: &dyn Fn(&Action) -> bool| -> Vec<usize> {
            (0..open.len()).filter(|at| wanted(&open[*at])).collect()
        };
        let flushes = places(&|action| matches!(action, Action::Flush { .. }));
        if !flushes.is_empty() && random.below(self.flushes) == 0 {
            return Some(flushes[random.below(flushes.len() as u32) as usize]);
        }
        let steps = places(&|action| matches!(action, Action::Step { .. }));
        let is_ready = state.threads[current].status == Status::Ready;
        if is_ready
            && random.below(self.stays) != 0
            && let Some(at) = steps.iter().find(|at| open[**at].thread() == current)
        {
            return Some(*at);
        }
        // Those who wait wake up for no reason, or late, now and then only.
        let wakes = places(&|action| matches!(action, Action::Wake { .. }));
        let mut kinds = [steps, flushes, wakes];
        if random.below(64) == 0 {
            kinds.sort_by_key(|kind| Reverse(kind.len()));
        }
        let kind = kinds.iter().find(|kind| !kind.is_empty())?;
        Some(kind[random.below(kind.len() as u32) as usize])
    }
}

/// Numbers from a seed (splitmix).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `n`, which is not 0.
    fn below(&mut self, n: u32) -> u32 {
        (self.next() % u64::from(n)) as u32
    }

    /// Answers for choices that have few answers, or many.
    fn answers(&mut self) -> [u32; 8] {
        std::array::from_fn(|_| {
            let most = [1, 2, 4, 256][self.below(4) as usize];
            self.below(most)
        })
    }
}
