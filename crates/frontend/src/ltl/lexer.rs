//! The tokens of a formula.

use fencewright_base::{Diagnostic, FileId, Int, Span};

use super::codes;

/// A token and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

/// A token.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// A name, or a word that means something.
    Word(String),
    /// A name in quotes: never a word that means something.
    Quoted(String),
    Number(Int),
    Symbol(&'static str),
}

/// The longest first.
const SYMBOLS: [&str; 34] = [
    "<->", "<=>", "->", "=>", "[]", "<>", "&&", "||", "/\\", "\\/", "==", "!=", "<=", ">=", "(", ")", "[",
    "]", "<", ">", "=", "!", "~", "&", "|", "+", "-", "*", "/", "%", ":", ".", "@", "^",
];

fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$'
}

/// All tokens, or everything that is none.
pub(super) fn tokens(text: &str, file: FileId) -> Result<Vec<Token>, Vec<Diagnostic>> {
    let mut tokens = Vec::new();
    let mut errors = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if starts_name(first) {
            let length = rest.find(|c| !starts_name(c) && !char::is_numeric(c)).unwrap_or(rest.len());
            push(&mut tokens, Kind::Word(rest[..length].to_owned()), file, at, length);
            length
        } else if first.is_ascii_digit() {
            let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            match rest[..length].parse() {
                Ok(number) => push(&mut tokens, Kind::Number(number), file, at, length),
                Err(_) => errors.push(bad(file, at, length, "this is no number")),
            }
            length
        } else if first == '"' {
            match rest[1..].find('"') {
                Some(end) => {
                    push(&mut tokens, Kind::Quoted(rest[1..=end].to_owned()), file, at, end + 2);
                    end + 2
                }
                None => {
                    errors.push(bad(file, at, rest.len(), "this quote is not closed"));
                    rest.len()
                }
            }
        } else if let Some(symbol) = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol)) {
            push(&mut tokens, Kind::Symbol(symbol), file, at, symbol.len());
            symbol.len()
        } else {
            errors.push(bad(file, at, first.len_utf8(), "no formula is made of this character"));
            first.len_utf8()
        };
        at += length;
    }
    if errors.is_empty() { Ok(tokens) } else { Err(errors) }
}

fn push(tokens: &mut Vec<Token>, kind: Kind, file: FileId, at: usize, length: usize) {
    tokens.push(Token { kind, span: Span::new(file, at, at + length) });
}

fn bad(file: FileId, at: usize, length: usize, message: &str) -> Diagnostic {
    Diagnostic::error(&codes::CHARACTER, Span::new(file, at, at + length), message)
        .help("a name with other characters stands in double quotes")
}
