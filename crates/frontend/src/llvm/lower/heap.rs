//! Allocated memory. Each place that allocates has so many objects; each is given out once, and none is given out again
//! when it was freed. That an object was freed stands in a cell of its own, which is looked at before every access of an
//! object that somebody may free: what is found is use after free and double free, and what a proof leaves out is said
//! ([`Machine::reuses`]) where memory could be given out again.
//!
//! The cell is written like any other, so under TSO and PSO it may wait in a buffer. Nothing is lost by that: in an
//! execution in which an access comes after the call of `free`, the buffer can be emptied right before the access.

use fencewright_ir::BinaryOp;
use smallvec::smallvec;

use super::calls::Effect;
use super::expr::{self, RExpr};
use super::machine::{Machine, ObjectKey, RegKey, Run, Scalar, Work};
use super::reasons::{Mistake, failure};
use super::value::{Known, ObjectId, Value, binary};
use crate::llvm::codes;
use fencewright_llvm::layout::ScalarKind;
use fencewright_llvm::module::{BinOp, Order};

impl Machine<'_> {
    /// Memory of so many bytes, all zero or not set.
    pub(super) fn new_object(&mut self, w: &mut Work, size: &Scalar, zeroed: bool) -> Run<Effect> {
        let at = w.at;
        let Some(Value::Int(size @ 0..=1_000_000)) = size.known.single() else {
            return self.unsupported(at, "an allocation whose size is not constant, or too large,");
        };
        match self.allocate(w, size as u64, zeroed)? {
            Some(pointer) => Ok(Effect::Value(smallvec![pointer])),
            None => Ok(Effect::Stops),
        }
    }

    /// The next object of an allocation place: its address, or `None` if there are no more within the bound.
    fn allocate(&mut self, w: &mut Work, size: u64, zeroed: bool) -> Run<Option<Scalar>> {
        let at = w.at;
        let bound = self.unit.options.heap_bound.max(1);
        let counter = self.object(ObjectKey::Counter(at.context, at.block, at.index), Some(4), None);
        let cell = Scalar::constant(Value::Pointer(counter, 0), 64);
        let scratch = RegKey::Scratch(2_000_000);
        let count = self.load(w, &cell, ScalarKind::Int(32), 4, scratch)?;
        let count = count.unwrap_or_else(|| Scalar::int(0, 32));
        let count = self.keep(w, scratch, count);
        let within = count.known.filter(&|v| matches!(v, Value::Int(n) if n < i128::from(bound)));
        let Some(counts) = within.values().cloned() else {
            return self.error(
                &codes::TOO_LARGE,
                at,
                "the program is too large: this place allocates too many objects",
                "lower the bound with --heap, or check fewer rounds",
            );
        };
        let objects: Vec<ObjectId> = (0..bound)
            .map(|n| self.object(ObjectKey::Heap(at.context, at.block, at.index, n), Some(size), None))
            .collect();
        for &object in &objects {
            self.objects[object].zeroed = zeroed;
            if self.objects[object].size != Some(size) {
                return self.unsupported(at, "an allocation whose size is not constant");
            }
        }
        let others_free = self.frees_early.iter().any(|&thread| thread != self.thread);
        if (others_free && !self.is_alone(w)) || w.env.freed {
            self.reuses = true;
        }
        if within != count.known {
            self.heap_bound_hit = Some(self.position(at));
            let guard = expr::binary(BinaryOp::Lt, count.expr.clone(), expr::int(bound.into()));
            w.emit(super::machine::ROp::Guard(guard));
        }
        let mut pointer: Option<Scalar> = None;
        for value in counts.iter().rev() {
            let Value::Int(n) = *value else { continue };
            let here = Scalar::constant(Value::Pointer(objects[n as usize], 0), 64);
            pointer = Some(match pointer {
                None => here,
                Some(rest) => {
                    let is = expr::binary(BinaryOp::Eq, count.expr.clone(), expr::int(n));
                    Scalar::new(rest.known.join(&here.known), expr::choose(is, here.expr, rest.expr), 64)
                }
            });
        }
        let Some(pointer) = pointer else { return Ok(None) };
        let next = Scalar::new(
            within.map2(&Known::int(1), &|a, b| binary(BinOp::Add, 32, a, b)),
            expr::binary(BinaryOp::Add, count.expr.clone(), expr::int(1)),
            32,
        );
        self.store(w, &cell, &next, 4, Order::Plain)?;
        Ok(Some(pointer))
    }

    /// The object that says whether another was freed; without one, an object that never says so.
    fn flag_of(&mut self, object: Option<ObjectId>) -> Value {
        let key = match object {
            Some(object) => ObjectKey::Freed(object),
            None => ObjectKey::NeverFreed(self.thread),
        };
        Value::Pointer(self.object(key, Some(1), None), 0)
    }

    /// Where it says whether the object of an address was freed.
    fn flag(&mut self, pointer: &Scalar, is_freed: &dyn Fn(&Self, ObjectId) -> bool) -> Scalar {
        let values = pointer.known.values().cloned().unwrap_or_default();
        let mut known = Vec::new();
        let mut table: Option<RExpr> = None;
        for &value in values.iter().rev() {
            let object = match value {
                Value::Pointer(object, _) if is_freed(self, object) => Some(object),
                _ => None,
            };
            let flag = self.flag_of(object);
            known.push(flag);
            table = Some(match table {
                None => expr::constant(flag),
                Some(rest) => {
                    let here = expr::binary(BinaryOp::Eq, pointer.expr.clone(), expr::constant(value));
                    expr::choose(here, expr::constant(flag), rest)
                }
            });
        }
        Scalar::new(Known::of(known), table.unwrap_or_else(|| expr::int(0)), 64)
    }

    /// Checks that the object of an address was not freed, if somebody may have done that.
    pub(super) fn check_alive(&mut self, w: &mut Work, pointer: &Scalar) -> Run<()> {
        let values = pointer.known.values();
        let concerned =
            |value: &Value| matches!(value, Value::Pointer(object, _) if self.may_be_gone(*object));
        if !values.is_some_and(|values| values.iter().any(concerned)) {
            return Ok(());
        }
        let flag = self.flag(pointer, &|machine, object| machine.may_be_gone(object));
        self.check_not_freed(w, &flag, Mistake::Freed)
    }

    fn check_not_freed(&mut self, w: &mut Work, flag: &Scalar, mistake: Mistake) -> Run<()> {
        let scratch = RegKey::Scratch(6_000_000);
        let Some(freed) = self.load(w, flag, ScalarKind::Int(8), 1, scratch)? else { return Ok(()) };
        match freed.known.single() {
            Some(Value::Int(0)) => {}
            Some(_) => {
                w.emit(failure(mistake));
                w.ended = true;
            }
            None => self.check(w, expr::binary(BinaryOp::Eq, freed.expr, expr::int(0)), mistake),
        }
        Ok(())
    }

    /// `free`: of null it does nothing; anything but an allocated object that is still there is an error.
    pub(super) fn free(&mut self, w: &mut Work, pointer: &Scalar) -> Run<Effect> {
        let at = w.at;
        let pointer = self.need_set(w, pointer.clone());
        let Some(values) = pointer.known.values().cloned() else {
            return self.error(
                &codes::POINTER,
                at,
                "which memory is freed here cannot be found out",
                "make the pointer come from an allocation of the program",
            );
        };
        let (mut good, mut bad) = (Vec::new(), Vec::new());
        for value in values {
            match value {
                Value::Int(0) => good.push(value),
                Value::Pointer(object, 0) if matches!(self.objects[object].key, ObjectKey::Heap(..)) => {
                    good.push(value);
                    self.grown |= self.freed.insert(object);
                }
                _ => bad.push(value),
            }
        }
        if good.is_empty() {
            return Ok(Effect::Fails);
        }
        self.check_among(w, &pointer.expr, (&good, &bad), Mistake::NotAllocated);
        if good == [Value::Int(0)] {
            return Ok(Effect::Value(smallvec![]));
        }
        let is_state = |value: &Value| {
            matches!(value, Value::Int(_))
                || matches!(value, Value::Pointer(object, _) if self.thread_states.contains(object))
        };
        if !good.iter().all(is_state) {
            w.env.freed = true;
            if !self.is_left_alone(w) {
                self.frees_early.insert(self.thread);
            }
        }
        let pointer = Scalar::new(Known::of(good), pointer.expr, 64);
        let flag = self.flag(&pointer, &|_, _| true);
        self.check_not_freed(w, &flag, Mistake::FreedTwice)?;
        // Null has no flag to be set.
        let value = match pointer.known.values().is_some_and(|set| set.contains(&Value::Int(0))) {
            false => Scalar::int(1, 8),
            true => {
                let is_null = expr::binary(BinaryOp::Eq, pointer.expr.clone(), expr::int(0));
                Scalar::new(Known::truth(), expr::choose(is_null, expr::int(0), expr::int(1)), 8)
            }
        };
        self.store(w, &flag, &value, 1, Order::Plain)?;
        Ok(Effect::Value(smallvec![]))
    }
}
