//! Executes inline assembly: x86's locked instructions with their results and flags, fences, pauses, moves between registers,
//! and the empty text, whose registers keep their values. `fencewright_llvm::assembly` parses the text.
//!
//! *Limits.* One piece of assembly may access memory that other threads see only once, and only with a locked instruction.
//! Several accesses would be steps of their own, and a piece cannot be left in the middle. Anything else is refused by name.

use std::rc::Rc;

use fencewright_llvm::assembly::{Assembly, Condition, Operand as Named, Place, Step, Verb};
use fencewright_llvm::module::{Predicate, RmwOp};

use crate::code::{Inst, Operand};
use crate::footprint::Touch;
use crate::layout::{Kind, Shape};
use crate::machine::{Flow, Run};
use crate::refusal::Refusal;
use crate::step::scalar_of;
use crate::value::{Scalar, Value, mask};
use crate::violation::{Fault, Halt, Use};

/// The refusal of unsupported assembly.
pub(crate) fn unknown(text: &str, why: &str) -> Refusal {
    let what = format!("the assembly `{}` ({why})", text.trim());
    Refusal::new(what).help("fences, pauses, x86's locked instructions, moves and the empty text are known")
}

/// A piece of assembly being executed.
struct Way<'a> {
    assembly: &'a Assembly,
    args: Vec<(Value, Rc<Shape>)>,
    registers: Vec<Scalar>,
    /// For each register, how many bits the last write to it had.
    written: Vec<Option<u32>>,
    /// The shapes of the results.
    results: Vec<Rc<Shape>>,
    flags: Option<Flags>,
    has_accessed: bool,
}

/// The flags of the last operation: its result and carry; a `None` carry leaves the old one.
#[derive(Clone, Copy)]
struct Flags {
    /// `None` if the result is unknown.
    result: Option<Scalar>,
    width: u32,
    carry: Option<bool>,
}

