//! Refusals: why a program cannot be executed here, because something is unknown or unsupported. A refusal is never a verdict.

use std::fmt;

/// What cannot be executed, where, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The thing, as the object of "cannot execute …".
    pub what: String,
    /// A way out, if there is one.
    pub help: Option<String>,
    /// The module and the debug location of the instruction.
    pub place: Option<Place>,
}

/// The position of an instruction.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// The module.
    pub module: usize,
    /// The number of its debug location.
    pub debug: Option<u32>,
    /// Its byte range in the IR text.
    pub at: (u32, u32),
}

impl Refusal {
    /// Something unsupported.
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), help: None, place: None }
    }

    /// A function without a body that the table does not have.
    pub fn unknown_function(name: &str) -> Self {
        let shown = fencewright_llvm::names::readable(name);
        let help = format!(
            "say what it does with --stub {name}=any (it returns any value), {name}=nothing (it returns zero) or \
             {name}=abort (calling it is a violation), or give its source"
        );
        Self {
            what: format!("the function `{shown}`, which has no body here"),
            help: Some(help),
            place: None,
        }
    }

    /// A variable that is defined elsewhere.
    pub fn unknown_variable(name: &str) -> Self {
        let help = "give the source that defines it".to_owned();
        Self {
            what: format!("the variable `{name}`, which is defined elsewhere"),
            help: Some(help),
            place: None,
        }
    }

    /// Adds a way out.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a place, unless it has one.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place.get_or_insert(place);
        self
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the literal machine cannot execute {}", self.what)
    }
}
