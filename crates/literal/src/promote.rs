//! Finds local variables whose address is never taken: every use is a load or a store of one scalar type. They live in slots of
//! the frame, which no other thread and no pointer can reach.

use std::collections::{HashMap, HashSet};

use fencewright_llvm::module::{Callee, Constant, Function, InstKind, LocalId, Operand, Type};

use crate::constants::Evaluator;
use crate::layout::Shape;
use crate::object::poison;
use crate::value::Value;

/// The slots of a function.
pub(crate) struct Slots {
    /// The slot of each `alloca` that has one.
    pub(crate) of: HashMap<LocalId, u32>,
    /// The initial value of each slot: all bits unset.
    pub(crate) values: Vec<Value>,
}

/// Finds the variables that can be slots. Slots are numbered after the registers.
pub(crate) fn slots(text: &Function, evaluator: &Evaluator<'_>, n_registers: u32) -> Slots {
    let size_of = |ty: &Type| match evaluator.shape(ty) {
        Ok(Shape::Scalar(_, size)) if size <= 8 => Some(size),
        _ => None,
    };
    let mut types: HashMap<LocalId, Option<Type>> = HashMap::new();
    let mut order = Vec::new();
    // A variable of the first block is made once per call; others may be made again in a loop.
    for inst in text.blocks.iter().take(1).flat_map(|block| &block.insts) {
        if let (InstKind::Alloca { ty, count: Operand::Const(Constant::Int(1)), .. }, Some(local)) =
            (&inst.kind, inst.result)
            && let Some(size) = size_of(ty)
        {
            types.insert(local, None);
            order.push((local, size));
        }
    }
    let mut taken: HashSet<LocalId> = HashSet::new();
    for inst in text.blocks.iter().flat_map(|block| &block.insts) {
        let mut accessed = |ty: &Type, ptr: &Operand| -> Option<LocalId> {
            let Operand::Local(local) = ptr else { return None };
            let known = types.get_mut(local)?;
            if known.get_or_insert_with(|| ty.clone()) != ty {
                taken.insert(*local);
            }
            Some(*local)
        };
        let through = match &inst.kind {
            InstKind::Load { ty, ptr, .. } => accessed(ty, ptr),
            InstKind::Store { ty, ptr, value, .. } => {
                // Storing its own address into it takes the address.
                accessed(ty, ptr).filter(|local| *value != Operand::Local(*local))
            }
            InstKind::Declare { address: Operand::Local(local), .. } => Some(*local),
            _ => None,
        };
        let is_mark = matches!(&inst.kind, InstKind::Call { callee: Callee::Named(name), .. }
            if name.starts_with("llvm.lifetime.") || name.starts_with("llvm.dbg."));
        inst.kind.for_each_local(&mut |local| {
            if Some(local) != through && !is_mark {
                taken.insert(local);
            }
        });
    }
    let mut slots = Slots { of: HashMap::new(), values: Vec::new() };
    for (local, size) in order {
        let Some(ty) = &types[&local] else { continue };
        let fits = size_of(ty).is_some_and(|accessed| accessed <= size);
        if !taken.contains(&local)
            && fits
            && let Ok(shape) = evaluator.shape(ty)
        {
            slots.of.insert(local, n_registers + slots.values.len() as u32);
            slots.values.push(poison(&shape));
        }
    }
    slots
}
