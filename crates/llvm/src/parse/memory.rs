//! Parses instructions on memory: their types, orderings and alignments.

use super::cursor::Parsed;
use super::instructions::Line;
use super::lexer::Kind;
use crate::module::{Constant, InstKind, Operand, Order, RmwOp, Type};

impl Line<'_, '_> {
    pub(super) fn alloca(&mut self) -> Parsed<InstKind> {
        self.skip_words(&["inalloca", "swifterror"]);
        let ty = self.c.ty(0)?;
        let mut count = Operand::Const(Constant::Int(1));
        if self.c.word() == "," && self.c.peek_at(1).is_some_and(|t| t.text(self.c.text).starts_with('i')) {
            self.c.at += 1;
            count = self.typed_operand()?.1;
        }
        let align = self.align()?;
        if self.c.word() == "," && self.c.peek_at(1).is_some_and(|t| t.text(self.c.text) == "addrspace") {
            self.c.at += 2;
            self.c.skip_group();
        }
        Ok(InstKind::Alloca { ty, count, align })
    }

    pub(super) fn load(&mut self) -> Parsed<InstKind> {
        let (atomic, volatile) = self.access_flags();
        let ty = self.c.ty(0)?;
        self.c.expect(",")?;
        let (_, ptr) = self.typed_operand()?;
        let order = self.order(atomic)?;
        let align = self.align()?;
        Ok(InstKind::Load { ty, ptr, order, volatile, align })
    }

    pub(super) fn store(&mut self) -> Parsed<InstKind> {
        let (atomic, volatile) = self.access_flags();
        let (ty, value) = self.typed_operand()?;
        self.c.expect(",")?;
        let (_, ptr) = self.typed_operand()?;
        let order = self.order(atomic)?;
        let align = self.align()?;
        Ok(InstKind::Store { ty, value, ptr, order, volatile, align })
    }

    pub(super) fn read_modify_write(&mut self) -> Parsed<InstKind> {
        self.access_flags();
        let op = rmw_op(self.c.word());
        self.c.at += 1;
        let (_, ptr) = self.typed_operand()?;
        self.c.expect(",")?;
        let (ty, value) = self.typed_operand()?;
        let order = self.order(true)?;
        Ok(match op {
            Some(op) => InstKind::Rmw { op, ty, ptr, value, order },
            None => InstKind::Unsupported("an atomic operation on floating-point numbers".into()),
        })
    }

    pub(super) fn compare_exchange(&mut self) -> Parsed<InstKind> {
        let mut weak = false;
        while matches!(self.c.word(), "weak" | "volatile") {
            weak |= self.c.word() == "weak";
            self.c.at += 1;
        }
        let (_, ptr) = self.typed_operand()?;
        self.c.expect(",")?;
        let (ty, expected) = self.typed_operand()?;
        self.c.expect(",")?;
        let (_, new) = self.typed_operand()?;
        let order = self.order(true)?;
        let failure = self.order(true)?;
        Ok(InstKind::CmpXchg { ty, ptr, expected, new, order, failure, weak })
    }

    pub(super) fn fence(&mut self) -> Parsed<InstKind> {
        let single = self.single_thread();
        let order = self.order(true)?;
        Ok(if single { InstKind::Nothing } else { InstKind::Fence(order) })
    }

    pub(super) fn element_pointer(&mut self) -> Parsed<InstKind> {
        self.skip_words(&["inbounds", "nuw", "nusw"]);
        let element = self.c.ty(0)?;
        self.c.expect(",")?;
        let (base_ty, base) = self.typed_operand()?;
        let mut indices = Vec::new();
        while self.c.word() == "," && self.c.peek_at(1).is_some_and(|t| t.kind != Kind::Meta) {
            self.c.at += 1;
            indices.push(self.typed_operand()?);
        }
        let is_vector = |ty: &Type| matches!(ty, Type::Vector(..));
        Ok(if is_vector(&base_ty) || indices.iter().any(|(ty, _)| is_vector(ty)) {
            InstKind::Unsupported("a vector of pointers".into())
        } else {
            InstKind::Gep { element, base, indices }
        })
    }

    pub(super) fn variable_argument(&mut self) -> Parsed<InstKind> {
        let (_, list) = self.typed_operand()?;
        self.c.expect(",")?;
        let ty = self.c.ty(0)?;
        Ok(InstKind::VaArg { list, ty })
    }

    /// Whether `atomic` and `volatile` are present.
    fn access_flags(&mut self) -> (bool, bool) {
        let (mut atomic, mut volatile) = (false, false);
        while matches!(self.c.word(), "atomic" | "volatile") {
            atomic |= self.c.word() == "atomic";
            volatile |= self.c.word() == "volatile";
            self.c.at += 1;
        }
        (atomic, volatile)
    }

    /// `, align 4`.
    fn align(&mut self) -> Parsed<Option<u64>> {
        if self.c.word() == "," && self.c.peek_at(1).is_some_and(|t| t.text(self.c.text) == "align") {
            self.c.at += 2;
            return Ok(Some(self.c.unsigned()?));
        }
        Ok(None)
    }

    /// `syncscope("…")`; whether it orders a thread only against its own signal handlers.
    fn single_thread(&mut self) -> bool {
        if !self.c.eat("syncscope") {
            return false;
        }
        let single = self.c.peek_at(1).is_some_and(|t| t.text(self.c.text) == "\"singlethread\"");
        self.c.skip_group();
        single
    }

    fn order(&mut self, atomic: bool) -> Parsed<Order> {
        if !atomic {
            return Ok(Order::Plain);
        }
        self.single_thread();
        let order = match self.c.word() {
            "unordered" | "monotonic" => Order::Relaxed,
            "acquire" => Order::Acquire,
            "release" => Order::Release,
            "acq_rel" => Order::AcqRel,
            "seq_cst" => Order::SeqCst,
            _ => return Err(self.c.malformed("expected a memory order")),
        };
        self.c.at += 1;
        Ok(order)
    }
}

fn rmw_op(word: &str) -> Option<RmwOp> {
    Some(match word {
        "xchg" => RmwOp::Xchg,
        "add" => RmwOp::Add,
        "sub" => RmwOp::Sub,
        "and" => RmwOp::And,
        "nand" => RmwOp::Nand,
        "or" => RmwOp::Or,
        "xor" => RmwOp::Xor,
        "max" => RmwOp::Max,
        "min" => RmwOp::Min,
        "umax" => RmwOp::UMax,
        "umin" => RmwOp::UMin,
        _ => return None,
    })
}
