//! Executions that never end, and what a formula says of them. Rules F-1 to F-5 of `docs/semantics.md`.
//!
//! An execution that goes on for ever is given as a lasso: a stem, and a cycle that leads back to the state it began in.
//! One that comes to rest, because no action is enabled any more, counts as staying in its last state for ever.
//!
//! This is the judge of temporal counterexamples. It evaluates the formula itself, on the states of the lasso; where the
//! program gives an automaton it follows that one, and none is ever made.

use fencewright_ir::{
    CellId, Claim, Expr, Fairness, Formula, Never, Property, StateAtom, Temporal, ThreadId,
};

use crate::{Action, Machine, Performed, State};

/// Combinations of chosen values that are tried to find out whether a thread can go on.
const MAX_CHOICES: usize = 1 << 16;

/// An execution that never ends: the states it passes, and where it goes back to.
pub(crate) struct Lasso<'a> {
    machine: &'a Machine<'a>,
    /// The states at all moments, each once.
    states: Vec<&'a State>,
    /// The moment that follows the last one.
    back_to: usize,
    /// The actions of the cycle; none if the execution comes to rest.
    cycle: Vec<&'a Action>,
}

/// Why actions make no execution that never ends.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(crate) enum NoLasso {
    /// The cycle does not lead back to its first state.
    NoReturn,
    /// Some action is still enabled in the last state.
    NotAtRest,
}

impl<'a> Lasso<'a> {
    /// The execution whose actions from position `from` on repeat for ever. If there are none, it comes to rest (F-1).
    pub(crate) fn new(
        machine: &'a Machine<'a>,
        initial: &'a State,
        performed: &'a [Performed],
        from: usize,
    ) -> Result<Self, NoLasso> {
        let mut states: Vec<&State> =
            std::iter::once(initial).chain(performed.iter().map(|done| &done.after)).collect();
        let cycle: Vec<&Action> = performed.iter().skip(from).map(|done| &done.action).collect();
        if from > performed.len() {
            return Err(NoLasso::NoReturn);
        }
        if cycle.is_empty() {
            let enabled = machine.actions(states[from], MAX_CHOICES);
            if !enabled.is_ok_and(|actions| actions.is_empty()) {
                return Err(NoLasso::NotAtRest);
            }
        } else if states.pop() != Some(states[from]) {
            return Err(NoLasso::NoReturn);
        }
        Ok(Lasso { machine, states, back_to: from, cycle })
    }

    /// The first temporal property, by its place in the list, that the execution violates: it is fair, and the formula
    /// is false.
    pub(crate) fn violates(&self) -> Option<usize> {
        self.machine.program().properties.iter().position(|property| match property {
            Property::Temporal(Temporal { claim, fairness, text: _, span: _ }) => {
                self.is_fair(*fairness)
                    && match claim {
                        Claim::Formula(formula) => !self.holds(formula)[0],
                        Claim::Never(never) => self.is_accepted_by(never),
                    }
            }
            Property::Forbidden(_) | Property::Invariant(_) | Property::Final { .. } => false,
        })
    }

    /// The states that are passed again and again.
    fn recurring(&self) -> &[&'a State] {
        &self.states[self.back_to..]
    }

    fn is_fair(&self, fairness: Fairness) -> bool {
        (!fairness.flush || self.flushes_are_fair()) && (!fairness.process || self.threads_are_fair())
    }

    /// F-2: for every thread and cell, again and again nothing is pending for the cell or a write to it reaches memory.
    fn flushes_are_fair(&self) -> bool {
        let program = self.machine.program();
        let cells = || (0..program.n_cells() as u32).map(CellId);
        program.threads.indices().all(|thread| {
            cells().all(|cell| {
                let flushed = |action: &&Action| **action == Action::Flush { thread, cell };
                let empty = |state: &&State| state.pending[thread].rules().count(cell) == 0;
                self.recurring().iter().any(empty) || self.cycle.iter().any(flushed)
            })
        })
    }

