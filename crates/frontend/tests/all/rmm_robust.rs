//! Whatever the text, the front end answers: a program or diagnostics, no panic, no overflow, in little time. The
//! inputs are made from a fixed seed; a failure prints the seed and the text.

use std::panic::{AssertUnwindSafe, catch_unwind};

use fencewright_base::SourceMap;
use fencewright_frontend::rmm::LANGUAGE;
use fencewright_ir::sites;

use crate::rmm_valid::VALID;

const SEED: u64 = 0x5eed_0f0a_11d0_c0de;

const PIECES: [&str; 71] = [
    "forbidden",
    "predicates",
    "data",
    "process",
    "process(2)",
    "registers",
    "text",
    "macro",
    "endmacro",
    "nop",
    "assume",
    "read",
    "write",
    "locked",
    "slocked",
    "syncwr",
    "syncrd",
    "cas",
    "fence",
    "ssfence",
    "llfence",
    "either",
    "or",
    "if",
    "then",
    "else",
    "while",
    "do",
    "goto",
    "true",
    "false",
    "not",
    "my",
    "me",
    "other",
    "A",
    "B",
    "f",
    "x",
    "y",
    "Z",
    "$r",
    "$q",
    "0",
    "1",
    "99999999999999999999",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ";",
    ":",
    ":=",
    "*",
    "+",
    "-",
    "@",
    "&&",
    "||",
    "=",
    "!=",
    "<",
    ">",
    "<=",
    ">=",
    "==",
    "#",
    "/*",
];

/// Random numbers (splitmix64): the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

/// Loads the text and checks what every answer must satisfy. Gives whether it loads.
fn check(text: &str) -> bool {
    let checked = catch_unwind(AssertUnwindSafe(|| {
        let mut map = SourceMap::new();
        let file = map.add("random.rmm", text);
        match (LANGUAGE.load)(&map, file) {
            Ok(loaded) => {
                for statement in &loaded.program.statements {
                    let span = statement.span.expect("every statement stands somewhere");
                    assert!(!map.text(span).trim().is_empty());
                    assert!(!statement.text.is_empty() && !statement.text.contains('\n'));
                }
                sites(&loaded.program);
                true
            }
            Err(problems) => {
                assert!(!problems.is_empty(), "rejected without a reason");
                for problem in problems {
                    assert!(problem.code.name != "E0199", "internal error: {}", problem.message);
                    map.text(problem.primary.span);
                    for label in &problem.secondary {
                        map.text(label.span);
                    }
                }
                false
            }
        }
    }));
    let shown: String = text.chars().take(2000).collect();
    checked.unwrap_or_else(|_| panic!("seed {SEED:#x}, text:\n{shown}"))
}

#[test]
fn truncated_texts() {
    for text in VALID {
        for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)) {
            check(&text[..end]);
            check(&text[end..]);
        }
    }
}

#[test]
fn mutated_bytes() {
    let mut random = Random(SEED);
    let mut n_loaded = 0;
    for _ in 0..6000 {
        let mut bytes = VALID[random.below(VALID.len())].as_bytes().to_vec();
        for _ in 0..=random.below(2) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = random.next() as u8,
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, b"$;:={}[]()*/\n09aZ"[random.below(17)]),
                _ => {
                    let next = (at + 1).min(bytes.len() - 1);
                    bytes.swap(at, next);
                }
            }
        }
        n_loaded += usize::from(check(&String::from_utf8_lossy(&bytes)));
    }
    assert!(n_loaded > 100, "{n_loaded} of 6000 load: too few to say that the later phases are tried");
}

#[test]
fn mutated_tokens() {
    let mut random = Random(SEED ^ 1);
    let mut n_loaded = 0;
    for _ in 0..6000 {
        let text = VALID[random.below(VALID.len())];
        let mut words: Vec<&str> = text.split_inclusive([' ', '\n', ';']).collect();
        for _ in 0..=random.below(2) {
            let at = random.below(words.len());
            match random.below(4) {
                0 => words[at] = PIECES[random.below(PIECES.len())],
                1 => words.insert(at, PIECES[random.below(PIECES.len())]),
                2 => words.insert(at, words[random.below(words.len())]),
                _ => {
                    let next = (at + 1).min(words.len() - 1);
                    words.swap(at, next);
                }
            }
        }
        n_loaded += usize::from(check(&words.join(" ")));
    }
    assert!(n_loaded > 100, "{n_loaded} of 6000 load: too few to say that the later phases are tried");
}

