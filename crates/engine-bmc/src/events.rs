//! A thread executed on circuits: every copy of an edge is taken or not, registers are numbers that depend on the path,
//! and every access to memory becomes a *point*, a moment of the execution that the orders are about.
//!
//! - A thread may stop anywhere: a violation needs no execution to its end.
//! - A step that fails (an assertion, a fault) is not taken; it reads, but it writes nothing.
//! - A plain step reads at one moment; each of its writes has a moment of its own, when it reaches memory.
//! - A round of a loop that writes nothing and comes back with the same live registers changes nothing that any thread
//!   can see, so executions without it are enough. Waiting loops need no unrolling for that reason.

use std::collections::BTreeMap;

use fencewright_base::{Index, Int};
use fencewright_ir::liveness::{live_registers, watched_registers};
use fencewright_ir::{
    Addr, BinaryOp, CellId, Domain, Expr, FenceKind, Init, LocId, Lock, Op, Outside, Program, RegExpr, RegId,
    StateAtom, ThreadId,
};
use fencewright_logic::{Bit, Circuit, Number, TooWide};

use crate::axioms::{Axioms, Kept};
use crate::symbolic::{Value, admit, any_of, bits_for, eval};
use crate::unroll::Unrolled;

/// The bits of an unbounded variable in memory beyond what the program's constants need. A write that needs more leaves
/// what is explored, as a path does that goes back too often.
const SPARE_BITS: usize = 8;

/// A moment of a thread's execution.
#[derive(Debug)]
pub(crate) struct Point {
    pub(crate) thread: ThreadId,
    /// The copy of an edge it belongs to.
    pub(crate) copy: usize,
    pub(crate) kind: Kind,
    /// Whether it happens.
    pub(crate) done: Bit,
    pub(crate) reads: Vec<Touch>,
    pub(crate) writes: Vec<Touch>,
}

/// What happens at a point.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Fence(FenceKind),
    Plain,
    Locked(Lock),
}

/// An access: which cell, by the bit that is true, and the value.
#[derive(Debug, Clone)]
pub(crate) struct Touch {
    pub(crate) cells: Vec<(CellId, Bit)>,
    pub(crate) value: Number,
    /// Whether it happens.
    pub(crate) done: Bit,
}

/// A thread on circuits.
#[derive(Debug)]
pub(crate) struct ThreadRun {
    pub(crate) unrolled: Unrolled,
    /// For each node whether the thread ends its run there.
    pub(crate) stands: Vec<Bit>,
    /// For each node the registers when the thread stands there.
    pub(crate) registers: Vec<Vec<Number>>,
    pub(crate) copies: Vec<CopyRun>,
    /// The values chosen for registers whose initial value is open.
    pub(crate) chosen: Vec<(RegId, Number)>,
    /// Whether the run leaves what was unrolled.
    pub(crate) cut: Vec<Bit>,
    /// Whether a number does not fit into memory. Such a run means nothing.
    pub(crate) overflows: Vec<Bit>,
}

/// How a program is laid out in bits, and how far it is followed.
#[derive(Debug, Copy, Clone)]
pub(crate) struct Shape {
    /// The most edges of a path that go back.
    pub(crate) bound: usize,
    /// Whether writes act on memory at once.
    pub(crate) at_once: bool,
    /// Whether every locked step waits for all pending writes of its thread.
    locks_wait_for_all: bool,
    /// The bits of an unbounded variable.
    integer_bits: usize,
}

impl Shape {
    pub(crate) fn new(program: &Program, axioms: &Axioms, bound: usize) -> Result<Self, Refused> {
        let mut widest = 0;
        let mut note = |value: &Int| -> Result<(), Refused> {
            widest = widest.max(Number::constant(value)?.width());
            Ok(())
        };
        for (_, _, init) in program.cells() {
            if let Init::Value(value) = init {
                note(value)?;
            }
        }
        for op in program.threads.iter().flat_map(|thread| &thread.edges).flat_map(|edge| &edge.step.ops) {
            if let Op::Write { value, .. } | Op::Assign { value, .. } = op {
                for_each_constant(value, &mut note)?;
            }
        }
        Ok(Self {
            bound,
            at_once: !axioms.delays_writes,
            locks_wait_for_all: axioms.lock(Lock::Location) == Kept::Always,
            integer_bits: widest + SPARE_BITS,
        })
    }

    /// Bits enough for every value of the domain that memory can hold, the sign included.
    pub(crate) fn width(&self, domain: &Domain) -> usize {
        domain.bounds().map_or(self.integer_bits, |(lo, hi)| bits_for(&lo, &hi) + 1)
    }
}

