//! A position in a list of tokens, with the basic operations of a recursive-descent parser.

use std::sync::Arc;

use super::lexer::{Kind, Token, name_of};

/// What is wrong with the text, and where, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    pub at: (u32, u32),
    pub message: String,
}

pub(crate) type Parsed<T> = Result<T, Malformed>;

/// The deepest nesting of types and constants. Real ones stay below 20; the limit protects the stack from hostile input.
pub(super) const MAX_DEPTH: u32 = 100;

/// A position in the tokens of a text.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: &'a [Token],
    pub(super) at: usize,
    /// One past the last token of the range.
    pub(super) end: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str, tokens: &'a [Token], range: std::ops::Range<usize>) -> Self {
        Self { text, tokens, at: range.start, end: range.end.min(tokens.len()) }
    }

    pub(super) fn peek(&self) -> Option<Token> {
        (self.at < self.end).then(|| self.tokens[self.at])
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<Token> {
        (self.at + ahead < self.end).then(|| self.tokens[self.at + ahead])
    }

    /// The text of the next token; empty at the end.
    pub(super) fn word(&self) -> &'a str {
        self.peek().map_or("", |token| token.text(self.text))
    }

    pub(super) fn kind(&self) -> Option<Kind> {
        self.peek().map(|token| token.kind)
    }

    pub(super) fn next(&mut self) -> Option<Token> {
        let token = self.peek()?;
        self.at += 1;
        Some(token)
    }

    /// Consumes the next token if it has this text.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.peek().is_some() && self.word() == text;
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, text: &str) -> Parsed<()> {
        if self.eat(text) { Ok(()) } else { Err(self.malformed(&format!("expected `{text}`"))) }
    }

    /// The byte range of the next token, or the end of the last one.
    pub(super) fn here(&self) -> (u32, u32) {
        match self.peek() {
            Some(token) => (token.start, token.end),
            None => {
                self.at.checked_sub(1).and_then(|i| self.tokens.get(i)).map_or((0, 0), |t| (t.end, t.end))
            }
        }
    }

    pub(super) fn malformed(&self, expected: &str) -> Malformed {
        let found = match self.peek() {
            Some(token) => {
                let shown: String = token.text(self.text).chars().take(40).collect();
                format!("found `{shown}`")
            }
            None => "the text ends here".to_owned(),
        };
        Malformed { at: self.here(), message: format!("{expected}, but {found}") }
    }

    /// The name after a `%` or `@`.
    pub(super) fn sigil_name(&mut self, kind: Kind, what: &str) -> Parsed<Arc<str>> {
        match self.peek() {
            Some(token) if token.kind == kind => {
                self.at += 1;
                Ok(name_of(&token.text(self.text)[1..]).into())
            }
            _ => Err(self.malformed(&format!("expected {what}"))),
        }
    }

    pub(super) fn unsigned(&mut self) -> Parsed<u64> {
        match self.word().parse() {
            Ok(number) if self.kind() == Some(Kind::Number) => {
                self.at += 1;
                Ok(number)
            }
            _ => Err(self.malformed("expected a number")),
        }
    }

    /// Skips a group in brackets; the cursor is at the opening bracket.
    pub(super) fn skip_group(&mut self) {
        let mut depth = 0usize;
        while let Some(token) = self.next() {
            match token.text(self.text) {
                "(" | "[" | "{" | "<" => depth += 1,
                ")" | "]" | "}" | ">" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return;
            }
        }
    }

    /// The number of a metadata reference such as `!12`, if one is next.
    pub(super) fn meta_reference(&self) -> Option<u32> {
        (self.kind() == Some(Kind::Meta)).then(|| self.word()[1..].parse().ok()).flatten()
    }
}
