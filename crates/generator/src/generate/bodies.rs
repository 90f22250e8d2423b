//! The routines of a random program: threads, helpers, the constructor, `main` and its outcome.

use super::{Around, Generator, constant, global, local};
use crate::shape::{Feature, Shape};
use crate::tree::{
    Arm, BinaryOp, Comparison, Condition, Expr, Global, Group, Initial, IntType, Local, Modification, Order,
    Place, Root, Routine, Statement, Step, Style, Type,
};
use crate::types::has_atomics;

/// The most values of an outcome.
const MOST_OUT: usize = 6;

/// Branches in a row: 128 ways, more than the lowering follows at once.
const FORKS: i64 = 7;

/// A local number that nothing else uses.
fn own_word(around: &mut Around) -> Place {
    around.locals.push(Local { ty: Type::Int(IntType::U32), initial: Initial::Numbers(vec![0]) });
    local(around.locals.len() - 1)
}

/// One that is no part of what the thread saw, so that nothing needs it any more when its last use is over.
fn unseen_word(around: &mut Around) -> Place {
    around.unseen.push(around.locals.len());
    own_word(around)
}

impl Generator {
    /// Adds local variables.
    pub(super) fn locals(&mut self, around: &mut Around, n_numbers: usize) {
        for _ in 0..n_numbers {
            let ty = self.int_type();
            let initial = Initial::Numbers(vec![self.small()]);
            around.locals.push(Local { ty: Type::Int(ty), initial });
        }
        if self.chance(Feature::CompareExchanges, 60) {
            // One that can be expected of the first atomic variable.
            if let Some(Type::Atomic(ty)) = self.program.globals.first().map(|global| global.ty.clone()) {
                let initial = Initial::Numbers(vec![self.small()]);
                around.locals.push(Local { ty: Type::Int(ty), initial });
            }
        }
        if self.chance(Feature::Arrays, 30) {
            let ty = Type::Array(Box::new(Type::Int(self.int_type())), 4);
            let initial = Initial::Numbers((0..4).map(|_| self.small()).collect());
            around.locals.push(Local { ty, initial });
        }
        let records: Vec<usize> = (0..self.program.records.len())
            .filter(|n| !has_atomics(&self.program, &Type::Record(*n)))
            .collect();
        if !records.is_empty() && self.rng.percent(60) {
            let ty = Type::Record(*self.rng.pick(&records));
            let initial = Initial::Numbers((0..4).map(|_| self.small()).collect());
            around.locals.push(Local { ty, initial });
        }
        if self.chance(Feature::Pointers, 70) {
            self.local_pointer(around);
        }
    }

    /// A pointer to a local number, or to a shared one.
    fn local_pointer(&mut self, around: &mut Around) {
        let is_recursive = self.is_recursive(around);
        let numbers = around.numbers(None, is_recursive);
        if !numbers.is_empty() && self.rng.percent(40) {
            let number = *self.rng.pick(&numbers);
            let ty = Type::Pointer(Box::new(around.locals[number].ty.clone()));
            around.locals.push(Local { ty, initial: Initial::Address(local(number)) });
            return;
        }
        let plain = (0..self.program.globals.len())
            .filter(|n| matches!(self.program.globals[*n].ty, Type::Int(_)) && Some(*n) != self.seen);
        let plain: Vec<usize> = plain.collect();
        if plain.is_empty() {
            return;
        }
        let number = *self.rng.pick(&plain);
        let ty = Type::Pointer(Box::new(self.program.globals[number].ty.clone()));
        around.locals.push(Local { ty, initial: Initial::Address(global(number)) });
    }

    /// A helper that makes an access or two; its number.
    pub(super) fn helper(&mut self) -> usize {
        let mut around = Around { budget: 2, times: 1, depth: 1, ..Around::default() };
        self.locals(&mut around, 1);
        let mut body = self.block(&mut around, 1);
        if body.is_empty() {
            let (place, _) = self.atomic_shared(&around);
            body.push(Statement::AtomicStore(place, constant(IntType::U32, 1), Order::Relaxed));
        }
        self.program.helpers.push(Routine { locals: around.locals, body, ..Routine::default() });
        self.program.helpers.len() - 1
    }

