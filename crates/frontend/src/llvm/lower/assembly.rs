//! Inline assembly: x86's locked instructions on one word, exchanges, conditions that they set, fences, pauses, and the empty
//! text, whose registers keep what they hold. A compare-and-exchange is left to the literal machine.

use fencewright_ir::{FenceKind, Lock};
use fencewright_llvm::assembly::{Assembly, Condition, Operand as Named, Place, Step, Verb};
use fencewright_llvm::module::{Inst, Operand, Order, Predicate, RmwOp, Type};

use super::calls::Called;
use super::machine::{Machine, ROp, RegKey, Run, Scalar, Work};
use super::operands::Scalars;
use super::reasons::{Mistake, failure};
use super::state::{Point, Temp};

/// What is known of the last operation.
struct Last {
    old: Scalar,
    new: Scalar,
    verb: Verb,
}

/// The registers of a piece on its way; none where nothing was put yet.
type Registers = Vec<Option<Scalar>>;

impl Machine<'_> {
    pub(super) fn unknown_assembly<T>(&mut self, at: Point, text: &str, why: &str) -> Run<T> {
        self.unsupported(at, &format!("the inline assembly `{}` ({why})", text.trim()))
    }

    pub(super) fn assembly(
        &mut self,
        w: &mut Work,
        inst: &Inst,
        assembly: &Assembly,
        args: &[(Type, Operand)],
        ret: &Type,
    ) -> Run<Called> {
        let (at, text) = (w.at, &assembly.text);
        let mut registers: Registers = Vec::new();
        for register in &assembly.registers {
            registers.push(match register.argument.and_then(|argument| args.get(argument)) {
                Some((ty, operand)) => Some(self.scalar(w, ty, operand)?),
                None => None,
            });
        }
        let mut last: Option<Last> = None;
        for (number, step) in assembly.steps.iter().enumerate() {
            match (&step.verb, &step.places[..]) {
                (Verb::Other(words), _) => match fence(words) {
                    Some(Some(kind)) => w.emit(ROp::Fence(kind)),
                    Some(None) => {}
                    None => return self.unknown_assembly(at, text, words),
                },
                (Verb::Add | Verb::Sub | Verb::Or | Verb::Xor, [Place::Immediate(0), Place::Stack]) => {
                    // Nothing changes there; with a lock all earlier writes are waited for.
                    if step.lock {
                        w.emit(ROp::Fence(FenceKind::Full));
                    }
                }
                (Verb::Mov, [from, Place::Operand(to)]) => {
                    let (Some(to), Some(value)) =
                        (register(assembly, *to), self.assembly_value(assembly, &registers, *from, None))
                    else {
                        return self.unknown_assembly(at, text, "a move of memory");
                    };
                    if step.width.is_some_and(|width| width != value.bits) {
                        return self.unknown_assembly(at, text, "a part of a register");
                    }
                    registers[to] = Some(value);
                }
                (Verb::Set(condition), [to]) => {
                    let Some(value) = self.assembly_condition(last.as_ref(), *condition, at)? else {
                        return self.unknown_assembly(at, text, "a flag that is not known");
                    };
                    let value = Scalar { bits: 8, ..value };
                    match to {
                        Place::Operand(operand) => match assembly.operands.get(*operand) {
                            Some(Named::Register(register)) => registers[*register] = Some(value),
                            Some(Named::Memory(argument)) => {
                                let pointer = self.scalar(w, &Type::Ptr, &args[*argument].1)?;
                                if !self.store(w, &pointer, &value, 1, Order::Plain)? {
                                    w.emit(failure(Mistake::of_pointer(&pointer)));
                                    return Ok(Called::Left);
                                }
                            }
                            _ => return self.unknown_assembly(at, text, "where its result goes"),
                        },
                        _ => return self.unknown_assembly(at, text, "where its result goes"),
                    }
                }
                _ => match self.assembly_update(w, assembly, args, &mut registers, (number, step))? {
                    Some(done) => last = Some(done),
                    None => return Ok(Called::Left),
                },
            }
        }
        let mut results = Scalars::new();
        if inst.result.is_some() {
            for (number, scalar) in self.module.scalars(ret).unwrap_or_default().iter().enumerate() {
                let is_it = |place: Option<usize>| place == Some(number);
                let register = assembly.registers.iter().position(|register| is_it(register.result));
                let flag = assembly.flags.iter().find(|(place, _)| *place == number);
                let value = match (register, flag) {
                    (Some(register), _) => registers[register].clone(),
                    (None, Some((_, condition))) => self
                        .assembly_condition(last.as_ref(), *condition, at)?
                        .map(|value| Scalar { bits: scalar.kind.bits(), ..value }),
                    (None, None) => None,
                };
                match value {
                    Some(value) if value.bits == scalar.kind.bits() => results.push(value),
                    _ => return self.unknown_assembly(at, text, "a result that is not known"),
                }
            }
            self.set_all(w, inst, results);
        }
        Ok(Called::Done)
    }

    /// An instruction that changes a word of memory at once. Nothing if it certainly goes wrong.
    fn assembly_update(
        &mut self,
        w: &mut Work,
        assembly: &Assembly,
        args: &[(Type, Operand)],
        registers: &mut Registers,
        (number, step): (usize, &Step),
    ) -> Run<Option<Last>> {
        let (at, text) = (w.at, &assembly.text);
        let (mut memory, mut other) = match step.places[..] {
            [to] => (to, None),
            [from, to] => (to, Some(from)),
            _ => return self.unknown_assembly(at, text, "its operands"),
        };
        if let (Verb::Xchg, Some(from)) = (&step.verb, other)
            && matches!(memory, Place::Operand(operand) if register(assembly, operand).is_some())
        {
            (memory, other) = (from, Some(memory));
        }
        let pointer = match memory {
            Place::Operand(operand) => match assembly.operands.get(operand) {
                Some(Named::Memory(argument)) => Some(self.scalar(w, &Type::Ptr, &args[*argument].1)?),
                _ => None,
            },
            Place::At(operand) => {
                register(assembly, operand).and_then(|register| registers[register].clone())
            }
            Place::Immediate(_) | Place::Stack => None,
        };
        let Some(pointer) = pointer else { return self.unknown_assembly(at, text, "no memory") };
        if !step.lock && step.verb != Verb::Xchg {
            return self.unknown_assembly(at, text, "memory that is changed without a lock");
        }
        let given = other.and_then(|other| self.assembly_value(assembly, registers, other, step.width));
        let Some(width) = step.width.or(given.as_ref().map(|value| value.bits)) else {
            return self.unknown_assembly(at, text, "how many bits are meant");
        };
        let known = given.as_ref().and_then(|value| value.known.single());
        // The highest bit is the sign.
        let bit = match known {
            Some(super::value::Value::Int(bit)) if (0..i128::from(width) - 1).contains(&bit) => {
                Some(1i128 << bit)
            }
            _ => None,
        };
        let (op, by) = match (&step.verb, given, bit) {
            (Verb::Inc, None, _) => (RmwOp::Add, Scalar::int(1, width)),
            (Verb::Dec, None, _) => (RmwOp::Sub, Scalar::int(1, width)),
            (Verb::Add | Verb::Xadd, Some(by), _) => (RmwOp::Add, by),
            (Verb::Sub, Some(by), _) => (RmwOp::Sub, by),
            (Verb::And, Some(by), _) => (RmwOp::And, by),
            (Verb::Or, Some(by), _) => (RmwOp::Or, by),
            (Verb::Xor, Some(by), _) => (RmwOp::Xor, by),
            (Verb::Xchg, Some(by), _) => (RmwOp::Xchg, by),
            (Verb::Bts, Some(_), Some(bit)) => (RmwOp::Or, Scalar::int(bit, width)),
            (Verb::Btr, Some(_), Some(bit)) => (RmwOp::And, Scalar::int(!bit, width)),
            (Verb::Btc, Some(_), Some(bit)) => (RmwOp::Xor, Scalar::int(bit, width)),
            _ => return self.unknown_assembly(at, text, "an instruction that is not known here"),
        };
        if by.bits != width {
            return self.unknown_assembly(at, text, "a part of a register");
        }
        let by = self.need_set(w, by);
        let dst = match inst_of(self, at) {
            Some(local) => RegKey::Temp(Temp { context: at.context, local, leaf: 64 + number as u32 }),
            None => RegKey::Scratch(1_000_064 + number as u32),
        };
        let compute = &mut |machine: &mut Self, old: &Scalar| machine.rmw(op, old, &by, at);
        let Some(old) = self.modify(w, &pointer, width / 8, dst, Lock::Full, compute)? else {
            w.emit(failure(Mistake::of_pointer(&pointer)));
            return Ok(None);
        };
        let new = self.rmw(op, &old, &by, at)?;
        if let (Verb::Xadd | Verb::Xchg, Some(Place::Operand(operand))) = (&step.verb, other)
            && let Some(register) = register(assembly, operand)
        {
            registers[register] = Some(old.clone());
        }
        Ok(Some(Last { old, new, verb: step.verb.clone() }))
    }

    /// A register or a constant of so many bits.
    fn assembly_value(
        &self,
        assembly: &Assembly,
        registers: &Registers,
        place: Place,
        width: Option<u32>,
    ) -> Option<Scalar> {
        match place {
            Place::Immediate(number) => {
                let width =
                    width.filter(|width| number >> (width - 1) == 0 || number >> (width - 1) == -1)?;
                Some(Scalar::int(number.into(), width))
            }
            Place::Operand(operand) => {
                register(assembly, operand).and_then(|register| registers[register].clone())
            }
            Place::At(_) | Place::Stack => None,
        }
    }

    /// What a flag says of the last operation; nothing if that does not set it, or it is not known.
    fn assembly_condition(
        &mut self,
        last: Option<&Last>,
        condition: Condition,
        at: Point,
    ) -> Run<Option<Scalar>> {
        let Some(Last { old, new, verb }) = last else { return Ok(None) };
        let has_result = !matches!(verb, Verb::Xchg | Verb::Bts | Verb::Btr | Verb::Btc);
        let zero = Scalar::int(0, new.bits);
        let (predicate, of) = match condition {
            Condition::Zero if has_result => (Predicate::Eq, new),
            Condition::NotZero if has_result => (Predicate::Ne, new),
            Condition::Sign if has_result => (Predicate::Slt, new),
            Condition::NotSign if has_result => (Predicate::Sge, new),
            // The bit that was tested has changed, unless it was what it is made.
            Condition::Carry if *verb == Verb::Bts => {
                return self.compare(Predicate::Eq, old, new, at).map(Some);
            }
            Condition::NotCarry if *verb == Verb::Bts => {
                return self.compare(Predicate::Ne, old, new, at).map(Some);
            }
            Condition::Carry if *verb == Verb::Btr => {
                return self.compare(Predicate::Ne, old, new, at).map(Some);
            }
            Condition::NotCarry if *verb == Verb::Btr => {
                return self.compare(Predicate::Eq, old, new, at).map(Some);
            }
            _ => return Ok(None),
        };
        self.compare(predicate, of, &zero, at).map(Some)
    }
}

