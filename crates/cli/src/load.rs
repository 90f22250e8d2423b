//! Files to programs, with everything that can be wrong on the way.

use std::path::Path;

use fencewright_base::{FileId, SourceMap};
use fencewright_frontend::{LANGUAGES, Language, Loaded, language_of};
use fencewright_ir::Program;
use fencewright_report::diagnostics;
use fencewright_report::json::WireDiagnostic;
use fencewright_report::terminal::Style;

use crate::World;

/// A program with the text it came from.
pub(crate) struct Input {
    /// The file as the user named it.
    pub(crate) file: String,
    pub(crate) program: Program,
    pub(crate) sources: SourceMap,
    /// The file in `sources`.
    pub(crate) id: FileId,
    pub(crate) language: &'static Language,
    /// What is odd about it, for a person and for a script.
    pub(crate) warnings: Complaints,
}

/// What is wrong with a file, for a person and for a script.
#[derive(Default)]
pub(crate) struct Complaints {
    /// Rendered, with ends of lines.
    pub(crate) text: String,
    pub(crate) wire: Vec<WireDiagnostic>,
}

impl Complaints {
    pub(crate) fn render(list: &[fencewright_base::Diagnostic], sources: &SourceMap, style: Style) -> Self {
        Complaints {
            text: list.iter().map(|d| diagnostics::render(d, sources, style) + "\n").collect(),
            wire: list.iter().map(|d| WireDiagnostic::new(d, sources)).collect(),
        }
    }

    pub(crate) fn about_file(style: Style, file: &str, message: String) -> Self {
        let word = if style.color { "\x1b[1;31merror\x1b[0m" } else { "error" };
        Complaints {
            text: format!("{word}: {file}: {message}\n"),
            wire: vec![WireDiagnostic::about_file(file, message)],
        }
    }
}

/// Reads a program from a file, or from standard input if it is `-`.
pub(crate) fn load(
    world: &mut World<'_>,
    path: &Path,
    language: Option<&'static Language>,
) -> Result<Input, Complaints> {
    if path != Path::new("-") {
        return load_file(path, language, world.style_err());
    }
    let style = world.style_err();
    let Some(language) = language else {
        let message = format!("standard input needs --language, one of {}", language_names());
        return Err(Complaints::about_file(style, "-", message));
    };
    let mut bytes = Vec::new();
    match world.stdin.read_to_end(&mut bytes) {
        Ok(_) => from_bytes("<stdin>", bytes, language, style),
        Err(error) => Err(Complaints::about_file(style, "-", format!("cannot be read: {error}"))),
    }
}

/// Reads a program from a file. Complaints are rendered in this style.
pub(crate) fn load_file(
    path: &Path,
    language: Option<&'static Language>,
    style: Style,
) -> Result<Input, Complaints> {
    let file = path.to_string_lossy().into_owned();
    let complain = |message: String| Complaints::about_file(style, &file, message);
    if path.is_dir() {
        return Err(complain("is a folder; name the files in it".to_owned()));
    }
    let bytes = std::fs::read(path).map_err(|error| complain(format!("cannot be read: {error}")))?;
    let Some(language) = language.or_else(|| language_of(&file)) else {
        let known = LANGUAGES
            .iter()
            .flat_map(|language| language.extensions.iter().map(move |ending| format!(".{ending}")));
        let known = fencewright_report::listing(known);
        return Err(complain(format!(
            "its language is not known by the ending of its name (known: {known}); say it with --language"
        )));
    };
    from_bytes(&file, bytes, language, style)
}

fn from_bytes(
    file: &str,
    bytes: Vec<u8>,
    language: &'static Language,
    style: Style,
) -> Result<Input, Complaints> {
    let complain = |message: String| Complaints::about_file(style, file, message);
    let text = String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..good].iter().filter(|&&byte| byte == b'\n').count();
        complain(format!("is not UTF-8 text: the first bad byte is at offset {good}, in line {line}"))
    })?;
    if text.trim().is_empty() {
        return Err(complain("is empty".to_owned()));
    }
    let mut sources = SourceMap::new();
    let id = sources.add(file, text);
    match (language.load)(&sources, id) {
        Ok(Loaded { program, warnings }) => {
            let warnings = Complaints::render(&warnings, &sources, style);
            Ok(Input { file: file.to_owned(), program, sources, id, language, warnings })
        }
        Err(errors) => Err(Complaints::render(&errors, &sources, style)),
    }
}

fn language_names() -> String {
    LANGUAGES.iter().map(|language| language.name).collect::<Vec<_>>().join(", ")
}
