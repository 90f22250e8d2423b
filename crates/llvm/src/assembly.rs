//! Parses inline assembly: its operands from their constraints, and its instructions in AT&T syntax, as clang and gcc write
//! them. What an instruction means is decided by the two readings.
//!
//! *Limits.* One register per operand; no labels, no directives, no named registers except the stack pointer in an address; no
//! Intel syntax except instructions without operands. Everything else is an error that says what is unsupported.

use std::sync::Arc;

/// A piece of inline assembly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assembly {
    /// As written.
    pub text: Arc<str>,
    /// The meaning of `$0`, `$1`, …
    pub operands: Vec<Operand>,
    pub registers: Vec<Register>,
    /// Results that are flags, by number.
    pub flags: Vec<(usize, Condition)>,
    pub steps: Vec<Step>,
}

#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum Operand {
    /// A register, by number.
    Register(usize),
    /// Memory at the address in this argument.
    Memory(usize),
    /// A flag at the end; instructions cannot name it.
    Flag,
}

/// A register that the compiler chooses.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct Register {
    /// The argument that it holds at the start.
    pub argument: Option<usize>,
    /// The result that it holds at the end.
    pub result: Option<usize>,
    /// Whether it is `%al`, `%ax`, `%eax`, `%rax`.
    pub accumulator: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub lock: bool,
    pub verb: Verb,
    /// The width in bits, if it is given.
    pub width: Option<u32>,
    /// The last one is the destination.
    pub places: Vec<Place>,
}

#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum Place {
    Operand(usize),
    /// Memory at the address in this operand.
    At(usize),
    Immediate(i64),
    /// Memory of the thread's own stack that no one else names.
    Stack,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verb {
    Add,
    Sub,
    And,
    Or,
    Xor,
    Inc,
    Dec,
    Xadd,
    Xchg,
    Cmpxchg,
    /// Test a bit, and set, reset or complement it.
    Bts,
    Btr,
    Btc,
    Mov,
    Set(Condition),
    /// Any other instruction, with its operands.
    Other(String),
}

/// A condition that the flags have for the last result.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum Condition {
    Zero,
    NotZero,
    Sign,
    NotSign,
    Carry,
    NotCarry,
}

impl Condition {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "z" | "e" => Condition::Zero,
            "nz" | "ne" => Condition::NotZero,
            "s" => Condition::Sign,
            "ns" => Condition::NotSign,
            "c" | "b" | "nae" => Condition::Carry,
            "nc" | "ae" | "nb" => Condition::NotCarry,
            _ => return None,
        })
    }
}

impl Assembly {
    /// Parses text and constraints in LLVM's form.
    pub fn parse(text: &str, constraints: &str, intel: bool) -> Result<Self, String> {
        let mut assembly = Assembly {
            text: text.into(),
            operands: Vec::new(),
            registers: Vec::new(),
            flags: Vec::new(),
            steps: Vec::new(),
        };
        assembly.constraints(constraints)?;
        let mut lock = false;
        for part in text.split([';', '\n']) {
            let part = part.trim().to_ascii_lowercase();
            let rest =
                part.strip_prefix("lock").filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
            lock |= rest.is_some();
            let rest = rest.unwrap_or(&part).trim();
            if rest.is_empty() {
                continue;
            }
            let step = assembly.step(rest, std::mem::take(&mut lock))?;
            if intel && !step.places.is_empty() {
                return Err("Intel syntax with operands".to_owned());
            }
            assembly.steps.push(step);
        }
        if lock { Err("a lock before nothing".to_owned()) } else { Ok(assembly) }
    }

    fn constraints(&mut self, text: &str) -> Result<(), String> {
        let (mut argument, mut result) = (0, 0);
        for part in text.split(',').filter(|part| !part.is_empty() && !part.starts_with('~')) {
            let bare = part.trim_start_matches(['=', '&', '+', '%']);
            let is_output = part.starts_with('=');
            if part.starts_with(['!', '+']) || bare.contains('|') {
                return Err(format!("the constraint `{part}`"));
            }
            if bare.starts_with('*') {
                self.operands.push(Operand::Memory(argument));
                argument += 1;
            } else if let Some(flag) = bare.strip_prefix("{@cc").and_then(|flag| flag.strip_suffix('}')) {
                let condition = Condition::named(flag).ok_or_else(|| format!("the constraint `{part}`"))?;
                self.flags.push((result, condition));
                self.operands.push(Operand::Flag);
                result += 1;
            } else if is_output {
                let accumulator = ["{ax}", "{al}", "{eax}", "{rax}"].contains(&bare);
                self.operands.push(Operand::Register(self.registers.len()));
                self.registers.push(Register { argument: None, result: Some(result), accumulator });
                result += 1;
            } else if let Ok(tied) = bare.parse::<usize>() {
                let Some(&Operand::Register(register)) = self.operands.get(tied) else {
                    return Err(format!("the constraint `{part}`"));
                };
                self.registers[register].argument = Some(argument);
                self.operands.push(Operand::Register(register));
                argument += 1;
            } else {
                let accumulator = ["{ax}", "{al}", "{eax}", "{rax}"].contains(&bare);
                self.operands.push(Operand::Register(self.registers.len()));
                self.registers.push(Register { argument: Some(argument), result: None, accumulator });
                argument += 1;
            }
        }
        Ok(())
    }

    fn step(&self, text: &str, lock: bool) -> Result<Step, String> {
        let (word, rest) = text.split_once([' ', '\t']).unwrap_or((text, ""));
        let Some((verb, suffix)) = verb(word) else {
            let words: Vec<&str> = text.split_whitespace().collect();
            let verb = Verb::Other(words.join(" "));
            return Ok(Step { lock, verb, width: None, places: Vec::new() });
        };
        let (mut places, mut width) = (Vec::new(), suffix);
        for part in parts(rest) {
            let (place, modifier) = self.place(part).ok_or_else(|| format!("the operand `{part}`"))?;
            width = width.or(modifier);
            places.push(place);
        }
        Ok(Step { lock, verb, width, places })
    }

