//! One cell's tokens to an [`Instruction`], in either dialect. The mnemonic, without regard to case, says what is done;
//! the dialect says in which order operands stand and whether a suffix `b w l q` gives a size.
//!
//! `X86` has the destination first. Suffixes of `MOV` are taken there and ignored, as herd does: every access has the
//! width of the register or location. `X86_64` has the source first. Where the order cannot matter (exchange, and the
//! register and memory operands of `XADD` and `CMPXCHG`) both orders are taken.

use fencewright_base::{Diagnostic, Span};

use super::ast::*;
use super::codes;
use super::lexer::{Token, TokenKind};
use super::registers::{self, Family, Meaning, Register};

/// The instruction that the tokens, which are not empty and hold no `End`, spell. `lock` is the span of a `LOCK`
/// prefix that stood before them.
pub(super) fn instruction(
    dialect: Dialect,
    lock: Option<Span>,
    tokens: &[Token],
) -> Result<Instruction, Diagnostic> {
    let mut cursor = Cursor { tokens, at: 0 };
    let (mnemonic, mnemonic_span) = cursor.mnemonic()?;
    let span = lock.unwrap_or(mnemonic_span).to(tokens[tokens.len() - 1].span);
    let Some((shape, suffix)) = shape_of(&mnemonic, dialect) else {
        return Err(unknown(&mnemonic, mnemonic_span));
    };
    if shape == Shape::Idle {
        return Ok(Instruction { span, lock: false, bits: None, operation: Operation::Nothing });
    }
    let mut bits = suffix;
    let mut operands = Vec::new();
    let mut target = None;
    if let Shape::Jump(_) = shape {
        target = Some(cursor.label()?);
    } else {
        while !cursor.is_done() {
            if !operands.is_empty() {
                cursor.sign(",")?;
            }
            operands.push(cursor.operand(&mut bits)?);
        }
    }
    if !cursor.is_done() {
        return Err(
            operands_error(cursor.here(), "nothing may follow").label("expected the end of the instruction")
        );
    }
    let expected = shape.n_operands();
    if operands.len() != expected {
        let name = mnemonic.to_ascii_uppercase();
        let message = format!("`{name}` takes {expected} operand{}", if expected == 1 { "" } else { "s" });
        return Err(operands_error(span, &message).label(format!("here are {}", operands.len())));
    }
    let operation = build(shape, dialect, operands, target)?;
    if let (Some(lock), false) = (lock, can_be_locked(&operation)) {
        return Err(Diagnostic::error(
            &codes::LOCK,
            lock,
            format!("`LOCK` before `{}`", mnemonic.to_ascii_uppercase()),
        )
        .label("expected an instruction that reads and writes memory behind it")
        .help(
            "only ADD, SUB, AND, OR, XOR, INC, DEC, NEG, NOT, XADD, CMPXCHG and XCHG on memory can be locked",
        ));
    }
    Ok(Instruction { span, lock: lock.is_some(), bits, operation })
}

/// What a mnemonic stands for: the operation without its operands.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
enum Shape {
    Move,
    Binary(Arithmetic),
    Unary(Single),
    Compare(Arithmetic),
    Exchange {
        locked: bool,
    },
    ExchangeAdd,
    CompareExchange,
    ConditionalMove(FlagCondition),
    Set(FlagCondition),
    Jump(Option<FlagCondition>),
    FullFence,
    StoreFence,
    Return,
    /// Does nothing, whatever operands it has.
    Idle,
}

impl Shape {
    fn n_operands(self) -> usize {
        match self {
            Shape::Move
            | Shape::Binary(_)
            | Shape::Compare(_)
            | Shape::Exchange { .. }
            | Shape::ExchangeAdd
            | Shape::CompareExchange
            | Shape::ConditionalMove(_) => 2,
            Shape::Unary(_) | Shape::Set(_) => 1,
            Shape::Jump(_) | Shape::FullFence | Shape::StoreFence | Shape::Return | Shape::Idle => 0,
        }
    }
}

