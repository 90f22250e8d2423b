//! The machine on packed states: the same rules as `memory`, rule by rule, in another encoding. The agreement tests
//! compare the two state by state.

use fencewright_base::Int;
use fencewright_explore::System;
use fencewright_ir::{CellId, EdgeId, FenceKind, Lock, StateAtom, ThreadId};
use fencewright_memory::Action;
use smallvec::SmallVec;

use crate::code::{Code, Escape};
use crate::compile::{
    Buffer, Compiled, CompiledAddr, CompiledEdge, CompiledLocation, CompiledOp, CompiledThread, Goal,
    OpenPart, StateCode,
};
use crate::queue::Entry;
use crate::values::{Interner, Number, Slot, StoreError, Values};

/// A compiled program as a state space.
pub(crate) struct PackedSystem<'c> {
    pub(crate) compiled: &'c Compiled,
    interner: Interner,
}

/// What one searching thread keeps.
pub(crate) struct Worker<'w> {
    values: Values<'w>,
    /// Whether a write found its buffer full.
    pub(crate) met_capacity: bool,
    /// The most writes seen pending in one buffer.
    pub(crate) longest: u32,
}

/// The search is void.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(crate) enum Interrupt {
    /// Interned values need more bits.
    Widen,
}

/// Records how a state was reached, or does not.
pub(crate) trait Trail: Clone + Default {
    fn step(&mut self, thread: usize, edge: EdgeId, choices: &[i64]);
    fn flush(&mut self, thread: usize, cell: CellId);
}

impl Trail for () {
    fn step(&mut self, _: usize, _: EdgeId, _: &[i64]) {}
    fn flush(&mut self, _: usize, _: CellId) {}
}

impl Trail for Vec<Action> {
    fn step(&mut self, thread: usize, edge: EdgeId, choices: &[i64]) {
        let choices = choices.iter().map(|&value| Int::from(value)).collect();
        self.push(Action::Step { thread: ThreadId(thread as u32), edge, choices });
    }

    fn flush(&mut self, thread: usize, cell: CellId) {
        self.push(Action::Flush { thread: ThreadId(thread as u32), cell });
    }
}

/// Takes what an expansion gives.
pub(crate) trait Sink<const W: usize, T> {
    fn state(&mut self, state: &[u64; W], trail: T);
    fn violation(&mut self, trail: T);
}

/// Why a step is not made.
enum Halt {
    /// It is not enabled.
    Blocked,
    /// It is not enabled, but will be when enough of the thread's own writes have been flushed.
    Waits,
    /// It violates the properties at once.
    Violates,
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
pub(crate) type OpenChoices = [(OpenPart, Int)];

/// The values of a step's havocs.
type Choices = SmallVec<[i64; 4]>;

impl<'c> PackedSystem<'c> {
    pub(crate) fn new(compiled: &'c Compiled) -> Self {
        Self { compiled, interner: Interner::new(compiled.options.interned_bits) }
    }

    pub(crate) fn new_worker(&self) -> Worker<'_> {
        Worker { values: Values::new(&self.interner), met_capacity: false, longest: 0 }
    }

