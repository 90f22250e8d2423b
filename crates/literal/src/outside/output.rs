//! Output is dropped. An unset value that would be printed matters, so arguments that are numbers must be set.

use super::{Arguments, Done, Outside, zero};
use crate::machine::Run;
use crate::refusal::Refusal;
use crate::violation::{Fault, Halt, Use};

pub(super) fn look_up(name: &str) -> Option<Outside> {
    Some(match name {
        "printf" | "fprintf" | "dprintf" | "vprintf" | "vfprintf" | "__printf_chk" | "__fprintf_chk"
        | "puts" | "fputs" | "putchar" | "putc" | "fputc" | "perror" | "fflush" | "fwrite"
        | "putchar_unlocked" | "syslog" => print,
        "write" | "writev" => {
            |run, a| Ok(Done::ReturnsInt(if a.name == "write" { a.int(run, 2)? } else { 1 << 20 }))
        }
        "__fencewright_formats" => |run, _| formats(run),
        "sprintf" | "snprintf" | "vsnprintf" | "vsprintf" | "__snprintf_chk" | "__sprintf_chk" => formatted,
        // Streams of C++: an output operator gives its stream back.
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

/// Whether what is printed from this place on is dropped.
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
    let result = if a.name == "fwrite" { a.int(run, 2)? } else { 1 };
    let is_flush = matches!(a.name, "fflush" | "perror" | "syslog");
    Ok(if is_flush && a.ret.is_none() {
        Done::Returns(None)
    } else {
        Done::ReturnsInt(if is_flush { 0 } else { result })
    })
}

/// Text that is made of numbers is not followed: an empty one is written.
fn formatted(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    run.notes.partly.values = true;
    super::threads::put(run, a.scalar(0), 1, 0)?;
    Ok(Done::ReturnsInt(0))
}

/// What `library.c` does not know of a stream that keeps its text would be missing from the text.
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
