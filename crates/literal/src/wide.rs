//! Atomic accesses of sixteen bytes, as processors have them: updates are locked steps, and a load reads all bytes at once.
//!
//! *Limit:* a buffer holds writes of up to eight bytes, so a store that would be buffered is refused.

use fencewright_llvm::module::{BinOp, Flags, RmwOp};

use crate::arithmetic;
use crate::buffer::{Found, Model};
use crate::code::Inst;
use crate::event::{Bytes, What};
use crate::footprint::Touch;
use crate::machine::{Flow, Run};
use crate::refusal::Refusal;
use crate::value::{ObjectId, Scalar, Value, Wide};
use crate::violation::{Fault, Halt, Use};

/// The size of such an access.
pub(crate) const SIZE: u32 = 16;
const HALF: u32 = 8;

/// Given the value a locked step has read, returns what it writes, or `None` if it writes nothing.
type Compute<'c, R> = &'c mut dyn FnMut(&mut R, Wide) -> Result<Option<Wide>, Halt>;

/// Two halves as one.
pub(crate) fn joined(low: Scalar, high: Scalar) -> Wide {
    let join = |low: u64, high: u64| u128::from(low) | u128::from(high) << 64;
    Wide { of: [low.of, high.of], ..Wide::new(join(low.bits, high.bits), join(low.unset, high.unset)) }
}

/// The low and the high half.
pub(crate) fn halves(wide: Wide) -> [Scalar; 2] {
    [0, 1].map(|half| Scalar {
        bits: (wide.bits >> (64 * half)) as u64,
        unset: (wide.unset >> (64 * half)) as u64,
        of: wide.of[half],
        ..Scalar::default()
    })
}

impl Run<'_, '_, '_> {
    fn wide_memory(&mut self, id: ObjectId, offset: u64) -> Result<Wide, Halt> {
        let low = self.memory(id, offset, HALF)?;
        let high = self.memory(id, offset + u64::from(HALF), HALF)?;
        Ok(joined(low, high))
    }

    /// A locked read-modify-write of memory. `None`: another action must do it.
    pub(crate) fn wide_update(
        &mut self,
        address: Scalar,
        full: bool,
        compute: Compute<'_, Self>,
    ) -> Result<Option<Wide>, Halt> {
        let (id, offset) = self.resolve(address, SIZE.into())?;
        if !address.bits.is_multiple_of(SIZE.into()) {
            return Err(self.fault(Fault::Misaligned(address.bits)));
        }
        if !self.may_lock(id, offset, SIZE, full)? {
            return Ok(None);
        }
        self.note_scalar(id, offset, SIZE);
        let visible = self.is_visible(id, offset, SIZE.into(), Touch::ATOMIC);
        if visible && !self.may_act {
            return Ok(None);
        }
        let old = self.wide_memory(id, offset)?;
        let new = compute(self, old)?;
        if new.is_some() && self.is_constant(id) {
            return Err(self.fault(Fault::Constant(id)));
        }
        if visible {
            self.act();
        }
        let tells = visible || self.is_worth_telling(id);
        for (half, at) in [offset, offset + u64::from(HALF)].into_iter().enumerate() {
            let (old, new) = (halves(old)[half], new.map(|new| halves(new)[half]));
            if let Some(new) = new {
                self.set_memory(id, at, HALF, new)?;
            }
            if tells {
                self.tell(What::Updates { bytes: Bytes { object: id, offset: at, size: HALF }, old, new });
            }
        }
        Ok(Some(old))
    }

    /// Reads all bytes at once, after the thread's own pending writes to them. `None`: another action must do it.
    pub(crate) fn wide_load(&mut self, id: ObjectId, offset: u64) -> Result<Option<Wide>, Halt> {
        self.note_scalar(id, offset, SIZE);
        let visible = self.is_visible(id, offset, SIZE.into(), Touch { write: false, atomic: true });
        if visible && !self.may_act {
            return Ok(None);
        }
        let is_own =
            |run: &Self| run.state.threads[run.thread].buffer.read(id, offset, SIZE) != Found::Nothing;
        if is_own(self) {
            self.settle()?;
            if is_own(self) {
                return Ok(None);
            }
        }
        let value = self.wide_memory(id, offset)?;
        if visible {
            self.act();
        }
        if visible || self.is_worth_telling(id) {
            for (half, value) in halves(value).into_iter().enumerate() {
                let bytes = Bytes { object: id, offset: offset + 8 * half as u64, size: HALF };
                self.tell(What::Reads { bytes, value, own: false });
            }
        }
        Ok(Some(value))
    }

    /// Writes all bytes at once. `false`: another action must do it.
    pub(crate) fn wide_store(&mut self, address: Scalar, value: Wide, full: bool) -> Result<bool, Halt> {
        if !full && self.machine.settings.model != Model::Sc {
            let refusal = Refusal::new("an atomic store of sixteen bytes that may stay in the store buffer");
            return Err(self.refuse(refusal.help("make it sequentially consistent")));
        }
        Ok(self.wide_update(address, true, &mut |_, _| Ok(Some(value)))?.is_some())
    }

    /// Whether two are equal. It is a fault if that depends on unset bits.
    pub(crate) fn wide_equal(&self, a: Wide, b: Wide) -> Result<bool, Halt> {
        let is_different = (a.bits ^ b.bits) & !(a.unset | b.unset) != 0;
        if a.unset | b.unset != 0 && !is_different {
            return Err(self.fault(Fault::Unset(Use::Branch)));
        }
        Ok(!is_different)
    }

    /// The new value of an atomic update.
    pub(crate) fn wide_modified(&mut self, op: RmwOp, old: Wide, value: &Value) -> Result<Wide, Halt> {
        let value = self.known_value(value);
        let op = match op {
            RmwOp::Xchg => return Ok(arithmetic::to_wide(&value)),
            RmwOp::Add => BinOp::Add,
            RmwOp::Sub => BinOp::Sub,
            RmwOp::And => BinOp::And,
            RmwOp::Or => BinOp::Or,
            RmwOp::Xor => BinOp::Xor,
            _ => return Err(self.refuse(Refusal::new("an atomic operation of this kind on sixteen bytes"))),
        };
        let old = Value::Wide(Box::new(old));
        match arithmetic::binary(op, 8 * SIZE, &old, &value, Flags::default()) {
            Ok(result) => Ok(arithmetic::to_wide(&result)),
            Err(_) => Err(self.refuse(Refusal::new("an atomic operation of this kind on sixteen bytes"))),
        }
    }

    /// Gives an update's result to the instruction's register: the old value, and whether it matched.
    pub(crate) fn give_wide(
        &mut self,
        inst: &Inst,
        old: Option<Wide>,
        hit: Option<bool>,
    ) -> Result<Flow, Halt> {
        let Some(old) = old.map(|old| Value::Wide(Box::new(old))) else { return Ok(Flow::Stop) };
        self.give(
            inst,
            match hit {
                Some(hit) => Value::Aggregate([old, Value::bool(hit)].into()),
                None => old,
            },
        )
    }
}
