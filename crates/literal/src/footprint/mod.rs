//! Finds the *contested* bytes: those that several threads access, at least one of them writing, with nothing that orders the
//! accesses. Only accesses to contested bytes are visible. Everything else a thread does runs together with the visible
//! instruction before it. (The idea is Lipton's reduction: an uncontested access commutes with what other threads do.)
//!
//! # How a conflict is found
//! An action of a thread is one visible instruction and everything after it up to the next one: a *segment*. The accesses of a
//! segment are *open* until the thread's next visible action: nothing orders them with the accesses that other threads make
//! meanwhile. So each place where a thread can stand has two sets: what is open there, and what other threads access while the
//! thread stands there. A granule in which the two conflict is contested, and the search starts again with it.
//!
//! Under TSO and PSO, a write that is not visible goes to memory at once. In the modelled machine it may stay pending until the
//! thread waits for all its writes. So under these models the writes of a segment are also *carried* from place to place until
//! an instruction that waits. If that instruction is not the visible one but comes after it, or after a flush, other threads
//! can act before it: at the place after the action, the carried writes still *linger*.
//!
//! # Why that is enough
//! Take the first access, in any execution, that conflicts with an open access of a thread *t* and is not ordered with it. If
//! it does not come after *t*'s next visible action in the order of visible actions, that action can be moved after it, which
//! gives another execution; there, *t* still stands where its access is open. The search covers all orders of visible actions,
//! and up to that access nothing invisible distinguishes the two executions. So a search that finds no new granule has seen
//! everything. A violation, too, counts only in a search that finds no new granule, because a write that went to memory at once
//! may have overtaken a pending one.
//!
//! A place is identified by the calls the thread is in and by how many threads exist and have been joined. Coarser places merge
//! sets, so they make more bytes contested, never fewer.
//!
//! Bytes of atomic instructions and locks become contested first, because the bytes that they protect may not need to.
//!
//! # Refinement
//! In a large search, the accesses to a contested granule are told apart by the place where they are made
//! ([`contested`](contested::Contested::refined)). An access is visible only if it was found to conflict there: the count of
//! references that a thread drops after the last other owner is gone, for example, stays invisible. The argument above is about
//! accesses, not about bytes, so it holds unchanged; the visible accesses and flushes of others count as accesses that can
//! conflict with an open one.
//!
//! # Limits
//! The argument needs every access noted with all its bytes. It is checked against a search in which all bytes are contested
//! ([`Settings::all_contested`](crate::settings::Settings::all_contested)).

mod contested;

use std::hash::{BuildHasher, Hash, Hasher};
use std::rc::Rc;

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use smallvec::SmallVec;

use self::contested::Taken;
pub use self::contested::{Access, Conflicts, Contested};
use crate::state::{State, Status};
use crate::value::ObjectId;

/// Eight bytes of an object, by their number within it.
pub type Granule = (ObjectId, u32);

/// The granules of a range of bytes: granule `n` starts at byte `8 * n`.
fn granules(offset: u64, size: u64) -> std::ops::RangeInclusive<u32> {
    (offset / 8) as u32..=((offset + size.max(1) - 1) / 8) as u32
}

/// How a granule is accessed.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub(crate) struct Touch {
    /// Whether it is written.
    pub(crate) write: bool,
    /// Whether an atomic instruction or a lock does it.
    pub(crate) atomic: bool,
}

impl Touch {
    pub(crate) const READ: Touch = Touch { write: false, atomic: false };
    pub(crate) const WRITE: Touch = Touch { write: true, atomic: false };
    /// A locked step.
    pub(crate) const ATOMIC: Touch = Touch { write: true, atomic: true };

    fn and(self, other: Touch) -> Touch {
        Touch { write: self.write || other.write, atomic: self.atomic || other.atomic }
    }
}

/// An access to a granule.
type Made = (Granule, Access, Touch);

/// Accesses by granule.
type Touches = HashMap<Granule, SmallVec<[(Access, Touch); 1]>, FixedState>;

/// Where a thread stands, as a hash.
type Place = u64;

