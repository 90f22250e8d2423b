//! The programs of the corpus in C, C++ and Rust, by the command line: verdicts, repairs, and what compilers say of the
//! repaired files. Without clang only the Rust programs run, and a line on standard error says so.

use std::path::{Path, PathBuf};
use std::process::Command;

use fencewright_cli::{Exit, World, main_with};
use fencewright_frontend::language_of;
use fencewright_frontend::source::Dialect;
use fencewright_memory::Model;
use fencewright_testkit::corpus::{self, CompiledEntry, ExpectedVerdict, Level, Precision};
use fencewright_testkit::tools::has_clang;

fn run(args: &[&str]) -> (Exit, String, String) {
    let (mut stdin, mut out, mut err) = (&b""[..], Vec::new(), Vec::new());
    let world = World::new(&mut stdin, &mut out, &mut err);
    let args = std::iter::once("fencewright").chain(args.iter().copied());
    let exit = main_with(args.map(Into::into), world);
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    (exit, text(out), text(err))
}

fn dialect(path: &Path) -> Dialect {
    language_of(&path.to_string_lossy()).and_then(|language| language.dialect).expect("it is compiled")
}

/// Whether verdicts of the entry are asked for here. Whole Rust programs, standard library included, have a test of their own.
fn is_asked(entry: &CompiledEntry) -> bool {
    entry.is_for_lowered() || dialect(&entry.path) != Dialect::Rust
}

/// The entries of a language that are asked.
fn entries(wanted: Dialect) -> Vec<CompiledEntry> {
    all_entries(wanted).into_iter().filter(is_asked).collect()
}

