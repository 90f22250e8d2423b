//! From a text of C, C++ or Rust to LLVM IR, by the compiler of the user's machine.
//!
//! The compiler is given the text with a call at every place where a fence could be written
//! ([`instrument`](fencewright_frontend::source::instrument)). If it refuses that but takes the text as it is, macros have
//! misled the parser: the calls near the errors are left out, then those of whole functions, then all. What it takes must be the
//! same program beside the calls ([`same`]): where it is not, they are left out in the same way.

mod compilers;
mod headers;
mod process;
mod same;
mod scratch;

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

use fencewright_base::{Diagnostic, FileId, Meter, SourceMap, Span, Stop};
use fencewright_frontend::llvm::{Lowered, Options, Unit, load_with_places};
use fencewright_frontend::source::instrument::{Instrumented, instrument};
use fencewright_frontend::source::outline::{Outline, Room};
use fencewright_frontend::source::{Annotated, Dialect, LARGEST_TEXT, codes, outline_of};

use self::compilers::{Compiler, Passes, failure_text};
use self::headers::referenced_files;
use self::process::Failure;
use self::same::Difference;
use crate::args::CompileArgs;
use crate::deadline::within;
use crate::literal::Reading;

/// How the name of a file ends that a compiler made.
pub(crate) const IR_NAME: &str = " (LLVM IR)";

/// How compilers are run.
pub(crate) struct Compiling<'a> {
    pub(crate) args: &'a CompileArgs,
    /// The budget of what the text is read for.
    pub(crate) meter: &'a Meter,
    /// Told the commands, if the user wants to know.
    pub(crate) say: &'a dyn Fn(&str),
}

/// What a compiler made of a text.
pub(crate) struct Compiled {
    /// LLVM IR.
    pub(crate) ir: String,
    /// The places and statements of the text.
    pub(crate) outline: Outline,
    /// What the compiler was given.
    pub(crate) instrumented: Instrumented,
    /// Where no places are known.
    pub(crate) warnings: Vec<Diagnostic>,
}

/// Why there is no IR.
pub(crate) enum Problem {
    /// Something is wrong with the text, or with what the compiler made of it.
    Texts(Vec<Diagnostic>),
    /// There is no compiler, or it did not end.
    Compiler(String),
    /// The budget ended, or the user interrupted it.
    Stopped(Stop),
    /// The compiler does not take the text: what it said.
    Rejected { compiler: String, messages: String },
}

/// The program of a file of the source map, which stands at the path. The IR and the user's headers are added to the map.
pub(crate) fn load_compiled(
    compiling: &Compiling<'_>,
    sources: &mut SourceMap,
    file: FileId,
    path: &Path,
    dialect: Dialect,
) -> Result<Read, Problem> {
    let meter = compiling.meter;
    let read = read_compiled(compiling, sources, file, path, dialect);
    // What went wrong because the budget ended is not the text's fault.
    read.map_err(|problem| meter.tick().err().map_or(problem, Problem::Stopped))
}

fn read_compiled(
    compiling: &Compiling<'_>,
    sources: &mut SourceMap,
    file: FileId,
    path: &Path,
    dialect: Dialect,
) -> Result<Read, Problem> {
    let Compiled { ir, outline, instrumented, warnings: unplaced } =
        compile(compiling, sources, file, path, dialect)?;
    let others = referenced_files(&ir, file, path, sources);
    let ir = sources.add(format!("{}{IR_NAME}", sources.file(file).name()), ir);
    let plain = Options::default();
    let heap_bound = compiling.args.heap.unwrap_or(plain.heap_bound);
    let options = Options { entries: compiling.args.entry.clone(), heap_bound, ..plain };
    let text = Some((dialect, outline.clone(), instrumented.clone(), others.clone()));
    let reading = Reading {
        ir,
        file,
        path: path.to_owned(),
        text,
        args: compiling.args.clone(),
        left_out: compiling.args.no_check.clone(),
        whole: OnceLock::new(),
    };
    let owned = std::mem::take(sources);
    let meter = compiling.meter.clone();
    let (lowered, owned) = within(compiling.meter, move || {
        let annotated = Annotated::new(&owned, dialect, file, outline, instrumented, &others);
        let unit = Unit { sources: &owned, ir, places: Some(&annotated), options: &options, meter };
        (load_with_places(&unit), owned)
    })
    .map_err(Problem::Stopped)?;
    *sources = owned;
    let lowered = lowered.map(|lowered| without_ir(lowered, ir));
    Ok(Read { lowered, reading: Some(reading), unplaced })
}

