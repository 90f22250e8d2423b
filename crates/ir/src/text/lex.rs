//! The tokens of one line.

use fencewright_base::Int;

use super::{is_name_part, is_name_start};

/// A token of the text form.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// An identifier or a word of the language.
    Word(String),
    /// A quoted name or text, without its quotes and escapes. Never a word of the language.
    Quoted(String),
    /// A number, with its sign if it has one.
    Int(Int),
    /// A thing called by its number: `#3`.
    Number(u32),
    /// Everything else.
    Symbol(&'static str),
}

/// The longest first, so that `<-` is not read as `<` and `-`.
const SYMBOLS: [&str; 32] = [
    "->", "<-", "..", "<<", ">>", "==", "!=", "<=", ">=", "&&", "||", "+", "-", "*", "/", "%", "&", "|", "^",
    "<", ">", "!", "~", "=", "(", ")", "[", "]", ",", ";", ":", "@",
];

impl Token {
    /// How it is named in a message.
    pub(super) fn describe(&self) -> String {
        match self {
            Token::Word(word) => format!("`{word}`"),
            Token::Quoted(text) => format!("{text:?}"),
            Token::Int(value) => format!("`{value}`"),
            Token::Number(n) => format!("`#{n}`"),
            Token::Symbol(symbol) => format!("`{symbol}`"),
        }
    }

    /// Whether an operand can end with it, so that a minus behind it subtracts.
    fn ends_operand(&self) -> bool {
        match self {
            Token::Word(_) | Token::Quoted(_) | Token::Int(_) | Token::Number(_) => true,
            Token::Symbol(symbol) => matches!(*symbol, ")" | "]"),
        }
    }
}

/// The tokens of a line, or what is wrong with it.
pub(super) fn tokens(line: &str) -> Result<Vec<Token>, String> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        if rest.starts_with("//") {
            break;
        }
        let after_operand = tokens.last().is_some_and(Token::ends_operand);
        let second_is_digit = rest[first.len_utf8()..].starts_with(|c: char| c.is_ascii_digit());
        let length = if is_name_start(first) {
            let length = rest.find(|c| !is_name_part(c)).unwrap_or(rest.len());
            tokens.push(Token::Word(rest[..length].to_owned()));
            length
        } else if first == '"' {
            let (text, length) = quoted(rest)?;
            tokens.push(Token::Quoted(text));
            length
        } else if first == '#' && second_is_digit {
            let length = 1 + digits(&rest[1..]);
            let number =
                rest[1..length].parse().map_err(|_| format!("`{}` is too large", &rest[..length]))?;
            tokens.push(Token::Number(number));
            length
        } else if first.is_ascii_digit() || (first == '-' && second_is_digit && !after_operand) {
            let length = 1 + digits(&rest[1..]);
            let value = rest[..length].parse().map_err(|_| format!("`{}` is no number", &rest[..length]))?;
            tokens.push(Token::Int(value));
            length
        } else if let Some(symbol) = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol)) {
            tokens.push(Token::Symbol(symbol));
            symbol.len()
        } else {
            return Err(format!("unexpected character {first:?}"));
        };
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

fn digits(text: &str) -> usize {
    text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len())
}

/// The text in quotes at the start, and how many bytes it takes there.
fn quoted(text: &str) -> Result<(String, usize), String> {
    let mut result = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Ok((result, at + 1)),
            '\\' => match chars.next() {
                Some((_, 'n')) => result.push('\n'),
                Some((_, 'r')) => result.push('\r'),
                Some((_, 't')) => result.push('\t'),
                Some((_, plain @ ('"' | '\\' | '\''))) => result.push(plain),
                Some((at, 'u')) => {
                    let (code, length) = escaped_code(&text[at + 1..]).ok_or("a bad escape `\\u`")?;
                    result.push(code);
                    chars = text.char_indices().skip(text[..at + 1 + length].chars().count());
                }
                Some((_, '0')) => result.push('\0'),
                _ => return Err("an unknown escape in quotes".to_owned()),
            },
            _ => result.push(c),
        }
    }
    Err("a quote is not closed".to_owned())
}

/// The character of `{1f}` at the start, and how many bytes that takes.
fn escaped_code(text: &str) -> Option<(char, usize)> {
    let end = text.find('}')?;
    let code = u32::from_str_radix(text[..end].strip_prefix('{')?, 16).ok()?;
    Some((char::from_u32(code)?, end + 1))
}
