//! Follows an execution of the other reading (the lowering): does the literal machine have it, too?
//!
//! The other reading gives the order in which its threads act. Here a thread may need more or fewer steps for the same. So at
//! each position of that order its thread may act any number of times, and so may the first thread, because the other reading
//! has no steps for creating and joining threads. The search looks for a violation among these executions. Those that deviate
//! least from one action for each position come first: loops that go on for ever have many others.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::rc::Rc;

use fencewright_base::Meter;
use fencewright_literal::choice::Choices;
use fencewright_literal::footprint::Footprints;
use fencewright_literal::machine::{Action, Machine, Notes, Settings};
use fencewright_literal::program::Program;
use fencewright_literal::scalars::Scalars;
use fencewright_literal::violation::Halt;

use crate::search::Trace;
use crate::store::Store;
use crate::witness::with_numbers;

/// The result.
#[derive(Debug)]
pub enum Followed {
    /// This execution is a violation.
    Violated(Box<Trace>),
    /// No execution in this order is a violation.
    Nothing,
    /// A limit was reached, or something cannot be executed.
    Unknown,
}

/// The bound on pending writes per buffer.
const BUFFER: usize = 8;

/// Looks for a violation in the executions in which threads act in this order.
pub fn follow(program: &Program<'_>, settings: &Settings, order: &[usize], meter: &Meter) -> Followed {
    // Only some orders are explored here, so they do not show which accesses are ordered.
    let mut settings =
        Settings { buffer: BUFFER, ordered: false, borders: Some(Rc::default()), ..settings.clone() };
    let mut scalars = Scalars::default();
    loop {
        let Ok(machine) = Machine::new(program, settings.clone()) else { return Followed::Unknown };
        let machine = machine.within(meter);
        let mut notes = Notes {
            footprints: Footprints::new(settings.contested.clone()),
            scalars: Some(scalars.again()),
            ..Notes::default()
        };
        let walked = walk(&machine, order, meter, &mut notes);
        scalars = notes.scalars.take().unwrap_or_default();
        let finer = scalars.finer();
        match walked {
            Walked::To(Followed::Nothing) if finer.is_some() => {}
            Walked::To(followed) => return followed,
            Walked::NothingIsPrivate => settings.private = false,
            Walked::MoreIsContested => {
                settings.contested = Rc::new(settings.contested.with(notes.footprints.new_ones()));
            }
        }
        if let Some(finer) = finer {
            settings.borders = Some(Rc::new(finer));
        }
    }
}

/// How a walk ended.
enum Walked {
    To(Followed),
    /// Again, with more contested bytes: direct writes may have overtaken pending ones, and orders may be missing.
    MoreIsContested,
    /// Again, with every object visible to all threads.
    NothingIsPrivate,
}

fn walk(machine: &Machine<'_, '_>, order: &[usize], meter: &Meter, notes: &mut Notes) -> Walked {
    let mut store = Store::new();
    let mut origins: Vec<(u32, Action)> = Vec::new();
    let mut initial = machine.initial();
    store.number(&mut initial);
    origins.push((0, Action::Wake { thread: 0, late: false }));
    // By deviations, fewest first. Among equals the one furthest in the order comes first, because the violation is at its end.
    let mut queue = BinaryHeap::from([(Reverse(0u32), 0usize, Reverse(0u32))]);
    let mut expanded: HashSet<(u32, usize)> = HashSet::new();
    let mut unknown = false;
    let trace = |number: u32, last: Option<Action>, origins: &[(u32, Action)]| {
        let mut actions: Vec<Action> = last.into_iter().collect();
        let mut at = number;
        while at != 0 {
            let (parent, action) = &origins[at as usize];
            actions.push(action.clone());
            at = *parent;
        }
        actions.reverse();
        actions
    };
    while let Some((Reverse(deviations), place, Reverse(number))) = queue.pop() {
        if !notes.footprints.new_ones().is_empty() {
            return Walked::MoreIsContested;
        }
        if meter.tick().is_err() {
            return Walked::To(Followed::Unknown);
        }
        if !expanded.insert((number, place)) {
            continue;
        }
        if place < order.len() {
            queue.push((Reverse(deviations + 1), place + 1, Reverse(number)));
        }
        let state = store.get(number);
        if machine.is_over(&state) {
            continue;
        }
        let mut goes_on = false;
        for action in machine.actions(&state) {
            let thread = action.thread();
            let is_next = order.get(place) == Some(&thread);
            let in_order = thread == 0 || is_next;
            let mut choices = Some(Choices::default());
            while let Some(mut answers) = choices {
                let mut next = state.clone();
                let result = machine.apply(&mut next, &action, &mut answers, notes, None);
                goes_on |= !matches!(result, Err(Halt::Blocked)) && !machine.is_spurious(&action);
                if in_order {
                    let taken = crate::search::with_choices(&action, &answers);
                    match result {
                        Ok(()) => {
                            next.trim();
                            let (next, new) = store.number(&mut next);
                            if new {
                                origins.push((number, taken));
                            }
                            if is_next {
                                queue.push((Reverse(deviations), place + 1, Reverse(next)));
                            }
                            queue.push((Reverse(deviations + 1), place, Reverse(next)));
                        }
                        Err(Halt::Violation(violation)) => {
                            if !notes.footprints.new_ones().is_empty() {
                                return Walked::MoreIsContested;
                            }
                            let actions = trace(number, Some(taken), &origins);
                            let trace = with_numbers(machine, actions, *violation);
                            return Walked::To(Followed::Violated(Box::new(trace)));
                        }
                        Err(Halt::NothingIsPrivate) => return Walked::NothingIsPrivate,
                        Err(
                            Halt::Refused(_)
                            | Halt::Limit(_)
                            | Halt::ReuseMatters
                            | Halt::BordersMatter
                            | Halt::Stopped(_),
                        ) => unknown = true,
                        Err(Halt::Blocked | Halt::Late | Halt::Infeasible) => {}
                    }
                }
                choices = answers.next();
            }
        }
        if !goes_on && let Some(violation) = machine.deadlock(&state) {
            if !notes.footprints.new_ones().is_empty() {
                return Walked::MoreIsContested;
            }
            let actions = trace(number, None, &origins);
            return Walked::To(Followed::Violated(Box::new(with_numbers(machine, actions, violation))));
        }
    }
    if !notes.footprints.new_ones().is_empty() {
        return Walked::MoreIsContested;
    }
    let is_partial = unknown || notes.full || notes.partly.any();
    Walked::To(if is_partial { Followed::Unknown } else { Followed::Nothing })
}
