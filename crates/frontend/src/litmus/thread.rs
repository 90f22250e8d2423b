//! One column of the table to a thread: each instruction to one step, or to a few.
//!
//! - An instruction on registers is one step. A load is one step, a store is one step; both with what is computed.
//! - A locked instruction, and `XCHG` on memory with or without a prefix, is one step with [`Lock::Full`]: it reads,
//!   computes, writes. A failing `CMPXCHG` writes the old value back, so it is a full barrier like the others.
//! - Read-modify-write without a lock is two steps, the read and the write, and others can come between. Each half is a
//!   statement of its own, with no room for a fence between them. A failing `CMPXCHG` without a lock writes nothing.
//! - `MFENCE` is a full fence, `SFENCE` a store-store fence; `LFENCE` and `NOP` are steps that do nothing.
//! - Flags are hidden registers of one bit, and only those the thread's conditions look at are computed.
//!
//! Hidden registers come behind the thread's own: a scratch register for each width in use, then flags.

use std::collections::BTreeMap;

use fencewright_base::{Diagnostic, Index, Int, SourceMap, Span};
use fencewright_ir::{
    Addr, BinaryOp, CellId, Domain, Expr, FenceKind, Init, LocId, Lock, Op, ProgramBuilder, RegExpr, RegId,
    StatementId, Step, ThreadBuilder,
};

use super::ast::*;
use super::codes;
use super::flags::{Effect, FlagRegisters};
use super::layout::Layout;
use super::lexer::collapse;
use super::registers::{ACCUMULATOR, Family};

/// Reports labels that are defined twice and jumps to labels that are not defined.
pub(super) fn check_labels(test: &Test, diagnostics: &mut Vec<Diagnostic>) {
    for cells in &test.threads {
        let mut known: BTreeMap<&str, Span> = BTreeMap::new();
        for (label, span) in cells.iter().flat_map(|cell| &cell.labels) {
            if let Some(first) = known.insert(label, *span) {
                diagnostics.push(
                    Diagnostic::error(
                        &codes::LABEL,
                        *span,
                        format!("label `{label}` stands in this thread twice"),
                    )
                    .label("expected a label of another name")
                    .also(first, "the first one"),
                );
            }
        }
        for instruction in cells.iter().filter_map(|cell| cell.instruction.as_ref()) {
            if let Operation::Jump { label, label_span, .. } = &instruction.operation
                && !known.contains_key(label.as_str())
            {
                diagnostics.push(
                    Diagnostic::error(
                        &codes::LABEL,
                        *label_span,
                        format!("this thread has no label `{label}`"),
                    )
                    .label("expected a label of the same thread"),
                );
            }
        }
    }
}

/// Adds the thread to the program. Labels have been checked.
pub(super) fn lower(
    sources: &SourceMap,
    layout: &Layout,
    number: usize,
    cells: &[Cell],
    program: &mut ProgramBuilder,
) {
    let mut builder = ThreadBuilder::new(format!("P{number}"));
    for at in layout.threads[number].values() {
        builder.register(at.name.clone(), at.domain(), Init::Value(at.init.clone()));
    }
    let instructions: Vec<&Instruction> = cells.iter().filter_map(|cell| cell.instruction.as_ref()).collect();
    // The place before each instruction, and the end. The entry is the first.
    let mut places = vec![builder.entry()];
    places.extend(instructions.iter().map(|_| builder.location()));
    let mut labels: BTreeMap<&str, usize> = BTreeMap::new();
    let mut position = 0;
    for cell in cells {
        for (label, _) in &cell.labels {
            labels.insert(label, position);
            builder.label(places[position], label.clone());
        }
        position += usize::from(cell.instruction.is_some());
    }
    let depths = loop_depths(&instructions, &labels);
    let flags = FlagRegisters::new(&mut builder, instructions.iter().filter_map(|i| i.operation.condition()));
    let mut thread =
        ThreadLowering { layout, number, builder, scratch: BTreeMap::new(), flags, from: places[0] };
    for (index, instruction) in instructions.iter().enumerate() {
        let text = collapse(sources.text(instruction.span));
        let mut statement = || {
            let id = program.statement(text.clone(), Some(instruction.span));
            program.statement_mut(id).loop_depth = depths[index];
            id
        };
        let halves = if thread.is_split(instruction) {
            let (first, second) = (statement(), statement());
            program.statement_mut(first).fence_after = false;
            program.statement_mut(second).fence_before = false;
            (first, second)
        } else {
            let id = statement();
            if matches!(instruction.operation, Operation::Jump { .. } | Operation::Return) {
                // What stands behind it in the text is not passed when it jumps.
                program.statement_mut(id).fence_after = false;
            }
            (id, id)
        };
        let target = match &instruction.operation {
            Operation::Jump { label, .. } => labels.get(label.as_str()).map(|&position| places[position]),
            Operation::Return => places.last().copied(),
            _ => None,
        };
        thread.from = places[index];
        thread.instruction(instruction, halves, places[index + 1], target);
    }
    program.add_thread(thread.builder);
}

