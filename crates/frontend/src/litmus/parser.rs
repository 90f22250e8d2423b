//! The text of a litmus test to its tree. A mistake in one entry of the initial state or one cell of the table does not
//! hide those in others: the parser goes on at the next `;` or `|`. The tree it gives is complete only if no error was
//! reported.
//!
//! The first line is `X86 name` or `X86_64 name`; an alternative name in parentheses and a quoted text may follow. What
//! stands between it and the `{` of the initial state (quoted text, `Key=Value` lines, comments) has no meaning.

use fencewright_base::{Diagnostic, FileId, SourceMap, Span};

use super::ast::*;
use super::lexer::{self, Token, TokenKind};
use super::{codes, condition, init, instructions};

/// The tree, or nothing if so little of the text could be understood that there is none.
pub(super) fn parse(sources: &SourceMap, file: FileId, diagnostics: &mut Vec<Diagnostic>) -> Option<Test> {
    let source = sources.file(file);
    let header = header(source.text(), source.name(), file, diagnostics)?;
    let tokens = lexer::tokens(source.text(), file, header.end, diagnostics);
    let mut parser = Parser { tokens: &tokens, at: 0, dialect: header.dialect, diagnostics };
    let init = init::entries(&mut parser)?;
    parser.take(";");
    let (threads, rows) = parser.table()?;
    let rest = condition::conditions(&mut parser);
    let condition::Conditions { locations, filter, condition } = rest?;
    Some(Test {
        name: header.name,
        dialect: header.dialect,
        init,
        threads,
        rows,
        locations,
        filter,
        condition,
    })
}

struct Header {
    dialect: Dialect,
    name: String,
    /// Where the `{` of the initial state stands.
    end: usize,
}

/// Reads the first line, and skips to the initial state.
fn header(text: &str, file_name: &str, file: FileId, diagnostics: &mut Vec<Diagnostic>) -> Option<Header> {
    let start = skip_blank(text, 0);
    let word = |from: usize, ends: &dyn Fn(char) -> bool| {
        let len = text[from..].find(|c: char| c.is_whitespace() || ends(c)).unwrap_or(text.len() - from);
        from..from + len
    };
    let arch = word(start, &|c| matches!(c, '{' | '"' | '(' | ';'));
    let arch_span = Span::new(file, arch.start, arch.end);
    let first_line = |span, message: &str| {
        Diagnostic::error(&codes::HEADER, span, message)
            .label("expected the architecture and a name, as in `X86 SB`")
            .help("the first line of a litmus test is `X86 name` or `X86_64 name`")
    };
    if arch.is_empty() {
        diagnostics.push(first_line(arch_span, "the test does not begin with its architecture"));
        return None;
    }
    let dialect = match text[arch.clone()].to_ascii_uppercase().as_str() {
        "X86" => Dialect::Intel32,
        "X86_64" => Dialect::Att64,
        other => {
            let known = [
                "AARCH64", "ARM", "PPC", "RISCV", "MIPS", "C", "CPP", "LISA", "BELL", "JAVA", "ASL", "BPF",
                "PTX", "VULKAN", "LKMM",
            ];
            diagnostics.push(if known.contains(&other) {
                Diagnostic::error(
                    &codes::ARCHITECTURE,
                    arch_span,
                    format!("tests for `{other}` are not supported"),
                )
                .label("expected `X86` or `X86_64`")
            } else {
                first_line(arch_span, "the test does not begin with its architecture")
            });
            return None;
        }
    };
    let blanks = text[arch.end..].len() - text[arch.end..].trim_start_matches([' ', '\t', '\r']).len();
    let name = word(arch.end + blanks, &|c| matches!(c, '{' | '"' | '(' | ';'));
    if name.is_empty() {
        diagnostics.push(first_line(Span::new(file, name.start, name.end), "the test has no name"));
        return None;
    }
    // `--` asks for the name of the file.
    let name_text = match &text[name.clone()] {
        "--" => {
            let base = file_name.rsplit(['/', '\\']).next().unwrap_or(file_name);
            base.strip_suffix(".litmus").unwrap_or(base).to_owned()
        }
        other => other.to_owned(),
    };
    match find_init(text, name.end) {
        Some(end) => Some(Header { dialect, name: name_text, end }),
        None => {
            let end = Span::new(file, text.len(), text.len());
            diagnostics.push(
                Diagnostic::error(&codes::INIT, end, "the test has no initial state")
                    .label("expected `{`")
                    .help("write `{ }` if everything starts at 0"),
            );
            None
        }
    }
}

