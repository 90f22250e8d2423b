//! The compilers: generated text to LLVM IR with the arguments of `fencewright check`, and to something that runs.
//!
//! Many texts are given to one process of clang, and the headers of C++ are read once ([`Compilers::new`]): starting a compiler and
//! reading headers takes longer than compiling. What runs is compiled from the same text without optimisation, so that it has the
//! accesses that the IR has; only the calls of the runtime are more ([`RUNTIME`]).

use std::io::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::process::{Scratch, run};
use crate::render::{Language, RUNTIME};

/// How long a compiler may take for one text.
const TIME: Duration = Duration::from_secs(20);

/// How long it may take for a whole program, library included.
const WHOLE: Duration = Duration::from_secs(120);

/// The headers of C++ texts.
const HEADERS: &str = "#include <atomic>\n#include <cassert>\n#include <cstdint>\n#include <cstdlib>\n\
                       #include <cstring>\n#include <mutex>\n#include <pthread.h>\n#include <thread>\n";

const CLANG: [&str; 5] = ["-w", "-O0", "-g", "-Xclang", "-disable-O0-optnone"];

const RUSTC: [&str; 9] = [
    "-g",
    "-Copt-level=0",
    "-Coverflow-checks=on",
    "-Cdebug-assertions=off",
    "-Cpanic=abort",
    "-Ccodegen-units=1",
    "--edition=2021",
    "--cap-lints=allow",
    "--crate-type=bin",
];

/// The compilers of this machine, and a folder for what they write. It can be used from several threads at once.
#[derive(Debug)]
pub struct Compilers {
    scratch: Scratch,
    next: AtomicU64,
    has_headers: bool,
    /// For each language the arguments of the process in which clang compiles: one for many texts. The command that
    /// the user types starts one for each.
    inner: Vec<(Language, Vec<String>)>,
}

impl Compilers {
    /// Makes ready what the languages need. An error says what is missing.
    pub fn new(languages: &[Language]) -> Result<Self, String> {
        let failed = |what: &str, error: Error| format!("{what}: {error}");
        let scratch = Scratch::new().map_err(|error| failed("no folder for temporary files", error))?;
        let mut compilers = Self { scratch, next: AtomicU64::new(0), has_headers: false, inner: Vec::new() };
        if languages.contains(&Language::Rust) {
            run(Command::new("rustc").arg("--version"), TIME).map_err(|error| failed("rustc", error))?;
        }
        if languages.contains(&Language::Cpp) {
            compilers.headers()?;
        }
        for language in [Language::C, Language::Cpp] {
            if languages.contains(&language) {
                let arguments = compilers.inner(language).map_err(|error| failed("clang", error))?;
                compilers.inner.push((language, arguments));
            }
        }
        Ok(compilers)
    }

    fn headers(&mut self) -> Result<(), String> {
        let text = self.scratch.path().join("headers.hpp");
        std::fs::write(&text, HEADERS).map_err(|error| error.to_string())?;
        let mut command = self.clang(Language::Cpp);
        command.args(["-x", "c++-header", "-o"]).arg(self.scratch.path().join("headers.pch")).arg(&text);
        let output = run(&mut command, TIME).map_err(|error| error.to_string())?;
        self.has_headers = output.succeeded;
        if output.succeeded { Ok(()) } else { Err(output.stderr) }
    }

    fn clang(&self, language: Language) -> Command {
        let mut command = Command::new(if language == Language::Cpp { "clang++" } else { "clang" });
        command.args(CLANG);
        if language == Language::Cpp {
            command.arg("-std=c++17");
        }
        if language == Language::Cpp && self.has_headers {
            command.arg("-include-pch").arg(self.scratch.path().join("headers.pch"));
        }
        command
    }

    /// What clang says that it would start for a text, without the text and what is written for it.
    fn inner(&self, language: Language) -> Result<Vec<String>, Error> {
        let name = format!("text.{}", language.extension());
        // It says nothing of a text that is not there.
        std::fs::write(self.scratch.path().join(&name), "")?;
        let mut command = self.clang(language);
        command.current_dir(self.scratch.path()).args(["-###", "-S", "-emit-llvm", &name]);
        let told = run(&mut command, TIME)?.stderr;
        let line = told.lines().find(|line| line.contains("\"-cc1\"")).unwrap_or_default();
        let mut arguments = Vec::new();
        let mut words = line.split('"').skip(1).step_by(2);
        while let Some(word) = words.next() {
            if word == "-o" {
                words.next();
            } else if word != name || arguments.last().is_some_and(|last| last == "-main-file-name") {
                arguments.push(word.to_owned());
            }
        }
        Ok(arguments)
    }

    /// A folder that nobody else uses.
    fn folder(&self) -> Result<PathBuf, Error> {
        let folder = self.scratch.path().join(self.next.fetch_add(1, Ordering::Relaxed).to_string());
        std::fs::create_dir(&folder)?;
        Ok(folder)
    }

    /// The IR of each text, or what its compiler says of it.
    pub fn ir(&self, language: Language, texts: &[String]) -> Vec<Result<String, String>> {
        let folder = match self.folder() {
            Ok(folder) => folder,
            Err(error) => return texts.iter().map(|_| Err(error.to_string())).collect(),
        };
        let results = match language {
            Language::C | Language::Cpp => self.ir_by_clang(language, texts, &folder),
            Language::Rust => texts.iter().map(|text| self.ir_by_rustc(text, &folder)).collect(),
        };
        // The folder is a part of one that is removed at the end.
        let _ = std::fs::remove_dir_all(&folder);
        results
    }

