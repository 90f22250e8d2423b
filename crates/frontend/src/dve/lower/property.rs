//! `system async property P;`: the process P as a Büchi automaton over the others.
//!
//! It makes one transition with each of theirs, whose guard holds in the state they leave, and goes on when they come to
//! rest. It only looks: variables, channels and effects would be a part of the state, which the automaton does not have.

use fencewright_base::Diagnostic;
use fencewright_ir::{
    Claim, Expr as StateExpr, Fairness, Never, NeverMove, NeverState, Program, Property, StateAtom, Temporal,
};

use super::super::ast::{Expr, Name, Process, Transition};
use super::super::codes;
use super::super::condition::Resolver;
use super::names::Names;

/// The property; what is wrong with it is added to `problems`. `None` if anything is.
pub(super) fn property(
    process: &Process,
    names: &Names<'_>,
    program: &Program,
    problems: &mut Vec<Diagnostic>,
) -> Option<Property> {
    let mut sound = process.variables.is_empty();
    if let Some(declaration) = process.variables.first() {
        problems.push(more_than_looks(&declaration.name, "has variables"));
    }
    let mut number = |name: &Name, problems: &mut Vec<Diagnostic>| {
        let found = process.states.iter().position(|state| state.text == name.text);
        if found.is_none() {
            let message = format!("process `{}` has no state `{}`", process.name.text, name.text);
            let known: Vec<String> = process.states.iter().map(|state| format!("`{}`", state.text)).collect();
            let help = format!("its states are {}", known.join(", "));
            problems.push(Diagnostic::error(&codes::UNKNOWN, name.span, message).help(help));
            sound = false;
        }
        found
    };
    let mut states = vec![NeverState::default(); process.states.len()];
    let start = process.init.as_ref().and_then(|init| number(init, problems)).unwrap_or(0);
    for accept in &process.accept {
        if let Some(state) = number(accept, problems) {
            states[state].accepting = true;
        }
    }
    // An automaton starts in its first state: the state where the process starts changes places with that.
    let place = |state: usize| match state {
        _ if state == start => 0,
        0 => start,
        other => other,
    };
    for transition in &process.transitions {
        let ends = (number(&transition.from, problems), number(&transition.to, problems));
        let when = condition(transition, names, program, problems);
        if let ((Some(from), Some(to)), Some(when)) = (ends, when) {
            states[from].moves.push(NeverMove { when, to: place(to) as u32 });
        }
    }
    states.swap(0, start);
    sound &= !problems.iter().any(|problem| problem.severity == fencewright_base::Severity::Error);
    sound.then(|| {
        let claim = Claim::Never(Never { states });
        let text = format!("property {}", process.name.text);
        Property::Temporal(Temporal {
            claim,
            fairness: Fairness::default(),
            text,
            span: Some(process.name.span),
        })
    })
}

/// When the transition can be made.
fn condition(
    transition: &Transition,
    names: &Names<'_>,
    program: &Program,
    problems: &mut Vec<Diagnostic>,
) -> Option<StateExpr<StateAtom>> {
    if let Some(sync) = &transition.sync {
        problems.push(more_than_looks(&sync.channel, "takes part in a rendezvous"));
        return None;
    }
    if let Some(assignment) = transition.effects.first() {
        problems.push(more_than_looks(&assignment.place.name, "assigns"));
        return None;
    }
    let constant = |expr: &Expr| names.fold(expr, None);
    let mut resolver = Resolver { program, scope: None, constant: &constant, problems };
    let mut all = None;
    for guard in &transition.guard {
        let guard = resolver.expr(guard)?;
        all = Some(all.map_or(guard.clone(), |before: StateExpr<StateAtom>| before.and(guard)));
    }
    Some(all.unwrap_or_else(|| StateExpr::constant(1)))
}

fn more_than_looks(at: &Name, what: &str) -> Diagnostic {
    let message = format!("the property process {what}");
    Diagnostic::error(&codes::PROPERTY, at.span, message).help("leave it states, `init`, `accept` and guards")
}
