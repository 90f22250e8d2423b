//! Breadth-first search over the states of the literal machine: all executions, a shortest violation first.
//!
//! The bound on store buffers grows. A search in which no write found its buffer full has seen all executions, with buffers of
//! any length. The search itself finds the bytes that are contested ([`footprint`](fencewright_literal::footprint)), and starts
//! again until it finds no more.
//!
//! *Limits:* state numbers have 32 bits. A violation counts as shortest in actions of the reduced machine.

use std::collections::BTreeSet;
use std::rc::Rc;

use fencewright_base::{Meter, Progress, Stop};
use fencewright_literal::choice::Choices;
use fencewright_literal::footprint::Footprints;
use fencewright_literal::machine::{Action, Machine, Notes, Partly, Settings};
use fencewright_literal::program::Program;
use fencewright_literal::refusal::Refusal;
use fencewright_literal::scalars::Scalars;
use fencewright_literal::state::State;
use fencewright_literal::value::Scalar;
use fencewright_literal::violation::{Check, Halt, Limit, Violation};

use crate::dive::Dives;
use crate::store::Store;

/// The first bound on pending writes; it doubles.
const FIRST_BUFFER: usize = 4;
/// The bound on pending writes in random executions.
const BUFFER_OF_DIVES: usize = 16;
/// Transitions between two progress reports.
const BETWEEN_NEWS: u64 = 4_096;
/// A search that must be repeated goes on until its states have doubled, plus so many, to find more contested bytes.
const MORE: usize = 500;
/// States after which the search looks for borders within what was copied as a whole; doubles each time.
const FIRST_LOOK: usize = 256;
/// States after which accesses to contested bytes are told apart by where they are made. That takes more searches, which
/// small programs are better off without.
const REFINED_FROM: usize = 2_000;
/// Bytes of a state beside the store: where it came from.
const BYTES_OF_ORIGIN: u64 = 16;

/// A question to the search.
pub struct Question<'a> {
    /// How the program is executed; `fixed_buffer` or the growing bound replaces `buffer`.
    pub settings: Settings,
    /// The user's bound on pending writes, if there is one.
    pub fixed_buffer: Option<usize>,
    /// The number of the global whose value at the end of the process is an outcome.
    pub observed: Option<u32>,
    /// Whether random executions run beside the search, to find violations that lie deep.
    pub dives: bool,
    /// Receives the progress of the search from time to time.
    pub progress: &'a (dyn Fn(Progress<'_>) + Sync),
}

/// The result.
#[derive(Debug, Clone)]
pub struct Found {
    /// The verdict.
    pub verdict: Verdict,
    /// What it cost.
    pub statistics: Statistics,
    /// What was tried only in part.
    pub partly: Partly,
    /// The values of the observed global at the end of the process, over all executions that reach it.
    pub outcomes: BTreeSet<Vec<u64>>,
    /// Whether some execution left it partly unset.
    pub unset_outcome: bool,
}

/// The verdict of a search.
#[derive(Debug, Clone)]
pub enum Verdict {
    /// All executions were seen, and none is violating.
    Holds,
    /// No execution with at most so many pending writes per buffer is violating.
    HoldsUpTo(usize),
    /// This execution is violating.
    Violated(Box<Trace>),
    /// A limit was reached.
    Stopped(Stop),
    /// The program does something that cannot be executed.
    Refused(Box<Refusal>),
    /// The program exceeds a limit of the machine.
    Limited(Limit),
}

/// A violating execution.
#[derive(Debug, Clone)]
pub struct Trace {
    /// How the program is executed.
    pub settings: Settings,
    /// Its actions.
    pub actions: Vec<Action>,
    /// The violation at its end.
    pub violation: Violation,
}

/// The cost of a search.
#[derive(Debug, Copy, Clone, Default, PartialEq)]
pub struct Statistics {
    /// States stored in the last search.
    pub states: u64,
    /// Actions carried out in the last search.
    pub transitions: u64,
    /// The most bytes held.
    pub bytes: u64,
    /// The most writes seen pending in one buffer.
    pub longest_buffer: usize,
    /// The bound on pending writes in the last search.
    pub buffer: usize,
    /// Whether the violation found is a shortest one.
    pub shortest: bool,
    /// Seconds.
    pub seconds: f64,
    /// Seconds of the last search, to which `states` and `transitions` refer.
    pub last_seconds: f64,
}

