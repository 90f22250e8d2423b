//! Functions that are known by name: threads, locks, allocation, what a checker is told with, and what does nothing that
//! matters here. Everything else without a body is an error that names it.

use fencewright_ir::{BinaryOp, FenceKind, Lock};
use smallvec::smallvec;

use super::calls::Effect;
use super::expr;
use super::interpret::temp_key;
use super::machine::{Machine, ROp, RegKey, Run, Scalar, Work};
use super::memory::Place;
use super::operands::Scalars;
use super::value::{Known, Value};
use crate::llvm::codes;
use fencewright_llvm::layout::ScalarKind;
use fencewright_llvm::module::{Inst, Operand, Order, Type};
use fencewright_llvm::names::readable;

/// Calls that do nothing a model of memory shows, and give 0.
const IGNORED: &[&str] = &[
    "sched_yield",
    "usleep",
    "sleep",
    "nanosleep",
    "thrd_yield",
    "thrd_sleep",
    "pthread_yield",
    "pthread_mutex_destroy",
    "mtx_destroy",
    "pthread_detach",
    "thrd_detach",
    "sem_destroy",
    "pthread_spin_destroy",
    "free",
    "cfree",
];

/// Calls that do nothing a model of memory shows; the user is told that they are left out.
const OUTPUT: &[&str] = &[
    "printf", "puts", "putchar", "fprintf", "fputs", "fputc", "fflush", "perror", "write", "fwrite",
    "dprintf", "vprintf", "srand", "setbuf", "setvbuf",
];

/// Calls that say that the execution has gone wrong.
const FAILURES: &[&str] = &[
    "__assert_fail",
    "__assert_rtn",
    "__assert",
    "_assert",
    "abort",
    "reach_error",
    "__VERIFIER_error",
    "__builtin_trap",
    "_ZSt9terminatev",
    "__cxa_pure_virtual",
    "_ZSt17__throw_bad_allocv",
];

