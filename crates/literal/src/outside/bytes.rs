//! Memory and string functions. Bytes that only the thread sees are copied in one step. Bytes that other threads see are copied
//! and filled piece by piece, each piece an access of its own: first all reads, then all writes. No piece holds parts of two
//! scalars of a variable, because a compiler may copy members one by one, and other threads may then see only some of them
//! copied.
//!
//! Functions that read texts read them byte by byte. What an instruction has read it keeps until it is done
//! ([`Frame::text`](crate::state::Frame::text)), so it may stop before any byte.

use fencewright_llvm::module::Predicate;

use super::{Arguments, Done, Outside};
use crate::footprint::Touch;
use crate::layout::MOST_BORDERS;
use crate::machine::Run;
use crate::object::ObjectKind;
use crate::value::{ObjectId, Scalar, Value};
use crate::violation::{Fault, Halt, Limit, Use};

/// The most bytes of one call.
const MOST: u64 = 1 << 22;

pub(super) fn look_up(name: &str) -> Option<Outside> {
    Some(match name {
        "memcpy" | "memmove" | "__memcpy_chk" | "__memmove_chk" | "mempcpy" => |run, a| {
            let (to, length) = (a.scalar(0), a.int(run, 2)?);
            if !copy(run, to, a.scalar(1), length)? {
                return Ok(Done::Waits);
            }
            let end = if a.name == "mempcpy" { length } else { 0 };
            Ok(Done::Returns(Some(Scalar { bits: to.bits + end, ..to }.into())))
        },
        "memset" | "__memset_chk" => |run, a| {
            if !fill(run, a.scalar(0), a.scalar(1), a.int(run, 2)?)? {
                return Ok(Done::Waits);
            }
            Ok(Done::Returns(Some(a.scalar(0).into())))
        },
        "bzero" => |run, a| {
            let done = fill(run, a.scalar(0), Scalar::int(0), a.int(run, 1)?)?;
            Ok(if done { Done::Returns(None) } else { Done::Waits })
        },
        "memcmp" | "bcmp" => |run, a| {
            let length = a.int(run, 2)?;
            let (Some(x), Some(y)) = (bytes(run, a.scalar(0), length)?, bytes(run, a.scalar(1), length)?)
            else {
                return Ok(Done::Waits);
            };
            Ok(ordering(run, a, x.cmp(&y)))
        },
        "memchr" => |run, a| {
            let (wanted, length) = (a.int(run, 1)? as u8, a.int(run, 2)?);
            let Some(found) = up_to(run, a.scalar(0), wanted, length)? else { return Ok(Done::Waits) };
            let at = ((found.len() as u64) < length).then_some(found.len());
            Ok(address_or_null(a.scalar(0), at))
        },
        "strlen" | "strnlen" => |run, a| {
            let most = if a.name == "strnlen" { a.int(run, 1)? } else { u64::MAX };
            let Some(text) = up_to(run, a.scalar(0), 0, most)? else { return Ok(Done::Waits) };
            Ok(Done::ReturnsInt(text.len() as u64))
        },
        "strcmp" | "strncmp" | "strcasecmp" | "strncasecmp" => |run, a| {
            let most = if a.name.starts_with("strn") { a.int(run, 2)? } else { u64::MAX };
            let (x, y) = (up_to(run, a.scalar(0), 0, most)?, up_to(run, a.scalar(1), 0, most)?);
            let (Some(mut x), Some(mut y)) = (x, y) else { return Ok(Done::Waits) };
            if a.name.ends_with("casecmp") {
                x.make_ascii_lowercase();
                y.make_ascii_lowercase();
            }
            Ok(ordering(run, a, x.cmp(&y)))
        },
        "strcpy" | "stpcpy" | "__strcpy_chk" | "strncpy" | "strcat" | "strncat" | "__strcat_chk" => {
            string_copy
        }
        "strchr" | "strrchr" | "index" => |run, a| {
            let wanted = a.int(run, 1)? as u8;
            let Some(mut found) = text(run, a.scalar(0))? else { return Ok(Done::Waits) };
            found.push(0);
            let is_it = |byte: &u8| *byte == wanted;
            let at = if a.name == "strrchr" {
                found.iter().rposition(is_it)
            } else {
                found.iter().position(is_it)
            };
            Ok(address_or_null(a.scalar(0), at))
        },
        "strstr" => |run, a| {
            let (Some(x), Some(y)) = (text(run, a.scalar(0))?, text(run, a.scalar(1))?) else {
                return Ok(Done::Waits);
            };
            let at =
                if y.is_empty() { Some(0) } else { x.windows(y.len()).position(|window| window == &y[..]) };
            Ok(address_or_null(a.scalar(0), at))
        },
        _ => return None,
    })
}

