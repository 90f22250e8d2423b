//! Certificates of properties of whole executions: all states that the reference semantics can reach. Whether a fair execution
//! of them violates the property is the checker's to find out; it has a tableau of its own ([`fencewright_engine::verify_states`]).
//!
//! The engine itself may look at fewer states, and may decide where there is no end of states because writes pile up; then
//! there is no certificate.

use std::collections::HashSet;

use fencewright_engine::{
    CertifyingEngine, Context, Engine, Feature, Guarantee, Task, Unknown, Verdict, write_states,
};
use fencewright_memory::{Machine, Outcome, State};

use crate::Ltl;

/// Values that one open choice may have: more are not tried.
const CHOICES: usize = 100_000;

impl CertifyingEngine for Ltl {
    fn certificate(&self, task: &Task<'_>, context: &mut Context<'_>) -> Result<String, Unknown> {
        match self.check(task, context) {
            Verdict::Holds(Guarantee::Unbounded) => {}
            Verdict::Unknown(unknown) => return Err(unknown),
            Verdict::Holds(_) | Verdict::Violated(_) => return Err(Unknown::Imprecise),
        }
        let machine = Machine::new(task.program, task.model);
        let open = |name: String| Unknown::Unsupported { feature: Feature::OpenValue(name), span: None };
        let mut states: Vec<State> = Vec::new();
        let mut seen: HashSet<State> = HashSet::new();
        let mut add = |state: State, states: &mut Vec<State>| {
            if seen.insert(state.clone()) {
                states.push(state);
            }
        };
        for (_, state) in machine.initial_states(CHOICES).map_err(|wide| open(wide.to_string()))? {
            add(state, &mut states);
        }
        let mut at = 0;
        while at < states.len() {
            context
                .meter
                .store(states.len() as u64)
                .map_err(|stop| Unknown::Stopped { stop, explored: None })?;
            let state = states[at].clone();
            at += 1;
            for action in machine.actions(&state, CHOICES).map_err(|wide| open(wide.to_string()))? {
                if let Outcome::Next(next, _) = machine.perform(&state, &action) {
                    add(*next, &mut states);
                }
            }
        }
        Ok(write_states(task.program, task.model, &states))
    }
}
