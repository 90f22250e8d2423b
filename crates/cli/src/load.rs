//! Files to programs, with everything that can be wrong on the way.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use fencewright_base::{Budget, CancelToken, Diagnostic, FileId, Meter, SourceMap, Stop};
use fencewright_engine::{Bounds, Unknown};
use fencewright_frontend::llvm::{self, Lowered};
use fencewright_frontend::{LANGUAGES, Language, Loaded, language_of};
use fencewright_ir::{Program, Site};
use fencewright_memory::Model;
use fencewright_report::diagnostics;
use fencewright_report::json::WireDiagnostic;
use fencewright_report::terminal::{Style, why};

use crate::args::LoadArgs;
use crate::compile::{Compiling, IR_NAME, Problem, Read, load_compiled};
use crate::deadline::within;
use crate::literal::Reading;
use crate::{Exit, World};

/// A program with the text it came from.
pub(crate) struct Input {
    /// The file as the user named it.
    pub(crate) file: String,
    /// Where it stands: what it includes is looked for from there.
    pub(crate) path: PathBuf,
    pub(crate) program: Program,
    pub(crate) sources: SourceMap,
    /// The file in `sources`.
    pub(crate) id: FileId,
    pub(crate) language: &'static Language,
    /// For a compiled language, the place of the text that each fence site is.
    pub(crate) places: BTreeMap<Site, u32>,
    /// What an answer that an engine gives for all executions of the program leaves out of those of the text.
    pub(crate) left_out: Option<Bounds>,
    /// Whether that is also so of writes that are pending when another thread ends what is written to.
    pub(crate) late_writes: bool,
    /// How many places of the text say what must never happen.
    pub(crate) stated: usize,
    /// What is odd about it, for a person and for a script.
    pub(crate) warnings: Complaints,
    /// Where no fence will be proposed: for those who look for places.
    pub(crate) unplaced: Complaints,
    /// How long it took to read it.
    pub(crate) spent: Duration,
    /// Whether threads can be made to wait for each other.
    pub(crate) may_block: bool,
    /// For a compiled program, what its second reading needs.
    pub(crate) reading: Option<Arc<Reading>>,
    /// Why there is no program, if only the second reading takes the text.
    pub(crate) refused: Option<Complaints>,
}

impl Input {
    /// How many threads the user lets be created.
    pub(crate) fn reading_threads(&self) -> usize {
        self.reading.as_ref().and_then(|reading| reading.args.threads).unwrap_or(0)
    }
}

/// Time to read a file for a command that has no other limit.
const READING: Duration = Duration::from_secs(120);

/// Bytes of a file that are read.
const LARGEST_FILE: u64 = 1 << 30;

