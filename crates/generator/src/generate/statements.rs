//! Random statements.

use super::{Around, Generator, constant, global, local};
use crate::shape::Feature;
use crate::tree::{
    Arm, Condition, Expr, Fault, Initial, IntType, Local, LoopKind, Place, Root, Statement, Type,
};
use crate::types::Scope;

/// What a statement can be.
#[derive(Debug, Copy, Clone)]
enum Choice {
    Own,
    Read,
    PlainStore,
    AtomicStore,
    Modify,
    CompareExchange,
    Fence,
    If,
    Switch,
    Loop,
    Jump,
    Lock,
    Heap,
    Hand,
    Call,
    SetPointer,
    SetSlot,
    StoreBytes,
    Helper,
}

const CHOICES: [(usize, Choice, Option<Feature>); 19] = [
    (10, Choice::Own, None),
    (20, Choice::Read, None),
    (12, Choice::PlainStore, Some(Feature::PlainShared)),
    (22, Choice::AtomicStore, None),
    (10, Choice::Modify, Some(Feature::ReadModifyWrites)),
    (10, Choice::CompareExchange, Some(Feature::CompareExchanges)),
    (8, Choice::Fence, Some(Feature::Fences)),
    (10, Choice::If, None),
    (8, Choice::Switch, Some(Feature::Switches)),
    (10, Choice::Loop, Some(Feature::Loops)),
    (8, Choice::Jump, Some(Feature::Jumps)),
    (14, Choice::Lock, Some(Feature::Mutexes)),
    (10, Choice::Heap, Some(Feature::Heap)),
    (14, Choice::Hand, Some(Feature::Handing)),
    (12, Choice::Call, Some(Feature::Calls)),
    (10, Choice::SetPointer, Some(Feature::SharedPointers)),
    (8, Choice::SetSlot, Some(Feature::FunctionSlots)),
    (12, Choice::StoreBytes, Some(Feature::Bytes)),
    (5, Choice::Helper, Some(Feature::NestedHelpers)),
];

/// How deep statements stand within each other.
const DEEPEST: usize = 2;

impl Generator {
    pub(super) fn block(&mut self, around: &mut Around, n_statements: usize) -> Vec<Statement> {
        let mut body = Vec::new();
        let mut tries = 4 * n_statements;
        while body.len() < n_statements && tries > 0 {
            tries -= 1;
            if let Some(statement) = self.statement(around) {
                body.push(statement);
            }
        }
        body
    }

