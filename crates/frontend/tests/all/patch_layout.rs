//! What repairs look like in the text, literally.

use std::io::Write;
use std::process::{Command, Stdio};

use fencewright_frontend::patch::{apply_edits, unified_diff};
use fencewright_frontend::{Language, litmus, rmm};
use fencewright_ir::edit::{self, Remedy};
use fencewright_ir::{FenceKind, Side, Site, StatementId};

#[derive(Debug, Copy, Clone)]
enum Ask {
    Before,
    After,
    StoreBefore,
    StoreAfter,
    Atomic,
}
use Ask::*;

use crate::common::{load, same};

impl Ask {
    fn remedy(self, statement: StatementId) -> Remedy {
        let (side, kind) = match self {
            Before => (Side::Before, FenceKind::Full),
            After => (Side::After, FenceKind::Full),
            StoreBefore => (Side::Before, FenceKind::StoreStore),
            StoreAfter => (Side::After, FenceKind::StoreStore),
            Atomic => return Remedy::Atomic(statement),
        };
        Remedy::Fence(Site { statement, side }, kind)
    }
}

/// The text after the repairs, each given as the first statement of that text and what is asked; or why not.
fn patched(language: &Language, text: &str, asked: &[(&str, Ask)]) -> Result<String, String> {
    let (map, file, program) = load(language, text);
    let remedy = |&(wanted, ask): &(&str, Ask)| {
        let mut ids = program.statements.iter_enumerated().filter(|(_, statement)| statement.text == wanted);
        ask.remedy(ids.next().unwrap_or_else(|| panic!("no {wanted} in\n{text}")).0)
    };
    let remedies: Vec<Remedy> = asked.iter().map(remedy).collect();
    let edits = (language.patch)(&map, file, &program, &remedies).map_err(|error| {
        assert!(error.span.is_some());
        error.to_string()
    })?;
    let result = apply_edits(text, &edits);
    // The edits of the program are made one after the other: behind a statement the last one comes first.
    let mut in_order = remedies.clone();
    in_order.sort();
    let behind = |remedy: &Remedy| matches!(remedy, Remedy::Fence(Site { side: Side::After, .. }, _));
    let (behind, others): (Vec<Remedy>, Vec<Remedy>) = in_order.into_iter().partition(behind);
    let in_order: Vec<Remedy> = others.into_iter().chain(behind.into_iter().rev()).collect();
    let edited = edit::apply(&program, &in_order);
    let (_, _, loaded) = load(language, &result);
    for (loaded, edited) in loaded.threads.iter().zip(&edited.threads) {
        assert!(same([loaded, edited]), "{asked:?} made\n{result}");
    }
    // Neither the order nor how often a remedy is given matters.
    let again: Vec<Remedy> = remedies.iter().rev().chain(&remedies).copied().collect();
    assert_eq!((language.patch)(&map, file, &program, &again), Ok(edits));
    Ok(result)
}

const HEAD: &str = "forbidden * data x = 0 : [0:1] y = 0 : [0:1] process registers $r = 0 : [0:1] text";

/// A process text after the repairs.
fn rmm(body: &str, asked: &[(&str, Ask)]) -> String {
    let text = format!("{HEAD}{body}");
    let result = patched(&rmm::LANGUAGE, &text, asked).unwrap();
    result.strip_prefix(HEAD).unwrap().to_owned()
}

const W: &str = "write: x := 1";
const R: &str = "read: $r := y";

#[test]
fn a_line_for_itself() {
    let body = "\n  write: x := 1;\n  read: $r := y;\n";
    assert_eq!(rmm(body, &[(W, After)]), "\n  write: x := 1;\n  fence;\n  read: $r := y;\n");
    assert_eq!(rmm(body, &[(R, Before)]), "\n  write: x := 1;\n  fence;\n  read: $r := y;\n");
    assert_eq!(rmm(body, &[(W, StoreAfter)]), "\n  write: x := 1;\n  ssfence;\n  read: $r := y;\n");
    assert_eq!(rmm(body, &[(R, After)]), "\n  write: x := 1;\n  read: $r := y;\n  fence;\n");
    assert_eq!(rmm(body, &[(W, Atomic)]), "\n  locked write: x := 1;\n  read: $r := y;\n");
}

