//! The states seen. States stand in an arena in the order of their arrival, which is also the queue of a breadth-first
//! search, each with a link to its parent; a flat table of (hash, position) pairs finds them.
//!
//! Memory a state: the state itself, 4 bytes for the parent, and 8 bytes a slot at a load of one half to three
//! quarters. When the table is full it is thrown away and made again from the arena half as large again, so that old
//! and new never stand side by side.
//!
//! States are inserted in batches: the slots a batch will touch are asked for ahead of time, so that the misses of many
//! insertions overlap. That hint is the only `unsafe` code of the project: an intrinsic that reads and writes nothing,
//! on an address inside a live slice.

use fencewright_base::Stop;

/// States in a chunk of the arena. Costs at most one chunk of memory that is not used.
const CHUNK: usize = 4096;

/// Marks a state without parent.
pub(crate) const NO_PARENT: u32 = u32::MAX;

/// More states than this cannot be told apart by a 32-bit position (two values are taken).
const MAX_STATES: usize = u32::MAX as usize - 2;

const SMALLEST_TABLE: usize = 256;

/// A state that may be new.
#[derive(Debug, Copy, Clone)]
pub struct Candidate<const W: usize> {
    /// The state.
    pub state: [u64; W],
    /// Its hash, by [`Visited::hash`].
    pub hash: u64,
    /// The link to its parent.
    pub parent: u32,
}

/// A set of states with parent links.
#[derive(Debug)]
pub struct Visited<const W: usize> {
    /// 0 for an empty slot; else the upper half of the hash, and the position plus one.
    slots: Vec<u64>,
    chunks: Vec<Box<[[u64; W]]>>,
    parents: Vec<Box<[u32]>>,
    len: usize,
    /// The table grows when `len` passes this.
    limit: usize,
}

impl<const W: usize> Default for Visited<W> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const W: usize> Visited<W> {
    /// The empty set.
    pub fn new() -> Self {
        let mut visited =
            Self { slots: Vec::new(), chunks: Vec::new(), parents: Vec::new(), len: 0, limit: 0 };
        visited.slots = vec![0; SMALLEST_TABLE];
        visited.limit = SMALLEST_TABLE / 4 * 3;
        visited
    }

    /// The hash of a state.
    #[inline(always)]
    pub fn hash(state: &[u64; W]) -> u64 {
        // Folded multiplication, two words at a time: both halves of the 128-bit product are mixed.
        let mut hash = 0x9e37_79b9_7f4a_7c15u64;
        for pair in state.chunks(2) {
            let second = pair.get(1).copied().unwrap_or(0x2d35_8dcc_aa6c_78a5);
            hash = folded_product(pair[0] ^ 0xa076_1d64_78bd_642f, second ^ hash);
        }
        folded_product(hash, 0x8ebc_6af0_9c88_c6e3)
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let arena = self.chunks.len() * CHUNK * (size_of::<[u64; W]>() + size_of::<u32>());
        (arena + self.slots.capacity() * size_of::<u64>()) as u64
    }

    /// Bytes held after `more` further insertions, at most.
    pub fn bytes_after(&self, more: usize) -> u64 {
        let len = self.len + more;
        let chunks = len.div_ceil(CHUNK);
        let arena = chunks * CHUNK * (size_of::<[u64; W]>() + size_of::<u32>());
        let mut slots = self.slots.len();
        while len > slots / 4 * 3 {
            slots += slots / 2;
        }
        (arena + slots * size_of::<u64>()) as u64
    }

    /// Whether `more` further insertions may need more memory.
    #[inline]
    pub fn would_allocate(&self, more: usize) -> bool {
        self.len + more > self.limit || self.len + more > self.chunks.len() * CHUNK
    }

    /// The state at a position.
    #[inline(always)]
    pub fn state(&self, position: usize) -> &[u64; W] {
        &self.chunks[position / CHUNK][position % CHUNK]
    }

    /// The parent link of the state at a position.
    pub fn parent(&self, position: usize) -> u32 {
        self.parents[position / CHUNK][position % CHUNK]
    }

    /// Where the state stands, if it is in the set.
    pub fn find(&self, state: &[u64; W]) -> Option<usize> {
        let hash = Self::hash(state);
        let mut slot = self.home(hash);
        loop {
            let entry = self.slots[slot];
            if entry == 0 {
                return None;
            }
            if entry >> 32 == hash >> 32 && self.state(entry as u32 as usize - 1) == state {
                return Some(entry as u32 as usize - 1);
            }
            slot = if slot + 1 == self.slots.len() { 0 } else { slot + 1 };
        }
    }

    /// Hints that a candidate with this hash comes soon.
    #[inline(always)]
    pub fn expect(&self, hash: u64) {
        prefetch(&self.slots, self.home(hash));
    }

    /// Hints that a candidate with this hash comes next: if its slot holds something, that will be compared.
    #[inline(always)]
    pub fn expect_next(&self, hash: u64) {
        let entry = self.slots[self.home(hash)];
        if entry >> 32 == hash >> 32 && entry != 0 {
            let position = entry as u32 as usize - 1;
            prefetch(&self.chunks[position / CHUNK], position % CHUNK);
        }
    }

