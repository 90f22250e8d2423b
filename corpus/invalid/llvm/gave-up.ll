@x = global i32 0

define i32 @main() {
  %1 = load i32, ptr @x ;~ E0414 given up after
  ret i32 %1
}
