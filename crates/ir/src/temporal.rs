//! What must hold of whole executions: formulae of linear temporal logic over conditions on states, or automata that
//! describe what must not happen.
//!
//! [`Formula`] has few operators; the others are built from them by the functions of the same names. What a formula
//! means on an execution, and which executions count as fair, is defined in the crate `memory`.

use fencewright_base::Span;

use crate::{Expr, StateAtom};

/// A property of whole executions. It is violated by an execution that goes on for ever, or comes to rest, that is fair
/// and does not do what is claimed.
#[derive(Debug, Clone, PartialEq)]
pub struct Temporal {
    /// What is claimed of every fair execution.
    pub claim: Claim,
    /// Which executions count.
    pub fairness: Fairness,
    /// How the user wrote it.
    pub text: String,
    /// Where it is written.
    pub span: Option<Span>,
}

impl Temporal {
    /// Calls `visit` for every part of the state that the claim looks at.
    pub fn for_each_atom(&self, visit: &mut dyn FnMut(&StateAtom)) {
        self.claim.for_each_condition(&mut |condition| condition.for_each_atom(visit));
    }
}

/// What is claimed of every fair execution.
#[derive(Debug, Clone, PartialEq)]
pub enum Claim {
    /// It satisfies the formula.
    Formula(Formula),
    /// The automaton does not accept it.
    Never(Never),
}

impl Claim {
    /// Calls `visit` for every condition, in order.
    pub fn for_each_condition(&self, visit: &mut dyn FnMut(&Expr<StateAtom>)) {
        match self {
            Claim::Formula(formula) => formula.for_each_condition(visit),
            Claim::Never(never) => {
                never.states.iter().flat_map(|state| &state.moves).for_each(|step| visit(&step.when));
            }
        }
    }

    /// The same claim with other conditions.
    #[must_use]
    pub fn map_conditions(&self, f: &mut dyn FnMut(&Expr<StateAtom>) -> Expr<StateAtom>) -> Claim {
        match self {
            Claim::Formula(formula) => Claim::Formula(formula.map_conditions(f)),
            Claim::Never(never) => {
                let mut never = never.clone();
                for step in never.states.iter_mut().flat_map(|state| &mut state.moves) {
                    step.when = f(&step.when);
                }
                Claim::Never(never)
            }
        }
    }
}

/// A Büchi automaton that describes what must not happen: a property process of DVE, a never claim. It makes one move a
/// moment, and accepts an execution if a run of it passes accepting states again and again. A run that cannot move ends
/// and accepts nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Never {
    /// The states. The first is where it starts; without states it accepts nothing.
    pub states: Vec<NeverState>,
}

/// A state of such an automaton.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NeverState {
    /// Whether it is an accepting one.
    pub accepting: bool,
    /// The moves from it.
    pub moves: Vec<NeverMove>,
}

/// A move of such an automaton.
#[derive(Debug, Clone, PartialEq)]
pub struct NeverMove {
    /// The condition on the state of the moment.
    pub when: Expr<StateAtom>,
    /// The number of the state it leads to.
    pub to: u32,
}

/// Which executions count.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub struct Fairness {
    /// Only those in which no write is pending for ever.
    pub flush: bool,
    /// Only those in which no thread can go on from some point on and never does (weak fairness).
    pub process: bool,
}

impl Default for Fairness {
    /// Writes reach memory; threads may be left waiting.
    fn default() -> Self {
        Self { flush: true, process: false }
    }
}

/// A formula of linear temporal logic. Every action of an execution, a flush too, is one moment.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Formula {
    /// True or false whatever happens.
    Const(bool),
    /// The condition holds now. One without a value, such as a division by zero, does not.
    Now(Expr<StateAtom>),
    /// Not.
    Not(Box<Formula>),
    /// Both.
    And(Box<Formula>, Box<Formula>),
    /// One or both.
    Or(Box<Formula>, Box<Formula>),
    /// At the next moment.
    Next(Box<Formula>),
    /// The second at some moment from now on, and the first at all moments before it.
    Until(Box<Formula>, Box<Formula>),
    /// The second up to and including the moment at which the first holds, or for ever.
    Release(Box<Formula>, Box<Formula>),
}

impl Formula {
    /// How deep a formula of a valid program may be nested: whoever reads one may do so recursively.
    pub const MAX_DEPTH: usize = 200;

