//! Text to tokens. Comments (`/* … */`, not nested, and `// …`) and white space separate tokens and are dropped.
//!
//! *Contract:* every token's span is the text it was made from; what is no token becomes one diagnostic for each run
//! of such characters and one [`Kind::Bad`] token, so that the parser knows that this place has been complained
//! about. The last token is always [`Kind::End`], with the empty span behind the text.

use fencewright_base::{Diagnostic, FileId, Span};
use logos::{Logos, Skip};

use super::codes;
use super::frames::{FrameId, Place};

/// A token and where it stands.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// What it is.
    pub(super) kind: Kind,
    /// Its text, and through which macros it got to where it is.
    pub(super) place: Place,
}

/// Why a piece of text is no token.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Default)]
pub(super) enum LexError {
    /// No token begins with this character.
    #[default]
    Stray,
    /// A comment without its end.
    OpenComment,
}

/// The kinds of tokens.
#[derive(Logos, Debug, Copy, Clone, PartialEq, Eq)]
#[logos(error = LexError)]
#[logos(skip r"[ \t\r\n\x0b\x0c\u{feff}]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
#[logos(skip(r"/\*", block_comment))]
pub(super) enum Kind {
    #[token("forbidden")]
    Forbidden,
    #[token("predicates")]
    Predicates,
    #[token("data")]
    Data,
    #[token("process")]
    Process,
    #[token("registers")]
    Registers,
    #[token("text")]
    Text,
    #[token("macro")]
    Macro,
    #[token("endmacro")]
    EndMacro,
    #[token("nop")]
    Nop,
    #[token("assume")]
    Assume,
    #[token("read")]
    Read,
    #[token("write")]
    Write,
    #[token("locked")]
    Locked,
    #[token("slocked")]
    Slocked,
    #[token("syncwr")]
    SyncWrite,
    #[token("syncrd")]
    SyncRead,
    #[token("cas")]
    Cas,
    #[token("fence")]
    Fence,
    #[token("ssfence")]
    StoreFence,
    #[token("llfence")]
    LoadFence,
    #[token("either")]
    Either,
    #[token("or")]
    Or,
    #[token("if")]
    If,
    #[token("then")]
    Then,
    #[token("else")]
    Else,
    #[token("while")]
    While,
    #[token("do")]
    Do,
    #[token("goto")]
    Goto,
    #[token("true")]
    True,
    #[token("false")]
    False,
    #[token("not")]
    Not,
    #[token("my")]
    My,
    #[token("me")]
    Me,
    #[token("other")]
    Other,
    /// A label, variable, macro or parameter; also the domain `Z`.
    #[regex("[A-Za-z_][A-Za-z0-9_]*")]
    Name,
    #[regex(r"\$[A-Za-z0-9_]+")]
    Register,
    #[regex("[0-9]+")]
    Number,
    #[token("(")]
    OpenParen,
    #[token(")")]
    CloseParen,
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
    #[token(":=")]
    Becomes,
    #[token("*")]
    Star,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("@")]
    At,
    #[token("&&")]
    AndAnd,
    #[token("||")]
    OrOr,
    #[token("=")]
    Equal,
    #[token("!=")]
    NotEqual,
    #[token("<")]
    Less,
    #[token(">")]
    Greater,
    #[token("<=")]
    LessEqual,
    #[token(">=")]
    GreaterEqual,
    /// Part of no program; a token so that the message can say how equality is written.
    #[token("==")]
    DoubleEqual,
    /// A place that has been complained about: stray characters, a macro call that could not be expanded.
    Bad,
    /// The end of the text.
    End,
}

