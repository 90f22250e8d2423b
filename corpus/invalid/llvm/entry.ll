; A module without main. ;~ E0402 there is no function `main`
define void @f() {
  ret void
}
