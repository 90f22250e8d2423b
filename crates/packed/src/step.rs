//! The machine on packed states: the same rules as `memory`, rule by rule, in another encoding. The agreement tests
//! compare the two state by state.

use std::collections::BTreeSet;

use fencewright_base::Int;
use fencewright_explore::System;
use fencewright_ir::Lock;

use crate::buffer::{drop_marks, fence, may_lock, may_touch_locked, newest};
use crate::code::{Code, Escape};
use crate::compile::{
    Buffer, Compiled, CompiledAddr, CompiledEdge, CompiledLocation, CompiledOp, CompiledThread, OpenPart,
};
use crate::queue::Entry;
use crate::trail::{Sink, Trail, chosen};
use crate::values::{Interner, Number, Slot, StoreError, Values};

/// A compiled program as a state space.
pub struct PackedSystem<'c> {
    /// The program.
    pub compiled: &'c Compiled,
    interner: Interner,
}

/// What one searching thread keeps.
pub struct Worker<'w> {
    pub(crate) values: Values<'w>,
    /// Whether a write found its buffer full.
    pub met_capacity: bool,
    /// The threads, by number, one of whose writes found its buffer full. Those past 127 are not told.
    pub met_capacity_in: u128,
    /// The most writes seen pending in one buffer.
    pub longest: u32,
    /// The threads, as bits, that have a step without meaning out of the state being expanded.
    pub(crate) failing: u128,
    /// What there was of that. A state that such steps lead to is known only by who failed.
    pub error_states: BTreeSet<u128>,
    /// How many states nothing can happen in.
    pub deadlocks: u64,
}

/// The search is void.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum Interrupt {
    /// Interned values need more bits.
    Widen,
}

/// Why a step is not made.
pub(crate) enum Halt {
    /// It is not enabled.
    Blocked,
    /// It is not enabled, but will be when enough of the thread's own writes have been flushed.
    Waits,
    /// It violates the properties at once.
    Violates,
    /// It has no meaning, which is a violation too.
    Faults,
    Interrupt(Interrupt),
}

impl From<StoreError> for Halt {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Outside => Halt::Blocked,
            StoreError::Widen => Halt::Interrupt(Interrupt::Widen),
        }
    }
}

/// The values chosen for the open parts of an initial state.
pub type OpenChoices = [(OpenPart, Int)];

impl<'c> PackedSystem<'c> {
    /// The state space of a compiled program.
    pub fn new(compiled: &'c Compiled) -> Self {
        Self { compiled, interner: Interner::new(compiled.options.interned_bits) }
    }