#[test]
fn one_line() {
    let body = " write: x := 1; read: $r := y";
    assert_eq!(rmm(body, &[(W, After)]), " write: x := 1; fence; read: $r := y");
    assert_eq!(rmm(body, &[(W, Before)]), " fence; write: x := 1; read: $r := y");
    assert_eq!(rmm(body, &[(R, After)]), " write: x := 1; read: $r := y; fence");
    assert_eq!(
        rmm("\n  write: x := 1; read: $r := y\n", &[(W, Before)]),
        "\n  fence; write: x := 1; read: $r := y\n"
    );
    assert_eq!(
        rmm("\n  write: x := 1;nop", &[(W, After), ("nop", Before)]),
        "\n  write: x := 1; fence;fence; nop"
    );
}

#[test]
fn comments_stay_with_their_statements() {
    assert_eq!(
        rmm(
            "\n  write: x := 1; // announce\n  // and look\n  read: $r := y /* last */\n",
            &[(W, After), (R, After)]
        ),
        "\n  write: x := 1; // announce\n  fence;\n  // and look\n  read: $r := y; /* last */\n  fence\n"
    );
    assert_eq!(
        rmm("\n  write: x := 1; // announce\n  // and look\n  read: $r := y\n", &[(R, Before)]),
        "\n  write: x := 1; // announce\n  // and look\n  fence;\n  read: $r := y\n"
    );
    // A comment that goes on in the next line.
    assert_eq!(
        rmm("\n  write: x := 1; /* one\n  two */ nop\n", &[(W, After)]),
        "\n  write: x := 1; fence; /* one\n  two */ nop\n"
    );
    assert_eq!(
        rmm("\n  /* a */ write: x := 1 /* b */;\n", &[(W, Before), (W, After)]),
        "\n  /* a */ fence; write: x := 1 /* b */; fence;\n"
    );
}

#[test]
fn line_ends_tabs_and_no_last_newline() {
    assert_eq!(
        rmm("\r\n\twrite: x := 1;\r\n\tread: $r := y\r\n", &[(W, After), (R, After)]),
        "\r\n\twrite: x := 1;\r\n\tfence;\r\n\tread: $r := y;\r\n\tfence\r\n"
    );
    assert_eq!(rmm("\n\t nop", &[("nop", After)]), "\n\t nop;\n\t fence");
    assert_eq!(rmm("\r\n nop", &[("nop", After)]), "\r\n nop;\r\n fence");
    assert_eq!(
        rmm("\r\n nop // end", &[("nop", Before), ("nop", After)]),
        "\r\n fence;\r\n nop; // end\r\n fence"
    );
}

#[test]
fn labels() {
    assert_eq!(
        rmm("\nL: write: x := 1;\n   goto L\n", &[(W, Before)]),
        "\nL: fence; write: x := 1;\n   goto L\n"
    );
    assert_eq!(
        rmm("\nL:\n  write: x := 1;\n  goto L\n", &[(W, Before)]),
        "\nL:\n  fence;\n  write: x := 1;\n  goto L\n"
    );
    // Behind it: like the next statement, or else below it.
    assert_eq!(
        rmm("\nL: write: x := 1;\n  goto L\n", &[(W, After)]),
        "\nL: write: x := 1;\n  fence;\n  goto L\n"
    );
    assert_eq!(rmm("\nL: M: write: x := 1\n", &[(W, After)]), "\nL: M: write: x := 1;\n      fence\n");
    assert_eq!(
        rmm("\n  write: x := 1;\nL:\n  nop\n", &[(W, After)]),
        "\n  write: x := 1;\n  fence;\nL:\n  nop\n"
    );
    assert_eq!(rmm(" write: x := 1; END:", &[(W, After)]), " write: x := 1; fence; END:");
    assert_eq!(rmm(" L: { write: x := 1 }; goto L", &[(W, Before)]), " L: { fence; write: x := 1 }; goto L");
}

