//! Calls: functions of the module are copied into their callers, others are looked up in the [`library`](super::library).

use std::sync::Arc;

use fencewright_ir::BinaryOp;

use super::expr;
use super::machine::{Machine, ObjectKey, ROp, Run, Scalar, Successor, Work};
use super::operands::Scalars;
use super::reasons::{Mistake, failure};
use super::state::{ContextId, Env, MAIN, Point, Temp};
use super::value::{ObjectId, Value};
use crate::llvm::codes;
use fencewright_llvm::module::{BlockId, Callee, Constant, FunctionId, Inst, Operand, Type};
use fencewright_llvm::names::readable;

/// The most bytes of a local variable.
const MAX_LOCAL: u64 = 1 << 24;

/// What became of a call.
pub(crate) enum Called {
    /// It is done, and its result is there.
    Done,
    /// The node ends here.
    Left,
}

/// What a function that is not copied does.
pub(crate) enum Effect {
    /// Gives these scalars.
    Value(Scalars),
    /// The property is violated.
    Fails,
    /// The thread ends.
    Ends,
    /// The thread does nothing more, and nobody who waits for its end goes on: the whole process ends, or the execution
    /// is not followed further.
    Stops,
    /// Calls this function instead.
    Calls(FunctionId, Vec<Scalars>),
}

