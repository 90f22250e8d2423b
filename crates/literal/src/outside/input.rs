//! Input from outside. Numbers that are read are open; any number of them may be there, or none.

use super::{Arguments, Done, Outside, zero};
use crate::machine::Run;
use crate::refusal::Refusal;
use crate::value::Scalar;
use crate::violation::Halt;

pub(super) fn look_up(name: &str) -> Option<Outside> {
    Some(match name {
        "scanf" | "fscanf" | "__isoc99_scanf" | "__isoc99_fscanf" | "__isoc23_scanf" | "__isoc23_fscanf" => {
            scan
        }
        "getchar" | "fgetc" | "getc" | "getchar_unlocked" => {
            // A byte, or EOF.
            |run, _| Ok(Done::Returns(Some(run.any_between(-1, 255, 32).into())))
        }
        "fopen" | "fopen64" | "fclose" => zero,
        "fgets" | "feof" | "ferror" | "fread" | "fseek" | "ftell" | "rewind" | "sscanf" | "getline"
        | "__isoc99_sscanf" | "__isoc23_sscanf" => refuse,
        _ => return None,
    })
}

/// Text that would be stored is not followed.
fn refuse(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let what = format!("`{}`: input from outside", a.name);
    let help = format!("give the program its input, or say --stub {}=nothing", a.name);
    Err(run.refuse(Refusal::new(what).help(help)))
}

/// Reads integers: as many as the format asks for, or fewer, or the end of the input.
fn scan(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let first = if a.name.ends_with("fscanf") { 2 } else { 1 };
    let Some(format) = super::bytes::text(run, a.scalar(first - 1))? else { return Ok(Done::Waits) };
    let Some(wanted) = integers(&format) else { return refuse(run, a) };
    if run.top().read.is_empty() {
        let n = run.choices.choose(wanted.len() as u32 + 2);
        run.frame().read.push(Scalar::int(n.into()));
    }
    // One more than are read; zero is the end of the input.
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

/// The sizes of the integers that a format asks for, and whether they have signs; nothing if it asks for anything else.
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