fn address_or_null(start: Scalar, at: Option<usize>) -> Done {
    Done::Returns(Some(match at {
        Some(at) => Scalar { bits: start.bits + at as u64, ..start }.into(),
        None => Scalar::int(0).into(),
    }))
}

/// Only the sign of the result is specified.
fn ordering(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>, order: std::cmp::Ordering) -> Done {
    match order {
        std::cmp::Ordering::Less => super::any_of(run, a, i32::MIN.into(), -1),
        std::cmp::Ordering::Equal => Done::ReturnsInt(0),
        std::cmp::Ordering::Greater => super::any_of(run, a, 1, i32::MAX.into()),
    }
}

/// Where the scalars within a range of an object begin, relative to its start, and from which offset on that is unknown because
/// there are too many.
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
    (within.map(|at| at - offset).collect(), end.unwrap_or(u64::MAX))
}

/// A piece beyond the known borders may hold parts of two scalars. That matters if other threads see it.
fn is_known(
    run: &mut Run<'_, '_, '_>,
    id: ObjectId,
    (offset, at, size): (u64, u64, u32),
    end: u64,
    touch: Touch,
) -> Result<(), Halt> {
    if at + u64::from(size) > end && run.is_contested(id, offset + at, size.into(), touch) {
        return Err(Halt::Limit(Limit::Memory));
    }
    Ok(())
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
    let n = pieces.len();
    while (run.top().done as usize) < n {
        let (at, size) = pieces[run.top().done as usize];
        is_known(run, source, (from_offset, at, size), source_end, Touch::READ)?;
        let Some(value) = run.read(source, from_offset + at, size, false)? else { return Ok(false) };
        let frame = run.frame();
        frame.read.push(value);
        frame.done += 1;
    }
    while (run.top().done as usize) < 2 * n {
        let number = run.top().done as usize - n;
        let ((at, size), value) = (pieces[number], run.top().read[number]);
        is_known(run, target, (to_offset, at, size), target_end, Touch::WRITE)?;
        if !run.write(target, to_offset + at, size, value, false)? {
            return Ok(false);
        }
        run.frame().done += 1;
    }
    Ok(true)
}

/// Fills. `false`: another action must continue it.
pub(super) fn fill(run: &mut Run<'_, '_, '_>, to: Scalar, byte: Scalar, length: u64) -> Result<bool, Halt> {
    if length == 0 {
        return Ok(true);
    }
    if length > MOST {
        return Err(Halt::Limit(Limit::Memory));
    }
    run.spend(length / 8)?;
    let (id, offset) = run.resolve(to, length)?;
    let repeat = |bits: u64, size: u32| {
        (bits & 0xff).wrapping_mul(0x0101_0101_0101_0101) & crate::value::mask(8 * size)
    };
    let (cuts, end) = borders(run, id, offset, length);
    let pieces = pieces(to.bits, to.bits, length, cuts);
    while (run.top().done as usize) < pieces.len() {
        let (at, size) = pieces[run.top().done as usize];
        is_known(run, id, (offset, at, size), end, Touch::WRITE)?;
        let value =
            Scalar { bits: repeat(byte.bits, size), unset: repeat(byte.unset, size), ..Scalar::default() };
        if !run.write(id, offset + at, size, value, false)? {
            return Ok(false);
        }
        run.frame().done += 1;
    }
    Ok(true)
}