    /// An operand of an instruction, and the width given with its name.
    fn place(&self, text: &str) -> Option<(Place, Option<u32>)> {
        if let Some(number) = text.strip_prefix("$$") {
            return Some((Place::Immediate(number_in(number)?), None));
        }
        if let Some((displacement, register)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) {
            let is_plain = displacement.is_empty() || number_in(displacement).is_some();
            if ["%rsp", "%esp"].contains(&register) && is_plain {
                return Some((Place::Stack, None));
            }
            let (number, _) = self.reference(register)?;
            let is_register = matches!(self.operands.get(number), Some(Operand::Register(_)));
            let is_there = matches!(displacement, "" | "0");
            return (is_register && is_there).then_some((Place::At(number), None));
        }
        let (number, modifier) = self.reference(text)?;
        let width = match modifier {
            None => None,
            Some("b") => Some(8),
            Some("w") => Some(16),
            Some("k") => Some(32),
            Some("q") => Some(64),
            Some(_) => return None,
        };
        let is_known = matches!(self.operands.get(number)?, Operand::Register(_) | Operand::Memory(_));
        is_known.then_some((Place::Operand(number), width))
    }

    /// `$3`, `${3:b}`.
    fn reference<'t>(&self, text: &'t str) -> Option<(usize, Option<&'t str>)> {
        let rest = text.strip_prefix('$')?;
        match rest.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            Some(inner) => {
                let (number, modifier) = inner.split_once(':')?;
                Some((number.parse().ok()?, Some(modifier)))
            }
            None => Some((rest.parse().ok()?, None)),
        }
    }
}

/// The instruction of a word, and the width in its suffix.
fn verb(word: &str) -> Option<(Verb, Option<u32>)> {
    if let Some(condition) = word.strip_prefix("set").and_then(Condition::named) {
        return Some((Verb::Set(condition), Some(8)));
    }
    let plain = |word: &str| {
        Some(match word {
            "add" => Verb::Add,
            "sub" => Verb::Sub,
            "and" => Verb::And,
            "or" => Verb::Or,
            "xor" => Verb::Xor,
            "inc" => Verb::Inc,
            "dec" => Verb::Dec,
            "xadd" => Verb::Xadd,
            "xchg" => Verb::Xchg,
            "cmpxchg" => Verb::Cmpxchg,
            "bts" => Verb::Bts,
            "btr" => Verb::Btr,
            "btc" => Verb::Btc,
            "mov" => Verb::Mov,
            _ => return None,
        })
    };
    if let Some(verb) = plain(word) {
        return Some((verb, None));
    }
    let bits = match word.as_bytes().last()? {
        b'b' => 8,
        b'w' => 16,
        b'l' => 32,
        b'q' => 64,
        _ => return None,
    };
    Some((plain(word.get(..word.len() - 1)?)?, Some(bits)))
}

/// Operands, separated by commas outside parentheses.
fn parts(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0i32, 0, Vec::new());
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'{' => depth += 1,
            b')' | b'}' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = text[start..].trim();
    parts.extend((!last.is_empty()).then_some(last));
    parts
}

fn number_in(text: &str) -> Option<i64> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let number = match digits.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok()?,
        // An octal number, or 0.
        None if digits.len() > 1 && digits.starts_with('0') => i64::from_str_radix(digits, 8).ok()?,
        None => digits.parse().ok()?,
    };
    number.checked_mul(sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operand_is_no_number() {
        let constraints = "=*m,ir,*m,~{dirflag},~{fpsr},~{flags}";
        let read = Assembly::parse("lock; addl $1,$0", constraints, false).expect("it is known");
        assert_eq!(read.operands, [Operand::Memory(0), Operand::Register(0), Operand::Memory(2)]);
        let step = &read.steps[0];
        assert_eq!((step.lock, &step.verb, step.width), (true, &Verb::Add, Some(32)));
        assert_eq!(step.places, [Place::Operand(1), Place::Operand(0)]);
        let fence = Assembly::parse("lock; addl $$0,0(%rsp)", "~{memory}", false).expect("it is known");
        assert_eq!(fence.steps[0].places, [Place::Immediate(0), Place::Stack]);
    }

    #[test]
    fn ties_accumulators_flags_and_modifiers() {
        let read =
            Assembly::parse("lock cmpxchg ${3:b}, $1", "={@ccz},=*m,={ax},r,*m,2,~{memory},~{flags}", false)
                .expect("it is known");
        assert_eq!(read.flags, [(0, Condition::Zero)]);
        assert_eq!(read.registers[0], Register { argument: Some(3), result: Some(1), accumulator: true });
        assert_eq!((read.operands[5], read.steps[0].width), (Operand::Register(0), Some(8)));
        assert_eq!(Assembly::parse("", "=r,0", false).expect("it is known").registers[0].argument, Some(0));
    }

    #[test]
    fn what_is_not_understood_is_said() {
        for text in ["lock; addl $1,8($0)", "lock", "addl %eax,$0", "movl $3,$0"] {
            assert!(Assembly::parse(text, "=*m,r", false).is_err(), "{text}");
        }
        assert!(Assembly::parse("mov $0, $1", "=r,r", true).is_err());
        let other = Assembly::parse("rdtsc", "={ax}", false).expect("its name is kept");
        assert_eq!(other.steps[0].verb, Verb::Other("rdtsc".to_owned()));
    }
}
