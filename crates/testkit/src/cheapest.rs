//! The cheapest repair by trying everything: at every site no fence, a store-store fence or a full one, cheapest choices
//! first, each explored by the [oracle](crate::reference). The judge of the repair: nothing here is shared with `synth`.
//!
//! *Limits:* three to the power of the sites; [`MOST_SITES`] of them are the most. A choice that the oracle can neither
//! prove nor refute (a buffer met its cap, or the graph is too large) makes the answer undecided, unless a cheaper one
//! is proved.

use fencewright_base::{Budget, CancelToken, Meter};
use fencewright_ir::edit::insert_fence;
use fencewright_ir::{FenceKind, Program, Site, sites};
use fencewright_memory::{Machine, Model};

use crate::reference::{Limits, explore};

/// Programs with more sites are not tried.
pub const MOST_SITES: usize = 6;

/// What fences cost.
#[derive(Debug, Copy, Clone)]
pub struct Prices {
    /// A full fence.
    pub full: u64,
    /// A store-store fence.
    pub store_store: u64,
    /// Added for each loop around it.
    pub per_loop: u64,
}

/// How far the oracle goes for each choice.
#[derive(Debug, Clone)]
pub struct Effort {
    /// The bound on pending writes.
    pub limits: Limits,
    /// The most states.
    pub states: u64,
}

/// What the oracle says of a program.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum Judgement {
    /// It is violated.
    Violated,
    /// It is not, with buffers of any length.
    Proved,
    /// It is not as far as the oracle went.
    Open,
}

/// The cheapest repair.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum Cheapest {
    /// It costs this; 0 if nothing has to be done.
    Costs(u64),
    /// Every choice is violated.
    None,
    /// The oracle does not know whether a cheaper choice is one.
    Undecided,
}

/// What the plain oracle says.
pub fn judge(program: &Program, model: Model, effort: &Effort) -> Judgement {
    let budget = Budget { states: Some(effort.states), ..Budget::default() };
    let meter = Meter::start(budget, CancelToken::new());
    match explore(&Machine::new(program, model), &effort.limits, &meter) {
        Ok(graph) if graph.violation.is_some() => Judgement::Violated,
        Ok(graph) if !graph.met_cap => Judgement::Proved,
        Ok(_) | Err(_) => Judgement::Open,
    }
}

/// The cheapest repair by fences. `None` if there are too many sites.
pub fn cheapest(program: &Program, model: Model, prices: &Prices, effort: &Effort) -> Option<Cheapest> {
    let sites = sites(program);
    if sites.len() > MOST_SITES {
        return None;
    }
    let mut choices = choices(program, &sites, prices);
    choices.sort_by_key(|(cost, _)| *cost);
    for (cost, fences) in choices {
        let fenced =
            fences.iter().fold(program.clone(), |program, &(site, kind)| insert_fence(&program, site, kind));
        match judge(&fenced, model, effort) {
            Judgement::Violated => {}
            Judgement::Proved => return Some(Cheapest::Costs(cost)),
            Judgement::Open => return Some(Cheapest::Undecided),
        }
    }
    Some(Cheapest::None)
}

type Choice = (u64, Vec<(Site, FenceKind)>);

fn choices(program: &Program, sites: &[Site], prices: &Prices) -> Vec<Choice> {
    let mut all: Vec<Choice> = vec![(0, Vec::new())];
    for &site in sites {
        let loops = u64::from(program.statements[site.statement].loop_depth) * prices.per_loop;
        let kinds = [(FenceKind::StoreStore, prices.store_store), (FenceKind::Full, prices.full)];
        let without = all.clone();
        for (kind, price) in kinds {
            all.extend(without.iter().map(|(cost, fences)| {
                (cost + price + loops, fences.iter().copied().chain([(site, kind)]).collect())
            }));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy::{Toy, eq, reg};

    /// Two threads; each writes its cell and reads the other's, and both miss.
    fn store_buffering() -> Program {
        let mut p = Toy::new("SB");
        let [x, y] = p.vars(["x", "y"]);
        let mut half = |own, other| {
            p.thread(|t| {
                let r = t.reg("r");
                t.write(own, 1);
                t.read(r, other);
                r
            })
        };
        let ((t0, r0), (t1, r1)) = (half(x, y), half(y, x));
        p.never(eq(reg(t0, r0), 0).and(eq(reg(t1, r1), 0)));
        let mut program = p.finish();
        // One site between the two statements of each thread is enough to try.
        for statement in program.statements.iter_mut() {
            statement.fence_before = false;
        }
        program
    }

    #[test]
    fn store_buffering_needs_a_full_fence_in_each_thread() {
        let prices = Prices { full: 10, store_store: 4, per_loop: 1 };
        let effort = Effort { limits: Limits::buffer(2), states: 1000 };
        let program = store_buffering();
        let found = |model| cheapest(&program, model, &prices, &effort);
        assert_eq!(found(Model::Sc), Some(Cheapest::Costs(0)));
        assert_eq!(found(Model::Tso), Some(Cheapest::Costs(20)));
        assert_eq!(found(Model::Pso), Some(Cheapest::Costs(20)));
        let mut closed = program.clone();
        closed.statements.iter_mut().for_each(|statement| statement.fence_after = false);
        assert_eq!(cheapest(&closed, Model::Tso, &prices, &effort), Some(Cheapest::None));
        let shallow = Effort { limits: Limits::buffer(0), states: 1000 };
        assert_eq!(cheapest(&program, Model::Tso, &prices, &shallow), Some(Cheapest::Undecided));
    }
}
