//! Finds the positions of a module's entities byte by byte, without lexing. Strings and comments are skipped as the lexer skips
//! them, so brackets inside them do not count.

use super::lexer::{Kind, Lexer, Token, line_end};

/// The first byte from `at` on that is neither white space nor in a comment.
pub(super) fn skip_blank(bytes: &[u8], mut at: usize) -> usize {
    loop {
        match bytes.get(at) {
            Some(b' ' | b'\t' | b'\r' | b'\n') => at += 1,
            Some(b';') => at = line_end(bytes, at),
            _ => return at,
        }
    }
}

/// One past the entity that starts at `start`: it ends with the first line that ends outside brackets.
pub(super) fn entity_end(bytes: &[u8], start: usize) -> usize {
    let mut depth = 0usize;
    let mut at = start;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => depth = depth.saturating_sub(1),
            b'"' => at = string_end(bytes, at),
            b';' => {
                at = line_end(bytes, at);
                continue;
            }
            b'\n' if depth == 0 => return at,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// The position of the brace that closes the one at `open`.
pub(super) fn closing_brace(bytes: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    let mut at = open;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' => depth += 1,
            b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at);
                }
            }
            b'"' => at = string_end(bytes, at),
            b';' => {
                at = line_end(bytes, at);
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// The closing quote of the string that opens at `open`; the end of the text if there is none.
fn string_end(bytes: &[u8], open: usize) -> usize {
    bytes[open + 1..].iter().position(|&b| b == b'"').map_or(bytes.len(), |n| open + 1 + n)
}

/// The tokens of a function's head, from `define` to the brace that opens the body, and the position of that brace.
pub(super) fn function_head(text: &str, start: usize) -> (Vec<Token>, Option<usize>) {
    let mut tokens = Vec::new();
    let mut depth = 0usize;
    // Braces in the types of results and parameters come before the parameters are closed.
    let (mut named, mut closed) = (false, false);
    for token in Lexer::new(text, start..text.len()) {
        match token.text(text) {
            "{" if closed && depth == 0 => return (tokens, Some(token.start as usize)),
            "(" | "[" | "{" => depth += 1,
            word @ (")" | "]" | "}") => {
                depth = depth.saturating_sub(1);
                closed |= named && depth == 0 && word == ")";
            }
            _ => named |= token.kind == Kind::Global && depth == 0,
        }
        tokens.push(token);
    }
    (tokens, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_strings_and_comments_do_not_count() {
        let text = "@a = c\"}\\22{\" ; {\n@b = {\n1 }\nrest";
        let first = entity_end(text.as_bytes(), 0);
        assert_eq!(&text[first..first + 2], "\n@");
        let second = entity_end(text.as_bytes(), first + 1);
        assert_eq!(&text[second..], "\nrest");
        assert_eq!(closing_brace(b"{ \"}\" ; }\n { } }x", 0), Some(15));
        assert_eq!(closing_brace(b"{ { }", 0), None);
        assert_eq!(entity_end(b"\"", 0), 1);
    }

    #[test]
    fn the_body_opens_after_the_parameters() {
        let text = "define { i32, i1 } @f({ i8 } %x) personality ptr @p { ret }";
        let (tokens, open) = function_head(text, 0);
        assert_eq!(open, text.rfind('{'));
        assert_eq!(tokens.last().map(|token| token.text(text)), Some("@p"));
        assert_eq!(function_head("define void @f()", 0).1, None);
    }
}
