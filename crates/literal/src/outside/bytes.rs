//! Memory and string functions. Bytes that only the thread sees are copied in one step; others [piece by piece](super::pieces).
//!
//! Functions that read texts read them byte by byte. What an instruction has read it keeps until it is done
//! ([`Frame::text`](crate::state::Frame::text)), so it may stop before any byte.

use fencewright_llvm::module::Predicate;

use super::pieces::{MOST, copy, fill};
use super::{Arguments, Done, Outside};
use crate::footprint::Touch;
use crate::machine::Run;
use crate::value::{ObjectId, Scalar, Value};
use crate::violation::{Fault, Halt, Limit, Use};

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
    run.note_scalar(id, offset, 1);
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
        run.note_scalar(id, offset, 1);
        if !run.write(id, offset, 1, byte, false)? {
            return Ok(None);
        }
        run.frame().done += 1;
    }
    Ok(Some(number))
}
