//! The engines a user can name. The one place that knows them.

use fencewright_engine::{
    CertifyingEngine, Context, Engine, Feature, OrderEngine, OutcomeEngine, PairEngine, Race, Task, Unknown,
    Verdict,
};
use fencewright_engine_bmc::{Bmc, BmcWithMoments};
use fencewright_engine_coherence::{Abstraction, Coherence};
use fencewright_engine_explicit::Explicit;
use fencewright_engine_ltl::Ltl;
use fencewright_engine_predicate::Predicate;
use fencewright_engine_wsts::Wsts;
use fencewright_memory::Model;

/// An engine and its abilities.
pub struct EngineRow {
    /// The engine.
    pub engine: &'static dyn Engine,
    /// An engine that can give the set of outcomes of a litmus test, if this one can or leaves it to another.
    pub outcomes: Option<&'static dyn OutcomeEngine>,
    /// The engine, if it can write down what a proof rests on.
    pub certificates: Option<&'static dyn CertifyingEngine>,
}

static COHERENCE: Coherence = Coherence::growing();
static WSTS: Wsts = Wsts::new();
static PREDICATE: Predicate = Predicate::new();
static PREDICATE_FOR_INTEGERS: Predicate = Predicate::for_unbounded_data();

/// The sandwich: violations from below, proofs from above; what neither decides, exactly. Orders of events stand beside them:
/// they hold what states cannot, open values of any width and many writes that nobody is waiting for. Where data has no
/// bound the others may search for ever, so one that abstracts from data runs with them.
static AUTO: Race<'static> = Race {
    name: "auto",
    about: "explicit from below, coherence from above, bmc beside them, whichever decides first; wsts if one gives up; predicate for integers; ltl for formulae",
    engines: &[&Explicit, &COHERENCE, &Bmc, &PREDICATE_FOR_INTEGERS, &Ltl],
    reserve: Some(&WSTS),
};

/// The literal machine answers for compiled programs only, and from their text: `check` asks it beside the engines. As an
/// engine on the program representation it takes nothing.
struct LiteralMachine;

impl Engine for LiteralMachine {
    fn name(&self) -> &'static str {
        crate::literal::NAME
    }

    fn about(&self) -> &'static str {
        "C, C++ and Rust executed as compiled, all executions; memory errors, unset values and deadlocks included"
    }

    fn supports(&self, _: &Task<'_>) -> Result<(), Unknown> {
        Err(Unknown::Unsupported { feature: Feature::NotCompiled, span: None })
    }

    fn check(&self, task: &Task<'_>, _: &mut Context<'_>) -> Verdict {
        Verdict::Unknown(self.supports(task).expect_err("it takes no program"))
    }
}

/// The engine that is asked about reordered pairs.
pub(crate) static PAIR_ENGINE: &dyn PairEngine = &Bmc;

/// Those that walk the graph of the reference semantics: one for states, one for whole executions.
static WALKERS: Race<'static> = Race {
    name: "explicit",
    about: "explicit, or ltl for formulae",
    engines: &[&Explicit, &Ltl],
    reserve: None,
};

/// The row for whoever wants that graph walked and did not name an engine.
pub(crate) static WALKER: EngineRow =
    EngineRow { engine: &WALKERS, outcomes: Some(&Explicit), certificates: None };

/// All engines. The first is the default.
pub static ENGINES: &[EngineRow] = &[
    EngineRow { engine: &AUTO, outcomes: Some(&Explicit), certificates: None },
    EngineRow { engine: &Explicit, outcomes: Some(&Explicit), certificates: Some(&Explicit) },
    EngineRow { engine: &COHERENCE, outcomes: None, certificates: Some(&COHERENCE) },
    EngineRow { engine: &WSTS, outcomes: None, certificates: None },
    EngineRow { engine: &PREDICATE, outcomes: None, certificates: Some(&PREDICATE) },
    EngineRow { engine: &Bmc, outcomes: Some(&Bmc), certificates: Some(&Bmc) },
    EngineRow { engine: &Ltl, outcomes: None, certificates: Some(&Ltl) },
    EngineRow { engine: &LiteralMachine, outcomes: None, certificates: None },
];

impl EngineRow {
    /// An engine that gives outcomes under this model, if this one can or leaves it to another. The default leaves models
    /// that cannot be walked through to orders of events.
    pub(crate) fn outcomes_under(&self, model: Model) -> Option<&'static dyn OutcomeEngine> {
        if self.engine.name() == AUTO.name && !model.is_operational() {
            return Some(&Bmc);
        }
        self.outcomes
    }

    /// The engine of that name. `coherence:fd:1` and the like name `coherence` with that abstraction and no other;
    /// `wsts:sb` and the like name `wsts` with that machine and no other; `predicate:newest` names `predicate` with that
    /// part of a buffer kept in order; `bmc:moments` names `bmc` with its other encoding of the order.
    pub fn by_name(name: &str) -> Option<&'static EngineRow> {
        if let Some(abstraction) = name.strip_prefix("coherence:") {
            return Some(certifying(Coherence::new(abstraction.parse().ok()?)));
        }
        if let Some(buffering) = name.strip_prefix("wsts:") {
            return Some(row_of(Wsts::with(buffering.parse().ok()?)));
        }
        if let Some(part) = name.strip_prefix("predicate:") {
            return Some(certifying(Predicate::with(part.parse().ok()?)));
        }
        if name == BmcWithMoments.name() {
            return Some(row_of(BmcWithMoments));
        }
        ENGINES.iter().find(|row| row.engine.name() == name)
    }
}

/// A row for an engine that is named once, when the command line is read, and used until the process ends.
fn row_of(engine: impl Engine + 'static) -> &'static EngineRow {
    Box::leak(Box::new(EngineRow { engine: Box::leak(Box::new(engine)), outcomes: None, certificates: None }))
}

/// The same for one whose proofs can be written down.
fn certifying(engine: impl CertifyingEngine + 'static) -> &'static EngineRow {
    let engine: &'static dyn CertifyingEngine = Box::leak(Box::new(engine));
    Box::leak(Box::new(EngineRow { engine, outcomes: None, certificates: Some(engine) }))
}

/// The engine that gives the graph of an avoid formula.
pub(crate) fn order_engine(abstraction: Option<Abstraction>) -> impl OrderEngine {
    abstraction.map_or(COHERENCE, Coherence::new)
}

impl std::fmt::Debug for EngineRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.engine.name())
    }
}
