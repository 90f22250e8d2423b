//! The lexer of textual LLVM IR, for the requested parts of the text.
//!
//! It never fails: a character that starts no token becomes a [`Kind::Bad`] token, which matters only if its part is parsed.

/// The kind of a token. Its text is a slice of the file.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `%x`, `%12`, `%"a b"`.
    Local,
    /// `@x`, `@"a b"`.
    Global,
    /// `!12`, `!dbg`, `!DILocation`, but not a lone `!`.
    Meta,
    /// A keyword, a type, an identifier inside metadata.
    Word,
    /// `12`, `-1`, `0x3FF0`, `1.0e+00`.
    Number,
    /// `"…"`, with the quotes.
    Str,
    /// `c"…"`, with the `c` and the quotes.
    Bytes,
    /// `#0`, `#dbg_declare`.
    Hash,
    /// `12:`, `entry:`, `"a b":`, with the colon. Inside metadata, `name:` is one, too.
    Label,
    /// One character of punctuation, or `...`.
    Punct,
    /// A character that starts no token, or an unterminated string.
    Bad,
}

/// A token: its kind and position.
#[derive(Debug, Copy, Clone)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    /// Whether it is the first token of its line.
    pub(crate) starts_line: bool,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Token {
    pub(crate) fn text(self, source: &str) -> &str {
        source.get(self.start as usize..self.end as usize).unwrap_or("")
    }
}

/// The tokens of a byte range of the text, without comments.
pub(crate) fn lex(text: &str, part: std::ops::Range<usize>) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(part.len() / 6);
    tokens.extend(Lexer::new(text, part));
    tokens
}

/// Produces tokens one by one.
#[derive(Debug)]
pub(crate) struct Lexer<'a> {
    text: &'a str,
    /// The bytes up to the end of the range.
    bytes: &'a [u8],
    at: usize,
    starts_line: bool,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str, part: std::ops::Range<usize>) -> Self {
        let bytes = text.as_bytes();
        Self { text, bytes: &bytes[..part.end.min(bytes.len())], at: part.start, starts_line: true }
    }
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let bytes = self.bytes;
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b'\n' => {
                    self.starts_line = true;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' => self.at += 1,
                b';' => self.at = line_end(bytes, self.at),
                _ => {
                    let start = self.at;
                    let (kind, end) = token(bytes, start);
                    // A bad byte may be part of a multi-byte character; the token ends where the character does.
                    self.at = (end..=bytes.len())
                        .find(|&end| self.text.is_char_boundary(end))
                        .unwrap_or(bytes.len());
                    let starts_line = std::mem::replace(&mut self.starts_line, false);
                    return Some(Token { kind, starts_line, start: start as u32, end: self.at as u32 });
                }
            }
        }
        None
    }
}

/// The end of the line that contains the byte.
pub(super) fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |n| at + n)
}

/// Kind and end of the token at a byte that is neither white space nor in a comment.
fn token(bytes: &[u8], at: usize) -> (Kind, usize) {
    let next = bytes.get(at + 1).copied().unwrap_or(b' ');
    match bytes[at] {
        sigil @ (b'%' | b'@' | b'$') => {
            let kind = if sigil == b'%' { Kind::Local } else { Kind::Global };
            if next == b'"' {
                quoted(bytes, at + 1, kind)
            } else if is_name(next) {
                (kind, name_end(bytes, at + 1))
            } else {
                (Kind::Bad, at + 1)
            }
        }
        b'!' if is_name(next) => (Kind::Meta, name_end(bytes, at + 1)),
        b'#' if is_name(next) => (Kind::Hash, name_end(bytes, at + 1)),
        b'"' => {
            let (kind, end) = quoted(bytes, at, Kind::Str);
            if kind == Kind::Str && bytes.get(end) == Some(&b':') {
                (Kind::Label, end + 1)
            } else {
                (kind, end)
            }
        }
        b'c' if next == b'"' => quoted(bytes, at + 1, Kind::Bytes),
        b'.' if bytes[at..].starts_with(b"...") => (Kind::Punct, at + 3),
        first if is_name(first) => {
            let mut end = name_end(bytes, at);
            if bytes.get(end) == Some(&b':') {
                return (Kind::Label, end + 1);
            }
            let number = first.is_ascii_digit() || (first == b'-' && next.is_ascii_digit());
            if number && bytes.get(end) == Some(&b'+') && matches!(bytes[end - 1], b'e' | b'E') {
                end = name_end(bytes, end + 1);
            }
            (if number { Kind::Number } else { Kind::Word }, end)
        }
        b'(' | b')' | b'{' | b'}' | b'[' | b']' | b'<' | b'>' | b',' | b'=' | b'*' | b'!' | b'|' | b':'
        | b'+' => (Kind::Punct, at + 1),
        _ => (Kind::Bad, at + 1),
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | b'-' | b'\\')
}

