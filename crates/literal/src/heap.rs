//! Objects that come and go: local variables, allocated memory, thread-local variables.
//!
//! The numbers and addresses of a thread's objects depend on that thread alone, so the order in which threads allocate makes no
//! difference. A freed object keeps its number while an address of it is held anywhere. A new object of that size may then get
//! the same address, or not. If no address is held, the program cannot notice, and the place is simply free.

use std::collections::HashSet;
use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::fast::FixedState;
use smallvec::SmallVec;

use crate::event::What;
use crate::machine::Run;
use crate::object::{Object, ObjectKind, Parts};
use crate::program::Program;
use crate::state::{Part, State, Status};
use crate::step::scalar_of;
use crate::value::{ObjectId, Scalar, Value};
use crate::violation::{Fault, Halt, Limit, Use};

/// Where heaps begin. A thread has 2^36 bytes, an object 2^24.
const HEAP: u64 = 0x6000_0000_0000;
const HEAP_OF_THREAD: u32 = 36;
const HEAP_OF_OBJECT: u32 = 24;
/// The most heap objects of one thread.
const MOST_HEAP: u64 = 1 << (HEAP_OF_THREAD - HEAP_OF_OBJECT);
/// Where stacks begin. A thread has 2^32 bytes.
const STACKS: u64 = 0x7000_0000_0000;
/// Where thread-local variables begin. A thread has 2^32 bytes.
const LOCALS: u64 = 0x7800_0000_0000;
const STACK_OF_THREAD: u32 = 32;
/// The size of a stack in bytes.
const MOST_STACK: u64 = 64 << 20;
/// How many numbers are tried for a new object.
const MOST_PROBES: u32 = 1 << 16;
/// Numbers below this are not addresses.
const SMALL: u64 = 4096;
/// From this size on, the meter is asked before an object is made.
const LARGE: u64 = 1 << 16;
/// The most freed places that are tried for a new object.
const MOST_REUSED: usize = 3;

