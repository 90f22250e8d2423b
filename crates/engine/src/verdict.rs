//! What an engine may answer. A bounded pass is never a proof, and no answer is not a pass.

use fencewright_base::{Span, Stop};
use fencewright_ir::Extension;
use fencewright_memory::{Model, Trace};

/// An engine's answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// No execution within the guarantee violates a property.
    Holds(Guarantee),
    /// This execution violates a property.
    Violated(Trace),
    /// No answer.
    Unknown(Unknown),
}

/// How far a `Holds` reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Guarantee {
    /// All executions, with store buffers of any length: a proof.
    Unbounded,
    /// Only the executions within the bounds.
    UpTo(Bounds),
}

/// What was bounded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bounds {
    /// The most writes that were allowed to be pending in one store buffer.
    pub buffer: Option<usize>,
    /// How often a path was followed back to where it had been.
    pub unroll: Option<usize>,
    /// How many objects each place of the text could allocate.
    pub objects: Option<usize>,
    /// Freed memory was not given out again.
    pub no_reuse: bool,
    /// Bytes that were never written were taken to be 0 where a value is only partly made of them.
    pub unset: bool,
    /// What printing values does was not looked at.
    pub output: bool,
    /// Whether threads wait for ever was not looked at.
    pub deadlocks: bool,
    /// Of numbers that the program leaves open some were tried.
    pub values: bool,
    /// Of the orders in which memory can be copied some were tried.
    pub copies: bool,
    /// How many threads could be created.
    pub threads: Option<usize>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Unknown {
    /// A limit was reached, or somebody asked to stop.
    Stopped {
        /// Which.
        stop: Stop,
        /// Bounds within which the search had been complete, and found no violation, before it was stopped.
        explored: Option<Bounds>,
    },
    /// The engine found an execution of its own abstract machine that it could not make real.
    Imprecise,
    /// The engine does not take such programs.
    Unsupported {
        /// What it does not take.
        feature: Feature,
        /// Where it stands.
        span: Option<Span>,
    },
}

/// What an engine may not take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Feature {
    /// An open initial value or choice from a domain without bounds, or with too many values to try.
    OpenValue(String),
    /// States of more bits than the engine can pack.
    WideState {
        /// How many bits a state would have.
        bits: usize,
        /// How many it can have.
        limit: usize,
    },
    /// More threads than the engine can tell apart.
    Threads(usize),
    /// This memory model.
    Model(Model),
    /// Numbers of more bits than the engine can hold.
    WideNumbers,
    /// A property of whole executions.
    Temporal,
    /// A program without such a property, of an engine that is there for nothing else.
    NothingTemporal,
    /// The repair of a property of whole executions.
    TemporalRepair,
    /// A formula whose automaton would be too large.
    LargeFormula,
    /// More conditions of acceptance than the engine can keep apart.
    Acceptance {
        /// How many there are.
        sets: usize,
        /// How many there can be.
        limit: usize,
    },
    /// Data without bound is what the engine is there for, and the program has none.
    FiniteData,
    /// More cells than the engine can tell apart.
    Cells(usize),
    /// More values than the engine can tell apart, in the cell or the registers of this name.
    Values(String),
    /// A property, by its place in the list, with more bad states than the engine can list.
    BadStates(usize),
    /// A part of the program representation.
    Extension(Extension),
    /// A program that was not compiled, of an engine that executes compiled ones.
    NotCompiled,
}

impl std::fmt::Display for Feature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Feature::OpenValue(name) => {
                write!(f, "the open value of `{name}`, which has too many possibilities to try")
            }
            Feature::WideState { bits, limit } => write!(f, "a state of {bits} bits (the limit is {limit})"),
            Feature::Threads(n) => write!(f, "{n} threads"),
            Feature::Temporal => f.write_str("a property of whole executions"),
            Feature::NothingTemporal => f.write_str("a program without a property of whole executions"),
            Feature::TemporalRepair => f.write_str("the repair of a property of whole executions"),
            Feature::LargeFormula => f.write_str("a formula of this size"),
            Feature::Acceptance { sets, limit } => {
                write!(f, "{sets} conditions of fairness and acceptance at once (the limit is {limit})")
            }
            Feature::Model(model) => write!(f, "the memory model {}", model.name()),
            Feature::WideNumbers => f.write_str("numbers of more than 512 bits"),
            Feature::FiniteData => f.write_str("a program of finite data"),
            Feature::Cells(n) => write!(f, "{n} cells of memory"),
            Feature::Values(name) => write!(f, "the values of `{name}`, which are too many to tell apart"),
            Feature::BadStates(property) => {
                write!(f, "property {}, which has too many bad states to list", property + 1)
            }
            Feature::Extension(extension) => extension.fmt(f),
            Feature::NotCompiled => f.write_str("a program that is not C, C++, Rust or LLVM IR"),
        }
    }
}

/// What a run cost and saw.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Statistics {
    /// States stored, in the last search if there were several.
    pub states: u64,
    /// Transitions followed, in the last search.
    pub transitions: u64,
    /// Most bytes held at once.
    pub peak_bytes: u64,
    /// The most writes seen pending in one store buffer.
    pub longest_buffer: usize,
    /// The bound on pending writes in the last search, if there was one.
    pub buffer_bound: Option<usize>,
    /// Bits of a state that mean something.
    pub state_bits: usize,
    /// Bytes a stored state takes.
    pub state_bytes: usize,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// For a violation: whether the execution is known to be a shortest one.
    pub shortest: bool,
    /// For an engine that abstracts: the abstraction of the last search, as the command line names it.
    pub abstraction: Option<String>,
    /// States out of which nothing can happen, if the engine walked the plain graph and counted them.
    pub deadlocks: Option<u64>,
    /// Of the same walk: sets of threads that have a step without meaning out of the same state. Each counts as one of
    /// `states`, as other tools count, though here such a step leads to no state.
    pub error_states: Option<u64>,
}
