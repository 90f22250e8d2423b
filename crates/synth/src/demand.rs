//! The avoid formula, as far as it is needed: what every violation seen so far demands.
//!
//! Whether given remedies satisfy the avoid formula (`avoid`) can be asked of the engine without having the formula: they do
//! if the transitions that they leave open lead from no initial state to a violation. If they do not, there is an open
//! way, and a part of the formula says that something on it be forbidden:
//!
//! > demand(way) = ⋁ { prevent(t) | t on the way }
//!
//! The conjunction of what the ways seen demand is weaker than the formula: where it is false, the formula is. So if a
//! cheapest model of it satisfies the formula, that is a cheapest model of the formula, and likewise with all cheapest
//! and with all minimal models. If not, the way that is still open demands something that the model does not give, and
//! the conjunction grows. There are finitely many models, so that ends. (The same loop over real executions is in
//! `repair`.)
//!
//! The whole graph, which is mostly states that every repair excludes, is never built. First everything is put in at
//! once: if that leaves a way open, nothing forbids it, and its demand is false.

use std::collections::{BTreeSet, HashMap};

use fencewright_base::{Index, Stop};
use fencewright_engine::{Context, Order, OrderEngine, Prevention, Task, Unknown, run_open_way};
use fencewright_ir::Program;
use fencewright_logic::{Diagram, Diagrams, Full};

use crate::answer::Avoidance;
use crate::avoid::{formula, no_room};

/// Room for nodes of diagrams: some 100 MB, taken as it is used.
const NODES: usize = 1 << 22;

/// The formula of an order: which remedies enforce it.
pub type Enforced<'a> = Box<dyn FnMut(&mut Diagrams, Order) -> Result<Diagram, Full> + 'a>;

/// Every order is enforced by a fence right behind its write, and by no other: remedy `i` stands behind statement `i`.
///
/// Section 5.2 of the paper calls a trace avoidable because a fence can stand there; it does not say where BLENDER puts
/// them. Fences elsewhere enforce more orders at once, so this is an upper bound of what a choice of orders costs.
pub fn behind_writes(program: &Program) -> Enforced<'_> {
    Box::new(|diagrams, Order { thread, write, .. }| {
        diagrams.variable(program.edge(thread, write).step.statement.index())
    })
}

/// What is known of the avoid formula of a task over some remedies.
pub struct Demands<'a> {
    orders: &'a dyn OrderEngine,
    task: Task<'a>,
    store_store: bool,
    enforced: Enforced<'a>,
    diagrams: Diagrams,
    /// Where this is false, the avoid formula is.
    known: Diagram,
    /// Sets of remedies that satisfy the avoid formula.
    satisfying: BTreeSet<Vec<usize>>,
    /// How many remedies there are.
    remedies: usize,
    avoidance: Avoidance,
}

impl<'a> Demands<'a> {
    /// Nothing is known yet. Remedies are numbered from 0; `enforced` says which of them enforce an order. Unless
    /// `store_store` is set, only orders of full fences are asked for.
    pub fn new(
        orders: &'a dyn OrderEngine,
        task: Task<'a>,
        store_store: bool,
        remedies: usize,
        enforced: Enforced<'a>,
    ) -> Self {
        Self {
            orders,
            task,
            store_store,
            enforced,
            diagrams: Diagrams::new(remedies, NODES),
            known: Diagram::TRUE,
            satisfying: BTreeSet::new(),
            remedies,
            avoidance: Avoidance {
                abstraction: orders.abstraction(),
                searches: 0,
                states: 0,
                transitions: 0,
            },
        }
    }

    /// What has been done so far.
    pub fn avoidance(&self) -> &Avoidance {
        &self.avoidance
    }

    /// A cheapest set of remedies that satisfies the avoid formula, and its cost; `None` if there is no such set.
    pub fn cheapest<'c>(
        &mut self,
        costs: &[u64],
        context: &mut dyn FnMut() -> Context<'c>,
    ) -> Result<Option<(Vec<usize>, u64)>, Unknown> {
        let everything: Vec<usize> = (0..self.remedies).collect();
        self.satisfies(&everything, context)?;
        loop {
            let Some((chosen, cost)) = self.diagrams.cheapest(self.known, costs) else { return Ok(None) };
            if self.satisfies(&chosen, context)? {
                return Ok(Some((chosen, cost)));
            }
        }
    }

    /// All cheapest sets that satisfy the avoid formula, or the first `limit` of them.
    pub fn all_cheapest<'c>(
        &mut self,
        costs: &[u64],
        limit: usize,
        context: &mut dyn FnMut() -> Context<'c>,
    ) -> Result<Vec<Vec<usize>>, Unknown> {
        loop {
            let models = self.diagrams.all_cheapest(self.known, costs, limit);
            if self.all_satisfy(&models, context)? {
                return Ok(models);
            }
        }
    }

    /// All minimal sets that satisfy the avoid formula, or the first `limit` of them; and whether these are all.
    pub fn minimal<'c>(
        &mut self,
        limit: usize,
        context: &mut dyn FnMut() -> Context<'c>,
    ) -> Result<(Vec<Vec<usize>>, bool), Unknown> {
        loop {
            let (models, complete) = self.diagrams.minimal(self.known, limit);
            if self.all_satisfy(&models, context)? {
                return Ok((models, complete));
            }
        }
    }

    fn all_satisfy<'c>(
        &mut self,
        models: &[Vec<usize>],
        context: &mut dyn FnMut() -> Context<'c>,
    ) -> Result<bool, Unknown> {
        let mut all = true;
        for model in models {
            // A way that was seen meanwhile may rule it out.
            all &= self.diagrams.is_model(self.known, model) && self.satisfies(model, context)?;
        }
        Ok(all)
    }

    /// Whether the remedies satisfy the avoid formula. If not, more of it is known then.
    fn satisfies<'c>(
        &mut self,
        chosen: &[usize],
        context: &mut dyn FnMut() -> Context<'c>,
    ) -> Result<bool, Unknown> {
        if self.satisfying.contains(chosen) {
            return Ok(true);
        }
        let stopped = |stop: Stop| Unknown::Stopped { stop, explored: None };
        let context = &mut context();
        let Self { enforced, diagrams, .. } = self;
        let (mut known, mut full) = (HashMap::new(), false);
        let mut is_enforced = |order: Order| {
            *known.entry(order).or_insert_with(|| match enforced(diagrams, order) {
                Ok(formula) => diagrams.is_model(formula, chosen),
                Err(Full) => {
                    full = true;
                    false
                }
            })
        };
        let way = run_open_way(self.orders, &self.task, self.store_store, &mut is_enforced, context);
        let Avoidance { abstraction: _, searches, states, transitions } = &mut self.avoidance;
        *searches += 1;
        if context.statistics.states > *states {
            (*states, *transitions) = (context.statistics.states, context.statistics.transitions);
        }
        if full {
            return Err(stopped(Stop::Memory));
        }
        match way? {
            None => {
                self.satisfying.insert(chosen.to_vec());
                Ok(true)
            }
            Some(way) => {
                self.demand(&way).map_err(|full| stopped(no_room(full)))?;
                Ok(false)
            }
        }
    }

    /// Something on the way must be forbidden.
    fn demand(&mut self, way: &[Prevention]) -> Result<(), Full> {
        let Self { enforced, diagrams, known, .. } = self;
        let mut something = Diagram::FALSE;
        for prevention in way {
            let forbidden = formula(prevention, diagrams, enforced)?;
            something = diagrams.or(something, forbidden)?;
        }
        *known = diagrams.and(*known, something)?;
        Ok(())
    }
}