    fn statement(&mut self, around: &mut Around) -> Option<Statement> {
        let able: Vec<(usize, Choice)> = CHOICES
            .iter()
            .filter(|(_, _, feature)| feature.is_none_or(|feature| self.has(feature)))
            .map(|(weight, choice, _)| (*weight, *choice))
            .collect();
        let choice = *self.rng.weighted(&able);
        let is_recursive = self.is_recursive(around);
        match choice {
            Choice::Own => {
                let (place, _) = self.own_number(around)?;
                Some(Statement::Store(place, self.number(around, 2)))
            }
            Choice::Read => {
                let value = self.shared_read(around)?;
                let (place, _) = self.own_number(around)?;
                Some(Statement::Store(place, value))
            }
            Choice::PlainStore => {
                let by_pointer =
                    if self.chance(Feature::Pointers, 30) { self.through_pointer(around) } else { None };
                let (place, _) = by_pointer.or_else(|| self.plain_shared(around))?;
                if !around.spend(1 + place.path.len() / 2) {
                    return None;
                }
                Some(Statement::Store(place, self.number(around, 1)))
            }
            Choice::AtomicStore => {
                let (place, _) = self.atomic_shared(around);
                let order = self.order();
                if !around.spend(1) {
                    return None;
                }
                Some(Statement::AtomicStore(place, self.number(around, 1), order))
            }
            Choice::Modify => self.modify(around).map(Statement::Evaluate),
            Choice::CompareExchange => {
                let (place, ty) = self.atomic_shared(around);
                let expected = around.numbers(Some(ty), is_recursive);
                if expected.is_empty() || !around.spend(2) {
                    return None;
                }
                let expected = local(*self.rng.pick(&expected));
                let new = self.number(around, 0);
                let (success, failure) = (self.order(), self.order());
                let flags = around.numbers(Some(IntType::U32), is_recursive);
                let done = (!flags.is_empty() && self.rng.percent(50)).then(|| local(*self.rng.pick(&flags)));
                let done = done.filter(|done| *done != expected);
                Some(Statement::CompareExchange { place, expected, new, success, failure, done })
            }
            Choice::Fence => Some(Statement::Fence(self.order())),
            Choice::If => {
                let condition = self.condition(around, 1);
                let then = self.inner(around, 1)?;
                let otherwise = if self.rng.percent(40) { self.inner(around, 1)? } else { Vec::new() };
                Some(Statement::If(condition, then, otherwise))
            }
            Choice::Switch => self.switch(around),
            Choice::Loop => self.bounded_loop(around),
            Choice::Jump => {
                if !around.can_leave {
                    return None;
                }
                let condition = self.condition(around, 0);
                Some(match self.rng.percent(50) {
                    true => Statement::BreakIf(condition),
                    false => Statement::ContinueIf(condition),
                })
            }
            Choice::Lock => self.lock(around),
            Choice::Heap => {
                let ty = self.int_type();
                let number = around.heaps.last().map_or(0, |(outer, _)| outer + 1);
                let value = self.number(around, 1);
                let could_leave = std::mem::replace(&mut around.can_leave, false);
                around.heaps.push((number, ty));
                let body = self.inner(around, 2);
                around.heaps.pop();
                around.can_leave = could_leave;
                Some(Statement::Heap { number, ty, value, body: body? })
            }
            Choice::Hand => {
                let received = self.received(around);
                if !around.spend(2) {
                    return None;
                }
                let value = self.number(around, 0);
                Some(Statement::Hand { slot: 0, value, received })
            }
            Choice::Call => self.call_statement(around),
            Choice::SetPointer => self.set_pointer(around),
            Choice::SetSlot => {
                if around.function.is_some() || self.program.function_slots.is_empty() || !around.spend(1) {
                    return None;
                }
                Some(Statement::SetSlot(0, self.rng.below(2)))
            }
            Choice::StoreBytes => {
                let (place, size) = self.bytes_of(around)?;
                let (offset, ty) = self.bytes_within(size);
                if !around.spend(1) {
                    return None;
                }
                let value = Expr::Cast(ty, Box::new(self.number(around, 1)));
                Some(Statement::StoreBytes { place, offset, value })
            }
            Choice::Helper => {
                if !around.makes_helpers || !around.mutexes.is_empty() || !around.spend(2) {
                    return None;
                }
                Some(Statement::Helper(self.helper()))
            }
        }
    }

    /// Statements within a statement.
    fn inner(&mut self, around: &mut Around, most: usize) -> Option<Vec<Statement>> {
        if around.depth >= DEEPEST {
            return None;
        }
        around.depth += 1;
        let n_statements = 1 + self.rng.below(most);
        let body = self.block(around, n_statements);
        around.depth -= 1;
        Some(body)
    }

    fn switch(&mut self, around: &mut Around) -> Option<Statement> {
        let on = self.number(around, 1);
        let could_leave = std::mem::replace(&mut around.can_leave, false);
        let mut arms = Vec::new();
        let n_arms = 2 + self.rng.below(2);
        // One arm is taken, or two: each may use what is left.
        let budget = around.budget;
        let mut least = budget;
        for _ in 0..n_arms {
            around.budget = budget / 2;
            let body = self.inner(around, 1);
            least = least.min(budget - budget / 2 + around.budget);
            let Some(body) = body else { break };
            arms.push(Arm { body, falls: self.rng.percent(30) });
        }
        around.budget = least;
        let default = self.inner(around, 1);
        around.can_leave = could_leave;
        (!arms.is_empty()).then_some(())?;
        Some(Statement::Switch { on, arms, default: default? })
    }

    fn bounded_loop(&mut self, around: &mut Around) -> Option<Statement> {
        let number = around.loops.last().map_or(0, |outer| outer + 1);
        let times = 2 + self.rng.below(2) as u32;
        if around.depth >= DEEPEST || around.times > 1 {
            return None;
        }
        let outer_times = around.times;
        around.times *= times as usize;
        let could_leave = std::mem::replace(&mut around.can_leave, true);
        around.loops.push(number);
        let body = self.inner(around, 2);
        around.loops.pop();
        around.can_leave = could_leave;
        around.times = outer_times;
        let kind = *self.rng.pick(&[LoopKind::For, LoopKind::While, LoopKind::Do]);
        Some(Statement::Loop { kind, number, times, body: body? })
    }

