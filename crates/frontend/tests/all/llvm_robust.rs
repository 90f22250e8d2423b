//! Whatever the text, the LLVM front end answers: a program or diagnostics, no panic, no overflow, in little time. The
//! inputs are made from a fixed seed; a failure prints the text.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use fencewright_base::{Diagnostic, SourceMap};
use fencewright_frontend::Loaded;
use fencewright_frontend::llvm::LANGUAGE;

const MIXED: &str = include_str!("../llvm/mixed.ll");
const SEED: u64 = 0x11f7_5eed_0000_0041;

fn load(text: &str) -> Result<Loaded, Vec<Diagnostic>> {
    let mut sources = SourceMap::new();
    let file = sources.add("test.ll", text);
    let answer = catch_unwind(AssertUnwindSafe(|| (LANGUAGE.load)(&sources, file)));
    let answer = answer.unwrap_or_else(|_| panic!("panic on\n{text}"));
    if let Err(diagnostics) = &answer {
        assert!(!diagnostics.is_empty(), "no program and no diagnostic for\n{text}");
        for diagnostic in diagnostics {
            assert!(!diagnostic.message.contains("internal error"), "{} on\n{text}", diagnostic.message);
            let span = diagnostic.primary.span;
            let source = sources.file(span.file).text();
            assert!(source.get(span.start as usize..span.end as usize).is_some(), "a bad span for\n{text}");
        }
    }
    answer
}

/// A small generator of numbers (splitmix64), so that a failure can be repeated.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

#[test]
fn the_text_that_is_changed_below_is_good() {
    let loaded = load(MIXED).unwrap_or_else(|problems| panic!("{problems:#?}"));
    assert_eq!(loaded.program.threads.len(), 2, "main does nothing once the threads are there");
    let names: Vec<&str> = loaded.program.vars.iter().map(|var| var.name.as_str()).collect();
    assert_eq!(
        names,
        ["wants[0]", "wants[1]", "turn", "head"],
        "what is constant, or one thread's own, is no cell"
    );
}

#[test]
fn any_prefix_is_answered() {
    for end in (0..MIXED.len()).step_by(7) {
        let _ = load(&MIXED[..end]);
    }
}

#[test]
fn lines_and_words_that_change_places_are_answered() {
    let mut numbers = Numbers(SEED);
    let lines: Vec<&str> = MIXED.lines().collect();
    for _ in 0..400 {
        let mut changed = lines.clone();
        for _ in 0..=numbers.below(3) {
            let (a, b) = (numbers.below(changed.len()), numbers.below(changed.len()));
            match numbers.below(3) {
                0 => changed.swap(a, b),
                1 => changed[a] = lines[b],
                _ => {
                    changed.remove(a);
                }
            }
        }
        let _ = load(&changed.join("\n"));
    }
    let words: Vec<&str> = MIXED.split_inclusive([' ', ',', '(', ')', '\n']).collect();
    for _ in 0..800 {
        let mut changed = words.clone();
        for _ in 0..=numbers.below(3) {
            let (a, b) = (numbers.below(changed.len()), numbers.below(changed.len()));
            match numbers.below(3) {
                0 => changed.swap(a, b),
                1 => changed[a] = words[b],
                _ => {
                    changed.remove(a);
                }
            }
        }
        let _ = load(&changed.concat());
    }
}

#[test]
fn random_bytes_and_characters_are_answered() {
    let mut numbers = Numbers(SEED ^ 1);
    let odd = [
        "\0",
        "é",
        "\u{1f980}",
        "\"",
        "%",
        "@",
        "!",
        "{",
        "}",
        "(",
        ")",
        "[",
        "<",
        "i99999999",
        "99999999999999999999",
        "-1",
        "ptr",
        "\n",
    ];
    for _ in 0..800 {
        let mut text = MIXED.to_owned();
        for _ in 0..=numbers.below(4) {
            let at = numbers.below(text.len());
            let at = (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
            text.insert_str(at, odd[numbers.below(odd.len())]);
        }
        let _ = load(&text);
    }
    for length in [1, 10, 100, 1_000] {
        let text: String = (0..length).map(|_| char::from(32 + numbers.below(95) as u8)).collect();
        let _ = load(&text);
    }
}

#[test]
fn long_and_deep_texts_end_soon() {
    let start = Instant::now();
    let deep = |open: &str, close: &str| {
        format!("@x = global {}i32{} 0", open.repeat(100_000), close.repeat(100_000))
    };
    for text in [
        "a".repeat(10_000_000),
        "(".repeat(3_000_000),
        "!1 = !{".repeat(500_000),
        "\"".to_owned() + &"x".repeat(10_000_000),
        deep("{", "}"),
        deep("[1 x ", "]"),
        format!("@x = global i32 {}0", "trunc (i64 ".repeat(100_000)),
        format!("@x = global [2 x i32] {}", "[".repeat(100_000)),
        format!("define void @f() {{ {} }}", "ret void ".repeat(300_000)),
        format!("%t = type {{ %t, %t }}\n@x = global %t zeroinitializer\n{MIXED}"),
        "@x = global [999999999999 x [999999999999 x {}]] zeroinitializer\n".to_owned() + MIXED,
    ] {
        let shown: String = text.chars().take(40).collect();
        let begun = Instant::now();
        let _ = load(&text);
        assert!(begun.elapsed() < Duration::from_secs(20), "{shown}… took {:?}", begun.elapsed());
    }
    assert!(start.elapsed() < Duration::from_secs(60), "all together took {:?}", start.elapsed());
}
