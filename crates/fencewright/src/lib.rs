//! Fencewright as a library: load or build a concurrent program, and check it under a memory model.
//!
//! ```
//! use fencewright::{CheckError, Model, Verdict, check, load};
//!
//! let (program, _sources) = load(
//!     "sb.litmus",
//!     r#"X86 SB
//! { }
//!  P0          | P1          ;
//!  MOV [x],$1  | MOV [y],$1  ;
//!  MOV EAX,[y] | MOV EAX,[x] ;
//! exists (0:EAX=0 /\ 1:EAX=0)
//! "#,
//! )?;
//! assert!(matches!(check(&program, Model::Sc)?.verdict, Verdict::Holds(_)));
//! assert!(matches!(check(&program, Model::Tso)?.verdict, Verdict::Violated(_)));
//! # Ok::<(), CheckError>(())
//! ```
//!
//! The crates behind it are re-exported for whatever goes further: [`ir`] to build programs, [`memory`] for the
//! reference semantics, [`engine`] for tasks with options and budgets, [`report`] to show answers.
#![forbid(unsafe_code)]

use std::fmt;

pub use fencewright_base as base;
pub use fencewright_engine as engine;
pub use fencewright_engine_explicit as engine_explicit;
pub use fencewright_frontend as frontend;
pub use fencewright_ir as ir;
pub use fencewright_memory as memory;
pub use fencewright_report as report;

pub use fencewright_base::SourceMap;
pub use fencewright_engine::{Answer, Guarantee, Unknown, Verdict};
pub use fencewright_ir::{Program, ProgramBuilder, ThreadBuilder};
pub use fencewright_memory::Model;

use fencewright_base::{Diagnostic, Meter};
use fencewright_engine::{Context, Options, Rejected, Task};
use fencewright_engine_explicit::Explicit;
use fencewright_frontend::language_of;

/// Why there is no program or no answer.
#[derive(Debug, Clone, PartialEq)]
pub enum CheckError {
    /// The ending of the file name belongs to no language.
    UnknownLanguage(String),
    /// The text is not a program; what is wrong with it, rendered and as values.
    BadInput {
        /// All of it as text.
        rendered: String,
        /// All of it as values.
        diagnostics: Vec<Diagnostic>,
    },
    /// The engine gave an execution that the reference semantics does not accept: a bug of the engine.
    Internal(Rejected),
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckError::UnknownLanguage(name) => write!(f, "{name}: unknown language"),
            CheckError::BadInput { rendered, .. } => f.write_str(rendered),
            CheckError::Internal(rejected) => rejected.fmt(f),
        }
    }
}

impl std::error::Error for CheckError {}

/// The program a text holds. The ending of the file name says the language; nothing is read from disk.
pub fn load(file_name: &str, text: &str) -> Result<(Program, SourceMap), CheckError> {
    let language = language_of(file_name).ok_or_else(|| CheckError::UnknownLanguage(file_name.to_owned()))?;
    let mut sources = SourceMap::new();
    let file = sources.add(file_name, text);
    match (language.load)(&sources, file) {
        Ok(loaded) => Ok((loaded.program, sources)),
        Err(diagnostics) => {
            let style = report::terminal::Style { color: false, width: 120 };
            let render = |diagnostic| report::diagnostics::render(diagnostic, &sources, style);
            let rendered = diagnostics.iter().map(render).collect();
            Err(CheckError::BadInput { rendered, diagnostics })
        }
    }
}

/// Checks the program under the model, without limits, with the explicit engine. For limits, options and
/// cancellation use [`engine::run`] itself.
pub fn check(program: &Program, model: Model) -> Result<Answer, CheckError> {
    let task = Task { program, model, options: Options::default() };
    engine::run(&Explicit, &task, &mut Context::quiet(Meter::unlimited())).map_err(CheckError::Internal)
}
