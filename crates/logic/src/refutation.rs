//! From what a solver was given and has learnt to lemmas that [`crate::lemma::check`] accepts.
//!
//! A solver says what it learns, not why. Every learnt clause is looked at in turn: its literals are made false, what follows
//! is propagated, and the clauses on the way to the contradiction are the reasons. Literals that were not needed are left out,
//! and in the end all lemmas from which the empty clause does not follow.

use std::collections::BTreeSet;

use crate::lemma::{Lemma, Literal};

/// What a solver was told or says, in this order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Event {
    /// A clause that it was given.
    Given(Vec<Literal>),
    /// A clause that it has learnt.
    Learnt(Vec<Literal>),
}

/// Lemmas that refute the clauses given, which are called 1, 2, … in the order they were given. Nothing if what was learnt does
/// not lead to a contradiction by propagation.
pub(crate) fn refutation(events: &[Event]) -> Option<Vec<Lemma>> {
    let n_given = events.iter().filter(|event| matches!(event, Event::Given(_))).count();
    let mut forward = Forward { next_lemma: n_given as u32 + 1, ..Forward::default() };
    let mut given = 0;
    for event in events {
        match event {
            Event::Given(clause) => {
                given += 1;
                forward.add(given, clause);
            }
            Event::Learnt(clause) => forward.learn(clause)?,
        }
        if forward.is_refuted {
            return Some(needed(forward.lemmas));
        }
    }
    None
}

/// Those from which the last one follows.
fn needed(lemmas: Vec<Lemma>) -> Vec<Lemma> {
    let mut needed: BTreeSet<u32> = lemmas.last().map(|last| last.id).into_iter().collect();
    for lemma in lemmas.iter().rev() {
        if needed.contains(&lemma.id) {
            needed.extend(&lemma.by);
        }
    }
    lemmas.into_iter().filter(|lemma| needed.contains(&lemma.id)).collect()
}

/// Clauses with what follows from them. The first two literals of a clause are watched: unless the clause is satisfied, neither
/// is false.
#[derive(Debug, Default)]
struct Forward {
    clauses: Vec<Stored>,
    /// For each literal the clauses that watch it.
    watching: Vec<Vec<u32>>,
    values: Vec<Value>,
    /// Literals in the order in which they became true.
    trail: Vec<Literal>,
    /// How many of them have been propagated.
    propagated: usize,
    lemmas: Vec<Lemma>,
    next_lemma: u32,
    is_refuted: bool,
}

#[derive(Debug)]
struct Stored {
    name: u32,
    literals: Vec<Literal>,
}

/// What is known of a variable.
#[derive(Debug, Copy, Clone, Default)]
struct Value {
    /// -1, 0 or 1.
    sign: i8,
    reason: Reason,
}

#[derive(Debug, Copy, Clone, Default)]
enum Reason {
    /// It was assumed, or is not known.
    #[default]
    None,
    /// It follows from the clause at this place.
    Clause(u32),
    /// It is true for good: the unit clause of this name.
    Unit(u32),
}

fn variable(literal: Literal) -> usize {
    literal.unsigned_abs() as usize
}

/// The place of a literal in a table of all.
fn place(literal: Literal) -> usize {
    2 * variable(literal) + usize::from(literal < 0)
}

impl Forward {
    fn sign(&self, literal: Literal) -> i8 {
        let sign = self.values[variable(literal)].sign;
        if literal < 0 { -sign } else { sign }
    }

    fn make_room(&mut self, clause: &[Literal]) {
        let variables = clause.iter().map(|&literal| variable(literal) + 1).max().unwrap_or(0);
        if variables > self.values.len() {
            self.values.resize(variables, Value::default());
            self.watching.resize_with(2 * variables, Vec::new);
        }
    }

    /// Adds a clause while nothing is assumed, and follows what is true for good.
    fn add(&mut self, name: u32, clause: &[Literal]) {
        self.make_room(clause);
        let mut literals = clause.to_vec();
        literals.sort_unstable();
        literals.dedup();
        let says_nothing =
            |&literal: &Literal| self.sign(literal) > 0 || literals.binary_search(&-literal).is_ok();
        let is_satisfied = literals.iter().any(says_nothing);
        if is_satisfied || self.is_refuted {
            return;
        }
        // False ones last: what is watched is open.
        literals.sort_by_key(|&literal| self.sign(literal) < 0);
        let open = literals.iter().filter(|&&literal| self.sign(literal) == 0).count();
        if open < 2 {
            let by = self.units_against(&literals[open..]).chain([name]).collect();
            self.conclude(literals.first().copied().filter(|_| open == 1), by);
            return;
        }
        let place_of_clause = self.clauses.len() as u32;
        for &literal in &literals[..2] {
            self.watching[place(literal)].push(place_of_clause);
        }
        self.clauses.push(Stored { name, literals });
    }

