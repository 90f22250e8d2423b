//! Relaxed memory order: SPARC V9's RMO (*The SPARC Architecture Manual, Version 9*, appendix D). Reads wait, too: a thread
//! may go on with a guess of what a read will give, and the read is performed later.
//!
//! The manual says which of a thread's accesses must keep their order; here every access that has been made and not been
//! performed is *open*, and knows the open ones that must go first. An execution of the manual, one order of all accesses,
//! becomes a run of this machine if each step is made just before the first access that is its own or comes behind it in the
//! text. The manual's order exists if and only if that run does: an access is performed only when what must come before it
//! has been, and every guess must come true.
//!
//! Guesses cannot be found by trying, so nothing explores this machine: it judges executions that others found.

use std::collections::{BTreeMap, BTreeSet};

use fencewright_base::Int;
use fencewright_ir::{Addr, CellId, FenceKind, Lock, Op, RegExpr, RegId, decides};

use super::{Made, Memory, StoreRules};
use crate::{Event, ReadFrom, Violation, WriteTo};

/// An access of a thread: the number of its step, and its place in the step. What a step reads, or all of a locked step, is
/// one access, 0; each other write is one.
type Id = (u32, u32);

/// What one thread has made and not performed.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RmoPending {
    /// How many steps the thread has made.
    steps: u32,
    /// In the order of the text.
    open: Vec<Access>,
    /// For each register the open reads that its value comes from.
    registers: BTreeMap<RegId, BTreeSet<Id>>,
    /// The open reads that decided that the thread got where it is.
    branches: BTreeSet<Id>,
    /// The open accesses that write and stand before a store-store fence.
    fenced: BTreeSet<Id>,
    failed: Option<Violation>,
    /// Whether the step that is being made has guesses.
    ahead: bool,
    /// What the step that is being made writes, in order; `None` is a store-store fence.
    fresh: Vec<Option<(CellId, Int)>>,
    /// Whether those writes are in memory: the step is locked, and made when its turn has come.
    acted: bool,
}

/// An access that has not been performed.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Access {
    id: Id,
    reads: Vec<(CellId, Int)>,
    writes: Vec<(CellId, Int)>,
    locked: bool,
    /// The open reads it depends on.
    depends: BTreeSet<Id>,
    /// All open accesses that must be performed first.
    after: BTreeSet<Id>,
}

impl Access {
    fn touches(&self, cell: CellId) -> bool {
        self.reads.iter().chain(&self.writes).any(|(touched, _)| *touched == cell)
    }

    fn shares_a_cell_with(&self, other: &Access) -> bool {
        self.reads.iter().chain(&self.writes).any(|(cell, _)| other.touches(*cell))
    }
}

/// What a step's operations say about what depends on what.
#[derive(Default)]
struct Reading {
    reads: Vec<(CellId, Int)>,
    /// For each write of the step what its address and value come from.
    writes: Vec<BTreeSet<Id>>,
    /// What the addresses of its reads come from, and what it wrote before them.
    read_depends: BTreeSet<Id>,
    /// What decides that the thread gets past it.
    decides: BTreeSet<Id>,
}

impl RmoPending {
    /// What the values of these registers come from.
    fn sources(&self, expr: &RegExpr) -> BTreeSet<Id> {
        let mut sources = BTreeSet::new();
        expr.for_each_atom(&mut |reg| sources.extend(self.registers.get(reg).into_iter().flatten()));
        sources
    }

    fn sources_of_address(&self, addr: &Addr) -> BTreeSet<Id> {
        match addr {
            Addr::Cell(_) => BTreeSet::new(),
            Addr::Indexed { index, .. } => self.sources(index),
        }
    }

    /// RMO-2: follows the step's operations and what came of them. `me` is its access that reads.
    fn follow(&mut self, made: Made<'_>, me: Id) -> Reading {
        let thread = &made.program.threads[made.thread];
        let mut reading = Reading::default();
        let mut written: BTreeSet<CellId> = BTreeSet::new();
        let mut events = made.events.iter();
        for op in &made.step.ops {
            let decides = decides(made.program, thread, op);
            for reg in decides.registers {
                reading.decides.extend(self.registers.get(&reg).into_iter().flatten());
            }
            if decides.value_read {
                reading.decides.insert(me);
            }
            if !matches!(op, Op::Guard(_) | Op::Assert(_) | Op::Fence(_)) && events.len() == 0 {
                break; // The step failed here.
            }
            match op {
                Op::Read { dst, addr } => {
                    if let Some(Event::Read { cell, value, .. }) = events.next()
                        && !written.contains(cell)
                    {
                        reading.reads.push((*cell, value.clone()));
                    }
                    reading.read_depends.extend(self.sources_of_address(addr));
                    reading.read_depends.extend(reading.writes.iter().flatten());
                    let mut sources = reading.read_depends.clone();
                    sources.insert(me);
                    self.registers.insert(*dst, sources);
                }
                Op::Write { addr, value } => {
                    if let Some(Event::Write { cell, .. }) = events.next() {
                        written.insert(*cell);
                    }
                    let mut sources = self.sources(value);
                    sources.extend(self.sources_of_address(addr));
                    reading.writes.push(sources);
                }
                Op::Assign { dst, value } => {
                    events.next();
                    let sources = self.sources(value);
                    self.registers.insert(*dst, sources);
                }
                Op::Havoc { dst } => {
                    events.next();
                    self.registers.remove(dst);
                }
                Op::Guard(_) | Op::Assert(_) | Op::Fence(_) | Op::Send { .. } | Op::Receive { .. } => {}
            }
        }
        // A step's reads are one access, whatever they use of each other.
        reading.read_depends.remove(&me);
        for (reg, declared) in thread.regs.iter_enumerated() {
            if declared.scratch {
                self.registers.remove(&reg);
            }
        }
        reading
    }

