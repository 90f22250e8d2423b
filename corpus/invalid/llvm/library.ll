declare i32 @open(ptr, i32)

define i32 @main() {
  %1 = call i32 @open(ptr null, i32 0) ;~ E0404 `open` has no body here
  ret i32 0
}
