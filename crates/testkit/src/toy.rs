//! Small programs in a few lines, for tests.
//!
//! ```
//! use fencewright_testkit::toy::{Toy, eq, reg};
//!
//! let mut p = Toy::new("SB");
//! let [x, y] = p.vars(["x", "y"]);
//! let (t0, r0) = p.thread(|t| { let r = t.reg("r0"); t.write(x, 1); t.read(r, y); r });
//! let (t1, r1) = p.thread(|t| { let r = t.reg("r1"); t.write(y, 1); t.read(r, x); r });
//! p.never(eq(reg(t0, r0), 0).and(eq(reg(t1, r1), 0)));
//! assert_eq!(p.finish().threads.len(), 2);
//! ```

use std::collections::BTreeSet;

use fencewright_base::Int;
use fencewright_ir::{
    Addr, CellId, Condition, Domain, EdgeId, Expr, FenceKind, Forbidden, Init, LocId, LocationSet, Lock, Op,
    Outside, Program, ProgramBuilder, Property, Quantifier, RegExpr, RegId, StateAtom, Step, ThreadBuilder,
    ThreadId,
};

/// A program being built. Variables are of ℤ and start with 0 unless said otherwise.
#[derive(Debug)]
pub struct Toy {
    program: ProgramBuilder,
}

/// A thread being built: each operation goes from where the last one ended. Registers are of ℤ and start with 0 unless
/// said otherwise. Every step is a statement of its own.
#[derive(Debug)]
pub struct ToyThread<'a> {
    program: &'a mut ProgramBuilder,
    thread: ThreadBuilder,
    here: LocId,
}

impl Toy {
    /// An empty program.
    pub fn new(name: &str) -> Self {
        Self { program: ProgramBuilder::new(name) }
    }

    /// Variables of ℤ that start with 0.
    pub fn vars<const N: usize>(&mut self, names: [&str; N]) -> [CellId; N] {
        names.map(|name| self.var(name, Domain::Integers, Init::Value(Int::ZERO)))
    }

    /// A variable.
    pub fn var(&mut self, name: &str, domain: Domain, init: Init) -> CellId {
        self.program.scalar(name, domain, init, None)
    }

    /// An array that starts with these values; gives its first cell.
    pub fn array(&mut self, name: &str, domain: Domain, values: &[i64]) -> CellId {
        let init = values.iter().map(|&value| Init::Value(Int::from(value))).collect();
        let var = self.program.array(name, domain, init, None);
        self.program.program().vars[var].first_cell
    }

    /// A thread, and what `build` gives.
    pub fn thread<R>(&mut self, build: impl FnOnce(&mut ToyThread<'_>) -> R) -> (ThreadId, R) {
        let name = format!("P{}", self.program.program().threads.len());
        let thread = ThreadBuilder::new(name);
        let here = thread.entry();
        let mut toy = ToyThread { program: &mut self.program, thread, here };
        let result = build(&mut toy);
        let thread = toy.thread;
        (self.program.add_thread(thread), result)
    }

    /// No final state may satisfy this.
    pub fn never(&mut self, condition: Expr<StateAtom>) {
        self.last(Quantifier::NotExists, condition);
    }

    /// A condition on final states.
    pub fn last(&mut self, quantifier: Quantifier, condition: Expr<StateAtom>) {
        let mut observed = BTreeSet::new();
        condition.for_each_atom(&mut |atom| {
            observed.insert(atom.clone());
        });
        let observed = observed.into_iter().collect();
        let condition = named(condition);
        self.property(Property::Final { quantifier, condition, filter: None, observed });
    }

    /// Every reachable state must satisfy this.
    pub fn always(&mut self, condition: Expr<StateAtom>) {
        self.property(Property::Invariant(named(condition)));
    }

    /// These threads must never stand at these locations together.
    pub fn forbid(&mut self, together: &[(ThreadId, LocId)]) {
        let at = self.program.program().threads.indices().map(|thread| {
            let here: BTreeSet<LocId> =
                together.iter().filter(|(t, _)| *t == thread).map(|&(_, loc)| loc).collect();
            if here.is_empty() { LocationSet::Any } else { LocationSet::OneOf(here) }
        });
        let forbidden = Forbidden { at: at.collect(), text: "forbidden".to_owned(), span: None };
        self.property(Property::Forbidden(forbidden));
    }

    /// A property given whole.
    pub fn property(&mut self, property: Property) {
        self.program.property(property);
    }

    /// The program. Panics if it is not valid: the test is wrong then.
    pub fn finish(self) -> Program {
        self.program.finish().expect("a toy program is well-formed")
    }
}

impl ToyThread<'_> {
    /// A register of ℤ that starts with 0.
    pub fn reg(&mut self, name: &str) -> RegId {
        self.reg_of(name, Domain::Integers, Init::Value(Int::ZERO))
    }

    /// A register.
    pub fn reg_of(&mut self, name: &str, domain: Domain, init: Init) -> RegId {
        self.thread.register(name, domain, init)
    }

