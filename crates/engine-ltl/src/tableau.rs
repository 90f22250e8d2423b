//! From a formula to an automaton that accepts exactly the executions that satisfy it.
//!
//! The tableau of J.-M. Couvreur, *On-the-fly verification of linear temporal logic* (FM 1999): a state is a set of
//! formulae that must hold from here on; its edges are the ways to make them all true now, each with what must hold at
//! the next moment. `a U b` is true by `b` now, or by `a` now and a promise: `a U b` at the next moment. There is an
//! acceptance set for each `U`, with the edges that promise nothing for it: who promises for ever does not keep it.
//!
//! The paper writes the ways as binary decision diagrams; formulae of users are small, so they are lists here, without
//! those that another one makes needless.

use std::collections::BTreeSet;

use fencewright_ir::Formula;

use crate::automaton::{Automaton, Edge, simplify};
use crate::negation::{Id, Node, Store};

/// What a formula may need. Past it there is no automaton: it would have no use.
const MOST_CONDITIONS: usize = 64;
const MOST_UNTILS: usize = 64;
const MOST_STATES: usize = 2_000;
const MOST_WAYS: usize = 2_000;

/// The formula is too large.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct TooLarge;

/// An automaton for the formula, or for its negation.
pub fn automaton(formula: &Formula, negated: bool) -> Result<Automaton, TooLarge> {
    let mut store = Store::default();
    let root = store.add(formula, negated);
    if store.conditions.len() > MOST_CONDITIONS {
        return Err(TooLarge);
    }
    let mut tableau = Tableau { store: &store, untils: Vec::new() };
    let mut names: Vec<BTreeSet<Id>> = vec![tableau.conjuncts(root)];
    let mut ways: Vec<Vec<Way>> = Vec::new();
    while ways.len() < names.len() {
        let here = tableau.ways_of_all(&names[ways.len()])?;
        for way in &here {
            if !names.contains(&way.next) {
                names.push(way.next.clone());
            }
        }
        if names.len() > MOST_STATES {
            return Err(TooLarge);
        }
        ways.push(here);
    }
    let sets = tableau.untils.len() as u32;
    let edge = |way: &Way| Edge {
        to: names.iter().position(|name| *name == way.next).expect("every target was named") as u32,
        when: way.when,
        unless: way.unless,
        marks: (0..sets).filter(|&set| way.promises >> set & 1 == 0).map(|set| 1 << set).sum(),
    };
    let states = ways.iter().map(|ways| ways.iter().map(edge).collect()).collect();
    Ok(simplify(Automaton { conditions: store.conditions.clone(), sets, states }))
}

/// A way to make some formulae true now.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Way {
    /// The conditions that hold, and those that do not.
    when: u64,
    unless: u64,
    /// What must hold at the next moment.
    next: BTreeSet<Id>,
    /// The `U`s that are promised.
    promises: u64,
}

struct Tableau<'s> {
    store: &'s Store,
    /// The `U`s, in the order they are met: their numbers as acceptance sets.
    untils: Vec<Id>,
}

impl Tableau<'_> {
    /// The formulae that make up a conjunction.
    fn conjuncts(&self, id: Id) -> BTreeSet<Id> {
        match self.store.node(id) {
            Node::True => BTreeSet::new(),
            Node::And(a, b) => &self.conjuncts(a) | &self.conjuncts(b),
            _ => BTreeSet::from([id]),
        }
    }

    fn ways_of_all(&mut self, formulae: &BTreeSet<Id>) -> Result<Vec<Way>, TooLarge> {
        let mut all = vec![Way { when: 0, unless: 0, next: BTreeSet::new(), promises: 0 }];
        for &formula in formulae {
            let ways = self.ways(formula)?;
            all = both(&all, &ways)?;
        }
        Ok(all)
    }

    fn ways(&mut self, id: Id) -> Result<Vec<Way>, TooLarge> {
        let nothing = Way { when: 0, unless: 0, next: BTreeSet::new(), promises: 0 };
        Ok(match self.store.node(id) {
            Node::True => vec![nothing],
            Node::False => Vec::new(),
            Node::Literal(condition, true) => vec![Way { when: 1 << condition, ..nothing }],
            Node::Literal(condition, false) => vec![Way { unless: 1 << condition, ..nothing }],
            Node::And(a, b) => both(&self.ways(a)?, &self.ways(b)?)?,
            Node::Or(a, b) => either(self.ways(a)?, self.ways(b)?),
            Node::Next(a) => vec![Way { next: self.conjuncts(a), ..nothing }],
            Node::Until(a, b) => {
                let set = self.set_of(id)?;
                let promise = Way { next: BTreeSet::from([id]), promises: 1 << set, ..nothing };
                let later = both(&self.ways(a)?, &[promise])?;
                either(self.ways(b)?, later)
            }
            Node::Release(a, b) => {
                let go_on = Way { next: BTreeSet::from([id]), ..nothing };
                let released = self.ways(a)?;
                both(&self.ways(b)?, &either(released, vec![go_on]))?
            }
        })
    }

    fn set_of(&mut self, until: Id) -> Result<usize, TooLarge> {
        let set = self.untils.iter().position(|known| *known == until).unwrap_or_else(|| {
            self.untils.push(until);
            self.untils.len() - 1
        });
        if set < MOST_UNTILS { Ok(set) } else { Err(TooLarge) }
    }
}

/// The ways to make two things true together.
fn both(first: &[Way], second: &[Way]) -> Result<Vec<Way>, TooLarge> {
    let mut ways = Vec::new();
    for a in first {
        for b in second {
            let (when, unless) = (a.when | b.when, a.unless | b.unless);
            if when & unless == 0 {
                ways.push(Way { when, unless, next: &a.next | &b.next, promises: a.promises | b.promises });
            }
        }
        if ways.len() > MOST_WAYS {
            return Err(TooLarge);
        }
    }
    Ok(needed(ways))
}

/// The ways to make one of two things true.
fn either(mut first: Vec<Way>, second: Vec<Way>) -> Vec<Way> {
    first.extend(second);
    needed(first)
}

/// Leaves out every way that asks for all that another one asks for: who could go it could go the other.
fn needed(ways: Vec<Way>) -> Vec<Way> {
    let asks_less = |a: &Way, b: &Way| {
        a.when & !b.when == 0
            && a.unless & !b.unless == 0
            && a.promises & !b.promises == 0
            && a.next.is_subset(&b.next)
    };
    let mut kept: Vec<Way> = Vec::new();
    for way in ways {
        if !kept.iter().any(|other| asks_less(other, &way)) {
            kept.retain(|other| !asks_less(&way, other));
            kept.push(way);
        }
    }
    kept
}
