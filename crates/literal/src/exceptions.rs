//! Exceptions in flight, after the Itanium C++ ABI: which handler takes one, as what, and which frames end first. The rest of
//! the library's part, from the memory of an exception to `std::exception_ptr`, is in `outside/library.c`.
//!
//! *Limit:* type information is read where the program defines it. A class of a library that is not defined here is caught only
//! by its own type and by `...`.

use std::rc::Rc;

use crate::buffer::Found;
use crate::code::{Clause, Inst, Op, Pad};
use crate::machine::{Flow, Run};
use crate::refusal::Refusal;
use crate::state::{Exception, Part, Then};
use crate::value::{Scalar, Value, sign_extend};
use crate::violation::{Fault, Halt};

/// How deep bases of bases are searched.
const MOST_BASES: u32 = 32;
/// What a landing pad gives for a filter that lets nothing through.
const FILTERED: u64 = u32::MAX as u64;

/// What a landing pad takes an exception as: the number of the clause, and the object.
type Taken = (u64, Scalar);

/// Type information of a class or a pointer, as far as it is known.
enum Info {
    /// A pointer to the type at this address.
    Pointer(u64),
    /// A class with one base, at offset 0.
    Single(u64),
    /// A class with these bases, each with its flags and offset.
    Several(Vec<(u64, i64)>),
    /// Anything else.
    Plain,
}