#[test]
fn branches_get_braces() {
    assert_eq!(
        rmm("\n  if $r = 0 then write: x := 1 else nop;\n", &[(W, After), ("nop", Before)]),
        "\n  if $r = 0 then { write: x := 1; fence } else { fence; nop };\n"
    );
    assert_eq!(
        rmm("\n  if $r = 0 then\n    write: x := 1;\n  nop\n", &[(W, Before), (W, After)]),
        "\n  if $r = 0 then\n    { fence; write: x := 1; fence };\n  nop\n"
    );
    assert_eq!(
        rmm(" while $r = 0 do read: $r := y", &[(R, Before)]),
        " while $r = 0 do { fence; read: $r := y }"
    );
    assert_eq!(
        rmm(" if $r = 0 then L: write: x := 1", &[(W, Before)]),
        " if $r = 0 then L: { fence; write: x := 1 }"
    );
    assert_eq!(
        rmm(" if $r = 0 then if $r = 1 then write: x := 1", &[(W, After), ("if $r = 1", Before)]),
        " if $r = 0 then { fence; if $r = 1 then { write: x := 1; fence } }"
    );
    // An atomic write needs none.
    assert_eq!(rmm(" if $r = 0 then write: x := 1", &[(W, Atomic)]), " if $r = 0 then locked write: x := 1");
    assert_eq!(
        rmm("\n  if $r = 0 then {\n    nop;\n    write: x := 1\n  }\n", &[(W, After)]),
        "\n  if $r = 0 then {\n    nop;\n    write: x := 1;\n    fence\n  }\n"
    );
}

#[test]
fn alternatives() {
    assert_eq!(
        rmm(
            "\n  either {\n    read: y = 0\n  or\n    either { write: x := 1 or nop }\n  };\n",
            &[("read: y = 0", After), (W, Before), ("nop", After)]
        ),
        "\n  either {\n    read: y = 0;\n    fence\n  or\n    either { fence; write: x := 1 or nop; fence }\n  };\n"
    );
    assert_eq!(
        rmm("\n  either {\n    write: x := 1 }\n", &[(W, Before), (W, After)]),
        "\n  either {\n    fence;\n    write: x := 1; fence }\n"
    );
    assert_eq!(
        rmm(" either { write: x := 1; or nop; }", &[(W, After)]),
        " either { write: x := 1; fence; or nop; }"
    );
}

#[test]
fn blocks_of_several_lines() {
    let locked = "locked { read: $r := x; write: x := 1 }";
    assert_eq!(
        rmm(
            "\n  locked {\n    read: $r := x;\n    write: x := 1\n  }; nop\n",
            &[(locked, Before), (locked, After)]
        ),
        "\n  fence;\n  locked {\n    read: $r := x;\n    write: x := 1\n  }; fence; nop\n"
    );
    assert_eq!(
        rmm(
            "\n  locked {\n    read: $r := x;\n    write: x := 1\n  }\n",
            &[(locked, After), (locked, Atomic)]
        ),
        "\n  locked {\n    read: $r := x;\n    write: x := 1\n  };\n  fence\n"
    );
}

#[test]
fn several_at_one_place() {
    assert_eq!(
        rmm(
            "\n  write: x := 1;\n  nop\n",
            &[(W, StoreAfter), (W, After), (W, Atomic), (W, StoreBefore), ("nop", Before)]
        ),
        "\n  ssfence;\n  locked write: x := 1;\n  fence;\n  ssfence;\n  fence;\n  nop\n"
    );
    assert_eq!(
        rmm(" slocked write: x := 1", &[("slocked write: x := 1", Atomic)]),
        " locked write: x := 1; ssfence"
    );
}

