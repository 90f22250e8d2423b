//! Transitions to edges. The step of a transition reads what its guard needs, tests it, passes values over its channel,
//! notes where the process stands if others test that, and makes the assignments in order.

use std::collections::BTreeMap;

use fencewright_base::{Diagnostic, Int};
use fencewright_ir::{
    Addr, CellId, ChannelId, Domain, LocId, Op, Outside, RegExpr, RegId, Statement, Step, Target,
    ThreadBuilder,
};
use smallvec::SmallVec;

use super::super::ast::{Expr, Place, Process, SyncKind, Synchronisation, Transition, Type};
use super::super::codes;
use super::names::{Channel, Storage, Symbol};
use super::together::Together;
use super::{Lowering, domain, one_line, outside};

/// A step being built.
pub(super) struct StepBuilder<'s, 'a> {
    pub(super) lowering: &'s mut Lowering<'a>,
    pub(super) process: usize,
    pub(super) thread: &'s mut ThreadBuilder,
    pub(super) ops: SmallVec<[Op; 1]>,
    /// How many scratch registers of each domain are in use.
    used: Vec<(Domain, usize)>,
    /// Scratch registers that hold what a cell holds now.
    known: BTreeMap<CellId, RegId>,
    /// Where the process stands as far as its own expressions can tell.
    pub(super) here: usize,
    /// If all processes make the step.
    pub(super) together: Option<Together>,
}

impl<'a> Lowering<'a> {
    pub(super) fn transition(
        &mut self,
        number: usize,
        process: &'a Process,
        transition: &'a Transition,
        (from, to): (usize, usize),
        thread: &mut ThreadBuilder,
    ) {
        let statement = self.builder.add_statement(Statement {
            text: one_line(self.sources.text(transition.span)),
            span: Some(transition.span),
            loop_depth: 0,
            // There is no fence in the language.
            fence_before: false,
            fence_after: false,
        });
        debug_assert_eq!(process.name.text, thread.thread().name);
        let mirror = self.names.mirrors.get(&number).copied();
        for way in 0..self.ways(transition) {
            let mut step = StepBuilder::new(self, number, thread, from);
            if step.build(transition, to, mirror, way).is_none() {
                // The other ways have the same mistakes.
                return;
            }
            let ops = step.ops;
            thread.edge(LocId(from as u32), LocId(to as u32), Step { ops, lock: None, statement });
        }
    }

    /// How many edges a transition becomes: one for each way to send.
    fn ways(&self, transition: &Transition) -> usize {
        let Some(Synchronisation { channel, kind: SyncKind::Send(_), .. }) = &transition.sync else {
            return 1;
        };
        match self.names.channels.get(channel.text.as_str()) {
            Some(Channel::Rendezvous { ways, .. }) => ways.len(),
            Some(Channel::Fifo { .. }) | None => 1,
        }
    }
}

impl<'s, 'a> StepBuilder<'s, 'a> {
    pub(super) fn new(
        lowering: &'s mut Lowering<'a>,
        process: usize,
        thread: &'s mut ThreadBuilder,
        here: usize,
    ) -> Self {
        let (ops, used, known) = (SmallVec::new(), Vec::new(), BTreeMap::new());
        Self { lowering, process, thread, ops, used, known, here, together: None }
    }

    fn build(
        &mut self,
        transition: &'a Transition,
        to: usize,
        mirror: Option<CellId>,
        way: usize,
    ) -> Option<()> {
        for guard in &transition.guard {
            let guard = self.expr(guard, None)?;
            self.ops.push(Op::Guard(guard));
        }
        if let Some(sync) = &transition.sync {
            let Some(channel) = self.lowering.names.channels.get(sync.channel.text.as_str()).cloned() else {
                let message = format!("there is no channel `{}`", sync.channel.text);
                return self.complain(
                    Diagnostic::error(&codes::UNKNOWN, sync.channel.span, message)
                        .help(format!("declare it with `channel {};`", sync.channel.text)),
                );
            };
            let count = match &sync.kind {
                SyncKind::Send(values) => values.len(),
                SyncKind::Receive(places) => places.len(),
            };
            let arity = match &channel {
                Channel::Rendezvous { arity, .. } => *arity,
                Channel::Fifo { values, .. } => values.len(),
            };
            if count != arity {
                let message = format!("channel `{}` carries {arity} values, not {count}", sync.channel.text);
                return self.complain(
                    Diagnostic::error(&codes::CHANNEL, sync.span, message)
                        .help("send and receive the same number of values everywhere"),
                );
            }
            match channel {
                Channel::Rendezvous { declared, ways, .. } => {
                    self.rendezvous(declared.as_deref(), &ways, way, &sync.kind)?;
                }
                Channel::Fifo { len, capacity, values, types } => {
                    self.buffered(&sync.kind, len, capacity, &values, &types)?;
                }
            }
        }
        if let Some(mirror) = mirror
            && self.here != to
        {
            self.write(Addr::Cell(mirror), RegExpr::constant(to as i64));
        }
        self.here = to;
        self.effects(transition)
    }

