//! Accesses: order, alignment, volatile.

use fencewright_llvm::module::{Constant, InstKind, LocalId, Operand, Order, Type};

use crate::common::kind;

#[test]
fn loads_and_stores_keep_order_alignment_and_volatile() {
    match kind("%x = load i32, ptr %p, align 2, !dbg !3") {
        InstKind::Load { ty: Type::Int(32), order: Order::Plain, volatile: false, align: Some(2), ptr } => {
            assert_eq!(ptr, Operand::Local(LocalId(0)));
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(
        kind("%x = load atomic volatile i64, ptr %p syncscope(\"agent\") acquire, align 8"),
        InstKind::Load { order: Order::Acquire, volatile: true, align: Some(8), .. }
    ));
    assert!(matches!(
        kind("store volatile i32 %i, ptr %p"),
        InstKind::Store { order: Order::Plain, volatile: true, align: None, .. }
    ));
    assert!(matches!(
        kind("store atomic i32 %i, i32* %p seq_cst, align 4"),
        InstKind::Store { order: Order::SeqCst, volatile: false, align: Some(4), .. }
    ));
}

#[test]
fn a_compare_exchange_has_two_orders() {
    assert!(matches!(
        kind("%x = cmpxchg weak volatile ptr %p, i32 0, i32 %i acq_rel monotonic, align 4"),
        InstKind::CmpXchg { order: Order::AcqRel, failure: Order::Relaxed, weak: true, .. }
    ));
    assert!(matches!(
        kind("%x = cmpxchg ptr %p, i32 0, i32 %i monotonic seq_cst"),
        InstKind::CmpXchg { order: Order::Relaxed, failure: Order::SeqCst, weak: false, .. }
    ));
}

#[test]
fn stack_slots() {
    assert!(matches!(
        kind("%x = alloca [3 x i8], align 16"),
        InstKind::Alloca { ty: Type::Array(3, _), count: Operand::Const(Constant::Int(1)), align: Some(16) }
    ));
    assert!(matches!(
        kind("%x = alloca i8, i32 %i, align 4, addrspace(5)"),
        InstKind::Alloca { count: Operand::Local(LocalId(1)), align: Some(4), .. }
    ));
}

#[test]
fn vectors_of_pointers_and_floating_atomics_are_not_read() {
    for line in [
        "%x = getelementptr i8, <2 x ptr> %p, i64 1",
        "%x = getelementptr i8, ptr %p, <2 x i64> <i64 1, i64 2>",
        "%x = atomicrmw fadd ptr %p, double %d seq_cst",
    ] {
        assert!(matches!(kind(line), InstKind::Unsupported(_)), "{line}");
    }
    assert!(matches!(
        kind("%x = getelementptr inbounds nuw i8, ptr %p, i64 1"),
        InstKind::Gep { indices, .. } if indices == [(Type::Int(64), Operand::Const(Constant::Int(1)))]
    ));
}

#[test]
fn variable_arguments() {
    assert!(matches!(
        kind("%x = va_arg ptr %p, i32"),
        InstKind::VaArg { list: Operand::Local(LocalId(0)), ty: Type::Int(32) }
    ));
}
