//! A line being read, and the parts of the language that need no knowledge of the program.

use fencewright_base::{FileId, Int, Span};

use super::lex::Token;
use crate::{BinaryOp, Domain, Expr, Init, LocId, UnaryOp};

/// What was read, or what is wrong with the line.
pub(super) type Parsed<T> = Result<T, String>;

/// How deep parentheses may be nested: parsing is recursive, and garbage must not overflow the stack.
const MAX_DEPTH: usize = 200;

/// A line and how far it has been read.
pub(super) struct Line<'t> {
    pub(super) tokens: &'t [Token],
    pub(super) next: usize,
    depth: usize,
}

impl<'t> Line<'t> {
    /// The line, from its start.
    pub(super) fn new(tokens: &'t [Token]) -> Self {
        Line { tokens, next: 0, depth: 0 }
    }

    pub(super) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next)
    }

    pub(super) fn expected<T>(&self, what: &str) -> Parsed<T> {
        Err(match self.peek() {
            Some(token) => format!("expected {what}, found {}", token.describe()),
            None => format!("expected {what} at the end of the line"),
        })
    }

    pub(super) fn symbol(&mut self, symbol: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Symbol(found)) if *found == symbol);
        self.next += usize::from(found);
        found
    }

    pub(super) fn word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Word(found)) if found == word);
        self.next += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, symbol: &str) -> Parsed<()> {
        if self.symbol(symbol) { Ok(()) } else { self.expected(&format!("`{symbol}`")) }
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    pub(super) fn name(&mut self) -> Parsed<String> {
        match self.peek() {
            Some(Token::Word(name) | Token::Quoted(name)) => {
                let name = name.clone();
                self.next += 1;
                Ok(name)
            }
            _ => self.expected("a name"),
        }
    }

    pub(super) fn text(&mut self) -> Parsed<String> {
        match self.peek() {
            Some(Token::Quoted(text)) => {
                let text = text.clone();
                self.next += 1;
                Ok(text)
            }
            _ => self.expected("a text in quotes"),
        }
    }

    pub(super) fn int(&mut self) -> Parsed<Int> {
        match self.peek() {
            Some(Token::Int(value)) => {
                let value = value.clone();
                self.next += 1;
                Ok(value)
            }
            _ => self.expected("a number"),
        }
    }

    pub(super) fn small(&mut self) -> Parsed<u32> {
        let small = match self.peek() {
            Some(Token::Int(value)) => value.to_i64().and_then(|value| u32::try_from(value).ok()),
            _ => None,
        };
        match small {
            Some(small) => {
                self.next += 1;
                Ok(small)
            }
            None => self.expected("a number from 0 to 4294967295"),
        }
    }

    /// A number behind a letter, such as `L3`.
    pub(super) fn numbered(&mut self, letter: char, what: &str) -> Parsed<u32> {
        let number = match self.peek() {
            Some(Token::Word(word)) => word.strip_prefix(letter).and_then(|digits| digits.parse().ok()),
            _ => None,
        };
        match number {
            Some(number) => {
                self.next += 1;
                Ok(number)
            }
            None => self.expected(&format!("{what} such as `{letter}0`")),
        }
    }

    pub(super) fn location(&mut self) -> Parsed<LocId> {
        self.numbered('L', "a location").map(LocId)
    }

    pub(super) fn domain(&mut self) -> Parsed<Domain> {
        if self.word("int") {
            return Ok(Domain::Integers);
        }
        if let Some(Token::Word(word)) = self.peek() {
            let (bits, signed) = machine(word).map_or_else(|| self.expected("a domain"), Ok)?;
            self.next += 1;
            return Ok(Domain::Machine { bits, signed });
        }
        let lo = self.int()?;
        self.expect("..")?;
        Ok(Domain::Range { lo, hi: self.int()? })
    }

    pub(super) fn init(&mut self) -> Parsed<Init> {
        if self.word("any") { Ok(Init::Any) } else { self.int().map(Init::Value) }
    }

    pub(super) fn span(&mut self) -> Parsed<Option<Span>> {
        if !self.symbol("@") {
            return Ok(None);
        }
        let file = FileId(self.small()?);
        self.expect(":")?;
        let start = self.small()?;
        self.expect("-")?;
        let end = self.small()?;
        if start > end {
            return Err(format!("the span {start}-{end} ends before it begins"));
        }
        Ok(Some(Span { file, start, end }))
    }

    pub(super) fn end(&self) -> Parsed<()> {
        if self.next == self.tokens.len() { Ok(()) } else { self.expected("nothing more") }
    }

    /// An expression whose atoms are read by `atom`.
    pub(super) fn expr<A>(&mut self, atom: &dyn Fn(&mut Self) -> Parsed<A>) -> Parsed<Expr<A>> {
        let mut left = self.operand(atom)?;
        let mut chained = None;
        while let Some(op) = self.binary_op() {
            if chained.is_some_and(|chained| chained != op) {
                return self.expected("parentheses around the operands of another operator");
            }
            self.next += 1;
            chained = Some(op);
            left = left.binary(op, self.operand(atom)?);
        }
        Ok(left)
    }

    fn binary_op(&self) -> Option<BinaryOp> {
        match self.peek() {
            Some(Token::Symbol(symbol)) => BinaryOp::ALL.into_iter().find(|op| op.symbol() == *symbol),
            _ => None,
        }
    }

    fn operand<A>(&mut self, atom: &dyn Fn(&mut Self) -> Parsed<A>) -> Parsed<Expr<A>> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("an expression is nested more than {MAX_DEPTH} deep"));
        }
        let unary = [("-", UnaryOp::Neg), ("!", UnaryOp::Not), ("~", UnaryOp::BitNot)];
        let result = if let Some((_, op)) = unary.into_iter().find(|(symbol, _)| self.symbol(symbol)) {
            Expr::Unary(op, Box::new(self.operand(atom)?))
        } else if self.symbol("(") {
            let inner = self.expr(atom)?;
            self.expect(")")?;
            inner
        } else if self.word("wrap") {
            let (bits, signed, value) = self.typed(atom)?;
            Expr::Wrap { bits, signed, value }
        } else if self.word("checked") {
            let (bits, signed, value) = self.typed(atom)?;
            Expr::Checked { bits, signed, value }
        } else if self.word("choose") {
            self.expect("(")?;
            let condition = self.expr(atom)?;
            self.expect(",")?;
            let yes = self.expr(atom)?;
            self.expect(",")?;
            let no = self.expr(atom)?;
            self.expect(")")?;
            Expr::Choose(Box::new(condition), Box::new(yes), Box::new(no))
        } else if matches!(self.peek(), Some(Token::Int(_))) {
            Expr::Const(self.int()?)
        } else {
            Expr::Atom(atom(self)?)
        };
        self.depth -= 1;
        Ok(result)
    }

    /// `(i32, e)`.
    fn typed<A>(&mut self, atom: &dyn Fn(&mut Self) -> Parsed<A>) -> Parsed<(u32, bool, Box<Expr<A>>)> {
        self.expect("(")?;
        let (bits, signed) = match self.peek() {
            Some(Token::Word(word)) => machine(word),
            _ => None,
        }
        .map_or_else(|| self.expected("a machine type such as `i32`"), Ok)?;
        self.next += 1;
        self.expect(",")?;
        let value = Box::new(self.expr(atom)?);
        self.expect(")")?;
        Ok((bits, signed, value))
    }
}

/// Width and signedness of `i32`, `u8`…
fn machine(word: &str) -> Option<(u32, bool)> {
    let signed = word.starts_with('i');
    let bits = word.strip_prefix(['i', 'u'])?.parse().ok().filter(|bits| (1..=128).contains(bits))?;
    Some((bits, signed))
}
