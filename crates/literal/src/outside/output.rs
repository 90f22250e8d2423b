//! Output is dropped, and always succeeds: full disks and closed pipes are not modelled. The number of characters written is
//! open. What is printed is read, byte by byte, and other threads may act in between. Printing an unset value is a fault.
//! Formats are in `print.rs`.

use super::bytes::{print_bytes, print_text};
use super::print::{format_place, print_format};
use super::{Arguments, Done, Outside, any_of, zero};
use crate::machine::Run;
use crate::refusal::Refusal;
use crate::value::{Scalar, Value};
use crate::violation::{Fault, Halt, Use};

/// Standard output and standard error.
const STANDARD: [u64; 2] = [1, 2];

pub(super) fn look_up(name: &str) -> Option<Outside> {
    Some(match name {
        "puts" | "fputs" | "putchar" | "putc" | "fputc" | "perror" | "fflush" | "fwrite" | "fclose"
        | "putchar_unlocked" => print,
        _ if format_place(name).is_some() => print,
        "__fencewright_formats" => |run, _| formats(run),
        // What `library.c` prints: a number, a text, so many bytes.
        "__fencewright_prints" | "__fencewright_prints_fraction" => |run, a| {
            all_set(run, a, 0)?;
            Ok(Done::Returns(None))
        },
        "__fencewright_prints_text" => |run, a| {
            let done = print_text(run, a.scalar(0), u64::MAX)?;
            Ok(if done { Done::Returns(None) } else { Done::Waits })
        },
        "__fencewright_prints_bytes" => |run, a| {
            let length = a.int(run, 1)?;
            let done = print_bytes(run, a.scalar(0), length)?;
            Ok(if done { Done::Returns(None) } else { Done::Waits })
        },
        "write" | "send" => |run, a| {
            let (to, most) = (a.int(run, 0)?, a.int(run, 2)?);
            if !print_bytes(run, a.scalar(1), most)? {
                return Ok(Done::Waits);
            }
            if a.name == "write" && STANDARD.contains(&to) {
                return Ok(Done::ReturnsInt(most));
            }
            if super::is_used(run) && run.choices.choose(2) == 1 {
                return failed(run);
            }
            Ok(any_of(run, a, 0, most.into()))
        },
        "writev" => write_parts,
        // C++ streams: an output operator returns its stream.
        _ if name.starts_with("_ZNSo") || name.starts_with("_ZStls") || name.starts_with("_ZNSolsE") => {
            stream
        }
        _ if name.starts_with("_ZSt4endl")
            || name.starts_with("_ZSt5flush")
            || name.starts_with("_ZSt16__ostream_insert") =>
        {
            stream
        }
        _ if name.starts_with("_ZNSt8ios_base4Init")
            || name.starts_with("_ZNSt9basic_ios")
            || name.starts_with("_ZNSt8ios_base") =>
        {
            zero
        }
        _ => return None,
    })
}

/// Whether the arguments from this position on are only printed.
pub(super) fn drops(name: &str, place: usize) -> bool {
    let first = match name {
        "putchar" | "putc" | "fputc" | "putchar_unlocked" | "__fencewright_prints" => 0,
        _ if name.starts_with("_ZNSo") => 1,
        _ => match format_place(name) {
            Some(format) => format + 1,
            None => return false,
        },
    };
    place >= first
}

fn print(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    all_set(run, a, 1)?;
    let is_read = match a.name {
        "puts" | "fputs" => print_text(run, a.scalar(0), u64::MAX)?,
        // Without a text only the message for the error number is printed.
        "perror" => a.int(run, 0)? == 0 || print_text(run, a.scalar(0), u64::MAX)?,
        "fwrite" => {
            let length = a.int(run, 1)?.saturating_mul(a.int(run, 2)?);
            print_bytes(run, a.scalar(0), length)?
        }
        _ => match format_place(a.name) {
            Some(place) => print_format(run, a, place)?,
            None => true,
        },
    };
    if !is_read {
        return Ok(Done::Waits);
    }
    // The number of items or characters written.
    let (low, high) = match a.name {
        "fwrite" => {
            let all = if a.int(run, 1)? == 0 { 0 } else { a.int(run, 2)?.into() };
            (all, all)
        }
        "fflush" | "fclose" => (0, 0),
        "putchar" | "putc" | "fputc" | "putchar_unlocked" => {
            a.int(run, 0)?;
            let character = match super::is_used(run) {
                true => (run.known(a.scalar(0)).bits & 0xff).into(),
                false => 0,
            };
            (character, character)
        }
        _ => (0, i32::MAX.into()),
    };
    Ok(any_of(run, a, low, high))
}

/// The arguments from this position on are printed: they must be set.
fn all_set(run: &Run<'_, '_, '_>, a: &Arguments<'_>, first: usize) -> Result<(), Halt> {
    match a.args.iter().skip(first).all(|(value, _)| is_set(value)) {
        true => Ok(()),
        false => Err(run.fault(Fault::Unset(Use::Argument))),
    }
}

fn is_set(value: &Value) -> bool {
    match value {
        Value::Scalar(scalar) => scalar.is_set(),
        Value::Wide(wide) => wide.unset == 0,
        Value::Aggregate(parts) => parts.iter().all(is_set),
        Value::Dead => false,
    }
}

/// Reads the list of parts, then the parts.
fn write_parts(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    const MOST: u64 = 1_024;
    const PART: u64 = 16;
    let (list, n) = (a.scalar(1), crate::value::sign_extend(a.int(run, 2)?, 32) as u64);
    if n > MOST {
        return Err(super::refuse(run, a, "a number of parts that is negative or above 1,024"));
    }
    if n > 0 {
        run.resolve(list, PART * n)?;
    }
    while u64::from(run.top().done) < 2 * n {
        let at = 8 * u64::from(run.top().done);
        let (id, offset) = run.resolve(super::locks::offset(list, at), 8)?;
        let Some(word) = run.read(id, offset, 8, false)? else { return Ok(Done::Waits) };
        let word = if word.open.is_some() { run.known(word) } else { word };
        let frame = run.frame();
        frame.read.push(word);
        frame.done += 1;
    }
    let parts: Vec<Scalar> = run.top().read.clone();
    for part in parts.chunks_exact(2) {
        if !part[1].is_set() {
            return Err(run.fault(Fault::Unset(Use::Argument)));
        }
        if !print_bytes(run, part[0], part[1].bits)? {
            return Ok(Done::Waits);
        }
    }
    Ok(any_of(run, a, -1, i64::MAX.into()))
}

/// A system call fails; the error number is open.
pub(super) fn failed(run: &mut Run<'_, '_, '_>) -> Result<Done, Halt> {
    const MOST: i128 = 133;
    let error = run.any_between(1, MOST, 32);
    let address = run.errno()?;
    run.set_memory(address.of, 0, 4, error)?;
    Ok(Done::ReturnsInt(u64::MAX))
}

/// Refuses to print to a stream that keeps its text if `library.c` does not know the function: the text would lack it.
fn stream(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    const BASE_OF_TEXT: u64 = 112;
    let table = run.peek(a.scalar(0), 0)?;
    if table.of.is_some() && run.peek(table, -24)?.bits == BASE_OF_TEXT {
        return formats(run);
    }
    all_set(run, a, 1)?;
    Ok(Done::Returns(a.ret.map(|_| a.scalar(0).into())))
}

fn formats(run: &mut Run<'_, '_, '_>) -> Result<Done, Halt> {
    let what = "a text stream with a width, a base, flags, or a number with a fraction";
    Err(run.refuse(Refusal::new(what).help("write the text with integers and other texts only")))
}
