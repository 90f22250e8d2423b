//! Copying and filling. Bytes that only the thread sees are copied in one step. Bytes that other threads see are copied and
//! filled piece by piece in any order, each piece an access of its own: first all reads, then all writes. No piece holds parts of two
//! scalars, because a compiler may copy members one by one, and other threads may then see only some of them copied. Where
//! scalars begin is known from declared types and from [the accesses of the program](crate::scalars).

use crate::buffer::Model;
use crate::footprint::Touch;
use crate::layout::MOST_BORDERS;
use crate::machine::Run;
use crate::object::{ObjectKind, Parts};
use crate::value::{ObjectId, Scalar};
use crate::violation::{Halt, Limit};

/// The most bytes of one call.
pub(super) const MOST: u64 = 1 << 22;

/// Where the scalars within a range of an object begin, relative to its start, and from which offset on the declared type does
/// not show it because it has too many.
fn borders(run: &Run<'_, '_, '_>, id: ObjectId, offset: u64, length: u64) -> (Vec<u64>, u64) {
    let program = run.machine.program;
    let found = match (run.state.object(id), program.global_of_object(id)) {
        (Some(object), _) => program.borders(object.kind, object.site),
        (None, Some(global)) => program.borders(ObjectKind::Global, global),
        (None, None) => Vec::new(),
    };
    let end =
        if found.len() > MOST_BORDERS { found.last().map(|last| last.saturating_sub(offset)) } else { None };
    let within = found.into_iter().filter(|at| (offset..offset + length).contains(at));
    let mut within: Vec<u64> = within.map(|at| at - offset).collect();
    if let Some(borders) = &run.machine.settings.borders {
        within.extend(borders.within(id, offset, length));
    }
    (within, end.unwrap_or(u64::MAX))
}

/// Whether another thread can observe when a piece is accessed: it can access the bytes, and they hold a scalar. Also records
/// that the piece is about to be accessed as a whole, so that the search can tell whether it is part of two scalars.
fn is_ordered(run: &mut Run<'_, '_, '_>, range: &Range<'_>, (at, size): (u64, u32)) -> Result<bool, Halt> {
    let &Range { object, offset, end, touch, .. } = range;
    if !run.is_contested(object, offset + at, size.into(), touch) {
        return Ok(false);
    }
    if at + u64::from(size) > end {
        return Err(Halt::Limit(Limit::Memory));
    }
    let Some(borders) = &run.machine.settings.borders else { return Err(Halt::BordersMatter) };
    let has_scalar = borders.has_scalar(object, offset + at, size.into());
    if let Some(scalars) = &mut run.notes.scalars {
        scalars.whole(object, offset + at, size);
        if !has_scalar {
            scalars.empty(object, offset + at, size);
        }
    }
    Ok(has_scalar && run.is_shared(object) && run.state.process.atomic.is_none())
}

/// The pieces in which a range at two addresses is handled: as wide as both are aligned, up to the next border.
fn pieces(a: u64, b: u64, length: u64, mut borders: Vec<u64>) -> Vec<(u64, u32)> {
    borders.push(length);
    borders.sort_unstable();
    let mut borders = borders.into_iter().peekable();
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < length {
        while borders.next_if(|border| *border <= at).is_some() {}
        let next = borders.peek().copied().unwrap_or(length);
        let aligned = ((a + at) | (b + at) | 8).trailing_zeros();
        let width = (1u64 << aligned.min(3)).min(prev_power_of_two(next - at));
        pieces.push((at, width as u32));
        at += width;
    }
    pieces
}

fn prev_power_of_two(number: u64) -> u64 {
    1 << (63 - number.leading_zeros())
}

/// Whether the bytes can be handled in one step: no other thread sees them, and no write is pending.
fn is_own(run: &mut Run<'_, '_, '_>, id: ObjectId, offset: u64, length: u64, touch: Touch) -> bool {
    !run.is_contested(id, offset, length, touch) && run.state.threads[run.thread].buffer.is_empty()
}

/// What has been done with a piece, in [`Frame::text`](crate::state::Frame::text).
const TO_READ: u8 = 0;
const TO_WRITE: u8 = 1;

/// Of more pieces than this that other threads see, only the first and the last are tried as the next one.
const MOST_IN_ANY_ORDER: usize = 6;

