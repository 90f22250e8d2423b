//! Formulae in negation normal form, each stored once, simplified as they are made.
//!
//! Every rewriting keeps the meaning on every execution; `docs/engines/ltl.md` lists them. They are the usual ones (F.
//! Somenzi, R. Bloem, *Efficient Büchi automata from LTL formulae*, CAV 2000, section 3, for `U`, `R` and `X`).

use std::collections::HashMap;

use fencewright_ir::{Expr, Formula, StateAtom};

/// A formula of a [`Store`].
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Id(u32);

/// One operator over formulae of the same store.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    True,
    False,
    /// A condition by its number, and whether it must hold.
    Literal(u32, bool),
    And(Id, Id),
    Or(Id, Id),
    Next(Id),
    Until(Id, Id),
    Release(Id, Id),
}

/// Formulae, each once.
#[derive(Debug, Default)]
pub(crate) struct Store {
    nodes: Vec<Node>,
    known: HashMap<Node, Id>,
    /// What the literals speak of.
    pub(crate) conditions: Vec<Expr<StateAtom>>,
}

impl Store {
    pub(crate) fn node(&self, id: Id) -> Node {
        self.nodes[id.0 as usize]
    }

    fn make(&mut self, node: Node) -> Id {
        let Store { nodes, known, .. } = self;
        *known.entry(node).or_insert_with(|| {
            nodes.push(node);
            Id(nodes.len() as u32 - 1)
        })
    }

    pub(crate) fn constant(&mut self, value: bool) -> Id {
        self.make(if value { Node::True } else { Node::False })
    }

    /// The formula, or its negation, with negations at conditions only.
    pub(crate) fn add(&mut self, formula: &Formula, negated: bool) -> Id {
        let mut both = |a: &Formula, b: &Formula| (self.add(a, negated), self.add(b, negated));
        match formula {
            Formula::Const(value) => self.constant(*value != negated),
            Formula::Now(condition) => {
                let number =
                    self.conditions.iter().position(|known| known == condition).unwrap_or_else(|| {
                        self.conditions.push(condition.clone());
                        self.conditions.len() - 1
                    });
                self.make(Node::Literal(number as u32, !negated))
            }
            Formula::Not(a) => self.add(a, !negated),
            Formula::Next(a) => {
                let a = self.add(a, negated);
                self.next(a)
            }
            Formula::And(a, b) => {
                let (a, b) = both(a, b);
                if negated { self.or(a, b) } else { self.and(a, b) }
            }
            Formula::Or(a, b) => {
                let (a, b) = both(a, b);
                if negated { self.and(a, b) } else { self.or(a, b) }
            }
            Formula::Until(a, b) => {
                let (a, b) = both(a, b);
                if negated { self.release(a, b) } else { self.until(a, b) }
            }
            Formula::Release(a, b) => {
                let (a, b) = both(a, b);
                if negated { self.until(a, b) } else { self.release(a, b) }
            }
        }
    }

    fn and(&mut self, a: Id, b: Id) -> Id {
        match (self.node(a), self.node(b)) {
            (Node::True, _) => b,
            (_, Node::True) => a,
            (Node::False, _) | (_, Node::False) => self.constant(false),
            _ if a == b => a,
            (Node::Literal(p, yes), Node::Literal(q, other)) if p == q && yes != other => {
                self.constant(false)
            }
            (Node::Or(c, d), _) if c == b || d == b => b,
            (_, Node::Or(c, d)) if c == a || d == a => a,
            (Node::Next(c), Node::Next(d)) => {
                let both = self.and(c, d);
                self.next(both)
            }
            // (a R b) && (a R c) = a R (b && c), of which G b && G c is one.
            (Node::Release(c, d), Node::Release(e, f)) if c == e => {
                let both = self.and(d, f);
                self.release(c, both)
            }
            // (a U c) && (b U c) = (a && b) U c.
            (Node::Until(c, d), Node::Until(e, f)) if d == f => {
                let both = self.and(c, e);
                self.until(both, d)
            }
            // F G a && F G b = F G (a && b).
            (Node::Until(t, c), Node::Until(_, d)) if self.is_eventually_always(a, b) => {
                let both = self.and(c, d);
                self.until(t, both)
            }
            _ => self.make(Node::And(a.min(b), a.max(b))),
        }
    }

