declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i1 @__VERIFIER_nondet_bool()

define ptr @work(ptr %0) {
  ret ptr null
}

define i32 @main() {
  %1 = alloca i64
  %2 = call i1 @__VERIFIER_nondet_bool()
  br i1 %2, label %3, label %5

3:
  %4 = call i32 @pthread_create(ptr %1, ptr null, ptr @work, ptr null) ;~ E0409 not certain how often
  br label %5

5:
  ret i32 0
}
