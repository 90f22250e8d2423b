//! Which compilers there are, and how they are asked for LLVM IR.
//!
//! The text goes in by standard input and the IR comes out by standard output: nothing is written to the user's folders.
//! Code is left as the user wrote it (`-O0`), with positions and names (`-g`).

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use fencewright_base::Meter;
use fencewright_frontend::source::{Dialect, has_main};

use super::process::{self, Failure};
use super::scratch::Scratch;
use crate::args::CompileArgs;

/// What clang can be called; the newest first behind the system's own choice.
const CLANGS: [&str; 7] = ["clang", "clang-19", "clang-18", "clang-17", "clang-16", "clang-15", "clang-14"];

/// A compiler and the arguments that make it write LLVM IR.
#[derive(Debug)]
pub(super) struct Compiler {
    program: OsString,
    arguments: Vec<OsString>,
    /// Where it runs.
    folder: Option<PathBuf>,
    /// What it is told beside that if it is to leave the code as it reads it.
    without_passes: &'static [&'static str],
    optimizes: bool,
    /// Where it writes what it needs on the way.
    _scratch: Option<Scratch>,
}

/// What a compiler does with the code that it has read.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(super) enum Passes {
    /// What the user asks for.
    Asked,
    /// Nothing.
    None,
}

impl Compiler {
    /// The compiler for a text of this language that stands at this path. An error says what is missing.
    pub(super) fn find(
        dialect: Dialect,
        path: &Path,
        text: &str,
        args: &CompileArgs,
        meter: &Meter,
    ) -> Result<Compiler, String> {
        match dialect {
            Dialect::C | Dialect::Cpp => clang(dialect, path, args, meter),
            Dialect::Rust => rustc(path, text, args),
        }
    }

    /// Whether the user asks for more than the code as it is read.
    pub(super) fn optimizes(&self) -> bool {
        self.optimizes
    }