    pub(super) fn threads(&mut self, shape: &Shape) {
        let (fewest, most) = shape.threads;
        let n_threads = fewest + self.rng.below(most.saturating_sub(fewest) + 1);
        if !self.has(Feature::Results) || self.rng.percent(30) {
            let ty = Type::Array(Box::new(Type::Int(IntType::I64)), n_threads.next_power_of_two());
            let initial = Initial::Numbers(Vec::new());
            self.program.globals.push(Global { ty, is_volatile: false, initial });
            self.seen = Some(self.program.globals.len() - 1);
        }
        if self.has(Feature::Constructors) {
            let mut around = Around { budget: 3, times: 1, depth: 1, ..Around::default() };
            self.locals(&mut around, 1);
            let body = self.block(&mut around, 2);
            let routine = Routine { locals: around.locals, body, ..Routine::default() };
            self.program.constructor = Some(routine);
        }
        let faulty = if self.has(Feature::Errors) { Some(self.rng.below(n_threads + 1)) } else { None };
        let mut made = 0;
        while made < n_threads {
            let count = match self.chance(Feature::LoopCreation, 60) {
                true => n_threads - made,
                false => 1,
            };
            let has_fault = faulty.is_some_and(|at| (made..made + count).contains(&at));
            let group = self.group(shape, n_threads, count, has_fault);
            self.program.groups.push(group);
            made += count;
        }
        self.main(faulty == Some(n_threads));
    }

    fn group(&mut self, shape: &Shape, n_threads: usize, count: usize, has_fault: bool) -> Group {
        let number = Local { ty: Type::Int(IntType::U32), initial: Initial::Numbers(Vec::new()) };
        let (fewest, most) = shape.accesses;
        // Three threads interleave in many more ways than two.
        let most = if n_threads > 2 { most.min(fewest + 2) } else { most };
        let budget = fewest + self.rng.below(most.saturating_sub(fewest) + 1);
        let makes_helpers = self.has(Feature::NestedHelpers);
        let mut around =
            Around { locals: vec![number], budget, times: 1, makes_helpers, ..Around::default() };
        let n_locals = 2 + self.rng.below(2);
        self.locals(&mut around, n_locals);
        let mut body = Vec::new();
        for _ in 0..12 {
            if around.budget == 0 || body.len() >= 8 {
                break;
            }
            body.extend(self.block(&mut around, 1));
        }
        if has_fault {
            let fault = self.fault(&mut around);
            let at = self.rng.below(body.len() + 1);
            body.insert(at, fault);
        }
        if self.has(Feature::RecordCopies) {
            body.extend(self.copied(&mut around));
        }
        if !self.program.tables.is_empty() {
            body.extend(self.dispatched(&mut around).into_iter().flatten());
        }
        if self.has(Feature::Switches) {
            body.extend(self.selected(&mut around).into_iter().flatten());
        }
        if self.has(Feature::Passing) {
            body.extend(self.passing(&mut around));
        }
        if self.has(Feature::Relations) {
            body.extend(self.relation(&mut around));
        }
        if self.has(Feature::Forks) {
            body.extend(self.forks(&mut around));
        }
        let what_it_saw = self.mixed(&around);
        let mut result = None;
        match self.seen {
            Some(seen) if !self.has(Feature::Results) || self.rng.percent(30) => {
                let own = Step::Index(Box::new(Expr::Load(local(0))));
                let place = Place { root: Root::Global(seen), path: vec![own] };
                body.push(Statement::Store(place, what_it_saw));
            }
            _ => result = Some(what_it_saw),
        }
        Group {
            routine: Routine { n_parameters: 1, locals: around.locals, body, result },
            count,
            in_loop: count > 1,
            by_address: self.has(Feature::ArgumentsByAddress),
        }
    }

    /// A shared struct that is written as a whole, or read as a whole and then looked at.
    fn copied(&mut self, around: &mut Around) -> Vec<Statement> {
        let is_record = |ty: &Type| matches!(ty, Type::Record(_)) && !has_atomics(&self.program, ty);
        let Some(shared) = self.program.globals.iter().position(|global| is_record(&global.ty)) else {
            return Vec::new();
        };
        let ty = self.program.globals[shared].ty.clone();
        let initial = Initial::Numbers((0..4).map(|_| self.small()).collect());
        around.locals.push(Local { ty, initial });
        let own = local(around.locals.len() - 1);
        if self.rng.percent(50) {
            return vec![Statement::Store(global(shared), Expr::Load(own))];
        }
        let mut body = vec![Statement::Store(own.clone(), Expr::Load(global(shared)))];
        for _ in 0..2 {
            if let Some((member, Type::Int(_))) = self.scalar_in(around, own.clone(), true) {
                body.push(Statement::Store(own_word(around), Expr::Load(member)));
            }
        }
        body
    }

