declare i64 @__VERIFIER_nondet_ulong()

define i32 @main() {
  %1 = call i64 @__VERIFIER_nondet_ulong()
  %2 = inttoptr i64 %1 to ptr
  store i32 1, ptr %2 ;~ E0407 cannot be resolved to the objects
  ret i32 0
}
