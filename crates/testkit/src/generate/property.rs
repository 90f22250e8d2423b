//! Random properties, and properties sought so that they hold under SC and fail under a weaker model.

use std::collections::BTreeSet;

use fencewright_base::{Budget, CancelToken, Int, Meter};
use fencewright_engine::OutcomeQuery;
use fencewright_ir::{
    Condition, Domain, Expr, Forbidden, LocId, LocationSet, Program, ProgramBuilder, Property, Quantifier,
    StateAtom,
};
use fencewright_memory::{Machine, Model, State};

use super::{Config, Rng, value};
use crate::reference::{Exploration, Limits, explore};

/// Adds up to two properties.
pub(super) fn generate(rng: &mut Rng, program: &mut ProgramBuilder, config: &Config) {
    let sought = rng.percent(config.relaxed).then(|| relaxed(rng, program.program())).flatten();
    if let Some(property) = sought {
        program.property(property);
        return;
    }
    let n_properties = *rng.weighted(&[(1, 0), (8, 1), (2, 2)]);
    for _ in 0..n_properties {
        let property = match rng.below(3) {
            0 => forbidden(rng, program.program()),
            1 => {
                // An invariant that is too strong fails at once: two ways out make it hold more often.
                let expr = condition(rng, program.program(), 3).not();
                Property::Invariant(named(expr))
            }
            _ => last(rng, program.program()),
        };
        program.property(property);
    }
}

fn named(expr: Expr<StateAtom>) -> Condition {
    Condition { text: "generated".to_owned(), expr, span: None }
}

fn forbidden(rng: &mut Rng, program: &Program) -> Property {
    let mut at: Vec<LocationSet> = Vec::new();
    for thread in &program.threads {
        let n_locations = thread.locations.len();
        at.push(if rng.percent(80) {
            // The later a location, the less often it is reached by everybody at once.
            let pick = |rng: &mut Rng| {
                LocId((n_locations - 1 - rng.below(n_locations).min(rng.below(n_locations))) as u32)
            };
            LocationSet::OneOf(BTreeSet::from([pick(rng), pick(rng)]))
        } else {
            LocationSet::Any
        });
    }
    Property::Forbidden(Forbidden { at: at.into(), text: "generated".to_owned(), span: None })
}

/// A condition on final states.
pub(super) fn last(rng: &mut Rng, program: &Program) -> Property {
    let quantifier = *rng.pick(&[Quantifier::Exists, Quantifier::NotExists, Quantifier::Forall]);
    let expr = match quantifier {
        Quantifier::Exists | Quantifier::NotExists => condition(rng, program, 3),
        Quantifier::Forall => condition(rng, program, 3).not(),
    };
    let filter = rng.percent(20).then(|| named(condition(rng, program, 1)));
    Property::Final { quantifier, condition: named(expr), filter, observed: everything(program) }
}

/// All registers and cells.
fn everything(program: &Program) -> Vec<StateAtom> {
    let registers = program
        .threads
        .iter_enumerated()
        .flat_map(|(t, thread)| thread.regs.indices().map(move |r| StateAtom::Register(t, r)));
    registers.chain(program.cells().map(|(cell, ..)| StateAtom::Cell(cell))).collect()
}

/// A conjunction of up to `n` parts about registers, cells and locations.
fn condition(rng: &mut Rng, program: &Program, n: usize) -> Expr<StateAtom> {
    let atoms = everything(program);
    let part = |rng: &mut Rng| {
        if rng.percent(10) {
            let t = rng.below(program.threads.len());
            let (t, thread) = program.threads.iter_enumerated().nth(t).expect("the thread exists");
            let loc = LocId(rng.below(thread.locations.len()) as u32);
            return Expr::Atom(StateAtom::At(t, loc));
        }
        let atom = rng.pick(&atoms).clone();
        let domain = domain_of(program, &atom);
        let value = Expr::Const(value(rng, &domain));
        Expr::Atom(atom).eq(value)
    };
    let mut all = part(rng);
    for _ in 1..1 + rng.below(n) {
        all = all.and(part(rng));
    }
    all
}

fn domain_of(program: &Program, atom: &StateAtom) -> Domain {
    match atom {
        StateAtom::Register(thread, reg) => program.threads[*thread].regs[*reg].domain.clone(),
        StateAtom::Cell(cell) => program.vars[program.variable_of(*cell).0].domain.clone(),
        StateAtom::At(..) => Domain::range(0, 1),
    }
}