/// The program without places in the IR, which is not the user's text: what stands there only has no line.
fn without_ir(mut lowered: Lowered, ir: FileId) -> Lowered {
    let program = &mut lowered.loaded.program;
    let is_of_ir = |span: &Option<Span>| span.is_some_and(|span| span.file == ir);
    for statement in program.statements.iter_mut().filter(|statement| is_of_ir(&statement.span)) {
        statement.span = None;
        statement.text = text_for(&statement.text);
    }
    for failure in program.wording.failures.values_mut().flatten().filter(|failure| is_of_ir(&failure.span)) {
        failure.span = None;
        failure.text = text_for(&failure.text);
    }
    lowered
}

/// A statement of the IR in words.
fn text_for(instruction: &str) -> String {
    let is_return = instruction.starts_with("ret ") || instruction == "ret";
    if is_return { "(end)" } else { "(library)" }.to_owned()
}

/// The two readings of a text: the lowered program, or why there is none, and what the literal machine needs.
pub(crate) struct Read {
    pub(crate) lowered: Result<Lowered, Vec<Diagnostic>>,
    pub(crate) reading: Option<Reading>,
    /// Where no places are known.
    pub(crate) unplaced: Vec<Diagnostic>,
}

/// The IR of a whole Rust program, standard library included. An error says what is missing.
pub(crate) fn whole_program(
    args: &CompileArgs,
    path: &Path,
    text: &str,
    meter: &Meter,
) -> Result<String, String> {
    let (compiler, ir) = compilers::rustc_whole(path, args)?;
    let output = process::run(&mut compiler.command(Passes::Asked), text.as_bytes().to_vec(), meter)
        .map_err(|failure| failure_text(&compiler, Dialect::Rust, &failure))?;
    match std::fs::read_to_string(&ir) {
        Ok(text) if !text.is_empty() => Ok(text),
        _ => Err(format!(
            "rustc gives no IR of the whole program: {}",
            output.stderr.lines().next().unwrap_or("")
        )),
    }
}

/// A text above this size is shown to the compiler as it is first: whether it is a program at all is cheap to ask there,
/// and the parser, which goes on behind errors, can take long over a large text that is none.
const LARGE_TEXT: usize = 256 << 10;

/// Compiles a file of the source map, which stands at the path.
pub(crate) fn compile(
    compiling: &Compiling<'_>,
    sources: &SourceMap,
    file: FileId,
    path: &Path,
    dialect: Dialect,
) -> Result<Compiled, Problem> {
    let name = sources.file(file).name();
    let text = sources.file(file).text();
    if text.len() > LARGEST_TEXT {
        let message = format!("the text has {} bytes, and at most {LARGEST_TEXT} are taken", text.len());
        let diagnostic = Diagnostic::error(&codes::TOO_LARGE, Span::new(file, 0, 0), message);
        return Err(Problem::Texts(vec![diagnostic.help("compile it and give the `.ll` file")]));
    }
    // A label leaves no trace in the IR.
    if dialect != Dialect::Rust && text.contains("__CPROVER_ASYNC_") {
        let message = "the label `__CPROVER_ASYNC_…` starts a thread for CBMC and for nobody else: create the thread with \
                       `pthread_create`";
        return Err(Problem::Compiler(message.to_owned()));
    }
    let compiler =
        Compiler::find(dialect, path, text, compiling.args, compiling.meter).map_err(Problem::Compiler)?;
    let run = Run { compiling, compiler: &compiler, dialect, name, text };
    if text.len() > LARGE_TEXT {
        run.plain()?;
    }
    let owned = text.to_owned();
    let outline = within(compiling.meter, move || outline_of(dialect, &owned)).map_err(Problem::Stopped)?;
    let mut kept: BTreeSet<u32> = (0..outline.places.len() as u32).collect();
    let (mut refusals, mut changes) = (Drop::ALL.iter(), 0);
    let mut plain = None;
    while !kept.is_empty() {
        let answer = run.with_calls(&outline, &kept, Passes::Asked)?;
        if plain.is_none() {
            plain = Some(run.plain()?);
        }
        match (answer, refusals.clone().next()) {
            (Ok((ir, instrumented)), _) => match run.difference(&ir, &plain, &outline, &kept)? {
                None => {
                    let warnings = warnings(file, text, &outline, &kept);
                    return Ok(Compiled { ir, outline, instrumented, warnings });
                }
                Some(Difference { near, .. }) if changes < MOST_CHANGES && !near.is_empty() => {
                    changes += 1;
                    drop_changes(&outline, &near, &mut kept);
                }
                Some(_) => kept.clear(),
            },
            (Err(messages), Some(what)) => {
                refusals.next();
                let line_of = |offset: usize| sources.file(file).line_column(offset as u32).line;
                drop_places(&outline, &line_of, &messages, *what, &mut kept);
            }
            (Err(_), None) => kept.clear(),
        }
    }
    let (ir, instrumented) = match plain {
        Some(plain) => plain,
        None => run.plain()?,
    };
    let warnings = warnings(file, text, &outline, &kept);
    Ok(Compiled { ir, outline, instrumented, warnings })
}

