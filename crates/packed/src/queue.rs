//! First-in-first-out queues inside packed states. An entry is a tag that is never 0 above a raw value; the oldest
//! entry stands lowest, so the length is told by the highest bit that is set and needs no field of its own.

use fencewright_explore::pack::{Field, Packer, bits_for};

/// Where a queue is stored.
#[derive(Debug, Clone)]
pub(crate) struct Queue {
    fields: Vec<Field>,
    per_field: u32,
    entry_bits: u32,
    /// `bit * entries_per_bit >> 16` is the place of the entry a bit belongs to: a division is slow here.
    entries_per_bit: u32,
    value_bits: u32,
    capacity: u32,
}

/// A queue's entry.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Not 0.
    pub(crate) tag: u64,
    pub(crate) raw: u64,
}

impl Queue {
    /// A queue of at most `capacity` entries with tags up to `max_tag`. `None` if an entry does not fit in a word.
    pub(crate) fn place(packer: &mut Packer, capacity: u32, max_tag: u64, value_bits: u32) -> Option<Queue> {
        if capacity == 0 || max_tag == 0 {
            // Nothing can ever be in it.
            return Some(Queue {
                fields: Vec::new(),
                per_field: 1,
                entry_bits: 1,
                entries_per_bit: 1 << 16,
                value_bits: 0,
                capacity: 0,
            });
        }
        let entry_bits = value_bits + bits_for(max_tag + 1);
        if entry_bits > 64 {
            return None;
        }
        let per_field = (64 / entry_bits).min(capacity);
        let mut left = capacity;
        let mut fields = Vec::new();
        while left > 0 {
            let here = left.min(per_field);
            fields.push(packer.place(here * entry_bits));
            left -= here;
        }
        let entries_per_bit = (1u32 << 16).div_ceil(entry_bits);
        debug_assert!((0..64).all(|bit| (bit * entries_per_bit) >> 16 == bit / entry_bits));
        Some(Queue { fields, per_field, entry_bits, entries_per_bit, value_bits, capacity })
    }

    pub(crate) fn capacity(&self) -> u32 {
        self.capacity
    }

    #[inline(always)]
    fn split(&self, entry: u64) -> Entry {
        let (tag, raw) = match self.value_bits {
            0 => (entry, 0),
            64 => (0, entry),
            bits => (entry >> bits, entry & (u64::MAX >> (64 - bits))),
        };
        Entry { tag, raw }
    }

    #[inline(always)]
    fn join(&self, entry: Entry) -> u64 {
        entry.tag << self.value_bits | entry.raw
    }

    #[inline(always)]
    fn entry_mask(&self) -> u64 {
        u64::MAX >> (64 - self.entry_bits)
    }

    #[inline(always)]
    pub(crate) fn is_empty<const W: usize>(&self, state: &[u64; W]) -> bool {
        self.fields.first().is_none_or(|first| first.get(state) == 0)
    }

    #[inline(always)]
    pub(crate) fn len<const W: usize>(&self, state: &[u64; W]) -> u32 {
        for (i, field) in self.fields.iter().enumerate().rev() {
            let bits = field.get(state);
            if bits != 0 {
                let in_field = ((63 - bits.leading_zeros()) * self.entries_per_bit) >> 16;
                return i as u32 * self.per_field + in_field + 1;
            }
        }
        0
    }

    /// The field and the shift of a place.
    #[inline(always)]
    fn locate(&self, place: u32) -> (Field, u32) {
        match &self.fields[..] {
            [only] => (*only, place * self.entry_bits),
            several => (several[(place / self.per_field) as usize], place % self.per_field * self.entry_bits),
        }
    }

    /// The entry at a place, 0 being the oldest.
    #[inline(always)]
    pub(crate) fn get<const W: usize>(&self, state: &[u64; W], place: u32) -> Entry {
        let (field, shift) = self.locate(place);
        self.split(field.get(state) >> shift & self.entry_mask())
    }

    /// Overwrites the entry at a place.
    pub(crate) fn set<const W: usize>(&self, state: &mut [u64; W], place: u32, entry: Entry) {
        let (field, shift) = self.locate(place);
        let bits = field.get(state) & !(self.entry_mask() << shift);
        field.set(state, bits | self.join(entry) << shift);
    }

    /// Appends an entry to a queue of this length, which is below its capacity.
    #[inline(always)]
    pub(crate) fn push<const W: usize>(&self, state: &mut [u64; W], len: u32, entry: Entry) {
        debug_assert!(len < self.capacity && entry.tag != 0);
        let (field, shift) = self.locate(len);
        field.set(state, field.get(state) | self.join(entry) << shift);
    }

    /// Takes the oldest entry out. The queue must not be empty.
    #[inline(always)]
    pub(crate) fn pop<const W: usize>(&self, state: &mut [u64; W]) -> Entry {
        let oldest = self.fields[0].get(state) & self.entry_mask();
        for (i, field) in self.fields.iter().enumerate() {
            // A field of a single 64-bit entry cannot be shifted by its whole width.
            let bits = if self.entry_bits == 64 { 0 } else { field.get(state) >> self.entry_bits };
            let from_next = self.fields.get(i + 1).map_or(0, |next| next.get(state) & self.entry_mask());
            field.set(state, bits | from_next << (((self.per_field - 1) * self.entry_bits) % 64));
            if from_next == 0 {
                break;
            }
        }
        self.split(oldest)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    #[test]
    fn a_packed_queue_is_a_queue() {
        for (capacity, max_tag, value_bits) in
            [(1, 1, 0), (3, 2, 1), (5, 6, 3), (7, 3, 20), (4, 1, 30), (3, 1, 63)]
        {
            let mut packer = Packer::new();
            packer.place(5);
            let queue = Queue::place(&mut packer, capacity, max_tag, value_bits).expect("an entry fits");
            let mut state = [0u64; 8];
            assert!(packer.words() <= 8);
            let mut model: VecDeque<Entry> = VecDeque::new();
            let mut seed = 7u64;
            for _ in 0..2000 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let random = seed >> 33;
                if random & 1 == 0 && model.len() < capacity as usize {
                    let raw = if value_bits == 0 { 0 } else { seed & (u64::MAX >> (64 - value_bits)) };
                    let entry = Entry { tag: 1 + (random >> 1) % max_tag, raw };
                    queue.push(&mut state, model.len() as u32, entry);
                    model.push_back(entry);
                } else if let Some(expected) = model.pop_front() {
                    assert_eq!(queue.pop(&mut state), expected);
                }
                assert_eq!(queue.len(&state) as usize, model.len());
                assert_eq!(queue.is_empty(&state), model.is_empty());
                for (place, entry) in model.iter().enumerate() {
                    assert_eq!(queue.get(&state, place as u32), *entry);
                }
            }
            assert_eq!(state[0] & 31, 0, "the neighbour is left alone");
        }
    }
}
