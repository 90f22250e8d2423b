//! Executes a node: the instructions from a point up to a branch, a call or the end. Gives the residual operations and
//! the states behind it. The same code serves the analysis, which looks at the states, and the final pass, which keeps
//! the operations.

use std::rc::Rc;

use fencewright_ir::{FenceKind, Lock};

use super::calls::Called;
use super::expr::{self, RExpr};
use super::machine::{Machine, ROp, RegKey, Residual, Run, Scalar, Successor};
use super::memory::failure;
use super::operands::Scalars;
use super::state::{Env, Point, Temp};
use super::value::{Known, Value};
use crate::llvm::codes;
use crate::llvm::layout::ScalarKind;
use crate::llvm::module::{BlockId, CastOp, Inst, InstKind, LocalId, Operand, Order, Predicate, RmwOp, Type};

/// What executing a node gave.
#[derive(Debug, Default)]
pub(crate) struct Executed {
    pub(crate) ops: Vec<Residual>,
    pub(crate) successors: Vec<Successor>,
}

impl Machine<'_> {
    /// Executes from a point on.
    pub(crate) fn execute(&mut self, start: Point, mut env: Env) -> Run<Executed> {
        self.tick(start)?;
        let body = self.contexts[start.context].body.clone();
        let mut done = Executed::default();
        let mut at = start;
        loop {
            let inst = body.function.blocks.get(at.block).and_then(|block| block.insts.get(at.index as usize));
            let Some(inst) = inst else {
                return self.malformed_end(at);
            };
            match self.instruction(inst, at, &mut env, &mut done)? {
                Flow::Next => at.index += 1,
                Flow::Left => return Ok(done),
            }
        }
    }

    fn malformed_end<T>(&self, at: Point) -> Run<T> {
        let last = Point { index: at.index.saturating_sub(1), ..at };
        self.error(
            &codes::MALFORMED,
            last,
            "a block ends without a branch or a return",
            "give the module as the compiler wrote it",
        )
    }

    fn instruction(&mut self, inst: &Inst, at: Point, env: &mut Env, done: &mut Executed) -> Run<Flow> {
        let ops = &mut done.ops;
        match &inst.kind {
            InstKind::Nothing | InstKind::Phi { .. } => {}
            InstKind::Declare { address, variable } => self.declare(env, address, *variable, at)?,
            InstKind::Alloca { ty, count } => {
                let pointer = self.alloca(env, ty, count, at)?;
                self.set(env, ops, inst, at, pointer);
            }
            InstKind::Load { ty, ptr, order: _ } => {
                let pointer = self.scalar(env, &Type::Ptr, ptr, at)?;
                let Some(values) = self.load_value(env, ops, inst, ty, &pointer, at)? else {
                    return self.fault(done, at);
                };
                self.set_all(env, ops, inst, at, values);
                if let Some(local) = inst.result {
                    self.note_origin(env, local, ty, &pointer, at);
                }
            }
            InstKind::Store { ty, value, ptr, order } => {
                let pointer = self.scalar(env, &Type::Ptr, ptr, at)?;
                let values = self.operand(env, ty, value, at)?;
                if !self.store_value(env, ops, ty, &pointer, &values, *order, at)? {
                    return self.fault(done, at);
                }
                if let Operand::Local(local) = value {
                    self.note_origin(env, *local, ty, &pointer, at);
                }
            }
            InstKind::Rmw { op, ty, ptr, value, order } => {
                let pointer = self.scalar(env, &Type::Ptr, ptr, at)?;
                let operand = self.scalar(env, ty, value, at)?;
                let (size, dst) = (self.size_of(ty, at)?, temp_key(inst, at, 0));
                let compute = &mut |machine: &mut Self, old: &Scalar| machine.rmw(*op, old, &operand, at);
                let old = self.modify(env, ops, &pointer, size, dst, lock_of(*order), compute, at)?;
                let Some(old) = old else { return self.fault(done, at) };
                self.set(env, ops, inst, at, old);
            }
            InstKind::CmpXchg { ty, ptr, expected, new, order } => {
                return self.compare_exchange(inst, at, env, done, (ty, ptr, expected, new, *order));
            }
            InstKind::Fence(order) => {
                if let Some(kind) = fence_of(*order) {
                    ops.push(Residual { op: ROp::Fence(kind), at });
                }
            }
            InstKind::Gep { element, base, indices } => {
                let pointer = self.gep(env, element, base, indices, at)?;
                self.set(env, ops, inst, at, pointer);
            }
            InstKind::Binary { op, ty, a, b } => {
                let (a, b) = (self.scalar(env, ty, a, at)?, self.scalar(env, ty, b, at)?);
                let result = self.arithmetic(*op, &a, &b, at)?;
                self.set(env, ops, inst, at, result);
            }
            InstKind::Compare { predicate, ty, a, b } => {
                let (a, b) = (self.scalar(env, ty, a, at)?, self.scalar(env, ty, b, at)?);
                let result = self.compare(*predicate, &a, &b);
                self.set(env, ops, inst, at, result);
            }
            InstKind::Cast { op, from, value, to } => {
                if self.module.scalar(to) == Some(ScalarKind::Float) {
                    return self.unsupported(at, "a floating-point number");
                }
                let value = self.scalar(env, from, value, at)?;
                let bits = self.module.scalar(to).map_or(64, ScalarKind::bits);
                let result = self.cast(*op, &value, bits, at)?;
                self.set(env, ops, inst, at, result);
            }
            InstKind::Freeze { ty, value } => {
                let values = self.operand(env, ty, value, at)?;
                self.set_all(env, ops, inst, at, values);
            }
            InstKind::Select { condition, ty, yes, no } => {
                let condition = self.scalar(env, &Type::Int(1), condition, at)?;
                let (yes, no) = (self.operand(env, ty, yes, at)?, self.operand(env, ty, no, at)?);
                let pick = |(yes, no): (&Scalar, &Scalar)| match condition.known.single() {
                    Some(Value::Int(truth)) => if truth != 0 { yes.clone() } else { no.clone() },
                    _ => {
                        let chosen = expr::choose(condition.expr.clone(), yes.expr.clone(), no.expr.clone());
                        Scalar::new(yes.known.join(&no.known), chosen, yes.bits)
                    }
                };
                let values = yes.iter().zip(&no).map(pick).collect();
                self.set_all(env, ops, inst, at, values);
            }
            InstKind::ExtractValue { ty, aggregate, path } => {
                let all = self.operand(env, ty, aggregate, at)?;
                let range = self.leaves(ty, path, at)?;
                let part = all.get(range).map(|part| part.iter().cloned().collect()).unwrap_or_default();
                self.set_all(env, ops, inst, at, part);
            }
            InstKind::InsertValue { ty, aggregate, element_ty, element, path } => {
                let mut all = self.operand(env, ty, aggregate, at)?;
                let element = self.operand(env, element_ty, element, at)?;
                let range = self.leaves(ty, path, at)?;
                for (leaf, value) in range.zip(element) {
                    if let Some(slot) = all.get_mut(leaf) {
                        *slot = value;
                    }
                }
                self.set_all(env, ops, inst, at, all);
            }
            InstKind::Call { callee, args, ret } => {
                return match self.call(inst, callee, args, ret, at, env, done)? {
                    Called::Done => Ok(Flow::Next),
                    Called::Left => Ok(Flow::Left),
                };
            }
            InstKind::Goto(target) => {
                let env = std::mem::take(env);
                self.branch(done, env, expr::int(1), *target, at)?;
                return Ok(Flow::Left);
            }
            InstKind::Branch { condition, yes, no } => {
                let value = self.scalar(env, &Type::Int(1), condition, at)?;
                if yes == no {
                    let env = std::mem::take(env);
                    self.branch(done, env, expr::int(1), *yes, at)?;
                    return Ok(Flow::Left);
                }
                for (truth, target) in [(1, *yes), (0, *no)] {
                    let guard = if truth == 1 { value.expr.clone() } else { expr::not(value.expr.clone()) };
                    let mut env = env.clone();
                    let possible = value.known.values().is_none_or(|set| set.contains(&Value::Int(truth)));
                    if possible && self.assume(&mut env, condition, at, &|v| v == Value::Int(truth), 16) {
                        self.branch(done, env, guard, target, at)?;
                    }
                }
                return Ok(Flow::Left);
            }
            InstKind::Switch { ty, value: operand, default, cases } => {
                self.switch(done, env, (ty, operand, *default, cases), at)?;
                return Ok(Flow::Left);
            }
            InstKind::Return(value) => {
                let values = match value {
                    Some((ty, value)) => self.operand(env, ty, value, at)?,
                    None => Scalars::new(),
                };
                let env = std::mem::take(env);
                self.return_from(done, env, values, at)?;
                return Ok(Flow::Left);
            }
            InstKind::Unreachable => return Ok(Flow::Left),
            InstKind::Unsupported(what) => return self.unsupported(at, what),
        }
        Ok(Flow::Next)
    }

    /// The execution has gone wrong: an address leads nowhere.
    fn fault(&mut self, done: &mut Executed, at: Point) -> Run<Flow> {
        done.ops.push(Residual { op: failure(), at });
        Ok(Flow::Left)
    }

    pub(crate) fn size_of(&self, ty: &Type, at: Point) -> Run<u32> {
        match self.module.size_align(ty).and_then(|(size, _)| u32::try_from(size).ok()) {
            Some(size) => Ok(size),
            None => self.unsupported(at, "a value of this size"),
        }
    }

    /// The scalars of an aggregate that an index path leads to.
    fn leaves(&self, ty: &Type, path: &[u64], at: Point) -> Run<std::ops::Range<usize>> {
        let mut ty = ty;
        let mut start = 0;
        for &index in path {
            for before in 0..index.min(4_096) {
                let Some((_, element)) = self.module.element(ty, before) else {
                    return self.unsupported(at, "this part of an aggregate");
                };
                start += self.scalars_of(element, at)?.len();
            }
            let Some((_, element)) = self.module.element(ty, index) else {
                return self.unsupported(at, "this part of an aggregate");
            };
            ty = element;
        }
        Ok(start..start + self.scalars_of(ty, at)?.len())
    }

    /// Gives the instruction's result its value.
    pub(crate) fn set(&mut self, env: &mut Env, ops: &mut Vec<Residual>, inst: &Inst, at: Point, value: Scalar) {
        self.set_all(env, ops, inst, at, smallvec::smallvec![value]);
    }

    pub(crate) fn set_all(&mut self, env: &mut Env, ops: &mut Vec<Residual>, inst: &Inst, at: Point, values: Scalars) {
        if let Some(local) = inst.result {
            self.set_local(env, ops, local, at, values);
        }
    }

    pub(crate) fn set_local(&mut self, env: &mut Env, ops: &mut Vec<Residual>, local: LocalId, at: Point, values: Scalars) {
        for (leaf, value) in values.into_iter().enumerate() {
            let temp = Temp { context: at.context, local, leaf: leaf as u32 };
            env.origins.remove(&temp);
            let value = self.keep(ops, RegKey::Temp(temp), value, at);
            env.temps.insert(temp, value.known);
        }
    }

    /// A load from one cell of the thread's own, or a store to it: value and cell are the same until the cell is written.
    fn note_origin(&mut self, env: &mut Env, local: LocalId, ty: &Type, pointer: &Scalar, at: Point) {
        let Some(Value::Pointer(object, offset)) = pointer.known.single() else { return };
        let size = self.module.size_align(ty).map_or(0, |(size, _)| size);
        let whole = |bits: u32| u64::from(bits) == size * 8;
        if self.module.scalar(ty).is_some_and(|kind| whole(kind.bits()))
            && env.memory.get(&(object, offset)).is_some_and(|piece| u64::from(piece.size) == size && piece.fault.is_none())
        {
            env.origins.insert(Temp { context: at.context, local, leaf: 0 }, (object, offset));
        }
    }

    fn load_value(
        &mut self,
        env: &Env,
        ops: &mut Vec<Residual>,
        inst: &Inst,
        ty: &Type,
        pointer: &Scalar,
        at: Point,
    ) -> Run<Option<Scalars>> {
        let mut values = Scalars::new();
        for (leaf, scalar) in self.scalars_of(ty, at)?.into_iter().enumerate() {
            let field = self.indexed(pointer, &Scalar::int(1, 64), scalar.offset as i64, at)?;
            let dst = temp_key(inst, at, leaf as u32);
            match self.load(env, ops, &field, scalar.kind, scalar.size, dst, at)? {
                Some(value) => values.push(value),
                None => return Ok(None),
            }
        }
        Ok(Some(values))
    }

    pub(crate) fn store_value(
        &mut self,
        env: &mut Env,
        ops: &mut Vec<Residual>,
        ty: &Type,
        pointer: &Scalar,
        values: &Scalars,
        order: Order,
        at: Point,
    ) -> Run<bool> {
        for (scalar, value) in self.scalars_of(ty, at)?.into_iter().zip(values) {
            let field = self.indexed(pointer, &Scalar::int(1, 64), scalar.offset as i64, at)?;
            let write = |addr, value| match order {
                Order::SeqCst => ROp::Locked(Lock::Full, vec![ROp::Write { addr, value }]),
                Order::Release | Order::AcqRel => ROp::Write { addr, value },
                Order::Plain | Order::Relaxed | Order::Acquire => ROp::Write { addr, value },
            };
            let before = ops.len();
            if !self.store(env, ops, &field, value, scalar.size, &write, at)? {
                return Ok(false);
            }
            let is_shared = ops[before..].iter().any(|residual| matches!(residual.op, ROp::Write { .. }));
            if order == Order::Release && is_shared {
                ops.insert(before, Residual { op: ROp::Fence(FenceKind::StoreStore), at });
            }
        }
        Ok(true)
    }

    fn rmw(&mut self, op: RmwOp, old: &Scalar, operand: &Scalar, at: Point) -> Run<Scalar> {
        use crate::llvm::module::BinOp;
        let old = Scalar { bits: operand.bits.max(old.bits), ..old.clone() };
        let arithmetic = match op {
            RmwOp::Xchg => return Ok(operand.clone()),
            RmwOp::Add => BinOp::Add,
            RmwOp::Sub => BinOp::Sub,
            RmwOp::And | RmwOp::Nand => BinOp::And,
            RmwOp::Or => BinOp::Or,
            RmwOp::Xor => BinOp::Xor,
            RmwOp::Max | RmwOp::Min | RmwOp::UMax | RmwOp::UMin => {
                let predicate = match op {
                    RmwOp::Max => Predicate::Sgt,
                    RmwOp::Min => Predicate::Slt,
                    RmwOp::UMax => Predicate::Ugt,
                    _ => Predicate::Ult,
                };
                let first = self.compare(predicate, &old, operand);
                let chosen = expr::choose(first.expr, old.expr.clone(), operand.expr.clone());
                return Ok(Scalar::new(old.known.join(&operand.known), chosen, old.bits));
            }
        };
        let result = self.arithmetic(arithmetic, &old, operand, at)?;
        if op == RmwOp::Nand { self.arithmetic(BinOp::Xor, &result, &Scalar::int(-1, old.bits), at) } else { Ok(result) }
    }

    fn compare_exchange(
        &mut self,
        inst: &Inst,
        at: Point,
        env: &mut Env,
        done: &mut Executed,
        (ty, ptr, expected, new, order): (&Type, &Operand, &Operand, &Operand, Order),
    ) -> Run<Flow> {
        use super::memory::Place;
        let pointer = self.scalar(env, &Type::Ptr, ptr, at)?;
        let (expected, new) = (self.scalar(env, ty, expected, at)?, self.scalar(env, ty, new, at)?);
        let size = self.size_of(ty, at)?;
        let dst = temp_key(inst, at, 0);
        let cells = match self.place(env, &pointer, size, at)? {
            Place::Nowhere => return self.fault(done, at),
            Place::Private(_) => None,
            Place::Shared(cells) => Some(cells),
        };
        let ops = &mut done.ops;
        let (old, success) = match cells {
            None => {
                let compute = &mut |machine: &mut Self, old: &Scalar| {
                    let hit = machine.compare(Predicate::Eq, old, &expected);
                    let chosen = expr::choose(hit.expr, new.expr.clone(), old.expr.clone());
                    let known = match hit.known.single() {
                        Some(Value::Int(0)) => old.known.clone(),
                        Some(_) => new.known.clone(),
                        None => old.known.join(&new.known),
                    };
                    Ok(Scalar::new(known, chosen, new.bits))
                };
                let Some(old) = self.modify(env, ops, &pointer, size, dst, Lock::Full, compute, at)? else {
                    return self.fault(done, at);
                };
                let hit = self.compare(Predicate::Eq, &old, &expected);
                (old, hit)
            }
            Some(cells) => {
                let known = cells.iter().fold(Known::nothing(), |known, cell| known.join(&self.cells[cell].known));
                let reg = self.reg(dst, &known, size * 8);
                let old = Scalar { known, expr: expr::reg(reg), bits: expected.bits };
                let hit = self.compare(Predicate::Eq, &old, &expected);
                if hit.known.single() != Some(Value::Int(0)) {
                    for &cell in &cells {
                        self.grow(cell, &new.known);
                    }
                }
                let addr = super::machine::Address { pointer: pointer.expr.clone(), targets: cells };
                let lock = lock_of(order);
                let (expected, new) = (expected.expr.clone(), new.expr.clone());
                ops.push(Residual { op: ROp::Exchange { lock, dst: reg, addr, expected, new }, at });
                (old, hit)
            }
        };
        self.set_all(env, ops, inst, at, smallvec::smallvec![old, success]);
        Ok(Flow::Next)
    }

    fn gep(&mut self, env: &Env, element: &Type, base: &Operand, indices: &[(Type, Operand)], at: Point) -> Run<Scalar> {
        let mut pointer = self.scalar(env, &Type::Ptr, base, at)?;
        let mut ty = element.clone();
        for (i, (index_ty, index)) in indices.iter().enumerate() {
            let index = self.scalar(env, index_ty, index, at)?;
            if i > 0 && self.module.is_struct(&ty) {
                let field = match index.known.single() {
                    Some(Value::Int(field)) => u64::try_from(field).ok(),
                    _ => None,
                };
                let found = field.and_then(|field| self.module.element(&ty, field));
                let Some((offset, inner)) = found.map(|(offset, inner)| (offset, inner.clone())) else {
                    return self.unsupported(at, "this field of a struct");
                };
                pointer = self.indexed(&pointer, &Scalar::int(1, 64), offset as i64, at)?;
                ty = inner;
                continue;
            }
            if i > 0 {
                let Some(inner) = self.module.array_element(&ty).cloned() else {
                    return self.unsupported(at, "an index into this type");
                };
                ty = inner;
            }
            let stride = i64::from(self.size_of(&ty, at)?);
            pointer = self.indexed(&pointer, &index, stride, at)?;
        }
        Ok(pointer)
    }

    fn switch(
        &mut self,
        done: &mut Executed,
        env: &Env,
        (ty, operand, default, cases): (&Type, &Operand, BlockId, &[(crate::llvm::module::Constant, BlockId)]),
        at: Point,
    ) -> Run<()> {
        use fencewright_ir::BinaryOp;
        let value = self.scalar(env, ty, operand, at)?;
        let mut otherwise = expr::int(1);
        let mut taken = Vec::new();
        for (case, target) in cases {
            let Some(case) = self.constant_value(case, ty)? else {
                return self.unsupported(at, "this case of a switch");
            };
            taken.push(case);
            let hit = expr::binary(BinaryOp::Eq, value.expr.clone(), expr::constant(case));
            otherwise = expr::binary(BinaryOp::And, otherwise, expr::not(hit.clone()));
            let possible = value.known.values().is_none_or(|set| set.contains(&case));
            let mut env = env.clone();
            if possible && self.assume(&mut env, operand, at, &|v| v == case, 16) {
                self.branch(done, env, hit, *target, at)?;
            }
        }
        let possible = value.known.values().is_none_or(|set| set.iter().any(|v| !taken.contains(v)));
        let mut env = env.clone();
        if possible && self.assume(&mut env, operand, at, &|v| !taken.contains(&v), 16) {
            self.branch(done, env, otherwise, default, at)?;
        }
        Ok(())
    }

    /// To a block, with the values of its phis.
    pub(crate) fn branch(&mut self, done: &mut Executed, mut env: Env, guard: RExpr, target: BlockId, at: Point) -> Run<()> {
        let body = self.contexts[at.context].body.clone();
        let mut ops = Vec::new();
        let mut moves: Vec<(LocalId, Scalars)> = Vec::new();
        for inst in body.function.blocks.get(target).into_iter().flat_map(|block| &block.insts) {
            let InstKind::Phi { ty, incoming } = &inst.kind else { break };
            let Some((value, _)) = incoming.iter().find(|(_, from)| *from == at.block) else {
                return self.error(&codes::MALFORMED, at, "a phi has no value for this branch", "give the module as the compiler wrote it");
            };
            if let Some(result) = inst.result {
                moves.push((result, self.operand(&env, ty, value, at)?));
            }
        }
        // All at once: a phi may use the old value of another.
        let clash = moves.iter().enumerate().any(|(i, (_, values))| {
            values.iter().any(|value| {
                moves[..i].iter().any(|(earlier, _)| self.mentions_local(&value.expr, at, *earlier))
            })
        });
        if clash {
            for (number, (_, values)) in moves.iter_mut().enumerate() {
                for (leaf, value) in values.iter_mut().enumerate() {
                    let key = RegKey::Scratch((number * 16 + leaf) as u32);
                    *value = self.keep(&mut ops, key, value.clone(), at);
                }
            }
        }
        let gone = |temp: &Temp| temp.context == at.context && !body.lasting.contains(&temp.local);
        env.temps.retain(|temp, _| !gone(temp));
        env.origins.retain(|temp, _| !gone(temp));
        for (local, values) in moves {
            self.set_local(&mut env, &mut ops, local, at, values);
        }
        let target = Point { context: at.context, block: target, index: 0 };
        done.successors.push(Successor { guard, ops, env, target });
        Ok(())
    }

    fn mentions_local(&self, expr: &RExpr, at: Point, local: LocalId) -> bool {
        let Some((infos, _)) = self.regs.get(self.thread) else { return false };
        let mut found = false;
        expr.for_each_atom(&mut |atom| {
            if let expr::Atom::Reg(reg) = atom
                && let RegKey::Temp(temp) = infos[*reg].key
            {
                found |= temp.context == at.context && temp.local == local;
            }
        });
        found
    }

    /// Restricts what is known to where the operand satisfies a condition. False if nothing is left.
    pub(crate) fn assume(&self, env: &mut Env, operand: &Operand, at: Point, keep: &dyn Fn(Value) -> bool, fuel: u32) -> bool {
        let Operand::Local(local) = operand else { return true };
        let temp = Temp { context: at.context, local: *local, leaf: 0 };
        let Some(known) = env.temps.get(&temp) else { return true };
        let rest = known.filter(keep);
        if rest.values().is_some_and(|set| set.is_empty()) {
            return false;
        }
        if let Some(&cell) = env.origins.get(&temp)
            && let Some(piece) = env.memory.get_mut(&cell)
        {
            piece.known = piece.known.filter(keep);
        }
        env.temps.insert(temp, rest.clone());
        if fuel == 0 {
            return true;
        }
        // What the operand was computed from is restricted too.
        let body: Rc<_> = self.contexts[at.context].body.clone();
        let Some(&(block, index)) = body.definitions.get(local) else { return true };
        let Some(inst) = body.function.blocks.get(block).and_then(|b| b.insts.get(index as usize)) else { return true };
        match &inst.kind {
            InstKind::Cast { op, from, value, to } => {
                let (Some(from), Some(to)) = (self.module.scalar(from), self.module.scalar(to)) else { return true };
                let through = |v: Value| super::value::cast(*op, from.bits(), to.bits(), v).is_none_or(keep);
                let narrows = *op == CastOp::Trunc && !matches!(value, Operand::Local(_));
                narrows || self.assume(env, value, at, &through, fuel - 1)
            }
            InstKind::Freeze { value, .. } => self.assume(env, value, at, keep, fuel - 1),
            InstKind::Binary { op: crate::llvm::module::BinOp::Xor, ty: Type::Int(1), a, b } => {
                let Operand::Const(crate::llvm::module::Constant::Int(flip)) = b else { return true };
                let through = |v: Value| match v {
                    Value::Int(v) => keep(Value::Int((v ^ flip) & 1)),
                    Value::Pointer(..) => true,
                };
                self.assume(env, a, at, &through, fuel - 1)
            }
            InstKind::Compare { predicate, ty, a, b } => {
                let Some(Value::Int(truth)) = rest.single() else { return true };
                let Some(bits) = self.module.scalar(ty).map(ScalarKind::bits) else { return true };
                let holds = |x: Value, y: Value| super::value::compare(*predicate, bits, x, y) == (truth != 0);
                let known = |env: &Env, operand: &Operand| match operand {
                    Operand::Local(local) => {
                        env.temps.get(&Temp { context: at.context, local: *local, leaf: 0 }).cloned()
                    }
                    Operand::Const(crate::llvm::module::Constant::Int(v)) => {
                        Some(Known::int(super::value::canonical(bits, *v)))
                    }
                    Operand::Const(crate::llvm::module::Constant::Zero) => Some(Known::int(0)),
                    Operand::Const(_) => None,
                };
                if let Some(Known::Set(right)) = known(env, b) {
                    let fits = |x: Value| right.iter().any(|&y| holds(x, y));
                    if !self.assume(env, a, at, &fits, fuel - 1) {
                        return false;
                    }
                }
                if let Some(Known::Set(left)) = known(env, a) {
                    let fits = |y: Value| left.iter().any(|&x| holds(x, y));
                    return self.assume(env, b, at, &fits, fuel - 1);
                }
                true
            }
            _ => true,
        }
    }
}

/// Whether the node goes on.
pub(crate) enum Flow {
    Next,
    Left,
}

/// The register of a scalar of an instruction's result.
pub(crate) fn temp_key(inst: &Inst, at: Point, leaf: u32) -> RegKey {
    match inst.result {
        Some(local) => RegKey::Temp(Temp { context: at.context, local, leaf }),
        None => RegKey::Scratch(1_000_000 + leaf),
    }
}

/// How a read-modify-write of the order locks memory. One that releases has to wait for all earlier writes, which is
/// what a full lock does.
fn lock_of(order: Order) -> Lock {
    match order {
        Order::Plain | Order::Relaxed | Order::Acquire => Lock::Location,
        Order::Release | Order::AcqRel | Order::SeqCst => Lock::Full,
    }
}

/// The fence of an order; an acquire fence orders nothing that the models reorder.
fn fence_of(order: Order) -> Option<FenceKind> {
    match order {
        Order::SeqCst => Some(FenceKind::Full),
        Order::Release | Order::AcqRel => Some(FenceKind::StoreStore),
        Order::Plain | Order::Relaxed | Order::Acquire => None,
    }
}