    /// To run it.
    pub(super) fn command(&self, passes: Passes) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        if passes == Passes::None {
            command.args(self.without_passes);
        }
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command
    }

    /// Its name.
    pub(super) fn name(&self) -> String {
        self.program.to_string_lossy().into_owned()
    }

    /// As it would be typed.
    pub(super) fn shown(&self) -> String {
        let words = std::iter::once(&self.program).chain(&self.arguments);
        words.map(|word| quoted(&word.to_string_lossy())).collect::<Vec<_>>().join(" ")
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+,:@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

fn clang(dialect: Dialect, path: &Path, args: &CompileArgs, meter: &Meter) -> Result<Compiler, String> {
    let asked = args.cc.as_deref();
    let names: Vec<&str> = asked.map_or(CLANGS.to_vec(), |name| vec![name]);
    let found = names.iter().find_map(|name| {
        let output = process::run(Command::new(name).arg("--version"), Vec::new(), meter).ok()?;
        Some((*name, String::from_utf8_lossy(&output.stdout).into_owned()))
    });
    let Some((program, version)) = found else {
        return Err(match asked {
            Some(name) => format!("there is no compiler `{name}`; give --cc the name of a clang"),
            None => "C and C++ are compiled by clang, and there is none on the path: install it (Debian, Ubuntu: \
                     apt-get install clang; Fedora: dnf install clang; macOS: xcode-select --install), or give its \
                     name with --cc"
                .to_owned(),
        });
    };
    if !version.contains("clang") {
        return Err(format!(
            "`{program}` is not clang, and others do not write LLVM IR: give --cc the name of a clang"
        ));
    }
    let language = if dialect == Dialect::C { "c" } else { "c++" };
    let mut arguments: Vec<OsString> =
        ["-x", language, "-S", "-emit-llvm", "-O0", "-g", "-Xclang", "-disable-O0-optnone"]
            .map(OsString::from)
            .to_vec();
    if major_version(&version) == Some(14) {
        // Later ones do it by themselves, earlier ones not at all.
        arguments.extend(["-Xclang", "-opaque-pointers"].map(OsString::from));
    }
    if language == "c++" {
        // libstdc++ then says where its users break its rules, and hands out the bodies of `std::string`.
        arguments.push("-D_GLIBCXX_ASSERTIONS".into());
        // The default of clang 16 and later, for the earlier ones, too.
        if !gives_standard(&args.flags()) {
            arguments.push("-std=gnu++17".into());
        }
    }
    // The text comes by standard input, yet `#include "…"` means the file's own folder.
    arguments.extend([OsString::from("-iquote"), folder_of(path).into()]);
    arguments.extend(args.flags());
    // The calls put into the text may deserve warnings; the user's own code gets them from the user's own build.
    arguments.extend(["-w", "-o", "-", "-"].map(OsString::from));
    Ok(Compiler {
        program: program.into(),
        arguments,
        folder: None,
        without_passes: &["-Xclang", "-disable-llvm-passes"],
        optimizes: optimize(&args.flags()),
        _scratch: None,
    })
}

/// Whether one of the flags asks for an optimizer.
fn optimize(flags: &[OsString]) -> bool {
    let asks = |flag: &str| flag.starts_with("-O") && flag != "-O0" || flag.contains("opt-level");
    flags.iter().any(|flag| asks(&flag.to_string_lossy()))
}

/// Whether one of the flags says which standard the text keeps to.
fn gives_standard(flags: &[OsString]) -> bool {
    let says = |flag: &str| flag.starts_with("-std") || flag.starts_with("--std") || flag == "-ansi";
    flags.iter().any(|flag| says(&flag.to_string_lossy()))
}

fn major_version(text: &str) -> Option<u32> {
    let (_, behind) = text.split_once("clang version ")?;
    behind.split('.').next()?.parse().ok()
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

fn rustc(path: &Path, text: &str, args: &CompileArgs) -> Result<Compiler, String> {
    let flags = args.flags();
    let is_given = |name: &str| flags.iter().any(|flag| flag.to_string_lossy().starts_with(name));
    let mut arguments: Vec<OsString> = [
        "--emit=llvm-ir=-",
        "-g",
        // Checks of arithmetic stay, those the library makes of itself go.
        "-Copt-level=0",
        "-Coverflow-checks=on",
        "-Cdebug-assertions=off",
        "-Cpanic=abort",
        "-Ccodegen-units=1",
        // Functions that nobody calls may be named by --entry.
        "-Clink-dead-code",
        "--cap-lints=allow",
    ]
    .map(OsString::from)
    .to_vec();
    if !is_given("--edition") {
        arguments.push("--edition=2021".into());
    }
    if !is_given("--crate-type") {
        arguments.push(if has_main(text) { "--crate-type=bin" } else { "--crate-type=lib" }.into());
    }
    if !is_given("--crate-name") {
        arguments.push("--crate-name=program".into());
    }
    let scratch = Scratch::new().map_err(|error| {
        let within = std::env::temp_dir();
        format!(
            "rustc needs a folder for temporary files, and none can be made in {}: {error}",
            within.display()
        )
    })?;
    arguments.extend([OsString::from("--out-dir"), scratch.path().into()]);
    arguments.extend(flags);
    arguments.push("-".into());
    let program = args.rustc.clone().unwrap_or_else(|| "rustc".to_owned());
    // Modules in files of their own are looked for from where the compiler runs.
    let folder = Some(folder_of(path));
    Ok(Compiler {
        program: program.into(),
        arguments,
        folder,
        without_passes: &["-Copt-level=0"],
        optimizes: optimize(&args.flags()),
        _scratch: Some(scratch),
    })
}

/// The compiler for a whole Rust program, standard library included, and the file that the IR will be in. Nothing is linked:
/// only what stands before that is wanted.
pub(super) fn rustc_whole(path: &Path, args: &CompileArgs) -> Result<(Compiler, PathBuf), String> {
    let scratch =
        Scratch::new().map_err(|error| format!("rustc needs a folder for temporary files: {error}"))?;
    let ir = scratch.path().join("whole.ll");
    let mut emit = OsString::from("--emit=llvm-ir=");
    emit.push(&ir);
    emit.push(",link=");
    emit.push(scratch.path().join("whole.out"));
    let mut arguments: Vec<OsString> = [
        "-g",
        "-Copt-level=0",
        "-Coverflow-checks=on",
        "-Cdebug-assertions=off",
        "-Cpanic=abort",
        "-Clto=fat",
        "-Ccodegen-units=1",
        "-Clinker=true",
        "-Clinker-flavor=gcc",
        "--cap-lints=allow",
        "--crate-type=bin",
        "--crate-name=program",
    ]
    .map(OsString::from)
    .to_vec();
    let flags = args.flags();
    if !flags.iter().any(|flag| flag.to_string_lossy().starts_with("--edition")) {
        arguments.push("--edition=2021".into());
    }
    arguments.push(emit);
    // What is made on the way goes there, too, not into the user's folder.
    arguments.extend([OsString::from("--out-dir"), scratch.path().into()]);
    arguments.extend(flags);
    arguments.push("-".into());
    let program = args.rustc.clone().unwrap_or_else(|| "rustc".to_owned());
    let folder = Some(folder_of(path));
    let compiler = Compiler {
        program: program.into(),
        arguments,
        folder,
        without_passes: &[],
        optimizes: false,
        _scratch: Some(scratch),
    };
    Ok((compiler, ir))
}

/// What to say of a compiler that did not come to its end.
pub(super) fn failure_text(compiler: &Compiler, dialect: Dialect, failure: &Failure) -> String {
    let name = compiler.name();
    match failure {
        Failure::Missing if dialect == Dialect::Rust => format!(
            "Rust is compiled by rustc, and there is no `{name}` on the path: install it (https://rustup.rs), or give its \
             name with --rustc"
        ),
        Failure::Missing => format!("there is no compiler `{name}`"),
        Failure::Io(error) => format!("`{name}` cannot be run: {error}"),
        Failure::Verbose => format!("`{name}` wrote more than can be read"),
        // Whoever asked finds out by the meter.
        Failure::Stopped(_) => format!("`{name}` was stopped"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_clang() {
        assert_eq!(major_version("Debian clang version 14.0.6\nTarget: x86_64-pc-linux-gnu"), Some(14));
        assert_eq!(major_version("Ubuntu clang version 18.1.3 (1ubuntu1)"), Some(18));
        assert_eq!(major_version("gcc (Debian 12.2.0) 12.2.0"), None);
    }

    #[test]
    fn words_are_shown_as_a_shell_takes_them() {
        assert_eq!(quoted("-DN=2"), "-DN=2");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
    }
}
