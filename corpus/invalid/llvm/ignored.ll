@text = constant [3 x i8] c"hi\00"

declare i32 @puts(ptr)

define i32 @main() {
  %1 = call i32 @puts(ptr @text) ;~ E0412 calls of `puts` are left out
  ret i32 0
}
