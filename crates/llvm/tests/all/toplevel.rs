//! What the top level says about globals and functions.

use fencewright_llvm::debug::DebugInfo;
use fencewright_llvm::link::Linked;
use fencewright_llvm::module::{Constant, FunctionId, Linkage, Type};
use fencewright_llvm::parse::Module;

const MODULE: &str = r#"
source_filename = "}{ ; \22"
target datalayout = "e-m:e"
%s = type { i32, [2 x i8] }
$f = comdat any
module asm ".globl x { ("
@c = internal unnamed_addr constant [2 x i8] c"}\22", section "a", comdat($f), align 16, !dbg !7
@t = thread_local(initialexec) global i32 3
@e = external dso_local global i32, align 4
@w = extern_weak global i8
@o = linkonce_odr hidden global i8 1, comdat($f)
@llvm.used = appending global [1 x ptr] [ptr @f], section "llvm.metadata"
@a = weak alias void (), ptr @f
@typed = alias void (i8*), bitcast (void ()* @f to void (i8*)*)
@i = ifunc i32 (), ptr @resolve
declare extern_weak noundef i32 @printf(ptr nocapture noundef readonly, ...) #1
define available_externally { i32, i8 } @g() { ret { i32, i8 } { i32 1, i8 2 } }
define linkonce_odr dso_local noundef range(i32 0, 5) i32 @f(ptr noundef byval(%s) align 8 %x, i64 zeroext %0, ...)
    #0 comdat personality ptr @p !dbg !9 {
  ret i32 0 ; }
}
attributes #0 = { nounwind "a"="}" }
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"}{",
  i32 2}
!9 = distinct !DISubprogram(name: "f", file: !10, line: 3)
"#;

#[test]
fn globals() {
    let module = Module::parse(MODULE).expect("well-formed");
    let global = |name: &str| &module.globals[module.global_names[name]];
    let c = global("c");
    assert_eq!(c.init, Some(Constant::Bytes((*b"}\"").into())));
    assert!(c.constant && !c.thread_local);
    assert_eq!((c.linkage, c.align, c.debug), (Linkage::Internal, Some(16), Some(7)));
    let t = global("t");
    assert!(t.thread_local && !t.constant);
    assert_eq!((t.linkage, t.align), (Linkage::External, None));
    assert_eq!(
        (global("e").linkage, &global("e").init, global("e").align),
        (Linkage::External, &None, Some(4))
    );
    assert_eq!((global("w").linkage, &global("w").init), (Linkage::ExternWeak, &None));
    assert_eq!(global("o").linkage, Linkage::Weak);
    assert_eq!(global("llvm.used").linkage, Linkage::Appending);
}

#[test]
fn aliases() {
    let module = Module::parse(MODULE).expect("well-formed");
    assert_eq!(module.aliases["a"], Constant::Global("f".into()));
    assert_eq!(module.alias_linkage["a"], Linkage::Weak);
    assert!(matches!(module.aliases["typed"], Constant::Cast { .. }));
    // The resolver picks the function at run time: the `ifunc` must not be taken for the resolver.
    assert!(matches!(module.aliases["i"], Constant::Unknown(_)));
}

#[test]
fn functions() {
    let module = Module::parse(MODULE).expect("well-formed");
    let f = &module.functions[module.function_names["f"]];
    assert_eq!((f.linkage, &f.ret, f.variadic, f.debug), (Linkage::Weak, &Type::Int(32), true, Some(9)));
    assert_eq!(f.params, [Type::Ptr, Type::Int(64)]);
    assert_eq!(f.byval, [Some(Type::Named("s".into())), None]);
    let g = &module.functions[module.function_names["g"]];
    assert_eq!(g.linkage, Linkage::AvailableExternally);
    assert!(matches!(&g.ret, Type::Struct { fields, .. } if fields.len() == 2));
    let printf = &module.declared["printf"];
    assert_eq!((printf.linkage, &printf.ret, printf.variadic), (Linkage::ExternWeak, &Type::Int(32), true));
    assert_eq!(printf.params, [Type::Ptr]);
    assert!(MODULE[printf.at.0 as usize..].starts_with("declare"));
    for id in module.functions.indices() {
        assert_eq!(module.body(id).expect("well-formed").blocks.len(), 1);
    }
    assert_eq!(module.node(9).and_then(|node| node.int("line")), Some(3));
    assert_eq!(module.node(0).map(|node| node.elements().count()), Some(3));
}

#[test]
fn threads_share_a_module() {
    fn shared<T: Send + Sync>(_: &T) {}
    let modules = [Module::parse(MODULE).expect("well-formed")];
    let linked = Linked::new(&modules).expect("nothing is defined twice");
    let debug = DebugInfo::new(&modules[0]);
    shared(&linked);
    shared(&debug);
    let module = &modules[0];
    let sizes = std::thread::scope(|scope| {
        [FunctionId(0), FunctionId(1)]
            .map(|id| scope.spawn(move || module.body(id).map(|body| body.blocks.len())))
            .map(|thread| thread.join().expect("no panic"))
    });
    assert_eq!(sizes, [Ok(1), Ok(1)]);
}
