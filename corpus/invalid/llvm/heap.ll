@last = global ptr null

declare ptr @malloc(i64)
declare i1 @__VERIFIER_nondet_bool()

define i32 @main() {
  br label %1

1:
  %2 = call ptr @malloc(i64 8) ;~ E0413 more than 3 objects
  store ptr %2, ptr @last
  %3 = call i1 @__VERIFIER_nondet_bool()
  br i1 %3, label %1, label %4

4:
  ret i32 0
}
