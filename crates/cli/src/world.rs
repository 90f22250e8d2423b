//! Everything outside the process that a command touches, so that a test can stand in for it.

use std::io::{ErrorKind, Read, Write};
use std::sync::Mutex;

use fencewright_base::CancelToken;
use fencewright_report::terminal::Style;

use crate::Exit;
use crate::args::Color;

/// The streams and what is known of them.
pub struct World<'a> {
    /// Standard input.
    pub stdin: &'a mut dyn Read,
    /// Standard output. A reader that goes away is no error: what is left is not written.
    out: &'a mut dyn Write,
    /// Standard error.
    pub(crate) err: ErrStream<'a>,
    /// Whether standard output is a terminal.
    pub out_is_terminal: bool,
    /// Whether standard error is a terminal.
    pub err_is_terminal: bool,
    /// Whether the user set `NO_COLOR`.
    pub no_color: bool,
    /// Characters in a line of the terminal, if there is one.
    pub width: Option<usize>,
    /// Set by an interrupt.
    pub cancel: CancelToken,
    /// What the user said about colour.
    pub(crate) color: Color,
    /// The first failure to write to standard output.
    failed: Option<std::io::Error>,
}

/// Standard error, behind a lock because engines report progress from their own threads.
pub(crate) struct ErrStream<'a>(Mutex<&'a mut (dyn Write + Send)>);

impl ErrStream<'_> {
    /// Writes. If that fails there is nobody left to tell.
    pub(crate) fn write(&self, text: &str) {
        let mut err = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
    }
}

/// The width of text that goes to a file or pipe: the same everywhere, so that output is.
const DEFAULT_WIDTH: usize = 120;

impl<'a> World<'a> {
    /// A world with these streams, none of them a terminal.
    pub fn new(stdin: &'a mut dyn Read, out: &'a mut dyn Write, err: &'a mut (dyn Write + Send)) -> Self {
        Self {
            stdin,
            out,
            err: ErrStream(Mutex::new(err)),
            out_is_terminal: false,
            err_is_terminal: false,
            no_color: false,
            width: None,
            cancel: CancelToken::new(),
            color: Color::Auto,
            failed: None,
        }
    }

    /// Writes to standard output.
    pub(crate) fn print(&mut self, text: &str) {
        if self.failed.is_none()
            && let Err(error) = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush())
        {
            self.failed = Some(error);
        }
    }

    /// Writes to standard error.
    pub(crate) fn say(&self, text: &str) {
        self.err.write(text);
    }

    /// A message about what the user asked for, on standard error.
    pub(crate) fn complain(&self, message: &str) {
        let word = if self.color_err() { "\x1b[1;31merror\x1b[0m" } else { "error" };
        self.say(&format!("{word}: {message}\n"));
    }

    pub(crate) fn color_out(&self) -> bool {
        self.colored(self.out_is_terminal)
    }

    pub(crate) fn color_err(&self) -> bool {
        self.colored(self.err_is_terminal)
    }

    fn colored(&self, is_terminal: bool) -> bool {
        match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => is_terminal && !self.no_color,
        }
    }

    /// How text on standard output should look.
    pub(crate) fn style_out(&self) -> Style {
        Style { color: self.color_out(), width: self.width_if(self.out_is_terminal) }
    }

    /// How text on standard error should look.
    pub(crate) fn style_err(&self) -> Style {
        Style { color: self.color_err(), width: self.width_if(self.err_is_terminal) }
    }

    fn width_if(&self, is_terminal: bool) -> usize {
        let width = if is_terminal { self.width } else { None };
        width.unwrap_or(DEFAULT_WIDTH).max(60)
    }

    /// The exit code, if the output could be written.
    pub(crate) fn finish(self, exit: Exit) -> Exit {
        match &self.failed {
            Some(error) if error.kind() != ErrorKind::BrokenPipe => {
                self.complain(&format!("cannot write the output: {error}"));
                Exit::BadInput
            }
            _ => exit,
        }
    }
}
