//! An entry of the ordered part of a buffer: one write or, where the abstraction joins them, a run of equal writes.
//!
//! A program that repeats itself until it is answered fills its buffer with copies of one write. However many there are,
//! they are one entry of the order: what comes before and behind them stays known.

use crate::abstraction::Precision;
use crate::language::{Piece, Write};

/// One write, or at least one.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Run<W> {
    pub(crate) write: W,
    /// Whether it may have been made more than once.
    pub(crate) repeated: bool,
}

impl<W: Copy + PartialEq> Run<W> {
    pub(crate) fn once(write: W) -> Self {
        Self { write, repeated: false }
    }

    /// What it stands for, in the words of a certificate.
    pub(crate) fn pattern(&self, write: &dyn Fn(W) -> Write) -> Piece {
        let last = write(self.write);
        Piece { any: self.repeated.then(|| last.clone()).into_iter().collect(), last }
    }

    /// Joins a write that comes right behind this run; says whether the abstraction joins them.
    pub(crate) fn join(&mut self, write: W, precision: &Precision) -> bool {
        let joins = precision.runs && self.write == write;
        self.repeated |= joins;
        joins
    }
}

/// Whether the runs stand for a beginning of these writes behind which `rest` accepts what is left. What the tests hold
/// the engine against.
#[cfg(test)]
pub(crate) fn represent<W: Copy + PartialEq>(
    runs: &[Run<W>],
    writes: &[W],
    rest: &dyn Fn(&[W]) -> bool,
) -> bool {
    let Some((first, others)) = runs.split_first() else { return rest(writes) };
    let Some((oldest, left)) = writes.split_first() else { return false };
    *oldest == first.write && (represent(others, left, rest) || first.repeated && represent(runs, left, rest))
}
