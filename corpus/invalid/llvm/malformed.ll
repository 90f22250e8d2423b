define i32 @main() {
  stroe i32 1, ptr @x ;~ E0401 expected an instruction
  ret i32 0
}
