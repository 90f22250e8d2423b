//! Mutexes, spin locks and semaphores. A lock is a word: 0 is free, 1 is taken. A semaphore says how many are left.
//!
//! Mutexes that know their owner (recursive ones, those that check for errors, robust ones) are not modelled and refused.

use fencewright_ir::{BinaryOp, Lock};
use smallvec::smallvec;

use super::calls::Effect;
use super::expr;
use super::interpret::temp_key;
use super::library::first;
use super::machine::{Address, Machine, ROp, RegKey, Run, Scalar, Work};
use super::memory::{Place, is_set};
use super::operands::Scalars;
use super::reasons::{Mistake, failure};
use super::state::{Cell, Point};
use super::value::{Known, Value};
use fencewright_llvm::module::{BinOp, Inst, Order, Type};

/// Where a `pthread_mutex_t` says what kind it is, in bytes, on 64-bit Linux.
const KIND_OFFSET: i64 = 16;
/// The kinds that block whoever takes them twice: the normal one, and the one that spins a little first.
const PLAIN_KINDS: [i128; 2] = [0, 3];
/// `mtx_recursive` of `<threads.h>`, a bit.
const C_RECURSIVE: i128 = 1;

impl Machine<'_> {
    /// A call that is about a mutex or a semaphore.
    pub(super) fn mutex(
        &mut self,
        w: &mut Work,
        name: &str,
        inst: &Inst,
        args: &[Scalars],
        ret: &Type,
    ) -> Run<Option<Effect>> {
        let at = w.at;
        let arg = |i: usize| first(args, i).unwrap_or_else(|| Scalar::int(0, 64));
        let zeros = self.zeros(ret);
        let done = |done: bool| Ok(Some(if done { Effect::Value(zeros.clone()) } else { Effect::Fails }));
        match name {
            "pthread_mutexattr_settype" => match arg(1).known.single() {
                Some(Value::Int(kind)) if PLAIN_KINDS.contains(&kind) => done(true),
                _ => self.owned(at),
            },
            "pthread_mutexattr_setrobust" => match arg(1).known.single() {
                Some(Value::Int(0)) => done(true),
                _ => self.owned(at),
            },
            "pthread_mutexattr_init"
            | "pthread_mutexattr_destroy"
            | "pthread_mutexattr_setpshared"
            | "pthread_mutexattr_setprotocol" => done(true),
            "mtx_init" if !matches!(arg(1).known.single(), Some(Value::Int(kind)) if kind & C_RECURSIVE == 0) => {
                self.owned(at)
            }
            // What is made ready is written as any other memory.
            "pthread_mutex_init" | "mtx_init" | "pthread_spin_init" => {
                done(self.store(w, &arg(0), &Scalar::int(0, 32), 4, Order::Plain)?)
            }
            "sem_init" => match arg(2).known.values() {
                Some(values) if values.iter().all(|value| matches!(value, Value::Int(0..=0x7fff_ffff))) => {
                    let value = Scalar { bits: 32, ..arg(2) };
                    done(self.store(w, &arg(0), &value, 4, Order::Plain)?)
                }
                _ => self.unsupported(at, "a semaphore whose first value is not known"),
            },
            "pthread_mutex_lock" | "mtx_lock" | "pthread_spin_lock" => {
                self.plain_kind(w, name, &arg(0))?;
                self.acquire(w, &arg(0), false)?;
                done(true)
            }
            "sem_wait" => {
                self.acquire(w, &arg(0), true)?;
                done(true)
            }
            // A plain store with release, on x86 as on SPARC.
            "pthread_spin_unlock" => done(self.store(w, &arg(0), &Scalar::int(0, 32), 4, Order::Release)?),
            "pthread_mutex_unlock" | "mtx_unlock" => {
                self.plain_kind(w, name, &arg(0))?;
                done(self.store(w, &arg(0), &Scalar::int(0, 32), 4, Order::SeqCst)?)
            }
            "sem_post" => {
                let mut add = |machine: &mut Self, old: &Scalar| {
                    machine.arithmetic(BinOp::Add, old, &Scalar::int(1, 32), at)
                };
                let old = self.modify(w, &arg(0), 4, RegKey::Scratch(3_000_000), Lock::Full, &mut add)?;
                done(old.is_some())
            }
            // A wait with an end may be over when the lock is taken; until then the thread may simply be slow.
            "pthread_mutex_trylock"
            | "mtx_trylock"
            | "pthread_spin_trylock"
            | "pthread_mutex_timedlock"
            | "pthread_mutex_clocklock"
            | "mtx_timedlock" => {
                self.plain_kind(w, name, &arg(0))?;
                let dst = temp_key(inst, at, 0);
                let mut take = |_: &mut Self, _: &Scalar| Ok(Scalar::int(1, 32));
                let Some(old) = self.modify(w, &arg(0), 4, dst, Lock::Full, &mut take)? else {
                    return Ok(Some(Effect::Fails));
                };
                let busy = match name {
                    "mtx_trylock" => 1,
                    "mtx_timedlock" => 4,
                    _ if name.ends_with("trylock") => 16,
                    _ => 110,
                };
                let free = expr::binary(BinaryOp::Eq, old.expr.clone(), expr::int(0));
                let known = old.known.map(&|v| Some(Value::Int(if v == Value::Int(0) { 0 } else { busy })));
                let chosen = expr::choose(free, expr::int(0), expr::int(busy));
                let result = Scalar::new(known.unwrap_or(Known::ANY), chosen, 32);
                Ok(Some(Effect::Value(smallvec![result])))
            }
            _ => Ok(None),
        }
    }

    fn owned<T>(&self, at: Point) -> Run<T> {
        self.unsupported(at, "a mutex that knows its owner (recursive, checking for errors, or robust)")
    }

    /// Refuses a mutex whose initialiser says that it is of another kind than the normal one.
    fn plain_kind(&mut self, w: &Work, function: &str, mutex: &Scalar) -> Run<()> {
        let at = w.at;
        if function.starts_with("pthread_spin_") {
            return Ok(());
        }
        let values = mutex.known.values().cloned().unwrap_or_default();
        for value in values {
            let Value::Pointer(object, offset) = value else { continue };
            let kind: Cell = (object, offset + KIND_OFFSET);
            let inside =
                self.objects[object].size.is_some_and(|size| kind.1 >= 0 && kind.1 as u64 + 4 <= size);
            if !inside {
                continue;
            }
            let known = match self.cells.get(&kind) {
                Some(cell) => cell.known.clone(),
                None => self.read_private(&w.env, kind, 4, at)?.known,
            };
            let plain = |v: &Value| match v {
                Value::Int(kind) => PLAIN_KINDS.contains(kind),
                // Left by who made it; `pthread_mutex_init` gives it its kind.
                Value::Unset => true,
                _ => false,
            };
            if !known.values().is_some_and(|set| set.iter().all(plain)) {
                return self.owned(at);
            }
        }
        Ok(())
    }

    /// Takes a lock, or one of a semaphore, when it is free.
    pub(super) fn acquire(&mut self, w: &mut Work, lock: &Scalar, counts: bool) -> Run<()> {
        let at = w.at;
        let Some(reached) = self.reach(w, lock, 4)? else {
            w.emit(failure(Mistake::Pointer));
            w.ended = true;
            return Ok(());
        };
        let cells = match self.place(w, &reached)? {
            Place::Private(_) if counts => {
                return self.unsupported(at, "a semaphore that one thread alone uses");
            }
            Place::Private(_) => {
                let old = self.load_reached(
                    w,
                    &reached,
                    fencewright_llvm::layout::ScalarKind::Int(32),
                    RegKey::Scratch(3_000_002),
                )?;
                let old = self.need_set(w, old);
                if !w.ended && old.known.single() != Some(Value::Int(0)) {
                    return self.unsupported(at, "a mutex that its thread may have taken already");
                }
                // It waits for earlier stores, whoever knows the lock.
                return self.store_reached(w, &reached, &Scalar::int(1, 32), Order::SeqCst);
            }
            Place::Shared(cells) => cells,
        };
        self.may_block = true;
        for &cell in &cells {
            self.locks.insert(cell, counts);
        }
        let all = self.known_of(&cells);
        let free =
            all.filter(&|v| if counts { matches!(v, Value::Int(n) if n != 0) } else { v == Value::Int(0) });
        let reg = self.reg(RegKey::Scratch(3_000_001), &all, 32);
        let old = Scalar { known: free, expr: expr::reg(reg), bits: 32 };
        let new = if counts {
            self.arithmetic(BinOp::Sub, &old, &Scalar::int(1, 32), at)?
        } else {
            Scalar::int(1, 32)
        };
        for &cell in &cells {
            self.grow(cell, &new.known);
        }
        let guard =
            expr::binary(if counts { BinaryOp::Gt } else { BinaryOp::Eq }, expr::reg(reg), expr::int(0));
        let addr = Address { pointer: reached.pointer.expr.clone(), targets: cells };
        let mut step = vec![ROp::Read { dst: reg, addr: addr.clone() }];
        if all.may_be_unset() {
            step.push(ROp::Assert(is_set(reg), Mistake::Unset.into()));
        }
        step.extend([ROp::Guard(guard), ROp::Write { addr, value: new.expr }]);
        w.emit(ROp::Locked(Lock::Full, step));
        Ok(())
    }
}
