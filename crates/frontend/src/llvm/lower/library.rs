//! Functions that are known by name: threads, locks, allocation, what a checker is told with, and what does nothing that
//! matters here. Everything else without a body is an error that names it.

use std::collections::BTreeMap;

use fencewright_ir::BinaryOp;
use smallvec::smallvec;

use super::calls::Effect;
use super::expr;
use super::interpret::temp_key;
use super::machine::{Machine, ObjectKey, ROp, Run, Scalar, Work};
use super::operands::Scalars;
use super::state::Point;
use super::threads::{handle_of, is_panic};
use super::value::{Known, Value};
use crate::llvm::codes;
use fencewright_llvm::layout::ScalarKind;
use fencewright_llvm::module::{Callee, Inst, InstKind, Operand, Predicate, Type};
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
    "sem_destroy",
    "pthread_spin_destroy",
    "pthread_attr_init",
    "pthread_attr_destroy",
    "pthread_attr_setstacksize",
    "pthread_attr_setguardsize",
    "pthread_attr_setscope",
    "pthread_attr_setschedpolicy",
    "pthread_attr_setschedparam",
    "pthread_attr_setinheritsched",
    // Of `<iostream>`.
    "_ZNSt8ios_base4InitC1Ev",
    "_ZNSt8ios_base4InitD1Ev",
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
    "__VERIFIER_fail",
    "__builtin_trap",
    "_ZSt9terminatev",
    "_ZSt21__glibcxx_assert_failPKciS0_S0_",
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
        if !self.module.function_names.contains_key(name)
            && let Some(object) = first(&args, 0)
            && !self.has_its_object(w, name, &object)?
        {
            return Ok(Effect::Fails);
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
        let is_told = [
            "assume_abort_if_not",
            "__VERIFIER_assume",
            "__VERIFIER_atomic_begin",
            "__VERIFIER_atomic_end",
            "reach_error",
            "__VERIFIER_error",
            "__VERIFIER_fail",
        ];
        if let Some(&function) = self.module.function_names.get(name)
            && !is_told.contains(&name)
        {
            return Ok(Effect::Calls(function, args));
        }
        if name == "pthread_mutex_destroy" && self.is_used(inst, at) {
            return self.unsupported(at, "whether the mutex that is destroyed was free");
        }
        if IGNORED.contains(&name) {
            return zero(self);
        }
        if name == "__cxa_atexit" {
            self.behind_main(at, first(&args, 0))?;
            return zero(self);
        }
        if super::output::OUTPUT.contains(&name) {
            self.print(w, (name, inst), &mut args, types)?;
            return zero(self);
        }
        if name == "abort" && self.ends_silently() {
            return Ok(Effect::Stops);
        }
        if FAILURES.contains(&name) {
            return Ok(Effect::Fails);
        }
        // Whatever these are given they use.
        for value in args.iter_mut().flatten() {
            *value = self.need_set(w, value.clone());
        }
        let arg = |i: usize| first(&args, i).unwrap_or_else(|| Scalar::int(0, 64));
        if let Some(effect) = self.mutex(w, name, inst, &args, ret)? {
            return Ok(effect);
        }
        match name {
            "pthread_exit" | "thrd_exit" => {
                self.give_back(w, args.first())?;
                Ok(Effect::Ends)
            }
            // The process ends. What other threads would do afterwards they can also do while this one is on its way
            // here, so they need not be stopped; but nobody who waits for the end of this thread sees it.
            "exit" | "_exit" | "quick_exit" | "_Exit" => Ok(Effect::Stops),
            "pthread_create" => self.create(w, arg(0), arg(2), vec![smallvec![arg(3)]], ret),
            "thrd_create" => self.create(w, arg(0), arg(1), vec![smallvec![arg(2)]], ret),
            "pthread_detach" | "thrd_detach" => {
                let thread = self.thread_of(w, &arg(0))?;
                let place = (at, w.env.exact);
                let first = *self.detached.entry(thread).or_insert(place);
                // The second time it gives an error.
                if self.is_used(inst, at) && (first != place || w.env.exact == 0) {
                    return self.unsupported(at, "whether a thread that is detached was detached before");
                }
                self.refuse_joined_and_detached(thread, at)?;
                zero(self)
            }
            "pthread_attr_setdetachstate" if arg(1).known.single() == Some(Value::Int(0)) => zero(self),
            "pthread_attr_setdetachstate" => self.unsupported(at, "a thread that is created detached"),
            "pthread_join" | "thrd_join" => {
                let thread = self.join(w, &arg(0))?;
                if arg(1).known.single() != Some(Value::Int(0)) {
                    let size = if name == "thrd_join" { 4 } else { 8 };
                    self.returned(w, thread, &arg(1), size)?;
                }
                zero(self)
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
            "rand" | "random" => {
                // From 0 to RAND_MAX, which is the same for both.
                let effect = self.any_value(w, inst, ret, false)?;
                if let Effect::Value(values) = &effect
                    && let Some(value) = values.first()
                {
                    w.emit(ROp::Guard(expr::binary(BinaryOp::Ge, value.expr.clone(), expr::int(0))));
                    w.emit(ROp::Guard(expr::binary(
                        BinaryOp::Le,
                        value.expr.clone(),
                        expr::int(0x7fff_ffff),
                    )));
                }
                Ok(effect)
            }
            _ if name.starts_with("__VERIFIER_nondet_") => {
                self.any_value(w, inst, ret, name.ends_with("bool"))
            }
            "malloc" | "_Znwm" | "_Znam" | "valloc" => self.new_object(w, &arg(0), false),
            "aligned_alloc" | "memalign" => self.new_object(w, &arg(1), false),
            "free" | "cfree" => self.free(w, &arg(0)),
            "calloc" => {
                let (count, size) = (arg(0).known.single(), arg(1).known.single());
                let (Some(Value::Int(count @ 0..)), Some(Value::Int(size @ 0..))) = (count, size) else {
                    return self.unsupported(at, "an allocation whose size is not constant");
                };
                // The product of two large numbers would wrap: `calloc` notices that.
                self.new_object(w, &Scalar::int(count.saturating_mul(size), 64), true)
            }
            "memcpy" | "memmove" => match self.copy(w, &arg(0), &arg(1), &arg(2))? {
                true => Ok(Effect::Value(smallvec![arg(0)])),
                false => Ok(Effect::Fails),
            },
            "memset" => match self.fill(w, &arg(0), &arg(1), &arg(2))? {
                true => Ok(Effect::Value(smallvec![arg(0)])),
                false => Ok(Effect::Fails),
            },
            "pthread_self" | "thrd_current" => {
                Ok(Effect::Value(smallvec![Scalar::int(handle_of(self.thread), 64)]))
            }
            "pthread_equal" | "thrd_equal" => {
                let equal = self.compare(Predicate::Eq, &arg(0), &arg(1), at)?;
                Ok(Effect::Value(smallvec![Scalar { bits: 32, ..equal }]))
            }
            _ if name.starts_with("_ZdlPv") || name.starts_with("_ZdaPv") => self.free(w, &arg(0)),
            _ => self.error(
                &codes::LIBRARY,
                at,
                format!("`{}` has no body here and is not a function that is known", readable(name)),
                &format!(
                    "give its source too, or leave the call out, for instance with {}",
                    self.way_around()
                ),
            ),
        }
    }

    /// Whether `abort` only ends the execution: SV-COMP's convention for programs that report errors by `reach_error`.
    fn ends_silently(&self) -> bool {
        let name = "reach_error";
        self.module.function_names.contains_key(name) || self.module.declared.contains_key(name)
    }

    /// What is called behind `main` is not followed: it must be of the library, or empty.
    fn behind_main(&self, at: Point, function: Option<Scalar>) -> Run<()> {
        let target = match function.and_then(|function| function.known.single()) {
            Some(Value::Pointer(object, 0)) => match &self.objects[object].key {
                ObjectKey::Function(name) => Some(name.clone()),
                _ => None,
            },
            _ => None,
        };
        match target {
            Some(name) if !self.module.function_names.contains_key(&name) => Ok(()),
            _ => self.unsupported(at, "a function that is called when `main` has returned"),
        }
    }

    /// A value the program does not choose.
    fn any_value(&mut self, w: &mut Work, inst: &Inst, ret: &Type, truth: bool) -> Run<Effect> {
        let at = w.at;
        let Some(ScalarKind::Int(bits)) = self.module.scalar(ret) else {
            return self.unsupported(at, "an arbitrary value that is not an integer");
        };
        let known = if truth || bits == 1 { Known::truth() } else { Known::ANY };
        let reg = self.reg(temp_key(inst, at, 0), &known, bits);
        w.emit(ROp::Havoc { dst: reg });
        Ok(Effect::Value(smallvec![Scalar::new(known, expr::reg(reg), bits)]))
    }

    /// How many places of the functions that run say that the execution has gone wrong.
    pub(crate) fn stated(&self) -> usize {
        let mut places = 0;
        let bodies: BTreeMap<_, _> = self.bodies.iter().collect();
        for inst in bodies.values().flat_map(|body| &body.function.blocks).flat_map(|block| &block.insts) {
            if let InstKind::Call { callee: Callee::Named(name), .. } = &inst.kind {
                let is_silent = &**name == "abort" && self.ends_silently();
                let fails =
                    FAILURES.contains(&&**name) && !is_silent || is_panic(name) || &**name == "llvm.trap";
                places += usize::from(fails);
            }
        }
        places
    }

    /// Whether anybody looks at what an instruction gives.
    pub(super) fn is_used(&self, inst: &Inst, at: Point) -> bool {
        let Some(result) = inst.result else { return false };
        let body = &self.contexts[at.context].body;
        let mut used = body.lasting.contains(&result);
        for inst in body.function.blocks.iter().flat_map(|block| &block.insts) {
            inst.kind.for_each_local(&mut |local| used |= local == result);
        }
        used
    }
}

/// The first scalar of an argument.
pub(super) fn first(args: &[Scalars], i: usize) -> Option<Scalar> {
    args.get(i).and_then(|values| values.first()).cloned()
}