/// For each instruction, how many loops it is in: a loop is a label and the last jump back to it.
fn loop_depths(instructions: &[&Instruction], labels: &BTreeMap<&str, usize>) -> Vec<u32> {
    let mut ends: BTreeMap<usize, usize> = BTreeMap::new();
    for (index, instruction) in instructions.iter().enumerate() {
        if let Operation::Jump { label, .. } = &instruction.operation
            && let Some(&target) = labels.get(label.as_str())
            && target <= index
        {
            ends.insert(target, index);
        }
    }
    // Where loops begin and where they have ended, summed up: one pass however many loops there are.
    let mut changes = vec![0i64; instructions.len() + 1];
    for (target, end) in ends {
        changes[target] += 1;
        changes[end + 1] -= 1;
    }
    let mut depth = 0;
    instructions
        .iter()
        .zip(changes)
        .map(|(_, change)| {
            depth += change;
            u32::try_from(depth).unwrap_or(0)
        })
        .collect()
}

impl Operation {
    /// The condition on the flags it looks at.
    fn condition(&self) -> Option<FlagCondition> {
        match self {
            Operation::Jump { condition, .. } => *condition,
            Operation::ConditionalMove { condition, .. } | Operation::Set { condition, .. } => {
                Some(*condition)
            }
            _ => None,
        }
    }
}

/// The value of an operand: an expression whose low bits count, and, if it is in a machine type already, which.
#[derive(Debug, Clone)]
pub(super) struct Value {
    expr: RegExpr,
    ty: Option<Type>,
}

impl Value {
    fn constant(value: Int) -> Self {
        Value { expr: Expr::Const(value), ty: None }
    }

    /// The value as a number of the machine type.
    pub(super) fn wrapped(&self, bits: u32, signed: bool) -> RegExpr {
        match &self.expr {
            Expr::Const(value) => Expr::Const(value.wrap(bits, signed)),
            expr if self.ty == Some(Type { bits, signed }) => expr.clone(),
            expr => Expr::Wrap { bits, signed, value: Box::new(expr.clone()) },
        }
    }
}

struct ThreadLowering<'a> {
    layout: &'a Layout,
    number: usize,
    builder: ThreadBuilder,
    /// By width.
    scratch: BTreeMap<u32, RegId>,
    flags: FlagRegisters,
    /// Where the next step starts.
    from: LocId,
}

