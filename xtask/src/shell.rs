//! Running other programs, and reading options.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("xtask stands in the root").to_path_buf()
}

/// The cargo that runs this.
pub(crate) fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root());
    cargo
}

/// Where cargo puts what it builds.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Runs the command with its output shown, says what it is and how long it took, and fails if it does.
pub(crate) fn show(command: &mut Command) -> Result<()> {
    let text = text_of(command);
    println!("$ {text}");
    let start = Instant::now();
    let status = command.status().with_context(|| format!("`{text}` does not start"))?;
    println!("  {:.1} s", start.elapsed().as_secs_f64());
    if status.success() { Ok(()) } else { bail!("`{text}` failed ({status})") }
}

/// What the command writes to standard output.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let text = text_of(command);
    let output = command.output().with_context(|| format!("`{text}` does not start"))?;
    if !output.status.success() {
        bail!("`{text}` failed:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn text_of(command: &Command) -> String {
    let program =
        Path::new(command.get_program()).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let arguments = command.get_args().map(|argument| argument.to_string_lossy().into_owned());
    std::iter::once(program).chain(arguments).collect::<Vec<_>>().join(" ")
}

/// Builds the tool and these chores in release. Together, always: each alone would have its libraries built with other features
/// of their dependencies, and so once more.
pub(crate) fn build_release() -> Result<()> {
    show(cargo().args(["build", "--quiet", "--release", "--package", "fencewright", "--package", "xtask"]))
}

/// Runs the same command of xtask in a release build: searching is many times faster there.
pub(crate) fn again_in_release(name: &str, arguments: &[String]) -> Result<()> {
    build_release()?;
    let mut command = Command::new(target().join("release").join("xtask"));
    show(command.current_dir(root()).arg(name).args(arguments))
}

/// The value behind `--name`, if it is given.
pub(crate) fn option<'a>(arguments: &'a [String], name: &str) -> Result<Option<&'a str>> {
    match arguments.iter().position(|argument| argument == name) {
        None => Ok(None),
        Some(i) => match arguments.get(i + 1) {
            Some(value) => Ok(Some(value)),
            None => bail!("`{name}` needs a value"),
        },
    }
}

/// Fails on an argument that is neither one of these names nor the value behind one.
pub(crate) fn only(arguments: &[String], names: &[&str]) -> Result<()> {
    for pair in arguments.chunks(2) {
        if !names.contains(&pair[0].as_str()) {
            bail!("`{}` is not known here; known: {}", pair[0], names.join(", "));
        }
    }
    Ok(())
}
