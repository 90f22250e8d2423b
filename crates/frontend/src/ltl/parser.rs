//! Tokens to a tree. Formulae and numbers are read by one grammar, since a parenthesis may begin either; which is which
//! is settled when names are resolved.
//!
//! From weakest to strongest: `<->`; `->`; `||`; `&&`; `U R W M`; `! G F X`; comparisons; `+ -`; `* / %`; `-` in front.
//! `->` and `U R W M` group to the right, everything else to the left.

use fencewright_base::{Diagnostic, FileId, Int, Span};
use fencewright_ir::BinaryOp;

use super::codes;
use super::lexer::{Kind, Token};

/// A part of the text and what it says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tree {
    pub(super) node: Node,
    pub(super) span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    Constant(bool),
    Number(Int),
    /// `x`, or `a[2]`.
    Variable {
        name: String,
        index: Option<Int>,
    },
    /// `P0:$r`.
    Register {
        thread: String,
        name: String,
    },
    /// `P0.CS`.
    Location {
        thread: String,
        label: String,
    },
    Negative(Box<Tree>),
    /// An arithmetic operator or a comparison.
    Value(BinaryOp, Box<Tree>, Box<Tree>),
    Unary(Unary, Box<Tree>),
    Binary(Binary, Box<Tree>, Box<Tree>),
}

#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(super) enum Unary {
    Not,
    Next,
    Finally,
    Globally,
}

#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(super) enum Binary {
    Equivalent,
    Implies,
    Or,
    And,
    Until,
    Release,
    WeakUntil,
    StrongRelease,
}

/// How deep operators may be nested: parsing is recursive, and so is whoever reads the result. Each level of the text
/// gives at most two of the formula, so this is half of what a program may hold.
pub(super) const MAX_DEPTH: usize = 100;

/// Operators between two operands, level by level, the weakest first.
const LEVELS: [&[(&str, Binary)]; 5] = [
    &[("<->", Binary::Equivalent), ("<=>", Binary::Equivalent)],
    &[("->", Binary::Implies), ("=>", Binary::Implies)],
    &[("||", Binary::Or), ("|", Binary::Or), ("\\/", Binary::Or), ("or", Binary::Or)],
    &[("&&", Binary::And), ("&", Binary::And), ("/\\", Binary::And), ("and", Binary::And)],
    &[("U", Binary::Until), ("R", Binary::Release), ("W", Binary::WeakUntil), ("M", Binary::StrongRelease)],
];

const COMPARISONS: [(&str, BinaryOp); 7] = [
    ("==", BinaryOp::Eq),
    ("=", BinaryOp::Eq),
    ("!=", BinaryOp::Ne),
    ("<=", BinaryOp::Le),
    (">=", BinaryOp::Ge),
    ("<", BinaryOp::Lt),
    (">", BinaryOp::Gt),
];

const SUMS: [(&str, BinaryOp); 2] = [("+", BinaryOp::Add), ("-", BinaryOp::Sub)];
const PRODUCTS: [(&str, BinaryOp); 3] = [("*", BinaryOp::Mul), ("/", BinaryOp::Div), ("%", BinaryOp::Rem)];

type Parsed<T> = Result<T, Box<Diagnostic>>;

/// The tree of a whole text of `length` bytes.
pub(super) fn parse(tokens: &[Token], file: FileId, length: usize) -> Parsed<Tree> {
    let mut parser = Parser { tokens, next: 0, depth: 0, end: Span::new(file, length, length) };
    let tree = parser.formula(0)?;
    match parser.tokens.get(parser.next) {
        None => Ok(tree),
        Some(_) => Err(parser.expected("an operator or the end of the formula")),
    }
}

