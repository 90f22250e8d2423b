//! In what the executions of a program may end: the question that readings of compiled programs are compared by.

use std::collections::BTreeSet;

use fencewright_memory::Model;

use crate::render::Language;

/// A compiled program.
#[derive(Debug, Copy, Clone)]
pub struct Subject<'a> {
    /// The language of its text.
    pub language: Language,
    /// Its text.
    pub source: &'a str,
    /// Its LLVM IR, as the compiler wrote it.
    pub ir: &'a str,
    /// How many values the outcome has: `out[0]` and on, in Rust `OUT[0]`; each 64 bits, signed.
    pub n_out: usize,
}

/// The ends of all executions of a program under a model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ends {
    /// The outcomes of the executions that come to their end.
    pub outcomes: BTreeSet<Vec<i64>>,
    /// Whether there is an execution that ends in an error.
    pub faults: bool,
}

/// What is known of the ends of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// All of them.
    Ends(Ends),
    /// The program is not understood, for this reason.
    Refused(String),
    /// A limit was met: this one.
    Unknown(String),
    /// It went wrong in a way that is nobody's intention: a bug of the reading.
    Broken(String),
}

/// Something that knows in what the executions of a program may end.
pub trait Allowed {
    /// What it is called in reports.
    fn name(&self) -> &str;

    /// The ends of all executions of the program under the model, within limits of its own. It is asked for the same program
    /// under one model after the other.
    fn ends(&mut self, subject: &Subject<'_>, model: Model) -> Answer;
}

/// Whether two readings say different things, or one of them is broken. Where an execution ends in an error only that is compared: what is done behind
/// an error is nobody's promise.
pub fn disagree(a: &Answer, b: &Answer) -> bool {
    match (a, b) {
        (Answer::Broken(_), _) | (_, Answer::Broken(_)) => true,
        (Answer::Ends(a), Answer::Ends(b)) if a.faults || b.faults => a.faults != b.faults,
        (Answer::Ends(a), Answer::Ends(b)) => a.outcomes != b.outcomes,
        (Answer::Refused(_) | Answer::Unknown(_), _) | (_, Answer::Refused(_) | Answer::Unknown(_)) => false,
    }
}
