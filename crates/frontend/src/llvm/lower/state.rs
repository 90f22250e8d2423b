//! What is known at a point of a thread: its values, and the memory that no other thread touches. States that meet are
//! joined; where they differ, the value is in a register from there on.

use std::collections::{BTreeMap, BTreeSet};

use fencewright_base::define_index;

use super::private::Unwritten;
use super::value::{Known, ObjectId, Value, canonical};
use fencewright_llvm::module::{BlockId, LocalId};

define_index! {
    /// A call being executed: a function with the way it was called. Calls are copies of their functions.
    pub(crate) struct ContextId = "x";
    /// A thread of the program; main is the first.
    pub(crate) struct ThreadNumber = "T";
}

/// The thread that runs `main`. It is there, and does nothing, if the threads are given by name.
pub(crate) const MAIN: ThreadNumber = ThreadNumber(0);

/// A cell of memory by its object and offset in bytes.
pub(crate) type Cell = (ObjectId, i64);

/// A value of a call: which, and which scalar of it.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Temp {
    pub(crate) context: ContextId,
    pub(crate) local: LocalId,
    pub(crate) leaf: u32,
}

/// An instruction of a call.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Point {
    pub(crate) context: ContextId,
    pub(crate) block: BlockId,
    pub(crate) index: u32,
}

/// A scalar in memory that only this thread touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) size: u32,
    pub(crate) known: Known,
    /// Why it cannot be read, if it cannot.
    pub(crate) fault: Option<PieceFault>,
}

#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(crate) enum PieceFault {
    /// It was accessed with different widths on two ways that met.
    Mixed,
    /// Its value is in a register of the thread that created this one.
    Foreign,
}

/// What is known at a point.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Env {
    pub(crate) temps: BTreeMap<Temp, Known>,
    /// Values that were loaded from a cell which has not been written since: what a branch says of the one holds for
    /// the other.
    pub(crate) origins: BTreeMap<Temp, Cell>,
    pub(crate) memory: BTreeMap<Cell, Piece>,
    /// How far the thread has been followed step by step; 0 once its way depended on something unknown.
    pub(crate) exact: u32,
    /// How many threads there are for sure, main not counted.
    pub(crate) created: u32,
    /// Where main has been since it last created or joined a thread, once there is one.
    pub(crate) trail: Vec<Point>,
    /// The threads that this one has certainly waited for.
    pub(crate) joined: BTreeSet<ThreadNumber>,
    /// Whether this thread may have freed memory.
    pub(crate) freed: bool,
    /// Local variables that others could reach, of calls of this thread that may have returned.
    pub(crate) died: BTreeSet<ObjectId>,
}

impl Env {
    /// Takes in another state; `unwritten` says what a piece holds that was never written, nothing if it is not this
    /// thread's own. Whether anything changed.
    pub(crate) fn join(
        &mut self,
        other: &Env,
        unwritten: &mut dyn FnMut(Cell, u32) -> Option<Unwritten>,
    ) -> bool {
        let cuts = self.cuts_of(other);
        let mut changed = !cuts.is_empty();
        self.cut(cuts);
        let cuts = other.cuts_of(self);
        let mut cut = None;
        let other = if cuts.is_empty() {
            other
        } else {
            let copy = cut.insert(other.clone());
            copy.cut(cuts);
            copy
        };
        for (&temp, known) in &other.temps {
            match self.temps.get_mut(&temp) {
                Some(mine) if mine.includes(known) => {}
                Some(mine) => {
                    *mine = mine.join(known);
                    changed = true;
                }
                // A value that is missing on one side is not used behind the meeting point.
                None => {
                    self.temps.insert(temp, known.clone());
                    changed = true;
                }
            }
        }
        let differ = |env: &Env, temp: &Temp, cell: &Cell| env.origins.get(temp) != Some(cell);
        let before = self.origins.len();
        self.origins.retain(|temp, cell| !differ(other, temp, cell));
        changed |= self.origins.len() != before;

        let mut merged: Vec<(Cell, Piece)> = Vec::new();
        for (&cell, piece) in &other.memory {
            let mine = self.memory.get(&cell);
            let joined = match mine {
                Some(mine) if mine == piece => continue,
                Some(mine) if mine.size == piece.size => Piece {
                    size: mine.size,
                    known: mine.known.join(&piece.known),
                    fault: mine.fault.or(piece.fault),
                },
                Some(mine) => Piece {
                    size: mine.size.max(piece.size),
                    known: Known::Any { unset: true, address: true },
                    fault: Some(PieceFault::Mixed),
                },
                None => match unwritten(cell, piece.size) {
                    None => piece.clone(),
                    Some(unwritten) => with_unwritten(piece, unwritten),
                },
            };
            if mine != Some(&joined) {
                merged.push((cell, joined));
            }
        }
        for (&cell, piece) in &self.memory {
            if !other.memory.contains_key(&cell)
                && let Some(unwritten) = unwritten(cell, piece.size)
            {
                let joined = with_unwritten(piece, unwritten);
                if joined != *piece {
                    merged.push((cell, joined));
                }
            }
        }
        changed |= !merged.is_empty();
        self.memory.extend(merged);
        changed |= self.find_overlaps();
        if self.exact != other.exact {
            changed |= self.exact != 0;
            self.exact = 0;
        }
        if other.created > self.created {
            self.created = other.created;
            changed = true;
        }
        let before = self.joined.len();
        self.joined.retain(|thread| other.joined.contains(thread));
        changed |= self.joined.len() != before;
        let before = self.died.len();
        self.died.extend(&other.died);
        changed |= self.died.len() != before;
        if other.freed && !self.freed {
            self.freed = true;
            changed = true;
        }
        changed
    }

