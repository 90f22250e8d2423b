//! How long variables live: local ones as long as their call, those of a thread as long as the thread. A thread's own calls
//! are known at every point. That a variable of another thread is gone stands in a cell of its own, as for allocated memory
//! that was freed ([`super::heap`]); it is kept only for variables that other threads access and that end while those may
//! still run.

use std::collections::BTreeSet;

use super::machine::{Machine, ObjectKey, ROp, Run, Scalar, Work};
use super::state::{ContextId, MAIN, Point, ThreadNumber};
use super::value::{ObjectId, Value};
use fencewright_llvm::module::Order;

impl Machine<'_> {
    /// Whether a call is being executed at a point: it is there, or called what is there.
    fn is_active(&self, context: ContextId, at: Point) -> bool {
        let mut next = Some(at.context);
        while let Some(here) = next {
            if here == context {
                return true;
            }
            next = self.contexts[here].caller.map(|caller| caller.context);
        }
        false
    }

    /// Whether an object is a local variable of a call of this thread that has returned.
    pub(super) fn is_gone(&self, object: ObjectId, at: Point) -> bool {
        match self.objects[object].key {
            ObjectKey::Local(context, ..) => {
                self.contexts[context].thread == self.thread && !self.is_active(context, at)
            }
            _ => false,
        }
    }

    /// The thread that an object ends with, if it is a local variable or one of a thread's own.
    pub(super) fn owner(&self, object: ObjectId) -> Option<ThreadNumber> {
        match self.objects[object].key {
            ObjectKey::Local(context, ..) => Some(self.contexts[context].thread),
            ObjectKey::Global(_, thread) => thread,
            _ => None,
        }
    }

    /// Whether an object may be gone by what others, or this thread's `free`, have done.
    pub(super) fn may_be_gone(&self, object: ObjectId) -> bool {
        self.freed.contains(&object) && self.owner(object) != Some(self.thread)
    }

    /// Whether all other threads have been waited for: nobody else is left.
    pub(super) fn is_left_alone(&self, w: &Work) -> bool {
        self.thread == MAIN && (1..=w.env.created).all(|thread| w.env.joined.contains(&ThreadNumber(thread)))
    }

    /// A local variable begins to live.
    pub(super) fn begin_local(&mut self, w: &mut Work, object: ObjectId) -> Run<()> {
        if w.env.died.remove(&object) {
            // The same memory as before, for those who still have its address.
            self.reuses = true;
            self.set_gone(w, object, false)?;
        }
        Ok(())
    }

    /// The local variables of a call, which returns, are gone.
    pub(super) fn end_locals(&mut self, w: &mut Work, context: ContextId) -> Run<()> {
        self.end_objects(w, &|key| matches!(key, ObjectKey::Local(owner, ..) if *owner == context))
    }

    /// Objects of this thread are gone: those of them say so that other threads access.
    fn end_objects(&mut self, w: &mut Work, ends: &dyn Fn(&ObjectKey) -> bool) -> Run<()> {
        if self.is_left_alone(w) {
            return Ok(());
        }
        let mut reached: BTreeSet<ObjectId> = BTreeSet::new();
        for (&(object, _), accessors) in &self.accessors {
            if ends(&self.objects[object].key)
                && accessors.threads.iter().any(|&thread| thread != self.thread)
            {
                reached.insert(object);
            }
        }
        for object in reached {
            self.grown |= self.freed.insert(object);
            w.env.died.insert(object);
            self.set_gone(w, object, true)?;
        }
        Ok(())
    }

    fn set_gone(&mut self, w: &mut Work, object: ObjectId, gone: bool) -> Run<()> {
        let flag = self.object(ObjectKey::Freed(object), Some(1), None);
        let pointer = Scalar::constant(Value::Pointer(flag, 0), 64);
        self.store(w, &pointer, &Scalar::int(gone.into(), 8), 1, Order::Plain)?;
        Ok(())
    }

    /// Whether a write of one thread may be pending when another ends the object.
    pub(super) fn writes_late(&self) -> bool {
        self.writers.iter().any(|(object, writer)| {
            let others_free = || self.frees_early.iter().any(|thread| thread != writer);
            self.freed.contains(object)
                && match self.owner(*object) {
                    Some(owner) => owner != *writer,
                    None => others_free(),
                }
        })
    }

    /// The thread ends, and with it all its calls. When main returns, nobody is left to look.
    pub(super) fn end_thread(&mut self, w: &mut Work, whole_process: bool) -> Run<()> {
        let mut next = Some(w.at.context).filter(|_| !whole_process);
        while let Some(context) = next {
            self.end_locals(w, context)?;
            next = self.contexts[context].caller.map(|caller| caller.context);
        }
        if !whole_process {
            let thread = self.thread;
            self.end_objects(w, &|key| matches!(key, ObjectKey::Global(_, Some(owner)) if *owner == thread))?;
        }
        w.emit(ROp::End);
        Ok(())
    }
}
