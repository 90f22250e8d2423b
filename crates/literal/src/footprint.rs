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

use std::hash::{BuildHasher, Hash, Hasher};
use std::rc::Rc;

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use smallvec::SmallVec;

use crate::state::{State, Status};
use crate::value::ObjectId;

/// Eight bytes of an object.
type Granule = (ObjectId, u32);

/// What several threads touch in no order.
pub type Contested = HashSet<Granule, FixedState>;

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

type Touches = HashMap<Granule, Touch, FixedState>;

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
    new_atomic: Contested,
    new_plain: Contested,
    places: HashMap<Place, Known, FixedState>,
    sets: HashMap<Box<[(Granule, Touch)]>, u32, FixedState>,
    /// Sets that have been noted as touched beside a place.
    noted: HashSet<(Place, u32), FixedState>,
    segment: Segment,
}

/// The action that is being carried out.
#[derive(Debug, Clone, Default)]
struct Segment {
    place: Place,
    others: SmallVec<[(usize, Place); 8]>,
    touches: Vec<(Granule, Touch)>,
    /// Those of the first that others can come in after.
    open: Vec<(Granule, Touch)>,
    /// How many of the first are known to the others.
    told: usize,
    /// How many of the second were made before the thread last waited for its writes.
    settled: Option<usize>,
    /// Whether it waited before others could come in, too.
    waited_first: bool,
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
    pub fn new_ones(&self) -> &Contested {
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
        !self.segment.touches.is_empty()
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
        object: ObjectId,
        offset: u64,
        size: u64,
        touch: Touch,
        alone: bool,
    ) -> bool {
        let range = granules(offset, size);
        let mut contested = false;
        for granule in range.clone() {
            let key = (object, granule);
            if self.contested.contains(&key) {
                contested = true;
            } else if self.segment.touches.last() != Some(&(key, touch)) {
                self.segment.touches.push((key, touch));
                if !alone {
                    self.segment.open.push((key, touch));
                }
            }
        }
        // An access to both sides of a border makes one of them: a pending write must not be passed by a direct one.
        if contested && range.clone().count() > 1 {
            for granule in range {
                let key = (object, granule);
                if !self.contested.contains(&key) {
                    self.new_atomic.insert(key);
                }
            }
        }
        contested
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

    fn number(&mut self, touches: &[(Granule, Touch)]) -> (u32, bool) {
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
                let both = open.and(*beside);
                if both.write {
                    let new = if both.atomic { &mut self.new_atomic } else { &mut self.new_plain };
                    new.insert(*granule);
                }
            }
        }
    }

    /// About the bytes that this takes.
    pub fn bytes(&self) -> u64 {
        let of = |touches: &Touches| touches.capacity() * 24;
        let places: usize = (self.places.values())
            .map(|known| {
                200 + of(&known.open) + of(&known.carried) + of(&known.lingering) + of(&known.beside)
            })
            .sum();
        let sets: usize = self.sets.keys().map(|set| 32 + set.len() * 16).sum();
        (places + sets + self.noted.capacity() * 17) as u64
    }
}

/// Adds touches; tells whether there was something new.
fn add(to: &mut Touches, touches: impl Iterator<Item = (Granule, Touch)>) -> bool {
    let mut grew = false;
    for (granule, touch) in touches {
        let known = to.entry(granule).or_insert_with(|| {
            grew = true;
            touch
        });
        let both = known.and(touch);
        grew |= both != *known;
        *known = both;
    }
    grew
}

fn pairs(touches: &Touches) -> impl Iterator<Item = (Granule, Touch)> {
    touches.iter().map(|(granule, touch)| (*granule, *touch))
}

/// Reads are never pending.
fn is_write((_, touch): &(Granule, Touch)) -> bool {
    touch.write
}

