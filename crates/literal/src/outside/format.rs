//! `sprintf` and `snprintf`: text from a format and its arguments. Unknown formats are refused.

use std::iter::Peekable;

use super::bytes::{keep_text, up_to, write_text};
use super::{Arguments, Done, Outside, refuse};
use crate::machine::Run;
use crate::value::{mask, sign_extend};
use crate::violation::Halt;

pub(super) fn look_up(name: &str) -> Option<Outside> {
    Some(match name {
        "sprintf" | "snprintf" | "__sprintf_chk" | "__snprintf_chk" => print,
        "vsprintf" | "vsnprintf" | "__vsprintf_chk" | "__vsnprintf_chk" | "asprintf" | "vasprintf" => {
            |run, a| Err(refuse(run, a, "text that is made of a list of arguments"))
        }
        _ => return None,
    })
}

/// The text is made first, in one step, and then written byte by byte.
fn print(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let is_limited = a.name.contains("snprintf");
    let most = if is_limited { a.int(run, 1)? } else { u64::MAX };
    if run.top().read.is_empty() {
        let place = match a.name {
            "sprintf" => 1,
            "snprintf" => 2,
            "__sprintf_chk" => 3,
            _ => 4,
        };
        let Some(mut text) = made(run, a, place)? else { return Ok(Done::Waits) };
        let length = text.len() as u64;
        text.truncate(usize::try_from(most.saturating_sub(1)).unwrap_or(usize::MAX));
        if most > 0 {
            text.push(0);
        }
        keep_text(run, &text, 0, length);
    }
    Ok(match write_text(run, a.scalar(0))? {
        Some(length) => Done::ReturnsInt(length),
        None => Done::Waits,
    })
}

/// The part of a conversion between the per cent sign and the letter.
#[derive(Debug, Default, Clone, Copy)]
struct Field {
    left: bool,
    zeros: bool,
    plus: bool,
    space: bool,
    other: bool,
    width: usize,
    precision: Option<usize>,
}

/// The text for a format and the arguments after it. `None`: another action must read them.
fn made(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>, place: usize) -> Result<Option<Vec<u8>>, Halt> {
    const WIDEST: usize = 4_096;
    let Some(format) = up_to(run, a.scalar(place), 0, u64::MAX)? else { return Ok(None) };
    let unknown = |run: &Run<'_, '_, '_>| Err(refuse(run, a, "a format of this kind"));
    let mut next = place + 1;
    let mut text = Vec::new();
    let mut rest = format.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            text.push(byte);
            continue;
        }
        let mut field = Field::default();
        while let Some(flag) = rest.next_if(|byte| b"-0+ #".contains(byte)) {
            match flag {
                b'-' => field.left = true,
                b'0' => field.zeros = true,
                b'+' => field.plus = true,
                b' ' => field.space = true,
                _ => field.other = true,
            }
        }
        let width = count(run, a, &mut rest, &mut next)?;
        field.left |= width < 0;
        field.width = width.unsigned_abs() as usize;
        if rest.next_if_eq(&b'.').is_some() {
            // A negative precision counts as none.
            field.precision = usize::try_from(count(run, a, &mut rest, &mut next)?).ok();
        }
        if field.width > WIDEST || field.precision.is_some_and(|most| most > WIDEST) {
            return unknown(run);
        }
        let mut bits = 32;
        while let Some(size) = rest.next_if(|byte| b"hljzt".contains(byte)) {
            bits = if size == b'h' { bits / 2 } else { 64 };
        }
        let Some(letter) = rest.next().filter(|_| bits >= 8) else { return unknown(run) };
        if letter == b'%' {
            text.push(b'%');
            continue;
        }
        let argument = next;
        next += 1;
        match letter {
            b'd' | b'i' => {
                let value = sign_extend(a.int(run, argument)?, bits);
                text.extend(padded(value < 0, value.unsigned_abs().to_string(), field));
            }
            b'u' | b'x' | b'X' | b'o' if !field.other => {
                let value = a.int(run, argument)? & mask(bits);
                let digits = match letter {
                    b'u' => value.to_string(),
                    b'x' => format!("{value:x}"),
                    b'X' => format!("{value:X}"),
                    _ => format!("{value:o}"),
                };
                let field = Field { plus: false, space: false, ..field };
                text.extend(padded(false, digits, field));
            }
            b'c' if bits == 32 => {
                text.extend(spaced(vec![a.int(run, argument)? as u8], field));
            }
            b's' if bits == 32 => {
                let most = field.precision.map_or(u64::MAX, |most| most as u64);
                let Some(inner) = up_to(run, a.scalar(argument), 0, most)? else { return Ok(None) };
                text.extend(spaced(inner, field));
            }
            _ => return unknown(run),
        }
    }
    Ok(Some(text))
}

/// A width or a precision, from the format or from an argument.
fn count(
    run: &Run<'_, '_, '_>,
    a: &Arguments<'_>,
    rest: &mut Peekable<impl Iterator<Item = u8>>,
    next: &mut usize,
) -> Result<i64, Halt> {
    if rest.next_if_eq(&b'*').is_some() {
        *next += 1;
        return Ok(sign_extend(a.int(run, *next - 1)?, 32));
    }
    let mut number = 0;
    while let Some(digit) = rest.next_if(u8::is_ascii_digit) {
        number = (number * 10 + i64::from(digit - b'0')).min(1 << 30);
    }
    Ok(number)
}

/// A number with its sign, zeros and spaces.
fn padded(is_negative: bool, mut digits: String, field: Field) -> Vec<u8> {
    if field.precision == Some(0) && digits == "0" {
        digits.clear();
    }
    let sign = match (is_negative, field.plus, field.space) {
        (true, ..) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        _ => "",
    };
    let least = match field.precision {
        Some(least) => least,
        None if field.zeros && !field.left => field.width.saturating_sub(sign.len()),
        None => 0,
    };
    let zeros = "0".repeat(least.saturating_sub(digits.len()));
    spaced(format!("{sign}{zeros}{digits}").into_bytes(), field)
}

fn spaced(mut text: Vec<u8>, field: Field) -> Vec<u8> {
    let spaces = vec![b' '; field.width.saturating_sub(text.len())];
    if field.left {
        text.extend(spaces);
        return text;
    }
    [spaces, text].concat()
}

#[cfg(test)]
mod tests {
    use super::{Field, padded};

    #[test]
    fn numbers_are_padded_as_in_c() {
        let of = |value: i64, field: Field| {
            let text = padded(value < 0, value.unsigned_abs().to_string(), field);
            String::from_utf8_lossy(&text).into_owned()
        };
        let none = Field::default();
        assert_eq!(of(-7, none), "-7");
        assert_eq!(of(7, Field { width: 4, ..none }), "   7");
        assert_eq!(of(-7, Field { width: 4, zeros: true, ..none }), "-007");
        assert_eq!(of(7, Field { width: 4, left: true, zeros: true, plus: true, ..none }), "+7  ");
        assert_eq!(of(7, Field { width: 5, precision: Some(3), zeros: true, ..none }), "  007");
        assert_eq!(of(0, Field { precision: Some(0), ..none }), "");
    }
}
