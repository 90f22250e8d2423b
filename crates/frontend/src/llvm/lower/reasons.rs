//! Why a check is made: what the thread has done wrong if it fails, and where that stands. Only reports look at it.

use fencewright_ir::{Expr, Failure};
use fencewright_llvm::names::{panic_reason, readable};

use super::machine::{Machine, ROp, Scalar};
use super::state::Point;
use super::threads::is_panic;
use super::value::Value;

/// What is said where a value that was never set is used.
pub const UNSET: &str = "uses a value that was never set";

/// What a thread does wrong.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(crate) enum Mistake {
    Assertion,
    /// Rust's library panics, and why if that is known.
    Panics(Option<&'static str>),
    Aborts,
    ReachesError,
    Unreachable,
    Null,
    Bounds,
    /// An address that is null, outside its object, or of a variable that is gone.
    Pointer,
    Freed,
    FreedTwice,
    NotAllocated,
    NotAFunction,
    Unset,
    DivisionByZero,
    DivisionOverflow,
}

impl Mistake {
    /// What is wrong with using one of these addresses.
    pub(crate) fn of_addresses(bad: &[Value]) -> Self {
        if bad.iter().all(|value| *value == Value::Int(0)) {
            Mistake::Null
        } else if bad.iter().all(|value| matches!(value, Value::Pointer(..) | Value::Beyond(..))) {
            Mistake::Bounds
        } else {
            Mistake::Pointer
        }
    }

    /// What is wrong with an access through a pointer that never leads anywhere.
    pub(crate) fn of_pointer(pointer: &Scalar) -> Self {
        let values = pointer.known.values().map(|values| values.iter().copied().collect::<Vec<_>>());
        values.map_or(Mistake::Pointer, |values| Self::of_addresses(&values))
    }

    /// What is wrong where a call of this function is.
    pub(crate) fn of_call(name: &str) -> Self {
        match name {
            "abort" | "_ZSt9terminatev" | "__builtin_trap" => Mistake::Aborts,
            "reach_error" | "__VERIFIER_error" => Mistake::ReachesError,
            "free" | "cfree" | "realloc" => Mistake::NotAllocated,
            "memcpy" | "memmove" | "memset" => Mistake::Pointer,
            _ if ["pthread_", "sem_", "mtx_", "cnd_", "thrd_", "llvm.mem"]
                .iter()
                .any(|prefix| name.starts_with(prefix)) =>
            {
                Mistake::Pointer
            }
            _ if is_panic(name) && readable(name).ends_with("::abort") => Mistake::Aborts,
            _ if is_panic(name) => Mistake::Panics(panic_reason(&readable(name))),
            _ => Mistake::Assertion,
        }
    }

    /// In words, as a phrase with a verb, of a statement with this text; `None` for an assertion. In Rust that is a panic.
    fn phrase(self, statement: &str) -> Option<String> {
        let phrase = match self {
            Mistake::Assertion => return None,
            Mistake::Panics(Some(why)) => return Some(format!("panics: {why}")),
            Mistake::Panics(None) if statement.contains("assert") => return None,
            Mistake::Panics(None) => "panics",
            Mistake::Aborts => "calls `abort`",
            Mistake::ReachesError => "calls `reach_error`",
            Mistake::Unreachable => "reaches code that the compiler was promised is never reached",
            Mistake::Null => "uses a null pointer",
            Mistake::Bounds => "uses an address outside its object",
            Mistake::Pointer => {
                "uses a pointer that is null, outside its object, or of a variable that is gone"
            }
            Mistake::Freed => "uses memory after it was freed",
            Mistake::FreedTwice => "frees memory a second time",
            Mistake::NotAllocated => "frees what was not allocated",
            Mistake::NotAFunction => "calls through a pointer that is null or no function",
            Mistake::Unset => UNSET,
            Mistake::DivisionByZero => "divides by zero",
            Mistake::DivisionOverflow => "divides the smallest number by -1, which overflows",
        };
        Some(phrase.to_owned())
    }
}

/// Why a check is made.
#[derive(Debug, Copy, Clone)]
pub(crate) struct Reason {
    mistake: Mistake,
    at: Option<Point>,
}

/// Checks that differ in words only are the same check, so that the words change no program.
impl PartialEq for Reason {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl From<Mistake> for Reason {
    fn from(mistake: Mistake) -> Self {
        Self { mistake, at: None }
    }
}

impl Reason {
    /// The same, of the instruction there.
    pub(crate) fn at(self, at: Point) -> Self {
        Self { at: Some(at), ..self }
    }
}

/// A false assertion: the execution has gone wrong here.
pub(crate) fn failure(mistake: Mistake) -> ROp {
    ROp::Assert(Expr::constant(0), mistake.into())
}

impl Machine<'_> {
    /// What the checks among the operations of an edge at `edge` are about, in order.
    pub(super) fn failures(&self, ops: &[ROp], edge: Point) -> Vec<Failure> {
        let reasons = ops.iter().filter_map(|op| match op {
            ROp::Assert(_, reason) => Some(reason),
            _ => None,
        });
        reasons
            .map(|reason| {
                let position = self.position(reason.at.unwrap_or(edge));
                let what = reason.mistake.phrase(&position.text);
                Failure { what, text: position.text, span: Some(position.span) }
            })
            .collect()
    }
}