    /// A shared number that says which function is called.
    fn dispatched(&mut self, around: &mut Around) -> Option<Vec<Statement>> {
        around.budget += 1;
        let read = self.shared_read(around)?;
        let (by, kept) = (unseen_word(around), own_word(around));
        let call = self.dispatch(around, Expr::Load(by.clone()))?;
        Some(vec![Statement::Store(by, read), Statement::Store(kept, call)])
    }

    /// A shared number that says which arm of a `switch` is taken.
    fn selected(&mut self, around: &mut Around) -> Option<Vec<Statement>> {
        around.budget += 1;
        let read = self.shared_read(around)?;
        let (on, kept) = (unseen_word(around), own_word(around));
        let noted = |number: i64| vec![Statement::Store(kept.clone(), constant(IntType::U32, number))];
        let n_arms = 2 + self.rng.below(2) as i64;
        let arms = (1..=n_arms).map(|n| Arm { body: noted(n), falls: self.rng.percent(20) }).collect();
        let switch = Statement::Switch { on: Expr::Load(on.clone()), arms, default: noted(9) };
        Some(vec![Statement::Store(on, read), switch])
    }

    /// A shared number that is read and becomes another's value, if that is what is expected.
    fn passing(&mut self, around: &mut Around) -> Vec<Statement> {
        around.budget += 3;
        let (place, ty) = self.atomic_shared(around);
        let Some(read) = self.shared_read(around).filter(|_| around.spend(2)) else { return Vec::new() };
        let passed = unseen_word(around);
        around.locals.push(Local { ty: Type::Int(ty), initial: Initial::Numbers(vec![0]) });
        let expected = local(around.locals.len() - 1);
        let (success, failure, new) = (self.order(), self.order(), Expr::Load(passed.clone()));
        vec![
            Statement::Store(passed, read),
            Statement::CompareExchange { place, expected, new, success, failure, done: None },
        ]
    }

    /// Two shared numbers, read and compared.
    fn relation(&mut self, around: &mut Around) -> Vec<Statement> {
        around.budget += 2;
        let (Some(first), Some(second)) = (self.shared_read(around), self.shared_read(around)) else {
            return Vec::new();
        };
        let (a, b, kept) = (unseen_word(around), unseen_word(around), own_word(around));
        let noted = |number: i64| vec![Statement::Store(kept.clone(), constant(IntType::U32, number))];
        let comparison = *self.rng.pick(&[Comparison::Eq, Comparison::Ne, Comparison::Lt, Comparison::Le]);
        let holds = Condition::Compare(comparison, Expr::Load(a.clone()), Expr::Load(b.clone()));
        vec![
            Statement::Store(a, first),
            Statement::Store(b, second),
            Statement::If(holds, noted(1), noted(2)),
        ]
    }

    /// Branches on the bits of a number that was counted up: each of their combinations is another way through the thread.
    fn forks(&mut self, around: &mut Around) -> Vec<Statement> {
        let (counted, kept) = (unseen_word(around), own_word(around));
        let (place, _) = self.atomic_shared(around);
        let one = Box::new(constant(IntType::U32, 1));
        let old = Expr::Modify { place, op: Modification::Add, value: one, order: self.order() };
        let mut body = vec![Statement::Store(counted.clone(), old)];
        for bit in 0..FORKS {
            let binary = |op: BinaryOp, place: &Place, number: i64| {
                let number = Box::new(constant(IntType::U32, number));
                Expr::Binary(op, Style::Wrapping, Box::new(Expr::Load(place.clone())), number)
            };
            let is_set = Condition::Nonzero(binary(BinaryOp::And, &counted, 1 << bit));
            let noted = Statement::Store(kept.clone(), binary(BinaryOp::Add, &kept, 3 + 5 * bit));
            body.push(Statement::If(is_set, vec![noted], Vec::new()));
        }
        body
    }