#[test]
fn token_soup() {
    let mut random = Random(SEED ^ 2);
    for round in 0..3000 {
        let mut text =
            if round % 2 == 0 { "forbidden * data x = 0 process registers $r = 0 text " } else { "" }
                .to_owned();
        for _ in 0..random.below(80) {
            text += PIECES[random.below(PIECES.len())];
            text.push(' ');
        }
        check(&text);
    }
    let long: String = (0..100_000).map(|_| format!("{} ", PIECES[random.below(PIECES.len() - 1)])).collect();
    check(&long);
}

#[test]
fn random_bytes() {
    let mut random = Random(SEED ^ 3);
    for _ in 0..500 {
        let bytes: Vec<u8> = (0..random.below(300)).map(|_| random.next() as u8).collect();
        check(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn deep_nesting() {
    let n = 100_000;
    let head = "forbidden A data x = 0 macro f(p) p endmacro process registers $r = 0 text A: ";
    for (open, middle, close) in [
        ("{", "nop", "}"),
        ("either {", "nop", "}"),
        ("either { nop or", "nop", "}"),
        ("locked {", "nop", "}"),
        ("if $r = 1 then ", "nop", ""),
        ("if $r = 1 then nop else ", "nop", ""),
        ("while $r = 1 do ", "nop", ""),
        ("L: ", "nop", ""),
        ("f(", "nop", ")"),
    ] {
        for closed in [false, true] {
            let close = if closed { close.repeat(n) } else { String::new() };
            check(&format!("{head}{}{middle}{close}", open.repeat(n)));
        }
    }
    for (open, middle, close) in [("(", "1", ")"), ("-", "1", ""), ("1 + ", "1", ""), ("1 - (", "1", ")")] {
        check(&format!("{head}$r := {}{middle}{}", open.repeat(n), close.repeat(n)));
        check(&format!("{head}write: [{}{middle}{}] := 1", open.repeat(n), close.repeat(n)));
    }
    for (open, middle, close) in
        [("[", "true", "]"), ("not ", "true", ""), ("true && ", "true", ""), ("[true || ", "true", "]")]
    {
        check(&format!("{head}assume: {}{middle}{}", open.repeat(n), close.repeat(n)));
    }
    for garbage in [
        "(",
        ")",
        "[",
        "}",
        "}{",
        "f(",
        "process ",
        "macro ",
        "macro f(",
        "endmacro ",
        ";",
        ":",
        "data ",
        "or ",
    ] {
        check(&garbage.repeat(n));
        check(&format!("{head}{}", garbage.repeat(n)));
    }
}

#[test]
fn long_texts() {
    let statements = "write: x := 1; L: read: x = 0; ".repeat(20_000);
    assert!(check(&format!("forbidden L data x = 0 process text {statements}")));
    let jumps: String =
        (0..5_000).map(|i| format!("L{i}: if 1 = 0 then goto L{}; ", (i * 7919) % 5_000)).collect();
    assert!(check(&format!("forbidden L0 process text {jumps}")));
    let variables: String = (0..5_000).map(|i| format!("v{i} = 0 ")).collect();
    let writes: String = (0..5_000).map(|i| format!("write: v{i}[my] := 1; ")).collect();
    assert!(check(&format!("forbidden * * process(2) data {variables} text {writes}")));
    let digits = "9".repeat(10_000);
    assert!(check(&format!("forbidden * data x = {digits} process text nop")));
    let choices = "either { nop or nop }; ".repeat(10_000);
    assert!(check(&format!("forbidden * process text {choices}")));
    assert!(!check(&format!("forbidden * process text locked {{ {choices} }}")));
}
