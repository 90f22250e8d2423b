//! Text to tokens. The first line of a litmus test and the free text behind it are not made of tokens and are read by
//! the parser itself; everything from the `{` of the initial state on is.
//!
//! One set of tokens serves the initial state, the table and the condition. Comments `(* … *)` nest and are dropped.
//! A `<<` ends the text: what older tools put behind the condition is not part of the test. Nothing here fails: what
//! is no token becomes [`TokenKind::Unknown`] with a diagnostic.

use fencewright_base::{Diagnostic, FileId, Int, Span};

use super::codes;

/// A token and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// What it is.
    pub(super) kind: TokenKind,
    /// Where it stands.
    pub(super) span: Span,
}

/// What a token is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A name, a keyword, a mnemonic or a bare register.
    Name(String),
    /// `%rax`, without the sign.
    Percent(String),
    /// `$x`, without the sign.
    Dollar(String),
    /// A number, with `$` before it or without.
    Number(Int),
    /// `{ } [ ] ( ) | ; : , * & + ~ =` and the like.
    Sign(&'static str),
    /// A character no litmus test is made of; it has been reported.
    Unknown,
    /// The end of the text, or of the part of it that counts.
    End,
}

/// Longest first, so that the first that fits is the right one.
const SIGNS: [&str; 23] = [
    "/\\", "\\/", "==", "!=", "<>", "=>", "=", "{", "}", "[", "]", "(", ")", "|", ";", ":", ",", "*", "&",
    "+", "~", "-", ".",
];

/// The tokens of `text` from byte `start` on, ended by exactly one [`TokenKind::End`].
pub(super) fn tokens(
    text: &str,
    file: FileId,
    start: usize,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = start;
    loop {
        let rest = &text[at..];
        let Some(first) = rest.chars().next() else { break };
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        if rest.starts_with("<<") {
            break;
        }
        if rest.starts_with("(*") {
            let end = comment_end(text, at);
            if end.is_none() {
                diagnostics.push(unclosed_comment(Span::new(file, at, at + 2)));
            }
            at = end.unwrap_or(text.len());
            continue;
        }
        let (kind, len) = token(rest);
        let span = Span::new(file, at, at + len);
        if kind == TokenKind::Unknown {
            diagnostics.push(
                Diagnostic::error(
                    &codes::CHARACTER,
                    span,
                    format!("`{}` has no meaning here", first.escape_debug()),
                )
                .label("not part of any litmus test"),
            );
        }
        tokens.push(Token { kind, span });
        at += len;
    }
    tokens.push(Token { kind: TokenKind::End, span: Span::new(file, at, at) });
    tokens
}

/// The token at the start of `rest`, which is not empty, and its length in bytes.
fn token(rest: &str) -> (TokenKind, usize) {
    let bytes = rest.as_bytes();
    let digits_at = match bytes {
        [b'$', b'-', ..] => 2,
        [b'$' | b'-', ..] => 1,
        _ => 0,
    };
    if bytes.get(digits_at).is_some_and(u8::is_ascii_digit) {
        let len = number_len(&bytes[digits_at..]);
        let value = number(&rest[digits_at..digits_at + len]);
        let negative = digits_at > 0 && bytes[digits_at - 1] == b'-';
        return (TokenKind::Number(if negative { value.neg() } else { value }), digits_at + len);
    }
    if matches!(bytes[0], b'%' | b'$') {
        let len = name_len(&bytes[1..]);
        if len > 0 {
            let name = rest[1..=len].to_owned();
            let kind = if bytes[0] == b'%' { TokenKind::Percent(name) } else { TokenKind::Dollar(name) };
            return (kind, len + 1);
        }
    }
    let len = name_len(bytes);
    if len > 0 {
        return (TokenKind::Name(rest[..len].to_owned()), len);
    }
    match SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
        Some(sign) => (TokenKind::Sign(sign), sign.len()),
        None => (TokenKind::Unknown, rest.chars().next().map_or(1, char::len_utf8)),
    }
}

