//! Executes a node: the instructions from a point up to a branch, a call or the end. Gives the residual operations and
//! the states behind it. The same code serves the analysis, which looks at the states, and the final pass, which keeps
//! the operations.

use super::atomics::{fence_of, lock_of};
use super::calls::Called;
use super::expr;
use super::machine::{Machine, ROp, RegKey, Run, Scalar, Work};
use super::operands::Scalars;
use super::reasons::{Mistake, failure};
use super::state::{Env, Point, Temp};
use super::value::Value;
use crate::llvm::codes;
use fencewright_llvm::layout::ScalarKind;
use fencewright_llvm::module::{BinOp, Inst, InstKind, LocalId, Operand, Order, Type};

impl Machine<'_> {
    /// Executes from a point on.
    pub(crate) fn execute(&mut self, start: Point, env: Env) -> Run<Work> {
        self.tick(start)?;
        let body = self.contexts[start.context].body.clone();
        let mut work = Work::new(start, env);
        loop {
            let block = body.function.blocks.get(work.at.block);
            let Some(inst) = block.and_then(|block| block.insts.get(work.at.index as usize)) else {
                return self.malformed_end(work.at);
            };
            let flow = self.instruction(&mut work, inst)?;
            if work.ended {
                work.successors.clear();
                return Ok(work);
            }
            match flow {
                Flow::Next => work.at.index += 1,
                Flow::Left => return Ok(work),
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

    fn instruction(&mut self, w: &mut Work, inst: &Inst) -> Run<Flow> {
        let at = w.at;
        match &inst.kind {
            InstKind::Nothing | InstKind::Phi { .. } => {}
            InstKind::Declare { address, variable } => self.declare(w, address, *variable)?,
            InstKind::Alloca { ty, count, .. } => {
                let pointer = self.alloca(w, ty, count)?;
                self.set(w, inst, pointer);
            }
            // No model lets a load pass another, so its order does not matter.
            InstKind::Load { ty, ptr, order, .. } => {
                self.check_width(ty, at)?;
                let pointer = self.scalar(w, &Type::Ptr, ptr)?;
                if *order != Order::Plain {
                    let size = self.scalars_of(ty, at)?.first().map_or(1, |scalar| scalar.size);
                    for value in pointer.known.values().into_iter().flatten() {
                        if let Value::Pointer(_, offset) = value {
                            self.refuse_misaligned(*offset, size, at)?;
                        }
                    }
                }
                let Some(values) = self.load_value(w, inst, ty, &pointer, ptr)? else {
                    return self.fault(w, Mistake::of_pointer(&pointer));
                };
                self.set_all(w, inst, values);
                if let Some(local) = inst.result {
                    self.note_origin(w, local, ty, &pointer);
                }
            }
            InstKind::Store { ty, value, ptr, order, .. } => {
                self.check_width(ty, at)?;
                let pointer = self.scalar(w, &Type::Ptr, ptr)?;
                let values = self.operand(w, ty, value)?;
                if !self.store_value(w, ty, &pointer, &values, *order, Some(ptr))? {
                    return self.fault(w, Mistake::of_pointer(&pointer));
                }
                if let Operand::Local(local) = value {
                    self.note_origin(w, *local, ty, &pointer);
                }
            }
            InstKind::Rmw { op, ty, ptr, value, order } => {
                let pointer = self.scalar(w, &Type::Ptr, ptr)?;
                let operand = self.scalar(w, ty, value)?;
                let (size, dst) = (self.size_of(ty, at)?, temp_key(inst, at, 0));
                let compute = &mut |machine: &mut Self, old: &Scalar| machine.rmw(*op, old, &operand, at);
                let old = self.modify(w, &pointer, size, dst, lock_of(*order), compute)?;
                let Some(old) = old else { return self.fault(w, Mistake::of_pointer(&pointer)) };
                self.set(w, inst, old);
            }
            InstKind::CmpXchg { ty, ptr, expected, new, order, failure, .. } => {
                // On failure it writes nothing, so what it waits for on success is never too weak.
                let order = (*order).max(*failure);
                return self.compare_exchange(w, inst, (ty, ptr, expected, new, order));
            }
            InstKind::Fence(order) => {
                if let Some(kind) = fence_of(*order) {
                    w.emit(ROp::Fence(kind));
                }
            }
            InstKind::Gep { element, base, indices } => {
                let pointer = self.gep(w, element, base, indices)?;
                self.set(w, inst, pointer);
            }
            InstKind::Binary { op, ty, a, b, .. } => {
                let result = if matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem) {
                    let (a, b) = (self.scalar(w, ty, a)?, self.scalar(w, ty, b)?);
                    let Some(b) = self.check_division(w, *op, &a, b)? else {
                        return self.fault(w, Mistake::DivisionByZero);
                    };
                    self.arithmetic(*op, &a, &b, at)?
                } else {
                    self.passing_unset(w, *op, ty, (a, b))?
                };
                self.set(w, inst, result);
            }
            InstKind::Compare { predicate, ty, a, b } => {
                let (a, b) = (self.scalar(w, ty, a)?, self.scalar(w, ty, b)?);
                let result = self.compare(*predicate, &a, &b, at)?;
                self.set(w, inst, result);
            }
            InstKind::Cast { op, from, value, to, .. } if !op.computes_floats() => {
                if self.module.scalar(to) == Some(ScalarKind::Float) {
                    return self.unsupported(at, "a floating-point number");
                }
                let value = self.scalar(w, from, value)?;
                let bits = self.module.scalar(to).map_or(64, ScalarKind::bits);
                let result = self.cast(*op, &value, bits, at)?;
                self.set(w, inst, result);
            }
            InstKind::Freeze { ty, value } => {
                let values = self.operand(w, ty, value)?;
                self.set_all(w, inst, values);
            }
            InstKind::Select { condition, ty, yes, no } => {
                let condition = self.scalar(w, &Type::Int(1), condition)?;
                let (yes, no) = (self.operand(w, ty, yes)?, self.operand(w, ty, no)?);
                let pick = |(yes, no): (&Scalar, &Scalar)| match condition.known.single() {
                    Some(Value::Int(truth)) => {
                        if truth != 0 {
                            yes.clone()
                        } else {
                            no.clone()
                        }
                    }
                    _ => {
                        let chosen = expr::choose(condition.expr.clone(), yes.expr.clone(), no.expr.clone());
                        Scalar::new(yes.known.join(&no.known), chosen, yes.bits)
                    }
                };
                let values = yes.iter().zip(&no).map(pick).collect();
                self.set_all(w, inst, values);
            }
            InstKind::ExtractValue { ty, aggregate, path } => {
                let all = self.operand(w, ty, aggregate)?;
                let range = self.leaves(ty, path, at)?;
                let part = all.get(range).map(|part| part.iter().cloned().collect()).unwrap_or_default();
                self.set_all(w, inst, part);
            }
            InstKind::InsertValue { ty, aggregate, element_ty, element, path } => {
                let mut all = self.operand(w, ty, aggregate)?;
                let element = self.operand(w, element_ty, element)?;
                let range = self.leaves(ty, path, at)?;
                for (leaf, value) in range.zip(element) {
                    if let Some(slot) = all.get_mut(leaf) {
                        *slot = value;
                    }
                }
                self.set_all(w, inst, all);
            }
            InstKind::Call { callee, args, ret, .. } => {
                return match self.call(w, inst, callee, args, ret)? {
                    Called::Done => Ok(Flow::Next),
                    Called::Left => Ok(Flow::Left),
                };
            }
            InstKind::Goto(target) => {
                let env = std::mem::take(&mut w.env);
                self.branch(w, env, expr::int(1), *target)?;
                return Ok(Flow::Left);
            }
            InstKind::Branch { condition, yes, no } => {
                let value = self.scalar(w, &Type::Int(1), condition)?;
                if yes == no {
                    let env = std::mem::take(&mut w.env);
                    self.branch(w, env, expr::int(1), *yes)?;
                    return Ok(Flow::Left);
                }
                for (truth, target) in [(1, *yes), (0, *no)] {
                    let guard = if truth == 1 { value.expr.clone() } else { expr::not(value.expr.clone()) };
                    let mut env = w.env.clone();
                    let possible = value.known.values().is_none_or(|set| set.contains(&Value::Int(truth)));
                    if possible && self.assume(&mut env, condition, at, &|v| v == Value::Int(truth), 16) {
                        self.branch(w, env, guard, target)?;
                    }
                }
                return Ok(Flow::Left);
            }
            InstKind::Switch { ty, value: operand, default, cases } => {
                self.switch(w, (ty, operand, *default, cases))?;
                return Ok(Flow::Left);
            }
            InstKind::Return(value) => {
                let values = match value {
                    Some((ty, value)) => self.operand(w, ty, value)?,
                    None => Scalars::new(),
                };
                self.return_from(w, values)?;
                return Ok(Flow::Left);
            }
            // The compiler was promised that this is never reached.
            InstKind::Unreachable => return self.fault(w, Mistake::Unreachable),
            InstKind::Unsupported(what) => return self.unsupported(at, what),
            InstKind::Cast { .. }
            | InstKind::FloatBinary { .. }
            | InstKind::FloatNegate { .. }
            | InstKind::FloatCompare { .. }
            | InstKind::LandingPad { .. }
            | InstKind::Resume { .. }
            | InstKind::VaArg { .. }
            | InstKind::ExtractElement { .. }
            | InstKind::InsertElement { .. }
            | InstKind::ShuffleVector { .. }
            | InstKind::IndirectBranch { .. } => return self.unsupported(at, name_of_kind(&inst.kind)),
        }
        Ok(Flow::Next)
    }

    /// The execution has gone wrong.
    pub(super) fn fault(&mut self, w: &mut Work, mistake: Mistake) -> Run<Flow> {
        w.emit(failure(mistake));
        Ok(Flow::Left)
    }

    pub(crate) fn size_of(&self, ty: &Type, at: Point) -> Run<u32> {
        match self.module.size_align(ty).and_then(|(size, _)| u32::try_from(size).ok()) {
            Some(size) => Ok(size),
            None => self.unsupported(at, "a value of this size"),
        }
    }

    /// Bit-fields are read and written in units of 3, 5, 6 and 7 bytes, too: fewer than such a number takes in an array, which is
    /// what cells are made by.
    fn check_width(&self, ty: &Type, at: Point) -> Run<()> {
        match ty {
            Type::Int(bits) if !bits.div_ceil(8).is_power_of_two() => {
                self.unsupported(at, "bit-fields that are accessed in units of 3, 5, 6 or 7 bytes")
            }
            _ => Ok(()),
        }
    }

    /// The scalars of an aggregate that an index path leads to.
    fn leaves(&self, ty: &Type, path: &[u64], at: Point) -> Run<std::ops::Range<usize>> {
        let mut ty = ty;
        let mut start = 0;
        for &index in path {
            if index > 4_096 {
                return self.unsupported(at, "this part of an aggregate");
            }
            for before in 0..index {
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
    pub(crate) fn set(&mut self, w: &mut Work, inst: &Inst, value: Scalar) {
        self.set_all(w, inst, smallvec::smallvec![value]);
    }

    pub(crate) fn set_all(&mut self, w: &mut Work, inst: &Inst, values: Scalars) {
        if let Some(local) = inst.result {
            self.set_local(w, local, values);
        }
    }

    pub(crate) fn set_local(&mut self, w: &mut Work, local: LocalId, values: Scalars) {
        let at = w.at;
        for (leaf, value) in values.into_iter().enumerate() {
            let temp = Temp { context: at.context, local, leaf: leaf as u32 };
            w.env.origins.remove(&temp);
            let value = self.keep(w, RegKey::Temp(temp), value);
            w.env.temps.insert(temp, value.known);
        }
    }

    /// A load from one cell of the thread's own, or a store to it: value and cell are the same until the cell is written.
    fn note_origin(&mut self, w: &mut Work, local: LocalId, ty: &Type, pointer: &Scalar) {
        let at = w.at;
        let Some(Value::Pointer(object, offset)) = pointer.known.single() else { return };
        let size = self.module.size_align(ty).map_or(0, |(size, _)| size);
        let whole = |bits: u32| u64::from(bits) == size * 8;
        if self.module.scalar(ty).is_some_and(|kind| whole(kind.bits()))
            && w.env
                .memory
                .get(&(object, offset))
                .is_some_and(|piece| u64::from(piece.size) == size && piece.fault.is_none())
        {
            w.env.origins.insert(Temp { context: at.context, local, leaf: 0 }, (object, offset));
        }
    }

    fn load_value(
        &mut self,
        w: &mut Work,
        inst: &Inst,
        ty: &Type,
        pointer: &Scalar,
        operand: &Operand,
    ) -> Run<Option<Scalars>> {
        let at = w.at;
        let mut values = Scalars::new();
        for (leaf, scalar) in self.scalars_of(ty, at)?.into_iter().enumerate() {
            let field = self.indexed(pointer, &Scalar::int(1, 64), scalar.offset as i64, at)?;
            let dst = temp_key(inst, at, leaf as u32);
            let Some(reached) = self.reach(w, &field, scalar.size)? else { return Ok(None) };
            if scalar.offset == 0 {
                self.is_now(w, operand, &reached.pointer.known);
            }
            values.push(self.load_reached(w, &reached, scalar.kind, dst)?);
        }
        Ok(Some(values))
    }

    pub(crate) fn store_value(
        &mut self,
        w: &mut Work,
        ty: &Type,
        pointer: &Scalar,
        values: &Scalars,
        order: Order,
        operand: Option<&Operand>,
    ) -> Run<bool> {
        let at = w.at;
        for (scalar, value) in self.scalars_of(ty, at)?.into_iter().zip(values) {
            let field = self.indexed(pointer, &Scalar::int(1, 64), scalar.offset as i64, at)?;
            let Some(reached) = self.reach(w, &field, scalar.size)? else { return Ok(false) };
            if let Some(operand) = operand.filter(|_| scalar.offset == 0) {
                self.is_now(w, operand, &reached.pointer.known);
            }
            self.store_reached(w, &reached, value, order)?;
        }
        Ok(true)
    }

    fn gep(
        &mut self,
        w: &mut Work,
        element: &Type,
        base: &Operand,
        indices: &[(Type, Operand)],
    ) -> Run<Scalar> {
        let at = w.at;
        let mut pointer = self.scalar(w, &Type::Ptr, base)?;
        let mut ty = element.clone();
        for (i, (index_ty, index)) in indices.iter().enumerate() {
            let index = self.scalar(w, index_ty, index)?;
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
}

/// What an instruction that is read but not lowered is called in messages.
fn name_of_kind(kind: &InstKind) -> &'static str {
    match kind {
        InstKind::LandingPad { .. } | InstKind::Resume { .. } => "the handling of an exception",
        InstKind::VaArg { .. } => "a variable argument list",
        InstKind::ExtractElement { .. } | InstKind::InsertElement { .. } | InstKind::ShuffleVector { .. } => {
            "a vector operation"
        }
        InstKind::IndirectBranch { .. } => "a computed jump",
        _ => "floating-point arithmetic",
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