/// The register that an operand is.
fn register(assembly: &Assembly, operand: usize) -> Option<usize> {
    match assembly.operands.get(operand) {
        Some(Named::Register(register)) => Some(*register),
        _ => None,
    }
}

/// The value that the instruction there gives.
fn inst_of(machine: &Machine<'_>, at: Point) -> Option<fencewright_llvm::module::LocalId> {
    let body = &machine.contexts[at.context].body;
    body.function.blocks.get(at.block)?.insts.get(at.index as usize)?.result
}

/// The fence that an instruction without operands is: `Some(None)` for none at all, `None` if it is not known.
fn fence(words: &str) -> Option<Option<FenceKind>> {
    Some(match words {
        "mfence" | "sync" | "dmb ish" | "dmb sy" | "dsb ish" | "dsb sy" | "membar #storeload" | "fence" => {
            Some(FenceKind::Full)
        }
        "sfence" | "lwsync" | "eieio" | "dmb ishst" | "dmb st" | "membar #storestore" => {
            Some(FenceKind::StoreStore)
        }
        "lfence" | "pause" | "nop" | "rep" | "rep nop" | "yield" | "isb" | "dmb ishld" | "dmb ld" => None,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_are_known_by_name() {
        assert_eq!(fence("mfence"), Some(Some(FenceKind::Full)));
        assert_eq!(fence("sfence"), Some(Some(FenceKind::StoreStore)));
        assert_eq!(fence("rep nop"), Some(None));
        assert_eq!(fence("rdtsc"), None);
    }
}