impl Machine<'_> {
    /// What a call by name does.
    pub(crate) fn library(
        &mut self,
        w: &mut Work,
        name: &str,
        inst: &Inst,
        mut args: Vec<Scalars>,
        types: &[(Type, Operand)],
        ret: &Type,
    ) -> Run<Effect> {
        let at = w.at;
        let zero = |machine: &Self| Ok(Effect::Value(machine.zeros(ret)));
        if name.contains("__fencewright_site") {
            if let Some(Value::Int(number)) = first(&args, 0).and_then(|value| value.known.single()) {
                w.emit(ROp::Site(number as u32));
            }
            return zero(self);
        }
        if let Some(intrinsic) = name.strip_prefix("llvm.") {
            return self.intrinsic(w, intrinsic, &args, ret);
        }
        if let Some(effect) = self.condition(w, name, inst, &args, ret)? {
            return Ok(effect);
        }
        if let Some(effect) = self.rust_runtime(w, name, &mut args, ret)? {
            return Ok(effect);
        }
        if let Some(effect) = self.cxx_runtime(w, name, &args, ret)? {
            return Ok(effect);
        }
        // A body for one of these would only describe what the name says.
        let is_told =
            ["assume_abort_if_not", "__VERIFIER_assume", "__VERIFIER_atomic_begin", "__VERIFIER_atomic_end"];
        if let Some(&function) = self.module.function_names.get(name)
            && !is_told.contains(&name)
        {
            return Ok(Effect::Calls(function, args));
        }
        if IGNORED.contains(&name)
            || name.starts_with("pthread_attr_")
            || name.starts_with("pthread_mutexattr_")
        {
            return zero(self);
        }
        if OUTPUT.contains(&name) {
            let position = self.position(at);
            self.ignored.entry(name.to_owned()).or_insert(position);
            return zero(self);
        }
        if FAILURES.contains(&name) {
            return Ok(Effect::Fails);
        }
        let arg = |i: usize| first(&args, i).unwrap_or_else(|| Scalar::int(0, 64));
        match name {
            "pthread_exit" | "thrd_exit" => {
                self.give_back(w, args.first())?;
                Ok(Effect::Ends)
            }
            "exit" | "_exit" | "quick_exit" | "_Exit" => Ok(Effect::Ends),
            "pthread_create" => self.create(w, arg(0), arg(2), vec![smallvec![arg(3)]], ret),
            "thrd_create" => self.create(w, arg(0), arg(1), vec![smallvec![arg(2)]], ret),
            "pthread_join" | "thrd_join" => {
                let thread = self.join(w, &arg(0))?;
                if arg(1).known.single() != Some(Value::Int(0)) {
                    let size = if name == "thrd_join" { 4 } else { 8 };
                    self.returned(w, thread, &arg(1), size)?;
                }
                zero(self)
            }
            "pthread_mutex_init" | "mtx_init" | "pthread_spin_init" => {
                self.store(w, &arg(0), &Scalar::int(0, 32), 4, Order::SeqCst)?;
                zero(self)
            }
            "sem_init" => {
                let value = Scalar { bits: 32, ..arg(2) };
                self.store(w, &arg(0), &value, 4, Order::SeqCst)?;
                zero(self)
            }
            "pthread_mutex_lock" | "mtx_lock" | "pthread_spin_lock" => {
                self.acquire(w, &arg(0), false)?;
                zero(self)
            }
            "sem_wait" => {
                self.acquire(w, &arg(0), true)?;
                zero(self)
            }
            "pthread_mutex_unlock" | "mtx_unlock" | "pthread_spin_unlock" => {
                self.store(w, &arg(0), &Scalar::int(0, 32), 4, Order::SeqCst)?;
                zero(self)
            }
            "sem_post" => {
                let mut add = |machine: &mut Self, old: &Scalar| {
                    machine.arithmetic(fencewright_llvm::module::BinOp::Add, old, &Scalar::int(1, 32), at)
                };
                self.modify(w, &arg(0), 4, RegKey::Scratch(3_000_000), Lock::Full, &mut add)?;
                zero(self)
            }
            "pthread_mutex_trylock" | "mtx_trylock" | "pthread_spin_trylock" => {
                let dst = temp_key(inst, at, 0);
                let mut take = |_: &mut Self, _: &Scalar| Ok(Scalar::int(1, 32));
                let old = self.modify(w, &arg(0), 4, dst, Lock::Full, &mut take)?;
                let old = old.unwrap_or_else(|| Scalar::int(0, 32));
                let busy = if name == "mtx_trylock" { 1 } else { 16 };
                let free = expr::binary(BinaryOp::Eq, old.expr.clone(), expr::int(0));
                let known = old.known.map(&|v| Some(Value::Int(if v == Value::Int(0) { 0 } else { busy })));
                let result = Scalar::new(known.unwrap_or(Known::Any), expr::choose(free, expr::int(0), expr::int(busy)), 32);
                Ok(Effect::Value(smallvec![result]))
            }
            "__VERIFIER_assume" | "assume_abort_if_not" => {
                let condition = arg(0);
                match condition.known.single() {
                    Some(Value::Int(0)) => w.emit(ROp::Guard(expr::int(0))),
                    Some(_) => {}
                    None => {
                        let guard = expr::binary(BinaryOp::Ne, condition.expr, expr::int(0));
                        w.emit(ROp::Guard(guard));
                        if let Some((_, operand)) = types.first()
                            && !self.assume(&mut w.env, operand, at, &|v| v != Value::Int(0), 16)
                        {
                            w.emit(ROp::Guard(expr::int(0)));
                        }
                    }
                }
                zero(self)
            }
            "__VERIFIER_atomic_begin" => {
                w.emit(ROp::AtomicBegin);
                zero(self)
            }
            "__VERIFIER_atomic_end" => {
                w.emit(ROp::AtomicEnd);
                zero(self)
            }
            "rand" | "random" => self.any_value(w, inst, ret, false),
            _ if name.starts_with("__VERIFIER_nondet_") => self.any_value(w, inst, ret, name.ends_with("bool")),
            "malloc" | "_Znwm" | "_Znam" | "valloc" => self.new_object(w, &arg(0)),
            "aligned_alloc" | "memalign" => self.new_object(w, &arg(1)),
            "calloc" => {
                let size = self.arithmetic(fencewright_llvm::module::BinOp::Mul, &arg(0), &arg(1), at)?;
                self.new_object(w, &size)
            }
            "memcpy" | "memmove" => {
                self.copy(w, &arg(0), &arg(1), &arg(2))?;
                Ok(Effect::Value(smallvec![arg(0)]))
            }
            "memset" => {
                self.fill(w, &arg(0), &arg(1), &arg(2))?;
                Ok(Effect::Value(smallvec![arg(0)]))
            }
            "pthread_self" | "thrd_current" => Ok(Effect::Value(smallvec![Scalar::int(i128::from(self.thread.0) + 1, 64)])),
            _ if name.starts_with("_ZdlPv") || name.starts_with("_ZdaPv") => zero(self),
            _ => self.error(
                &codes::LIBRARY,
                at,
                format!("`{}` has no body here and is not a function that is known", readable(name)),
                "give its source too, or leave the call out, for instance with `#ifndef` and a macro given with --cflags",
            ),
        }
    }

    /// A value the program does not choose.
    fn any_value(&mut self, w: &mut Work, inst: &Inst, ret: &Type, truth: bool) -> Run<Effect> {
        let at = w.at;
        let Some(ScalarKind::Int(bits)) = self.module.scalar(ret) else {
            return self.unsupported(at, "an arbitrary value that is not an integer");
        };
        let known = if truth || bits == 1 { Known::truth() } else { Known::Any };
        let reg = self.reg(temp_key(inst, at, 0), &known, bits);
        w.emit(ROp::Havoc { dst: reg });
        Ok(Effect::Value(smallvec![Scalar::new(known, expr::reg(reg), bits)]))
    }

    pub(super) fn new_object(&mut self, w: &mut Work, size: &Scalar) -> Run<Effect> {
        let at = w.at;
        let Some(Value::Int(size @ 0..=1_000_000)) = size.known.single() else {
            return self.unsupported(at, "an allocation whose size is not constant, or too large,");
        };
        match self.allocate(w, size as u64)? {
            Some(pointer) => Ok(Effect::Value(smallvec![pointer])),
            None => Ok(Effect::Value(smallvec![Scalar::int(0, 64)])),
        }
    }

    /// Takes a lock (free is 0, taken is 1), or a semaphore (so many are left).
    pub(super) fn acquire(&mut self, w: &mut Work, lock: &Scalar, counts: bool) -> Run<()> {
        let at = w.at;
        let cells = match self.place(w, lock, 4)? {
            Place::Nowhere => {
                w.emit(super::memory::failure());
                return Ok(());
            }
            Place::Private(_) if !counts => {
                self.store(w, lock, &Scalar::int(1, 32), 4, Order::Plain)?;
                return Ok(());
            }
            Place::Private(cells) | Place::Shared(cells) => cells,
        };
        if !cells.iter().all(|cell| self.cells.contains_key(cell)) {
            return self.unsupported(at, "a semaphore that one thread alone uses");
        }
        let known = cells.iter().fold(Known::nothing(), |known, cell| known.join(&self.cells[cell].known));
        let free = known.filter(&|v| if counts { v != Value::Int(0) } else { v == Value::Int(0) });
        let reg = self.reg(RegKey::Scratch(3_000_001), &free, 32);
        let old = Scalar { known: free, expr: expr::reg(reg), bits: 32 };
        let new = if counts {
            self.arithmetic(fencewright_llvm::module::BinOp::Sub, &old, &Scalar::int(1, 32), at)?
        } else {
            Scalar::int(1, 32)
        };
        for &cell in &cells {
            self.grow(cell, &new.known);
        }
        let guard =
            expr::binary(if counts { BinaryOp::Gt } else { BinaryOp::Eq }, expr::reg(reg), expr::int(0));
        let addr = super::machine::Address { pointer: lock.expr.clone(), targets: cells };
        let step = vec![
            ROp::Read { dst: reg, addr: addr.clone() },
            ROp::Guard(guard),
            ROp::Write { addr, value: new.expr },
        ];
        w.emit(ROp::Locked(Lock::Full, step));
        Ok(())
    }

    fn intrinsic(&mut self, w: &mut Work, name: &str, args: &[Scalars], ret: &Type) -> Run<Effect> {
        let at = w.at;
        use fencewright_llvm::module::{BinOp, CastOp, Predicate};
        let arg = |i: usize| first(args, i).unwrap_or_else(|| Scalar::int(0, 64));
        let zero = Ok(Effect::Value(self.zeros(ret)));
        let base = name.split('.').next().unwrap_or(name);
        let value = |scalar: Scalar| Ok(Effect::Value(smallvec![scalar]));
        match base {
            "lifetime" | "assume" | "donothing" | "prefetch" | "var" | "stackrestore" | "invariant"
            | "experimental" | "dbg" | "sideeffect" | "pseudoprobe" | "va_start" | "va_end" | "stacksave"
            | "fake" => zero,
            "expect" | "threadlocal" | "launder" | "strip" | "ptr" | "annotation" | "ssa" => value(arg(0)),
            "is" | "allow" => zero,
            "objectsize" => value(Scalar::int(-1, 64)),
            "trap" | "debugtrap" | "ubsantrap" => Ok(Effect::Fails),
            "memcpy" | "memmove" => {
                self.copy(w, &arg(0), &arg(1), &arg(2))?;
                zero
            }
            "memset" => {
                self.fill(w, &arg(0), &arg(1), &arg(2))?;
                zero
            }
            "x86" | "aarch64" => {
                let kind = match name {
                    "x86.sse2.mfence" => Some(FenceKind::Full),
                    "x86.sse.sfence" => Some(FenceKind::StoreStore),
                    "x86.sse2.lfence" | "x86.sse2.pause" | "aarch64.hint" => None,
                    _ => return self.unsupported(at, &format!("`llvm.{name}`")),
                };
                if let Some(kind) = kind {
                    w.emit(ROp::Fence(kind));
                }
                zero
            }
            "sadd" | "uadd" | "ssub" | "usub" | "smul" | "umul" if name.contains("with.overflow") => {
                let op = match &base[1..] {
                    "add" => BinOp::Add,
                    "sub" => BinOp::Sub,
                    _ => BinOp::Mul,
                };
                let (a, b) = (arg(0), arg(1));
                let bits = a.bits;
                let extend = if base.starts_with('s') { CastOp::SExt } else { CastOp::ZExt };
                let wide_bits = (bits * 2).min(128);
                let (wa, wb) = (self.cast(extend, &a, wide_bits, at)?, self.cast(extend, &b, wide_bits, at)?);
                let exact = self.arithmetic(op, &wa, &wb, at)?;
                let result = self.arithmetic(op, &a, &b, at)?;
                let back = self.cast(extend, &result, wide_bits, at)?;
                let overflow = self.compare(Predicate::Ne, &exact, &back);
                Ok(Effect::Value(smallvec![result, overflow]))
            }
            "uadd" | "usub" if name.contains("sat") => {
                let (a, b) = (arg(0), arg(1));
                let (op, limit) = if base == "uadd" { (BinOp::Add, -1) } else { (BinOp::Sub, 0) };
                let result = self.arithmetic(op, &a, &b, at)?;
                let over = self.compare(
                    if limit == 0 { Predicate::Ult } else { Predicate::Ugt },
                    &a,
                    if limit == 0 { &b } else { &result },
                );
                let chosen = expr::choose(over.expr, expr::int(limit), result.expr.clone());
                value(Scalar::new(result.known.join(&Known::int(limit)), chosen, a.bits))
            }
            "smax" | "smin" | "umax" | "umin" => {
                let predicate = match base {
                    "smax" => Predicate::Sgt,
                    "smin" => Predicate::Slt,
                    "umax" => Predicate::Ugt,
                    _ => Predicate::Ult,
                };
                let (a, b) = (arg(0), arg(1));
                let first = self.compare(predicate, &a, &b);
                let pick = |x: Value, y: Value| {
                    Some(if super::value::compare(predicate, a.bits, x, y) { x } else { y })
                };
                let known = a.known.map2(&b.known, &pick);
                value(Scalar::new(known, expr::choose(first.expr, a.expr.clone(), b.expr.clone()), a.bits))
            }
            "abs" => {
                let a = arg(0);
                let negative = self.compare(Predicate::Slt, &a, &Scalar::int(0, a.bits));
                let negated = self.arithmetic(BinOp::Sub, &Scalar::int(0, a.bits), &a, at)?;
                let known = a.known.map(&|v| match v {
                    Value::Int(v) => Some(Value::Int(super::value::canonical(a.bits, v.abs()))),
                    Value::Pointer(..) => None,
                });
                value(Scalar::new(
                    known.unwrap_or(Known::Any),
                    expr::choose(negative.expr, negated.expr, a.expr.clone()),
                    a.bits,
                ))
            }
            "ctpop" | "ctlz" | "cttz" | "bswap" | "bitreverse" => {
                let a = arg(0);
                match self.table(&a, &|v| bits_of(base, a.bits, v)) {
                    Some(result) => value(result),
                    None => self.unsupported(at, &format!("`llvm.{name}` of an arbitrary number")),
                }
            }
            _ => self.unsupported(at, &format!("`llvm.{name}`")),
        }
    }
}

/// What an operation on the bits of a number gives.
fn bits_of(operation: &str, bits: u32, value: i128) -> i128 {
    let raw = super::value::unsigned(bits, value);
    let unused = 128 - bits.min(128);
    super::value::canonical(
        bits,
        match operation {
            "ctpop" => raw.count_ones().into(),
            "ctlz" => (raw.leading_zeros() - unused).into(),
            "cttz" => raw.trailing_zeros().min(bits).into(),
            "bswap" => (raw.swap_bytes() >> unused) as i128,
            _ => (raw.reverse_bits() >> unused) as i128,
        },
    )
}

/// The first scalar of an argument.
pub(super) fn first(args: &[Scalars], i: usize) -> Option<Scalar> {
    args.get(i).and_then(|values| values.first()).cloned()
}
