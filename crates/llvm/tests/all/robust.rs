//! Truncated and corrupted texts give data or an error, never a panic.

use fencewright_llvm::parse::Module;

const TEXT: &str = r#"%s = type <{ i32, [2 x i8] }>
@x = weak global <2 x float> <float 0x3FB99999A0000000, float 1.0>, align 8, !dbg !1
@b = constant [1 x ptr] [ptr blockaddress(@f, %a)]
@a1 = alias i32, getelementptr (i8, ptr @x, i64 4)
declare void @g(...)
define i32 @f(ptr byval(%s) %p, i32 %0) personality ptr @g {
  %2 = invoke i32 (...) @g(ptr %p, float 0xH1) to label %a unwind label %c
a:
  %3 = shufflevector <2 x i8> zeroinitializer, <2 x i8> poison, <2 x i32> <i32 0, i32 3>
  %4 = load atomic volatile i32, ptr %p syncscope("x") seq_cst, align 4
  %5 = call i32 asm sideeffect "x", "=r,r"(i32 %4)
  %6 = fcmp fast une double 0x7FF8000000000000, -1.5e-01
  indirectbr ptr %p, [label %a, label %c]
c:
  %7 = landingpad { ptr, i32 } cleanup catch ptr null filter [1 x ptr] [ptr @x]
  switch i32 %0, label %a [ i32 1, label %c ]
}
!1 = !DIGlobalVariableExpression(var: !2, expr: !DIExpression())
"#;

fn read_all(text: &str) -> bool {
    let Ok(module) = Module::parse(text) else { return false };
    (0..4).for_each(|number| drop(module.node(number)));
    module.functions.indices().all(|id| module.body(id).is_ok())
}

#[test]
fn every_prefix_ends_in_data_or_an_error() {
    assert!(read_all(TEXT));
    for end in (0..TEXT.len()).filter(|&end| TEXT.is_char_boundary(end)) {
        read_all(&TEXT[..end]);
    }
}

#[test]
fn every_changed_byte_ends_in_data_or_an_error() {
    for at in 0..TEXT.len() {
        for other in ["", "\"", "{", "}", "(", "<", "9", "%", "!", "@", "\n", ";", "é", " x "] {
            read_all(&format!("{}{other}{}", &TEXT[..at], &TEXT[at + 1..]));
        }
    }
}

#[test]
fn hostile_numbers_are_refused() {
    for line in [
        "%x = shufflevector <2 x i8> poison, <2 x i8> poison, <4294967296 x i32> zeroinitializer",
        "%x = shufflevector <2 x i8> poison, <2 x i8> poison, <2 x i32> <i32 0>",
        "%x = landingpad i32 filter [4294967296 x ptr] zeroinitializer",
    ] {
        assert!(!read_all(&format!("define void @f() {{\n  {line}\n  ret void\n}}")), "{line}");
    }
}