#[test]
fn macros_are_changed_where_they_are_written() {
    let text = "forbidden * * data x = 0 y = 0\nmacro side(mine, theirs)\nprocess text\n  write: mine := 1;\n  \
                read: theirs = 0 // wait\nendmacro\nside(x, y) side(y, x)\n";
    assert_eq!(
        patched(&rmm::LANGUAGE, text, &[("write: mine := 1", After), ("read: theirs = 0", After)]).unwrap(),
        "forbidden * * data x = 0 y = 0\nmacro side(mine, theirs)\nprocess text\n  write: mine := 1;\n  fence;\n  \
         read: theirs = 0; // wait\n  fence\nendmacro\nside(x, y) side(y, x)\n"
    );
    // An argument is changed at the call, and gets braces because one of its uses needs them.
    let text = "forbidden * data x = 0 macro m(s) s; if 0 = 0 then s endmacro process text m(write: x := 1)";
    assert_eq!(
        patched(&rmm::LANGUAGE, text, &[(W, After)]).unwrap(),
        "forbidden * data x = 0 macro m(s) s; if 0 = 0 then s endmacro process text m({ write: x := 1; fence })"
    );
    // A macro as the whole branch.
    let text = "forbidden * data x = 0 macro set(v) write: x := v endmacro process text if 0 = 0 then set(1)";
    assert_eq!(
        patched(&rmm::LANGUAGE, text, &[("write: x := v", Before)]).unwrap(),
        "forbidden * data x = 0 macro set(v) { fence; write: x := v } endmacro process text if 0 = 0 then set(1)"
    );
}

#[test]
fn what_cannot_be_written_is_said() {
    let refused = |body: &str, asked: (&str, Ask)| {
        patched(&rmm::LANGUAGE, &format!("{HEAD}{body}"), &[asked]).unwrap_err()
    };
    assert!(refused(" while $r = 0 do nop", ("while $r = 0", Before)).contains("`while`"));
    assert!(refused(" slocked write: x := 1", ("slocked write: x := 1", Before)).contains("own fence"));
    assert!(refused(" nop", ("nop", Atomic)).contains("does not write"));
    assert!(refused(" if $r = 0 then nop", ("if $r = 0", After)).contains("this side"));
    let text = "forbidden * data x = 0 macro m(s) s; locked { s } endmacro process text m(write: x := 1)";
    assert!(patched(&rmm::LANGUAGE, text, &[(W, After)]).unwrap_err().contains("`locked` block"));
    let text = "forbidden * data x = 0 macro m() nop; write: x endmacro process text m() := 1";
    assert!(patched(&rmm::LANGUAGE, text, &[("m() := 1", Before)]).unwrap_err().contains("macro"));
    assert!(patched(&rmm::LANGUAGE, text, &[("m() := 1", Atomic)]).unwrap_err().contains("macro"));
}

/// A litmus test with this table.
fn table(header: &str, rows: &str) -> String {
    format!("{header}\n{{ }}\n{rows}\nexists (true)\n")
}

fn litmus(header: &str, rows: &str, asked: &[(&str, Ask)]) -> String {
    let result = patched(&litmus::LANGUAGE, &table(header, rows), asked).unwrap();
    let start = format!("{header}\n{{ }}\n");
    result.strip_prefix(&start).unwrap().strip_suffix("\nexists (true)\n").unwrap().to_owned()
}

const SB: &str = " P0          | P1          ;\n MOV [x],$1  | MOV [y],$2  ;\n MOV EAX,[y] | MOV EAX,[x] ;";

#[test]
fn litmus_rows() {
    assert_eq!(
        litmus("X86 SB", SB, &[("MOV [x],$1", After)]),
        " P0          | P1          ;\n MOV [x],$1  | MOV [y],$2  ;\n MFENCE      |             ;\n MOV EAX,[y] | MOV EAX,[x] ;"
    );
    assert_eq!(
        litmus("X86 SB", SB, &[("MOV [x],$1", After), ("MOV EAX,[x]", Before), ("MOV [y],$2", StoreAfter)]),
        " P0          | P1          ;\n MOV [x],$1  | MOV [y],$2  ;\n MFENCE      | SFENCE      ;\n             \
         | MFENCE      ;\n MOV EAX,[y] | MOV EAX,[x] ;"
    );
    assert_eq!(
        litmus("X86 SB", SB, &[("MOV [x],$1", StoreBefore), ("MOV EAX,[x]", After)]),
        " P0          | P1          ;\n SFENCE      |             ;\n MOV [x],$1  | MOV [y],$2  ;\n MOV EAX,[y] \
         | MOV EAX,[x] ;\n             | MFENCE      ;"
    );
}

