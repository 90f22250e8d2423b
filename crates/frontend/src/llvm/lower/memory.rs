//! Loads and stores. Memory that one thread alone touches is part of the thread's state and ends up in registers or
//! nowhere; the rest becomes reads and writes of shared cells.

use std::collections::BTreeSet;

use fencewright_ir::{BinaryOp, FenceKind, Lock, RegId};

use super::expr::{self, RExpr};
use super::machine::{Address, Machine, Object, ObjectKey, ROp, RegKey, Run, Scalar, SharedCell, Work};
use super::reasons::Mistake;
use super::state::{Cell, MAIN, Point, ThreadNumber};
use super::value::{Known, ObjectId, Value};
use crate::llvm::codes;
use fencewright_llvm::layout::ScalarKind;
use fencewright_llvm::module::{CastOp, Order};
use fencewright_llvm::names::readable;

/// The size in bytes of the widest access to shared memory; wider ones are refused.
const MAX_SHARED: u32 = 8;

/// Where an access can go.
pub(crate) enum Place {
    /// To one of these cells of the thread's own.
    Private(Vec<Cell>),
    /// To one of these cells, which threads share.
    Shared(Vec<Cell>),
}

/// An address that was checked: every value it can have is one of the cells.
pub(crate) struct Reached {
    pub(crate) pointer: Scalar,
    pub(super) cells: Vec<Cell>,
    size: u32,
}

/// How many accesses a cell gets from whom.
#[derive(Debug, Clone, Default)]
pub(crate) struct Accessors {
    pub(crate) threads: BTreeSet<ThreadNumber>,
    /// The most threads there were when main touched it.
    pub(crate) main_after: Option<u32>,
    /// The most bytes that were accessed at once.
    pub(crate) size: u32,
}

impl Accessors {
    /// Whether more than one thread touches it while there are several.
    pub(crate) fn is_shared(&self) -> bool {
        let mut others = self.threads.iter().filter(|&&thread| thread != MAIN);
        // What main did before it created the only other thread is part of how that one starts.
        let with_main =
            self.main_after.is_some_and(|created| others.clone().any(|thread| thread.0 <= created));
        with_main || others.nth(1).is_some()
    }

    /// Takes in the accesses of another cell.
    pub(crate) fn join(&mut self, other: &Accessors) {
        self.threads.extend(&other.threads);
        self.main_after = self.main_after.max(other.main_after);
    }
}

