//! What is asked of a repair, and what comes back.

use fencewright_engine::{Answer, Options, OrderEngine, PairEngine, Unknown};
use fencewright_ir::edit::Remedy;
use fencewright_ir::{Program, StatementId};
use fencewright_memory::{Execution, Model, Trace};

use crate::reorder::Algorithm;
use crate::{Beside, Costs};

/// A program to repair.
#[derive(Debug, Clone)]
pub struct Request<'p> {
    /// The program, validated.
    pub program: &'p Program,
    /// The memory model it is to keep its properties under.
    pub model: Model,
    /// For the engine.
    pub options: Options,
    /// What remedies cost.
    pub costs: Costs,
    /// What a repair may be made of beside fences.
    pub beside: Beside,
    /// How many repairs are wanted.
    pub want: Want,
    /// How they are looked for.
    pub strategy: Strategy<'p>,
}

/// How repairs are looked for.
#[derive(Copy, Clone)]
pub enum Strategy<'e> {
    /// Implicit hitting sets over real executions: the cheapest repair.
    HittingSets,
    /// Candidates that grow by the remedies that forbid what still goes wrong: all repairs without a remedy to spare.
    MinimalSets,
    /// Hazard intervals: one write after the other made atomic. No fences.
    Hazard,
    /// The avoid formula over the graph that this engine gives: the cheapest repair under its abstraction.
    AvoidFormula(&'e dyn OrderEngine),
    /// Pairs of statements kept in order, found with this engine.
    Reordering(&'e dyn PairEngine, Algorithm),
}

impl std::fmt::Debug for Strategy<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Strategy::HittingSets => f.write_str("HittingSets"),
            Strategy::MinimalSets => f.write_str("MinimalSets"),
            Strategy::Hazard => f.write_str("Hazard"),
            Strategy::AvoidFormula(orders) => write!(f, "AvoidFormula({})", orders.abstraction()),
            Strategy::Reordering(pairs, algorithm) => {
                write!(f, "Reordering({}, {algorithm:?})", pairs.name())
            }
        }
    }
}

/// How many repairs are wanted.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum Want {
    /// A cheapest one.
    One,
    /// All of least cost.
    AllMinimum,
    /// All that no remedy can be left out of.
    AllMinimal,
}

/// What came of it.
#[derive(Debug, Clone)]
pub enum Repair {
    /// Nothing has to be done.
    AlreadySafe(Box<AlreadySafe>),
    /// A repair was found and proved.
    Repaired(Box<Repaired>),
    /// The program is violated under sequential consistency: no fence can help.
    WrongUnderSc(Box<WrongUnderSc>),
    /// No repair was found, or none could be proved.
    NotFound(Box<NotFound>),
}

/// The program is proved as it is.
#[derive(Debug, Clone)]
pub struct AlreadySafe {
    /// The proof.
    pub proof: Answer,
    /// Statements whose fences are not needed: without the fences of any one of them the program is still proved.
    pub unneeded: Vec<StatementId>,
}

/// A proved repair.
#[derive(Debug, Clone)]
pub struct Repaired {
    /// What it consists of, in the order of the text.
    pub remedies: Vec<Chosen>,
    /// What it costs.
    pub cost: u64,
    /// Whether nothing cheaper made of fences at the program's sites (and of what else is allowed) can be a repair.
    pub minimum: bool,
    /// If an avoid formula gave it: which.
    pub avoidance: Option<Avoidance>,
    /// The repaired program.
    pub program: Program,
    /// The proof of the repaired program.
    pub proof: Answer,
    /// Further repairs, cheapest first, if they were asked for. The one above is not among them.
    pub alternatives: Vec<Vec<Remedy>>,
    /// Whether all that were asked for are there: no candidate was left undecided, and there were not too many.
    pub complete: bool,
    /// Statements whose fences are not needed: without the fences of any one of them the repaired program is still
    /// proved.
    pub unneeded: Vec<StatementId>,
    /// How many candidates the engine was asked about.
    pub rounds: usize,
}

/// The avoid formula that gave a repair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Avoidance {
    /// The abstraction it excludes violations of.
    pub abstraction: String,
    /// How many sets of remedies the abstract machine was searched under.
    pub searches: u64,
    /// The states of the largest of these searches.
    pub states: u64,
    /// The transitions of that search.
    pub transitions: u64,
}

/// A remedy of a repair.
#[derive(Debug, Clone)]
pub struct Chosen {
    /// The remedy.
    pub remedy: Remedy,
    /// What it costs.
    pub cost: u64,
    /// Why it is needed: what happens without it. `None` only if the engine found neither a violation nor a proof
    /// without it and the repair is not known to be minimum.
    pub evidence: Option<Evidence>,
    /// Whether the program is proved without it, the other remedies being there: only the abstraction asked for it.
    pub spare: bool,
}

/// A violating execution of a program with some remedies.
#[derive(Debug, Clone)]
pub struct Evidence {
    /// The program it is an execution of.
    pub program: Program,
    /// The execution as data.
    pub trace: Trace,
    /// The execution as it was replayed.
    pub execution: Execution,
}

/// A violation under sequential consistency.
#[derive(Debug, Clone)]
pub struct WrongUnderSc {
    /// The execution as data.
    pub trace: Trace,
    /// The execution as it was replayed.
    pub execution: Execution,
}

/// There is no repair to show.
#[derive(Debug, Clone)]
pub struct NotFound {
    /// Why.
    pub reason: Reason,
    /// The cheapest candidate that no known execution rules out. Without proof.
    pub candidate: Vec<Remedy>,
    /// What the candidate costs: no repair can be cheaper, if `exact`.
    pub cost: u64,
    /// Whether `cost` is a lower bound.
    pub exact: bool,
    /// How many candidates the engine was asked about.
    pub rounds: usize,
}

/// Why there is no repair.
#[derive(Debug, Clone)]
pub enum Reason {
    /// Even with every remedy in place this happens.
    NotRepairable(Evidence),
    /// The candidate is violated like this, and of too many executions it could not be told which remedies forbid
    /// them: an invariant names locations, and standing at a fence breaks it.
    GaveUp(Evidence),
    /// The engine found no violation of the candidate, and no proof: what it said.
    Unproved(Answer),
    /// The avoid formula of this abstraction has no model: it has a violation that no remedy forbids. A finer one may
    /// not have it.
    Unavoidable {
        /// The formula.
        avoidance: Avoidance,
        /// One that keeps more.
        finer: String,
    },
    /// The avoid formula of this abstraction could not be computed.
    NotInferred {
        /// The abstraction.
        abstraction: String,
        /// Why.
        unknown: Unknown,
    },
    /// What the strategy gives is violated like this: an invariant names locations, and standing at a fence breaks it.
    Refuted(Evidence),
    /// The pairs of statements that must keep their order could not be found: why.
    NoPairs(Unknown),
    /// No write of this violation was pending while another thread touched its variable: the strategy has nothing to
    /// make atomic.
    NoHazard(Evidence),
    /// Between statements that must keep their order no fence can be written.
    NoPlace,
}
