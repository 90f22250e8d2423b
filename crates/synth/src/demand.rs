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

use fencewright_base::Stop;
use fencewright_engine::{Context, Options, Order, OrderEngine, Prevention, Task, Unknown, run_open_way};
use fencewright_ir::Program;
use fencewright_ir::edit::Remedy;
use fencewright_logic::{Diagram, Diagrams, Full};

use crate::answer::{Avoidance, Request};
use crate::avoid::{formula, no_room};
use crate::cut::Cuts;

/// Room for nodes of diagrams: some 100 MB, taken as it is used.
const NODES: usize = 1 << 22;

/// What is known of the avoid formula of a program over its remedies.
pub(crate) struct Demands<'a> {
    orders: &'a dyn OrderEngine,
    task: Task<'a>,
    store_store: bool,
    cuts: Cuts<'a>,
    diagrams: Diagrams,
    /// Where this is false, the avoid formula is.
    known: Diagram,
    /// Sets of remedies that satisfy the avoid formula.
    satisfying: BTreeSet<Vec<usize>>,
    /// How many remedies there are.
    offers: usize,
    pub(crate) avoidance: Avoidance,
}

impl<'a> Demands<'a> {
    /// Nothing is known. `program` is the request's with arrivals (`arrive`).
    pub(crate) fn new(
        orders: &'a dyn OrderEngine,
        request: &'a Request<'_>,
        program: &'a Program,
        offers: &[Remedy],
    ) -> Self {
        let options: Options = request.options.clone();
        let task = Task { program, model: request.model, options };
        let barriers = orders.barriers(&task);
        Self {
            orders,
            task,
            // A store-store fence that costs no less than a full one is never chosen.
            store_store: request.costs.store_store < request.costs.full,
            cuts: Cuts::new(request.program, program, offers, &barriers),
            diagrams: Diagrams::new(offers.len(), NODES),
            known: Diagram::TRUE,
            satisfying: BTreeSet::new(),
            offers: offers.len(),
            avoidance: Avoidance { abstraction: orders.abstraction(), searches: 0, states: 0, transitions: 0 },
        }
    }

    /// A cheapest set of remedies that satisfies the avoid formula, and its cost; `None` if there is no such set.
    pub(crate) fn cheapest<'c>(
        &mut self,
        costs: &[u64],
        context: &mut dyn FnMut() -> Context<'c>,
    ) -> Result<Option<(Vec<usize>, u64)>, Unknown> {
        let everything: Vec<usize> = (0..self.offers).collect();
        self.satisfies(&everything, context)?;
        loop {
            let Some((chosen, cost)) = self.diagrams.cheapest(self.known, costs) else { return Ok(None) };
            if self.satisfies(&chosen, context)? {
                return Ok(Some((chosen, cost)));
            }
        }
    }

    /// All cheapest sets that satisfy the avoid formula, or the first `limit` of them.
    pub(crate) fn all_cheapest<'c>(
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
    pub(crate) fn minimal<'c>(
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
        let Self { cuts, diagrams, .. } = self;
        let (mut enforced, mut full) = (HashMap::new(), false);
        let mut is_enforced = |order: Order| {
            *enforced.entry(order).or_insert_with(|| match cuts.enforced(diagrams, order) {
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
        let Self { cuts, diagrams, known, .. } = self;
        let mut enforced = |diagrams: &mut Diagrams, order| cuts.enforced(diagrams, order);
        let mut something = Diagram::FALSE;
        for prevention in way {
            let forbidden = formula(prevention, diagrams, &mut enforced)?;
            something = diagrams.or(something, forbidden)?;
        }
        *known = diagrams.and(*known, something)?;
        Ok(())
    }
}