impl Run<'_, '_, '_> {
    pub(crate) fn assembly(
        &mut self,
        inst: &Inst,
        assembly: &Assembly,
        args: &[(Operand, Rc<Shape>)],
        ret: Option<&Rc<Shape>>,
    ) -> Result<Flow, Halt> {
        let mut values = Vec::with_capacity(args.len());
        for (operand, shape) in args {
            values.push((self.open_operand(operand)?, shape.clone()));
        }
        let results = match ret.map(|shape| &**shape) {
            Some(Shape::Aggregate(fields, _)) => {
                fields.iter().map(|(_, field)| Rc::new(field.clone())).collect()
            }
            _ => ret.cloned().into_iter().collect::<Vec<_>>(),
        };
        let held = |argument: Option<usize>| argument.and_then(|argument| values.get(argument));
        let registers = assembly.registers.iter();
        let registers: Vec<Scalar> = registers
            .map(|register| held(register.argument).map_or(Scalar::poison(64), |(value, _)| scalar_of(value)))
            .collect();
        let written = vec![None; registers.len()];
        let mut way =
            Way { assembly, args: values, registers, written, results, flags: None, has_accessed: false };
        for step in &assembly.steps {
            if self.assembly_step(&mut way, step)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        if inst.dst.is_none() || ret.is_none() {
            return Ok(Flow::Next);
        }
        let given = self.assembly_results(&way)?;
        match (&given[..], ret.map(|shape| &**shape)) {
            (_, Some(Shape::Aggregate(..))) => self.give(inst, Value::Aggregate(given.into())),
            ([only], _) => self.give(inst, only.clone()),
            _ => Err(self.refuse(unknown(&assembly.text, "its results"))),
        }
    }

    /// The registers and flags at the end, in the order of the results.
    fn assembly_results(&mut self, way: &Way<'_>) -> Result<Vec<Value>, Halt> {
        let mut given = Vec::new();
        for (number, shape) in way.results.iter().enumerate() {
            let is_it = |place: Option<usize>| place == Some(number);
            let register = way.assembly.registers.iter().position(|register| is_it(register.result));
            let flag = way.assembly.flags.iter().find(|(place, _)| *place == number);
            let bits = 8 * shape.size() as u32;
            given.push(match (register, flag) {
                (Some(register), _) => {
                    if way.written[register].is_some_and(|written| written != bits) {
                        return Err(self.refuse(unknown(&way.assembly.text, "a register written in part")));
                    }
                    let held = way.registers[register];
                    let is_held = way.written[register].is_some()
                        || way.assembly.registers[register].argument.is_some();
                    let held = if is_held { held } else { Scalar::poison(bits.min(64)) };
                    Value::Scalar(held)
                }
                (None, Some((_, condition))) => Value::int(u64::from(self.condition_of(way, *condition)?)),
                (None, None) => return Err(self.refuse(unknown(&way.assembly.text, "its results"))),
            });
        }
        Ok(given)
    }

    fn condition_of(&mut self, way: &Way<'_>, condition: Condition) -> Result<bool, Halt> {
        let no = |run: &Self, why: &str| run.refuse(unknown(&way.assembly.text, why));
        let Some(Flags { result, width, carry }) = way.flags else {
            return Err(no(self, "a flag nobody set"));
        };
        if let Condition::Carry | Condition::NotCarry = condition {
            let Some(carry) = carry else { return Err(no(self, "a carry that is not known")) };
            return Ok(carry == (condition == Condition::Carry));
        }
        let Some(result) = result else { return Err(no(self, "a flag nobody set")) };
        let result = self.known(result);
        if !result.is_set() {
            return Err(self.fault(Fault::Unset(Use::Branch)));
        }
        let bits = result.bits & mask(width);
        Ok(match condition {
            Condition::Zero => bits == 0,
            Condition::NotZero => bits != 0,
            Condition::Sign => bits >> (width - 1) == 1,
            _ => bits >> (width - 1) == 0,
        })
    }

    fn assembly_step(&mut self, way: &mut Way<'_>, step: &Step) -> Result<Flow, Halt> {
        let text = way.assembly.text.clone();
        let no = |run: &Self, why: &str| run.refuse(unknown(&text, why));
        if let Verb::Other(words) = &step.verb {
            return match &words[..] {
                "nop" | "pause" | "rep" | "rep nop" | "yield" | "isb" | "lfence" | "dmb ishld" | "dmb ld" => {
                    Ok(Flow::Next)
                }
                "mfence" | "fence" | "sync" | "dmb ish" | "dmb sy" | "dsb ish" | "dsb sy"
                | "membar #storeload" => self.assembly_fence(way),
                "sfence" | "dmb ishst" | "dmb st" | "lwsync" | "eieio" | "membar #storestore" => {
                    self.mark()?;
                    Ok(Flow::Next)
                }
                _ => Err(no(self, words)),
            };
        }
        if let (Verb::Set(condition), [to]) = (&step.verb, &step.places[..]) {
            let value = Scalar::int(u64::from(self.condition_of(way, *condition)?));
            return self.assembly_put(way, *to, value, 8);
        }
        let Some(to) = step.places.last().copied() else { return Err(no(self, "no operands")) };
        let from = if step.places.len() == 2 { Some(step.places[0]) } else { None };
        if to == Place::Stack {
            // The stack does not change. With a lock, the thread waits for all earlier writes.
            let is_idle = matches!(step.verb, Verb::Add | Verb::Sub | Verb::Or | Verb::Xor)
                && from == Some(Place::Immediate(0));
            return match (is_idle, step.lock) {
                (true, true) => self.assembly_fence(way),
                (true, false) => Ok(Flow::Next),
                _ => Err(no(self, "memory of the stack")),
            };
        }
        let Some(width) =
            step.width.or_else(|| way.width_of(to)).or_else(|| from.and_then(|from| way.width_of(from)))
        else {
            return Err(no(self, "how many bits are meant"));
        };
        if let (Verb::Mov, Some(from)) = (&step.verb, from) {
            let value = self.assembly_value(way, from, width)?;
            return self.assembly_put(way, to, value, width);
        }
        // `xchg` locks implicitly, and its operands can be in either order.
        let (mut memory, mut other) = (to, from);
        if step.verb == Verb::Xchg && way.address(to).is_none() {
            (memory, other) = (from.unwrap_or(to), Some(to));
        }
        let Some(address) = way.address(memory) else { return Err(no(self, "no memory")) };
        if way.has_accessed || !(step.lock || step.verb == Verb::Xchg) {
            return Err(no(self, "an access to memory without a lock, or several"));
        }
        let operand = match (&step.verb, other) {
            (Verb::Inc | Verb::Dec, None) => Scalar::int(1),
            (Verb::Inc | Verb::Dec, Some(_)) | (_, None) => return Err(no(self, "its operands")),
            (_, Some(other)) => self.assembly_value(way, other, width)?,
        };
        let bit = matches!(step.verb, Verb::Bts | Verb::Btr | Verb::Btc);
        let operand = if bit { self.known(operand) } else { operand };
        if bit && (!operand.is_set() || operand.bits >= u64::from(width)) {
            // A bit index in a register may select a word other than the named one.
            return Err(no(self, "a bit outside the word"));
        }
        let accumulator = way.assembly.registers.iter().position(|register| register.accumulator);
        let expected = match (&step.verb, accumulator) {
            (Verb::Cmpxchg, None) => return Err(no(self, "no accumulator")),
            (Verb::Cmpxchg, Some(register)) => way.register(register, width),
            _ => Scalar::int(0),
        };
        let expected = if step.verb == Verb::Cmpxchg { self.known(expected) } else { expected };
        let kind = Kind::Int(width);
        let wants_flags = way.wants_flags();
        let mut flags = None;
        let verb = step.verb.clone();
        let old = self.update(address, width / 8, true, &mut |run, old| {
            let flag = 1u64.checked_shl(operand.bits as u32).unwrap_or(0);
            let (op, by) = match verb {
                Verb::Add | Verb::Inc | Verb::Xadd => (RmwOp::Add, operand),
                Verb::Sub | Verb::Dec => (RmwOp::Sub, operand),
                Verb::And => (RmwOp::And, operand),
                Verb::Or => (RmwOp::Or, operand),
                Verb::Xor => (RmwOp::Xor, operand),
                Verb::Bts => (RmwOp::Or, Scalar::int(flag)),
                Verb::Btr => (RmwOp::And, Scalar::int(!flag & mask(width))),
                Verb::Btc => (RmwOp::Xor, Scalar::int(flag)),
                Verb::Xchg => (RmwOp::Xchg, operand),
                _ => {
                    let hit = run.compare(Predicate::Eq, width, &old.into(), &expected.into())?;
                    if !hit.is_set() {
                        return Err(run.fault(Fault::Unset(Use::Branch)));
                    }
                    let old = run.known(old);
                    let (a, b) = (expected.bits & mask(width), old.bits & mask(width));
                    let result = Some(Scalar::int(a.wrapping_sub(b) & mask(width)));
                    flags = Some(Flags { result, width, carry: Some(a < b) });
                    return Ok((hit.bits == 1).then_some(operand));
                }
            };
            let new = run.modified(op, kind, old, by);
            if wants_flags && op != RmwOp::Xchg {
                let (a, b) = (run.known(old), run.known(by));
                let (a, b) = (a.bits & mask(width), b.bits & mask(width));
                let carry = match verb {
                    Verb::Add | Verb::Xadd => Some(a.wrapping_add(b) & mask(width) < a),
                    Verb::Sub => Some(a < b),
                    Verb::Bts | Verb::Btr | Verb::Btc => Some(a & flag != 0),
                    Verb::Inc | Verb::Dec => None,
                    _ => Some(false),
                };
                flags = Some(Flags { result: (!bit).then_some(new), width, carry });
            }
            Ok(Some(new))
        })?;
        let Some(old) = old else { return Ok(Flow::Stop) };
        way.has_accessed = true;
        way.flags = flags;
        match (&step.verb, other) {
            (Verb::Xadd | Verb::Xchg, Some(other)) => self.assembly_put(way, other, old, width),
            (Verb::Cmpxchg, _) => {
                let register = accumulator.unwrap_or(0);
                way.registers[register] = old;
                way.written[register] = Some(width);
                Ok(Flow::Next)
            }
            _ => Ok(Flow::Next),
        }
    }

    /// A full fence inside a piece.
    fn assembly_fence(&mut self, way: &Way<'_>) -> Result<Flow, Halt> {
        let flow = self.full_fence()?;
        if flow == Flow::Stop && way.has_accessed {
            return Err(self.refuse(unknown(&way.assembly.text, "a fence behind an access")));
        }
        Ok(flow)
    }

    /// The value of a register or constant.
    fn assembly_value(&mut self, way: &Way<'_>, place: Place, width: u32) -> Result<Scalar, Halt> {
        match place {
            Place::Immediate(number) => Ok(Scalar::int(number as u64 & mask(width))),
            Place::Operand(number) => match way.assembly.operands.get(number) {
                Some(Named::Register(register)) => {
                    let value = way.register(*register, width);
                    let is_whole = way.width_of(place) == Some(width);
                    let value = if is_whole { value } else { self.known(value) };
                    Ok(if is_whole || value.of.is_some() {
                        value
                    } else {
                        Scalar { bits: value.bits & mask(width), ..value }
                    })
                }
                _ => Err(self.refuse(unknown(&way.assembly.text, "memory that is read"))),
            },
            Place::At(_) | Place::Stack => {
                Err(self.refuse(unknown(&way.assembly.text, "memory that is read")))
            }
        }
    }

    /// Puts a value into a register, or into memory that no other thread sees.
    fn assembly_put(
        &mut self,
        way: &mut Way<'_>,
        to: Place,
        value: Scalar,
        width: u32,
    ) -> Result<Flow, Halt> {
        if let Place::Operand(number) = to
            && let Some(Named::Register(register)) = way.assembly.operands.get(number)
        {
            way.registers[*register] = value;
            way.written[*register] = Some(width);
            return Ok(Flow::Next);
        }
        let Some(address) = way.address(to) else {
            return Err(self.refuse(unknown(&way.assembly.text, "where its result goes")));
        };
        let (id, offset) = self.resolve(address, u64::from(width / 8))?;
        let touch = Touch { write: true, atomic: false };
        let is_private = !self.is_visible(id, offset, u64::from(width / 8), touch);
        if !is_private || !self.write(id, offset, width / 8, value, false)? {
            return Err(self.refuse(unknown(&way.assembly.text, "memory that others see, without a lock")));
        }
        Ok(Flow::Next)
    }
}

