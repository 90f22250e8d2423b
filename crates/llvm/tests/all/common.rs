//! Small modules and their instructions.

use fencewright_llvm::module::{Function, FunctionId, InstKind};
use fencewright_llvm::parse::Module;

/// The first body of a module.
pub(crate) fn first_body(text: &str) -> Function {
    let module = Module::parse(text).expect("the module is well-formed");
    module.body(FunctionId(0)).expect("the body is well-formed")
}

/// The instructions of a function `f(ptr %p, i32 %i, double %d, <4 x i32> %v)` with these lines and a return.
pub(crate) fn kinds(lines: &str) -> Vec<InstKind> {
    let body = first_body(&format!(
        "define void @f(ptr %p, i32 %i, double %d, <4 x i32> %v) {{\n{lines}\n  ret void\n}}\n"
    ));
    let mut kinds: Vec<_> =
        body.blocks.iter().flat_map(|block| &block.insts).map(|inst| inst.kind.clone()).collect();
    assert!(matches!(kinds.pop(), Some(InstKind::Return(None))));
    kinds
}

/// The instruction of such a function with one line.
pub(crate) fn kind(line: &str) -> InstKind {
    let mut kinds = kinds(line);
    assert_eq!(kinds.len(), 1);
    kinds.remove(0)
}