/// White space and comments before the first line are nothing.
fn skip_blank(text: &str, mut at: usize) -> usize {
    loop {
        let rest = text[at..].trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        at = text.len() - rest.len();
        match rest.starts_with("(*").then(|| lexer::comment_end(text, at)).flatten() {
            Some(end) => at = end,
            None => return at,
        }
    }
}

/// The `{` that begins the initial state: not one in a comment, in quotes, or in a `Key=Value` line.
fn find_init(text: &str, mut at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut line_start = false;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'{' => return Some(at),
            b'(' if bytes.get(at + 1) == Some(&b'*') => at = lexer::comment_end(text, at)?,
            b'"' => at = text[at + 1..].find('"').map_or(at + 1, |len| at + len + 2),
            b'\n' => {
                line_start = true;
                at += 1;
                continue;
            }
            _ if line_start && byte.is_ascii_alphabetic() => {
                let line_len = text[at..].find('\n').unwrap_or(text.len() - at);
                let line = &text[at..at + line_len];
                let key =
                    line.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '/' | '.' | '-')));
                let is_key =
                    key.is_some_and(|end| line[end..].trim_start_matches([' ', '\t']).starts_with('='));
                at += if is_key { line_len } else { 1 };
            }
            _ => at += 1,
        }
        line_start = line_start && bytes.get(at).is_some_and(|b| matches!(b, b' ' | b'\t' | b'\r'));
    }
    None
}

