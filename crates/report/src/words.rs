//! Phrases that several formats share.

use std::fmt::Display;

use fencewright_base::{Index, SourceMap};
use fencewright_engine::Bounds;
use fencewright_ir::{Fairness, LocationSet, Op, Program, Property, Quantifier, StateAtom};
use fencewright_memory::{Execution, Fault, Violation};

use crate::wording::{at_line, failing};

/// What is checked of the program, a phrase for each: its properties and its assertions. Faults are always checked and
/// not named.
pub fn checked(program: &Program) -> Vec<String> {
    let assertions = program
        .threads
        .iter()
        .flat_map(|thread| &thread.edges)
        .flat_map(|edge| &edge.step.ops)
        .any(|op| matches!(op, Op::Assert(_)));
    let named = program.properties.iter().map(property_text);
    named.chain(assertions.then(|| "assertions".to_owned())).collect()
}

/// What is asked about a program: what it states, and of a compiled one what is looked for in any case. Whoever leaves out
/// all of that asks nothing.
pub fn asked(program: &Program, stated: usize, looked_for: Option<&[String]>) -> Vec<String> {
    let of_text = checked(program);
    match looked_for {
        Some([]) if program.properties.is_empty() => Vec::new(),
        _ if !of_text.is_empty() => of_text,
        _ if stated > 0 => vec!["assertions".to_owned()],
        Some(names) => names.to_vec(),
        None => Vec::new(),
    }
}

/// A property as the user wrote it, with the word that says how it is meant.
fn property_text(property: &Property) -> String {
    match property {
        Property::Forbidden(forbidden) => format!("forbidden: {}", forbidden.text),
        Property::Invariant(condition) => format!("invariant: {}", condition.text),
        Property::Final { quantifier, condition, .. } => condition_text(*quantifier, &condition.text),
        Property::Temporal(temporal) => {
            let Fairness { flush, process } = temporal.fairness;
            let assumed = match (flush, process) {
                (true, false) => "",
                (true, true) => ", with fair threads",
                (false, true) => ", with fair threads and unfair store buffers",
                (false, false) => ", with unfair store buffers",
            };
            format!("ltl: {}{assumed}", temporal.text)
        }
    }
}

/// A condition on final states as litmus tests write it: `exists (x=1)`.
pub(crate) fn condition_text(quantifier: Quantifier, text: &str) -> String {
    let word = match quantifier {
        Quantifier::Exists => "exists",
        Quantifier::NotExists => "~exists",
        Quantifier::Forall => "forall",
    };
    if is_parenthesised(text) { format!("{word} {text}") } else { format!("{word} ({text})") }
}

/// Whether the first parenthesis is closed by the last character.
fn is_parenthesised(text: &str) -> bool {
    let mut depth = 0usize;
    let mut chars = text.chars().peekable();
    if chars.peek() != Some(&'(') {
        return false;
    }
    while let Some(c) = chars.next() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return chars.next().is_none();
        }
    }
    false
}

/// What is wrong in the state an execution ends in.
pub fn violation_text(
    program: &Program,
    sources: &SourceMap,
    violation: &Violation,
    execution: &Execution,
) -> String {
    let last = execution.last();
    let place = |thread, edge| {
        let statement = program.statement(thread, edge);
        (at_line(program, sources, execution, statement.span), &statement.text, &program.threads[thread].name)
    };
    match violation {
        Violation::Property(index) => match &program.properties[*index] {
            property @ Property::Forbidden(forbidden) => {
                let standing: Vec<(&str, String)> = (forbidden.at.iter_enumerated())
                    .filter(|(_, set)| **set != LocationSet::Any)
                    .map(|(id, _)| {
                        let thread = &program.threads[id];
                        let loc = last.locations[id];
                        let label = thread.locations[loc].labels.first();
                        (thread.name.as_str(), label.cloned().unwrap_or_else(|| format!("{loc:?}")))
                    })
                    .collect();
                format!("{} ({})", together(&standing, program.threads.len()), property_text(property))
            }
            Property::Invariant(condition) => {
                format!("the invariant does not hold (invariant: {})", condition.text)
            }
            property @ Property::Final { quantifier, .. } => {
                let what = match quantifier {
                    Quantifier::Exists => "the outcome is reachable",
                    Quantifier::NotExists => "the forbidden outcome is reachable",
                    Quantifier::Forall => "a final state does not satisfy the condition",
                };
                format!("{what} ({})", property_text(property))
            }
            property @ Property::Temporal(_) => {
                format!("the formula is false of this execution ({})", property_text(property))
            }
        },
        Violation::Assertion { thread, edge } => {
            let (mut line, mut text, name) = place(*thread, *edge);
            let check = failing(program, execution);
            if let Some(check) = check {
                (line, text) = (at_line(program, sources, execution, check.span), &check.text);
            }
            match check.and_then(|check| check.what.as_ref()) {
                Some(what) => {
                    // Why somebody panics comes last, as elsewhere.
                    let (what, why) =
                        what.split_once(": ").map_or((&what[..], None), |(what, why)| (what, Some(why)));
                    let why = why.map(|why| format!(": {why}")).unwrap_or_default();
                    format!("{name} {what}{line} ({text}){why}")
                }
                None => format!("{name}'s assertion fails{line} ({text})"),
            }
        }
        Violation::Fault { thread, edge, fault } => {
            let (line, text, name) = place(*thread, *edge);
            format!("{name} faults{line}: {} ({text})", fault_text(fault))
        }
    }
}