#[test]
fn litmus_labels_go_to_the_fence() {
    let rows = " P0          | P1                ;\n movq $1,(x) | L0: movq (y),%rax ;\n             | jmp L0            ;";
    assert_eq!(
        litmus("X86_64 MP", rows, &[("movq (y),%rax", Before), ("movq (y),%rax", StoreBefore)]),
        " P0          | P1                ;\n             | L0: mfence        ;\n             | sfence            ;\n \
         movq $1,(x) |     movq (y),%rax ;\n             | jmp L0            ;"
    );
}

#[test]
fn litmus_layouts() {
    // Small letters, comments, tabs, a narrow column, line ends.
    assert_eq!(
        litmus(
            "X86 t",
            "P0\t|P1;\r\nmov [x],$1\t|nop; (* c *)\r\n",
            &[("mov [x],$1", After), ("nop", After)]
        ),
        "P0\t|P1;\r\nmov [x],$1\t|nop; (* c *)\r\nmfence    \t|mfence ;\r\n"
    );
    // All on one line.
    assert_eq!(
        litmus("X86 t", "P0|P1; NOP|MOV [x],$1; NOP|NOP;", &[("MOV [x],$1", After)]),
        "P0|P1; NOP|MOV [x],$1; |MFENCE    ; NOP|NOP;"
    );
    // A short row and an empty cell.
    assert_eq!(
        litmus("X86 t", " P0  | P1  | P2 ;\n NOP ;\n     | MOV [x],$1 ;", &[("MOV [x],$1", Before)]),
        " P0  | P1  | P2 ;\n NOP ;\n     | MFENCE     ;\n     | MOV [x],$1 ;"
    );
}

#[test]
fn litmus_refusals() {
    let refused = |rows: &str, asked: (&str, Ask)| {
        patched(&litmus::LANGUAGE, &table("X86 t", rows), &[asked]).unwrap_err()
    };
    assert!(refused("P0;\nMOV [x],$1;", ("MOV [x],$1", Atomic)).contains("fence"));
    assert!(refused("P0;\nNOP;", ("NOP", Atomic)).contains("does not write"));
    assert!(refused("P0;\nINC [x];", ("INC [x]", After)).contains("halves"));
    assert!(refused("P0;\nL: NOP;\nJMP L;", ("JMP L", After)).contains("jump"));
    let locked = table("X86 t", "P0;\nLOCK; INC [x];");
    assert_eq!(patched(&litmus::LANGUAGE, &locked, &[("LOCK; INC [x]", Atomic)]).as_ref(), Ok(&locked));
}

/// Runs a tool in the folder with the diff as its input; nothing if there is no such tool.
fn run(tool: &str, arguments: &[&str], folder: &std::path::Path, diff: &str) -> Option<bool> {
    let mut command = Command::new(tool);
    command
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    child.stdin.take().unwrap().write_all(diff.as_bytes()).unwrap();
    Some(child.wait().unwrap().success())
}

#[test]
fn tools_take_the_diffs() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("diffs");
    std::fs::create_dir_all(&folder).unwrap();
    let long: String = (0..20).map(|i| format!("  $r := {i}; // line {i}\n")).collect();
    let texts = [
        format!("{HEAD}\n{long}  write: x := 1;\n{long}  nop"),
        format!("{HEAD}\r\n  write: x := 1;\r\n  nop\r\n"),
        format!("{HEAD} write: x := 1; nop"),
    ];
    for text in &texts {
        let new = patched(&rmm::LANGUAGE, text, &[(W, After), ("nop", After)]).unwrap();
        for name in ["program.rmm", "my program.rmm"] {
            let diff = unified_diff(name, text, &new);
            for (tool, arguments) in
                [("patch", &["-p0", "-s"][..]), ("git", &["apply", "-p0", "--whitespace=nowarn"])]
            {
                std::fs::write(folder.join(name), text).unwrap();
                if let Some(done) = run(tool, arguments, &folder, &diff) {
                    assert!(done, "{tool} refuses\n{diff}");
                    assert_eq!(std::fs::read_to_string(folder.join(name)).unwrap(), new, "{tool}");
                }
            }
        }
    }
}
