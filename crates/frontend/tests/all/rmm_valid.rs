//! Programs for several tests.

/// Programs that load and together use all of the language.
pub(crate) const VALID: [&str; 5] = [
    "/* Store buffering */ forbidden A A data x = 0 : [0:1], y = 0 : [0:1]\n\
     macro side(mine, theirs)\nprocess registers $r = * : [0:1] text\n  write: mine := 1;\n  read: $r := theirs;\n  \
     assume: $r = 0; // both at once\n  A: nop\nendmacro\nside(x, y) side(y, x)",
    "forbidden CS CS ; CS * predicates $r = 0; not [true || $q < 1] && false\ndata turn = * : [0:1]\n\
     process(2) data flag = 0 : [0:2] n = -3 : [-3:3] registers $r = 0 : Z $q = * : [0:9] text\n\
     L0: write: flag[my] := 1; locked write: turn := me; L1: read: $r := flag[0];\n\
     while $r != 0 && [$q <= 1 || not $q >= 3] do { if $q = 2 then goto L0 else { $q := $r - (1 + -$q); IN: } };\n\
     either { CS: syncwr: n[my] := other 0 or read: flag[0] = 0; CS: nop or goto L1 }; goto L0; END:",
    "forbidden * data m0 = 0 m1 = 5 : [0:7] lock = 2\nmacro set(a, b) cas(lock, a, b) endmacro\n\
     macro twice(s) { s; s } endmacro\nprocess registers $i = 0 : [0:2] text\n\
     twice(write: [$i] := 1); set(2, $i + 1); read: [$i + 1] = @0; slocked write: m1 := 3; fence; ssfence; llfence;\n\
     locked { read: m0 = 0; write: m1 := 1 or either { assume: true or $i := 1 }; if $i > 0 then nop else nop };\n\
     syncrd: $i := m0; syncrd: lock = 2; A: B: goto A",
    "forbidden A B process text A: either { { B: nop } or while 0 = 1 do nop or either { nop or C: nop } } process text\nB:",
    "forbidden A process text A: nop;",
];
