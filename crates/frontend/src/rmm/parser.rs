//! Tokens to tree, by recursive descent. This file holds the machinery and the sections of a file; statements and
//! expressions are parsed in files of their own.
//!
//! *Contract:* the parser always ends with a tree. After an error in a statement it goes on at the next `;`, `}`, `or`
//! or section keyword; after an error in a declaration at the next declaration or section keyword; so one run reports
//! many errors. Of several errors at one token the first is reported, and none at a [`Kind::Bad`] token, which has
//! been reported already. Nesting deeper than [`MAX_DEPTH`] is reported and ends the parsing.

mod expressions;
mod statements;

use fencewright_base::{Code, Diagnostic, Int};

use super::ast::{Alternative, Declaration, File, Name, Process};
use super::codes;
use super::frames::{Frames, Place};
use super::lexer::{Kind, Token};

/// How deep statements and expressions may nest. An operand of a long sum counts as one level, too, because the tree
/// of a sum leans to the left.
const MAX_DEPTH: u32 = 200;

/// The tree of a file; what is wrong with it is added to `problems`.
pub(super) fn parse(text: &str, tokens: &[Token], frames: &Frames, problems: &mut Vec<Diagnostic>) -> File {
    let mut parser =
        Parser { text, tokens, frames, problems, position: 0, depth: 0, n_statements: 0, last_error: None };
    parser.file()
}

/// An error that has been reported.
#[derive(Debug)]
struct Reported;

type Parsed<T> = Result<T, Reported>;

struct Parser<'a> {
    text: &'a str,
    /// The last one is [`Kind::End`].
    tokens: &'a [Token],
    frames: &'a Frames,
    problems: &'a mut Vec<Diagnostic>,
    position: usize,
    depth: u32,
    n_statements: u32,
    /// Where the last error was.
    last_error: Option<usize>,
}

