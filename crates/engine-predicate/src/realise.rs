//! From a path of the abstract machine to an execution of the concrete one (SAS 2012, section 7, cases 1 and 2).
//!
//! The same steps and flushes are made on the machine that forgets nothing of its buffers. There every value is a term
//! over what was chosen on the way: open initial values and `Havoc`s. So what the execution demands is a condition on
//! those choices, and often there are none. What is found is replayed on the reference semantics before it is believed.

use fencewright_base::{Int, Meter, Stop};
use fencewright_ir::ThreadId;
use fencewright_memory::{Action, InitialChoices, Trace, replay};

use crate::buffer::Flush;
use crate::linear::{Atom, Linear, Var};
use crate::system::{Act, ControlId, Move, System};
use crate::zone::Zone;

/// Symbolic states that one attempt may visit.
const STATES: usize = 5_000;

/// When writes reach memory.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(crate) enum Flushing {
    /// At once: an execution that sequential consistency has, too.
    AtOnce,
    /// When the path says.
    AsThePath,
}

/// Gives values to choices so that the conditions hold.
pub(crate) type Solve<'s> = dyn FnMut(&[Atom], usize) -> Option<Vec<Int>> + 's;

/// An execution of the concrete machine along the path that violates a property.
pub(crate) fn realise(
    concrete: &mut System<'_>,
    path: &[Move],
    flushing: Flushing,
    solve: &mut Solve<'_>,
    meter: &Meter,
) -> Result<Option<Trace>, Stop> {
    let acts: Vec<&Act> = (path.iter().map(|made| &made.act))
        .filter(|act| flushing == Flushing::AsThePath || !matches!(act, Act::Flush { .. }))
        .collect();
    let mut walk = Walk { concrete, acts, flushing, solve, meter, left: STATES };
    walk.from(&State::default())
}

/// A symbolic state on the way, over the choices made so far.
#[derive(Debug, Clone)]
struct State {
    control: Option<ControlId>,
    /// How many of the acts were made.
    done: usize,
    values: Vec<Linear>,
    /// What the choices must satisfy, and all that a zone can say of it.
    guard: Vec<Atom>,
    zone: Zone,
    initial: Vec<Act>,
    actions: Vec<Act>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            control: None,
            done: 0,
            values: Vec::new(),
            guard: Vec::new(),
            zone: Zone::anything(0),
            initial: Vec::new(),
            actions: Vec::new(),
        }
    }
}

struct Walk<'a, 'p, 's> {
    concrete: &'a mut System<'p>,
    acts: Vec<&'a Act>,
    flushing: Flushing,
    solve: &'a mut Solve<'s>,
    meter: &'a Meter,
    left: usize,
}

impl Walk<'_, '_, '_> {
    fn from(&mut self, state: &State) -> Result<Option<Trace>, Stop> {
        self.meter.tick()?;
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let moves = match state.control {
            None => self.concrete.start(),
            Some(control) => self.concrete.moves(control),
        }?;
        let hurry = self.pending_at_once(state);
        for made in moves.iter() {
            let wanted = match hurry {
                Some(thread) => matches!(made.act, Act::Flush { thread: flushed, .. } if flushed == thread),
                None => self.acts.get(state.done).is_some_and(|act| is_same(act, &made.act)),
            };
            if !wanted {
                continue;
            }
            let Some(next) = take(state, made, hurry.is_none()) else { continue };
            let found = match made.target {
                None => self.trace(&next),
                Some(_) => self.from(&next)?,
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The thread with something pending, if writes are to reach memory at once.
    fn pending_at_once(&self, state: &State) -> Option<ThreadId> {
        let control = self.concrete.control(state.control?);
        let mut threads = self.concrete.program().threads.indices();
        let pending =
            threads.find(|thread| !control.buffers[fencewright_base::Index::index(*thread)].is_empty());
        pending.filter(|_| self.flushing == Flushing::AtOnce)
    }

    /// The execution, if the choices can be made.
    fn trace(&mut self, state: &State) -> Option<Trace> {
        let n = state.zone.n_vars();
        let guess: Option<Vec<Int>> =
            state.zone.solution().map(|values| values.into_iter().map(Int::from).collect());
        guess.and_then(|guess| self.replayed(state, &guess)).or_else(|| {
            let values = (n > 0).then(|| (self.solve)(&state.guard, n))??;
            self.replayed(state, &values)
        })
    }

    fn replayed(&self, state: &State, choices: &[Int]) -> Option<Trace> {
        let value = |term: &Linear| {
            let known = term.substitute(&|var| Linear::constant(choices[var as usize].clone()));
            known.known().expect("every choice has a value").clone()
        };
        let mut initial = InitialChoices::default();
        for act in &state.initial {
            if let Act::Start { cells, registers } = act {
                initial.cells.extend(cells.iter().map(|(cell, term)| (*cell, value(term))));
                initial.registers.extend(registers.iter().map(|(t, reg, term)| ((*t, *reg), value(term))));
            }
        }
        let action = |act: &Act| match act {
            Act::Step { thread, edge, choices } => Some(Action::Step {
                thread: *thread,
                edge: *edge,
                choices: choices.iter().map(value).collect(),
            }),
            Act::Flush { thread, cell, how: _ } => Some(Action::Flush { thread: *thread, cell: *cell }),
            Act::Start { .. } | Act::Look => None,
        };
        let actions = state.actions.iter().filter_map(action).collect();
        let model = self.concrete.keeping().model;
        let trace = Trace { model, initial, actions, repeats_from: None };
        let violates = replay(self.concrete.program(), &trace).is_ok_and(|run| run.violation.is_some());
        violates.then_some(trace)
    }
}

fn is_same(act: &Act, made: &Act) -> bool {
    match (act, made) {
        (Act::Start { .. }, Act::Start { .. }) | (Act::Look, Act::Look) => true,
        (Act::Step { thread, edge, .. }, Act::Step { thread: t, edge: e, .. }) => thread == t && edge == e,
        (Act::Flush { thread, cell, .. }, Act::Flush { thread: t, cell: c, how }) => {
            thread == t && cell == c && *how == Flush::Kept
        }
        _ => false,
    }
}

/// The state after the move; `None` if no choices allow it.
fn take(state: &State, made: &Move, counts: bool) -> Option<State> {
    let n = state.zone.n_vars();
    let over = |var: Var| match state.values.get(var as usize) {
        Some(term) => term.clone(),
        None => Linear::var((n + var as usize - made.n_before) as Var),
    };
    let mut next = state.clone();
    next.zone = state.zone.extended(n + made.n_all - made.n_before);
    for atom in &made.guard {
        let atom = atom.substitute(&over);
        next.zone.assume(&atom).ok()?;
        next.guard.push(atom);
    }
    next.control = made.target;
    next.done += usize::from(counts);
    next.values = made.after.iter().map(|term| term.substitute(&over)).collect();
    match made.act.clone() {
        Act::Start { cells, registers } => {
            let cells = cells.into_iter().map(|(cell, term)| (cell, term.substitute(&over))).collect();
            let over = |(t, reg, term): (_, _, Linear)| (t, reg, term.substitute(&over));
            let registers = registers.into_iter().map(over).collect();
            next.initial.push(Act::Start { cells, registers });
        }
        Act::Step { thread, edge, choices } => {
            let choices = choices.iter().map(|term| term.substitute(&over)).collect();
            next.actions.push(Act::Step { thread, edge, choices });
        }
        act @ (Act::Flush { .. } | Act::Look) => next.actions.push(act),
    }
    Some(next)
}