    /// The unit clauses that make these literals false.
    fn units_against(&self, literals: &[Literal]) -> impl Iterator<Item = u32> {
        let units = literals.iter().map(|&literal| match self.values[variable(literal)].reason {
            Reason::Unit(name) => name,
            Reason::None | Reason::Clause(_) => unreachable!("internal error: nothing is assumed"),
        });
        units.collect::<Vec<u32>>().into_iter()
    }

    /// A lemma of one literal or none, and all that follows.
    fn conclude(&mut self, literal: Option<Literal>, by: Vec<u32>) {
        // A unit clause that was given needs none of its own, but one that says the same does no harm.
        let id = self.lemma(literal.into_iter().collect(), by);
        let Some(literal) = literal else {
            self.is_refuted = true;
            return;
        };
        self.assign(literal, Reason::Unit(id));
        let start = self.trail.len();
        let conflict = self.propagate();
        for at in start..self.trail.len() {
            let literal = self.trail[at];
            let Reason::Clause(reason) = self.values[variable(literal)].reason else { continue };
            let Stored { name, literals } = &self.clauses[reason as usize];
            let others: Vec<Literal> = literals.iter().copied().filter(|&other| other != literal).collect();
            let by = self.units_against(&others).chain([*name]).collect();
            let id = self.lemma(vec![literal], by);
            self.values[variable(literal)].reason = Reason::Unit(id);
        }
        if let Some(conflict) = conflict {
            let Stored { name, literals } = &self.clauses[conflict as usize];
            let by = self.units_against(literals).chain([*name]).collect();
            self.lemma(Vec::new(), by);
            self.is_refuted = true;
        }
    }

    fn lemma(&mut self, clause: Vec<Literal>, by: Vec<u32>) -> u32 {
        let id = self.next_lemma;
        self.next_lemma += 1;
        self.lemmas.push(Lemma { id, clause, by });
        id
    }

    fn assign(&mut self, literal: Literal, reason: Reason) {
        self.values[variable(literal)] = Value { sign: if literal < 0 { -1 } else { 1 }, reason };
        self.trail.push(literal);
    }