    /// RMO-5: what is behind a store-store fence waits for what writes before it.
    fn put_fence(&mut self) {
        self.fenced.extend(
            self.open
                .iter()
                .filter(|access| !access.writes.is_empty() || access.locked)
                .map(|access| access.id),
        );
    }

    /// The access has been performed: nothing waits for it any more.
    fn performed(&mut self, id: Id) {
        self.open.retain(|access| access.id != id);
        for access in &mut self.open {
            access.depends.remove(&id);
            access.after.remove(&id);
        }
        self.registers.values_mut().for_each(|sources| {
            sources.remove(&id);
        });
        self.branches.remove(&id);
        self.fenced.remove(&id);
    }

    /// A plain step's read: it waits for what its addresses come from; for what its own writes, which it may have to read
    /// from, depend on; and for locked steps at the same cell.
    fn read_access(&self, me: Id, reading: &Reading) -> Access {
        let access = Access { id: me, reads: reading.reads.clone(), ..Access::default() };
        let (mut depends, mut after) = (reading.read_depends.clone(), BTreeSet::new());
        for earlier in self.open.iter().filter(|earlier| earlier.shares_a_cell_with(&access)) {
            if earlier.locked {
                after.insert(earlier.id);
            } else if !earlier.writes.is_empty() {
                depends.extend(&earlier.depends);
            }
        }
        Access { depends, after, ..access }
    }

    /// What writes waits for the branches, for what its value and address come from, for the fence, and for everything
    /// before it that touches its cell.
    fn writing_access(&self, mut access: Access, sources: &BTreeSet<Id>) -> Access {
        access.depends.extend(sources);
        access.depends.extend(&self.branches);
        access.depends.remove(&access.id);
        access.after.extend(&self.fenced);
        let same = self.open.iter().filter(|earlier| earlier.shares_a_cell_with(&access));
        let same: Vec<Id> = same.map(|earlier| earlier.id).collect();
        access.after.extend(same);
        access
    }

    /// Puts the access behind the others, or performs it at once; false: it must wait, and may not.
    fn add(&mut self, mut access: Access, must_be_now: bool) -> bool {
        access.after.extend(&access.depends);
        if must_be_now {
            let id = access.id;
            self.performed(id);
            return access.after.is_empty();
        }
        self.open.push(access);
        true
    }
}

impl StoreRules for RmoPending {
    /// RMO-1: a read takes the newest own write before it in the text that is open; else memory. Of a step made ahead only
    /// its own writes are there: the others are part of the guess.
    fn newest(&self, cell: CellId) -> Option<&Int> {
        let fresh = self.fresh.iter().rev().filter(|_| !self.acted).flatten();
        let open =
            self.open.iter().rev().filter(|_| !self.ahead).flat_map(|access| access.writes.iter().rev());
        fresh.chain(open).find(|(written, _)| *written == cell).map(|(_, value)| value)
    }

    fn write(&mut self, _memory: &mut Memory, cell: CellId, value: Int) {
        self.fresh.push(Some((cell, value)));
    }

    /// RMO-3: a write for which nothing open must come first may reach memory.
    fn flushable(&self) -> Vec<CellId> {
        let plain = self.open.iter().filter(|access| !access.locked && access.after.is_empty());
        plain.flat_map(|access| access.writes.iter().map(|(cell, _)| *cell)).collect()
    }

    fn flush(&mut self, memory: &mut Memory, cell: CellId) {
        let writes = |access: &&Access| !access.locked && access.writes.iter().any(|(c, _)| *c == cell);
        let access = self.open.iter().find(writes).expect("the cell has a write that may be flushed");
        let (id, value) = (access.id, access.writes[0].1.clone());
        memory[cell] = value;
        self.performed(id);
    }

    /// RMO-4: a full fence needs everything performed, and so is what its own step reads. RMO-5: a store-store fence waits for
    /// nothing.
    fn fence(&mut self, kind: FenceKind) -> bool {
        match kind {
            FenceKind::Full => {
                let waits = !self.acted && self.fresh.iter().any(Option::is_some);
                self.open.is_empty() && !waits && !self.ahead
            }
            FenceKind::StoreStore => {
                self.fresh.push(None);
                true
            }
        }
    }

