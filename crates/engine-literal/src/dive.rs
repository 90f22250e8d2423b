//! Random executions beside the breadth-first search. They find violations that lie deep in a large state space. These are
//! random walks with a bias towards few thread switches.
//!
//! They run without the reduction, one instruction at a time, so they do not depend on which bytes are known to be contested,
//! and what they find is a real execution. They only show violations; the absence of violations is for the search to prove.
//! Random numbers come from a seed, and work is measured in steps, so results do not depend on time.

use std::cmp::Reverse;
use std::rc::Rc;

use fencewright_base::Meter;
use fencewright_literal::choice::Choices;
use fencewright_literal::machine::{Action, Machine, Notes, Settings};
use fencewright_literal::program::Program;
use fencewright_literal::state::{State, Status};
use fencewright_literal::violation::{Halt, Violation};

use crate::replay::is_stuck;
use crate::search::{Trace, with_choices};
use crate::witness::with_numbers;

/// The length of the first executions. It doubles after each round of styles, at most so many times.
const FIRST_LENGTH: usize = 50_000;
const MOST_DOUBLINGS: usize = 3;
/// Steps here per action of the search. An action costs more than a step, and the search gets most of the time.
const STEPS_FOR_AN_ACTION: u64 = 4;
/// One step in so many picks a thread anew; in the others the current thread continues.
const STAYS: [u32; 5] = [8, 2, 64, 1024, BEFORE_SYNCHRONISATION];
/// One style switches threads half of the times when the current one is about to synchronise, and once in so many steps
/// otherwise. Threads then stop between two locks, however long the rest of the program is.
const BEFORE_SYNCHRONISATION: u32 = 4096;
/// Exponents of the weights with which that style picks threads. Each execution has its own fast and slow threads.
const SPEEDS: [u32; 4] = [0, 0, 3, 6];
/// The least cost of an execution, in steps.
const LEAST_OWED: u64 = 4_000;
/// One step in so many is a flush, if a write is pending.
const FLUSHES: [u32; 3] = [2, 8, 64];
/// After a violation, so many further executions look for one with fewer thread switches.
const IMPROVEMENTS: u32 = 16;
/// Sets of random answers tried before an action counts as impossible.
const ANSWERS: u32 = 8;
/// Steps between two checks of the meter.
const BETWEEN_TICKS: usize = 64;

/// The random executions of one program.
pub(crate) struct Dives<'p, 'm> {
    program: &'p Program<'m>,
    settings: Settings,
    meter: Meter,
    /// Executions so far.
    number: u32,
    /// Actions of the search since the last execution here.
    credit: u64,
    seen: u64,
    /// The steps that the search must earn before the next execution.
    owed: u64,
}

struct Found {
    actions: Vec<Action>,
    violation: Violation,
}

impl Found {
    /// The number of thread switches, and the length.
    fn cost(&self) -> (usize, usize) {
        let changes = self.actions.windows(2).filter(|pair| pair[0].thread() != pair[1].thread()).count();
        (changes, self.actions.len())
    }
}

impl<'p, 'm> Dives<'p, 'm> {
    /// `settings` are those of the search, except for its bound on pending writes.
    pub(crate) fn new(program: &'p Program<'m>, settings: &Settings, buffer: usize, meter: &Meter) -> Self {
        // Wider pieces of copies are executions, too.
        let borders = Some(Rc::default());
        let settings = Settings { reduction: false, buffer, borders, ..settings.clone() };
        Self {
            program,
            settings,
            meter: meter.clone(),
            number: 0,
            credit: 0,
            seen: 0,
            owed: FIRST_LENGTH as u64,
        }
    }

    /// The search starts again, and so does its action count.
    pub(crate) fn search_begins(&mut self) {
        self.seen = 0;
    }

