//! Atomic operations, and what the orders of C and C++ become. The table is in `docs/formats/c-and-rust.md`.

use fencewright_ir::{FenceKind, Lock};

use super::expr;
use super::interpret::{Flow, temp_key};
use super::machine::{Address, Machine, ROp, Run, Scalar, Work};
use super::memory::{Place, is_set};
use super::reasons::Mistake;
use super::state::Point;
use super::value::Value;
use fencewright_llvm::module::{BinOp, Inst, Operand, Order, Predicate, RmwOp, Type};

impl Machine<'_> {
    /// What a read-modify-write makes of the old value.
    pub(super) fn rmw(&mut self, op: RmwOp, old: &Scalar, operand: &Scalar, at: Point) -> Run<Scalar> {
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
                let first = self.compare(predicate, &old, operand, at)?;
                let chosen = expr::choose(first.expr, old.expr.clone(), operand.expr.clone());
                return Ok(Scalar::new(old.known.join(&operand.known), chosen, old.bits));
            }
        };
        let result = self.arithmetic(arithmetic, &old, operand, at)?;
        if op == RmwOp::Nand {
            self.arithmetic(BinOp::Xor, &result, &Scalar::int(-1, old.bits), at)
        } else {
            Ok(result)
        }
    }

    /// Reads, and writes if what was read is what was expected. It may not fail without reason: no machine does.
    pub(super) fn compare_exchange(
        &mut self,
        w: &mut Work,
        inst: &Inst,
        (ty, ptr, expected, new, order): (&Type, &Operand, &Operand, &Operand, Order),
    ) -> Run<Flow> {
        let at = w.at;
        let pointer = self.scalar(w, &Type::Ptr, ptr)?;
        let (expected, new) = (self.scalar(w, ty, expected)?, self.scalar(w, ty, new)?);
        let size = self.size_of(ty, at)?;
        let dst = temp_key(inst, at, 0);
        let Some(reached) = self.reach(w, &pointer, size)? else {
            return self.fault(w, Mistake::of_pointer(&pointer));
        };
        self.is_now(w, ptr, &reached.pointer.known);
        let (old, success) = match self.place(w, &reached)? {
            Place::Private(_) => {
                let compute = &mut |machine: &mut Self, old: &Scalar| {
                    let hit = machine.compare(Predicate::Eq, old, &expected, at)?;
                    let chosen = expr::choose(hit.expr, new.expr.clone(), old.expr.clone());
                    let known = match hit.known.single() {
                        Some(Value::Int(0)) => old.known.clone(),
                        Some(_) => new.known.clone(),
                        None => old.known.join(&new.known),
                    };
                    Ok(Scalar::new(known, chosen, new.bits))
                };
                let Some(old) = self.modify_reached(w, &reached, dst, lock_of(order), compute)? else {
                    return self.fault(w, Mistake::Unset);
                };
                let hit = self.compare(Predicate::Eq, &old, &expected, at)?;
                (old, hit)
            }
            Place::Shared(cells) => {
                let all = self.known_of(&cells);
                let known = all.set_only();
                if known.values().is_some_and(|set| set.is_empty()) {
                    return self.fault(w, Mistake::Unset);
                }
                let reg = self.reg(dst, &all, size * 8);
                let old = Scalar { known, expr: expr::reg(reg), bits: expected.bits };
                let hit = self.compare(Predicate::Eq, &old, &expected, at)?;
                if hit.known.single() != Some(Value::Int(0)) {
                    for &cell in &cells {
                        self.grow(cell, &new.known);
                    }
                }
                let addr = Address { pointer: reached.pointer.expr.clone(), targets: cells };
                let lock = lock_of(order);
                let (expected, new) = (expected.expr.clone(), new.expr.clone());
                w.emit(ROp::Exchange { lock, dst: reg, addr, expected, new });
                if all.may_be_unset() {
                    // What was never written equals nothing that is expected, so nothing was changed.
                    self.check(w, is_set(reg), Mistake::Unset);
                }
                (old, hit)
            }
        };
        self.set_all(w, inst, smallvec::smallvec![old, success]);
        Ok(Flow::Next)
    }
}

/// How a read-modify-write of the order locks memory. One that releases has to wait for all earlier writes, which is
/// what a full lock does.
pub(super) fn lock_of(order: Order) -> Lock {
    match order {
        Order::Plain | Order::Relaxed | Order::Acquire => Lock::Location,
        Order::Release | Order::AcqRel | Order::SeqCst => Lock::Full,
    }
}

/// The fence of an order; an acquire fence orders nothing that the models reorder.
pub(super) fn fence_of(order: Order) -> Option<FenceKind> {
    match order {
        Order::SeqCst => Some(FenceKind::Full),
        Order::Release | Order::AcqRel => Some(FenceKind::StoreStore),
        Order::Plain | Order::Relaxed | Order::Acquire => None,
    }
}