impl Parser<'_> {
    fn token(&self) -> Token {
        self.tokens[self.position]
    }

    fn kind(&self) -> Kind {
        self.token().kind
    }

    fn kind_ahead(&self, n: usize) -> Kind {
        self.tokens[(self.position + n).min(self.tokens.len() - 1)].kind
    }

    fn text_of(&self, token: Token) -> &str {
        &self.text[token.place.span.start as usize..token.place.span.end as usize]
    }

    /// The token here, and goes on behind it; never past the end.
    fn advance(&mut self) -> Token {
        let token = self.token();
        if token.kind != Kind::End {
            self.position += 1;
        }
        token
    }

    fn eat(&mut self, kind: Kind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.advance();
        }
        found
    }

    /// What the tokens from `start` up to here stand for.
    fn place_from(&self, start: usize) -> Place {
        let end = self.position.max(start + 1);
        let first = self.tokens[start].place;
        self.tokens[start..end].iter().fold(first, |place, token| self.frames.join(place, token.place))
    }

    /// Reports an error at the token here, unless it has been complained about.
    fn report(&mut self, problem: Diagnostic) -> Reported {
        if self.last_error != Some(self.position) && self.kind() != Kind::Bad {
            self.problems.push(self.frames.explain(problem, self.token().place));
        }
        self.last_error = Some(self.position);
        Reported
    }

    fn found(&self) -> String {
        match self.kind() {
            Kind::End => "the end of the file".to_owned(),
            _ => format!("`{}`", self.text_of(self.token())),
        }
    }

    /// Reports that the token here is not what is wanted.
    fn expected(&mut self, wanted: &str, help: Option<&str>) -> Reported {
        let help = match self.kind() {
            Kind::DoubleEqual => Some("equality is written `=`"),
            _ => help,
        };
        let span = self.token().place.span;
        let problem =
            Diagnostic::error(&codes::SYNTAX, span, format!("expected {wanted}, found {}", self.found()))
                .label(format!("expected {wanted}"));
        self.report(match help {
            Some(help) => problem.help(help),
            None => problem,
        })
    }

    fn expect(&mut self, kind: Kind, wanted: &str) -> Parsed<Token> {
        if self.kind() == kind { Ok(self.advance()) } else { Err(self.expected(wanted, None)) }
    }

    /// The closing bracket of the one at `open`.
    fn expect_closing(&mut self, kind: Kind, wanted: &str, open: Token, help: Option<&str>) -> Parsed<()> {
        if self.eat(kind) {
            return Ok(());
        }
        let before = self.problems.len();
        let reported = self.expected(wanted, help);
        if let Some(problem) = self.problems.get_mut(before) {
            *problem = problem.clone().also(open.place.span, "opened here");
        }
        Err(reported)
    }

    /// One level deeper. Give it back with [`leave`](Self::leave).
    fn enter(&mut self) -> Parsed<()> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.depth += 1;
        Ok(())
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Reports too deep nesting and ends the parsing: everything that follows would be guesswork.
    fn too_deep(&mut self) -> Reported {
        let problem = Diagnostic::error(
            &codes::NESTING,
            self.token().place.span,
            format!("nested deeper than {MAX_DEPTH} levels"),
        )
        .help("split the expression with a register, or the statement with `goto`");
        let reported = self.report(problem);
        self.position = self.tokens.len() - 1;
        self.last_error = Some(self.position);
        reported
    }

    fn name(&mut self, wanted: &str) -> Parsed<Name> {
        let token = self.expect(Kind::Name, wanted)?;
        Ok(self.name_of(token))
    }

    fn name_of(&self, token: Token) -> Name {
        Name { text: self.text_of(token).to_owned(), place: token.place }
    }

    fn number(&mut self, wanted: &str) -> Parsed<(Int, Place)> {
        let token = self.expect(Kind::Number, wanted)?;
        Ok((self.int_of(token), token.place))
    }

    fn int_of(&self, token: Token) -> Int {
        // A number token is all digits; if it were not, 0 would be a harmless answer.
        self.text_of(token).parse().unwrap_or(Int::ZERO)
    }

    fn signed_number(&mut self, wanted: &str) -> Parsed<Int> {
        if self.kind() == Kind::Minus && self.kind_ahead(1) == Kind::Number {
            self.advance();
            return Ok(self.number(wanted)?.0.neg());
        }
        Ok(self.number(wanted)?.0)
    }

    fn section_error(&mut self, code: &'static Code, message: &str, help: &str) {
        let problem = Diagnostic::error(code, self.token().place.span, message).help(help);
        self.report(problem);
    }

    fn skip_to_section(&mut self) {
        while self.kind() != Kind::End && !self.kind().begins_section() {
            self.advance();
        }
    }

    fn file(&mut self) -> File {
        let order = "a file is `forbidden`, then `predicates` if any, then `data` if any, then processes";
        let mut file = File::default();
        // The last section seen, as its rank in the order.
        let mut last = None;
        let has_forbidden = self.tokens.iter().any(|token| token.kind == Kind::Forbidden);
        if !has_forbidden && self.kind() != Kind::Bad {
            let message = format!("expected `forbidden`, found {}", self.found());
            let problem = Diagnostic::error(&codes::SECTION, self.token().place.span, message).help(
                "begin with `forbidden` and one label per process: the places they must not be at together",
            );
            self.problems.push(self.frames.explain(problem, self.token().place));
        }
        loop {
            let kind = self.kind();
            let rank = match kind {
                Kind::Forbidden => 0,
                Kind::Predicates => 1,
                Kind::Data => 2,
                Kind::Process => 3,
                Kind::End => break,
                Kind::Registers | Kind::Text => {
                    self.section_error(
                        &codes::SECTION,
                        &format!("{} outside a process", self.found()),
                        "registers and text belong to a process: write `process` before them",
                    );
                    self.advance();
                    self.skip_to_section();
                    continue;
                }
                _ => {
                    self.expected("a section or the end of the file", Some(order));
                    self.skip_to_section();
                    continue;
                }
            };
            if last > Some(rank) || (last == Some(rank) && kind != Kind::Process) {
                self.section_error(
                    &codes::SECTION,
                    &format!("{} comes too late or twice", self.found()),
                    order,
                );
            }
            last = last.max(Some(rank));
            let keyword = self.advance();
            let parsed = match kind {
                Kind::Forbidden => self.forbidden(&mut file.forbidden),
                Kind::Predicates => self.predicates(),
                Kind::Data => {
                    self.declarations(Kind::Name, "a variable", &mut file.globals);
                    Ok(())
                }
                _ => {
                    let process = self.process(keyword);
                    file.processes.extend(process);
                    Ok(())
                }
            };
            if parsed.is_err() {
                self.skip_to_section();
            }
        }
        // A macro that could not be expanded may have been a process; of an empty file enough has been said.
        if self.tokens.len() > 1
            && file.processes.is_empty()
            && self.tokens.iter().all(|token| !matches!(token.kind, Kind::Process | Kind::Bad))
        {
            self.section_error(&codes::SECTION, "there is no process", "add `process text` and statements");
        }
        file
    }

    fn forbidden(&mut self, alternatives: &mut Vec<Alternative>) -> Parsed<()> {
        loop {
            let start = self.position;
            let mut labels = Vec::new();
            while matches!(self.kind(), Kind::Name | Kind::Star) {
                let token = self.advance();
                labels.push((token.kind == Kind::Name).then(|| self.name_of(token)));
            }
            if labels.is_empty() {
                return Err(
                    self.expected("a label or `*`", Some("name one label per process, in their order"))
                );
            }
            alternatives.push(Alternative { labels, place: self.place_from(start) });
            if !self.eat(Kind::Semicolon) || self.kind().begins_section() {
                return Ok(());
            }
        }
    }

    /// Hints for predicate abstraction: they must be conditions, and are dropped.
    fn predicates(&mut self) -> Parsed<()> {
        loop {
            self.condition()?;
            if !self.eat(Kind::Semicolon) || self.kind().begins_section() {
                return Ok(());
            }
        }
    }

    /// Declarations of one kind, at least one, up to the first token that begins none.
    fn declarations(&mut self, kind: Kind, what: &str, declarations: &mut Vec<Declaration>) {
        if self.kind() != kind {
            self.expected(
                &format!("{what} and its initial value"),
                Some("such as `x = 0 : [0:1]`, or `$r = *`"),
            );
        }
        while !self.begins_text() {
            if self.kind() == kind {
                match self.declaration() {
                    Ok(declaration) => declarations.push(declaration),
                    Err(Reported) => {
                        while self.kind() != Kind::End
                            && !self.kind().begins_section()
                            && !(self.kind() == kind && self.kind_ahead(1) == Kind::Equal)
                        {
                            self.advance();
                        }
                    }
                }
                self.eat(Kind::Comma);
            } else if self.kind() == Kind::End || self.kind().begins_section() {
                return;
            } else {
                self.expected(
                    &format!("{what} or the next section"),
                    Some("such as `x = 0 : [0:1]`, or `$r = *`"),
                );
                self.advance();
                while self.kind() != Kind::End && !self.kind().begins_section() && self.kind() != kind {
                    self.advance();
                }
            }
        }
    }

    /// Whether a statement begins here that no declaration begins like: then `text` is missing.
    fn begins_text(&self) -> bool {
        match self.kind() {
            Kind::Register => self.kind_ahead(1) == Kind::Becomes,
            // `x : [0:1]` is a declaration without its initial value.
            Kind::Name => self.at_statement() && self.kind_ahead(2) != Kind::OpenBracket,
            _ => self.at_statement(),
        }
    }

    fn declaration(&mut self) -> Parsed<Declaration> {
        let start = self.position;
        let name = self.advance();
        let name = self.name_of(name);
        self.expect(Kind::Equal, "`=` and the initial value")?;
        let value = self.position;
        let init = if self.eat(Kind::Star) { None } else { Some(self.signed_number("a number or `*`")?) };
        let init_place = self.place_from(value);
        let mut range = None;
        if self.eat(Kind::Colon) {
            let domain = self.position;
            let is_integers = self.kind() == Kind::Name && self.text_of(self.token()) == "Z";
            if is_integers {
                self.advance();
            } else {
                let open = self.expect(Kind::OpenBracket, "a domain: `[lowest:highest]` or `Z`")?;
                let low = self.signed_number("the lowest value")?;
                self.expect(Kind::Colon, "`:` and the highest value")?;
                let high = self.signed_number("the highest value")?;
                self.expect_closing(Kind::CloseBracket, "`]`", open, None)?;
                range = Some((low, high, self.place_from(domain)));
            }
        }
        Ok(Declaration { name, init, init_place, range, place: self.place_from(start) })
    }

    fn process(&mut self, keyword: Token) -> Option<Process> {
        let mut process = Process {
            copies: None,
            data: Vec::new(),
            registers: Vec::new(),
            text: Vec::new(),
            keyword: keyword.place,
        };
        if self.kind() == Kind::OpenParen {
            match self.copies() {
                Ok(copies) => process.copies = Some(copies),
                Err(Reported) => self.skip_to_section(),
            }
        }
        let (mut data, mut registers) = (false, false);
        loop {
            let again = match self.kind() {
                Kind::Data => std::mem::replace(&mut data, true),
                Kind::Registers => std::mem::replace(&mut registers, true),
                _ => break,
            };
            if again {
                let message = format!("{} twice in one process", self.found());
                self.section_error(&codes::SECTION, &message, "put all its entries under the first");
            }
            if self.advance().kind == Kind::Data {
                self.declarations(Kind::Name, "a variable", &mut process.data);
            } else {
                self.declarations(Kind::Register, "a register", &mut process.registers);
            }
        }
        if self.kind() != Kind::Text {
            let message = format!("this process has no `text`: found {}", self.found());
            self.section_error(&codes::NO_TEXT, &message, "write `text` before the first statement");
            if self.kind().begins_section() || self.kind() == Kind::End {
                return None;
            }
        } else {
            self.advance();
        }
        process.text = self.process_text();
        Some(process)
    }

    /// `(n)`
    fn copies(&mut self) -> Parsed<(Int, Place)> {
        let open = self.advance();
        let copies = self.number("the number of copies")?;
        self.expect_closing(Kind::CloseParen, "`)`", open, None)?;
        Ok(copies)
    }
}
