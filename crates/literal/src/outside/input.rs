//! Input from outside. Numbers that are read are open, and the input may end at any point. Text input is mostly refused.

use super::{Arguments, Done, Outside, any_of};
use crate::machine::Run;
use crate::refusal::Refusal;
use crate::state::Part;
use crate::value::Scalar;
use crate::violation::Halt;
use crate::visible::Order;

pub(super) fn look_up(name: &str) -> Option<Outside> {
    Some(match name {
        "scanf" | "fscanf" | "__isoc99_scanf" | "__isoc99_fscanf" | "__isoc23_scanf" | "__isoc23_fscanf" => {
            scan
        }
        "getchar" | "fgetc" | "getc" | "getchar_unlocked" => {
            // A byte, or EOF.
            |run, _| Ok(Done::Returns(Some(run.any_between(-1, 255, 32).into())))
        }
        // A stream, or null.
        "fopen" | "fopen64" | "fdopen" | "tmpfile" | "freopen" | "popen" => |run, _| {
            if run.choices.choose(2) == 1 {
                let _ = super::output::failed(run)?;
                return Ok(Done::ReturnsInt(0));
            }
            let site = super::heap::site(run);
            let stream = run.allocate(8, 16, site)?;
            run.set_memory(stream.of, 0, 8, Scalar::int(0))?;
            Ok(Done::Returns(Some(stream.into())))
        },
        "feof" | "ferror" => |run, a| Ok(any_of(run, a, 0, 1)),
        "fseek" | "fseeko" => |run, a| Ok(any_of(run, a, -1, 0)),
        "ftell" | "ftello" | "lseek" | "lseek64" => |run, a| Ok(any_of(run, a, -1, i64::MAX.into())),
        "rewind" | "clearerr" => |_, _| Ok(Done::Returns(None)),
        "read" | "recv" | "fread" => receive,
        "fgets" => line,
        "open" | "open64" | "creat" => descriptor,
        "close" => |run, a| {
            // The next number handed out depends on which were given back.
            run.notes.partly.values |= a.int(run, 0)? > 2;
            Ok(any_of(run, a, -1, 0))
        },
        "sscanf" | "getline" | "__isoc99_sscanf" | "__isoc23_sscanf" => refuse,
        _ => return None,
    })
}

/// Refuses input of text, which is not supported.
fn refuse(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let what = format!("`{}`: input from outside", a.name);
    let help = format!("give the program its input, or say --stub {}=nothing", a.name);
    Err(run.refuse(Refusal::new(what).help(help)))
}

/// The number of a newly open file, different from all others, or a failure.
fn descriptor(run: &mut Run<'_, '_, '_>, _: &Arguments<'_>) -> Result<Done, Halt> {
    const FIRST: u64 = 3;
    if run.is_order_visible(Order::Descriptor) && !run.act() {
        return Ok(Done::Waits);
    }
    if run.choices.choose(2) == 1 {
        return super::output::failed(run);
    }
    let process = Part::edit(&mut run.state.process);
    process.descriptors += 1;
    Ok(Done::ReturnsInt(FIRST - 1 + u64::from(process.descriptors)))
}

/// Up to so many items of one call, every count is tried.
const FEW: u64 = 8;

/// Bytes from a file or another process: as many as fit, or fewer, or a failure. Their values are open.
fn receive(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let is_stream = a.name == "fread";
    let (to, unit, most) = match is_stream {
        true => (a.scalar(0), a.int(run, 1)?, a.int(run, 2)?),
        false => (a.scalar(1), 1, a.int(run, 2)?),
    };
    if run.top().read.is_empty() {
        let mut counts: Vec<u64> = (0..=most.min(FEW)).rev().collect();
        if most > FEW || unit > FEW {
            run.notes.partly.values = true;
        }
        if unit.saturating_mul(most) > FEW * FEW {
            counts.retain(|count| count * unit <= FEW * FEW);
        }
        let choice = run.choices.choose(counts.len() as u32 + u32::from(!is_stream)) as usize;
        match counts.get(choice) {
            Some(count) => run.frame().read.push(Scalar::int(*count)),
            None => return super::output::failed(run),
        }
    }
    let count = run.top().read[0].bits;
    if !fill(run, to, count * unit, None)? {
        return Ok(Done::Waits);
    }
    Ok(Done::ReturnsInt(count))
}

