//! Certificates: the abstract states that a proof rests on, and a checker that shares neither the search nor the zones nor
//! the predicates with whoever found them.
//!
//! A certificate is an inductive invariant: for each control the conditions that its variables satisfy. The checker makes
//! the moves of the abstract machine again ([`crate::system`], which it trusts, as it does the program it is given) and
//! asks whether every start and every move from a state leads into a state, and none to a violation: what is not a sum of
//! conditions ([`crate::paths`]) is asked of an SMT solver.

use std::collections::{BTreeMap, BTreeSet};

use fencewright_base::{Int, Meter, Stop};
use fencewright_engine::{CERTIFICATE_VERSION, NotAProof, Proof, read_certificate, write_certificate};
use fencewright_ir::{CellId, LocId, Program};
use fencewright_logic::{AtMost, Formula, Smt, SmtError};
use fencewright_memory::Model;
use serde::{Deserialize, Serialize};

use crate::buffer::{Buffer, Earlier, Keeping, Part, Rest};
use crate::config::{Config, Control, Slot};
use crate::known::Known;
use crate::linear::{Atom, Linear, Var, decided};
use crate::minimal::minimal;
use crate::paths::Paths;
use crate::system::{ControlId, Move, System};
use crate::zone::{Bound, difference};

/// A certificate as it is written.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    certificate: u32,
    engine: String,
    model: String,
    /// Which part of a buffer is kept in order.
    part: String,
    /// How many writes of it.
    keep: usize,
    /// Whether it is known of the others that their numbers ascend.
    orders: bool,
    /// The program, in the text form of `ir`.
    program: String,
    states: Vec<WireState>,
}

/// A state: `null` is a value that is a variable. Numbers are written as text: they have no bound.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireState {
    locations: Vec<u32>,
    memory: Vec<Option<String>>,
    registers: Vec<Vec<Option<String>>>,
    buffers: Vec<WireBuffer>,
    /// `left - right ≤ bound`: variables in order, counted from 1; 0 is the number 0.
    bounds: Vec<(usize, usize, i64)>,
    /// Conditions that are no bounds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sums: Vec<WireSum>,
}

/// `Σ factor · variable ≤ bound`, variables as in bounds.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireSum {
    terms: Vec<(usize, String)>,
    bound: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireBuffer {
    kept: Vec<Vec<(u32, Option<String>)>>,
    rest: Vec<WireRest>,
    /// Cells with pending writes behind the last of which there is a store-store fence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    fenced: Vec<u32>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireRest {
    cell: u32,
    last: Option<String>,
    /// The values of earlier writes; `null`: any.
    earlier: Option<Vec<String>>,
    /// The least and the greatest of earlier writes that ascend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ascending: Option<(Option<String>, Option<String>)>,
    /// Cells that hold no less when these writes reach memory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    bounded_by: Vec<u32>,
}

/// Writes the states of a finished search.
pub(crate) fn write(
    system: &mut System<'_>,
    states: &[(ControlId, Known)],
    meter: &Meter,
) -> Result<String, Stop> {
    let states = minimal(system, states, meter)?;
    let Keeping { model, part, keep, orders } = system.keeping();
    let wire = Wire {
        certificate: CERTIFICATE_VERSION,
        engine: "predicate".to_owned(),
        model: model.name().to_owned(),
        part: part.name().to_owned(),
        keep,
        orders,
        program: fencewright_ir::text::print(system.program()),
        states: states
            .iter()
            .map(|(control, conditions)| wire_state(system.control(*control), conditions))
            .collect(),
    };
    Ok(write_certificate(&wire))
}

fn wire_state(control: &Control, conditions: &[Atom]) -> WireState {
    let value = |slot: &Slot| match slot {
        Slot::Known(number) => Some(number.to_string()),
        Slot::Variable => None,
    };
    let rest = |(cell, Rest { last, earlier, bounded_by }): (CellId, &Rest<Slot>)| WireRest {
        cell: cell.0,
        last: value(last),
        earlier: match earlier {
            Earlier::Values(values) => Some(values.iter().map(Int::to_string).collect()),
            Earlier::Ascending(..) | Earlier::Anything => None,
        },
        ascending: match earlier {
            Earlier::Ascending(least, most) => Some((value(least), value(most))),
            Earlier::Values(_) | Earlier::Anything => None,
        },
        bounded_by: bounded_by.iter().map(|cell| cell.0).collect(),
    };
    let kept = |epoch: &Vec<(CellId, Slot)>| epoch.iter().map(|(cell, slot)| (cell.0, value(slot))).collect();
    let buffer = |buffer: &Buffer<Slot>| WireBuffer {
        kept: buffer.epochs.iter().map(kept).collect(),
        rest: buffer.rest.iter().map(rest).collect(),
        fenced: buffer.fenced.iter().map(|cell| cell.0).collect(),
    };
    let (mut bounds, mut sums) = (Vec::new(), Vec::new());
    for condition in conditions {
        match difference(condition) {
            Some(Bound { left, right, bound }) => bounds.push((left, right, bound)),
            None => sums.push(wire_sum(condition)),
        }
    }
    WireState {
        locations: control.locations.iter().map(|loc| loc.0).collect(),
        memory: control.memory.iter().map(value).collect(),
        registers: control.registers.iter().map(|regs| regs.iter().map(value).collect()).collect(),
        buffers: control.buffers.iter().map(buffer).collect(),
        bounds,
        sums,
    }
}

