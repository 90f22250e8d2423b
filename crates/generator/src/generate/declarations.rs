//! Types, shared variables, functions and tables of a random program.

use super::{Around, Generator, constant, global};
use crate::shape::Feature;
use crate::tree::{
    Callee, Field, Function, Global, Initial, IntType, Local, Mutex, Place, Record, Routine, Step, Table,
    Type,
};
use crate::types::has_atomics;

impl Generator {
    pub(super) fn declarations(&mut self) {
        if self.has(Feature::Records) {
            self.structs();
        }
        if self.has(Feature::Unions) {
            self.union();
        }
        // Something to be fast about: two or three atomic variables.
        for _ in 0..=self.rng.between(1, 2) {
            let ty = self.int_type();
            self.global(Type::Atomic(ty));
        }
        if self.has(Feature::PlainShared) {
            for _ in 0..=self.rng.below(2) {
                let ty = self.int_type();
                self.global(Type::Int(ty));
            }
        }
        if self.has(Feature::Arrays) {
            let ty = self.int_type();
            let is_plain = self.chance(Feature::PlainShared, 60);
            let element = if is_plain { Type::Int(ty) } else { Type::Atomic(ty) };
            let length = *self.rng.pick(&[2, 4]);
            self.global(Type::Array(Box::new(element), length));
        }
        for number in 0..self.program.records.len() {
            let is_atomic = has_atomics(&self.program, &Type::Record(number));
            if is_atomic || self.chance(Feature::PlainShared, 60) {
                self.global(Type::Record(number));
            }
        }
        if self.has(Feature::Bytes) {
            let bits = *self.rng.pick(&[16, 32, 64]);
            self.global(Type::Int(IntType { bits, signed: false }));
        }
        if self.has(Feature::SharedPointers) {
            self.shared_pointer();
        }
        if self.has(Feature::Mutexes) {
            for _ in 0..=self.rng.below(2) {
                let ty = self.int_type();
                let initial = self.small();
                self.program.mutexes.push(Mutex { ty, initial });
            }
        }
        if self.has(Feature::Handing) || self.chance(Feature::Errors, 25) {
            let ty = self.int_type();
            self.program.slots.push(ty);
        }
        if self.has(Feature::ThreadLocals) {
            let ty = self.int_type();
            let initial = self.small();
            self.program.thread_locals.push((ty, initial));
        }
    }

    fn global(&mut self, ty: Type) -> usize {
        let numbers = (0..8).map(|_| if self.rng.percent(30) { self.small() } else { 0 }).collect();
        let is_plain = !has_atomics(&self.program, &ty);
        let is_volatile = is_plain && !matches!(ty, Type::Record(_)) && self.chance(Feature::Volatile, 50);
        self.program.globals.push(Global { ty, is_volatile, initial: Initial::Numbers(numbers) });
        self.program.globals.len() - 1
    }

    fn structs(&mut self) {
        for _ in 0..=self.rng.below(2) {
            let inner = self.program.records.len();
            let mut fields = Vec::new();
            for _ in 0..=self.rng.between(1, 2) {
                let ty = self.int_type();
                let bit_field = self
                    .chance(Feature::BitFields, 60)
                    .then(|| self.rng.between(1, i64::from(ty.bits)) as u8);
                fields.push(Field { ty: Type::Int(ty), bit_field });
            }
            if self.chance(Feature::NestedRecords, 60) {
                let ty = match inner {
                    0 => Type::Array(Box::new(Type::Int(self.int_type())), 2),
                    _ => Type::Record(inner - 1),
                };
                fields.push(Field { ty, bit_field: None });
            }
            self.program.records.push(Record { is_union: false, fields });
        }
        if self.rng.percent(50) {
            // One with an atomic field among plain ones.
            let (a, b) = (self.int_type(), self.int_type());
            let fields = [Type::Int(a), Type::Atomic(b)].map(|ty| Field { ty, bit_field: None });
            self.program.records.push(Record { is_union: false, fields: fields.to_vec() });
        }
    }

    /// The widest view first: it is what the initial value is given to.
    fn union(&mut self) {
        let bits = *self.rng.pick(&[16u8, 32, 64]);
        let signed = self.rng.percent(30);
        let mut fields = vec![Type::Int(IntType { bits, signed })];
        let bytes = usize::from(bits) / 8;
        fields.push(Type::Array(Box::new(Type::Int(IntType { bits: 8, signed: false })), bytes));
        if bits > 16 {
            fields.push(Type::Int(IntType { bits: bits / 2, signed: false }));
        }
        let fields = fields.into_iter().map(|ty| Field { ty, bit_field: None }).collect();
        self.program.records.push(Record { is_union: true, fields });
    }

