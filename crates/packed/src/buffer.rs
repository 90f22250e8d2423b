//! The rules about one thread's pending writes, on packed states. Numbers as in `memory`.

use fencewright_ir::{FenceKind, Lock};

use crate::compile::{Buffer, CompiledThread};
use crate::queue::Entry;

/// Rule *-1: the newest pending write of the thread to the cell.
#[inline(always)]
pub(crate) fn newest<const W: usize>(thread: &CompiledThread, cell: usize, state: &[u64; W]) -> Option<u64> {
    let place = usize::from(thread.place_of[cell]?);
    match &thread.buffer {
        Buffer::None => None,
        Buffer::Single(queue) => {
            let tag = place as u64 + 1;
            (0..queue.len(state))
                .rev()
                .map(|i| queue.get(state, i))
                .find(|entry| entry.tag == tag)
                .map(|e| e.raw)
        }
        Buffer::PerCell { queues, .. } | Buffer::Slots(queues) => {
            let queue = &queues[place];
            let len = queue.len(state);
            (len > 0).then(|| queue.get(state, len - 1).raw)
        }
    }
}

#[inline(always)]
pub(crate) fn is_empty<const W: usize>(buffer: &Buffer, state: &[u64; W]) -> bool {
    match buffer {
        Buffer::None => true,
        Buffer::Single(queue) => queue.is_empty(state),
        Buffer::PerCell { queues, .. } | Buffer::Slots(queues) => {
            queues.iter().all(|queue| queue.is_empty(state))
        }
    }
}

/// Rules *-4 and *-5.
#[inline]
pub(crate) fn fence<const W: usize>(buffer: &Buffer, kind: FenceKind, state: &mut [u64; W]) -> bool {
    match (kind, buffer) {
        (_, Buffer::None) | (FenceKind::StoreStore, Buffer::Single(_)) => true,
        (FenceKind::Full, _) | (FenceKind::StoreStore, Buffer::Slots(_)) => is_empty(buffer, state),
        (FenceKind::StoreStore, Buffer::PerCell { queues, epoch }) => {
            // A new epoch begins if something was written in the newest one.
            let newest = epoch.get(state);
            let written = queues.iter().any(|queue| {
                let len = queue.len(state);
                len > 0 && queue.get(state, len - 1).tag == newest + 1
            });
            if written {
                epoch.set(state, newest + 1);
            }
            true
        }
    }
}

/// Rule *-6.
#[inline]
pub(crate) fn may_lock<const W: usize>(buffer: &Buffer, lock: Lock, state: &[u64; W]) -> bool {
    match (lock, buffer) {
        (_, Buffer::None) => true,
        (Lock::Full, _) | (Lock::Location, Buffer::Single(_)) => is_empty(buffer, state),
        (Lock::Location, Buffer::PerCell { .. } | Buffer::Slots(_)) => true,
    }
}

/// Rule *-6: a cell may be touched when its own buffer is empty, of marks too.
#[inline]
pub(crate) fn may_touch_locked<const W: usize>(
    thread: &CompiledThread,
    cell: usize,
    state: &[u64; W],
) -> bool {
    match &thread.buffer {
        Buffer::None | Buffer::Single(_) | Buffer::Slots(_) => true,
        Buffer::PerCell { queues, epoch } => {
            let own_empty =
                thread.place_of[cell].is_none_or(|place| queues[usize::from(place)].is_empty(state));
            own_empty && epoch.get(state) == 0
        }
    }
}

/// Marks at the head of all queues leave: epochs are counted again from the oldest that has a write pending.
pub(crate) fn drop_marks<const W: usize>(buffer: &Buffer, state: &mut [u64; W]) {
    let Buffer::PerCell { queues, epoch } = buffer else { return };
    let newest = epoch.get(state);
    if newest == 0 {
        return;
    }
    let oldest =
        queues.iter().filter(|queue| !queue.is_empty(state)).map(|queue| queue.get(state, 0).tag - 1).min();
    match oldest {
        None => epoch.set(state, 0),
        Some(0) => {}
        Some(by) => {
            epoch.set(state, newest - by);
            for queue in queues {
                for place in 0..queue.len(state) {
                    let Entry { tag, raw } = queue.get(state, place);
                    queue.set(state, place, Entry { tag: tag - by, raw });
                }
            }
        }
    }
}