/// A position in the tokens. The last token is `End` and is never passed.
pub(super) struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    dialect: Dialect,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Parser<'_> {
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    pub(super) fn peek(&self) -> &TokenKind {
        &self.tokens[self.at].kind
    }

    /// The token `ahead` of the next one; `End` past the end.
    pub(super) fn peek_at(&self, ahead: usize) -> &TokenKind {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)].kind
    }

    pub(super) fn here(&self) -> Span {
        self.tokens[self.at].span
    }

    /// The span of the token before the next one.
    pub(super) fn before(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    pub(super) fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    pub(super) fn is(&self, sign: &str) -> bool {
        matches!(self.peek(), TokenKind::Sign(s) if *s == sign)
    }

    pub(super) fn take(&mut self, sign: &str) -> bool {
        let there = self.is(sign);
        if there {
            self.advance();
        }
        there
    }

    /// Whether the next token is that word, in lower case or capitals.
    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), TokenKind::Name(name) if name.eq_ignore_ascii_case(word))
    }

    /// Whether the conditions begin here.
    fn at_conditions(&self) -> bool {
        ["locations", "filter", "exists", "forall", "final", "observed"].iter().any(|word| self.is_word(word))
            && !matches!(self.peek_at(1), TokenKind::Sign(":"))
            || self.is("~")
    }

    /// The table: the threads in the order of their numbers, and where the rows stand.
    fn table(&mut self) -> Option<(Vec<Vec<Cell>>, Vec<Row>)> {
        let mut rows = Vec::new();
        let numbers = self.table_head(&mut rows)?;
        let mut columns: Vec<Vec<Cell>> = numbers.iter().map(|_| Vec::new()).collect();
        while !matches!(self.peek(), TokenKind::End) && !self.at_conditions() {
            let row = self.row(&mut columns);
            rows.push(row);
        }
        let mut threads: Vec<(usize, Vec<Cell>)> = numbers.into_iter().zip(columns).collect();
        threads.sort_by_key(|(number, _)| *number);
        Some((threads.into_iter().map(|(_, cells)| cells).collect(), rows))
    }

    /// `P0 | P1 ;`: the numbers, which are a permutation of 0, 1, ….
    fn table_head(&mut self, rows: &mut Vec<Row>) -> Option<Vec<usize>> {
        let start = self.here();
        let mut numbers = Vec::new();
        let mut ends = Vec::new();
        loop {
            let number = match self.peek() {
                TokenKind::Name(name) => name.strip_prefix(['P', 'p']).and_then(|digits| digits.parse().ok()),
                _ => None,
            };
            let Some(number) = number else {
                let error = self
                    .table_error("this is not the head of the table")
                    .label("expected a thread such as `P0`");
                self.report(error.help("the head of the table names the threads: ` P0 | P1 ;`"));
                return None;
            };
            numbers.push(number);
            self.advance();
            ends.push(self.here());
            if !self.take("|") {
                break;
            }
        }
        if !self.take(";") {
            let error = self.table_error("the head of the table does not end").label("expected `|` or `;`");
            self.report(error);
            return None;
        }
        let mut sorted: Vec<usize> = numbers.clone();
        sorted.sort_unstable();
        if sorted.into_iter().ne(0..numbers.len()) {
            let span = start.to(self.before());
            self.report(
                Diagnostic::error(&codes::TABLE, span, "the threads are not P0, P1, … without a gap")
                    .label("expected each number from 0 on exactly once"),
            );
            return None;
        }
        rows.push(Row { start, ends });
        Some(numbers)
    }

    fn table_error(&self, message: &str) -> Diagnostic {
        Diagnostic::error(&codes::TABLE, self.here(), message)
    }

    /// One row, up to and with its `;`.
    fn row(&mut self, columns: &mut [Vec<Cell>]) -> Row {
        let mut row = Row { start: self.here(), ends: Vec::new() };
        let mut column = 0;
        let mut complained = false;
        loop {
            let start = self.here();
            if let Some(cell) = self.cell() {
                match columns.get_mut(column) {
                    Some(cells) => cells.push(cell),
                    None if complained => {}
                    None => {
                        complained = true;
                        let message = format!("this row has more cells than the {} threads", columns.len());
                        self.report(
                            Diagnostic::error(&codes::TABLE, start, message)
                                .label("expected `;` before this cell"),
                        );
                    }
                }
            }
            column += 1;
            row.ends.push(self.here());
            if self.take("|") {
                continue;
            }
            if !self.take(";") {
                // What ends a cell is `|`, `;`, the conditions or the end of the text: here it is one of the last two.
                let span = self.before().after();
                self.report(
                    Diagnostic::error(&codes::TABLE, span, "the last row of the table does not end")
                        .label("expected `;`"),
                );
            }
            return row;
        }
    }

    /// The labels and the instruction of one cell, up to the `|` or `;` behind it.
    fn cell(&mut self) -> Option<Cell> {
        let mut labels = Vec::new();
        while let (TokenKind::Name(name), TokenKind::Sign(":")) = (self.peek(), self.peek_at(1)) {
            labels.push((name.clone(), self.here()));
            self.advance();
            self.advance();
        }
        let mut lock = None;
        if self.is_word("lock") {
            lock = Some(self.here());
            self.advance();
            // `LOCK; INC [x]` has its semicolon inside the cell.
            self.take(";");
        }
        let start = self.at;
        while !(self.is("|") || self.is(";") || matches!(self.peek(), TokenKind::End) || self.at_conditions())
        {
            self.advance();
        }
        let tokens = &self.tokens[start..self.at];
        if tokens.is_empty() {
            if let Some(lock) = lock {
                self.report(
                    Diagnostic::error(&codes::LOCK, lock, "`LOCK` before nothing")
                        .label("expected an instruction behind it"),
                );
            }
            return (!labels.is_empty()).then_some(Cell { labels, instruction: None });
        }
        if tokens.iter().any(|token| token.kind == TokenKind::Unknown) {
            return None;
        }
        match instructions::instruction(self.dialect, lock, tokens) {
            Ok(instruction) => Some(Cell { labels, instruction: Some(instruction) }),
            Err(diagnostic) => {
                self.report(diagnostic);
                // The labels stay, so that jumps to them are not reported as well.
                (!labels.is_empty()).then_some(Cell { labels, instruction: None })
            }
        }
    }
}