    /// How deep it is nested; 0 for one without operands.
    pub fn depth(&self) -> usize {
        match self {
            Formula::Const(_) | Formula::Now(_) => 0,
            Formula::Not(a) | Formula::Next(a) => 1 + a.depth(),
            Formula::And(a, b) | Formula::Or(a, b) | Formula::Until(a, b) | Formula::Release(a, b) => {
                1 + a.depth().max(b.depth())
            }
        }
    }

    /// Whether it has an `X`. A formula without one cannot tell executions apart that differ only in how long they stay
    /// in a state.
    pub fn has_next(&self) -> bool {
        match self {
            Formula::Const(_) | Formula::Now(_) => false,
            Formula::Next(_) => true,
            Formula::Not(a) => a.has_next(),
            Formula::And(a, b) | Formula::Or(a, b) | Formula::Until(a, b) | Formula::Release(a, b) => {
                a.has_next() || b.has_next()
            }
        }
    }

    /// `!self`.
    #[must_use]
    #[allow(clippy::should_implement_trait, reason = "builds a tree; operator syntax would hide that")]
    pub fn not(self) -> Self {
        Formula::Not(Box::new(self))
    }

    /// `self && other`.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Formula::And(Box::new(self), Box::new(other))
    }

    /// `self || other`.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Formula::Or(Box::new(self), Box::new(other))
    }

    /// `self -> other`.
    #[must_use]
    pub fn implies(self, other: Self) -> Self {
        self.not().or(other)
    }

    /// `self <-> other`. Both are there twice in it.
    #[must_use]
    pub fn equivalent(self, other: Self) -> Self {
        let neither = self.clone().not().and(other.clone().not());
        self.and(other).or(neither)
    }

    /// `X self`.
    #[must_use]
    pub fn next(self) -> Self {
        Formula::Next(Box::new(self))
    }

    /// `F self`: at some moment from now on.
    #[must_use]
    pub fn finally(self) -> Self {
        Formula::Const(true).until(self)
    }

    /// `G self`: at all moments from now on.
    #[must_use]
    pub fn globally(self) -> Self {
        Formula::Const(false).release(self)
    }

    /// `self U other`.
    #[must_use]
    pub fn until(self, other: Self) -> Self {
        Formula::Until(Box::new(self), Box::new(other))
    }

    /// `self R other`.
    #[must_use]
    pub fn release(self, other: Self) -> Self {
        Formula::Release(Box::new(self), Box::new(other))
    }

    /// `self W other`: until, or `self` for ever.
    #[must_use]
    pub fn weak_until(self, other: Self) -> Self {
        other.clone().release(self.or(other))
    }

    /// `self M other`: release, and `self` at some moment.
    #[must_use]
    pub fn strong_release(self, other: Self) -> Self {
        other.clone().until(self.and(other))
    }

    /// Calls `visit` for every condition, from left to right.
    pub fn for_each_condition(&self, visit: &mut dyn FnMut(&Expr<StateAtom>)) {
        match self {
            Formula::Const(_) => {}
            Formula::Now(condition) => visit(condition),
            Formula::Not(a) | Formula::Next(a) => a.for_each_condition(visit),
            Formula::And(a, b) | Formula::Or(a, b) | Formula::Until(a, b) | Formula::Release(a, b) => {
                a.for_each_condition(visit);
                b.for_each_condition(visit);
            }
        }
    }

    /// The same formula with other conditions.
    #[must_use]
    pub fn map_conditions(&self, f: &mut dyn FnMut(&Expr<StateAtom>) -> Expr<StateAtom>) -> Formula {
        match self {
            Formula::Const(value) => Formula::Const(*value),
            Formula::Now(condition) => Formula::Now(f(condition)),
            Formula::Not(a) => a.map_conditions(f).not(),
            Formula::Next(a) => a.map_conditions(f).next(),
            Formula::And(a, b) => a.map_conditions(f).and(b.map_conditions(f)),
            Formula::Or(a, b) => a.map_conditions(f).or(b.map_conditions(f)),
            Formula::Until(a, b) => a.map_conditions(f).until(b.map_conditions(f)),
            Formula::Release(a, b) => a.map_conditions(f).release(b.map_conditions(f)),
        }
    }
}
