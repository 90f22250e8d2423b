//! Which trees are programs: every name is there, types fit, loops are left from within, mutexes are taken in order.
//!
//! What it does not look at is whether a pointer outlives what it points to: generated trees have none that does, and an
//! edit of the shrinker makes none.

use crate::tree::{
    Callee, Condition, Expr, Fault, Group, Initial, IntType, Local, Place, Program, Root, Routine, Statement,
    Step, Type,
};
use crate::types::{Scope, has_atomics, size_of};

/// The most threads of the groups.
const MOST_THREADS: usize = 4;

/// Whether the tree is a program that can be written in each language.
pub fn is_valid(program: &Program) -> bool {
    check(program).is_some()
}

/// `Some` if all is well: `?` ends at what is not.
fn check(program: &Program) -> Option<()> {
    for (number, record) in program.records.iter().enumerate() {
        let fits = |ty: &Type| match innermost(ty) {
            Type::Record(inner) => *inner < number,
            Type::Int(_) => true,
            Type::Atomic(_) => !record.is_union,
            Type::Array(..) | Type::Pointer(_) | Type::AtomicPointer(_) => false,
        };
        require(!record.fields.is_empty() && record.fields.iter().all(|field| fits(&field.ty)))?;
        require(!record.is_union || !has_atomics(program, &Type::Record(number)))?;
        for field in &record.fields {
            if let Some(bits) = field.bit_field {
                let fits = matches!(&field.ty, Type::Int(ty) if bits >= 1 && bits <= ty.bits);
                require(fits && !record.is_union)?;
            }
        }
    }
    for global in &program.globals {
        let scope = Scope { program, locals: &[], function: None };
        initial(&scope, &global.ty, &global.initial, 0)?;
    }
    for (number, function) in program.functions.iter().enumerate() {
        let routine = &function.routine;
        require(routine.result.is_some())?;
        require(!function.is_recursive || function.parameters().next() == Some(&Type::Int(IntType::U32)))?;
        let walk = Walk::new(program, &routine.locals, Kind::Function(number));
        walk.routine(routine)?;
        let result = walk.scope.value(routine.result.as_ref()?)?;
        require(fits(&function.result, &result))?;
    }
    for table in &program.tables {
        let first = program.functions.get(*table.functions.first()?)?;
        require(table.functions.len().is_power_of_two())?;
        let alike =
            |number: &usize| program.functions.get(*number).is_some_and(|f| f.has_signature_of(first));
        require(table.functions.iter().all(alike))?;
    }
    require(program.function_slots.iter().all(|number| *number < program.functions.len()))?;
    for helper in &program.helpers {
        require(helper.n_parameters == 0 && helper.result.is_none())?;
        Walk::new(program, &helper.locals, Kind::Helper).routine(helper)?;
    }
    if let Some(constructor) = &program.constructor {
        require(constructor.n_parameters == 0 && constructor.result.is_none())?;
        Walk::new(program, &constructor.locals, Kind::Constructor).routine(constructor)?;
    }
    require((1..=MOST_THREADS).contains(&program.n_threads()))?;
    for Group { routine, count, in_loop: _, by_address: _ } in &program.groups {
        require(*count >= 1 && routine.n_parameters == 1)?;
        require(routine.locals.first()?.ty == Type::Int(IntType::U32))?;
        let walk = Walk::new(program, &routine.locals, Kind::Thread);
        walk.routine(routine)?;
        if let Some(result) = &routine.result {
            walk.scope.number(result)?;
        }
    }
    let main = &program.main;
    require(main.n_parameters == 0 && main.result.is_none())?;
    let mut walk = Walk::new(program, &main.locals, Kind::Main);
    walk.routine(main)?;
    walk.block(&program.meanwhile)?;
    walk.kind = Kind::Afterwards;
    walk.block(&program.afterwards)?;
    walk.kind = Kind::Outcome;
    require((1..=6).contains(&program.out.len()))?;
    program.out.iter().try_for_each(|out| walk.number(out))
}

fn require(holds: bool) -> Option<()> {
    holds.then_some(())
}

fn innermost(ty: &Type) -> &Type {
    match ty {
        Type::Array(element, _) => innermost(element),
        other => other,
    }
}

/// Whether such a value may be put there: numbers are converted.
fn fits(to: &Type, from: &Type) -> bool {
    to == from || matches!((to, from), (Type::Int(_), Type::Int(_)))
}

