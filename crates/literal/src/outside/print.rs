//! Formats of `printf` and its kin: reads the texts that a format prints. Numbers are dropped. A conversion that is not known
//! is refused, and so is `%n`, which writes.

use super::bytes::{print_text, text};
use super::{Arguments, refuse};
use crate::footprint::Touch;
use crate::machine::Run;
use crate::value::{Scalar, sign_extend};
use crate::violation::{Fault, Halt, Use};

/// The position of the format among the arguments of a function of the `printf` family.
pub(super) fn format_place(name: &str) -> Option<usize> {
    Some(match name {
        "printf" | "vprintf" => 0,
        "fprintf" | "vfprintf" | "dprintf" | "vdprintf" | "syslog" | "vsyslog" | "__printf_chk"
        | "__vprintf_chk" => 1,
        "__fprintf_chk" | "__vfprintf_chk" | "__dprintf_chk" | "__syslog_chk" => 2,
        _ => return None,
    })
}

/// Whether the arguments come as a list.
fn has_list(name: &str) -> bool {
    matches!(name, "vprintf" | "vfprintf" | "vdprintf" | "vsyslog" | "__vprintf_chk" | "__vfprintf_chk")
}

/// What a format prints.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
enum Part {
    /// A width: an argument.
    Width,
    /// The precision of the next text: an argument.
    Precision,
    /// A number, an address or a character.
    Value,
    /// A text, and the most bytes of it that are printed. `None`: the argument before it gives that number.
    Text(Option<u64>),
}

/// The arguments that a format uses, in order; `None` if it has a conversion that is not known.
fn parts(format: &[u8]) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut rest = format.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            continue;
        }
        while rest.next_if(|byte| b"-0+ #'".contains(byte)).is_some() {}
        if rest.next_if_eq(&b'*').is_some() {
            parts.push(Part::Width);
        }
        while rest.next_if(u8::is_ascii_digit).is_some() {}
        let mut most = Some(u64::MAX);
        if rest.next_if_eq(&b'.').is_some() {
            if rest.next_if_eq(&b'*').is_some() {
                parts.push(Part::Precision);
                most = None;
            } else {
                let mut number = 0u64;
                while let Some(digit) = rest.next_if(u8::is_ascii_digit) {
                    number = number.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
                }
                most = Some(number);
            }
        }
        let mut size = Vec::new();
        while let Some(letter) = rest.next_if(|byte| b"hlLqjzt".contains(byte)) {
            size.push(letter);
        }
        match rest.next()? {
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'c' | b'p' => parts.push(Part::Value),
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => parts.push(Part::Value),
            b's' if size.is_empty() => parts.push(Part::Text(most)),
            // The text for the error number.
            b'm' | b'%' if size.is_empty() => {}
            _ => return None,
        }
    }
    Some(parts)
}

/// Where the arguments of a format come from.
enum Source {
    /// Those of the call, from this position on.
    Call(usize),
    /// Memory at this address. `va_start` puts all arguments there.
    Memory(Scalar),
}

/// Reads the format at `place`, and the texts that it prints. `false`: another action must go on.
pub(super) fn print_format(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>, place: usize) -> Result<bool, Halt> {
    let Some(format) = text(run, a.scalar(place))? else { return Ok(false) };
    let Some(parts) = parts(&format) else {
        let what = format!("the format {:?}", String::from_utf8_lossy(&format));
        return Err(refuse(run, a, &what));
    };
    let mut source = match has_list(a.name) {
        false => Source::Call(place + 1),
        true if format.contains(&b'L') => {
            return Err(refuse(run, a, "a `long double` in a list of arguments"));
        }
        true if parts.is_empty() => return Ok(true),
        true => Source::Memory(listed(run, a, a.scalar(place + 1))?),
    };
    let mut precision = None;
    for part in parts {
        let value = argument(run, a, &mut source)?;
        if !value.is_set() {
            return Err(run.fault(Fault::Unset(Use::Argument)));
        }
        match part {
            Part::Width | Part::Value => {}
            // A negative precision counts as none.
            Part::Precision => precision = u64::try_from(sign_extend(run.known(value).bits, 32)).ok(),
            Part::Text(most) => {
                let most = most.or(precision).unwrap_or(u64::MAX);
                let value = if value.open.is_some() { run.known(value) } else { value };
                if !print_text(run, value, most)? {
                    return Ok(false);
                }
            }
        }
    }
    Ok(true)
}

/// The next argument. One that is not there is unset.
fn argument(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>, source: &mut Source) -> Result<Scalar, Halt> {
    match source {
        Source::Call(place) => {
            *place += 1;
            Ok(match a.args.get(*place - 1) {
                Some((value, _)) => value.as_scalar().unwrap_or(Scalar::int(0)),
                None => Scalar::poison(64),
            })
        }
        Source::Memory(at) => {
            let here = *at;
            at.bits += 8;
            let (id, offset) = run.resolve(here, 8)?;
            run.claim(id, offset, 8, Touch::READ)?;
            // Where an argument is narrower, the rest of its place is not set, and not looked at.
            let value = run.open_memory(id, offset, 8)?;
            Ok(if value.open.is_some() { value } else { low(value) })
        }
    }
}

/// A value of which only the low half may be set.
fn low(value: Scalar) -> Scalar {
    const HALF: u64 = 0xffff_ffff;
    if value.unset & HALF == 0 && value.unset & !HALF == !HALF {
        return Scalar::int(value.bits & HALF);
    }
    value
}

/// Where the arguments of a list lie.
fn listed(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>, list: Scalar) -> Result<Scalar, Halt> {
    const NO_REGISTERS: [u64; 2] = [48, 176];
    let (id, offset) = run.resolve(list, 24)?;
    run.claim(id, offset, 24, Touch::READ)?;
    for (at, expected) in [0, 4].into_iter().zip(NO_REGISTERS) {
        let used = run.memory(id, offset + at, 4)?;
        if !used.is_set() {
            return Err(run.fault(Fault::Unset(Use::Argument)));
        }
        if used.bits != expected {
            return Err(refuse(run, a, "a list of arguments that `va_start` has not made"));
        }
    }
    run.memory(id, offset + 8, 8)
}

#[cfg(test)]
mod tests {
    use super::{Part, parts};

    #[test]
    fn arguments_of_formats() {
        assert_eq!(parts(b"no conversion, 100%%"), Some(vec![]));
        assert_eq!(parts(b"%-5d %lu %hhx %p %5.2f %c"), Some(vec![Part::Value; 6]));
        assert_eq!(parts(b"%s"), Some(vec![Part::Text(Some(u64::MAX))]));
        assert_eq!(parts(b"%8.3s"), Some(vec![Part::Text(Some(3))]));
        assert_eq!(parts(b"%.s"), Some(vec![Part::Text(Some(0))]));
        assert_eq!(parts(b"%*.*s"), Some(vec![Part::Width, Part::Precision, Part::Text(None)]));
        assert_eq!(parts(b"%m"), Some(vec![]));
        for unknown in [&b"%n"[..], b"%ls", b"%S", b"%1$d", b"%hhn", b"%", b"%k"] {
            assert_eq!(parts(unknown), None, "{}", String::from_utf8_lossy(unknown));
        }
    }
}
