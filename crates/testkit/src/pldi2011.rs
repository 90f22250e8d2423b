//! Tables 1 and 2 of M. Kuperstein, M. Vechev, E. Yahav, *Partial-coherence abstractions for relaxed memory models*, PLDI
//! 2011, as far as they are about repair: its under-fenced programs (`corpus/pldi2011`), what BLENDER inferred for each with
//! five abstractions, and how many fences the fenced versions have.

use std::fmt;

/// The columns of Table 2.
pub const ABSTRACTIONS: [&str; 5] = ["fd:0", "fd:1", "pd:0", "pd:1", "pd:2"];

/// What an inference gave, the best first.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Inferred {
    /// As few fences as are enough.
    Optimal,
    /// More.
    Suboptimal,
    /// No number of fences is enough for the abstraction.
    Impossible,
}

impl Inferred {
    /// What so many fences are; `None`: no number was enough.
    pub fn of(fences: Option<usize>, optimum: usize) -> Self {
        match fences {
            None => Inferred::Impossible,
            Some(fences) if fences == optimum => Inferred::Optimal,
            Some(_) => Inferred::Suboptimal,
        }
    }
}

impl fmt::Display for Inferred {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Inferred::Optimal => "●",
            Inferred::Suboptimal => "◐",
            Inferred::Impossible => "○",
        })
    }
}

/// A program.
#[derive(Debug)]
pub struct Row {
    /// Its name in the paper and in the corpus.
    pub name: &'static str,
    /// The fewest full fences that are enough: as many as its fenced version has more, but for `CLH0`.
    pub optimum: usize,
    /// The smallest head with which the paper's Table 1 verifies the fenced version, as FD.
    pub verified_with: usize,
    /// What BLENDER inferred, by abstraction; `None`: it ran out of its 16 GB.
    pub inferred: [Option<Inferred>; 5],
    /// Its states, in thousands.
    pub thousands: [Option<f64>; 5],
}

const OPTIMAL: Option<Inferred> = Some(Inferred::Optimal);
const MORE: Option<Inferred> = Some(Inferred::Suboptimal);
const NEVER: Option<Inferred> = Some(Inferred::Impossible);

/// Table 2. Of the two fences of `CLH2` one is not needed (`corpus/pldi2011/CLH0`). Of `Fast1c` with PD 2 section 6.3.3 says
/// that there are more than needed, while the table has the sign of the optimum; the text is followed.
pub const TABLE_2: [Row; 9] = [
    Row {
        name: "Sense0",
        optimum: 1,
        verified_with: 0,
        inferred: [MORE, OPTIMAL, MORE, OPTIMAL, OPTIMAL],
        thousands: [Some(57.6), Some(58.6), Some(31.9), Some(44.3), Some(6.1)],
    },
    Row {
        name: "Pet0",
        optimum: 2,
        verified_with: 0,
        inferred: [OPTIMAL, OPTIMAL, MORE, MORE, OPTIMAL],
        thousands: [Some(69.2), Some(524.5), Some(25.3), Some(244.7), Some(1124.2)],
    },
    Row {
        name: "Dek0",
        optimum: 2,
        verified_with: 0,
        inferred: [OPTIMAL, OPTIMAL, MORE, MORE, OPTIMAL],
        thousands: [Some(424.2), Some(3238.1), Some(16.5), Some(358.1), Some(2350.0)],
    },
    Row {
        name: "Lam0",
        optimum: 2,
        verified_with: 0,
        inferred: [None, None, MORE, MORE, None],
        thousands: [None, None, Some(421.0), Some(4045.9), None],
    },
    Row {
        name: "Fast0",
        optimum: 3,
        verified_with: 1,
        inferred: [None, None, NEVER, None, None],
        thousands: [None, None, Some(220.6), None, None],
    },
    Row {
        name: "Fast1a",
        optimum: 2,
        verified_with: 1,
        inferred: [MORE, OPTIMAL, NEVER, OPTIMAL, OPTIMAL],
        thousands: [Some(139.0), Some(105.2), Some(33.0), Some(88.1), Some(41.9)],
    },
    Row {
        name: "Fast1b",
        optimum: 2,
        verified_with: 1,
        inferred: [MORE, OPTIMAL, NEVER, MORE, OPTIMAL],
        thousands: [Some(832.9), Some(972.3), Some(78.6), Some(501.6), Some(878.4)],
    },
    Row {
        name: "Fast1c",
        optimum: 2,
        verified_with: 1,
        inferred: [None, None, NEVER, MORE, MORE],
        thousands: [None, None, Some(110.4), Some(1173.4), Some(1858.1)],
    },
    Row { name: "CLH0", optimum: 1, verified_with: 1, inferred: [None; 5], thousands: [None; 5] },
];

impl Row {
    /// What the inference of this abstraction has to give: the optimum where Table 1 has a proof of the fenced version with
    /// a head of that length, because then the fences of that version exclude every violation of the abstraction; and
    /// nothing where it has none, because then more fences do not help either (section 6.3.3).
    pub fn expected(&self, abstraction: &str) -> Option<usize> {
        let head: usize = abstraction[3..].parse().expect("the columns are FD k and PD k");
        (head >= self.verified_with).then_some(self.optimum)
    }
}