/// A line of text, or the end of the file. Only short lines are tried.
fn line(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    const LONGEST: u64 = 2;
    let (to, size) = (a.scalar(0), a.int(run, 1)?);
    if size < 2 {
        return refuse(run, a);
    }
    if run.top().read.is_empty() {
        run.notes.partly.values = true;
        let most = LONGEST.min(size - 1);
        match u64::from(run.choices.choose(most as u32 + 1)) {
            0 => return Ok(Done::ReturnsInt(0)),
            length => run.frame().read.push(Scalar::int(length)),
        }
    }
    let length = run.top().read[0].bits;
    if !fill(run, to, length + 1, Some(length))? {
        return Ok(Done::Waits);
    }
    Ok(Done::Returns(Some(to.into())))
}

/// Writes open bytes; those of a text are not zero before its end. `false`: another action must continue.
fn fill(run: &mut Run<'_, '_, '_>, to: Scalar, length: u64, end: Option<u64>) -> Result<bool, Halt> {
    const BEHIND_NEWLINE: i128 = 11;
    while u64::from(run.top().done) < length {
        let at = u64::from(run.top().done);
        let (id, offset) = run.resolve(Scalar { bits: to.bits.wrapping_add(at), ..to }, 1)?;
        let value = match end {
            None => run.any_int(8, false),
            Some(end) if at == end => Scalar::int(0),
            // Only the last byte may end the line.
            Some(end) if at + 1 < end => run.any_between(BEHIND_NEWLINE, 255, 8),
            Some(_) => run.any_between(1, 255, 8),
        };
        if !run.write(id, offset, 1, value, false)? {
            return Ok(false);
        }
        run.frame().done += 1;
    }
    Ok(true)
}

/// Reads integers: as many as the format has, or fewer, or the end of the input.
fn scan(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let first = if a.name.ends_with("fscanf") { 2 } else { 1 };
    let Some(format) = super::bytes::text(run, a.scalar(first - 1))? else { return Ok(Done::Waits) };
    let Some(wanted) = integers(&format) else { return refuse(run, a) };
    if run.top().read.is_empty() {
        let n = run.choices.choose(wanted.len() as u32 + 2);
        run.frame().read.push(Scalar::int(n.into()));
    }
    // One more than the integers read; zero is the end of the input.
    let n = run.top().read[0].bits as usize;
    while (run.top().done as usize) + 1 < n {
        let place = run.top().done as usize;
        let (size, signed) = wanted[place];
        let (id, offset) = run.resolve(a.scalar(first + place), size.into())?;
        let value = run.any_int(8 * size, signed);
        if !run.write(id, offset, size, value, false)? {
            return Ok(Done::Waits);
        }
        run.frame().done += 1;
    }
    Ok(Done::ReturnsInt((n as u64).wrapping_sub(1)))
}

/// The sizes of the integers in a format, and whether they are signed; `None` if it contains anything else.
fn integers(format: &[u8]) -> Option<Vec<(u32, bool)>> {
    let mut wanted = Vec::new();
    let mut rest = format.iter().copied();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            continue;
        }
        let mut size = 4;
        let mut next = rest.next()?;
        while let b'h' | b'l' | b'j' | b'z' | b't' = next {
            size = if next == b'h' { size / 2 } else { 8 };
            next = rest.next()?;
        }
        match next {
            b'd' | b'i' if size > 0 => wanted.push((size, true)),
            b'u' | b'x' | b'X' | b'o' if size > 0 => wanted.push((size, false)),
            b'c' if size == 4 => wanted.push((1, true)),
            b'%' if size == 4 => {}
            _ => return None,
        }
    }
    Some(wanted)
}

#[cfg(test)]
mod tests {
    use super::integers;

    #[test]
    fn formats() {
        assert_eq!(integers(b"%d"), Some(vec![(4, true)]));
        assert_eq!(integers(b" %lu, %hhd%c %%"), Some(vec![(8, false), (1, true), (1, true)]));
        assert_eq!(integers(b"%s"), None);
        assert_eq!(integers(b"%5d"), None);
        assert_eq!(integers(b"%"), None);
    }
}
