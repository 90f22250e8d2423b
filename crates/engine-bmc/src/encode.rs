//! The whole program as one circuit, with the questions that can be asked of it.

use std::collections::BTreeSet;

use fencewright_base::{Index, IndexVec, Int};
use fencewright_ir::{
    CellId, Condition, Expr, Init, Lock, Program, Property, Quantifier, StateAtom, ThreadId,
};
use fencewright_logic::{Answer, Bit, Circuit, Number};

use crate::axioms::Axioms;
use crate::events::{CopyRun, Extent, Kind, Point, Refused, Shape, ThreadRun, Touch, execute};
use crate::moments::number_points;
use crate::order::{Circle, Graph, Ties};
use crate::pairs::Selectors;
use crate::relations::{Relations, connect_reads, writes_to};
use crate::symbolic::{admit, any_of, eval};
use crate::unroll::Unrolled;

/// An unrolled program.
#[derive(Debug)]
pub(crate) struct Encoding {
    pub(crate) circuit: Circuit,
    pub(crate) axioms: &'static Axioms,
    /// What it is the encoding of.
    program: Program,
    shape: Shape,
    pub(crate) points: Vec<Point>,
    /// The threads, and the observer behind them.
    pub(crate) runs: IndexVec<ThreadId, ThreadRun>,
    pub(crate) relations: Relations,
    pub(crate) initial: IndexVec<CellId, Number>,
    /// The point that looks at memory at the end of the run, if a property asks for that.
    pub(crate) observer: Option<usize>,
    /// A property is violated.
    pub(crate) violated: Bit,
    /// What the observer sees violates an invariant.
    pub(crate) seen_by_observer: Bit,
    /// The run leaves what was unrolled.
    pub(crate) left: Bit,
    /// A number did not fit into memory: the run means nothing.
    pub(crate) overflow: Bit,
    /// Pairs of statements that can be told to keep their order.
    pub(crate) selectors: Selectors,
    /// How points that nothing orders are put into an order.
    pub(crate) ties: Ties,
    /// The circles that were refused, in this order, if the circuit keeps a record.
    pub(crate) circles: Vec<Circle>,
}

/// Why the solver gave no answer.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(crate) enum Halted {
    /// It was stopped.
    Stopped,
    /// It has met as many conflicts as it was allowed.
    GaveUp,
}

impl Encoding {
    /// Followed so far. Beside what properties mention, the `watched` parts can be asked for.
    pub(crate) fn new(
        program: &Program,
        axioms: &'static Axioms,
        extent: Extent,
        watched: &[StateAtom],
        mut circuit: Circuit,
    ) -> Result<Self, Refused> {
        let mut initial = IndexVec::new();
        for (cell, domain, init) in program.cells() {
            initial.push(match init {
                Init::Value(value) => Number::constant(value)?,
                Init::Any => {
                    let name = || Refused::OpenValue(program.cell_name(cell));
                    let number = any_of(domain, &mut circuit).ok_or_else(name)??;
                    let (_, fits) = admit(domain, number.clone(), &mut circuit)?;
                    circuit.require(&[fits]);
                    number
                }
            });
        }
        let shape = Shape::new(program, axioms, extent)?;
        let mut points = Vec::new();
        let mut runs = IndexVec::new();
        for id in program.threads.indices() {
            let run = execute(program, id, (shape, watched), &mut circuit, &mut points)?;
            runs.push(run);
        }
        let mut encoding = Self {
            circuit,
            axioms,
            program: program.clone(),
            shape,
            points,
            runs,
            relations: Relations::default(),
            initial,
            observer: None,
            violated: Bit::FALSE,
            seen_by_observer: Bit::FALSE,
            left: Bit::FALSE,
            overflow: Bit::FALSE,
            selectors: Selectors::default(),
            ties: Ties::FewOvertaken,
            circles: Vec::new(),
        };
        let observed = encoding.observe(program)?;
        let Encoding { circuit, points, runs, relations, initial, .. } = &mut encoding;
        connect_reads(relations, initial, points, runs, circuit)?;
        encoding.violated = encoding.violation(program, &observed)?;
        let overflows: Vec<Bit> =
            encoding.runs.iter().flat_map(|run| run.overflows.iter().copied()).collect();
        let overflow = encoding.circuit.any(&overflows);
        encoding.violated = encoding.circuit.and(encoding.violated, !overflow);
        let cuts: Vec<Bit> = encoding.runs.iter().flat_map(|run| run.cut.iter().copied()).collect();
        let cut = encoding.circuit.any(&cuts);
        encoding.left = encoding.circuit.and(cut, !overflow);
        encoding.overflow = overflow;
        Ok(encoding)
    }

    /// Gives every point a moment, so that no solution has a circle.
    pub(crate) fn number_points(&mut self) -> Result<(), Refused> {
        let Encoding { circuit, axioms, points, runs, relations, observer, .. } = self;
        number_points(axioms, relations, (points, *observer), runs, circuit)
    }