impl Way<'_> {
    /// The memory address of an operand, if it is in memory.
    fn address(&self, place: Place) -> Option<Scalar> {
        match place {
            Place::Operand(number) => match self.assembly.operands.get(number)? {
                Named::Memory(argument) => Some(scalar_of(&self.args.get(*argument)?.0)),
                _ => None,
            },
            Place::At(number) => match self.assembly.operands.get(number)? {
                Named::Register(register) => self.registers.get(*register).copied(),
                _ => None,
            },
            Place::Immediate(_) | Place::Stack => None,
        }
    }

    fn register(&self, register: usize, width: u32) -> Scalar {
        let is_held =
            self.written[register].is_some() || self.assembly.registers[register].argument.is_some();
        if is_held { self.registers[register] } else { Scalar::poison(width) }
    }

    /// The width of a register, from the value it holds or the result it gives.
    fn width_of(&self, place: Place) -> Option<u32> {
        let Place::Operand(number) = place else { return None };
        let Some(Named::Register(register)) = self.assembly.operands.get(number) else { return None };
        let register = self.assembly.registers.get(*register)?;
        let shape = match (register.argument, register.result) {
            (Some(argument), _) => &self.args.get(argument)?.1,
            (None, Some(result)) => self.results.get(result)?,
            (None, None) => return None,
        };
        let bits = 8 * shape.size() as u32;
        matches!(bits, 8 | 16 | 32 | 64).then_some(bits)
    }

    fn wants_flags(&self) -> bool {
        let asks = |step: &Step| matches!(step.verb, Verb::Set(_));
        !self.assembly.flags.is_empty() || self.assembly.steps.iter().any(asks)
    }
}