/// Mnemonics that can carry a size.
const SIZED: [(&str, Shape); 17] = [
    ("mov", Shape::Move),
    ("add", Shape::Binary(Arithmetic::Add)),
    ("sub", Shape::Binary(Arithmetic::Sub)),
    ("and", Shape::Binary(Arithmetic::And)),
    ("or", Shape::Binary(Arithmetic::Or)),
    ("xor", Shape::Binary(Arithmetic::Xor)),
    ("inc", Shape::Unary(Single::Increment)),
    ("dec", Shape::Unary(Single::Decrement)),
    ("neg", Shape::Unary(Single::Negate)),
    ("not", Shape::Unary(Single::Complement)),
    ("cmp", Shape::Compare(Arithmetic::Sub)),
    ("test", Shape::Compare(Arithmetic::And)),
    ("xchg", Shape::Exchange { locked: true }),
    ("uxch", Shape::Exchange { locked: false }),
    ("xadd", Shape::ExchangeAdd),
    ("cmpxchg", Shape::CompareExchange),
    ("nop", Shape::Idle),
];

/// Mnemonics that cannot.
const UNSIZED: [(&str, Shape); 7] = [
    ("mfence", Shape::FullFence),
    ("sfence", Shape::StoreFence),
    ("lfence", Shape::Idle),
    ("pause", Shape::Idle),
    ("ret", Shape::Return),
    ("retq", Shape::Return),
    ("jmp", Shape::Jump(None)),
];

/// The condition codes of `Jcc`, `CMOVcc` and `SETcc`, and herd's `lt` and `gt`.
const CONDITIONS: [(&str, FlagTest, bool); 28] = [
    ("e", FlagTest::Equal, false),
    ("z", FlagTest::Equal, false),
    ("ne", FlagTest::Equal, true),
    ("nz", FlagTest::Equal, true),
    ("l", FlagTest::Less, false),
    ("lt", FlagTest::Less, false),
    ("nge", FlagTest::Less, false),
    ("ge", FlagTest::Less, true),
    ("nl", FlagTest::Less, true),
    ("le", FlagTest::LessOrEqual, false),
    ("ng", FlagTest::LessOrEqual, false),
    ("g", FlagTest::LessOrEqual, true),
    ("gt", FlagTest::LessOrEqual, true),
    ("nle", FlagTest::LessOrEqual, true),
    ("b", FlagTest::Below, false),
    ("c", FlagTest::Below, false),
    ("nae", FlagTest::Below, false),
    ("ae", FlagTest::Below, true),
    ("nb", FlagTest::Below, true),
    ("nc", FlagTest::Below, true),
    ("be", FlagTest::BelowOrEqual, false),
    ("na", FlagTest::BelowOrEqual, false),
    ("a", FlagTest::BelowOrEqual, true),
    ("nbe", FlagTest::BelowOrEqual, true),
    ("s", FlagTest::Sign, false),
    ("ns", FlagTest::Sign, true),
    ("o", FlagTest::Overflow, false),
    ("no", FlagTest::Overflow, true),
];

/// Instructions of x86 that are known and not supported, with the reason.
const UNSUPPORTED: [(&str, &str); 9] = [
    ("movnti", "non-temporal stores are outside the store-buffer models"),
    ("movntdqa", "non-temporal loads are outside the store-buffer models"),
    ("clflush", "cache control is not modelled"),
    ("clflushopt", "cache control is not modelled"),
    ("lea", "addresses are not values here"),
    ("movsd", "string and vector moves are not modelled"),
    ("movd", "vector registers are not modelled"),
    ("shl", "shifts are not supported"),
    ("imul", "multiplication is not supported"),
];

/// The operation a mnemonic names and the width its suffix gives.
fn shape_of(mnemonic: &str, dialect: Dialect) -> Option<(Shape, Option<u32>)> {
    let lower = mnemonic.to_ascii_lowercase();
    let find = |table: &[(&str, Shape)], name: &str| table.iter().find(|row| row.0 == name).map(|row| row.1);
    if let Some(shape) = find(&SIZED, &lower).or_else(|| find(&UNSIZED, &lower)) {
        return Some((shape, None));
    }
    let condition = |code: &str| {
        let row = CONDITIONS.iter().find(|row| row.0 == code)?;
        Some(FlagCondition { test: row.1, negated: row.2 })
    };
    if let Some(condition) = lower.strip_prefix('j').and_then(condition) {
        return Some((Shape::Jump(Some(condition)), None));
    }
    if let Some(condition) = lower.strip_prefix("set").and_then(condition) {
        return Some((Shape::Set(condition), None));
    }
    if let Some(condition) = lower.strip_prefix("cmov").and_then(condition) {
        return Some((Shape::ConditionalMove(condition), None));
    }
    let (bits, stem) = [("b", 8), ("w", 16), ("l", 32), ("q", 64)]
        .into_iter()
        .find_map(|(suffix, bits)| Some((bits, lower.strip_suffix(suffix)?)))?;
    let shape = find(&SIZED, stem)
        .or_else(|| stem.strip_prefix("cmov").and_then(condition).map(Shape::ConditionalMove))?;
    Some((shape, (dialect == Dialect::Att64).then_some(bits)))
}

