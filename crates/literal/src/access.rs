//! Reads and writes of memory: finds the object behind an address, reports faults, and applies the rules of the memory models
//! (`docs/semantics.md`) to bytes.

use crate::buffer::{Entry, Found, Model, Write};
use crate::command_line::WORDS;
use crate::event::{Bytes, What};
use crate::footprint::Touch;
use crate::machine::{FenceKind, Flow, Run};
use crate::object::{Object, ObjectKind};
use crate::program::Program;
use crate::refusal::Refusal;
use crate::state::Part;
use crate::value::{ObjectId, Scalar};
use crate::violation::{Fault, Halt, Limit, Use};

/// Addresses below this are null plus an offset.
const NULL_PAGE: u64 = 4096;
/// Private writes that one thread may have pending.
const MOST_PRIVATE: usize = 4096;

/// Given the value a locked step has read, returns what it writes, or `None` if it writes nothing.
pub(crate) type Compute<'c, R> = &'c mut dyn FnMut(&mut R, Scalar) -> Result<Option<Scalar>, Halt>;

impl Run<'_, '_, '_> {
    /// The object an address lies in, and the offset within it.
    pub(crate) fn resolve(&mut self, address: Scalar, size: u64) -> Result<(ObjectId, u64), Halt> {
        if !address.is_set() {
            return Err(self.fault(Fault::Unset(Use::Address)));
        }
        let id = if address.of.is_some() { address.of } else { self.object_at(address.bits) };
        if !id.is_some() {
            let fault = if address.bits < NULL_PAGE { Fault::Null } else { Fault::Wild(address.bits) };
            return Err(self.fault(fault));
        }
        if Program::is_function(id) {
            return Err(self.fault(Fault::Wild(address.bits)));
        }
        let (start, length) = match self.state.object(id) {
            Some(object) if object.ended => {
                let length = object.size;
                // Before the object ended this access would have been legal. Where the fault only ends the execution, that
                // order counts.
                self.is_contested(id, 0, length, Touch::READ);
                let Some(object) = self.state.object(id) else { return Err(self.fault(Fault::Gone(id))) };
                let fault = Fault::of_ended(object.kind, id);
                return Err(self.fault(fault));
            }
            Some(object) => {
                self.notes.partly.values |= object.site == WORDS && object.kind == ObjectKind::Heap;
                (object.address, object.size)
            }
            None => match self.machine.program.global_of_object(id) {
                Some(global) => {
                    let global = &self.machine.program.globals()[global as usize];
                    (global.address, global.size)
                }
                None => return Err(self.fault(Fault::Wild(address.bits))),
            },
        };
        let offset = address.bits.wrapping_sub(start);
        if offset > length || length - offset < size {
            // An address computed as a number may lie in another object.
            let other = self.object_at(address.bits);
            if address.bits < NULL_PAGE {
                return Err(self.fault(Fault::Null));
            }
            if !address.of.is_some() && other.is_some() && other != id {
                return self.resolve(Scalar { of: other, ..address }, size);
            }
            let fault = Fault::OutOfBounds { object: id, offset: offset as i64, size, of: length };
            return Err(self.fault(fault));
        }
        if id.is_dynamic() && id.thread() != self.thread && !self.is_shared(id) {
            return Err(Halt::NothingIsPrivate);
        }
        Ok((id, offset))
    }

    /// The live object at an address.
    pub(crate) fn object_at(&self, address: u64) -> ObjectId {
        let within = |object: &Object| {
            !object.ended && address >= object.address && address - object.address < object.size.max(1)
        };
        let dynamic = self.state.objects.iter().find(|(id, object)| id.is_dynamic() && within(object));
        if let Some((id, _)) = dynamic {
            return *id;
        }
        let program = self.machine.program;
        if let Some(global) = program.global_at(address) {
            return Program::object_of_global(global);
        }
        program.function_at(address).map_or(ObjectId::NONE, |number| program.function_address(number).of)
    }

    /// Whether another thread may know the object.
    pub(crate) fn is_shared(&self, id: ObjectId) -> bool {
        if id.is_dynamic() {
            return self.state.object(id).is_none_or(|object| object.shared);
        }
        match self.machine.program.global_of_object(id) {
            Some(global) => !self.machine.program.globals()[global as usize].constant,
            None => false,
        }
    }

    pub(crate) fn is_constant(&self, id: ObjectId) -> bool {
        let global = self.machine.program.global_of_object(id);
        global.is_some_and(|global| self.machine.program.globals()[global as usize].constant)
    }

    /// Records that an instruction accesses these bytes as one scalar.
    pub(crate) fn note_scalar(&mut self, id: ObjectId, offset: u64, size: u32) {
        if let Some(scalars) = &mut self.notes.scalars {
            scalars.access(id, offset, size);
        }
    }

    /// The bytes in memory; pending writes are ignored.
    pub(crate) fn bare_memory(&mut self, id: ObjectId, offset: u64, size: u32) -> Result<Scalar, Halt> {
        if let Some(object) = self.state.object(id) {
            return Ok(object.read(offset, size));
        }
        Ok(self.initial(id)?.read(offset, size))
    }

    fn initial(&mut self, id: ObjectId) -> Result<std::rc::Rc<Object>, Halt> {
        let program = self.machine.program;
        match program.global_of_object(id) {
            Some(global) => program.initial(global).map_err(|refusal| self.refuse(refusal)),
            None => Err(self.refuse(Refusal::new("an access to what is no object"))),
        }
    }

    /// Writes to memory directly.
    pub(crate) fn set_memory(
        &mut self,
        id: ObjectId,
        offset: u64,
        size: u32,
        value: Scalar,
    ) -> Result<(), Halt> {
        if value.of.is_some() {
            self.note_escape(value.of);
            if self.is_shared(id) {
                self.publish(value.of);
            }
        }
        if self.state.object(id).is_none() {
            let initial = self.initial(id)?;
            self.state.put(id, (*initial).clone());
        }
        let value = self.fitting(value, size);
        self.before_write(id, offset, size);
        if let Some(object) = self.state.edit(id) {
            object.write(offset, size, value);
        }
        Ok(())
    }

    /// From now on other threads can learn the address of the object, and of everything reachable from it.
    pub(crate) fn publish(&mut self, id: ObjectId) {
        let mut found = vec![id];
        while let Some(id) = found.pop() {
            if !id.is_dynamic() {
                continue;
            }
            let Some(object) = self.state.object(id) else { continue };
            if object.shared || object.ended {
                continue;
            }

            found.extend(object.pointers.iter().map(|(_, inner)| *inner));
            let buffer = &self.state.threads[id.thread()].buffer;
            found.extend(
                buffer.writes().filter(|(_, write)| write.object == id).map(|(_, write)| write.value.of),
            );
            if let Some(object) = self.state.edit(id) {
                object.shared = true;
            }
        }
    }

    /// Reads up to eight bytes under the model's rules; the value may be open. `None`: another action must do the read.
    pub(crate) fn read(
        &mut self,
        id: ObjectId,
        offset: u64,
        size: u32,
        atomic: bool,
    ) -> Result<Option<Scalar>, Halt> {
        let visible = self.is_visible(id, offset, size.into(), Touch { write: false, atomic });
        if visible && !self.may_act {
            return Ok(None);
        }
        let own = self.own(id, offset, size);
        let (value, from_own) = match own {
            Found::Whole(value) => (value, true),
            Found::Nothing => (self.open_memory(id, offset, size)?, false),
            Found::Part if visible => return Ok(None),
            Found::Part => {
                self.settle_at(id, offset, size)?;
                if let Found::Part = self.state.threads[self.thread].buffer.read(id, offset, size) {
                    return Ok(None);
                }
                return self.read(id, offset, size, atomic);
            }
        };
        if visible {
            self.act();
        }
        if visible || self.is_worth_telling(id) {
            self.tell(What::Reads { bytes: Bytes { object: id, offset, size }, value, own: from_own });
        }
        Ok(Some(value))
    }

    /// Writes up to eight bytes under the model's rules. `false`: another action must do the write.
    pub(crate) fn write(
        &mut self,
        id: ObjectId,
        offset: u64,
        size: u32,
        value: Scalar,
        atomic: bool,
    ) -> Result<bool, Halt> {
        if self.is_constant(id) {
            return Err(self.fault(Fault::Constant(id)));
        }
        // A write must not pass one of the thread's own that is pending.
        let contested = self.is_contested(id, offset, size.into(), Touch { write: true, atomic })
            || self.overlaps_pending(id, offset, size);
        if !contested || !self.is_buffered(id) {
            let visible = contested && self.state.process.atomic.is_none() && self.is_shared(id);
            if visible && !self.may_act {
                return Ok(false);
            }
            if !self.concurrent {
                self.settle()?;
            }
            self.set_memory(id, offset, size, value)?;
            if visible {
                self.act();
            }
            if visible || self.is_worth_telling(id) {
                self.tell(What::Writes { bytes: Bytes { object: id, offset, size }, value, pending: false });
            }
            return Ok(true);
        }
        let shared = self.is_shared(id);
        let buffer = &self.state.threads[self.thread].buffer;
        let limit = if shared { self.machine.settings.buffer } else { MOST_PRIVATE };
        let pending = buffer.writes().filter(|(_, write)| self.is_shared(write.object) == shared).count();
        if pending >= limit {
            if !shared {
                return Err(Halt::Limit(Limit::Memory));
            }
            self.notes.full = true;
            return Ok(false);
        }
        if shared && value.of.is_some() {
            self.publish(value.of);
        }
        let value = self.fitting(value, size);
        self.note_escape(value.of);
        let write = Write { object: id, offset, size, value };
        Part::edit(&mut self.state.threads[self.thread].buffer).entries.push(Entry::Write(write));
        if shared {
            self.tell(What::Writes { bytes: Bytes { object: id, offset, size }, value, pending: true });
        }
        Ok(true)
    }

    /// Whether a write of the thread to some of these bytes is pending.
    fn overlaps_pending(&self, id: ObjectId, offset: u64, size: u32) -> bool {
        let mut writes = self.state.threads[self.thread].buffer.writes();
        writes.any(|(_, write)| write.overlaps(id, offset, size))
    }

    /// Whether writes to contested bytes of the object go through the store buffer. While other threads cannot know its
    /// address, that matters only under PSO: under TSO writes stay in order, so the address reaches memory after them.
    fn is_buffered(&self, id: ObjectId) -> bool {
        if self.machine.settings.model == Model::Sc || !self.concurrent || self.state.process.atomic.is_some()
        {
            return false;
        }
        self.machine.settings.model == Model::Pso || self.is_shared(id)
    }

    /// A write reaches memory.
    pub(crate) fn flush(&mut self, place: usize) -> Result<(), Halt> {
        let Some(write) = Part::edit(&mut self.state.threads[self.thread].buffer).take(place) else {
            return Err(Halt::Blocked);
        };
        if self.is_shared(write.object) {
            self.tell(What::Flushes(write));
        }
        if self.watched && self.machine.settings.reduction {
            self.notes.footprints.flush(write.object, write.offset, write.size.into());
        }
        match self.state.object(write.object) {
            // Another thread has ended the object in the meantime: what is there does not belong to the writer.
            Some(object) if object.ended => {
                let fault = Fault::of_ended(object.kind, write.object);
                Err(self.fault(fault))
            }
            None if write.object.is_dynamic() => Ok(()),
            _ => self.set_memory(write.object, write.offset, write.size, write.value),
        }
    }

    /// Flushes the writes that no other thread can see; with no other thread left, all of them.
    pub(crate) fn settle(&mut self) -> Result<(), Halt> {
        let mut at = 0;
        loop {
            let buffer = &self.state.threads[self.thread].buffer;
            let next = buffer
                .writes()
                .find(|(place, write)| *place >= at && (!self.concurrent || !self.is_shared(write.object)));
            let Some((place, _)) = next else { return Ok(()) };
            at = place;
            self.flush(place)?;
        }
    }

    /// The same for the writes that overlap these bytes and those that must leave before them. The others stay pending: under
    /// PSO they may reach memory after the write that publishes their object.
    fn settle_at(&mut self, id: ObjectId, offset: u64, size: u32) -> Result<(), Halt> {
        loop {
            let mut taken: Vec<(usize, Write)> = Vec::new();
            for (place, write) in self.state.threads[self.thread].buffer.writes().rev() {
                let holds_back =
                    |(_, later): &(usize, Write)| write.overlaps(later.object, later.offset, later.size);
                let is_hidden = !self.concurrent || !self.is_shared(write.object);
                if is_hidden && (write.overlaps(id, offset, size) || taken.iter().any(holds_back)) {
                    taken.push((place, *write));
                }
            }
            // The oldest first. A flush moves the positions of the others.
            let Some((place, _)) = taken.last() else { return Ok(()) };
            self.flush(*place)?;
        }
    }

    /// Whether a write of the thread to these bytes is pending, after flushing those no other thread can see.
    pub(crate) fn is_pending(&mut self, id: ObjectId, offset: u64, size: u64) -> Result<bool, Halt> {
        let size = u32::try_from(size).unwrap_or(u32::MAX);
        self.settle_at(id, offset, size)?;
        let mut writes = self.state.threads[self.thread].buffer.writes();
        Ok(writes.any(|(_, write)| write.overlaps(id, offset, size)))
    }

    /// Whether the thread has nothing pending, after flushing the writes no other thread can see.
    pub(crate) fn is_drained(&mut self) -> Result<bool, Halt> {
        if self.state.threads[self.thread].buffer.is_empty() {
            return Ok(true);
        }
        self.settle()?;
        Ok(self.state.threads[self.thread].buffer.is_empty())
    }

    /// Whether the thread has waited for all its writes. Uncontested writes, which bypass the buffer, count as waited for.
    pub(crate) fn waits_for_writes(&mut self) -> Result<bool, Halt> {
        let drained = self.is_drained()?;
        if drained {
            // If `may_act`, this is the first instruction of its action. Otherwise other threads may have acted before it.
            self.notes.footprints.settled(self.may_act);
        }
        Ok(drained)
    }

    /// A store-store fence.
    pub(crate) fn mark(&mut self) -> Result<(), Halt> {
        if self.machine.settings.model == Model::Pso {
            self.settle()?;
            if !self.state.threads[self.thread].buffer.is_empty() {
                Part::edit(&mut self.state.threads[self.thread].buffer).mark();
            }
        }
        Ok(())
    }

    /// Whether a locked step on the bytes may run. With `full` (and under TSO) it waits for all writes of the thread, otherwise
    /// only for those to the location and those that a fence keeps in order.
    pub(crate) fn may_lock(
        &mut self,
        id: ObjectId,
        offset: u64,
        size: u32,
        full: bool,
    ) -> Result<bool, Halt> {
        if full || self.machine.settings.model == Model::Tso {
            return self.waits_for_writes();
        }
        self.settle_at(id, offset, size)?;
        Ok(!self.state.threads[self.thread].buffer.holds_back(id, offset, size))
    }

    /// A locked read-modify-write of memory. `compute` returns what to write; the value it is given may be open. `None`:
    /// another action must do it.
    pub(crate) fn update(
        &mut self,
        address: Scalar,
        size: u32,
        full: bool,
        compute: Compute<'_, Self>,
    ) -> Result<Option<Scalar>, Halt> {
        let (id, offset) = self.resolve(address, size.into())?;
        if !address.bits.is_multiple_of(size.into()) {
            return Err(self.fault(Fault::Misaligned(address.bits)));
        }
        if !self.may_lock(id, offset, size, full)? {
            return Ok(None);
        }
        self.note_scalar(id, offset, size);
        let visible = self.is_visible(id, offset, size.into(), Touch::ATOMIC);
        if visible && !self.may_act {
            return Ok(None);
        }
        let old = self.open_memory(id, offset, size)?;
        let new = compute(self, old)?;
        if let Some(new) = new {
            if self.is_constant(id) {
                return Err(self.fault(Fault::Constant(id)));
            }
            self.set_memory(id, offset, size, new)?;
        }
        if visible {
            self.act();
        }
        if visible || self.is_worth_telling(id) {
            self.tell(What::Updates { bytes: Bytes { object: id, offset, size }, old, new });
        }
        Ok(Some(old))
    }

    /// A full fence: proceeds once nothing is pending.
    pub(crate) fn full_fence(&mut self) -> Result<Flow, Halt> {
        Ok(if self.waits_for_writes()? { Flow::Next } else { Flow::Stop })
    }

    /// A fence site of the user's text: acts if the settings put a fence there.
    pub(crate) fn place(&mut self, number: u32) -> Result<Flow, Halt> {
        let flow = match self.machine.settings.fences.get(&number) {
            None => Flow::Next,
            Some(FenceKind::Full) => self.full_fence()?,
            Some(FenceKind::StoreStore) => {
                self.mark()?;
                Flow::Next
            }
        };
        if flow == Flow::Next {
            self.tell(What::Passes(number));
        }
        Ok(flow)
    }
}