fn wire_sum(Linear { terms, constant }: &Atom) -> WireSum {
    let term = |(var, factor): &(Var, Int)| (*var as usize + 1, factor.to_string());
    WireSum { terms: terms.iter().map(term).collect(), bound: constant.neg().to_string() }
}

/// The conditions of a state over its variables, if they are of that form.
fn conditions(state: &WireState, n_vars: usize) -> Option<Vec<Atom>> {
    let at = |position: usize| match position {
        0 => Some(Linear::constant(0)),
        position => (position <= n_vars).then(|| Linear::var((position - 1) as Var)),
    };
    let mut found = Vec::new();
    for &(left, right, bound) in &state.bounds {
        found.push(at(left)?.sub(&at(right)?).plus(&Int::from(bound).neg()));
    }
    for WireSum { terms, bound } in &state.sums {
        let mut sum = Linear::constant(bound.parse::<Int>().ok()?.neg());
        for (position, factor) in terms {
            sum = sum.add(&at(*position)?.scale(&factor.parse().ok()?));
        }
        found.push(sum);
    }
    Some(found)
}

fn no_answer(error: SmtError) -> NotAProof {
    NotAProof::Solver(error.to_string())
}

/// Starts a solver.
pub type Solver<'s> = dyn FnMut() -> Result<Smt, SmtError> + 's;

/// Checks a certificate.
pub fn verify(text: &str, asking: Asking, solver: &mut Solver<'_>) -> Result<Proof, NotAProof> {
    let form = |text: String| NotAProof::Form(text);
    let (wire, sealed) = read_certificate::<Wire>(text)?;
    if wire.certificate != CERTIFICATE_VERSION || wire.engine != "predicate" {
        return Err(form("another version or engine".to_owned()));
    }
    let model = Model::by_name(&wire.model).filter(|model| !matches!(model, Model::Slot | Model::Rmo));
    let model = model.ok_or_else(|| form(format!("the model {:?}", wire.model)))?;
    let part: Part = wire.part.parse().map_err(|_| form(format!("the part {:?}", wire.part)))?;
    let program = fencewright_ir::text::parse(&wire.program)
        .map_err(|_| form("its program cannot be read".to_owned()))?;
    let keeping = Keeping { model, part, keep: wire.keep, orders: wire.orders };
    let mut system = System::new(&program, keeping);
    let mut checker = Checker { states: BTreeMap::new(), asking, smt: None };
    let mut numbered = Vec::new();
    for state in &wire.states {
        let control =
            control(&program, state).ok_or_else(|| form("a state is not of the program".to_owned()))?;
        let atoms = conditions(state, control.n_vars())
            .ok_or_else(|| form("a condition on a variable that is not there".to_owned()))?;
        let id = system.number(control);
        checker.states.entry(system.skeleton(id)).or_default().push((id, atoms.clone()));
        numbered.push((id, atoms));
    }
    // There is no budget, so nothing stops it.
    let unstopped = |_| form("its moves cannot be made".to_owned());
    let start = system.start().map_err(unstopped)?;
    checker.lead_into_states(&system, &start, &[], solver)?;
    for (id, own) in &numbered {
        let moves = system.moves(*id).map_err(unstopped)?;
        checker.lead_into_states(&system, &moves, own, solver)?;
    }
    let states = numbered.len();
    drop(system);
    if sealed { Ok(Proof { program, model, size: states, unit: "states" }) } else { Err(NotAProof::Changed) }
}

/// Which implications a solver is asked about.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum Asking {
    /// Those that are no sums of conditions.
    WhatIsLeft,
    /// All.
    Everything,
}

struct Checker {
    /// For each skeleton its states.
    states: BTreeMap<u32, Vec<(ControlId, Vec<Atom>)>>,
    asking: Asking,
    smt: Option<Smt>,
}