    /// Adds the candidate if it is new, and says whether it was.
    #[inline]
    pub fn insert(&mut self, candidate: &Candidate<W>) -> Result<bool, Stop> {
        let tag = candidate.hash >> 32 << 32;
        let mut slot = self.home(candidate.hash);
        loop {
            let entry = self.slots[slot];
            if entry == 0 {
                break;
            }
            if (entry ^ tag) >> 32 == 0 && *self.state(entry as u32 as usize - 1) == candidate.state {
                return Ok(false);
            }
            slot = if slot + 1 == self.slots.len() { 0 } else { slot + 1 };
        }
        if self.len >= self.limit {
            self.grow()?;
            slot = self.empty_slot(candidate.hash);
        }
        let position = self.len;
        if position == self.chunks.len() * CHUNK {
            self.add_chunk()?;
        }
        self.chunks[position / CHUNK][position % CHUNK] = candidate.state;
        self.parents[position / CHUNK][position % CHUNK] = candidate.parent;
        self.slots[slot] = tag | (position as u64 + 1);
        self.len += 1;
        Ok(true)
    }

    #[inline(always)]
    fn home(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.slots.len() as u128) >> 64) as usize
    }

    fn empty_slot(&self, hash: u64) -> usize {
        let mut slot = self.home(hash);
        while self.slots[slot] != 0 {
            slot = if slot + 1 == self.slots.len() { 0 } else { slot + 1 };
        }
        slot
    }

    #[cold]
    fn add_chunk(&mut self) -> Result<(), Stop> {
        if self.len + CHUNK > MAX_STATES {
            return Err(Stop::States);
        }
        self.chunks.push(zeroed([0; W], CHUNK)?.into_boxed_slice());
        self.parents.push(zeroed(0, CHUNK)?.into_boxed_slice());
        Ok(())
    }

    #[cold]
    fn grow(&mut self) -> Result<(), Stop> {
        let size = self.slots.len() + self.slots.len() / 2;
        self.slots = Vec::new();
        self.slots = zeroed(0, size)?;
        self.limit = size / 4 * 3;
        /// Far enough ahead for the slot to arrive, near enough for it to stay.
        const AHEAD: usize = 16;
        let mut hashes = [0u64; AHEAD];
        for position in 0..self.len + AHEAD {
            if position >= AHEAD {
                let hash = hashes[position % AHEAD];
                let slot = self.empty_slot(hash);
                self.slots[slot] = hash >> 32 << 32 | (position - AHEAD + 1) as u64;
            }
            if position < self.len {
                let hash = Self::hash(self.state(position));
                hashes[position % AHEAD] = hash;
                self.expect(hash);
            }
        }
        Ok(())
    }
}

#[inline(always)]
fn folded_product(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64)
}

/// A vector of `len` equal items, or a stop if there is no memory for it.
fn zeroed<T: Clone>(item: T, len: usize) -> Result<Vec<T>, Stop> {
    let mut items = Vec::new();
    items.try_reserve_exact(len).map_err(|_| Stop::Memory)?;
    items.resize(len, item);
    Ok(items)
}

#[inline(always)]
#[allow(unsafe_code, reason = "a cache hint has no safe form; it neither reads nor writes")]
fn prefetch<T>(items: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let item: *const T = &items[index];
        // SAFETY: prefetching has no effect on memory whatever the address, and this one is of a live item.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(item.cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (items, index);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate<const W: usize>(state: [u64; W], parent: u32) -> Candidate<W> {
        Candidate { state, hash: Visited::hash(&state), parent }
    }

    #[test]
    fn every_state_is_found_where_it_was_put_however_often_the_table_grows() {
        let mut visited = Visited::<2>::new();
        let key = |i: u64| [i.wrapping_mul(0x9e37_79b9_7f4a_7c15), i / 3];
        for i in 0..100_000u64 {
            assert_eq!(visited.insert(&candidate(key(i), i as u32 / 2)), Ok(true));
            assert_eq!(visited.insert(&candidate(key(i / 2), 0)), Ok(false));
        }
        assert_eq!(visited.len(), 100_000);
        for i in 0..100_000usize {
            assert_eq!(visited.find(&key(i as u64)), Some(i));
            assert_eq!(visited.state(i), &key(i as u64));
            assert_eq!(visited.parent(i), i as u32 / 2);
        }
        assert_eq!(visited.find(&[1, 1]), None);
    }

    #[test]
    fn colliding_hashes_are_told_apart_by_the_states() {
        let mut visited = Visited::<1>::new();
        for i in 0..150 {
            let same_hash = Candidate { state: [i], hash: 42 << 40, parent: NO_PARENT };
            assert_eq!(visited.insert(&same_hash), Ok(true));
            assert_eq!(visited.insert(&same_hash), Ok(false));
        }
        assert_eq!(visited.len(), 150);
    }

    #[test]
    fn bytes_after_is_what_is_held_then() {
        let mut visited = Visited::<1>::new();
        let foretold = visited.bytes_after(50_000);
        for i in 0..50_000 {
            visited.insert(&candidate([i], NO_PARENT)).unwrap();
        }
        assert_eq!(visited.bytes(), foretold);
        assert!(foretold <= 50_000 * (8 + 4 + 16) + 2 * CHUNK as u64 * 12);
    }
}