fn for_each_constant(
    expr: &RegExpr,
    visit: &mut dyn FnMut(&Int) -> Result<(), Refused>,
) -> Result<(), Refused> {
    match expr {
        Expr::Const(value) => visit(value),
        Expr::Atom(_) => Ok(()),
        Expr::Unary(_, e) | Expr::Wrap { value: e, .. } => for_each_constant(e, visit),
        Expr::Binary(_, a, b) => for_each_constant(a, visit).and_then(|()| for_each_constant(b, visit)),
        Expr::Choose(a, b, c) => [a, b, c].into_iter().try_for_each(|e| for_each_constant(e, visit)),
    }
}

/// A copy of an edge on circuits.
#[derive(Debug)]
pub(crate) struct CopyRun {
    pub(crate) taken: Bit,
    /// Whether the run ends with a failure in this step.
    pub(crate) fails: Bit,
    /// The values of its havocs.
    pub(crate) choices: Vec<Number>,
}

/// What a program cannot have here.
#[derive(Debug)]
pub(crate) enum Refused {
    TooWide,
    OpenValue(String),
}

impl From<TooWide> for Refused {
    fn from(_: TooWide) -> Self {
        Refused::TooWide
    }
}

/// What is known about a loop when its head is entered again.
#[derive(Debug, Clone)]
struct Visit {
    /// Whether the head was entered before.
    was: Bit,
    /// Whether something was written since.
    wrote: Bit,
    registers: Vec<Number>,
}

/// A thread's state at a node.
#[derive(Debug, Clone)]
struct Here {
    registers: Vec<Number>,
    visits: BTreeMap<LocId, Visit>,
}

/// Executes a thread; its points are added to the others'.
pub(crate) fn execute(
    program: &Program,
    id: ThreadId,
    (shape, watched): (Shape, &[StateAtom]),
    circuit: &mut Circuit,
    points: &mut Vec<Point>,
) -> Result<ThreadRun, Refused> {
    let thread = &program.threads[id];
    let unrolled = Unrolled::new(thread, shape.bound);
    let watched = watched_registers(program, watched);
    let live = live_registers(thread, &watched[id]);
    let mut chosen = Vec::new();
    let mut registers = Vec::new();
    for (reg, declared) in thread.regs.iter_enumerated() {
        registers.push(match &declared.init {
            Init::Value(value) => Number::constant(value)?,
            Init::Any => {
                let number =
                    any_of(&declared.domain, circuit).ok_or(Refused::OpenValue(declared.name.clone()))??;
                let (_, fits) = admit(&declared.domain, number.clone(), circuit)?;
                circuit.require(&[fits]);
                chosen.push((reg, number.clone()));
                number
            }
        });
    }
    let mut run = ThreadRun {
        stands: Vec::new(),
        registers: Vec::new(),
        copies: unrolled.copies.iter().map(|_| CopyRun::never()).collect(),
        chosen,
        cut: Vec::new(),
        overflows: Vec::new(),
        unrolled,
    };
    let nothing = Number::constant(&Int::ZERO)?;
    let mut after: Vec<Option<Here>> = run.unrolled.copies.iter().map(|_| None).collect();
    for at in 0..run.unrolled.nodes.len() {
        let location = run.unrolled.nodes[at].location;
        let is_live = &live[location];
        let (reached, mut here) = if at == 0 {
            (Bit::TRUE, Here { registers: registers.clone(), visits: BTreeMap::new() })
        } else {
            let entering: Vec<(Bit, Here)> = run.unrolled.nodes[at]
                .entering
                .iter()
                .filter_map(|&copy| Some((run.copies[copy].taken, after[copy].take()?)))
                .collect();
            let taken: Vec<Bit> = entering.iter().map(|(taken, _)| *taken).collect();
            (circuit.any(&taken), join(entering, circuit))
        };
        for (reg, number) in here.registers.iter_mut().enumerate() {
            // The value of a dead register cannot matter; equal ones cost no circuit.
            if !is_live[RegId::new(reg)] {
                *number = nothing.clone();
            }
        }
        if run.unrolled.heads.contains(&location) {
            let visit = Visit { was: Bit::TRUE, wrote: Bit::FALSE, registers: here.registers.clone() };
            here.visits.insert(location, visit);
        }
        let leaving = run.unrolled.nodes[at].leaving.clone();
        let mut ways = Vec::new();
        for copy in leaving {
            let mut step =
                StepRun::new(program, id, &run.unrolled, (copy, shape), here.clone(), circuit, points);
            step.run()?;
            let StepRun { taken, fails, choices, here: next, overflows, .. } = step;
            circuit.imply(taken, &[reached]);
            circuit.imply(fails, &[reached]);
            ways.extend([taken, fails]);
            let to = thread.edges[run.unrolled.copies[copy].edge].to;
            not_in_vain(&next, to, &live[to], taken, circuit);
            run.overflows.extend(overflows);
            if run.unrolled.copies[copy].to.is_none() {
                run.cut.push(taken);
            }
            after[copy] = Some(next);
            run.copies[copy] = CopyRun { taken, fails, choices };
        }
        circuit.at_most_one(&ways);
        let goes: Vec<Bit> = ways.iter().map(|&way| !way).chain([reached]).collect();
        run.stands.push(circuit.all(&goes));
        run.registers.push(here.registers);
    }
    Ok(run)
}

