//! The avoid formula (section 5.2 of M. Kuperstein, M. Vechev, E. Yahav, *Partial-coherence abstractions for relaxed
//! memory models*, PLDI 2011): what makes every violation unreachable.
//!
//! A state is avoided if each transition to it is: because the state it comes from is avoided, or because something
//! forbids the transition itself.
//!
//! > avoid(σ) = ⋀ { avoid(μ) ∨ prevent(t) | t = μ → σ }, and false for an initial state
//!
//! The greatest solution is taken: a cycle that nothing leads into is avoided by everything. It is reached from `true`
//! everywhere by handing on what changed.
//!
//! Where the formula of the violations is true, no execution of the changed program violates anything: its path begins
//! in a state whose formula is false and would end in one whose formula is true, so somewhere on it is a transition whose
//! prevention is true, and that is one no execution takes.
//!
//! The strategy `avoid-formula` needs only the cheapest models of this formula and finds them without it (`demand`); this is
//! the definition that it is held against.
//!
//! The variables may be orders, as in the paper, or what enforces them. Both give the same, since putting a formula in the
//! place of each variable goes through ∧ and ∨; the second has far fewer variables and so smaller diagrams.

use std::collections::VecDeque;

use fencewright_base::{Meter, Stop};
use fencewright_engine::{Order, OrderGraph, Prevention};
use fencewright_logic::{Diagram, Diagrams, Full};

/// States handed on between two questions to the meter.
const TICK_EVERY: usize = 1024;

/// The formula of the state that stands for all violations. `enforced` gives the formula of an order.
pub fn avoid(
    graph: &OrderGraph,
    diagrams: &mut Diagrams,
    enforced: &mut dyn FnMut(&mut Diagrams, Order) -> Result<Diagram, Full>,
    meter: &Meter,
) -> Result<Diagram, Stop> {
    let mut preventions = Vec::with_capacity(graph.preventions.len());
    for prevention in &graph.preventions {
        preventions.push(formula(prevention, diagrams, enforced).map_err(no_room)?);
    }
    let mut first = vec![0; graph.states as usize + 1];
    for transition in &graph.transitions {
        first[transition.from as usize + 1] += 1;
    }
    for state in 0..graph.states as usize {
        first[state + 1] += first[state];
    }
    let mut avoided = vec![Diagram::TRUE; graph.states as usize];
    let mut waiting = vec![false; graph.states as usize];
    let mut open = VecDeque::new();
    for &state in &graph.initial {
        avoided[state as usize] = Diagram::FALSE;
        waiting[state as usize] = true;
        open.push_back(state as usize);
    }
    let mut handed_on = 0;
    while let Some(from) = open.pop_front() {
        handed_on += 1;
        if handed_on % TICK_EVERY == 0 {
            meter.tick()?;
            meter.hold(bytes(graph) + diagrams.bytes())?;
        }
        waiting[from] = false;
        let here = avoided[from];
        for transition in &graph.transitions[first[from]..first[from + 1]] {
            let to = transition.to as usize;
            if avoided[to] == Diagram::FALSE {
                continue;
            }
            let through = diagrams.or(here, preventions[transition.prevention as usize]).map_err(no_room)?;
            let both = diagrams.and(avoided[to], through).map_err(no_room)?;
            if both != avoided[to] {
                avoided[to] = both;
                if !std::mem::replace(&mut waiting[to], true) {
                    open.push_back(to);
                }
            }
        }
    }
    Ok(avoided[graph.bad as usize])
}

/// What forbids a transition, as a formula.
pub(crate) fn formula(
    prevention: &Prevention,
    diagrams: &mut Diagrams,
    enforced: &mut dyn FnMut(&mut Diagrams, Order) -> Result<Diagram, Full>,
) -> Result<Diagram, Full> {
    match prevention {
        Prevention::AnyOf(orders) => orders.iter().try_fold(Diagram::FALSE, |any, &order| {
            let one = enforced(diagrams, order)?;
            diagrams.or(any, one)
        }),
        Prevention::AllOf(orders) => orders.iter().try_fold(Diagram::TRUE, |all, &order| {
            let one = enforced(diagrams, order)?;
            diagrams.and(all, one)
        }),
    }
}

/// The room for nodes is a limit on memory, too.
pub(crate) fn no_room(Full: Full) -> Stop {
    Stop::Memory
}

/// What the graph and the labels take.
fn bytes(graph: &OrderGraph) -> u64 {
    graph.transitions.len() as u64 * 12 + u64::from(graph.states) * 32
}