/// What is known of a place.
#[derive(Debug, Clone, Default)]
struct Known {
    /// What the last segment accessed.
    open: Touches,
    /// Writes since the thread last waited for its writes.
    carried: Touches,
    /// Writes that may have been pending while other threads acted since the last visible action, but are not any more.
    lingering: Touches,
    /// What other threads access while the thread stands there.
    beside: Touches,
    /// The places that follow, and what is still open and carried there.
    next: Vec<Next>,
}

#[derive(Debug, Copy, Clone, PartialEq, Eq)]
struct Next {
    place: Place,
    keeps_open: bool,
    carried: Pending,
}

/// What becomes of the writes that were pending before an action.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
enum Pending {
    /// They are still pending.
    Stay,
    /// The thread has waited for them, but other threads may have acted first.
    Linger,
    /// They were in memory before the visible instruction.
    Arrived,
}

/// What threads access in a search.
#[derive(Debug, Clone, Default)]
pub struct Footprints {
    /// The bytes that the search takes to be contested.
    contested: Rc<Contested>,
    /// What it found contested beyond those: bytes of atomic instructions, and others.
    new_atomic: Conflicts,
    new_plain: Conflicts,
    places: HashMap<Place, Known, FixedState>,
    sets: HashMap<Box<[Made]>, u32, FixedState>,
    /// The sets already recorded as accessed while a thread stands at a place.
    noted: HashSet<(Place, u32), FixedState>,
    segment: Segment,
}

/// The action being carried out.
#[derive(Debug, Clone, Default)]
struct Segment {
    place: Place,
    others: SmallVec<[(usize, Place); 8]>,
    touches: Vec<Made>,
    /// Those of `touches` that other threads can act after.
    open: Vec<Made>,
    /// How many of `touches` the other threads' places have recorded.
    told: usize,
    /// How many of `open` came before the thread last waited for its writes.
    settled: Option<usize>,
    /// Whether the thread also waited before other threads could act.
    waited_first: bool,
    /// Whether it made an invisible access.
    was_quiet: bool,
}

impl PartialEq for Footprints {
    fn eq(&self, other: &Self) -> bool {
        self.contested == other.contested
            && self.new_atomic == other.new_atomic
            && self.new_plain == other.new_plain
    }
}

impl Eq for Footprints {}

impl Footprints {
    /// Nothing accessed yet; these bytes are taken to be contested.
    pub fn new(contested: Rc<Contested>) -> Self {
        Self { contested, ..Self::default() }
    }

    /// The newly found conflicts. If some are with atomic instructions, only those.
    pub fn new_ones(&self) -> &Conflicts {
        if self.new_atomic.is_empty() { &self.new_plain } else { &self.new_atomic }
    }

    /// A thread begins an action.
    pub(crate) fn begin(&mut self, state: &State, thread: usize, ordered: bool) {
        self.segment = Segment { place: place(state, thread, ordered), ..Segment::default() };
        self.see_others(state, thread, ordered);
    }

    /// The thread has created or joined another: later accesses are recorded beside the new set.
    pub(crate) fn see_others(&mut self, state: &State, thread: usize, ordered: bool) {
        self.tell_others();
        let is_there = |other: usize| {
            let is_gone = state.threads[other].status == Status::Ended
                && state.threads[other].joined
                && state.threads[other].buffer.is_empty();
            other != thread && !(ordered && is_gone)
        };
        let others = (0..state.threads.len()).filter(|other| is_there(*other));
        let before = std::mem::take(&mut self.segment.others);
        self.segment.others = others.map(|other| (other, place(state, other, ordered))).collect();
        // The same threads may have other places now; what was open there still is.
        for (other, from) in before {
            let to = self.segment.others.iter().find(|(number, to)| *number == other && *to != from);
            if let Some((_, to)) = to {
                let next = Next { place: *to, keeps_open: true, carried: Pending::Stay };
                self.link(from, next);
            }
        }
    }

    /// Adds an edge: what is open or carried at `from` is passed on as `next` says.
    fn link(&mut self, from: Place, next: Next) {
        let origin = self.places.entry(from).or_default();
        if !origin.next.contains(&next) {
            origin.next.push(next);
            self.pass_on(from);
        }
    }

    /// Whether the action has accessed anything not taken to be contested.
    pub(crate) fn has_touched(&self) -> bool {
        self.segment.was_quiet
    }