impl Checker {
    /// Whether every move from a state leads into a state, and none to a violation. The solver is asked about all the
    /// moves together.
    fn lead_into_states(
        &mut self,
        system: &System<'_>,
        moves: &[Move],
        own: &[Atom],
        solver: &mut Solver<'_>,
    ) -> Result<(), NotAProof> {
        let doubtful = moves.iter().filter_map(|made| Some((made, self.counterexamples(system, made, own)?)));
        let (doubtful, formulae): (Vec<&Move>, Vec<Formula>) = doubtful.unzip();
        let Some(n_vars) = doubtful.iter().map(|made| made.n_all).max() else { return Ok(()) };
        let smt = match &mut self.smt {
            Some(smt) => smt,
            none => none.insert(solver().map_err(no_answer)?),
        };
        let asked = smt.solve(n_vars, &Formula::Any(formulae.clone()));
        let Some(values) = asked.map_err(no_answer)? else { return Ok(()) };
        let (made, _) = (doubtful.iter().zip(&formulae))
            .find(|(_, formula)| formula.holds(&values))
            .expect("a solution of one of them");
        Err(match made.target {
            None => NotAProof::Violation(format!("{:?}", made.act)),
            Some(_) => NotAProof::Missing(format!("{:?} leads to a state that is not there", made.act)),
        })
    }

    /// What is true of the values that a move takes to a violation, or out of all states; nothing if it plainly takes none.
    fn counterexamples(&self, system: &System<'_>, made: &Move, own: &[Atom]) -> Option<Formula> {
        let before: Vec<Atom> = own.iter().chain(&made.guard).cloned().collect();
        let after = |var: Var| made.after[var as usize].clone();
        let known = made.target.and_then(|target| self.states.get(&system.skeleton(target)));
        let mut insides: Vec<Vec<Atom>> = Vec::new();
        for (control, theirs) in known.into_iter().flatten() {
            if made.target.is_some_and(|target| system.is_within(target, *control)) {
                insides.push(theirs.iter().map(|atom| atom.substitute(&after)).collect());
            }
        }
        if insides.iter().any(|inside| inside.iter().all(|atom| decided(atom) == Some(true))) {
            return None;
        }
        if self.asking == Asking::WhatIsLeft {
            let paths = Paths::new(made.n_all, &before)?;
            if insides.iter().any(|inside| inside.iter().all(|atom| paths.imply(atom))) {
                return None;
            }
        }
        let all = |atoms: &[Atom]| Formula::All(atoms.iter().map(formula).collect());
        let outside = insides.iter().map(|inside| Formula::Not(Box::new(all(inside))));
        Some(Formula::All([all(&before)].into_iter().chain(outside).collect()))
    }
}

fn formula(atom: &Atom) -> Formula {
    Formula::AtMost(AtMost { terms: atom.terms.clone(), constant: atom.constant.clone() })
}

/// The control of a state, if it is of the program's form.
fn control(program: &Program, state: &WireState) -> Option<Control> {
    let slot = |value: &Option<String>| match value {
        Some(number) => number.parse().ok().map(Slot::Known),
        None => Some(Slot::Variable),
    };
    let cell = |cell: u32| ((cell as usize) < program.n_cells()).then_some(CellId(cell));
    let rest = |rest: &WireRest| {
        let earlier = match (&rest.earlier, &rest.ascending) {
            (Some(_), Some(_)) => return None,
            (None, Some((least, most))) => Earlier::Ascending(slot(least)?, slot(most)?),
            (None, None) => Earlier::Anything,
            (Some(values), None) => Earlier::Values(
                values
                    .iter()
                    .map(|value| value.parse().ok())
                    .collect::<Option<BTreeSet<Int>>>()?
                    .into_iter()
                    .collect(),
            ),
        };
        let bounded_by = rest.bounded_by.iter().map(|&bound| cell(bound)).collect::<Option<_>>()?;
        Some((cell(rest.cell)?, Rest { last: slot(&rest.last)?, earlier, bounded_by }))
    };
    let mut buffers = Vec::new();
    for WireBuffer { kept, rest: rests, fenced } in &state.buffers {
        let mut epochs = Vec::new();
        for epoch in kept {
            let entry = |(c, value): &(u32, Option<String>)| Some((cell(*c)?, slot(value)?));
            epochs.push(epoch.iter().map(entry).collect::<Option<_>>()?);
        }
        let rest = rests.iter().map(rest).collect::<Option<_>>()?;
        let fenced = fenced.iter().map(|&fenced| cell(fenced)).collect::<Option<_>>()?;
        buffers.push(Buffer { epochs, rest, fenced });
    }
    let registers = state.registers.iter().map(|regs| regs.iter().map(slot).collect::<Option<Vec<_>>>());
    let control = Config {
        locations: state.locations.iter().map(|&loc| LocId(loc)).collect(),
        memory: state.memory.iter().map(slot).collect::<Option<_>>()?,
        registers: registers.collect::<Option<_>>()?,
        buffers,
    };
    let threads = program.threads.as_slice();
    let fits = control.memory.len() == program.n_cells()
        && [control.locations.len(), control.registers.len(), control.buffers.len()] == [threads.len(); 3]
        && threads.iter().zip(&control.locations).all(|(t, loc)| (loc.0 as usize) < t.locations.len())
        && threads.iter().zip(&control.registers).all(|(t, regs)| regs.len() == t.regs.len());
    fits.then_some(control)
}