impl Machine<'_> {
    pub(crate) fn declare(&mut self, w: &Work, address: &Operand, variable: u32) -> Run<()> {
        let at = w.at;
        let Operand::Local(local) = address else { return Ok(()) };
        let known = w.env.temps.get(&Temp { context: at.context, local: *local, leaf: 0 });
        if let Some(Value::Pointer(object, 0)) = known.and_then(|known| known.single())
            && self.objects[object].variable.is_none()
        {
            self.objects[object].variable = self.positions.variable(variable);
        }
        Ok(())
    }

    pub(crate) fn alloca(&mut self, w: &mut Work, ty: &Type, count: &Operand) -> Run<Scalar> {
        let at = w.at;
        let count = self.scalar(w, &Type::Int(64), count)?;
        let Some(Value::Int(count)) = count.known.single() else {
            return self.unsupported(at, "a local array whose length is not constant");
        };
        let bytes =
            u64::try_from(count).ok().and_then(|count| count.checked_mul(self.size_of(ty, at).ok()?.into()));
        let Some(size) = bytes.filter(|&bytes| bytes <= MAX_LOCAL) else {
            return self.unsupported(at, "a local variable of this size");
        };
        if at.block != BlockId(0) {
            return self.unsupported(at, "a local array that is made inside a function");
        }
        let ty = (count == 1).then(|| ty.clone());
        let object = self.object(ObjectKey::Local(at.context, at.block, at.index), Some(size), ty);
        // A local variable is new whenever its declaration is reached.
        self.begin_local(w, object)?;
        w.env.memory.retain(|cell, _| cell.0 != object);
        w.env.origins.retain(|_, cell| cell.0 != object);
        Ok(Scalar::constant(Value::Pointer(object, 0), 64))
    }

    pub(crate) fn call(
        &mut self,
        w: &mut Work,
        inst: &Inst,
        callee: &Callee,
        args: &[(Type, Operand)],
        ret: &Type,
    ) -> Run<Called> {
        let at = w.at;
        let name: Arc<str> = match callee {
            Callee::Asm { text, read } => {
                return match &**read {
                    Ok(assembly) => self.assembly(w, inst, assembly, args, ret),
                    Err(why) => self.unknown_assembly(at, text, why),
                };
            }
            Callee::Named(name) => name.clone(),
            Callee::Value(value) => {
                let pointer = self.scalar(w, &Type::Ptr, value)?;
                let targets = self.functions(w, &pointer)?;
                if targets.is_empty() {
                    return Ok(Called::Left);
                }
                if let [(_, name)] = &targets[..] {
                    name.clone()
                } else {
                    return self.call_one_of(w, &pointer, targets, args);
                }
            }
        };
        let mut values = Vec::with_capacity(args.len());
        for (ty, operand) in args {
            values.push(match ty {
                Type::Sizeless => Scalars::new(),
                _ if name.starts_with("llvm.") => self.operand(w, ty, operand).unwrap_or_default(),
                _ => self.argument(w, ty, operand)?,
            });
        }
        match self.library(w, &name, inst, values, args, ret)? {
            Effect::Value(value) => {
                self.set_all(w, inst, value);
                Ok(Called::Done)
            }
            Effect::Fails => {
                w.emit(failure(Mistake::of_call(&name)));
                Ok(Called::Left)
            }
            Effect::Ends => {
                self.end_thread(w, false)?;
                Ok(Called::Left)
            }
            Effect::Stops => Ok(Called::Left),
            Effect::Calls(function, values) => {
                let env = std::mem::take(&mut w.env);
                self.enter(w, env, function, values, expr::int(1))?;
                Ok(Called::Left)
            }
        }
    }

    /// An argument; one that cannot be computed with is passed all the same, as long as nobody uses it.
    fn argument(&mut self, w: &Work, ty: &Type, operand: &Operand) -> Run<Scalars> {
        match operand {
            Operand::Const(
                Constant::Unknown(_)
                | Constant::Float(_)
                | Constant::Compare { .. }
                | Constant::Select { .. }
                | Constant::BlockAddress(..)
                | Constant::Splat(_),
            ) => Ok(Scalars::new()),
            _ => self.operand(w, ty, operand),
        }
    }

    /// The functions an address can be; that it is nothing else is checked.
    pub(crate) fn functions(&mut self, w: &mut Work, pointer: &Scalar) -> Run<Vec<(ObjectId, Arc<str>)>> {
        let at = w.at;
        let (mut targets, mut good, mut bad) = (Vec::new(), Vec::new(), Vec::new());
        for &value in pointer.known.values().into_iter().flatten() {
            match value {
                Value::Pointer(object, 0) if let ObjectKey::Function(name) = &self.objects[object].key => {
                    targets.push((object, name.clone()));
                    good.push(value);
                }
                _ => bad.push(value),
            }
        }
        if targets.is_empty() && !bad.is_empty() {
            // Nothing that could be called, as far as is known yet.
            w.emit(failure(Mistake::NotAFunction));
            w.ended = true;
            return Ok(targets);
        }
        if targets.is_empty() {
            return self.error(
                &codes::INDIRECT,
                at,
                "which function is called here cannot be found out",
                "call it by name, or let the pointer come from a constant",
            );
        }
        self.check_among(w, &pointer.expr, (&good, &bad), Mistake::NotAFunction);
        Ok(targets)
    }

    fn call_one_of(
        &mut self,
        w: &mut Work,
        pointer: &Scalar,
        targets: Vec<(ObjectId, Arc<str>)>,
        args: &[(Type, Operand)],
    ) -> Run<Called> {
        let at = w.at;
        for (object, name) in targets {
            let Some(&function) = self.module.function_names.get(&name) else {
                return self.unsupported(at, &format!("a call that may be of `{}`", readable(&name)));
            };
            let mut values = Vec::new();
            for (ty, operand) in args {
                values.push(self.operand(w, ty, operand)?);
            }
            let guard =
                expr::binary(BinaryOp::Eq, pointer.expr.clone(), expr::constant(Value::Pointer(object, 0)));
            self.enter(w, w.env.clone(), function, values, guard)?;
        }
        Ok(Called::Left)
    }

    /// Into a copy of a function.
    pub(crate) fn enter(
        &mut self,
        w: &mut Work,
        env: Env,
        function: FunctionId,
        args: Vec<Scalars>,
        guard: super::expr::RExpr,
    ) -> Run<()> {
        let at = w.at;
        // The callee has a copy of its own, which is not made here.
        if self.module.functions[function].byval.iter().any(Option::is_some) {
            return self.unsupported(at, "a structure that is passed by value in memory");
        }
        let context = self.context(function, Some(at))?;
        let start = Point { context, block: BlockId(0), index: 0 };
        let mut next = Work::new(start, env);
        if self.is_atomic(context) {
            next.emit(ROp::AtomicBegin);
        }
        let params: Vec<_> =
            self.contexts[context].body.function.params.iter().map(|(_, local)| *local).collect();
        for (param, values) in params.into_iter().zip(args) {
            self.set_local(&mut next, param, values);
        }
        // The assignments of parameters belong to the call in the text.
        for residual in &mut next.ops {
            residual.at = at;
        }
        w.successors.push(Successor { guard, ops: next.ops, env: next.env, target: start });
        Ok(())
    }

    /// Whether the function of a call happens at once, by the convention of checkers.
    fn is_atomic(&self, context: ContextId) -> bool {
        let name = &self.module.functions[self.contexts[context].function].name;
        name.starts_with("__VERIFIER_atomic_")
    }

    pub(crate) fn return_from(&mut self, w: &mut Work, values: Scalars) -> Run<()> {
        let at = w.at;
        let context = self.contexts[at.context].clone();
        if context.caller.is_some() || self.behind.contains_key(&at.context) {
            self.end_locals(w, at.context)?;
        }
        if let Some(&next) = self.behind.get(&at.context) {
            let mut env = std::mem::take(&mut w.env);
            self.forget_call(&mut env, at.context);
            let target = Point { context: next, block: BlockId(0), index: 0 };
            w.successors.push(Successor { guard: expr::int(1), ops: Vec::new(), env, target });
            return Ok(());
        }
        let Some(caller) = context.caller else {
            self.give_back(w, Some(&values))?;
            return self.end_thread(w, self.thread == MAIN);
        };
        let body = self.contexts[caller.context].body.clone();
        let inst =
            body.function.blocks.get(caller.block).and_then(|block| block.insts.get(caller.index as usize));
        let mut next = Work::new(caller, std::mem::take(&mut w.env));
        if self.is_atomic(at.context) {
            next.emit(ROp::AtomicEnd);
        }
        if let Some(result) = inst.and_then(|inst| inst.result) {
            let values = match inst.map(|inst| &inst.kind) {
                // A call whose result was replaced, such as that of a wrapper around `main`.
                Some(fencewright_llvm::module::InstKind::Call { ret, .. }) if values.is_empty() => {
                    self.zeros(ret)
                }
                _ => values,
            };
            self.set_local(&mut next, result, values);
        }
        self.forget_call(&mut next.env, at.context);
        let target = Point { index: caller.index + 1, ..caller };
        w.successors.push(Successor { guard: expr::int(1), ops: next.ops, env: next.env, target });
        Ok(())
    }

    /// What a call that has returned leaves behind: nothing.
    fn forget_call(&self, env: &mut Env, context: ContextId) {
        let objects = &self.objects;
        env.forget(
            context,
            &|object| matches!(objects[object].key, ObjectKey::Local(owner, ..) if owner == context),
        );
    }

    /// A value of the type that is all zeros.
    pub(crate) fn zeros(&self, ty: &Type) -> Scalars {
        let scalars = self.module.scalars(ty).unwrap_or_default();
        scalars.iter().map(|scalar| Scalar::int(0, scalar.kind.bits())).collect()
    }
}
