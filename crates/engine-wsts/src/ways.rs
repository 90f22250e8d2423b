//! All ways in which a thread can take an edge, given its registers: rules G-2 to G-8 and *-4 to *-6 of
//! `docs/semantics.md`, with what memory shows left open. A read divides a step by the values its cell can hold, a havoc
//! by those of its register's domain.

use std::collections::BTreeMap;

use fencewright_base::{Index, IndexVec, Int};
use fencewright_ir::{Addr, Edge, FenceKind, Lock, Op, Outside, Program, RegExpr, RegId, ThreadId};
use fencewright_memory::Model;

use crate::label::{Cell, Label, Locked, Value, Wait};
use crate::values::{TooMany, Values, enumerate};

/// The most values one `Havoc` or open register may take.
pub(crate) const OPEN_VALUES: usize = 1 << 12;

/// One way to take an edge.
#[derive(Debug, Clone)]
pub(crate) struct Way {
    /// What its `Havoc`s give.
    pub(crate) choices: Vec<Int>,
    /// What it does: labels that follow each other; at least one.
    pub(crate) labels: Vec<Label>,
    /// The registers afterwards; `None` if it ends in a violation.
    pub(crate) registers: Option<IndexVec<RegId, Int>>,
}

/// Why the ways cannot be listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Endless {
    /// A cell holds too many values.
    Cell(TooMany),
    /// A register is given any of too many values.
    Register(ThreadId, RegId),
}

impl From<TooMany> for Endless {
    fn from(cell: TooMany) -> Self {
        Endless::Cell(cell)
    }
}

/// What the ways of an edge depend on beside the registers.
#[derive(Debug, Copy, Clone)]
pub(crate) struct Frame<'p> {
    pub(crate) program: &'p Program,
    pub(crate) model: Model,
    pub(crate) thread: ThreadId,
    pub(crate) edge: &'p Edge,
}

/// All ways to take the edge.
pub(crate) fn ways(
    frame: &Frame<'_>,
    registers: &IndexVec<RegId, Int>,
    values: &mut Values,
) -> Result<Vec<Way>, Endless> {
    let mut done = Vec::new();
    // Under SC nothing is pending: every step acts on memory at one moment and waits for nothing.
    let direct = frame.edge.step.lock.is_some() || frame.model == Model::Sc;
    let wait_all = match (frame.model, frame.edge.step.lock) {
        (Model::Sc, _) | (_, None) | (Model::Pso, Some(Lock::Location)) => false,
        (_, Some(_)) => true,
    };
    let begin = Run {
        registers: registers.clone(),
        choices: Vec::new(),
        direct,
        wait_all,
        touched: Vec::new(),
        reads: BTreeMap::new(),
        written: BTreeMap::new(),
        after: Vec::new(),
    };
    let mut runs = vec![(0, begin)];
    while let Some((at, mut run)) = runs.pop() {
        let Some(op) = frame.edge.step.ops.get(at) else {
            done.push(run.end(true));
            continue;
        };
        match run.op(frame, op, values)? {
            Ok(None) => runs.push((at + 1, run)),
            Ok(Some(parts)) => runs.extend(parts.into_iter().rev().map(|part| (at + 1, part))),
            Err(Halt::Blocked) => {}
            Err(Halt::Violates) => done.push(run.end(false)),
        }
    }
    Ok(done)
}

enum Halt {
    Blocked,
    Violates,
}

/// A step being made.
#[derive(Clone)]
struct Run {
    registers: IndexVec<RegId, Int>,
    choices: Vec<Int>,
    /// Whether its writes go to memory at once.
    direct: bool,
    wait_all: bool,
    /// The cells a locked step has touched.
    touched: Vec<Cell>,
    /// What it has read from outside the step.
    reads: BTreeMap<Cell, Value>,
    /// What it has written itself.
    written: BTreeMap<Cell, Value>,
    /// Writes and store-store fences that come one by one behind the reads.
    after: Vec<Label>,
}

