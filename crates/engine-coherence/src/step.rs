//! One step of a thread on the abstract machine: rules G-2 to G-8 and *-6 of `docs/semantics.md`. A havoc, and a read
//! that may see several values of the thread's own, divide it.

use fencewright_base::{Index, Int};
use fencewright_ir::{Addr, CellId, Domain, Edge, EdgeId, Op, Outside, RegExpr, RegId, ThreadId};
use fencewright_memory::NotEnumerable;

use crate::buffer::Buffer;
use crate::system::{Move, System, Target};

/// A step being made.
#[derive(Clone)]
struct Run {
    state: Vec<u32>,
    buffer: Buffer,
    choices: Vec<Int>,
}

/// Which step it is, and how it may divide.
struct Frame<'p> {
    thread: ThreadId,
    edge_id: EdgeId,
    edge: &'p Edge,
    limit: usize,
}

/// Why a step goes no further.
enum Halt {
    Blocked,
    Violates,
    NotEnumerable,
}

impl System<'_> {
    /// All ways to take the edge. `limit` bounds the values one `Havoc` may try.
    pub(crate) fn steps(
        &mut self,
        state: &[u32],
        thread: ThreadId,
        edge_id: EdgeId,
        limit: usize,
        found: &mut Vec<(Move, Target)>,
    ) -> Result<(), NotEnumerable> {
        let edge = self.program.edge(thread, edge_id);
        let buffer = self.buffer(state, thread);
        if edge.step.lock.is_some_and(|lock| !buffer.may_lock(lock)) {
            return Ok(());
        }
        let run = Run { state: state.to_vec(), buffer: buffer.clone(), choices: Vec::new() };
        let frame = &Frame { thread, edge_id, edge, limit };
        // Parts of the step that are not finished, each with the number of its next micro-operation.
        let mut runs = vec![(0, run)];
        while let Some((at, mut run)) = runs.pop() {
            let Some(op) = edge.step.ops.get(at) else {
                run.state[thread.index()] = edge.to.0;
                self.set_buffer(&mut run.state, thread, run.buffer);
                self.forget_dead_registers(&mut run.state, thread);
                let next = Target::State(run.state.into_boxed_slice());
                found.push((Move::Step { thread, edge: edge_id, choices: run.choices }, next));
                continue;
            };
            match self.op(frame, op, &mut run) {
                Ok(None) => runs.push((at + 1, run)),
                Ok(Some(others)) => runs.extend(others.into_iter().map(|other| (at + 1, other))),
                Err(Halt::Blocked) => {}
                Err(Halt::Violates) => {
                    let step = Move::Step { thread, edge: edge_id, choices: run.choices };
                    found.push((step, Target::Violation));
                }
                Err(Halt::NotEnumerable) => return Err(NotEnumerable),
            }
        }
        Ok(())
    }

    /// Executes one micro-operation. If it divides the step, gives all the parts; they take the place of `run`.
    fn op(&mut self, frame: &Frame<'_>, op: &Op, run: &mut Run) -> Result<Option<Vec<Run>>, Halt> {
        match op {
            Op::Read { dst, addr } => {
                let cell = self.cell(frame, run, addr)?;
                let mut own = run.buffer.readable(cell);
                own.iter_mut().for_each(|entry| *entry = self.value_of_entry(*entry));
                if own.is_empty() {
                    own.push(self.memory(&run.state, cell));
                }
                let mut parts = Vec::with_capacity(own.len());
                for value in own {
                    let mut part = run.clone();
                    let value = (**self.values.thing(value)).clone();
                    match self.set(frame, &mut part, *dst, value) {
                        Ok(()) => parts.push(part),
                        Err(Halt::Blocked) => {}
                        Err(halt) => return Err(halt),
                    }
                }
                Ok(Some(parts))
            }
            Op::Write { addr, value } => {
                let cell = self.cell(frame, run, addr)?;
                let value = self.eval(frame, run, value)?;
                let value = self.cell_domains[cell].admit(value).ok_or(Halt::Blocked)?;
                let value = self.values.number(value);
                match frame.edge.step.lock {
                    None => {
                        let entry = self.entry(&run.buffer, cell, frame.edge_id, value);
                        run.buffer.write(cell, entry, &self.precision);
                    }
                    Some(_) => self.set_memory(&mut run.state, cell, value),
                }
                Ok(None)
            }
            Op::Assign { dst, value } => {
                let value = self.eval(frame, run, value)?;
                self.set(frame, run, *dst, value)?;
                Ok(None)
            }
            Op::Guard(condition) => match self.eval(frame, run, condition)?.is_true() {
                true => Ok(None),
                false => Err(Halt::Blocked),
            },
            Op::Assert(condition) => match self.eval(frame, run, condition)?.is_true() {
                true => Ok(None),
                false => Err(Halt::Violates),
            },
            Op::Havoc { dst } => {
                let domain = &self.program.threads[frame.thread].regs[*dst].domain;
                let values = values(domain, frame.limit).ok_or(Halt::NotEnumerable)?;
                let mut parts = Vec::with_capacity(values.len());
                for value in values {
                    let mut part = run.clone();
                    part.choices.push(value.clone());
                    self.set_register(&mut part.state, frame.thread, *dst, value);
                    parts.push(part);
                }
                Ok(Some(parts))
            }
            Op::Fence(kind) => match run.buffer.fence(*kind, &self.precision) {
                true => Ok(None),
                false => Err(Halt::Blocked),
            },
            // The gate gives no program that has them.
            Op::Send { .. } | Op::Receive { .. } => Err(Halt::Blocked),
        }
    }

    /// G-8: the cell an address stands for.
    fn cell(&self, frame: &Frame<'_>, run: &Run, addr: &Addr) -> Result<CellId, Halt> {
        let cell = match addr {
            Addr::Cell(cell) => *cell,
            Addr::Indexed { first, len, index, outside } => match self.eval(frame, run, index)?.to_i64() {
                Some(i) if (0..i64::from(*len)).contains(&i) => CellId::new(first.index() + i as usize),
                _ => {
                    return Err(match outside {
                        Outside::Blocks => Halt::Blocked,
                        Outside::Faults => Halt::Violates,
                    });
                }
            },
        };
        let waits = frame.edge.step.lock.is_some() && !run.buffer.may_touch_locked(cell);
        if waits { Err(Halt::Blocked) } else { Ok(cell) }
    }

    fn eval(&self, frame: &Frame<'_>, run: &Run, expr: &RegExpr) -> Result<Int, Halt> {
        expr.eval(&mut |&reg| self.register(&run.state, frame.thread, reg)).map_err(|_| Halt::Violates)
    }

    /// A value outside a range blocks the step; a machine integer wraps.
    fn set(&mut self, frame: &Frame<'_>, run: &mut Run, reg: RegId, value: Int) -> Result<(), Halt> {
        let domain = &self.program.threads[frame.thread].regs[reg].domain;
        let value = domain.admit(value).ok_or(Halt::Blocked)?;
        self.set_register(&mut run.state, frame.thread, reg, value);
        Ok(())
    }
}

/// The values of a domain, if they are at most `limit`.
pub(crate) fn values(domain: &Domain, limit: usize) -> Option<Vec<Int>> {
    let (lo, hi) = domain.bounds()?;
    let count = hi.sub(&lo).add(&Int::ONE).to_i64()?;
    (usize::try_from(count).ok()? <= limit).then(|| (0..count).map(|i| lo.add(&Int::from(i))).collect())
}