    /// The thread has waited until all its writes were in memory. `first`: nothing visible to others preceded the wait in this
    /// action.
    pub(crate) fn settled(&mut self, first: bool) {
        self.segment.settled = Some(self.segment.open.len());
        self.segment.waited_first |= first;
    }

    /// The thread accesses bytes. Returns whether they are taken to be contested. `alone`: no other thread can act any more,
    /// except threads created later, and those are ordered after this access.
    pub(crate) fn touch(
        &mut self,
        state: &State,
        thread: usize,
        (object, offset, size): (ObjectId, u64, u64),
        touch: Touch,
        alone: bool,
    ) -> bool {
        let mut here = None;
        let mut contested = false;
        // The granules to which this access is not visible, and where it is made.
        let mut quiet: SmallVec<[(Granule, Access); 2]> = SmallVec::new();
        for granule in granules(offset, size) {
            let granule = (object, granule);
            let access = match self.contested.of(&granule) {
                Taken::Contested => {
                    contested = true;
                    continue;
                }
                Taken::Uncontested => Access::ANY,
                Taken::Depends => *here.get_or_insert_with(|| access(state, thread)),
            };
            if access != Access::ANY && self.contested.contains(&granule, access) {
                contested = true;
                // An invisible access of another thread may conflict with it.
                self.note((granule, access, touch), true);
            } else {
                quiet.push((granule, access));
            }
        }
        self.segment.was_quiet |= !quiet.is_empty();
        for (granule, access) in quiet {
            self.note((granule, access, touch), alone);
            // If part of an access is visible, all of it is: a direct write must not overtake a pending one.
            if contested {
                self.new_atomic.insert((granule, access));
            }
        }
        contested
    }

    /// Records an access. `settled`: no other thread can act between it and what follows.
    fn note(&mut self, made: Made, settled: bool) {
        if self.segment.touches.last() != Some(&made) {
            self.segment.touches.push(made);
            if !settled {
                self.segment.open.push(made);
            }
        }
    }

    /// A pending write reaches memory: an action of its own, which may conflict with invisible accesses of others.
    pub(crate) fn flush(&mut self, object: ObjectId, offset: u64, size: u64) {
        for granule in granules(offset, size) {
            if let Taken::Depends = self.contested.of(&(object, granule)) {
                self.note(((object, granule), Access::FLUSH, Touch::WRITE), true);
            }
        }
    }

    /// The action has ended. `acted`: it had a visible instruction. `buffered`: the model has store buffers.
    pub(crate) fn end(&mut self, state: &State, thread: usize, ordered: bool, acted: bool, buffered: bool) {
        self.tell_others();
        let to = place(state, thread, ordered);
        let from = self.segment.place;
        let settled = self.segment.settled;
        let touches = std::mem::take(&mut self.segment.open);
        let carried = match settled {
            _ if !buffered => Pending::Arrived,
            None => Pending::Stay,
            Some(_) if self.segment.waited_first => Pending::Arrived,
            Some(_) => Pending::Linger,
        };
        let next = Next { place: to, keeps_open: !(acted && ordered), carried };
        let (set, is_new) = self.number(&touches);
        // The same step between the same places with the same set adds nothing.
        let step = hash_of(&(from, next.place, next.keeps_open, next.carried, settled));
        if self.noted.insert((step, set)) || is_new {
            let known = self.places.entry(to).or_default();
            let mut grew = add(&mut known.open, touches.iter().copied());
            if buffered {
                grew |=
                    add(&mut known.carried, touches[settled.unwrap_or(0)..].iter().copied().filter(is_write));
            }
            if next.keeps_open || next.carried != Pending::Arrived {
                self.link(from, next);
            }
            if grew {
                self.pass_on(to);
            }
            self.compare(to);
        }
    }

    /// Passes what is open or carried at a place on to the places that follow, to a fixed point.
    fn pass_on(&mut self, from: Place) {
        let mut work = vec![from];
        while let Some(from) = work.pop() {
            let Some(known) = self.places.get(&from) else { continue };
            let next = known.next.clone();
            let (open, carried) = (known.open.clone(), known.carried.clone());
            for Next { place, keeps_open, carried: pending } in next {
                let to = self.places.entry(place).or_default();
                let mut grew = keeps_open && add(&mut to.open, pairs(&open));
                let mut is_new = false;
                match pending {
                    Pending::Stay => grew |= add(&mut to.carried, pairs(&carried)),
                    Pending::Linger => is_new = add(&mut to.lingering, pairs(&carried)),
                    Pending::Arrived => {}
                }
                if grew {
                    work.push(place);
                }
                if grew || is_new {
                    self.compare(place);
                }
            }
        }
    }

