//! The tree of a model: what was written, with names unresolved.
//!
//! *Contract:* no expression is deeper than the parser's limit, so walking it recursively is safe.

use fencewright_base::Span;
use fencewright_ir::BinaryOp;

/// A name and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A whole file.
#[derive(Debug, Default)]
pub struct Model {
    /// Global variables and constants.
    pub variables: Vec<Declaration>,
    /// Channels.
    pub channels: Vec<ChannelDeclaration>,
    /// Processes, the property among them.
    pub processes: Vec<Process>,
    /// `system …`, if it is there.
    pub system: Option<System>,
}

/// `system async property P;`
#[derive(Debug, Clone)]
pub struct System {
    /// Whether all processes move at once.
    pub synchronous: bool,
    /// The process that is a Büchi automaton over the others.
    pub property: Option<Name>,
    /// All of it.
    pub span: Span,
}

/// The type of a variable.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Type {
    /// 0 to 255.
    Byte,
    /// 16 bits with a sign.
    Int,
}

/// A variable or constant.
#[derive(Debug)]
pub struct Declaration {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: Type,
    /// Whether it never changes.
    pub is_const: bool,
    /// The number of elements, if it is an array.
    pub size: Option<Expr>,
    /// Initial values; what is not given is 0.
    pub init: Vec<Expr>,
    /// Whether they stand in braces.
    pub init_is_list: bool,
}

/// A channel.
#[derive(Debug)]
pub struct ChannelDeclaration {
    /// Its name.
    pub name: Name,
    /// The types of what goes over it; `None` if that is not said.
    pub types: Option<Vec<Type>>,
    /// How many messages it holds; not said or 0 for a rendezvous.
    pub capacity: Option<Expr>,
}

/// A process.
#[derive(Debug)]
pub struct Process {
    /// Its name.
    pub name: Name,
    /// Its variables and constants.
    pub variables: Vec<Declaration>,
    /// Its states, in order.
    pub states: Vec<Name>,
    /// Where it starts.
    pub init: Option<Name>,
    /// Committed states.
    pub commit: Vec<Name>,
    /// Accepting states.
    pub accept: Vec<Name>,
    /// What must hold where.
    pub asserts: Vec<(Name, Expr)>,
    /// Its transitions.
    pub transitions: Vec<Transition>,
}

/// A transition.
#[derive(Debug)]
pub struct Transition {
    /// From here.
    pub from: Name,
    /// To here.
    pub to: Name,
    /// When: all of these hold.
    pub guard: Vec<Expr>,
    /// Over which channel.
    pub sync: Option<Synchronisation>,
    /// What it does, in order.
    pub effects: Vec<Assignment>,
    /// All of it.
    pub span: Span,
}

/// `sync c!e`, `sync c?x`.
#[derive(Debug)]
pub struct Synchronisation {
    /// The channel.
    pub channel: Name,
    /// What is done on it.
    pub kind: SyncKind,
    /// All of it.
    pub span: Span,
}

/// What is done on a channel.
#[derive(Debug)]
pub enum SyncKind {
    /// These values are sent.
    Send(Vec<Expr>),
    /// Values are received into these.
    Receive(Vec<Place>),
}

/// `x = e`.
#[derive(Debug)]
pub struct Assignment {
    /// What gets the value.
    pub place: Place,
    /// The value.
    pub value: Expr,
}

/// Something that can be assigned to.
#[derive(Debug)]
pub struct Place {
    /// The variable.
    pub name: Name,
    /// The element, if it is an array's.
    pub index: Option<Expr>,
}

/// An expression.
#[derive(Debug, Clone)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
    /// How many levels it has: 1 for a number.
    pub depth: u32,
}

/// The kinds of expressions.
#[derive(Debug, Clone)]
pub enum ExprKind {
    /// A number.
    Number(i64),
    /// A variable or constant.
    Variable(Name),
    /// An element of an array.
    Element(Name, Box<Expr>),
    /// `P.s`: whether the process is there.
    At(Name, Name),
    /// `P->x` or `P->a[i]`: a variable of another process.
    Foreign(Name, Name, Option<Box<Expr>>),
    /// One operand.
    Unary(Unary, Box<Expr>),
    /// Two operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
}

/// Operators with one operand.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the usual ones")]
pub enum Unary {
    Neg,
    Not,
    BitNot,
}

/// Operators with two operands. `And`, `Or` and `Imply` leave the second alone if the first decides.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the usual ones")]
pub enum Binary {
    Imply,
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Shl,
    Shr,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

impl Binary {
    /// The operator of programs that it is; `None` for `imply`, which they do not have.
    pub fn in_programs(self) -> Option<BinaryOp> {
        Some(match self {
            Binary::Imply => return None,
            Binary::Or => BinaryOp::Or,
            Binary::And => BinaryOp::And,
            Binary::BitOr => BinaryOp::BitOr,
            Binary::BitXor => BinaryOp::BitXor,
            Binary::BitAnd => BinaryOp::BitAnd,
            Binary::Eq => BinaryOp::Eq,
            Binary::Ne => BinaryOp::Ne,
            Binary::Lt => BinaryOp::Lt,
            Binary::Le => BinaryOp::Le,
            Binary::Gt => BinaryOp::Gt,
            Binary::Ge => BinaryOp::Ge,
            Binary::Shl => BinaryOp::Shl,
            Binary::Shr => BinaryOp::Shr,
            Binary::Add => BinaryOp::Add,
            Binary::Sub => BinaryOp::Sub,
            Binary::Mul => BinaryOp::Mul,
            Binary::Div => BinaryOp::Div,
            Binary::Rem => BinaryOp::Rem,
        })
    }

    /// How tightly it binds; more is tighter.
    pub fn precedence(self) -> u8 {
        match self {
            Binary::Imply => 1,
            Binary::Or => 2,
            Binary::And => 3,
            Binary::BitOr => 4,
            Binary::BitXor => 5,
            Binary::BitAnd => 6,
            Binary::Eq | Binary::Ne => 7,
            Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => 8,
            Binary::Shl | Binary::Shr => 9,
            Binary::Add | Binary::Sub => 10,
            Binary::Mul | Binary::Div | Binary::Rem => 11,
        }
    }

    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Binary::Imply => "imply",
            Binary::Or => "||",
            Binary::And => "&&",
            Binary::BitOr => "|",
            Binary::BitXor => "^",
            Binary::BitAnd => "&",
            Binary::Eq => "==",
            Binary::Ne => "!=",
            Binary::Lt => "<",
            Binary::Le => "<=",
            Binary::Gt => ">",
            Binary::Ge => ">=",
            Binary::Shl => "<<",
            Binary::Shr => ">>",
            Binary::Add => "+",
            Binary::Sub => "-",
            Binary::Mul => "*",
            Binary::Div => "/",
            Binary::Rem => "%",
        }
    }
}

impl Model {
    /// The process that is the property, if there is one.
    pub fn property(&self) -> Option<&Process> {
        let name = self.system.as_ref()?.property.as_ref()?;
        self.processes.iter().find(|process| process.name.text == name.text)
    }

    /// The processes that are no property.
    pub fn behaving(&self) -> impl Iterator<Item = &Process> {
        let property = self.property().map(|process| process.name.text.as_str());
        self.processes.iter().filter(move |process| Some(process.name.text.as_str()) != property)
    }
}