fn unknown(mnemonic: &str, span: Span) -> Diagnostic {
    let lower = mnemonic.to_ascii_lowercase();
    let stem = lower.strip_suffix(['b', 'w', 'l', 'q']).unwrap_or(&lower);
    match UNSUPPORTED.iter().find(|row| row.0 == lower || row.0 == stem) {
        Some((_, reason)) => {
            Diagnostic::error(&codes::UNSUPPORTED, span, format!("`{mnemonic}` is not supported: {reason}"))
        }
        None => Diagnostic::error(&codes::INSTRUCTION, span, format!("unknown instruction `{mnemonic}`"))
            .label("expected a mnemonic such as `MOV` or `MFENCE`")
            .help("docs/formats/litmus.md lists the instructions that are taken"),
    }
}

fn operands_error(span: Span, message: &str) -> Diagnostic {
    Diagnostic::error(&codes::OPERANDS, span, message)
}

/// Puts operands into their places and checks that they can stand there.
fn build(
    shape: Shape,
    dialect: Dialect,
    operands: Vec<Operand>,
    target: Option<(String, Span)>,
) -> Result<Operation, Diagnostic> {
    let mut operands = operands.into_iter();
    let mut next = || operands.next();
    let first = next();
    let second = next();
    // Destination first from here on, whatever the dialect.
    let (dst, src) = match (dialect, first, second) {
        (Dialect::Att64, Some(src), Some(dst)) => (Some(dst), Some(src)),
        (_, dst, src) => (dst, src),
    };
    let operation = match (shape, dst, src) {
        (Shape::Move, Some(dst), Some(src)) => Operation::Move { dst: writable(dst, dialect)?, src },
        (Shape::Binary(op), Some(dst), Some(src)) => {
            let (dst, src) = not_both_memory(writable(dst, dialect)?, src)?;
            Operation::Binary { op, dst, src }
        }
        (Shape::Compare(op), Some(left), Some(right)) => {
            let (left, right) = not_both_memory(left, right)?;
            Operation::Compare { op, left, right }
        }
        (Shape::Unary(op), Some(dst), _) => Operation::Unary { op, dst: writable(dst, dialect)? },
        (Shape::Exchange { locked }, Some(left), Some(right)) => {
            let (left, right) = not_both_memory(writable(left, dialect)?, writable(right, dialect)?)?;
            Operation::Exchange { left, right, locked }
        }
        (Shape::ExchangeAdd, Some(dst), Some(src)) => {
            let (dst, src) = memory_and_register(dst, src)?;
            Operation::ExchangeAdd { dst, src }
        }
        (Shape::CompareExchange, Some(dst), Some(src)) => {
            let (dst, src) = memory_and_register(dst, src)?;
            if !is_memory(&dst) {
                return Err(operands_error(dst.span, "`CMPXCHG` on registers is not supported")
                    .label("expected a location"));
            }
            Operation::CompareExchange { dst, src }
        }
        (Shape::ConditionalMove(condition), Some(dst), Some(src)) => {
            Operation::ConditionalMove { condition, dst: register(dst)?, src }
        }
        (Shape::Set(condition), Some(dst), _) => Operation::Set { condition, dst: writable(dst, dialect)? },
        (Shape::FullFence, ..) => Operation::FullFence,
        (Shape::StoreFence, ..) => Operation::StoreFence,
        (Shape::Return, ..) => Operation::Return,
        (Shape::Jump(condition), ..) => match target {
            Some((label, label_span)) => Operation::Jump { condition, label, label_span },
            None => Operation::Nothing,
        },
        // The number of operands has been checked: only `Idle` comes here.
        _ => Operation::Nothing,
    };
    Ok(operation)
}

fn is_memory(operand: &Operand) -> bool {
    matches!(operand.kind, OperandKind::Location(_) | OperandKind::Pointer(_))
}

