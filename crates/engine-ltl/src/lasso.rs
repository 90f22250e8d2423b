//! From an accepting path of the product to an execution of the concrete machine: each transition is expanded again,
//! this time recording what is done, until one comes out that leads where the path goes and has the same marks. Two
//! actions that cannot be told apart so are equally fair.

use fencewright_explore::{AcceptingPath, MarkedSystem, Marks};
use fencewright_ir::Program;
use fencewright_memory::{Action, ReplayError, Trace, replay};
use fencewright_packed::{Gather, Interrupt, initial_choices};

use crate::product::{Product, ProductWorker};

/// The execution along the path. Its cycle is empty if it comes to rest.
pub(crate) fn trace<'p, const W: usize>(
    program: &Program,
    product: &'p Product<'p>,
    worker: &mut ProductWorker<'p, W>,
    path: &AcceptingPath<W>,
) -> Result<Trace, Interrupt> {
    let whole: Vec<&([u64; W], Marks)> = path.stem.iter().chain(&path.cycle).collect();
    let mut actions = Vec::new();
    let mut repeats_from = 0;
    for (position, (state, marks)) in whole.iter().enumerate() {
        if position == path.stem.len() {
            repeats_from = actions.len();
        }
        let next = whole.get(position + 1).map_or(&path.cycle[0].0, |(next, _)| next);
        actions.extend(action(product, worker, state, next, *marks)?);
    }
    let initial = initial_choices(product.system, &mut worker.packed, &whole[0].0)?;
    let model = product.system.compiled.options.model;
    let once = Trace { model, initial, actions, repeats_from: Some(repeats_from) };
    // Dead registers are forgotten, so the cycle may leave other values in them than it found. It does so once: what it
    // assigns, it computes from live registers, which are the same in every round.
    if !matches!(replay(program, &once), Err(ReplayError::NoReturn(_))) {
        return Ok(once);
    }
    let round = once.actions[repeats_from..].to_vec();
    let repeats_from = Some(repeats_from + round.len());
    Ok(Trace { actions: [once.actions, round].concat(), repeats_from, ..once })
}

/// The action of one transition; none if nothing is enabled.
fn action<'p, const W: usize>(
    product: &'p Product<'p>,
    worker: &mut ProductWorker<'p, W>,
    state: &[u64; W],
    next: &[u64; W],
    marks: Marks,
) -> Result<Option<Action>, Interrupt> {
    let system = product.system;
    let mut found = Gather::<W, Vec<Action>>::default();
    system.expand(&mut worker.packed, state, &mut found)?;
    if found.states.is_empty() {
        return Ok(None);
    }
    let by = |trail: &[Action], t: usize| match trail {
        [Action::Step { thread, .. }] => thread.0 as usize == t,
        _ => false,
    };
    let steps = |t: usize| found.states.iter().any(|(_, trail)| by(trail, t));
    if found.violations.is_empty()
        && let Some(t) = product.goes_first(state, steps)
    {
        found.states.retain(|(_, trail)| by(trail, t));
    }
    // The product gives its transitions action by action, and for each the automaton's edges that may be taken.
    let mut transitions = Vec::new();
    (&product).transitions(worker, state, &mut |to, marks| transitions.push((*to, marks)))?;
    let edges_each = transitions.len() / found.states.len();
    let at = transitions.iter().position(|(to, of)| to == next && *of == marks);
    let at = at.expect("internal error: a transition of the path is one of the product");
    let (_, mut trail) = found.states.swap_remove(at / edges_each);
    Ok(trail.pop())
}
