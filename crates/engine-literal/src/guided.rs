//! Follows an execution of the other reading (the lowering): does the literal machine have it, too?
//!
//! The other reading gives the order in which its threads act. Here a thread may need more or fewer steps for the same. So at
//! each position of that order its thread may act any number of times, and so may the first thread, because the other reading
//! has no steps for creating and joining threads. The search looks for a violation among these executions.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::rc::Rc;

use fencewright_base::Meter;
use fencewright_literal::choice::Choices;
use fencewright_literal::footprint::Footprints;
use fencewright_literal::machine::{Action, Machine, Notes, Settings};
use fencewright_literal::program::Program;
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
    let mut settings = Settings { buffer: BUFFER, ordered: false, ..settings.clone() };
    loop {
        let Ok(machine) = Machine::new(program, settings.clone()) else { return Followed::Unknown };
        let machine = machine.within(meter);
        let mut notes = Notes { footprints: Footprints::new(settings.contested.clone()), ..Notes::default() };
        let followed = walk(&machine, order, meter, &mut notes);
        let new = notes.footprints.new_ones();
        match followed {
            Err(again) => settings = *again,
            // Direct writes may have overtaken pending ones, and orders may be missing.
            Ok(Followed::Nothing | Followed::Violated(_)) if !new.is_empty() => {
                settings.contested = Rc::new(settings.contested.with(new));
            }
            Ok(followed) => return followed,
        }
    }
}

fn walk(
    machine: &Machine<'_, '_>,
    order: &[usize],
    meter: &Meter,
    notes: &mut Notes,
) -> Result<Followed, Box<Settings>> {
    let mut store = Store::new();
    let mut origins: Vec<(u32, Action)> = Vec::new();
    let mut initial = machine.initial();
    store.number(&mut initial);
    origins.push((0, Action::Wake { thread: 0, late: false }));
    // The state furthest in the order is expanded first, because the violation is at its end.
    let mut queue = BinaryHeap::from([(0usize, Reverse(0u32))]);
    let mut seen: HashSet<(u32, usize)> = HashSet::from([(0, 0)]);
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
    while let Some((place, Reverse(number))) = queue.pop() {
        if meter.tick().is_err() {
            return Ok(Followed::Unknown);
        }
        if place < order.len() && seen.insert((number, place + 1)) {
            queue.push((place + 1, Reverse(number)));
        }
        let state = store.get(number);
        if machine.is_over(&state) {
            continue;
        }
        let mut goes_on = false;
        for action in machine.actions(&state) {
            let thread = action.thread();
            let in_order = thread == 0 || order.get(place) == Some(&thread);
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
                            if seen.insert((next, place)) {
                                queue.push((place, Reverse(next)));
                            }
                        }
                        Err(Halt::Violation(violation)) => {
                            let actions = trace(number, Some(taken), &origins);
                            let trace = with_numbers(machine, actions, *violation);
                            return Ok(Followed::Violated(Box::new(trace)));
                        }
                        Err(Halt::NothingIsPrivate) => {
                            return Err(Box::new(Settings { private: false, ..machine.settings.clone() }));
                        }
                        Err(Halt::Refused(_) | Halt::Limit(_) | Halt::ReuseMatters | Halt::Stopped(_)) => {
                            unknown = true;
                        }
                        Err(Halt::Blocked | Halt::Late | Halt::Infeasible) => {}
                    }
                }
                choices = answers.next();
            }
        }
        if !goes_on && let Some(violation) = machine.deadlock(&state) {
            let actions = trace(number, None, &origins);
            return Ok(Followed::Violated(Box::new(with_numbers(machine, actions, violation))));
        }
    }
    Ok(if unknown || notes.full { Followed::Unknown } else { Followed::Nothing })
}
