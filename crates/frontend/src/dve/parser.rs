//! Tokens to tree, by recursive descent. This file holds the machinery, declarations and processes; expressions are
//! parsed in a file of their own.
//!
//! *Contract:* the parser always ends with a tree. After an error it goes on behind the transition, the declaration or
//! the process, so one run reports several. None is reported at a [`Kind::Bad`] token, which has been reported already.

mod expressions;

use fencewright_base::{Diagnostic, Span};

use super::ast::{
    Assignment, ChannelDeclaration, Declaration, Expr, Model, Name, Place, Process, SyncKind,
    Synchronisation, System, Transition, Type,
};
use super::codes;
use super::lexer::{Kind, Token};

/// How deep expressions may nest. An operand of a long sum counts as one level, too.
const MAX_DEPTH: u32 = 200;

/// The tree of a file; what is wrong with it is added to `problems`.
pub(super) fn parse(text: &str, tokens: &[Token], problems: &mut Vec<Diagnostic>) -> Model {
    Parser { text, tokens, problems, position: 0, depth: 0, last_error: None }.file()
}

/// An expression that is the whole text.
pub(super) fn parse_expression(text: &str, tokens: &[Token], problems: &mut Vec<Diagnostic>) -> Option<Expr> {
    let mut parser = Parser { text, tokens, problems, position: 0, depth: 0, last_error: None };
    let expr = parser.expression().ok()?;
    parser.expect(Kind::End, "the end of the expression").ok()?;
    Some(expr)
}

/// An error that has been reported.
#[derive(Debug)]
struct Reported;

type Parsed<T> = Result<T, Reported>;

