//! The tree of a text, after macros. It holds what was written, unresolved: names are names, and whether they mean
//! anything is found out by `lower`.
//!
//! *Contract:* no tree is deeper than the parser's limit, so walking it recursively is safe. Blocks and alternatives
//! hold at least one statement. A label in front of a block is a label of the block's first statement.

use fencewright_base::Int;
use fencewright_ir::BinaryOp;

use super::frames::Place;

/// A name and where it stands. Registers keep their `$`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    /// The name.
    pub(super) text: String,
    /// Where.
    pub(super) place: Place,
}

/// A whole file.
#[derive(Debug, Default)]
pub(super) struct File {
    /// The alternatives of `forbidden`.
    pub(super) forbidden: Vec<Alternative>,
    /// Global variables.
    pub(super) globals: Vec<Declaration>,
    /// The texts of processes, in order.
    pub(super) processes: Vec<Process>,
}

/// A forbidden combination: for each process a label, or nothing for `*`.
#[derive(Debug)]
pub(super) struct Alternative {
    /// The labels.
    pub(super) labels: Vec<Option<Name>>,
    /// All of it.
    pub(super) place: Place,
}

/// A variable or register.
#[derive(Debug)]
pub(super) struct Declaration {
    /// Its name.
    pub(super) name: Name,
    /// The initial value; nothing for `*`.
    pub(super) init: Option<Int>,
    /// Where the initial value stands.
    pub(super) init_place: Place,
    /// Bounds of the domain and where they stand; nothing for ℤ.
    pub(super) range: Option<(Int, Int, Place)>,
    /// All of it.
    pub(super) place: Place,
}

/// The text of a process.
#[derive(Debug)]
pub(super) struct Process {
    /// How many copies, if that is written.
    pub(super) copies: Option<(Int, Place)>,
    /// Variables of which every process has its own.
    pub(super) data: Vec<Declaration>,
    /// Registers.
    pub(super) registers: Vec<Declaration>,
    /// The statements; at least one.
    pub(super) text: Vec<Statement>,
    /// The keyword.
    pub(super) keyword: Place,
}

/// A number that names the statement within the file.
pub(super) type StatementKey = u32;

/// A statement.
#[derive(Debug)]
pub(super) struct Statement {
    /// Its number.
    pub(super) key: StatementKey,
    /// Its labels.
    pub(super) labels: Vec<Name>,
    /// What it does.
    pub(super) kind: StatementKind,
    /// All of it, without labels.
    pub(super) place: Place,
    /// What is shown of it: all, or the head of a compound statement.
    pub(super) head: Place,
    /// Whether text put just before `place` comes just before the statement: false only if the statement begins in
    /// the middle of what a macro call stands for.
    pub(super) open_before: bool,
    /// The same for text just behind it.
    pub(super) open_after: bool,
}

/// What a statement does.
#[derive(Debug)]
pub(super) enum StatementKind {
    /// `nop`, and `llfence`, which does nothing on the models there are.
    Nop,
    /// `$r := e`
    Assign {
        /// The register.
        register: Name,
        /// The value.
        value: Expr,
    },
    /// `assume: b`
    Assume(Expr),
    /// `read: $r := m`, `syncrd: $r := m`
    Read {
        /// The register.
        register: Name,
        /// The location.
        from: Location,
    },
    /// `read: m = e`, `syncrd: m = e`
    ReadEqual {
        /// The location.
        from: Location,
        /// What must be read.
        value: Expr,
    },
    /// `write: m := e` and its stronger forms.
    Write {
        /// How strong.
        strength: Strength,
        /// The location.
        to: Location,
        /// The value.
        value: Expr,
    },
    /// `cas(m, e1, e2)`
    Cas {
        /// The location.
        at: Location,
        /// What must be there.
        old: Expr,
        /// What is put there.
        new: Expr,
    },
    /// `fence`
    Fence,
    /// `ssfence`
    StoreFence,
    /// `locked { … or … }`
    Locked(Vec<Vec<Statement>>),
    /// `either { … or … }`
    Either(Vec<Vec<Statement>>),
    /// `if b then s else s`
    If {
        /// The condition.
        condition: Expr,
        /// If it holds.
        then: Box<Statement>,
        /// If not.
        otherwise: Option<Box<Statement>>,
    },
    /// `while b do s`
    While {
        /// The condition.
        condition: Expr,
        /// The body.
        body: Box<Statement>,
    },
    /// `goto L`
    Goto(Name),
    /// `{ s; s }`; carries no label itself.
    Block(Vec<Statement>),
    /// Nothing: labels at the end of a block or of the process. Its place is that of the last label.
    End,
}

/// The forms of `write`.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(super) enum Strength {
    /// `write`
    Plain,
    /// `locked write`, `syncwr`
    Locked,
    /// `slocked write`
    StoreOrdered,
}

/// A location in memory.
#[derive(Debug)]
pub(super) enum Location {
    /// `x`
    Global(Name),
    /// `x[my]`
    Own(Name),
    /// `x[k]`
    Other(Name, Int, Place),
    /// `[e]`
    Pointer(Expr, Place),
}

/// An expression or condition.
#[derive(Debug)]
pub(super) struct Expr {
    /// What it is.
    pub(super) kind: ExprKind,
    /// How many nodes are on the longest way down.
    pub(super) depth: u32,
}

/// The forms of expressions and conditions.
#[derive(Debug)]
pub(super) enum ExprKind {
    /// A number; `true` and `false` are 1 and 0.
    Number(Int),
    /// A register.
    Register(Name),
    /// `me`
    Me,
    /// `other k`
    Other(Int, Place),
    /// `@k`
    At(Int, Place),
    /// `-e`
    Negative(Box<Expr>),
    /// `not b`
    Not(Box<Expr>),
    /// Sum, difference, comparison or connective.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
}