fn initial(scope: &Scope<'_>, ty: &Type, initial: &Initial, number: usize) -> Option<()> {
    match (ty, initial) {
        (Type::Pointer(target) | Type::AtomicPointer(target), Initial::Address(place)) => {
            let is_constant = |step: &Step| match step {
                Step::Field(_) => true,
                Step::Index(index) => matches!(**index, Expr::Constant(..)),
                Step::Deref => false,
            };
            require(place.path.iter().all(is_constant) && !scope.is_bit_field(place))?;
            require(match place.root {
                Root::Global(_) => true,
                Root::Local(earlier) => earlier < number,
                Root::ThreadLocal(_) | Root::Guarded(_) | Root::Heap(..) => false,
            })?;
            require(scope.place(place)? == **target)
        }
        (Type::Pointer(_) | Type::AtomicPointer(_), Initial::Numbers(_)) | (_, Initial::Address(_)) => None,
        (_, Initial::Numbers(_)) => Some(()),
    }
}

#[derive(Debug, Copy, Clone, PartialEq, Eq)]
enum Kind {
    Function(usize),
    Helper,
    Constructor,
    Thread,
    Main,
    Afterwards,
    Outcome,
}

/// A place in the tree with what is around it.
struct Walk<'a> {
    scope: Scope<'a>,
    kind: Kind,
    /// Loops around, and whether they can be left from here.
    loops: Vec<usize>,
    can_leave: bool,
    mutexes: Vec<usize>,
    heaps: Vec<(usize, IntType)>,
}

impl<'a> Walk<'a> {
    fn new(program: &'a Program, locals: &'a [Local], kind: Kind) -> Self {
        let function = match kind {
            Kind::Function(number) => Some(number),
            _ => None,
        };
        let scope = Scope { program, locals, function };
        Self { scope, kind, loops: Vec::new(), can_leave: false, mutexes: Vec::new(), heaps: Vec::new() }
    }

    fn routine(&self, routine: &Routine) -> Option<()> {
        for (number, local) in routine.locals.iter().enumerate() {
            if number >= routine.n_parameters {
                require(!has_atomics(self.scope.program, &local.ty))?;
                initial(&self.scope, &local.ty, &local.initial, number)?;
            } else {
                require(!matches!(local.ty, Type::Array(..) | Type::Atomic(_) | Type::AtomicPointer(_)))?;
            }
        }
        require(routine.n_parameters <= routine.locals.len())?;
        let mut inner = Walk::new(self.scope.program, self.scope.locals, self.kind);
        inner.block(&routine.body)?;
        routine.result.as_ref().map_or(Some(()), |result| inner.expr(result))
    }

    fn block(&mut self, body: &[Statement]) -> Option<()> {
        body.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Statement) -> Option<()> {
        match statement {
            Statement::Store(place, value) => {
                self.written(place)?;
                self.expr(value)?;
                let (to, from) = (self.scope.place(place)?, self.scope.value(value)?);
                require(matches!(to, Type::Int(_) | Type::Pointer(_) | Type::Record(_)) && fits(&to, &from))
            }
            Statement::AtomicStore(place, value, _) => {
                self.place(place)?;
                self.expr(value)?;
                match (self.scope.place(place)?, self.scope.value(value)?) {
                    (Type::Atomic(_), Type::Int(_)) => Some(()),
                    (Type::AtomicPointer(target), Type::Pointer(from)) => require(target == from),
                    _ => None,
                }
            }
            Statement::Evaluate(value) => {
                self.expr(value)?;
                require(matches!(value, Expr::Call(_) | Expr::Modify { .. } | Expr::AtomicLoad(..)))
            }
            Statement::CompareExchange { place, expected, new, success: _, failure: _, done } => {
                self.place(place)?;
                self.number(new)?;
                let Type::Atomic(ty) = self.scope.place(place)? else { return None };
                self.local(expected, ty)?;
                done.as_ref().map_or(Some(()), |done| self.local(done, IntType::U32))
            }
            Statement::StoreBytes { place, offset, value } => {
                self.written(place)?;
                self.number(value)?;
                self.bytes(place, *offset, self.scope.number(value)?)
            }
            Statement::Fence(_) => Some(()),
            Statement::If(condition, then, otherwise) => {
                self.condition(condition)?;
                self.block(then)?;
                self.block(otherwise)
            }
            Statement::Switch { on, arms, default } => {
                self.number(on)?;
                require(!arms.is_empty() && arms.len() <= 4)?;
                let could_leave = std::mem::replace(&mut self.can_leave, false);
                arms.iter().try_for_each(|arm| self.block(&arm.body))?;
                self.block(default)?;
                self.can_leave = could_leave;
                Some(())
            }
            Statement::Loop { kind: _, number, times, body } => {
                require(self.loops.last().is_none_or(|outer| outer < number) && (1..=4).contains(times))?;
                self.loops.push(*number);
                let could_leave = std::mem::replace(&mut self.can_leave, true);
                self.block(body)?;
                self.can_leave = could_leave;
                self.loops.pop();
                Some(())
            }
            Statement::BreakIf(condition) | Statement::ContinueIf(condition) => {
                require(self.can_leave)?;
                self.condition(condition)
            }
            Statement::Lock(mutex, body) => {
                require(*mutex < self.scope.program.mutexes.len())?;
                require(self.mutexes.last().is_none_or(|outer| outer < mutex))?;
                // A function that takes a mutex may be called by one that holds it.
                require(!matches!(self.kind, Kind::Function(_)))?;
                self.within(body, |walk| walk.mutexes.push(*mutex))?;
                self.mutexes.pop();
                Some(())
            }
            Statement::Heap { number, ty, value, body } => {
                self.number(value)?;
                require(self.heaps.last().is_none_or(|(outer, _)| outer < number))?;
                self.within(body, |walk| walk.heaps.push((*number, *ty)))?;
                self.heaps.pop();
                Some(())
            }
            Statement::Hand { slot, value, received } => {
                require(*slot < self.scope.program.slots.len())?;
                self.number(value)?;
                self.local(received, IntType::I64)
            }
            Statement::SetSlot(slot, function) => {
                let initial = *self.scope.program.function_slots.get(*slot)?;
                let functions = &self.scope.program.functions;
                // A function may call the slot only if what is in it cannot call that function.
                require(!matches!(self.kind, Kind::Function(_)))?;
                require(functions.get(*function)?.has_signature_of(functions.get(initial)?))
            }
            Statement::Helper(number) => {
                require(*number < self.scope.program.helpers.len() && self.mutexes.is_empty())?;
                require(matches!(self.kind, Kind::Thread | Kind::Main | Kind::Afterwards))
            }
            Statement::Fault(fault) => self.fault(fault),
        }
    }

