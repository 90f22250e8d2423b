//! Why an execution of the literal machine needs store buffers. The cause is a write that was still pending when a later
//! access of the same thread took effect, and that another thread did not see in the meantime.

use fencewright_literal::buffer::Write;
use fencewright_literal::event::{Bytes, Event, What};

/// A pending write.
struct Pending {
    thread: usize,
    bytes: Bytes,
    row: usize,
    /// What took effect before it: the bytes, the row, and whether it is a read.
    overtaken: Vec<(Bytes, usize, bool)>,
}

/// A write that was overtaken, with the rows that show it.
#[derive(Debug, Copy, Clone)]
pub(super) struct Cause {
    pub(super) thread: usize,
    pub(super) write: (Bytes, usize),
    pub(super) by: (Bytes, usize),
    pub(super) by_read: bool,
}

/// The overtakings of an execution, noted row by row.
#[derive(Default)]
pub(super) struct Overtakings {
    pending: Vec<Pending>,
    /// What each thread has read.
    seen: Vec<(usize, Bytes)>,
    /// The first that another thread missed, and the first of all.
    missed: Option<Cause>,
    first: Option<Cause>,
}

impl Overtakings {
    /// The row of the oldest pending write that this is.
    pub(super) fn row_of(&self, thread: usize, write: &Write) -> Option<usize> {
        self.pending.iter().find(|pending| pending.is(thread, write)).map(|pending| pending.row)
    }

    /// Something happens, and is shown in a row.
    pub(super) fn note(&mut self, event: &Event, row: usize) {
        match &event.what {
            What::Writes { bytes, pending: true, .. } => {
                self.pending.push(Pending {
                    thread: event.thread,
                    bytes: *bytes,
                    row,
                    overtaken: Vec::new(),
                });
            }
            What::Flushes(write) => {
                let Some(at) = self.pending.iter().position(|pending| pending.is(event.thread, write)) else {
                    return;
                };
                let Pending { bytes, row, .. } = self.pending.remove(at);
                self.overtake(event.thread, at, (bytes, row), false);
            }
            What::Reads { bytes, own: false, .. } => {
                self.miss(event.thread, *bytes);
                self.overtake(event.thread, self.pending.len(), (*bytes, row), true);
            }
            What::Updates { bytes, new, .. } => {
                self.miss(event.thread, *bytes);
                self.overtake(event.thread, self.pending.len(), (*bytes, row), new.is_none());
            }
            _ => {}
        }
    }

    /// Something of the thread takes effect before its pending writes, the first `older` of all.
    fn overtake(&mut self, thread: usize, older: usize, (bytes, row): (Bytes, usize), by_read: bool) {
        for pending in self.pending[..older].iter_mut() {
            let other = (pending.bytes.object, pending.bytes.offset) != (bytes.object, bytes.offset);
            if pending.thread == thread && other {
                pending.overtaken.push((bytes, row, by_read));
                self.first = self.first.or(pending.cause(&[]));
            }
        }
    }

    /// Another thread reads bytes to which a write is pending: it sees the old value.
    fn miss(&mut self, thread: usize, bytes: Bytes) {
        let overlaps = |pending: &&Pending| {
            let (mine, theirs) = (pending.bytes, bytes);
            mine.object == theirs.object
                && mine.offset < theirs.offset + u64::from(theirs.size)
                && theirs.offset < mine.offset + u64::from(mine.size)
        };
        let missed = self.pending.iter().filter(overlaps).filter(|pending| pending.thread != thread);
        let seen: Vec<Bytes> =
            self.seen.iter().filter(|(reader, _)| *reader == thread).map(|(_, bytes)| *bytes).collect();
        self.missed = self.missed.or(missed.into_iter().find_map(|pending| pending.cause(&seen)));
        self.seen.push((thread, bytes));
    }

    /// What the execution owes to store buffers.
    pub(super) fn cause(&self) -> Option<Cause> {
        self.missed.or(self.first)
    }
}

impl Pending {
    fn is(&self, thread: usize, write: &Write) -> bool {
        self.thread == thread && (self.bytes.object, self.bytes.offset) == (write.object, write.offset)
    }

    /// The overtaking of it that matters to who has seen these: a write among them, or else the first of all.
    fn cause(&self, seen: &[Bytes]) -> Option<Cause> {
        let is_seen = |(bytes, _, by_read): &&(Bytes, usize, bool)| !by_read && seen.contains(bytes);
        let (bytes, row, by_read) = *self.overtaken.iter().find(is_seen).or(self.overtaken.first())?;
        Some(Cause { thread: self.thread, write: (self.bytes, self.row), by: (bytes, row), by_read })
    }
}