struct Parser<'t> {
    tokens: &'t [Token],
    next: usize,
    depth: usize,
    /// Behind the last byte.
    end: Span,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Kind> {
        self.tokens.get(self.next).map(|token| &token.kind)
    }

    fn here(&self) -> Span {
        self.tokens.get(self.next).map_or(self.end, |token| token.span)
    }

    /// The span of what was read last.
    fn last(&self) -> Span {
        self.next.checked_sub(1).map_or(self.end, |last| self.tokens[last].span)
    }

    fn expected(&self, what: &str) -> Box<Diagnostic> {
        let found = match self.peek() {
            None => "the formula ends here".to_owned(),
            Some(Kind::Word(text) | Kind::Quoted(text)) => format!("`{text}` cannot stand here"),
            Some(Kind::Number(number)) => format!("`{number}` cannot stand here"),
            Some(Kind::Symbol(symbol)) => format!("`{symbol}` cannot stand here"),
        };
        Box::new(Diagnostic::error(&codes::SYNTAX, self.here(), found).label(format!("expected {what}")))
    }

    /// Whether the next token is this symbol or word. A quoted word is none.
    fn is(&self, text: &str) -> bool {
        match self.peek() {
            Some(Kind::Symbol(symbol)) => *symbol == text,
            Some(Kind::Word(word)) => word == text,
            _ => false,
        }
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.is(text);
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, text: &str) -> Parsed<()> {
        if self.take(text) { Ok(()) } else { Err(self.expected(&format!("`{text}`"))) }
    }

    fn operator<T: Copy>(&mut self, table: &[(&str, T)]) -> Option<T> {
        let &(text, operator) = table.iter().find(|(text, _)| self.is(text))?;
        self.take(text);
        Some(operator)
    }

    /// One level deeper.
    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Parsed<Tree>) -> Parsed<Tree> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(too_deep(self.here()));
        }
        let tree = read(self);
        self.depth -= 1;
        tree
    }

    fn formula(&mut self, level: usize) -> Parsed<Tree> {
        let Some(table) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.formula(level + 1)?;
        let to_the_right = matches!(level, 1 | 4);
        let mut links = 0;
        while let Some(operator) = self.operator(table) {
            let right = if to_the_right {
                self.nested(|parser| parser.formula(level))?
            } else {
                self.formula(level + 1)?
            };
            let span = left.span.to(right.span);
            left = Tree { node: Node::Binary(operator, Box::new(left), Box::new(right)), span };
            links += 1;
            // A long chain is nested to the left, and read recursively later.
            if self.depth + links > MAX_DEPTH {
                return Err(too_deep(self.last()));
            }
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Tree> {
        let start = self.here();
        let symbols = [
            ("!", Unary::Not),
            ("~", Unary::Not),
            ("not", Unary::Not),
            ("[]", Unary::Globally),
            ("<>", Unary::Finally),
        ];
        if let Some(operator) = self.operator(&symbols) {
            let operand = self.nested(Self::unary)?;
            return Ok(apply(operator, operand, start));
        }
        // `G`, `F`, `X` and words made of them, such as `GF`, are operators where an operand follows.
        if let Some(Kind::Word(word)) = self.peek()
            && word.chars().all(|c| "GFX".contains(c))
            && self.tokens.get(self.next + 1).is_some_and(|token| begins_operand(&token.kind))
        {
            let operators: Vec<char> = word.chars().collect();
            self.next += 1;
            let mut operand = self.nested(Self::unary)?;
            if self.depth + operators.len() > MAX_DEPTH {
                return Err(too_deep(start));
            }
            for operator in operators.into_iter().rev() {
                let operator = match operator {
                    'G' => Unary::Globally,
                    'F' => Unary::Finally,
                    _ => Unary::Next,
                };
                operand = apply(operator, operand, start);
            }
            return Ok(operand);
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Parsed<Tree> {
        let left = self.sum()?;
        match self.operator(&COMPARISONS) {
            None => Ok(left),
            Some(operator) => Ok(value(operator, left, self.sum()?)),
        }
    }

    fn sum(&mut self) -> Parsed<Tree> {
        self.chain(&SUMS, |parser| parser.chain(&PRODUCTS, Self::operand))
    }

    fn chain(
        &mut self,
        table: &[(&str, BinaryOp)],
        operand: impl Fn(&mut Self) -> Parsed<Tree>,
    ) -> Parsed<Tree> {
        let mut left = operand(self)?;
        let before = self.depth;
        while let Some(operator) = self.operator(table) {
            let right = self.nested(&operand)?;
            left = value(operator, left, right);
            // The chain is nested to the left.
            self.depth += 1;
        }
        self.depth = before;
        Ok(left)
    }

    fn operand(&mut self) -> Parsed<Tree> {
        let start = self.here();
        if self.take("(") {
            let inner = self.nested(|parser| parser.formula(0))?;
            self.expect(")")?;
            return Ok(Tree { node: inner.node, span: start.to(self.last()) });
        }
        if self.take("-") {
            let inner = self.nested(Self::operand)?;
            let span = start.to(inner.span);
            return Ok(Tree { node: Node::Negative(Box::new(inner)), span });
        }
        let node = match self.peek().cloned() {
            Some(Kind::Word(word)) if word == "true" || word == "false" => {
                self.next += 1;
                Node::Constant(word == "true")
            }
            Some(Kind::Word(name) | Kind::Quoted(name)) => {
                self.next += 1;
                self.named(name)?
            }
            Some(Kind::Number(number)) => {
                self.next += 1;
                // `0:EAX`: threads may be called by their numbers.
                if self.is(":") || self.is(".") {
                    self.named(number.to_string())?
                } else {
                    Node::Number(number)
                }
            }
            _ => return Err(self.expected("a formula, a name or a number")),
        };
        Ok(Tree { node, span: start.to(self.last()) })
    }

    /// What a name begins: a variable, a register or a location.
    fn named(&mut self, name: String) -> Parsed<Node> {
        if self.take(":") {
            return Ok(Node::Register { thread: name, name: self.name("a register")? });
        }
        if self.take(".") || self.take("@") {
            return Ok(Node::Location { thread: name, label: self.name("a label")? });
        }
        if !self.take("[") {
            return Ok(Node::Variable { name, index: None });
        }
        let Some(Kind::Number(index)) = self.peek().cloned() else {
            return Err(self.expected("the number of an element"));
        };
        self.next += 1;
        self.expect("]")?;
        Ok(Node::Variable { name, index: Some(index) })
    }

    fn name(&mut self, what: &str) -> Parsed<String> {
        match self.peek().cloned() {
            Some(Kind::Word(name) | Kind::Quoted(name)) => {
                self.next += 1;
                Ok(name)
            }
            _ => Err(self.expected(what)),
        }
    }
}

fn too_deep(span: Span) -> Box<Diagnostic> {
    let message = format!("this is nested, or a chain, of more than {MAX_DEPTH} operators");
    let help = "write a smaller formula, or several, each with its own --ltl";
    Box::new(Diagnostic::error(&codes::DEPTH, span, message).help(help))
}

fn apply(operator: Unary, operand: Tree, start: Span) -> Tree {
    let span = start.to(operand.span);
    Tree { node: Node::Unary(operator, Box::new(operand)), span }
}

fn value(operator: BinaryOp, left: Tree, right: Tree) -> Tree {
    let span = left.span.to(right.span);
    Tree { node: Node::Value(operator, Box::new(left), Box::new(right)), span }
}

/// Whether a formula can begin with it, so that what stands before it is an operator and not a name.
fn begins_operand(kind: &Kind) -> bool {
    match kind {
        Kind::Word(word) => !matches!(word.as_str(), "U" | "R" | "W" | "M" | "and" | "or"),
        Kind::Quoted(_) | Kind::Number(_) => true,
        Kind::Symbol(symbol) => matches!(*symbol, "(" | "!" | "~" | "[]" | "<>" | "-"),
    }
}