    /// RMO-6.
    fn may_lock(&self, lock: Lock) -> bool {
        match lock {
            Lock::Full => self.open.is_empty() && !self.ahead,
            Lock::Location => true,
        }
    }

    fn may_touch_locked(&self, cell: CellId) -> bool {
        self.ahead || !self.open.iter().any(|access| access.touches(cell))
    }

    fn locked_write(&mut self, memory: &mut Memory, cell: CellId, value: Int) {
        if !self.ahead {
            memory[cell] = value.clone();
            self.acted = true;
        }
        self.fresh.push(Some((cell, value)));
    }

    fn queues(&self) -> Vec<Vec<Option<(CellId, Int)>>> {
        let mut queues: BTreeMap<CellId, Vec<Option<(CellId, Int)>>> = BTreeMap::new();
        for (cell, value) in
            self.open.iter().filter(|access| !access.locked).flat_map(|access| &access.writes)
        {
            queues.entry(*cell).or_default().push(Some((*cell, value.clone())));
        }
        queues.into_values().collect()
    }

    fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    fn look_ahead(&mut self) -> bool {
        self.ahead = true;
        true
    }

    fn made(&mut self, made: Made<'_>) -> bool {
        let me = (self.steps, 0);
        let ahead = std::mem::take(&mut self.ahead);
        let mut fresh = std::mem::take(&mut self.fresh);
        self.acted = false;
        if self.failed.is_some() {
            return false;
        }
        let reading = self.follow(made, me);
        self.branches.extend(&reading.decides);
        if made.failed.is_some() {
            // It writes nothing.
            fresh.clear();
            self.failed = made.failed.cloned();
        }
        let mut ok = true;
        if made.step.lock.is_some() {
            let mut fresh = fresh.into_iter().peekable();
            while fresh.next_if_eq(&None).is_some() {
                self.put_fence();
            }
            let rest: Vec<Option<(CellId, Int)>> = fresh.collect();
            let has_fence = rest.contains(&None);
            // Of several writes to one cell the last is the one that is seen.
            let writes: BTreeMap<CellId, Int> = rest.into_iter().flatten().collect();
            let access = Access {
                id: me,
                reads: reading.reads.clone(),
                writes: writes.into_iter().collect(),
                locked: true,
                ..Access::default()
            };
            let mut sources: BTreeSet<Id> = reading.writes.iter().flatten().copied().collect();
            sources.extend(&reading.read_depends);
            let access = self.writing_access(access, &sources);
            if access.reads.is_empty() && access.writes.is_empty() {
                ok &= !ahead;
                self.performed(me);
            } else {
                ok &= self.add(access, !ahead);
            }
            if has_fence {
                self.put_fence();
            }
        } else {
            if reading.reads.is_empty() {
                ok &= !ahead;
                self.performed(me);
            } else {
                let access = self.read_access(me, &reading);
                ok &= self.add(access, !ahead);
            }
            let mut sources = reading.writes.iter();
            for (n, entry) in fresh.into_iter().enumerate() {
                let Some((cell, value)) = entry else {
                    self.put_fence();
                    continue;
                };
                let id = (self.steps, n as u32 + 1);
                let access = Access { id, writes: vec![(cell, value)], ..Access::default() };
                let mut depends = sources.next().cloned().unwrap_or_default();
                depends.extend(&reading.read_depends);
                if ahead {
                    depends.insert(me);
                } else {
                    // It has been performed.
                    depends.remove(&me);
                }
                let access = self.writing_access(access, &depends);
                self.add(access, false);
            }
        }
        self.steps += 1;
        ok
    }

    fn late(&mut self, memory: &mut Memory, step: u32) -> Option<Vec<Event>> {
        let at = self.open.iter().position(|access| access.id == (step, 0) && access.after.is_empty())?;
        let access = self.open[at].clone();
        let mut events = Vec::new();
        for (cell, value) in access.reads {
            let own = self.open[..at].iter().rev().flat_map(|earlier| earlier.writes.iter().rev());
            let own = own.filter(|(written, _)| *written == cell).map(|(_, value)| value).next();
            let from = if own.is_some() { ReadFrom::OwnPending } else { ReadFrom::Memory };
            if *own.unwrap_or(&memory[cell]) != value {
                return None;
            }
            events.push(Event::Read { cell, value, from });
        }
        for (cell, value) in access.writes {
            memory[cell] = value.clone();
            events.push(Event::Write { cell, value, to: WriteTo::Memory });
        }
        self.performed(access.id);
        Some(events)
    }

    fn guesses(&self) -> bool {
        self.open.iter().any(|access| !access.reads.is_empty() || access.locked)
    }

    fn failed(&self) -> Option<&Violation> {
        self.failed.as_ref()
    }
}
