//! Text to tokens. Comments (`// …`, `/* … */`) and white space are dropped.
//!
//! *Contract:* every token's span is the text it was made from. What is no token becomes a diagnostic and a
//! [`Kind::Bad`] token. The last token is always [`Kind::End`].

use fencewright_base::{Diagnostic, FileId, Span};
use logos::{Logos, Skip};

use super::codes;

/// A token and where it stands.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

#[derive(Debug, Copy, Clone, PartialEq, Eq, Default)]
pub(super) enum LexError {
    #[default]
    Stray,
    OpenComment,
}

/// The kinds of tokens.
#[derive(Logos, Debug, Copy, Clone, PartialEq, Eq)]
#[logos(error = LexError)]
#[logos(skip r"[ \t\r\n\x0b\x0c\u{feff}]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
#[logos(skip(r"/\*", block_comment))]
pub(super) enum Kind {
    #[token("const")]
    Const,
    #[token("byte")]
    #[token("bool")]
    Byte,
    #[token("int")]
    Int,
    #[token("channel")]
    Channel,
    #[token("process")]
    Process,
    #[token("state")]
    State,
    #[token("init")]
    Init,
    #[token("commit")]
    Commit,
    #[token("accept")]
    Accept,
    #[token("assert")]
    Assert,
    #[token("trans")]
    Trans,
    #[token("guard")]
    Guard,
    #[token("sync")]
    Sync,
    #[token("effect")]
    Effect,
    #[token("system")]
    System,
    #[token("async")]
    Async,
    #[token("property")]
    Property,
    #[token("true")]
    True,
    #[token("false")]
    False,
    #[token("imply")]
    Imply,
    #[token("or")]
    #[token("||")]
    Or,
    #[token("and")]
    #[token("&&")]
    And,
    #[token("not")]
    Not,
    #[regex("[A-Za-z_][A-Za-z0-9_]*")]
    Name,
    #[regex("[0-9]+")]
    Number,
    #[token("->")]
    Arrow,
    #[token("<<")]
    ShiftLeft,
    #[token(">>")]
    ShiftRight,
    #[token("==")]
    Equal,
    #[token("!=")]
    NotEqual,
    #[token("<=")]
    LessEqual,
    #[token(">=")]
    GreaterEqual,
    #[token("<")]
    Less,
    #[token(">")]
    Greater,
    #[token("=")]
    Assign,
    #[token("|")]
    Bar,
    #[token("^")]
    Caret,
    #[token("&")]
    Ampersand,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("~")]
    Tilde,
    #[token("!")]
    Exclamation,
    #[token("?")]
    Question,
    #[token("(")]
    Open,
    #[token(")")]
    Close,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(":")]
    Colon,
    #[token(".")]
    Dot,
    /// Something that was complained about.
    Bad,
    /// The end of the text.
    End,
}

fn block_comment(lexer: &mut logos::Lexer<'_, Kind>) -> Result<Skip, LexError> {
    match lexer.remainder().find("*/") {
        Some(length) => {
            lexer.bump(length + 2);
            Ok(Skip)
        }
        None => {
            lexer.bump(lexer.remainder().len());
            Err(LexError::OpenComment)
        }
    }
}

/// The tokens of a text; what is no token is added to `problems`.
pub(super) fn lex(file: FileId, text: &str, problems: &mut Vec<Diagnostic>) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    for (result, range) in Kind::lexer(text).spanned() {
        let span = Span::new(file, range.start, range.end);
        match result {
            Ok(kind) => tokens.push(Token { kind, span }),
            Err(LexError::OpenComment) => {
                let message = "this comment is never closed";
                problems.push(
                    Diagnostic::error(&codes::STRAY, Span { end: span.start + 2, ..span }, message)
                        .help("write `*/` where it ends"),
                );
            }
            Err(LexError::Stray) => match tokens.last_mut() {
                Some(last) if last.kind == Kind::Bad && last.span.end == span.start => {
                    last.span = last.span.to(span);
                }
                _ => {
                    let shown = &text[range];
                    let message = format!("`{}` means nothing here", shown.escape_debug());
                    problems.push(Diagnostic::error(&codes::STRAY, span, message).help("remove it"));
                    tokens.push(Token { kind: Kind::Bad, span });
                }
            },
        }
    }
    tokens.push(Token { kind: Kind::End, span: Span::new(file, text.len(), text.len()) });
    tokens
}
