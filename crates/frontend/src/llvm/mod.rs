//! LLVM IR as text: the door for C, C++ and Rust. `docs/formats/c-and-rust.md` is the description for users.
//!
//! The way of a program: [`fencewright_llvm`] (the module as data) → [`lower`] (threads found by executing `main`, calls copied into
//! their callers, memory of one thread alone turned into registers, values bounded) → the program. What stands where in
//! the user's text comes from [`debug`] information, and from the caller's [`Places`].
//!
//! *Invariants:* no input makes it panic, overflow the stack or run without bound; nothing here knows a memory model:
//! the orders of C become fences and locked steps that are right for each of them.

pub mod codes;
mod debug;
mod lower;

pub use self::lower::UNSET;

use std::collections::BTreeMap;

use fencewright_base::{Diagnostic, FileId, Meter, SourceMap, Span};
use fencewright_ir::edit::Remedy;
use fencewright_ir::{Program, Site};

use crate::patch::{PatchError, Patched};
use crate::{Language, Loaded};

/// The language of bare IR files.
pub const LANGUAGE: Language = Language {
    name: "llvm",
    about: "LLVM IR, as clang and rustc write it",
    extensions: &["ll"],
    load: load_bare,
    patch: refuse_patch,
    dialect: None,
    codes: codes::ALL,
};

/// A module to be lowered.
pub struct Unit<'a> {
    /// Holds the IR text and the user's files.
    pub sources: &'a SourceMap,
    /// The IR text.
    pub ir: FileId,
    /// What is known of the user's text; `None` for IR on its own.
    pub places: Option<&'a dyn Places>,
    /// How it is to be lowered.
    pub options: &'a Options,
    /// What reading it may spend; a limit ends in a diagnostic.
    pub meter: Meter,
}

/// How a module is lowered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The functions that are the threads, by the name in the text (`f`, `module::f`); `main` creates them if none is
    /// given.
    pub entries: Vec<String>,
    /// How many objects each place that allocates memory has in each thread.
    pub heap_bound: u32,
    /// Whether domains are narrowed to the values that the analysis finds. Without it every cell has its machine type.
    pub narrow: bool,
    /// Globals that stay in memory whoever touches them, by the name in the text: their cells are looked at from outside,
    /// as the outcome of an execution. A cell that no execution changes is left out all the same.
    pub observed: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self { entries: Vec::new(), heap_bound: 3, narrow: true, observed: Vec::new() }
    }
}

/// A place of the user's text at which a fence can be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceInfo {
    /// The statement before which it would stand.
    pub span: Span,
    /// How many loops it is inside.
    pub loop_depth: u32,
    /// The statement's text on one line.
    pub text: String,
}

/// An access of the user's text that has a word for its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderInfo {
    /// The word in the user's file.
    pub span: Span,
    /// The access's text on one line.
    pub text: String,
    /// How many loops it is inside.
    pub loop_depth: u32,
    /// The word as it is.
    pub word: String,
    /// The words for stronger orders, where they are stronger.
    pub stronger: StrongerWords,
}

/// How stronger orders are written in the place of one; nothing where that would not be stronger.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StrongerWords {
    /// For a store: one that releases.
    pub release: Option<String>,
    /// For a read-modify-write: one that releases, and acquires if it does so already.
    pub releasing: Option<String>,
    /// Sequentially consistent.
    pub seq_cst: Option<String>,
}

/// What is known about the user's text.
pub trait Places {
    /// The place with the number that a call of `__fencewright_site` has.
    fn place(&self, number: u32) -> Option<PlaceInfo>;

    /// The statement around a position of the debug information: file name as the compiler was given it, line and column
    /// from 1 in the text that was compiled. Its span in the user's file and its text on one line; `None` if that is
    /// no text of the user's.
    fn statement_at(&self, file: &str, line: u32, column: u32) -> Option<(Span, String)>;

    /// The access at such a position, if it has a word for its order that can be changed.
    fn order_at(&self, file: &str, line: u32, column: u32) -> Option<OrderInfo>;
}

/// A lowered program with the places its fence sites stand for.
#[derive(Debug, Clone)]
pub struct Lowered {
    /// The program and what is odd about it.
    pub loaded: Loaded,
    /// For each site of the program the number of its place.
    pub places: BTreeMap<Site, u32>,
}

/// Reads and lowers a module.
pub fn load(unit: &Unit<'_>) -> Result<Loaded, Vec<Diagnostic>> {
    load_with_places(unit).map(|lowered| lowered.loaded)
}

/// Reads and lowers a module, and says which place of the text each fence site is.
pub fn load_with_places(unit: &Unit<'_>) -> Result<Lowered, Vec<Diagnostic>> {
    let text = unit.sources.file(unit.ir).text();
    let module =
        fencewright_llvm::parse::Module::parse(text).map_err(|malformed| {
            let span = Span { file: unit.ir, start: malformed.at.0, end: malformed.at.1 };
            vec![Diagnostic::error(&codes::MALFORMED, span, malformed.message).help(
                "give the module as the compiler wrote it (`clang -S -emit-llvm`, `rustc --emit=llvm-ir`)",
            )]
        })?;
    if let Some(what) = fencewright_llvm::layout::other_target(&module.data_layout) {
        let start = text.find("target datalayout").unwrap_or(0);
        let length = text[start..].lines().next().map_or(0, str::len);
        let span = Span::new(unit.ir, start, start + length);
        let message = format!("the program is compiled for a machine with {what}");
        let diagnostic = Diagnostic::error(&codes::UNSUPPORTED, span, message);
        return Err(vec![
            diagnostic.help("compile for 64 bits, x86-64 or AArch64: leave out -m32 and the like"),
        ]);
    }
    lower::lower(unit, &module).map_err(|diagnostic| vec![*diagnostic])
}

fn load_bare(sources: &SourceMap, ir: FileId) -> Result<Loaded, Vec<Diagnostic>> {
    load(&Unit { sources, ir, places: None, options: &Options::default(), meter: Meter::unlimited() })
}

fn refuse_patch(_: &SourceMap, _: FileId, program: &Program, remedies: &[Remedy]) -> Patched {
    match remedies.first() {
        None => Ok(Vec::new()),
        Some(&remedy) => {
            let span = remedy.span(program);
            let reason =
                "LLVM IR is made by a compiler: give the source file instead, and that is patched".to_owned();
            Err(PatchError { remedy, span, reason })
        }
    }
}
