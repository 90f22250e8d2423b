//! The engine: abstraction, search, and what a counterexample teaches (SAS 2012, figure 1).

use std::collections::BTreeSet;
use std::time::Duration;

use fencewright_base::{Int, Stop};
use fencewright_engine::{CertifyingEngine, Context, Engine, Feature, Guarantee, Task, Unknown, Verdict};
use fencewright_ir::{Domain, Expr, Init, Op, Program, Property};
use fencewright_logic::{AtMost, Formula, Smt, SmtError};
use fencewright_memory::Model;

use crate::buffer::{Keeping, Part};
use crate::certificate;
use crate::linear::{Atom, Linear};
use crate::realise::{Flushing, realise};
use crate::refine::{NoPredicates, refine};
use crate::search::{Found, Precise, search};
use crate::system::{ControlId, Move, System};
use crate::zone::Zone;

/// Writes that are kept in order at most. One more multiplies the controls by the cells that are written.
const MOST_KEPT: usize = 32;

/// Predicates at most. Each more can double the zones of a control.
const MOST_PREDICATES: usize = 200;

/// Time for one question to the solver.
const QUESTION: Duration = Duration::from_secs(5);

/// Proofs and executions of programs over the integers.
#[derive(Debug, Copy, Clone, Default, PartialEq, Eq)]
pub struct Predicate {
    part: Part,
    /// Whether programs of finite data are left to others.
    only_unbounded: bool,
}

impl Predicate {
    /// Keeps the oldest writes of a buffer in order.
    pub const fn new() -> Self {
        Self::with(Part::Oldest)
    }

    /// For programs in which a variable or register ranges over ℤ, and no others: what an engine for finite data may search
    /// for ever.
    pub const fn for_unbounded_data() -> Self {
        Self { part: Part::Oldest, only_unbounded: true }
    }

    /// Keeps this part of a buffer in order.
    pub const fn with(part: Part) -> Self {
        Self { part, only_unbounded: false }
    }
}

impl std::str::FromStr for Part {
    type Err = UnknownPart;

    fn from_str(name: &str) -> Result<Self, UnknownPart> {
        match name {
            "oldest" => Ok(Part::Oldest),
            "newest" => Ok(Part::Newest),
            _ => Err(UnknownPart),
        }
    }
}

/// No part of a buffer has this name.
#[derive(Debug, Copy, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the parts of a buffer are oldest and newest")]
pub struct UnknownPart;

impl Engine for Predicate {
    fn name(&self) -> &'static str {
        "predicate"
    }

    fn about(&self) -> &'static str {
        "integers without bound: predicates over data, store buffers in part, both refined by counterexamples"
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Unknown> {
        let unsupported = |feature| Err(Unknown::Unsupported { feature, span: None });
        match task.model {
            Model::Sc | Model::Tso | Model::Pso => {}
            Model::Slot | Model::Rmo => return unsupported(Feature::Model(task.model)),
        }
        if task.program.properties.iter().any(Property::is_temporal) {
            return unsupported(Feature::Temporal);
        }
        if self.only_unbounded && !has_integers(task.program) {
            return unsupported(Feature::FiniteData);
        }
        Ok(())
    }

    fn check(&self, task: &Task<'_>, context: &mut Context<'_>) -> Verdict {
        let mut refinement = Refinement::new(task, self.part);
        match refinement.run(context) {
            Ok(verdict) => verdict,
            Err(stop) => Verdict::Unknown(Unknown::Stopped { stop, explored: None }),
        }
    }
}

impl CertifyingEngine for Predicate {
    fn certificate(&self, task: &Task<'_>, context: &mut Context<'_>) -> Result<String, Unknown> {
        let mut refinement = Refinement::new(task, self.part);
        let stopped = |stop| Unknown::Stopped { stop, explored: None };
        refinement.run(context).map_err(stopped)?;
        let proof = refinement.proof.as_ref().ok_or(Unknown::Imprecise)?;
        Ok(certificate::write(&refinement.system, proof))
    }
}

/// The loop of abstraction and refinement.
struct Refinement<'p> {
    keeping: Keeping,
    system: System<'p>,
    concrete: System<'p>,
    precise: Precise,
    constants: BTreeSet<i64>,
    /// Asked for the values of a violation where zones do not tell them.
    solver: Solver,
    /// The states of the search that found nothing.
    proof: Option<Vec<(ControlId, Zone)>>,
}

impl<'p> Refinement<'p> {
    fn new(task: &Task<'p>, part: Part) -> Self {
        let keeping = Keeping { model: task.model, part, keep: 0 };
        Self {
            keeping,
            system: System::new(task.program, keeping),
            concrete: System::new(task.program, Keeping { keep: usize::MAX, part: Part::Oldest, ..keeping }),
            precise: Precise::default(),
            constants: constants(task.program),
            solver: Solver::default(),
            proof: None,
        }
    }