fn writable(operand: Operand, dialect: Dialect) -> Result<Operand, Diagnostic> {
    match operand.kind {
        OperandKind::Immediate(_) => {
            let order = match dialect {
                Dialect::Intel32 => "X86 has the destination first: `MOV [x],$1`",
                Dialect::Att64 => "X86_64 has the source first: `movq $1,(x)`",
            };
            Err(operands_error(operand.span, "a number cannot be written to")
                .label("expected a register or a location")
                .help(order))
        }
        _ => Ok(operand),
    }
}

fn register(operand: Operand) -> Result<Operand, Diagnostic> {
    match operand.kind {
        OperandKind::Register(..) => Ok(operand),
        _ => Err(operands_error(operand.span, "a register is needed here").label("expected a register")),
    }
}

fn not_both_memory(dst: Operand, src: Operand) -> Result<(Operand, Operand), Diagnostic> {
    if is_memory(&dst) && is_memory(&src) {
        return Err(operands_error(src.span, "an instruction has one memory operand at most")
            .also(dst.span, "the other one")
            .help("load one of them into a register first"));
    }
    Ok((dst, src))
}

/// For `XADD` and `CMPXCHG`: the memory operand is the destination wherever it stands.
fn memory_and_register(dst: Operand, src: Operand) -> Result<(Operand, Operand), Diagnostic> {
    let (dst, src) = if is_memory(&src) && !is_memory(&dst) { (src, dst) } else { (dst, src) };
    if let OperandKind::Immediate(_) = dst.kind {
        return Err(operands_error(dst.span, "a number cannot be written to")
            .label("expected a register or a location"));
    }
    Ok((dst, register(src)?))
}

fn can_be_locked(operation: &Operation) -> bool {
    match operation {
        Operation::Binary { dst, .. }
        | Operation::Unary { dst, .. }
        | Operation::ExchangeAdd { dst, .. }
        | Operation::CompareExchange { dst, .. } => is_memory(dst),
        Operation::Exchange { left, right, .. } => is_memory(left) || is_memory(right),
        _ => false,
    }
}

/// A position in one cell's tokens.
struct Cursor<'a> {
    tokens: &'a [Token],
    at: usize,
}