impl CopyRun {
    fn never() -> Self {
        Self { taken: Bit::FALSE, fails: Bit::FALSE, choices: Vec::new() }
    }
}

/// A loop's head is not entered again with nothing written and the same live registers.
fn not_in_vain(
    next: &Here,
    to: LocId,
    live: &fencewright_base::IndexVec<RegId, bool>,
    taken: Bit,
    circuit: &mut Circuit,
) {
    let Some(visit) = next.visits.get(&to) else { return };
    let mut differs = vec![!visit.was, visit.wrote];
    for (reg, (now, then)) in next.registers.iter().zip(&visit.registers).enumerate() {
        if live[RegId::new(reg)] && now != then {
            differs.push(!now.equal(then, circuit));
        }
    }
    circuit.imply(taken, &differs);
}

/// What is known where paths meet. At most one of them is taken.
fn join(entering: Vec<(Bit, Here)>, circuit: &mut Circuit) -> Here {
    let mut entering = entering.into_iter();
    let (_, mut joined) = entering.next().expect("a node that is not the first is entered");
    for (taken, other) in entering {
        for (mine, its) in joined.registers.iter_mut().zip(&other.registers) {
            *mine = Number::choose(taken, its, mine, circuit);
        }
        for (loc, its) in other.visits {
            match joined.visits.get_mut(&loc) {
                None => {
                    let was = circuit.and(taken, its.was);
                    joined.visits.insert(loc, Visit { was, ..its });
                }
                Some(mine) => {
                    mine.was = circuit.choose(taken, its.was, mine.was);
                    mine.wrote = circuit.choose(taken, its.wrote, mine.wrote);
                    for (mine, its) in mine.registers.iter_mut().zip(&its.registers) {
                        *mine = Number::choose(taken, its, mine, circuit);
                    }
                }
            }
        }
    }
    joined
}

/// A step being executed.
struct StepRun<'a> {
    program: &'a Program,
    thread: ThreadId,
    unrolled: &'a Unrolled,
    copy: usize,
    shape: Shape,
    circuit: &'a mut Circuit,
    points: &'a mut Vec<Point>,
    here: Here,
    taken: Bit,
    fails: Bit,
    choices: Vec<Number>,
    /// Whether all operations so far are enabled and have a meaning.
    ok: Bit,
    /// The ways in which it can fail.
    failures: Vec<Bit>,
    reads: Vec<Touch>,
    writes: Vec<Touch>,
    /// Store-store fences, each with the number of writes before it.
    barriers: Vec<usize>,
    overflows: Vec<Bit>,
}

impl<'a> StepRun<'a> {
    fn new(
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

    fn run(&mut self) -> Result<(), Refused> {
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
        let mut domains: Vec<(&Domain, Vec<Bit>)> = Vec::new();
        for &(cell, bit) in cells {
            let (var, _) = self.program.variable_of(cell);
            let domain = &self.program.vars[var].domain;
            match domains.iter_mut().find(|(known, _)| *known == domain) {
                Some((_, bits)) => bits.push(bit),
                None => domains.push((domain, vec![bit])),
            }
        }
        let mut result: Option<Number> = None;
        for (domain, bits) in domains {
            let is = self.circuit.any(&bits);
            let (mut stored, fits) = admit(domain, number.clone(), self.circuit)?;
            let fits = self.circuit.or(!is, fits);
            self.block_unless(fits);
            let width = self.shape.width(domain);
            if domain.bounds().is_none() && stored.width() > width {
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
            let domain = &self.program.vars[var].domain;
            width = width.max(self.shape.width(domain));
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
    }
}