/// Where the threads stand: `both threads at CS`, or each by its name.
fn together(standing: &[(&str, String)], n_threads: usize) -> String {
    let all_same = standing.windows(2).all(|pair| pair[0].1 == pair[1].1);
    match standing {
        [] => "a state is reached".to_owned(),
        [(_, label), _] if all_same && n_threads == 2 => format!("both threads at {label}"),
        [(_, label), _, _, ..] if all_same && n_threads == standing.len() => {
            format!("all {n_threads} threads at {label}")
        }
        _ => listing(standing.iter().map(|(name, label)| format!("{name} at {label}"))),
    }
}

/// Why a step has no meaning.
pub(crate) fn fault_text(fault: &Fault) -> String {
    use fencewright_base::ArithmeticError;
    match fault {
        Fault::Index(index) => format!("index {index} is outside the array"),
        Fault::Arithmetic(ArithmeticError::DivisionByZero) => "division by zero".to_owned(),
        Fault::Arithmetic(ArithmeticError::Overflow) => {
            "a value that does not fit in its variable".to_owned()
        }
        Fault::Arithmetic(ArithmeticError::ShiftOutOfRange) => "shift by an impossible amount".to_owned(),
    }
}

/// How far an answer reaches that is no proof.
pub(crate) fn bounds_text(
    Bounds { buffer, unroll, objects, no_reuse, unset, output, deadlocks, values, copies, threads }: &Bounds,
) -> String {
    let mut parts = Vec::new();
    if let Some(n) = objects {
        parts.push(format!("with at most {} allocated at each place", count(*n as u64, "object")));
    }
    match (buffer, unroll) {
        (Some(n), _) => parts.push(format!("with at most {} per buffer", count(*n as u64, "write"))),
        (None, Some(n)) => {
            parts.push(format!("with at most {} of loops on a path", count(*n as u64, "repetition")));
        }
        (None, None) => {}
    }
    if *no_reuse {
        parts.push("if freed memory is not given out again".to_owned());
    }
    if *unset {
        parts.push("if bytes that were never written are 0".to_owned());
    }
    if *output {
        parts.push("if no printed value is unset or gone".to_owned());
    }
    if let Some(n) = threads {
        parts.push(format!("with at most {}", count(*n as u64, "created thread")));
    }
    if *values {
        parts.push("for some of the values that the program leaves open".to_owned());
    }
    if *copies {
        parts.push("for some of the orders in which memory can be copied".to_owned());
    }
    if *deadlocks {
        parts.push("if no thread waits for ever".to_owned());
    }
    if parts.is_empty() { "within the bounds of the search".to_owned() } else { parts.join(", ") }
}

/// `a`, `a and b`, `a, b and c`.
pub fn listing(items: impl IntoIterator<Item = impl Display>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    match items.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

/// `1 state`, `1,234 states`.
pub(crate) fn count(n: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(n), if n == 1 { "" } else { "s" })
}

/// Digits in groups of three.
pub(crate) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut result = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            result.push(',');
        }
        result.push(digit);
    }
    result
}

/// How a part of a state is called: `0:EAX` for a register, `[x]` for a cell, as litmus tests do.
pub(crate) fn atom_name(program: &Program, atom: &StateAtom) -> String {
    match *atom {
        StateAtom::Register(thread, reg) => {
            format!("{}:{}", thread.0, program.threads[thread].regs[reg].name)
        }
        StateAtom::Cell(cell) => format!("[{}]", program.cell_name(cell)),
        StateAtom::At(thread, loc) => format!("{}@{loc:?}", thread.0),
    }
}

/// The order in which the observed parts are shown: registers by thread and name, then locations by name.
pub(crate) fn outcome_order(program: &Program, observed: &[StateAtom]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..observed.len()).collect();
    order.sort_by_key(|&i| match &observed[i] {
        StateAtom::Register(thread, reg) => {
            (0, thread.index(), program.threads[*thread].regs[*reg].name.clone())
        }
        StateAtom::Cell(cell) => (1, 0, program.cell_name(*cell)),
        StateAtom::At(thread, loc) => (2, thread.index(), format!("{loc:?}")),
    });
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_lists_read_well() {
        assert_eq!(count(1, "state"), "1 state");
        assert_eq!(count(0, "state"), "0 states");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(listing(["a", "b", "c"]), "a, b and c");
        assert_eq!(listing(["a"]), "a");
    }

    #[test]
    fn conditions_get_parentheses_once() {
        assert_eq!(condition_text(Quantifier::Exists, "(x=1)"), "exists (x=1)");
        assert_eq!(condition_text(Quantifier::NotExists, "x=1"), "~exists (x=1)");
        assert_eq!(condition_text(Quantifier::Forall, r"(x=1) \/ (y=1)"), r"forall ((x=1) \/ (y=1))");
    }
}