    /// A worker for one searching thread.
    pub fn new_worker(&self) -> Worker<'_> {
        Worker {
            values: Values::new(&self.interner),
            met_capacity: false,
            met_capacity_in: 0,
            longest: 0,
            failing: 0,
            error_states: BTreeSet::new(),
            deadlocks: 0,
        }
    }

    /// Gives every initial state with the values chosen for the open parts.
    pub fn initial_states<const W: usize>(
        &self,
        worker: &mut Worker<'_>,
        emit: &mut dyn FnMut(&OpenChoices, &[u64; W]),
    ) -> Result<(), Interrupt> {
        let mut start = [0u64; W];
        for (slot, value) in &self.compiled.start {
            let raw = self.encode_initial(slot, value, worker)?;
            slot.field.set(&mut start, raw);
        }
        let open = &self.compiled.open;
        let mut digits = vec![0u64; open.len()];
        loop {
            let mut state = start;
            let mut choices = Vec::with_capacity(open.len());
            for (value, &digit) in open.iter().zip(&digits) {
                let chosen = value.lo.add(&Int::from(digit));
                let raw = self.encode_initial(&value.slot, &chosen, worker)?;
                value.slot.field.set(&mut state, raw);
                choices.push((value.part, chosen));
            }
            emit(&choices, &state);
            // The next combination, as a counter counts.
            let Some(digit) = (0..open.len()).find(|&i| digits[i] + 1 < open[i].count) else {
                return Ok(());
            };
            digits[digit] += 1;
            digits[..digit].fill(0);
        }
    }

    fn encode_initial(&self, slot: &Slot, value: &Int, worker: &mut Worker<'_>) -> Result<u64, Interrupt> {
        match slot.coding.encode(Number::from(value), &mut worker.values) {
            Ok(raw) => Ok(raw),
            Err(StoreError::Widen) => Err(Interrupt::Widen),
            Err(StoreError::Outside) => {
                unreachable!("internal error: an initial value lies outside its domain")
            }
        }
    }

    /// Gives every successor of the state, each after the invisible steps that follow.
    #[inline]
    pub fn expand<const W: usize, T: Trail>(
        &self,
        worker: &mut Worker<'_>,
        state: &[u64; W],
        sink: &mut impl Sink<W, T>,
    ) -> Result<(), Interrupt> {
        let committed = self.compiled.commits && self.someone_committed(state);
        // Most who would send have nobody to receive it.
        let ready = if self.compiled.receivers.is_empty() { 0 } else { self.ready(state) };
        for (t, thread) in self.compiled.threads.iter().enumerate() {
            let location = &thread.locations[thread.location.get(state) as usize];
            for send in location.sends.iter().filter(|send| ready & send.bit() != 0) {
                self.meet(worker, t, send, committed, state, sink)?;
            }
            // G-12: whoever is not committed waits for those who are, and so do flushes.
            if committed && !location.committed {
                continue;
            }
            let edges = self.possible(worker, thread, location, state).unwrap_or_else(|_| {
                let mut trail = T::default();
                trail.step(t, &location.edges[0], 0);
                sink.violation(trail);
                &[]
            });
            for edge in edges {
                for choice in 0..edge.choices {
                    let mut next = *state;
                    match self.take(worker, t, thread, edge, choice, &mut next) {
                        Ok(()) => {
                            let mut trail = T::default();
                            trail.step(t, edge, choice);
                            self.settle(worker, t, &next, trail, sink)?;
                        }
                        Err(Halt::Blocked | Halt::Waits) => {}
                        Err(halt @ (Halt::Violates | Halt::Faults)) => {
                            if matches!(halt, Halt::Faults) {
                                worker.failing |= 1 << (t % 128);
                            }
                            let mut trail = T::default();
                            trail.step(t, edge, choice);
                            sink.violation(trail);
                        }
                        Err(Halt::Interrupt(interrupt)) => return Err(interrupt),
                    }
                }
            }
            if !committed {
                self.flushes(worker, t, thread, state, sink)?;
            }
        }
        if worker.failing != 0 {
            let failing = std::mem::take(&mut worker.failing);
            worker.error_states.insert(failing);
        }
        Ok(())
    }

    /// The channels that some thread is ready to receive from.
    #[inline]
    fn ready<const W: usize>(&self, state: &[u64; W]) -> u64 {
        let threads = self.compiled.threads.iter();
        threads.fold(0, |bits, thread| bits | thread.locations[thread.location.get(state) as usize].ready)
    }

    fn someone_committed<const W: usize>(&self, state: &[u64; W]) -> bool {
        self.compiled
            .threads
            .iter()
            .any(|thread| thread.locations[thread.location.get(state) as usize].committed)
    }

    /// Rule *-3: gives the state after each flush that is possible for the thread.
    #[inline]
    fn flushes<const W: usize, T: Trail>(
        &self,
        worker: &mut Worker<'_>,
        t: usize,
        thread: &CompiledThread,
        state: &[u64; W],
        sink: &mut impl Sink<W, T>,
    ) -> Result<(), Interrupt> {
        let mut flushed = |worker: &mut Worker<'_>, place: usize, next: &mut [u64; W], raw: u64| {
            let cell = thread.buffered[place];
            self.compiled.cells[cell.0 as usize].field.set(next, raw);
            let mut trail = T::default();
            trail.flush(t, cell);
            self.settle(worker, t, next, trail, sink)
        };
        match &thread.buffer {
            Buffer::None => {}
            Buffer::Single(queue) => {
                if !queue.is_empty(state) {
                    let mut next = *state;
                    let Entry { tag, raw } = queue.pop(&mut next);
                    flushed(worker, tag as usize - 1, &mut next, raw)?;
                }
            }
            Buffer::PerCell { queues, .. } => {
                for (place, queue) in queues.iter().enumerate() {
                    // Tag 1 is the oldest epoch: no mark stands before it.
                    if !queue.is_empty(state) && queue.get(state, 0).tag == 1 {
                        let mut next = *state;
                        let Entry { raw, .. } = queue.pop(&mut next);
                        drop_marks(&thread.buffer, &mut next);
                        flushed(worker, place, &mut next, raw)?;
                    }
                }
            }
            Buffer::Slots(queues) => {
                for (place, queue) in queues.iter().enumerate() {
                    if !queue.is_empty(state) {
                        let mut next = *state;
                        let Entry { raw, .. } = queue.pop(&mut next);
                        flushed(worker, place, &mut next, raw)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The edges of a location that may be enabled: one of two where their guards exclude each other. An error if the
    /// guard has a fault.
    #[inline(always)]
    pub(crate) fn possible<'l, const W: usize>(
        &self,
        worker: &mut Worker<'_>,
        thread: &CompiledThread,
        location: &'l CompiledLocation,
        state: &[u64; W],
    ) -> Result<&'l [CompiledEdge], Halt> {
        match &location.branch {
            None => Ok(&location.edges),
            Some(guard) if self.eval(worker, thread, guard, state)?.is_true() => Ok(&location.edges[..1]),
            Some(_) => Ok(&location.edges[1..]),
        }
    }

    /// G-2: makes the step on `state`, or says why not; `state` is spoilt then. `choice` numbers the combinations of the
    /// step's havocs.
    #[allow(clippy::too_many_arguments, reason = "the inner loop: what it works on is passed in registers")]
    #[inline]
    pub(crate) fn take<const W: usize>(
        &self,
        worker: &mut Worker<'_>,
        t: usize,
        thread: &CompiledThread,
        edge: &CompiledEdge,
        choice: u64,
        state: &mut [u64; W],
    ) -> Result<(), Halt> {
        if let Some(lock) = edge.lock
            && !may_lock(&thread.buffer, lock, state)
        {
            return Err(Halt::Waits);
        }
        let longest = self.operate(worker, t, thread, edge, &edge.ops, choice, state)?;
        // Only now is it known that the step is made.
        worker.longest = worker.longest.max(longest);
        arrive(thread, edge, state);
        Ok(())
    }

    /// Executes micro-operations of the edge. Gives the length of the longest buffer that was written to.
    #[allow(clippy::too_many_arguments, reason = "the inner loop: what it works on is passed in registers")]
    #[inline]
    pub(crate) fn operate<const W: usize>(
        &self,
        worker: &mut Worker<'_>,
        t: usize,
        thread: &CompiledThread,
        edge: &CompiledEdge,
        ops: &[CompiledOp],
        choice: u64,
        state: &mut [u64; W],
    ) -> Result<u32, Halt> {
        let mut choice = choice;
        let mut longest = 0;
        for op in ops {
            match op {
                CompiledOp::Read { dst, addr } => {
                    let cell = self.cell(worker, thread, edge, addr, state)?;
                    let slot = &self.compiled.cells[cell];
                    let raw = newest(thread, cell, state).unwrap_or_else(|| slot.field.get(state));
                    let dst = &thread.regs[*dst as usize];
                    let raw = if dst.coding_id == slot.coding_id {
                        raw
                    } else {
                        let value = slot.coding.decode(raw, &mut worker.values);
                        self.encode_number(worker, value, dst)?
                    };
                    dst.field.set(state, raw);
                }
                CompiledOp::Write { addr, value } => {
                    let cell = self.cell(worker, thread, edge, addr, state)?;
                    let raw = self.encode(worker, thread, value, &self.compiled.cells[cell], state)?;
                    longest = longest.max(self.write(worker, t, edge.lock, cell, raw, state)?);
                }
                CompiledOp::Assign { dst, value } => {
                    let dst = &thread.regs[*dst as usize];
                    let raw = self.encode(worker, thread, value, dst, state)?;
                    dst.field.set(state, raw);
                }
                CompiledOp::Guard(condition) => {
                    if !self.eval(worker, thread, condition, state)?.is_true() {
                        return Err(Halt::Blocked);
                    }
                }
                CompiledOp::Assert(condition) => {
                    if !self.eval(worker, thread, condition, state)?.is_true() {
                        return Err(Halt::Violates);
                    }
                }
                CompiledOp::Havoc { dst, lo, count } => {
                    let value = chosen(*lo, *count, &mut choice);
                    let dst = &thread.regs[*dst as usize];
                    let raw = dst.coding.encode(Number::Small(value), &mut worker.values)?;
                    dst.field.set(state, raw);
                }
                CompiledOp::Fence(kind) => {
                    if !fence(&thread.buffer, *kind, state) {
                        return Err(Halt::Waits);
                    }
                }
            }
        }
        Ok(longest)
    }

    #[inline]
    pub(crate) fn eval<const W: usize>(
        &self,
        worker: &mut Worker<'_>,
        thread: &CompiledThread,
        code: &Code,
        state: &[u64; W],
    ) -> Result<Number, Halt> {
        let small = code.eval(state, &mut |reg| {
            let slot = &thread.regs[reg as usize];
            slot.coding.decode_small(slot.field.get(state), &mut worker.values)
        });
        match small {
            Ok(value) => Ok(Number::Small(value)),
            // A fault is a violation.
            Err(Escape::Fault) => Err(Halt::Faults),
            Err(Escape::Wide) => {
                let exact = code.eval_exact(&mut |reg| {
                    let slot = &thread.regs[reg as usize];
                    slot.coding.decode(slot.field.get(state), &mut worker.values).to_int()
                });
                exact.map_err(|_| Halt::Faults)
            }
        }
    }

    /// How the value of an expression is stored in a slot.
    #[inline]
    fn encode<const W: usize>(
        &self,
        worker: &mut Worker<'_>,
        thread: &CompiledThread,
        code: &Code,
        slot: &Slot,
        state: &[u64; W],
    ) -> Result<u64, Halt> {
        let value = self.eval(worker, thread, code, state)?;
        self.encode_number(worker, value, slot)
    }

    #[inline]
    pub(crate) fn encode_number(
        &self,
        worker: &mut Worker<'_>,
        value: Number,
        slot: &Slot,
    ) -> Result<u64, Halt> {
        let raw = match value {
            Number::Small(value) => slot.coding.encode_small(value, &mut worker.values),
            big @ Number::Big(_) => slot.coding.encode(big, &mut worker.values),
        };
        Ok(raw?)
    }

    /// G-8: the cell an address stands for; rule *-6: in a locked step it may have to wait.
    #[inline]
    pub(crate) fn cell<const W: usize>(
        &self,
        worker: &mut Worker<'_>,
        thread: &CompiledThread,
        edge: &CompiledEdge,
        addr: &CompiledAddr,
        state: &[u64; W],
    ) -> Result<usize, Halt> {
        let cell = match addr {
            CompiledAddr::Cell(cell) => *cell as usize,
            CompiledAddr::Indexed { first, len, index, faults } => {
                match self.eval(worker, thread, index, state)? {
                    Number::Small(i) if (0..i64::from(*len)).contains(&i) => *first as usize + i as usize,
                    _ if *faults => return Err(Halt::Faults),
                    _ => return Err(Halt::Blocked),
                }
            }
        };
        if edge.lock.is_some() && !self.compiled.direct[cell] && !may_touch_locked(thread, cell, state) {
            Err(Halt::Waits)
        } else {
            Ok(cell)
        }
    }

    /// Rule *-2, or *-6 in a locked step. Gives the length of the buffer then.
    #[inline]
    pub(crate) fn write<const W: usize>(
        &self,
        worker: &mut Worker<'_>,
        t: usize,
        lock: Option<Lock>,
        cell: usize,
        raw: u64,
        state: &mut [u64; W],
    ) -> Result<u32, Halt> {
        let thread = &self.compiled.threads[t];
        let to_memory = |state: &mut [u64; W]| self.compiled.cells[cell].field.set(state, raw);
        let Some(place) = thread.place_of[cell].map(usize::from) else {
            // Nothing is ever pending for it: under SC, or because it is direct (G-10).
            to_memory(state);
            return Ok(0);
        };
        let (queue, tag) = match &thread.buffer {
            Buffer::None => {
                to_memory(state);
                return Ok(0);
            }
            Buffer::Slots(queues) => {
                let queue = &queues[place];
                if !queue.is_empty(state) {
                    queue.pop(state);
                }
                if lock.is_some() {
                    to_memory(state);
                    return Ok(0);
                }
                queue.push(state, 0, Entry { tag: 1, raw });
                return Ok(1);
            }
            _ if lock.is_some() => {
                to_memory(state);
                return Ok(0);
            }
            Buffer::Single(queue) => (queue, place as u64 + 1),
            Buffer::PerCell { queues, epoch } => (&queues[place], epoch.get(state) + 1),
        };
        let len = queue.len(state);
        if len == queue.capacity() {
            worker.met_capacity = true;
            worker.met_capacity_in |= 1u128.checked_shl(t as u32).unwrap_or(0);
            return Err(Halt::Waits);
        }
        queue.push(state, len, Entry { tag, raw });
        Ok(len + 1)
    }
}

/// The thread stands at the edge's target, and what nobody can tell is forgotten.
#[inline(always)]
pub(crate) fn arrive<const W: usize>(thread: &CompiledThread, edge: &CompiledEdge, state: &mut [u64; W]) {
    thread.location.set(state, edge.to);
    for &(field, raw) in &edge.forget {
        field.set(state, raw);
    }
}

/// Gives states to a search.
struct Emit<'e, F> {
    emit: &'e mut F,
    violations: u32,
    is_deadlock: bool,
}

