declare i64 @__VERIFIER_nondet_ulong()

define i32 @main() {
  %1 = call i64 @__VERIFIER_nondet_ulong()
  %2 = inttoptr i64 %1 to ptr
  call void %2() ;~ E0405 which function is called here cannot be found out
  ret i32 0
}
