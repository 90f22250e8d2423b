//! Random places: ways from a variable to a number or pointer within it.

use super::{Around, Generator, constant, global, local};
use crate::shape::Feature;
use crate::tree::{Expr, IntType, Place, Root, Step, Type};
use crate::types::{Scope, has_atomics};

impl Generator {
    /// A random way down to a scalar. A pointer is followed at random, if that is asked for.
    pub(super) fn scalar_in(
        &mut self,
        around: &Around,
        mut place: Place,
        follow: bool,
    ) -> Option<(Place, Type)> {
        loop {
            let scope = Scope { program: &self.program, locals: &around.locals, function: around.function };
            match scope.place(&place)? {
                ty @ (Type::Int(_) | Type::Atomic(_) | Type::AtomicPointer(_)) => return Some((place, ty)),
                Type::Pointer(_) if follow => place.path.push(Step::Deref),
                ty @ Type::Pointer(_) => return Some((place, ty)),
                Type::Array(_, length) => {
                    let index = self.index(around, length);
                    place.path.push(Step::Index(Box::new(index)));
                }
                Type::Record(number) => {
                    let n_fields = self.program.records.get(number)?.fields.len();
                    let field = self.rng.below(n_fields);
                    place.path.push(Step::Field(field));
                }
            }
        }
    }

    /// An index: a constant, a counter, or a local number.
    fn index(&mut self, around: &Around, length: usize) -> Expr {
        let numbers = around.numbers(None, false);
        match self.rng.below(4) {
            0 if !around.loops.is_empty() => Expr::Counter(*self.rng.pick(&around.loops)),
            1 if !numbers.is_empty() => Expr::Load(local(*self.rng.pick(&numbers))),
            _ => constant(IntType::U32, self.rng.below(length) as i64),
        }
    }

    /// A plain shared number. It is what a pointer points to as well.
    pub(super) fn plain_shared(&mut self, around: &mut Around) -> Option<(Place, IntType)> {
        let globals: Vec<usize> = (0..self.program.globals.len()).filter(|n| Some(*n) != self.seen).collect();
        let first = self.program.globals.iter().position(|global| matches!(global.ty, Type::Int(_)));
        for _ in 0..4 {
            let number = match first.filter(|first| Some(*first) != self.seen) {
                Some(first) if self.rng.percent(40) => first,
                _ => *self.rng.pick(&globals),
            };
            if let Some((place, Type::Int(ty))) = self.scalar_in(around, global(number), true) {
                return Some((place, ty));
            }
        }
        None
    }

    /// An atomic number.
    pub(super) fn atomic_shared(&mut self, around: &Around) -> (Place, IntType) {
        let globals = self.program.globals.len();
        for _ in 0..4 {
            // Threads that touch the same variables see more of each other: the first two are always atomic.
            let number = if self.rng.percent(65) { self.rng.below(2) } else { self.rng.below(globals) };
            if let Some((place, Type::Atomic(ty))) = self.scalar_in(around, global(number), false) {
                return (place, ty);
            }
        }
        // The first is always one.
        let ty = match self.program.globals[0].ty {
            Type::Atomic(ty) => ty,
            _ => IntType::U32,
        };
        (global(0), ty)
    }

    /// A number of the thread's own that can be written: in a local, a heap object, or a variable of the thread.
    pub(super) fn own_number(&mut self, around: &Around) -> Option<(Place, IntType)> {
        if !around.heaps.is_empty() && self.rng.percent(40) {
            let (number, ty) = *self.rng.pick(&around.heaps);
            return Some((Place { root: Root::Heap(number, Type::Int(ty)), path: Vec::new() }, ty));
        }
        if !around.mutexes.is_empty() && self.rng.percent(70) {
            let mutex = *self.rng.pick(&around.mutexes);
            let ty = self.program.mutexes[mutex].ty;
            return Some((Place { root: Root::Guarded(mutex), path: Vec::new() }, ty));
        }
        if self.chance(Feature::ThreadLocals, 25) {
            let ty = self.program.thread_locals.first()?.0;
            return Some((Place { root: Root::ThreadLocal(0), path: Vec::new() }, ty));
        }
        let skipped = usize::from(self.is_recursive(around));
        let whole = around.numbers(None, skipped == 1);
        if !whole.is_empty() && self.rng.percent(60) {
            let number = *self.rng.pick(&whole);
            if let Type::Int(ty) = around.locals[number].ty {
                return Some((local(number), ty));
            }
        }
        for _ in 0..4 {
            if around.locals.len() <= skipped {
                return None;
            }
            let number = skipped + self.rng.below(around.locals.len() - skipped);
            let found = self.scalar_in(around, local(number), false);
            if let Some((place, Type::Int(ty))) = found {
                return Some((place, ty));
            }
        }
        None
    }

    pub(super) fn is_recursive(&self, around: &Around) -> bool {
        around.function.is_some_and(|number| self.program.functions[number].is_recursive)
    }

    /// A pointer among the locals, followed.
    pub(super) fn through_pointer(&mut self, around: &Around) -> Option<(Place, IntType)> {
        let is_pointer = |(number, local): (usize, &crate::tree::Local)| {
            matches!(local.ty, Type::Pointer(_)).then_some(number)
        };
        let pointers: Vec<usize> = around.locals.iter().enumerate().filter_map(is_pointer).collect();
        if pointers.is_empty() {
            return None;
        }
        let pointer = *self.rng.pick(&pointers);
        match self.scalar_in(around, local(pointer), true)? {
            (place, Type::Int(ty)) => Some((place, ty)),
            _ => None,
        }
    }

    /// A shared number that a pointer to this type can point to.
    pub(super) fn target(&mut self, around: &Around, ty: &Type) -> Option<Place> {
        for _ in 0..12 {
            let number = self.rng.below(self.program.globals.len());
            if Some(number) == self.seen {
                continue;
            }
            let (place, found) = self.scalar_in(around, global(number), false)?;
            let scope = Scope { program: &self.program, locals: &around.locals, function: around.function };
            if found == *ty && !scope.is_bit_field(&place) {
                return Some(place);
            }
        }
        None
    }

    /// A variable whose bytes can be accessed, and how many it has.
    pub(super) fn bytes_of(&mut self, around: &Around) -> Option<(Place, usize)> {
        for _ in 0..6 {
            let number = self.rng.below(self.program.globals.len());
            let ty = self.program.globals[number].ty.clone();
            let is_one = match &ty {
                Type::Int(ty) => ty.bits > 8,
                Type::Record(number) => self.program.records[*number].is_union,
                Type::Array(element, _) => matches!(**element, Type::Int(_)),
                Type::Atomic(_) | Type::Pointer(_) | Type::AtomicPointer(_) => false,
            };
            if is_one && Some(number) != self.seen && !has_atomics(&self.program, &ty) {
                return Some((global(number), crate::types::size_of(&self.program, &ty).0));
            }
        }
        let wide = |n: &usize| matches!(&around.locals[*n].ty, Type::Int(ty) if ty.bits > 8);
        let number = around.numbers(None, self.is_recursive(around)).into_iter().find(wide)?;
        match &around.locals[number].ty {
            Type::Int(ty) => Some((local(number), usize::from(ty.bits) / 8)),
            _ => None,
        }
    }
}
