//! The log of a litmus test as herd writes it.
//!
//! *Deviation:* herd counts the executions that satisfy the condition and those that do not; here the distinct
//! outcomes are counted. `Ok`, `No` and `Always|Sometimes|Never` mean the same.

use std::fmt::{self, Write};

use fencewright_engine::Outcomes;
use fencewright_ir::{Program, Property, Quantifier};

use crate::words::{atom_name, condition_text, outcome_order};

/// What a litmus test gave, ready to be written in any format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    /// The test's name.
    pub name: String,
    /// The condition with its quantifier, as it is written in tests.
    pub condition: String,
    /// `Allowed`, `Forbidden` or `Required`.
    pub kind: &'static str,
    /// The outcomes, such as `0:EAX=0; [x]=1;`, sorted.
    pub states: Vec<String>,
    /// Whether the condition is as its quantifier wants it.
    pub ok: bool,
    /// How many outcomes satisfy the condition.
    pub satisfying: usize,
    /// How many do not.
    pub others: usize,
    /// Whether the test asks that the condition be unreachable: herd counts its witnesses the other way round then.
    negated: bool,
}

impl Log {
    /// The log of the outcomes that `property` asked for. `None` if the property is not about final states.
    pub fn new(program: &Program, property: &Property, outcomes: &Outcomes) -> Option<Self> {
        let Property::Final { quantifier, condition, observed, .. } = property else { return None };
        let order = outcome_order(program, observed);
        let names: Vec<String> = observed.iter().map(|atom| atom_name(program, atom)).collect();
        let state = |values: &[fencewright_base::Int]| {
            let parts: Vec<String> = order.iter().map(|&i| format!("{}={};", names[i], values[i])).collect();
            parts.join(" ")
        };
        let mut states: Vec<String> =
            outcomes.outcomes.iter().map(|outcome| state(&outcome.values)).collect();
        states.sort();
        let satisfying = outcomes.outcomes.iter().filter(|outcome| outcome.satisfies).count();
        let others = outcomes.outcomes.len() - satisfying;
        let (kind, ok) = match quantifier {
            Quantifier::Exists => ("Allowed", satisfying > 0),
            Quantifier::NotExists => ("Forbidden", satisfying == 0),
            Quantifier::Forall => ("Required", others == 0),
        };
        Some(Log {
            name: program.name.clone(),
            condition: condition_text(*quantifier, &condition.text),
            kind,
            states,
            ok,
            satisfying,
            others,
            negated: *quantifier == Quantifier::NotExists,
        })
    }

    /// How often the condition holds: herd's word for it.
    pub fn observation(&self) -> &'static str {
        match (self.satisfying, self.others) {
            (0, _) => "Never",
            (_, 0) => "Always",
            _ => "Sometimes",
        }
    }
}

impl fmt::Display for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Log { name, condition, kind, states, ok, satisfying, others, negated } = self;
        let mut text = String::new();
        writeln!(text, "Test {name} {kind}")?;
        writeln!(text, "States {}", states.len())?;
        for state in states {
            writeln!(text, "{state}")?;
        }
        writeln!(text, "{}", if *ok { "Ok" } else { "No" })?;
        writeln!(text, "Witnesses")?;
        let (positive, negative) = if *negated { (others, satisfying) } else { (satisfying, others) };
        writeln!(text, "Positive: {positive} Negative: {negative}")?;
        writeln!(text, "Condition {condition}")?;
        writeln!(text, "Observation {name} {} {satisfying} {others}", self.observation())?;
        writeln!(text)?;
        f.write_str(&text)
    }
}
