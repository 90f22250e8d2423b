//! Random values and conditions.

use super::{Around, Generator, constant, local};
use crate::shape::Feature;
use crate::tree::{
    BinaryOp, Call, Callee, Comparison, Condition, Expr, IntType, Modification, Order, Style, Type,
};
use crate::types::Scope;

impl Generator {
    pub(super) fn order(&mut self) -> Order {
        if self.chance(Feature::Orders, 75) {
            *self.rng.pick(&[Order::Relaxed, Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel])
        } else {
            Order::SeqCst
        }
    }

    /// A number of any type.
    pub(super) fn number(&mut self, around: &mut Around, depth: usize) -> Expr {
        if depth == 0 {
            return self.simple(around);
        }
        match self.rng.below(20) {
            0..=4 => self.simple(around),
            5..=8 => self.shared_read(around).unwrap_or_else(|| self.simple_or_constant(around)),
            9..=12 => self.binary(around, depth),
            13 => {
                let inner = Box::new(self.number(around, depth - 1));
                if self.rng.percent(50) { Expr::Negative(inner) } else { Expr::Complement(inner) }
            }
            14 | 15 if self.has(Feature::Casts) => {
                let ty = self.int_type();
                Expr::Cast(ty, Box::new(self.number(around, depth - 1)))
            }
            16 if self.has(Feature::Choices) => {
                let condition = Box::new(self.condition(around, depth - 1));
                let first = Box::new(self.number(around, depth - 1));
                Expr::Choose(condition, first, Box::new(self.number(around, depth - 1)))
            }
            17 => {
                let ty = self.int_type();
                Expr::Truth(ty, Box::new(self.condition(around, depth - 1)))
            }
            18 | 19 if self.has(Feature::Calls) => {
                self.call(around, None).unwrap_or_else(|| self.simple_or_constant(around))
            }
            _ => self.simple(around),
        }
    }

    fn binary(&mut self, around: &mut Around, depth: usize) -> Expr {
        let op = *self.rng.pick(&[
            BinaryOp::Add,
            BinaryOp::Add,
            BinaryOp::Sub,
            BinaryOp::Mul,
            BinaryOp::Div,
            BinaryOp::Rem,
            BinaryOp::And,
            BinaryOp::Or,
            BinaryOp::Xor,
            BinaryOp::Shl,
            BinaryOp::Shr,
        ]);
        let style = if self.rng.percent(60) { Style::Wrapping } else { Style::Masked };
        let first = Box::new(self.number(around, depth - 1));
        Expr::Binary(op, style, first, Box::new(self.number(around, depth - 1)))
    }

    /// Something without shared accesses.
    fn simple(&mut self, around: &mut Around) -> Expr {
        if !around.loops.is_empty() && self.rng.percent(20) {
            return Expr::Counter(*self.rng.pick(&around.loops));
        }
        self.simple_or_constant(around)
    }

    fn simple_or_constant(&mut self, around: &Around) -> Expr {
        if self.rng.percent(60)
            && let Some((place, _)) = self.own_number(around)
        {
            return Expr::Load(place);
        }
        let ty = self.int_type();
        let value = self.small();
        constant(ty, value)
    }

    /// A read of a shared number, if the budget has one.
    pub(super) fn shared_read(&mut self, around: &mut Around) -> Option<Expr> {
        if self.chance(Feature::ReadModifyWrites, 15) {
            return self.modify(around);
        }
        if self.chance(Feature::Bytes, 40) {
            let (place, size) = self.bytes_of(around)?;
            let (offset, ty) = self.bytes_within(size);
            return around.spend(1).then_some(Expr::Bytes { place, offset, ty });
        }
        if self.chance(Feature::Pointers, 20)
            && let Some((place, _)) = self.through_pointer(around)
        {
            return around.spend(1).then_some(Expr::Load(place));
        }
        if self.rng.percent(50)
            && let Some((place, _)) = self.plain_shared(around)
        {
            // A shared pointer that is followed is read as well.
            return around.spend(1 + place.path.len() / 2).then_some(Expr::Load(place));
        }
        let (place, _) = self.atomic_shared(around);
        let order = self.order();
        around.spend(1).then_some(Expr::AtomicLoad(place, order))
    }

    /// A part of so many bytes.
    pub(super) fn bytes_within(&mut self, size: usize) -> (usize, IntType) {
        let widths: Vec<u8> =
            [8, 16, 32, 64].into_iter().filter(|bits| usize::from(*bits) / 8 <= size).collect();
        let bits = *self.rng.pick(&widths);
        let bytes = usize::from(bits) / 8;
        // At its own alignment: what a processor does with other accesses is not what is looked for.
        let offset = self.rng.below(size / bytes) * bytes;
        (offset, IntType { bits, signed: self.rng.percent(30) })
    }

    pub(super) fn modify(&mut self, around: &mut Around) -> Option<Expr> {
        let (place, _) = self.atomic_shared(around);
        if !around.spend(2) {
            return None;
        }
        let op = *self.rng.pick(&[
            Modification::Exchange,
            Modification::Add,
            Modification::Add,
            Modification::Sub,
            Modification::And,
            Modification::Or,
            Modification::Xor,
        ]);
        let value = Box::new(self.simple(around));
        let order = self.order();
        Some(Expr::Modify { place, op, value, order })
    }