    /// Gives every initial state with the values chosen for the open parts.
    pub(crate) fn initial_states<const W: usize>(
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
    pub(crate) fn expand<const W: usize, T: Trail>(
        &self,
        worker: &mut Worker<'_>,
        state: &[u64; W],
        sink: &mut impl Sink<W, T>,
    ) -> Result<(), Interrupt> {
        for (t, thread) in self.compiled.threads.iter().enumerate() {
            let location = &thread.locations[thread.location.get(state) as usize];
            let edges = self.possible(worker, thread, location, state).unwrap_or_else(|_| {
                let mut trail = T::default();
                trail.step(t, location.edges[0].id, &[]);
                sink.violation(trail);
                &[]
            });
            for edge in edges {
                for choice in 0..edge.choices {
                    let mut next = *state;
                    let mut choices = Choices::new();
                    match self.take(worker, t, thread, edge, choice, &mut next, &mut choices) {
                        Ok(()) => {
                            let mut trail = T::default();
                            trail.step(t, edge.id, &choices);
                            self.settle(worker, t, &next, trail, sink)?;
                        }
                        Err(Halt::Blocked | Halt::Waits) => {}
                        Err(Halt::Violates) => {
                            let mut trail = T::default();
                            trail.step(t, edge.id, &choices);
                            sink.violation(trail);
                        }
                        Err(Halt::Interrupt(interrupt)) => return Err(interrupt),
                    }
                }
            }
            self.flushes(worker, t, thread, state, sink)?;
        }
        Ok(())
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

    /// Lets the thread make its invisible steps, as long as it stands before nothing else, and gives where it rests.
    #[inline(always)]
    fn settle<const W: usize, T: Trail>(
        &self,
        worker: &mut Worker<'_>,
        t: usize,
        state: &[u64; W],
        trail: T,
        sink: &mut impl Sink<W, T>,
    ) -> Result<(), Interrupt> {
        let thread = &self.compiled.threads[t];
        if thread.locations[thread.location.get(state) as usize].first {
            self.settle_on(worker, t, *state, trail, sink)
        } else {
            sink.state(state, trail);
            Ok(())
        }
    }

    /// As `settle`, from a state whose thread may have to go on.
    fn settle_on<const W: usize, T: Trail>(
        &self,
        worker: &mut Worker<'_>,
        t: usize,
        mut state: [u64; W],
        mut trail: T,
        sink: &mut impl Sink<W, T>,
    ) -> Result<(), Interrupt> {
        let thread = &self.compiled.threads[t];
        loop {
            let location = &thread.locations[thread.location.get(&state) as usize];
            if !location.first {
                sink.state(&state, trail);
                return Ok(());
            }
            // The first successor is followed here, the others by recursion; nearly always there is only one.
            let mut first: Option<([u64; W], T)> = None;
            let mut others: SmallVec<[([u64; W], T); 1]> = SmallVec::new();
            let mut violations: SmallVec<[T; 1]> = SmallVec::new();
            let Ok(edges) = self.possible(worker, thread, location, &state) else {
                trail.step(t, location.edges[0].id, &[]);
                sink.violation(trail);
                return Ok(());
            };
            for edge in edges {
                for choice in 0..edge.choices {
                    let mut next = state;
                    let mut choices = Choices::new();
                    let result = self.take(worker, t, thread, edge, choice, &mut next, &mut choices);
                    let extended = || {
                        let mut trail = trail.clone();
                        trail.step(t, edge.id, &choices);
                        trail
                    };
                    match result {
                        Ok(()) if first.is_none() => first = Some((next, extended())),
                        Ok(()) => others.push((next, extended())),
                        Err(Halt::Blocked) => {}
                        Err(Halt::Violates) => violations.push(extended()),
                        Err(Halt::Interrupt(interrupt)) => return Err(interrupt),
                        Err(Halt::Waits) => {
                            // It may be enabled later, so nothing may be decided yet.
                            sink.state(&state, trail);
                            return Ok(());
                        }
                    }
                }
            }
            let stuck = violations.is_empty();
            for trail in violations {
                sink.violation(trail);
            }
            for (next, trail) in others {
                self.settle_on(worker, t, next, trail, sink)?;
            }
            match first {
                Some((next, extended)) => (state, trail) = (next, extended),
                None => {
                    if stuck {
                        sink.state(&state, trail);
                    }
                    return Ok(());
                }
            }
        }
    }

    /// The edges of a location that may be enabled: one of two where their guards exclude each other. An error if the
    /// guard has a fault.
    #[inline(always)]
    fn possible<'l, const W: usize>(
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
    /// step's havocs, whose values go to `choices`.
    #[allow(clippy::too_many_arguments, reason = "the inner loop: what it works on is passed in registers")]
    #[inline]
    fn take<const W: usize>(
        &self,
        worker: &mut Worker<'_>,
        t: usize,
        thread: &CompiledThread,
        edge: &CompiledEdge,
        choice: u64,
        state: &mut [u64; W],
        choices: &mut Choices,
    ) -> Result<(), Halt> {
        if let Some(lock) = edge.lock
            && !may_lock(&thread.buffer, lock, state)
        {
            return Err(Halt::Waits);
        }
        let mut choice = choice;
        let mut longest = 0;
        for op in &edge.ops {
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
                        dst.coding.encode(value, &mut worker.values)?
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
                    let value = lo + (choice % count) as i64;
                    choice /= count;
                    choices.push(value);
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
        // Only now is it known that the step is made.
        worker.longest = worker.longest.max(longest);
        thread.location.set(state, edge.to);
        for &(field, raw) in &edge.forget {
            field.set(state, raw);
        }
        Ok(())
    }

    #[inline]
    fn eval<const W: usize>(
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
            Err(Escape::Fault) => Err(Halt::Violates),
            Err(Escape::Wide) => {
                let exact = code.eval_exact(&mut |reg| {
                    let slot = &thread.regs[reg as usize];
                    slot.coding.decode(slot.field.get(state), &mut worker.values).to_int()
                });
                exact.map_err(|_| Halt::Violates)
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
        let raw = match self.eval(worker, thread, code, state)? {
            Number::Small(value) => slot.coding.encode_small(value, &mut worker.values),
            big @ Number::Big(_) => slot.coding.encode(big, &mut worker.values),
        };
        Ok(raw?)
    }

    /// G-8: the cell an address stands for; rule *-6: in a locked step it may have to wait.
    #[inline]
    fn cell<const W: usize>(
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
                    _ if *faults => return Err(Halt::Violates),
                    _ => return Err(Halt::Blocked),
                }
            }
        };
        if edge.lock.is_some() && !may_touch_locked(thread, cell, state) {
            Err(Halt::Waits)
        } else {
            Ok(cell)
        }
    }

    /// Rule *-2, or *-6 in a locked step. Gives the length of the buffer then.
    #[inline]
    fn write<const W: usize>(
        &self,
        worker: &mut Worker<'_>,
        t: usize,
        lock: Option<Lock>,
        cell: usize,
        raw: u64,
        state: &mut [u64; W],
    ) -> Result<u32, Halt> {
        let thread = &self.compiled.threads[t];
        let place = || usize::from(thread.place_of[cell].expect("a thread has a place for what it writes"));
        let to_memory = |state: &mut [u64; W]| self.compiled.cells[cell].field.set(state, raw);
        let (queue, tag) = match &thread.buffer {
            Buffer::None => {
                to_memory(state);
                return Ok(0);
            }
            Buffer::Slots(queues) => {
                let queue = &queues[place()];
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
            Buffer::Single(queue) => (queue, place() as u64 + 1),
            Buffer::PerCell { queues, epoch } => (&queues[place()], epoch.get(state) + 1),
        };
        let len = queue.len(state);
        if len == queue.capacity() {
            worker.met_capacity = true;
            return Err(Halt::Waits);
        }
        queue.push(state, len, Entry { tag, raw });
        Ok(len + 1)
    }

    /// Whether all threads have ended and nothing is pending.
    pub(crate) fn is_final<const W: usize>(&self, state: &[u64; W]) -> bool {
        self.compiled.threads.iter().all(|thread| {
            thread.locations[thread.location.get(state) as usize].edges.is_empty()
                && is_empty(&thread.buffer, state)
        })
    }

    /// The value stored as `raw` in the slot.
    pub(crate) fn decode(&self, worker: &mut Worker<'_>, slot: &Slot, raw: u64) -> Int {
        slot.coding.decode(raw, &mut worker.values).to_int()
    }

    /// The value of a part of the state.
    pub(crate) fn value_of<const W: usize>(
        &self,
        worker: &mut Worker<'_>,
        state: &[u64; W],
        atom: &StateAtom,
    ) -> Number {
        match *atom {
            StateAtom::Register(thread, reg) => {
                let slot = &self.compiled.threads[thread.0 as usize].regs[reg.0 as usize];
                slot.coding.decode(slot.field.get(state), &mut worker.values)
            }
            StateAtom::Cell(cell) => {
                let slot = &self.compiled.cells[cell.0 as usize];
                slot.coding.decode(slot.field.get(state), &mut worker.values)
            }
            StateAtom::At(thread, loc) => {
                let here = self.compiled.threads[thread.0 as usize].location.get(state);
                Number::Small(i64::from(here == u64::from(loc.0)))
            }
        }
    }

    pub(crate) fn holds<const W: usize>(
        &self,
        worker: &mut Worker<'_>,
        state: &[u64; W],
        condition: &StateCode,
    ) -> bool {
        let StateCode { code, atoms } = condition;
        let mut value = |atom: u16| self.value_of(worker, state, &atoms[atom as usize]);
        let small = code.eval(state, &mut |atom| match value(atom) {
            Number::Small(value) => Some(value),
            Number::Big(_) => None,
        });
        match small {
            Ok(value) => value != 0,
            Err(Escape::Fault) => false,
            Err(Escape::Wide) => {
                code.eval_exact(&mut |atom| value(atom).to_int()).is_ok_and(|value| value.is_true())
            }
        }
    }

    /// G-9: whether the state violates a property.
    #[inline]
    pub(crate) fn violates<const W: usize>(&self, worker: &mut Worker<'_>, state: &[u64; W]) -> bool {
        self.compiled.goals.iter().any(|goal| match goal {
            Goal::At(locations) => {
                (locations.iter()).all(|(t, bad)| bad[self.compiled.threads[*t].location.get(state) as usize])
            }
            Goal::Not(condition) => !self.holds(worker, state, condition),
            Goal::Final { condition, filter, bad } => {
                self.is_final(state)
                    && filter.as_ref().is_none_or(|filter| self.holds(worker, state, filter))
                    && self.holds(worker, state, condition) == *bad
            }
        })
    }

    /// How many writes the thread has pending for the cell.
    pub(crate) fn pending_for<const W: usize>(&self, t: usize, cell: CellId, state: &[u64; W]) -> u32 {
        let thread = &self.compiled.threads[t];
        let Some(place) = thread.place_of[cell.0 as usize].map(usize::from) else { return 0 };
        match &thread.buffer {
            Buffer::None => 0,
            Buffer::Single(queue) => {
                (0..queue.len(state)).filter(|&i| queue.get(state, i).tag == place as u64 + 1).count() as u32
            }
            Buffer::PerCell { queues, .. } | Buffer::Slots(queues) => queues[place].len(state),
        }
    }

    /// How many writes the thread has pending.
    pub(crate) fn pending<const W: usize>(&self, t: usize, state: &[u64; W]) -> u32 {
        match &self.compiled.threads[t].buffer {
            Buffer::None => 0,
            Buffer::Single(queue) => queue.len(state),
            Buffer::PerCell { queues, .. } | Buffer::Slots(queues) => {
                queues.iter().map(|queue| queue.len(state)).sum()
            }
        }
    }
}

/// All that an expansion gives.
#[derive(Debug)]
pub(crate) struct Gather<const W: usize, T> {
    pub(crate) states: Vec<([u64; W], T)>,
    pub(crate) violations: Vec<T>,
}

impl<const W: usize, T> Default for Gather<W, T> {
    fn default() -> Self {
        Self { states: Vec::new(), violations: Vec::new() }
    }
}

impl<const W: usize, T> Sink<W, T> for Gather<W, T> {
    fn state(&mut self, state: &[u64; W], trail: T) {
        self.states.push((*state, trail));
    }

    fn violation(&mut self, trail: T) {
        self.violations.push(trail);
    }
}

/// Rule *-1: the newest pending write of the thread to the cell.
#[inline(always)]
fn newest<const W: usize>(thread: &CompiledThread, cell: usize, state: &[u64; W]) -> Option<u64> {
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
fn is_empty<const W: usize>(buffer: &Buffer, state: &[u64; W]) -> bool {
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
fn fence<const W: usize>(buffer: &Buffer, kind: FenceKind, state: &mut [u64; W]) -> bool {
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
fn may_lock<const W: usize>(buffer: &Buffer, lock: Lock, state: &[u64; W]) -> bool {
    match (lock, buffer) {
        (_, Buffer::None) => true,
        (Lock::Full, _) | (Lock::Location, Buffer::Single(_)) => is_empty(buffer, state),
        (Lock::Location, Buffer::PerCell { .. } | Buffer::Slots(_)) => true,
    }
}

/// Rule *-6: a cell may be touched when its own buffer is empty, of marks too.
#[inline]
fn may_touch_locked<const W: usize>(thread: &CompiledThread, cell: usize, state: &[u64; W]) -> bool {
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
fn drop_marks<const W: usize>(buffer: &Buffer, state: &mut [u64; W]) {
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

/// Gives states to a search.
struct Emit<'e, F> {
    emit: &'e mut F,
    violations: u32,
}

impl<const W: usize, F: FnMut(&[u64; W])> Sink<W, ()> for Emit<'_, F> {
    #[inline(always)]
    fn state(&mut self, state: &[u64; W], (): ()) {
        (self.emit)(state);
    }

    fn violation(&mut self, (): ()) {
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
        let mut sink = Emit { emit, violations: 0 };
        self.expand(worker, state, &mut sink)?;
        Ok(sink.violations)
    }

    #[inline]
    fn is_goal(&self, worker: &mut Worker<'s>, state: &[u64; W]) -> bool {
        self.violates(worker, state)
    }
}
