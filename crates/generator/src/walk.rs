//! Every part of a tree, from the outside in.

use crate::tree::{Callee, Condition, Expr, Fault, Initial, Place, Program, Root, Routine, Statement, Step};

/// What is done with the parts. Each is visited before what is within it, so what is put there is visited as well.
pub(crate) trait Visitor {
    /// A list of statements.
    fn block(&mut self, _: &mut Vec<Statement>) {}
    /// A value.
    fn expr(&mut self, _: &mut Expr) {}
    /// A condition.
    fn condition(&mut self, _: &mut Condition) {}
    /// A place.
    fn place(&mut self, _: &mut Place) {}
}

/// The routines of a program: functions, helpers, the constructor, threads, `main` with all its parts.
pub(crate) fn each_routine(program: &mut Program, f: &mut dyn FnMut(&mut Routine)) {
    program.functions.iter_mut().for_each(|function| f(&mut function.routine));
    program.helpers.iter_mut().for_each(&mut *f);
    program.constructor.iter_mut().for_each(&mut *f);
    program.groups.iter_mut().for_each(|group| f(&mut group.routine));
    f(&mut program.main);
}

/// Visits a program.
pub(crate) fn program(of: &mut Program, visitor: &mut dyn Visitor) {
    for global in &mut of.globals {
        initial(&mut global.initial, visitor);
    }
    each_routine(of, &mut |one| routine(one, visitor));
    block(&mut of.meanwhile, visitor);
    block(&mut of.afterwards, visitor);
    of.out.iter_mut().for_each(|one| expr(one, visitor));
}

/// Visits a routine.
pub(crate) fn routine(of: &mut Routine, visitor: &mut dyn Visitor) {
    of.locals.iter_mut().for_each(|local| initial(&mut local.initial, visitor));
    block(&mut of.body, visitor);
    if let Some(result) = &mut of.result {
        expr(result, visitor);
    }
}

fn initial(of: &mut Initial, visitor: &mut dyn Visitor) {
    match of {
        Initial::Numbers(_) => {}
        Initial::Address(at) => place(at, visitor),
    }
}

/// Visits a list of statements.
pub(crate) fn block(of: &mut Vec<Statement>, visitor: &mut dyn Visitor) {
    visitor.block(of);
    for one in of {
        statement(one, visitor);
    }
}

fn statement(of: &mut Statement, visitor: &mut dyn Visitor) {
    match of {
        Statement::Store(at, value) | Statement::AtomicStore(at, value, _) => {
            place(at, visitor);
            expr(value, visitor);
        }
        Statement::Evaluate(value) => expr(value, visitor),
        Statement::CompareExchange { place: at, expected, new, success: _, failure: _, done } => {
            place(at, visitor);
            place(expected, visitor);
            expr(new, visitor);
            if let Some(done) = done {
                place(done, visitor);
            }
        }
        Statement::StoreBytes { place: at, offset: _, value } => {
            place(at, visitor);
            expr(value, visitor);
        }
        Statement::If(when, then, otherwise) => {
            condition(when, visitor);
            block(then, visitor);
            block(otherwise, visitor);
        }
        Statement::Switch { on, arms, default } => {
            expr(on, visitor);
            arms.iter_mut().for_each(|arm| block(&mut arm.body, visitor));
            block(default, visitor);
        }
        Statement::Loop { kind: _, number: _, times: _, body } | Statement::Lock(_, body) => {
            block(body, visitor);
        }
        Statement::BreakIf(when) | Statement::ContinueIf(when) => condition(when, visitor),
        Statement::Heap { number: _, ty: _, value, body } => {
            expr(value, visitor);
            block(body, visitor);
        }
        Statement::Hand { slot: _, value, received } => {
            expr(value, visitor);
            place(received, visitor);
        }
        Statement::Fence(_) | Statement::SetSlot(..) | Statement::Helper(_) => {}
        Statement::Fault(fault) => match fault {
            Fault::Assert(when) => condition(when, visitor),
            Fault::Null { unless, place: at, result } => {
                condition(unless, visitor);
                place(at, visitor);
                place(result, visitor);
            }
            Fault::Index { array, index, result } => {
                place(array, visitor);
                expr(index, visitor);
                place(result, visitor);
            }
            Fault::Division { value, by, result } => {
                expr(value, visitor);
                expr(by, visitor);
                place(result, visitor);
            }
            Fault::FreeTwice { slot: _, result } => place(result, visitor),
        },
    }
}

fn condition(of: &mut Condition, visitor: &mut dyn Visitor) {
    visitor.condition(of);
    match of {
        Condition::Compare(_, a, b) | Condition::Same(a, b) => {
            expr(a, visitor);
            expr(b, visitor);
        }
        Condition::Nonzero(value) => expr(value, visitor),
        Condition::Not(a) => condition(a, visitor),
        Condition::And(a, b) | Condition::Or(a, b) => {
            condition(a, visitor);
            condition(b, visitor);
        }
    }
}

fn expr(of: &mut Expr, visitor: &mut dyn Visitor) {
    visitor.expr(of);
    match of {
        Expr::Constant(..) | Expr::Counter(_) | Expr::Joined(_) | Expr::Left(_) => {}
        Expr::Load(at) | Expr::AtomicLoad(at, _) | Expr::Address(at) | Expr::Bytes { place: at, .. } => {
            place(at, visitor);
        }
        Expr::Modify { place: at, op: _, value, order: _ } => {
            place(at, visitor);
            expr(value, visitor);
        }
        Expr::Negative(value) | Expr::Complement(value) | Expr::Cast(_, value) => expr(value, visitor),
        Expr::Binary(_, _, a, b) => {
            expr(a, visitor);
            expr(b, visitor);
        }
        Expr::Truth(_, when) => condition(when, visitor),
        Expr::Choose(when, a, b) => {
            condition(when, visitor);
            expr(a, visitor);
            expr(b, visitor);
        }
        Expr::Call(call) => {
            if let Callee::Table(_, index) = &mut call.callee {
                expr(index, visitor);
            }
            call.arguments.iter_mut().for_each(|argument| expr(argument, visitor));
        }
    }
}

fn place(of: &mut Place, visitor: &mut dyn Visitor) {
    visitor.place(of);
    match of.root {
        Root::Global(_) | Root::Local(_) | Root::ThreadLocal(_) | Root::Guarded(_) | Root::Heap(..) => {}
    }
    for step in &mut of.path {
        match step {
            Step::Index(index) => expr(index, visitor),
            Step::Field(_) | Step::Deref => {}
        }
    }
}