    /// A call of a function whose result is a number, or of this type.
    pub(super) fn call(&mut self, around: &mut Around, result: Option<&Type>) -> Option<Expr> {
        let n_functions = around.function.unwrap_or(self.costs.len()).min(self.costs.len());
        let gives = |function: &crate::tree::Function| match result {
            Some(result) => function.result == *result,
            None => matches!(function.result, Type::Int(_)),
        };
        let able: Vec<usize> = (0..n_functions).filter(|n| gives(&self.program.functions[*n])).collect();
        if able.is_empty() {
            return None;
        }
        let number = *self.rng.pick(&able);
        // Any of the first two may be called through tables and pointers.
        let cost = if number < 2 {
            self.costs.iter().take(2).copied().max()
        } else {
            self.costs.get(number).copied()
        };
        let by_table = !self.program.tables.is_empty() && number < 2 && n_functions >= 2;
        let by_slot = !self.program.function_slots.is_empty() && number < 2 && around.function.is_none();
        if !around.spend(cost? + usize::from(by_slot)) {
            return None;
        }
        let callee = if by_table && self.rng.percent(60) {
            let index = Box::new(self.simple(around));
            Callee::Table(0, index)
        } else if by_slot && self.rng.percent(60) {
            Callee::Slot(0)
        } else {
            Callee::Direct(number)
        };
        let arguments = self.arguments(around, number)?;
        Some(Expr::Call(Box::new(Call { callee, arguments })))
    }

    /// What a function is called with.
    fn arguments(&mut self, around: &mut Around, number: usize) -> Option<Vec<Expr>> {
        let is_recursive = self.program.functions[number].is_recursive;
        let parameters: Vec<Type> = self.program.functions[number].parameters().cloned().collect();
        let mut arguments = Vec::new();
        for (n, ty) in parameters.iter().enumerate() {
            arguments.push(match ty {
                Type::Pointer(target) => self.address(around, target)?,
                Type::Record(_) => self.record_value(around, ty)?,
                _ if is_recursive && n == 0 => constant(IntType::U32, self.rng.between(1, 2)),
                _ => self.simple(around),
            });
        }
        Some(arguments)
    }

    /// A call of the function of a table that a number says.
    pub(super) fn dispatch(&mut self, around: &mut Around, by: Expr) -> Option<Expr> {
        let first = *self.program.tables.first()?.functions.first()?;
        let is_number = matches!(self.program.functions.get(first)?.result, Type::Int(_));
        let arguments = if is_number { self.arguments(around, first)? } else { return None };
        Some(Expr::Call(Box::new(Call { callee: Callee::Table(0, Box::new(by)), arguments })))
    }

    /// The address of such a thing: of a local, or a shared one.
    fn address(&mut self, around: &Around, target: &Type) -> Option<Expr> {
        let is_recursive = self.is_recursive(around);
        if let Type::Int(ty) = target
            && self.rng.percent(60)
        {
            let numbers = around.numbers(Some(*ty), is_recursive);
            if !numbers.is_empty() {
                return Some(Expr::Address(local(*self.rng.pick(&numbers))));
            }
        }
        self.target(around, target).map(Expr::Address)
    }

    /// A local record.
    pub(super) fn record_value(&mut self, around: &Around, ty: &Type) -> Option<Expr> {
        let number = around.locals.iter().position(|local| local.ty == *ty)?;
        Some(Expr::Load(local(number)))
    }

    /// A value for a pointer of this type that may be kept: the address of something that all threads share.
    pub(super) fn kept_address(&mut self, around: &Around, target: &Type) -> Option<Expr> {
        self.target(around, target).map(Expr::Address)
    }

    pub(super) fn condition(&mut self, around: &mut Around, depth: usize) -> Condition {
        if depth > 0 && self.chance(Feature::ShortCircuits, 35) {
            let first = Box::new(self.condition(around, depth - 1));
            let second = Box::new(self.condition(around, depth - 1));
            return match self.rng.below(5) {
                0 => Condition::Not(first),
                1 | 2 => Condition::And(first, second),
                _ => Condition::Or(first, second),
            };
        }
        if self.chance(Feature::SharedPointers, 15)
            && let Some(same) = self.same(around)
        {
            return same;
        }
        let first = self.number(around, depth.min(1));
        if self.rng.percent(30) {
            return Condition::Nonzero(first);
        }
        let comparison =
            *self.rng.pick(&[Comparison::Eq, Comparison::Ne, Comparison::Lt, Comparison::Le, Comparison::Eq]);
        Condition::Compare(comparison, first, self.number(around, 0))
    }

    /// Whether a shared pointer points to something.
    fn same(&mut self, around: &mut Around) -> Option<Condition> {
        let is_pointer =
            |global: &crate::tree::Global| matches!(global.ty, Type::Pointer(_) | Type::AtomicPointer(_));
        let number = self.program.globals.iter().position(is_pointer)?;
        let (place, order) = (super::global(number), self.order());
        let pointer = match self.program.globals[number].ty {
            Type::Pointer(_) => Expr::Load(place),
            _ => Expr::AtomicLoad(place, order),
        };
        let scope = Scope { program: &self.program, locals: &around.locals, function: around.function };
        let Some(Type::Pointer(target)) = scope.value(&pointer) else { return None };
        let address = self.kept_address(around, &target)?;
        around.spend(1).then_some(Condition::Same(pointer, address))
    }
}