    /// A body whose unlocking or freeing a jump out of it would leave out.
    fn within(&mut self, body: &[Statement], enter: impl FnOnce(&mut Self)) -> Option<()> {
        let could_leave = std::mem::replace(&mut self.can_leave, false);
        enter(self);
        self.block(body)?;
        self.can_leave = could_leave;
        Some(())
    }

    fn fault(&mut self, fault: &Fault) -> Option<()> {
        match fault {
            Fault::Assert(condition) => self.condition(condition),
            Fault::Null { unless, place, result } => {
                self.condition(unless)?;
                self.place(place)?;
                require(matches!(self.scope.place(place)?, Type::Int(_)) && self.has_address(place))?;
                self.local(result, IntType::I64)
            }
            Fault::Index { array, index, result } => {
                self.place(array)?;
                self.number(index)?;
                let Type::Array(element, _) = self.scope.place(array)? else { return None };
                require(matches!(*element, Type::Int(_)))?;
                self.local(result, IntType::I64)
            }
            Fault::Division { value, by, result } => {
                self.number(value)?;
                self.number(by)?;
                self.local(result, IntType::I64)
            }
            Fault::FreeTwice { slot, result } => {
                require(*slot < self.scope.program.slots.len())?;
                self.local(result, IntType::I64)
            }
        }
    }

    /// A local number of this type.
    fn local(&self, place: &Place, ty: IntType) -> Option<()> {
        let Root::Local(number) = place.root else { return None };
        require(place.path.is_empty() && self.scope.place(place)? == Type::Int(ty))?;
        require(!self.is_depth(number))
    }

    /// Whether the local is how deep a recursive function may go.
    fn is_depth(&self, local: usize) -> bool {
        let function = self.scope.function.and_then(|number| self.scope.program.functions.get(number));
        local == 0 && function.is_some_and(|function| function.is_recursive)
    }

    fn written(&mut self, place: &Place) -> Option<()> {
        require(!matches!(place.root, Root::Local(number) if self.is_depth(number)))?;
        self.place(place)
    }

    fn has_address(&self, place: &Place) -> bool {
        let in_memory = match place.root {
            Root::Global(_) | Root::Heap(..) => true,
            Root::Local(number) => !self.is_depth(number),
            Root::ThreadLocal(_) | Root::Guarded(_) => false,
        };
        in_memory && !self.scope.is_bit_field(place)
    }