enum Ended {
    Found(Verdict),
    /// A random execution is violating.
    Dived(Box<Trace>),
    Again(Box<Settings>),
}

/// Searches all executions of a program.
pub fn search(program: &Program<'_>, question: &Question<'_>, meter: &Meter) -> Found {
    let mut settings = question.settings.clone();
    settings.buffer = question.fixed_buffer.unwrap_or(FIRST_BUFFER);
    // Most programs cannot notice that a new object has the address of a freed one. The search finds out whether this one can.
    settings.reuse = !settings.checks.contains(&Check::Memory);
    let mut found = Found {
        verdict: Verdict::Holds,
        statistics: Statistics::default(),
        partly: Partly::default(),
        outcomes: BTreeSet::new(),
        unset_outcome: false,
    };
    let mut scalars = Scalars::default();
    let buffer_of_dives = question.fixed_buffer.unwrap_or(BUFFER_OF_DIVES);
    let mut dives = question.dives.then(|| Dives::new(program, &settings, buffer_of_dives, meter));
    loop {
        let machine = match Machine::new(program, settings.clone()) {
            Ok(machine) => machine.within(meter),
            Err(refusal) => {
                found.verdict = Verdict::Refused(Box::new(refusal));
                return found;
            }
        };
        let mut search = Search {
            machine: &machine,
            question,
            meter,
            dives: dives.as_mut(),
            store: Store::new(),
            origins: Vec::new(),
            statistics: Statistics { buffer: settings.buffer, ..Statistics::default() },
            notes: Notes {
                footprints: Footprints::new(settings.contested.clone()),
                scalars: settings.borders.is_some().then(|| scalars.again()),
                ..Notes::default()
            },
            outcomes: BTreeSet::new(),
            unset_outcome: false,
            enough: None,
            refused: None,
            limited: None,
        };
        let start = meter.elapsed();
        let ended = search.run();
        search.statistics.last_seconds = (meter.elapsed() - start).as_secs_f64();
        search.statistics.seconds = meter.elapsed().as_secs_f64();
        search.statistics.bytes = search.bytes().max(found.statistics.bytes);
        found.statistics = search.statistics;
        found.partly = search.notes.partly;
        found.outcomes = search.outcomes;
        found.unset_outcome = search.unset_outcome;
        let full = search.notes.full;
        let new = search.notes.footprints.new_ones();
        scalars = search.notes.scalars.take().unwrap_or_default();
        let finer = scalars.finer();
        let is_known = finer.is_some() && finer.as_ref() == settings.borders.as_deref();
        assert!(!is_known, "internal error: a copy went across a known border");
        let is_open = matches!(ended, Ended::Found(ref verdict) if !matches!(verdict, Verdict::Stopped(_)));
        if (!new.is_empty() || finer.is_some()) && is_open {
            // What was not taken to be contested is, or copies are made in smaller pieces: not all has been seen, and a
            // violation may not be the shortest.
            settings.contested = Rc::new(settings.contested.with(new));
            settings.borders = finer.map(Rc::new).or(settings.borders);
            continue;
        }
        match ended {
            Ended::Again(again) => settings = *again,
            Ended::Dived(trace) => {
                found.verdict = Verdict::Violated(trace);
                return found;
            }
            Ended::Found(Verdict::Holds) if full && question.fixed_buffer.is_none() => settings.buffer *= 2,
            Ended::Found(Verdict::Holds) if full => {
                found.verdict = Verdict::HoldsUpTo(settings.buffer);
                return found;
            }
            Ended::Found(verdict) => {
                found.statistics.shortest = matches!(verdict, Verdict::Violated(_));
                found.verdict = verdict;
                return found;
            }
        }
    }
}

struct Origin {
    parent: u32,
    action: Action,
}