/// A file, up to where it is too large.
fn read_some(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(LARGEST_FILE + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The budget of a command that only reads a file.
pub(crate) fn reading(cancel: &CancelToken) -> Meter {
    Meter::start(Budget { time: Some(READING), ..Budget::default() }, cancel.clone())
}

/// What is wrong with a file, for a person and for a script.
#[derive(Default)]
pub(crate) struct Complaints {
    /// Rendered, with ends of lines.
    pub(crate) text: String,
    pub(crate) wire: Vec<WireDiagnostic>,
    /// The first of them in a line, where it stands in the user's text.
    pub(crate) short: String,
    /// Set if nothing is wrong with the file, as far as it was read before this stopped it.
    pub(crate) stopped: Option<Stop>,
}

impl Complaints {
    /// What the process says of a file that was not read.
    pub(crate) fn exit(&self) -> Exit {
        if self.stopped.is_some() { Exit::Unknown } else { Exit::BadInput }
    }

    fn stopped(style: Style, file: &str, stop: Stop) -> Self {
        let why = why(&Unknown::Stopped { stop, explored: None });
        let message = format!("the program was not read to its end: {why}");
        Complaints { stopped: Some(stop), ..Complaints::about_file(style, file, message) }
    }

    pub(crate) fn render(list: &[Diagnostic], sources: &SourceMap, style: Style) -> Self {
        Complaints {
            text: list.iter().map(|d| diagnostics::render(d, sources, style) + "\n").collect(),
            wire: list.iter().map(|d| WireDiagnostic::new(d, sources)).collect(),
            short: list.first().map(|first| in_a_line(first, sources)).unwrap_or_default(),
            stopped: None,
        }
    }

    pub(crate) fn about_file(style: Style, file: &str, message: String) -> Self {
        let word = if style.color { "\x1b[1;31merror\x1b[0m" } else { "error" };
        Complaints {
            text: format!("{word}: {file}: {message}\n"),
            short: message.lines().next().unwrap_or_default().to_owned(),
            wire: vec![WireDiagnostic::about_file(file, message)],
            stopped: None,
        }
    }
}

/// A diagnostic in a line. Lines of LLVM IR are not the user's.
fn in_a_line(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let span = diagnostic.primary.span;
    let message = diagnostic.message.lines().next().unwrap_or_default();
    match sources.file(span.file).name().ends_with(IR_NAME) {
        true => message.to_owned(),
        false => format!("{message} (line {})", sources.line_column(span).line),
    }
}

/// Reads a program that the engines can be asked about.
pub(crate) fn load(
    world: &mut World<'_>,
    path: &Path,
    args: &LoadArgs,
    meter: &Meter,
) -> Result<Input, Complaints> {
    let mut input = load_either(world, path, args, meter)?;
    match input.refused.take() {
        Some(refused) => Err(refused),
        None => Ok(input),
    }
}

/// Reads a program from a file, or from standard input if it is `-`. A compiled one may have its second reading alone.
pub(crate) fn load_either(
    world: &mut World<'_>,
    path: &Path,
    args: &LoadArgs,
    meter: &Meter,
) -> Result<Input, Complaints> {
    let mut bytes = Vec::new();
    let from_stdin = path == Path::new("-");
    if from_stdin && let Err(error) = world.stdin.read_to_end(&mut bytes) {
        return Err(Complaints::about_file(world.style_err(), "-", format!("cannot be read: {error}")));
    }
    let say = |text: &str| world.say(text);
    let reader = Reader::new(args, world, meter, &say);
    if !from_stdin {
        return reader.file(path);
    }
    match args.language {
        Some(language) => reader.bytes("<stdin>", Path::new("stdin"), bytes, language),
        None => {
            let message = format!("standard input needs --language, one of {}", language_names());
            Err(Complaints::about_file(reader.style, "-", message))
        }
    }
}

/// How programs are read.
pub(crate) struct Reader<'a> {
    /// The language, whatever the files' names.
    pub(crate) language: Option<&'static Language>,
    pub(crate) compiling: Compiling<'a>,
    /// Complaints are rendered in this style.
    pub(crate) style: Style,
}

impl<'a> Reader<'a> {
    /// As the user said. What compilers are asked is said to `say`.
    pub(crate) fn new(
        args: &'a LoadArgs,
        world: &'a World<'_>,
        meter: &'a Meter,
        say: &'a dyn Fn(&str),
    ) -> Self {
        let compiling = Compiling { args: &args.compile, meter, say };
        Self { language: args.language, compiling, style: world.style_err() }
    }

    /// Reads a program from a file.
    pub(crate) fn file(&self, path: &Path) -> Result<Input, Complaints> {
        let file = path.to_string_lossy().into_owned();
        let complain = |message: String| Complaints::about_file(self.style, &file, message);
        if path.is_dir() {
            return Err(complain("is a folder; name the files in it".to_owned()));
        }
        // A pipe may never end, and nobody may ever write to it.
        let owned = path.to_owned();
        let bytes = within(self.compiling.meter, move || read_some(&owned))
            .map_err(|stop| Complaints::stopped(self.style, &file, stop))?
            .map_err(|error| complain(format!("cannot be read: {error}")))?;
        if bytes.len() as u64 > LARGEST_FILE {
            return Err(complain(format!("has more than {LARGEST_FILE} bytes")));
        }
        let Some(language) = self.language.or_else(|| language_of(&file)) else {
            let known = LANGUAGES
                .iter()
                .flat_map(|language| language.extensions.iter().map(move |ending| format!(".{ending}")));
            let known = fencewright_report::listing(known);
            return Err(complain(format!(
                "its language is not known by the ending of its name (known: {known}); say it with --language"
            )));
        };
        self.bytes(&file, path, bytes, language)
    }

    fn bytes(
        &self,
        file: &str,
        path: &Path,
        bytes: Vec<u8>,
        language: &'static Language,
    ) -> Result<Input, Complaints> {
        let complain = |message: String| Complaints::about_file(self.style, file, message);
        let text = String::from_utf8(bytes).map_err(|error| {
            let good = error.utf8_error().valid_up_to();
            let line = 1 + error.as_bytes()[..good].iter().filter(|&&byte| byte == b'\n').count();
            complain(format!("is not UTF-8 text: the first bad byte is at offset {good}, in line {line}"))
        })?;
        if text.trim().is_empty() {
            return Err(complain("is empty".to_owned()));
        }
        self.text(file, path, text, language)
    }

    /// Reads a program from a text that stands, or is to stand, at the path.
    pub(crate) fn text(
        &self,
        file: &str,
        path: &Path,
        text: String,
        language: &'static Language,
    ) -> Result<Input, Complaints> {
        let meter = self.compiling.meter;
        let mut sources = SourceMap::new();
        let id = sources.add(file, text);
        let render = |list: &[Diagnostic], sources: &SourceMap| Complaints::render(list, sources, self.style);
        let loaded = match language.dialect {
            None => {
                let owned = std::mem::take(&mut sources);
                let own = meter.clone();
                let read = within(meter, move || {
                    let read = if language.name == llvm::LANGUAGE.name {
                        let options = llvm::Options::default();
                        let unit = llvm::Unit {
                            sources: &owned,
                            ir: id,
                            places: None,
                            options: &options,
                            meter: own,
                        };
                        llvm::load_with_places(&unit)
                    } else {
                        (language.load)(&owned, id).map(|loaded| Lowered { loaded, places: BTreeMap::new() })
                    };
                    (read, owned)
                });
                read.map_err(Problem::Stopped).map(|(lowered, owned)| {
                    sources = owned;
                    let reading = (language.name == llvm::LANGUAGE.name).then(|| Reading {
                        ir: id,
                        file: id,
                        path: path.to_owned(),
                        text: None,
                        args: self.compiling.args.clone(),
                        left_out: self.compiling.args.no_check.clone(),
                        whole: std::sync::OnceLock::new(),
                    });
                    Read { lowered, reading, unplaced: Vec::new() }
                })
            }
            Some(dialect) => load_compiled(&self.compiling, &mut sources, id, path, dialect),
        };
        match loaded {
            Ok(Read { lowered: Err(errors), reading: None, .. }) => Err(render(&errors, &sources)),
            Ok(Read { lowered: Err(errors), reading, unplaced }) => {
                let refused = Some(render(&errors, &sources));
                let unplaced = render(&unplaced, &sources);
                let (file, path, spent) = (file.to_owned(), path.to_path_buf(), meter.elapsed());
                Ok(Input {
                    program: Program::nothing(&file),
                    file,
                    path,
                    sources,
                    id,
                    language,
                    places: BTreeMap::new(),
                    left_out: None,
                    late_writes: false,
                    stated: 1,
                    warnings: Complaints::default(),
                    unplaced,
                    spent,
                    may_block: true,
                    reading: reading.map(Arc::new),
                    refused,
                })
            }
            Ok(Read { lowered: Ok(Lowered { loaded, places }), reading, unplaced }) => {
                let left_out = left_out(&loaded);
                let Loaded { program, warnings, stated, may_block, late_writes, .. } = loaded;
                let (warnings, unplaced) = (render(&warnings, &sources), render(&unplaced, &sources));
                let path = path.to_path_buf();
                let (file, spent) = (file.to_owned(), meter.elapsed());
                Ok(Input {
                    file,
                    path,
                    program,
                    sources,
                    id,
                    language,
                    places,
                    left_out,
                    late_writes,
                    stated,
                    warnings,
                    unplaced,
                    spent,
                    may_block,
                    reading: reading.map(Arc::new),
                    refused: None,
                })
            }
            Err(Problem::Texts(errors)) => Err(render(&errors, &sources)),
            Err(Problem::Stopped(stop)) => Err(Complaints::stopped(self.style, file, stop)),
            Err(Problem::Compiler(message)) => Err(Complaints::about_file(self.style, file, message)),
            Err(Problem::Rejected { compiler, messages }) => {
                let messages = messages.trim_end();
                let about = Complaints::about_file(self.style, file, format!("{compiler} does not take it"));
                let wire =
                    WireDiagnostic::about_file(file, format!("{compiler} does not take it:\n{messages}"));
                Err(Complaints { text: format!("{messages}\n{}", about.text), wire: vec![wire], ..about })
            }
        }
    }
}

impl Input {
    /// What an answer for all executions of the program under the model leaves out of those of the text. Without store
    /// buffers nothing is pending.
    pub(crate) fn left_out_under(&self, model: Model) -> Option<Bounds> {
        let late_writes = self.late_writes && model != Model::Sc;
        match (&self.left_out, late_writes) {
            (None, false) => None,
            (left_out, _) => {
                let left_out = left_out.clone().unwrap_or_default();
                Some(Bounds { no_reuse: left_out.no_reuse || late_writes, ..left_out })
            }
        }
    }
}

/// What the program leaves out of the executions of its text, if it leaves out anything.
fn left_out(loaded: &Loaded) -> Option<Bounds> {
    let &Loaded { cut_at_objects, no_reuse, may_read_unset, prints_values, copies_in_order, .. } = loaded;
    let objects = cut_at_objects.map(|objects| objects as usize);
    let bounds = Bounds {
        objects,
        no_reuse,
        unset: may_read_unset,
        output: prints_values,
        copies: copies_in_order,
        ..Bounds::default()
    };
    (bounds != Bounds::default()).then_some(bounds)
}

fn language_names() -> String {
    LANGUAGES.iter().map(|language| language.name).collect::<Vec<_>>().join(", ")
}
