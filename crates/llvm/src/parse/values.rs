//! Parses instructions that compute values from values: numbers, aggregates, vectors.

use super::cursor::Parsed;
use super::instructions::Line;
use super::lexer::Kind;
use crate::module::{
    BinOp, CastOp, Constant, Flags, FloatOp, FloatPredicate, InstKind, Operand, Predicate, Type,
};

/// Fast-math flags. They are ignored: the exact result is one of those that they allow.
pub(super) const FAST_MATH: &[&str] = &["fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"];

/// The most elements of a shuffled vector; more are malformed.
const MAX_ELEMENTS: u64 = 65_536;

impl Line<'_, '_> {
    pub(super) fn binary(&mut self, op: BinOp) -> Parsed<InstKind> {
        let flags = self.flags();
        let (ty, a, b) = self.two_operands()?;
        Ok(InstKind::Binary { op, ty, a, b, flags })
    }

    pub(super) fn cast(&mut self, op: CastOp) -> Parsed<InstKind> {
        let flags = self.flags();
        let (from, value) = self.typed_operand()?;
        self.c.expect("to")?;
        let to = self.c.ty(0)?;
        Ok(InstKind::Cast { op, from, value, to, flags })
    }

    pub(super) fn float_binary(&mut self, op: FloatOp) -> Parsed<InstKind> {
        self.skip_words(FAST_MATH);
        let (ty, a, b) = self.two_operands()?;
        Ok(InstKind::FloatBinary { op, ty, a, b })
    }

    pub(super) fn float_negate(&mut self) -> Parsed<InstKind> {
        self.skip_words(FAST_MATH);
        let (ty, value) = self.typed_operand()?;
        Ok(InstKind::FloatNegate { ty, value })
    }

    pub(super) fn compare(&mut self) -> Parsed<InstKind> {
        self.skip_words(&["samesign"]);
        let Some(predicate) = predicate(self.c.word()) else {
            return Err(self.c.malformed("expected a comparison"));
        };
        self.c.at += 1;
        let (ty, a, b) = self.two_operands()?;
        Ok(InstKind::Compare { predicate, ty, a, b })
    }

    pub(super) fn float_compare(&mut self) -> Parsed<InstKind> {
        self.skip_words(FAST_MATH);
        let Some(predicate) = float_predicate(self.c.word()) else {
            return Err(self.c.malformed("expected a comparison"));
        };
        self.c.at += 1;
        let (ty, a, b) = self.two_operands()?;
        Ok(InstKind::FloatCompare { predicate, ty, a, b })
    }

    pub(super) fn select(&mut self) -> Parsed<InstKind> {
        self.skip_words(FAST_MATH);
        let (_, condition) = self.typed_operand()?;
        self.c.expect(",")?;
        let (ty, yes) = self.typed_operand()?;
        self.c.expect(",")?;
        let (_, no) = self.typed_operand()?;
        Ok(InstKind::Select { condition, ty, yes, no })
    }

    pub(super) fn freeze(&mut self) -> Parsed<InstKind> {
        let (ty, value) = self.typed_operand()?;
        Ok(InstKind::Freeze { ty, value })
    }

    pub(super) fn extract_value(&mut self) -> Parsed<InstKind> {
        let (ty, aggregate) = self.typed_operand()?;
        let path = self.path()?;
        Ok(InstKind::ExtractValue { ty, aggregate, path })
    }

    pub(super) fn insert_value(&mut self) -> Parsed<InstKind> {
        let (ty, aggregate) = self.typed_operand()?;
        self.c.expect(",")?;
        let (element_ty, element) = self.typed_operand()?;
        let path = self.path()?;
        Ok(InstKind::InsertValue { ty, aggregate, element_ty, element, path })
    }

    pub(super) fn extract_element(&mut self) -> Parsed<InstKind> {
        let (ty, vector) = self.typed_operand()?;
        self.c.expect(",")?;
        let (_, index) = self.typed_operand()?;
        Ok(InstKind::ExtractElement { ty, vector, index })
    }

    pub(super) fn insert_element(&mut self) -> Parsed<InstKind> {
        let (ty, vector) = self.typed_operand()?;
        self.c.expect(",")?;
        let (_, element) = self.typed_operand()?;
        self.c.expect(",")?;
        let (_, index) = self.typed_operand()?;
        Ok(InstKind::InsertElement { ty, vector, element, index })
    }

    pub(super) fn shuffle_vector(&mut self) -> Parsed<InstKind> {
        let (ty, a) = self.typed_operand()?;
        self.c.expect(",")?;
        let (_, b) = self.typed_operand()?;
        self.c.expect(",")?;
        let mask = self.mask()?;
        Ok(InstKind::ShuffleVector { ty, a, b, mask })
    }

