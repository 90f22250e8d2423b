//! Numbers and vectors: flags, floating-point operations, elements.

use fencewright_llvm::module::{CastOp, Constant, Flags, FloatOp, FloatPredicate, InstKind, Operand, Type};

use crate::common::kind;

fn flags(line: &str) -> Flags {
    match kind(line) {
        InstKind::Binary { flags, .. } | InstKind::Cast { flags, .. } => flags,
        other => panic!("{other:?}"),
    }
}

#[test]
fn promises_are_kept() {
    let none = Flags::default();
    assert_eq!(flags("%x = add i32 %i, 1"), none);
    assert_eq!(flags("%x = add nuw nsw i32 %i, 1"), Flags { nuw: true, nsw: true, ..none });
    assert_eq!(flags("%x = lshr exact i32 %i, 1"), Flags { exact: true, ..none });
    assert_eq!(flags("%x = or disjoint i32 %i, 1"), Flags { disjoint: true, ..none });
    assert_eq!(flags("%x = zext nneg i32 %i to i64"), Flags { nneg: true, ..none });
    assert_eq!(flags("%x = trunc nuw i32 %i to i1"), Flags { nuw: true, ..none });
    assert!(matches!(kind("%x = icmp samesign ult i32 %i, 4"), InstKind::Compare { .. }));
}

#[test]
fn floating_point_arithmetic() {
    for (word, op) in [
        ("fadd", FloatOp::FAdd),
        ("fsub", FloatOp::FSub),
        ("fmul", FloatOp::FMul),
        ("fdiv", FloatOp::FDiv),
        ("frem", FloatOp::FRem),
    ] {
        match kind(&format!("%x = {word} nnan contract double %d, 5.000000e-01")) {
            InstKind::FloatBinary { op: found, b, .. } => {
                assert_eq!(found, op);
                assert_eq!(b, Operand::Const(Constant::Float(0.5f64.to_bits())));
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(matches!(kind("%x = fneg fast double %d"), InstKind::FloatNegate { .. }));
    for (word, from, to, op) in [
        ("fptoui", "double %d", "i32", CastOp::FpToUi),
        ("fptosi", "double %d", "i32", CastOp::FpToSi),
        ("uitofp nneg", "i32 %i", "float", CastOp::UiToFp),
        ("sitofp", "i32 %i", "float", CastOp::SiToFp),
        ("fptrunc fast", "double %d", "float", CastOp::FpResize),
        ("fpext", "double %d", "fp128", CastOp::FpResize),
    ] {
        match kind(&format!("%x = {word} {from} to {to}")) {
            InstKind::Cast { op: found, .. } => assert_eq!(found, op),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn comparisons_of_floating_point_numbers() {
    // Less, equal, greater, unordered.
    for (word, relations) in [
        ("false", "    "),
        ("oeq", " =  "),
        ("ogt", "  > "),
        ("oge", " => "),
        ("olt", "<   "),
        ("ole", "<=  "),
        ("one", "< > "),
        ("ord", "<=> "),
        ("uno", "   ?"),
        ("ueq", " = ?"),
        ("ugt", "  >?"),
        ("uge", " =>?"),
        ("ult", "<  ?"),
        ("ule", "<= ?"),
        ("une", "< >?"),
        ("true", "<=>?"),
    ] {
        let expected = FloatPredicate {
            less: relations.contains('<'),
            equal: relations.contains('='),
            greater: relations.contains('>'),
            unordered: relations.contains('?'),
        };
        match kind(&format!("%x = fcmp ninf {word} double %d, 0x7FF0000000000000")) {
            InstKind::FloatCompare { predicate, .. } => assert_eq!(predicate, expected, "{word}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn elements_of_vectors() {
    assert!(matches!(
        kind("%x = extractelement <4 x i32> %v, i64 2"),
        InstKind::ExtractElement { ty: Type::Vector(4, _), index: Operand::Const(Constant::Int(2)), .. }
    ));
    assert!(matches!(
        kind("%x = insertelement <4 x i32> poison, i32 %i, i64 0"),
        InstKind::InsertElement { vector: Operand::Const(Constant::Undef), .. }
    ));
    assert!(matches!(
        kind("%x = add <4 x i32> %v, splat (i32 7)"),
        InstKind::Binary { b: Operand::Const(Constant::Splat(element)), .. }
            if *element == (Type::Int(32), Constant::Int(7))
    ));
}

#[test]
fn masks_of_shuffles() {
    for (mask, numbers) in [
        ("<3 x i32> <i32 0, i32 undef, i32 7>", vec![Some(0), None, Some(7)]),
        ("<2 x i32> zeroinitializer", vec![Some(0), Some(0)]),
        ("<2 x i32> poison", vec![None, None]),
        ("<2 x i32> splat (i32 3)", vec![Some(3), Some(3)]),
    ] {
        match kind(&format!("%x = shufflevector <4 x i32> %v, <4 x i32> undef, {mask}")) {
            InstKind::ShuffleVector { mask, .. } => assert_eq!(mask, numbers),
            other => panic!("{other:?}"),
        }
    }
}
