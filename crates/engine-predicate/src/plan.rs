//! The engine: abstraction, search, and what a counterexample teaches (SAS 2012, figure 1).

use std::collections::BTreeSet;

use fencewright_base::{Meter, Stop};
use fencewright_engine::{CertifyingEngine, Context, Engine, Feature, Guarantee, Task, Unknown, Verdict};
use fencewright_ir::{Domain, Expr, Init, Op, Program, Property};
use fencewright_memory::Model;

use crate::buffer::{Flush, Keeping, Part};
use crate::certificate;
use crate::interpolate::{conditions, demands, interpolants};
use crate::keep::smallest_that_excludes;
use crate::known::{Known, without_sums};
use crate::linear::Atom;
use crate::realise::{Flushing, realise};
use crate::refine::{NoPredicates, refine};
use crate::search::{Found, Precise, search};
use crate::solver::Solver;
use crate::sums::Place;
use crate::system::{Act, ControlId, Move, System};
use crate::zone::Bound;

/// Writes that are kept in order at most. One more multiplies the controls by the cells that are written.
const MOST_KEPT: usize = 32;

/// If so many writes kept in order do not exclude that a number arrives from the rest, what the rest knows of numbers does, or
/// nothing.
const ENOUGH_KEPT: usize = 2;

/// Predicates at most. Each more can double the zones of a control.
const MOST_PREDICATES: usize = 200;

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
        let mut refinement = Refinement::new(task, self.part, task.options.reduction);
        match refinement.run(context) {
            Ok(verdict) => verdict,
            Err(stop) => Verdict::Unknown(Unknown::Stopped { stop, explored: None }),
        }
    }
}

impl CertifyingEngine for Predicate {
    fn certificate(&self, task: &Task<'_>, context: &mut Context<'_>) -> Result<String, Unknown> {
        // The states of a reduced search are closed under the moves it made only.
        let mut refinement = Refinement::new(task, self.part, false);
        let stopped = |stop| Unknown::Stopped { stop, explored: None };
        refinement.run(context).map_err(stopped)?;
        let proof = refinement.proof.as_ref().ok_or(Unknown::Imprecise)?;
        certificate::write(&mut refinement.system, proof, &context.meter).map_err(stopped)
    }
}

/// The loop of abstraction and refinement.
struct Refinement<'p> {
    keeping: Keeping,
    /// Whether steps that need not wait do not.
    reduced: bool,
    system: System<'p>,
    concrete: System<'p>,
    precise: Precise,
    constants: BTreeSet<i64>,
    /// Asked for the values of a violation where zones do not tell them.
    solver: Solver,
    /// The budget of the run.
    meter: Meter,
    /// The states of the search that found nothing.
    proof: Option<Vec<(ControlId, Known)>>,
}

impl<'p> Refinement<'p> {
    fn new(task: &Task<'p>, part: Part, reduced: bool) -> Self {
        let keeping = Keeping { model: task.model, part, keep: 0, orders: false };
        Self {
            keeping,
            reduced,
            system: system(task.program, keeping, reduced),
            concrete: System::new(task.program, Keeping { keep: usize::MAX, part: Part::Oldest, ..keeping }),
            precise: Precise::default(),
            constants: constants(task.program),
            solver: Solver::default(),
            meter: Meter::unlimited(),
            proof: None,
        }
    }

