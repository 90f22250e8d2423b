//! What makes a [`Program`] well-formed. Part of the trusted base: the reference semantics relies on every point
//! below and checks none of them again.

use std::fmt;

use fencewright_base::Index;

use crate::liveness::live_registers;
use crate::{
    Addr, CellId, ChannelId, Claim, Condition, Domain, Expr, FenceKind, Formula, Init, Op, Program, Property,
    RegId, StateAtom, Step, Target, Thread, ThreadId,
};

/// A point in which a program is not well-formed. A front end that lets one through has a bug.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidationError {
    /// The thread it is about, if it is about one.
    pub thread: Option<ThreadId>,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for ValidationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.thread {
            Some(thread) => write!(f, "thread {}: {}", thread.0, self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// Everything wrong with the program; nothing if it is well-formed:
/// every index is in range; domains are not empty and hold the initial values; machine types, those that expressions
/// wrap to or check for among them, have 1 to 128 bits; cells are numbered through;
/// windows of computed locations lie inside memory; every property fits the threads; a step sends or receives at most
/// once, what the channel carries, with nothing but reads into and assignments of scratch registers, guards and full
/// fences before it, and chooses nothing; scratch registers have a value to return to, which no step looks at before it
/// gives them another, and no property: so an engine need not return them to it.
pub fn validate(program: &Program) -> Vec<ValidationError> {
    let mut check = Check { program, errors: Vec::new(), thread: None };
    let Program { name: _, vars, channels: _, threads, statements: _, orders, properties, wording: _ } =
        program;
    let mut next_cell = 0;
    for var in vars {
        check.domain(&format!("variable `{}`", var.name), &var.domain, &var.init);
        check.require(var.first_cell.index() == next_cell, || {
            format!("variable `{}` is misnumbered", var.name)
        });
        check.require(!var.init.is_empty(), || format!("variable `{}` has no cell", var.name));
        check.require(var.is_array || var.init.len() == 1, || {
            format!("scalar `{}` has several cells", var.name)
        });
        next_cell += var.init.len();
    }
    check.require(!threads.is_empty(), || "there is no thread".to_owned());
    for (id, thread) in threads.iter_enumerated() {
        check.thread = Some(id);
        check.thread(thread);
        if check.errors.is_empty() {
            check.scratch(thread);
        }
    }
    check.thread = None;
    for (id, order) in orders.iter_enumerated() {
        for &(thread, edge) in &order.steps {
            let known = threads.get(thread).is_some_and(|thread| thread.edges.get(edge).is_some());
            check.require(known, || format!("{id:?} names {edge:?} of {thread:?}, which does not exist"));
        }
    }
    for property in properties {
        check.property(property);
    }
    check.errors
}

struct Check<'a> {
    program: &'a Program,
    errors: Vec<ValidationError>,
    thread: Option<ThreadId>,
}

impl Check<'_> {
    fn require(&mut self, holds: bool, message: impl FnOnce() -> String) {
        if !holds {
            self.errors.push(ValidationError { thread: self.thread, message: message() });
        }
    }

    fn domain(&mut self, what: &str, domain: &Domain, init: &[Init]) {
        match domain {
            Domain::Range { lo, hi } => {
                self.require(lo <= hi, || format!("{what} has the empty range {lo}..{hi}"))
            }
            Domain::Machine { bits, signed: _ } => {
                self.require(*bits >= 1 && *bits <= 128, || {
                    format!("{what} has a machine type of {bits} bits")
                });
            }
            Domain::Integers => {}
        }
        if !self.errors.is_empty() {
            return; // The bounds below need a sound domain.
        }
        for value in init {
            if let Init::Value(value) = value {
                self.require(domain.contains(value), || {
                    format!("{what} starts with {value}, outside its domain")
                });
            }
        }
    }

    fn thread(&mut self, thread: &Thread) {
        let Thread { name: _, regs, locations, edges, entry } = thread;
        for reg in regs {
            self.domain(&format!("register `{}`", reg.name), &reg.domain, std::slice::from_ref(&reg.init));
            self.require(!reg.scratch || reg.init != Init::Any, || {
                format!("scratch register `{}` has no value to return to", reg.name)
            });
        }
        self.require(locations.get(*entry).is_some(), || format!("entry {entry:?} does not exist"));
        for (id, edge) in edges.iter_enumerated() {
            for loc in [edge.from, edge.to] {
                self.require(locations.get(loc).is_some(), || {
                    format!("{id:?} uses {loc:?}, which does not exist")
                });
            }
            let statement = edge.step.statement;
            let known = self.program.statements.get(statement).is_some();
            self.require(known, || format!("{id:?} names {statement:?}, which does not exist"));
            for op in &edge.step.ops {
                match op {
                    Op::Read { dst, addr } => {
                        self.register(thread, *dst);
                        self.addr(thread, addr);
                    }
                    Op::Write { addr, value } => {
                        self.addr(thread, addr);
                        self.expr(thread, value);
                    }
                    Op::Assign { dst, value } => {
                        self.register(thread, *dst);
                        self.expr(thread, value);
                    }
                    Op::Guard(condition) | Op::Assert(condition) => self.expr(thread, condition),
                    Op::Havoc { dst } => self.register(thread, *dst),
                    Op::Fence(_) => {}
                    Op::Send { channel, values } => {
                        self.channel(*channel, values.len());
                        values.iter().for_each(|value| self.expr(thread, value));
                    }
                    Op::Receive { channel, targets } => {
                        self.channel(*channel, targets.len());
                        for target in targets {
                            match target {
                                Target::Register(reg) => self.register(thread, *reg),
                                Target::Memory(addr) => self.addr(thread, addr),
                            }
                        }
                    }
                }
            }
            self.synchronisation(thread, &edge.step);
        }
    }

    fn channel(&mut self, channel: ChannelId, arity: usize) {
        let known = self.program.channels.get(channel);
        self.require(known.is_some(), || format!("{channel:?} does not exist"));
        if let Some(known) = known {
            self.require(known.arity == arity, || {
                format!("channel `{}` carries {} values, not {arity}", known.name, known.arity)
            });
        }
    }

    /// Both sides of a rendezvous look at the state before it, so nothing may be changed before the values pass; and a
    /// trace has no room for their choices.
    fn synchronisation(&mut self, thread: &Thread, step: &Step) {
        let is_sync = |op: &Op| matches!(op, Op::Send { .. } | Op::Receive { .. });
        let Some(at) = step.ops.iter().position(is_sync) else { return };
        let once = !step.ops[at + 1..].iter().any(is_sync);
        self.require(once, || "a step sends or receives more than once".to_owned());
        self.require(step.lock.is_none(), || "a step that sends or receives is locked".to_owned());
        let chooses = step.ops.iter().any(|op| matches!(op, Op::Havoc { .. }));
        self.require(!chooses, || "a step that sends or receives chooses a value".to_owned());
        let is_scratch = |reg: &RegId| thread.regs.get(*reg).is_some_and(|reg| reg.scratch);
        let looks_only = step.ops[..at].iter().all(|op| match op {
            Op::Read { dst, .. } | Op::Assign { dst, .. } => is_scratch(dst),
            Op::Guard(_) | Op::Fence(FenceKind::Full) => true,
            _ => false,
        });
        self.require(looks_only, || "a step changes the state before it sends or receives".to_owned());
    }

    /// Expects every index to be in range.
    fn scratch(&mut self, thread: &Thread) {
        let live = live_registers(thread, &[]);
        for (id, reg) in thread.regs.iter_enumerated().filter(|(_, reg)| reg.scratch) {
            self.require(!live.iter().any(|live| live[id]), || {
                format!("scratch register `{}` is used before the step gives it a value", reg.name)
            });
        }
    }

    fn register(&mut self, thread: &Thread, reg: RegId) {
        self.require(thread.regs.get(reg).is_some(), || format!("{reg:?} does not exist"));
    }

    fn expr(&mut self, thread: &Thread, expr: &Expr<RegId>) {
        expr.for_each_atom(&mut |&reg| self.register(thread, reg));
        self.widths(expr);
    }

    fn widths<A>(&mut self, expr: &Expr<A>) {
        expr.for_each_width(&mut |bits| {
            self.require((1..=128).contains(&bits), || {
                format!("a value is wrapped to a machine type of {bits} bits")
            });
        });
    }

    fn cell(&mut self, cell: CellId) {
        let n_cells = self.program.n_cells();
        self.require(cell.index() < n_cells, || format!("{cell:?} does not exist"));
    }

    fn addr(&mut self, thread: &Thread, addr: &Addr) {
        match addr {
            Addr::Cell(cell) => self.cell(*cell),
            Addr::Indexed { first, len, index, outside: _ } => {
                let end = first.index() + *len as usize;
                let n_cells = self.program.n_cells();
                self.require(end <= n_cells, || format!("a computed location reaches past cell {n_cells}"));
                self.expr(thread, index);
            }
        }
    }

    fn atom(&mut self, atom: &StateAtom) {
        match *atom {
            StateAtom::Cell(cell) => self.cell(cell),
            StateAtom::Register(thread, reg) => {
                let known = self.program.threads.get(thread).and_then(|t| t.regs.get(reg));
                self.require(known.is_some_and(|reg| !reg.scratch), || {
                    format!("a property names {reg:?} of {thread:?}, which does not exist between steps")
                });
            }
            StateAtom::At(thread, loc) => {
                let known = self.program.threads.get(thread).is_some_and(|t| t.locations.get(loc).is_some());
                self.require(known, || {
                    format!("a property names {loc:?} of {thread:?}, which does not exist")
                });
            }
        }
    }

    fn condition(&mut self, condition: &Condition) {
        condition.expr.for_each_atom(&mut |atom| self.atom(atom));
        self.widths(&condition.expr);
    }

    fn property(&mut self, property: &Property) {
        match property {
            Property::Forbidden(forbidden) => {
                let n_threads = self.program.threads.len();
                let fits = forbidden.at.len() == n_threads;
                self.require(fits, || {
                    format!("`forbidden` names {} locations for {n_threads} threads", forbidden.at.len())
                });
                if fits {
                    for (thread, set) in forbidden.at.iter_enumerated() {
                        if let crate::LocationSet::OneOf(locs) = set {
                            for &loc in locs {
                                self.atom(&StateAtom::At(thread, loc));
                            }
                        }
                    }
                }
            }
            Property::Invariant(condition) => self.condition(condition),
            Property::Final { quantifier: _, condition, filter, observed } => {
                self.condition(condition);
                if let Some(filter) = filter {
                    self.condition(filter);
                }
                for atom in observed {
                    self.atom(atom);
                }
            }
            Property::Temporal(temporal) => {
                match &temporal.claim {
                    Claim::Formula(formula) => {
                        let depth = formula.depth();
                        self.require(depth <= Formula::MAX_DEPTH, || {
                            format!("a formula is nested {depth} deep")
                        });
                    }
                    Claim::Never(never) => {
                        for step in never.states.iter().flat_map(|state| &state.moves) {
                            self.require((step.to as usize) < never.states.len(), || {
                                format!("an automaton moves to state {}, which does not exist", step.to)
                            });
                        }
                    }
                }
                temporal.for_each_atom(&mut |atom| self.atom(atom));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ProgramBuilder, ThreadBuilder};
    use fencewright_base::Int;

    #[test]
    fn machine_types_that_values_are_wrapped_to_have_a_width() {
        let errors = |bits| {
            let mut program = ProgramBuilder::new("t");
            let mut thread = ThreadBuilder::new("P0");
            let r = thread.register("r", Domain::Integers, Init::Value(Int::ZERO));
            let statement = program.statement("r := r", None);
            let value = Box::new(Expr::Atom(r));
            let value = Expr::Unary(crate::UnaryOp::Neg, Box::new(Expr::Wrap { bits, signed: true, value }));
            let entry = thread.entry();
            thread.then(entry, Op::Assign { dst: r, value }, statement);
            program.add_thread(thread);
            program.finish().err().map_or(0, |errors| errors.len())
        };
        assert_eq!([0, 1, 64, 128, 129].map(errors), [1, 0, 0, 0, 1]);
    }
    #[test]
    fn a_scratch_register_has_a_value_of_the_step_before_it_is_used() {
        let errors = |defined: bool| {
            let mut program = ProgramBuilder::new("t");
            let mut thread = ThreadBuilder::new("P0");
            let kept = thread.register("r", Domain::Integers, Init::Value(Int::ZERO));
            let scratch = thread.scratch("s", Domain::Integers);
            let statement = program.statement("r := s", None);
            let assign = |dst, value| Op::Assign { dst, value };
            let mut ops = vec![assign(kept, Expr::Atom(scratch))];
            if defined {
                ops.insert(0, assign(scratch, Expr::constant(1)));
            }
            let (entry, end) = (thread.entry(), thread.location());
            thread.edge(entry, end, Step { ops: ops.into(), lock: None, statement });
            program.add_thread(thread);
            program.finish().err().map_or(0, |errors| errors.len())
        };
        assert_eq!([false, true].map(errors), [1, 0]);
    }
}
