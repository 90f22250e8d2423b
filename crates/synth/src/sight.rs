//! Which remedies the temporal properties of a program may see.
//!
//! Take an execution of a program with remedies, leave out the steps of some of its fences and let some of its atomic
//! writes be pending for a moment: that is an execution of the program without those remedies. What it shows at each
//! moment is the same, some of it a moment longer or shorter, unless
//!
//! - standing at the fence is told apart from standing where the thread stands without it: a property names that
//!   location, or other statements begin there, which a thread that has passed the fence cannot choose any more;
//! - the write is to a cell that a property names, and something else that is named changes with it.
//!
//! Formulae without `X` do not count moments, so to them both executions are the same. If no property sees any of the
//! remedies, a violation of the program with all of them is one of the program with any of them. Whether an execution
//! is fair is the same for both: a write that passes its buffer at once is flushed at once, and a thread without steps
//! in the cycle stands before the same steps. The last needs that no write of the thread stays pending for ever.

use std::collections::BTreeSet;

use fencewright_ir::edit::Remedy;
use fencewright_ir::{
    CellId, Claim, Edge, LocId, Op, Place, Program, Property, RegId, StateAtom, StatementId, Target,
    Temporal, ThreadId,
};

use crate::offer::named_locations;

/// What the temporal properties of a program look at.
pub(crate) struct Sight<'p> {
    program: &'p Program,
    /// Whether they may see everything.
    everything: bool,
    locations: BTreeSet<(ThreadId, LocId)>,
    registers: BTreeSet<(ThreadId, RegId)>,
    cells: BTreeSet<CellId>,
}

impl<'p> Sight<'p> {
    pub(crate) fn new(program: &'p Program) -> Self {
        let mut sight = Sight {
            program,
            everything: false,
            locations: named_locations(program),
            registers: BTreeSet::new(),
            cells: BTreeSet::new(),
        };
        for property in &program.properties {
            let Property::Temporal(temporal) = property else { continue };
            let Temporal { claim, fairness, text: _, span: _ } = temporal;
            sight.everything |= fairness.process && !fairness.flush;
            sight.everything |= match claim {
                Claim::Formula(formula) => formula.has_next(),
                Claim::Never(_) => true,
            };
            temporal.for_each_atom(&mut |atom| match *atom {
                StateAtom::Register(thread, reg) => _ = sight.registers.insert((thread, reg)),
                StateAtom::Cell(cell) => _ = sight.cells.insert(cell),
                StateAtom::At(..) => {}
            });
        }
        sight
    }

    /// Whether a property may see the remedy.
    pub(crate) fn sees(&self, remedy: Remedy) -> bool {
        self.everything
            || match remedy {
                Remedy::Fence(site, _) => {
                    let places = site.places(self.program);
                    places.iter().any(|&place| self.sees_fence(place, site.statement))
                }
                Remedy::Atomic(statement) => {
                    let threads = self.program.threads.iter_enumerated();
                    threads.into_iter().any(|(t, thread)| {
                        let mut edges = thread.edges.iter();
                        edges.any(|edge| edge.step.statement == statement && self.sees_write(t, edge))
                    })
                }
            }
    }

    fn sees_fence(&self, place: Place, statement: StatementId) -> bool {
        let (thread, location) = match place {
            Place::Before(thread, location) => (thread, location),
            Place::After(thread, edge) => (thread, self.program.edge(thread, edge).to),
        };
        let automaton = &self.program.threads[thread];
        let choice = |edge: &Edge| edge.from == location && edge.step.statement != statement;
        self.locations.contains(&(thread, location))
            || automaton.locations[location].committed
            || matches!(place, Place::Before(..)) && automaton.edges.iter().any(choice)
    }

    /// Whether a named cell is written, and something else that is named may change in the same step.
    fn sees_write(&self, thread: ThreadId, edge: &Edge) -> bool {
        let named_cell = |op: &Op| match op {
            Op::Write { addr, .. } => {
                let (var, _) = self.program.variable_of(addr.first());
                self.cells.iter().any(|&cell| self.program.variable_of(cell).0 == var)
            }
            _ => false,
        };
        let register = |reg: &RegId| self.registers.contains(&(thread, *reg));
        let named_register = |op: &Op| match op {
            Op::Read { dst, .. } | Op::Assign { dst, .. } | Op::Havoc { dst, .. } => register(dst),
            Op::Receive { targets, .. } => targets.iter().any(|target| match target {
                Target::Register(reg) => register(reg),
                Target::Memory(_) => false,
            }),
            Op::Write { .. } | Op::Guard(_) | Op::Assert(_) | Op::Fence(_) | Op::Send { .. } => false,
        };
        let ops = &edge.step.ops;
        let moves = [edge.from, edge.to].iter().any(|&location| self.locations.contains(&(thread, location)));
        let writes = ops.iter().filter(|op| matches!(op, Op::Write { .. })).count();
        ops.iter().any(named_cell) && (moves || writes > 1 || ops.iter().any(named_register))
    }
}