impl<const W: usize, F: FnMut(&[u64; W])> Sink<W, ()> for Emit<'_, F> {
    #[inline(always)]
    fn state(&mut self, state: &[u64; W], (): ()) {
        self.is_deadlock = false;
        (self.emit)(state);
    }

    fn violation(&mut self, (): ()) {
        self.is_deadlock = false;
        self.violations += 1;
    }
}

impl<'s, const W: usize> System<W> for &'s PackedSystem<'_> {
    type Worker = Worker<'s>;
    type Interrupt = Interrupt;

    fn worker(&self) -> Worker<'s> {
        self.new_worker()
    }

    fn initial(&self, worker: &mut Worker<'s>, emit: &mut impl FnMut(&[u64; W])) -> Result<(), Interrupt> {
        self.initial_states(worker, &mut |_, state| emit(state))
    }

    #[inline]
    fn successors(
        &self,
        worker: &mut Worker<'s>,
        state: &[u64; W],
        emit: &mut impl FnMut(&[u64; W]),
    ) -> Result<u32, Interrupt> {
        let mut sink = Emit { emit, violations: 0, is_deadlock: true };
        self.expand(worker, state, &mut sink)?;
        worker.deadlocks += u64::from(sink.is_deadlock);
        Ok(sink.violations)
    }

    #[inline]
    fn is_goal(&self, worker: &mut Worker<'s>, state: &[u64; W]) -> bool {
        self.violates(worker, state)
    }
}
