//! Copying and filling memory, scalar by scalar.

use super::machine::{Machine, RegKey, Run, Scalar, Work};
use super::state::{Env, Point};
use super::value::{ObjectId, Value, canonical};
use fencewright_llvm::layout::ScalarKind;
use fencewright_llvm::module::Order;

/// Bytes that are copied or filled by one call.
const MAX_BYTES: i128 = 4_096;

impl Machine<'_> {
    /// The scalars of a part of an object: those that are known to be there, else those of its type.
    fn parts(&self, env: &Env, object: ObjectId, from: i64, length: i64) -> Vec<(i64, u32)> {
        let range = (object, from)..(object, from + length);
        let mut parts: Vec<(i64, u32)> =
            env.memory.range(range.clone()).map(|(cell, piece)| (cell.1, piece.size)).collect();
        parts.extend(self.cells.range(range).map(|(cell, data)| (cell.1, data.size)));
        if let Some(scalars) = self.objects[object].ty.as_ref().and_then(|ty| self.module.scalars(ty)) {
            for scalar in scalars {
                let offset = scalar.offset as i64;
                if offset >= from && offset + i64::from(scalar.size) <= from + length {
                    parts.push((offset, scalar.size));
                }
            }
        }
        parts.sort_unstable();
        // What is known to be there comes first and wins over what its type says.
        let mut chosen: Vec<(i64, u32)> = Vec::new();
        for part in parts {
            if chosen.last().is_none_or(|last| last.0 + i64::from(last.1) <= part.0) {
                chosen.push(part);
            }
        }
        chosen.retain(|part| part.0 + i64::from(part.1) <= from + length);
        chosen
    }

    fn constant_range(
        &self,
        pointer: &Scalar,
        length: &Scalar,
        at: Point,
    ) -> Run<Option<(ObjectId, i64, i64)>> {
        match (pointer.known.single(), length.known.single()) {
            (_, Some(Value::Int(0))) => Ok(None),
            (Some(Value::Pointer(object, offset)), Some(Value::Int(length)))
                if (0..=MAX_BYTES).contains(&length) =>
            {
                Ok(Some((object, offset, length as i64)))
            }
            _ => self.unsupported(at, "copying or filling memory whose place or size is not constant"),
        }
    }

    pub(super) fn copy(&mut self, w: &mut Work, to: &Scalar, from: &Scalar, length: &Scalar) -> Run<()> {
        let at = w.at;
        let (Some(source), Some(target)) =
            (self.constant_range(from, length, at)?, self.constant_range(to, length, at)?)
        else {
            return Ok(());
        };
        let mut parts = self.parts(&w.env, source.0, source.1, source.2);
        if parts.is_empty() {
            // The source is new memory: the scalars of the target say how to cut it.
            let of_target = self.parts(&w.env, target.0, target.1, target.2);
            parts =
                of_target.into_iter().map(|(offset, size)| (offset - target.1 + source.1, size)).collect();
        }
        let mut values = Vec::new();
        for (i, (offset, size)) in parts.into_iter().enumerate() {
            let pointer = Scalar::constant(Value::Pointer(source.0, offset), 64);
            let scratch = RegKey::Scratch(5_000_000 + i as u32);
            if let Some(value) = self.load(w, &pointer, ScalarKind::Int(size * 8), size, scratch)? {
                let value = self.keep(w, scratch, value);
                values.push((offset - source.1, size, value));
            }
        }
        for (offset, size, value) in values {
            let pointer = Scalar::constant(Value::Pointer(target.0, target.1 + offset), 64);
            self.store(w, &pointer, &value, size, Order::Plain)?;
        }
        Ok(())
    }

    pub(super) fn fill(&mut self, w: &mut Work, to: &Scalar, byte: &Scalar, length: &Scalar) -> Run<()> {
        let at = w.at;
        let Some((object, from, length)) = self.constant_range(to, length, at)? else { return Ok(()) };
        let Some(Value::Int(byte)) = byte.known.single() else {
            return self.unsupported(at, "filling memory with a value that is not constant");
        };
        let parts = self.parts(&w.env, object, from, length);
        if parts.is_empty() && byte & 0xff != 0 {
            return self.unsupported(at, "filling memory whose parts are not known");
        }
        for (offset, size) in parts {
            let raw = (0..size).fold(0i128, |sum, _| sum << 8 | (byte & 0xff));
            let value = Scalar::int(canonical(size * 8, raw), size * 8);
            let pointer = Scalar::constant(Value::Pointer(object, offset), 64);
            self.store(w, &pointer, &value, size, Order::Plain)?;
        }
        Ok(())
    }
}