    /// Looks for an execution in which the bits are true: its points in order, or nothing if there is none.
    pub(crate) fn solve(&mut self, assumptions: &[Bit]) -> Result<Option<Vec<usize>>, Halted> {
        loop {
            match self.circuit.solve(assumptions) {
                Answer::Stopped => return Err(Halted::Stopped),
                Answer::GaveUp => return Err(Halted::GaveUp),
                Answer::Unsatisfiable => return Ok(None),
                Answer::Satisfiable => {}
            }
            let graph = Graph::of_solution(
                self.axioms,
                &self.program,
                &self.relations,
                (&self.points, self.observer),
                &self.selectors,
                &self.runs,
                &self.circuit,
            );
            self.circuit.go_on().map_err(|_| Halted::Stopped)?;
            match graph.sort(&mut self.ties, &self.circuit) {
                Ok(order) => return Ok(Some(order)),
                Err(circles) => {
                    for circle in circles {
                        self.circuit.require(&circle.clause);
                        if self.circuit.is_recording() {
                            self.circles.push(circle);
                        }
                    }
                }
            }
        }
    }

    /// Adds the observer, if an invariant asks for memory: a step of a thread of its own that reads everything at once,
    /// after all steps of the others. What is pending then stays so.
    fn observe(&mut self, program: &Program) -> Result<Memory, Refused> {
        let mut seen: Memory = vec![None; program.n_cells()];
        for property in &program.properties {
            if let Property::Invariant(condition) = property {
                condition.expr.for_each_atom(&mut |atom| {
                    if let StateAtom::Cell(cell) = atom {
                        seen[cell.index()].get_or_insert_with(|| Number::of_bit(Bit::FALSE));
                    }
                });
            }
        }
        let mut reads = Vec::new();
        for (i, value) in seen.iter_mut().enumerate() {
            if let Some(value) = value {
                let cell = CellId::new(i);
                let (var, _) = program.variable_of(cell);
                let (width, _) = self.shape.width(&program.vars[var]);
                *value = Number::fresh(width, true, &mut self.circuit)?;
                reads.push(Touch { cells: vec![(cell, Bit::TRUE)], value: value.clone(), done: Bit::TRUE });
            }
        }
        if !reads.is_empty() {
            let thread = self.runs.push(ThreadRun {
                unrolled: Unrolled::once(),
                stands: Vec::new(),
                registers: Vec::new(),
                copies: vec![CopyRun { taken: Bit::TRUE, fails: Bit::FALSE, choices: Vec::new() }],
                chosen: Vec::new(),
                cut: Vec::new(),
                overflows: Vec::new(),
            });
            self.observer = Some(self.points.len());
            let kind = Kind::Locked(Lock::Full);
            self.points.push(Point { thread, copy: 0, kind, done: Bit::TRUE, reads, writes: Vec::new() });
        }
        Ok(seen)
    }

    fn violation(&mut self, program: &Program, observed: &[Option<Number>]) -> Result<Bit, Refused> {
        let mut ways: Vec<Bit> =
            self.runs.iter().flat_map(|run| run.copies.iter().map(|copy| copy.fails)).collect();
        for property in &program.properties {
            let way = match property {
                Property::Temporal(_) => unreachable!("a supported task has no temporal property"),
                Property::Forbidden(forbidden) => {
                    let mut all = Vec::new();
                    for id in program.threads.indices() {
                        let run = &self.runs[id];
                        let somewhere: Vec<Bit> = (run.unrolled.nodes.iter().zip(&run.stands))
                            .filter(|(node, _)| forbidden.at[id].contains(node.location))
                            .map(|(_, stands)| *stands)
                            .collect();
                        all.push(self.circuit.any(&somewhere));
                    }
                    self.circuit.all(&all)
                }
                Property::Invariant(condition) => {
                    let holds = self.holds(condition, observed)?;
                    let standing = self.standing(program);
                    let way = self.circuit.and(standing, !holds);
                    self.seen_by_observer = self.circuit.or(self.seen_by_observer, way);
                    way
                }
                Property::Final { quantifier, condition, filter, observed: _ } => {
                    let mut mentioned = atoms_of(&condition.expr);
                    mentioned.extend(filter.iter().flat_map(|filter| atoms_of(&filter.expr)));
                    let last = self.final_memory(program, &mentioned)?;
                    let holds = self.holds(condition, &last)?;
                    let counts = match filter {
                        Some(filter) => self.holds(filter, &last)?,
                        None => Bit::TRUE,
                    };
                    let bad = match quantifier {
                        Quantifier::Exists | Quantifier::NotExists => holds,
                        Quantifier::Forall => !holds,
                    };
                    let ended = self.ended(program);
                    self.circuit.all(&[ended, counts, bad])
                }
            };
            ways.push(way);
        }
        Ok(self.circuit.any(&ways))
    }

    /// Every thread ends its run at some location: none has failed or left what was unrolled.
    fn standing(&mut self, program: &Program) -> Bit {
        let all: Vec<Bit> = (program.threads.indices())
            .map(|id| {
                let stands = self.runs[id].stands.clone();
                self.circuit.any(&stands)
            })
            .collect();
        self.circuit.all(&all)
    }