    /// Where constants are to be cut because another state has narrower pieces there, so that the two can be joined piece
    /// by piece: the pieces, and where.
    fn cuts_of(&self, other: &Env) -> Vec<(Cell, Cell)> {
        let mut cuts: Vec<(Cell, Cell)> = Vec::new();
        for (&cell, piece) in &self.memory {
            let constant = matches!(piece.known.single(), Some(Value::Int(_) | Value::Unset));
            let end = cell.1 + i64::from(piece.size);
            let inside = other.memory.range(cell..(cell.0, end));
            if constant && piece.fault.is_none() {
                for (&narrow, theirs) in inside {
                    let their_end = narrow.1 + i64::from(theirs.size);
                    if narrow != cell {
                        cuts.push((cell, narrow));
                    }
                    if their_end < end {
                        cuts.push((cell, (cell.0, their_end)));
                    }
                }
            }
        }
        cuts
    }

    fn cut(&mut self, cuts: Vec<(Cell, Cell)>) {
        for (cell, at) in cuts {
            // The piece may have been cut before: the one that reaches over the cut is the nearest below.
            let Some((&from, piece)) = self.memory.range(cell..at).next_back() else { continue };
            let (low, high) = (at.1 - from.1, from.1 + i64::from(piece.size) - at.1);
            if high <= 0 {
                continue;
            }
            let (low, high) = (low as u32, high as u32);
            let part = |shift: u32, size: u32| match piece.known.single() {
                Some(Value::Int(value)) => Known::int(canonical(size * 8, value >> (8 * shift).min(127))),
                _ => Known::one(Value::Unset),
            };
            let parts = [(from, low, part(0, low)), (at, high, part(low, high))];
            self.origins.retain(|_, origin| *origin != from);
            for (cell, size, known) in parts {
                self.memory.insert(cell, Piece { size, known, fault: None });
            }
        }
    }

    /// Pieces that overlap came from different widths on two ways. Whether one was found that was not marked yet.
    fn find_overlaps(&mut self) -> bool {
        let mut broken = Vec::new();
        let mut last: Option<(Cell, i64)> = None;
        for (&(object, offset), piece) in &self.memory {
            if let Some((previous, end)) = last
                && previous.0 == object
                && offset < end
            {
                broken.extend([previous, (object, offset)]);
            }
            let own_end = offset + i64::from(piece.size);
            // A wide piece may reach over several behind it.
            if last.is_none_or(|(previous, end)| previous.0 != object || own_end > end) {
                last = Some(((object, offset), own_end));
            }
        }
        let mut changed = false;
        for cell in broken {
            if let Some(piece) = self.memory.get_mut(&cell)
                && piece.fault != Some(PieceFault::Mixed)
            {
                piece.fault = Some(PieceFault::Mixed);
                changed = true;
            }
        }
        changed
    }

    /// Forgets the values of a call that has returned.
    pub(crate) fn forget(&mut self, context: ContextId, own_objects: &dyn Fn(ObjectId) -> bool) {
        self.temps.retain(|temp, _| temp.context != context);
        self.origins.retain(|temp, cell| temp.context != context && !own_objects(cell.0));
        self.memory.retain(|cell, _| !own_objects(cell.0));
    }
}

/// A piece that was written on one way only.
fn with_unwritten(piece: &Piece, unwritten: Unwritten) -> Piece {
    match unwritten {
        Unwritten::Holds(known) => Piece { known: piece.known.join(&known), ..piece.clone() },
        Unwritten::Unclear => {
            let known = Known::Any { unset: true, address: true };
            Piece { size: piece.size, known, fault: Some(PieceFault::Mixed) }
        }
    }
}
