//! The abstract store buffers of one thread, under either model. Methods carry the numbers of `docs/semantics.md`.

use fencewright_ir::{CellId, FenceKind, Lock};
use fencewright_memory::Model;

use crate::abstraction::Precision;
use crate::bag::{Value, ValueSet};
use crate::language::{Pattern, Write};
use crate::pso::PsoBuffer;
use crate::tso::TsoBuffer;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Buffer {
    Tso(TsoBuffer),
    Pso(PsoBuffer),
}

/// A write that reaches memory.
#[derive(Debug)]
pub(crate) struct Flush<B> {
    pub(crate) cell: CellId,
    pub(crate) value: Value,
    /// The buffer then.
    pub(crate) after: B,
}

impl Buffer {
    /// Nothing pending; `None` under a model this engine has no abstraction for.
    pub(crate) fn empty(model: Model) -> Option<Buffer> {
        match model {
            Model::Tso => Some(Buffer::Tso(TsoBuffer::default())),
            Model::Pso => Some(Buffer::Pso(PsoBuffer::default())),
            Model::Sc | Model::Slot | Model::Rmo => None,
        }
    }

    /// *-1: what a read of the cell may see of the thread's own writes. Empty: it reads memory.
    pub(crate) fn readable(&self, cell: CellId) -> ValueSet {
        match self {
            Buffer::Tso(buffer) => buffer.readable(cell),
            Buffer::Pso(buffer) => buffer.readable(cell),
        }
    }

    /// *-2: a write that is not locked.
    pub(crate) fn write(&mut self, cell: CellId, value: Value, precision: &Precision) {
        match self {
            Buffer::Tso(buffer) => buffer.write(cell, value, precision),
            Buffer::Pso(buffer) => buffer.write(cell, value, precision),
        }
    }

    /// *-3: all flushes that may come next.
    pub(crate) fn flushes(&self, precision: &Precision) -> Vec<Flush<Buffer>> {
        fn wrap<B>(flushes: Vec<Flush<B>>, of: impl Fn(B) -> Buffer) -> Vec<Flush<Buffer>> {
            let one = |Flush { cell, value, after }| Flush { cell, value, after: of(after) };
            flushes.into_iter().map(one).collect()
        }
        match self {
            Buffer::Tso(buffer) => wrap(buffer.flushes(precision), Buffer::Tso),
            Buffer::Pso(buffer) => wrap(buffer.flushes(precision), Buffer::Pso),
        }
    }

    /// *-4 and *-5: passes the fence, or says that it is not enabled.
    pub(crate) fn fence(&mut self, kind: FenceKind, precision: &Precision) -> bool {
        match self {
            Buffer::Tso(buffer) => buffer.fence(kind),
            Buffer::Pso(buffer) => buffer.fence(kind, precision),
        }
    }

    /// *-6: whether a locked step may begin. Under TSO it needs an empty buffer whatever its strength.
    pub(crate) fn may_lock(&self, lock: Lock) -> bool {
        match self {
            Buffer::Tso(buffer) => buffer.is_empty(),
            Buffer::Pso(buffer) => buffer.may_lock(lock),
        }
    }

    /// *-6: whether a locked step that has begun may touch this cell.
    pub(crate) fn may_touch_locked(&self, cell: CellId) -> bool {
        match self {
            Buffer::Tso(_) => true,
            Buffer::Pso(buffer) => buffer.may_touch_locked(cell),
        }
    }

    /// All that is pending, by cell. With `only_certain`, what is in every buffer that this one stands for: where
    /// sets are not exact, the head.
    pub(crate) fn pending(&self, only_certain: bool) -> Vec<(CellId, Value)> {
        match self {
            Buffer::Tso(buffer) => buffer.pending(only_certain),
            Buffer::Pso(buffer) => buffer.pending(only_certain),
        }
    }

    /// Puts other values in place of its own.
    pub(crate) fn replace(&mut self, with: &mut dyn FnMut(Value) -> Value) {
        match self {
            Buffer::Tso(buffer) => buffer.replace(with),
            Buffer::Pso(buffer) => buffer.replace(with),
        }
    }

    /// What it stands for, in the words of a certificate; not for exact sets.
    pub(crate) fn pattern(&self, write: &dyn Fn(CellId, Value) -> Write) -> Pattern {
        match self {
            Buffer::Tso(buffer) => buffer.pattern(write),
            Buffer::Pso(buffer) => buffer.pattern(write),
        }
    }

    /// The buffer without the values of its bags: what two must have in common for one to cover the other.
    pub(crate) fn shape(&self) -> Buffer {
        match self {
            Buffer::Tso(buffer) => Buffer::Tso(buffer.shape()),
            Buffer::Pso(buffer) => Buffer::Pso(buffer.shape()),
        }
    }

    /// Whether all that the other stands for this one does too, given that their shapes are the same.
    pub(crate) fn covers(&self, other: &Buffer) -> bool {
        match (self, other) {
            (Buffer::Tso(buffer), Buffer::Tso(other)) => buffer.covers(other),
            (Buffer::Pso(buffer), Buffer::Pso(other)) => buffer.covers(other),
            (Buffer::Tso(_), Buffer::Pso(_)) | (Buffer::Pso(_), Buffer::Tso(_)) => false,
        }
    }
}