fn hash_of(what: &impl Hash) -> u64 {
    FixedState::default().hash_one(what)
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
mod tests {
    use super::*;
    use crate::buffer::Buffer;
    use crate::state::{Own, Part, Process, Task, Thread};

    const LOCK: ObjectId = ObjectId(3);
    const DATA: ObjectId = ObjectId(4);

    fn two_threads() -> State {
        let thread = || Thread {
            frames: Vec::new(),
            buffer: Part::new(Buffer::default()),
            status: Status::Ready,
            task: Task::Start(0),
            joined: false,
            detached: false,
            own: Part::new(Own::default()),
        };
        State {
            threads: vec![thread(), thread()],
            objects: Vec::new(),
            process: Part::new(Process::default()),
        }
    }

    /// An action that touches these objects and leaves the thread at its task with this number.
    fn act(notes: &mut Footprints, state: &mut State, thread: usize, to: u32, touches: &[(ObjectId, Touch)]) {
        notes.begin(state, thread, true);
        for (object, touch) in touches {
            notes.touch(*object, 0, 8, *touch, false);
        }
        state.threads[thread].task = Task::Start(to);
        notes.end(state, thread, true, true, false);
    }

    /// The same with store buffers. `waits`: the thread waits for its writes, before others can come in or after.
    fn act_buffered(
        notes: &mut Footprints,
        state: &mut State,
        thread: usize,
        to: u32,
        touches: &[(ObjectId, Touch)],
        waits: Option<bool>,
    ) {
        notes.begin(state, thread, true);
        if let Some(first) = waits {
            notes.settled(first);
        }
        for (object, touch) in touches {
            notes.touch(*object, 0, 8, *touch, false);
        }
        state.threads[thread].task = Task::Start(to);
        notes.end(state, thread, true, true, true);
    }

    #[test]
    fn readers_alone_are_no_conflict() {
        let (mut notes, mut state) = (Footprints::default(), two_threads());
        act(&mut notes, &mut state, 0, 1, &[(DATA, Touch::READ)]);
        act(&mut notes, &mut state, 1, 1, &[(DATA, Touch::READ)]);
        assert!(notes.new_ones().is_empty());
    }

    #[test]
    fn what_another_thread_touches_beside_an_open_access_is_contested() {
        let (mut notes, mut state) = (Footprints::default(), two_threads());
        act(&mut notes, &mut state, 0, 1, &[(DATA, Touch::WRITE)]);
        act(&mut notes, &mut state, 1, 1, &[(DATA, Touch::READ)]);
        assert_eq!(notes.new_ones().iter().collect::<Vec<_>>(), [&(DATA, 0)]);
    }

    #[test]
    fn a_visible_action_between_two_accesses_keeps_them_apart() {
        let (mut notes, mut state) = (Footprints::default(), two_threads());
        act(&mut notes, &mut state, 0, 1, &[(DATA, Touch::WRITE)]);
        act(&mut notes, &mut state, 0, 2, &[]);
        act(&mut notes, &mut state, 1, 1, &[(DATA, Touch::READ)]);
        assert!(notes.new_ones().is_empty());
    }

    #[test]
    fn bytes_of_atomic_instructions_come_first() {
        let (mut notes, mut state) = (Footprints::default(), two_threads());
        act(&mut notes, &mut state, 0, 1, &[(LOCK, Touch::ATOMIC), (DATA, Touch::WRITE)]);
        act(&mut notes, &mut state, 1, 1, &[(LOCK, Touch::ATOMIC), (DATA, Touch::WRITE)]);
        assert_eq!(notes.new_ones().iter().collect::<Vec<_>>(), [&(LOCK, 0)]);
    }

    #[test]
    fn with_store_buffers_an_access_stays_open_until_the_thread_has_waited_for_its_writes() {
        for waits in [false, true] {
            let (mut notes, mut state) = (Footprints::default(), two_threads());
            act_buffered(&mut notes, &mut state, 0, 1, &[(DATA, Touch::WRITE)], None);
            act_buffered(&mut notes, &mut state, 0, 2, &[], waits.then_some(true));
            act_buffered(&mut notes, &mut state, 1, 1, &[(DATA, Touch::WRITE)], None);
            assert_eq!(notes.new_ones().is_empty(), waits);
        }
    }

    /// A thread writes and goes on by a visible step; in the step after that, what waits for its writes is the visible
    /// instruction itself, or comes after it. Then the other thread touches what was written.
    #[test]
    fn a_wait_after_a_visible_step_comes_too_late_for_what_was_pending_at_it() {
        for first in [false, true] {
            let (mut notes, mut state) = (Footprints::default(), two_threads());
            act_buffered(&mut notes, &mut state, 0, 1, &[(DATA, Touch::WRITE)], None);
            act_buffered(&mut notes, &mut state, 0, 2, &[], None);
            act_buffered(&mut notes, &mut state, 0, 3, &[], Some(first));
            act_buffered(&mut notes, &mut state, 1, 1, &[(DATA, Touch::READ)], None);
            assert_eq!(notes.new_ones().is_empty(), first);
        }
    }

    #[test]
    fn joining_a_thread_keeps_open_what_another_has_touched() {
        let (mut notes, mut state) = (Footprints::default(), two_threads());
        let third = state.threads[1].clone();
        state.threads.push(third);
        act(&mut notes, &mut state, 2, 1, &[(DATA, Touch::WRITE)]);
        state.threads[1].status = Status::Ended;
        notes.begin(&state, 0, true);
        state.threads[1].joined = true;
        notes.see_others(&state, 0, true);
        notes.end(&state, 0, true, true, false);
        act(&mut notes, &mut state, 0, 1, &[(DATA, Touch::WRITE)]);
        assert_eq!(notes.new_ones().iter().collect::<Vec<_>>(), [&(DATA, 0)]);
    }

    #[test]
    fn an_access_across_a_border_joins_both_sides() {
        let contested: Contested = [(DATA, 0)].into_iter().collect();
        let mut notes = Footprints::new(Rc::new(contested));
        assert!(notes.touch(DATA, 6, 4, Touch::WRITE, false));
        assert!(notes.new_ones().contains(&(DATA, 1)));
        assert!(!notes.touch(DATA, 16, 8, Touch::WRITE, false));
    }
}
