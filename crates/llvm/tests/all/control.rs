//! Calls, exceptions, jumps, names of blocks.

use fencewright_llvm::module::{
    BlockId, Callee, Clause, Constant, FunctionId, InstKind, LocalId, Operand, Type,
};
use fencewright_llvm::parse::Module;

use crate::common::{first_body, kind, kinds};

const THROWS: &str = "
define void @f() personality ptr @__gxx_personality_v0 {
  %r = invoke noundef i32 @g(ptr noundef byval(%s) align 8 @x)
          to label %ok unwind label %\"bad one\"
ok:
  ret void
\"bad one\":
  %1 = landingpad { ptr, i32 }
          cleanup
          catch ptr @_ZTIi
          catch ptr null
          filter [2 x ptr] [ptr @_ZTIi, ptr null]
          filter [0 x ptr] zeroinitializer
  resume { ptr, i32 } %1, !dbg !4
}
";

#[test]
fn exceptions() {
    let body = first_body(THROWS);
    let [call, next] = &body.blocks[BlockId(0)].insts[..] else { panic!("{body:?}") };
    assert!(matches!(
        &call.kind,
        InstKind::Call { callee: Callee::Named(name), unwind: Some(BlockId(2)), ret: Type::Int(32), .. }
            if &**name == "g"
    ));
    assert!(call.result.is_some() && next.result.is_none());
    assert!(matches!(next.kind, InstKind::Goto(BlockId(1))));
    let [pad, resume] = &body.blocks[BlockId(2)].insts[..] else { panic!("{body:?}") };
    let InstKind::LandingPad { cleanup: true, clauses, .. } = &pad.kind else { panic!("{pad:?}") };
    let type_info = Constant::Global("_ZTIi".into());
    match &clauses[..] {
        [Clause::Catch(first), Clause::Catch(Constant::Zero), Clause::Filter(two), Clause::Filter(none)] => {
            assert_eq!(*first, type_info);
            assert_eq!(*two, [type_info, Constant::Zero]);
            assert!(none.is_empty());
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(&resume.kind, InstKind::Resume { value: Operand::Local(local), .. }
        if Some(*local) == pad.result));
    assert_eq!(resume.debug, Some(4));
}

#[test]
fn blocks_have_names() {
    let body = first_body(THROWS);
    let names: Vec<_> = body.blocks.iter().map(|block| &*block.name).collect();
    assert_eq!(names, ["0", "ok", "bad one"]);
    // Parameters without names take the first numbers.
    let body = first_body("define void @f(i32 %0, ptr %p, i8 %1) {\n  br label %3\n3:\n  ret void\n}");
    let names: Vec<_> = body.blocks.iter().map(|block| &*block.name).collect();
    assert_eq!(names, ["2", "3"]);
}

#[test]
fn computed_jumps() {
    let text = "
@table = internal constant [2 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %\"b b\")]
define void @f(ptr %p) {
  indirectbr ptr %p, [label %a, label %\"b b\"], !dbg !2
a:
  ret void
\"b b\":
  ret void
}";
    let module = Module::parse(text).expect("well-formed");
    let global = module.globals.iter().next().expect("a table");
    let Some(Constant::Aggregate(elements)) = &global.init else { panic!("{global:?}") };
    assert_eq!(elements[1].1, Constant::BlockAddress("f".into(), "b b".into()));
    let body = module.body(FunctionId(0)).expect("well-formed");
    match &body.blocks[BlockId(0)].insts[0].kind {
        InstKind::IndirectBranch { address: Operand::Local(LocalId(0)), targets } => {
            assert_eq!(targets[..], [BlockId(1), BlockId(2)]);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn inline_assembly_has_constraints() {
    match kind("%x = tail call i32 asm sideeffect \"xchg $0, $1\", \"=r,=*m,0,~{memory}\"(ptr %p, i32 %i) #3")
    {
        InstKind::Call { callee: Callee::Asm { text, read }, args, unwind: None, .. } => {
            assert_eq!(&*text, "xchg $0, $1");
            use fencewright_llvm::assembly::{Operand, Register};
            let read = read.as_ref().as_ref().expect("its constraints are understood");
            // The third operand is tied to the first: one register, which holds the second argument and gives the result.
            assert_eq!(read.operands, [Operand::Register(0), Operand::Memory(0), Operand::Register(0)]);
            let register = Register { argument: Some(1), result: Some(0), accumulator: false };
            assert_eq!(read.registers, [register]);
            assert_eq!(args.len(), 2);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn attributes_of_calls_are_skipped() {
    let lines = "
  %a = tail call fastcc noundef range(i8 0, 2) i8 @g(ptr noalias noundef captures(none) initializes((0, 8)) align 8 %p, float nofpclass(nan inf) 1.000000e+00)
  %b = musttail call noundef nonnull align 8 dereferenceable(8) ptr %p(ptr dead_on_return(8) %p, i1 true, metadata !\"x\")
  call void (ptr, ...) @printf(ptr @s, i32 %i) #1 [ \"align\"(ptr %p, i64 8) ]
    #dbg_value(i32 %i, !1, !DIExpression(DW_OP_plus_uconst, 1), !2)
  call void @llvm.dbg.value(metadata i32 %i, metadata !1, metadata !DIExpression()), !dbg !2";
    let kinds = kinds(lines);
    let arguments: Vec<_> = kinds
        .iter()
        .map(|kind| match kind {
            InstKind::Call { args, .. } => args.len(),
            InstKind::Nothing => 0,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(arguments, [2, 3, 2, 0, 0]);
    let InstKind::Call { args, .. } = &kinds[0] else { panic!("{kinds:?}") };
    assert_eq!(args[1].1, Operand::Const(Constant::Float(1f32.to_bits().into())));
}

#[test]
fn what_is_left_is_named() {
    for line in [
        "%x = catchswitch within none [label %y] unwind to caller",
        "%x = cleanuppad within none []",
        "callbr void asm \"\", \"!i\"() to label %y [label %z]",
    ] {
        assert!(matches!(kind(line), InstKind::Unsupported(_)), "{line}");
    }
}