    /// Records the accesses since the last call at the places of the other threads.
    pub(crate) fn tell_others(&mut self) {
        let Segment { touches, told, others, .. } = &mut self.segment;
        let (touches, others) = (touches[*told..].to_vec(), others.clone());
        *told += touches.len();
        if touches.is_empty() {
            return;
        }
        let (set, _) = self.number(&touches);
        for (_, other) in others {
            if self.noted.insert((other, set)) {
                add(&mut self.places.entry(other).or_default().beside, touches.iter().copied());
                self.compare(other);
            }
        }
    }

    fn number(&mut self, touches: &[Made]) -> (u32, bool) {
        let next = self.sets.len() as u32;
        if let Some(number) = self.sets.get(touches) {
            return (*number, false);
        }
        self.sets.insert(touches.into(), next);
        (next, true)
    }

    /// Looks for conflicts at a place.
    fn compare(&mut self, place: Place) {
        let Some(known) = self.places.get(&place) else { return };
        for (granule, beside) in &known.beside {
            let open = [&known.open, &known.carried, &known.lingering];
            for open in open.into_iter().filter_map(|touches| touches.get(granule)) {
                for ((access, touch), (other, beside)) in
                    open.iter().flat_map(|open| beside.iter().map(move |beside| (open, beside)))
                {
                    let both = touch.and(*beside);
                    if !both.write {
                        continue;
                    }
                    let new = if both.atomic { &mut self.new_atomic } else { &mut self.new_plain };
                    for access in [*access, *other] {
                        if access != Access::FLUSH && !self.contested.contains(granule, access) {
                            new.insert((*granule, access));
                        }
                    }
                }
            }
        }
    }

    /// Approximate memory use in bytes.
    pub fn bytes(&self) -> u64 {
        let of = |touches: &Touches| touches.capacity() * 48;
        let places: usize = (self.places.values())
            .map(|known| {
                200 + of(&known.open) + of(&known.carried) + of(&known.lingering) + of(&known.beside)
            })
            .sum();
        let sets: usize = self.sets.keys().map(|set| 32 + set.len() * 32).sum();
        (places + sets + self.noted.capacity() * 17) as u64
    }
}

/// Adds accesses; returns whether any was new.
fn add(to: &mut Touches, touches: impl Iterator<Item = Made>) -> bool {
    let mut grew = false;
    for (granule, access, touch) in touches {
        let known = to.entry(granule).or_default();
        match known.iter_mut().find(|(at, _)| *at == access) {
            Some((_, known)) => {
                let both = known.and(touch);
                grew |= both != *known;
                *known = both;
            }
            None => {
                grew = true;
                known.push((access, touch));
            }
        }
    }
    grew
}

fn pairs(touches: &Touches) -> impl Iterator<Item = Made> {
    touches
        .iter()
        .flat_map(|(granule, made)| made.iter().map(move |(access, touch)| (*granule, *access, *touch)))
}

/// Only writes can be pending.
fn is_write((_, _, touch): &Made) -> bool {
    touch.write
}

fn hash_of(what: &impl Hash) -> u64 {
    FixedState::default().hash_one(what)
}

/// Identifies the place where a thread makes an access.
fn access(state: &State, thread: usize) -> Access {
    // Smaller numbers are reserved.
    Access(place(state, thread, true) | 2)
}

/// Hashes where a thread stands: its calls, and which threads exist. Without `ordered`, all places of a thread are the same.
fn place(state: &State, thread: usize, ordered: bool) -> Place {
    let mut hasher = FixedState::default().build_hasher();
    thread.hash(&mut hasher);
    if ordered {
        state.threads.len().hash(&mut hasher);
        state.threads.iter().filter(|thread| thread.joined).count().hash(&mut hasher);
        state.threads[thread].task.hash(&mut hasher);
        for frame in &state.threads[thread].frames {
            (frame.function.number, frame.pc).hash(&mut hasher);
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests;
