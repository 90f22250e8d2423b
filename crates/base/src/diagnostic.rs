//! Bad input as a value: a code, one message, the places, and a way out. Text is made from it in `report` only.

use crate::Span;

/// A row of a table of diagnostics: the code, and the page that `explain CODE` shows.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// Stable name, such as `E0103`.
    pub name: &'static str,
    /// What the code means, in a line.
    pub title: &'static str,
    /// What is wrong, why it matters, an example, and how to mend it. Markdown.
    pub explanation: &'static str,
}

/// How bad it is.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The input is rejected.
    Error,
    /// The input is taken, but probably not what was meant.
    Warning,
}

/// A place and what is to be said of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is to be said there; may be empty.
    pub text: String,
}

/// Something wrong with the user's input.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostic {
    /// Which kind of mistake.
    pub code: &'static Code,
    /// Error or warning.
    pub severity: Severity,
    /// What is wrong, in a line.
    pub message: String,
    /// Where: the place the message is about, with what was expected there.
    pub primary: Label,
    /// Other places that explain it.
    pub secondary: Vec<Label>,
    /// How to mend it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(code: &'static Code, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            message: message.into(),
            primary: Label { span, text: String::new() },
            secondary: Vec::new(),
            help: None,
        }
    }

    /// A warning at `span`.
    pub fn warning(code: &'static Code, span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, span, message) }
    }

    /// What to say at the primary place.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// Another place.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// How to mend it.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }
}
