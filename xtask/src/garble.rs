//! `cargo xtask garble`: LLVM IR of the corpus's C and Rust programs, cut off and changed at random, given to the front end. It
//! must answer each with a program or diagnostics: no panic, nothing internal, and within ten seconds. A text that is
//! not answered so is written to the folder of what cargo builds. It runs as it was built: in a debug build an overflow is a
//! panic too.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use fencewright_base::SourceMap;
use fencewright_frontend::llvm::LANGUAGE;
use fencewright_testkit::generate::Rng;

use crate::shell::{only, option, output, root, target};

/// Programs whose IR is changed, beside the hand-written module of the front end's tests.
const SOURCES: [&str; 6] = [
    "corpus/c/peterson/peterson.c",
    "corpus/c/treiber/treiber.c",
    "corpus/c/mcs/mcs.c",
    "corpus/c/spsc-ring/spsc-ring.c",
    "corpus/rust/spinlock/spinlock.rs",
    "corpus/rust/peterson/peterson.rs",
];

/// How long an answer may take.
const SOON: Duration = Duration::from_secs(10);

/// A module of more bytes is given in parts as large as this: most of rustc's is library that no thread reaches.
const MOST_BYTES: usize = 300_000;

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    only(arguments, &["--seconds", "--seed"])?;
    let number = |name: &str, default: u64| -> Result<u64> {
        option(arguments, name)?
            .map_or(Ok(default), |text| text.parse().with_context(|| format!("`{name} {text}`")))
    };
    let (seconds, seed) = (number("--seconds", 20)?, number("--seed", 0)?);
    let modules = modules()?;
    println!("garble: {} modules, {seconds} s from seed {seed}", modules.len());
    std::panic::set_hook(Box::new(|_| {}));
    let start = Instant::now();
    let (mut tried, mut programs, mut slowest) = (0u64, 0u64, Duration::ZERO);
    while start.elapsed() < Duration::from_secs(seconds) {
        let text = garbled(&modules, seed.wrapping_add(tried));
        let began = Instant::now();
        let answer = catch_unwind(AssertUnwindSafe(|| answer(&text)));
        let took = began.elapsed();
        let wrong = match answer {
            Ok(Ok(is_program)) => {
                programs += u64::from(is_program);
                (took > SOON).then(|| format!("took {:.1} s", took.as_secs_f64()))
            }
            Ok(Err(internal)) => Some(internal),
            Err(_) => Some("panicked".to_owned()),
        };
        if let Some(wrong) = wrong {
            let place = target().join(format!("garbled-{}.ll", seed.wrapping_add(tried)));
            std::fs::write(&place, &text)?;
            bail!("{wrong} on {}", place.display());
        }
        tried += 1;
        slowest = slowest.max(took);
    }
    println!(
        "{tried} texts answered, {programs} of them programs; the slowest took {:.2} s",
        slowest.as_secs_f64()
    );
    Ok(())
}

/// Whether the text is a program, or what is internal about the answer.
fn answer(text: &str) -> Result<bool, String> {
    let mut sources = SourceMap::new();
    let file = sources.add("garbled.ll", text);
    match (LANGUAGE.load)(&sources, file) {
        Ok(_) => Ok(true),
        Err(diagnostics) => match diagnostics.iter().find(|one| one.message.contains("internal error")) {
            Some(internal) => Err(internal.message.clone()),
            None if diagnostics.is_empty() => Err("no program and no diagnostic".to_owned()),
            None => Ok(false),
        },
    }
}

/// The modules as their compilers write them. A compiler that is not there is left out.
fn modules() -> Result<Vec<String>> {
    let mut modules = vec![std::fs::read_to_string(root().join("crates/frontend/tests/llvm/mixed.ll"))?];
    let scratch = target().join("garble");
    std::fs::create_dir_all(&scratch)?;
    for source in SOURCES {
        let mut command = if source.ends_with(".rs") {
            let mut rustc = Command::new("rustc");
            rustc.args([
                "--edition=2021",
                "--emit=llvm-ir=-",
                "-g",
                "-Copt-level=0",
                "-Cpanic=abort",
                "-Ccodegen-units=1",
            ]);
            rustc.arg("--out-dir").arg(&scratch);
            rustc
        } else {
            let mut clang = Command::new("clang");
            clang.args(["-S", "-emit-llvm", "-O0", "-g", "-Xclang", "-disable-O0-optnone", "-o", "-"]);
            clang
        };
        match output(command.arg(root().join(source))) {
            Ok(text) => modules.push(text),
            Err(error) => println!("  {source} is left out: {error:#}"),
        }
    }
    Ok(modules)
}

/// A module with a few random changes.
fn garbled(modules: &[String], seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let whole = &modules[rng.below(modules.len())];
    let other = &modules[rng.below(modules.len())];
    let mut text = whole.clone();
    if text.len() > MOST_BYTES && rng.percent(90) {
        let from = boundary(&text, rng.below(text.len() - MOST_BYTES));
        text = text[from..boundary(&text, from + MOST_BYTES)].to_owned();
    }
    for _ in 0..=rng.below(4) {
        if text.is_empty() {
            break;
        }
        let at = boundary(&text, rng.below(text.len()));
        match rng.below(8) {
            0 => text.truncate(at),
            1 | 2 => {
                let line = piece(&text, at, |c| c == '\n');
                let from = boundary(other, rng.below(other.len()));
                text.replace_range(line, &other[piece(other, from, |c| c == '\n')]);
            }
            3..=5 => {
                let is_end = |c: char| !c.is_alphanumeric() && c != '_' && c != '.';
                let from = boundary(&text, rng.below(text.len()));
                let word = text[piece(&text, from, is_end)].to_owned();
                text.replace_range(piece(&text, at, is_end), &word);
            }
            6 => {
                let end = boundary(&text, (at + rng.below(40)).min(text.len()));
                text.replace_range(at..end, "");
            }
            _ => {
                let odd = [
                    "\0",
                    "é",
                    "\"",
                    "%",
                    "@",
                    "!",
                    "{",
                    "}",
                    "(",
                    ")",
                    "-1",
                    "99999999999999999999",
                    "i99999999",
                    "ptr",
                ];
                text.insert_str(at, odd[rng.below(odd.len())]);
            }
        }
    }
    text
}

/// The nearest boundary of characters at or before the byte.
fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// What stands around the byte up to the nearest ends on both sides, without them.
fn piece(text: &str, at: usize, is_end: impl Fn(char) -> bool) -> std::ops::Range<usize> {
    let start =
        text[..at].rfind(&is_end).map_or(0, |end| end + text[end..].chars().next().map_or(0, char::len_utf8));
    let end = text[at..].find(&is_end).map_or(text.len(), |length| at + length);
    start..end
}
