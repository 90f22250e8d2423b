//! Memory that one thread alone touches: a part of the thread's state, in pieces as wide as the accesses were. It ends up
//! in registers or nowhere.

use super::expr;
use super::machine::{Machine, ObjectKey, ROp, RegKey, Run, Scalar, Work};
use super::state::{Cell, Env, Piece, PieceFault, Point};
use super::value::{Known, Value, canonical, unsigned};
use fencewright_llvm::layout::ScalarKind;
use fencewright_llvm::module::{BinOp, CastOp, Constant, Type};

/// What memory holds that nobody has written since the program, or the object, began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unwritten {
    /// This, which may be the unset value.
    Holds(Known),
    /// Something that cannot be computed with: part of an address, a floating-point number, a variable of another file.
    Unclear,
}

impl Machine<'_> {
    /// What a part of an object holds before it is written.
    pub(crate) fn unwritten(&mut self, cell: Cell, size: u32) -> Unwritten {
        let module = self.module;
        let object = &self.objects[cell.0];
        match object.key.clone() {
            ObjectKey::Global(id, _) => {
                let global = &module.globals[id];
                // Streams are handed to functions that print, and nothing is done with them.
                if matches!(&*global.name, "stdin" | "stdout" | "stderr") {
                    return Unwritten::Holds(Known::one(Value::Unset));
                }
                // Of Rust's library: how many threads are panicking. None is, or that is found first.
                if global.init.is_none() && global.name.contains("GLOBAL_PANIC_COUNT") {
                    return Unwritten::Holds(Known::int(0));
                }
                let Some(init) = &global.init else { return Unwritten::Unclear };
                match initial_value(self, &global.ty, init, cell.1, size) {
                    Some(value) => Unwritten::Holds(Known::one(value)),
                    None => Unwritten::Unclear,
                }
            }
            ObjectKey::Local(..) | ObjectKey::Heap(..) if !object.zeroed => {
                Unwritten::Holds(Known::one(Value::Unset))
            }
            _ => Unwritten::Holds(Known::int(0)),
        }
    }

    /// Whether a cell of this thread's own holds a number from the start that nothing can be computed with.
    pub(super) fn is_unclear(&mut self, env: &Env, cell: Cell, size: u32) -> bool {
        overlapping(env, cell, size).is_empty() && self.unwritten(cell, size) == Unwritten::Unclear
    }

    fn unclear<T>(&self, at: Point) -> Run<T> {
        self.unsupported(at, "what stands in this memory before it is written")
    }

    /// A scalar of the thread's own memory, put together from what is there.
    pub(super) fn read_private(&mut self, env: &Env, cell: Cell, size: u32, at: Point) -> Run<Scalar> {
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
        let overlapping: Vec<(Cell, Piece)> = overlapping(env, cell, size);
        if overlapping.is_empty() {
            return match self.unwritten(cell, size) {
                Unwritten::Holds(known) => Ok(Scalar::new(known, expr::int(0), bits)),
                Unwritten::Unclear => self.unclear(at),
            };
        }
        // Bytes of several pieces, or of a part of one: shifted into place.
        let mut result = Scalar::int(0, bits);
        let mut covered = vec![false; size as usize];
        for (other, piece) in overlapping {
            if piece.known.single() == Some(Value::Unset) {
                continue;
            }
            if piece.fault.is_some() || piece.known.has_pointer() || piece.known.may_be_unset() {
                return self.width_error(at);
            }
            let whole = self.read_private(env, other, piece.size, at)?;
            let from = cell.1.max(other.1);
            let to = (cell.1 + i64::from(size)).min(other.1 + i64::from(piece.size));
            let part = self.extract(&whole, (from - other.1) as u32, (to - from) as u32, at)?;
            result = self.put(result, &part, (from - cell.1) as u32, at)?;
            covered[(from - cell.1) as usize..(to - cell.1) as usize].fill(true);
        }
        if covered.iter().any(|covered| *covered) {
            for byte in (0..size).filter(|&byte| !covered[byte as usize]) {
                match self.unwritten((cell.0, cell.1 + i64::from(byte)), 1) {
                    Unwritten::Holds(known) => match known.single() {
                        Some(Value::Int(value)) => {
                            result = self.put(result, &Scalar::int(value, 8), byte, at)?;
                        }
                        // Padding, mostly. Whether such a byte matters is not followed.
                        _ => self.partly_unset = true,
                    },
                    Unwritten::Unclear => return self.unclear(at),
                }
            }
            return Ok(result);
        }
        Ok(Scalar::constant(Value::Unset, bits))
    }

    /// Bytes put into a scalar that is 0 there.
    fn put(&mut self, into: Scalar, part: &Scalar, at_byte: u32, at: Point) -> Run<Scalar> {
        let bits = into.bits;
        let wide = self.cast(CastOp::ZExt, part, bits, at)?;
        let shifted = self.arithmetic(BinOp::Shl, &wide, &Scalar::int(8 * i128::from(at_byte), bits), at)?;
        self.arithmetic(BinOp::Or, &into, &shifted, at)
    }

    /// Some bytes of a scalar.
    fn extract(&mut self, whole: &Scalar, from: u32, size: u32, at: Point) -> Run<Scalar> {
        let shifted =
            self.arithmetic(BinOp::LShr, whole, &Scalar::int(8 * i128::from(from), whole.bits), at)?;
        if size * 8 == whole.bits { Ok(shifted) } else { self.cast(CastOp::Trunc, &shifted, size * 8, at) }
    }

    pub(super) fn write_private(&mut self, w: &mut Work, cell: Cell, size: u32, value: &Scalar) -> Run<()> {
        let at = w.at;
        let end = cell.1 + i64::from(size);
        for (other, piece) in overlapping(&w.env, cell, size) {
            if other == cell && piece.size == size {
                continue;
            }
            let other_end = other.1 + i64::from(piece.size);
            let unset = piece.known.single() == Some(Value::Unset);
            let mut parts = Vec::new();
            for (from, to) in [(other.1, cell.1), (end, other_end)] {
                if from < to {
                    if piece.fault.is_some()
                        || piece.known.has_pointer()
                        || (piece.known.may_be_unset() && !unset)
                    {
                        return self.width_error(at);
                    }
                    let part = if unset {
                        Scalar::constant(Value::Unset, (to - from) as u32 * 8)
                    } else {
                        let whole = self.read_private(&w.env, other, piece.size, at)?;
                        self.extract(&whole, (from - other.1) as u32, (to - from) as u32, at)?
                    };
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
                        return Some(Value::Int(0)); // Padding.
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
                    Value::Unset => Some(Value::Int(0)),
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
            _ => return None,
        }
    }
    Some(Value::Int(canonical(size * 8, raw)))
}
