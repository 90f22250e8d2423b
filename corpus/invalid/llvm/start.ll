@x = global i32 0
@y = global i32 0

declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @__VERIFIER_nondet_int()

define ptr @work(ptr %0) {
  %2 = load i32, ptr @x ;~ E0410 is not known
  store i32 %2, ptr @y
  ret ptr null
}

define i32 @main() {
  %1 = alloca i64
  %2 = call i32 @__VERIFIER_nondet_int()
  store i32 %2, ptr @x
  %3 = call i32 @pthread_create(ptr %1, ptr null, ptr @work, ptr null)
  %4 = call i32 @pthread_create(ptr %1, ptr null, ptr @work, ptr null)
  ret i32 0
}