impl Run {
    /// Outer error: the ways cannot be listed. Inner: this one ends here.
    fn op(
        &mut self,
        frame: &Frame<'_>,
        op: &Op,
        values: &mut Values,
    ) -> Result<Result<Option<Vec<Run>>, Halt>, Endless> {
        let domain = |reg: RegId| &frame.program.threads[frame.thread].regs[reg].domain;
        match op {
            Op::Read { dst, addr } => {
                let cell = match self.cell(frame, addr) {
                    Ok(cell) => cell,
                    Err(halt) => return Ok(Err(halt)),
                };
                let known = self.written.get(&cell).or_else(|| self.reads.get(&cell)).copied();
                let seen: Vec<Value> = match known {
                    Some(value) => vec![value],
                    None => (0..values.of(cell).len() as Value).collect(),
                };
                let mut parts = Vec::with_capacity(seen.len());
                for value in seen {
                    if let Some(stored) = domain(*dst).admit(values.of(cell)[value as usize].clone()) {
                        let mut part = self.clone();
                        part.registers[*dst] = stored;
                        if known.is_none() {
                            part.reads.insert(cell, value);
                        }
                        parts.push(part);
                    }
                }
                Ok(Ok(Some(parts)))
            }
            Op::Write { addr, value } => {
                let stored = self.cell(frame, addr).and_then(|cell| Ok((cell, self.eval(value)?)));
                let (cell, value) = match stored {
                    Ok(stored) => stored,
                    Err(halt) => return Ok(Err(halt)),
                };
                let (var, _) = frame.program.variable_of(Index::new(cell as usize));
                let Some(value) = frame.program.vars[var].domain.admit(value) else {
                    return Ok(Err(Halt::Blocked));
                };
                let value = values.number(cell, &value)?;
                self.written.insert(cell, value);
                if !self.direct {
                    self.after.push(Label::Store(cell, value));
                }
                Ok(Ok(None))
            }
            Op::Assign { dst, value } => {
                let value = match self.eval(value) {
                    Ok(value) => value,
                    Err(halt) => return Ok(Err(halt)),
                };
                let Some(value) = domain(*dst).admit(value) else { return Ok(Err(Halt::Blocked)) };
                self.registers[*dst] = value;
                Ok(Ok(None))
            }
            Op::Guard(condition) => Ok(self.eval(condition).and_then(|value| match value.is_true() {
                true => Ok(None),
                false => Err(Halt::Blocked),
            })),
            Op::Assert(condition) => Ok(self.eval(condition).and_then(|value| match value.is_true() {
                true => Ok(None),
                false => Err(Halt::Violates),
            })),
            Op::Havoc { dst } => {
                let all = enumerate(domain(*dst), OPEN_VALUES);
                let all = all.ok_or(Endless::Register(frame.thread, *dst))?;
                let part = |value: Int| {
                    let mut part = self.clone();
                    part.choices.push(value.clone());
                    part.registers[*dst] = value;
                    part
                };
                Ok(Ok(Some(all.into_iter().map(part).collect())))
            }
            Op::Fence(kind) => Ok(self.fence(frame.model, *kind)),
            // The gate gives no program that has them.
            Op::Send { .. } | Op::Receive { .. } => Ok(Err(Halt::Blocked)),
        }
    }

    /// *-4 and *-5.
    fn fence(&mut self, model: Model, kind: FenceKind) -> Result<Option<Vec<Run>>, Halt> {
        match kind {
            FenceKind::Full if model == Model::Sc => {}
            FenceKind::Full if self.after.iter().any(|label| matches!(label, Label::Store(..))) => {
                return Err(Halt::Blocked); // The step's own write is pending and stays so while it waits.
            }
            FenceKind::Full => {
                self.wait_all = true;
                self.after.clear(); // A mark is gone, too, when nothing is pending.
            }
            // With nothing pending it does nothing.
            FenceKind::StoreStore if self.wait_all && self.after.is_empty() => {}
            FenceKind::StoreStore if model == Model::Pso => self.after.push(Label::StoreFence),
            FenceKind::StoreStore => {}
        }
        Ok(None)
    }

    /// G-8, and *-6 for a locked step.
    fn cell(&mut self, frame: &Frame<'_>, addr: &Addr) -> Result<Cell, Halt> {
        let cell = match addr {
            Addr::Cell(cell) => cell.index(),
            Addr::Indexed { first, len, index, outside } => match self.eval(index)?.to_i64() {
                Some(i) if (0..i64::from(*len)).contains(&i) => first.index() + i as usize,
                _ => {
                    return Err(match outside {
                        Outside::Blocks => Halt::Blocked,
                        Outside::Faults => Halt::Violates,
                    });
                }
            },
        };
        let cell = cell as Cell;
        if frame.edge.step.lock.is_some() && frame.model == Model::Pso {
            if !self.after.is_empty() {
                // The step has put a mark into every queue that is not empty, so it passes only if nothing is pending.
                self.wait_all = true;
                self.after.clear();
            }
            self.touched.push(cell);
        }
        Ok(cell)
    }

    fn eval(&self, expr: &RegExpr) -> Result<Int, Halt> {
        expr.eval(&mut |&reg| self.registers[reg].clone()).map_err(|_| Halt::Violates)
    }

    fn end(mut self, goes_on: bool) -> Way {
        let reads: Vec<(Cell, Value)> = self.reads.into_iter().collect();
        self.touched.sort_unstable();
        self.touched.dedup();
        let first = if self.direct || self.wait_all {
            let wait = if self.wait_all { Wait::All } else { Wait::Cells(self.touched) };
            let writes = if self.direct { self.written.into_iter().collect() } else { Vec::new() };
            let nothing = wait == Wait::Cells(Vec::new()) && reads.is_empty() && writes.is_empty();
            if nothing { Label::Local } else { Label::Locked(Locked { wait, reads, writes }) }
        } else if reads.is_empty() {
            Label::Local
        } else {
            Label::Look(reads)
        };
        let mut labels = self.after;
        if !goes_on {
            labels.clear(); // Nobody looks at memory behind a violation.
        }
        if first != Label::Local || labels.is_empty() {
            labels.insert(0, first);
        }
        Way { choices: self.choices, labels, registers: goes_on.then_some(self.registers) }
    }
}
