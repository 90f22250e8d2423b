//! Expressions: what they mention of memory is read into scratch registers first.
//!
//! `&&`, `||` and `imply` do not look at their second operand if the first decides. A read that is not needed changes
//! nothing, so it is made anyway, but an index that is not needed must not be an error: it is replaced by 0.
//!
//! DiVinE computes in 32 bits. Where an operation can leave them, the result is wrapped; that is found from the types, so
//! it costs nothing where it cannot happen.

use fencewright_base::{Diagnostic, Int};
use fencewright_ir::{Addr, BinaryOp, Domain, Expr, RegExpr, UnaryOp};

use super::super::ast::{self, Binary, ExprKind, Name, Unary};
use super::super::codes;
use super::domain;
use super::names::Storage;
use super::steps::StepBuilder;

impl<'a> StepBuilder<'_, 'a> {
    /// The expression over registers. `needed` is when its value matters; `None`: always.
    pub(super) fn expr(&mut self, expr: &'a ast::Expr, needed: Option<&RegExpr>) -> Option<RegExpr> {
        if let Some(value) = self.lowering.names.fold(expr, Some(self.process)) {
            return Some(RegExpr::constant(value));
        }
        match &expr.kind {
            ExprKind::Number(value) => Some(RegExpr::constant(*value)),
            ExprKind::Variable(name) => {
                let symbol = self.symbol(name)?;
                self.shape(&symbol, false, name.span)?;
                match symbol.storage {
                    Storage::Register(reg) => Some(RegExpr::Atom(reg)),
                    Storage::Memory(cell) => Some(self.load(&symbol, Addr::Cell(cell))),
                    Storage::Nowhere => Some(RegExpr::constant(symbol.init[0])),
                }
            }
            ExprKind::Element(name, index) => {
                let symbol = self.symbol(name)?;
                self.shape(&symbol, true, name.span)?;
                let addr = self.element(&symbol, index, needed)?;
                Some(self.load(&symbol, addr))
            }
            ExprKind::At(process, state) => self.at(process, state),
            ExprKind::Foreign(process, variable, index) => {
                self.foreign(process, variable, index.as_deref(), needed)
            }
            ExprKind::Unary(op, operand) => {
                let operand = Box::new(self.expr(operand, needed)?);
                Some(match op {
                    Unary::Neg => self.fit(Expr::Unary(UnaryOp::Neg, operand)),
                    Unary::Not => Expr::Unary(UnaryOp::Not, operand),
                    Unary::BitNot => Expr::Unary(UnaryOp::BitNot, operand),
                })
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, needed),
        }
    }

    fn binary(
        &mut self,
        op: Binary,
        left: &'a ast::Expr,
        right: &'a ast::Expr,
        needed: Option<&RegExpr>,
    ) -> Option<RegExpr> {
        let left = self.expr(left, needed)?;
        let decides = match op {
            Binary::And | Binary::Imply => Some(left.clone()),
            Binary::Or => Some(left.clone().not()),
            _ => None,
        };
        let right_needed = match (decides, needed) {
            (None, needed) => needed.cloned(),
            (Some(open), None) => Some(open),
            (Some(open), Some(needed)) => Some(needed.clone().and(open)),
        };
        let right = self.expr(right, right_needed.as_ref())?;
        let Some(simple) = op.in_programs() else { return Some(left.not().or(right)) };
        Some(self.fit(left.binary(simple, right)))
    }

    /// The expression, checked to fit in the type where it can be outside it: DiVinE makes that an error.
    pub(super) fn checked(&self, value: RegExpr, ty: ast::Type) -> RegExpr {
        let Domain::Machine { bits, signed } = domain(ty) else { return value };
        let within = self.bounds(&value).zip(domain(ty).bounds());
        match within {
            Some(((lo, hi), (least, greatest))) if least <= lo && hi <= greatest => value,
            _ => Expr::Checked { bits, signed, value: Box::new(value) },
        }
    }

    /// The expression, wrapped to 32 bits if it can be outside them.
    fn fit(&self, expr: RegExpr) -> RegExpr {
        let (least, greatest) = (Int::from(i64::from(i32::MIN)), Int::from(i64::from(i32::MAX)));
        match self.bounds(&expr) {
            Some((lo, hi)) if least <= lo && hi <= greatest => expr,
            _ => Expr::Wrap { bits: 32, signed: true, value: Box::new(expr) },
        }
    }

    /// Bounds of an expression whose operands are within 32 bits; `None` if nothing useful is known.
    fn bounds(&self, expr: &RegExpr) -> Option<(Int, Int)> {
        let truth = || Some((Int::ZERO, Int::ONE));
        let whole = || Some((Int::from(i64::from(i32::MIN)), Int::from(i64::from(i32::MAX))));
        match expr {
            Expr::Const(value) => Some((value.clone(), value.clone())),
            Expr::Atom(reg) => Some(self.register_bounds(*reg)),
            Expr::Unary(UnaryOp::Not, _) => truth(),
            Expr::Unary(UnaryOp::Neg, e) => self.bounds(e).map(|(lo, hi)| (hi.neg(), lo.neg())),
            Expr::Unary(UnaryOp::BitNot, e) => self.bounds(e).map(|(lo, hi)| (hi.bit_not(), lo.bit_not())),
            Expr::Wrap { .. } | Expr::Checked { .. } => whole(),
            Expr::Choose(_, a, b) => {
                let ((a, b), (c, d)) = (self.bounds(a)?, self.bounds(b)?);
                Some((a.min(c), b.max(d)))
            }
            Expr::Binary(op, a, b) => {
                let ((a_lo, a_hi), (b_lo, b_hi)) = (self.bounds(a)?, self.bounds(b)?);
                match op {
                    BinaryOp::Add => Some((a_lo.add(&b_lo), a_hi.add(&b_hi))),
                    BinaryOp::Sub => Some((a_lo.sub(&b_hi), a_hi.sub(&b_lo))),
                    BinaryOp::Mul => {
                        let corners = [a_lo.mul(&b_lo), a_lo.mul(&b_hi), a_hi.mul(&b_lo), a_hi.mul(&b_hi)];
                        let least = corners.iter().min()?.clone();
                        Some((least, corners.into_iter().max()?))
                    }
                    BinaryOp::Div | BinaryOp::Shr if a_lo >= Int::ZERO && b_lo >= Int::ZERO => {
                        Some((Int::ZERO, a_hi))
                    }
                    // The least number divided by -1 is the only quotient that is not within 32 bits.
                    BinaryOp::Div => {
                        let negative = b_lo < Int::ZERO;
                        if negative && a_lo <= Int::from(i64::from(i32::MIN)) { None } else { whole() }
                    }
                    BinaryOp::Rem => {
                        let most = b_lo.neg().max(b_hi).sub(&Int::ONE).max(Int::ZERO);
                        let least = if a_lo >= Int::ZERO { Int::ZERO } else { most.neg() };
                        Some((least, most))
                    }
                    BinaryOp::BitAnd if a_lo >= Int::ZERO && b_lo >= Int::ZERO => {
                        Some((Int::ZERO, a_hi.min(b_hi)))
                    }
                    BinaryOp::Shl => None,
                    BinaryOp::Shr | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => whole(),
                    BinaryOp::Eq
                    | BinaryOp::Ne
                    | BinaryOp::Lt
                    | BinaryOp::Le
                    | BinaryOp::Gt
                    | BinaryOp::Ge
                    | BinaryOp::And
                    | BinaryOp::Or => truth(),
                }
            }
        }
    }

    fn process_number(&mut self, name: &Name) -> Option<usize> {
        let found = self.lowering.names.processes.iter().position(|process| process.name.text == name.text);
        if found.is_none() {
            let message = format!("there is no process `{}` here", name.text);
            return self.complain(
                Diagnostic::error(&codes::UNKNOWN, name.span, message)
                    .help("name a process of the model that is not its property"),
            );
        }
        found
    }

    fn at(&mut self, process: &Name, state: &Name) -> Option<RegExpr> {
        let number = self.process_number(process)?;
        let process = self.lowering.names.processes[number];
        let place = self.lowering.state(process, state)?;
        if number == self.process {
            return Some(RegExpr::constant(i64::from(self.here == place)));
        }
        if let Some(together) = &self.together {
            return Some(RegExpr::constant(i64::from(together.at[number] == place)));
        }
        let mirror = self.lowering.names.mirrors[&number];
        let states = Domain::range(0, process.states.len() as i64 - 1);
        Some(self.read(Addr::Cell(mirror), states).eq(RegExpr::constant(place as i64)))
    }

    fn foreign(
        &mut self,
        process: &Name,
        variable: &Name,
        index: Option<&'a ast::Expr>,
        needed: Option<&RegExpr>,
    ) -> Option<RegExpr> {
        let number = self.process_number(process)?;
        let Some(symbol) = self.lowering.names.locals[number].get(variable.text.as_str()).cloned() else {
            let message = format!("process `{}` has no variable `{}`", process.text, variable.text);
            return self.complain(
                Diagnostic::error(&codes::UNKNOWN, variable.span, message)
                    .help("only variables declared inside a process belong to it"),
            );
        };
        self.shape(&symbol, index.is_some(), variable.span)?;
        match (symbol.storage, index) {
            (Storage::Register(reg), _) => Some(RegExpr::Atom(reg)),
            (Storage::Memory(cell), None) => Some(self.load(&symbol, Addr::Cell(cell))),
            (Storage::Memory(_), Some(index)) => {
                let addr = self.element(&symbol, index, needed)?;
                Some(self.load(&symbol, addr))
            }
            (Storage::Nowhere, _) => Some(RegExpr::constant(symbol.init[0])),
        }
    }
}
