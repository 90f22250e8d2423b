//! Repairs of C, C++ and Rust as changes of the text: every expected text is what a careful person would write.

use std::collections::BTreeMap;

use fencewright_base::{IndexVec, SourceMap};
use fencewright_frontend::patch::{Wording, apply_edits};
use fencewright_frontend::source::outline::Place;
use fencewright_frontend::source::{Dialect, Written, outline_of, patch};
use fencewright_ir::edit::Remedy;
use fencewright_ir::{FenceKind, Program, Side, Site, StatementId};

/// A fence before or behind the statement that starts with the text.
type Wanted<'a> = (&'a str, Side, FenceKind);

const FULL: FenceKind = FenceKind::Full;
const STORE: FenceKind = FenceKind::StoreStore;
const BEFORE: Side = Side::Before;
const AFTER: Side = Side::After;

fn patched_as(dialect: Dialect, text: &str, wanted: &[Wanted<'_>], wording: &Wording) -> String {
    let mut sources = SourceMap::new();
    let file = sources.add("t", text);
    let outline = outline_of(dialect, text);
    let (mut places, mut remedies) = (BTreeMap::new(), Vec::new());
    for (i, (needle, side, kind)) in wanted.iter().enumerate() {
        let is_it = |place: &Place| place.side == *side && text[place.span.clone()].starts_with(needle);
        let number = outline.places.iter().position(is_it).unwrap_or_else(|| panic!("no place at {needle}"));
        let site = Site { statement: StatementId(i as u32), side: *side };
        places.insert(site, number as u32);
        remedies.push(Remedy::Fence(site, *kind));
    }
    let written = Written { dialect, sources: &sources, file, places: &places };
    let edits = patch(written, &nothing(), &remedies, wording).expect("it can be written");
    apply_edits(text, &edits)
}

/// The program matters only for what is said of a remedy that cannot be written.
fn nothing() -> Program {
    Program {
        name: "p".to_owned(),
        vars: IndexVec::new(),
        channels: IndexVec::new(),
        threads: IndexVec::new(),
        statements: IndexVec::new(),
        orders: IndexVec::new(),
        properties: Vec::new(),
        wording: Default::default(),
    }
}

fn c(text: &str, wanted: &[Wanted<'_>]) -> String {
    let head = "#include <stdatomic.h>\n";
    let result = patched_as(Dialect::C, &format!("{head}{text}"), wanted, &Wording::default());
    let result = result.strip_prefix(head).expect("the header is there already").to_owned();
    result
        .replace("atomic_thread_fence(memory_order_seq_cst);", "FULL;")
        .replace("atomic_thread_fence(memory_order_release);", "STORE;")
}

#[test]
fn a_fence_has_a_line_for_itself() {
    let text = "void f(void) {\n    x = 1; // first\n    y = 2;\n}\n";
    assert_eq!(
        c(text, &[("y = 2", BEFORE, FULL)]),
        "void f(void) {\n    x = 1; // first\n    FULL;\n    y = 2;\n}\n"
    );
    assert_eq!(
        c(text, &[("y = 2", AFTER, STORE)]),
        "void f(void) {\n    x = 1; // first\n    y = 2;\n    STORE;\n}\n"
    );
    let commented = "void f(void) {\n\tx = 1; /* last */\n}\n";
    assert_eq!(c(commented, &[("x = 1", AFTER, FULL)]), "void f(void) {\n\tx = 1; /* last */\n\tFULL;\n}\n");
    let both = [("y = 2", BEFORE, STORE), ("y = 2", BEFORE, FULL)];
    assert_eq!(c(text, &both), "void f(void) {\n    x = 1; // first\n    FULL;\n    STORE;\n    y = 2;\n}\n");
    let windows = "void f(void) {\r\n  x = 1;\r\n}\r\n";
    assert_eq!(c(windows, &[("x = 1", AFTER, FULL)]), "void f(void) {\r\n  x = 1;\r\n  FULL;\r\n}\r\n");
}

#[test]
fn statements_on_one_line_are_parted_and_blocks_are_not() {
    assert_eq!(
        c("void f(void) {\n  x = 1; y = 2;\n}\n", &[("y = 2", BEFORE, FULL)]),
        "void f(void) {\n  x = 1;\n  FULL;\n  y = 2;\n}\n"
    );
    assert_eq!(
        c("void f(void) { x = 1; y = 2; }\n", &[("y = 2", BEFORE, FULL), ("y = 2", AFTER, FULL)]),
        "void f(void) { x = 1; FULL; y = 2; FULL; }\n"
    );
    assert_eq!(
        c("void f(void) {\nagain: x = 1;\n  goto again;\n}\n", &[("x = 1", BEFORE, FULL)]),
        "void f(void) {\nagain: FULL; x = 1;\n  goto again;\n}\n"
    );
}

#[test]
fn bodies_without_braces_get_them() {
    let text = "void f(void) {\n  if (a) // why\n    x = 1; // so\n  else\n    y = 2;\n}\n";
    assert_eq!(
        c(text, &[("x = 1", BEFORE, FULL)]),
        "void f(void) {\n  if (a) { // why\n    FULL;\n    x = 1; // so\n  }\n  else\n    y = 2;\n}\n"
    );
    assert_eq!(
        c(text, &[("y = 2", AFTER, STORE)]),
        "void f(void) {\n  if (a) // why\n    x = 1; // so\n  else {\n    y = 2;\n    STORE;\n  }\n}\n"
    );
    assert_eq!(
        c("void f(void) {\n  if (a) x = 1;\n}\n", &[("x = 1", BEFORE, FULL), ("x = 1", AFTER, FULL)]),
        "void f(void) {\n  if (a) { FULL; x = 1; FULL; }\n}\n"
    );
    let nested = "void f(void) {\n  while (a)\n    if (b)\n      x = 1;\n}\n";
    assert_eq!(
        c(nested, &[("x = 1", AFTER, FULL), ("if (b)", BEFORE, FULL)]),
        "void f(void) {\n  while (a) {\n    FULL;\n    if (b) {\n      x = 1;\n      FULL;\n    }\n  }\n}\n"
    );
}

#[test]
fn empty_bodies_become_blocks() {
    let block = "void f(void) {\n    while (a) {\n        FULL;\n    }\n}\n";
    for text in [
        "while (a);",
        "while (a) ;",
        "while (a)\n        ;",
        "while (a) {}",
        "while (a) { }",
        "while (a) {\n    }",
    ] {
        assert_eq!(
            c(&format!("void f(void) {{\n    {text}\n}}\n"), &[("while", AFTER, FULL)]),
            block,
            "{text}"
        );
    }
    assert_eq!(
        c("void f(void) {\n  while (a) { /* spin */ }\n}\n", &[("while (a)", AFTER, FULL)]),
        "void f(void) {\n  while (a) { /* spin */ FULL; }\n}\n"
    );
}

#[test]
fn headers_are_added_where_they_belong() {
    let plain =
        |dialect, text: &str| patched_as(dialect, text, &[("x = 1", BEFORE, FULL)], &Wording::default());
    let body = "int x;\nvoid f(void) {\n  x = 1;\n}\n";
    let fenced = "int x;\nvoid f(void) {\n  atomic_thread_fence(memory_order_seq_cst);\n  x = 1;\n}\n";
    for (before, after) in [
        ("", "#include <stdatomic.h>\n\n"),
        ("/* Licence. */\n", "/* Licence. */\n#include <stdatomic.h>\n\n"),
        (
            "#include <assert.h>\n#include <stdio.h>\n",
            "#include <assert.h>\n#include <stdatomic.h>\n#include <stdio.h>\n",
        ),
        (
            "#include <stdio.h>\n#include <assert.h>\n",
            "#include <stdio.h>\n#include <assert.h>\n#include <stdatomic.h>\n",
        ),
        ("#include <assert.h>\n", "#include <assert.h>\n#include <stdatomic.h>\n"),
        (
            "#include \"own.h\"\n#include <z.h>\n",
            "#include \"own.h\"\n#include <stdatomic.h>\n#include <z.h>\n",
        ),
    ] {
        assert_eq!(plain(Dialect::C, &format!("{before}{body}")), format!("{after}{fenced}"));
    }
    assert_eq!(
        plain(Dialect::Cpp, "#include <thread>\nint x;\nvoid f() {\n  x = 1;\n}\n"),
        "#include <atomic>\n#include <thread>\nint x;\nvoid f() {\n  std::atomic_thread_fence(std::memory_order_seq_cst);\n  x = 1;\n}\n"
    );
}

#[test]
fn the_user_can_name_the_fences() {
    let wording = Wording { full: Some("smp_mb();".to_owned()), store_store: Some("smp_wmb();".to_owned()) };
    let text = "void f(void)\n{\n\tx = 1;\n\ty = 1;\n}\n";
    assert_eq!(
        patched_as(Dialect::C, text, &[("y = 1", BEFORE, STORE), ("y = 1", AFTER, FULL)], &wording),
        "void f(void)\n{\n\tx = 1;\n\tsmp_wmb();\n\ty = 1;\n\tsmp_mb();\n}\n"
    );
}

#[test]
fn names_of_rust_are_those_in_scope() {
    let plain = |head: &str| {
        let text = format!("{head}fn f() {{\n    g();\n}}\n");
        patched_as(Dialect::Rust, &text, &[("g()", BEFORE, FULL)], &Wording::default())
    };
    let fenced = |head: &str, call: &str| format!("{head}fn f() {{\n    {call};\n    g();\n}}\n");
    for (before, after, call) in [
        ("", "", "std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst)"),
        (
            "use std::sync::atomic::{AtomicBool, Ordering};\n",
            "use std::sync::atomic::{fence, AtomicBool, Ordering};\n",
            "fence(Ordering::SeqCst)",
        ),
        (
            "use std::sync::atomic::{fence, Ordering::*};\n",
            "use std::sync::atomic::{fence, Ordering::*};\n",
            "fence(SeqCst)",
        ),
        ("use std::sync::atomic::*;\n", "use std::sync::atomic::*;\n", "fence(Ordering::SeqCst)"),
        (
            "use std::sync::atomic::{self, AtomicBool};\n",
            "use std::sync::atomic::{self, fence, AtomicBool};\n",
            "fence(atomic::Ordering::SeqCst)",
        ),
        (
            "use std::sync::{atomic, Arc};\n",
            "use std::sync::{atomic, Arc};\n",
            "atomic::fence(atomic::Ordering::SeqCst)",
        ),
        (
            "use std::sync::atomic::AtomicBool;\nuse std::sync::atomic::Ordering as O;\n",
            "use std::sync::atomic::fence;\nuse std::sync::atomic::AtomicBool;\nuse std::sync::atomic::Ordering as O;\n",
            "fence(O::SeqCst)",
        ),
        (
            "use std::cmp::Ordering;\n",
            "use std::cmp::Ordering;\n",
            "std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst)",
        ),
        (
            "#![no_std]\nuse core::sync::atomic::{AtomicBool, Ordering};\nfn fence() {}\n",
            "#![no_std]\nuse core::sync::atomic::{AtomicBool, Ordering};\nfn fence() {}\n",
            "core::sync::atomic::fence(Ordering::SeqCst)",
        ),
    ] {
        assert_eq!(plain(before), fenced(after, call));
    }
}

#[test]
fn bodies_of_rust() {
    let head = "use std::sync::atomic::{fence, Ordering};\n";
    let rust = |text: &str, wanted: &[Wanted<'_>]| {
        let result = patched_as(Dialect::Rust, &format!("{head}{text}"), wanted, &Wording::default());
        result
            .strip_prefix(head)
            .expect("the names are there already")
            .replace("fence(Ordering::SeqCst)", "FULL")
    };
    assert_eq!(
        rust("fn f() {\n    while a() {}\n    g()\n}\n", &[("while", AFTER, FULL), ("g()", AFTER, FULL)]),
        "fn f() {\n    while a() {\n        FULL;\n    }\n    g();\n    FULL;\n}\n"
    );
    assert_eq!(
        rust(
            "fn f() {\n    match a {\n        1 => g(),\n        _ => {}\n    }\n}\n",
            &[("g()", BEFORE, FULL)]
        ),
        "fn f() {\n    match a {\n        1 => { FULL; g() },\n        _ => {}\n    }\n}\n"
    );
    assert_eq!(
        rust("mod m {\n    fn f() {\n        g();\n    }\n}\n", &[("g()", BEFORE, FULL)]),
        "mod m {\n    fn f() {\n        std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);\n        g();\n    }\n}\n",
        "a `use` outside the module does not count"
    );
}

#[test]
fn what_is_no_place_is_refused() {
    let mut sources = SourceMap::new();
    let file = sources.add("t.c", "void f(void) { x = 1; }");
    let site = Site { statement: StatementId(0), side: BEFORE };
    for places in [BTreeMap::new(), BTreeMap::from([(site, 99)])] {
        let written = Written { dialect: Dialect::C, sources: &sources, file, places: &places };
        let remedy = Remedy::Fence(site, FULL);
        let error = patch(written, &nothing(), &[remedy], &Wording::default()).unwrap_err();
        assert_eq!(error.remedy, remedy);
    }
}
