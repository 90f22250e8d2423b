//! The commands in the documents are run, and what the documents show is what they give.
//!
//! In a block of README.md or docs/ that begins with three backticks and `console`, a line `$ fencewright …` or
//! `$ cargo run --release -- …` is a command, run from the root of the repository; `< file` is its standard input, and
//! what stands in single quotes is one word. The lines below it are its standard output. `[..]` stands for anything
//! within a line; a line `...` or `…` stands for any lines; numbers before `ms` and `s` are times and count as equal;
//! `[exit 1]` as the last line is the exit code. A command without output below it must run and not be bad usage.
//!
//! A binary of its own: the working directory is one for the whole process, and here it is the root.

use std::path::{Path, PathBuf};

use fencewright_cli::{World, main_with};
use fencewright_testkit::tools::has_clang;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the root is there")
}

/// A command of a document and what is shown below it.
#[derive(Debug)]
struct Shown {
    place: String,
    command: String,
    output: Vec<String>,
}

fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            documents(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

fn commands(document: &str, text: &str) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    let mut inside = false;
    for (number, line) in text.lines().enumerate() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
            let place = format!("{document}:{}", number + 1);
            all.push(Shown { place, command: command.to_owned(), output: Vec::new() });
        } else if inside {
            let last = all
                .last_mut()
                .unwrap_or_else(|| panic!("{document}:{}: output before a command", number + 1));
            last.output.push(line.trim_end().to_owned());
        }
    }
    for shown in &mut all {
        while shown.output.last().is_some_and(String::is_empty) {
            shown.output.pop();
        }
    }
    all
}

/// The words of a command; what stands in single quotes is one.
fn words(command: &str) -> Vec<&str> {
    let quoted = command.split('\'').enumerate();
    quoted
        .flat_map(|(i, part)| if i % 2 == 1 { vec![part] } else { part.split_whitespace().collect() })
        .collect()
}

/// Runs the command; gives its output and exit code.
fn run(command: &str) -> Result<(String, String, u8), String> {
    let words = words(command);
    let arguments = match &words[..] {
        ["fencewright", rest @ ..] | ["cargo", "run", "--release", "--", rest @ ..] => rest,
        _ => return Err("only `fencewright` and `cargo run --release --` can be run here".to_owned()),
    };
    let (arguments, input) = match arguments {
        [arguments @ .., "<", file] => {
            (arguments, std::fs::read(file).map_err(|error| format!("{file}: {error}"))?)
        }
        _ => (arguments, Vec::new()),
    };
    let (mut input, mut out, mut err) = (&input[..], Vec::new(), Vec::new());
    let world = World::new(&mut input, &mut out, &mut err);
    let arguments = std::iter::once("fencewright").chain(arguments.iter().copied());
    let exit = main_with(arguments.map(Into::into), world);
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok((text(out), text(err), exit.code()))
}

/// The line with times made equal: the number before ` ms` or ` s` becomes `0`.
fn without_times(line: &str) -> String {
    let mut words: Vec<&str> = line.split(' ').collect();
    for i in 1..words.len() {
        let is_unit = ["ms", "s"].contains(&words[i].trim_end_matches([',', ';', ')', '.']));
        let is_number = words[i - 1].chars().all(|c| c.is_ascii_digit() || "<.".contains(c));
        if is_unit && is_number && !words[i - 1].is_empty() {
            words[i - 1] = "0";
        }
    }
    words.join(" ")
}

/// Whether a line is what the document shows, `[..]` being anything.
fn line_matches(shown: &str, line: &str) -> bool {
    let (shown, line) = (without_times(shown), without_times(line));
    let mut parts = shown.split("[..]");
    let Some(mut rest) = line.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts = parts.peekable();
    let mut open = false;
    while let Some(part) = parts.next() {
        open = true;
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    open || rest.is_empty()
}

fn matches(shown: &[String], lines: &[String]) -> bool {
    match shown {
        [] => lines.is_empty(),
        [skip, rest @ ..] if skip.trim() == "..." || skip.trim() == "…" => {
            (0..=lines.len()).any(|from| matches(rest, &lines[from..]))
        }
        [first, rest @ ..] => match lines {
            [line, others @ ..] => line_matches(first, line) && matches(rest, others),
            [] => false,
        },
    }
}

fn check(shown: &Shown) -> Result<(), String> {
    let (out, err, exit) = run(&shown.command)?;
    let mut expected = shown.output.clone();
    let code =
        expected.last().and_then(|last| last.strip_prefix("[exit ")?.strip_suffix(']')?.parse::<u8>().ok());
    if code.is_some() {
        expected.pop();
    }
    match code {
        Some(code) if code != exit => {
            return Err(format!("the document says exit {code}, it is {exit}\n{err}"));
        }
        None if exit == 2 => return Err(format!("bad input or usage:\n{err}")),
        Some(_) | None => {}
    }
    let mut lines: Vec<String> = out.lines().map(|line| line.trim_end().to_owned()).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    if expected.is_empty() || matches(&expected, &lines) {
        return Ok(());
    }
    Err(format!("the document shows:\n{}\nthe command gives:\n{}", expected.join("\n"), lines.join("\n")))
}

fn needs_clang(command: &str) -> bool {
    let is_c = |word: &str| [".c", ".cc", ".cpp", ".cxx"].iter().any(|ending| word.ends_with(ending));
    command.split_whitespace().any(is_c)
}

#[test]
fn what_the_documents_show_is_what_the_tool_does() {
    let root = root();
    std::env::set_current_dir(&root).expect("the root is there");
    // Commands that write do it there.
    std::fs::create_dir_all("target").expect("the folder can be made");
    let mut paths = vec![root.join("README.md")];
    documents(&root.join("docs"), &mut paths);
    let mut all = Vec::new();
    for path in paths {
        let name = path.strip_prefix(&root).expect("below the root").display().to_string();
        all.extend(commands(&name, &std::fs::read_to_string(&path).expect("readable")));
    }
    if !has_clang("the commands of the documents on C and C++") {
        all.retain(|shown| !needs_clang(&shown.command));
    }
    assert!(all.len() >= 10, "only {} commands were found", all.len());
    let wrong: Vec<String> = all
        .iter()
        .filter_map(|shown| {
            check(shown).err().map(|text| format!("{}: $ {}\n{text}", shown.place, shown.command))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {} commands:\n\n{}", wrong.len(), all.len(), wrong.join("\n\n"));
}

#[test]
fn lines_match_two_sidedly() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(line_matches("a [..] d", "a b c d") && !line_matches("a [..] d", "a b c"));
    assert!(line_matches("x", "x") && !line_matches("x", "xy") && !line_matches("xy", "x"));
    assert!(line_matches("done, 2 ms", "done, 17 ms") && !line_matches("2 states", "3 states"));
    assert!(matches(&lines("a\n...\nd"), &lines("a\nb\nc\nd")));
    assert!(!matches(&lines("a\n...\nd"), &lines("a\nb")));
    assert!(!matches(&lines("a"), &lines("a\nb")), "what is not shown is not left out silently");
}
