//! The engine: one abstraction, or growing ones until there is an answer.

use fencewright_engine::{
    CertifyingEngine, Context, Engine, Feature, Guarantee, Order, OrderEngine, OrderGraph, Prevention, Task,
    Unknown, Verdict,
};
use fencewright_ir::{Domain, EdgeId, FenceKind, Init, Op, Program, Register, ThreadId};
use fencewright_memory::Machine;

use crate::Abstraction;
use crate::certificate;
use crate::orders::order_graph;
use crate::prevent::barriers;
use crate::search::{End, Ended, OPEN_VALUES, search};
use crate::step::values;
use crate::store::Store;
use crate::system::System;
use crate::ways::open_way;

/// The most writes kept in order that are tried. Each more multiplies the states of a program that writes in a loop.
const LARGEST_HEAD: usize = 8;

/// A search that was imprecise after this many states is not repeated with a larger head, which has more.
const ENOUGH_STATES: u64 = 1_000_000;

/// Proofs for store buffers of any length by partial-coherence abstractions.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct Coherence {
    /// The abstraction; `None`: they grow.
    abstraction: Option<Abstraction>,
}

impl Coherence {
    /// With this abstraction only.
    pub const fn new(abstraction: Abstraction) -> Self {
        Self { abstraction: Some(abstraction) }
    }

    /// Keeps no write in order, then one, two and so on, until that proves the property or finds a real violation.
    pub const fn growing() -> Self {
        Self { abstraction: None }
    }

    /// The abstraction of the graph of orders, which does not grow: its answer is never imprecise.
    fn for_orders(&self) -> Abstraction {
        self.abstraction.unwrap_or(FOR_ORDERS)
    }
}

impl Engine for Coherence {
    fn name(&self) -> &'static str {
        "coherence"
    }

    fn about(&self) -> &'static str {
        "proofs for store buffers of any length: the oldest writes in order, the rest as a set"
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Unknown> {
        let unsupported = |feature| Err(Unknown::Unsupported { feature, span: None });
        let any = Abstraction::Fd(0);
        let Some(mut system) = System::new(task.program, task.model, any) else {
            return unsupported(Feature::Model(task.model));
        };
        match open_value(task.program) {
            Some(name) => unsupported(Feature::OpenValue(name)),
            None if system.initial_states(OPEN_VALUES).is_err() => unsupported(too_many_together()),
            None => Ok(()),
        }
    }

    fn check(&self, task: &Task<'_>, context: &mut Context<'_>) -> Verdict {
        let tried: Vec<Abstraction> = match self.abstraction {
            Some(only) => vec![only],
            None => growing().collect(),
        };
        match prove(&tried, task, context, |_, _, _| ()) {
            Ok(()) => Verdict::Holds(Guarantee::Unbounded),
            Err(verdict) => verdict,
        }
    }
}

impl CertifyingEngine for Coherence {
    fn certificate(&self, task: &Task<'_>, context: &mut Context<'_>) -> Result<String, Unknown> {
        // Sets that stand for exactly their values are not written down.
        let tried: Vec<Abstraction> = match self.abstraction {
            Some(Abstraction::Set) => vec![Abstraction::Pd(0)],
            Some(Abstraction::Fd(k)) => vec![Abstraction::Pd(k)],
            Some(only) => vec![only],
            None => growing().collect(),
        };
        prove(&tried, task, context, certificate::write).map_err(|verdict| match verdict {
            Verdict::Unknown(unknown) => unknown,
            Verdict::Holds(_) | Verdict::Violated(_) => Unknown::Imprecise,
        })
    }
}

