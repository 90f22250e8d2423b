//! Expressions, conditions and locations in memory.
//!
//! *Contract:* the depth of a tree counts the operands of long sums, too, and is within the limit of the parser.

use fencewright_base::Int;
use fencewright_ir::BinaryOp;

use super::{MAX_DEPTH, Parsed, Parser};
use crate::rmm::ast::{Expr, ExprKind, Location};
use crate::rmm::lexer::Kind;

impl Parser<'_> {
    /// `and || and || …`
    pub(super) fn condition(&mut self) -> Parsed<Expr> {
        let mut left = self.conjunction()?;
        while self.eat(Kind::OrOr) {
            let right = self.conjunction()?;
            left = self.binary(BinaryOp::Or, left, right)?;
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Parsed<Expr> {
        let mut left = self.negation()?;
        while self.eat(Kind::AndAnd) {
            let right = self.negation()?;
            left = self.binary(BinaryOp::And, left, right)?;
        }
        Ok(left)
    }

    /// `not` applies to one comparison or one `[ … ]`.
    fn negation(&mut self) -> Parsed<Expr> {
        self.enter()?;
        let result = if self.eat(Kind::Not) {
            self.negation().and_then(|inner| {
                let depth = inner.depth + 1;
                self.node(ExprKind::Not(Box::new(inner)), depth)
            })
        } else {
            self.truth()
        };
        self.leave();
        result
    }

    fn truth(&mut self) -> Parsed<Expr> {
        match self.kind() {
            Kind::True | Kind::False => {
                let value = self.advance().kind == Kind::True;
                self.node(ExprKind::Number(Int::from(value)), 1)
            }
            Kind::OpenBracket => {
                let open = self.advance();
                let inner = self.condition()?;
                self.expect_closing(Kind::CloseBracket, "`]`", open, None)?;
                Ok(inner)
            }
            _ => self.comparison(),
        }
    }

    fn comparison(&mut self) -> Parsed<Expr> {
        let left = self.sum()?;
        let op = match self.kind() {
            Kind::Equal => BinaryOp::Eq,
            Kind::NotEqual => BinaryOp::Ne,
            Kind::Less => BinaryOp::Lt,
            Kind::Greater => BinaryOp::Gt,
            Kind::LessEqual => BinaryOp::Le,
            Kind::GreaterEqual => BinaryOp::Ge,
            _ => {
                let help = "a condition compares: `=`, `!=`, `<`, `>`, `<=` or `>=`, such as `$r != 0`";
                return Err(self.expected("a comparison", Some(help)));
            }
        };
        self.advance();
        let right = self.sum()?;
        self.binary(op, left, right)
    }

    /// `unit + unit - unit …`
    pub(super) fn sum(&mut self) -> Parsed<Expr> {
        let mut left = self.unit()?;
        loop {
            let op = match self.kind() {
                Kind::Plus => BinaryOp::Add,
                Kind::Minus => BinaryOp::Sub,
                _ => return Ok(left),
            };
            self.advance();
            let right = self.unit()?;
            left = self.binary(op, left, right)?;
        }
    }

    fn unit(&mut self) -> Parsed<Expr> {
        self.enter()?;
        let result = self.unit_inside();
        self.leave();
        result
    }

    fn unit_inside(&mut self) -> Parsed<Expr> {
        let token = self.token();
        match token.kind {
            Kind::Number => {
                self.advance();
                self.node(ExprKind::Number(self.int_of(token)), 1)
            }
            Kind::Register => {
                self.advance();
                self.node(ExprKind::Register(self.name_of(token)), 1)
            }
            Kind::Me => {
                self.advance();
                self.node(ExprKind::Me, 1)
            }
            Kind::Other => {
                self.advance();
                let (number, place) = self.number("the number of the other process, counted from 0")?;
                self.node(ExprKind::Other(number, self.frames.join(token.place, place)), 1)
            }
            Kind::At => {
                self.advance();
                let (number, place) = self.number("the number of a process, counted from 0")?;
                self.node(ExprKind::At(number, self.frames.join(token.place, place)), 1)
            }
            Kind::Minus => {
                self.advance();
                let inner = self.unit()?;
                let depth = inner.depth + 1;
                self.node(ExprKind::Negative(Box::new(inner)), depth)
            }
            Kind::OpenParen => {
                self.advance();
                let inner = self.sum()?;
                use Kind::*;
                let is_condition = matches!(
                    self.kind(),
                    Equal | NotEqual | Less | Greater | LessEqual | GreaterEqual | AndAnd | OrOr
                );
                let help = is_condition.then_some("`( )` group sums; conditions are grouped with `[ ]`");
                self.expect_closing(CloseParen, "`)`", token, help)?;
                Ok(inner)
            }
            Kind::Name => Err(self.expected(
                "a number or a register",
                Some("expressions see registers only: read the variable into a register first, with `read: $r := x`"),
            )),
            _ => Err(self.expected("a number or a register", None)),
        }
    }

    fn node(&mut self, kind: ExprKind, depth: u32) -> Parsed<Expr> {
        if depth > MAX_DEPTH {
            return Err(self.too_deep());
        }
        Ok(Expr { kind, depth })
    }

    fn binary(&mut self, op: BinaryOp, left: Expr, right: Expr) -> Parsed<Expr> {
        let depth = left.depth.max(right.depth) + 1;
        self.node(ExprKind::Binary(op, Box::new(left), Box::new(right)), depth)
    }

    /// `x`, `x[my]`, `x[k]` or `[e]`
    pub(super) fn location(&mut self) -> Parsed<Location> {
        let start = self.position;
        match self.kind() {
            Kind::OpenBracket => {
                let open = self.advance();
                let index = self.sum()?;
                self.expect_closing(Kind::CloseBracket, "`]`", open, None)?;
                Ok(Location::Pointer(index, self.place_from(start)))
            }
            Kind::Name => {
                let token = self.advance();
                let name = self.name_of(token);
                if self.kind() != Kind::OpenBracket {
                    return Ok(Location::Global(name));
                }
                let open = self.advance();
                let owner = self.advance_owner()?;
                self.expect_closing(Kind::CloseBracket, "`]`", open, None)?;
                Ok(match owner {
                    None => Location::Own(name),
                    Some(number) => Location::Other(name, number, self.place_from(start)),
                })
            }
            Kind::Register => Err(self.expected(
                "a variable",
                Some("a register is no location in memory; assign it with `$r := e`, or point with `[$r]`"),
            )),
            _ => Err(self.expected("a variable, or a pointer such as `[$r]`", None)),
        }
    }

    /// What stands in the brackets behind a variable: nothing for `my`.
    fn advance_owner(&mut self) -> Parsed<Option<Int>> {
        match self.kind() {
            Kind::My => {
                self.advance();
                Ok(None)
            }
            Kind::Number => Ok(Some(self.number("a number")?.0)),
            _ => Err(self.expected(
                "`my` or a number",
                Some("`x[my]` is this process's own `x`, `x[0]` that of the first other process"),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use fencewright_base::FileId;

    use super::*;
    use crate::rmm::frames::Frames;
    use crate::rmm::lexer::lex;

    /// The expression with all its parentheses, or the first error.
    fn parsed(text: &str, what: impl FnOnce(&mut Parser<'_>) -> Parsed<Expr>) -> String {
        let (frames, mut problems) = (Frames::new(), Vec::new());
        let tokens = lex(FileId(0), text, &mut problems);
        let mut parser = Parser {
            text,
            tokens: &tokens,
            frames: &frames,
            problems: &mut problems,
            position: 0,
            depth: 0,
            n_statements: 0,
            last_error: None,
        };
        let result = what(&mut parser);
        assert_eq!(parser.depth, 0, "{text}");
        match result {
            Ok(expr) => show(&expr),
            Err(_) => problems[0].message.clone(),
        }
    }

    fn show(expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Number(value) => value.to_string(),
            ExprKind::Register(name) => name.text.clone(),
            ExprKind::Me => "me".to_owned(),
            ExprKind::Other(k, _) => format!("other {k}"),
            ExprKind::At(k, _) => format!("@{k}"),
            ExprKind::Negative(inner) => format!("(-{})", show(inner)),
            ExprKind::Not(inner) => format!("(not {})", show(inner)),
            ExprKind::Binary(op, left, right) => format!("({} {} {})", show(left), op.symbol(), show(right)),
        }
    }

    #[test]
    fn sums_lean_to_the_left() {
        for (text, tree) in [
            ("1 - 2 + 3", "((1 - 2) + 3)"),
            ("1 - (2 + $r)", "(1 - (2 + $r))"),
            ("-$r + --1", "((-$r) + (-(-1)))"),
            ("me + other 2 - @1", "((me + other 2) - @1)"),
            ("1 +", "expected a number or a register, found the end of the file"),
        ] {
            assert_eq!(parsed(text, |parser| parser.sum()), tree, "{text}");
        }
    }

    #[test]
    fn not_binds_before_and_before_or() {
        for (text, tree) in [
            ("not $a = 1 && $b < 2 || true", "(((not ($a == 1)) && ($b < 2)) || 1)"),
            ("$a = 1 || $b != 2 && false", "(($a == 1) || (($b != 2) && 0))"),
            (
                "[$a = 1 || $b >= 2] && not [true && not false]",
                "((($a == 1) || ($b >= 2)) && (not (1 && (not 0))))",
            ),
            ("$a + 1 <= $b - 1", "(($a + 1) <= ($b - 1))"),
            ("$a", "expected a comparison, found the end of the file"),
        ] {
            assert_eq!(parsed(text, |parser| parser.condition()), tree, "{text}");
        }
    }
}
