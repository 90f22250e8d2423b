@word = global i32 0
@seen = global i8 0

declare i32 @pthread_create(ptr, ptr, ptr, ptr)

define ptr @first(ptr %0) {
  store i32 7, ptr @word
  ret ptr null
}

define ptr @second(ptr %0) {
  %2 = load i8, ptr @word ;~ E0408 different widths
  store i8 %2, ptr @seen
  ret ptr null
}

define i32 @main() {
  %1 = alloca i64
  %2 = call i32 @pthread_create(ptr %1, ptr null, ptr @first, ptr null)
  %3 = call i32 @pthread_create(ptr %1, ptr null, ptr @second, ptr null)
  ret i32 0
}