    /// Makes the assignments.
    pub(super) fn effects(&mut self, transition: &'a Transition) -> Option<()> {
        for effect in &transition.effects {
            let target = self.target(&effect.place)?;
            let value = self.expr(&effect.value, None)?;
            let ty = self.symbol(&effect.place.name)?.ty;
            let value = self.checked(value, ty);
            self.store(target, value);
        }
        Some(())
    }

    /// Sends on the way of that number, or receives on the way for what is received into.
    fn rendezvous(
        &mut self,
        declared: Option<&[Type]>,
        ways: &[(ChannelId, Vec<Type>)],
        way: usize,
        kind: &'a SyncKind,
    ) -> Option<()> {
        let op = match kind {
            SyncKind::Send(values) => {
                let (channel, types) = &ways[way];
                let mut sent = Vec::new();
                for (i, (value, taken)) in values.iter().zip(types).enumerate() {
                    let mut value = self.expr(value, None)?;
                    if let Some(carried) = declared.and_then(|types| types.get(i)) {
                        value = self.checked(value, *carried);
                    }
                    sent.push(self.checked(value, *taken));
                }
                Op::Send { channel: *channel, values: sent }
            }
            SyncKind::Receive(places) => {
                let targets = places.iter().map(|place| self.target(place)).collect::<Option<Vec<_>>>()?;
                let taken = self.lowering.names.taken(places, self.process);
                let (channel, _) = ways.iter().find(|(_, types)| *types == taken)?;
                Op::Receive { channel: *channel, targets }
            }
        };
        self.ops.push(op);
        // From here on the other process acts as well: what was read may be old.
        self.known.clear();
        Some(())
    }

    pub(super) fn complain<T>(&mut self, problem: Diagnostic) -> Option<T> {
        self.lowering.problems.push(problem);
        None
    }

    pub(super) fn symbol(&mut self, name: &super::super::ast::Name) -> Option<Symbol> {
        let found = self.lowering.names.lookup(&name.text, Some(self.process)).cloned();
        if found.is_none() {
            let message = format!("there is no variable `{}`", name.text);
            return self.complain(
                Diagnostic::error(&codes::UNKNOWN, name.span, message)
                    .help(format!("declare it, for example with `byte {};`", name.text)),
            );
        }
        found
    }

    /// Where an assignment goes.
    pub(super) fn target(&mut self, place: &'a Place) -> Option<Target> {
        let symbol = self.symbol(&place.name)?;
        if symbol.is_const {
            let message = format!("`{}` is a constant", symbol.name);
            return self.complain(
                Diagnostic::error(&codes::CONSTANT, place.name.span, message)
                    .help("leave `const` out of its declaration"),
            );
        }
        self.shape(&symbol, place.index.is_some(), place.name.span)?;
        match (symbol.storage, &place.index) {
            (Storage::Register(reg), _) => Some(Target::Register(reg)),
            (Storage::Memory(cell), None) => Some(Target::Memory(Addr::Cell(cell))),
            (Storage::Memory(_), Some(index)) => Some(Target::Memory(self.element(&symbol, index, None)?)),
            (Storage::Nowhere, _) => None,
        }
    }

    /// Complains if an array has no index or something else has one.
    pub(super) fn shape(
        &mut self,
        symbol: &Symbol,
        has_index: bool,
        span: fencewright_base::Span,
    ) -> Option<()> {
        match (symbol.is_array, has_index) {
            (true, false) => self.complain(
                Diagnostic::error(&codes::SHAPE, span, format!("`{}` is an array", symbol.name))
                    .help(format!("say which element, such as `{}[0]`", symbol.name)),
            ),
            (false, true) => self.complain(
                Diagnostic::error(&codes::SHAPE, span, format!("`{}` is no array", symbol.name))
                    .help("leave the index out"),
            ),
            _ => Some(()),
        }
    }

