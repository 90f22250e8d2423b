//! The strategy `avoid-formula`: the cheapest remedies that make the avoid formula of an abstraction true.
//!
//! The formula is over the remedies themselves (`cut`), so a cheapest model of it is a cheapest choice over all sets of
//! orders and all ways to enforce them together. What it costs is the least *under the abstraction*: executions that only
//! the abstract machine has must be excluded too. The repair is proved by the engine like every other.

use fencewright_base::Stop;
use fencewright_engine::{
    Context, Engine, Guarantee, OrderEngine, Rejected, Task, Unknown, Verdict, run_orders,
};
use fencewright_ir::edit::Remedy;
use fencewright_logic::{Diagram, Diagrams};

use crate::answer::{Avoidance, Reason, Repair, Repaired, Request, Want};
use crate::arrive::with_arrivals;
use crate::avoid::avoid;
use crate::cut::Cuts;
use crate::repair::{MOST_ALTERNATIVES, Search};

/// Room for nodes of diagrams: some 100 MB, taken as it is used.
const NODES: usize = 1 << 22;

/// The repair that the avoid formula gives.
pub(crate) fn repair<'c>(
    engine: &dyn Engine,
    orders: &dyn OrderEngine,
    request: &Request<'_>,
    context: &mut dyn FnMut() -> Context<'c>,
) -> Result<Repair, Rejected> {
    let mut search = Search::new(engine, request, context);
    if let Some(settled) = search.settled_as_it_is()? {
        return Ok(settled);
    }
    let inferred = Formula::new(orders, request, &search.offers, &mut (search.context)());
    let formula = match inferred {
        Ok(formula) => formula,
        Err(unknown) => {
            let reason = Reason::NotInferred { abstraction: orders.abstraction(), unknown };
            return Ok(search.not_found(Vec::new(), 0, reason));
        }
    };
    let Some((chosen, cost)) = formula.diagrams.cheapest(formula.root, &search.costs) else {
        let (abstraction, finer) = (orders.abstraction(), orders.finer_abstraction());
        return Ok(search.not_found(Vec::new(), 0, Reason::Unavoidable { abstraction, finer }));
    };
    let (program, proof) = match search.proved(&chosen, cost)? {
        Ok(proved) => proved,
        Err(not_found) => return Ok(not_found),
    };
    let unneeded = search.unneeded(&program)?;
    let remedies = search.evidence(&chosen)?;
    let (alternatives, complete) = formula.alternatives(&mut search, &chosen)?;
    Ok(Repair::Repaired(Box::new(Repaired {
        remedies,
        cost,
        minimum: false,
        avoidance: Some(formula.avoidance),
        program,
        proof,
        alternatives,
        complete,
        unneeded,
        rounds: 1,
    })))
}

/// The avoid formula of a program over its remedies.
struct Formula {
    diagrams: Diagrams,
    root: Diagram,
    avoidance: Avoidance,
}

impl Formula {
    fn new(
        orders: &dyn OrderEngine,
        request: &Request<'_>,
        offers: &[Remedy],
        context: &mut Context<'_>,
    ) -> Result<Self, Unknown> {
        let program = with_arrivals(request.program);
        let task = Task { program: &program, model: request.model, options: request.options.clone() };
        // A store-store fence that costs no less than a full one is never chosen.
        let store_store = request.costs.store_store < request.costs.full;
        let graph = run_orders(orders, &task, store_store, context)?;
        let mut diagrams = Diagrams::new(offers.len(), NODES);
        let mut cuts = Cuts::new(request.program, &program, offers, &graph.barriers);
        let mut enforced = |diagrams: &mut Diagrams, order| cuts.enforced(diagrams, order);
        let stopped = |stop: Stop| Unknown::Stopped { stop, explored: None };
        let root = avoid(&graph, &mut diagrams, &mut enforced, &context.meter).map_err(stopped)?;
        let avoidance = Avoidance {
            abstraction: orders.abstraction(),
            states: u64::from(graph.states) - 1,
            transitions: graph.transitions.len() as u64,
        };
        Ok(Self { diagrams, root, avoidance })
    }

    /// Further repairs as they are wanted, each proved, and whether these are all that the formula gives.
    fn alternatives(
        &self,
        search: &mut Search<'_, '_, '_>,
        first: &[usize],
    ) -> Result<(Vec<Vec<Remedy>>, bool), Rejected> {
        let (mut models, mut complete) = match search.request.want {
            Want::One => return Ok((Vec::new(), true)),
            Want::AllMinimum => {
                let models = self.diagrams.all_cheapest(self.root, &search.costs, MOST_ALTERNATIVES + 1);
                let complete = models.len() <= MOST_ALTERNATIVES;
                (models, complete)
            }
            Want::AllMinimal => self.diagrams.minimal(self.root, MOST_ALTERNATIVES),
        };
        let cost = |model: &Vec<usize>| -> u64 { model.iter().map(|&i| search.costs[i]).sum() };
        models.sort_by_cached_key(|model| (cost(model), model.clone()));
        let mut all = Vec::new();
        for model in models.into_iter().filter(|model| model != first) {
            let program = search.repaired(&model);
            let answer = search.ask(&program, search.request.model)?;
            match answer.verdict {
                Verdict::Holds(Guarantee::Unbounded) => all.push(search.remedies(&model)),
                Verdict::Unknown(Unknown::Stopped { stop: Stop::Cancelled | Stop::Time, .. }) => {
                    return Ok((all, false));
                }
                Verdict::Holds(Guarantee::UpTo(_)) | Verdict::Violated(_) | Verdict::Unknown(_) => {
                    complete = false;
                }
            }
        }
        Ok((all, complete))
    }
}
