//! What is known at a point of a thread: its values, and the memory that no other thread touches. States that meet are
//! joined; where they differ, the value is in a register from there on.

use std::collections::BTreeMap;

use fencewright_base::define_index;

use super::value::{Known, ObjectId};
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
}

impl Env {
    /// Takes in another state; `initial` gives the value of a piece that was never written, if it has one. Whether
    /// anything changed.
    pub(crate) fn join(&mut self, other: &Env, initial: &mut dyn FnMut(Cell, u32) -> Option<Known>) -> bool {
        let mut changed = false;
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
                    known: Known::Any,
                    fault: Some(PieceFault::Mixed),
                },
                None => {
                    let known = initial(cell, piece.size)
                        .map_or_else(|| piece.known.clone(), |k| k.join(&piece.known));
                    Piece { size: piece.size, known, fault: piece.fault }
                }
            };
            if mine != Some(&joined) {
                merged.push((cell, joined));
            }
        }
        for (&cell, piece) in &self.memory {
            if !other.memory.contains_key(&cell)
                && let Some(known) = initial(cell, piece.size)
                && !piece.known.includes(&known)
            {
                merged.push((cell, Piece { known: piece.known.join(&known), ..piece.clone() }));
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
        changed
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
            last = Some(((object, offset), offset + i64::from(piece.size)));
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