/// A range of an object that is handled piece by piece.
struct Range<'p> {
    object: ObjectId,
    offset: u64,
    pieces: &'p [(u64, u32)],
    /// The number of the first piece within the instruction.
    first: usize,
    /// Where the declared type ends to show borders.
    end: u64,
    touch: Touch,
}

/// Carries out `step` on each piece of the range that is at this stage. Pieces that no thread can observe come first, in
/// order. The others come in any order, because no language and no processor specifies how memory is copied. `step` returns
/// whether it succeeded. `false`: another action must continue.
fn each_piece(
    run: &mut Run<'_, '_, '_>,
    range: &Range<'_>,
    stage: u8,
    step: &mut dyn FnMut(&mut Run<'_, '_, '_>, usize) -> Result<bool, Halt>,
) -> Result<bool, Halt> {
    let all = range.first + range.pieces.len();
    if run.top().text.len() < all {
        let frame = run.frame();
        frame.text.resize(all, TO_READ);
        frame.read.resize(all, Scalar::default());
    }
    let mut handle = |run: &mut Run<'_, '_, '_>, number: usize| -> Result<bool, Halt> {
        if !step(run, number)? {
            return Ok(false);
        }
        let frame = run.frame();
        frame.text[range.first + number] = stage + 1;
        frame.done += 1;
        Ok(true)
    };
    let is_free = range.touch.write && run.machine.settings.model == Model::Pso;
    let mut ordered = Vec::new();
    for (number, piece) in range.pieces.iter().enumerate() {
        if run.top().text[range.first + number] != stage {
            continue;
        }
        if is_ordered(run, range, *piece)? && !is_free {
            ordered.push(number);
        } else if !handle(run, number)? {
            return Ok(false);
        }
    }
    while !ordered.is_empty() {
        if !range.touch.write && !run.may_act {
            return Ok(false);
        }
        let place = pick(run, ordered.len());
        if !handle(run, ordered.remove(place))? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The place of the next one of so many pieces.
fn pick(run: &mut Run<'_, '_, '_>, n: usize) -> usize {
    if run.machine.settings.copies_in_order {
        return 0;
    }
    if n > MOST_IN_ANY_ORDER {
        run.notes.partly.copies = true;
        return if run.choices.choose(2) == 0 { 0 } else { n - 1 };
    }
    if n == 1 { 0 } else { run.choices.choose(n as u32) as usize }
}

/// Copies. `false`: another action must continue it.
pub(super) fn copy(run: &mut Run<'_, '_, '_>, to: Scalar, from: Scalar, length: u64) -> Result<bool, Halt> {
    if length == 0 {
        return Ok(true);
    }
    if length > MOST {
        return Err(Halt::Limit(Limit::Memory));
    }
    run.spend(length / 8)?;
    let (source, from_offset) = run.resolve(from, length)?;
    let (target, to_offset) = run.resolve(to, length)?;
    if let Some(scalars) = &mut run.notes.scalars {
        scalars.copy((target, to_offset), (source, from_offset), length);
    }
    let source_is_own = is_own(run, source, from_offset, length, Touch::READ);
    let target_is_own = is_own(run, target, to_offset, length, Touch::WRITE);
    // What an earlier action has copied stays copied, even if nobody could notice a second time.
    if source_is_own && target_is_own && run.top().done == 0 {
        let pieces = pieces(from.bits, to.bits, length, Vec::new());
        let mut values = Vec::with_capacity(pieces.len());
        for (at, size) in &pieces {
            let (mut at, end) = (*at, at + u64::from(*size));
            while at < end {
                let size = run.uncut(source, from_offset + at, (end - at) as u32);
                values.push((at, size, run.open_memory(source, from_offset + at, size)?));
                at += u64::from(size);
            }
        }
        for (at, size, value) in values {
            if !run.write(target, to_offset + at, size, value, false)? {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    let (mut cuts, source_end) = borders(run, source, from_offset, length);
    let (others, target_end) = borders(run, target, to_offset, length);
    cuts.extend(others);
    let pieces = pieces(from.bits, to.bits, length, cuts);
    let read = Range {
        object: source,
        offset: from_offset,
        pieces: &pieces,
        first: 0,
        end: source_end,
        touch: Touch::READ,
    };
    if !read_range(run, &read)? {
        return Ok(false);
    }
    let written = Range { object: target, offset: to_offset, end: target_end, touch: Touch::WRITE, ..read };
    each_piece(run, &written, TO_WRITE, &mut |run, number| {
        let ((at, size), value) = (pieces[number], run.top().read[number]);
        run.write(target, to_offset + at, size, value, false)
    })
}

/// Reads the pieces of a range and keeps their values. `false`: another action must continue it.
fn read_range(run: &mut Run<'_, '_, '_>, range: &Range<'_>) -> Result<bool, Halt> {
    each_piece(run, range, TO_READ, &mut |run, number| {
        let (at, size) = range.pieces[number];
        let Some(value) = run.read(range.object, range.offset + at, size, false)? else { return Ok(false) };
        run.frame().read[range.first + number] = value;
        Ok(true)
    })
}

impl Run<'_, '_, '_> {
    /// Reads structs that are passed by value, as a copy does: given are their addresses and sizes. An empty result: none of
    /// them can be seen by other threads, so they can be read in one step. `None`: another action must continue it.
    pub(crate) fn read_structs(&mut self, structs: &[(Scalar, u64)]) -> Result<Option<Vec<Parts>>, Halt> {
        let mut sources = Vec::new();
        let mut are_own = self.top().done == 0;
        for (from, size) in structs {
            let (source, offset) = self.resolve(*from, *size)?;
            are_own &= is_own(self, source, offset, *size, Touch::READ);
            sources.push((source, offset));
        }
        if are_own {
            return Ok(Some(Vec::new()));
        }
        let mut found = Vec::new();
        let mut first = 0;
        for ((object, offset), (from, size)) in sources.into_iter().zip(structs) {
            self.spend(size / 8)?;
            let (cuts, end) = borders(self, object, offset, *size);
            let pieces = pieces(from.bits, from.bits, *size, cuts);
            let range = Range { object, offset, pieces: &pieces, first, end, touch: Touch::READ };
            if !read_range(self, &range)? {
                return Ok(None);
            }
            let values = self.top().read[first..].to_vec();
            first += pieces.len();
            found.push(pieces.into_iter().zip(values).map(|((at, size), value)| (at, size, value)).collect());
        }
        Ok(Some(found))
    }
}

/// Fills. `false`: another action must continue it.
pub(super) fn fill(run: &mut Run<'_, '_, '_>, to: Scalar, byte: Scalar, length: u64) -> Result<bool, Halt> {
    let repeat = |bits: u64, size: u32| {
        (bits & 0xff).wrapping_mul(0x0101_0101_0101_0101) & crate::value::mask(8 * size)
    };
    fill_with(run, to, length, &mut |_, size| Scalar {
        bits: repeat(byte.bits, size),
        unset: repeat(byte.unset, size),
        ..Scalar::default()
    })
}

/// Fills a range. `value` returns the contents of a piece of the given size. `false`: another action must continue it.
pub(super) fn fill_with(
    run: &mut Run<'_, '_, '_>,
    to: Scalar,
    length: u64,
    value: &mut dyn FnMut(&mut Run<'_, '_, '_>, u32) -> Scalar,
) -> Result<bool, Halt> {
    if length == 0 {
        return Ok(true);
    }
    if length > MOST {
        return Err(Halt::Limit(Limit::Memory));
    }
    run.spend(length / 8)?;
    let (object, offset) = run.resolve(to, length)?;
    let (cuts, end) = borders(run, object, offset, length);
    let pieces = pieces(to.bits, to.bits, length, cuts);
    let range = Range { object, offset, pieces: &pieces, first: 0, end, touch: Touch::WRITE };
    each_piece(run, &range, TO_READ, &mut |run, number| {
        let (at, size) = pieces[number];
        let value = value(run, size);
        run.write(object, offset + at, size, value, false)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_piece_holds_parts_of_two_scalars() {
        assert_eq!(pieces(0x1000, 0x2000, 16, Vec::new()), [(0, 8), (8, 8)]);
        // Two numbers of four bytes, then one of eight.
        assert_eq!(pieces(0x1000, 0x2000, 16, vec![0, 4, 8]), [(0, 4), (4, 4), (8, 8)]);
        // A byte, then three bytes of padding, then a word; the target's borders come in any order.
        assert_eq!(pieces(0x1000, 0x2004, 8, vec![4, 0, 1]), [(0, 1), (1, 1), (2, 2), (4, 4)]);
        // As wide as both addresses are aligned.
        assert_eq!(pieces(0x1002, 0x2000, 4, vec![0]), [(0, 2), (2, 2)]);
    }
}
