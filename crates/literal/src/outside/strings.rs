//! Numbers in text, character classes and character sets, in the C locale: functions that depend only on their arguments.

use super::bytes::{text, up_to};
use super::threads::{claim, put_scalar};
use super::{Arguments, Done, Outside, any_of};
use crate::machine::Run;
use crate::value::Scalar;
use crate::violation::Halt;

const ERANGE: u64 = 34;
const EINVAL: u64 = 22;

pub(super) fn look_up(name: &str) -> Option<Outside> {
    Some(match name {
        "atoi" | "atol" | "atoll" => |run, a| {
            let Some(text) = text(run, a.scalar(0))? else { return Ok(Done::Waits) };
            Ok(Done::ReturnsInt(number(&text, 10, i64::MIN.into(), i64::MAX.into()).value as u64))
        },
        "strtol" | "strtoll" | "strtoul" | "strtoull" | "strtoimax" | "strtoumax" | "__isoc23_strtol"
        | "__isoc23_strtoll" | "__isoc23_strtoul" | "__isoc23_strtoull" => to_number,
        "strspn" | "strcspn" | "strpbrk" => |run, a| {
            let (Some(text), Some(set)) = (text(run, a.scalar(0))?, text(run, a.scalar(1))?) else {
                return Ok(Done::Waits);
            };
            let wanted = a.name == "strspn";
            let length = text.iter().position(|byte| set.contains(byte) != wanted).unwrap_or(text.len());
            let start = a.scalar(0);
            Ok(match a.name {
                "strpbrk" if length == text.len() => Done::Returns(Some(Scalar::int(0).into())),
                "strpbrk" => Done::Returns(Some(Scalar { bits: start.bits + length as u64, ..start }.into())),
                _ => Done::ReturnsInt(length as u64),
            })
        },
        "strdup" | "strndup" | "__strdup" | "__strndup" => |run, a| {
            let most = if a.name.ends_with("strndup") { a.int(run, 1)? } else { u64::MAX };
            let Some(text) = up_to(run, a.scalar(0), 0, most)? else { return Ok(Done::Waits) };
            new_text(run, &text)
        },
        "ffs" | "ffsl" | "ffsll" => |run, a| {
            let bits = a.int(run, 0)?;
            Ok(Done::ReturnsInt(if bits == 0 { 0 } else { u64::from(bits.trailing_zeros()) + 1 }))
        },
        "toupper" | "tolower" => |run, a| {
            let c = a.int(run, 0)?;
            Ok(Done::ReturnsInt(match (u8::try_from(c & 0xffff_ffff), a.name) {
                (Ok(c), "toupper") => c.to_ascii_uppercase().into(),
                (Ok(c), _) => c.to_ascii_lowercase().into(),
                (Err(_), _) => c,
            }))
        },
        "isalpha" | "isdigit" | "isspace" | "isalnum" | "isupper" | "islower" | "isprint" | "ispunct"
        | "isxdigit" | "iscntrl" | "isgraph" | "isblank" => |run, a| {
            // `EOF` is in no class.
            let is_so = u8::try_from(a.int(run, 0)? & 0xffff_ffff).is_ok_and(|c| is_of_kind(c, &a.name[2..]));
            Ok(if is_so { any_of(run, a, 1, i32::MAX.into()) } else { Done::ReturnsInt(0) })
        },
        _ => return None,
    })
}

fn is_of_kind(c: u8, kind: &str) -> bool {
    match kind {
        "alpha" => c.is_ascii_alphabetic(),
        "digit" => c.is_ascii_digit(),
        "space" => c.is_ascii_whitespace() || c == 11,
        "alnum" => c.is_ascii_alphanumeric(),
        "upper" => c.is_ascii_uppercase(),
        "lower" => c.is_ascii_lowercase(),
        "print" => c.is_ascii_graphic() || c == b' ',
        "punct" => c.is_ascii_punctuation(),
        "xdigit" => c.is_ascii_hexdigit(),
        "cntrl" => c.is_ascii_control(),
        "graph" => c.is_ascii_graphic(),
        _ => c == b' ' || c == b'\t',
    }
}