impl Machine<'_> {
    /// Checks that an address leads to so many bytes of an object that is still there. `None` if it never does: then the
    /// execution ends in a fault.
    pub(crate) fn reach(&mut self, w: &mut Work, pointer: &Scalar, size: u32) -> Run<Option<Reached>> {
        let at = w.at;
        let Some(values) = pointer.known.values().cloned() else {
            return self.error(
                &codes::POINTER,
                at,
                "this address cannot be resolved to the objects it points to",
                "make the pointer come from a variable, an array or an allocation of the program",
            );
        };
        let (mut cells, mut outside) = (Vec::new(), Vec::new());
        for value in values {
            match value {
                Value::Pointer(object, offset)
                    if self.is_inside(object, offset, size) && !self.is_gone(object, at) =>
                {
                    cells.push((object, offset));
                }
                _ => outside.push(value),
            }
        }
        if cells.is_empty() {
            return Ok(None);
        }
        let inside: Vec<Value> = cells.iter().map(|cell| Value::Pointer(cell.0, cell.1)).collect();
        self.note_beside_unset(&pointer.known, 64);
        let mistake = Mistake::of_addresses(&outside);
        self.check_among(w, &pointer.expr, (&inside, &outside), mistake);
        let pointer = Scalar::new(Known::of(inside), pointer.expr.clone(), 64);
        self.check_alive(w, &pointer)?;
        Ok(Some(Reached { pointer, cells, size }))
    }

    fn is_inside(&self, object: ObjectId, offset: i64, size: u32) -> bool {
        let (Some(whole), Ok(offset)) = (self.objects[object].size, u64::try_from(offset)) else {
            return false;
        };
        offset.checked_add(u64::from(size)).is_some_and(|end| end <= whole)
    }

    /// Whose the cells of an address are, noting that they are accessed.
    pub(crate) fn place(&mut self, w: &Work, reached: &Reached) -> Run<Place> {
        let (at, size) = (w.at, reached.size);
        let cells = reached.cells.clone();
        self.note_access(w, &cells, size);
        let alone = self.is_alone(w);
        let is_shared = |cell: &Cell| !alone && self.shared.contains(cell);
        if !cells.iter().any(is_shared) {
            return Ok(Place::Private(cells));
        }
        // Compilers make such an access in pieces, and others can see some of them without the rest.
        if size > MAX_SHARED {
            return self.unsupported(at, "an access of more than 8 bytes at once to shared memory");
        }
        for &cell in &cells {
            // One address can mean both: then all of them are shared.
            self.shared.insert(cell);
            self.shared_cell(cell, size, at)?;
        }
        Ok(Place::Shared(cells))
    }

    /// Whether there is no thread but this one yet.
    pub(super) fn is_alone(&self, w: &Work) -> bool {
        self.thread == MAIN && w.env.created == 0
    }

    pub(super) fn note_access(&mut self, w: &Work, cells: &[Cell], size: u32) {
        if self.is_alone(w) {
            return;
        }
        for &cell in cells {
            let foreign = self.owner(cell.0).is_some_and(|owner| owner != self.thread);
            let accessors = self.accessors.entry(cell).or_default();
            // Its owner must say when it is gone.
            self.grown |= accessors.threads.insert(self.thread) && foreign;
            accessors.size = accessors.size.max(size);
            if self.thread == MAIN {
                accessors.main_after = accessors.main_after.max(Some(w.env.created));
            }
        }
    }

    /// Sees to it that a shared cell is there, with its initial value.
    fn shared_cell(&mut self, cell: Cell, size: u32, at: Point) -> Run<()> {
        if let Some(known) = self.cells.get(&cell) {
            if known.size == size {
                return Ok(());
            }
            return self.width_error(at);
        }
        let end = cell.1 + i64::from(size);
        let before = self.cells.range((cell.0, i64::MIN)..cell).next_back();
        let behind = self.cells.range(cell..(cell.0, end)).next();
        if before.is_some_and(|(other, data)| other.1 + i64::from(data.size) > cell.1) || behind.is_some() {
            return self.width_error(at);
        }
        // What main left there, put together from the pieces it wrote.
        let published = self.published.take().unwrap_or_default();
        let known = self.read_private(&published, cell, size, at).map(|scalar| scalar.known);
        self.published = Some(published);
        let known = known?;
        let init = match known.single() {
            Some(value) => value,
            None => {
                return self.error(
                    &codes::START,
                    at,
                    "the value this memory has when the first thread starts is not known",
                    "give it a constant value before the first thread is created",
                );
            }
        };
        self.cells.insert(cell, SharedCell { size, known: Known::one(init), init });
        self.grown = true;
        Ok(())
    }

    pub(super) fn width_error<T>(&self, at: Point) -> Run<T> {
        self.error(
            &codes::WIDTH,
            at,
            "shared memory is accessed with different widths here and elsewhere",
            "access each field with one type",
        )
    }

    /// Loads a scalar. `None` if there is nothing there: the execution ends in a fault.
    pub(crate) fn load(
        &mut self,
        w: &mut Work,
        pointer: &Scalar,
        kind: ScalarKind,
        size: u32,
        dst: RegKey,
    ) -> Run<Option<Scalar>> {
        match self.reach(w, pointer, size)? {
            Some(reached) => self.load_reached(w, &reached, kind, dst).map(Some),
            None => Ok(None),
        }
    }

    pub(crate) fn load_reached(
        &mut self,
        w: &mut Work,
        reached: &Reached,
        kind: ScalarKind,
        dst: RegKey,
    ) -> Run<Scalar> {
        let (at, size, pointer) = (w.at, reached.size, &reached.pointer);
        let raw = match self.place(w, reached)? {
            Place::Private(cells) => {
                let mut result: Option<Scalar> = None;
                // From the last to the first, so that the chain tests them in order.
                for &cell in cells.iter().rev() {
                    let here = if kind == ScalarKind::Float && self.is_unclear(&w.env, cell, size) {
                        // It can be copied; whoever computes with it is told.
                        let known = Known::Any { unset: false, address: true };
                        Scalar { known, expr: expr::int(0), bits: size * 8 }
                    } else {
                        self.read_private(&w.env, cell, size, at)?
                    };
                    result = Some(match result {
                        None => here,
                        Some(rest) => {
                            let is_here = expr::binary(
                                BinaryOp::Eq,
                                pointer.expr.clone(),
                                expr::constant(Value::Pointer(cell.0, cell.1)),
                            );
                            let chosen = expr::choose(is_here, here.expr.clone(), rest.expr.clone());
                            Scalar::new(here.known.join(&rest.known), chosen, size * 8)
                        }
                    });
                }
                result.unwrap_or_else(|| Scalar::constant(Value::Unset, size * 8))
            }
            Place::Shared(cells) => {
                let known = self.known_of(&cells);
                if known.single().is_some() {
                    Scalar::new(known, expr::int(0), size * 8)
                } else {
                    let reg = self.reg(dst, &known, size * 8);
                    let addr = Address { pointer: pointer.expr.clone(), targets: cells };
                    w.emit(ROp::Read { dst: reg, addr });
                    Scalar::new(known, expr::reg(reg), size * 8)
                }
            }
        };
        let raw = Scalar { bits: size * 8, ..raw };
        if kind.bits() < raw.bits {
            let raw = self.need_set(w, raw);
            self.cast(CastOp::Trunc, &raw, kind.bits(), at)
        } else {
            Ok(Scalar { bits: kind.bits(), ..raw })
        }
    }

    /// Refuses two errors that the lowered program has no checks for: writes to constants, and misaligned atomic accesses.
    pub(crate) fn refuse_wrong_write(&self, reached: &Reached, atomic: bool, at: Point) -> Run<()> {
        for &(object, offset) in &reached.cells {
            if let ObjectKey::Global(id, _) = self.objects[object].key
                && self.module.globals[id].constant
            {
                return self.unsupported(at, "a write to a constant");
            }
            if atomic {
                self.refuse_misaligned(offset, reached.size, at)?;
            }
        }
        Ok(())
    }

    pub(crate) fn refuse_misaligned(&self, offset: i64, size: u32, at: Point) -> Run<()> {
        if offset % i64::from(size.max(1)) != 0 {
            return self.unsupported(at, "an atomic access that is not aligned");
        }
        Ok(())
    }

    /// Stores a scalar. False if there is nowhere to store it.
    pub(crate) fn store(
        &mut self,
        w: &mut Work,
        pointer: &Scalar,
        value: &Scalar,
        size: u32,
        order: Order,
    ) -> Run<bool> {
        match self.reach(w, pointer, size)? {
            Some(reached) => self.store_reached(w, &reached, value, order).map(|()| true),
            None => Ok(false),
        }
    }

    pub(crate) fn store_reached(
        &mut self,
        w: &mut Work,
        reached: &Reached,
        value: &Scalar,
        order: Order,
    ) -> Run<()> {
        let (at, size, pointer) = (w.at, reached.size, &reached.pointer);
        self.refuse_wrong_write(reached, order != Order::Plain, at)?;
        // What is looked at from outside is output, which must be set.
        let is_output = reached.cells.iter().any(|cell| self.is_observed(cell.0));
        let is_narrow = value.bits < size * 8;
        let value = if is_narrow || is_output { self.need_set(w, value.clone()) } else { value.clone() };
        let value = if is_narrow {
            self.cast(CastOp::ZExt, &value, size * 8, at)?
        } else {
            Scalar { bits: size * 8, ..value }
        };
        if let Some(&cell) = reached.cells.first() {
            self.name_allocations(cell, &value.known);
        }
        if order != Order::SeqCst && !self.is_alone(w) {
            self.writers.extend(reached.cells.iter().map(|cell| (cell.0, self.thread)));
        }
        match self.place(w, reached)? {
            Place::Private(cells) => {
                if let [cell] = cells[..] {
                    self.write_private(w, cell, size, &value)?;
                } else {
                    for cell in cells {
                        let old = self.read_private(&w.env, cell, size, at)?;
                        let is_here = expr::binary(
                            BinaryOp::Eq,
                            pointer.expr.clone(),
                            expr::constant(Value::Pointer(cell.0, cell.1)),
                        );
                        let new = expr::choose(is_here, value.expr.clone(), old.expr.clone());
                        let joined = Scalar::new(old.known.join(&value.known), new, size * 8);
                        self.write_private(w, cell, size, &joined)?;
                    }
                }
            }
            Place::Shared(cells) => {
                for &cell in &cells {
                    self.grow(cell, &value.known);
                }
                // A cell that only ever holds one value cannot change.
                if cells.iter().any(|cell| self.cells[cell].known.single().is_none()) {
                    let addr = Address { pointer: pointer.expr.clone(), targets: cells };
                    emit_write(w, addr, value.expr, order);
                    return Ok(());
                }
            }
        }
        // Whatever it stores, and to whom: what comes before it is ordered before what follows.
        match order {
            Order::SeqCst => w.emit(ROp::Fence(FenceKind::Full)),
            Order::Release | Order::AcqRel => w.emit(ROp::Fence(FenceKind::StoreStore)),
            Order::Plain | Order::Relaxed | Order::Acquire => {}
        }
        Ok(())
    }

    /// An allocated object is called by the type of the pointers that hold its address.
    fn name_allocations(&mut self, holder: Cell, known: &Known) {
        let nameless =
            |object: &Object| matches!(object.key, ObjectKey::Heap(..)) && object.variable.is_none();
        let found: Vec<ObjectId> = (known.values().into_iter().flatten())
            .filter_map(|value| match value {
                Value::Pointer(object, 0) if nameless(&self.objects[*object]) => Some(*object),
                _ => None,
            })
            .collect();
        if found.is_empty() {
            return;
        }
        let ty = match &self.objects[holder.0].key {
            ObjectKey::Global(id, _) => self.module.globals[*id]
                .debug
                .and_then(|debug| self.positions.global(debug))
                .and_then(|(_, ty)| ty),
            _ => self.objects[holder.0].variable.as_ref().and_then(|(_, ty)| *ty),
        };
        if let Some((name, ty)) = ty.and_then(|ty| self.positions.pointee(ty, holder.1.max(0) as u64)) {
            for object in found {
                self.objects[object].variable = Some((name.clone(), Some(ty)));
            }
        }
    }

    /// A read-modify-write: reads, and writes what `f` makes of it. `None` if there is nothing there.
    pub(crate) fn modify(
        &mut self,
        w: &mut Work,
        pointer: &Scalar,
        size: u32,
        dst: RegKey,
        lock: Lock,
        f: &mut dyn FnMut(&mut Self, &Scalar) -> Run<Scalar>,
    ) -> Run<Option<Scalar>> {
        let Some(reached) = self.reach(w, pointer, size)? else { return Ok(None) };
        self.modify_reached(w, &reached, dst, lock, f)
    }

    pub(crate) fn modify_reached(
        &mut self,
        w: &mut Work,
        reached: &Reached,
        dst: RegKey,
        lock: Lock,
        f: &mut dyn FnMut(&mut Self, &Scalar) -> Run<Scalar>,
    ) -> Run<Option<Scalar>> {
        let size = reached.size;
        self.refuse_wrong_write(reached, true, w.at)?;
        match self.place(w, reached)? {
            Place::Private(_) => {
                let old = self.load_reached(w, reached, ScalarKind::Int(size * 8), dst)?;
                let old = self.need_set(w, old);
                // What was read must outlive the write.
                let old = self.keep(w, dst, old);
                let new = f(self, &old)?;
                self.store_reached(w, reached, &new, Order::Plain)?;
                // Nobody else sees what it changes, but it waits for pending writes all the same.
                w.emit(match lock {
                    Lock::Full => ROp::Fence(FenceKind::Full),
                    Lock::Location => ROp::Locked(lock, Vec::new()),
                });
                Ok(Some(old))
            }
            Place::Shared(cells) => {
                let all = self.known_of(&cells);
                let known = all.set_only();
                if known.values().is_some_and(|set| set.is_empty()) {
                    return Ok(None);
                }
                let reg = self.reg(dst, &all, size * 8);
                let old = Scalar { known: known.clone(), expr: expr::reg(reg), bits: size * 8 };
                let new = f(self, &old)?;
                for &cell in &cells {
                    self.grow(cell, &new.known);
                }
                let addr = Address { pointer: reached.pointer.expr.clone(), targets: cells };
                let mut ops = vec![ROp::Read { dst: reg, addr: addr.clone() }];
                if all.may_be_unset() {
                    ops.push(ROp::Assert(is_set(reg), Mistake::Unset.into()));
                }
                ops.push(ROp::Write { addr, value: new.expr });
                w.emit(ROp::Locked(lock, ops));
                Ok(Some(Scalar::new(known, expr::reg(reg), size * 8)))
            }
        }
    }

    /// What shared cells can hold.
    pub(super) fn known_of(&self, cells: &[Cell]) -> Known {
        cells.iter().fold(Known::nothing(), |known, cell| known.join(&self.cells[cell].known))
    }

    /// A value in a register of its own, unless it is a constant.
    pub(crate) fn keep(&mut self, w: &mut Work, dst: RegKey, value: Scalar) -> Scalar {
        if value.known.single().is_some() {
            return value;
        }
        let reg = self.reg(dst, &value.known, value.bits);
        if value.expr != expr::reg(reg) {
            w.emit(ROp::Assign { dst: reg, value: value.expr.clone() });
        }
        Scalar { expr: expr::reg(reg), ..value }
    }

    /// Cells that have come to be touched by several threads. Whether there are new ones.
    pub(crate) fn find_shared(&mut self) -> bool {
        let before = self.shared.len();
        // Accesses of different widths can meet in a byte: what overlaps is shared together.
        let mut group: Vec<Cell> = Vec::new();
        let mut together = Accessors::default();
        let mut end = (ObjectId(0), i64::MIN);
        for (&cell, accessors) in &self.accessors {
            if cell.0 != end.0 || cell.1 >= end.1 {
                group.clear();
                together = Accessors::default();
            }
            group.push(cell);
            together.join(accessors);
            let own_end = cell.1.saturating_add(i64::from(accessors.size));
            end = (cell.0, if cell.0 == end.0 { end.1.max(own_end) } else { own_end });
            if together.is_shared() || self.is_observed(cell.0) {
                self.shared.extend(&group);
            }
        }
        self.shared.len() != before
    }

    /// Whether the object is a global that is looked at from outside.
    fn is_observed(&self, object: ObjectId) -> bool {
        let ObjectKey::Global(id, _) = &self.objects[object].key else { return false };
        let observed = &self.unit.options.observed;
        !observed.is_empty() && {
            let name = readable(&self.module.globals[*id].name);
            observed.iter().any(|one| name == *one || name.ends_with(&format!("::{one}")))
        }
    }
}

/// A write of the order: what its machine instructions are on each model is in `docs/formats/c-and-rust.md`.
fn emit_write(w: &mut Work, addr: Address, value: RExpr, order: Order) {
    match order {
        Order::SeqCst => w.emit(ROp::Locked(Lock::Full, vec![ROp::Write { addr, value }])),
        Order::Release | Order::AcqRel => {
            w.emit(ROp::Fence(FenceKind::StoreStore));
            w.emit(ROp::Write { addr, value });
        }
        Order::Plain | Order::Relaxed | Order::Acquire => w.emit(ROp::Write { addr, value }),
    }
}

/// Whether a register holds something that was written.
pub(crate) fn is_set(reg: RegId) -> RExpr {
    expr::binary(BinaryOp::Ne, expr::reg(reg), expr::constant(Value::Unset))
}
