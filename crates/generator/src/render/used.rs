//! Which declarations a program needs: what its routines reach. The rest is not written, so that an edit of the shrinker need
//! not number anything again.

use std::collections::BTreeSet;

use crate::tree::{Callee, Expr, Fault, Place, Program, Root, Routine, Statement, Type};
use crate::walk::{self, Visitor};

/// Numbers of declarations.
#[derive(Debug, Default)]
pub(super) struct Used {
    pub(super) records: BTreeSet<usize>,
    pub(super) globals: BTreeSet<usize>,
    pub(super) thread_locals: BTreeSet<usize>,
    pub(super) mutexes: BTreeSet<usize>,
    pub(super) slots: BTreeSet<usize>,
    pub(super) functions: BTreeSet<usize>,
    pub(super) tables: BTreeSet<usize>,
    pub(super) function_slots: BTreeSet<usize>,
    pub(super) helpers: BTreeSet<usize>,
    /// Whether some result of a thread is looked at.
    pub(super) joins: bool,
    /// Whether some variable is accessed by its bytes.
    pub(super) bytes: bool,
}

impl Used {
    pub(super) fn by(program: &Program) -> Used {
        let mut used = Used::default();
        let mut roots = program.clone();
        roots.functions.clear();
        roots.helpers.clear();
        let mut unreached = std::mem::take(&mut roots.globals);
        walk::program(&mut roots, &mut used);
        let routines = roots.constructor.iter().chain(roots.groups.iter().map(|group| &group.routine));
        for routine in routines.chain([&roots.main]) {
            used.locals(routine);
        }
        // What is reached reaches more, as long as there is something new.
        loop {
            let before = used.count();
            for number in used.tables.clone() {
                used.functions.extend(program.tables.get(number).iter().flat_map(|table| &table.functions));
            }
            for number in used.function_slots.clone() {
                used.functions.extend(program.function_slots.get(number));
            }
            for number in used.functions.clone() {
                let Some(function) = program.functions.get(number) else { continue };
                used.of_type(&function.result);
                used.routine(&function.routine);
            }
            for number in used.helpers.clone() {
                if let Some(helper) = program.helpers.get(number) {
                    used.routine(helper);
                }
            }
            for number in used.globals.clone() {
                if let Some(global) = unreached.get_mut(number) {
                    used.of_type(&global.ty);
                    if let crate::tree::Initial::Address(place) = &mut global.initial {
                        used.place(place);
                    }
                }
            }
            for number in used.records.clone() {
                let fields = program.records.get(number).map(|record| &record.fields);
                fields.into_iter().flatten().for_each(|field| used.of_type(&field.ty));
            }
            if used.count() == before {
                return used;
            }
        }
    }

    fn count(&self) -> usize {
        self.records.len()
            + self.globals.len()
            + self.functions.len()
            + self.tables.len()
            + self.function_slots.len()
            + self.helpers.len()
    }

    fn routine(&mut self, routine: &Routine) {
        self.locals(routine);
        walk::routine(&mut routine.clone(), self);
    }

    fn locals(&mut self, routine: &Routine) {
        routine.locals.iter().for_each(|local| self.of_type(&local.ty));
    }

    fn of_type(&mut self, ty: &Type) {
        match ty {
            Type::Record(number) => {
                self.records.insert(*number);
            }
            Type::Array(inner, _) | Type::Pointer(inner) | Type::AtomicPointer(inner) => self.of_type(inner),
            Type::Int(_) | Type::Atomic(_) => {}
        }
    }
}

impl Visitor for Used {
    fn block(&mut self, body: &mut Vec<Statement>) {
        for statement in body {
            match statement {
                Statement::Lock(mutex, _) => {
                    self.mutexes.insert(*mutex);
                }
                Statement::Hand { slot, .. } | Statement::Fault(Fault::FreeTwice { slot, .. }) => {
                    self.slots.insert(*slot);
                }
                Statement::SetSlot(slot, function) => {
                    self.function_slots.insert(*slot);
                    self.functions.insert(*function);
                }
                Statement::Helper(number) => {
                    self.helpers.insert(*number);
                }
                Statement::StoreBytes { .. } => self.bytes = true,
                _ => {}
            }
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Call(call) => match &call.callee {
                Callee::Direct(number) => {
                    self.functions.insert(*number);
                }
                Callee::Table(number, _) => {
                    self.tables.insert(*number);
                }
                Callee::Slot(number) => {
                    self.function_slots.insert(*number);
                }
                Callee::Itself => {}
            },
            Expr::Left(slot) => {
                self.slots.insert(*slot);
            }
            Expr::Joined(_) => self.joins = true,
            Expr::Bytes { .. } => self.bytes = true,
            _ => {}
        }
    }

    fn place(&mut self, place: &mut Place) {
        match &place.root {
            Root::Global(number) => {
                self.globals.insert(*number);
            }
            Root::ThreadLocal(number) => {
                self.thread_locals.insert(*number);
            }
            Root::Local(_) | Root::Guarded(_) | Root::Heap(..) => {}
        }
    }
}