impl Cursor<'_> {
    fn is_done(&self) -> bool {
        self.at >= self.tokens.len()
    }

    fn peek(&self) -> Option<&TokenKind> {
        self.tokens.get(self.at).map(|token| &token.kind)
    }

    /// The span of the next token, or the place just behind the last.
    fn here(&self) -> Span {
        match self.tokens.get(self.at) {
            Some(token) => token.span,
            None => self.tokens[self.tokens.len() - 1].span.after(),
        }
    }

    fn take(&mut self, sign: &str) -> bool {
        let there = matches!(self.peek(), Some(TokenKind::Sign(s)) if *s == sign);
        self.at += usize::from(there);
        there
    }

    fn sign(&mut self, sign: &'static str) -> Result<(), Diagnostic> {
        if self.take(sign) {
            return Ok(());
        }
        Err(operands_error(self.here(), "these operands make no sense").label(format!("expected `{sign}`")))
    }

    fn mnemonic(&mut self) -> Result<(String, Span), Diagnostic> {
        let span = self.here();
        match self.peek() {
            Some(TokenKind::Name(name)) => {
                let name = name.clone();
                self.at += 1;
                Ok((name, span))
            }
            _ => Err(Diagnostic::error(&codes::INSTRUCTION, span, "this is no instruction")
                .label("expected a mnemonic such as `MOV`")),
        }
    }

    fn label(&mut self) -> Result<(String, Span), Diagnostic> {
        let span = self.here();
        match self.peek() {
            Some(TokenKind::Name(name)) => {
                let name = name.clone();
                self.at += 1;
                Ok((name, span))
            }
            _ => Err(operands_error(span, "a jump needs a label").label("expected the name of a label")),
        }
    }

    /// `DWORD PTR` or `DWORD` before an operand gives the width.
    fn size(&mut self, bits: &mut Option<u32>) {
        let Some(TokenKind::Name(name)) = self.peek() else { return };
        let Some(width) = pointer_size(name) else { return };
        *bits = Some(width);
        self.at += 1;
        if matches!(self.peek(), Some(TokenKind::Name(ptr)) if ptr.eq_ignore_ascii_case("ptr")) {
            self.at += 1;
        }
    }

    /// An operand, and its width if it says one.
    fn operand(&mut self, bits: &mut Option<u32>) -> Result<Operand, Diagnostic> {
        self.size(bits);
        let start = self.here();
        let Some(token) = self.tokens.get(self.at).cloned() else {
            return Err(operands_error(start, "an operand is missing")
                .label("expected a register, number or location"));
        };
        self.at += 1;
        let done = |cursor: &Self, kind| Operand { kind, span: start.to(cursor.tokens[cursor.at - 1].span) };
        match token.kind {
            TokenKind::Number(value) => {
                if matches!(self.peek(), Some(TokenKind::Sign("(" | "["))) {
                    let operand = self.operand(bits)?;
                    if !value.is_zero() {
                        return Err(computed(start.to(operand.span)));
                    }
                    return Ok(operand);
                }
                Ok(done(self, OperandKind::Immediate(value)))
            }
            TokenKind::Percent(name) => Ok(done(self, OperandKind::Register(named(&name, start)?, name))),
            TokenKind::Dollar(name) => {
                Err(Diagnostic::error(&codes::ADDRESS, start, format!("the address of `{name}` as a value"))
                    .label("expected a number")
                    .help("put the address into a register in the initial state, as in `0:rbx=x;`"))
            }
            TokenKind::Name(name) => {
                if matches!(self.peek(), Some(TokenKind::Sign("("))) {
                    // `x(%rip)`: the location x, relative to the instruction pointer.
                    self.at += 1;
                    let is_rip =
                        matches!(self.peek(), Some(TokenKind::Percent(r)) if r.eq_ignore_ascii_case("rip"));
                    if !is_rip {
                        return Err(computed(start.to(self.here())));
                    }
                    self.at += 1;
                    self.sign(")")?;
                    return Ok(done(self, OperandKind::Location(name)));
                }
                match registers::meaning(&name) {
                    Meaning::Register(register) => Ok(done(self, OperandKind::Register(register, name))),
                    Meaning::Unsupported => Err(register_part(&name, start)),
                    Meaning::Other => {
                        Err(Diagnostic::error(&codes::REGISTER, start, format!("`{name}` is not a register"))
                            .label("expected a register, a number or a location in brackets")
                            .help(format!("write `[{name}]` for the location of that name")))
                    }
                }
            }
            TokenKind::Sign(open @ ("[" | "(")) => {
                let close = if open == "[" { "]" } else { ")" };
                let kind = match self.peek().cloned() {
                    Some(TokenKind::Percent(name)) => OperandKind::Pointer(named(&name, self.here())?.family),
                    Some(TokenKind::Name(name)) => match registers::pointer(&name) {
                        Some(register) => OperandKind::Pointer(register.family),
                        None => OperandKind::Location(name),
                    },
                    Some(TokenKind::Number(address)) => OperandKind::Location(address.to_string()),
                    _ => {
                        return Err(operands_error(self.here(), "no location between the brackets")
                            .label("expected a location or a register"));
                    }
                };
                self.at += 1;
                if !self.take(close) {
                    return Err(match self.peek() {
                        Some(TokenKind::Sign("+" | "-" | "," | "*") | TokenKind::Number(_)) => {
                            computed(start.to(self.here()))
                        }
                        _ => operands_error(self.here(), "the bracket is not closed")
                            .label(format!("expected `{close}`")),
                    });
                }
                Ok(done(self, kind))
            }
            _ => {
                Err(operands_error(start, "this is no operand")
                    .label("expected a register, number or location"))
            }
        }
    }
}

fn pointer_size(name: &str) -> Option<u32> {
    [("byte", 8), ("word", 16), ("dword", 32), ("qword", 64)]
        .into_iter()
        .find_map(|(size, bits)| name.eq_ignore_ascii_case(size).then_some(bits))
}

/// The register `%name`.
fn named(name: &str, span: Span) -> Result<Register, Diagnostic> {
    match registers::meaning(name) {
        Meaning::Register(register) => Ok(register),
        Meaning::Unsupported => Err(register_part(name, span)),
        Meaning::Other => Ok(Register { family: Family::Symbolic(name.to_owned()), bits: None }),
    }
}

/// The diagnostic for a register of x86 that is not supported.
pub(super) fn register_part(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(&codes::REGISTER, span, format!("register `{name}` is not supported"))
        .label("expected a general-purpose register")
        .help("bits 8 to 15 of a register, the instruction pointer and the flags cannot be named")
}

fn computed(span: Span) -> Diagnostic {
    Diagnostic::error(&codes::ADDRESS, span, "computed addresses are not supported")
        .label("expected a location or a register that holds an address")
}
