//! Why a program cannot be executed here: something that is not known, or not supported. Never a verdict.

use std::fmt;

/// What cannot be executed, where, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What it is, as the object of "cannot execute …".
    pub what: String,
    /// A way out, if there is one.
    pub help: Option<String>,
    /// The module and the debug location of the instruction.
    pub place: Option<Place>,
}

/// Where an instruction stands.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// The module.
    pub module: usize,
    /// The number of its debug location.
    pub debug: Option<u32>,
    /// Where it stands in the IR text, in bytes.
    pub at: (u32, u32),
}

impl Refusal {
    /// Something that is not supported.
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), help: None, place: None }
    }

    /// A function without a body that is not in the table.
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

    /// The same with a way out.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same at a place, unless it has one.
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