struct Run<'a> {
    compiling: &'a Compiling<'a>,
    compiler: &'a Compiler,
    dialect: Dialect,
    name: &'a str,
    text: &'a str,
}

/// IR and the text it was made of, or the compiler's messages.
type Answer = Result<(String, Instrumented), String>;

impl Run<'_> {
    /// Compiles the text as it is.
    fn plain(&self) -> Result<(String, Instrumented), Problem> {
        self.with_calls(&Outline::default(), &BTreeSet::new(), Passes::Asked)?
            .map_err(|messages| Problem::Rejected { compiler: self.compiler.name(), messages })
    }

    /// Where the program with calls at these places, of which this is the IR, is another one than that without.
    fn difference(
        &self,
        ir: &str,
        plain: &Option<(String, Instrumented)>,
        outline: &Outline,
        kept: &BTreeSet<u32>,
    ) -> Result<Option<Difference>, Problem> {
        let (ir, plain) = match plain {
            Some((plain, _)) if !self.compiler.optimizes() => (ir.to_owned(), plain.clone()),
            // What an optimizer does around a call says nothing of the text.
            _ => {
                let none = (Outline::default(), BTreeSet::new());
                let plain = self.with_calls(&none.0, &none.1, Passes::None)?;
                match (self.with_calls(outline, kept, Passes::None)?, plain) {
                    (Ok((ir, _)), Ok((plain, _))) => (ir, plain),
                    // Then nothing is known.
                    _ => return Ok(Some(Difference { functions: Vec::new(), near: BTreeSet::new() })),
                }
            }
        };
        let found =
            within(self.compiling.meter, move || same::difference(&plain, &ir)).map_err(Problem::Stopped)?;
        if let Some(Difference { functions, .. }) = found.as_ref().filter(|_| self.compiling.args.verbose) {
            let functions = functions.join(", ");
            (self.compiling.say)(&format!("# {} is another program with these: {functions}\n", self.name));
        }
        Ok(found)
    }

    /// Compiles the text with calls at these places.
    fn with_calls(&self, outline: &Outline, kept: &BTreeSet<u32>, passes: Passes) -> Result<Answer, Problem> {
        let instrumented = instrument(self.dialect, self.name, self.text, outline, kept);
        if self.compiling.args.verbose {
            let what = match kept.len() {
                0 => "as it is".to_owned(),
                n => format!("with calls at {n} places"),
            };
            (self.compiling.say)(&format!("$ {}   # {} {what}\n", self.compiler.shown(), self.name));
        }
        let input = instrumented.text.clone().into_bytes();
        let output = process::run(&mut self.compiler.command(passes), input, self.compiling.meter).map_err(
            |failure| match failure {
                Failure::Stopped(stop) => Problem::Stopped(stop),
                other => Problem::Compiler(failure_text(self.compiler, self.dialect, &other)),
            },
        )?;
        if !output.status.success() {
            return Ok(Err(output.stderr.replace("<anon>", self.name)));
        }
        Ok(Ok((String::from_utf8_lossy(&output.stdout).into_owned(), instrumented)))
    }
}

/// How often calls that change the program are left out before all are.
const MOST_CHANGES: usize = 3;

