//! Branches: to which block, with which values, and what is known on the way there.

use std::sync::Arc;

use fencewright_ir::BinaryOp;

use super::expr::{self, RExpr};
use super::machine::{Machine, RegKey, Run, Successor, Work};
use super::operands::Scalars;
use super::state::{Env, Point, Temp};
use super::value::{self, Known, Value};
use crate::llvm::codes;
use fencewright_llvm::layout::ScalarKind;
use fencewright_llvm::module::{BinOp, BlockId, CastOp, Constant, InstKind, LocalId, Operand, Type};

impl Machine<'_> {
    pub(crate) fn switch(
        &mut self,
        w: &mut Work,
        (ty, operand, default, cases): (&Type, &Operand, BlockId, &[(Constant, BlockId)]),
    ) -> Run<()> {
        let at = w.at;
        let value = self.scalar(w, ty, operand)?;
        if value.known.has_pointer() {
            return self.pointer_error(at);
        }
        let mut otherwise = expr::int(1);
        let mut taken = Vec::new();
        for (case, target) in cases {
            let Some(case) = self.constant_value(case, ty)? else {
                return self.unsupported(at, "this case of a switch");
            };
            taken.push(case);
            let hit = expr::binary(BinaryOp::Eq, value.expr.clone(), expr::constant(case));
            otherwise = expr::binary(BinaryOp::And, otherwise, expr::not(hit.clone()));
            let possible = value.known.values().is_none_or(|set| set.contains(&case));
            let mut env = w.env.clone();
            if possible && self.assume(&mut env, operand, at, &|v| v == case, 16) {
                self.branch(w, env, hit, *target)?;
            }
        }
        let possible = value.known.values().is_none_or(|set| set.iter().any(|v| !taken.contains(v)));
        let mut env = w.env.clone();
        if possible && self.assume(&mut env, operand, at, &|v| !taken.contains(&v), 16) {
            self.branch(w, env, otherwise, default)?;
        }
        Ok(())
    }

    /// To a block, with the values of its phis.
    pub(crate) fn branch(&mut self, w: &mut Work, env: Env, guard: RExpr, target: BlockId) -> Run<()> {
        let at = w.at;
        let body = self.contexts[at.context].body.clone();
        let mut next = Work::new(at, env);
        let mut moves: Vec<(LocalId, Scalars)> = Vec::new();
        for inst in body.function.blocks.get(target).into_iter().flat_map(|block| &block.insts) {
            let InstKind::Phi { ty, incoming } = &inst.kind else { break };
            let Some((value, _)) = incoming.iter().find(|(_, from)| *from == at.block) else {
                return self.error(
                    &codes::MALFORMED,
                    at,
                    "a phi has no value for this branch",
                    "give the module as the compiler wrote it",
                );
            };
            if let Some(result) = inst.result {
                moves.push((result, self.operand(&next, ty, value)?));
            }
        }
        // All at once: a phi may use the old value of another.
        let clash = moves.iter().enumerate().any(|(i, (_, values))| {
            values.iter().any(|value| {
                moves[..i].iter().any(|(earlier, _)| self.mentions_local(&value.expr, at, *earlier))
            })
        });
        if clash {
            for (number, (_, values)) in moves.iter_mut().enumerate() {
                for (leaf, value) in values.iter_mut().enumerate() {
                    let key = RegKey::Scratch((number * 16 + leaf) as u32);
                    *value = self.keep(&mut next, key, value.clone());
                }
            }
        }
        let gone = |temp: &Temp| temp.context == at.context && !body.lasting.contains(&temp.local);
        next.env.temps.retain(|temp, _| !gone(temp));
        next.env.origins.retain(|temp, _| !gone(temp));
        for (local, values) in moves {
            self.set_local(&mut next, local, values);
        }
        let target = Point { context: at.context, block: target, index: 0 };
        w.successors.push(Successor { guard, ops: next.ops, env: next.env, target });
        Ok(())
    }

    fn mentions_local(&self, expr: &RExpr, at: Point, local: LocalId) -> bool {
        let Some((infos, _)) = self.regs.get(self.thread) else { return false };
        let mut found = false;
        expr.for_each_atom(&mut |atom| {
            if let expr::Atom::Reg(reg) = atom
                && let RegKey::Temp(temp) = infos[*reg].key
            {
                found |= temp.context == at.context && temp.local == local;
            }
        });
        found
    }

    /// Restricts what is known to where the operand satisfies a condition. False if nothing is left.
    pub(crate) fn assume(
        &self,
        env: &mut Env,
        operand: &Operand,
        at: Point,
        keep: &dyn Fn(Value) -> bool,
        fuel: u32,
    ) -> bool {
        let Operand::Local(local) = operand else { return true };
        let temp = Temp { context: at.context, local: *local, leaf: 0 };
        let Some(known) = env.temps.get(&temp) else { return true };
        let rest = known.filter(keep);
        if rest.values().is_some_and(|set| set.is_empty()) {
            return false;
        }
        if let Some(&cell) = env.origins.get(&temp)
            && let Some(piece) = env.memory.get_mut(&cell)
        {
            piece.known = piece.known.filter(keep);
        }
        env.temps.insert(temp, rest.clone());
        if fuel == 0 {
            return true;
        }
        // What the operand was computed from is restricted too.
        let body: Arc<_> = self.contexts[at.context].body.clone();
        let Some(&(block, index)) = body.definitions.get(local) else { return true };
        let Some(inst) = body.function.blocks.get(block).and_then(|b| b.insts.get(index as usize)) else {
            return true;
        };
        match &inst.kind {
            InstKind::Cast { op, from, value, to, .. } => {
                let (Some(from), Some(to)) = (self.module.scalar(from), self.module.scalar(to)) else {
                    return true;
                };
                let through = |v: Value| value::cast(*op, from.bits(), to.bits(), v).is_none_or(keep);
                let narrows = *op == CastOp::Trunc && !matches!(value, Operand::Local(_));
                narrows || self.assume(env, value, at, &through, fuel - 1)
            }
            InstKind::Freeze { value, .. } => self.assume(env, value, at, keep, fuel - 1),
            InstKind::Binary { op: BinOp::Xor, ty: Type::Int(1), a, b, .. } => {
                let Operand::Const(Constant::Int(flip)) = b else { return true };
                let through = |v: Value| match v {
                    Value::Int(v) => keep(Value::Int((v ^ flip) & 1)),
                    _ => true,
                };
                self.assume(env, a, at, &through, fuel - 1)
            }
            InstKind::Compare { predicate, ty, a, b } => {
                let Some(Value::Int(truth)) = rest.single() else { return true };
                let Some(bits) = self.module.scalar(ty).map(ScalarKind::bits) else { return true };
                // What cannot be compared is kept.
                let holds = |x: Value, y: Value| {
                    self.compare_values(*predicate, bits, x, y).is_none_or(|found| found == (truth != 0))
                };
                let known = |env: &Env, operand: &Operand| match operand {
                    Operand::Local(local) => {
                        env.temps.get(&Temp { context: at.context, local: *local, leaf: 0 }).cloned()
                    }
                    Operand::Const(Constant::Int(v)) => Some(Known::int(value::canonical(bits, *v))),
                    Operand::Const(Constant::Zero) => Some(Known::int(0)),
                    Operand::Const(_) => None,
                };
                if let Some(Known::Set(right)) = known(env, b) {
                    let fits = |x: Value| right.iter().any(|&y| holds(x, y));
                    if !self.assume(env, a, at, &fits, fuel - 1) {
                        return false;
                    }
                }
                if let Some(Known::Set(left)) = known(env, a) {
                    let fits = |y: Value| left.iter().any(|&x| holds(x, y));
                    return self.assume(env, b, at, &fits, fuel - 1);
                }
                true
            }
            _ => true,
        }
    }
}