    /// A shared pointer to one of the plain numbers, and one more number to point to.
    fn shared_pointer(&mut self) {
        let ty = self.int_type();
        self.global(Type::Int(ty));
        let element = self.rng.percent(50);
        let target = if element {
            let array = self.global(Type::Array(Box::new(Type::Int(ty)), 2));
            let index = constant(IntType::U32, self.rng.between(0, 1));
            Place { path: vec![Step::Index(Box::new(index))], ..global(array) }
        } else {
            global(self.global(Type::Int(ty)))
        };
        let target_type = Box::new(Type::Int(ty));
        let ty = match self.has(Feature::PlainShared) && self.rng.percent(40) {
            true => Type::Pointer(target_type),
            false => Type::AtomicPointer(target_type),
        };
        let initial = Initial::Address(target);
        self.program.globals.push(Global { ty, is_volatile: false, initial });
    }

    /// Functions, and tables of those that are alike.
    pub(super) fn functions(&mut self) {
        if !self.has(Feature::Calls) {
            return;
        }
        let ty = self.int_type();
        // Most have one signature, so that tables can hold them.
        let alike: Vec<Type> = std::iter::once(Type::Int(ty))
            .chain([Type::Int(self.int_type())])
            .take(1 + self.rng.below(2))
            .collect();
        let n_alike =
            if self.has(Feature::FunctionTables) || self.has(Feature::FunctionSlots) { 2 } else { 1 };
        for _ in 0..n_alike {
            self.function(alike.clone(), Type::Int(ty), false);
        }
        if self.has(Feature::FunctionTables) {
            let is_virtual = self.has(Feature::VirtualCalls);
            self.program.tables.push(Table { functions: vec![0, 1], is_virtual });
        }
        if self.has(Feature::FunctionSlots) {
            let first = self.rng.below(2);
            self.program.function_slots.push(first);
        }
        let plain = (0..self.program.records.len())
            .find(|number| !has_atomics(&self.program, &Type::Record(*number)));
        if let Some(record) = plain
            && self.has(Feature::RecordsByValue)
        {
            let record = Type::Record(record);
            let number = Type::Int(self.int_type());
            self.function(vec![number.clone(), record.clone()], record.clone(), false);
            self.function(vec![record], number, false);
        }
        if self.has(Feature::Pointers) {
            let ty = Type::Int(self.int_type());
            self.function(vec![Type::Pointer(Box::new(ty.clone())), Type::Int(IntType::U32)], ty, false);
        }
        if self.has(Feature::Recursion) {
            let ty = Type::Int(self.int_type());
            self.function(vec![Type::Int(IntType::U32), ty.clone()], ty, true);
        }
    }

    fn function(&mut self, parameters: Vec<Type>, result: Type, is_recursive: bool) {
        let number = self.program.functions.len();
        let n_parameters = parameters.len();
        let locals = parameters.into_iter().map(|ty| Local { ty, initial: Initial::Numbers(Vec::new()) });
        let routine = Routine { n_parameters, locals: locals.collect(), ..Routine::default() };
        // It must be there while its body is made, which may name it.
        self.program.functions.push(Function {
            routine: routine.clone(),
            result: result.clone(),
            is_recursive,
        });
        let budget = self.rng.below(3);
        let mut around =
            Around { locals: routine.locals, function: Some(number), budget, times: 1, ..Around::default() };
        self.locals(&mut around, 1);
        if let Type::Record(_) = result
            && !around.locals.iter().any(|local| local.ty == result)
        {
            let numbers = vec![self.small(), self.small()];
            around.locals.push(Local { ty: result.clone(), initial: Initial::Numbers(numbers) });
        }
        let n_statements = 1 + self.rng.below(2);
        let mut body = self.block(&mut around, n_statements);
        let value = match &result {
            Type::Record(_) => self.record_value(&around, &result),
            _ => Some(self.number(&mut around, 2)),
        };
        let mut value = value.unwrap_or_else(|| constant(IntType::U32, 1));
        if is_recursive {
            value = self.recursive(&mut around, &mut body, value);
        }
        let spent = budget - around.budget;
        let function = &mut self.program.functions[number];
        function.routine = Routine { n_parameters, locals: around.locals, body, result: Some(value) };
        self.costs.push(if is_recursive { 2 * spent } else { spent });
    }

    /// Adds a call of itself to what a function gives back.
    fn recursive(
        &mut self,
        around: &mut Around,
        body: &mut Vec<crate::tree::Statement>,
        value: crate::tree::Expr,
    ) -> crate::tree::Expr {
        use crate::tree::{BinaryOp, Call, Expr, Statement, Style};
        let argument = self.number(around, 1);
        let call = Expr::Call(Box::new(Call { callee: Callee::Itself, arguments: vec![argument] }));
        around.recursed = true;
        let ty = self.int_type();
        around.locals.push(Local { ty: Type::Int(ty), initial: Initial::Numbers(Vec::new()) });
        let result = super::local(around.locals.len() - 1);
        body.push(Statement::Store(result.clone(), call));
        Expr::Binary(BinaryOp::Add, Style::Wrapping, Box::new(value), Box::new(Expr::Load(result)))
    }
}