    fn run(&mut self, context: &mut Context<'_>) -> Result<Verdict, Stop> {
        self.meter = context.meter.clone();
        self.concrete.limit(&self.meter);
        self.solver.meter = Some(self.meter.clone());
        loop {
            self.system.limit(&self.meter);
            let part = self.keeping.part.name();
            let orders = if self.keeping.orders { ", orders" } else { "" };
            let predicates = self.precise.precision.text(&|place| name(self.system.program(), place));
            let abstraction = format!("{part} {}{orders}; {predicates}", self.keeping.keep);
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
            let numbers = path.iter().any(|made| match made.act {
                Act::Flush { how: Flush::Earlier, .. } => made.n_all > made.n_before,
                // It is followed, too, what other cells hold when the last write gets there.
                Act::Flush { how: Flush::Last, cell, .. } => self.system.is_of_numbers(cell),
                _ => false,
            });
            context.meter.tick()?;
            match self.predicates(&path) {
                Err(NoPredicates::Stopped(stop)) => return Err(stop),
                Ok(()) if self.precise.precision.len() <= MOST_PREDICATES => {}
                Err(_) if joined => self.precise.apart = true,
                Err(NoPredicates::Feasible) if self.forgets(&path) && self.keeping.keep < MOST_KEPT => {
                    let (program, meter) = (self.system.program(), &context.meter);
                    let keep = smallest_that_excludes(program, self.keeping, &path, meter)?;
                    let keeping = if numbers && !self.keeping.orders && keep > ENOUGH_KEPT {
                        Keeping { orders: true, keep: 0, ..self.keeping }
                    } else {
                        Keeping { keep, ..self.keeping }
                    };
                    if keeping.orders && !self.keeping.orders {
                        // Most of what has been found are numbers of the first rounds. Orders can do without them if they are
                        // followed from the start.
                        self.precise = Precise::default();
                        self.precise.precision.add(Bound { left: 1, right: 2, bound: 0 });
                    }
                    self.restart(keeping);
                }
                Ok(()) | Err(NoPredicates::Feasible | NoPredicates::Nothing) => {
                    return Ok(Verdict::Unknown(Unknown::Imprecise));
                }
            }
        }
    }

    /// Adds predicates that exclude the path: zones if they can, without what is no zone on the path; else interpolants of any form;
    /// else zones from whatever numbers there happen to be.
    fn predicates(&mut self, path: &[Move]) -> Result<(), NoPredicates> {
        let precision = &mut self.precise.precision;
        let plain: Vec<Option<Move>> = path.iter().map(without_sums).collect();
        if plain.iter().all(Option::is_none) {
            return refine(path, &self.constants, precision, &self.meter);
        }
        let plain: Vec<Move> =
            path.iter().zip(plain).map(|(made, plain)| plain.unwrap_or_else(|| made.clone())).collect();
        match refine(&plain, &self.constants, precision, &self.meter) {
            Err(NoPredicates::Feasible | NoPredicates::Nothing) => {}
            other => return other,
        }
        if let Some(found) = interpolants(path) {
            let found: Vec<Vec<Atom>> = found.into_iter().skip(1).map(|atom| vec![atom]).collect();
            if self.follow(path, &found) {
                return Ok(());
            }
        }
        if let Some(found) = self.solver.interpolants(path) {
            let found: Vec<Vec<Atom>> = found.iter().map(conditions).collect();
            let demanded: Vec<Vec<Atom>> = path.iter().map(demands).collect();
            if self.follow(path, &found) || self.follow(path, &demanded) {
                return Ok(());
            }
        }
        refine(path, &self.constants, &mut self.precise.precision, &self.meter)
    }

    /// Follows conditions on the variables behind each move of a path that cannot be taken; whether that is anything new.
    fn follow(&mut self, path: &[Move], found: &[Vec<Atom>]) -> bool {
        let precision = &mut self.precise.precision;
        // What is no zone matters on this path, be it that all the predicates are zones.
        let mut is_new = !precision.follows_sums();
        precision.follow_sums();
        for (made, atoms) in path.iter().zip(found) {
            let Some(control) = made.target else { continue };
            let places = self.system.control(control).places();
            for atom in atoms {
                is_new |= precision.add_atom(atom, &places);
            }
        }
        is_new
    }

    /// Goes on with other buffers and the same predicates.
    fn restart(&mut self, keeping: Keeping) {
        self.keeping = keeping;
        self.precise.apart = false;
        self.system = system(self.system.program(), keeping, self.reduced);
    }

    /// Whether the path forgets something of a buffer.
    fn forgets(&self, path: &[Move]) -> bool {
        let controls = path.iter().filter_map(|made| made.target);
        controls
            .map(|id| self.system.control(id))
            .any(|control| control.buffers.iter().any(|buffer| !buffer.rest.is_empty()))
    }
}

fn system(program: &Program, keeping: Keeping, reduced: bool) -> System<'_> {
    let system = System::new(program, keeping);
    if reduced { system.reduced() } else { system }
}

