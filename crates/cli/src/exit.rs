//! What the process tells its caller.

use std::process::ExitCode;

/// The exit codes, the same for every command.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum Exit {
    /// 0: everything asked was proved, or done.
    Proved,
    /// 1: something is violated, or differs from what was expected.
    Violated,
    /// 2: bad input or usage.
    BadInput,
    /// 3: some answer is unknown, or holds only within bounds.
    Unknown,
}

impl Exit {
    /// The number.
    pub fn code(self) -> u8 {
        match self {
            Exit::Proved => 0,
            Exit::Violated => 1,
            Exit::BadInput => 2,
            Exit::Unknown => 3,
        }
    }

    /// What several answers come to. Bad input is said first, because part of the question was not even read; then a
    /// violation, because it is certain.
    #[must_use]
    pub fn and(self, other: Exit) -> Exit {
        let order = [Exit::BadInput, Exit::Violated, Exit::Unknown, Exit::Proved];
        order.into_iter().find(|exit| *exit == self || *exit == other).unwrap_or(self)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_input_wins_then_violated_then_unknown() {
        use Exit::{BadInput, Proved, Unknown, Violated};
        for (one, other, both) in [
            (Proved, Proved, Proved),
            (Proved, Unknown, Unknown),
            (Unknown, Violated, Violated),
            (Violated, BadInput, BadInput),
            (Unknown, BadInput, BadInput),
        ] {
            assert_eq!(one.and(other), both);
            assert_eq!(other.and(one), both);
        }
        assert_eq!([Proved, Violated, BadInput, Unknown].map(Exit::code), [0, 1, 2, 3]);
    }
}