/// What is left out near an error.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
enum Drop {
    /// The calls on the lines of the errors.
    Lines,
    /// Those of the functions they are in.
    Functions,
}

impl Drop {
    /// One after the other.
    const ALL: [Drop; 2] = [Drop::Lines, Drop::Functions];
}

fn drop_places(
    outline: &Outline,
    line_of: &dyn Fn(usize) -> usize,
    messages: &str,
    what: Drop,
    kept: &mut BTreeSet<u32>,
) {
    let lines = error_lines(messages);
    let functions: BTreeSet<u32> = match what {
        Drop::Lines => BTreeSet::new(),
        Drop::Functions => lines.iter().flat_map(|&line| functions_around(outline, line, line_of)).collect(),
    };
    kept.retain(|&number| {
        let place = &outline.places[number as usize];
        !lines.contains(&line_of(place.at)) && !functions.contains(&place.function)
    });
}

/// Leaves out what has changed the functions with these calls.
fn drop_changes(outline: &Outline, near: &BTreeSet<u32>, kept: &mut BTreeSet<u32>) {
    let place = |number: &u32| &outline.places[*number as usize];
    // A last expression that becomes a statement drops its temporaries before the variables of the block.
    let is_tail = |number: &u32| near.contains(number) && place(number).room == Room::Tail;
    if kept.iter().any(is_tail) {
        kept.retain(|number| !is_tail(number));
        return;
    }
    // The culprit may be one that has left no call: in what a macro makes a text of, for instance.
    let functions: BTreeSet<u32> = near.iter().map(|number| place(number).function).collect();
    kept.retain(|number| !functions.contains(&place(number).function));
}

/// The functions whose places begin before the line and end behind it.
fn functions_around(outline: &Outline, line: usize, line_of: &dyn Fn(usize) -> usize) -> Vec<u32> {
    let mut extents: std::collections::BTreeMap<u32, Range<usize>> = std::collections::BTreeMap::new();
    for place in &outline.places {
        let extent = extents.entry(place.function).or_insert(place.at..place.at);
        *extent = extent.start.min(place.at)..extent.end.max(place.at);
    }
    let around = |extent: &Range<usize>| line_of(extent.start) <= line + 1 && line <= line_of(extent.end) + 1;
    extents.into_iter().filter(|(_, extent)| around(extent)).map(|(function, _)| function).collect()
}

/// The lines that a compiler's errors are about: `file:12:3: error: …`, or ` --> file:12:3`.
fn error_lines(messages: &str) -> BTreeSet<usize> {
    let number_in = |text: &str| text.split(':').find_map(|part| part.trim().parse::<usize>().ok());
    messages
        .lines()
        .filter_map(|line| match line.split_once("--> ") {
            Some((_, place)) => number_in(place),
            None => line
                .split_once(": error:")
                .or_else(|| line.split_once(": fatal error:"))
                .and_then(|(place, _)| number_in(place)),
        })
        .collect()
}

/// Says where there are no places though the text has room for them.
fn warnings(file: FileId, text: &str, outline: &Outline, kept: &BTreeSet<u32>) -> Vec<Diagnostic> {
    let lost: Vec<usize> =
        (0..outline.places.len()).filter(|&number| !kept.contains(&(number as u32))).collect();
    let Some(&first) = lost.first() else { return Vec::new() };
    let head = &outline.places[first].head;
    let end = head.start + text[head.clone()].lines().next().map_or(0, str::len);
    let span = Span::new(file, head.start, end);
    let message = format!(
        "no fence will be proposed at {} of {} places: a statement there is refused or changes the program",
        lost.len(),
        outline.places.len()
    );
    let diagnostic = Diagnostic::warning(&codes::NO_PLACES, span, message).label("the first of them");
    vec![diagnostic.help("a macro may hide what the statements are; fences there have to be put by hand")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_errors() {
        let clang = "t.c:3:10: error: expected expression\n  x y\n    ^\nt.c:7:1: warning: unused\nt.c:9:2: fatal error: 'a.h' file not found\n";
        assert_eq!(error_lines(clang), BTreeSet::from([3, 9]));
        let rustc = "error[E0308]: mismatched types\n --> t.rs:12:26\n  |\n12 | fn\n";
        assert_eq!(error_lines(rustc), BTreeSet::from([12]));
        assert_eq!(error_lines(""), BTreeSet::new());
    }
}
