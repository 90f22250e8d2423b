//! One step on circuits: its micro-operations in order, what can block or fail, and the points it leaves.

use fencewright_base::{Index, Int};
use fencewright_ir::{
    Addr, BinaryOp, CellId, Domain, Expr, FenceKind, Lock, Op, Outside, Program, RegExpr, RegId, ThreadId,
};
use fencewright_logic::{Bit, Circuit, Number};

use crate::events::{Here, Kind, Point, Refused, Shape, Touch};
use crate::symbolic::{Value, admit, any_of, eval};
use crate::unroll::Unrolled;

/// A step being executed.
pub(crate) struct StepRun<'a> {
    program: &'a Program,
    thread: ThreadId,
    unrolled: &'a Unrolled,
    copy: usize,
    shape: Shape,
    circuit: &'a mut Circuit,
    points: &'a mut Vec<Point>,
    pub(crate) here: Here,
    pub(crate) taken: Bit,
    pub(crate) fails: Bit,
    pub(crate) choices: Vec<Number>,
    /// Whether all operations so far are enabled and have a meaning.
    ok: Bit,
    /// The ways in which it can fail.
    failures: Vec<Bit>,
    reads: Vec<Touch>,
    writes: Vec<Touch>,
    /// Store-store fences, each with the number of writes before it.
    barriers: Vec<usize>,
    pub(crate) overflows: Vec<Bit>,
}

impl<'a> StepRun<'a> {
    pub(crate) fn new(
        program: &'a Program,
        thread: ThreadId,
        unrolled: &'a Unrolled,
        (copy, shape): (usize, Shape),
        here: Here,
        circuit: &'a mut Circuit,
        points: &'a mut Vec<Point>,
    ) -> Self {
        let step = &program.edge(thread, unrolled.copies[copy].edge).step;
        let taken = circuit.fresh();
        let fails = if step.ops.iter().any(can_fail) { circuit.fresh() } else { Bit::FALSE };
        Self {
            program,
            thread,
            unrolled,
            copy,
            shape,
            circuit,
            points,
            here,
            taken,
            fails,
            choices: Vec::new(),
            ok: Bit::TRUE,
            failures: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            barriers: Vec::new(),
            overflows: Vec::new(),
        }
    }

    pub(crate) fn run(&mut self) -> Result<(), Refused> {
        let edge = self.program.edge(self.thread, self.unrolled.copies[self.copy].edge);
        for op in &edge.step.ops {
            self.op(op)?;
        }
        self.circuit.imply(self.taken, &[self.ok]);
        let failures = std::mem::take(&mut self.failures);
        self.circuit.imply(self.fails, &failures);
        let (reads, writes) = (std::mem::take(&mut self.reads), std::mem::take(&mut self.writes));
        if !writes.is_empty() {
            for visit in self.here.visits.values_mut() {
                visit.wrote = Bit::TRUE;
            }
        }
        let started = self.started();
        let touches = !(reads.is_empty() && writes.is_empty());
        let lock = match edge.step.lock {
            // Where a write acts at once, so does the whole step.
            None if self.shape.at_once => Some(Lock::Full),
            lock => lock,
        };
        let barriers = std::mem::take(&mut self.barriers);
        match lock {
            // No write is ever pending, so fences and waiting mean nothing.
            Some(lock) if self.shape.at_once => {
                if touches {
                    let writes = self.last_of_each_cell(writes);
                    self.point(Kind::Locked(lock), started, reads, writes);
                }
            }
            Some(lock) => {
                self.barriers_between(&barriers, 0, started);
                if touches {
                    let n_writes = writes.len();
                    let writes = self.last_of_each_cell(writes);
                    self.point(Kind::Locked(lock), started, reads, writes);
                    (1..=n_writes).for_each(|n| self.barriers_between(&barriers, n, started));
                } else if lock == Lock::Full || self.shape.locks_wait_for_all {
                    // It touches nothing, but it waits, as a fence does.
                    self.point(Kind::Fence(FenceKind::Full), started, Vec::new(), Vec::new());
                }
            }
            None => {
                if !reads.is_empty() {
                    self.point(Kind::Plain, started, reads, Vec::new());
                    if self.shape.delays_reads && edge.step.ops.contains(&Op::Fence(FenceKind::Full)) {
                        // What a step with a full fence reads is performed when it is made.
                        self.point(Kind::Fence(FenceKind::Full), started, Vec::new(), Vec::new());
                    }
                }
                self.barriers_between(&barriers, 0, started);
                for (i, write) in writes.into_iter().enumerate() {
                    self.point(Kind::Plain, self.taken, Vec::new(), vec![write]);
                    self.barriers_between(&barriers, i + 1, started);
                }
            }
        }
        Ok(())
    }