    /// The search has carried out so many actions. Runs an execution if one is due; returns its violation, if any.
    pub(crate) fn beside(&mut self, actions: u64) -> Option<Trace> {
        self.credit += actions - self.seen;
        self.seen = actions;
        if self.credit * STEPS_FOR_AN_ACTION < self.owed {
            return None;
        }
        self.credit = 0;
        let length = self.length();
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
            number: number as u64,
            stays: STAYS[number % STAYS.len()],
            flushes: FLUSHES[number / STAYS.len() % FLUSHES.len()],
        };
        let mut random = Random(number as u64);
        let mut state = machine.initial();
        let mut notes = Notes::default();
        let mut actions: Vec<Action> = Vec::new();
        let mut current = 0;
        self.owed = LEAST_OWED;
        while actions.len() < most && !machine.is_over(&state) {
            self.owed = LEAST_OWED.max(actions.len() as u64);
            if actions.len().is_multiple_of(BETWEEN_TICKS) && self.meter.tick().is_err() {
                return None;
            }
            let mut open = machine.actions(&state);
            let is_ready = state.threads[current].status == Status::Ready;
            let here = is_ready.then(|| (current, style.is_border(machine, &state, current)));
            let taken = loop {
                let Some(at) = style.pick(&open, here, &mut random) else { break None };
                let action = open.swap_remove(at);
                // Threads that only wake up without a reason, for ever, are stuck.
                if machine.is_spurious(&action)
                    && open.iter().all(|other| machine.is_spurious(other))
                    && let Some(violation) = stuck(machine, &state)
                {
                    return Some(Found { actions, violation });
                }
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
                return Some(Found { violation: stuck(machine, &state)?, actions });
            };
            current = action.thread();
            actions.push(action);
        }
        None
    }
}

/// The violation in a state in which nothing happens any more.
fn stuck(machine: &Machine<'_, '_>, state: &State) -> Option<Violation> {
    machine.deadlock(state).filter(|_| is_stuck(machine, state))
}

enum Outcome {
    Goes(Box<State>, Action),
    Violates(Violation, Action),
    Waits,
    /// The execution is infeasible, or cannot be continued.
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
            Err(
                Halt::Violation(_)
                | Halt::Refused(_)
                | Halt::Limit(_)
                | Halt::Stopped(_)
                | Halt::BordersMatter,
            ) => return Outcome::Ends,
        }
        // Other answers make no difference if no choice was made.
        if choices.used().is_empty() {
            break;
        }
    }
    if waits { Outcome::Waits } else { Outcome::Ends }
}

/// How an execution picks its actions.
struct Style {
    number: u64,
    stays: u32,
    flushes: u32,
}

impl Style {
    /// Whether a thread stands where this style likes to leave it.
    fn is_border(&self, machine: &Machine<'_, '_>, state: &State, thread: usize) -> bool {
        self.stays == BEFORE_SYNCHRONISATION && machine.synchronises(state, thread)
    }

    /// The index of the next action to try, given the current thread, if it is ready, and whether it stands at a border.
    fn pick(&self, open: &[Action], here: Option<(usize, bool)>, random: &mut Random) -> Option<usize> {
        let places = |wanted: &dyn Fn(&Action) -> bool| -> Vec<usize> {
            (0..open.len()).filter(|at| wanted(&open[*at])).collect()
        };
        let flushes = places(&|action| matches!(action, Action::Flush { .. }));
        if !flushes.is_empty() && random.below(self.flushes) == 0 {
            return Some(flushes[random.below(flushes.len() as u32) as usize]);
        }
        let steps = places(&|action| matches!(action, Action::Step { .. }));
        if let Some((current, is_border)) = here
            && random.below(self.stays) != 0
            && !(is_border && random.below(2) == 0)
            && let Some(at) = steps.iter().find(|at| open[**at].thread() == current)
        {
            return Some(*at);
        }
        if self.stays == BEFORE_SYNCHRONISATION && !steps.is_empty() {
            return Some(self.by_speed(&steps, open, random));
        }
        // Spurious and late wake-ups are rare.
        let wakes = places(&|action| matches!(action, Action::Wake { .. }));
        let mut kinds = [steps, flushes, wakes];
        if random.below(64) == 0 {
            kinds.sort_by_key(|kind| Reverse(kind.len()));
        }
        let kind = kinds.iter().find(|kind| !kind.is_empty())?;
        Some(kind[random.below(kind.len() as u32) as usize])
    }
}

impl Style {
    /// One of the steps; a fast thread is picked more often.
    fn by_speed(&self, steps: &[usize], open: &[Action], random: &mut Random) -> usize {
        let speed = |at: usize| {
            let own = Random(self.number << 8 | open[at].thread() as u64).below(SPEEDS.len() as u32);
            1 << SPEEDS[own as usize]
        };
        let mut left = random.below(steps.iter().map(|at| speed(*at)).sum());
        for &at in steps {
            match left.checked_sub(speed(at)) {
                Some(rest) => left = rest,
                None => return at,
            }
        }
        steps[0]
    }
}

/// Random numbers from a seed (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `n`; `n` is not 0.
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