/// A property that holds under SC and fails under TSO or PSO, if exploring a little finds one.
fn relaxed(rng: &mut Rng, program: &Program) -> Option<Property> {
    let graph = |model: Model, buffer: usize| -> Option<(Machine<'_>, Exploration)> {
        let machine = Machine::new(program, model);
        let budget = Budget { states: Some(2000), ..Budget::default() };
        let meter = Meter::start(budget, CancelToken::new());
        let graph = explore(&machine, &Limits::buffer(buffer), &meter).ok()?;
        // A program that fails by itself, as by an assertion, has no property that holds.
        graph.violation.is_none().then_some((machine, graph))
    };
    let weak = *rng.pick(&[Model::Tso, Model::Pso]);
    let (strong_machine, strong) = graph(Model::Sc, 1)?;
    let (weak_machine, weak) = graph(weak, 2)?;
    let sides = Sides { strong_machine, strong, weak_machine, weak };
    let mut ways: Vec<Way> = vec![new_outcome, new_locations, new_registers, new_memory];
    while !ways.is_empty() {
        let way = ways.swap_remove(rng.below(ways.len()));
        if let Some(property) = way(rng, program, &sides) {
            return Some(property);
        }
    }
    None
}

/// A way to a property that tells the two graphs apart.
type Way = fn(&mut Rng, &Program, &Sides<'_>) -> Option<Property>;

/// The graphs under SC and under the weaker model.
struct Sides<'p> {
    strong_machine: Machine<'p>,
    strong: Exploration,
    weak_machine: Machine<'p>,
    weak: Exploration,
}

impl Sides<'_> {
    /// The values these atoms take together under the weaker model and never under SC.
    fn new_values(&self, atoms: &[StateAtom]) -> Vec<Vec<Int>> {
        let values = |machine: &Machine<'_>, graph: &Exploration| -> BTreeSet<Vec<Int>> {
            let of = |state: &State| atoms.iter().map(|atom| machine.value_of(state, atom)).collect();
            graph.states.iter().map(|state| of(state)).collect()
        };
        let known = values(&self.strong_machine, &self.strong);
        values(&self.weak_machine, &self.weak).difference(&known).cloned().collect()
    }
}

/// An outcome that SC does not have.
fn new_outcome(rng: &mut Rng, program: &Program, sides: &Sides<'_>) -> Option<Property> {
    let observed = everything(program);
    let query = OutcomeQuery { observed: &observed, filter: None };
    let known = sides.strong.outcomes(&sides.strong_machine, &query);
    let outcomes = sides.weak.outcomes(&sides.weak_machine, &query).into_keys();
    let new: Vec<Vec<Int>> = outcomes.filter(|values| !known.contains_key(values)).collect();
    let condition = named(all_equal(&observed, some(rng, &new)?));
    let quantifier = *rng.pick(&[Quantifier::Exists, Quantifier::NotExists]);
    Some(Property::Final { quantifier, condition, filter: None, observed })
}

/// Threads that stand together where they never do under SC.
fn new_locations(rng: &mut Rng, _program: &Program, sides: &Sides<'_>) -> Option<Property> {
    let locations = |graph: &Exploration| -> BTreeSet<Vec<LocId>> {
        graph.states.iter().map(|state| state.locations.as_slice().to_vec()).collect()
    };
    let new: Vec<Vec<LocId>> =
        locations(&sides.weak).difference(&locations(&sides.strong)).cloned().collect();
    let at = some(rng, &new)?.iter().map(|&loc| LocationSet::OneOf(BTreeSet::from([loc]))).collect();
    Some(Property::Forbidden(Forbidden { at, text: "generated".to_owned(), span: None }))
}

/// Values of registers that never occur together under SC.
fn new_registers(rng: &mut Rng, program: &Program, sides: &Sides<'_>) -> Option<Property> {
    let mut atoms = everything(program);
    atoms.retain(|atom| matches!(atom, StateAtom::Register(..)));
    new_invariant(rng, atoms, sides)
}

/// A thread that stands somewhere while memory is as it never is then under SC: it sees no difference itself.
fn new_memory(rng: &mut Rng, program: &Program, sides: &Sides<'_>) -> Option<Property> {
    let mut atoms = everything(program);
    atoms.retain(|atom| matches!(atom, StateAtom::Cell(_)));
    for (t, thread) in program.threads.iter_enumerated() {
        atoms.push(StateAtom::At(t, LocId(rng.below(thread.locations.len()) as u32)));
    }
    new_invariant(rng, atoms, sides)
}

fn new_invariant(rng: &mut Rng, atoms: Vec<StateAtom>, sides: &Sides<'_>) -> Option<Property> {
    let new = sides.new_values(&atoms);
    Some(Property::Invariant(named(all_equal(&atoms, some(rng, &new)?).not())))
}

fn some<'a, T>(rng: &mut Rng, items: &'a [T]) -> Option<&'a T> {
    (!items.is_empty()).then(|| rng.pick(items))
}

fn all_equal(atoms: &[StateAtom], values: &[Int]) -> Expr<StateAtom> {
    let equal = |(atom, value): (&StateAtom, &Int)| Expr::Atom(atom.clone()).eq(Expr::Const(value.clone()));
    atoms.iter().zip(values).map(equal).reduce(Expr::and).expect("a thread has registers, so there are atoms")
}