impl Run<'_, '_, '_> {
    /// A preferred number for an object made here, a hash of the calls that the thread is in. It does not depend on other
    /// objects, so it is the same in whatever order threads act.
    fn wish(&self, kind: ObjectKind, site: u32) -> u64 {
        let mut hasher = FixedState::default().build_hasher();
        (kind, site).hash(&mut hasher);
        for frame in &self.state.threads[self.thread].frames {
            (frame.function.number, frame.pc).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// A number that no object of the thread has.
    fn free_number(&mut self, object: &Object) -> Result<ObjectId, Halt> {
        let wish = self.wish(object.kind, object.site);
        let mut index = wish as u32 % ObjectId::MAX_INDEX;
        for probe in 0..MOST_PROBES {
            if probe % 8 == 7 {
                self.spend(1)?;
            }
            let id = ObjectId::dynamic(self.thread, index);
            if self.state.object(id).is_none() {
                return Ok(id);
            }
            index = (index + 1) % ObjectId::MAX_INDEX;
        }
        Err(Halt::Limit(Limit::Memory))
    }

    /// Checks the budget before an object of so many bytes is made.
    fn prepare(&mut self, size: u64) -> Result<(), Halt> {
        if size >= LARGE {
            self.spend(size / 64)?;
            self.hold(2 * size)?;
        }
        Ok(())
    }

    fn put_object(&mut self, mut object: Object) -> Result<ObjectId, Halt> {
        object.shared = !self.machine.settings.private;
        let id = self.free_number(&object)?;
        self.state.put(id, object);
        Ok(id)
    }

    /// The address of an object is stored somewhere, so it may still be known when the object ends.
    pub(crate) fn note_escape(&mut self, id: ObjectId) {
        if id.is_dynamic()
            && self.state.object(id).is_some_and(|object| !object.escaped && object.kind == ObjectKind::Stack)
            && let Some(object) = self.state.edit(id)
        {
            object.escaped = true;
        }
    }

    /// A function has returned a value, and its variables end. Those whose address cannot be held are removed at once.
    pub(crate) fn end_variables(&mut self, objects: &[ObjectId], result: Option<&Value>) {
        let mut returned = SmallVec::<[ObjectId; 4]>::new();
        if let Some(result) = result {
            result.for_each_object(&mut |id| returned.push(id));
        }
        for id in objects {
            let is_known = |object: &Object| object.escaped || object.shared || returned.contains(id);
            if self.state.object(*id).is_some_and(|object| is_known(object)) {
                self.end_object(*id);
            } else {
                self.state.remove(*id);
            }
        }
    }

    /// A local variable.
    pub(crate) fn allocate_on_stack(
        &mut self,
        size: u64,
        align: u64,
        site: u32,
        top: &mut u64,
    ) -> Result<ObjectId, Halt> {
        let align = align.max(1).next_power_of_two();
        // Objects do not touch: the address one past an object is not that of the next.
        let start = (*top + 16).next_multiple_of(align);
        if size > MOST_STACK || start + size > MOST_STACK {
            return Err(Halt::Limit(Limit::Stack));
        }
        *top = start + size;
        self.prepare(size)?;
        let address = STACKS + ((self.thread as u64) << STACK_OF_THREAD) + start;
        self.put_object(Object::unset(ObjectKind::Stack, address, size, site))
    }

    /// The callee's copy of an argument that is passed in memory.
    pub(crate) fn copy_argument(
        &mut self,
        argument: &Value,
        (size, align): (u64, u64),
        read: Option<Parts>,
        top: &mut u64,
    ) -> Result<(ObjectId, u64), Halt> {
        let (from, offset) = self.resolve(scalar_of(argument), size)?;
        let site = u32::MAX;
        let copy = self.allocate_on_stack(size, align, site, top)?;
        if let Some(scalars) = &mut self.notes.scalars {
            scalars.copy((copy, 0), (from, offset), size);
        }
        let address = self.state.object(copy).map_or(0, |object| object.address);
        if let Some(parts) = read {
            if let Some(object) = self.state.edit(copy) {
                parts.into_iter().for_each(|(at, size, value)| object.write(at, size, value));
            }
            return Ok((copy, address));
        }
        let mut at = 0;
        while at < size {
            let step = self.uncut(from, offset + at, (size - at).min(8) as u32);
            let value = match self.own(from, offset + at, step) {
                crate::buffer::Found::Whole(value) => value,
                _ => self.open_memory(from, offset + at, step)?,
            };
            if let Some(object) = self.state.edit(copy) {
                object.write(at, step, value);
            }
            at += u64::from(step);
        }
        Ok((copy, address))
    }

    /// The thread's own copy of a thread-local variable, made on first use.
    pub(crate) fn thread_local(&mut self, global: u32) -> Result<(ObjectId, u64), Halt> {
        let own = &self.state.threads[self.thread].own;
        if let Some((_, id)) = own.thread_locals.iter().find(|(known, _)| *known == global) {
            return Ok((*id, self.state.object(*id).map_or(0, |object| object.address)));
        }
        let program = self.machine.program;
        let initial = program.initial(global).map_err(|refusal| self.refuse(refusal))?;
        let mut object = (*initial).clone();
        object.kind = ObjectKind::ThreadLocal;
        object.address =
            LOCALS + ((self.thread as u64) << STACK_OF_THREAD) + program.globals()[global as usize].address;
        object.site = global;
        let address = object.address;
        let id = self.put_object(object)?;
        let own = Part::edit(&mut self.state.threads[self.thread].own);
        own.thread_locals.push((global, id));
        own.thread_locals.sort_unstable();
        Ok((id, address))
    }

    /// A new heap object. Its address is a multiple of `align` and of nothing larger that a program could rely on.
    pub(crate) fn allocate(&mut self, size: u64, align: u64, site: u32) -> Result<Scalar, Halt> {
        let align = align.max(16).next_power_of_two();
        let most = (1 << HEAP_OF_OBJECT) - 2 * align;
        if align >= 1 << (HEAP_OF_OBJECT - 2) || size > most {
            return Err(Halt::Limit(Limit::Memory));
        }
        // Freed places of the size that are still referenced: a program can notice if it gets one of them again.
        let is_taken = |address: u64| {
            self.state.objects.iter().any(|(_, object)| !object.ended && object.address == address)
        };
        let mut freed: Vec<u64> = Vec::new();
        for (_, object) in &self.state.objects {
            let fits = object.ended
                && object.kind == ObjectKind::Heap
                && object.size.max(1).div_ceil(16) == size.max(1).div_ceil(16)
                && object.address.is_multiple_of(align);
            if fits && !is_taken(object.address) && !freed.contains(&object.address) {
                freed.push(object.address);
            }
        }
        // The choice is made even without reuse, so that recorded choices mean the same with and without it.
        let answers = if self.machine.settings.reuse { freed.len().min(MOST_REUSED) } else { 0 };
        self.notes.partly.reuse |= self.machine.settings.reuse && freed.len() > MOST_REUSED;
        let choice = if freed.is_empty() { 0 } else { self.choices.choose(answers as u32 + 1) as usize };
        let reused = choice.checked_sub(1).map(|choice| freed[choice]);
        let address = match reused {
            Some(address) => address,
            None => self.fresh_address(align, site)?,
        };
        self.prepare(size)?;
        let id = self.put_object(Object::unset(ObjectKind::Heap, address, size, site))?;
        self.tell(What::Allocates(id, reused.is_some()));
        Ok(Scalar::pointer(address, id))
    }

    /// A new object where one has just been freed.
    pub(crate) fn allocate_at(&mut self, address: u64, size: u64, site: u32) -> Result<Scalar, Halt> {
        if size > 1 << (HEAP_OF_OBJECT - 1) {
            return Err(Halt::Limit(Limit::Memory));
        }
        let id = self.put_object(Object::unset(ObjectKind::Heap, address, size, site))?;
        self.tell(What::Allocates(id, true));
        Ok(Scalar::pointer(address, id))
    }

    /// Whether an address of the object is held anywhere besides the arguments of the current call.
    pub(crate) fn is_held_besides(&self, id: ObjectId) -> bool {
        held(self.state, Some(self.thread)).contains(&id)
    }

    fn fresh_address(&self, align: u64, site: u32) -> Result<u64, Halt> {
        let start = HEAP + ((self.thread as u64) << HEAP_OF_THREAD);
        let slot_of = |address: u64| (address.wrapping_sub(start)) >> HEAP_OF_OBJECT;
        let taken: HashSet<u64> = (self.state.objects.iter())
            .filter(|(_, object)| object.kind == ObjectKind::Heap)
            .map(|(_, object)| slot_of(object.address))
            .collect();
        let wish = self.wish(ObjectKind::Heap, site) % MOST_HEAP;
        let slot = (0..MOST_HEAP)
            .map(|next| (wish + next) % MOST_HEAP)
            .find(|slot| !taken.contains(slot))
            .ok_or(Halt::Limit(Limit::Memory))?;
        Ok(start + (slot << HEAP_OF_OBJECT) + align)
    }

    /// Ends a heap object. Freeing null does nothing.
    pub(crate) fn free(&mut self, address: Scalar) -> Result<(), Halt> {
        if !address.is_set() {
            return Err(self.fault(Fault::Unset(Use::Address)));
        }
        if address.bits == 0 {
            return Ok(());
        }
        let id = if address.of.is_some() { address.of } else { self.object_at(address.bits) };
        let Some(object) = self.state.object(id) else {
            return Err(self.fault(Fault::BadFree(address.bits)));
        };
        if object.kind != ObjectKind::Heap || object.address != address.bits {
            return Err(self.fault(Fault::BadFree(address.bits)));
        }
        if object.ended {
            return Err(self.fault(Fault::DoubleFree(id)));
        }
        if id.thread() != self.thread && !self.is_shared(id) {
            return Err(Halt::NothingIsPrivate);
        }
        self.tell(What::Frees(id));
        self.end_object(id);
        Ok(())
    }

    /// The number of an address is looked at. Whether a new object has the address of a freed one matters only where both
    /// numbers meet, or where one of them loses its object.
    pub(crate) fn look_at_address(&self, of: ObjectId, only_freed: bool) -> Result<(), Halt> {
        if self.machine.settings.reuse || !of.is_dynamic() {
            return Ok(());
        }
        match self.state.object(of) {
            Some(object) if object.kind == ObjectKind::Heap && (object.ended || !only_freed) => {
                Err(Halt::ReuseMatters)
            }
            _ => Ok(()),
        }
    }

    /// Two addresses meet in a comparison.
    pub(crate) fn meet(&self, a: &Value, b: &Value) -> Result<(), Halt> {
        let (a, b) = (scalar_of(a), scalar_of(b));
        let known = |number: Scalar| number.of.is_some() || number.open.is_some();
        if a.of == b.of || !known(a) || !known(b) {
            return Ok(());
        }
        self.look_at_address(a.of, true)?;
        self.look_at_address(b.of, true)
    }

    /// An operation on numbers of which one was an address; its result loses the object.
    pub(crate) fn lose_address(&self, a: &Value, b: &Value, result: &Value) -> Result<(), Halt> {
        let (a, b, result) = (scalar_of(a), scalar_of(b), scalar_of(result));
        // A distance within an object does not depend on its address, and the lowest bits are the same for all objects.
        if result.of.is_some() || a.of == b.of {
            return Ok(());
        }
        for number in [a, b].into_iter().filter(|number| !number.is_set() || number.bits >= SMALL) {
            self.look_at_address(number.of, false)?;
        }
        Ok(())
    }

    /// Bytes are read: some may be parts of addresses, which become numbers.
    pub(crate) fn cut_addresses(&self, id: ObjectId, offset: u64, size: u64) -> Result<(), Halt> {
        if self.machine.settings.reuse {
            return Ok(());
        }
        let is_cut = |at: u64| at < offset + size && offset < at + 8 && (at, 8) != (offset, size);
        if let Some(object) = self.state.object(id) {
            for (_, of) in object.pointers.iter().filter(|(at, _)| is_cut(u64::from(*at))) {
                self.look_at_address(*of, false)?;
            }
        }
        for (_, write) in self.state.threads[self.thread].buffer.writes() {
            if write.object == id && write.value.of.is_some() && is_cut(write.offset) {
                self.look_at_address(write.value.of, false)?;
            }
        }
        Ok(())
    }

    /// Ends an object of any kind. The thread's own pending writes to it are dropped, because an allocator passes memory on in
    /// order. Those of other threads are faults when they reach memory.
    pub(crate) fn end_object(&mut self, id: ObjectId) {
        let buffer = &mut self.state.threads[self.thread].buffer;
        if buffer.writes().any(|(_, write)| write.object == id) {
            Part::edit(buffer).forget(id);
        }
        if let Some(object) = self.state.edit(id) {
            object.end();
        }
    }

    /// Removes ended objects of which no address is held.
    pub(crate) fn forget_the_dead(&mut self) {
        forget_the_dead(self.state);
    }
}

/// The objects of which an address is held. `caller` is a thread at a call whose arguments it does not use afterwards.
fn held(state: &State, caller: Option<usize>) -> HashSet<ObjectId> {
    let mut held: HashSet<ObjectId> = HashSet::new();
    let mut see = |id: ObjectId| {
        held.insert(id);
    };
    for (_, object) in &state.objects {
        object.pointers.iter().for_each(|(_, id)| see(*id));
    }
    for (number, thread) in state.threads.iter().enumerate() {
        for (_, write) in thread.buffer.writes() {
            see(write.value.of);
            see(write.object);
        }
        for frame in &thread.frames {
            let is_top = thread.frames.last().is_some_and(|top| std::rc::Rc::ptr_eq(top, frame));
            let live = crate::trim::live(frame, is_top && caller != Some(number));
            for (value, _) in frame.locals.iter().zip(live.iter()).filter(|(_, live)| **live) {
                value.for_each_object(&mut see);
            }
            frame.extra.iter().for_each(|(value, _)| value.for_each_object(&mut see));
            frame.read.iter().for_each(|scalar| see(scalar.of));
        }
        let own = &thread.own;
        own.keys.iter().chain(&own.at_end).for_each(|(_, value)| value.for_each_object(&mut see));
        own.result.iter().for_each(|value| value.for_each_object(&mut see));
        if let Some((a, b)) = &own.start {
            a.for_each_object(&mut see);
            b.for_each_object(&mut see);
        }
        for exception in &own.exceptions {
            see(exception.object.of);
            see(exception.adjusted.of);
        }
    }
    state.process.at_exit.iter().for_each(|(_, value)| value.for_each_object(&mut see));
    held
}

fn forget_the_dead(state: &mut State) {
    let is_dead = |object: &Object| object.ended;
    if !state.objects.iter().any(|(_, object)| is_dead(object)) {
        return;
    }
    let held = held(state, None);
    state.objects.retain(|(id, object)| !is_dead(object) || held.contains(id));
    // A write to a removed variable, which no other thread could reach, is dropped: no thread can notice when.
    for number in 0..state.threads.len() {
        let gone: SmallVec<[ObjectId; 4]> = (state.threads[number].buffer.writes())
            .map(|(_, write)| write.object)
            .filter(|id| id.is_dynamic() && state.object(*id).is_none() && !Program::is_function(*id))
            .collect();
        for id in gone {
            Part::edit(&mut state.threads[number].buffer).forget(id);
        }
    }
    debug_assert!(
        state.threads.iter().all(|thread| thread.status != Status::Ended || thread.frames.is_empty())
    );
}
