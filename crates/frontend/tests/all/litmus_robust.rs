//! The litmus front end takes any bytes: it never panics, and what it accepts is well-formed.

use std::fs;
use std::path::Path;

use fencewright_base::SourceMap;
use fencewright_frontend::litmus::LANGUAGE;
use fencewright_ir::validate;

fn load(text: &str) {
    let mut sources = SourceMap::new();
    let file = sources.add("mutant.litmus", text);
    match (LANGUAGE.load)(&sources, file) {
        Ok(loaded) => assert_eq!(validate(&loaded.program), [], "{text}"),
        Err(diagnostics) => {
            assert!(!diagnostics.is_empty(), "refused without a reason: {text}");
            for diagnostic in diagnostics {
                // The span must be inside the text, or this panics.
                sources.text(diagnostic.primary.span);
                sources.location(diagnostic.primary.span);
            }
        }
    }
}

/// All valid and invalid tests of the corpus.
fn seeds() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut texts = Vec::new();
    for folder in ["litmus", "invalid/litmus"] {
        let mut paths = vec![root.join(folder)];
        while let Some(path) = paths.pop() {
            if path.is_dir() {
                paths.extend(
                    fs::read_dir(&path).expect("readable").map(|entry| entry.expect("readable").path()),
                );
            } else if path.extension().is_some_and(|extension| extension == "litmus") {
                texts.push(fs::read_to_string(&path).expect("readable"));
            }
        }
    }
    texts.sort();
    texts
}

/// xorshift64*: small, fixed, good enough to choose mutations.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n.max(1)
    }
}

#[test]
fn mutated_tests_never_panic() {
    const SEED: u64 = 0x5eed_11f0_0d5e_ed01;
    const PIECES: [&str; 24] = [
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "|",
        ";",
        ":",
        "(*",
        "*)",
        "<<",
        "/\\",
        "\\/",
        "~",
        "=",
        "$",
        "%",
        "LOCK",
        "é",
        "\0",
        "99999999999999999999999999",
        "exists",
        "P7",
    ];
    let seeds = seeds();
    assert!(seeds.len() >= 64);
    let mut random = Random(SEED);
    for round in 0..20_000 {
        let mut bytes = seeds[random.below(seeds.len())].clone().into_bytes();
        for _ in 0..1 + random.below(4) {
            let at = random.below(bytes.len() + 1);
            match random.below(5) {
                0 => bytes.truncate(at),
                1 => drop(bytes.splice(at..at, PIECES[random.below(PIECES.len())].bytes())),
                2 if at < bytes.len() => drop(bytes.remove(at)),
                3 if at < bytes.len() => bytes[at] = random.below(256) as u8,
                _ => {
                    let end = at + random.below(bytes.len() - at + 1).min(40);
                    let piece: Vec<u8> = bytes[at..end].to_vec();
                    let to = random.below(bytes.len() + 1);
                    bytes.splice(to..to, piece);
                }
            }
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let result = std::panic::catch_unwind(|| load(&text));
        assert!(result.is_ok(), "seed {SEED:#x}, round {round}:\n{text}");
    }
}

#[test]
fn every_prefix_of_a_test_is_taken_or_refused() {
    for text in seeds().iter().step_by(7) {
        for end in (0..=text.len()).filter(|&end| text.is_char_boundary(end)) {
            load(&text[..end]);
        }
    }
}

#[test]
fn huge_and_deep_texts_do_not_exhaust_the_stack() {
    let test = |condition: &str| format!("X86 big\n{{ }}\n P0 ;\n MOV [x],$1 ;\nexists {condition}");
    load(&test(&vec!["x=1"; 50_000].join(" /\\ ")));
    load(&test(&vec!["x=1"; 50_000].join(" \\/ ")));
    load(&test(&vec!["x=1"; 50_000].join(" => ")));
    load(&test(&"(".repeat(100_000)));
    load(&test(&"~".repeat(100_000)));
    load(&test("(* ".repeat(100_000).as_str()));
    load(&format!("X86 big\n{{ }}\n P0 ;\n{}exists x=1", " INC [x] ;\n".repeat(20_000)));
    load(&format!("X86 big\n{{ }}\n P0 ;\n MOV EAX,${} ;\n", "9".repeat(200_000)));
    load(&format!("X86 big\n{{ }}\n P0 ;\n MOV EAX,{}$1 ;\n", "DWORD PTR ".repeat(100_000)));
    load(&format!("X86_64 big\n{{ }}\n P0 ;\n movq {}rax,$1 ;\n", "0(".repeat(100_000)));
}
