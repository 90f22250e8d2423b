//! Copying and filling memory, scalar by scalar. What the source does not hold the target does not hold afterwards.

use super::machine::{Machine, RegKey, Run, Scalar, Work};
use super::private::overlapping;
use super::state::{Env, Point};
use super::value::{ObjectId, Value, canonical};
use fencewright_llvm::layout::ScalarKind;
use fencewright_llvm::module::Order;

/// Bytes that are copied or filled by one call.
const MAX_BYTES: i128 = 4_096;

/// A part of an object: where it begins, and how many bytes.
type Part = (i64, u32);
/// Some bytes of an object.
type Range = (ObjectId, i64, i64);

impl Machine<'_> {
    /// The scalars that stand in a part of an object. An error if one of them stands there only in part.
    fn held(&self, env: &Env, (object, from, length): Range, at: Point) -> Run<Vec<Part>> {
        let end = from + length;
        let mut parts: Vec<Part> = (overlapping(env, (object, from), length as u32).into_iter())
            .map(|(cell, piece)| (cell.1, piece.size))
            .collect();
        let before = self.cells.range((object, i64::MIN)..(object, from)).next_back();
        let shared = before.into_iter().chain(self.cells.range((object, from)..(object, end)));
        parts.extend(
            shared
                .map(|(cell, data)| (cell.1, data.size))
                .filter(|(offset, size)| offset + i64::from(*size) > from),
        );
        if parts.iter().any(|(offset, size)| *offset < from || offset + i64::from(*size) > end) {
            return self.width_error(at);
        }
        parts.sort_unstable();
        parts.dedup();
        Ok(parts)
    }

    /// Adds the scalars of the object's type where nothing is known to stand. An error if one of them lies there only in part.
    fn with_type(&self, (object, from, length): Range, held: Vec<Part>, at: Point) -> Run<Vec<Part>> {
        let mut parts: Vec<(bool, Part)> = held.into_iter().map(|part| (false, part)).collect();
        if let Some(scalars) = self.objects[object].ty.as_ref().and_then(|ty| self.module.scalars(ty)) {
            for scalar in scalars {
                let offset = scalar.offset as i64;
                let part = (offset, scalar.size);
                if offset >= from && offset + i64::from(scalar.size) <= from + length {
                    parts.push((true, part));
                } else if overlap(part, (from, length as u32))
                    && !parts.iter().any(|(_, held)| overlap(*held, part))
                {
                    return self.width_error(at);
                }
            }
        }
        // What is known to be there comes first and wins over what the type says.
        parts.sort_unstable();
        let (mut chosen, mut others): (Vec<Part>, Vec<Part>) = Default::default();
        for (_, part) in parts {
            let is_free = chosen.iter().all(|other| !overlap(*other, part));
            if is_free { &mut chosen } else { &mut others }.push(part);
        }
        // A scalar of which only some bytes are known to stand there would be copied in part.
        let is_left = |byte: i64| chosen.iter().all(|part| !overlap(*part, (byte, 1)));
        if others.iter().any(|(offset, size)| (*offset..offset + i64::from(*size)).any(is_left)) {
            return self.width_error(at);
        }
        chosen.sort_unstable();
        Ok(chosen)
    }

    /// The bytes of a call; `None` if there are none. An error if they are not constant.
    fn constant_range(&self, pointer: &Scalar, length: &Scalar, at: Point) -> Run<Option<Range>> {
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

    /// Whether the bytes are all of an object that is still there; checks that nobody has freed it.
    fn is_there(&mut self, w: &mut Work, (object, from, length): Range) -> Run<bool> {
        let pointer = Scalar::constant(Value::Pointer(object, from), 64);
        Ok(self.reach(w, &pointer, length as u32)?.is_some())
    }

    /// Copies bytes. False if they are not all there.
    pub(super) fn copy(&mut self, w: &mut Work, to: &Scalar, from: &Scalar, length: &Scalar) -> Run<bool> {
        let at = w.at;
        let (Some(source), Some(target)) =
            (self.constant_range(from, length, at)?, self.constant_range(to, length, at)?)
        else {
            return Ok(true);
        };
        if !self.is_there(w, source)? || !self.is_there(w, target)? {
            return Ok(false);
        }
        let held = self.held(&w.env, source, at)?;
        let mut parts = self.with_type(source, held, at)?;
        // Where the source says nothing, the scalars of the target say how to cut it.
        let behind: Vec<Part> = (self.held(&w.env, target, at)?.into_iter())
            .map(|(offset, size)| (offset - target.1 + source.1, size))
            .collect();
        for part in behind {
            match parts.iter().filter(|other| overlap(**other, part)).count() {
                0 => parts.push(part),
                _ if parts.contains(&part) => {}
                // What the target holds there goes, whole or in parts.
                _ if covered(&parts, part) => {}
                _ => return self.width_error(at),
            }
        }
        // The width of the remaining bytes is unknown. This access makes them shared if another thread accesses them.
        for gap in gaps(source, &parts) {
            self.note_access(w, &[(source.0, gap.0)], gap.1);
        }
        let moved = |(offset, size): Part| (offset - source.1 + target.1, size);
        let written: Vec<Part> = parts.iter().copied().map(moved).collect();
        self.note_order(w, source.0, &parts);
        self.note_order(w, target.0, &written);
        let mut values = Vec::new();
        for (i, &(offset, size)) in parts.iter().enumerate() {
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
        // Where nothing has been written to a block that begins as zeros, it holds zeros.
        if self.objects[source.0].zeroed {
            self.fill_rest(w, target, &written, &|size| Scalar::int(0, size * 8))?;
        }
        Ok(true)
    }

    /// Fills bytes. False if they are not all there.
    pub(super) fn fill(&mut self, w: &mut Work, to: &Scalar, byte: &Scalar, length: &Scalar) -> Run<bool> {
        let at = w.at;
        let Some(range) = self.constant_range(to, length, at)? else { return Ok(true) };
        let byte = match byte.known.single() {
            Some(Value::Int(byte)) => Some(byte),
            Some(Value::Unset) => None,
            _ => return self.unsupported(at, "filling memory with a value that is not constant"),
        };
        if !self.is_there(w, range)? {
            return Ok(false);
        }
        let filled = |size: u32| {
            let Some(byte) = byte else { return Scalar::constant(Value::Unset, size * 8) };
            let raw = (0..size).fold(0i128, |sum, _| sum << 8 | (byte & 0xff));
            Scalar::int(canonical(size * 8, raw), size * 8)
        };
        let held = self.held(&w.env, range, at)?;
        let parts = self.with_type(range, held, at)?;
        self.note_order(w, range.0, &parts);
        for &(offset, size) in &parts {
            let pointer = Scalar::constant(Value::Pointer(range.0, offset), 64);
            self.store(w, &pointer, &filled(size), size, Order::Plain)?;
        }
        self.fill_rest(w, range, &parts, &filled)?;
        Ok(true)
    }

    /// Notes that the order in which some parts of an object are accessed matters, if it does: others see several of them.
    fn note_order(&mut self, w: &Work, object: ObjectId, parts: &[Part]) {
        let is_seen = |part: &&Part| self.shared.contains(&(object, part.0));
        self.copies_in_order |= !self.is_alone(w) && parts.iter().filter(is_seen).nth(1).is_some();
    }

    /// Fills the bytes between some parts, which nobody has a width for yet: in words, for this thread. If it turns out that
    /// others use them, they have their widths then.
    fn fill_rest(
        &mut self,
        w: &mut Work,
        range: Range,
        parts: &[Part],
        filled: &dyn Fn(u32) -> Scalar,
    ) -> Run<()> {
        for (start, length) in gaps(range, parts) {
            let (mut offset, end) = (start, start + i64::from(length));
            while offset < end {
                let fits = |size: &i64| offset % size == 0 && offset + size <= end;
                let size = [8, 4, 2].into_iter().find(fits).unwrap_or(1);
                let cell = (range.0, offset);
                self.note_access(w, &[cell], size as u32);
                self.write_private(w, cell, size as u32, &filled(size as u32))?;
                offset += size;
            }
        }
        Ok(())
    }
}

/// The bytes of a range that are in none of the parts.
fn gaps((_, from, length): Range, parts: &[Part]) -> Vec<Part> {
    let mut parts = parts.to_vec();
    parts.push((from + length, 0));
    parts.sort_unstable();
    let mut end = from;
    let mut found = Vec::new();
    for (offset, size) in parts {
        if offset > end {
            found.push((end, (offset - end) as u32));
        }
        end = end.max(offset + i64::from(size));
    }
    found
}

fn overlap(a: Part, b: Part) -> bool {
    a.0 < b.0 + i64::from(b.1) && b.0 < a.0 + i64::from(a.1)
}

/// Whether every byte of a part is in one of the others, and none of those reaches out of it.
fn covered(parts: &[Part], part: Part) -> bool {
    let inside = parts.iter().filter(|other| overlap(**other, part));
    let bytes: i64 = inside.clone().map(|other| i64::from(other.1)).sum();
    let within =
        |other: &Part| other.0 >= part.0 && other.0 + i64::from(other.1) <= part.0 + i64::from(part.1);
    bytes == i64::from(part.1) && inside.clone().all(within)
}
