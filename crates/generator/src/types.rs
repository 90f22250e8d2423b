//! The types of places and values.

use crate::tree::{Expr, IntType, Local, Place, Program, Root, Step, Type};

/// Where a piece of a tree stands, as far as its type depends on it.
#[derive(Debug, Copy, Clone)]
pub(crate) struct Scope<'a> {
    /// The program.
    pub(crate) program: &'a Program,
    /// The variables of the routine.
    pub(crate) locals: &'a [Local],
    /// The function, if the routine is one.
    pub(crate) function: Option<usize>,
}

impl Scope<'_> {
    /// The type of a place; `None` if there is no such place.
    pub(crate) fn place(&self, place: &Place) -> Option<Type> {
        let mut ty = match &place.root {
            Root::Global(number) => self.program.globals.get(*number)?.ty.clone(),
            Root::Local(number) => self.locals.get(*number)?.ty.clone(),
            Root::ThreadLocal(number) => Type::Int(self.program.thread_locals.get(*number)?.0),
            Root::Guarded(number) => Type::Int(self.program.mutexes.get(*number)?.ty),
            Root::Heap(_, ty) => ty.clone(),
        };
        for step in &place.path {
            ty = match (step, ty) {
                (Step::Field(number), Type::Record(record)) => {
                    self.program.records.get(record)?.fields.get(*number)?.ty.clone()
                }
                (Step::Index(_), Type::Array(element, _)) => *element,
                (Step::Deref, Type::Pointer(target)) => *target,
                _ => return None,
            };
        }
        Some(ty)
    }

    /// The length of the array at each index of a place's way, and 0 at other steps.
    pub(crate) fn lengths(&self, place: &Place) -> Vec<usize> {
        let prefix = |n: usize| Place { root: place.root.clone(), path: place.path[..n].to_vec() };
        (0..place.path.len())
            .map(|n| match self.place(&prefix(n)) {
                Some(Type::Array(_, length)) => length,
                _ => 0,
            })
            .collect()
    }

    /// Whether the place is a bit-field, which has no address.
    pub(crate) fn is_bit_field(&self, place: &Place) -> bool {
        let Some((Step::Field(number), path)) = place.path.split_last() else { return false };
        let record = Place { root: place.root.clone(), path: path.to_vec() };
        match self.place(&record) {
            Some(Type::Record(record)) => {
                let field = self.program.records.get(record).and_then(|record| record.fields.get(*number));
                field.is_some_and(|field| field.bit_field.is_some())
            }
            _ => false,
        }
    }

    /// The type of a value; `None` if it makes no sense.
    pub(crate) fn value(&self, expr: &Expr) -> Option<Type> {
        match expr {
            Expr::Constant(ty, _) | Expr::Cast(ty, _) | Expr::Truth(ty, _) | Expr::Bytes { ty, .. } => {
                Some(Type::Int(*ty))
            }
            Expr::Load(place) => match self.place(place)? {
                ty @ (Type::Int(_) | Type::Pointer(_) | Type::Record(_)) => Some(ty),
                Type::Atomic(_) | Type::Array(..) | Type::AtomicPointer(_) => None,
            },
            Expr::AtomicLoad(place, _) | Expr::Modify { place, .. } => match self.place(place)? {
                Type::Atomic(ty) => Some(Type::Int(ty)),
                Type::AtomicPointer(target) => Some(Type::Pointer(target)),
                _ => None,
            },
            Expr::Address(place) => Some(Type::Pointer(Box::new(self.place(place)?))),
            Expr::Negative(of) | Expr::Complement(of) => self.value(of),
            Expr::Binary(_, _, first, _) => self.value(first),
            Expr::Choose(_, first, _) => self.value(first),
            Expr::Counter(_) => Some(Type::Int(IntType::U32)),
            Expr::Call(call) => {
                self.program.callee(&call.callee, self.function).map(|function| function.result.clone())
            }
            Expr::Joined(_) | Expr::Left(_) => Some(Type::Int(IntType::I64)),
        }
    }

    /// The integer type of a value.
    pub(crate) fn number(&self, expr: &Expr) -> Option<IntType> {
        match self.value(expr)? {
            Type::Int(ty) => Some(ty),
            _ => None,
        }
    }
}

/// The bytes that a type has, and its alignment.
pub(crate) fn size_of(program: &Program, ty: &Type) -> (usize, usize) {
    match ty {
        Type::Int(ty) | Type::Atomic(ty) => (usize::from(ty.bits) / 8, usize::from(ty.bits) / 8),
        Type::Pointer(_) | Type::AtomicPointer(_) => (8, 8),
        Type::Array(element, length) => {
            let (size, align) = size_of(program, element);
            (size * length, align)
        }
        Type::Record(number) => {
            let Some(record) = program.records.get(*number) else { return (0, 1) };
            let (mut end, mut widest) = (0usize, 1usize);
            for field in &record.fields {
                let (size, align) = size_of(program, &field.ty);
                widest = widest.max(align);
                end = if record.is_union { end.max(size) } else { end.next_multiple_of(align) + size };
            }
            (end.next_multiple_of(widest), widest)
        }
    }
}

/// Whether there is an atomic variable in the type.
pub(crate) fn has_atomics(program: &Program, ty: &Type) -> bool {
    match ty {
        Type::Atomic(_) | Type::AtomicPointer(_) => true,
        Type::Int(_) | Type::Pointer(_) => false,
        Type::Array(element, _) => has_atomics(program, element),
        Type::Record(number) => {
            let fields = program.records.get(*number).map(|record| &record.fields);
            fields.into_iter().flatten().any(|field| has_atomics(program, &field.ty))
        }
    }
}
