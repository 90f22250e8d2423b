//! The text the compiler is given: a call at every place, on the same line.

use std::collections::BTreeSet;

use fencewright_frontend::llvm::Places;
use fencewright_frontend::source::instrument::instrument;
use fencewright_frontend::source::{Annotated, Dialect, outline_of};

/// The text with calls `#N` for `__fencewright_site(N);`, without what is put before or behind it.
fn instrumented(dialect: Dialect, text: &str) -> String {
    let outline = outline_of(dialect, text);
    let all: BTreeSet<u32> = (0..outline.places.len() as u32).collect();
    let result = instrument(dialect, "t.c", text, &outline, &all).text;
    let body = match dialect {
        Dialect::C => result.strip_prefix("void __fencewright_site(unsigned);\n#line 1 \"t.c\"\n"),
        Dialect::Cpp => {
            result.strip_prefix("extern \"C\" void __fencewright_site(unsigned) noexcept;\n#line 1 \"t.c\"\n")
        }
        Dialect::Rust => result.strip_suffix("\n#[inline(never)] pub fn __fencewright_site(_: u32) {}\n"),
    };
    let body = body.expect("the function is declared").replace("crate::", "");
    assert_eq!(body.lines().count(), text.lines().count(), "no line is added");
    let mut shown = String::new();
    for (i, part) in body.split("__fencewright_site(").enumerate() {
        let part = if i == 0 { part.to_owned() } else { format!("#{}", part.replacen(");", "", 1)) };
        shown.push_str(&part);
    }
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn c(text: &str) -> String {
    instrumented(Dialect::C, text)
}

fn rust(text: &str) -> String {
    instrumented(Dialect::Rust, text)
}

#[test]
fn before_each_statement_and_at_the_end_of_a_block() {
    assert_eq!(c("void f(void) { int a; x = 1; g(); }"), "void f(void) { #0 int a; #1 x = 1; #2 g(); #3 }");
    assert_eq!(c("void f(void) { x = 1; return; }"), "void f(void) { #0 x = 1; #1 return; }");
    assert_eq!(c("void f(void) { }"), "void f(void) { #0 }");
    assert_eq!(c("void f(void) { { x = 1; } }"), "void f(void) { #0 { #1 x = 1; #2 } #3 }");
    assert_eq!(c("int x = 1; struct s { int a; };"), "int x = 1; struct s { int a; };");
}

#[test]
fn a_body_without_braces_gets_them() {
    assert_eq!(
        c("void f(void) { if (a) x = 1; else y = 2; }"),
        "void f(void) { #0 if (a) { #1 x = 1; #2 } else { #3 y = 2; #4 } #5 }"
    );
    assert_eq!(
        c("void f(void) { if (a) return; else if (b) y = 2; }"),
        "void f(void) { #0 if (a) { #1 return; } else { #2 if (b) { #3 y = 2; #4 } #5 } #6 }"
    );
    assert_eq!(
        c("void f(void) { while (a) while (b) x++; }"),
        "void f(void) { #0 while (a) { #1 while (b) { #2 x++; #3 } #4 } #5 }"
    );
    assert_eq!(
        c("void f(void) { for (;;) if (a) break; }"),
        "void f(void) { #0 for (;;) { #1 if (a) { #2 break; } #3 } #4 }"
    );
    assert_eq!(
        c("void f(void) { do x++; while (a); }"),
        "void f(void) { #0 do { #1 x++; #2 } while (a); #3 }"
    );
}

#[test]
fn empty_bodies_hold_one_call() {
    assert_eq!(c("void f(void) { while (a) ; x = 1; }"), "void f(void) { #0 while (a) { #1 } #2 x = 1; #3 }");
    assert_eq!(c("void f(void) { while (a) {} }"), "void f(void) { #0 while (a) { #1 } #2 }");
    assert_eq!(
        c("void f(void) { while (a) { /* spin */ } }"),
        "void f(void) { #0 while (a) { /* spin */ #1 } #2 }"
    );
}

#[test]
fn labels_and_cases() {
    assert_eq!(
        c("void f(void) { again: x = 1; goto again; }"),
        "void f(void) { #0 again: #1 x = 1; #2 goto again; }"
    );
    // Without its braces the label's statement would leave the `if`.
    assert_eq!(
        c("void f(void) { if (a) again: x = 1; }"),
        "void f(void) { #0 if (a) { #1 again: #2 x = 1; #3 } #4 }"
    );
    assert_eq!(
        c("void f(void) { switch (a) { case 1: x = 1; break; case 2: case 3: y = 1; default: z = 1; } }"),
        "void f(void) { #0 switch (a) { case 1: #1 x = 1; #2 break; case 2: case 3: #3 y = 1; #4 default: #5 z = 1; #6 } #7 }"
    );
}

#[test]
fn macros_and_directives_of_c() {
    let text = "#define SPIN(c) while (c) x = 1\nvoid f(void) {\n  SPIN(a);\n  if (b) SPIN(a);\n#ifdef A\n  x = 1;\n#else\n  y = 1;\n#endif\n}";
    assert_eq!(
        c(text),
        "#define SPIN(c) while (c) x = 1 void f(void) { #0 SPIN(a); #1 if (b) SPIN(a); #ifdef A #2 x = 1; #else #3 y = 1; #endif }",
        "a macro that is a body by itself may be several statements: it gets no braces"
    );
    assert_eq!(
        c("void f(void) { EACH(p) { x = 1; } y = 1; }"),
        "void f(void) { #0 EACH(p) { #1 x = 1; #2 } #3 y = 1; #4 }"
    );
    let lost = c("void f(void) { forever { y = 1; } }");
    assert!(!lost.contains("forever #"), "nothing may come between a macro and its body: {lost}");
    assert_eq!(
        c("int f(void) { return ({ x = 1; y; }); }"),
        "int f(void) { #0 return ({ #1 x = 1; #2 y; }); }",
        "the last statement is the value"
    );
}

#[test]
fn c_plus_plus() {
    let cpp = |text| instrumented(Dialect::Cpp, text);
    assert_eq!(
        cpp("constexpr int k() { return 1; } void S::m() { auto t = [&] { x.store(1); }; }"),
        "constexpr int k() { return 1; } void S::m() { #0 auto t = [&] { #1 x.store(1); #2 }; #3 }"
    );
    assert_eq!(
        cpp("void f() { for (auto& a : b) a = 1; try { x = 1; } catch (...) { throw; } }"),
        "void f() { #0 for (auto& a : b) { #1 a = 1; #2 } #3 try { #4 x = 1; #5 } catch (...) { #6 throw; } #7 }"
    );
    assert_eq!(
        cpp("void f() { switch (a) { case 1: g(); [[fallthrough]]; case 2: g(); } }"),
        "void f() { #0 switch (a) { case 1: #1 g(); #2 [[fallthrough]]; case 2: #3 g(); #4 } #5 }"
    );
}

#[test]
fn blocks_of_rust() {
    assert_eq!(
        rust("fn f() { X.store(1, SeqCst); Y.load(SeqCst); }"),
        "fn f() { #0 X.store(1, SeqCst); #1 Y.load(SeqCst); #2 }"
    );
    assert_eq!(rust("fn f() -> u8 { g(); h() }"), "fn f() -> u8 { #0 g(); #1 h() }");
    assert_eq!(rust("fn f() { g(); h() }"), "fn f() { #0 g(); #1 h(); #2 }", "the value is `()` for sure");
    assert_eq!(rust("fn f() { while a() {} g() }"), "fn f() { #0 while a() { #1 } #2 g(); #3 }");
    assert_eq!(
        rust("fn f() { loop { if a() { break; } hint() } }"),
        "fn f() { #0 loop { #1 if a() { #2 break; } #3 hint(); #4 } #5 }"
    );
    assert_eq!(
        rust("fn f() -> u8 { if a { g(); 1 } else { 2 } }"),
        "fn f() -> u8 { #0 if a { #1 g(); #2 1 } else { #3 2 } }",
        "the value of the last `if` is used"
    );
    assert_eq!(
        rust("const fn k() -> u8 { 3 } const C: u8 = { 3 };"),
        "const fn k() -> u8 { 3 } const C: u8 = { 3 };"
    );
    assert_eq!(
        rust("fn f() { #[allow(x)] let a = 1; fn g() {} unsafe { X = 1; } }"),
        "fn f() { #0 #[allow(x)] let a = 1; fn g() { #1 } #2 unsafe { #3 X = 1; #4 } #5 }"
    );
    assert_eq!(
        rust("fn f() { match a { 1 => g(), _ => { h() } }; x(); }"),
        "fn f() { #0 match a { 1 => { #1 g() }, _ => { #2 h() } }; #3 x(); #4 }",
        "a value that `;` throws away can be of any type"
    );
    assert_eq!(
        rust("fn f() { spawn(move || { g(); }); }"),
        "fn f() { #0 spawn(move || { #1 g(); #2 }); #3 }"
    );
    assert_eq!(
        rust("fn f() -> u8 { #[cfg(a)] { g(); 1 } #[cfg(not(a))] { 2 } }"),
        "fn f() -> u8 { #0 #[cfg(a)] { #1 g(); #2 1 } #[cfg(not(a))] { #3 2 } }",
        "one of two last expressions"
    );
    assert_eq!(rust("macro_rules! m { () => { g(); h(); } }"), "macro_rules! m { () => { g(); h(); } }");
}

#[test]
fn positions_come_back() {
    let text = "#include <a.h>\nvoid f(void) {\n  if (a) x = 1;\n  while (flag[1] && turn == 1)\n    ;\n}\n";
    let mut sources = fencewright_base::SourceMap::new();
    let file = sources.add("t.c", text);
    let outline = outline_of(Dialect::C, text);
    let all: BTreeSet<u32> = (0..outline.places.len() as u32).collect();
    let shown = instrument(Dialect::C, "t.c", text, &outline, &all);
    let annotated = Annotated::new(&sources, Dialect::C, file, outline, shown.clone(), &[]);
    // Where `x = 1` is in the third line of what the compiler sees.
    let line = shown.text.lines().nth(4).expect("two lines stand before the text");
    let column = |needle: &str, line: &str| line.find(needle).expect("it is there") as u32 + 1;
    let statement = |line, column| annotated.statement_at("t.c", line, column).map(|(_, text)| text);
    assert_eq!(statement(3, column("x = 1", line)).as_deref(), Some("x = 1;"));
    assert_eq!(statement(3, column("if (", line)).as_deref(), Some("if (a)"));
    let line = shown.text.lines().nth(5).expect("the line of the loop");
    assert_eq!(statement(4, column("turn", line)).as_deref(), Some("while (flag[1] && turn == 1)"));
    assert_eq!(statement(4, 0).as_deref(), Some("while (flag[1] && turn == 1)"), "the column is not known");
    assert_eq!(statement(6, 1).as_deref(), Some("}"));
    assert_eq!(statement(600, 1), None);
    assert_eq!(annotated.statement_at("other.h", 1, 1), None);

    let place = annotated.place(4).expect("the empty body of the loop");
    assert_eq!((place.text.as_str(), place.loop_depth), ("} after while (flag[1] && turn == 1)", 1));
    let place = annotated.place(3).expect("before the loop");
    assert_eq!((place.text.as_str(), place.loop_depth), ("while (flag[1] && turn == 1)", 0));
    assert_eq!(annotated.place(99), None);
}

#[test]
fn span_and_side_name_a_place() {
    let texts = [
        (
            Dialect::C,
            "void f(void) { if (a) l: x = 1; else {} {} while (a) while (b) ; switch (a) { case 1: { x = 1; } } }",
        ),
        (
            Dialect::Rust,
            "fn f() { loop { loop {} } match a { 1 => match b { 2 => g(), _ => {} }, _ => {} } {} }",
        ),
    ];
    for (dialect, text) in texts {
        let outline = outline_of(dialect, text);
        let names: BTreeSet<_> =
            outline.places.iter().map(|place| (place.span.start, place.span.end, place.side)).collect();
        assert_eq!(names.len(), outline.places.len(), "{text}");
    }
}

/// No panic, no deep recursion and no quadratic time on what no person writes.
#[test]
fn hostile_texts() {
    let deep = |open: &str, close: &str, n: usize| {
        format!("void f(void) {{ {}x = 1;{} }}", open.repeat(n), close.repeat(n))
    };
    let texts = [
        deep("{", "}", 10_000),
        deep("if (a) ", "", 10_000),
        deep("((((", "", 5_000),
        deep("l: ", "", 10_000),
        format!("fn f() {{ {} }}", "loop { if a { ".repeat(5_000)),
        format!("void f(void) {{ {} }}", "x = 1; ".repeat(20_000)),
        "\u{feff}\0\u{1}{}{}}}}{{{;;;<:%:".repeat(5_000),
        String::new(),
    ];
    for text in &texts {
        for dialect in [Dialect::C, Dialect::Cpp, Dialect::Rust] {
            let outline = outline_of(dialect, text);
            let all = (0..outline.places.len() as u32).collect();
            instrument(dialect, "t", text, &outline, &all);
        }
    }
}

#[test]
fn a_body_that_stands_behind_endif_stays_the_body() {
    assert_eq!(
        c("void f(void) {\n#ifdef A\n if (a)\n#else\n if (b)\n#endif\n x = 1;\n y = 1; }"),
        "void f(void) { #ifdef A #0 if (a) #else if (b) #endif x = 1; #1 y = 1; #2 }"
    );
    assert_eq!(
        c("void f(void) {\n if (a)\n#ifdef A\n x = 1;\n#else\n x = 2;\n#endif\n y = 1; }"),
        "void f(void) { #0 if (a) #ifdef A x = 1; #else x = 2; #endif y = 1; #1 }"
    );
}

#[test]
fn nothing_stands_before_the_only_case_of_a_switch_or_behind_its_label() {
    let text = "void f(void) { switch (a) case 1: if (b) x = 1; }";
    assert!(!c(text).contains("case 1: #"), "{}", c(text));
    assert!(!c(text).contains(") #0 case"), "{}", c(text));
}
