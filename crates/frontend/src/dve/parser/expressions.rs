//! Expressions, by precedence climbing.

use fencewright_base::{Diagnostic, Span};

use super::super::ast::{Binary, Expr, ExprKind, Name, Unary};
use super::super::codes;
use super::super::lexer::Kind;
use super::{MAX_DEPTH, Parsed, Parser, Reported};

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.binary(0)
    }

    /// One level down, for what recurses; `leave` goes up again.
    fn enter(&mut self, span: Span) -> Parsed<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH { self.too_deep(span) } else { Ok(()) }
    }

    fn too_deep<T>(&mut self, span: Span) -> Parsed<T> {
        if self.last_error != Some(self.position) {
            let message = format!("this expression is nested more than {MAX_DEPTH} deep");
            self.problems.push(
                Diagnostic::error(&codes::NESTING, span, message).help("compute parts of it in effects"),
            );
        }
        self.last_error = Some(self.position);
        Err(Reported)
    }

    fn node(&mut self, kind: ExprKind, span: Span) -> Parsed<Expr> {
        let depth = 1 + match &kind {
            ExprKind::Number(_) | ExprKind::Variable(_) | ExprKind::At(..) => 0,
            ExprKind::Element(_, e) | ExprKind::Unary(_, e) => e.depth,
            ExprKind::Foreign(_, _, index) => index.as_ref().map_or(0, |index| index.depth),
            ExprKind::Binary(_, a, b) => a.depth.max(b.depth),
        };
        if depth > MAX_DEPTH {
            return self.too_deep(span);
        }
        Ok(Expr { kind, span, depth })
    }

    /// An expression whose operators all bind more tightly than `above`.
    fn binary(&mut self, above: u8) -> Parsed<Expr> {
        let mut left = self.unary()?;
        while let Some(op) = binary_operator(self.kind()).filter(|op| op.precedence() > above) {
            self.advance();
            self.enter(left.span)?;
            let right = self.binary(op.precedence())?;
            self.depth -= 1;
            let span = left.span.to(right.span);
            left = self.node(ExprKind::Binary(op, Box::new(left), Box::new(right)), span)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let token = self.token();
        let op = match token.kind {
            Kind::Minus => Unary::Neg,
            Kind::Not | Kind::Exclamation => Unary::Not,
            Kind::Tilde => Unary::BitNot,
            _ => return self.primary(),
        };
        self.enter(token.span)?;
        self.advance();
        let operand = self.unary()?;
        self.depth -= 1;
        let span = token.span.to(operand.span);
        self.node(ExprKind::Unary(op, Box::new(operand)), span)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let token = self.token();
        match token.kind {
            Kind::Number => {
                let value: Option<i64> = self.text_of(token).parse().ok();
                let Some(value) = value.filter(|value| i32::try_from(*value).is_ok()) else {
                    let message = "this number does not fit in 32 bits";
                    self.problems.push(
                        Diagnostic::error(&codes::NUMBER, token.span, message)
                            .help("the largest number is 2147483647"),
                    );
                    self.last_error = Some(self.position);
                    return Err(Reported);
                };
                self.advance();
                self.node(ExprKind::Number(value), token.span)
            }
            Kind::True | Kind::False => {
                self.advance();
                self.node(ExprKind::Number(i64::from(token.kind == Kind::True)), token.span)
            }
            Kind::Open => {
                self.enter(token.span)?;
                self.advance();
                let inner = self.binary(0)?;
                self.depth -= 1;
                let end = self.expect(Kind::Close, "an operator or `)`")?.span;
                Ok(Expr { span: token.span.to(end), ..inner })
            }
            Kind::Name => {
                let name = self.name("a variable")?;
                match self.kind() {
                    Kind::Dot => {
                        self.advance();
                        let state = self.name("the name of a state")?;
                        let end = state.span;
                        self.node(ExprKind::At(name, state), token.span.to(end))
                    }
                    Kind::Arrow => {
                        self.advance();
                        let variable = self.name("the name of a variable")?;
                        let index = self.index(token.span)?.map(Box::new);
                        let end = index.as_ref().map_or(variable.span, |index| index.span.after());
                        self.node(ExprKind::Foreign(name, variable, index), token.span.to(end))
                    }
                    _ => self.element(name),
                }
            }
            _ => self.expected("an expression"),
        }
    }

    fn index(&mut self, span: Span) -> Parsed<Option<Expr>> {
        self.enter(span)?;
        let index = self.bracket()?;
        self.depth -= 1;
        Ok(index)
    }

    fn element(&mut self, name: Name) -> Parsed<Expr> {
        let start = name.span;
        match self.index(start)? {
            Some(index) => {
                let span = start.to(self.tokens[self.position - 1].span);
                self.node(ExprKind::Element(name, Box::new(index)), span)
            }
            None => self.node(ExprKind::Variable(name), start),
        }
    }
}

fn binary_operator(kind: Kind) -> Option<Binary> {
    Some(match kind {
        Kind::Imply => Binary::Imply,
        Kind::Or => Binary::Or,
        Kind::And => Binary::And,
        Kind::Bar => Binary::BitOr,
        Kind::Caret => Binary::BitXor,
        Kind::Ampersand => Binary::BitAnd,
        Kind::Equal => Binary::Eq,
        Kind::NotEqual => Binary::Ne,
        Kind::Less => Binary::Lt,
        Kind::LessEqual => Binary::Le,
        Kind::Greater => Binary::Gt,
        Kind::GreaterEqual => Binary::Ge,
        Kind::ShiftLeft => Binary::Shl,
        Kind::ShiftRight => Binary::Shr,
        Kind::Plus => Binary::Add,
        Kind::Minus => Binary::Sub,
        Kind::Star => Binary::Mul,
        Kind::Slash => Binary::Div,
        Kind::Percent => Binary::Rem,
        _ => return None,
    })
}