    /// The cell of an element. `needed` is when it is looked at; else the first element stands in for it, so that an
    /// index which nobody needs cannot be wrong.
    pub(super) fn element(
        &mut self,
        symbol: &Symbol,
        index: &'a Expr,
        needed: Option<&RegExpr>,
    ) -> Option<Addr> {
        let Storage::Memory(first) = symbol.storage else { return None };
        let len = symbol.init.len() as u32;
        if let Some(value) = self.lowering.names.fold(index, Some(self.process)) {
            if !(0..i64::from(len)).contains(&value) {
                return self.complain(outside(symbol, value, index.span));
            }
            return Some(Addr::Cell(CellId(first.0 + value as u32)));
        }
        let index = self.expr(index, needed)?;
        let index = match needed {
            None => index,
            Some(needed) => {
                RegExpr::Choose(Box::new(needed.clone()), Box::new(index), Box::new(RegExpr::constant(0)))
            }
        };
        Some(Addr::Indexed { first, len, index, outside: Outside::Faults })
    }

    pub(super) fn store(&mut self, target: Target, value: RegExpr) {
        match target {
            Target::Register(dst) => self.ops.push(Op::Assign { dst, value }),
            Target::Memory(addr) => self.write(addr, value),
        }
    }

    pub(super) fn write(&mut self, addr: Addr, value: RegExpr) {
        if self.together.is_some() {
            return self.delay(addr, value);
        }
        match &addr {
            Addr::Cell(cell) => drop(self.known.remove(cell)),
            Addr::Indexed { first, len, .. } => {
                self.known.retain(|cell, _| !(first.0..first.0 + len).contains(&cell.0));
            }
        }
        self.ops.push(Op::Write { addr, value });
    }

    /// A scratch register that holds what is at the address.
    pub(super) fn read(&mut self, addr: Addr, of: Domain) -> RegExpr {
        let value = self.read_memory(addr.clone(), of);
        self.with_own_writes(&addr, value)
    }

    /// The value in a scratch register, so that it stays what it is now; a number is that anyway.
    pub(super) fn keep(&mut self, value: RegExpr) -> RegExpr {
        if let RegExpr::Const(_) = value {
            return value;
        }
        let dst = self.scratch(Domain::Machine { bits: 32, signed: true });
        self.ops.push(Op::Assign { dst, value });
        RegExpr::Atom(dst)
    }

    fn read_memory(&mut self, addr: Addr, of: Domain) -> RegExpr {
        if let Addr::Cell(cell) = addr
            && let Some(&reg) = self.known.get(&cell)
        {
            return RegExpr::Atom(reg);
        }
        let dst = self.scratch(of);
        if let Addr::Cell(cell) = addr {
            self.known.insert(cell, dst);
        }
        self.ops.push(Op::Read { dst, addr });
        RegExpr::Atom(dst)
    }

    fn scratch(&mut self, of: Domain) -> RegId {
        let place = self.used.iter().position(|(domain, _)| *domain == of).unwrap_or_else(|| {
            self.used.push((of.clone(), 0));
            self.used.len() - 1
        });
        let nth = self.used[place].1;
        self.used[place].1 += 1;
        let regs = self.thread.thread().regs.iter_enumerated();
        let fits = regs.filter(|(_, reg)| reg.scratch && reg.domain == of).map(|(id, _)| id).nth(nth);
        match fits {
            Some(reg) => reg,
            None => {
                let name = format!("_{}", self.thread.thread().regs.len());
                self.thread.scratch(name, of)
            }
        }
    }

    /// The cell's value, as its type says.
    pub(super) fn load(&mut self, symbol: &Symbol, addr: Addr) -> RegExpr {
        self.read(addr, domain(symbol.ty))
    }

    /// The least and greatest value an expression can have.
    pub(super) fn register_bounds(&self, reg: RegId) -> (Int, Int) {
        let domain = &self.thread.thread().regs[reg].domain;
        domain.bounds().unwrap_or_else(|| (Int::from(i64::from(i32::MIN)), Int::from(i64::from(i32::MAX))))
    }
}
