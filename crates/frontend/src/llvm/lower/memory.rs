//! Loads and stores. Memory that one thread alone touches is part of the thread's state and ends up in registers or
//! nowhere; the rest becomes reads and writes of shared cells.

use fencewright_ir::{BinaryOp, Expr, FenceKind, Lock};

use super::expr::{self, RExpr};
use super::machine::{
    Accessors, Address, Machine, Object, ObjectKey, ROp, RegKey, Run, Scalar, SharedCell, Work,
};
use super::state::{Cell, Env, MAIN, Piece, PieceFault, Point};
use super::value::{Known, ObjectId, Value, canonical, unsigned};
use crate::llvm::codes;
use fencewright_llvm::layout::ScalarKind;
use fencewright_llvm::module::{BinOp, CastOp, Constant, Order, Type};
use fencewright_llvm::names::readable;

/// Where an access can go.
pub(crate) enum Place {
    /// To one of these cells of the thread's own.
    Private(Vec<Cell>),
    /// To one of these cells, which threads share.
    Shared(Vec<Cell>),
    /// Nowhere: the address is null or outside every object.
    Nowhere,
}

impl Machine<'_> {
    /// The cells an address stands for, noting that they are accessed.
    pub(crate) fn place(&mut self, w: &Work, pointer: &Scalar, size: u32) -> Run<Place> {
        let at = w.at;
        let Some(values) = pointer.known.values().cloned() else {
            return self.error(
                &codes::POINTER,
                at,
                "this address cannot be resolved to the objects it points to",
                "make the pointer come from a variable, an array or an allocation of the program",
            );
        };
        let mut cells = Vec::new();
        for value in values {
            let Value::Pointer(object, offset) = value else { continue };
            let Some(whole) = self.objects[object].size else { continue };
            if offset >= 0 && offset.checked_add(i64::from(size)).is_some_and(|end| end as u64 <= whole) {
                cells.push((object, offset));
            }
        }
        if cells.is_empty() {
            return Ok(Place::Nowhere);
        }
        let alone = self.thread == MAIN && w.env.created == 0;
        if !alone {
            for &cell in &cells {
                let accessors = self.accessors.entry(cell).or_default();
                accessors.threads.insert(self.thread);
                accessors.size = accessors.size.max(size);
                if self.thread == MAIN {
                    accessors.main_after = accessors.main_after.max(Some(w.env.created));
                }
            }
        }
        let is_shared = |cell: &Cell| !alone && self.shared.contains(cell);
        if !cells.iter().any(is_shared) {
            return Ok(Place::Private(cells));
        }
        for &cell in &cells {
            // One address can mean both: then all of them are shared.
            self.shared.insert(cell);
            self.shared_cell(cell, size, at)?;
        }
        Ok(Place::Shared(cells))
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
            None if known.values().is_some_and(|set| set.is_empty()) => Value::Int(0),
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

    fn width_error<T>(&self, at: Point) -> Run<T> {
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
        let at = w.at;
        let raw = match self.place(w, pointer, size)? {
            Place::Nowhere => return Ok(None),
            Place::Private(cells) => {
                let mut result: Option<Scalar> = None;
                // From the last to the first, so that the chain tests them in order.
                for &cell in cells.iter().rev() {
                    let here = self.read_private(&w.env, cell, size, at)?;
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
                match result {
                    Some(result) => result,
                    None => return Ok(None),
                }
            }
            Place::Shared(cells) => {
                let known =
                    cells.iter().fold(Known::nothing(), |known, cell| known.join(&self.cells[cell].known));
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
        Ok(Some(if kind.bits() < raw.bits {
            self.cast(CastOp::Trunc, &raw, kind.bits(), at)?
        } else {
            Scalar { bits: kind.bits(), ..raw }
        }))
    }

    /// A scalar of the thread's own memory, put together from what is there.
    fn read_private(&mut self, env: &Env, cell: Cell, size: u32, at: Point) -> Run<Scalar> {
        let bits = size * 8;
        if let Some(piece) = env.memory.get(&cell)
            && piece.size == size
        {
            match piece.fault {
                None => {}
                Some(PieceFault::Foreign) => {
                    // Its creator has it in a register: it must be in memory for both.
                    self.shared.insert(cell);
                    return Ok(Scalar::int(0, bits));
                }
                Some(PieceFault::Mixed) => return self.width_error(at),
            }
            let reg = self.reg(RegKey::Cell(cell, size), &Known::nothing(), bits);
            return Ok(Scalar::new(piece.known.clone(), expr::reg(reg), bits));
        }
        let end = cell.1 + i64::from(size);
        let overlapping: Vec<(Cell, Piece)> = overlapping(env, cell, size);
        if overlapping.is_empty() {
            let known = self.initial(cell, size).unwrap_or_else(|| Known::int(0));
            return Ok(Scalar::new(known, expr::int(0), bits));
        }
        // Bytes of several pieces, or of a part of one: shifted into place. What was never written counts as 0.
        let mut result = Scalar::int(0, bits);
        for (other, piece) in overlapping {
            if piece.fault.is_some() || piece.known.has_pointer() {
                return self.width_error(at);
            }
            let whole = self.read_private(env, other, piece.size, at)?;
            let from = cell.1.max(other.1);
            let to = end.min(other.1 + i64::from(piece.size));
            let part = self.extract(&whole, (from - other.1) as u32, (to - from) as u32, at)?;
            let wide = self.cast(CastOp::ZExt, &part, bits, at)?;
            let shifted =
                self.arithmetic(BinOp::Shl, &wide, &Scalar::int(8 * i128::from(from - cell.1), bits), at)?;
            result = self.arithmetic(BinOp::Or, &result, &shifted, at)?;
        }
        Ok(result)
    }

    /// Some bytes of a scalar.
    fn extract(&mut self, whole: &Scalar, from: u32, size: u32, at: Point) -> Run<Scalar> {
        let shifted =
            self.arithmetic(BinOp::LShr, whole, &Scalar::int(8 * i128::from(from), whole.bits), at)?;
        if size * 8 == whole.bits { Ok(shifted) } else { self.cast(CastOp::Trunc, &shifted, size * 8, at) }
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
        let at = w.at;
        let value = if value.bits < size * 8 {
            self.cast(CastOp::ZExt, value, size * 8, at)?
        } else {
            Scalar { bits: size * 8, ..value.clone() }
        };
        let place = self.place(w, pointer, size)?;
        if let Place::Private(cells) | Place::Shared(cells) = &place
            && let Some(&cell) = cells.first()
        {
            self.name_allocations(cell, &value.known);
        }
        match place {
            Place::Nowhere => return Ok(false),
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
                    return Ok(true);
                }
            }
        }
        if order == Order::SeqCst {
            // Whatever it stores, and to whom: what comes before it is in memory then.
            w.emit(ROp::Fence(FenceKind::Full));
        }
        Ok(true)
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

    fn write_private(&mut self, w: &mut Work, cell: Cell, size: u32, value: &Scalar) -> Run<()> {
        let at = w.at;
        let end = cell.1 + i64::from(size);
        for (other, piece) in overlapping(&w.env, cell, size) {
            if other == cell && piece.size == size {
                continue;
            }
            let other_end = other.1 + i64::from(piece.size);
            let mut parts = Vec::new();
            for (from, to) in [(other.1, cell.1), (end, other_end)] {
                if from < to {
                    if piece.fault.is_some() || piece.known.has_pointer() {
                        return self.width_error(at);
                    }
                    let whole = self.read_private(&w.env, other, piece.size, at)?;
                    let part = self.extract(&whole, (from - other.1) as u32, (to - from) as u32, at)?;
                    parts.push(((other.0, from), (to - from) as u32, part));
                }
            }
            w.env.memory.remove(&other);
            w.env.origins.retain(|_, origin| *origin != other);
            for (cell, size, part) in parts {
                self.write_private(w, cell, size, &part)?;
            }
        }
        w.env.origins.retain(|_, origin| *origin != cell);
        if value.known.single().is_none() {
            let dst = self.reg(RegKey::Cell(cell, size), &value.known, size * 8);
            if value.expr != expr::reg(dst) {
                w.emit(ROp::Assign { dst, value: value.expr.clone() });
            }
        }
        w.env.memory.insert(cell, Piece { size, known: value.known.clone(), fault: None });
        Ok(())
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
        match self.place(w, pointer, size)? {
            Place::Nowhere => Ok(None),
            Place::Private(_) => {
                let Some(old) = self.load(w, pointer, ScalarKind::Int(size * 8), size, dst)? else {
                    return Ok(None);
                };
                // What was read must outlive the write.
                let old = self.keep(w, dst, old);
                let new = f(self, &old)?;
                let order = if lock == Lock::Full { Order::SeqCst } else { Order::Plain };
                self.store(w, pointer, &new, size, order)?;
                Ok(Some(old))
            }
            Place::Shared(cells) => {
                let known =
                    cells.iter().fold(Known::nothing(), |known, cell| known.join(&self.cells[cell].known));
                let reg = self.reg(dst, &known, size * 8);
                let old = Scalar { known: known.clone(), expr: expr::reg(reg), bits: size * 8 };
                let new = f(self, &old)?;
                for &cell in &cells {
                    self.grow(cell, &new.known);
                }
                let addr = Address { pointer: pointer.expr.clone(), targets: cells };
                let read = ROp::Read { dst: reg, addr: addr.clone() };
                let write = ROp::Write { addr, value: new.expr };
                w.emit(ROp::Locked(lock, vec![read, write]));
                Ok(Some(Scalar::new(known, expr::reg(reg), size * 8)))
            }
        }
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

/// The pieces that share a byte with a cell.
pub(crate) fn overlapping(env: &Env, cell: Cell, size: u32) -> Vec<(Cell, Piece)> {
    let end = cell.1.saturating_add(i64::from(size));
    let before = env.memory.range((cell.0, i64::MIN)..cell).next_back();
    (before.into_iter().filter(|(other, piece)| other.1 + i64::from(piece.size) > cell.1))
        .chain(env.memory.range(cell..(cell.0, end)))
        .map(|(&cell, piece)| (cell, piece.clone()))
        .collect()
}

/// The value of a scalar of an initialiser.
pub(crate) fn initial_value(
    machine: &mut Machine<'_>,
    ty: &Type,
    init: &Constant,
    offset: i64,
    size: u32,
) -> Option<Value> {
    let mut ty = ty.clone();
    let mut init = init;
    let mut offset = u64::try_from(offset).ok()?;
    loop {
        match init {
            Constant::Zero | Constant::Undef => return Some(Value::Int(0)),
            Constant::Bytes(bytes) => {
                let start = usize::try_from(offset).ok()?;
                let part = bytes.get(start..start.checked_add(size as usize)?)?;
                let raw = part.iter().rev().fold(0i128, |sum, &byte| sum << 8 | i128::from(byte));
                return Some(Value::Int(canonical(size * 8, raw)));
            }
            Constant::Aggregate(elements) => {
                let (index, inner) = element_at(machine, &ty, elements.len(), offset)?;
                let (element_ty, element) = &elements[index];
                // An access may be wider than an element: then its bytes are put together.
                let width = machine.module.size_align(element_ty)?.0;
                if offset - inner + u64::from(size) > width {
                    if size == 1 {
                        return None; // Padding.
                    }
                    return joined(machine, &ty, init, offset, size);
                }
                ty = element_ty.clone();
                init = element;
                offset -= inner;
            }
            scalar => {
                let width = machine.module.size_align(&ty)?.0;
                let value = machine.constant_value(scalar, &ty).ok()??;
                return match value {
                    _ if offset == 0 && width == u64::from(size) => {
                        match (value, machine.module.scalar(&ty)?) {
                            (Value::Int(v), ScalarKind::Int(bits)) => {
                                Some(Value::Int(canonical(size * 8, unsigned(bits, v) as i128)))
                            }
                            _ => Some(value),
                        }
                    }
                    Value::Int(v) if offset + u64::from(size) <= width => {
                        Some(Value::Int(canonical(size * 8, v >> (8 * offset))))
                    }
                    _ => None,
                };
            }
        }
    }
}

/// The element of an aggregate that holds a byte, and where it starts.
fn element_at(machine: &Machine<'_>, ty: &Type, n: usize, offset: u64) -> Option<(usize, u64)> {
    if let Some(element) = machine.module.array_element(ty) {
        let width = machine.module.size_align(element)?.0.max(1);
        let index = usize::try_from(offset / width).ok()?;
        return (index < n).then_some((index, index as u64 * width));
    }
    let mut found = None;
    for index in 0..n {
        let (start, _) = machine.module.element(ty, index as u64)?;
        if start <= offset {
            found = Some((index, start));
        }
    }
    found
}

/// An integer put together from the bytes of an initialiser.
fn joined(machine: &mut Machine<'_>, ty: &Type, init: &Constant, offset: u64, size: u32) -> Option<Value> {
    let mut raw = 0i128;
    for byte in (0..u64::from(size)).rev() {
        match initial_value(machine, ty, init, i64::try_from(offset + byte).ok()?, 1) {
            Some(Value::Int(value)) => raw = raw << 8 | (value & 0xff),
            Some(Value::Pointer(..)) => return None,
            None => raw <<= 8, // Padding.
        }
    }
    Some(Value::Int(canonical(size * 8, raw)))
}

/// A false assertion: the execution has gone wrong here.
pub(crate) fn failure() -> ROp {
    ROp::Assert(Expr::constant(0))
}