impl ThreadLowering<'_> {
    /// Whether the instruction becomes a read and then a write, with room for others between them.
    fn is_split(&self, instruction: &Instruction) -> bool {
        let memory =
            |operand: &Operand| matches!(operand.kind, OperandKind::Location(_) | OperandKind::Pointer(_));
        match &instruction.operation {
            Operation::Move { dst, src } => memory(dst) && memory(src),
            Operation::Binary { dst, .. }
            | Operation::Unary { dst, .. }
            | Operation::ExchangeAdd { dst, .. }
            | Operation::CompareExchange { dst, .. } => memory(dst) && !instruction.lock,
            Operation::Exchange { left, right, locked } => {
                (memory(left) || memory(right)) && !instruction.lock && !locked
            }
            _ => false,
        }
    }

    /// The steps of one instruction from `self.from` to `next`. If it is split, the read belongs to the first
    /// statement and the write to the second. A jump goes to `target`.
    fn instruction(
        &mut self,
        instruction: &Instruction,
        (first, second): (StatementId, StatementId),
        next: LocId,
        target: Option<LocId>,
    ) {
        let bits = self.layout.bits_of(self.number, instruction);
        let split = self.is_split(instruction);
        let mut ops = Vec::new();
        let mut lock = None;
        // Brings a memory operand into the scratch register: in a step of its own if the instruction is split.
        let fetch = |this: &mut Self, ops: &mut Vec<Op>, operand: &Operand| {
            let dst = this.scratch(bits);
            if let Some(addr) = this.addr(operand) {
                if split {
                    this.from = this.builder.then(this.from, Op::Read { dst, addr }, first);
                } else {
                    ops.push(Op::Read { dst, addr });
                }
            }
            Value { expr: Expr::Atom(dst), ty: Some(Type { bits, signed: true }) }
        };
        let value = |this: &mut Self, ops: &mut Vec<Op>, operand: &Operand| match &operand.kind {
            OperandKind::Immediate(number) => Value::constant(number.clone()),
            OperandKind::Register(register, _) => this.register(&register.family, bits),
            OperandKind::Location(_) | OperandKind::Pointer(_) => fetch(this, ops, operand),
        };
        match &instruction.operation {
            Operation::Move { dst, src } => match (self.direct(dst, bits), self.addr(src)) {
                (Some(dst), Some(addr)) => ops.push(Op::Read { dst, addr }),
                _ => {
                    let src = value(self, &mut ops, src);
                    self.store(&mut ops, dst, &src, bits);
                }
            },
            Operation::Binary { op, dst, src } => {
                let left = value(self, &mut ops, dst);
                let right = value(self, &mut ops, src);
                let effect = match op {
                    Arithmetic::Add => Effect::Add,
                    Arithmetic::Sub => Effect::Sub,
                    Arithmetic::And | Arithmetic::Or | Arithmetic::Xor => Effect::Logic,
                };
                self.compute(&mut ops, dst, effect, arithmetic(*op), (left, right), bits);
            }
            Operation::Unary { op, dst } => {
                let old = value(self, &mut ops, dst);
                let one = Value::constant(Int::ONE);
                let (effect, op, operands) = match op {
                    Single::Increment => (Effect::Increment, BinaryOp::Add, (old, one)),
                    Single::Decrement => (Effect::Decrement, BinaryOp::Sub, (old, one)),
                    Single::Negate => (Effect::Sub, BinaryOp::Sub, (Value::constant(Int::ZERO), old)),
                    // The complement of x is -1 - x, and no flag changes.
                    Single::Complement => {
                        (Effect::None, BinaryOp::Sub, (Value::constant(Int::from(-1)), old))
                    }
                };
                self.compute(&mut ops, dst, effect, op, operands, bits);
            }
            Operation::Compare { op, left, right } => {
                let left = value(self, &mut ops, left);
                let right = value(self, &mut ops, right);
                let effect = if *op == Arithmetic::Sub { Effect::Sub } else { Effect::Logic };
                let result = combine(arithmetic(*op), &left, &right);
                ops.extend(self.flags.set(effect, &left, &right, &result, bits));
            }
            Operation::Exchange { left, right, .. } => {
                // With memory, the memory operand is the one that goes through the scratch register.
                let (left, right) = if self.addr(right).is_some() { (right, left) } else { (left, right) };
                let mut old = value(self, &mut ops, left);
                let new = value(self, &mut ops, right);
                if self.addr(left).is_none() {
                    let scratch = self.scratch(bits);
                    ops.push(Op::Assign { dst: scratch, value: old.expr });
                    old = Value { expr: Expr::Atom(scratch), ty: Some(Type { bits, signed: true }) };
                } else if !split {
                    lock = Some(Lock::Full);
                }
                self.store(&mut ops, left, &new, bits);
                self.store(&mut ops, right, &old, bits);
            }
            Operation::ExchangeAdd { dst, src } => {
                let old = value(self, &mut ops, dst);
                let added = value(self, &mut ops, src);
                let sum = combine(BinaryOp::Add, &old, &added);
                ops.extend(self.flags.set(Effect::Add, &old, &added, &sum, bits));
                if self.addr(dst).is_some() {
                    self.store(&mut ops, dst, &sum, bits);
                    self.store(&mut ops, src, &old, bits);
                } else {
                    // The source gets the old destination first, so that `XADD EAX,EAX` leaves the sum.
                    let scratch = self.scratch(bits);
                    ops.push(Op::Assign { dst: scratch, value: sum.expr });
                    self.store(&mut ops, src, &old, bits);
                    self.store(&mut ops, dst, &Value { expr: Expr::Atom(scratch), ty: None }, bits);
                }
            }
            Operation::CompareExchange { dst, src } => {
                let old = value(self, &mut ops, dst);
                let new = value(self, &mut ops, src);
                let expected = self.register(&ACCUMULATOR, bits);
                let equal = old.wrapped(bits, true).eq(expected.wrapped(bits, true));
                let difference = combine(BinaryOp::Sub, &expected, &old);
                let flags = self.flags.set(Effect::Sub, &expected, &old, &difference, bits);
                let accumulator = self.register_id(&ACCUMULATOR);
                if split {
                    let mut success = vec![Op::Guard(equal.clone())];
                    success.extend(flags.clone());
                    self.store(&mut success, dst, &new, bits);
                    self.step(success, None, next, second);
                    ops.push(Op::Guard(equal.not()));
                    ops.extend(flags);
                    ops.push(Op::Assign { dst: accumulator, value: self.extended(&ACCUMULATOR, &old, bits) });
                } else {
                    let choose = |yes, no| Expr::Choose(Box::new(equal.clone()), Box::new(yes), Box::new(no));
                    let written = Value { expr: choose(new.expr, old.expr.clone()), ty: None };
                    self.store(&mut ops, dst, &written, bits);
                    ops.extend(flags);
                    let failed = self.extended(&ACCUMULATOR, &old, bits);
                    ops.push(Op::Assign { dst: accumulator, value: choose(Expr::Atom(accumulator), failed) });
                }
            }
            Operation::ConditionalMove { condition, dst, src } => {
                let new = value(self, &mut ops, src);
                let old = value(self, &mut ops, dst);
                let condition = Box::new(self.flags.test(*condition));
                let chosen = Expr::Choose(condition, Box::new(new.expr), Box::new(old.expr));
                self.store(&mut ops, dst, &Value { expr: chosen, ty: None }, bits);
            }
            Operation::Set { condition, dst } => {
                let bit = Value { expr: self.flags.test(*condition), ty: None };
                self.store(&mut ops, dst, &bit, bits);
            }
            Operation::Jump { condition, .. } => {
                let taken = target.unwrap_or(next);
                let Some(condition) = condition else { return self.step(ops, None, taken, second) };
                let test = self.flags.test(*condition);
                self.step(vec![Op::Guard(test.clone())], None, taken, second);
                ops.push(Op::Guard(test.not()));
            }
            Operation::FullFence => ops.push(Op::Fence(FenceKind::Full)),
            Operation::StoreFence => ops.push(Op::Fence(FenceKind::StoreStore)),
            Operation::Nothing => {}
            Operation::Return => return self.step(ops, None, target.unwrap_or(next), second),
        }
        if instruction.lock {
            lock = Some(Lock::Full);
        }
        self.step(ops, lock, next, second);
    }

    /// The step from `self.from` to `to`.
    fn step(&mut self, ops: Vec<Op>, lock: Option<Lock>, to: LocId, statement: StatementId) {
        self.builder.edge(self.from, to, Step { ops: ops.into(), lock, statement });
    }

    /// `dst := left op right` with its flags, which are computed from the old values.
    fn compute(
        &mut self,
        ops: &mut Vec<Op>,
        dst: &Operand,
        effect: Effect,
        op: BinaryOp,
        (left, right): (Value, Value),
        bits: u32,
    ) {
        let result = combine(op, &left, &right);
        ops.extend(self.flags.set(effect, &left, &right, &result, bits));
        self.store(ops, dst, &result, bits);
    }

    /// Writes the low bits of the value to a register or location.
    fn store(&mut self, ops: &mut Vec<Op>, dst: &Operand, value: &Value, bits: u32) {
        match (&dst.kind, self.addr(dst)) {
            (_, Some(addr)) => ops.push(Op::Write { addr, value: value.expr.clone() }),
            (OperandKind::Register(register, _), None) => {
                let dst = self.register_id(&register.family);
                ops.push(Op::Assign { dst, value: self.extended(&register.family, value, bits) });
            }
            // The parser lets no number stand where something is written.
            (OperandKind::Immediate(_) | OperandKind::Location(_) | OperandKind::Pointer(_), None) => {}
        }
    }

    /// What the register holds after the low bits of the value were written to it: a 32-bit write to a register of 64
    /// bits clears the upper half.
    fn extended(&self, family: &Family, value: &Value, bits: u32) -> RegExpr {
        if self.layout.threads[self.number][family].bits == bits {
            value.expr.clone()
        } else {
            value.wrapped(bits, false)
        }
    }

    /// The low bits of a register.
    fn register(&self, family: &Family, bits: u32) -> Value {
        let at = &self.layout.threads[self.number][family];
        Value {
            expr: Expr::Atom(self.register_id(family)),
            ty: Some(Type { bits: at.bits, signed: at.is_signed() }),
        }
        .cut(bits)
    }

    /// The register a load can go to without a detour: as wide as the load.
    fn direct(&self, operand: &Operand, bits: u32) -> Option<RegId> {
        match &operand.kind {
            OperandKind::Register(register, _) => {
                let fits = self.layout.threads[self.number][&register.family].bits == bits;
                fits.then(|| self.register_id(&register.family))
            }
            _ => None,
        }
    }

    fn register_id(&self, family: &Family) -> RegId {
        RegId::new(self.layout.threads[self.number].keys().position(|known| known == family).unwrap_or(0))
    }

    /// The cell of a memory operand.
    fn addr(&self, operand: &Operand) -> Option<Addr> {
        let name = match &operand.kind {
            OperandKind::Location(name) => name,
            OperandKind::Pointer(family) => self.layout.threads[self.number].get(family)?.address.as_ref()?,
            OperandKind::Immediate(_) | OperandKind::Register(..) => return None,
        };
        let index = self.layout.locations.keys().position(|known| known == name)?;
        Some(Addr::Cell(CellId::new(index)))
    }

    fn scratch(&mut self, bits: u32) -> RegId {
        let Self { scratch, builder, .. } = self;
        *scratch.entry(bits).or_insert_with(|| {
            let domain = Domain::Machine { bits, signed: true };
            builder.register(format!("scratch{bits}"), domain, Init::Value(Int::ZERO))
        })
    }
}

impl Value {
    /// The low bits of a value that may be wider.
    fn cut(self, bits: u32) -> Value {
        if self.ty.is_some_and(|ty| ty.bits > bits) {
            let expr = self.wrapped(bits, true);
            return Value { expr, ty: Some(Type { bits, signed: true }) };
        }
        self
    }
}

/// `left op right`, of which the low bits count.
fn combine(op: BinaryOp, left: &Value, right: &Value) -> Value {
    Value { expr: left.expr.clone().binary(op, right.expr.clone()), ty: None }
}

fn arithmetic(op: Arithmetic) -> BinaryOp {
    match op {
        Arithmetic::Add => BinaryOp::Add,
        Arithmetic::Sub => BinaryOp::Sub,
        Arithmetic::And => BinaryOp::BitAnd,
        Arithmetic::Or => BinaryOp::BitOr,
        Arithmetic::Xor => BinaryOp::BitXor,
    }
}