struct Search<'s, 'd, 'p, 'm> {
    machine: &'s Machine<'p, 'm>,
    question: &'s Question<'s>,
    meter: &'s Meter,
    dives: Option<&'d mut Dives<'p, 'm>>,
    store: Store,
    origins: Vec<Origin>,
    statistics: Statistics,
    notes: Notes,
    outcomes: BTreeSet<Vec<u64>>,
    unset_outcome: bool,
    /// How many states are enough in a search that must be repeated.
    enough: Option<usize>,
    refused: Option<Box<Refusal>>,
    limited: Option<Limit>,
}

impl Search<'_, '_, '_, '_> {
    fn run(&mut self) -> Ended {
        let mut initial = self.machine.initial();
        self.store.number(&mut initial);
        self.origins.push(Origin { parent: 0, action: Action::Wake { thread: 0, late: false } });
        let (mut next, mut look) = (0, FIRST_LOOK);
        if let Some(dives) = &mut self.dives {
            dives.search_begins();
        }
        while next < self.store.len() && self.enough.is_none_or(|enough| self.store.len() < enough) {
            if self.enough.is_none() && !self.notes.footprints.new_ones().is_empty() {
                // A loop that waits for bytes not treated as contested shows nothing more.
                self.enough = Some(if self.notes.cut { 0 } else { 2 * self.store.len() + MORE });
            }
            if self.enough.is_some() && self.notes.cut {
                break;
            }
            if self.store.len() >= look {
                look *= 2;
                let scalars = self.notes.scalars.as_ref();
                if scalars.is_some_and(|scalars| scalars.finer().is_some()) {
                    self.enough = Some(0);
                }
            }
            match self.expand(next as u32) {
                Ok(()) => {}
                Err(ended) => return ended,
            }
            next += 1;
            if self.store.len() >= REFINED_FROM && self.can_be_refined() {
                let contested =
                    self.machine.settings.contested.with(self.notes.footprints.new_ones()).refined();
                let settings = Settings { contested: Rc::new(contested), ..self.machine.settings.clone() };
                return Ended::Again(Box::new(settings));
            }
            let done = self.statistics.transitions;
            if let Some(trace) = self.dives.as_mut().and_then(|dives| dives.beside(done)) {
                self.statistics.states = self.store.len() as u64;
                return Ended::Dived(Box::new(trace));
            }
        }
        self.statistics.states = self.store.len() as u64;
        // After a refusal or a limit, executions are missing: that is no proof.
        Ended::Found(match (self.refused.take(), self.limited) {
            (Some(refusal), _) => Verdict::Refused(refusal),
            (None, Some(limit)) => Verdict::Limited(limit),
            (None, None) => Verdict::Holds,
        })
    }

    fn can_be_refined(&self) -> bool {
        let Settings { contested, reduction, all_contested, .. } = &self.machine.settings;
        *reduction && !all_contested && !contested.is_refined()
    }

    fn expand(&mut self, number: u32) -> Result<(), Ended> {
        let state = self.store.get(number);
        if self.machine.is_over(&state) {
            self.observe(&state);
            return Ok(());
        }
        let mut goes_on = false;
        for action in self.machine.actions(&state) {
            let spurious = self.machine.is_spurious(&action);
            let mut choices = Some(Choices::default());
            while let Some(mut answers) = choices {
                let moved = self.follow(number, &state, &action, &mut answers)?;
                goes_on |= moved && !spurious;
                choices = answers.next();
            }
        }
        if !goes_on && let Some(violation) = self.machine.deadlock(&state) {
            return Err(self.violated(number, None, violation));
        }
        Ok(())
    }