    fn run(&mut self, context: &mut Context<'_>) -> Result<Verdict, Stop> {
        loop {
            let part = self.keeping.part.name();
            let abstraction = format!("{part} {}; {}", self.keeping.keep, self.precise.precision);
            let phase = format!("{} predicates, {part} {}", self.precise.precision.len(), self.keeping.keep);
            context.statistics.abstraction = Some(abstraction);
            let (path, joined) = match search(&mut self.system, &self.precise, context, &phase)? {
                Found::Nothing(states) => {
                    self.proof = Some(states);
                    return Ok(Verdict::Holds(Guarantee::Unbounded));
                }
                Found::Path { moves, joined } => (moves, joined),
            };
            for flushing in [Flushing::AtOnce, Flushing::AsThePath] {
                let found = realise(
                    &mut self.concrete,
                    &path,
                    flushing,
                    &mut |guard, n| self.solver.solve(guard, n),
                    &context.meter,
                )?;
                if let Some(trace) = found {
                    return Ok(Verdict::Violated(trace));
                }
            }
            match refine(&path, &self.constants, &mut self.precise.precision) {
                Ok(()) if self.precise.precision.len() <= MOST_PREDICATES => {}
                Err(_) if joined => self.precise.apart = true,
                Err(NoPredicates::Feasible) if self.forgets(&path) && self.keeping.keep < MOST_KEPT => {
                    self.keeping.keep += 1;
                    self.precise.apart = false;
                    self.system = System::new(self.system.program(), self.keeping);
                }
                Ok(()) | Err(NoPredicates::Feasible | NoPredicates::Nothing) => {
                    return Ok(Verdict::Unknown(Unknown::Imprecise));
                }
            }
        }
    }

    /// Whether the path forgets something of a buffer.
    fn forgets(&self, path: &[Move]) -> bool {
        let controls = path.iter().filter_map(|made| made.target);
        controls
            .map(|id| self.system.control(id))
            .any(|control| control.buffers.iter().any(|buffer| !buffer.rest.is_empty()))
    }
}

/// An SMT solver that is started when it is first asked. Without one there are fewer violations, not other ones.
#[derive(Debug, Default)]
struct Solver(Option<Result<Smt, SmtError>>);

impl Solver {
    fn solve(&mut self, guard: &[Atom], n_vars: usize) -> Option<Vec<Int>> {
        let smt = self.0.get_or_insert_with(|| Smt::start(None, QUESTION)).as_mut().ok()?;
        let all = guard.iter().map(|Linear { terms, constant }| {
            Formula::AtMost(AtMost { terms: terms.clone(), constant: constant.clone() })
        });
        smt.solve(n_vars, &Formula::All(all.collect())).ok().flatten()
    }
}

/// Whether a variable or register ranges over ℤ.
fn has_integers(program: &Program) -> bool {
    program.vars.iter().any(|var| var.domain == Domain::Integers)
        || program.threads.iter().any(|thread| thread.regs.iter().any(|reg| reg.domain == Domain::Integers))
}

/// The numbers that the program mentions, as far as they are small.
fn constants(program: &Program) -> BTreeSet<i64> {
    let mut found = BTreeSet::from([0]);
    fn of<A>(expr: &Expr<A>, found: &mut BTreeSet<i64>) {
        match expr {
            Expr::Const(value) => found.extend(value.to_i64()),
            Expr::Atom(_) => {}
            Expr::Unary(_, e) | Expr::Wrap { value: e, .. } | Expr::Checked { value: e, .. } => of(e, found),
            Expr::Binary(_, a, b) => {
                of(a, found);
                of(b, found);
            }
            Expr::Choose(a, b, c) => {
                of(a, found);
                of(b, found);
                of(c, found);
            }
        }
    }
    let mut initial = |init: &Init| match init {
        Init::Value(value) => found.extend(value.to_i64()),
        Init::Any => {}
    };
    program.cells().for_each(|(_, _, init)| initial(init));
    for thread in &program.threads {
        thread.regs.iter().for_each(|reg| initial(&reg.init));
    }
    for thread in &program.threads {
        for op in thread.edges.iter().flat_map(|edge| &edge.step.ops) {
            match op {
                Op::Write { value: expr, .. }
                | Op::Assign { value: expr, .. }
                | Op::Guard(expr)
                | Op::Assert(expr) => of(expr, &mut found),
                Op::Read { .. } | Op::Havoc { .. } | Op::Fence(_) | Op::Send { .. } | Op::Receive { .. } => {}
            }
        }
    }
    for property in &program.properties {
        match property {
            Property::Invariant(condition) => of(&condition.expr, &mut found),
            Property::Final { condition, filter, .. } => {
                of(&condition.expr, &mut found);
                filter.iter().for_each(|filter| of(&filter.expr, &mut found));
            }
            Property::Forbidden(_) | Property::Temporal(_) => {}
        }
    }
    found
}
