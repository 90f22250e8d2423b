//! Constants, by type.

use fencewright_llvm::module::{CastOp, Constant, Predicate, Type};
use fencewright_llvm::parse::Module;

fn constant(text: &str) -> Constant {
    let module = format!("@x = global {text}, align 8\n");
    let module = Module::parse(&module).expect("the module is well-formed");
    let global = module.globals.iter().next().expect("there is one");
    assert_eq!(global.align, Some(8));
    global.init.clone().expect("it has a value")
}

#[test]
fn floating_point_numbers_have_the_bits_of_their_type() {
    assert_eq!(constant("double 1.500000e+00"), Constant::Float(0x3ff8_0000_0000_0000));
    assert_eq!(constant("double 0x7FF0000000000000"), Constant::Float(0x7ff0_0000_0000_0000));
    // A tenth, rounded to a float.
    assert_eq!(constant("float 0x3FB99999A0000000"), Constant::Float(0x3dcc_cccd));
    assert_eq!(constant("half 0xH3C00"), Constant::Float(0x3c00));
    assert_eq!(constant("bfloat 0xR3F80"), Constant::Float(0x3f80));
    assert_eq!(constant("float zeroinitializer"), Constant::Zero);
}

#[test]
fn unusual_numbers_and_expressions_are_unknown() {
    for text in [
        "x86_fp80 0xK3FFF8000000000000000",
        "fp128 0xL00000000000000003FFF000000000000",
        "ppc_fp128 0xM3FF00000000000000000000000000000",
        "ptr ptrauth (ptr @f, i32 0)",
        "i1 fcmp oeq (double 1.0, double 2.0)",
    ] {
        assert!(matches!(constant(text), Constant::Unknown(_)), "{text}");
    }
}

#[test]
fn expressions() {
    let a = || Box::new(Constant::Global("a".into()));
    assert_eq!(
        constant("i1 icmp ne (ptr @a, ptr null)"),
        Constant::Compare { predicate: Predicate::Ne, ty: Type::Ptr, a: a(), b: Box::new(Constant::Zero) }
    );
    assert_eq!(
        constant("ptr select (i1 true, ptr @a, ptr null)"),
        Constant::Select { condition: Box::new(Constant::Int(1)), yes: a(), no: Box::new(Constant::Zero) }
    );
    assert_eq!(
        constant("i64 ptrtoint (ptr @a to i64)"),
        Constant::Cast { op: CastOp::Reinterpret, from: Type::Ptr, value: a(), to: Type::Int(64) }
    );
    assert_eq!(
        constant("<2 x float> splat (float 2.000000e+00)"),
        Constant::Splat(Box::new((
            Type::Float(fencewright_llvm::module::FloatKind::Float),
            Constant::Float(2f32.to_bits().into())
        )))
    );
    assert_eq!(
        constant("ptr getelementptr inbounds nuw inrange(-16, 8) (i8, ptr @a, i64 16)"),
        Constant::Gep { element: Type::Int(8), base: a(), indices: vec![Constant::Int(16)] }
    );
}
