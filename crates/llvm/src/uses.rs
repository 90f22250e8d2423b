//! Whether a function uses a value. A parameter that is only stored in a variable that is never read is not used.
//!
//! *Limit:* a value that reaches any other instruction counts as used.

use crate::module::{Callee, Function, InstKind, LocalId, Operand};

impl Function {
    /// Whether anything may depend on the value.
    pub fn looks_at(&self, value: LocalId) -> bool {
        let mut variables = Vec::new();
        for (result, kind) in self.kinds() {
            match kind {
                InstKind::Store { value: stored, ptr: Operand::Local(variable), .. }
                    if *stored == Operand::Local(value) && *variable != value =>
                {
                    variables.push(*variable);
                }
                _ if is_description(kind) => {}
                _ if uses(kind, value) && result != Some(value) => return true,
                _ => {}
            }
        }
        variables.into_iter().any(|variable| !self.is_never_read(variable))
    }

    /// Whether a local is a variable of this function whose value is never used.
    fn is_never_read(&self, variable: LocalId) -> bool {
        self.kinds().all(|(result, kind)| match kind {
            InstKind::Alloca { .. } => true,
            _ if result == Some(variable) => false,
            InstKind::Store { value, .. } => *value != Operand::Local(variable),
            InstKind::Load { ptr, .. } if *ptr == Operand::Local(variable) => {
                result.is_none_or(|loaded| self.kinds().all(|(_, kind)| !uses(kind, loaded)))
            }
            _ => is_description(kind) || !uses(kind, variable),
        }) && self.params.iter().all(|(_, param)| *param != variable)
    }

    fn kinds(&self) -> impl Iterator<Item = (Option<LocalId>, &InstKind)> {
        self.blocks.iter().flat_map(|block| &block.insts).map(|inst| (inst.result, &inst.kind))
    }
}

fn uses(kind: &InstKind, local: LocalId) -> bool {
    let mut found = false;
    kind.for_each_local(&mut |used| found |= used == local);
    found
}

/// An instruction that only informs debuggers.
fn is_description(kind: &InstKind) -> bool {
    match kind {
        InstKind::Declare { .. } => true,
        InstKind::Call { callee: Callee::Named(name), .. } => name.starts_with("llvm.dbg."),
        _ => false,
    }
}