struct Parser<'a> {
    text: &'a str,
    /// The last one is [`Kind::End`].
    tokens: &'a [Token],
    problems: &'a mut Vec<Diagnostic>,
    position: usize,
    depth: u32,
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

    fn text_of(&self, token: Token) -> &str {
        &self.text[token.span.start as usize..token.span.end as usize]
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

    fn expect(&mut self, kind: Kind, what: &str) -> Parsed<Token> {
        if self.kind() == kind { Ok(self.advance()) } else { self.expected(what) }
    }

    fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        let token = self.token();
        if self.last_error != Some(self.position) && token.kind != Kind::Bad {
            let found = match token.kind {
                Kind::End => "the end of the file".to_owned(),
                _ => format!("`{}`", self.text_of(token)),
            };
            let message = format!("expected {what}, found {found}");
            self.problems.push(
                Diagnostic::error(&codes::SYNTAX, token.span, message).label(format!("expected {what}")),
            );
        }
        self.last_error = Some(self.position);
        Err(Reported)
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.expect(Kind::Name, what)?;
        Ok(Name { text: self.text_of(token).to_owned(), span: token.span })
    }

    fn names(&mut self, what: &str) -> Parsed<Vec<Name>> {
        let mut names = vec![self.name(what)?];
        while self.eat(Kind::Comma) {
            names.push(self.name(what)?);
        }
        self.expect(Kind::Semicolon, "`,` or `;`")?;
        Ok(names)
    }

    /// Goes on behind the next `;`, or before the next of these.
    fn recover(&mut self, stop: &[Kind]) {
        self.depth = 0;
        loop {
            match self.kind() {
                Kind::End => return,
                kind if stop.contains(&kind) => return,
                Kind::Semicolon => {
                    self.advance();
                    return;
                }
                _ => drop(self.advance()),
            }
        }
    }

    fn file(&mut self) -> Model {
        let mut model = Model::default();
        let sections = [Kind::Process, Kind::System];
        loop {
            let result = match self.kind() {
                Kind::Const | Kind::Byte | Kind::Int => self.declaration(&mut model.variables),
                Kind::Channel => self.channels(&mut model.channels),
                Kind::Process => match self.process() {
                    Ok(process) => {
                        model.processes.push(process);
                        Ok(())
                    }
                    Err(Reported) => {
                        while !matches!(self.kind(), Kind::Process | Kind::System | Kind::End) {
                            self.advance();
                        }
                        Ok(())
                    }
                },
                Kind::System => match self.system() {
                    Ok(system) => {
                        model.system = Some(system);
                        if self.kind() != Kind::End {
                            let _ = self.expected::<()>("nothing behind `system`");
                        }
                        return model;
                    }
                    Err(Reported) => return model,
                },
                Kind::End => {
                    if self.problems.is_empty() {
                        let _ = self.expected::<()>("`system async;` at the end");
                    }
                    return model;
                }
                _ => self.expected("a declaration, `process` or `system`"),
            };
            if result.is_err() {
                self.recover(&sections);
            }
        }
    }

    fn system(&mut self) -> Parsed<System> {
        let start = self.advance().span;
        let synchronous = match self.kind() {
            Kind::Async => false,
            Kind::Sync => true,
            _ => return self.expected("`async` or `sync`"),
        };
        self.advance();
        let property =
            if self.eat(Kind::Property) { Some(self.name("the name of a process")?) } else { None };
        let end = self.expect(Kind::Semicolon, "`;`")?.span;
        Ok(System { synchronous, property, span: start.to(end) })
    }

    fn ty(&mut self) -> Parsed<Type> {
        match self.kind() {
            Kind::Byte => {
                self.advance();
                Ok(Type::Byte)
            }
            Kind::Int => {
                self.advance();
                Ok(Type::Int)
            }
            _ => self.expected("`byte` or `int`"),
        }
    }

    fn declaration(&mut self, declarations: &mut Vec<Declaration>) -> Parsed<()> {
        let is_const = self.eat(Kind::Const);
        let ty = self.ty()?;
        loop {
            let name = self.name("the name of a variable")?;
            let size = self.bracket()?;
            let mut init = Vec::new();
            let mut init_is_list = false;
            if self.eat(Kind::Assign) {
                if self.eat(Kind::OpenBrace) {
                    init_is_list = true;
                    loop {
                        init.push(self.expression()?);
                        if !self.eat(Kind::Comma) {
                            break;
                        }
                    }
                    self.expect(Kind::CloseBrace, "`,` or `}`")?;
                } else {
                    init.push(self.expression()?);
                }
            }
            declarations.push(Declaration { name, ty, is_const, size, init, init_is_list });
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        self.expect(Kind::Semicolon, "`,` or `;`")?;
        Ok(())
    }

    /// `[e]`, if it is there.
    fn bracket(&mut self) -> Parsed<Option<Expr>> {
        if !self.eat(Kind::OpenBracket) {
            return Ok(None);
        }
        let expr = self.expression()?;
        self.expect(Kind::CloseBracket, "`]`")?;
        Ok(Some(expr))
    }

    fn channels(&mut self, channels: &mut Vec<ChannelDeclaration>) -> Parsed<()> {
        self.advance();
        let types = if self.eat(Kind::OpenBrace) {
            let mut types = vec![self.ty()?];
            while self.eat(Kind::Comma) {
                types.push(self.ty()?);
            }
            self.expect(Kind::CloseBrace, "`,` or `}`")?;
            Some(types)
        } else {
            None
        };
        loop {
            let name = self.name("the name of a channel")?;
            let capacity = self.bracket()?;
            channels.push(ChannelDeclaration { name, types: types.clone(), capacity });
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        self.expect(Kind::Semicolon, "`,` or `;`")?;
        Ok(())
    }

    fn process(&mut self) -> Parsed<Process> {
        self.advance();
        let name = self.name("the name of a process")?;
        self.expect(Kind::OpenBrace, "`{`")?;
        let mut process = Process {
            name,
            variables: Vec::new(),
            states: Vec::new(),
            init: None,
            commit: Vec::new(),
            accept: Vec::new(),
            asserts: Vec::new(),
            transitions: Vec::new(),
        };
        let stop = [Kind::CloseBrace, Kind::Process, Kind::System, Kind::Trans, Kind::State, Kind::Init];
        loop {
            let result = match self.kind() {
                Kind::Const | Kind::Byte | Kind::Int => self.declaration(&mut process.variables),
                Kind::State => {
                    self.advance();
                    self.names("the name of a state").map(|names| process.states.extend(names))
                }
                Kind::Init => {
                    self.advance();
                    self.init(&mut process)
                }
                Kind::Commit => {
                    self.advance();
                    self.names("the name of a state").map(|names| process.commit.extend(names))
                }
                Kind::Accept => {
                    self.advance();
                    self.names("the name of a state").map(|names| process.accept.extend(names))
                }
                Kind::Assert => {
                    self.advance();
                    self.asserts(&mut process)
                }
                Kind::Trans => {
                    self.advance();
                    self.transitions(&mut process)
                }
                Kind::CloseBrace => {
                    self.advance();
                    return Ok(process);
                }
                _ => {
                    return self.expected(
                        "`state`, `init`, `commit`, `accept`, `assert`, `trans`, a declaration or `}`",
                    );
                }
            };
            if result.is_err() {
                self.recover(&stop);
            }
        }
    }

    fn init(&mut self, process: &mut Process) -> Parsed<()> {
        process.init = Some(self.name("the name of a state")?);
        self.expect(Kind::Semicolon, "`;`")?;
        Ok(())
    }

    fn asserts(&mut self, process: &mut Process) -> Parsed<()> {
        loop {
            let state = self.name("the name of a state")?;
            self.expect(Kind::Colon, "`:`")?;
            process.asserts.push((state, self.expression()?));
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        self.expect(Kind::Semicolon, "`,` or `;`")?;
        Ok(())
    }

    fn transitions(&mut self, process: &mut Process) -> Parsed<()> {
        let mut from: Option<Name> = None;
        while !matches!(self.kind(), Kind::Semicolon | Kind::CloseBrace) {
            match self.transition(from.as_ref()) {
                Ok(transition) => {
                    from = Some(transition.from.clone());
                    process.transitions.push(transition);
                }
                Err(Reported) => {
                    self.depth = 0;
                    let ends = [Kind::CloseBrace, Kind::Process, Kind::System, Kind::End];
                    while !ends.contains(&self.kind()) {
                        self.advance();
                    }
                    if !self.eat(Kind::CloseBrace) {
                        return Err(Reported);
                    }
                }
            }
            // DiVinE lets the comma be left out.
            if !self.eat(Kind::Comma) && !matches!(self.kind(), Kind::Name | Kind::Arrow) {
                break;
            }
        }
        // And the semicolon, if nothing follows.
        if self.kind() != Kind::CloseBrace {
            self.expect(Kind::Semicolon, "`,` or `;`")?;
        }
        Ok(())
    }

    fn transition(&mut self, before: Option<&Name>) -> Parsed<Transition> {
        let start = self.token().span;
        let from = match (self.kind(), before) {
            // The source may be left out: it is that of the transition before.
            (Kind::Arrow, Some(before)) => before.clone(),
            _ => self.name("the state a transition starts from")?,
        };
        self.expect(Kind::Arrow, "`->`")?;
        let to = self.name("the state a transition leads to")?;
        self.expect(Kind::OpenBrace, "`{`")?;
        let mut guard = Vec::new();
        if self.eat(Kind::Guard) {
            guard.push(self.expression()?);
            while self.eat(Kind::Comma) {
                guard.push(self.expression()?);
            }
            self.expect(Kind::Semicolon, "`,` or `;`")?;
        }
        let mut sync = None;
        if self.kind() == Kind::Sync {
            sync = Some(self.synchronisation()?);
        }
        let mut effects = Vec::new();
        if self.eat(Kind::Effect) {
            loop {
                let place = self.place()?;
                self.expect(Kind::Assign, "`=`")?;
                effects.push(Assignment { place, value: self.expression()? });
                if !self.eat(Kind::Comma) {
                    break;
                }
            }
            self.expect(Kind::Semicolon, "`,` or `;`")?;
        }
        let end = self.expect(Kind::CloseBrace, "`guard`, `sync`, `effect`, in this order, or `}`")?.span;
        Ok(Transition { from, to, guard, sync, effects, span: start.to(end) })
    }

    fn synchronisation(&mut self) -> Parsed<Synchronisation> {
        let start = self.advance().span;
        let channel = self.name("the name of a channel")?;
        let kind = match self.kind() {
            Kind::Exclamation => {
                self.advance();
                SyncKind::Send(self.messages(Self::expression)?)
            }
            Kind::Question => {
                self.advance();
                SyncKind::Receive(self.messages(Self::place)?)
            }
            _ => return self.expected("`!` or `?`"),
        };
        let end = self.expect(Kind::Semicolon, "`;`")?.span;
        let span: Span = start.to(end);
        Ok(Synchronisation { channel, kind, span })
    }

    /// Nothing, one thing, or several in braces.
    fn messages<T>(&mut self, one: fn(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        if self.kind() == Kind::Semicolon {
            return Ok(Vec::new());
        }
        if !self.eat(Kind::OpenBrace) {
            return Ok(vec![one(self)?]);
        }
        let mut all = vec![one(self)?];
        while self.eat(Kind::Comma) {
            all.push(one(self)?);
        }
        self.expect(Kind::CloseBrace, "`,` or `}`")?;
        Ok(all)
    }

    fn place(&mut self) -> Parsed<Place> {
        let name = self.name("a variable")?;
        Ok(Place { name, index: self.bracket()? })
    }
}