    fn ended(&mut self, program: &Program) -> Bit {
        let all: Vec<Bit> = (program.threads.indices())
            .map(|id| {
                let run = &self.runs[id];
                let ends = (run.unrolled.nodes.iter().zip(&run.stands))
                    .filter(|(node, _)| node.leaving.is_empty())
                    .map(|(_, stands)| *stands);
                let ends: Vec<Bit> = ends.collect();
                self.circuit.any(&ends)
            })
            .collect();
        self.circuit.all(&all)
    }

    /// What cells hold when everything has reached memory, for those that are mentioned.
    fn final_memory(&mut self, program: &Program, mentioned: &[StateAtom]) -> Result<Memory, Refused> {
        let mut last: Memory = vec![None; program.n_cells()];
        let cells: BTreeSet<CellId> = mentioned
            .iter()
            .filter_map(|atom| match atom {
                StateAtom::Cell(cell) => Some(*cell),
                StateAtom::Register(..) | StateAtom::At(..) => None,
            })
            .collect();
        let Encoding { circuit, points, runs, relations, initial, shape, .. } = self;
        for cell in cells {
            let (var, _) = program.variable_of(cell);
            let value = Number::fresh(shape.width(&program.vars[var]).0, true, circuit)?;
            let writes = writes_to(cell, points).list;
            let untouched = circuit.fresh();
            value.equate_if(untouched, &initial[cell], circuit);
            let mut choices = vec![untouched];
            for &(w, i, bit) in &writes {
                circuit.go_on()?;
                let done = points[w].writes[i].done;
                circuit.require(&[!untouched, !done, !bit]);
                let is_last = circuit.fresh();
                circuit.imply(is_last, &[done]);
                circuit.imply(is_last, &[bit]);
                value.equate_if(is_last, &points[w].writes[i].value, circuit);
                for &(other, j, there) in writes.iter().filter(|(other, ..)| *other != w) {
                    let earlier = relations.before(other, w, points, runs, circuit);
                    circuit.require(&[!is_last, !points[other].writes[j].done, !there, earlier]);
                }
                choices.push(is_last);
            }
            circuit.require(&choices);
            last[cell.index()] = Some(value);
        }
        Ok(last)
    }

    /// Whether the condition holds where the threads stand. One without a value does not.
    fn holds(&mut self, condition: &Condition, memory: &[Option<Number>]) -> Result<Bit, Refused> {
        let mut atoms: Vec<(StateAtom, Number)> = Vec::new();
        for atom in atoms_of(&condition.expr) {
            let number = self.value_at_the_end(&atom, memory)?;
            atoms.push((atom, number));
        }
        let find = &mut |atom: &StateAtom| {
            let found = atoms.iter().find(|(known, _)| known == atom);
            found.map(|(_, number)| number.clone()).expect("every atom was looked up")
        };
        let value = eval(&condition.expr, find, None, &mut self.circuit)?;
        let is = value.number.is_true(&mut self.circuit);
        Ok(self.circuit.and(is, !value.fault))
    }

    /// The value of a part of the state in which the run ends. What a register holds depends on where its thread stands.
    fn value_at_the_end(&mut self, atom: &StateAtom, memory: &[Option<Number>]) -> Result<Number, Refused> {
        Ok(match *atom {
            StateAtom::Cell(cell) => memory[cell.index()].clone().expect("mentioned cells have values"),
            StateAtom::At(thread, location) => {
                let run = &self.runs[thread];
                let here: Vec<Bit> = (run.unrolled.nodes.iter().zip(&run.stands))
                    .filter(|(node, _)| node.location == location)
                    .map(|(_, stands)| *stands)
                    .collect();
                Number::of_bit(self.circuit.any(&here))
            }
            StateAtom::Register(thread, reg) => {
                let run = &self.runs[thread];
                let mut number = Number::constant(&Int::ZERO)?;
                for (stands, registers) in run.stands.iter().zip(&run.registers) {
                    number = Number::choose(*stands, &registers[reg.index()], &number, &mut self.circuit);
                }
                number
            }
        })
    }

    /// Whether all threads have ended, in a state that satisfies the filter, and what is observed there.
    pub(crate) fn outcome(
        &mut self,
        program: &Program,
        observed: &[StateAtom],
        filter: Option<&Condition>,
    ) -> Result<(Bit, Vec<Number>), Refused> {
        let mut mentioned = observed.to_vec();
        mentioned.extend(filter.iter().flat_map(|filter| atoms_of(&filter.expr)));
        let last = self.final_memory(program, &mentioned)?;
        let counts = match filter {
            Some(filter) => self.holds(filter, &last)?,
            None => Bit::TRUE,
        };
        let ended = self.ended(program);
        let numbers: Result<Vec<Number>, Refused> =
            observed.iter().map(|atom| self.value_at_the_end(atom, &last)).collect();
        let counts = self.circuit.all(&[ended, counts, !self.overflow]);
        Ok((counts, numbers?))
    }
}

/// What cells hold, for those that somebody asks about.
type Memory = Vec<Option<Number>>;

fn atoms_of(expr: &Expr<StateAtom>) -> Vec<StateAtom> {
    let mut atoms = Vec::new();
    expr.for_each_atom(&mut |atom| atoms.push(atom.clone()));
    atoms
}