/// How long the name at the start is; 0 if there is none. Names may hold `/`, `.` and `-` as those of herd do, but a
/// `/` that begins an `/\` does not belong to them.
fn name_len(bytes: &[u8]) -> usize {
    let starts = |b: u8| b.is_ascii_alphabetic() || b == b'_';
    let first = match bytes {
        [b'.', b, ..] if starts(*b) => 2,
        [b, ..] if starts(*b) => 1,
        _ => return 0,
    };
    let mut len = first;
    while let Some(&b) = bytes.get(len) {
        let slash = b == b'/' && bytes.get(len + 1) != Some(&b'\\');
        if !(b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-') || slash) {
            break;
        }
        len += 1;
    }
    len
}

fn number_len(bytes: &[u8]) -> usize {
    let is_hex = matches!(bytes, [b'0', b'x' | b'X', digit, ..] if digit.is_ascii_hexdigit());
    if is_hex {
        2 + bytes[2..].iter().take_while(|b| b.is_ascii_hexdigit()).count()
    } else {
        bytes.iter().take_while(|b| b.is_ascii_digit()).count()
    }
}

/// The value of decimal digits, or of `0x` and hexadecimal digits. No machine word has more than 64 bits and the
/// digits that count are the last ones, so all but the last 4,096 of an absurdly long number are left out.
fn number(digits: &str) -> Int {
    const KEPT: usize = 4096;
    let kept = |digits: &str| digits[digits.len().saturating_sub(KEPT)..].to_owned();
    match digits.get(..2) {
        Some("0x" | "0X") => kept(&digits[2..]).chars().fold(Int::ZERO, |value, digit| {
            value.mul(&Int::from(16)).add(&Int::from(i64::from(digit.to_digit(16).unwrap_or(0))))
        }),
        _ => kept(digits).parse().unwrap_or(Int::ZERO),
    }
}

/// One past the `*)` that closes the comment at byte `start`, if it is closed. Comments nest.
pub(super) fn comment_end(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0usize;
    let mut at = start;
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"(*" => {
                depth += 1;
                at += 2;
            }
            b"*)" => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => at += 1,
        }
    }
    None
}

/// The diagnostic for a comment that opens at `span` and never closes.
pub(super) fn unclosed_comment(span: Span) -> Diagnostic {
    Diagnostic::error(&codes::CHARACTER, span, "this comment is never closed")
        .label("expected a `*)` somewhere behind")
        .help("comments nest: every `(*` needs its own `*)`")
}

/// The text on one line: comments dropped, white space collapsed.
pub(super) fn collapse(text: &str) -> String {
    let mut plain = String::new();
    let mut at = 0;
    while let Some(open) = text[at..].find("(*") {
        plain.push_str(&text[at..at + open]);
        plain.push(' ');
        at = comment_end(text, at + open).unwrap_or(text.len());
    }
    plain.push_str(&text[at..]);
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        let mut diagnostics = Vec::new();
        let kinds =
            tokens(text, FileId(0), 0, &mut diagnostics).into_iter().map(|token| token.kind).collect();
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        kinds
    }

    #[test]
    fn names_numbers_and_signs() {
        use TokenKind::*;
        let name = |text: &str| Name(text.to_owned());
        assert_eq!(kinds("x/\\y"), [name("x"), Sign("/\\"), name("y"), End]);
        assert_eq!(kinds("a/b.c-d"), [name("a/b.c-d"), End]);
        assert_eq!(kinds("$-1,0x10"), [Number(Int::from(-1)), Sign(","), Number(Int::from(16)), End]);
        assert_eq!(kinds("%rax (* (* nested *) *) $x"), [Percent("rax".into()), Dollar("x".into()), End]);
        assert_eq!(kinds("0:EAX << anything"), [Number(Int::ZERO), Sign(":"), name("EAX"), End]);
        assert_eq!(kinds(".L0:"), [name(".L0"), Sign(":"), End]);
    }

    #[test]
    fn collapsing_drops_comments_and_line_ends() {
        assert_eq!(collapse(" (0:EAX=0 (* why *)\n\t/\\  x=1) "), "(0:EAX=0 /\\ x=1)");
    }
}