impl Kind {
    /// Whether it begins a section: where the parser goes on after an error it cannot get over otherwise.
    pub(super) fn begins_section(self) -> bool {
        use Kind::*;
        matches!(self, Forbidden | Predicates | Data | Process | Registers | Text)
    }
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

/// The tokens of a text, with what is wrong with it.
pub(super) fn lex(file: FileId, text: &str, problems: &mut Vec<Diagnostic>) -> Vec<Token> {
    let token = |kind, span: std::ops::Range<usize>| Token {
        kind,
        place: Place { span: Span::new(file, span.start, span.end), frame: FrameId::ROOT },
    };
    let mut tokens: Vec<Token> = Vec::new();
    let mut stray: Option<std::ops::Range<usize>> = None;
    let mut lexer = Kind::lexer(text);
    loop {
        let next = lexer.next();
        let span = lexer.span();
        if let Some(run) = stray.clone() {
            if next == Some(Err(LexError::Stray)) && span.start == run.end {
                stray = Some(run.start..span.end);
                continue;
            }
            problems.push(stray_characters(file, text, run.clone()));
            tokens.push(token(Kind::Bad, run));
            stray = None;
        }
        match next {
            Some(Ok(kind)) => tokens.push(token(kind, span)),
            Some(Err(LexError::Stray)) => stray = Some(span),
            Some(Err(LexError::OpenComment)) => {
                let open = Span::new(file, span.start, span.start + 2);
                problems.push(
                    Diagnostic::error(&codes::OPEN_COMMENT, open, "this comment has no end")
                        .label("the comment begins here")
                        .help("close it with `*/`"),
                );
                tokens.push(token(Kind::Bad, span));
            }
            None => break,
        }
    }
    tokens.push(token(Kind::End, text.len()..text.len()));
    tokens
}

fn stray_characters(file: FileId, text: &str, run: std::ops::Range<usize>) -> Diagnostic {
    let characters = &text[run.clone()];
    let help = match characters {
        "$" => Some("a register is `$` and a name, such as `$r0`"),
        "&" => Some("`and` is written `&&`"),
        "|" => Some("`or` is written `||`"),
        "!" => Some("negation is written `not`, and inequality `!=`"),
        _ => None,
    };
    let few: String = characters.chars().take(20).flat_map(char::escape_debug).collect();
    let more = if characters.chars().count() > 20 { "…" } else { "" };
    let message = format!("`{few}{more}` is no part of the language");
    let problem = Diagnostic::error(&codes::STRAY, Span::new(file, run.start, run.end), message)
        .label("expected a name, a number, or an operator");
    match help {
        Some(help) => problem.help(help),
        None => problem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> (Vec<Kind>, Vec<String>) {
        let mut problems = Vec::new();
        let tokens = lex(FileId(0), text, &mut problems);
        let show =
            |d: Diagnostic| format!("{} {}..{}", d.code.name, d.primary.span.start, d.primary.span.end);
        (tokens.iter().map(|token| token.kind).collect(), problems.into_iter().map(show).collect())
    }

    #[test]
    fn longest_match_and_keywords() {
        use Kind::*;
        let (found, problems) = kinds("L0: $r0:=-12 locked lockedx my<=@1==!=");
        let expected = [
            Name,
            Colon,
            Register,
            Becomes,
            Minus,
            Number,
            Locked,
            Name,
            My,
            LessEqual,
            At,
            Number,
            DoubleEqual,
            NotEqual,
            End,
        ];
        assert_eq!(found, expected);
        assert_eq!(problems, [""; 0]);
    }

    #[test]
    fn comments_separate() {
        use Kind::*;
        let (found, problems) = kinds("a/* x *//**/b // c\n d /* e\n*/");
        assert_eq!(found, [Name, Name, Name, End]);
        assert_eq!(problems, [""; 0]);
    }

    #[test]
    fn what_is_no_token_is_reported_once_a_run() {
        use Kind::*;
        assert_eq!(
            kinds("a #~ü b !"),
            (vec![Name, Bad, Name, Bad, End], vec!["E0101 2..6".into(), "E0101 9..10".into()])
        );
        assert_eq!(kinds("a /* b"), (vec![Name, Bad, End], vec!["E0102 2..4".into()]));
        assert_eq!(kinds("/*/"), (vec![Bad, End], vec!["E0102 0..2".into()]));
        assert_eq!(kinds(""), (vec![End], vec![]));
    }
}