    fn barriers_between(&mut self, barriers: &[usize], n_writes: usize, started: Bit) {
        if barriers.contains(&n_writes) {
            self.point(Kind::Fence(FenceKind::StoreStore), started, Vec::new(), Vec::new());
        }
    }

    fn started(&mut self) -> Bit {
        self.circuit.or(self.taken, self.fails)
    }

    fn point(&mut self, kind: Kind, done: Bit, reads: Vec<Touch>, writes: Vec<Touch>) {
        self.points.push(Point { thread: self.thread, copy: self.copy, kind, done, reads, writes });
    }

    /// Of several writes of a locked step to one cell only the last is ever seen.
    fn last_of_each_cell(&mut self, mut writes: Vec<Touch>) -> Vec<Touch> {
        for i in 0..writes.len() {
            let (earlier, later) = writes.split_at_mut(i + 1);
            for (cell, bit) in &mut earlier[i].cells {
                for other in later.iter().flat_map(|touch| &touch.cells).filter(|(other, _)| other == cell) {
                    *bit = self.circuit.and(*bit, !other.1);
                }
            }
        }
        writes
    }

    fn op(&mut self, op: &Op) -> Result<(), Refused> {
        match op {
            Op::Read { dst, addr } => {
                let cells = self.cells(addr)?;
                let number = self.read(&cells)?;
                self.set(*dst, number)?;
            }
            Op::Write { addr, value } => {
                let cells = self.cells(addr)?;
                let number = self.value(value)?;
                let number = self.stored(&cells, number)?;
                self.writes.push(Touch { cells, value: number, done: self.taken });
            }
            Op::Assign { dst, value } => {
                let number = self.value(value)?;
                self.set(*dst, number)?;
            }
            Op::Guard(condition) => {
                let number = self.value(condition)?;
                let holds = number.is_true(self.circuit);
                self.block_unless(holds);
            }
            Op::Assert(condition) => {
                let number = self.value(condition)?;
                let holds = number.is_true(self.circuit);
                self.fail_unless(holds);
            }
            Op::Havoc { dst } => {
                let register = &self.program.threads[self.thread].regs[*dst];
                let number = any_of(&register.domain, self.circuit)
                    .ok_or(Refused::OpenValue(register.name.clone()))??;
                self.choices.push(number.clone());
                self.set(*dst, number)?;
            }
            Op::Fence(FenceKind::StoreStore) => self.barriers.push(self.writes.len()),
            // A step is one moment, so a full fence behind a write of its own step, still pending, never passes.
            Op::Fence(FenceKind::Full) => {
                let edge = self.program.edge(self.thread, self.unrolled.copies[self.copy].edge);
                if !self.shape.at_once {
                    let pending = !self.writes.is_empty() && edge.step.lock.is_none();
                    self.block_unless(Bit::from(!pending));
                    let started = self.started();
                    self.point(Kind::Fence(FenceKind::Full), started, Vec::new(), Vec::new());
                }
            }
            // The gate gives no program that has them.
            Op::Send { .. } | Op::Receive { .. } => self.block_unless(Bit::FALSE),
        }
        Ok(())
    }

    fn value(&mut self, expr: &RegExpr) -> Result<Number, Refused> {
        let registers = &self.here.registers;
        let Value { number, fault } =
            eval(expr, &mut |reg: &RegId| registers[reg.index()].clone(), None, self.circuit)?;
        self.fail_unless(!fault);
        Ok(number)
    }

    fn block_unless(&mut self, condition: Bit) {
        self.ok = self.circuit.and(self.ok, condition);
    }

    fn fail_unless(&mut self, condition: Bit) {
        if condition != Bit::TRUE {
            let failure = self.circuit.and(self.ok, !condition);
            self.failures.push(failure);
            self.ok = self.circuit.and(self.ok, condition);
        }
    }

    fn set(&mut self, dst: RegId, number: Number) -> Result<(), Refused> {
        let domain = &self.program.threads[self.thread].regs[dst].domain;
        let (number, fits) = admit(domain, number, self.circuit)?;
        self.block_unless(fits);
        self.here.registers[dst.index()] = number;
        for visit in self.here.visits.values_mut() {
            if let Some(assigned) = visit.assigned.get_mut(dst.index()) {
                *assigned = Bit::TRUE;
            }
        }
        Ok(())
    }