fn name_end(bytes: &[u8], from: usize) -> usize {
    bytes[from..].iter().position(|&b| !is_name(b)).map_or(bytes.len(), |n| from + n)
}

/// Scans from the opening quote at `open` to after the closing one. LLVM writes a quote inside as `\22`.
fn quoted(bytes: &[u8], open: usize, kind: Kind) -> (Kind, usize) {
    match bytes[open + 1..].iter().position(|&b| b == b'"') {
        Some(length) => (kind, open + 1 + length + 1),
        None => (Kind::Bad, bytes.len()),
    }
}

/// The bytes of a string between its quotes: `\XX` is the byte with that number.
pub(crate) fn unescape(inner: &str) -> Vec<u8> {
    let bytes = inner.as_bytes();
    let mut result = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = |i: usize| bytes.get(i).and_then(|&b| (b as char).to_digit(16));
        match (bytes[at], hex(at + 1), hex(at + 2)) {
            (b'\\', Some(high), Some(low)) => {
                result.push((high * 16 + low) as u8);
                at += 3;
            }
            (b'\\', ..) if bytes.get(at + 1) == Some(&b'\\') => {
                result.push(b'\\');
                at += 2;
            }
            (byte, ..) => {
                result.push(byte);
                at += 1;
            }
        }
    }
    result
}

/// The name without quotes: both `"a b"` and `a` are names.
pub(crate) fn name_of(text: &str) -> String {
    match text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) => String::from_utf8_lossy(&unescape(inner)).into_owned(),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> Vec<(Kind, &str)> {
        lex(text, 0..text.len()).iter().map(|token| (token.kind, token.text(text))).collect()
    }

    #[test]
    fn an_instruction() {
        use Kind::*;
        assert_eq!(
            show("  %5 = load i32, ptr @\"a b\", align 4, !dbg !12 ; no\n9:"),
            [
                (Local, "%5"),
                (Punct, "="),
                (Word, "load"),
                (Word, "i32"),
                (Punct, ","),
                (Word, "ptr"),
                (Global, "@\"a b\""),
                (Punct, ","),
                (Word, "align"),
                (Number, "4"),
                (Punct, ","),
                (Meta, "!dbg"),
                (Meta, "!12"),
                (Label, "9:")
            ]
        );
        assert!(lex("a\nb", 0..3)[1].starts_line);
    }

    #[test]
    fn odd_bytes_are_bad_tokens_on_character_boundaries() {
        assert_eq!(show("é \"x"), [(Kind::Bad, "é"), (Kind::Bad, "\"x")]);
        assert_eq!(
            show("0x3FF -1 1.0e+00"),
            [(Kind::Number, "0x3FF"), (Kind::Number, "-1"), (Kind::Number, "1.0e+00")]
        );
    }

    #[test]
    fn escapes() {
        assert_eq!(unescape("a\\00\\22\\\\z\\"), b"a\0\"\\z\\");
        assert_eq!(name_of("\"a\\20b\""), "a b");
    }
}
