//! Which bytes are *contested*: touched by several threads, one of them writing, with nothing that orders the accesses. Only
//! accesses to those are visible; everything else is done together with the visible instruction before it.
//!
//! # How a conflict is found
//! An action of a thread is one visible instruction and all that follows it up to the next one: its *segment*. What a segment
//! touches is *open* until the thread's next visible action: whatever another thread touches meanwhile is not ordered with it.
//! So for each place where a thread can stand there are two sets: what is open there, and what others touch while the thread
//! stands there. If they conflict in a granule, it is contested, and the search is made again with it.
//!
//! Under TSO and PSO a write that is not visible goes to memory at once. In the machine that is modelled it may be pending for
//! longer: until the thread does something that waits for all its writes. So there, what a segment writes is also *carried*
//! on from place to place until such an instruction. If that instruction is not the visible one itself but comes after it,
//! or after a flush, others can come in before it: at the place that the action leads to, what was carried still *lingers*.
//!
//! # Why that is enough
//! Take the first access, in any execution, that conflicts with an open one of thread *t* and is not ordered with it. If it
//! does not come after *t*'s next visible action in the order that visible actions make, then the same execution with that
//! action later is one, too; in it *t* still stands where its access is open. All orders of visible actions are searched, and
//! up to that access nothing that is not visible tells them apart. A search in which no new granule shows has therefore seen
//! everything. A violation, too, counts only in a search without new granules: a write that goes to memory at once may have
//! passed a pending one.
//!
//! Places are told apart by the calls a thread is in, and by how many threads there are and have been joined. Coarser places
//! join sets and so make more bytes contested, never fewer.
//!
//! Bytes that atomic instructions and locks touch become contested first: what they protect need not be.

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

/// Eight bytes of an object.
pub type Granule = (ObjectId, u32);

/// The first byte of a granule has this number times eight.
fn granules(offset: u64, size: u64) -> std::ops::RangeInclusive<u32> {
    (offset / 8) as u32..=((offset + size.max(1) - 1) / 8) as u32
}

/// How a granule is touched.
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

/// Where a thread stands.
type Place = u64;

/// What is known of a place.
#[derive(Debug, Clone, Default)]
struct Known {
    /// What the last segment touched.
    open: Touches,
    /// What was written since the thread last waited for its writes.
    carried: Touches,
    /// What may have been pending while others came in since the last visible action, but is not any more.
    lingering: Touches,
    /// What others touch while the thread stands there.
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

/// What becomes of writes that were pending before an action.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
enum Pending {
    /// They still are.
    Stay,
    /// The thread has waited for them, but others may have come in before.
    Linger,
    /// They were in memory before the visible instruction.
    Arrived,
}

/// What threads touch in a search.
#[derive(Debug, Clone, Default)]
pub struct Footprints {
    /// What is taken to be contested.
    contested: Rc<Contested>,
    /// What is contested beyond that: bytes of atomic instructions, and others.
    new_atomic: Conflicts,
    new_plain: Conflicts,
    places: HashMap<Place, Known, FixedState>,
    sets: HashMap<Box<[Made]>, u32, FixedState>,
    /// Sets that have been noted as touched beside a place.
    noted: HashSet<(Place, u32), FixedState>,
    segment: Segment,
}

/// The action that is being carried out.
#[derive(Debug, Clone, Default)]
struct Segment {
    place: Place,
    others: SmallVec<[(usize, Place); 8]>,
    touches: Vec<Made>,
    /// Those of the first that others can come in after.
    open: Vec<Made>,
    /// How many of the first are known to the others.
    told: usize,
    /// How many of the second were made before the thread last waited for its writes.
    settled: Option<usize>,
    /// Whether it waited before others could come in, too.
    waited_first: bool,
    /// Whether anything was touched that is not taken to be contested.
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
    /// Nothing touched yet; this is taken to be contested.
    pub fn new(contested: Rc<Contested>) -> Self {
        Self { contested, ..Self::default() }
    }

