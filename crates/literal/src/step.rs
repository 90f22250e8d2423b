//! Executes single instructions: one rule per instruction, as in the LLVM language reference.

use std::rc::Rc;

use fencewright_llvm::module::{Order, Predicate, RmwOp};

use crate::arithmetic;
use crate::buffer::Model;
use crate::code::{Access, Callee, Cast, Inst, Op, Operand, Target};
use crate::floats;
use crate::layout::{Kind, Shape};
use crate::machine::{Flow, Run};
use crate::object::{Object, ObjectKind, for_each_part, from_memory};
use crate::refusal::Refusal;
use crate::value::{Scalar, Value, sign_extend};
use crate::violation::{Fault, Halt, Use};

impl Run<'_, '_, '_> {
    /// Executes the next instruction.
    pub(crate) fn instruction(&mut self) -> Result<Flow, Halt> {
        let function = self.top().function.clone();
        let pc = self.top().pc;
        let inst = &function.code[pc as usize];
        match &inst.op {
            Op::Nothing => Ok(Flow::Next),
            Op::SlotLoad(slot) => {
                let value = self.top().locals[*slot as usize].clone();
                self.give(inst, value)
            }
            Op::SlotStore(slot, value) => {
                let value = self.open_operand(value)?;
                self.frame().locals[*slot as usize] = value;
                Ok(Flow::Next)
            }
            Op::Load { shape, ptr, access } => {
                let address = self.scalar(ptr)?;
                let Some(value) = self.load(address, shape, *access)? else { return Ok(Flow::Stop) };
                self.give(inst, value)
            }
            Op::Store { shape, value, ptr, access } => {
                let (address, value) = (self.scalar(ptr)?, self.open_operand(value)?);
                self.store(address, shape, &value, *access)
            }
            Op::Gep { base, offset, terms } => {
                let base = self.scalar(base)?;
                let mut bits = base.bits.wrapping_add(*offset as u64);
                let mut set = base.is_set();
                for (operand, width, scale) in terms.iter() {
                    let index = self.scalar(operand)?;
                    set &= index.is_set();
                    bits = bits.wrapping_add(sign_extend(index.bits, *width).wrapping_mul(*scale) as u64);
                }
                let address = if set { Scalar::pointer(bits, base.of) } else { Scalar::poison(64) };
                self.give(inst, address.into())
            }
            Op::Binary { op, width, a, b, flags } => {
                let (a, b) = (self.open_operand(a)?, self.open_operand(b)?);
                let value = self.lanes(&a, &b, &mut |run, a, b| {
                    let result = run.binary(*op, *width, (a, b), *flags)?;
                    run.lose_address(a, b, &result)?;
                    Ok(result)
                })?;
                self.give(inst, value)
            }
            Op::Compare { predicate, width, a, b } => {
                let (a, b) = (self.open_operand(a)?, self.open_operand(b)?);
                let value = self
                    .lanes(&a, &b, &mut |run, a, b| run.compare(*predicate, *width, a, b).map(Value::from))?;
                self.give(inst, value)
            }
            Op::FloatBinary { op, format, a, b } => {
                let (a, b) = (self.operand(a)?, self.operand(b)?);
                let value = self.lanes(&a, &b, &mut |_, a, b| {
                    Ok(floats::binary(*op, *format, scalar_of(a), scalar_of(b)).into())
                })?;
                self.give(inst, value)
            }
            Op::FloatCompare { predicate, format, a, b } => {
                let (a, b) = (self.operand(a)?, self.operand(b)?);
                let value = self.lanes(&a, &b, &mut |_, a, b| {
                    Ok(floats::compare(*predicate, *format, scalar_of(a), scalar_of(b)).into())
                })?;
                self.give(inst, value)
            }
            Op::FloatNegate(format, value) => {
                let value = self.operand(value)?;
                let value = self
                    .lanes(&value, &value, &mut |_, a, _| Ok(floats::negate(*format, scalar_of(a)).into()))?;
                self.give(inst, value)
            }
            Op::Cast { cast, value, nneg, nsw, nuw } => {
                let value = self.open_operand(value)?;
                if let (Cast::Gather, Value::Aggregate(bits)) = (cast, &value) {
                    return self.give(inst, gathered(bits).into());
                }
                let (cast, nneg, nsw, nuw) = (*cast, *nneg, *nsw, *nuw);
                let value = self.lanes(&value, &value, &mut |run, a, _| {
                    let result = run.cast(cast, a, nneg, nsw, nuw)?;
                    run.lose_address(a, &Value::int(0), &result)?;
                    Ok(result)
                })?;
                self.give(inst, value)
            }
            Op::Select { condition, yes, no } => {
                let value = match self.operand(condition)? {
                    Value::Aggregate(conditions) => {
                        let (yes, no) = (self.open_operand(yes)?, self.open_operand(no)?);
                        let (Value::Aggregate(yes), Value::Aggregate(no)) = (yes, no) else {
                            return Err(self.refuse(Refusal::new("a choice between vectors and others")));
                        };
                        let mut parts = Vec::with_capacity(conditions.len());
                        for ((condition, yes), no) in conditions.iter().zip(yes.iter()).zip(no.iter()) {
                            parts.push(self.choose(scalar_of(condition), yes, no));
                        }
                        Value::Aggregate(parts.into())
                    }
                    condition => {
                        let (yes, no) = (self.open_operand(yes)?, self.open_operand(no)?);
                        self.choose(scalar_of(&condition), &yes, &no)
                    }
                };
                self.give(inst, value)
            }
            Op::Jump(target) => self.jump(target),
            Op::Branch { condition, yes, no } => {
                let condition = self.scalar(condition)?;
                if !condition.is_set() {
                    return Err(self.fault(Fault::Unset(Use::Branch)));
                }
                self.jump(if condition.bits != 0 { yes } else { no })
            }
            Op::Switch { value, cases, default } => {
                let mut value = self.open_operand(value)?;
                if let Some(scalar) = value.as_scalar().filter(|scalar| scalar.open.is_some()) {
                    match self.open_case(scalar, cases) {
                        Ok(found) => return self.jump(found.map_or(default, |place| &cases[place].1)),
                        Err(number) => value = number.into(),
                    }
                }
                let is_set = arithmetic::to_wide(&value).unset == 0;
                if !is_set {
                    return Err(self.fault(Fault::Unset(Use::Branch)));
                }
                let same = |case: &Value| arithmetic::to_wide(case).bits == arithmetic::to_wide(&value).bits;
                let found = cases.iter().find(|(case, _)| same(case));
                self.jump(found.map_or(default, |(_, target)| target))
            }
            Op::IndirectJump { address, targets } => {
                let address = self.scalar(address)?;
                match targets.iter().find(|(number, _)| *number == address.bits) {
                    Some((_, target)) if address.is_set() => self.jump(target),
                    _ => Err(self.fault(Fault::NotAFunction(address.bits))),
                }
            }
            Op::Call { callee, args, unwind: _, ret } => {
                let callee = match callee {
                    Callee::Direct(number) => *number,
                    Callee::Indirect(pointer) => {
                        let pointer = self.scalar(pointer)?;
                        if !pointer.is_set() {
                            return Err(self.fault(Fault::Unset(Use::Address)));
                        }
                        match self.machine.program.function_at(pointer.bits) {
                            Some(number) => number,
                            None if pointer.bits == 0 => return Err(self.fault(Fault::Null)),
                            None => return Err(self.fault(Fault::NotAFunction(pointer.bits))),
                        }
                    }
                    Callee::Asm(text, read) => {
                        return match &**read {
                            Ok(assembly) => self.assembly(inst, assembly, args, ret.as_ref()),
                            Err(why) => Err(self.refuse(crate::assembly::unknown(text, why))),
                        };
                    }
                };
                let mut values = Vec::with_capacity(args.len());
                for (operand, shape) in args.iter() {
                    values.push((self.open_operand(operand)?, shape.clone()));
                }
                self.call(callee, values, ret.as_ref())
            }
            Op::Return(value) => {
                if !self.may_leave() {
                    return Ok(Flow::Stop);
                }
                let value = value.as_ref().map(|value| self.open_operand(value)).transpose()?;
                self.leave(value)
            }
            Op::Unreachable => Err(self.fault(Fault::Unreachable)),
            Op::Extract { aggregate, path } => {
                let mut value = self.open_operand(aggregate)?;
                for index in path.iter() {
                    value = match &value {
                        Value::Aggregate(parts) => parts.get(*index as usize).cloned().unwrap_or(Value::Dead),
                        _ => Value::Dead,
                    };
                }
                self.give(inst, value)
            }
            Op::Insert { aggregate, element, path } => {
                let (whole, element) = (self.open_operand(aggregate)?, self.open_operand(element)?);
                self.give(inst, inserted(&whole, path, element))
            }
            Op::ExtractElement { vector, index } => {
                let (vector, index) = (self.open_operand(vector)?, self.scalar(index)?);
                let value = match &vector {
                    Value::Aggregate(parts) if index.is_set() => parts.get(index.bits as usize).cloned(),
                    _ => None,
                };
                self.give(inst, value.unwrap_or(Scalar::poison(64).into()))
            }
            Op::InsertElement { vector, element, index } => {
                let (vector, element, index) =
                    (self.open_operand(vector)?, self.open_operand(element)?, self.scalar(index)?);
                self.give(inst, inserted(&vector, &[index.bits as u32], element))
            }
            Op::Shuffle { a, b, mask, width } => {
                let (a, b) = (self.open_operand(a)?, self.open_operand(b)?);
                let (Value::Aggregate(a), Value::Aggregate(b)) = (&a, &b) else {
                    return Err(self.refuse(Refusal::new("a shuffle of what is no vector")));
                };
                let parts: Rc<[Value]> = mask
                    .iter()
                    .map(|place| {
                        let found =
                            place.and_then(|place| a.iter().chain(b.iter()).nth(place as usize).cloned());
                        found.unwrap_or(Scalar::poison(*width).into())
                    })
                    .collect();
                self.give(inst, Value::Aggregate(parts))
            }
            Op::Freeze(value) => {
                let value = self.open_operand(value)?;
                let given = frozen(&value);
                // An unset value could become any value; one is tried.
                self.notes.partly.values |= given != value;
                self.give(inst, given)
            }
            Op::Alloca { size, align, count, .. } => {
                let count = self.scalar(count)?;
                if !count.is_set() {
                    return Err(self.fault(Fault::Unset(Use::Argument)));
                }
                let size = size.saturating_mul(count.bits);
                let site = self.machine.program.site(function.number, pc);
                let mut top = self.top().stack_top;
                let id = self.allocate_on_stack(size, *align, site, &mut top)?;
                let address = self.state.object(id).map_or(0, |object| object.address);
                let frame = self.frame();
                frame.stack_top = top;
                frame.objects.push(id);
                self.give(inst, Scalar::pointer(address, id).into())
            }
            Op::Rmw { op, kind, size, ptr, value, order } => {
                let (address, value) = (self.scalar(ptr)?, self.open_operand(value)?);
                if *size > 8 {
                    let old = self.wide_update(address, is_full(*order), &mut |run, old| {
                        run.wide_modified(*op, old, &value).map(Some)
                    })?;
                    return self.give_wide(inst, old, None);
                }
                let (op, kind) = (*op, *kind);
                let old = self.update(address, *size, is_full(*order), &mut |run, old| {
                    let new = run.modified(op, kind, old, scalar_of(&value));
                    if op != RmwOp::Xchg {
                        run.lose_address(&old.into(), &value, &new.into())?;
                    }
                    Ok(Some(new))
                })?;
                match old {
                    Some(old) => {
                        let old = self.loaded(kind, old);
                        self.give(inst, old.into())
                    }
                    None => Ok(Flow::Stop),
                }
            }
            Op::CompareExchange { kind, size, ptr, expected, new, order } => {
                let address = self.scalar(ptr)?;
                if *size > 8 {
                    let (expected, new) = (self.operand(expected)?, self.operand(new)?);
                    let (expected, new) = (arithmetic::to_wide(&expected), arithmetic::to_wide(&new));
                    let mut hit = false;
                    let old = self.wide_update(address, is_full(*order), &mut |run, old| {
                        hit = run.wide_equal(old, expected)?;
                        Ok(hit.then_some(new))
                    })?;
                    return self.give_wide(inst, old, Some(hit));
                }
                let expected = self.open_operand(expected)?;
                let new = scalar_of(&self.open_operand(new)?);
                let width = 8 * size;
                let mut hit = Scalar::int(0);
                let old = self.update(address, *size, is_full(*order), &mut |run, old| {
                    let equal = Predicate::Eq;
                    hit = run.compare(equal, width, &old.into(), &expected)?;
                    if !hit.is_set() {
                        return Err(run.fault(Fault::Unset(Use::Branch)));
                    }
                    Ok((hit.bits == 1).then_some(new))
                })?;
                match old {
                    Some(old) => {
                        let old = self.loaded(*kind, old);
                        self.give(inst, Value::Aggregate([old.into(), hit.into()].into()))
                    }
                    None => Ok(Flow::Stop),
                }
            }
            Op::Fence(order) => self.fence(*order),
            Op::LandingPad => self.landing_pad(inst),
            Op::Resume(value) => {
                // The exception, and the number of a clause.
                match self.operand(value)? {
                    Value::Aggregate(parts) => self.resume(parts.first().map_or(Scalar::int(0), scalar_of)),
                    other => self.resume(scalar_of(&other)),
                }
            }
            Op::VaArg { .. } => {
                let refusal = Refusal::new("`va_arg` as an instruction");
                Err(self.refuse(refusal.help("compile for x86-64, where clang expands it")))
            }
            Op::Unsupported(what) => Err(self.refuse(Refusal::new(what.to_string()))),
        }
    }

    /// Gives the instruction's register its value.
    pub(crate) fn give(&mut self, inst: &Inst, value: Value) -> Result<Flow, Halt> {
        if let Some(dst) = inst.dst {
            self.frame().locals[dst as usize] = value;
        }
        Ok(Flow::Next)
    }

    /// The value of an operand, with open parts made numbers.
    pub(crate) fn operand(&mut self, operand: &Operand) -> Result<Value, Halt> {
        let value = self.open_operand(operand)?;
        Ok(if value.is_open() { self.known_value(&value) } else { value })
    }

    /// The value of an operand, which may be open.
    pub(crate) fn open_operand(&mut self, operand: &Operand) -> Result<Value, Halt> {
        Ok(match operand {
            Operand::Local(local) => self.top().locals[*local as usize].clone(),
            Operand::Const(value) => value.clone(),
            Operand::ThreadLocal(global, offset) => {
                let (id, address) = self.thread_local(*global)?;
                Scalar::pointer(address.wrapping_add(*offset), id).into()
            }
        })
    }

    /// An operand as a scalar, made a number if it is open; anything that is not a scalar is poison.
    pub(crate) fn scalar(&mut self, operand: &Operand) -> Result<Scalar, Halt> {
        let scalar = match operand {
            Operand::Local(local) => scalar_of(&self.top().locals[*local as usize]),
            Operand::Const(value) => scalar_of(value),
            Operand::ThreadLocal(..) => scalar_of(&self.operand(operand)?),
        };
        Ok(if scalar.open.is_some() { self.known(scalar) } else { scalar })
    }

    fn choose(&mut self, condition: Scalar, yes: &Value, no: &Value) -> Value {
        if condition.is_set() {
            return if condition.bits != 0 { yes.clone() } else { no.clone() };
        }
        let is_same = match self.open_width(scalar_of(yes)).or(self.open_width(scalar_of(no))) {
            Some(width) if no.as_scalar().is_some_and(Scalar::is_set) => {
                self.open_compare(Predicate::Eq, width, yes, no) == Scalar::int(1)
            }
            _ => self.known_value(yes) == self.known_value(no),
        };
        if is_same { yes.clone() } else { unset_like(yes) }
    }

    pub(crate) fn compare(
        &mut self,
        predicate: Predicate,
        width: u32,
        a: &Value,
        b: &Value,
    ) -> Result<Scalar, Halt> {
        self.meet(a, b)?;
        if a.is_open() || b.is_open() {
            return Ok(self.open_compare(predicate, width, a, b));
        }
        Ok(arithmetic::compare(predicate, width, a, b))
    }

    /// The register value of bytes that were read.
    fn loaded(&mut self, kind: Kind, scalar: Scalar) -> Scalar {
        let is_whole = !matches!(kind, Kind::Int(bits) if bits % 8 != 0);
        let scalar = if is_whole || !scalar.open.is_some() { scalar } else { self.known(scalar) };
        from_memory(kind, scalar)
    }

    /// Applies an operation element by element to vectors.
    fn lanes(
        &mut self,
        a: &Value,
        b: &Value,
        apply: &mut dyn FnMut(&mut Self, &Value, &Value) -> Result<Value, Halt>,
    ) -> Result<Value, Halt> {
        match (a, b) {
            (Value::Aggregate(a), Value::Aggregate(b)) => {
                let mut parts = Vec::with_capacity(a.len());
                for (a, b) in a.iter().zip(b.iter()) {
                    parts.push(apply(self, a, b)?);
                }
                Ok(Value::Aggregate(parts.into()))
            }
            _ => apply(self, a, b),
        }
    }

    fn jump(&mut self, target: &Target) -> Result<Flow, Halt> {
        if target.moves.is_empty() {
            self.frame().pc = target.pc;
            return Ok(Flow::Jumped);
        }
        let mut values = Vec::with_capacity(target.moves.len());
        for (_, operand) in target.moves.iter() {
            values.push(self.open_operand(operand)?);
        }
        let frame = self.frame();
        for ((dst, _), value) in target.moves.iter().zip(values) {
            frame.locals[*dst as usize] = value;
        }
        frame.pc = target.pc;
        Ok(Flow::Jumped)
    }

    fn fence(&mut self, order: Order) -> Result<Flow, Halt> {
        match order {
            Order::SeqCst => self.full_fence(),
            Order::Release | Order::AcqRel => {
                self.mark()?;
                Ok(Flow::Next)
            }
            Order::Plain | Order::Relaxed | Order::Acquire => Ok(Flow::Next),
        }
    }

    /// A load; `None` if another action must continue it.
    pub(crate) fn load(
        &mut self,
        address: Scalar,
        shape: &Shape,
        access: Access,
    ) -> Result<Option<Value>, Halt> {
        let (id, offset) = self.resolve(address, shape.size())?;
        if access.order != Order::Plain && !address.bits.is_multiple_of(access.align.max(1)) {
            return Err(self.fault(Fault::Misaligned(address.bits)));
        }
        if let Shape::Scalar(kind, size) = shape
            && *size <= 8
        {
            self.note_scalar(id, offset, *size);
            self.cut_addresses(id, offset, u64::from(*size))?;
            let read = self.read(id, offset, *size, access.order != Order::Plain)?;
            return Ok(read.map(|scalar| self.loaded(*kind, scalar).into()));
        }
        if access.order != Order::Plain {
            return Ok(self.wide_load(id, offset)?.map(|wide| Value::Wide(Box::new(wide))));
        }
        // Piece by piece, each an access of its own.
        let mut pieces = Vec::new();
        let blank = crate::object::zero(shape);
        for_each_part(shape, &blank, 0, &mut |at, size, _| pieces.push((at, size)));
        let done = self.top().done as usize;
        for (at, size) in pieces.iter().skip(done) {
            self.note_scalar(id, offset + at, *size);
            let Some(scalar) = self.read(id, offset + at, *size, false)? else { return Ok(None) };
            let frame = self.frame();
            frame.done += 1;
            frame.read.push(scalar);
        }
        let frame = self.frame();
        frame.done = 0;
        let read = std::mem::take(&mut frame.read);
        let mut copy = Object::unset(ObjectKind::Stack, 0, shape.size(), 0);
        for ((at, size), scalar) in pieces.into_iter().zip(read) {
            copy.write(at, size, scalar);
        }
        let value = copy.load(0, shape);
        if let Value::Wide(_) = value {
            for (_, of) in &copy.pointers {
                self.look_at_address(*of, false)?;
            }
        }
        Ok(Some(value))
    }

    /// A store.
    pub(crate) fn store(
        &mut self,
        address: Scalar,
        shape: &Shape,
        value: &Value,
        access: Access,
    ) -> Result<Flow, Halt> {
        let (id, offset) = self.resolve(address, shape.size())?;
        if access.order != Order::Plain && !address.bits.is_multiple_of(access.align.max(1)) {
            return Err(self.fault(Fault::Misaligned(address.bits)));
        }
        if access.order != Order::Plain && shape.size() > 8 {
            let value = arithmetic::to_wide(value);
            let stored = self.wide_store(address, value, access.order == Order::SeqCst)?;
            return Ok(if stored { Flow::Next } else { Flow::Stop });
        }
        if access.order == Order::SeqCst && self.machine.settings.model != Model::Sc {
            let Shape::Scalar(_, size) = shape else {
                return Err(self.refuse(Refusal::new("an atomic access to more than one value")));
            };
            let stored = scalar_of(value);
            let done = self.update(address, *size, true, &mut |_, _| Ok(Some(stored)))?;
            return Ok(if done.is_some() { Flow::Next } else { Flow::Stop });
        }
        if access.order == Order::Release || access.order == Order::AcqRel {
            self.mark()?;
        }
        let mut pieces = Vec::new();
        for_each_part(shape, value, offset, &mut |at, size, scalar| pieces.push((at, size, scalar)));
        let done = self.top().done as usize;
        for (at, size, scalar) in pieces.into_iter().skip(done) {
            self.note_scalar(id, at, size);
            if !self.write(id, at, size, scalar, access.order != Order::Plain)? {
                return Ok(Flow::Stop);
            }
            if matches!(shape, Shape::Aggregate(..)) || shape.size() > 8 {
                self.frame().done += 1;
            }
        }
        if self.top().done != 0 {
            self.frame().done = 0;
        }
        Ok(Flow::Next)
    }
}