/// A place as the program calls it.
fn name(program: &Program, place: Place) -> String {
    match place {
        Place::Cell(cell) => program.cell_name(cell),
        Place::Register(thread, reg) => {
            let thread = &program.threads[thread];
            format!("{}.{}", thread.name, thread.regs[reg].name)
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::{Linear, le};
    use fencewright_base::{Budget, CancelToken, Int};
    use fencewright_engine::Options;
    use fencewright_ir::{CellId, FenceKind, Lock, RegId};
    use fencewright_memory::Machine;
    use fencewright_testkit::generate::{Config, program};
    use fencewright_testkit::reference::{Limits, explore};
    use fencewright_testkit::toy::{Toy, ToyThread, write};

    const FIRST_SEED: u64 = 8_100_000;

    fn meter(states: u64) -> Meter {
        Meter::start(Budget { states: Some(states), ..Budget::default() }, CancelToken::new())
    }

    /// Generated programs with every domain made ℤ, so that pending numbers are variables: nothing is proved that the
    /// reference refutes, and nothing refuted that it proves, with the engine prepared like this.
    fn is_sound(programs: u64, models: &[Model], prepare: impl Fn(&mut Refinement<'_>)) {
        let (mut proved, mut violated) = (0, 0);
        for seed in FIRST_SEED..FIRST_SEED + programs {
            let mut program = program(seed, &Config::default());
            for var in program.vars.iter_mut() {
                var.domain = Domain::Integers;
            }
            for thread in program.threads.iter_mut() {
                thread.regs.iter_mut().for_each(|reg| reg.domain = Domain::Integers);
            }
            for &model in models {
                let machine = Machine::new(&program, model);
                // Open values have no bound now, and some programs count.
                let Ok(graph) = explore(&machine, &Limits::buffer(3), &meter(3_000)) else { continue };
                let task = Task { program: &program, model, options: Options::default() };
                for part in [Part::Oldest, Part::Newest] {
                    let mut refinement = Refinement::new(&task, part, seed % 2 == 0);
                    prepare(&mut refinement);
                    let place = format!("seed {seed} under {} {}", model.name(), part.name());
                    match refinement.run(&mut Context::quiet(meter(5_000))) {
                        Ok(Verdict::Holds(_)) => {
                            assert!(graph.violation.is_none(), "{place}: proved, but there is a violation");
                            proved += 1;
                        }
                        Ok(Verdict::Violated(_)) => {
                            let possible = graph.violation.is_some() || graph.met_cap;
                            assert!(possible, "{place}: violated, but it holds");
                            violated += 1;
                        }
                        Ok(Verdict::Unknown(_)) | Err(_) => {}
                    }
                }
            }
        }
        let least = programs / 5;
        assert!(proved > least && violated > least, "{proved} proved, {violated} violated");
    }

    /// The order of pending numbers is looked at from the start, with the predicates that it takes to know it.
    fn with_orders(refinement: &mut Refinement<'_>) {
        refinement.restart(Keeping { orders: true, ..refinement.keeping });
        for bound in [-1, 0, 1] {
            for (left, right) in [(1, 0), (0, 1), (1, 2)] {
                refinement.precise.precision.add(Bound { left, right, bound });
            }
        }
    }

    #[test]
    fn orders_of_pending_numbers_are_sound() {
        is_sound(150, &[Model::Tso, Model::Pso], |refinement| {
            refinement.restart(Keeping { orders: true, ..refinement.keeping });
        });
    }

    #[test]
    fn orders_that_are_known_are_sound() {
        is_sound(60, &[Model::Tso, Model::Pso], with_orders);
    }

    /// A program of two threads over integers that start with 0; both at the end is forbidden.
    fn both_at_the_end(
        first: impl FnOnce(&mut ToyThread<'_>, [CellId; 3], RegId),
        second: impl FnOnce(&mut ToyThread<'_>, [CellId; 3], RegId),
    ) -> Program {
        let zero = || (Domain::Integers, Init::Value(Int::ZERO));
        let mut p = Toy::new("bounds");
        let cells = ["x", "y", "g"].map(|name| p.var(name, zero().0, zero().1));
        let ends = [
            p.thread(|t| {
                let r = t.reg_of("r", zero().0, zero().1);
                first(t, cells, r);
                t.here()
            }),
            p.thread(|t| {
                let r = t.reg_of("r", zero().0, zero().1);
                second(t, cells, r);
                t.here()
            }),
        ];
        p.forbid(&ends);
        p.finish()
    }

    /// Where what a thread announces is *not* bounded by what it wrote before, the violation is found.
    fn is_violated_under(program: &Program, violated: &[Model]) {
        for model in [Model::Sc, Model::Tso, Model::Pso] {
            let task = Task { program, model, options: Options::default() };
            for part in [Part::Oldest, Part::Newest] {
                let mut refinement = Refinement::new(&task, part, false);
                with_orders(&mut refinement);
                let verdict = refinement.run(&mut Context::quiet(meter(20_000))).expect("it is small");
                let place = format!("{} {}: {verdict:?}", model.name(), part.name());
                assert_eq!(matches!(verdict, Verdict::Violated(_)), violated.contains(&model), "{place}");
                assert_eq!(matches!(verdict, Verdict::Holds(_)), !violated.contains(&model), "{place}");
            }
        }
    }

    /// P0 writes x and y and finds g unset; P1 sees x, takes it back and sets g in one step, finds y unset, and then set. Under SC
    /// y is set before g is looked at. Else y may arrive when x has been taken back.
    #[test]
    fn a_cell_that_others_write_bounds_nothing() {
        let program = both_at_the_end(
            |t, [x, y, g], r| {
                t.write(x, 1);
                t.fence(FenceKind::StoreStore);
                t.write(y, 1);
                t.wait(r, g, 0);
            },
            |t, [x, y, g], r| {
                t.wait(r, x, 1);
                t.step(Some(Lock::Full), [write(x, -1), write(g, 1)]);
                t.wait(r, y, 0);
                t.wait(r, y, 1);
            },
        );
        is_violated_under(&program, &[Model::Tso, Model::Pso]);
    }

    /// Without a fence between them PSO may let y arrive before x, and with one nothing does.
    #[test]
    fn a_write_without_a_fence_bounds_nothing_under_pso() {
        for (fenced, violated) in [(false, &[Model::Pso][..]), (true, &[])] {
            let program = both_at_the_end(
                |t, [x, y, _], _| {
                    t.write(x, 1);
                    if fenced {
                        t.fence(FenceKind::StoreStore);
                    }
                    t.write(y, 1);
                },
                |t, [x, y, _], r| {
                    t.wait(r, y, 1);
                    t.wait(r, x, 0);
                },
            );
            is_violated_under(&program, violated);
        }
    }

    /// x falls behind y: PSO may let it fall before y arrives, be the second write locked or not.
    #[test]
    fn a_cell_that_falls_bounds_nothing_under_pso() {
        for (lock, fence) in [
            (None, FenceKind::Full),
            (None, FenceKind::StoreStore),
            (Some(Lock::Location), FenceKind::StoreStore),
        ] {
            let program = both_at_the_end(
                |t, [x, y, _], _| {
                    t.write(x, 1);
                    t.fence(fence);
                    t.write(y, 1);
                    t.step(lock, [write(x, -1)]);
                },
                |t, [x, y, _], r| {
                    t.wait(r, x, -1);
                    t.wait(r, y, 0);
                    t.wait(r, y, 1);
                },
            );
            is_violated_under(&program, &[Model::Pso]);
        }
    }

    /// With predicates on sums from the start: of two cells, of twice a cell, and of a cell and each register.
    #[test]
    fn sums_are_sound() {
        is_sound(20, &[Model::Sc, Model::Tso, Model::Pso], |refinement| {
            let program = refinement.system.program();
            let precision = &mut refinement.precise.precision;
            precision.follow_sums();
            let cells: Vec<Place> =
                (0..program.n_cells()).map(|cell| Place::Cell(CellId(cell as u32))).collect();
            let first_register = |t| Place::Register(t, RegId(0));
            let registers = program.threads.indices().filter(|&t| !program.threads[t].regs.is_empty());
            let mut pairs: Vec<[Place; 2]> = cells.windows(2).map(|pair| [pair[0], pair[1]]).collect();
            pairs.extend(registers.map(|t| [cells[0], first_register(t)]));
            for pair in pairs {
                for (factor, constant) in [(1, 0), (1, 1), (1, 2), (2, 0), (2, 3)] {
                    let sum = Linear::var(0).scale(&Int::from(factor)).add(&Linear::var(1));
                    precision.add_atom(&le(&sum, &Linear::constant(constant)), &pair);
                    precision.add_atom(&le(&Linear::constant(constant), &sum), &pair);
                }
            }
        });
    }
}