impl Run<'_, '_, '_> {
    /// Throws an object.
    pub(crate) fn throw(&mut self, object: Scalar, type_info: u64) -> Result<Flow, Halt> {
        self.unwind(Exception { object, adjusted: object, type_info, handlers: 0, rethrown: false })
    }

    /// An exception that a landing pad took for clean-up continues.
    pub(crate) fn resume(&mut self, object: Scalar) -> Result<Flow, Halt> {
        match self.place_of(object) {
            Some(place) => {
                let exception = self.state.threads[self.thread].own.exceptions[place].clone();
                self.unwind(exception)
            }
            None => Err(self.refuse(Refusal::new("the way on of an exception that was not thrown here"))),
        }
    }

    /// Throws the exception being handled again.
    pub(crate) fn rethrow(&mut self) -> Result<Flow, Halt> {
        let own = &self.state.threads[self.thread].own;
        match own.exceptions.iter().rfind(|exception| exception.handlers > 0).cloned() {
            Some(exception) => self.unwind(Exception { rethrown: true, ..exception }),
            None => Err(self.fault(Fault::UncaughtException)),
        }
    }

    /// A handler begins; returns what it receives.
    pub(crate) fn begin_catch(&mut self, object: Scalar) -> Scalar {
        let Some(place) = self.place_of(object) else { return object };
        let own = Part::edit(&mut self.state.threads[self.thread].own);
        let mut exception = own.exceptions.remove(place);
        exception.handlers += 1;
        exception.rethrown = false;
        let adjusted = exception.adjusted;
        own.exceptions.push(exception);
        adjusted
    }

    /// The innermost handler ends. Returns the exception if no handler is left and it is not in flight again.
    pub(crate) fn end_catch(&mut self) -> Option<Scalar> {
        let own = Part::edit(&mut self.state.threads[self.thread].own);
        let place = own.exceptions.iter().rposition(|exception| exception.handlers > 0)?;
        let exception = &mut own.exceptions[place];
        exception.handlers -= 1;
        (exception.handlers == 0 && !exception.rethrown).then(|| own.exceptions.remove(place).object)
    }

    /// The exception being handled.
    pub(crate) fn handled(&self) -> Option<&Exception> {
        let own = &self.state.threads[self.thread].own;
        own.exceptions.iter().rfind(|exception| exception.handlers > 0)
    }

    /// How many exceptions are in flight.
    pub(crate) fn uncaught(&self) -> usize {
        let own = &self.state.threads[self.thread].own;
        own.exceptions.iter().filter(|exception| exception.handlers == 0 || exception.rethrown).count()
    }

    /// What a landing pad took the exception as.
    pub(crate) fn adjusted(&self, object: Scalar) -> Scalar {
        let own = &self.state.threads[self.thread].own;
        self.place_of(object).map_or(object, |place| own.exceptions[place].adjusted)
    }

    fn place_of(&self, object: Scalar) -> Option<usize> {
        let own = &self.state.threads[self.thread].own;
        own.exceptions.iter().rposition(|exception| exception.object.bits == object.bits)
    }

    /// Unwinds to the next landing pad that wants the exception. If no handler catches it, the process ends where it was
    /// thrown.
    fn unwind(&mut self, mut exception: Exception) -> Result<Flow, Halt> {
        let frames = self.state.threads[self.thread].frames.clone();
        let (mut lands, mut is_caught) = (None, false);
        for (depth, frame) in frames.iter().enumerate().rev() {
            let Op::Call { unwind: Some(target), .. } = &frame.function.code[frame.pc as usize].op else {
                continue;
            };
            let Some(pad) = frame.function.pads.get(&target.pc) else { continue };
            let taken = self.taken(pad, &exception)?;
            if lands.is_none() && (pad.cleanup || taken.is_some()) {
                exception.adjusted = taken.map_or(exception.adjusted, |(_, object)| object);
                lands = Some((depth, target.clone()));
            }
            if taken.is_some() {
                is_caught = true;
                break;
            }
        }
        let Some((depth, target)) = lands.filter(|_| is_caught) else {
            return Err(self.fault(Fault::UncaughtException));
        };
        // Unwinding ends variables that other threads may know.
        let mut is_visible = false;
        for frame in &frames[depth + 1..] {
            for id in &frame.objects {
                is_visible |= self.watched && self.is_end_visible(*id);
            }
        }
        if is_visible && !self.act() {
            return Ok(Flow::Stop);
        }
        for frame in frames[depth + 1..].iter().rev() {
            self.state.threads[self.thread].frames.pop();
            self.end_variables(&frame.objects, None);
            if frame.then == Then::Atomic {
                self.leave_atomic();
            }
        }
        let place = self.place_of(exception.object);
        let own = Part::edit(&mut self.state.threads[self.thread].own);
        match place {
            Some(place) => own.exceptions[place] = exception,
            None => own.exceptions.push(exception),
        }
        let mut values = Vec::new();
        for (_, operand) in target.moves.iter() {
            values.push(self.open_operand(operand)?);
        }
        let frame = self.frame();
        for ((dst, _), value) in target.moves.iter().zip(values) {
            frame.locals[*dst as usize] = value;
        }
        frame.pc = target.pc;
        frame.done = 0;
        frame.read.clear();
        Ok(Flow::Jumped)
    }

    /// A landing pad gives the exception and the number of the clause that takes it.
    pub(crate) fn landing_pad(&mut self, inst: &Inst) -> Result<Flow, Halt> {
        let pc = self.top().pc;
        let function = self.top().function.clone();
        // The exception that has just arrived here: the last one in flight.
        let own = &self.state.threads[self.thread].own;
        let flying = |exception: &&Exception| exception.handlers == 0 || exception.rethrown;
        let Some(exception) = own.exceptions.iter().rfind(flying).cloned() else {
            return Err(self.refuse(Refusal::new("a landing pad without an exception")));
        };
        let taken = match function.pads.get(&pc) {
            Some(pad) => self.taken(pad, &exception)?,
            None => None,
        };
        let selector = taken.map_or(0, |(selector, _)| selector);
        let object = Value::Scalar(exception.object);
        self.give(inst, Value::Aggregate(Rc::from([object, Value::int(selector)])))
    }

    /// What a landing pad takes an exception as, if it does.
    fn taken(&mut self, pad: &Pad, exception: &Exception) -> Result<Option<Taken>, Halt> {
        for clause in &pad.clauses {
            match clause {
                Clause::Catch(wanted) => {
                    if let Some(object) = self.caught_as(exception, *wanted)? {
                        return Ok(Some((selector_of(*wanted), object)));
                    }
                }
                Clause::Filter(allowed) => {
                    let mut fits = false;
                    for wanted in allowed {
                        fits |= self.caught_as(exception, *wanted)?.is_some();
                    }
                    if !fits {
                        return Ok(Some((FILTERED, exception.object)));
                    }
                }
            }
        }
        Ok(None)
    }

    /// What a handler of a type receives: the object or a base of it; for a pointer, what it points to.
    fn caught_as(&mut self, exception: &Exception, wanted: u64) -> Result<Option<Scalar>, Halt> {
        let (thrown, object) = (exception.type_info, exception.object);
        let from = self.type_name(thrown);
        let is_pointer = from.starts_with("_ZTIP");
        let object = if is_pointer { self.peek(object, 0)? } else { object };
        let to = self.type_name(wanted);
        if wanted == 0 || thrown == wanted || from == to {
            return Ok(Some(object));
        }
        if &*from == "_ZTIDn" {
            return Ok(to.starts_with("_ZTIP").then(|| Scalar::int(0)));
        }
        if !is_pointer {
            return self.base(thrown, wanted, object, 0);
        }
        let Some(pointee) = to.strip_prefix("_ZTIP") else { return Ok(None) };
        let bare = |name: &str| name.trim_start_matches(['V', 'K']).to_owned();
        let qualified = |name: &str, letter: char| name[..name.len() - bare(name).len()].contains(letter);
        let own = &from["_ZTIP".len()..];
        if ['V', 'K'].iter().any(|letter| qualified(own, *letter) && !qualified(pointee, *letter)) {
            return Ok(None);
        }
        // Function pointers do not convert to `void *`.
        if bare(own) == bare(pointee) || bare(pointee) == "v" && !bare(own).starts_with('F') {
            return Ok(Some(object));
        }
        let (Info::Pointer(from), Info::Pointer(to)) = (self.info(thrown)?, self.info(wanted)?) else {
            return Ok(None);
        };
        if object.is_set() && object.bits == 0 {
            let is_base = self.base_without_object(from, to, 0)?;
            return Ok(is_base.then_some(object));
        }
        self.base(from, to, object, 0)
    }

    /// The only public base of a type that an object has, or the object itself.
    fn base(&mut self, of: u64, wanted: u64, object: Scalar, depth: u32) -> Result<Option<Scalar>, Halt> {
        if of == wanted || self.type_name(of) == self.type_name(wanted) {
            return Ok(Some(object));
        }
        if depth > MOST_BASES {
            return Ok(None);
        }
        match self.info(of)? {
            Info::Single(base) => self.base(base, wanted, object, depth + 1),
            Info::Several(bases) => {
                let mut found: Option<Scalar> = None;
                for (base, flags) in bases.into_iter().filter(|(_, flags)| flags & 2 != 0) {
                    let mut offset = flags >> 8;
                    if flags & 1 != 0 {
                        // The offset of a virtual base is in the vtable.
                        let table = self.peek(object, 0)?;
                        offset = self.peek(table, offset)?.bits as i64;
                    }
                    let part = Scalar { bits: object.bits.wrapping_add_signed(offset), ..object };
                    let Some(base) = self.base(base, wanted, part, depth + 1)? else { continue };
                    if found.is_some_and(|other| other.bits != base.bits) {
                        return Ok(None);
                    }
                    found = Some(base);
                }
                Ok(found)
            }
            Info::Pointer(_) | Info::Plain => Ok(None),
        }
    }

    /// The same without an object.
    fn base_without_object(&mut self, of: u64, wanted: u64, depth: u32) -> Result<bool, Halt> {
        if of == wanted || depth > MOST_BASES {
            return Ok(of == wanted);
        }
        match self.info(of)? {
            Info::Single(base) => self.base_without_object(base, wanted, depth + 1),
            Info::Several(bases) => {
                let mut found = false;
                for (base, _) in bases.into_iter().filter(|(_, flags)| flags & 2 != 0) {
                    found |= self.base_without_object(base, wanted, depth + 1)?;
                }
                Ok(found)
            }
            Info::Pointer(_) | Info::Plain => Ok(false),
        }
    }

    /// The only base of a type in the complete object, for `dynamic_cast`.
    pub(crate) fn dynamic_cast(&mut self, object: Scalar, wanted: u64) -> Result<Scalar, Halt> {
        let table = self.peek(object, 0)?;
        let up = self.peek(table, -16)?.bits as i64;
        let whole = self.peek(table, -8)?.bits;
        let start = Scalar { bits: object.bits.wrapping_add_signed(up), ..object };
        Ok(self.base(whole, wanted, start, 0)?.unwrap_or(Scalar::int(0)))
    }

    fn type_name(&self, type_info: u64) -> Rc<str> {
        let program = self.machine.program;
        match program.global_at(type_info) {
            Some(global) if type_info != 0 => program.globals()[global as usize].name.clone(),
            _ => Rc::from(""),
        }
    }

    fn info(&mut self, type_info: u64) -> Result<Info, Halt> {
        let program = self.machine.program;
        let Some(global) = program.global_at(type_info) else { return Ok(Info::Plain) };
        if program.globals()[global as usize].external {
            return Ok(Info::Plain);
        }
        let object = program.initial(global).map_err(|refusal| self.refuse(refusal))?;
        if object.size < 24 {
            return Ok(Info::Plain);
        }
        let kind = program.global_of_object(object.read(0, 8).of);
        let kind = kind.map(|number| program.globals()[number as usize].name.clone());
        Ok(match kind.as_deref() {
            Some("_ZTVN10__cxxabiv119__pointer_type_infoE") if object.size >= 32 => {
                Info::Pointer(object.read(24, 8).bits)
            }
            Some("_ZTVN10__cxxabiv120__si_class_type_infoE") => Info::Single(object.read(16, 8).bits),
            Some("_ZTVN10__cxxabiv121__vmi_class_type_infoE") => {
                let count = object.read(20, 4).bits;
                let places = (0..count.min(64)).map(|base| 24 + 16 * base);
                let places = places.filter(|offset| offset + 16 <= object.size);
                Info::Several(
                    places
                        .map(|at| (object.read(at, 8).bits, sign_extend(object.read(at + 8, 8).bits, 64)))
                        .collect(),
                )
            }
            _ => Info::Plain,
        })
    }

    /// The eight bytes at a distance from an address.
    pub(crate) fn peek(&mut self, address: Scalar, offset: i64) -> Result<Scalar, Halt> {
        let address = Scalar { bits: address.bits.wrapping_add_signed(offset), ..address };
        let (id, offset) = self.resolve(address, 8)?;
        match self.own(id, offset, 8) {
            Found::Whole(value) => Ok(value),
            _ => self.open_memory(id, offset, 8),
        }
    }
}

/// The number by which a landing pad names a type: the result of `llvm.eh.typeid.for`.
pub(crate) fn selector_of(type_info: u64) -> u64 {
    if type_info == 0 { 1 } else { (type_info >> 4) & 0x7fff_ffff | 2 }
}