    /// One number made of all local ones, so that what a thread read is seen in it.
    fn mixed(&mut self, around: &Around) -> Expr {
        let numbers = around.numbers(None, false);
        let wide = |number: usize| Expr::Cast(IntType::I64, Box::new(Expr::Load(local(number))));
        let mut own = numbers.into_iter().skip(1).filter(|number| !around.unseen.contains(number));
        let mut mixed = own.next().map_or(constant(IntType::I64, 0), wide);
        for number in own {
            let seven = Box::new(constant(IntType::I64, 7));
            let scaled = Expr::Binary(BinaryOp::Mul, Style::Wrapping, Box::new(mixed), seven);
            let value = Box::new(Expr::Load(local(number)));
            mixed = Expr::Binary(BinaryOp::Add, Style::Wrapping, Box::new(scaled), value);
        }
        mixed
    }

    fn main(&mut self, has_fault: bool) {
        let mut around = Around { budget: 3, times: 1, depth: 1, ..Around::default() };
        self.locals(&mut around, 1);
        let n_first = self.rng.below(2);
        let mut body = self.block(&mut around, n_first);
        if !self.program.slots.is_empty() && self.rng.percent(50) {
            // Something to find for the first thread.
            let value = constant(IntType::U32, self.rng.between(0, 3));
            around.locals.push(Local { ty: Type::Int(IntType::I64), initial: Initial::Numbers(vec![0]) });
            let received = local(around.locals.len() - 1);
            body.push(Statement::Hand { slot: 0, value, received });
        }
        if self.chance(Feature::Helpers, 70) {
            body.push(Statement::Helper(self.helper()));
        }
        let mut meanwhile = Vec::new();
        if self.has(Feature::Meanwhile) {
            around.budget = 2;
            meanwhile = self.block(&mut around, 1);
        }
        around.budget = 4;
        let mut afterwards = Vec::new();
        let mut seen = Vec::new();
        for mutex in 0..self.program.mutexes.len() {
            let ty = self.program.mutexes[mutex].ty;
            around.locals.push(Local { ty: Type::Int(ty), initial: Initial::Numbers(vec![0]) });
            let kept = local(around.locals.len() - 1);
            let guarded = Expr::Load(Place { root: Root::Guarded(mutex), path: Vec::new() });
            afterwards.push(Statement::Lock(mutex, vec![Statement::Store(kept.clone(), guarded)]));
            seen.push(Expr::Load(kept));
        }
        if self.chance(Feature::Helpers, 30) {
            afterwards.push(Statement::Helper(self.helper()));
        }
        if has_fault {
            let fault = self.fault(&mut around);
            afterwards.push(fault);
        }
        self.outcome(&around, seen);
        self.program.main = Routine { locals: around.locals, body, ..Routine::default() };
        self.program.meanwhile = meanwhile;
        self.program.afterwards = afterwards;
    }

    /// What the threads saw, then what is in memory.
    fn outcome(&mut self, around: &Around, more: Vec<Expr>) {
        let mut out = Vec::new();
        let mut thread = 0;
        for group in 0..self.program.groups.len() {
            for _ in 0..self.program.groups[group].count {
                let gives_back = self.program.groups[group].routine.result.is_some();
                out.push(match (gives_back, self.seen) {
                    (false, Some(seen)) => {
                        let own = Step::Index(Box::new(constant(IntType::U32, thread)));
                        Expr::Load(Place { root: Root::Global(seen), path: vec![own] })
                    }
                    _ => Expr::Joined(thread as usize),
                });
                thread += 1;
            }
        }
        out.extend(more);
        for slot in 0..self.program.slots.len() {
            out.push(Expr::Left(slot));
        }
        out.truncate(MOST_OUT);
        let mut globals: Vec<usize> =
            (0..self.program.globals.len()).filter(|number| Some(*number) != self.seen).collect();
        while out.len() < MOST_OUT && !globals.is_empty() {
            let number = globals.remove(self.rng.below(globals.len()));
            match self.scalar_in(around, global(number), true) {
                Some((place, Type::Int(_))) => out.push(Expr::Load(place)),
                Some((place, Type::Atomic(_))) => out.push(Expr::AtomicLoad(place, Order::SeqCst)),
                _ => {}
            }
        }
        self.program.out = out;
    }
}
