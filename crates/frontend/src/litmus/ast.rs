//! The tree of a litmus test: what the text says, with spans, before anything is resolved. Both dialects give the same
//! tree; the order of operands is settled by the parser, so `dst` is what is written to.

use fencewright_base::{Int, Span};

use super::registers::{Family, Register};

/// A whole test.
#[derive(Debug)]
pub(super) struct Test {
    /// Its name.
    pub(super) name: String,
    /// Its dialect.
    pub(super) dialect: Dialect,
    /// The entries of the initial state.
    pub(super) init: Vec<InitEntry>,
    /// The threads in the order of their numbers, which are 0, 1, ….
    pub(super) threads: Vec<Vec<Cell>>,
    /// The head and the rows of the table, as they stand in the text.
    pub(super) rows: Vec<Row>,
    /// What `locations` asks to be shown.
    pub(super) locations: Vec<Place>,
    /// The condition of `filter`.
    pub(super) filter: Option<Proposition>,
    /// The condition itself; without one the test holds whatever happens.
    pub(super) condition: Option<(Quantifier, Proposition)>,
}

/// The two instruction dialects.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(super) enum Dialect {
    /// `X86`: destination first, 32-bit, as in `MOV EAX,[x]`.
    Intel32,
    /// `X86_64`: source first, sizes as suffixes, as in `movq (x),%rax`.
    Att64,
}

impl Dialect {
    /// The width of a register or location that nothing says the width of.
    pub(super) fn default_bits(self) -> u32 {
        match self {
            Dialect::Intel32 => 32,
            Dialect::Att64 => 64,
        }
    }
}

/// How the condition is meant.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(super) enum Quantifier {
    /// `exists`, `final`.
    Exists,
    /// `~exists`.
    NotExists,
    /// `forall`.
    Forall,
}

/// A register of a thread, or a location.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// Which.
    pub(super) kind: PlaceKind,
    /// Where it is named.
    pub(super) span: Span,
}

/// Which register or location.
#[derive(Debug, Clone)]
pub(super) enum PlaceKind {
    /// `0:EAX`.
    Register {
        /// The number of the thread.
        thread: usize,
        /// The register.
        register: Register,
        /// Its name as written.
        name: String,
    },
    /// `x` or `[x]`.
    Location(String),
}

/// An entry of the initial state.
#[derive(Debug)]
pub(super) struct InitEntry {
    /// What it is about.
    pub(super) place: Place,
    /// The type it gives.
    pub(super) ty: Option<Type>,
    /// The value it gives.
    pub(super) value: Option<InitValue>,
}

/// A C integer type.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(super) struct Type {
    /// Width.
    pub(super) bits: u32,
    /// Whether it is signed.
    pub(super) signed: bool,
}

/// An initial value.
#[derive(Debug, Clone)]
pub(super) enum InitValue {
    /// A number.
    Number(Int),
    /// The address of a location.
    Address(String),
}

/// Where a row of the table stands.
#[derive(Debug)]
pub(super) struct Row {
    /// Its first token.
    pub(super) start: Span,
    /// The `|` and the `;` that end its cells.
    pub(super) ends: Vec<Span>,
}

/// A cell of the table that holds something.
#[derive(Debug)]
pub(super) struct Cell {
    /// The labels before the instruction.
    pub(super) labels: Vec<(String, Span)>,
    /// The instruction, if there is one behind the labels.
    pub(super) instruction: Option<Instruction>,
}

/// An instruction.
#[derive(Debug)]
pub(super) struct Instruction {
    /// From the first to the last character of it, prefix included.
    pub(super) span: Span,
    /// Whether it has a `LOCK` prefix.
    pub(super) lock: bool,
    /// The width its suffix or a `PTR` gives.
    pub(super) bits: Option<u32>,
    /// What it does.
    pub(super) operation: Operation,
}

/// What an instruction does.
#[derive(Debug, Clone)]
pub(super) enum Operation {
    /// `MOV`.
    Move { dst: Operand, src: Operand },
    /// `ADD SUB AND OR XOR`.
    Binary { op: Arithmetic, dst: Operand, src: Operand },
    /// `INC DEC NEG NOT`.
    Unary { op: Single, dst: Operand },
    /// `CMP` (a subtraction) and `TEST` (an and) that only set the flags.
    Compare { op: Arithmetic, left: Operand, right: Operand },
    /// `XCHG`, and herd's `UXCH`, which is not locked.
    Exchange { left: Operand, right: Operand, locked: bool },
    /// `XADD`.
    ExchangeAdd { dst: Operand, src: Operand },
    /// `CMPXCHG`.
    CompareExchange { dst: Operand, src: Operand },
    /// `CMOVcc`.
    ConditionalMove { condition: FlagCondition, dst: Operand, src: Operand },
    /// `SETcc`.
    Set { condition: FlagCondition, dst: Operand },
    /// `JMP` and `Jcc`.
    Jump { condition: Option<FlagCondition>, label: String, label_span: Span },
    /// `MFENCE`.
    FullFence,
    /// `SFENCE`.
    StoreFence,
    /// `NOP`, `PAUSE`, and `LFENCE`, which orders only what no model here reorders.
    Nothing,
    /// `RET`: the thread ends.
    Return,
}

/// Operations on two operands.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the instructions")]
pub(super) enum Arithmetic {
    Add,
    Sub,
    And,
    Or,
    Xor,
}

/// Operations on one operand.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the instructions")]
pub(super) enum Single {
    Increment,
    Decrement,
    Negate,
    Complement,
}

/// A condition on the flags: a test, or its negation.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(super) struct FlagCondition {
    /// What is tested.
    pub(super) test: FlagTest,
    /// Whether the opposite is meant.
    pub(super) negated: bool,
}

/// What a conditional jump tests.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(super) enum FlagTest {
    /// Equal, zero: ZF.
    Equal,
    /// Below, as signed numbers: SF ≠ OF.
    Less,
    /// Below or equal, as signed numbers: ZF or SF ≠ OF.
    LessOrEqual,
    /// Below, as unsigned numbers; carry: CF.
    Below,
    /// Below or equal, as unsigned numbers: CF or ZF.
    BelowOrEqual,
    /// Negative: SF.
    Sign,
    /// Overflow: OF.
    Overflow,
}

/// An operand.
#[derive(Debug, Clone)]
pub(super) struct Operand {
    /// What it is.
    pub(super) kind: OperandKind,
    /// Where it stands.
    pub(super) span: Span,
}

/// What an operand is.
#[derive(Debug, Clone)]
pub(super) enum OperandKind {
    /// A number.
    Immediate(Int),
    /// A register.
    Register(Register, String),
    /// The location of that name.
    Location(String),
    /// The location whose address the register holds.
    Pointer(Family),
}

/// A proposition about a final state.
#[derive(Debug)]
pub(super) struct Proposition {
    /// The proposition.
    pub(super) tree: Tree,
    /// From its first to its last character.
    pub(super) span: Span,
}

/// The tree of a proposition. Chains of `/\` and `\/` are lists, so the depth is that of the parentheses.
#[derive(Debug)]
pub(super) enum Tree {
    /// `true` or `false`.
    Constant(bool),
    /// `place = value`.
    Number(Place, Int),
    /// `place = place`.
    Same(Place, Place),
    /// Negation.
    Not(Box<Tree>),
    /// All of them.
    All(Vec<Tree>),
    /// One of them.
    Any(Vec<Tree>),
}