/// A copy of a text in new memory.
pub(super) fn new_text(run: &mut Run<'_, '_, '_>, text: &[u8]) -> Result<Done, Halt> {
    let site = super::heap::site(run);
    let address = run.allocate(text.len() as u64 + 1, 16, site)?;
    for (at, byte) in text.iter().chain(&[0]).enumerate() {
        run.set_memory(address.of, at as u64, 1, Scalar::int((*byte).into()))?;
    }
    Ok(Done::Returns(Some(address.into())))
}

/// A number at the start of a text.
struct Number {
    value: i128,
    /// Its length in bytes; 0 if there is no number.
    length: usize,
    /// Whether it is out of range.
    is_cut: bool,
}

/// The number at the start of a text. With `base` 0 the text determines the base.
fn number(text: &[u8], base: u32, low: i128, high: i128) -> Number {
    let mut at = text.iter().take_while(|byte| is_of_kind(**byte, "space")).count();
    let is_negative = text.get(at) == Some(&b'-');
    if matches!(text.get(at), Some(b'-' | b'+')) {
        at += 1;
    }
    let is_digit = |at: usize, base: u32| text.get(at).is_some_and(|byte| char::from(*byte).is_digit(base));
    let is_hex =
        text.get(at) == Some(&b'0') && matches!(text.get(at + 1), Some(b'x' | b'X')) && is_digit(at + 2, 16);
    let base = match base {
        0 | 16 if is_hex => {
            at += 2;
            16
        }
        0 if text.get(at) == Some(&b'0') => 8,
        0 => 10,
        base => base,
    };
    let start = at;
    let mut value: i128 = 0;
    while is_digit(at, base) {
        let digit = char::from(text[at]).to_digit(base).unwrap_or(0);
        value = (value * i128::from(base) + i128::from(digit)).min(1 << 100);
        at += 1;
    }
    let value = if is_negative { -value } else { value };
    let length = if at == start { 0 } else { at };
    Number { value: value.clamp(low, high), length, is_cut: !(low..=high).contains(&value) }
}

fn to_number(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let (start, end, base) = (a.scalar(0), a.scalar(1), a.int(run, 2)? as u32);
    if base == 1 || base > 36 {
        run.set_errno(EINVAL)?;
        return Ok(Done::ReturnsInt(0));
    }
    if end.bits != 0 {
        claim(run, end, 8)?;
    }
    let Some(text) = text(run, start)? else { return Ok(Done::Waits) };
    let is_unsigned = a.name.contains("tou");
    // A negative number is negated as an unsigned one.
    let most = i128::from(u64::MAX);
    let (low, high) = if is_unsigned { (-most, most) } else { (i64::MIN.into(), i128::from(i64::MAX)) };
    let found = number(&text, base, low, high);
    if found.is_cut {
        run.set_errno(ERANGE)?;
    }
    if end.bits != 0 {
        put_scalar(run, end, 8, Scalar { bits: start.bits + found.length as u64, ..start })?;
    }
    let value = if found.is_cut && is_unsigned { most } else { found.value };
    Ok(Done::ReturnsInt(value as u64))
}

#[cfg(test)]
mod tests {
    use super::number;

    fn of(text: &str, base: u32) -> (i128, usize, bool) {
        let found = number(text.as_bytes(), base, i64::MIN.into(), i64::MAX.into());
        (found.value, found.length, found.is_cut)
    }

    #[test]
    fn numbers_in_texts() {
        assert_eq!(of(" \t-12x", 10), (-12, 5, false));
        assert_eq!(of("0x1fg", 0), (31, 4, false));
        assert_eq!(of("0x", 16), (0, 1, false));
        assert_eq!(of("017", 0), (15, 3, false));
        assert_eq!(of("z", 36), (35, 1, false));
        assert_eq!(of("-", 10), (0, 0, false));
        assert_eq!(of("9223372036854775808", 10), (i128::from(i64::MAX), 19, true));
    }
}