/// All entries of a language; none, with a word about it, if its compiler is missing.
fn all_entries(wanted: Dialect) -> Vec<CompiledEntry> {
    if wanted != Dialect::Rust && !has_clang("the C and C++ programs of the corpus") {
        return Vec::new();
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let entries = corpus::load_compiled(&root).unwrap_or_else(|errors| panic!("{}", errors.join("\n")));
    let thorough = std::env::var_os("FENCEWRIGHT_THOROUGH").is_some();
    let runs = |entry: &CompiledEntry| thorough || entry.level != Level::Thorough;
    entries.into_iter().filter(|entry| dialect(&entry.path) == wanted && runs(entry)).collect()
}

fn all_verdicts(wanted: Dialect, least: usize) {
    let entries = entries(wanted);
    assert!(entries.is_empty() || entries.len() >= least, "only {} programs are left", entries.len());
    let mut missed = Vec::new();
    for entry in &entries {
        let models: Vec<&str> = entry.expected.iter().map(|(model, _)| model.name()).collect();
        let file = entry.path.to_string_lossy();
        if let Some(text) = &entry.refused {
            let (exit, out, err) = run(&["check", &file, "--quiet", "--timeout", "none"]);
            if exit != Exit::BadInput || !err.contains(text) {
                missed.push(format!("{}: expected to be refused for {text}\n{out}{err}", entry.name));
            }
            continue;
        }
        let (_, out, err) =
            run(&["check", &file, "--model", &models.join(","), "--quiet", "--timeout", "none"]);
        for (model, expectation) in &entry.expected {
            let wanted = match expectation.verdict {
                Some(ExpectedVerdict::Holds) => "HOLDS — proved",
                Some(ExpectedVerdict::Violated) => "VIOLATED — ",
                None => continue,
            };
            let line = format!("{file} under {}: {wanted}", model.name().to_uppercase());
            // Where a program leaves numbers open, trying some of them is no proof.
            let bounded = format!("{file} under {}: BOUNDED — no violation", model.name().to_uppercase());
            if expectation.explicit == Some(Precision::Bounded) && out.contains(&bounded) {
                continue;
            }
            if !out.contains(&line) {
                missed.push(format!("{} under {}: expected {wanted}\n{out}{err}", entry.name, model.name()));
            }
        }
    }
    assert!(missed.is_empty(), "{} expectations were not met:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn verdicts_of_c() {
    all_verdicts(Dialect::C, 20);
}

#[test]
fn verdicts_of_cpp() {
    all_verdicts(Dialect::Cpp, 6);
}

#[test]
fn verdicts_of_rust() {
    all_verdicts(Dialect::Rust, 8);
}

/// What the standard library does beside these programs makes more states than the test looks at.
const TOO_LARGE: [&str; 3] = ["channel-sum", "scope-count", "scope-load-store"];

/// Whole Rust programs: the standard library is executed with them.
#[test]
fn whole_rust_programs() {
    let entries: Vec<CompiledEntry> =
        all_entries(Dialect::Rust).into_iter().filter(|entry| !entry.is_for_lowered()).collect();
    let mut wrong = Vec::new();
    for entry in &entries {
        let file = entry.path.to_string_lossy();
        let (_, out, err) = run(&["check", &file, "--model", "sc,pso", "--quiet", "--max-states", "60000"]);
        for model in [Model::Sc, Model::Pso] {
            let expected = entry.expected.iter().find(|(of, _)| *of == model);
            let Some(verdict) = expected.and_then(|(_, expectation)| expectation.verdict) else { continue };
            let verdict = match verdict {
                ExpectedVerdict::Holds => "HOLDS — proved",
                ExpectedVerdict::Violated => "VIOLATED — ",
            };
            let said =
                |verdict: &str| out.contains(&format!("under {}: {verdict}", model.name().to_uppercase()));
            let is_large = TOO_LARGE.iter().any(|name| entry.name.ends_with(name));
            let too_large = is_large && said("UNKNOWN — ");
            if !said(verdict) && !too_large {
                wrong.push(format!("{}: expected {verdict}\n{out}{err}", entry.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether they are asked or not, the compiler takes the programs for the literal machine without a word.
#[test]
fn programs_compile_without_warnings() {
    let entries = [Dialect::C, Dialect::Cpp, Dialect::Rust].into_iter().flat_map(all_entries);
    let entries = entries.filter(|entry| !entry.is_for_lowered());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiled").join("warnings");
    std::fs::create_dir_all(&folder).expect("the folder of the tests can be written");
    let missed: Vec<String> = entries
        .filter_map(|entry| {
            let text = compiles_without_warnings(&entry.path, &folder).err()?;
            Some(format!("{}: {text}", entry.name))
        })
        .collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// `1m 2s` as the report says it.
fn in_words(fences: &str) -> String {
    let part = |part: &str| {
        let (number, kind) = part.split_at(part.len() - 1);
        let kind = if kind == "m" { "full" } else { "store-store" };
        format!("{number} {kind} fence{}", if number == "1" { "" } else { "s" })
    };
    fences.split_whitespace().map(part).collect::<Vec<_>>().join(", ")
}

/// Whether the compiler takes the file without a word. What it writes goes to the folder.
fn compiles_without_warnings(file: &Path, folder: &Path) -> Result<(), String> {
    let mut command = match dialect(file) {
        Dialect::Rust => {
            let mut rustc = Command::new("rustc");
            rustc
                .args(["--edition=2021", "-Dwarnings", "--emit=metadata", "-o"])
                .arg(folder.join(file.file_stem().unwrap_or_default()).with_extension("rmeta"));
            rustc
        }
        Dialect::C | Dialect::Cpp => {
            let mut clang = Command::new("clang");
            clang.args(["-Wall", "-Wextra", "-Werror", "-pthread", "-fsyntax-only"]);
            if let Dialect::Cpp = dialect(file) {
                clang.arg("-std=gnu++17");
            }
            clang
        }
    };
    let output = command.arg(file).output().map_err(|error| error.to_string())?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// The minimum is what is expected, the repaired file compiles without warnings and is proved when it is read again.
fn repair(entry: &CompiledEntry, model: Model, fences: &str) -> Result<(), String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiled").join(model.name());
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let name = format!("{}-{}", entry.name.replace('/', "-"), model.name());
    let ending = entry.path.extension().unwrap_or_default();
    let copy: PathBuf = folder.join(name).with_extension(ending);
    std::fs::copy(&entry.path, &copy).map_err(|error| error.to_string())?;
    let file = copy.to_string_lossy();
    let (exit, out, err) =
        run(&["fix", &file, "--model", model.name(), "--write", "--quiet", "--timeout", "none"]);
    let expected = format!("REPAIRED — {}: minimum, proved", in_words(fences));
    if exit != Exit::Proved || !out.contains(&expected) {
        return Err(format!("expected {expected}, found {out}{err}"));
    }
    compiles_without_warnings(&copy, &folder)?;
    let (exit, out, err) = run(&["check", &file, "--model", model.name(), "--timeout", "none"]);
    if exit == Exit::Proved { Ok(()) } else { Err(format!("the repaired file is not proved: {out}{err}")) }
}

fn all_repairs(wanted: Dialect, least: usize) {
    let entries = entries(wanted);
    let mut n_repairs = 0;
    let mut missed = Vec::new();
    for entry in &entries {
        for (model, expectation) in &entry.expected {
            let Some(fences) = &expectation.fences else { continue };
            n_repairs += 1;
            if let Err(text) = repair(entry, *model, fences) {
                missed.push(format!("{} under {}: {text}", entry.name, model.name()));
            }
        }
    }
    assert!(entries.is_empty() || n_repairs >= least, "only {n_repairs} repairs are left");
    assert!(missed.is_empty(), "{} repairs are not as expected:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn repairs_of_c() {
    all_repairs(Dialect::C, 15);
}

#[test]
fn repairs_of_cpp() {
    all_repairs(Dialect::Cpp, 5);
}

#[test]
fn repairs_of_rust() {
    all_repairs(Dialect::Rust, 5);
}