    fn lock(&mut self, around: &mut Around) -> Option<Statement> {
        let first = around.mutexes.last().map_or(0, |outer| outer + 1);
        let n_mutexes = self.program.mutexes.len();
        // Taking, giving back, and the number that is protected.
        if around.function.is_some() || first >= n_mutexes || around.depth >= DEEPEST || !around.spend(2) {
            return None;
        }
        let mutex = first + self.rng.below(n_mutexes - first);
        let could_leave = std::mem::replace(&mut around.can_leave, false);
        around.mutexes.push(mutex);
        let guarded = Place { root: Root::Guarded(mutex), path: Vec::new() };
        let mut body = vec![Statement::Store(guarded, self.number(around, 2))];
        body.extend(self.inner(around, 1)?);
        around.mutexes.pop();
        around.can_leave = could_leave;
        Some(Statement::Lock(mutex, body))
    }

    fn call_statement(&mut self, around: &mut Around) -> Option<Statement> {
        let record = around.locals.iter().position(|local| matches!(local.ty, Type::Record(_)));
        if let Some(number) = record
            && self.chance(Feature::RecordsByValue, 40)
        {
            let ty = around.locals[number].ty.clone();
            let call = self.call(around, Some(&ty))?;
            return Some(Statement::Store(local(number), call));
        }
        let call = self.call(around, None)?;
        match self.own_number(around) {
            Some((place, _)) if self.rng.percent(80) => Some(Statement::Store(place, call)),
            _ => Some(Statement::Evaluate(call)),
        }
    }

    /// Lets a shared pointer point elsewhere.
    fn set_pointer(&mut self, around: &mut Around) -> Option<Statement> {
        let pointers: Vec<usize> = (0..self.program.globals.len())
            .filter(|n| matches!(self.program.globals[*n].ty, Type::Pointer(_) | Type::AtomicPointer(_)))
            .collect();
        if pointers.is_empty() || !around.spend(1) {
            return None;
        }
        let number = *self.rng.pick(&pointers);
        let order = self.order();
        match self.program.globals[number].ty.clone() {
            Type::Pointer(target) => {
                Some(Statement::Store(global(number), self.kept_address(around, &target)?))
            }
            Type::AtomicPointer(target) => {
                Some(Statement::AtomicStore(global(number), self.kept_address(around, &target)?, order))
            }
            _ => None,
        }
    }

    /// A local for what is received; a new one if there is none.
    fn received(&mut self, around: &mut Around) -> Place {
        let is_recursive = self.is_recursive(around);
        let able = around.numbers(Some(IntType::I64), is_recursive);
        match able.last() {
            Some(number) => local(*number),
            None => {
                let initial = Initial::Numbers(vec![0]);
                around.locals.push(Local { ty: Type::Int(IntType::I64), initial });
                local(around.locals.len() - 1)
            }
        }
    }

    /// An error that may be reached or not.
    pub(super) fn fault(&mut self, around: &mut Around) -> Statement {
        let result = self.received(around);
        for _ in 0..8 {
            match self.rng.below(5) {
                0 => {
                    around.budget += 2;
                    if let Some((place, _)) = self.plain_shared(around) {
                        let scope = Scope {
                            program: &self.program,
                            locals: &around.locals,
                            function: around.function,
                        };
                        if !scope.is_bit_field(&place) {
                            let unless = self.condition(around, 1);
                            return Statement::Fault(Fault::Null { unless, place, result });
                        }
                    }
                }
                1 => {
                    let is_array = |global: &crate::tree::Global| match &global.ty {
                        Type::Array(element, _) => matches!(**element, Type::Int(_)),
                        _ => false,
                    };
                    let found = self.program.globals.iter().rposition(is_array);
                    let found = found.filter(|number| Some(*number) != self.seen);
                    if let Some(number) = found {
                        around.budget += 1;
                        let index = self.number(around, 1);
                        return Statement::Fault(Fault::Index { array: global(number), index, result });
                    }
                }
                2 => {
                    around.budget += 1;
                    let value = self.number(around, 0);
                    let by = self.number(around, 1);
                    return Statement::Fault(Fault::Division { value, by, result });
                }
                3 if !self.program.slots.is_empty() => {
                    return Statement::Fault(Fault::FreeTwice { slot: 0, result });
                }
                _ => {
                    around.budget += 1;
                    let condition = self.condition(around, 1);
                    let condition = match condition {
                        // Rarely false, so that there are programs where it must be shown never to be.
                        Condition::Compare(crate::tree::Comparison::Eq, a, b) => {
                            Condition::Compare(crate::tree::Comparison::Ne, a, b)
                        }
                        other => other,
                    };
                    return Statement::Fault(Fault::Assert(condition));
                }
            }
        }
        let never = Condition::Nonzero(constant(IntType::U32, 1));
        Statement::Fault(Fault::Assert(never))
    }
}
