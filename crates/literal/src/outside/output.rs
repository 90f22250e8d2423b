//! Output is dropped, and always succeeds: full disks and closed pipes are not modelled. The number of characters written is
//! open. Printing an unset value is a fault, so numeric arguments must be set.

use super::{Arguments, Done, Outside, any_of, zero};
use crate::machine::Run;
use crate::refusal::Refusal;
use crate::violation::{Fault, Halt, Use};

/// Standard output and standard error.
const STANDARD: [u64; 2] = [1, 2];

pub(super) fn look_up(name: &str) -> Option<Outside> {
    Some(match name {
        "printf" | "fprintf" | "dprintf" | "vprintf" | "vfprintf" | "__printf_chk" | "__fprintf_chk"
        | "puts" | "fputs" | "putchar" | "putc" | "fputc" | "perror" | "fflush" | "fwrite" | "fclose"
        | "putchar_unlocked" | "syslog" => print,
        "__fencewright_formats" => |run, _| formats(run),
        "write" | "send" => |run, a| {
            let (to, most) = (a.int(run, 0)?, a.int(run, 2)?);
            if a.name == "write" && STANDARD.contains(&to) {
                return Ok(Done::ReturnsInt(most));
            }
            if super::is_used(run) && run.choices.choose(2) == 1 {
                return failed(run);
            }
            Ok(any_of(run, a, 0, most.into()))
        },
        "writev" => |run, a| Ok(any_of(run, a, -1, i64::MAX.into())),
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
        "printf" | "putchar" | "putc" | "fputc" | "putchar_unlocked" => 0,
        "fprintf" | "dprintf" | "__printf_chk" | "__fprintf_chk" | "syslog" => 1,
        _ if name.starts_with("_ZNSo") => 1,
        _ => return false,
    };
    place >= first
}

fn print(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    if a.args.iter().skip(1).any(|(value, _)| value.as_scalar().is_some_and(|scalar| !scalar.is_set())) {
        return Err(run.fault(Fault::Unset(Use::Argument)));
    }
    // The number of items or characters written.
    let (low, high) = match a.name {
        "fwrite" => {
            let all = a.int(run, 2)?.into();
            (all, all)
        }
        "fflush" | "fclose" => (0, 0),
        "putchar" | "putc" | "fputc" | "putchar_unlocked" => {
            let character = (a.int(run, 0)? & 0xff).into();
            (character, character)
        }
        _ => (0, i32::MAX.into()),
    };
    Ok(any_of(run, a, low, high))
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
    Ok(Done::Returns(a.ret.map(|_| a.scalar(0).into())))
}

fn formats(run: &mut Run<'_, '_, '_>) -> Result<Done, Halt> {
    let what = "a text stream with a width, a base, flags, or a number with a fraction";
    Err(run.refuse(Refusal::new(what).help("write the text with integers and other texts only")))
}