    /// Follows clauses with one literal left; the place of one with none left.
    fn propagate(&mut self) -> Option<u32> {
        while self.propagated < self.trail.len() {
            let is_false = -self.trail[self.propagated];
            self.propagated += 1;
            let mut watching = std::mem::take(&mut self.watching[place(is_false)]);
            let mut kept = 0;
            let mut conflict = None;
            for at in 0..watching.len() {
                let clause = watching[at];
                watching[kept] = clause;
                kept += 1;
                if conflict.is_some() {
                    continue;
                }
                let Self { clauses, values, watching: all, .. } = self;
                let sign = |literal: Literal| {
                    let sign = values[variable(literal)].sign;
                    if literal < 0 { -sign } else { sign }
                };
                let literals = &mut clauses[clause as usize].literals;
                if literals[0] == is_false {
                    literals.swap(0, 1);
                }
                if sign(literals[0]) > 0 {
                    continue;
                }
                match (2..literals.len()).find(|&i| sign(literals[i]) >= 0) {
                    Some(other) => {
                        literals.swap(1, other);
                        all[place(literals[1])].push(clause);
                        kept -= 1;
                    }
                    None if sign(literals[0]) < 0 => conflict = Some(clause),
                    None => {
                        let literal = literals[0];
                        self.assign(literal, Reason::Clause(clause));
                    }
                }
            }
            watching.truncate(kept);
            self.watching[place(is_false)] = watching;
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    /// Finds out why a learnt clause follows, and adds it. Nothing if propagation does not show that it does.
    fn learn(&mut self, clause: &[Literal]) -> Option<()> {
        self.make_room(clause);
        let start = self.trail.len();
        for &literal in clause {
            match self.sign(literal) {
                // One of its literals is true already: nobody needs it.
                1 => {
                    self.take_back(start);
                    return Some(());
                }
                0 => self.assign(-literal, Reason::None),
                _ => {}
            }
        }
        let conflict = self.propagate();
        let found = conflict.map(|conflict| self.reasons(conflict, start));
        self.take_back(start);
        let (literals, by) = found?;
        match literals[..] {
            [] => self.conclude(None, by),
            [one] => self.conclude(Some(one), by),
            _ => {
                let id = self.lemma(literals.clone(), by);
                self.add(id, &literals);
            }
        }
        Some(())
    }

    /// The literals that had to be false for the conflict, and the clauses on the way, the first one first.
    fn reasons(&self, conflict: u32, start: usize) -> (Vec<Literal>, Vec<u32>) {
        let mut marked = BTreeSet::new();
        let (mut literals, mut units, mut by) = (Vec::new(), BTreeSet::new(), Vec::new());
        let mut note = |clause: u32, marked: &mut BTreeSet<usize>, by: &mut Vec<u32>| {
            let Stored { name, literals } = &self.clauses[clause as usize];
            by.push(*name);
            for &literal in literals {
                match self.values[variable(literal)].reason {
                    Reason::Unit(unit) => {
                        // The literal that a clause made true is none of its reasons.
                        if self.sign(literal) < 0 {
                            units.insert(unit);
                        }
                    }
                    Reason::None | Reason::Clause(_) => {
                        marked.insert(variable(literal));
                    }
                }
            }
        };
        note(conflict, &mut marked, &mut by);
        for &literal in self.trail[start..].iter().rev() {
            if !marked.contains(&variable(literal)) {
                continue;
            }
            match self.values[variable(literal)].reason {
                Reason::Clause(clause) => note(clause, &mut marked, &mut by),
                Reason::None => literals.push(-literal),
                Reason::Unit(_) => unreachable!("internal error: what is true for good is older"),
            }
        }
        by.extend(units.into_iter().rev());
        by.reverse();
        (literals, by)
    }

    fn take_back(&mut self, start: usize) {
        for literal in self.trail.drain(start..) {
            self.values[variable(literal)] = Value::default();
        }
        self.propagated = start;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::lemma::{NotRefuted, check};

    fn given(events: &[Event]) -> BTreeMap<u32, Vec<Literal>> {
        let clauses = events.iter().filter_map(|event| match event {
            Event::Given(clause) => Some(clause.clone()),
            Event::Learnt(_) => None,
        });
        (1..).zip(clauses).collect()
    }

    #[test]
    fn reasons_are_found_and_the_rest_left_out() {
        let events = [
            Event::Given(vec![1, 2]),
            Event::Given(vec![1, -2]),
            Event::Given(vec![7, 8]),
            Event::Given(vec![-1, 2]),
            Event::Learnt(vec![7, 8, 1]),
            Event::Learnt(vec![1, 5, 6]),
            Event::Given(vec![-1, -2]),
        ];
        let lemmas = refutation(&events).expect("there is a contradiction");
        assert_eq!(check(given(&events), &lemmas), Ok(()));
        assert!(lemmas.iter().all(|lemma| lemma.clause.len() <= 1), "{lemmas:?}");
        assert_eq!(lemmas.iter().filter(|lemma| lemma.clause == [1]).count(), 1);
    }

    #[test]
    fn what_does_not_follow_is_no_lemma() {
        assert_eq!(refutation(&[Event::Given(vec![1, 2]), Event::Learnt(vec![1])]), None);
        assert_eq!(refutation(&[Event::Given(vec![1, 2])]), None);
        let empty = [Event::Given(vec![])];
        assert_eq!(refutation(&empty).map(|lemmas| check(given(&empty), &lemmas)), Some(Ok(())));
    }

    #[test]
    fn every_lemma_is_needed() {
        // All clauses over three variables, and what a solver might learn.
        let signs = |at: u32| [1, 2, 3].map(|v: i32| if at >> v & 1 == 1 { v } else { -v });
        let mut events: Vec<Event> = (0..16).step_by(2).map(|at| Event::Given(signs(at).to_vec())).collect();
        events.extend([vec![1, 2], vec![1, -2], vec![1], vec![-1, 2]].map(Event::Learnt));
        let lemmas = refutation(&events).expect("there is a contradiction");
        assert_eq!(check(given(&events), &lemmas), Ok(()));
        for without in 0..lemmas.len() {
            let mut fewer = lemmas.clone();
            fewer.remove(without);
            let said = check(given(&events), &fewer);
            assert!(
                matches!(said, Err(NotRefuted::Missing { .. } | NotRefuted::NoEnd)),
                "{without}: {said:?}"
            );
        }
    }
}
