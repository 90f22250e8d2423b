//! Which accesses other threads can notice. An instruction with such an access is *visible*: it begins an action. Every access is
//! recorded for [`Footprints`](crate::footprint::Footprints), which finds the bytes that are contested.
//!
//! *Limit:* an instruction whose parts [`claim`](Run::claim) several ranges makes all these accesses in one step.

use crate::buffer::Model;
use crate::footprint::Touch;
use crate::machine::Run;
use crate::value::ObjectId;
use crate::violation::Halt;

/// Operations whose order between threads can be noticed although they access no memory.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(crate) enum Order {
    /// Making keys, because they are numbered.
    Key,
    /// Opening files, because they are numbered, too.
    Descriptor,
    /// Registering functions for the end of the process: the last one is called first.
    AtExit,
    /// Reading the environment: an answer once given stays the same.
    Environment,
}

impl Run<'_, '_, '_> {
    /// Whether an access can be noticed by other threads. Also records it.
    pub(crate) fn is_visible(&mut self, object: ObjectId, offset: u64, size: u64, touch: Touch) -> bool {
        self.is_contested(object, offset, size, touch)
            && self.state.process.atomic.is_none()
            && self.is_shared(object)
    }

    /// Records an access and returns whether its bytes count as contested.
    pub(crate) fn is_contested(&mut self, object: ObjectId, offset: u64, size: u64, touch: Touch) -> bool {
        if !self.watched || self.is_constant(object) {
            return false;
        }
        // Except under PSO, contents of an unpublished object reach memory before its address.
        if self.machine.settings.model != Model::Pso && !self.is_shared(object) {
            return false;
        }
        if !self.machine.settings.reduction || self.machine.settings.all_contested {
            return self.concurrent;
        }
        let alone = !self.concurrent;
        self.notes.footprints.touch(self.state, self.thread, (object, offset, size), touch, alone)
            && self.concurrent
    }

    /// Records an access of an instruction that does other things, too. If the access is visible and no visible instruction may
    /// be executed, the error is [`Halt::Late`]; the caller must not have changed anything, because another action repeats it.
    pub(crate) fn claim(
        &mut self,
        object: ObjectId,
        offset: u64,
        size: u64,
        touch: Touch,
    ) -> Result<(), Halt> {
        // The access goes to memory, so the thread's own writes there must be flushed first.
        if self.is_pending(object, offset, size)? {
            return Err(Halt::Late);
        }
        let is_claimed = |(id, start, length): &(ObjectId, u64, u64)| {
            *id == object && *start <= offset && offset + size <= start + length
        };
        if self.is_visible(object, offset, size, touch) && !self.claimed.iter().any(is_claimed) {
            if !self.may_act {
                return Err(Halt::Late);
            }
            self.acted = true;
            self.claimed.push((object, offset, size));
        }
        Ok(())
    }

    /// Whether the end of the whole object is visible. Also records it as a write.
    pub(crate) fn is_end_visible(&mut self, object: ObjectId) -> bool {
        let Some(size) = self.state.object(object).map(|object| object.size) else { return false };
        self.is_visible(object, 0, size, Touch::WRITE)
    }

    /// Records an operation of `Order`; returns whether several threads do it in no order.
    pub(crate) fn is_order_visible(&mut self, what: Order) -> bool {
        if !self.machine.settings.reduction || self.machine.settings.all_contested {
            return self.concurrent;
        }
        self.concurrent
            && self.notes.footprints.touch(
                self.state,
                self.thread,
                (ObjectId::NONE, what as u64 * 8, 8),
                Touch::ATOMIC,
                false,
            )
    }

    /// Uses up the permission for a visible instruction; `false` if another action has to do it.
    pub(crate) fn act(&mut self) -> bool {
        self.acted |= self.may_act;
        std::mem::replace(&mut self.may_act, false)
    }

    /// Threads were created or joined.
    pub(crate) fn see_others(&mut self) {
        self.concurrent = self.state.is_concurrent(self.thread);
        self.watched = self.state.is_watched(self.thread);
        if self.machine.settings.reduction {
            self.notes.footprints.see_others(self.state, self.thread, self.machine.settings.ordered);
        }
    }
}