    fn or(&mut self, a: Id, b: Id) -> Id {
        match (self.node(a), self.node(b)) {
            (Node::False, _) => b,
            (_, Node::False) => a,
            (Node::True, _) | (_, Node::True) => self.constant(true),
            _ if a == b => a,
            (Node::Literal(p, yes), Node::Literal(q, other)) if p == q && yes != other => self.constant(true),
            (Node::And(c, d), _) if c == b || d == b => b,
            (_, Node::And(c, d)) if c == a || d == a => a,
            (Node::Next(c), Node::Next(d)) => {
                let either = self.or(c, d);
                self.next(either)
            }
            // (a U b) || (a U c) = a U (b || c), of which F b || F c is one.
            (Node::Until(c, d), Node::Until(e, f)) if c == e => {
                let either = self.or(d, f);
                self.until(c, either)
            }
            // (a R c) || (b R c) = (a || b) R c.
            (Node::Release(c, d), Node::Release(e, f)) if d == f => {
                let either = self.or(c, e);
                self.release(either, d)
            }
            // G F a || G F b = G F (a || b).
            (Node::Release(f, c), Node::Release(_, d)) if self.is_always_eventually(a, b) => {
                let either = self.or(c, d);
                self.release(f, either)
            }
            _ => self.make(Node::Or(a.min(b), a.max(b))),
        }
    }

    fn next(&mut self, a: Id) -> Id {
        match self.node(a) {
            Node::True | Node::False => a,
            // Whether something holds again and again, or from some moment on, is the same a moment later.
            Node::Until(..) | Node::Release(..)
                if self.is_eventually_always(a, a) || self.is_always_eventually(a, a) =>
            {
                a
            }
            _ => self.make(Node::Next(a)),
        }
    }

    fn until(&mut self, a: Id, b: Id) -> Id {
        match (self.node(a), self.node(b)) {
            (_, Node::True | Node::False) | (Node::False, _) => b,
            _ if a == b => b,
            // a U (a U b) = a U b; F (a U b) = F b.
            (_, Node::Until(c, _)) if c == a => b,
            (Node::True, Node::Until(_, d)) => self.until(a, d),
            // F G F b = G F b.
            (Node::True, Node::Release(..)) if self.is_always_eventually(b, b) => b,
            // X a U X b = X (a U b); F X b = X F b.
            (Node::Next(c), Node::Next(d)) => {
                let until = self.until(c, d);
                self.next(until)
            }
            (Node::True, Node::Next(d)) => {
                let until = self.until(a, d);
                self.next(until)
            }
            _ => self.make(Node::Until(a, b)),
        }
    }

    fn release(&mut self, a: Id, b: Id) -> Id {
        match (self.node(a), self.node(b)) {
            (_, Node::True | Node::False) | (Node::True, _) => b,
            _ if a == b => b,
            // The same as for `U`, with everything turned round.
            (_, Node::Release(c, _)) if c == a => b,
            (Node::False, Node::Release(_, d)) => self.release(a, d),
            (Node::False, Node::Until(..)) if self.is_eventually_always(b, b) => b,
            (Node::Next(c), Node::Next(d)) => {
                let release = self.release(c, d);
                self.next(release)
            }
            (Node::False, Node::Next(d)) => {
                let release = self.release(a, d);
                self.next(release)
            }
            _ => self.make(Node::Release(a, b)),
        }
    }

    /// Whether both have the form `F G …`.
    fn is_eventually_always(&self, a: Id, b: Id) -> bool {
        [a, b].iter().all(|&id| match self.node(id) {
            Node::Until(t, g) if self.node(t) == Node::True => {
                matches!(self.node(g), Node::Release(f, _) if self.node(f) == Node::False)
            }
            _ => false,
        })
    }

    /// Whether both have the form `G F …`.
    fn is_always_eventually(&self, a: Id, b: Id) -> bool {
        [a, b].iter().all(|&id| match self.node(id) {
            Node::Release(f, e) if self.node(f) == Node::False => {
                matches!(self.node(e), Node::Until(t, _) if self.node(t) == Node::True)
            }
            _ => false,
        })
    }
}
