define i32 @f(i32 %n) {
  %1 = call i32 @f(i32 %n) ;~ E0406 `f` calls itself
  ret i32 %1
}

define i32 @main() {
  %1 = call i32 @f(i32 3)
  ret i32 %1
}
