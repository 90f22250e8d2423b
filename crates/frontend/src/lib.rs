//! Input languages: one folder a language, text in, [`Program`] out. Each parses into a tree with spans first and has
//! one lowering from that tree to the program.
//!
//! *Invariant:* a front end never fails otherwise than with diagnostics and never panics, whatever the bytes; it does
//! no I/O (the text is in the source map already) and knows no memory model.
#![forbid(unsafe_code)]

pub mod dve;
pub mod litmus;
pub mod llvm;
pub mod ltl;
pub mod patch;
pub mod rmm;
pub mod source;

use fencewright_base::{Code, Diagnostic, FileId, SourceMap};
use fencewright_ir::Program;
use fencewright_ir::edit::Remedy;

use self::patch::Patched;

/// A program read from text, with what is odd about it.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The program, validated.
    pub program: Program,
    /// What was taken but is probably not what was meant.
    pub warnings: Vec<Diagnostic>,
    /// If executions are cut off that allocate more objects than this at one place: then nothing that is shown of the
    /// program is a proof for all its executions.
    pub cut_at_objects: Option<u32>,
    /// If memory that was freed could be given out again in a real execution, which it is not here: then nothing that is
    /// shown of the program is a proof about that.
    pub no_reuse: bool,
    /// If a write can still be pending when another thread ends what is written to: that it then reaches memory that is
    /// somebody else's is not among what the program states.
    pub late_writes: bool,
    /// If a value is put together of bytes of which some were never written, and whether that matters is not checked.
    pub may_read_unset: bool,
    /// If values are printed, and what printing them does is not followed.
    pub prints_values: bool,
    /// Whether it copies several shared scalars at once: it does so in the order of their addresses only.
    pub copies_in_order: bool,
    /// If a thread can be made to wait for another, other than main for the end of one: by a mutex, a condition variable,
    /// a semaphore, or a join. That nobody waits for ever is not among what the program states.
    pub may_block: bool,
    /// How many places of the text say what must never happen (assertions, panics), whether or not the program still has a
    /// step for them: one that cannot be reached needs none.
    pub stated: usize,
}

impl Loaded {
    /// A program that is exactly its text, and states what it states.
    pub fn exact(program: Program, warnings: Vec<Diagnostic>) -> Self {
        Self {
            program,
            warnings,
            cut_at_objects: None,
            no_reuse: false,
            late_writes: false,
            may_read_unset: false,
            prints_values: false,
            copies_in_order: false,
            may_block: false,
            stated: 0,
        }
    }
}

/// An input language: a row of [`LANGUAGES`].
#[derive(Debug)]
pub struct Language {
    /// Its name on the command line and in documents.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// The file name endings it is known by, without the dot.
    pub extensions: &'static [&'static str],
    /// Text to program. All errors that can be found in one run are given, in the order of the text.
    pub load: fn(&SourceMap, FileId) -> Result<Loaded, Vec<Diagnostic>>,
    /// The edits of the text that make the remedies, see [`patch`]. The program must be the one `load` gives for the
    /// file; the order of the remedies does not matter, and one given twice is written once. Of several remedies that
    /// cannot be written the first is reported.
    pub patch: fn(&SourceMap, FileId, &Program, &[Remedy]) -> Patched,
    /// Set if a compiler stands between the text and the program: then `load` only says so, and [`source`] has what the
    /// compiler is given.
    pub dialect: Option<source::Dialect>,
    /// The diagnostics it can give.
    pub codes: &'static [&'static Code],
}

/// All input languages.
pub static LANGUAGES: &[Language] =
    &[rmm::LANGUAGE, litmus::LANGUAGE, dve::LANGUAGE, llvm::LANGUAGE, source::C, source::CPP, source::RUST];

/// The language of a file, by the ending of its name.
pub fn language_of(file_name: &str) -> Option<&'static Language> {
    let (_, extension) = file_name.rsplit_once('.')?;
    LANGUAGES.iter().find(|language| language.extensions.contains(&extension.to_ascii_lowercase().as_str()))
}