    /// F-3: every thread, again and again, makes a step, alone or in a rendezvous, or cannot make one.
    fn threads_are_fair(&self) -> bool {
        let steps =
            |thread: ThreadId| self.cycle.iter().any(|action| action.edges().any(|(t, _)| t == thread));
        let stuck = |thread: ThreadId, state: &State| {
            let step = |action: &Action| action.edges().any(|(t, _)| t == thread);
            // Where there are too many values to try, the thread counts as able to go on.
            self.machine.actions(state, MAX_CHOICES).is_ok_and(|actions| !actions.iter().any(step))
        };
        let mut threads = self.machine.program().threads.indices();
        threads.all(|t| steps(t) || self.recurring().iter().any(|state| stuck(t, state)))
    }

    /// F-4: for every moment, whether the formula holds there. `U` is the least and `R` the greatest solution of its
    /// unfolding.
    fn holds(&self, formula: &Formula) -> Vec<bool> {
        let pairs = |a: &Formula, b: &Formula| self.holds(a).into_iter().zip(self.holds(b));
        match formula {
            Formula::Const(value) => vec![*value; self.states.len()],
            Formula::Now(condition) => self.states.iter().map(|state| self.now(condition, state)).collect(),
            Formula::Not(a) => self.holds(a).into_iter().map(|a| !a).collect(),
            Formula::And(a, b) => pairs(a, b).map(|(a, b)| a && b).collect(),
            Formula::Or(a, b) => pairs(a, b).map(|(a, b)| a || b).collect(),
            Formula::Next(a) => {
                let a = self.holds(a);
                (0..a.len()).map(|moment| a[self.after(moment)]).collect()
            }
            Formula::Until(a, b) => {
                let (a, b) = (self.holds(a), self.holds(b));
                self.fixpoint(false, |moment, later| b[moment] || (a[moment] && later))
            }
            Formula::Release(a, b) => {
                let (a, b) = (self.holds(a), self.holds(b));
                self.fixpoint(true, |moment, later| b[moment] && (a[moment] || later))
            }
        }
    }

    /// F-5: whether a run of the automaton passes accepting states again and again: from the start it can reach an
    /// accepting state at some moment, and from there the same state at the same moment again.
    fn is_accepted_by(&self, never: &Never) -> bool {
        let n_states = never.states.len();
        let reach = |from: usize| {
            let mut seen = vec![false; self.states.len() * n_states];
            let mut stack = vec![from];
            while let Some(at) = stack.pop() {
                let (moment, state) = (at / n_states, at % n_states);
                for step in &never.states[state].moves {
                    let to = self.after(moment) * n_states + step.to as usize;
                    if self.now(&step.when, self.states[moment]) && !seen[to] {
                        seen[to] = true;
                        stack.push(to);
                    }
                }
            }
            seen
        };
        if n_states == 0 {
            return false;
        }
        let reached = reach(0);
        let accepting = |at: &usize| never.states[at % n_states].accepting;
        (0..reached.len()).filter(accepting).any(|at| (at == 0 || reached[at]) && reach(at)[at])
    }

    fn now(&self, condition: &Expr<StateAtom>, state: &State) -> bool {
        let value = condition.eval(&mut |atom| self.machine.value_of(state, atom));
        value.is_ok_and(|value| value.is_true())
    }

    fn after(&self, moment: usize) -> usize {
        if moment + 1 < self.states.len() { moment + 1 } else { self.back_to }
    }

    /// The solution of `value(moment) = unfold(moment, value(next moment))` that is reached from `start`.
    fn fixpoint(&self, start: bool, unfold: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let mut values = vec![start; self.states.len()];
        // Backwards, what is known of the last moment reaches the first in one round; a second goes round the cycle.
        for _ in 0..2 {
            for moment in (0..values.len()).rev() {
                values[moment] = unfold(moment, values[self.after(moment)]);
            }
        }
        values
    }
}