/// What is to be said of the first proof that one of the abstractions gives; or why there is none.
fn prove<T>(
    tried: &[Abstraction],
    task: &Task<'_>,
    context: &mut Context<'_>,
    said: impl Fn(&System<'_>, &Store, Abstraction) -> T,
) -> Result<T, Verdict> {
    let machine = Machine::new(task.program, task.model);
    for &abstraction in tried {
        let system = System::new(task.program, task.model, abstraction);
        let mut system = system.expect("internal error: a task that is not supported was asked");
        match search(&mut system, abstraction, &machine, context) {
            Ok(End::Proved(store)) => return Ok(said(&system, &store, abstraction)),
            Ok(End::Violated(trace)) => return Err(Verdict::Violated(trace)),
            Ok(End::Imprecise) if context.statistics.states > ENOUGH_STATES => break,
            Ok(End::Imprecise) => {}
            Err(ended) => return Err(Verdict::Unknown(unknown(ended))),
        }
    }
    Err(Verdict::Unknown(Unknown::Imprecise))
}

/// The smallest abstraction that can recover sequential consistency by fences (section 5.1 of the paper).
const FOR_ORDERS: Abstraction = Abstraction::Fd(1);

impl OrderEngine for Coherence {
    fn order_graph(
        &self,
        task: &Task<'_>,
        store_store: bool,
        context: &mut Context<'_>,
    ) -> Result<OrderGraph, Unknown> {
        let abstraction = self.for_orders();
        let system = System::new(task.program, task.model, abstraction);
        let mut system = system.expect("internal error: a task that is not supported was asked");
        order_graph(&mut system, abstraction, store_store, context).map_err(unknown)
    }

    fn open_way(
        &self,
        task: &Task<'_>,
        store_store: bool,
        enforced: &mut dyn FnMut(Order) -> bool,
        context: &mut Context<'_>,
    ) -> Result<Option<Vec<Prevention>>, Unknown> {
        let abstraction = self.for_orders();
        let system = System::new(task.program, task.model, abstraction);
        let mut system = system.expect("internal error: a task that is not supported was asked");
        open_way(&mut system, abstraction, store_store, enforced, context).map_err(unknown)
    }

    fn barriers(&self, task: &Task<'_>) -> Vec<(ThreadId, EdgeId, FenceKind)> {
        barriers(task.program, task.model)
    }

    fn abstraction(&self) -> String {
        self.for_orders().to_string()
    }

    fn finer_abstraction(&self) -> String {
        match self.for_orders() {
            Abstraction::Set => Abstraction::Fd(0),
            Abstraction::Fd(k) => Abstraction::Fd(k + 1),
            Abstraction::Pd(k) => Abstraction::Pd(k + 1),
            Abstraction::Runs(k) => Abstraction::Runs(k + 1),
        }
        .to_string()
    }
}

fn unknown(ended: Ended) -> Unknown {
    match ended {
        Ended::Stopped(stop) => Unknown::Stopped { stop, explored: None },
        Ended::NotEnumerable => Unknown::Unsupported { feature: too_many_together(), span: None },
    }
}

/// PD 0, PD 1, Runs 2, PD 2, Runs 3 and so on. A run keeps the order of more writes, and loses how many there were.
fn growing() -> impl Iterator<Item = Abstraction> {
    let with = |k| [(k > 1).then_some(Abstraction::Runs(k)), Some(Abstraction::Pd(k))];
    (0..=LARGEST_HEAD).flat_map(with).flatten()
}

fn too_many_together() -> Feature {
    Feature::OpenValue("several variables together".to_owned())
}

/// The first open value that has too many possibilities.
fn open_value(program: &Program) -> Option<String> {
    let large = |domain: &Domain| values(domain, OPEN_VALUES).is_none();
    let var = program.vars.iter().find(|var| var.init.contains(&Init::Any) && large(&var.domain));
    var.map(|var| var.name.clone()).or_else(|| {
        program.threads.iter().find_map(|thread| {
            let havoc = |reg| {
                let mut ops = thread.edges.iter().flat_map(|edge| &edge.step.ops);
                ops.any(|op| matches!(op, Op::Havoc { dst } if *dst == reg))
            };
            let open =
                |(id, reg): &(_, &Register)| (reg.init == Init::Any || havoc(*id)) && large(&reg.domain);
            let (_, reg) = thread.regs.iter_enumerated().find(open)?;
            Some(format!("{}:{}", thread.name, reg.name))
        })
    })
}