    fn mask(&mut self) -> Parsed<Vec<Option<u32>>> {
        let before = self.c.clone();
        let wrong = || before.malformed("expected the mask of a shuffle");
        let (ty, mask) = self.c.typed_constant(0)?;
        let Type::Vector(length @ ..=MAX_ELEMENTS, _) = ty else { return Err(wrong()) };
        let number = |constant: &Constant| match constant {
            Constant::Int(number) => u32::try_from(*number).ok().map(Some),
            Constant::Zero => Some(Some(0)),
            Constant::Undef => Some(None),
            _ => None,
        };
        let numbers: Option<Vec<_>> = match &mask {
            Constant::Aggregate(elements) if elements.len() as u64 == length => {
                elements.iter().map(|(_, element)| number(element)).collect()
            }
            Constant::Splat(element) => number(&element.1).map(|number| vec![number; length as usize]),
            whole => number(whole).map(|number| vec![number; length as usize]),
        };
        numbers.ok_or_else(wrong)
    }

    /// `T a, b`.
    fn two_operands(&mut self) -> Parsed<(Type, Operand, Operand)> {
        let (ty, a) = self.typed_operand()?;
        self.c.expect(",")?;
        let b = self.operand(&ty)?;
        Ok((ty, a, b))
    }

    fn flags(&mut self) -> Flags {
        let mut flags = Flags::default();
        loop {
            match self.c.word() {
                "nsw" => flags.nsw = true,
                "nuw" => flags.nuw = true,
                "exact" => flags.exact = true,
                "disjoint" => flags.disjoint = true,
                "nneg" => flags.nneg = true,
                // Casts between floating-point types have these flags.
                word if FAST_MATH.contains(&word) => {}
                _ => return flags,
            }
            self.c.at += 1;
        }
    }

    fn path(&mut self) -> Parsed<Vec<u64>> {
        let mut path = Vec::new();
        while self.c.word() == "," && self.c.peek_at(1).is_some_and(|t| t.kind == Kind::Number) {
            self.c.at += 1;
            path.push(self.c.unsigned()?);
        }
        Ok(path)
    }
}

pub(super) fn cast_op(word: &str) -> Option<CastOp> {
    Some(match word {
        "trunc" => CastOp::Trunc,
        "zext" => CastOp::ZExt,
        "sext" => CastOp::SExt,
        "fptoui" => CastOp::FpToUi,
        "fptosi" => CastOp::FpToSi,
        "uitofp" => CastOp::UiToFp,
        "sitofp" => CastOp::SiToFp,
        "fptrunc" | "fpext" => CastOp::FpResize,
        "ptrtoint" | "ptrtoaddr" | "inttoptr" | "bitcast" | "addrspacecast" => CastOp::Reinterpret,
        _ => return None,
    })
}

pub(super) fn float_op(word: &str) -> Option<FloatOp> {
    Some(match word {
        "fadd" => FloatOp::FAdd,
        "fsub" => FloatOp::FSub,
        "fmul" => FloatOp::FMul,
        "fdiv" => FloatOp::FDiv,
        "frem" => FloatOp::FRem,
        _ => return None,
    })
}

pub(super) fn predicate(word: &str) -> Option<Predicate> {
    Some(match word {
        "eq" => Predicate::Eq,
        "ne" => Predicate::Ne,
        "ugt" => Predicate::Ugt,
        "uge" => Predicate::Uge,
        "ult" => Predicate::Ult,
        "ule" => Predicate::Ule,
        "sgt" => Predicate::Sgt,
        "sge" => Predicate::Sge,
        "slt" => Predicate::Slt,
        "sle" => Predicate::Sle,
        _ => return None,
    })
}

fn float_predicate(word: &str) -> Option<FloatPredicate> {
    let (less, equal, greater, unordered) = match word {
        "false" => (false, false, false, false),
        "oeq" => (false, true, false, false),
        "ogt" => (false, false, true, false),
        "oge" => (false, true, true, false),
        "olt" => (true, false, false, false),
        "ole" => (true, true, false, false),
        "one" => (true, false, true, false),
        "ord" => (true, true, true, false),
        "uno" => (false, false, false, true),
        "ueq" => (false, true, false, true),
        "ugt" => (false, false, true, true),
        "uge" => (false, true, true, true),
        "ult" => (true, false, false, true),
        "ule" => (true, true, false, true),
        "une" => (true, false, true, true),
        "true" => (true, true, true, true),
        _ => return None,
    };
    Some(FloatPredicate { less, equal, greater, unordered })
}

pub(super) fn bin_op(word: &str) -> Option<BinOp> {
    Some(match word {
        "add" => BinOp::Add,
        "sub" => BinOp::Sub,
        "mul" => BinOp::Mul,
        "udiv" => BinOp::UDiv,
        "sdiv" => BinOp::SDiv,
        "urem" => BinOp::URem,
        "srem" => BinOp::SRem,
        "shl" => BinOp::Shl,
        "lshr" => BinOp::LShr,
        "ashr" => BinOp::AShr,
        "and" => BinOp::And,
        "or" => BinOp::Or,
        "xor" => BinOp::Xor,
        _ => return None,
    })
}