/// One byte, which must be set. `None`: another action must read it.
fn byte(run: &mut Run<'_, '_, '_>, address: Scalar) -> Result<Option<u8>, Halt> {
    one(run, address, &mut |run, id, offset| {
        run.cut_addresses(id, offset, 1)?;
        let value = match run.own(id, offset, 1) {
            crate::buffer::Found::Whole(value) => run.known(value),
            _ => run.memory(id, offset, 1)?,
        };
        Ok((value, value.bits as u8))
    })
}

/// What is kept of a byte that is read.
type Look<'l> = &'l mut dyn FnMut(&mut Run<'_, '_, '_>, ObjectId, u64) -> Result<(Scalar, u8), Halt>;

/// Reads one byte, which must be set, with `look`. `None`: another action must read it.
fn one(run: &mut Run<'_, '_, '_>, address: Scalar, look: Look<'_>) -> Result<Option<u8>, Halt> {
    run.spend(1)?;
    if run.text_waits {
        return Ok(None);
    }
    if let Some(byte) = run.top().text.get(run.text.len()).copied() {
        run.text.push(byte);
        return Ok(Some(byte));
    }
    let (id, offset) = run.resolve(address, 1)?;
    let visible = run.is_visible(id, offset, 1, Touch::READ);
    run.text_waits = visible && !run.may_act;
    if run.text_waits {
        return Ok(None);
    }
    let (value, kept) = look(run, id, offset)?;
    if !value.is_set() {
        return Err(run.fault(Fault::Unset(Use::Argument)));
    }
    if visible {
        run.act();
    }
    run.text.push(kept);
    Ok(Some(kept))
}

/// One byte that is printed, and may be open. Of its value only whether it ends a text is kept.
fn printed(run: &mut Run<'_, '_, '_>, address: Scalar, ends: bool) -> Result<Option<u8>, Halt> {
    one(run, address, &mut |run, id, offset| {
        let value = match run.own(id, offset, 1) {
            crate::buffer::Found::Whole(value) => value,
            _ => run.open_memory(id, offset, 1)?,
        };
        let kept = match (ends, value.open.is_some()) {
            (false, _) => 1,
            (true, false) => u8::from(value.bits & 0xff != 0),
            (true, true) => run.open_compare(Predicate::Ne, 8, &value.into(), &Value::int(0)).bits as u8,
        };
        Ok((value, kept))
    })
}

/// Reads a range of bytes that is printed. `false`: another action must go on.
pub(super) fn print_bytes(run: &mut Run<'_, '_, '_>, address: Scalar, length: u64) -> Result<bool, Halt> {
    if length == 0 {
        return Ok(true);
    }
    if length > MOST {
        return Err(Halt::Limit(Limit::Memory));
    }
    run.resolve(address, length)?;
    for at in 0..length {
        if printed(run, Scalar { bits: address.bits + at, ..address }, false)?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Reads a text that is printed, up to its end or `most` bytes. `false`: another action must go on.
pub(super) fn print_text(run: &mut Run<'_, '_, '_>, address: Scalar, most: u64) -> Result<bool, Halt> {
    for at in 0..most {
        match printed(run, Scalar { bits: address.bits.wrapping_add(at), ..address }, true)? {
            Some(0) => break,
            Some(_) => {}
            None => return Ok(false),
        }
    }
    Ok(true)
}

/// Reads a range of bytes. `None`: another action must go on.
fn bytes(run: &mut Run<'_, '_, '_>, address: Scalar, length: u64) -> Result<Option<Vec<u8>>, Halt> {
    if length == 0 {
        return Ok(Some(Vec::new()));
    }
    if length > MOST {
        return Err(Halt::Limit(Limit::Memory));
    }
    run.resolve(address, length)?;
    let mut found = Vec::new();
    for at in 0..length {
        let Some(byte) = byte(run, Scalar { bits: address.bits + at, ..address })? else { return Ok(None) };
        found.push(byte);
    }
    Ok(Some(found))
}

/// A range of bytes as text, if they exist and are set.
pub(super) fn known_text(run: &mut Run<'_, '_, '_>, address: Scalar, length: u64) -> Option<String> {
    let (id, offset) = run.resolve(address, length).ok()?;
    let mut text = Vec::new();
    for at in 0..length {
        let byte = run.memory(id, offset + at, 1).ok()?;
        text.push(byte.is_set().then_some(byte.bits as u8)?);
    }
    String::from_utf8(text).ok()
}

/// The bytes up to the next zero.
pub(super) fn text(run: &mut Run<'_, '_, '_>, address: Scalar) -> Result<Option<Vec<u8>>, Halt> {
    up_to(run, address, 0, u64::MAX)
}

/// The bytes before the next `end`, at most `most`. `None`: another action must read them.
pub(super) fn up_to(
    run: &mut Run<'_, '_, '_>,
    address: Scalar,
    end: u8,
    most: u64,
) -> Result<Option<Vec<u8>>, Halt> {
    if most == 0 {
        return Ok(Some(Vec::new()));
    }
    let mut found = Vec::new();
    while (found.len() as u64) < most {
        let next = Scalar { bits: address.bits + found.len() as u64, ..address };
        match byte(run, next)? {
            Some(byte) if byte == end => break,
            Some(byte) => found.push(byte),
            None => return Ok(None),
        }
    }
    Ok(Some(found))
}

fn string_copy(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    if !run.top().read.is_empty() {
        return finish_copy(run, a);
    }
    let to = a.scalar(0);
    let most = if a.name.contains("strn") { a.int(run, 2)? } else { u64::MAX };
    let Some(mut source) = up_to(run, a.scalar(1), 0, most)? else { return Ok(Done::Waits) };
    let mut start = 0;
    let appends = a.name.contains("cat");
    if appends {
        let Some(before) = text(run, to)? else { return Ok(Done::Waits) };
        start = before.len() as u64;
    }
    let length = source.len() as u64;
    match a.name {
        "strncpy" if most > MOST => return Err(Halt::Limit(Limit::Memory)),
        "strncpy" => source.resize(most as usize, 0),
        _ => source.push(0),
    }
    // The whole text is read first and kept while it is written byte by byte.
    keep_text(run, &source, start, length);
    finish_copy(run, a)
}

/// Keeps a text to be written, its offset from the target address, and a number.
pub(super) fn keep_text(run: &mut Run<'_, '_, '_>, text: &[u8], start: u64, number: u64) {
    let frame = run.frame();
    frame.read = text.iter().map(|byte| Scalar::int((*byte).into())).collect();
    frame.read.push(Scalar::int(start));
    frame.read.push(Scalar::int(number));
}

fn finish_copy(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let to = a.scalar(0);
    let Some(length) = write_text(run, to)? else { return Ok(Done::Waits) };
    let end = if a.name == "stpcpy" { length } else { 0 };
    Ok(Done::Returns(Some(Scalar { bits: to.bits + end, ..to }.into())))
}

/// Writes the kept text byte by byte, and returns the kept number. `None`: another action must continue.
pub(super) fn write_text(run: &mut Run<'_, '_, '_>, to: Scalar) -> Result<Option<u64>, Halt> {
    let n = run.top().read.len() - 2;
    let (start, number) = (run.top().read[n].bits, run.top().read[n + 1].bits);
    while (run.top().done as usize) < n {
        let at = run.top().done as usize;
        let byte = run.top().read[at];
        let (id, offset) = run.resolve(Scalar { bits: to.bits + start + at as u64, ..to }, 1)?;
        if !run.write(id, offset, 1, byte, false)? {
            return Ok(None);
        }
        run.frame().done += 1;
    }
    Ok(Some(number))
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