    fn bytes(&self, place: &Place, offset: usize, ty: IntType) -> Option<()> {
        let whole = self.scope.place(place)?;
        let program = self.scope.program;
        // How a struct is laid out, and what is between its fields, is the language's.
        require(match &whole {
            Type::Int(_) => true,
            Type::Array(element, _) => matches!(**element, Type::Int(_)),
            Type::Record(number) => program.records.get(*number)?.is_union,
            Type::Atomic(_) | Type::Pointer(_) | Type::AtomicPointer(_) => false,
        })?;
        require(self.has_address(place))?;
        require(offset + usize::from(ty.bits) / 8 <= size_of(program, &whole).0)
    }

    fn place(&mut self, place: &Place) -> Option<()> {
        self.scope.place(place)?;
        match &place.root {
            Root::Guarded(mutex) => require(self.mutexes.contains(mutex))?,
            Root::Heap(number, ty) => {
                require(self.heaps.iter().any(|(n, int)| n == number && *ty == Type::Int(*int)))?;
            }
            Root::Global(_) | Root::Local(_) | Root::ThreadLocal(_) => {}
        }
        for step in &place.path {
            if let Step::Index(index) = step {
                self.number(index)?;
            }
        }
        Some(())
    }

    fn number(&mut self, expr: &Expr) -> Option<()> {
        self.expr(expr)?;
        self.scope.number(expr).map(|_| ())
    }

    fn expr(&mut self, expr: &Expr) -> Option<()> {
        self.scope.value(expr)?;
        match expr {
            Expr::Constant(..) => Some(()),
            Expr::Load(place) | Expr::AtomicLoad(place, _) => self.place(place),
            Expr::Modify { place, op: _, value, order: _ } => {
                require(matches!(self.scope.place(place)?, Type::Atomic(_)))?;
                self.place(place)?;
                self.number(value)
            }
            Expr::Bytes { place, offset, ty } => {
                self.place(place)?;
                self.bytes(place, *offset, *ty)
            }
            Expr::Address(place) => {
                self.place(place)?;
                require(!has_atomics(self.scope.program, &self.scope.place(place)?))?;
                require(self.has_address(place))
            }
            Expr::Negative(value) | Expr::Complement(value) | Expr::Cast(_, value) => self.number(value),
            Expr::Binary(_, _, a, b) => {
                self.number(a)?;
                self.number(b)
            }
            Expr::Truth(_, condition) => self.condition(condition),
            Expr::Choose(condition, a, b) => {
                self.condition(condition)?;
                self.expr(a)?;
                self.expr(b)?;
                require(fits(&self.scope.value(a)?, &self.scope.value(b)?))
            }
            Expr::Counter(number) => require(self.loops.contains(number)),
            Expr::Call(call) => {
                let program = self.scope.program;
                let callee = program.callee(&call.callee, self.scope.function)?;
                let below = |number: usize| match self.kind {
                    Kind::Function(own) => number < own,
                    _ => true,
                };
                let mut given = callee.parameters();
                match &call.callee {
                    Callee::Direct(number) => require(below(*number))?,
                    Callee::Itself => {
                        require(callee.is_recursive)?;
                        given.next();
                    }
                    Callee::Table(table, index) => {
                        require(program.tables.get(*table)?.functions.iter().all(|number| below(*number)))?;
                        self.number(index)?;
                    }
                    Callee::Slot(_) => require(!matches!(self.kind, Kind::Function(_)))?,
                }
                let mut given_types = 0;
                for ty in given {
                    let argument = call.arguments.get(given_types)?;
                    self.expr(argument)?;
                    require(fits(ty, &self.scope.value(argument)?))?;
                    given_types += 1;
                }
                require(given_types == call.arguments.len())
            }
            Expr::Joined(number) => require(
                matches!(self.kind, Kind::Afterwards | Kind::Outcome)
                    && *number < self.scope.program.n_threads(),
            ),
            Expr::Left(slot) => require(self.kind == Kind::Outcome && *slot < self.scope.program.slots.len()),
        }
    }

    fn condition(&mut self, condition: &Condition) -> Option<()> {
        match condition {
            Condition::Compare(_, a, b) => {
                self.number(a)?;
                self.number(b)
            }
            Condition::Same(a, b) => {
                self.expr(a)?;
                self.expr(b)?;
                let (a, b) = (self.scope.value(a)?, self.scope.value(b)?);
                require(matches!(a, Type::Pointer(_)) && a == b)
            }
            Condition::Nonzero(value) => self.number(value),
            Condition::Not(a) => self.condition(a),
            Condition::And(a, b) | Condition::Or(a, b) => {
                self.condition(a)?;
                self.condition(b)
            }
        }
    }
}