    /// Carries out an action. Returns whether it was possible.
    fn follow(
        &mut self,
        number: u32,
        state: &State,
        action: &Action,
        choices: &mut Choices,
    ) -> Result<bool, Ended> {
        self.statistics.transitions += 1;
        self.tick()?;
        let mut next = state.clone();
        match self.machine.apply(&mut next, action, choices, &mut self.notes, None) {
            Ok(()) => {
                next.trim();
                let longest =
                    next.threads.iter().map(|thread| thread.buffer.writes().count()).max().unwrap_or(0);
                self.statistics.longest_buffer = self.statistics.longest_buffer.max(longest);
                if self.store.number(&mut next).1 {
                    self.origins.push(Origin { parent: number, action: with_choices(action, choices) });
                }
                Ok(true)
            }
            Err(Halt::Blocked | Halt::Late) => Ok(false),
            Err(Halt::Infeasible) => Ok(true),
            Err(Halt::Violation(violation)) => {
                if self.machine.settings.checks.contains(&violation.fault.check()) {
                    let action = with_choices(action, choices);
                    return Err(self.violated(number, Some(action), *violation));
                }
                // A violation whose check is off still ends the execution.
                Ok(true)
            }
            Err(Halt::Refused(refusal)) => {
                self.refused.get_or_insert(refusal);
                Ok(true)
            }
            Err(Halt::Limit(limit)) => {
                self.limited.get_or_insert(limit);
                Ok(true)
            }
            Err(Halt::Stopped(stop)) => {
                self.statistics.states = self.store.len() as u64;
                Err(Ended::Found(Verdict::Stopped(stop)))
            }
            Err(Halt::NothingIsPrivate) => {
                let settings = Settings { private: false, ..self.machine.settings.clone() };
                Err(Ended::Again(Box::new(settings)))
            }
            Err(Halt::BordersMatter) => {
                let settings = Settings { borders: Some(Rc::default()), ..self.machine.settings.clone() };
                Err(Ended::Again(Box::new(settings)))
            }
            Err(Halt::ReuseMatters) => {
                let settings = Settings { reuse: true, ..self.machine.settings.clone() };
                Err(Ended::Again(Box::new(settings)))
            }
        }
    }

    fn tick(&mut self) -> Result<(), Ended> {
        self.statistics.states = self.store.len() as u64;
        let states = self.statistics.states;
        let stop = |stop: Stop| Ended::Found(Verdict::Stopped(stop));
        self.meter.tick().map_err(stop)?;
        self.meter.store(states).map_err(stop)?;
        self.meter.hold(self.store.bytes()).map_err(stop)?;
        if self.statistics.transitions.is_multiple_of(BETWEEN_NEWS) {
            let bytes = self.bytes();
            self.meter.hold(bytes).map_err(stop)?;
            let phase = format!("literal, buffers up to {}", self.machine.settings.buffer);
            (self.question.progress)(Progress { phase: &phase, states, frontier: 0, bytes });
        }
        if self.store.is_full() {
            return Err(stop(Stop::States));
        }
        Ok(())
    }

    fn bytes(&self) -> u64 {
        let notes = self.notes.footprints.bytes() + self.notes.scalars.as_ref().map_or(0, Scalars::bytes);
        self.store.bytes() + self.origins.len() as u64 * BYTES_OF_ORIGIN + notes
    }

    fn violated(&mut self, number: u32, last: Option<Action>, violation: Violation) -> Ended {
        self.statistics.states = self.store.len() as u64;
        let mut actions: Vec<Action> = last.into_iter().collect();
        let mut at = number;
        while at != 0 {
            let Origin { parent, action } = &self.origins[at as usize];
            actions.push(action.clone());
            at = *parent;
        }
        actions.reverse();
        let trace = crate::witness::with_numbers(self.machine, actions, violation);
        Ended::Found(Verdict::Violated(Box::new(trace)))
    }

    fn observe(&mut self, state: &State) {
        let Some(global) = self.question.observed else { return };
        let id = Program::object_of_global(global);
        let read = |object: &fencewright_literal::object::Object| -> Vec<Scalar> {
            (0..object.size / 8).map(|word| object.read(8 * word, 8)).collect()
        };
        let mut choices = Some(Choices::default());
        while let Some(mut answers) = choices {
            let mut end = state.clone();
            self.machine.make_known(&mut end, id, &mut answers, &mut self.notes);
            let outcome = match end.object(id) {
                Some(object) => Some(read(object)),
                None => self.machine.program.initial(global).ok().map(|object| read(&object)),
            };
            let Some(outcome) = outcome else { return };
            if outcome.iter().all(|word| word.is_set()) {
                self.outcomes.insert(outcome.iter().map(|word| word.bits).collect());
            } else {
                self.unset_outcome = true;
            }
            choices = answers.next();
        }
    }
}

pub(crate) fn with_choices(action: &Action, choices: &Choices) -> Action {
    action.with_choices(&choices.used())
}