fn is_full(order: Order) -> bool {
    matches!(order, Order::Release | Order::AcqRel | Order::SeqCst)
}

/// The value as a scalar; anything that is not a scalar is poison.
pub(crate) fn scalar_of(value: &Value) -> Scalar {
    value.as_scalar().unwrap_or(Scalar::poison(64))
}

/// A vector of bits as a number, the first bit lowest.
fn gathered(bits: &[Value]) -> Scalar {
    let mut number = Scalar::int(0);
    for (place, bit) in bits.iter().map(scalar_of).enumerate() {
        number.bits |= (bit.bits & !bit.unset & 1) << place;
        number.unset |= (bit.unset & 1) << place;
    }
    number
}

fn unset_like(value: &Value) -> Value {
    match value {
        Value::Scalar(_) | Value::Dead => Scalar::poison(64).into(),
        Value::Wide(_) => Value::Wide(Box::new(crate::value::Wide::new(0, u128::MAX))),
        Value::Aggregate(parts) => Value::Aggregate(parts.iter().map(unset_like).collect()),
    }
}

fn frozen(value: &Value) -> Value {
    match value {
        Value::Scalar(scalar) => Scalar { unset: 0, ..*scalar }.into(),
        Value::Wide(wide) => Value::Wide(Box::new(crate::value::Wide::new(wide.bits, 0))),
        Value::Aggregate(parts) => Value::Aggregate(parts.iter().map(frozen).collect()),
        Value::Dead => Value::Dead,
    }
}

fn inserted(whole: &Value, path: &[u32], element: Value) -> Value {
    let Some((first, rest)) = path.split_first() else { return element };
    let Value::Aggregate(parts) = whole else { return whole.clone() };
    let mut parts: Vec<Value> = parts.to_vec();
    if let Some(part) = parts.get_mut(*first as usize) {
        *part = inserted(part, rest, element);
    }
    Value::Aggregate(parts.into())
}