    /// What is contested and was not taken to be. While there are bytes of atomic instructions among it, only those.
    pub fn new_ones(&self) -> &Conflicts {
        if self.new_atomic.is_empty() { &self.new_plain } else { &self.new_atomic }
    }

    /// A thread begins an action.
    pub(crate) fn begin(&mut self, state: &State, thread: usize, ordered: bool) {
        self.segment = Segment { place: place(state, thread, ordered), ..Segment::default() };
        self.see_others(state, thread, ordered);
    }

    /// Threads were created or joined: what comes now is beside others.
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
        // The same threads may stand at other places now; what they have done is as open as it was.
        for (other, from) in before {
            let to = self.segment.others.iter().find(|(number, to)| *number == other && *to != from);
            if let Some((_, to)) = to {
                let next = Next { place: *to, keeps_open: true, carried: Pending::Stay };
                self.link(from, next);
            }
        }
    }

    /// What is open at a place is, as `next` says, at another.
    fn link(&mut self, from: Place, next: Next) {
        let origin = self.places.entry(from).or_default();
        if !origin.next.contains(&next) {
            origin.next.push(next);
            self.pass_on(from);
        }
    }

    /// Whether the action has touched anything that is not taken to be contested.
    pub(crate) fn has_touched(&self) -> bool {
        self.segment.was_quiet
    }

    /// The thread has waited until all its writes were in memory. `first`: nothing that others can notice came before it in
    /// this action.
    pub(crate) fn settled(&mut self, first: bool) {
        self.segment.settled = Some(self.segment.open.len());
        self.segment.waited_first |= first;
    }

    /// The thread touches bytes. Tells whether they are taken to be contested. `alone`: nobody else can do anything any more,
    /// but for threads that are created later, and what was done before is ordered with those.
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
        // Those that are not taken to be contested, and where the access to them is made.
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
                // Others may have done quietly what conflicts with it.
                self.note((granule, access, touch), true);
            } else {
                quiet.push((granule, access));
            }
        }
        self.segment.was_quiet |= !quiet.is_empty();
        for (granule, access) in quiet {
            self.note((granule, access, touch), alone);
            // An access to both sides of a border makes one of them: a pending write must not be passed by a direct one.
            if contested {
                self.new_atomic.insert((granule, access));
            }
        }
        contested
    }

    /// `settled`: nothing can come between it and what follows.
    fn note(&mut self, made: Made, settled: bool) {
        if self.segment.touches.last() != Some(&made) {
            self.segment.touches.push(made);
            if !settled {
                self.segment.open.push(made);
            }
        }
    }

    /// A pending write reaches memory.
    pub(crate) fn flush(&mut self, object: ObjectId, offset: u64, size: u64) {
        for granule in granules(offset, size) {
            if let Taken::Depends = self.contested.of(&(object, granule)) {
                self.note(((object, granule), Access::FLUSH, Touch::WRITE), true);
            }
        }
    }

    /// The action has ended. `acted`: it was a visible instruction. `buffered`: the model has store buffers.
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
        // The same step between the same places, with the same set, has nothing new to say.
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

    /// What a place has open goes on to those that follow.
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

    /// What was touched since the last time is beside the places of others.
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

    /// About the bytes that this takes.
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

/// Adds touches; tells whether there was something new.
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

/// Reads are never pending.
fn is_write((_, _, touch): &Made) -> bool {
    touch.write
}

fn hash_of(what: &impl Hash) -> u64 {
    FixedState::default().hash_one(what)
}

/// Where a thread makes an access.
fn access(state: &State, thread: usize) -> Access {
    // The first numbers have a meaning of their own.
    Access(place(state, thread, true) | 2)
}

/// Where a thread stands: its calls, and which threads there are. If accesses that visible ones keep apart are not told
/// apart, every place of a thread is the same.
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
