//! Calls: functions of the module are copied into their callers, others are looked up in the [`library`](super::library).

use std::rc::Rc;

use fencewright_ir::{BinaryOp, FenceKind};

use super::expr;
use super::interpret::Executed;
use super::machine::{Machine, ObjectKey, ROp, RegKey, Residual, Run, Scalar, Successor};
use super::memory::failure;
use super::operands::Scalars;
use super::state::{Env, Point, Temp};
use super::value::{ObjectId, Value};
use crate::llvm::codes;
use crate::llvm::debug::readable;
use crate::llvm::module::{BlockId, Callee, FunctionId, Inst, Operand, Type};

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
    /// Calls this function instead.
    Calls(FunctionId, Vec<Scalars>),
}

impl Machine<'_> {
    pub(crate) fn declare(&mut self, env: &Env, address: &Operand, variable: u32, at: Point) -> Run<()> {
        let Operand::Local(local) = address else { return Ok(()) };
        let known = env.temps.get(&Temp { context: at.context, local: *local, leaf: 0 });
        if let Some(Value::Pointer(object, 0)) = known.and_then(|known| known.single())
            && self.objects[object].variable.is_none()
        {
            self.objects[object].variable = self.positions.variable(variable);
        }
        Ok(())
    }

    pub(crate) fn alloca(&mut self, env: &mut Env, ty: &Type, count: &Operand, at: Point) -> Run<Scalar> {
        let count = match count {
            Operand::Const(_) => self.scalar(env, &Type::Int(64), count, at)?,
            Operand::Local(_) => self.scalar(env, &Type::Int(64), count, at)?,
        };
        let Some(Value::Int(count)) = count.known.single() else {
            return self.unsupported(at, "a local array whose length is not constant");
        };
        let size = u64::from(self.size_of(ty, at)?).saturating_mul(u64::try_from(count).unwrap_or(u64::MAX));
        let ty = (count == 1).then(|| ty.clone());
        let object = self.object(ObjectKey::Local(at.context, at.block, at.index), Some(size), ty);
        // A local variable is new whenever its declaration is reached.
        env.memory.retain(|cell, _| cell.0 != object);
        env.origins.retain(|_, cell| cell.0 != object);
        Ok(Scalar::constant(Value::Pointer(object, 0), 64))
    }

    #[allow(clippy::too_many_arguments, reason = "a call has that many parts")]
    pub(crate) fn call(
        &mut self,
        inst: &Inst,
        callee: &Callee,
        args: &[(Type, Operand)],
        ret: &Type,
        at: Point,
        env: &mut Env,
        done: &mut Executed,
    ) -> Run<Called> {
        let name: Rc<str> = match callee {
            Callee::Asm(text) => {
                let kind = assembly(text);
                return match kind {
                    Some(kind) => {
                        done.ops.extend(kind.map(|kind| Residual { op: ROp::Fence(kind), at }));
                        self.set_all(env, &mut done.ops, inst, at, self.zeros(ret));
                        Ok(Called::Done)
                    }
                    None => self.unsupported(at, &format!("the inline assembly `{}`", text.trim())),
                };
            }
            Callee::Named(name) => name.clone(),
            Callee::Value(value) => {
                let pointer = self.scalar(env, &Type::Ptr, value, at)?;
                let targets = self.functions(&pointer, at)?;
                if let [(_, name)] = &targets[..] {
                    name.clone()
                } else {
                    return self.call_one_of(&pointer, targets, args, at, env, done);
                }
            }
        };
        let mut values = Vec::with_capacity(args.len());
        for (ty, operand) in args {
            values.push(match ty {
                Type::Sizeless => Scalars::new(),
                _ if name.starts_with("llvm.") => self.operand(env, ty, operand, at).unwrap_or_default(),
                _ => self.argument(env, ty, operand, at)?,
            });
        }
        match self.library(&name, inst, values, args, ret, at, env, done)? {
            Effect::Value(value) => {
                self.set_all(env, &mut done.ops, inst, at, value);
                Ok(Called::Done)
            }
            Effect::Fails => {
                done.ops.push(Residual { op: failure(), at });
                Ok(Called::Left)
            }
            Effect::Ends => {
                done.ops.push(Residual { op: ROp::End, at });
                Ok(Called::Left)
            }
            Effect::Calls(function, values) => {
                let env = std::mem::take(env);
                self.enter(function, values, expr::int(1), at, env, done)?;
                Ok(Called::Left)
            }
        }
    }

    /// An argument; one that cannot be computed with is passed all the same, as long as nobody uses it.
    fn argument(&mut self, env: &Env, ty: &Type, operand: &Operand, at: Point) -> Run<Scalars> {
        match operand {
            Operand::Const(crate::llvm::module::Constant::Unknown(_)) => Ok(Scalars::new()),
            _ => self.operand(env, ty, operand, at),
        }
    }

    /// The functions an address can be.
    pub(crate) fn functions(&self, pointer: &Scalar, at: Point) -> Run<Vec<(ObjectId, Rc<str>)>> {
        let mut targets = Vec::new();
        for value in pointer.known.values().into_iter().flatten() {
            if let Value::Pointer(object, 0) = value
                && let ObjectKey::Function(name) = &self.objects[*object].key
            {
                targets.push((*object, name.clone()));
            }
        }
        if targets.is_empty() {
            return self.error(
                &codes::INDIRECT,
                at,
                "which function is called here cannot be found out",
                "call it by name, or let the pointer come from a constant",
            );
        }
        Ok(targets)
    }

    fn call_one_of(
        &mut self,
        pointer: &Scalar,
        targets: Vec<(ObjectId, Rc<str>)>,
        args: &[(Type, Operand)],
        at: Point,
        env: &Env,
        done: &mut Executed,
    ) -> Run<Called> {
        for (object, name) in targets {
            let Some(&function) = self.module.function_names.get(&name) else {
                return self.unsupported(at, &format!("a call that may be of `{}`", readable(&name)));
            };
            let mut values = Vec::new();
            for (ty, operand) in args {
                values.push(self.operand(env, ty, operand, at)?);
            }
            let guard =
                expr::binary(BinaryOp::Eq, pointer.expr.clone(), expr::constant(Value::Pointer(object, 0)));
            self.enter(function, values, guard, at, env.clone(), done)?;
        }
        Ok(Called::Left)
    }

    /// Into a copy of a function.
    pub(crate) fn enter(
        &mut self,
        function: FunctionId,
        args: Vec<Scalars>,
        guard: super::expr::RExpr,
        at: Point,
        mut env: Env,
        done: &mut Executed,
    ) -> Run<()> {
        let context = self.context(function, Some(at), Some(at))?;
        let start = Point { context, block: BlockId(0), index: 0 };
        let mut ops = Vec::new();
        let params: Vec<_> = self.contexts[context].body.function.params.iter().map(|(_, local)| *local).collect();
        for (param, values) in params.into_iter().zip(args) {
            self.set_local(&mut env, &mut ops, param, start, values);
        }
        // The assignments of parameters belong to the call in the text.
        for residual in &mut ops {
            residual.at = at;
        }
        done.successors.push(Successor { guard, ops, env, target: start });
        Ok(())
    }

    pub(crate) fn return_from(&mut self, done: &mut Executed, mut env: Env, values: Scalars, at: Point) -> Run<()> {
        let context = self.contexts[at.context].clone();
        let Some(caller) = context.caller else {
            done.ops.push(Residual { op: ROp::End, at });
            return Ok(());
        };
        let body = self.contexts[caller.context].body.clone();
        let inst = body.function.blocks.get(caller.block).and_then(|block| block.insts.get(caller.index as usize));
        let mut ops = Vec::new();
        if let Some(result) = inst.and_then(|inst| inst.result) {
            let values = match inst.map(|inst| &inst.kind) {
                // A call whose result was replaced, such as that of a wrapper around `main`.
                Some(crate::llvm::module::InstKind::Call { ret, .. }) if values.is_empty() => self.zeros(ret),
                _ => values,
            };
            self.set_local(&mut env, &mut ops, result, caller, values);
        }
        let objects = &self.objects;
        env.forget(at.context, &|object| {
            matches!(objects[object].key, ObjectKey::Local(owner, ..) if owner == at.context)
        });
        let target = Point { index: caller.index + 1, ..caller };
        done.successors.push(Successor { guard: expr::int(1), ops, env, target });
        Ok(())
    }

    /// A value of the type that is all zeros.
    pub(crate) fn zeros(&self, ty: &Type) -> Scalars {
        let scalars = self.module.scalars(ty).unwrap_or_default();
        scalars.iter().map(|scalar| Scalar::int(0, scalar.kind.bits())).collect()
    }

    /// The next object of an allocation place: its address, or `None` if there are no more within the bound.
    pub(crate) fn allocate(
        &mut self,
        env: &mut Env,
        ops: &mut Vec<Residual>,
        size: u64,
        at: Point,
    ) -> Run<Option<Scalar>> {
        use super::value::Known;
        let bound = self.unit.options.heap_bound.max(1);
        let counter = self.object(ObjectKey::Counter(at.context, at.block, at.index), Some(4), None);
        let cell = Scalar::constant(Value::Pointer(counter, 0), 64);
        let scratch = RegKey::Scratch(2_000_000);
        let Some(count) = self.load(env, ops, &cell, crate::llvm::layout::ScalarKind::Int(32), 4, scratch, at)? else {
            return Ok(None);
        };
        let count = self.keep(ops, scratch, count, at);
        let within = count.known.filter(&|v| matches!(v, Value::Int(n) if n < i128::from(bound)));
        let objects: Vec<ObjectId> = (0..bound)
            .map(|n| self.object(ObjectKey::Heap(at.context, at.block, at.index, n), Some(size), None))
            .collect();
        let Some(counts) = within.values().cloned() else { return Ok(None) };
        if within != count.known {
            self.heap_bound_hit = Some(self.position(at));
            let guard = expr::binary(BinaryOp::Lt, count.expr.clone(), expr::int(bound.into()));
            ops.push(Residual { op: ROp::Guard(guard), at });
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
            within.map2(&Known::int(1), &|a, b| super::value::binary(crate::llvm::module::BinOp::Add, 32, a, b)),
            expr::binary(BinaryOp::Add, count.expr.clone(), expr::int(1)),
            32,
        );
        self.store(env, ops, &cell, &next, 4, &|addr, value| ROp::Write { addr, value }, at)?;
        Ok(Some(pointer))
    }
}

