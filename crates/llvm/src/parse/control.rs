//! Parses instructions that transfer control, and those at the start of a block that depend on its predecessor.

use super::cursor::Parsed;
use super::instructions::{Kinds, Line};
use super::values::FAST_MATH;
use crate::module::{BlockId, Clause, Constant, InstKind, Type};

/// The most types in one filter of a landing pad; a longer list is malformed.
const MAX_FILTER: u64 = 4_096;

impl Line<'_, '_> {
    pub(super) fn phi(&mut self) -> Parsed<InstKind> {
        self.skip_words(FAST_MATH);
        let ty = self.c.ty(0)?;
        let mut incoming = Vec::new();
        while self.c.eat("[") {
            let value = self.operand(&ty)?;
            self.c.expect(",")?;
            let block = self.block()?;
            self.c.expect("]")?;
            incoming.push((value, block));
            if self.c.word() == "," && self.c.peek_at(1).is_some_and(|t| t.text(self.c.text) == "[") {
                self.c.at += 1;
            }
        }
        Ok(InstKind::Phi { ty, incoming })
    }

    /// The call, and the jump to its normal successor.
    pub(super) fn invoke(&mut self) -> Parsed<Kinds> {
        let mut call = self.call()?;
        while self.c.peek().is_some() && self.c.word() != "to" {
            self.c.at += 1;
        }
        self.c.expect("to")?;
        let normal = self.label()?;
        self.c.expect("unwind")?;
        let exceptional = self.label()?;
        if let InstKind::Call { unwind, .. } = &mut call {
            *unwind = Some(exceptional);
        }
        Ok(smallvec::smallvec![call, InstKind::Goto(normal)])
    }

    pub(super) fn landing_pad(&mut self) -> Parsed<InstKind> {
        let ty = self.c.ty(0)?;
        let cleanup = self.c.eat("cleanup");
        let mut clauses = Vec::new();
        loop {
            if self.c.eat("catch") {
                clauses.push(Clause::Catch(self.c.typed_constant(0)?.1));
            } else if self.c.eat("filter") {
                clauses.push(Clause::Filter(self.filter()?));
            } else {
                return Ok(InstKind::LandingPad { ty, cleanup, clauses });
            }
        }
    }

    /// `[2 x ptr] [ptr @a, ptr @b]`.
    fn filter(&mut self) -> Parsed<Vec<Constant>> {
        let before = self.c.clone();
        let wrong = || before.malformed("expected an array of types");
        let (ty, types) = self.c.typed_constant(0)?;
        let Type::Array(length @ ..=MAX_FILTER, _) = ty else { return Err(wrong()) };
        match types {
            Constant::Aggregate(types) if types.len() as u64 == length => {
                Ok(types.into_iter().map(|(_, ty)| ty).collect())
            }
            Constant::Zero => Ok(vec![Constant::Zero; length as usize]),
            Constant::Undef if length == 0 => Ok(Vec::new()),
            _ => Err(wrong()),
        }
    }

    pub(super) fn resume(&mut self) -> Parsed<InstKind> {
        let (ty, value) = self.typed_operand()?;
        Ok(InstKind::Resume { ty, value })
    }

    pub(super) fn branch(&mut self) -> Parsed<InstKind> {
        if self.c.word() == "label" {
            return Ok(InstKind::Goto(self.label()?));
        }
        let (_, condition) = self.typed_operand()?;
        self.c.expect(",")?;
        let yes = self.label()?;
        self.c.expect(",")?;
        let no = self.label()?;
        Ok(InstKind::Branch { condition, yes, no })
    }

    pub(super) fn switch(&mut self) -> Parsed<InstKind> {
        let (ty, value) = self.typed_operand()?;
        self.c.expect(",")?;
        let default = self.label()?;
        self.c.expect("[")?;
        let mut cases = Vec::new();
        while !self.c.eat("]") {
            let (_, case) = self.c.typed_constant(0)?;
            self.c.expect(",")?;
            cases.push((case, self.label()?));
        }
        Ok(InstKind::Switch { ty, value, default, cases })
    }

    pub(super) fn indirect_branch(&mut self) -> Parsed<InstKind> {
        let (_, address) = self.typed_operand()?;
        self.c.expect(",")?;
        self.c.expect("[")?;
        let mut targets = Vec::new();
        while !self.c.eat("]") {
            if !targets.is_empty() {
                self.c.expect(",")?;
            }
            targets.push(self.label()?);
        }
        Ok(InstKind::IndirectBranch { address, targets })
    }

    pub(super) fn ret(&mut self) -> Parsed<InstKind> {
        if self.c.word() == "void" && self.c.peek_at(1).is_none_or(|t| t.text(self.c.text) != "(") {
            self.c.at += 1;
            return Ok(InstKind::Return(None));
        }
        Ok(InstKind::Return(Some(self.typed_operand()?)))
    }

    /// `label %b`.
    fn label(&mut self) -> Parsed<BlockId> {
        self.c.expect("label")?;
        self.block()
    }
}
