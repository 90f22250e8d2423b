//! Liveness: which registers and slots of a frame can still be read, by the usual backward fixed point. A stored state forgets
//! the others, so that states that differ only in dead values are equal.

use std::rc::Rc;

use crate::code::{Function, Inst, Target};

/// The live registers at the start of each block.
pub(crate) fn at_block_starts(code: &[Inst], starts: &[u32], n_locals: u32) -> Vec<Rc<[bool]>> {
    let mut live: Vec<Vec<bool>> = vec![vec![false; n_locals as usize]; starts.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for block in (0..starts.len()).rev() {
            let end = starts.get(block + 1).map_or(code.len(), |end| *end as usize);
            let mut now = vec![false; n_locals as usize];
            for inst in code[starts[block] as usize..end].iter().rev() {
                before(inst, &mut now, &|target, into| join(&live, starts, target, into));
            }
            if now != live[block] {
                live[block] = now;
                changed = true;
            }
        }
    }
    live.into_iter().map(Rc::from).collect()
}

fn join(live: &[Vec<bool>], starts: &[u32], target: &Target, into: &mut [bool]) {
    let Ok(block) = starts.binary_search(&target.pc) else { return };
    merge(&live[block], target, into);
}

/// What is live after a jump is live before it, except what the jump's moves write; what they read is live, too.
fn merge(there: &[bool], target: &Target, into: &mut [bool]) {
    for (local, matters) in there.iter().enumerate() {
        if *matters && !target.moves.iter().any(|(dst, _)| *dst as usize == local) {
            into[local] = true;
        }
    }
    for (dst, operand) in target.moves.iter() {
        if there[*dst as usize] {
            operand.for_each_local(&mut |local| into[local as usize] = true);
        }
    }
}

fn before(inst: &Inst, now: &mut [bool], at_target: &dyn Fn(&Target, &mut [bool])) {
    if inst.op.ends_block() {
        now.fill(false);
    }
    if let crate::code::Op::SlotStore(slot, _) = &inst.op {
        now[*slot as usize] = false;
    }
    if let Some(dst) = inst.dst {
        now[dst as usize] = false;
    }
    inst.op.for_each_target(&mut |target| at_target(target, now));
    inst.op.for_each_use(&mut |local| now[local as usize] = true);
}

impl Function {
    /// The registers and slots live before the instruction.
    pub(crate) fn live_before(&self, pc: u32) -> Rc<[bool]> {
        if let Some(known) = self.live.borrow().get(&pc) {
            return known.clone();
        }
        let block = self.block_starts.partition_point(|start| *start <= pc).saturating_sub(1);
        let end = self.block_starts.get(block + 1).map_or(self.code.len(), |end| *end as usize);
        let mut now = vec![false; self.n_locals as usize];
        for inst in self.code[pc as usize..end].iter().rev() {
            before(inst, &mut now, &|target, into| {
                if let Ok(there) = self.block_starts.binary_search(&target.pc) {
                    merge(&self.block_live[there], target, into);
                }
            });
        }
        let now: Rc<[bool]> = now.into();
        self.live.borrow_mut().insert(pc, now.clone());
        now
    }

    /// The registers and slots live after the call at the instruction, on its normal and exceptional return.
    pub(crate) fn live_behind_call(&self, pc: u32) -> Rc<[bool]> {
        let key = u32::MAX - pc;
        if let Some(known) = self.live.borrow().get(&key) {
            return known.clone();
        }
        let inst = &self.code[pc as usize];
        let mut now = self.live_before(pc + 1).to_vec();
        if let Some(dst) = inst.dst {
            now[dst as usize] = false;
        }
        inst.op.for_each_target(&mut |target| {
            if let Ok(there) = self.block_starts.binary_search(&target.pc) {
                merge(&self.block_live[there], target, &mut now);
            }
        });
        let now: Rc<[bool]> = now.into();
        self.live.borrow_mut().insert(key, now.clone());
        now
    }
}