    /// Where the next operation starts.
    pub fn here(&self) -> LocId {
        self.here
    }

    /// Lets the next operation start elsewhere.
    pub fn go_on_from(&mut self, loc: LocId) {
        self.here = loc;
    }

    /// A new location without edges yet.
    pub fn location(&mut self) -> LocId {
        self.thread.location()
    }

    /// A step of several micro-operations to a new location; gives its edge.
    pub fn step(&mut self, lock: Option<Lock>, ops: impl IntoIterator<Item = Op>) -> EdgeId {
        let to = self.thread.location();
        self.step_to(to, lock, ops)
    }

    /// A step to a location that is there already. The next operation starts there.
    pub fn step_to(&mut self, to: LocId, lock: Option<Lock>, ops: impl IntoIterator<Item = Op>) -> EdgeId {
        let statement = self.program.statement(format!("s{}", self.program.program().statements.len()), None);
        let step = Step { ops: ops.into_iter().collect(), lock, statement };
        let edge = self.thread.edge(self.here, to, step);
        self.here = to;
        edge
    }

    /// `addr := value`.
    pub fn write(&mut self, addr: impl Into<At>, value: impl Into<Value>) -> EdgeId {
        self.step(None, [write(addr, value)])
    }

    /// `reg := addr`.
    pub fn read(&mut self, reg: RegId, addr: impl Into<At>) -> EdgeId {
        self.step(None, [read(reg, addr)])
    }

    /// A blocking read: goes on when the cell has the value. One step, so nothing comes between reading and deciding.
    /// It needs a register to read into.
    pub fn wait(&mut self, reg: RegId, addr: impl Into<At>, value: i64) -> EdgeId {
        self.step(None, [read(reg, addr), guard(eq(reg, value))])
    }

    /// `reg := value`.
    pub fn assign(&mut self, reg: RegId, value: impl Into<Value>) -> EdgeId {
        self.step(None, [Op::Assign { dst: reg, value: value.into().0 }])
    }

    /// A fence.
    pub fn fence(&mut self, kind: FenceKind) -> EdgeId {
        self.step(None, [Op::Fence(kind)])
    }

    /// A locked write.
    pub fn locked_write(&mut self, lock: Lock, addr: impl Into<At>, value: impl Into<Value>) -> EdgeId {
        self.step(Some(lock), [write(addr, value)])
    }
}

/// Where a read or write goes: a cell, or an address given whole.
#[derive(Debug)]
pub struct At(Addr);

impl From<CellId> for At {
    fn from(cell: CellId) -> Self {
        At(Addr::Cell(cell))
    }
}

impl From<Addr> for At {
    fn from(addr: Addr) -> Self {
        At(addr)
    }
}

/// An expression over registers: a number, a register, or an expression given whole.
#[derive(Debug)]
pub struct Value(RegExpr);

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Value(Expr::constant(value))
    }
}

impl From<RegId> for Value {
    fn from(reg: RegId) -> Self {
        Value(Expr::Atom(reg))
    }
}

impl From<RegExpr> for Value {
    fn from(expr: RegExpr) -> Self {
        Value(expr)
    }
}

/// `reg := addr`.
pub fn read(reg: RegId, addr: impl Into<At>) -> Op {
    Op::Read { dst: reg, addr: addr.into().0 }
}

/// `addr := value`.
pub fn write(addr: impl Into<At>, value: impl Into<Value>) -> Op {
    Op::Write { addr: addr.into().0, value: value.into().0 }
}

/// Blocks unless true.
pub fn guard(condition: RegExpr) -> Op {
    Op::Guard(condition)
}

/// The cell `first + index`, one of `len`.
pub fn indexed(first: CellId, len: u32, index: impl Into<Value>, outside: Outside) -> Addr {
    Addr::Indexed { first, len, index: index.into().0, outside }
}

/// `a = value`.
pub fn eq<A>(a: impl Into<Term<A>>, value: i64) -> Expr<A> {
    a.into().0.eq(Expr::constant(value))
}

/// The left side of [`eq`]: an atom, or an expression given whole.
#[derive(Debug)]
pub struct Term<A>(Expr<A>);

impl From<RegId> for Term<RegId> {
    fn from(reg: RegId) -> Self {
        Term(Expr::Atom(reg))
    }
}

impl<A> From<Expr<A>> for Term<A> {
    fn from(expr: Expr<A>) -> Self {
        Term(expr)
    }
}

/// A register, in a property.
pub fn reg(thread: ThreadId, reg: RegId) -> Expr<StateAtom> {
    Expr::Atom(StateAtom::Register(thread, reg))
}

/// A cell, in a property.
pub fn cell(cell: CellId) -> Expr<StateAtom> {
    Expr::Atom(StateAtom::Cell(cell))
}

fn named(expr: Expr<StateAtom>) -> Condition {
    Condition { text: format!("{expr:?}"), expr, span: None }
}