/// What a piece of inline assembly does: `Some(None)` nothing, `Some(Some)` a fence; `None` if that is not known.
fn assembly(text: &str) -> Option<Option<FenceKind>> {
    let mut strongest = None;
    let mut after_lock = false;
    for part in text.split([';', '\n']) {
        let part = part.trim().to_ascii_lowercase();
        let words: Vec<&str> = part.split_whitespace().collect();
        let kind = match words[..] {
            [] => continue,
            ["lock"] => {
                after_lock = true;
                continue;
            }
            ["mfence"] | ["sync"] | ["dmb", "ish"] | ["dmb", "sy"] | ["membar", "#storeload"] | ["fence"] => {
                Some(FenceKind::Full)
            }
            ["sfence"] | ["lwsync"] | ["eieio"] | ["dmb", "ishst"] | ["dmb", "st"] | ["membar", "#storestore"] => {
                Some(FenceKind::StoreStore)
            }
            ["lfence"] | ["pause"] | ["nop"] | ["rep"] | ["dmb", "ishld"] | ["yield"] | ["rep", "nop"] => None,
            // `lock; addl $0,0(%rsp)`: nothing is changed, all earlier writes are waited for.
            [first, ..] if first == "lock" || after_lock => {
                let rest = if after_lock { &words[..] } else { &words[1..] };
                let idle = rest.first().is_some_and(|op| op.starts_with("add") || op.starts_with("or"))
                    && rest.get(1).is_some_and(|operand| operand.starts_with("$$0") || operand.starts_with("$0"));
                if !idle {
                    return None;
                }
                Some(FenceKind::Full)
            }
            _ => return None,
        };
        strongest = match (strongest, kind) {
            (Some(FenceKind::Full), _) | (_, Some(FenceKind::Full)) => Some(FenceKind::Full),
            (a, b) => a.or(b),
        };
    }
    Some(strongest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assembly_is_known_by_its_text() {
        for (text, kind) in [
            ("", None),
            ("mfence", Some(FenceKind::Full)),
            ("sfence", Some(FenceKind::StoreStore)),
            ("lfence\n", None),
            ("rep; nop", None),
            ("lock; addl $$0,0(%rsp)", Some(FenceKind::Full)),
            ("lock orl $$0x0,(%rsp)", Some(FenceKind::Full)),
            ("sfence; mfence", Some(FenceKind::Full)),
        ] {
            assert_eq!(assembly(text), Some(kind), "{text}");
        }
        assert_eq!(assembly("xchg %eax, $0"), None);
        assert_eq!(assembly("lock; incl $0"), None);
    }
}