    fn ir_by_clang(
        &self,
        language: Language,
        texts: &[String],
        folder: &Path,
    ) -> Vec<Result<String, String>> {
        let name = |number: usize| format!("p{number}.{}", language.extension());
        for (number, text) in texts.iter().enumerate() {
            if let Err(error) = std::fs::write(folder.join(name(number)), text) {
                return texts.iter().map(|_| Err(error.to_string())).collect();
            }
        }
        let own = self.inner.iter().find(|(of, _)| *of == language).map_or(&[][..], |(_, inner)| inner);
        if let [program, arguments @ ..] = own {
            let mut command = Command::new(program);
            command.current_dir(folder).args(arguments).args((0..texts.len()).map(name));
            // What is missing then is compiled alone, and says why.
            let _ = run(&mut command, TIME * texts.len().max(1) as u32);
        }
        let read = |number: usize| std::fs::read_to_string(folder.join(format!("p{number}.ll")));
        let alone = |number: usize| {
            let mut command = self.clang(language);
            command.current_dir(folder).args(["-S", "-emit-llvm"]).arg(name(number));
            let output = run(&mut command, TIME).map_err(|error| error.to_string())?;
            read(number).map_err(|_| output.stderr)
        };
        (0..texts.len()).map(|number| read(number).or_else(|_| alone(number))).collect()
    }

    fn ir_by_rustc(&self, text: &str, folder: &Path) -> Result<String, String> {
        let source = folder.join("program.rs");
        let ir = folder.join("program.ll");
        std::fs::write(&source, text).map_err(|error| error.to_string())?;
        let mut command = Command::new("rustc");
        // What it writes on the way goes to where it runs.
        command.current_dir(folder).args(RUSTC).arg("--crate-name=program");
        command.arg(format!("--emit=llvm-ir={}", ir.display())).arg(&source);
        let output = run(&mut command, TIME).map_err(|error| error.to_string())?;
        if !output.succeeded {
            return Err(output.stderr);
        }
        std::fs::read_to_string(&ir).map_err(|error| error.to_string())
    }

    /// The IR of a whole Rust program, standard library included. Nothing is linked: only what stands before that is wanted.
    pub(crate) fn whole_rust(&self, text: &str) -> Result<String, String> {
        let folder = self.folder().map_err(|error| error.to_string())?;
        let (source, ir) = (folder.join("whole.rs"), folder.join("whole.ll"));
        std::fs::write(&source, text).map_err(|error| error.to_string())?;
        let mut command = Command::new("rustc");
        command.current_dir(&folder).args(RUSTC).args(["-Clto=fat", "-Clinker=true", "-Clinker-flavor=gcc"]);
        // Without the second the compiler gives the crate only.
        command.arg("--emit=llvm-ir=whole.ll,link=whole.out").arg(&source);
        let output = run(&mut command, WHOLE).map_err(|error| error.to_string())?;
        let read = std::fs::read_to_string(&ir);
        // The folder is a part of one that is removed at the end.
        let _ = std::fs::remove_dir_all(&folder);
        // It complains that the linker made nothing, when all that is wanted is there.
        read.map_err(|_| output.stderr)
    }

    /// The object file of the runtime.
    fn runtime(&self) -> Result<PathBuf, String> {
        let folder = self.folder().map_err(|error| error.to_string())?;
        let (source, object) = (folder.join("runtime.c"), folder.join("runtime.o"));
        std::fs::write(&source, RUNTIME).map_err(|error| error.to_string())?;
        let mut command = Command::new("clang");
        command.args(["-O1", "-c", "-o"]).arg(&object).arg(&source);
        let output = run(&mut command, TIME).map_err(|error| error.to_string())?;
        if output.succeeded { Ok(object) } else { Err(output.stderr) }
    }

    /// Makes programs of texts.
    pub fn native(&self) -> Result<Native<'_>, String> {
        Ok(Native { compilers: self, runtime: self.runtime()? })
    }
}

/// A compiler of programs that run.
#[derive(Debug)]
pub struct Native<'a> {
    compilers: &'a Compilers,
    runtime: PathBuf,
}

impl Native<'_> {
    /// The program of a text, in a folder that [`Executable`] removes.
    pub fn build(&self, language: Language, text: &str) -> Result<Executable, String> {
        let folder = self.compilers.folder().map_err(|error| error.to_string())?;
        let executable = Executable { folder: folder.clone() };
        let source = folder.join(format!("program.{}", language.extension()));
        std::fs::write(&source, text).map_err(|error| error.to_string())?;
        let mut command = match language {
            Language::C | Language::Cpp => {
                let mut command = self.compilers.clang(language);
                command.args(["-DNATIVE", "-lpthread", "-o"]).arg(executable.path());
                command.arg(&source).arg(&self.runtime);
                command
            }
            Language::Rust => {
                let mut command = Command::new("rustc");
                command.current_dir(&folder).args(RUSTC).args(["--crate-name=program", "--cfg=native"]);
                command.arg(format!("-Clink-arg={}", self.runtime.display()));
                command.arg("-o").arg(executable.path()).arg(&source);
                command
            }
        };
        let output = run(&mut command, TIME).map_err(|error| error.to_string())?;
        if output.succeeded { Ok(executable) } else { Err(output.stderr) }
    }
}

/// A program that can be run.
#[derive(Debug)]
pub struct Executable {
    folder: PathBuf,
}

impl Executable {
    /// Where it is.
    pub fn path(&self) -> PathBuf {
        self.folder.join("program.out")
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        // The folder is a part of one that is removed at the end.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
