//! Resolution of names among several modules.

use fencewright_llvm::link::{LinkError, Linked, Symbol};
use fencewright_llvm::module::{Constant, FunctionId, GlobalId};
use fencewright_llvm::parse::Module;

fn modules<'a>(texts: &[&'a str]) -> Vec<Module<'a>> {
    texts.iter().map(|text| Module::parse(text).expect("well-formed")).collect()
}

#[test]
fn internal_names_are_seen_in_their_module_only() {
    let modules = modules(&[
        "@x = internal global i32 1\ndefine internal void @f() {\n ret void\n}",
        "@x = global i32 2\ndefine void @f() {\n ret void\n}",
        "@x = external global i32\ndeclare void @f()\n@p = private constant i8 0",
    ]);
    let linked = Linked::new(&modules).expect("no name is defined twice");
    assert_eq!(linked.resolve(0, "x"), Some(Symbol::Global(0, GlobalId(0))));
    assert_eq!(linked.resolve(0, "f"), Some(Symbol::Function(0, FunctionId(0))));
    for user in [1, 2] {
        assert_eq!(linked.resolve(user, "x"), Some(Symbol::Global(1, GlobalId(0))));
        assert_eq!(linked.resolve(user, "f"), Some(Symbol::Function(1, FunctionId(0))));
    }
    assert_eq!(linked.resolve(0, "p"), None);
    assert_eq!(linked.resolve(3, "x"), None);
}

#[test]
fn weak_gives_way_to_strong() {
    let copy = "define available_externally void @f() {\n ret void\n}";
    let weak = "define linkonce_odr void @f() {\n ret void\n}";
    let strong = "define void @f() {\n ret void\n}";
    for (texts, chosen) in [
        ([weak, strong, weak], 1),
        ([strong, weak, copy], 0),
        ([copy, weak, weak], 1),
        ([copy, copy, copy], 0),
        ([copy, weak, strong], 2),
    ] {
        let modules = modules(&texts);
        let linked = Linked::new(&modules).expect("one strong definition at most");
        for user in 0..3 {
            assert_eq!(linked.resolve(user, "f"), Some(Symbol::Function(chosen, FunctionId(0))));
        }
    }
}

#[test]
fn two_strong_definitions_are_an_error() {
    let modules = modules(&["@x = global i32 1", "@y = global i32 1", "define void @x() {\n ret void\n}"]);
    let error = Linked::new(&modules).expect_err("x is defined twice");
    assert_eq!(error, LinkError { name: "x".into(), modules: (0, 2) });
    assert_eq!(error.to_string(), "`x` is defined twice");
}

#[test]
fn aliases_are_definitions() {
    let modules = modules(&[
        "@a = alias void (), ptr @f\ndefine internal void @f() {\n ret void\n}",
        "@a = weak alias void (), ptr @g\ndefine internal void @g() {\n ret void\n}",
    ]);
    let linked = Linked::new(&modules).expect("one strong definition");
    assert_eq!(linked.resolve(1, "a"), Some(Symbol::Alias(0, Constant::Global("f".into()))));
    let twice = [modules.into_iter().next(), Module::parse("@a = global i8 0").ok()];
    let twice: Vec<_> = twice.into_iter().flatten().collect();
    assert!(Linked::new(&twice).is_err());
}

#[test]
fn what_nobody_defines_is_declared() {
    let modules = modules(&[
        "@w = extern_weak global i32\n@x = external global i32\ndeclare extern_weak void @f()",
        "declare void @f()\n@llvm.used = appending global [0 x ptr] zeroinitializer",
        "@llvm.used = appending global [0 x ptr] zeroinitializer",
    ]);
    let linked = Linked::new(&modules).expect("no name is defined");
    for name in ["w", "x", "f"] {
        assert_eq!(linked.resolve(0, name), Some(Symbol::Declared));
    }
    assert_eq!(linked.resolve(2, "f"), None);
    // Every module has its own part of such an array.
    assert_eq!(linked.resolve(1, "llvm.used"), Some(Symbol::Global(1, GlobalId(0))));
    assert_eq!(linked.resolve(2, "llvm.used"), Some(Symbol::Global(2, GlobalId(0))));
}

#[test]
fn the_largest_of_variables_without_a_value_is_taken() {
    let modules = modules(&[
        "@x = common global i32 0",
        "@x = common global [3 x i32] zeroinitializer",
        "@x = common global i64 0",
    ]);
    let linked = Linked::new(&modules).expect("all give way");
    assert_eq!(linked.resolve(0, "x"), Some(Symbol::Global(1, GlobalId(0))));
}
