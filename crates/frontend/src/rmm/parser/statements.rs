//! Statements, and where the parser goes on when one is wrong.

use fencewright_base::Diagnostic;

use super::{Parsed, Parser};
use crate::rmm::ast::{Name, Statement, StatementKind, Strength};
use crate::rmm::codes;
use crate::rmm::lexer::{Kind, Token};

impl Parser<'_> {
    /// The statements of a process, up to the next section.
    pub(super) fn process_text(&mut self) -> Vec<Statement> {
        let mut text = self.statements();
        while matches!(self.kind(), Kind::CloseBrace | Kind::Or) {
            let message = format!("{} without its beginning", self.found());
            let problem = Diagnostic::error(&codes::SYNTAX, self.token().place.span, message);
            self.report(problem.help("there is no open `{` here that it could belong to"));
            self.advance();
            self.eat(Kind::Semicolon);
            if !self.at_list_end() {
                text.extend(self.statements());
            }
        }
        text
    }

    fn at_list_end(&self) -> bool {
        matches!(self.kind(), Kind::CloseBrace | Kind::Or | Kind::End) || self.kind().begins_section()
    }

    /// `s; s; s`, the last `;` being optional. Reports if there is none.
    fn statements(&mut self) -> Vec<Statement> {
        let mut list = Vec::new();
        if self.at_list_end() {
            self.expected("a statement", Some("a statement that does nothing is `nop`"));
        }
        while !self.at_list_end() {
            match self.labelled() {
                Ok(statement) => list.push(statement),
                Err(_) => self.recover(),
            }
            if self.eat(Kind::Semicolon) || self.at_list_end() {
                continue;
            }
            let help = match self.kind() {
                Kind::Else => "no `;` stands before `else`, and every `else` needs its `if … then …`",
                _ => "statements are separated by `;`",
            };
            self.expected("`;` or the end of the statements", Some(help));
            if !self.at_statement() {
                self.recover();
                self.eat(Kind::Semicolon);
            }
        }
        list
    }

    /// Goes to the next `;`, or to the end of the list of statements; braces are skipped in pairs.
    fn recover(&mut self) {
        let mut open = 0u32;
        loop {
            match self.kind() {
                Kind::End => return,
                kind if kind.begins_section() => return,
                Kind::Semicolon | Kind::Or if open == 0 => return,
                Kind::CloseBrace if open == 0 => return,
                Kind::CloseBrace => open -= 1,
                Kind::OpenBrace => open += 1,
                _ => {}
            }
            self.advance();
        }
    }

    /// Whether a statement begins here. A name does if a `:` follows.
    pub(super) fn at_statement(&self) -> bool {
        use Kind::*;
        match self.kind() {
            Name => self.kind_ahead(1) == Colon,
            Nop | Assume | Read | Write | Locked | Slocked | SyncWrite | SyncRead | Cas | Fence
            | StoreFence | LoadFence | Either | If | While | Goto | OpenBrace | Register => true,
            _ => false,
        }
    }

    fn labelled(&mut self) -> Parsed<Statement> {
        let mut labels = Vec::new();
        while self.kind() == Kind::Name && self.kind_ahead(1) == Kind::Colon {
            let token = self.advance();
            labels.push(self.name_of(token));
            self.advance();
        }
        self.enter()?;
        let statement = self.statement(labels);
        self.leave();
        statement
    }

    fn statement(&mut self, mut labels: Vec<Name>) -> Parsed<Statement> {
        let key = self.n_statements;
        self.n_statements += 1;
        if let Some(last) = labels.last()
            && self.at_list_end()
        {
            let place = last.place;
            let (open_before, open_after) = (false, false);
            return Ok(Statement {
                key,
                labels,
                kind: StatementKind::End,
                place,
                head: place,
                open_before,
                open_after,
            });
        }
        let start = self.position;
        let token = self.token();
        // Where the head of a compound statement ends.
        let mut head_end = None;
        let kind = self.kind_of_statement(token, &mut head_end)?;
        let kind = match kind {
            // A label in front of a block is one of its first statement.
            StatementKind::Block(mut list) => {
                if let Some(first) = list.first_mut() {
                    labels.append(&mut first.labels);
                    first.labels = std::mem::take(&mut labels);
                    first.take_labels_inside();
                }
                StatementKind::Block(list)
            }
            kind => kind,
        };
        let place = self.place_from(start);
        let head = match head_end {
            Some(end) => {
                let tokens = &self.tokens[start..end];
                tokens.iter().fold(token.place, |place, token| self.frames.join(place, token.place))
            }
            None => place,
        };
        let (open_before, open_after) = self.openness(start, place.frame);
        Ok(Statement { key, labels, kind, place, head, open_before, open_after })
    }

    /// Whether text put before or behind the statement from `start` up to here is not inside what a macro call or a
    /// parameter of the text in `frame` stands for.
    fn openness(&self, start: usize, frame: crate::rmm::frames::FrameId) -> (bool, bool) {
        let inside = |i: usize| self.frames.child_toward(frame, self.tokens[i].place.frame);
        let cut = |outer: Option<usize>, inner: usize| match (outer.map(inside), inside(inner)) {
            (Some(Some(outer)), Some(inner)) => outer == inner,
            _ => false,
        };
        let last = self.position.max(start + 1) - 1;
        (!cut(start.checked_sub(1), start), !cut(Some(last + 1).filter(|&i| i < self.tokens.len()), last))
    }

    fn kind_of_statement(&mut self, token: Token, head_end: &mut Option<usize>) -> Parsed<StatementKind> {
        if !self.at_statement() {
            let help = match token.kind {
                Kind::Name => Some("a label is followed by `:`; variables are changed with `write: x := e`"),
                Kind::Semicolon => Some("a statement that does nothing is `nop`"),
                _ => None,
            };
            return Err(self.expected("a statement", help));
        }
        self.advance();
        Ok(match token.kind {
            Kind::Nop | Kind::LoadFence => StatementKind::Nop,
            Kind::Fence => StatementKind::Fence,
            Kind::StoreFence => StatementKind::StoreFence,
            Kind::Register => {
                let register = self.name_of(token);
                self.expect(Kind::Becomes, "`:=` and the value")?;
                StatementKind::Assign { register, value: self.sum()? }
            }
            Kind::Assume => {
                self.expect(Kind::Colon, "`:` and the condition")?;
                StatementKind::Assume(self.condition()?)
            }
            Kind::Read | Kind::SyncRead => self.read()?,
            Kind::Write => self.write(Strength::Plain)?,
            Kind::SyncWrite => self.write(Strength::Locked)?,
            Kind::Slocked => {
                self.expect(Kind::Write, "`write`")?;
                self.write(Strength::StoreOrdered)?
            }
            Kind::Locked if self.eat(Kind::Write) => self.write(Strength::Locked)?,
            Kind::Locked => StatementKind::Locked(self.alternatives("`write` or `{`")?),
            Kind::Either => {
                *head_end = Some(self.position);
                StatementKind::Either(self.alternatives("`{`")?)
            }
            Kind::Cas => {
                let open = self.expect(Kind::OpenParen, "`(`")?;
                let at = self.location()?;
                self.expect(Kind::Comma, "`,` and the old value")?;
                let old = self.sum()?;
                self.expect(Kind::Comma, "`,` and the new value")?;
                let new = self.sum()?;
                self.expect_closing(Kind::CloseParen, "`)`", open, None)?;
                StatementKind::Cas { at, old, new }
            }
            Kind::If => {
                let condition = self.condition()?;
                *head_end = Some(self.position);
                self.expect(Kind::Then, "`then`")?;
                let then = Box::new(self.labelled()?);
                let otherwise = if self.eat(Kind::Else) { Some(Box::new(self.labelled()?)) } else { None };
                StatementKind::If { condition, then, otherwise }
            }
            Kind::While => {
                let condition = self.condition()?;
                *head_end = Some(self.position);
                self.expect(Kind::Do, "`do`")?;
                StatementKind::While { condition, body: Box::new(self.labelled()?) }
            }
            Kind::Goto => StatementKind::Goto(self.name("a label")?),
            _ => {
                let list = self.statements();
                self.expect_closing(Kind::CloseBrace, "`}`", token, None)?;
                StatementKind::Block(list)
            }
        })
    }

    fn read(&mut self) -> Parsed<StatementKind> {
        self.expect(Kind::Colon, "`:` and what is read")?;
        if self.kind() == Kind::Register {
            let token = self.advance();
            let register = self.name_of(token);
            self.expect(Kind::Becomes, "`:=` and the variable")?;
            return Ok(StatementKind::Read { register, from: self.location()? });
        }
        let from = self.location()?;
        if self.kind() != Kind::Equal {
            let help = "`read: $r := x` reads into a register, `read: x = e` waits until x is e";
            return Err(self.expected("`=` and the value to wait for", Some(help)));
        }
        self.advance();
        Ok(StatementKind::ReadEqual { from, value: self.sum()? })
    }

    fn write(&mut self, strength: Strength) -> Parsed<StatementKind> {
        self.expect(Kind::Colon, "`:` and what is written")?;
        let to = self.location()?;
        self.expect(Kind::Becomes, "`:=` and the value")?;
        Ok(StatementKind::Write { strength, to, value: self.sum()? })
    }

    /// `{ s; s or s … }`
    fn alternatives(&mut self, wanted: &str) -> Parsed<Vec<Vec<Statement>>> {
        let open = self.expect(Kind::OpenBrace, wanted)?;
        let mut alternatives = vec![self.statements()];
        while self.eat(Kind::Or) {
            alternatives.push(self.statements());
        }
        self.expect_closing(Kind::CloseBrace, "`;`, `or` or `}`", open, None)?;
        Ok(alternatives)
    }
}

impl Statement {
    /// Hands the labels of a block on to its first statement.
    fn take_labels_inside(&mut self) {
        if let StatementKind::Block(list) = &mut self.kind
            && let Some(first) = list.first_mut()
        {
            let mut labels = std::mem::take(&mut self.labels);
            labels.append(&mut first.labels);
            first.labels = labels;
            first.take_labels_inside();
        }
    }
}
