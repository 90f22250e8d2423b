//! The strategy `avoid-formula`: the cheapest remedies that make the avoid formula of an abstraction true.
//!
//! The formula is over the remedies themselves (`cut`), so a cheapest model of it is a cheapest choice over all sets of
//! orders and all ways to enforce them together. What it costs is the least *under the abstraction*: executions that only
//! the abstract machine has must be excluded too. The repair is proved by the engine like every other.

use fencewright_base::Stop;
use fencewright_engine::{
    Context, Engine, Guarantee, OrderEngine, Rejected, Task, Unknown, Verdict, run_barriers,
};
use fencewright_ir::edit::Remedy;
use fencewright_logic::Diagrams;

use crate::answer::{Reason, Repair, Repaired, Request, Want};
use crate::arrive::with_arrivals;
use crate::cut::Cuts;
use crate::demand::Demands;
use crate::repair::{MOST_ALTERNATIVES, Search};

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
    let arriving = with_arrivals(request.program);
    let task = Task { program: &arriving, model: request.model, options: request.options.clone() };
    let barriers = match run_barriers(orders, &task) {
        Ok(barriers) => barriers,
        Err(unknown) => return Ok(search.not_inferred(orders, unknown)),
    };
    let mut cuts = Cuts::new(request.program, &arriving, &search.offers, &barriers);
    let enforced = Box::new(move |diagrams: &mut Diagrams, order| cuts.enforced(diagrams, order));
    // A store-store fence that costs no less than a full one is never chosen.
    let store_store = request.costs.store_store < request.costs.full;
    let mut demands = Demands::new(orders, task, store_store, search.offers.len(), enforced);
    let (chosen, cost) = match demands.cheapest(&search.costs, search.context) {
        Ok(Some(cheapest)) => cheapest,
        Ok(None) => {
            let (avoidance, finer) = (demands.avoidance().clone(), orders.finer_abstraction());
            let reason = Reason::Unavoidable { avoidance, finer };
            return Ok(search.not_found(Vec::new(), 0, reason));
        }
        Err(unknown) => return Ok(search.not_inferred(orders, unknown)),
    };
    let (program, proof) = match search.proved(&chosen, cost)? {
        Ok(proved) => proved,
        Err(not_found) => return Ok(not_found),
    };
    let unneeded = search.unneeded(&program)?;
    let remedies = search.evidence(&chosen)?;
    let (alternatives, complete) = alternatives(&mut demands, &mut search, &chosen)?;
    Ok(Repair::Repaired(Box::new(Repaired {
        remedies,
        cost,
        minimum: false,
        avoidance: Some(demands.avoidance().clone()),
        program,
        proof,
        alternatives,
        complete,
        unneeded,
        rounds: 1,
    })))
}

impl Search<'_, '_, '_> {
    /// No repair, because the engine gave no orders.
    fn not_inferred(&self, orders: &dyn OrderEngine, unknown: Unknown) -> Repair {
        let reason = Reason::NotInferred { abstraction: orders.abstraction(), unknown };
        self.not_found(Vec::new(), 0, reason)
    }
}

/// Further repairs as they are wanted, each proved, and whether these are all that the formula gives.
fn alternatives(
    demands: &mut Demands<'_>,
    search: &mut Search<'_, '_, '_>,
    first: &[usize],
) -> Result<(Vec<Vec<Remedy>>, bool), Rejected> {
    let models = match search.request.want {
        Want::One => return Ok((Vec::new(), true)),
        Want::AllMinimum => demands
            .all_cheapest(&search.costs, MOST_ALTERNATIVES + 1, search.context)
            .map(|models| (models.len() <= MOST_ALTERNATIVES, models)),
        Want::AllMinimal => {
            demands.minimal(MOST_ALTERNATIVES, search.context).map(|(models, complete)| (complete, models))
        }
    };
    // What stops the engine here leaves the first repair, which is proved.
    let Ok((mut complete, mut models)) = models else { return Ok((Vec::new(), false)) };
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
