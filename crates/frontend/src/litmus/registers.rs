//! The register names of x86, in any case: which register a name stands for, and how many of its bits.

use std::fmt;

/// A register as a whole, whatever part of it a name stands for. `Ord` is of no meaning but makes maps deterministic.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Family {
    /// An architectural register, by the name of its 64-bit whole in lower case.
    Machine(&'static str),
    /// A symbolic register `%name` of herd: some register of its own, as wide as the dialect's.
    Symbolic(String),
}

/// A register operand: the register and the part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Register {
    /// The register as a whole.
    pub(super) family: Family,
    /// How many of its low bits the name stands for; none for a symbolic register.
    pub(super) bits: Option<u32>,
}

/// The accumulator, which `CMPXCHG` compares with.
pub(super) const ACCUMULATOR: Family = Family::Machine("rax");

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Family::Machine(name) => f.write_str(name),
            Family::Symbolic(name) => write!(f, "%{name}"),
        }
    }
}

/// 64, 32, 16 and 8 bits of each register.
const NAMES: [[&str; 4]; 16] = [
    ["rax", "eax", "ax", "al"],
    ["rbx", "ebx", "bx", "bl"],
    ["rcx", "ecx", "cx", "cl"],
    ["rdx", "edx", "dx", "dl"],
    ["rsi", "esi", "si", "sil"],
    ["rdi", "edi", "di", "dil"],
    ["rbp", "ebp", "bp", "bpl"],
    ["rsp", "esp", "sp", "spl"],
    ["r8", "r8d", "r8w", "r8b"],
    ["r9", "r9d", "r9w", "r9b"],
    ["r10", "r10d", "r10w", "r10b"],
    ["r11", "r11d", "r11w", "r11b"],
    ["r12", "r12d", "r12w", "r12b"],
    ["r13", "r13d", "r13w", "r13b"],
    ["r14", "r14d", "r14w", "r14b"],
    ["r15", "r15d", "r15w", "r15b"],
];

/// The names that are registers of x86 but that this front end has no room for: bits 8 to 15 of a register, the
/// instruction pointer, the flags.
const UNSUPPORTED: [&str; 11] = ["ah", "bh", "ch", "dh", "rip", "eip", "zf", "sf", "cf", "of", "rflags"];

/// What a name is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A register.
    Register(Register),
    /// A register of x86 that is not supported.
    Unsupported,
    /// No register at all.
    Other,
}

/// What the name stands for.
pub(super) fn meaning(name: &str) -> Meaning {
    let lower = name.to_ascii_lowercase();
    for row in &NAMES {
        if let Some(column) = row.iter().position(|&known| known == lower) {
            return Meaning::Register(Register { family: Family::Machine(row[0]), bits: Some(64 >> column) });
        }
    }
    if UNSUPPORTED.contains(&lower.as_str()) { Meaning::Unsupported } else { Meaning::Other }
}

/// The register a bare name inside brackets stands for: only whole registers hold addresses, so that short names such
/// as `si` or `al` can be locations.
pub(super) fn pointer(name: &str) -> Option<Register> {
    match meaning(name) {
        Meaning::Register(register) if register.bits >= Some(32) => Some(register),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_any_case_give_register_and_width() {
        for (name, family, bits) in [
            ("EAX", "rax", 32),
            ("rax", "rax", 64),
            ("Sil", "rsi", 8),
            ("R10W", "r10", 16),
            ("r9d", "r9", 32),
        ] {
            let expected = Register { family: Family::Machine(family), bits: Some(bits) };
            assert_eq!(meaning(name), Meaning::Register(expected), "{name}");
        }
        assert_eq!(meaning("AH"), Meaning::Unsupported);
        assert_eq!(meaning("x"), Meaning::Other);
        assert_eq!(pointer("al"), None);
        assert!(pointer("EBX").is_some());
    }
}