    /// The cells an address can stand for.
    fn cells(&mut self, addr: &Addr) -> Result<Vec<(CellId, Bit)>, Refused> {
        match addr {
            Addr::Cell(cell) => Ok(vec![(*cell, Bit::TRUE)]),
            Addr::Indexed { first, len, index, outside } => {
                let index = self.value(index)?;
                let mut cells = Vec::new();
                for i in 0..*len {
                    let here = Number::constant(&Int::from(i64::from(i)))?;
                    let is = index.equal(&here, self.circuit);
                    if is != Bit::FALSE {
                        cells.push((CellId(first.0 + i), is));
                    }
                }
                let bits: Vec<Bit> = cells.iter().map(|(_, bit)| *bit).collect();
                let inside = self.circuit.any(&bits);
                match outside {
                    Outside::Blocks => self.block_unless(inside),
                    Outside::Faults => self.fail_unless(inside),
                }
                if cells.is_empty() {
                    cells.push((*first, Bit::FALSE));
                }
                Ok(cells)
            }
        }
    }

    /// What the cells make of a value. A pointer may reach variables with different domains.
    fn stored(&mut self, cells: &[(CellId, Bit)], number: Number) -> Result<Number, Refused> {
        let mut kinds: Vec<(&Domain, (usize, bool), Vec<Bit>)> = Vec::new();
        for &(cell, bit) in cells {
            let (var, _) = self.program.variable_of(cell);
            let variable = &self.program.vars[var];
            let (domain, width) = (&variable.domain, self.shape.width(variable));
            match kinds.iter_mut().find(|(known, wide, _)| (*known, *wide) == (domain, width)) {
                Some((.., bits)) => bits.push(bit),
                None => kinds.push((domain, width, vec![bit])),
            }
        }
        let mut result: Option<Number> = None;
        for (domain, (width, holds_all), bits) in kinds {
            let is = self.circuit.any(&bits);
            let (mut stored, fits) = admit(domain, number.clone(), self.circuit)?;
            let fits = self.circuit.or(!is, fits);
            self.block_unless(fits);
            if !holds_all && stored.width() > width {
                let narrow = stored.wrap(width, true);
                let same = narrow.equal(&stored, self.circuit);
                let overflow = self.circuit.all(&[self.taken, is, !same]);
                self.overflows.push(overflow);
                stored = narrow;
            }
            result = Some(match result {
                None => stored,
                Some(others) => Number::choose(is, &stored, &others, self.circuit),
            });
        }
        Ok(result.expect("an address has a cell"))
    }

    /// What a read gets: an earlier write of its own step, else what memory or the thread's pending writes have.
    fn read(&mut self, cells: &[(CellId, Bit)]) -> Result<Number, Refused> {
        let mut width = 1;
        for &(cell, _) in cells {
            let (var, _) = self.program.variable_of(cell);
            width = width.max(self.shape.width(&self.program.vars[var]).0);
        }
        let outside = Number::fresh(width, true, self.circuit)?;
        let started = self.started();
        // An operation that is not reached reads nothing: what comes before it in the step has failed or blocks.
        let done = self.circuit.and(started, self.ok);
        let mut value = outside.clone();
        let mut from_own = Vec::new();
        for write in &self.writes {
            let mut same = Vec::new();
            for (cell, bit) in &write.cells {
                for (_, mine) in cells.iter().filter(|(mine, _)| mine == cell) {
                    same.push(self.circuit.and(*bit, *mine));
                }
            }
            let same = self.circuit.any(&same);
            value = Number::choose(same, &write.value, &value, self.circuit);
            from_own.push(same);
        }
        let own = self.circuit.any(&from_own);
        let done = self.circuit.and(done, !own);
        self.reads.push(Touch { cells: cells.to_vec(), value: outside, done });
        Ok(value)
    }
}

fn can_fail(op: &Op) -> bool {
    fn partial(expr: &RegExpr) -> bool {
        match expr {
            Expr::Const(_) | Expr::Atom(_) => false,
            Expr::Checked { .. } => true,
            Expr::Unary(_, e) | Expr::Wrap { value: e, .. } => partial(e),
            Expr::Binary(op, a, b) => {
                matches!(op, BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr)
                    || partial(a)
                    || partial(b)
            }
            Expr::Choose(a, b, c) => partial(a) || partial(b) || partial(c),
        }
    }
    fn addressed(addr: &Addr) -> bool {
        match addr {
            Addr::Cell(_) => false,
            Addr::Indexed { index, outside, .. } => *outside == Outside::Faults || partial(index),
        }
    }
    match op {
        Op::Assert(_) => true,
        Op::Read { addr, .. } => addressed(addr),
        Op::Write { addr, value } => addressed(addr) || partial(value),
        Op::Assign { value, .. } | Op::Guard(value) => partial(value),
        Op::Havoc { .. } | Op::Fence(_) => false,
        // The gate gives no program that has them.
        Op::Send { .. } | Op::Receive { .. } => true,
    }
}
