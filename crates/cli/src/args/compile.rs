//! How programs are read: their language, and the compiler of C, C++ and Rust.

use std::ffi::OsString;

use clap::Args as ClapArgs;
use fencewright_frontend::Language;
use fencewright_literal::machine::Stub;
use fencewright_literal::violation::Check;

use super::parse::parse_language;

/// How a program is read.
#[derive(Debug, Clone, Default, ClapArgs)]
pub struct LoadArgs {
    /// The language of the program, whatever its name.
    #[arg(long, value_name = "NAME", value_parser = parse_language)]
    pub language: Option<&'static Language>,
    #[allow(missing_docs, reason = "flattened: documented at its type")]
    #[command(flatten)]
    pub compile: CompileArgs,
}

/// How C, C++ and Rust are compiled.
#[derive(Debug, Clone, Default, ClapArgs)]
#[command(next_help_heading = "C, C++ and Rust")]
pub struct CompileArgs {
    /// The clang to use [default: clang, else clang-19 … clang-14].
    #[arg(long, value_name = "CLANG")]
    pub cc: Option<String>,
    /// The rustc to use [default: rustc].
    #[arg(long, value_name = "RUSTC")]
    pub rustc: Option<String>,
    /// Arguments for the compiler, separated by blanks; quotes keep blanks together.
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub cflags: Option<String>,
    /// Functions that run as threads, all from the start, instead of `main`.
    #[arg(long, value_name = "FUNCTIONS", value_delimiter = ',')]
    pub entry: Vec<String>,
    /// Objects that each place that allocates memory has in each thread [default: 3].
    #[arg(long, value_name = "N")]
    pub heap: Option<u32>,
    /// What a function without a body does: any (returns any value), nothing (returns zero) or abort (is a violation).
    #[arg(long, value_name = "NAME=WHAT", value_parser = parse_stub)]
    pub stub: Vec<(String, Stub)>,
    /// Look at executions that create at most N threads; the answer is then bounded.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Do not look for these errors: assertions, memory, unset, division, deadlock.
    #[arg(long, value_name = "CHECKS", value_delimiter = ',', value_parser = parse_check)]
    pub no_check: Vec<Check>,
    /// Show the commands that run the compiler.
    #[arg(long)]
    pub verbose: bool,
    /// More arguments for the compiler.
    #[arg(last = true, value_name = "COMPILER ARGUMENTS")]
    pub arguments: Vec<OsString>,
}

impl CompileArgs {
    /// All arguments the user gives the compiler, in order.
    pub fn flags(&self) -> Vec<OsString> {
        let words = self.cflags.as_deref().map(words).unwrap_or_default();
        words.into_iter().map(OsString::from).chain(self.arguments.iter().cloned()).collect()
    }
}

fn parse_stub(text: &str) -> Result<(String, Stub), String> {
    let (name, what) = text.split_once('=').ok_or("write NAME=any, NAME=nothing or NAME=abort")?;
    let stub = match what {
        "any" => Stub::Any,
        "nothing" => Stub::Nothing,
        "abort" => Stub::Abort,
        _ => return Err(format!("`{what}` is none of any, nothing, abort")),
    };
    Ok((name.to_owned(), stub))
}

fn parse_check(text: &str) -> Result<Check, String> {
    let names: Vec<&str> = Check::ALL.iter().map(|check| check.name()).collect();
    let found = Check::ALL.into_iter().find(|check| check.name() == text);
    found.ok_or_else(|| format!("`{text}` is none of {}", names.join(", ")))
}

/// The words of a line, as a shell divides it: blanks separate, quotes and backslashes keep them together.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = line.chars();
    while let Some(c) = characters.next() {
        match (quote, c) {
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (Some(open), c) if c == open => quote = None,
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(characters.next()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_divided_as_by_a_shell() {
        assert_eq!(words("-DN=2  -I inc"), ["-DN=2", "-I", "inc"]);
        assert_eq!(words("'-DS=\"a b\"' -D\"X=1 2\" a\\ b ''"), ["-DS=\"a b\"", "-DX=1 2", "a b", ""]);
        assert!(words("  ").is_empty());
    }
}
